//! Conditions on a value inside other values: a field that an agent reports, an argument of a call.
//!
//! These values are data: texts are compared as they are, numbers as numbers.

use regex::Regex;
use serde_json::{Map, Number, Value, json};

use super::needle::plain_text;
use super::pattern::compile;
use super::sample::text_matching;
use super::values::{Strictness, difference, number_in, order, scalars, shown};
use super::{Demand, list, shortened};
use crate::source::{Diagnostics, Fields, Node};

/// What one value must be.
#[derive(Debug, Clone)]
pub struct Condition {
    path: Path,
    tests: Vec<Test>,
    lenient_types: bool,
}

#[derive(Debug, Clone)]
enum Test {
    Equals(Value),
    /// A number and how far off it may be.
    Near(Number, f64),
    Matches(Regex),
    OneOf(Vec<Value>),
    Exists(bool),
    AtLeast(Number),
    AtMost(Number),
}

/// Steps into the fields: `order.items[0].id`.
#[derive(Debug, Clone)]
pub struct Path {
    written: String,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

/// The schema of one condition.
pub fn condition_schema() -> Value {
    json!({"type": "object", "required": ["path"], "additionalProperties": false, "minProperties": 2, "properties": {
        "path": {"type": "string", "description": "Where the value is: `order.status`, `items[0].id`."},
        "equals": {"description": "The value; numbers are compared as numbers."},
        "tolerance": {"type": "number", "minimum": 0, "description": "How far off the number of `equals` it may be."},
        "matches": {"type": "string", "description": "A regular expression for a text."},
        "allow_empty": {"type": "boolean", "default": false, "description": "Let `matches` match the empty text."},
        "one_of": {"type": "array", "minItems": 1},
        "exists": {"type": "boolean", "description": "Whether there is such a value; null counts as there."},
        "at_least": {"type": "number"}, "at_most": {"type": "number"},
        "lenient_types": {"type": "boolean", "default": false, "description": "4021 and \"4021\" are equal."}}})
}

pub fn parse_condition(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Condition> {
    let errors = diagnostics.errors();
    let mut fields = Fields::of(kind, value, diagnostics)?;
    let path = fields.required("path", diagnostics).and_then(|path| parse_path(path, diagnostics));
    let mut tests = vec![];
    // `equals:` with nothing behind it asks for null.
    let equals = fields.take_entry("equals").map(|(_, wanted)| wanted.to_value());
    let tolerance = limit(&mut fields, "tolerance", diagnostics);
    match (equals, tolerance) {
        (Some(Value::Number(number)), Some(tolerance)) if tolerance.as_f64().is_some_and(|one| one >= 0.0) => {
            tests.push(Test::Near(number, tolerance.as_f64().unwrap_or_default()));
        }
        (_, Some(_)) => {
            diagnostics
                .error(&value.place, "`tolerance` says how far off the number of `equals` may be")
                .help
                .push("write `equals:` with a number, and a tolerance of at least 0".to_owned());
        }
        (Some(wanted), None) => tests.push(Test::Equals(wanted)),
        (None, None) => {}
    }
    let allow_empty = fields.boolean("allow_empty", diagnostics).unwrap_or(false);
    if let Some(pattern) = fields.take("matches")
        && let Some(written) = plain_text("matches", pattern, diagnostics)
        && let Some(regex) = compile("matches", written, true, pattern, diagnostics)
    {
        if !allow_empty && regex.is_match("") {
            let entry = diagnostics.error(&pattern.place, format!("`{written}` matches the empty text"));
            entry.help.push("every text has nothing in it somewhere, so that this could never fail on one".to_owned());
            entry.help.push("write `exists: true` where any value will do, or add `allow_empty: true`".to_owned());
        }
        tests.push(Test::Matches(regex));
    }
    if let Some(wanted) = fields.take("one_of") {
        match wanted.sequence() {
            Some(items) if !items.is_empty() => tests.push(Test::OneOf(items.iter().map(Node::to_value).collect())),
            _ => {
                diagnostics.error(&wanted.place, "`one_of` must be a list with at least one value");
            }
        }
    }
    let exists = fields.boolean("exists", diagnostics);
    let least = limit(&mut fields, "at_least", diagnostics);
    let most = limit(&mut fields, "at_most", diagnostics);
    if let (Some(least), Some(most)) = (&least, &most)
        && order(least, most) == Some(std::cmp::Ordering::Greater)
    {
        diagnostics
            .error(&value.place, format!("no number is at least {least} and at most {most}"))
            .help
            .push("exchange the two".to_owned());
    }
    tests.extend(least.map(Test::AtLeast));
    tests.extend(most.map(Test::AtMost));
    let lenient_types = fields.boolean("lenient_types", diagnostics).unwrap_or(false);
    let wants_nothing = tests.is_empty() && exists.is_none();
    if exists == Some(false) && !tests.is_empty() {
        diagnostics
            .error(&value.place, "a field that must not exist can't have a value")
            .help
            .push("remove `exists: false` or the other condition".to_owned());
    }
    tests.extend(exists.map(Test::Exists));
    fields.finish(diagnostics);
    if wants_nothing && diagnostics.errors() == errors {
        diagnostics
            .error(&value.place, format!("`{kind}` says nothing of the field"))
            .help
            .push("add `equals`, `one_of`, `matches`, `at_least`, `at_most` or `exists: true`".to_owned());
        return None;
    }
    Some(Condition { path: path?, tests, lenient_types })
}

fn limit(fields: &mut Fields<'_>, key: &'static str, diagnostics: &mut Diagnostics) -> Option<Number> {
    let node = fields.take(key)?;
    let found = node.number();
    if found.is_none() {
        let seen = node.text().unwrap_or(node.describe());
        diagnostics.error(&node.place, format!("`{key}` must be a number, not {seen}"));
    }
    found
}

pub fn parse_path(node: &Node, diagnostics: &mut Diagnostics) -> Option<Path> {
    let written = plain_text("path", node, diagnostics)?;
    match steps(written) {
        Some(steps) => Some(Path { written: written.to_owned(), steps }),
        None => {
            diagnostics
                .error(&node.place, format!("`{written}` is no path to a field"))
                .help
                .push("write names with dots between and numbers in brackets: `order.items[0].id`".to_owned());
            None
        }
    }
}

fn steps(written: &str) -> Option<Vec<Step>> {
    let written = written.strip_prefix("$.").unwrap_or(written);
    let mut steps = vec![];
    for part in written.split('.') {
        let (name, mut brackets) = part.split_at(part.find('[').unwrap_or(part.len()));
        if name.is_empty() && (brackets.is_empty() || !steps.is_empty()) {
            return None;
        }
        if !name.is_empty() {
            steps.push(Step::Key(name.to_owned()));
        }
        while !brackets.is_empty() {
            let (index, rest) = brackets.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(index.trim().parse().ok()?));
            brackets = rest;
        }
    }
    Some(steps)
}

impl Path {
    /// The same as a JSON pointer.
    fn pointer(&self) -> String {
        let step = |step: &Step| match step {
            Step::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => format!("/{index}"),
        };
        self.steps.iter().map(step).collect()
    }

    pub fn find<'v>(&self, fields: &'v Map<String, Value>) -> Option<&'v Value> {
        // A key that has dots in it is found by its whole name.
        if let Some(value) = fields.get(&self.written) {
            return Some(value);
        }
        let (first, rest) = self.steps.split_first()?;
        let Step::Key(first) = first else { return None };
        let mut value = fields.get(first)?;
        for step in rest {
            value = match (step, value) {
                (Step::Key(key), Value::Object(map)) => map.get(key)?,
                (Step::Key(key), Value::Array(items)) => items.get(key.parse::<usize>().ok()?)?,
                (Step::Index(index), Value::Array(items)) => items.get(*index)?,
                _ => return None,
            };
        }
        Some(value)
    }
}

impl Path {
    /// Takes the value away, where there is one.
    pub fn remove(&self, values: &mut Value) {
        let Some((last, way)) = self.steps.split_last() else { return };
        let mut value = values;
        for step in way {
            let next = match (step, value) {
                (Step::Key(key), Value::Object(map)) => map.get_mut(key),
                (Step::Index(index), Value::Array(items)) => items.get_mut(*index),
                _ => None,
            };
            let Some(next) = next else { return };
            value = next;
        }
        if let (Step::Key(key), Value::Object(map)) = (last, value) {
            map.remove(key);
        }
    }

    /// As the author wrote it.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// [`Path::find`], where the value is an object.
    pub fn find_in<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_object().and_then(|values| self.find(values))
    }
}

/// What a condition says of a value: `Err` with a clause and perhaps a note.
pub type Met = Result<(), (String, Option<String>)>;

impl Condition {
    /// A value that meets every test, where one is easily named.
    pub fn demand(&self) -> Demand {
        let one = |test: &Test| match test {
            Test::Equals(value) => vec![value.clone()],
            Test::OneOf(values) => values.clone(),
            Test::AtLeast(number) | Test::AtMost(number) | Test::Near(number, _) => vec![Value::Number(number.clone())],
            Test::Matches(regex) => text_matching(regex).map(|found| Value::String(found.text)).into_iter().collect(),
            Test::Exists(_) => vec![Value::Bool(true)],
        };
        let candidates: Vec<Value> = self.tests.iter().flat_map(one).collect();
        let fits = |value: &&Value| self.meets(value).is_ok();
        let value = candidates.iter().find(fits).or(candidates.first()).cloned();
        Demand::Field { pointer: self.path.pointer(), value: value.filter(|_| !self.is_absence()) }
    }

    pub fn describe(&self) -> String {
        let path = &self.path.written;
        let one = |test: &Test| match test {
            Test::Equals(value) => format!("{path} = {}", shown(value)),
            Test::Near(number, tolerance) => format!("{path} = {number} ± {tolerance}"),
            Test::Matches(regex) => format!("{path} matches /{}/", shortened(regex.as_str(), 80)),
            Test::OneOf(values) => format!("{path} is {}", list(values.iter().map(shown), "or")),
            Test::Exists(true) => format!("{path} exists"),
            Test::Exists(false) => format!("{path} does not exist"),
            Test::AtLeast(number) => format!("{path} ≥ {number}"),
            Test::AtMost(number) => format!("{path} ≤ {number}"),
        };
        list(self.tests.iter().map(one), "and")
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// There must be no such value.
    pub fn is_absence(&self) -> bool {
        self.tests.iter().any(|test| matches!(test, Test::Exists(false)))
    }

    /// What all of it says of a value that is there.
    pub fn meets(&self, found: &Value) -> Met {
        self.tests.iter().try_for_each(|test| self.meets_one(test, found))
    }

    /// The scalars that it is about, as text.
    pub fn literals(&self, into: &mut Vec<String>) {
        for test in &self.tests {
            match test {
                Test::Equals(value) => scalars(value, into),
                Test::OneOf(values) => values.iter().for_each(|value| scalars(value, into)),
                Test::AtLeast(number) | Test::AtMost(number) | Test::Near(number, _) => into.push(number.to_string()),
                Test::Matches(_) | Test::Exists(_) => {}
            }
        }
    }

    fn same(&self, wanted: &Value, found: &Value, lenient_types: bool) -> bool {
        difference(wanted, found, Strictness { exact: true, lenient_types }).is_none()
    }

    fn number(&self, value: &Value) -> Option<Number> {
        match value {
            Value::Number(number) => Some(number.clone()),
            Value::String(text) if self.lenient_types => number_in(text),
            _ => None,
        }
    }

    fn meets_one(&self, test: &Test, found: &Value) -> Met {
        let path = &self.path.written;
        let wanted: Vec<&Value> = match test {
            Test::Exists(_) => return Ok(()),
            Test::Equals(value) => vec![value],
            Test::OneOf(values) => values.iter().collect(),
            Test::Matches(regex) => {
                let scalar;
                let text = match found {
                    Value::String(text) => text.as_str(),
                    Value::Number(_) | Value::Bool(_) => {
                        scalar = found.to_string();
                        &scalar
                    }
                    _ => return Err((format!("{path} is {}, which is no text", shown(found)), None)),
                };
                let pattern = shortened(regex.as_str(), 80);
                return if regex.is_match(text) {
                    Ok(())
                } else {
                    Err((format!("{path} is {}, which does not match /{pattern}/", shown(found)), None))
                };
            }
            Test::Near(wanted, tolerance) => {
                let Some(number) = self.number(found) else {
                    let note = found.as_str().and_then(number_in).map(|_| LENIENT.to_owned());
                    return Err((format!("{path} is {}, which is no number", shown(found)), note));
                };
                let apart = number.as_f64().zip(wanted.as_f64()).map(|(a, b)| (a - b).abs());
                // A cent more than a cent is the rounding of the arithmetic and not the agent's.
                let near = apart.is_some_and(|apart| apart <= tolerance * (1.0 + 1e-9));
                return if near {
                    Ok(())
                } else {
                    Err((format!("{path} is {number}, not {wanted} ± {tolerance}"), None))
                };
            }
            Test::AtLeast(limit) | Test::AtMost(limit) => {
                let least = matches!(test, Test::AtLeast(_));
                let Some(number) = self.number(found) else {
                    let note = found.as_str().and_then(number_in).map(|_| LENIENT.to_owned());
                    return Err((format!("{path} is {}, which is no number", shown(found)), note));
                };
                let wrong = if least { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
                let words = if least { "less" } else { "more" };
                return match order(&number, limit) {
                    Some(order) if order != wrong => Ok(()),
                    _ => Err((format!("{path} is {number}, {words} than {limit}"), None)),
                };
            }
        };
        if wanted.iter().any(|value| self.same(value, found, self.lenient_types)) {
            return Ok(());
        }
        let note = if wanted.iter().any(|value| self.same(value, found, true)) {
            Some(LENIENT.to_owned())
        } else {
            let folded = |value: &Value| value.as_str().map(|text| text.trim().to_lowercase());
            let near = |value: &&Value| folded(value).is_some() && folded(value) == folded(found);
            wanted.iter().any(near).then(|| "only letter case or spacing differs".to_owned())
        };
        let wanted = list(wanted.into_iter().map(shown), "or");
        Err((format!("{path} is {}, not {wanted}", shown(found)), note))
    }
}

const LENIENT: &str = "it would have matched under `lenient_types: true`";
