//! What a case shows that an amount of its rule may be held against: "45 days" in the input, `age_days: 45` in its fixtures.

use serde_json::Value;

use crate::suite::Case;

/// The case's own texts, those that say most about it first: its input, the turns before it (the last one first), its
/// fixtures as lines `key: value`, what its assertions look for. A text of the assertions that stands in the rule as well
/// ("30 days") is the rule's amount and not the case's, and is left out.
pub(super) fn case_values(case: &Case, rule_text: &str) -> Vec<String> {
    let mut values = vec![case.input.clone()];
    values.extend(case.conversation.iter().rev().map(|turn| turn.content.clone()));
    lines(None, &case.fixtures, &mut values);
    let rule_text = rule_text.to_lowercase();
    let literals = case.expect.iter().flat_map(|assertion| assertion.matcher.literals());
    values.extend(literals.filter(|literal| !rule_text.contains(&literal.to_lowercase())));
    values
}

/// Every text and number with the nearest key above it.
fn lines(key: Option<&str>, value: &Value, found: &mut Vec<String>) {
    let mut line = |text: &str| found.push(key.map_or_else(|| text.to_owned(), |key| format!("{key}: {text}")));
    match value {
        Value::String(text) => line(text),
        Value::Number(number) => line(&number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| lines(key, item, found)),
        Value::Object(pairs) => pairs.iter().for_each(|(key, value)| lines(Some(key), value, found)),
        Value::Null | Value::Bool(_) => {}
    }
}
