use super::*;

fn says(yaml: &str, reply: &str) -> Option<bool> {
    matcher(yaml).judge(&cut(reply)).holds()
}

#[test]
fn an_absence_in_a_cut_reply_is_not_assessable() {
    for yaml in [
        "reply_mentions: refund",
        "reply_mentions: [policy, refund]",
        "reply_mentions_any: [refund, money]",
        "reply_does_not_mention: refund",
        "reply_matches: refund",
        "reply_does_not_match: refund",
        "reply_ends_with: policy",
        "reply_max_words: 3",
        "reply_min_words: 3",
    ] {
        assert_eq!(says(yaml, "Our policy"), None, "{yaml}");
    }
}

#[test]
fn what_a_cut_reply_shows_is_settled() {
    for (yaml, settled) in [
        ("reply_mentions: policy", true),
        ("reply_mentions_any: [refund, policy]", true),
        ("reply_does_not_mention: [refund, policy]", false),
        ("reply_matches: pol", true),
        ("reply_does_not_match: pol", false),
        ("reply_starts_with: our policy", true),
        ("reply_starts_with: the policy", false),
        ("reply_equals: our rule", false),
        ("reply_equals: our", false),
        ("reply_max_words: 2", false),
        ("reply_min_words: 2", true),
    ] {
        assert_eq!(says(yaml, "Our policy is thi"), Some(settled), "{yaml}");
    }
}

#[test]
fn a_needle_at_the_very_end_of_a_cut_reply_may_be_part_of_a_longer_word() {
    assert_eq!(says("reply_mentions: 30", "within 30"), None);
    assert_eq!(says("reply_mentions: 30", "within 30."), None);
    assert_eq!(says("reply_mentions: 30", "within 30 d"), Some(true));
    assert_eq!(says("reply_does_not_mention: refund", "no refund"), None);
    assert_eq!(says("reply_mentions: {text: refund, whole_words: false}", "no refunds"), Some(true));
    assert_eq!(says("reply_starts_with: within 30", "within 30"), None);
    assert_eq!(says("reply_starts_with: within 30 days", "within"), None);
    assert_eq!(says("reply_equals: within 30 days", "within 30"), None);
    assert_eq!(says("reply_equals: within 30", "within 30"), None);
}

#[test]
fn a_pattern_that_looks_at_the_end_is_not_settled_by_the_cut() {
    assert_eq!(says(r"reply_matches: 'days\b'", "30 days"), None);
    assert_eq!(says(r"reply_matches: 'days$'", "30 days"), None);
    assert_eq!(says(r"reply_matches: 'days\b'", "30 days a"), Some(true));
    assert_eq!(says(r"reply_does_not_match: 'days$'", "30 days"), None);
}

#[test]
fn a_mistake_in_the_beginning_of_cut_json_is_settled() {
    assert_eq!(says("reply_is_json: true", "{\"a\": "), None);
    assert_eq!(says("reply_is_json: true", "{\"a\": 1}"), None);
    assert_eq!(says("reply_is_json: true", "```json\n{\"a\""), None);
    assert_eq!(says("reply_is_json: true", "``"), None);
    assert_eq!(says("reply_is_json: true", "Sure, here it is: {"), Some(false));
    assert_eq!(says("reply_is_json: {strict: true}", "```json\n{"), Some(false));
}

#[test]
fn calls_that_a_cut_answer_lacks_are_not_assessable() {
    let one = Transcript { truncated: true, ..calls(vec![call("get_order", Value::Null)]) };
    for (yaml, settled) in [
        ("tool_called: get_order", Some(true)),
        ("tool_called: create_refund", None),
        ("tool_called: {name: get_order, times: 1}", None),
        ("no_tool_called: get_order", Some(false)),
        ("no_tool_called: create_refund", None),
        ("no_tool_called: true", Some(false)),
        ("tool_order: [get_order, create_refund]", None),
        ("tool_order: [create_refund, get_order]", Some(false)),
        ("tools_called_exactly: get_order", None),
        ("tools_called_exactly: [get_order, create_refund]", None),
        ("tools_called_exactly: create_refund", Some(false)),
        ("max_tool_calls: 1", None),
        ("max_tool_calls: 0", Some(false)),
        ("field: {path: status, equals: open}", None),
        ("field: {path: status, exists: false}", None),
    ] {
        assert_eq!(matcher(yaml).judge(&one).holds(), settled, "{yaml}");
    }
}
