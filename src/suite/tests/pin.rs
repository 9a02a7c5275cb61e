use std::sync::Arc;

use super::super::decode_case::Decoder;
use super::super::load::case_nodes;
use crate::source::{Diagnostics, SourceFile};
use crate::suite::{Pin, PinnedFile, Unpinned, pin, pin_line};

const TAIL: &str = "expect: {reply_mentions: [x]}\n";

/// The file with `NOT <quote>` pinned to every rule that has no opposite.
fn pinned_in(name: &str, text: &str) -> PinnedFile {
    let file = SourceFile::new(name, text);
    pin(&file, &pins(&file))
}

fn pins(file: &Arc<SourceFile>) -> Vec<Pin> {
    let mut diagnostics = Diagnostics::default();
    let nodes = case_nodes(file, &mut diagnostics);
    let mut decoder = Decoder::new(&crate::matchers::parse, None);
    let cases: Vec<_> = nodes.iter().filter_map(|node| decoder.case(node, &mut diagnostics)).collect();
    assert_eq!(diagnostics.errors(), 0, "{}", diagnostics.render(false));
    let open = cases.iter().flat_map(|case| &case.rules).filter(|rule| rule.inverted.is_none());
    let pin = |rule: &crate::suite::Rule| Pin {
        place: rule.place.clone(),
        text: format!("NOT {}", rule.quote.trim_end()),
        comment: None,
    };
    open.map(pin).collect()
}

/// What is added to a file of one case with this rule; the rest must be the old file byte for byte.
#[track_caller]
fn added(rule: &str) -> String {
    let text = format!("# Mine.\nid: a\ninput: Hi   # there\n{rule}{TAIL}");
    let made = pinned_in("cases/a.yaml", &text);
    assert!(made.outcomes.iter().all(Result::is_ok), "{:?}\n{}", made.outcomes, made.text);
    let (mut old, mut new) = (text.lines(), String::new());
    let mut next = old.next();
    for line in made.text.lines() {
        if next == Some(line) {
            next = old.next();
        } else {
            new.push_str(line);
            new.push('\n');
        }
    }
    new.push_str(&old.map(|line| format!("LOST {line}\n")).collect::<String>());
    new
}

#[test]
fn a_quote_gets_a_line_below_it_in_its_own_column() {
    for (rule, line) in [
        ("rule:\n  quote: Be kind.\n  line: 3\n", "  inverted: \"NOT Be kind.\"\n"),
        ("rule:\n    line: 3\n    quote: 'Be kind.'   # our tone\n", "    inverted: \"NOT Be kind.\"\n"),
        ("rules:\n- quote: Be \"kind\".\n", "  inverted: \"NOT Be \\\"kind\\\".\"\n"),
        ("rules:\n  -   line: 4\n      quote: Be\n        kind.\n", "      inverted: \"NOT Be kind.\"\n"),
        ("rule:\n  quote: >-\n    Be\n    kind.\n\n", "  inverted: \"NOT Be kind.\"\n"),
        ("rule:\n  quote: |\n    Be kind.\n  file: x\n", "  inverted: \"NOT Be kind.\"\n"),
        ("rule:\n  quote:\n    Sei nett, jederzeit … ja?\n", "  inverted: \"NOT Sei nett, jederzeit … ja?\"\n"),
        ("rule:\n  \"quote\": \"Be\n    kind.\" # so\n", "  inverted: \"NOT Be kind.\"\n"),
    ] {
        assert_eq!(added(rule), line, "{rule}");
    }
}

#[test]
fn a_rule_that_is_a_text_becomes_a_quote_and_its_opposite() {
    let of = |rule: &str| {
        let made = pinned_in("a.yaml", &format!("id: a\ninput: Hi\n{rule}{TAIL}"));
        assert_eq!(made.outcomes, [Ok(())], "{rule}");
        made.text.strip_prefix("id: a\ninput: Hi\n").unwrap().strip_suffix(TAIL).unwrap().to_owned()
    };
    for (rule, expected) in [
        ("rule: Be kind.  # P0\n", "rule:\n  quote: Be kind.  # P0\n  inverted: \"NOT Be kind.\"\n"),
        ("rule: &kind \"Be kind.\"\n", "rule:\n  quote: &kind \"Be kind.\"\n  inverted: \"NOT Be kind.\"\n"),
        ("rule: >-\n  Be\n  kind.\n", "rule:\n quote: >-\n  Be\n  kind.\n inverted: \"NOT Be kind.\"\n"),
        ("rule: Be\n    kind.\n", "rule:\n  quote: Be\n    kind.\n  inverted: \"NOT Be kind.\"\n"),
        ("rules:\n  - Be kind.\n", "rules:\n  - quote: Be kind.\n    inverted: \"NOT Be kind.\"\n"),
        ("rules:\n-   &k 'Be kind.'\n", "rules:\n-   quote: &k 'Be kind.'\n    inverted: \"NOT Be kind.\"\n"),
    ] {
        assert_eq!(of(rule), expected, "{rule}");
    }
}

#[test]
fn every_rule_of_every_case_of_a_file_is_pinned_and_what_has_an_opposite_stays() {
    let text = "# Desk\n- id: a\n  input: Hi\n  rules:\n    - Be kind.\n    - {quote: Be quick., inverted: Be slow.}\n    - \
                quote: Be brief.\n  expect: {reply_mentions: [x]}\n\n---\n- id: b\n  input: Hi\n  rule: Be neat.\n  \
                expect: {reply_mentions: [x]}";
    let made = pinned_in("a.yaml", text);
    assert_eq!(made.outcomes, [Ok(()); 3]);
    let expected = text
        .replace("- Be kind.", "- quote: Be kind.\n      inverted: \"NOT Be kind.\"")
        .replace("quote: Be brief.", "quote: Be brief.\n      inverted: \"NOT Be brief.\"")
        .replace("rule: Be neat.", "rule:\n    quote: Be neat.\n    inverted: \"NOT Be neat.\"");
    assert_eq!(made.text, expected);
    assert!(pins(&SourceFile::new("a.yaml", made.text.as_str())).is_empty(), "nothing is pinned twice");
}

#[test]
fn line_breaks_stay_those_of_the_file_and_its_end_too() {
    let text = "id: a\r\ninput: Hi\r\nexpect: {reply_mentions: [x]}\r\nrule: Be kind.";
    let made = pinned_in("a.yaml", text);
    assert_eq!(
        made.text,
        "id: a\r\ninput: Hi\r\nexpect: {reply_mentions: [x]}\r\nrule:\r\n  quote: Be kind.\r\n  inverted: \"NOT Be kind.\""
    );
}

#[test]
fn what_can_not_be_edited_safely_is_left_as_it_is_with_the_reason() {
    for (name, text, why) in [
        ("a.yaml", format!("id: a\ninput: Hi\nrule: {{quote: Be kind.}}\n{TAIL}"), Unpinned::Flow),
        ("a.yaml", format!("id: a\ninput: Hi\nrules: [Be kind.]\n{TAIL}"), Unpinned::Flow),
        ("a.yaml", "{id: a, input: Hi, rule: Be kind., expect: {reply_mentions: [x]}}\n".to_owned(), Unpinned::Flow),
        (
            "a.json",
            "{\"id\": \"a\", \"input\": \"Hi\", \"rule\": \"Be kind.\",\n\"expect\": {\"reply_mentions\": [\"x\"]}}"
                .to_owned(),
            Unpinned::Flow,
        ),
        // The text would stand at the depth of its new key.
        ("a.yaml", format!("id: a\ninput: Hi\nrule: >-\n Be\n kind.\n{TAIL}"), Unpinned::Layout),
        ("a.yaml", format!("id: a\ninput: Hi\nrule:\n  ? quote\n  : Be kind.\n{TAIL}"), Unpinned::Layout),
    ] {
        let made = pinned_in(name, &text);
        assert_eq!(made.outcomes, [Err(why)], "{text}\n{}", made.text);
        assert_eq!(made.text, text);
    }
    let shared = "- id: a\n  input: Hi\n  rule: &k Be kind.\n  expect: {reply_mentions: [x]}\n- id: b\n  input: Hi\n  \
                  rule: *k\n  expect: {reply_mentions: [x]}\n";
    let made = pinned_in("a.yaml", shared);
    assert_eq!((made.outcomes, made.text.as_str()), (vec![Err(Unpinned::Shared); 2], shared));
}

#[test]
fn one_rule_that_can_not_be_pinned_keeps_no_other_from_it() {
    let text = format!("id: a\ninput: Hi\nrules:\n- Be kind.\n- {{quote: Be quick.}}\n- ? quote\n  : Be neat.\n{TAIL}");
    let made = pinned_in("a.yaml", &text);
    assert_eq!(made.outcomes, [Ok(()), Err(Unpinned::Flow), Err(Unpinned::Layout)]);
    assert_eq!(made.text, text.replace("- Be kind.", "- quote: Be kind.\n  inverted: \"NOT Be kind.\""));
}

#[test]
fn the_line_to_paste_fits_the_file() {
    let yaml = SourceFile::new("a.yaml", "");
    assert_eq!(pin_line("Say \"no\".", Unpinned::Layout, &yaml), "inverted: \"Say \\\"no\\\".\"");
    assert_eq!(pin_line("No.", Unpinned::Flow, &yaml), ", inverted: \"No.\"");
    assert_eq!(pin_line("No.", Unpinned::Flow, &SourceFile::new("a.jsonl", "")), ", \"inverted\": \"No.\"");
}
