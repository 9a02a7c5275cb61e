//! Calls dropped, added, doubled, reordered, renamed, failing; their arguments altered.

use serde_json::{Map, Value, json};

use super::{ArgumentChange, Mutant, Targets, Touched, other, unescaped};
use crate::transcript::{ToolCall, Transcript};

/// Tools of one transcript that are changed, arguments of one call, and neighbours that change places.
const MOST_TOOLS: usize = 12;
const MOST_ARGUMENTS: usize = 12;
const MOST_SWAPS: usize = 8;

pub(super) fn mutate(transcript: &Transcript, made: &[ToolCall], targets: &Targets<'_>, found: &mut Vec<Mutant>) {
    let with = |calls: Vec<ToolCall>| Transcript { tool_calls: Some(calls), ..transcript.clone() };
    let mut names: Vec<&str> = vec![];
    for call in made {
        if !names.contains(&call.name.as_str()) && names.len() < MOST_TOOLS {
            names.push(&call.name);
        }
    }
    for name in &names {
        let of = |call: &&ToolCall| call.name == *name;
        let before = all(made.iter().filter(of));
        let mut push = |mutator, calls: Vec<ToolCall>, touched, after: String| {
            found.push(Mutant { mutator, transcript: with(calls), touched, before: before.clone(), after });
        };
        let touched = Touched::Calls { name: (*name).to_owned() };
        push("drop-call", made.iter().filter(|call| !of(call)).cloned().collect(), touched.clone(), String::new());

        let elsewhere = targets.tools.iter().find(|tool| !names.contains(&tool.as_str()));
        let elsewhere = elsewhere.cloned().unwrap_or_else(|| format!("{name}_other"));
        let renamed = changed(made, name, |call| call.name.clone_from(&elsewhere));
        let after = all(renamed.iter().filter(|call| call.name == elsewhere));
        push("rename-call", renamed, touched, after);

        let failed = changed(made, name, |call| {
            call.result = Value::Null;
            call.error = Some("timed out".to_owned());
        });
        push("error-result", failed, Touched::Errors, format!("{before} → error: timed out"));
        if let Some(first) = made.iter().position(|call| call.name == *name) {
            let mut doubled = made.to_vec();
            doubled.insert(first, made[first].clone());
            let touched = Touched::Doubled { name: (*name).to_owned() };
            push("duplicate-call", doubled, touched, format!("{before}, {} once more", shown(&made[first])));
        }
    }
    for (at, call) in targets.add.iter().enumerate() {
        let mut calls = made.to_vec();
        calls.push(call.clone());
        let touched = Touched::Added { at };
        found.push(Mutant {
            mutator: "add-call",
            transcript: with(calls),
            touched,
            before: String::new(),
            after: shown(call),
        });
    }
    for at in (1..made.len()).take(MOST_SWAPS) {
        reorder(made, |calls| calls.swap(at - 1, at), &with, found);
    }
    if made.len() > 2 {
        reorder(made, <[ToolCall]>::reverse, &with, found);
    }
    for name in names {
        arguments(made, name, &with, found);
    }
}

/// The same calls in another order; turns stay where they were.
fn reorder(
    made: &[ToolCall],
    change: impl FnOnce(&mut [ToolCall]),
    with: &dyn Fn(Vec<ToolCall>) -> Transcript,
    found: &mut Vec<Mutant>,
) {
    let mut calls = made.to_vec();
    change(&mut calls);
    for (call, place) in calls.iter_mut().zip(made) {
        call.turn = place.turn;
    }
    let (before, after) = (all(made), all(&calls));
    found.push(Mutant { mutator: "reorder-calls", transcript: with(calls), touched: Touched::Order, before, after });
}

fn arguments(made: &[ToolCall], name: &str, with: &dyn Fn(Vec<ToolCall>) -> Transcript, found: &mut Vec<Mutant>) {
    let Some(first) = made.iter().find(|call| call.name == name && call.arguments.is_object()) else { return };
    let mut leaves = vec![];
    collect(&first.arguments, &mut String::new(), &mut leaves);
    let mut push = |mutator, pointer: &str, was: &Value, how, change: &dyn Fn(&mut Value)| {
        let has = |call: &ToolCall| call.name == name && call.arguments.pointer(pointer) == Some(was);
        let mut calls = made.to_vec();
        calls.iter_mut().filter(|call| has(call)).for_each(|call| change(&mut call.arguments));
        let after = calls.iter().zip(made).find(|(now, old)| now != old).map(|(now, _)| shown(now));
        let touched = Touched::Argument { name: name.to_owned(), pointer: pointer.to_owned(), was: was.clone(), how };
        found.push(Mutant {
            mutator,
            transcript: with(calls),
            touched,
            before: shown(first),
            after: after.unwrap_or_default(),
        });
    };
    for (pointer, was) in &leaves {
        let set = |value: Value| {
            move |arguments: &mut Value| {
                if let Some(place) = arguments.pointer_mut(pointer) {
                    *place = value.clone();
                }
            }
        };
        let mutator = if was.is_number() { "argument-number" } else { "argument-other" };
        push(mutator, pointer, was, ArgumentChange::Value, &set(other(was)));
        if let Some(retyped) = retyped(was) {
            push("argument-type", pointer, was, ArgumentChange::Type, &set(retyped));
        }
        if let Some((parent, key)) = pointer.rsplit_once('/') {
            push("argument-missing", pointer, was, ArgumentChange::Missing, &|arguments| {
                if let Some(Value::Object(map)) = arguments.pointer_mut(parent) {
                    map.shift_remove(&unescaped(key));
                }
            });
        }
    }
    push("argument-extra", "", &first.arguments, ArgumentChange::Extra, &|arguments| {
        if let Value::Object(map) = arguments {
            map.insert("unexpected".to_owned(), Value::Bool(true));
        }
    });
}

/// The scalars of arguments with their JSON pointers.
fn collect(value: &Value, pointer: &mut String, leaves: &mut Vec<(String, Value)>) {
    if leaves.len() >= MOST_ARGUMENTS {
        return;
    }
    let mut inner = |key: &str, value: &Value| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        collect(value, pointer, leaves);
        pointer.truncate(length);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| inner(key, value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, value)| inner(&at.to_string(), value)),
        scalar => leaves.push((pointer.clone(), scalar.clone())),
    }
}

/// 4021 as "4021" and the other way round.
fn retyped(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) => Some(Value::String(number.to_string())),
        Value::String(text) => text.parse::<i64>().ok().map(Value::from),
        Value::Bool(truth) => Some(Value::String(truth.to_string())),
        _ => None,
    }
}

fn changed(made: &[ToolCall], name: &str, change: impl Fn(&mut ToolCall)) -> Vec<ToolCall> {
    let mut calls = made.to_vec();
    calls.iter_mut().filter(|call| call.name == name).for_each(change);
    calls
}

/// `get_order {"order_id":4021}`, on one line.
pub(super) fn shown(call: &ToolCall) -> String {
    let none = json!({});
    let arguments =
        if call.arguments.is_null() || call.arguments == Value::Object(Map::new()) { &none } else { &call.arguments };
    format!("{} {arguments}", call.name)
}

fn all<'c>(calls: impl IntoIterator<Item = &'c ToolCall>) -> String {
    calls.into_iter().map(shown).collect::<Vec<String>>().join(", ")
}
