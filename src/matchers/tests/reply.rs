use super::*;

#[test]
fn every_needle_of_a_list_must_be_mentioned() {
    assert!(holds("reply_mentions: [30 days, policy]", "Our policy: 30 days."));
    let missing = finding(judge("reply_mentions: [30 days, policy, form]", "Our form."));
    assert_eq!(missing.reason, "\"30 days\" and \"policy\" are not in the reply");
    assert_eq!(missing.found.as_deref(), Some("Our form."));
}

#[test]
fn one_needle_of_any_is_enough() {
    assert!(holds("reply_mentions_any: [sorry, cannot]", "I cannot."));
    let missing = finding(judge("reply_mentions_any: [sorry, cannot]", "I can."));
    assert_eq!(missing.reason, "none of \"sorry\" and \"cannot\" is in the reply");
}

#[test]
fn a_forbidden_needle_is_shown_where_it_stands() {
    assert!(holds("reply_does_not_mention: [refunded, approved]", "No."));
    let found = finding(judge("reply_does_not_mention: [refunded, approved]", "It was approved."));
    assert_eq!(found.reason, "the reply mentions \"approved\"");
    assert_eq!(found.at, Some(7..15));
}

#[test]
fn scalars_are_text_as_they_are_written() {
    assert!(holds("reply_mentions: no", "No."));
    assert!(holds("reply_mentions: [on, 010, 1.10]", "on 010 and 1.10"));
    assert!(!holds("reply_mentions: 010", "10"));
    assert!(!holds("reply_mentions: 1.10", "1.1"));
}

#[test]
fn a_pattern_searches_the_reply_as_written() {
    assert!(holds(r"reply_matches: 'order #\d{4}'", "Your order #4021."));
    assert!(!holds("reply_matches: refund", "Refund"));
    assert!(holds("reply_matches: {pattern: refund, case_sensitive: false}", "Refund"));
    assert!(!holds("reply_matches: [a, b]", "a"));
    let found = finding(judge(r"reply_does_not_match: '\$\d+'", "It costs $49."));
    assert_eq!((found.reason.as_str(), found.at), (r"the reply matches /\$\d+/", Some(9..12)));
}

#[test]
fn a_pattern_that_explodes_elsewhere_is_linear_here() {
    let started = std::time::Instant::now();
    assert!(!holds("reply_matches: '(a+)+!'", &"a".repeat(20_000)));
    assert!(started.elapsed().as_secs() < 10);
}

#[test]
fn equals_folds_but_wants_the_whole_reply() {
    assert!(holds("reply_equals: approved", " **Approved**\n"));
    assert!(holds("reply_equals: '1,000'", "1000"));
    assert!(!holds("reply_equals: approved", "Approved."));
    assert!(!holds("reply_equals: {text: approved, exact: true}", "Approved"));
    assert!(holds("reply_equals: {text: Approved, exact: true}", "Approved"));
    assert!(!holds("reply_equals: {text: approved, case_sensitive: true}", "Approved"));
    assert!(finding(judge("reply_equals: approved", "approved today")).note.is_some());
}

#[test]
fn the_empty_text_equals_an_empty_reply_only() {
    assert!(holds("reply_equals: ''", ""));
    assert!(holds("reply_equals: ''", " \n"));
    assert!(!holds("reply_equals: ''", "x"));
    assert_eq!(matcher("reply_equals: ''").judge(&Transcript::default()).holds(), Some(false));
}

#[test]
fn starts_and_ends_ignore_outer_space_and_emphasis_but_not_punctuation() {
    assert!(holds("reply_ends_with: Ticket logged.", "Thanks. **Ticket logged.** \n"));
    assert!(!holds("reply_ends_with: Ticket logged.", "Ticket logged"));
    assert!(!holds("reply_ends_with: Ticket logged", "Ticket logged."));
    assert!(holds("reply_ends_with: '?'", "May I help?"));
    assert!(holds("reply_starts_with: Dear", "\n**Dear customer**"));
    assert!(!holds("reply_starts_with: Dear", "Dearest customer"));
    assert!(!holds("reply_ends_with: 5", "It is 25"));
    let near = finding(judge("reply_ends_with: Ticket logged.", "Ticket logged"));
    assert_eq!(near.note.as_deref(), Some("only the punctuation at the end differs"));
}

#[test]
fn the_whole_reply_is_json_or_one_fence_is() {
    for reply in ["{\"a\": 1}", " [1] \n", "```json\n{\"a\": 1}\n```", "```\n1\n```", "\"text\""] {
        assert!(holds("reply_is_json: true", reply), "{reply:?}");
    }
    for reply in
        ["", "{a: 1}", "Here: {\"a\": 1}", "```json\n{}\n```\nDone.", "Sure:\n```json\n{}\n```", "{} {}", "```json\n{}"]
    {
        assert!(!holds("reply_is_json: true", reply), "{reply:?}");
    }
    assert!(!holds("reply_is_json: {strict: true}", "```json\n{}\n```"));
    assert!(holds("reply_is_json: {strict: true}", "{}"));
}

#[test]
fn a_schema_error_names_its_path() {
    let yaml =
        "reply_is_json: {type: object, required: [order], properties: {order: {properties: {status: {enum: [open]}}}}}";
    assert!(holds(yaml, r#"{"order": {"status": "open"}}"#));
    let wrong = finding(judge(yaml, r#"{"order": {"status": "shut"}}"#));
    assert!(wrong.reason.starts_with("`/order/status` does not fit the schema: "), "{}", wrong.reason);
    assert!(finding(judge(yaml, "{}")).reason.starts_with("the JSON as a whole does not fit the schema"));
    assert!(!holds("reply_is_json: {strict: true, schema: {type: array}}", "{}"));
}

#[test]
fn words_are_limited_from_both_sides() {
    assert!(holds("reply_max_words: 3", "one two three"));
    assert_eq!(finding(judge("reply_max_words: 3", "a b c d")).reason, "the reply has 4 words; the most is 3");
    assert!(holds("reply_min_words: 3", "one two three"));
    assert_eq!(finding(judge("reply_min_words: 3", "one")).reason, "the reply has 1 word; the least is 3");
}

#[test]
fn a_large_reply_is_judged_without_a_stall() {
    let reply = "Our policy is **30 days**, I’m afraid: 1,000 times no. ".repeat(20_000);
    let started = std::time::Instant::now();
    assert!(!holds("reply_mentions: [refund, thirty one, 49.99]", &reply));
    assert!(started.elapsed().as_secs() < 15, "took {:?}", started.elapsed());
}
