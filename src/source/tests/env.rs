use super::*;

fn expanded(text: &str) -> (Node, Vec<String>, Vec<String>) {
    let environment = |name: &str| match name {
        "PORT" => Some("8080".to_owned()),
        "HOST" => Some("a.example".to_owned()),
        "MY_API_KEY" => Some("sk-12345678".to_owned()),
        "NULLISH" => Some("null".to_owned()),
        "BRACES" => Some("${PORT}".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    };
    let (mut secrets, mut diagnostics) = (vec![], Diagnostics::default());
    let node = expand(&node(text), &environment, &mut secrets, &mut diagnostics);
    (node, secrets, said(&diagnostics))
}

fn text(written: &str) -> String {
    let (node, _, mistakes) = expanded(written);
    assert_eq!(mistakes, [""; 0]);
    node.text().unwrap().to_owned()
}

#[test]
fn names_in_braces_are_replaced_once() {
    assert_eq!(text("https://${HOST}:${PORT}/v1"), "https://a.example:8080/v1");
    assert_eq!(text("$HOST ${BRACES} a$b {HOST}"), "$HOST ${PORT} a$b {HOST}");
    assert_eq!(text("'$${HOST} costs $5'"), "${HOST} costs $5");
    assert_eq!(text("$$${HOST}"), "$${HOST}");
}

#[test]
fn what_a_plain_variable_becomes_is_read_like_any_plain_scalar() {
    assert_eq!(expanded("${PORT}").0.to_value(), 8080);
    assert_eq!(expanded("'${PORT}'").0.to_value(), "8080");
    assert_eq!(expanded("${NULLISH}").0.to_value(), "null");
}

#[test]
fn values_are_replaced_at_every_depth_and_keys_never() {
    let (node, _, _) = expanded("a: [{'${HOST}': '${HOST}'}]\n");
    assert_eq!(node.to_value(), serde_json::json!({"a": [{"${HOST}": "a.example"}]}));
}

#[test]
fn what_can_not_be_replaced_is_an_error_that_shows_no_value() {
    assert_eq!(expanded("a: ${GONE}").2, ["1:4: the environment variable `GONE` is not set"]);
    assert_eq!(expanded("a: x${EMPTY}").2, ["1:4: the environment variable `EMPTY` is empty"]);
    for wrong in ["${", "${}", "${a-b}", "${1A}", "x ${HOST"] {
        assert_eq!(
            expanded(&format!("a: '{wrong}'")).2,
            ["1:4: `${` does not start the name of an environment variable"],
            "{wrong}"
        );
    }
}

#[test]
fn secrets_are_told_by_the_name_and_taken_out_of_texts() {
    let (_, secrets, _) = expanded("['Bearer ${MY_API_KEY}', '${HOST}']");
    assert_eq!(secrets, ["sk-12345678"]);
    let secrets = Secrets::new([secrets[0].clone(), "sk-12345678-long".to_owned(), "short".to_owned()]);
    assert_eq!(secrets.redact("sk-12345678 sk-12345678-long short"), "[redacted] [redacted] short");
    assert_eq!(format!("{secrets:?}"), "Secrets(2)");
}

#[test]
fn a_secret_is_found_as_json_spells_it_and_inside_values() {
    let secrets = Secrets::new(["a\"b\\c/d".to_owned()]);
    assert_eq!(secrets.redact(r#"{"reply":"key a\"b\\c/d."}"#), r#"{"reply":"key [redacted]."}"#);
    let mut value = serde_json::json!({"a\"b\\c/d": ["a\"b\\c/d", 1, null]});
    secrets.redact_value(&mut value);
    assert_eq!(value, serde_json::json!({"[redacted]": ["[redacted]", 1, null]}));
}
