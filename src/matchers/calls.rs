//! Which tool call is meant: a name, with or without arguments.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::conditions::{Condition, Path, condition_schema, parse_condition, parse_path};
use super::needle::plain_text;
use super::quote;
use super::values::{Strictness, difference, scalars, shown};
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::ToolCall;

/// A call to look for.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPattern {
    pub name: String,
    /// `None`: whatever the arguments.
    pub arguments: Option<Value>,
    pub strictness: Strictness,
    /// What single arguments must be, beside those that are spelled out.
    pub conditions: Conditions,
    /// Arguments that may be there though `exact` allows no others.
    ignored: Ignored,
    /// Exactly so many calls; only where the kind counts.
    pub times: Option<u64>,
}

/// Conditions on arguments. Two are equal where they are written alike.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    all: Vec<Condition>,
    written: Value,
}

impl PartialEq for Conditions {
    fn eq(&self, other: &Conditions) -> bool {
        self.written == other.written
    }
}

#[derive(Debug, Clone, Default)]
struct Ignored(Vec<Path>);

impl PartialEq for Ignored {
    fn eq(&self, other: &Ignored) -> bool {
        self.0.iter().map(Path::written).eq(other.0.iter().map(Path::written))
    }
}

/// Entries in one list of calls: pairing them with what was called is no place for thousands.
const MOST_CALLS: usize = 1000;

/// How one call compares to a pattern.
#[derive(Debug, Clone, PartialEq)]
pub enum Likeness {
    Same,
    OtherTool,
    /// The tool, with other arguments; `lenient` where they would be the same under `lenient_types`.
    OtherArguments {
        difference: String,
        lenient: bool,
    },
    /// The tool, but its arguments are no JSON object, so that nothing can be said of them.
    Malformed {
        raw: String,
    },
}

impl CallPattern {
    fn named(name: &str, arguments: Option<Value>) -> CallPattern {
        CallPattern {
            name: name.to_owned(),
            arguments,
            strictness: Strictness::default(),
            conditions: Conditions::default(),
            ignored: Ignored::default(),
            times: None,
        }
    }

    /// True where any call of the tool will do.
    fn is_name_only(&self) -> bool {
        self.arguments.is_none() && self.conditions.all.is_empty() && !self.strictness.exact
    }

    pub fn likeness(&self, call: &ToolCall) -> Likeness {
        if call.name != self.name {
            return Likeness::OtherTool;
        }
        if self.is_name_only() {
            return Likeness::Same;
        }
        if call.malformed {
            let raw = call.arguments.as_str().map_or_else(|| call.arguments.to_string(), str::to_owned);
            return Likeness::Malformed { raw: quote(&raw) };
        }
        match self.miss(call, self.strictness) {
            None => Likeness::Same,
            Some(difference) => {
                let lenient = Strictness { lenient_types: true, ..self.strictness };
                let lenient = !self.strictness.lenient_types && self.miss(call, lenient).is_none();
                Likeness::OtherArguments { difference, lenient }
            }
        }
    }

    /// What is wrong with the arguments of a call, first.
    fn miss(&self, call: &ToolCall, strictness: Strictness) -> Option<String> {
        // An agent that leaves out the arguments of a call gave none.
        static NONE: LazyLock<Value> = LazyLock::new(|| Value::Object(serde_json::Map::new()));
        let found = if call.arguments.is_null() { &NONE } else { &call.arguments };
        let expected = self.arguments.as_ref().unwrap_or(&NONE);
        let first = if strictness.exact && !(self.ignored.0.is_empty() && self.conditions.all.is_empty()) {
            let mut rest = found.clone();
            let conditions = self.conditions.all.iter().map(Condition::path);
            let asked: Vec<&Path> = conditions.filter(|path| path.find_in(expected).is_none()).collect();
            self.ignored.0.iter().chain(asked).for_each(|path| path.remove(&mut rest));
            difference(expected, &rest, strictness)
        } else {
            difference(expected, found, strictness)
        };
        if let Some(first) = first {
            return Some(first.to_string());
        }
        self.conditions.all.iter().find_map(|condition| match condition.path().find_in(found) {
            Some(value) if condition.is_absence() => {
                Some(format!("{} = {} was not expected", condition.path().written(), shown(value)))
            }
            Some(value) => condition.meets(value).err().map(|(reason, _)| reason),
            None if condition.is_absence() => None,
            None => Some(format!("{} is missing", condition.path().written())),
        })
    }

    pub fn matches(&self, call: &ToolCall) -> bool {
        call.name == self.name && (self.is_name_only() || !call.malformed && self.miss(call, self.strictness).is_none())
    }

    /// `get_order` or `get_order(order_id = 4021)`.
    pub fn describe(&self) -> String {
        let arguments = self.arguments.iter().map(inside).filter(|inside| !inside.is_empty());
        let conditions = self.conditions.all.iter().map(Condition::describe);
        let all: Vec<String> = arguments.chain(conditions).collect();
        if self.arguments.is_none() && all.is_empty() {
            return self.name.clone();
        }
        format!("{}({})", self.name, all.join(", "))
    }

    pub fn literals(&self) -> Vec<String> {
        let mut found = vec![self.name.clone()];
        if let Some(arguments) = &self.arguments {
            scalars(arguments, &mut found);
        }
        self.conditions.all.iter().for_each(|condition| condition.literals(&mut found));
        found
    }
}

fn inside(arguments: &Value) -> String {
    match arguments {
        Value::Object(map) => {
            map.iter().map(|(key, value)| format!("{key} = {}", shown(value))).collect::<Vec<String>>().join(", ")
        }
        other => shown(other),
    }
}

/// A call as it was made, for a person.
pub fn made(call: &ToolCall) -> String {
    if call.malformed {
        let raw = call.arguments.as_str().map_or_else(|| call.arguments.to_string(), str::to_owned);
        return format!("{}(broken arguments: {})", call.name, quote(&raw));
    }
    super::shortened(&format!("{}({})", call.name, inside(&call.arguments)), super::EXCERPT)
}

/// The patterns of a value: a name, `{name: {argument: value}}`, `{name: …, arguments: …}`, or a list of these.
/// `None` where nothing usable stands there.
pub fn parse_calls(
    kind: &'static str,
    value: &Node,
    counts: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<CallPattern>> {
    let errors = diagnostics.errors();
    let mut patterns = vec![];
    match value.sequence() {
        Some([]) => {
            diagnostics
                .error(&value.place, format!("`{kind}` has an empty list"))
                .help
                .push("name a tool; that no tool at all may be called is `no_tool_called: true`".to_owned());
        }
        Some(items) if items.len() > MOST_CALLS => {
            diagnostics.error(&value.place, format!("`{kind}` has {} entries; the limit is {MOST_CALLS}", items.len()));
        }
        Some(items) => items.iter().for_each(|item| one(kind, item, counts, &mut patterns, diagnostics)),
        None => one(kind, value, counts, &mut patterns, diagnostics),
    }
    (diagnostics.errors() == errors).then_some(patterns)
}

/// One entry: usually one pattern, several where a mapping names several tools.
pub fn one(
    kind: &'static str,
    value: &Node,
    counts: bool,
    patterns: &mut Vec<CallPattern>,
    diagnostics: &mut Diagnostics,
) {
    if value.sequence().is_some() {
        diagnostics.error(&value.place, format!("`{kind}` wants tools here, but this is a list in a list"));
        return;
    }
    let Some(pairs) = value.mapping() else {
        if let Some(name) = plain_text(kind, value, diagnostics) {
            if name.trim().is_empty() {
                diagnostics.error(&value.place, format!("`{kind}` has an empty tool name"));
                return;
            }
            patterns.push(CallPattern::named(name, None));
        }
        return;
    };
    let long = value.get("name").is_some_and(|name| name.text().is_some())
        || ["arguments", "args", "exact", "times", "lenient_types", "tool"].iter().any(|key| {
            value.get(key).is_some_and(|inner| match *key {
                "arguments" | "args" => pairs.len() > 1,
                _ => inner.text().is_some(),
            })
        });
    if long {
        long_form(kind, value, counts, patterns, diagnostics);
        return;
    }
    if pairs.is_empty() {
        diagnostics.error(&value.place, format!("`{kind}` has an empty mapping")).help.push("name a tool".to_owned());
    }
    for (name, arguments) in pairs {
        if let Some(arguments) = arguments_of(name.text().unwrap_or_default(), arguments, diagnostics) {
            patterns.push(CallPattern::named(name.text().unwrap_or_default(), arguments));
        }
    }
}

/// `Some(None)` where no arguments are asked for, `None` with a diagnostic where they can't be arguments.
fn arguments_of(name: &str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Option<Value>> {
    if value.is_null() {
        return Some(None);
    }
    if value.mapping().is_none() {
        diagnostics
            .error(
                &value.place,
                format!("the arguments of `{name}` must be a mapping, but this is {}", value.describe()),
            )
            .help
            .push(format!("write `{{{name}: {{argument: value}}}}`"));
        return None;
    }
    Some(Some(value.to_value()))
}

fn long_form(
    kind: &'static str,
    value: &Node,
    counts: bool,
    patterns: &mut Vec<CallPattern>,
    diagnostics: &mut Diagnostics,
) {
    let Some(mut fields) = Fields::of("a tool call", value, diagnostics) else { return };
    let name = fields.required("name", diagnostics).and_then(|name| plain_text("name", name, diagnostics));
    let arguments = match fields.take_entry("arguments") {
        Some((_, arguments)) => arguments_of(name.unwrap_or("a tool"), arguments, diagnostics).flatten(),
        None => None,
    };
    let conditions = conditions(&mut fields, diagnostics);
    let ignored = ignored(&mut fields, diagnostics);
    let exact = fields.boolean("exact", diagnostics);
    let lenient_types = fields.boolean("lenient_types", diagnostics);
    let times = if counts { fields.whole("times", 1, diagnostics) } else { None };
    let bare = arguments.is_none() && conditions.all.is_empty();
    if bare && (exact == Some(true) || lenient_types == Some(true)) {
        let option = if exact == Some(true) { "exact" } else { "lenient_types" };
        diagnostics
            .error(&value.place, format!("`{option}` says how arguments are compared, but `{kind}` has none here"))
            .help
            .push("add `arguments:`; for a call without arguments write `arguments: {}` and `exact: true`".to_owned());
    }
    if !ignored.is_empty() && exact != Some(true) {
        diagnostics
            .error(&value.place, "`ignore` names arguments that `exact: true` lets be there")
            .help
            .push("without `exact` other arguments are fine anyway; remove `ignore`, or add `exact: true`".to_owned());
    }
    let both = ignored.iter().find(|path| arguments.as_ref().is_some_and(|asked| path.find_in(asked).is_some()));
    if let Some(both) = both {
        diagnostics
            .error(&value.place, format!("the argument `{}` is both asked for and ignored", both.written()))
            .help
            .push("keep one of the two".to_owned());
    }
    fields.finish(diagnostics);
    let Some(name) = name else { return };
    let strictness = Strictness { exact: exact == Some(true), lenient_types: lenient_types == Some(true) };
    let ignored = Ignored(ignored);
    patterns.push(CallPattern { strictness, conditions, ignored, times, ..CallPattern::named(name, arguments) });
}

/// `where:`, one condition or a list of them.
fn conditions(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Conditions {
    let Some(node) = fields.take("where") else { return Conditions::default() };
    let all = match node.sequence() {
        Some([]) => {
            diagnostics
                .error(&node.place, "`where` has an empty list")
                .help
                .push("write `where: {path: amount, at_most: 50}`, or remove the line".to_owned());
            vec![]
        }
        Some(items) => items.iter().filter_map(|item| parse_condition("where", item, diagnostics)).collect(),
        None => parse_condition("where", node, diagnostics).into_iter().collect(),
    };
    Conditions { all, written: node.to_value() }
}

/// `ignore:`, one path or a list of them.
fn ignored(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Vec<Path> {
    let Some(node) = fields.take("ignore") else { return vec![] };
    match node.sequence() {
        Some(items) => items.iter().filter_map(|item| parse_path(item, diagnostics)).collect(),
        None => parse_path(node, diagnostics).into_iter().collect(),
    }
}

/// The schema of one call or a list of calls.
pub fn calls_schema(counts: bool) -> Value {
    let condition = condition_schema();
    let mut long = json!({"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
        "name": {"type": "string"},
        "arguments": {"type": "object", "description": "Arguments that the call must have; others may be there too."},
        "where": {"anyOf": [condition, {"type": "array", "minItems": 1, "items": condition}],
            "description": "What single arguments must be: a pattern, limits, a number with a tolerance, absence."},
        "exact": {"type": "boolean", "default": false, "description": "No other arguments, at any depth."},
        "ignore": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            "description": "Arguments that may be there under `exact`, whatever they are."},
        "lenient_types": {"type": "boolean", "default": false, "description": "4021 and \"4021\" are equal."}}});
    if counts {
        long["properties"]["times"] =
            json!({"type": "integer", "minimum": 1, "description": "Exactly so many such calls."});
    }
    let short = json!({"type": "object", "minProperties": 1, "additionalProperties": {"type": ["object", "null"]},
        "description": "Tool names with the arguments that their calls must have."});
    let one = json!({"anyOf": [{"type": "string"}, long, short]});
    json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]})
}

/// Reports entries of a list that say the same, and keeps one.
pub fn without_doubles(
    kind: &str,
    value: &Node,
    patterns: Vec<CallPattern>,
    diagnostics: &mut Diagnostics,
) -> Vec<CallPattern> {
    let mut kept: Vec<CallPattern> = vec![];
    for pattern in patterns {
        if kept.contains(&pattern) {
            diagnostics
                .warning(&value.place, format!("`{}` stands in `{kind}` twice", pattern.describe()))
                .help
                .push("keep one of the two; to ask for a number of calls write `times:`".to_owned());
        } else {
            kept.push(pattern);
        }
    }
    kept
}
