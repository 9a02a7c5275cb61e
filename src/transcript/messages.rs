//! Foreign message shapes, turned into a [`Transcript`].
//!
//! Read by their shape: the project's own; OpenAI chat completions, single messages and lists of them; Anthropic
//! messages and content blocks; output items of the Responses API.

use serde_json::{Map, Value};

use super::parts::{self, NamedCall, kind};
use super::{ToolCall, Transcript};
use crate::source::nearest_name;

const KEYS: [&str; 9] =
    ["reply", "tool_calls", "fields", "messages", "usage", "cost_usd", "error", "model", "truncated"];
const CALL_KEYS: [&str; 7] = ["name", "arguments", "result", "error", "turn", "malformed", "id"];

/// The transcript that a JSON value holds, whatever shape it has.
///
/// In the project's own shape `tool_calls` and `reply` that are absent are filled from `messages`, when those are given.
/// Of a conversation, only what follows the last message of the user counts: earlier turns were given, not produced.
/// Parallel calls have the same turn number.
///
/// # Errors
/// A sentence that names the key or the message which can't be read.
pub fn from_json(value: Value) -> Result<Transcript, String> {
    match value {
        Value::String(text) => Ok(Transcript::text(text)),
        Value::Array(items) => {
            let mut transcript = conversation(&items)?;
            transcript.messages = items;
            Ok(transcript)
        }
        Value::Object(map) if map.contains_key("choices") => completion(&map),
        Value::Object(map) if map.get("output").is_some_and(Value::is_array) => response(&map),
        Value::Object(map) if map.contains_key("role") || known_item(&map) => {
            let mut transcript = conversation(&[Value::Object(map.clone())])?;
            transcript.usage = map.get("usage").and_then(parts::usage);
            transcript.model = map.get("model").and_then(Value::as_str).map(str::to_owned);
            transcript.truncated = map.get("stop_reason").and_then(Value::as_str) == Some("max_tokens");
            Ok(transcript)
        }
        Value::Object(map) => own(map),
        other => Err(format!("a transcript must be an object, a list of messages or text, not {}", kind(&other))),
    }
}

fn known_item(map: &Map<String, Value>) -> bool {
    matches!(map.get("type").and_then(Value::as_str), Some("function_call" | "tool_use" | "text" | "output_text"))
}

fn own(map: Map<String, Value>) -> Result<Transcript, String> {
    let mut transcript = Transcript::default();
    let mut error = None;
    let wrong = |key: &str, wanted: &str, value: &Value| Err(format!("`{key}` must be {wanted}, not {}", kind(value)));
    for (key, value) in map {
        match (key.as_str(), value) {
            (key, Value::Null) if KEYS.contains(&key) => {}
            ("reply", Value::String(text)) => transcript.reply = Some(text),
            ("reply", other) => return wrong("reply", "text", &other),
            ("tool_calls", Value::Array(items)) => {
                let calls: Result<_, String> = items.iter().enumerate().map(|(at, item)| own_call(at, item)).collect();
                transcript.tool_calls = Some(calls?);
            }
            ("tool_calls", other) => return wrong("tool_calls", "a list", &other),
            ("fields", Value::Object(fields)) => transcript.fields = fields,
            ("fields", other) => return wrong("fields", "an object", &other),
            ("messages", Value::Array(items)) => transcript.messages = items,
            ("messages", other) => return wrong("messages", "a list", &other),
            ("usage", value @ Value::Object(_)) => transcript.usage = parts::usage(&value),
            ("usage", other) => return wrong("usage", "an object", &other),
            ("cost_usd", value) => match value.as_f64().filter(|cost| *cost >= 0.0) {
                Some(cost) => transcript.cost_usd = Some(cost),
                None => return wrong("cost_usd", "a number of at least 0", &value),
            },
            ("error", value) => error = parts::error_text(&value),
            ("model", Value::String(model)) => transcript.model = Some(model),
            ("model", other) => return wrong("model", "text", &other),
            ("truncated", Value::Bool(truncated)) => transcript.truncated = truncated,
            ("truncated", other) => return wrong("truncated", "true or false", &other),
            (unknown, _) => return Err(unknown_key(unknown, "a transcript", &KEYS)),
        }
    }
    if !transcript.messages.is_empty() && (transcript.reply.is_none() || transcript.tool_calls.is_none()) {
        match conversation(&transcript.messages) {
            Ok(told) => {
                transcript.reply = transcript.reply.or(told.reply);
                transcript.tool_calls = transcript.tool_calls.or(told.tool_calls);
            }
            // Beside a reply, messages in an unknown shape are only a record; without one, there is nothing to judge.
            Err(_) if transcript.reply.is_some() => {}
            Err(reason) => return Err(reason),
        }
    }
    transcript.error = error;
    Ok(transcript)
}

fn unknown_key(name: &str, place: &str, known: &[&str]) -> String {
    match nearest_name(name, known.iter().copied()) {
        Some(near) => format!("unknown key `{name}` in {place}; did you mean `{near}`?"),
        None => format!("unknown key `{name}` in {place}; known keys: {}", known.join(", ")),
    }
}

fn own_call(at: usize, value: &Value) -> Result<ToolCall, String> {
    let place = format!("`tool_calls[{at}]`");
    let Some(map) = value.as_object() else {
        return Err(format!("{place} must be an object, not {}", kind(value)));
    };
    let foreign = map.contains_key("function") || map.contains_key("type");
    if !foreign && let Some(unknown) = map.keys().find(|key| !CALL_KEYS.contains(&key.as_str())) {
        return Err(unknown_key(unknown, &place, &CALL_KEYS));
    }
    let mut call = parts::call(value, 0).map_err(|_| format!("{place} has no `name`"))?.call;
    call.result = map.get("result").cloned().unwrap_or_default();
    call.error = map.get("error").and_then(parts::error_text);
    call.malformed |= map.get("malformed").and_then(Value::as_bool).unwrap_or(false);
    match map.get("turn") {
        None | Some(Value::Null) => {}
        Some(turn) => match turn.as_u64().and_then(|turn| u32::try_from(turn).ok()) {
            Some(turn) => call.turn = turn,
            None => return Err(format!("`turn` of {place} must be a whole number")),
        },
    }
    Ok(call)
}

/// A chat completion: the first choice's message.
fn completion(map: &Map<String, Value>) -> Result<Transcript, String> {
    let about = Transcript {
        usage: map.get("usage").and_then(parts::usage),
        model: map.get("model").and_then(Value::as_str).map(str::to_owned),
        error: map.get("error").and_then(parts::error_text),
        ..Transcript::default()
    };
    if about.error.is_some() {
        return Ok(about);
    }
    let Some(choice) = map.get("choices").and_then(Value::as_array).and_then(|choices| choices.first()) else {
        return Err("`choices` is empty".to_owned());
    };
    let truncated = matches!(choice.get("finish_reason").and_then(Value::as_str), Some("length" | "content_filter"));
    let Some(message) = choice.get("message").filter(|message| message.is_object()) else {
        return Err("the first of `choices` has no `message`".to_owned());
    };
    let mut message = message.clone();
    if let Some(map) = message.as_object_mut() {
        map.entry("role").or_insert_with(|| "assistant".into());
    }
    Ok(Transcript { truncated, usage: about.usage, model: about.model, ..conversation(&[message])? })
}

/// An object of the Responses API: its output items.
fn response(map: &Map<String, Value>) -> Result<Transcript, String> {
    let items = map.get("output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    Ok(Transcript {
        usage: map.get("usage").and_then(parts::usage),
        model: map.get("model").and_then(Value::as_str).map(str::to_owned),
        error: map.get("error").and_then(parts::error_text),
        truncated: map.get("status").and_then(Value::as_str) == Some("incomplete"),
        ..conversation(items)?
    })
}

/// Reply and tool calls of what follows the user's last message.
fn conversation(items: &[Value]) -> Result<Transcript, String> {
    let start = items.iter().rposition(is_users_word).map_or(0, |at| at + 1);
    let mut listener = Listener { fresh: true, ..Listener::default() };
    for (at, item) in items.iter().enumerate().skip(start) {
        listener.hear(item).map_err(|reason| format!("message {}: {reason}", at + 1))?;
    }
    Ok(Transcript {
        reply: listener.reply.map(|text| parts::without_thinking(&text)),
        tool_calls: Some(listener.calls.into_iter().map(|named| named.call).collect()),
        ..Transcript::default()
    })
}

/// A user's message that is more than results of tools.
fn is_users_word(item: &Value) -> bool {
    item.get("role").and_then(Value::as_str) == Some("user")
        && !item.get("content").and_then(Value::as_array).is_some_and(|blocks| {
            !blocks.is_empty()
                && blocks.iter().all(|block| block.get("type").and_then(Value::as_str) == Some("tool_result"))
        })
}

/// Follows a conversation message by message.
#[derive(Default)]
struct Listener {
    turn: u32,
    /// True where the next word of the agent opens a new turn.
    fresh: bool,
    reply: Option<String>,
    calls: Vec<NamedCall>,
}

impl Listener {
    fn hear(&mut self, item: &Value) -> Result<(), String> {
        let Some(map) = item.as_object() else {
            return Err(format!("must be an object, not {}", kind(item)));
        };
        let word = |key: &str| map.get(key).and_then(Value::as_str);
        match (word("role"), word("type")) {
            (Some("assistant"), type_) => {
                // Output items of the Responses API say `type: message`, and several make one turn.
                if type_ != Some("message") {
                    self.fresh = true;
                }
                self.open_turn();
                let said = parts::spoken(map, self.turn)?;
                self.say(said.text);
                self.calls.extend(said.calls);
            }
            (Some("tool" | "function"), _) => {
                let id = word("tool_call_id").or(word("name")).unwrap_or_default();
                self.answer(id, map.get("content"), false);
            }
            (Some("user"), _) => {
                for block in map.get("content").and_then(Value::as_array).into_iter().flatten() {
                    self.tool_result(block);
                }
            }
            (Some("system" | "developer"), _) => {}
            (Some(other), _) => return Err(format!("unknown role `{other}`")),
            (None, Some("function_call" | "tool_use")) => {
                self.open_turn();
                self.calls.push(parts::call(item, self.turn)?);
            }
            (None, Some("function_call_output")) => {
                self.answer(word("call_id").unwrap_or_default(), map.get("output"), false);
            }
            (None, Some("tool_result")) => self.tool_result(item),
            (None, Some("text" | "output_text")) => {
                self.open_turn();
                self.say(parts::text_of(item));
            }
            // Reasoning, and items of servers' own tools, are neither a reply nor a call of the suite's tools.
            (None, Some(_)) => {}
            (None, None) => return Err("has neither `role` nor `type`".to_owned()),
        }
        Ok(())
    }

    fn open_turn(&mut self) {
        if self.fresh {
            self.turn += 1;
            self.reply = None;
            self.fresh = false;
        }
    }

    fn say(&mut self, text: Option<String>) {
        if let Some(text) = text {
            self.reply.get_or_insert_default().push_str(&text);
        }
    }

    fn tool_result(&mut self, block: &Value) {
        if block.get("type").and_then(Value::as_str) == Some("tool_result") {
            let id = block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
            let failed = block.get("is_error").and_then(Value::as_bool).unwrap_or(false);
            self.answer(id, block.get("content"), failed);
        }
    }

    /// A tool's result: for the call with this id (or, in the oldest shape, this name), else the first unanswered one.
    fn answer(&mut self, id: &str, content: Option<&Value>, failed: bool) {
        self.fresh = true;
        let unanswered = |named: &&mut NamedCall| named.call.result.is_null() && named.call.error.is_none();
        let by_id = self.calls.iter().position(|named| !id.is_empty() && named.id == id);
        let found = match by_id {
            Some(at) => self.calls.get_mut(at),
            None => {
                let by_name = self.calls.iter_mut().filter(unanswered).position(|named| named.call.name == id);
                self.calls.iter_mut().filter(unanswered).nth(by_name.unwrap_or(0))
            }
        };
        let Some(named) = found else { return };
        let value = content.map(parts::output_value).unwrap_or_default();
        if failed {
            named.call.error = Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        } else {
            named.call.result = value;
        }
    }
}

#[cfg(test)]
mod tests;
