//! Parts of a reply: what is checked as if it were the reply, and what a missing part means.

use super::*;

#[test]
fn false_and_zero_are_parts_and_a_missing_or_null_one_is_named() {
    let reply =
        r#"{"blocked": false, "count": 0, "text": "", "none": null, "list": [1, "a"], "deep": [{"id": "V-1"}]}"#;
    for yaml in [
        "extract: {path: blocked, reply_equals: 'false'}",
        "extract: {path: count, reply_equals: '0'}",
        "extract: {path: text, reply_equals: ''}",
        "extract: {path: list, reply_equals: '[1,\"a\"]'}",
        "extract: {path: 'deep[0].id', reply_matches: '^V-1$', reply_max_words: 1}",
    ] {
        assert!(holds(yaml, reply), "{yaml}");
    }
    let told = |yaml: &str, reply: &str| finding(judge(yaml, reply)).reason;
    assert_eq!(told("extract: {path: bloked, reply_equals: 'false'}", reply), "the reply is JSON, but has no bloked");
    assert_eq!(told("extract: {path: none, reply_equals: 'null'}", reply), "none is null in the reply");
    assert!(told("extract: {path: a, reply_equals: x}", "Hi").starts_with("there is no a: the reply is no JSON ("));
    // What is forbidden in a part that is not there is not thereby kept out of it.
    assert!(!holds("extract: {path: bloked, reply_does_not_mention: secret}", reply));
    assert!(holds("extract: {path: blocked, reply_does_not_mention: secret}", reply));
}

#[test]
fn the_text_inside_a_json_wrapper_is_checked_instead_of_the_wrapper() {
    let wrapped = r#"{"value": "Short and sweet."}"#;
    assert!(!holds("reply_matches: '^.{1,20}$'", wrapped));
    assert!(holds("extract: {path: value, reply_matches: '^.{1,20}$'}", wrapped));
    assert!(!holds("extract: {path: value, reply_matches: '^.{1,5}$'}", wrapped));
    assert!(holds("extract: {path: value, reply_ends_with: sweet.}", &format!("```json\n{wrapped}\n```")));
}

#[test]
fn a_pattern_takes_its_group_and_findings_point_into_the_whole_reply() {
    let reply = "I think so.\nANSWER: 42 days\nBye.";
    let found = finding(judge(r"extract: {pattern: '(?m)^ANSWER: (.+)$', reply_mentions: days}", reply));
    assert_eq!(found.at.clone().map(|at| &reply[at]), Some("days"));
    assert_eq!(found.reason, "in /(?m)^ANSWER: (.+)$/: the reply mentions \"days\"");
    assert!(!holds(r"extract: {pattern: '(?m)^ANSWER: (\d+)', reply_equals: '4'}", reply));
    assert!(holds(r"extract: {pattern: '\d+ days', reply_equals: 42 days}", reply), "without a group: all of it");
    assert!(!holds(r"extract: {pattern: 'RESULT: (.+)', reply_does_not_mention: x}", reply));
    // Every check must hold; the first that fails is told.
    let both = "extract: {pattern: 'ANSWER: (.+)', reply_mentions: '42', reply_does_not_mention: days}";
    assert!(finding(judge(both, reply)).reason.ends_with("the reply mentions \"days\""));
}

#[test]
fn a_cut_reply_settles_only_a_part_that_is_whole() {
    let assess = |yaml: &str, reply: &str| matcher(yaml).judge(&cut(reply)).holds();
    assert_eq!(assess("extract: {pattern: 'A: (\\w+)', reply_equals: yes}", "A: yes. And"), Some(true));
    assert_eq!(assess("extract: {pattern: 'A: (\\w+)', reply_equals: yes}", "A: yes"), None, "it may go on");
    assert_eq!(assess("extract: {pattern: 'A: (\\w+)', reply_equals: yes}", "So far"), None);
    assert_eq!(assess("extract: {path: a, reply_equals: x}", "{\"a\": \"x"), None);
}

#[test]
fn a_part_needs_one_place_and_checks_of_replies() {
    assert!(refused("extract: {reply_equals: x}").contains("needs `path` or `pattern`"));
    assert!(refused("extract: {path: a, pattern: b, reply_equals: x}").contains("one of them only"));
    assert!(refused("extract: {path: a}").contains("asks nothing of the part"));
    assert!(refused("extract: {path: a, tool_called: t}").contains("`tool_called` looks at no part of a reply"));
    assert!(refused("extract: {path: a, judge: It is kind.}").contains("`judge` looks at no part of a reply"));
    assert!(refused("extract: {path: a, reply_equal: x}").contains("did you mean `reply_equals`?"));
    assert!(refused("extract: {path: 'a..b', reply_equals: x}").contains("is no path"));
    assert!(refused("extract: {pattern: '(', reply_equals: x}").contains("no valid regular expression"));
}
