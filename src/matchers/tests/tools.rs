use serde_json::json;

use super::*;

fn made(names: &[&str]) -> Transcript {
    calls(names.iter().map(|name| call(name, json!({}))).collect())
}

fn says(yaml: &str, transcript: &Transcript) -> bool {
    matcher(yaml).judge(transcript).holds().expect("the calls settle it")
}

fn broken(name: &str, raw: &str) -> ToolCall {
    ToolCall { malformed: true, ..call(name, json!(raw)) }
}

#[test]
fn arguments_are_a_part_of_those_that_were_given() {
    let order = calls(vec![call("get_order", json!({"order_id": 4021, "with": {"lines": true, "notes": false}}))]);
    assert!(says("tool_called: get_order", &order));
    assert!(says("tool_called: {get_order: {order_id: 4021}}", &order));
    assert!(says("tool_called: [{get_order: {with: {lines: true}}}]", &order));
    assert!(says("tool_called: {get_order: }", &order));
    assert!(!says("tool_called: {get_order: {order_id: 4022}}", &order));
    assert!(!says("tool_called: {name: get_order, arguments: {order_id: 4021}, exact: true}", &order));
    assert!(!says("tool_called: [get_order, create_refund]", &order));
    let wrong = finding(matcher("tool_called: {get_order: {with: {lines: false}}}").judge(&order));
    assert_eq!(
        wrong.reason,
        "get_order was called, but not as get_order(with = {\"lines\":false}): with.lines is true, not false"
    );
}

#[test]
fn a_text_is_a_number_under_lenient_types_only_and_the_miss_is_noted() {
    let order = calls(vec![call("get_order", json!({"order_id": "4021"}))]);
    let missed = finding(matcher("tool_called: {get_order: {order_id: 4021}}").judge(&order));
    assert_eq!(
        missed.note.as_deref(),
        Some("the arguments would have matched under `lenient_types: true` (order_id is \"4021\", not 4021)")
    );
    assert!(says("tool_called: {name: get_order, arguments: {order_id: 4021}, lenient_types: true}", &order));
    assert!(says("tool_called: {get_order: {order_id: '4021'}}", &order));
    let forbidden = matcher("no_tool_called: {get_order: {order_id: 4021}}").judge(&order);
    assert_eq!(forbidden.holds(), Some(true));
    assert!(finding(forbidden).note.is_some());
}

#[test]
fn broken_arguments_satisfy_no_expectation_and_are_shown() {
    let order = calls(vec![broken("get_order", "{order_id: 4021")]);
    assert!(says("tool_called: get_order", &order));
    let wrong = finding(matcher("tool_called: {get_order: {}}").judge(&order));
    assert_eq!(wrong.reason, "get_order was called with arguments that are no JSON object: \"{order_id: 4021\"");
    assert_eq!(matcher("no_tool_called: {get_order: {order_id: 1}}").judge(&order).holds(), None);
    assert!(!says("no_tool_called: get_order", &order));
}

#[test]
fn calls_are_counted_exactly() {
    let twice = made(&["search", "book", "search"]);
    assert!(says("tool_called: {name: search, times: 2}", &twice));
    let wrong = finding(matcher("tool_called: {name: search, times: 1}").judge(&twice));
    assert_eq!(wrong.reason, "search was called twice, not 1×");
    assert!(!says("tool_called: {name: book, times: 2}", &twice));
}

#[test]
fn forbidden_calls_are_named() {
    let refund = calls(vec![call("create_refund", json!({"order_id": 4021}))]);
    assert!(says("no_tool_called: [cancel, get_order]", &refund));
    assert!(says("no_tool_called: {create_refund: {order_id: 1}}", &refund));
    assert!(!says("no_tool_called: {create_refund: {order_id: 4021}}", &refund));
    let found = finding(matcher("no_tool_called: true").judge(&refund));
    assert_eq!(found.reason, "create_refund was called");
    assert_eq!(found.found.as_deref(), Some("create_refund(order_id = 4021)"));
    assert!(says("no_tool_called: true", &made(&[])));
}

#[test]
fn an_order_lets_other_calls_between_and_not_before() {
    let yaml = "tool_order: [search, book]";
    assert!(says(yaml, &made(&["search", "book"])));
    assert!(says(yaml, &made(&["login", "search", "pay", "book", "search"])));
    assert!(!says(yaml, &made(&["book", "search"])));
    assert!(!says(yaml, &made(&["book"])));
    assert!(!says(yaml, &made(&["search"])));
    let early = finding(matcher(yaml).judge(&made(&["book", "search", "book"])));
    assert_eq!(early.reason, "book() was called before search");
}

#[test]
fn a_list_in_an_order_has_no_order_of_its_own() {
    let yaml = "tool_order: [login, [search, price], book]";
    assert!(says(yaml, &made(&["login", "search", "price", "book"])));
    assert!(says(yaml, &made(&["login", "price", "search", "book"])));
    assert!(!says(yaml, &made(&["login", "price", "book", "search"])));
    assert!(!says(yaml, &made(&["search", "login", "price", "book"])));
}

#[test]
fn a_tool_may_stand_in_an_order_twice() {
    let yaml = "tool_order: [search, book, search]";
    assert!(says(yaml, &made(&["search", "book", "search"])));
    assert!(!says(yaml, &made(&["search", "search", "book"])));
    assert!(says(
        "tool_order: [{search: {q: a}}, {search: {q: b}}]",
        &calls(vec![call("search", json!({"q": "a"})), call("search", json!({"q": "b"})),])
    ));
}

#[test]
fn parallel_calls_follow_each_other_only_where_that_is_allowed() {
    let mut parallel = made(&["verify", "refund"]);
    parallel.tool_calls.iter_mut().flatten().for_each(|call| call.turn = 1);
    let wrong = finding(matcher("tool_order: [verify, refund]").judge(&parallel));
    assert_eq!(wrong.reason, "refund() was called in the same turn as verify");
    assert!(says("tool_order: {steps: [verify, refund], same_turn: true}", &parallel));
}

#[test]
fn exactly_these_calls_and_as_often() {
    let yaml = "tools_called_exactly: [search, {search: {q: a}}, book]";
    let with = |q: &str| call("search", json!({"q": q}));
    let book = || call("book", json!({}));
    assert!(says(yaml, &calls(vec![with("a"), book(), with("b")])));
    assert!(says(yaml, &calls(vec![with("b"), book(), with("a")])));
    assert!(!says(yaml, &calls(vec![with("b"), book(), with("c")])));
    let extra = finding(matcher("tools_called_exactly: book").judge(&made(&["book", "pay"])));
    assert_eq!(extra.reason, "pay() was called too");
    assert!(!says("tools_called_exactly: book", &made(&["book", "book"])));
    assert!(says("tools_called_exactly: {calls: [book], repeats: true}", &made(&["book", "book"])));
    assert!(!says("tools_called_exactly: [book, book]", &made(&["book"])));
}

#[test]
fn calls_are_limited_together_or_tool_by_tool() {
    assert!(says("max_tool_calls: 2", &made(&["a", "b"])));
    assert!(!says("max_tool_calls: 1", &made(&["a", "b"])));
    assert!(says("max_tool_calls: 0", &made(&[])));
    assert!(says("max_tool_calls: {a: 1, b: 1}", &made(&["a", "b", "c", "c"])));
    assert!(!says("max_tool_calls: {a: 1, c: 1}", &made(&["a", "b", "c", "c"])));
}

#[test]
fn a_tool_whose_name_is_a_key_of_the_long_form_is_still_a_tool() {
    let named = calls(vec![call("name", json!({"arg": 1})), call("arguments", json!({"x": 1}))]);
    assert!(says("tool_called: {name: {arg: 1}}", &named));
    assert!(says("tool_called: {arguments: {x: 1}}", &named));
    assert!(says("tool_called: name", &named));
}

#[test]
fn null_arguments_are_none() {
    let bare = calls(vec![call("ping", Value::Null)]);
    assert!(says("tool_called: {name: ping, arguments: {}, exact: true}", &bare));
    assert!(!says("tool_called: {ping: {host: a}}", &bare));
}

#[test]
fn literals_are_names_and_arguments() {
    assert_eq!(matcher("tool_called: {get_order: {order_id: 4021, tag: [x]}}").literals(), ["get_order", "4021", "x"]);
}
