use serde_json::json;

use super::*;

#[test]
fn spellings_are_kept_until_somebody_wants_a_number() {
    let node = node("[no, on, 010, 0x1F, 1.10, 'true', true, ~, 1_000, .5, +3, 12345678901234567890123]");
    assert_eq!(
        node.to_value(),
        json!(["no", "on", "010", "0x1F", 1.10, "true", true, null, "1_000", 0.5, 3, 12345678901234567890123.0])
    );
    assert_eq!(node.sequence().unwrap()[4].text(), Some("1.10"));
}

#[test]
fn places_are_bytes_also_behind_wide_characters() {
    let text = "ключ: 😀\nb: [1, два]\n";
    let node = node(text);
    let (key, value) = &node.mapping().unwrap()[1];
    assert_eq!(&text[key.place.span.clone()], "b");
    assert_eq!(&text[value.place.span.clone()], "[1, два]");
    assert_eq!(&text[value.sequence().unwrap()[1].place.span.clone()], "два");
}

#[test]
fn aliases_are_followed_and_bombs_are_not() {
    assert_eq!(node("a: &x {b: 1}\nc: *x\n").to_value(), json!({"a": {"b": 1}, "c": {"b": 1}}));
    assert_eq!(yaml_mistakes("a: &x [*x]\n"), ["1:8: this alias stands inside the value that it names"]);
    assert_eq!(yaml_mistakes("a: {<<: {b: 1}}\n"), ["1:5: merge keys (`<<`) are not read"]);
}

#[test]
fn aliases_do_not_nest_past_the_limit() {
    let (open, close) = ("[".repeat(100), "]".repeat(100));
    let text = format!("a: &a {open}x{close}\nb: &b {open}*a{close}\n");
    assert_eq!(yaml_mistakes(&text), ["2:107: aliases nest this file deeper than 128 levels"]);
}

#[test]
fn keys_are_texts_and_stand_once() {
    assert_eq!(yaml_mistakes("a: 1\nb: 2\na: 3\n"), ["3:1: the key `a` stands here twice"]);
    assert_eq!(yaml_mistakes("{[1]: 2}\n"), ["1:2: a key must be text, but this is a list"]);
    assert_eq!(yaml_mistakes("~: 2\n"), ["1:1: a key must be text, but this is nothing"]);
}

#[test]
fn deep_nesting_is_refused() {
    let mistakes = yaml_mistakes(&"[".repeat(5000));
    assert_eq!(mistakes.len(), 1);
    assert!(mistakes[0].contains("nested deeper than 128 levels") || mistakes[0].contains("YAML"), "{mistakes:?}");
}

#[test]
fn a_broken_text_is_explained_in_plain_words() {
    for (text, mistake) in [
        (
            "a: b: c\n",
            "1:5: not valid YAML: a `: ` stands here inside a text without quotes, or this line is indented wrongly",
        ),
        ("a:\n\tb: 1\n", "2:1: this line is indented with a tab"),
        ("a: *important* thing\n", "1:4: not valid YAML: this `*name` points at nothing"),
        ("a: 'it's'\n", "1:8: not valid YAML: more text stands after the closing quote"),
        ("a: @me\n", "1:4: not valid YAML: a text without quotes can't start with this character"),
        ("a: [x}\n", "1:6: not valid YAML: this list is not closed: expected `,` or `]`"),
        ("a: \"C:\\dir\"\n", "1:4: not valid YAML: this backslash starts no known escape"),
        ("a: \"x\n", "1:4: not valid YAML: this quoted text is never closed"),
        ("a: 1\nb\nc: 2\n", "3:1: not valid YAML: the line above this one is no `key: value`"),
    ] {
        assert_eq!(yaml_mistakes(text), [mistake], "{text}");
    }
}
