//! JSON values side by side: equal, contained, or nearly so.

use serde_json::{Number, Value};

use super::shortened;

/// How strictly values are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Strictness {
    /// Objects have the same keys; else what is expected may be a part of what is there, at every depth.
    pub exact: bool,
    /// `4021` and `"4021"`, `true` and `"true"` are equal.
    pub lenient_types: bool,
}

/// Where two values differ first.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// `order.items[0].id`; empty for the whole value.
    pub path: String,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub enum What {
    Missing { expected: Value },
    Unexpected { found: Value },
    Other { expected: Value, found: Value },
    Length { expected: usize, found: usize },
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = if self.path.is_empty() { "the value" } else { &self.path };
        match &self.what {
            What::Missing { expected } => write!(f, "{path} is missing, not {}", shown(expected)),
            What::Unexpected { found } => write!(f, "{path} = {} was not expected", shown(found)),
            What::Other { expected, found } => write!(f, "{path} is {}, not {}", shown(found), shown(expected)),
            What::Length { expected, found } => write!(f, "{path} has {found} items, not {expected}"),
        }
    }
}

/// A value as JSON, shortened.
pub fn shown(value: &Value) -> String {
    shortened(&value.to_string(), 80)
}

/// The first difference between what is expected and what was found, or `None`.
pub fn difference(expected: &Value, found: &Value, strictness: Strictness) -> Option<Difference> {
    match (expected, found) {
        (Value::Object(wanted), Value::Object(there)) => {
            for (key, value) in wanted {
                let first = match there.get(key) {
                    Some(found) => difference(value, found, strictness),
                    None => Some(Difference::here(What::Missing { expected: value.clone() })),
                };
                if let Some(first) = first {
                    return Some(first.under(key));
                }
            }
            let extra = there.iter().find(|(key, _)| strictness.exact && !wanted.contains_key(*key))?;
            Some(Difference::here(What::Unexpected { found: extra.1.clone() }).under(extra.0))
        }
        (Value::Array(wanted), Value::Array(there)) => {
            if wanted.len() != there.len() {
                return Some(Difference::here(What::Length { expected: wanted.len(), found: there.len() }));
            }
            let mut pairs = wanted.iter().zip(there).enumerate();
            pairs.find_map(|(index, (value, found))| {
                difference(value, found, strictness).map(|first| first.under(&format!("[{index}]")))
            })
        }
        _ if same_scalar(expected, found, strictness.lenient_types) => None,
        _ => Some(Difference::here(What::Other { expected: expected.clone(), found: found.clone() })),
    }
}

impl Difference {
    fn here(what: What) -> Difference {
        Difference { path: String::new(), what }
    }

    /// Seen from outside of the object or list that it was found in.
    fn under(self, step: &str) -> Difference {
        let point = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Difference { path: format!("{step}{point}{}", self.path), what: self.what }
    }
}

fn same_scalar(one: &Value, other: &Value, lenient_types: bool) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => order(a, b) == Some(std::cmp::Ordering::Equal),
        (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number))
            if lenient_types =>
        {
            number_in(text).is_some_and(|parsed| order(&parsed, number) == Some(std::cmp::Ordering::Equal))
        }
        (Value::Bool(truth), Value::String(text)) | (Value::String(text), Value::Bool(truth)) if lenient_types => {
            text.trim().eq_ignore_ascii_case(if *truth { "true" } else { "false" })
        }
        (one, other) => one == other,
    }
}

/// The number that a text spells as JSON does; an identifier with leading zeros is none.
pub fn number_in(text: &str) -> Option<Number> {
    serde_json::from_str::<Number>(text.trim()).ok()
}

/// Which of two numbers is greater; whole numbers beyond 2^53 are compared exactly.
pub fn order(a: &Number, b: &Number) -> Option<std::cmp::Ordering> {
    let whole = |number: &Number| number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

/// The scalars in a value, as text.
pub fn scalars(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| scalars(item, into)),
        Value::Object(map) => map.values().for_each(|item| scalars(item, into)),
        Value::String(text) if !text.is_empty() => into.push(text.clone()),
        Value::Number(number) => into.push(number.to_string()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(expected: Value, found: Value, exact: bool, lenient_types: bool) -> Option<String> {
        difference(&expected, &found, Strictness { exact, lenient_types }).map(|difference| difference.to_string())
    }

    #[test]
    fn numbers_are_equal_as_numbers() {
        assert_eq!(at(json!(5), json!(5.0), false, false), None);
        assert_eq!(at(json!(5), json!(5.5), false, false), Some("the value is 5.5, not 5".to_owned()));
        let (a, b) = (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64));
        assert!(at(a, b, false, false).is_some());
    }

    #[test]
    fn objects_are_contained_at_every_depth_unless_exact() {
        let (part, whole) = (json!({"a": {"b": 1}}), json!({"a": {"b": 1, "c": 2}, "d": 3}));
        assert_eq!(at(part.clone(), whole.clone(), false, false), None);
        assert_eq!(at(part, whole, true, false), Some("a.c = 2 was not expected".to_owned()));
        assert_eq!(at(json!({"a": 1}), json!({}), false, false), Some("a is missing, not 1".to_owned()));
    }

    #[test]
    fn lists_have_the_same_length_and_the_path_names_the_item() {
        assert_eq!(at(json!([1]), json!([1, 2]), false, false), Some("the value has 2 items, not 1".to_owned()));
        let (a, b) = (json!({"x": [{"id": 1}]}), json!({"x": [{"id": 2}]}));
        assert_eq!(at(a, b, false, false), Some("x[0].id is 2, not 1".to_owned()));
    }

    #[test]
    fn a_text_that_spells_a_number_is_equal_under_lenient_types_only() {
        assert!(at(json!(4021), json!("4021"), false, false).is_some());
        assert_eq!(at(json!(4021), json!("4021"), false, true), None);
        assert_eq!(at(json!("4021"), json!(4021), false, true), None);
        assert_eq!(at(json!(true), json!("true"), false, true), None);
        assert!(at(json!("0042"), json!(42), false, true).is_some());
    }
}
