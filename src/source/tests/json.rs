use serde_json::{Value, json};

use super::*;

fn parsed(text: &str) -> Result<Value, Vec<String>> {
    let mut diagnostics = Diagnostics::default();
    match parse_json(&file(text), &mut diagnostics) {
        Some(node) => Ok(node.to_value()),
        None => Err(said(&diagnostics)),
    }
}

#[test]
fn values_are_those_of_json() {
    for text in [
        r#"{"a": [1, -2.5e3, true, false, null, "x"], "b": {}, "c": []}"#,
        r#""\ud83d\ude00 \u00e9 \" \\ \/ \n""#,
        "\t[\r\n 1 ,\t2 ]\n",
        "18446744073709551615",
        r#""日本 \t""#,
    ] {
        assert_eq!(parsed(text), Ok(serde_json::from_str(text).unwrap()), "{text}");
    }
}

#[test]
fn a_quoted_word_is_text_and_a_plain_one_is_not() {
    assert_eq!(parsed(r#"["true", true, "null", "12", 12]"#), Ok(json!(["true", true, "null", "12", 12])));
}

#[test]
fn nodes_remember_where_they_stand() {
    let text = "{\"ключ\": [1,\n  \"два\"]}";
    let mut diagnostics = Diagnostics::default();
    let node = parse_json(&file(text), &mut diagnostics).unwrap();
    let (key, list) = &node.mapping().unwrap()[0];
    assert_eq!(&text[key.place.span.clone()], "\"ключ\"");
    assert_eq!(&text[list.place.span.clone()], "[1,\n  \"два\"]");
    assert_eq!(list.sequence().unwrap()[1].place.line_column(), (2, 3));
}

#[test]
fn every_break_is_an_error_at_its_place() {
    for (text, mistake) in [
        ("", "1:1: not valid JSON: it ends where a value should stand"),
        ("[1, 2", "1:6: not valid JSON: expected `,` or `]` here"),
        ("[1 2]", "1:4: not valid JSON: expected `,` or `]` here"),
        ("[1,]", "1:4: not valid JSON: expected a value: text stands in double quotes"),
        ("{'a': 1}", "1:2: not valid JSON: expected a key in double quotes here"),
        ("{\"a\" 1}", "1:6: not valid JSON: expected `:` after the key"),
        ("{\"a\": 1", "1:8: not valid JSON: expected `,` or `}` here"),
        ("{\"a\": \"x}", "1:7: not valid JSON: this text has no closing quote"),
        ("\"\\q\"", "1:1: not valid JSON: this text can't be read: invalid escape"),
        ("\"\\ud83d\"", "1:1: not valid JSON: this text can't be read: unexpected end of hex escape"),
        ("01", "1:1: not valid JSON: expected a value: text stands in double quotes"),
        ("NaN", "1:1: not valid JSON: expected a value: text stands in double quotes"),
        ("1 2", "1:3: not valid JSON: there is more text after the value"),
    ] {
        assert_eq!(parsed(text), Err(vec![mistake.to_owned()]), "{text}");
    }
    assert!(parsed(&format!("[{}[]]", "[[]],{},".repeat(500))).is_ok(), "siblings are not depth");
    let deep = parsed(&"[".repeat(100_000)).unwrap_err();
    assert!(deep[0].contains("nested deeper than 128 levels"), "{deep:?}");
}

#[test]
fn a_doubled_key_is_a_mistake() {
    let mut diagnostics = Diagnostics::default();
    parse_json(&file(r#"{"a": 1, "a": 2}"#), &mut diagnostics);
    assert_eq!(said(&diagnostics), ["1:10: the key `a` stands here twice"]);
}

#[test]
fn a_broken_line_does_not_hide_the_next_ones() {
    let mut diagnostics = Diagnostics::default();
    let nodes = parse_json_lines(&file("{\"a\": 1}\r\n\n{\"a\" 2}\n[3]"), &mut diagnostics);
    assert_eq!(nodes.iter().map(Node::to_value).collect::<Vec<_>>(), [json!({"a": 1}), json!([3])]);
    assert_eq!(said(&diagnostics), ["3:6: not valid JSON: expected `:` after the key"]);
    assert_eq!(nodes[1].place.line_column(), (4, 1));
}

mod any_text {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_serde_json_reads_is_read_alike(text in r#"[\[\]{}:, "\\a0-9.eé\n\tun-]{0,24}"#) {
            let theirs = serde_json::from_str::<Value>(&text);
            let mut diagnostics = Diagnostics::default();
            let ours = parse_json(&file(&text), &mut diagnostics).map(|node| node.to_value());
            // A doubled key, a number outside of f64 and -0 are told apart by one side only.
            if let (Ok(theirs), true) = (theirs, diagnostics.is_empty() && !text.contains("-0")) {
                prop_assert_eq!(ours, Some(theirs));
            }
        }

        #[test]
        fn no_text_breaks_a_parser_or_the_renderer(text in "\\PC{0,60}|[-:{}\\[\\]&*'\"#|> \\n\\ta-c😀]{0,40}") {
            let mut diagnostics = Diagnostics::default();
            parse_json(&file(&text), &mut diagnostics);
            parse_json_lines(&file(&text), &mut diagnostics);
            let nodes = parse_documents(&file(&text), &mut diagnostics);
            for node in &nodes {
                prop_assert!(text.get(node.place.span.clone()).is_some());
            }
            diagnostics.render(true);
        }
    }
}
