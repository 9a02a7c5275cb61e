use serde_json::json;

use super::*;

fn with(fields: Value) -> Transcript {
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    Transcript { fields, ..Transcript::default() }
}

fn says(yaml: &str, fields: Value) -> bool {
    matcher(yaml).judge(&with(fields)).holds().expect("the fields settle it")
}

#[test]
fn a_field_is_found_by_its_path() {
    let fields = json!({"order": {"items": [{"id": 7}], "status": "open"}, "a.b": 1});
    assert!(says("field: {path: order.status, equals: open}", fields.clone()));
    assert!(says("field: {path: 'order.items[0].id', equals: 7}", fields.clone()));
    assert!(says("field: {path: order.items.0.id, equals: 7}", fields.clone()));
    assert!(says("field: {path: a.b, equals: 1}", fields.clone()));
    assert!(says("field: [{path: a.b, equals: 1}, {path: order, exists: true}]", fields.clone()));
    assert!(!says("field: {path: order.total, exists: true}", fields.clone()));
    assert!(says("field: {path: order.total, exists: false}", fields.clone()));
    assert!(!says("field: {path: order.status, exists: false}", fields));
}

#[test]
fn numbers_in_fields_are_compared_as_numbers() {
    assert!(says("field: {path: total, equals: 5}", json!({"total": 5.0})));
    assert!(says("field: {path: total, at_least: 5, at_most: 10}", json!({"total": 10})));
    assert!(!says("field: {path: total, at_least: 9}", json!({"total": 10.0e-1})));
    assert!(!says("field: {path: total, at_most: 9.99}", json!({"total": 10})));
    let text = finding(matcher("field: {path: total, at_least: 5}").judge(&with(json!({"total": "7"}))));
    assert_eq!(text.reason, "total is \"7\", which is no number");
    assert!(text.note.expect("a note").contains("lenient_types"));
    assert!(says("field: {path: total, at_least: 5, lenient_types: true}", json!({"total": "7"})));
}

#[test]
fn a_field_may_be_one_of_several_or_match_a_pattern() {
    assert!(says("field: {path: s, one_of: [open, closed]}", json!({"s": "closed"})));
    let wrong = finding(matcher("field: {path: s, one_of: [open, closed]}").judge(&with(json!({"s": "Open"}))));
    assert_eq!(wrong.reason, "s is \"Open\", not \"open\" or \"closed\"");
    assert_eq!(wrong.note.as_deref(), Some("only letter case or spacing differs"));
    assert!(says(r"field: {path: id, matches: '^R-\d+$'}", json!({"id": "R-12"})));
    assert!(!says(r"field: {path: id, matches: '^R-\d+$'}", json!({"id": "R-x"})));
    assert!(says("field: {path: s, equals: }", json!({"s": null})));
}

#[test]
fn a_missing_field_names_those_that_are_there() {
    let missing = finding(matcher("field: {path: x, equals: 1}").judge(&with(json!({"a": 1, "b": 2}))));
    assert_eq!(missing.reason, "there is no field x");
    assert_eq!(missing.found.as_deref(), Some("fields: a and b"));
}
