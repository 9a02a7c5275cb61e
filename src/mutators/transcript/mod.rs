//! Transcript mutators: what an agent said and did, made wrong in one place.
//!
//! Asked of this folder: every mutant of a transcript ([`mutants`]), and the probes and near misses that are data
//! ([`Probes`], from `mutators/probes.yaml` and a suite's own file). It never says whether a mutant is *wrong*: that depends on what a case
//! claims, which it does not know. Each mutant says what it touched ([`Touched`]), so that whoever asks can tell.

mod calls;
mod own_probes;
mod probes;
mod reply;

pub use probes::{CallsOf, Means, Negation, Probe, Probes};
pub use reply::numbers;

use serde_json::Value;

use crate::transcript::{ToolCall, Transcript};

/// What may be put into a transcript or looked for in it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Targets<'a> {
    /// Names of tools, for another one in a call's place.
    pub tools: &'a [String],
    /// Calls to add, each alone.
    pub add: &'a [ToolCall],
    /// JSON pointers of fields to drop and to alter.
    pub fields: &'a [String],
}

/// A changed transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Mutant {
    /// The mutator's stable name, one of [`NAMES`].
    pub mutator: &'static str,
    pub transcript: Transcript,
    pub touched: Touched,
    /// The changed part as it was, and as it is now; one of them may be empty.
    pub before: String,
    pub after: String,
}

/// What a mutant changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Touched {
    /// Every call of this tool is gone or goes to another tool.
    Calls {
        name: String,
    },
    /// The call `Targets::add[at]` was made too.
    Added {
        at: usize,
    },
    /// A call of this tool was made once more.
    Doubled {
        name: String,
    },
    Order,
    /// An argument at a JSON pointer, in every call of the tool that has this value there.
    Argument {
        name: String,
        pointer: String,
        was: Value,
        how: ArgumentChange,
    },
    /// The calls of this tool ended in errors.
    Errors,
    /// The field at a JSON pointer.
    Field {
        pointer: String,
    },
    /// Texts of the reply that are gone or changed.
    Reply {
        lost: String,
        how: ReplyChange,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentChange {
    /// Another value of the same type.
    Value,
    /// The same value as another type.
    Type,
    Missing,
    /// One more argument.
    Extra,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyChange {
    /// One sentence says the opposite.
    Negated,
    /// One number is another one, wherever it stands.
    Number,
    /// The rest of the reply is missing.
    Cut,
    Emptied,
}

/// The names of all transcript mutators.
pub const NAMES: [&str; 17] = [
    "drop-call",
    "add-call",
    "duplicate-call",
    "reorder-calls",
    "rename-call",
    "argument-number",
    "argument-other",
    "argument-type",
    "argument-missing",
    "argument-extra",
    "drop-field",
    "alter-field",
    "negate-sentence",
    "change-number",
    "cut-reply",
    "empty-reply",
    "error-result",
];

/// Every mutant of a transcript, in the order of [`NAMES`] as far as that goes, none of them equal to the transcript.
/// Their number is bounded: of long lists and texts only the first parts are changed.
pub fn mutants(transcript: &Transcript, targets: &Targets<'_>) -> Vec<Mutant> {
    let mut found = vec![];
    if let Some(made) = &transcript.tool_calls {
        calls::mutate(transcript, made, targets, &mut found);
    }
    fields(transcript, targets.fields, &mut found);
    if let Some(said) = transcript.reply.as_deref().filter(|said| !said.trim().is_empty()) {
        reply::mutate(transcript, said, &mut found);
    }
    found.retain(|mutant| mutant.transcript != *transcript);
    found
}

fn fields(transcript: &Transcript, pointers: &[String], found: &mut Vec<Mutant>) {
    for pointer in pointers {
        let mut whole = Value::Object(transcript.fields.clone());
        let Some(was) = whole.pointer(pointer).cloned() else { continue };
        let touched = Touched::Field { pointer: pointer.clone() };
        let mut push = |mutator, whole: Value, after: String| {
            let Value::Object(fields) = whole else { return };
            let transcript = Transcript { fields, ..transcript.clone() };
            let before = format!("{pointer} = {was}");
            found.push(Mutant { mutator, transcript, touched: touched.clone(), before, after });
        };
        let other = other(&was);
        let mut altered = whole.clone();
        if let Some(place) = altered.pointer_mut(pointer) {
            let after = format!("{pointer} = {other}");
            *place = other;
            push("alter-field", altered, after);
        }
        if let Some((parent, key)) = pointer.rsplit_once('/')
            && let Some(Value::Object(map)) = whole.pointer_mut(parent)
        {
            map.shift_remove(&unescaped(key));
            push("drop-field", whole, String::new());
        }
    }
}

/// A key of a JSON pointer as it stands in the object.
fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

/// Another value of the same type.
fn other(value: &Value) -> Value {
    match value {
        Value::Null => Value::Bool(true),
        Value::Bool(truth) => Value::Bool(!truth),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::from(whole.wrapping_add(1)),
            None => Value::from(number.as_f64().unwrap_or(0.0) + 1.0),
        },
        Value::String(text) if text.ends_with(|c: char| c.is_ascii_digit()) => Value::String(reply::other_number(text)),
        Value::String(text) => Value::String(format!("{text}-other")),
        Value::Array(items) => items.iter().skip(1).cloned().collect(),
        Value::Object(_) => Value::Object(serde_json::Map::new()),
    }
}

#[cfg(test)]
mod tests;
