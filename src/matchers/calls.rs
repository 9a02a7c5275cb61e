//! Which tool call is meant: a name, with or without arguments.

use serde_json::Value;

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
    /// Exactly so many calls; only where the kind counts.
    pub times: Option<u64>,
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
    pub fn likeness(&self, call: &ToolCall) -> Likeness {
        if call.name != self.name {
            return Likeness::OtherTool;
        }
        let Some(expected) = &self.arguments else { return Likeness::Same };
        if call.malformed {
            let raw = call.arguments.as_str().map_or_else(|| call.arguments.to_string(), str::to_owned);
            return Likeness::Malformed { raw: quote(&raw) };
        }
        // An agent that leaves out the arguments of a call gave none.
        let none = Value::Object(serde_json::Map::new());
        let found = if call.arguments.is_null() { &none } else { &call.arguments };
        match difference(expected, found, self.strictness) {
            None => Likeness::Same,
            Some(first) => {
                let lenient = Strictness { lenient_types: true, ..self.strictness };
                let lenient = !self.strictness.lenient_types && difference(expected, found, lenient).is_none();
                Likeness::OtherArguments { difference: first.to_string(), lenient }
            }
        }
    }

    pub fn matches(&self, call: &ToolCall) -> bool {
        self.likeness(call) == Likeness::Same
    }

    /// `get_order` or `get_order(order_id = 4021)`.
    pub fn describe(&self) -> String {
        match &self.arguments {
            None => self.name.clone(),
            Some(arguments) => format!("{}({})", self.name, inside(arguments)),
        }
    }

    pub fn literals(&self) -> Vec<String> {
        let mut found = vec![self.name.clone()];
        if let Some(arguments) = &self.arguments {
            scalars(arguments, &mut found);
        }
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
            patterns.push(CallPattern {
                name: name.to_owned(),
                arguments: None,
                strictness: Strictness::default(),
                times: None,
            });
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
            patterns.push(CallPattern {
                name: name.text().unwrap_or_default().to_owned(),
                arguments,
                strictness: Strictness::default(),
                times: None,
            });
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
    let exact = fields.boolean("exact", diagnostics);
    let lenient_types = fields.boolean("lenient_types", diagnostics);
    let times = if counts { fields.whole("times", 1, diagnostics) } else { None };
    if arguments.is_none() && (exact == Some(true) || lenient_types == Some(true)) {
        let option = if exact == Some(true) { "exact" } else { "lenient_types" };
        diagnostics
            .error(&value.place, format!("`{option}` says how arguments are compared, but `{kind}` has none here"))
            .help
            .push("add `arguments:`; for a call without arguments write `arguments: {}` and `exact: true`".to_owned());
    }
    fields.finish(diagnostics);
    let Some(name) = name else { return };
    let strictness = Strictness { exact: exact == Some(true), lenient_types: lenient_types == Some(true) };
    patterns.push(CallPattern { name: name.to_owned(), arguments, strictness, times });
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
