//! Values that the agent reports beside its reply: `field`.
//!
//! Fields are data: texts are compared as they are, numbers as numbers.

use regex::Regex;
use serde_json::{Map, Number, Value, json};

use super::kinds::Kind;
use super::needle::plain_text;
use super::pattern::compile;
use super::sample::text_matching;
use super::values::{Strictness, difference, number_in, order, scalars, shown};
use super::{Demand, Finding, Matcher, Outcome, list, shortened};
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::Transcript;

/// Every one of these conditions is met.
#[derive(Debug)]
struct FieldIs(Vec<Field>);

/// What one field must be.
#[derive(Debug)]
struct Field {
    path: Path,
    tests: Vec<Test>,
    lenient_types: bool,
}

#[derive(Debug)]
enum Test {
    Equals(Value),
    Matches(Regex),
    OneOf(Vec<Value>),
    Exists(bool),
    AtLeast(Number),
    AtMost(Number),
}

/// Steps into the fields: `order.items[0].id`.
#[derive(Debug)]
struct Path {
    written: String,
    steps: Vec<Step>,
}

#[derive(Debug, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

pub const FIELD: Kind = Kind {
    name: "field",
    summary: "A field that the agent reports beside its reply equals, matches, is one of, exists, or lies within limits.",
    aliases: &["fields", "expect_field", "output_field", "json_path"],
    negative: false,
    schema: || {
        let one = json!({"type": "object", "required": ["path"], "additionalProperties": false, "minProperties": 2, "properties": {
            "path": {"type": "string", "description": "Where the field is: `order.status`, `items[0].id`."},
            "equals": {"description": "The value; numbers are compared as numbers."},
            "matches": {"type": "string", "description": "A regular expression for a text."},
            "one_of": {"type": "array", "minItems": 1},
            "exists": {"type": "boolean", "description": "Whether there is such a field; null counts as there."},
            "at_least": {"type": "number"}, "at_most": {"type": "number"},
            "lenient_types": {"type": "boolean", "default": false, "description": "4021 and \"4021\" are equal."}}});
        json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_fields(name, value, diagnostics)?)),
};

fn parse_fields(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<FieldIs> {
    let errors = diagnostics.errors();
    let fields: Vec<Field> = match value.sequence() {
        Some([]) => {
            diagnostics.error(&value.place, format!("`{kind}` has an empty list"));
            return None;
        }
        Some(items) => items.iter().filter_map(|item| parse_field(kind, item, diagnostics)).collect(),
        None => parse_field(kind, value, diagnostics).into_iter().collect(),
    };
    (diagnostics.errors() == errors).then_some(FieldIs(fields))
}

fn parse_field(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Field> {
    let errors = diagnostics.errors();
    let mut fields = Fields::of(kind, value, diagnostics)?;
    let path = fields.required("path", diagnostics).and_then(|path| parse_path(path, diagnostics));
    let mut tests = vec![];
    // `equals:` with nothing behind it asks for null.
    if let Some((_, wanted)) = fields.take_entry("equals") {
        tests.push(Test::Equals(wanted.to_value()));
    }
    if let Some(pattern) = fields.take("matches")
        && let Some(written) = plain_text("matches", pattern, diagnostics)
        && let Some(regex) = compile("matches", written, true, pattern, diagnostics)
    {
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
    Some(Field { path: path?, tests, lenient_types })
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

fn parse_path(node: &Node, diagnostics: &mut Diagnostics) -> Option<Path> {
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

    fn find<'v>(&self, fields: &'v Map<String, Value>) -> Option<&'v Value> {
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

/// What a condition says of a value: `Err` with a clause and perhaps a note.
type Met = Result<(), (String, Option<String>)>;

impl Field {
    fn describe(&self) -> String {
        let path = &self.path.written;
        let one = |test: &Test| match test {
            Test::Equals(value) => format!("{path} = {}", shown(value)),
            Test::Matches(regex) => format!("{path} matches /{}/", shortened(regex.as_str(), 80)),
            Test::OneOf(values) => format!("{path} is {}", list(values.iter().map(shown), "or")),
            Test::Exists(true) => format!("{path} exists"),
            Test::Exists(false) => format!("{path} does not exist"),
            Test::AtLeast(number) => format!("{path} ≥ {number}"),
            Test::AtMost(number) => format!("{path} ≤ {number}"),
        };
        list(self.tests.iter().map(one), "and")
    }

    /// A value that meets every test, where one is easily named.
    fn demand(&self) -> Demand {
        let one = |test: &Test| match test {
            Test::Equals(value) => vec![value.clone()],
            Test::OneOf(values) => values.clone(),
            Test::AtLeast(number) | Test::AtMost(number) => vec![Value::Number(number.clone())],
            Test::Matches(regex) => text_matching(regex).map(|found| Value::String(found.text)).into_iter().collect(),
            Test::Exists(_) => vec![Value::Bool(true)],
        };
        let candidates: Vec<Value> = self.tests.iter().flat_map(one).collect();
        let fits = |value: &&Value| self.tests.iter().all(|test| self.meets(test, value).is_ok());
        let absent = self.tests.iter().any(|test| matches!(test, Test::Exists(false)));
        let value = candidates.iter().find(fits).or(candidates.first()).cloned();
        Demand::Field { pointer: self.path.pointer(), value: value.filter(|_| !absent) }
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

    fn meets(&self, test: &Test, found: &Value) -> Met {
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

impl Matcher for FieldIs {
    fn kind(&self) -> &'static str {
        FIELD.name
    }

    fn describe(&self) -> String {
        list(self.0.iter().map(Field::describe), "and")
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let mut open = None;
        let mut seen = vec![];
        for field in &self.0 {
            let path = &field.path.written;
            let absent = field.tests.iter().any(|test| matches!(test, Test::Exists(false)));
            let fails = |reason: String, found: Option<String>, note: Option<String>| {
                Outcome::Fails(Finding { reason, found, at: None, note })
            };
            match field.path.find(&transcript.fields) {
                Some(found) if absent => {
                    return fails(format!("there is a field {path}: {}", shown(found)), Some(shown(found)), None);
                }
                // What a cut answer would still have reported is not known.
                None if transcript.truncated => {
                    open.get_or_insert_with(|| format!("there is no field {path}, and the answer was cut by a limit"));
                }
                None if absent => seen.push(format!("there is no field {path}")),
                None => {
                    let names = list(transcript.fields.keys().take(12).cloned(), "and");
                    let found = if names.is_empty() { "no fields".to_owned() } else { format!("fields: {names}") };
                    return fails(format!("there is no field {path}"), Some(found), None);
                }
                Some(found) => {
                    for test in &field.tests {
                        if let Err((reason, note)) = field.meets(test, found) {
                            return fails(reason, Some(shown(found)), note);
                        }
                    }
                    seen.push(format!("{path} is {}", shown(found)));
                }
            }
        }
        match open {
            Some(open) => Outcome::NotAssessable(open),
            None => Outcome::Holds(Finding::because(list(seen.into_iter(), "and"))),
        }
    }

    fn literals(&self) -> Vec<String> {
        let mut found = vec![];
        for test in self.0.iter().flat_map(|field| &field.tests) {
            match test {
                Test::Equals(value) => scalars(value, &mut found),
                Test::OneOf(values) => values.iter().for_each(|value| scalars(value, &mut found)),
                Test::AtLeast(number) | Test::AtMost(number) => found.push(number.to_string()),
                Test::Matches(_) | Test::Exists(_) => {}
            }
        }
        found
    }

    fn demands(&self) -> Vec<Demand> {
        self.0.iter().map(Field::demand).collect()
    }
}
