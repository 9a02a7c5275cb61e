//! Mistakes that checks of other tools were found to make, each with the right answer.

use serde_json::json;

use super::*;

fn note(yaml: &str, reply: &str) -> Option<String> {
    finding(judge(yaml, reply)).note
}

#[test]
fn forbidding_is_the_opposite_of_asking_for_every_pair_of_kinds() {
    for (asks, forbids, with, without) in [
        ("reply_mentions: Hi", "reply_does_not_mention: Hi", "Hi", "Good morning"),
        ("reply_mentions_any: [Hi, Hey]", "reply_does_not_mention: [Hi, Hey]", "Hey", "Good morning"),
        ("reply_matches: '^Hi'", "reply_does_not_match: '^Hi'", "Hi", "Oh, Hi"),
        ("reply_min_words: 3", "reply_max_words: 2", "one two three", "one two"),
    ] {
        assert!(holds(asks, with) && !holds(forbids, with), "{asks} and {forbids} on {with:?}");
        assert!(!holds(asks, without) && holds(forbids, without), "{asks} and {forbids} on {without:?}");
    }
    let searched = calls(vec![call("search", json!({}))]);
    let none = calls(vec![]);
    for (asks, forbids) in
        [("tool_called: search", "no_tool_called: search"), ("tool_called: search", "no_tool_called: true")]
    {
        assert_eq!(matcher(asks).judge(&searched).holds(), Some(true));
        assert_eq!(matcher(forbids).judge(&searched).holds(), Some(false));
        assert_eq!(matcher(asks).judge(&none).holds(), Some(false));
        assert_eq!(matcher(forbids).judge(&none).holds(), Some(true));
    }
}

#[test]
fn a_failing_prohibition_is_explained_by_what_it_forbids() {
    let forbidden = finding(judge("reply_does_not_mention: secret", "The secret is out."));
    assert_eq!(forbidden.reason, "the reply mentions \"secret\"");
    let matched = finding(judge(r"reply_does_not_match: '\bsecret'", "The secret is out."));
    assert_eq!(matched.reason, r"the reply matches /\bsecret/");
    let made = calls(vec![call("search", json!({}))]);
    assert_eq!(finding(matcher("no_tool_called: true").judge(&made)).reason, "search was called");
}

#[test]
fn texts_in_one_string_are_one_text_and_the_near_miss_is_noted() {
    let yaml = "reply_mentions_any: '<b> </p>'";
    assert!(!holds(yaml, "<b>Open</b> all day</p>"));
    assert!(
        note("reply_mentions: the ticket exists", "Ticket 81 is there: the one that exists.")
            .is_some_and(|note| note.contains("side by side"))
    );
    assert_eq!(note("reply_mentions: the ticket exists", "Created ticket 81."), None);
}

#[test]
fn false_and_zero_are_texts_like_any_other() {
    assert!(holds("reply_equals: 'false'", "false"));
    assert!(holds("reply_equals: 0", "0"));
    assert!(!holds("reply_equals: 0", ""));
    assert!(holds("reply_mentions: 0", "0"));
}

#[test]
fn an_empty_reply_beside_calls_leaves_the_calls_judged() {
    for reply in [None, Some(String::new())] {
        let called = Transcript { reply, ..calls(vec![call("get_forecast", json!({"city": "Lyon"}))]) };
        assert_eq!(matcher("tool_called: {get_forecast: {city: Lyon}}").judge(&called).holds(), Some(true));
        assert_eq!(matcher("reply_mentions: Lyon").judge(&called).holds(), Some(false));
        assert_eq!(matcher("reply_is_json: true").judge(&called).holds(), Some(false));
        assert_eq!(matcher("reply_matches: x").judge(&called).holds(), Some(false));
    }
}

#[test]
fn expecting_no_tool_holds_on_none_and_can_fail() {
    assert_eq!(matcher("no_tool_called: true").judge(&calls(vec![])).holds(), Some(true));
    assert_eq!(matcher("no_tool_called: true").judge(&calls(vec![call("a", json!({}))])).holds(), Some(false));
    assert_eq!(matcher("max_tool_calls: 0").judge(&calls(vec![call("a", json!({}))])).holds(), Some(false));
}

#[test]
fn arguments_of_a_call_that_was_not_made_are_wrong() {
    let none = finding(matcher("tool_called: {refund_order: {order_id: K-55}}").judge(&calls(vec![])));
    assert_eq!(none.reason, "refund_order was not called");
    let other = calls(vec![call("get_order", json!({}))]);
    let missing = finding(matcher("tool_called: {name: hand_over, arguments: {}}").judge(&other));
    assert_eq!(missing.reason, "hand_over was not called");
    let yaml = "tool_called: {name: refund_order, where: {path: amount, at_most: 50}}";
    assert_eq!(matcher(yaml).judge(&calls(vec![])).holds(), Some(false));
    let without = calls(vec![call("refund_order", json!({}))]);
    let reason = finding(matcher(yaml).judge(&without)).reason;
    assert!(reason.ends_with("amount is missing"), "{reason}");
}

#[test]
fn a_call_that_is_only_written_is_noted() {
    let one = r#"{"type": "function_call", "name": "get_rate", "arguments": "{}"}"#;
    for reply in [one.to_owned(), format!("[{one}]")] {
        let written = Transcript { reply: Some(reply), ..calls(vec![]) };
        let missing = finding(matcher("tool_called: get_rate").judge(&written));
        assert_eq!(missing.reason, "get_rate was not called");
        assert!(missing.note.is_some_and(|note| note.contains("looks like a tool call")));
        assert!(finding(matcher("no_tool_called: get_rate").judge(&written)).note.is_some());
    }
    assert_eq!(finding(matcher("tool_called: get_rate").judge(&calls(vec![]))).note, None);
}

#[test]
fn fenced_json_is_json_and_the_fence_is_noted() {
    let fenced = "```json\n{\"status\": \"open\"}\n```";
    let found = finding(judge("reply_is_json: {required: [status]}", fenced));
    assert_eq!(found.note.as_deref(), Some("it stands in a code fence"));
    assert!(!holds("reply_is_json: {strict: true, schema: {required: [status]}}", fenced));
    for around in ["Here:\n```json\n{\"status\": \"open\"}\n```", "```json\n{\"status\": \"open\"}\n```\nDone."] {
        let failed = finding(judge("reply_is_json: true", around));
        assert_eq!(failed.reason, "the reply has text around its JSON");
        assert!(!holds("reply_is_json: {strict: true}", around));
        assert!(holds("reply_is_json: {anywhere: true, schema: {required: [status]}}", around));
    }
}

#[test]
fn backticks_inside_a_json_text_do_not_end_the_fence() {
    let yaml = "reply_is_json: {properties: {note: {const: use ```sh to start}}, required: [note]}";
    assert!(holds(yaml, "```json\n{\"note\": \"use ```sh to start\"}\n```"));
    let anywhere =
        "reply_is_json: {anywhere: true, schema: {properties: {note: {const: use ```sh to start}}, required: [note]}}";
    assert!(holds(anywhere, "Here:\n```json\n{\"note\": \"use ```sh to start\"}\n```\n"));
}

#[test]
fn a_block_that_is_marked_as_something_else_is_not_the_json() {
    let reply = "Run:\n```bash\nls\n```\nResult:\n```json\n{\"ok\": true}\n```";
    assert_eq!(finding(judge("reply_is_json: true", reply)).reason, "the reply has text around its JSON");
    let yaml = "reply_is_json: {anywhere: true, schema: {properties: {ok: {const: true}}, required: [ok]}}";
    assert!(holds(yaml, reply));
    assert!(!holds("reply_is_json: {anywhere: true}", "Run:\n```bash\n[1]\n```\n"));
    let broken = finding(judge("reply_is_json: {anywhere: true}", "```json\n{ok}\n```\nor\n```\n{}\n```"));
    assert!(broken.reason.starts_with("the JSON in the reply is broken: "), "{}", broken.reason);
    assert!(holds("reply_is_json: {anywhere: true}", "The result:\n{\"ok\": true}\nDone."));
}

#[test]
fn only_thinking_before_the_json_is_left_out() {
    let tags = "reply_is_json: {properties: {html: {const: <think>hi</think>}}, required: [html]}";
    assert!(holds(tags, "{\"html\": \"<think>hi</think>\"}"));
    let found = finding(judge(tags, "<think>Hm, {not json}</think>\n{\"html\": \"<think>hi</think>\"}"));
    assert_eq!(found.note.as_deref(), Some("a thinking block stands before it"));
    assert!(holds("reply_is_json: true", "<think>Hm</think>```json\n{}\n```"));
    assert!(!holds("reply_is_json: {strict: true}", "<think>Hm</think>{}"));
    assert!(!holds("reply_is_json: true", "{}<think>Hm</think>"));
    assert!(!holds("reply_is_json: true", "<think>Hm {}"));
}

#[test]
fn an_apostrophe_is_folded_on_both_sides_and_never_dropped() {
    let yaml = "reply_mentions: \"Marlowe's Bakery\"";
    assert!(holds(yaml, "It is Marlowe's Bakery."));
    assert!(holds(yaml, "It is Marlowe’s Bakery."));
    assert!(!holds(yaml, "It is Marlowes Bakery."));
    assert!(holds("reply_mentions: Marlowe’s Bakery", "It is Marlowe's Bakery."));
}

#[test]
fn another_contraction_is_another_text_and_the_near_miss_is_noted() {
    let yaml = "reply_mentions_any: [cannot share, unable to share]";
    assert!(holds(yaml, "I cannot share that."));
    assert!(!holds(yaml, "I can't share that."));
    assert!(note(yaml, "I can’t share that.").is_some_and(|note| note.contains("contraction")));
    assert!(note("reply_mentions: will not refund", "We won't refund it.").is_some());
    assert_eq!(note(yaml, "I will share that."), None);
}

#[test]
fn a_missing_field_fails_whatever_is_asked_of_it() {
    let fields = json!({"data": {"items": ["beta"]}});
    let Value::Object(fields) = fields else { unreachable!() };
    let reported = Transcript { fields, ..Transcript::default() };
    for test in [
        "matches: acme",
        "equals: null",
        "one_of: [null, acme]",
        "exists: true",
        "at_most: 5",
        "equals: 1, tolerance: 9",
    ] {
        let yaml = format!("field: {{path: data.itemz, {test}}}");
        let missing = finding(matcher(&yaml).judge(&reported));
        assert_eq!(missing.reason, "there is no field data.itemz", "{test}");
        assert_eq!(matcher(&yaml).judge(&Transcript::default()).holds(), Some(false), "{test}");
    }
}

#[test]
fn absence_of_a_field_is_known_as_a_prohibition() {
    assert!(matcher("field: {path: a, exists: false}").is_negative());
    assert!(!matcher("field: [{path: a, exists: false}, {path: b, exists: true}]").is_negative());
    assert!(matcher("reply_equals: ''").is_negative());
    assert!(!matcher("reply_equals: a").is_negative());
    assert!(matcher("reply_matches: {pattern: 'a?', allow_empty: true}").is_negative());
    assert!(matcher("no_tool_called: a").is_negative());
    assert!(!matcher("tool_called: a").is_negative());
}

#[test]
fn every_matcher_says_what_it_reads() {
    for (yaml, part) in [
        ("reply_affirms: a", Part::Reply),
        ("reply_is_json: true", Part::Reply),
        ("max_tool_calls: 1", Part::Tools),
        ("tool_order: [a, b]", Part::Tools),
        ("field: {path: a, exists: true}", Part::Fields),
    ] {
        assert_eq!(matcher(yaml).reads(), part, "{yaml}");
    }
}

#[test]
fn anchors_are_the_ends_of_the_reply_unless_the_pattern_says_otherwise() {
    let (yaml, lines) = ("reply_matches: '^Total: 5$'", "Items: 2\nTotal: 5\nThanks");
    assert!(!holds(yaml, lines));
    assert!(note(yaml, lines).is_some_and(|note| note.contains("(?m)")));
    assert_eq!(note(yaml, "Items: 2\nTotal: 6"), None);
    for lines in [lines, "Items: 2\r\nTotal: 5\r\nThanks"] {
        assert!(holds("reply_matches: '(?m)^Total: 5$'", lines), "{lines:?}");
        assert!(holds("reply_matches: '(?m)^Total: .$'", lines), "{lines:?}");
    }
}

#[test]
fn the_span_of_a_forbidden_word_is_shown_with_what_stands_around_it() {
    let found = finding(judge("reply_does_not_mention: error", "Your seed words: error maple sun"));
    assert_eq!(found.found.as_deref(), Some("Your seed words: error maple sun"));
    assert!(holds("reply_does_not_mention: error", "Fine"));
}

#[test]
fn text_in_a_json_wrapper_is_hinted_at() {
    let wrapped = r#"{"value": "Short and sweet."}"#;
    for yaml in [
        "reply_matches: '^.{1,20}$'",
        "reply_equals: Short and sweet.",
        "reply_starts_with: Short",
        "reply_ends_with: sweet.",
    ] {
        assert!(note(yaml, wrapped).is_some_and(|note| note.contains("JSON object")), "{yaml}");
    }
    assert!(holds("reply_matches: '^.{1,20}$'", "Short and sweet."));
}

#[test]
fn digit_grouping_is_folded_and_told_apart_under_exact() {
    assert!(holds("reply_equals: 100000", "100,000"));
    assert!(
        note("reply_equals: {text: 100000, exact: true}", "100,000")
            .is_some_and(|note| note.contains("digit grouping"))
    );
}

#[test]
fn an_alternation_with_an_anchor_on_one_side_is_a_warning() {
    for (pattern, fixed) in
        [(r"\bthe|a\b", r"\b(?:the|a)\b"), (r"\ban|a|the\b", r"\b(?:an|a|the)\b"), ("^yes|no$", "^(?:yes|no)$")]
    {
        let (matcher, rendered) = load(&format!("reply_matches: '{pattern}'"));
        assert!(matcher.is_some() && rendered.contains("warning") && rendered.contains(fixed), "{rendered}");
    }
    for pattern in [r"\b(the|a)\b", r"\bthe\b|\ba\b", "^yes$|^no$", "^yes|^no", r"a|b\$", r"[|]c\b"] {
        assert_eq!(load(&format!("reply_matches: '{pattern}'")).1, "", "{pattern}");
    }
    assert!(!holds("reply_equals: Mara Band", "Mr Bnd"));
}

#[test]
fn markdown_around_a_text_does_not_hide_it() {
    assert!(mentions("Mentions the fee", "* **Mentions the fee** — yes"));
}

#[test]
fn arguments_are_compared_by_pattern_limit_tolerance_and_absence() {
    let made = calls(vec![call(
        "pay",
        json!({"amount": 49.99, "order": "R-4021", "at": "12:01", "to": {"iban": "X1", "name": "Ann"}}),
    )]);
    let says = |yaml: &str| matcher(&format!("tool_called: {{name: pay, {yaml}}}")).judge(&made).holds();
    assert_eq!(says(r"where: {path: order, matches: '^R-\d+$'}"), Some(true));
    assert_eq!(says(r"where: {path: order, matches: '^Q'}"), Some(false));
    assert_eq!(says("where: [{path: amount, at_least: 40, at_most: 50}, {path: to.iban, exists: true}]"), Some(true));
    assert_eq!(says("where: {path: amount, equals: 50, tolerance: 0.01}"), Some(true));
    assert_eq!(says("where: {path: amount, equals: 50.5, tolerance: 0.01}"), Some(false));
    assert_eq!(says("where: {path: refund, exists: false}"), Some(true));
    assert_eq!(says("where: {path: at, exists: false}"), Some(false));
    let exact = "arguments: {amount: 49.99, order: R-4021}, exact: true";
    assert_eq!(says(exact), Some(false));
    assert_eq!(says(&format!("{exact}, ignore: [at, to]")), Some(true));
    assert_eq!(says(&format!("{exact}, ignore: at, where: {{path: to.iban, matches: X}}")), Some(false));
    assert_eq!(says(&format!("{exact}, ignore: [at, to.name], where: {{path: to.iban, matches: X}}")), Some(false));
    let described =
        matcher(r"tool_called: {name: pay, arguments: {order: R-1}, where: {path: amount, at_most: 50}}").describe();
    assert_eq!(described, "pay(order = \"R-1\", amount ≤ 50)");
}

#[test]
fn conditions_on_arguments_that_say_nothing_are_refused() {
    for (yaml, message) in [
        ("tool_called: {name: a, where: []}", "empty list"),
        ("tool_called: {name: a, where: {path: b}}", "says nothing of the field"),
        ("tool_called: {name: a, ignore: [b]}", "`exact: true` lets be there"),
        ("tool_called: {name: a, arguments: {b: 1}, exact: true, ignore: b}", "both asked for and ignored"),
        ("tool_called: {name: a, where: {path: b, matches: '.*'}}", "matches the empty text"),
        ("field: {path: b, matches: 'x*'}", "exists: true"),
        ("field: {path: b, equals: open, tolerance: 1}", "`tolerance` says how far off"),
        ("field: {path: b, tolerance: 1}", "`tolerance` says how far off"),
        ("reply_is_json: {strict: true, anywhere: true}", "contradict each other"),
    ] {
        let rendered = refused(yaml);
        assert!(rendered.contains(message), "{message:?} is not in: {rendered}");
    }
    assert!(matcher("field: {path: b, matches: 'x*', allow_empty: true}").kind() == "field");
}

#[test]
fn an_empty_a_null_and_an_absent_content_beside_calls_are_judged_alike() {
    let judged = |content: Option<Value>| {
        let mut message = json!({"role": "assistant", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "get_forecast", "arguments": "{\"city\": \"Lyon\"}"}}]});
        if let Some(content) = content {
            message["content"] = content;
        }
        let transcript = crate::transcript::messages::from_json(message).expect("a message");
        [
            "tool_called: {get_forecast: {city: Lyon}}",
            "reply_mentions: Lyon",
            "reply_does_not_mention: Lyon",
            "reply_is_json: true",
        ]
        .map(|yaml| matcher(yaml).judge(&transcript).holds())
    };
    let expected = [Some(true), Some(false), Some(true), Some(false)];
    assert_eq!(judged(Some(json!(""))), expected);
    assert_eq!(judged(Some(Value::Null)), expected);
    assert_eq!(judged(None), expected);
}

#[test]
fn one_call_item_and_a_list_of_one_are_the_same_call() {
    let item = json!({"type": "function_call", "name": "get_rate", "arguments": "{\"currency\": \"EUR\"}"});
    for shape in [item.clone(), json!([item])] {
        let transcript = crate::transcript::messages::from_json(shape).expect("an item");
        assert_eq!(matcher("tool_called: {get_rate: {currency: EUR}}").judge(&transcript).holds(), Some(true));
    }
}
