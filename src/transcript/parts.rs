//! The pieces that message shapes of all vendors share: arguments, texts, thinking, tokens.

use serde_json::{Map, Value};

use super::{ToolCall, Usage};

/// A tool call with the id by which its result names it; an empty id where the shape has none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedCall {
    pub(crate) id: String,
    pub(crate) call: ToolCall,
}

/// One message of the agent: what it said, and the tools that it called in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Spoken {
    /// Without thinking. `None` where there is no text at all.
    pub(crate) text: Option<String>,
    pub(crate) calls: Vec<NamedCall>,
}

/// Reads an assistant's message: OpenAI's `content` and `tool_calls` (or the older `function_call`), or Anthropic's
/// list of blocks.
pub(crate) fn spoken(message: &Map<String, Value>, turn: u32) -> Result<Spoken, String> {
    let content = message.get("content").unwrap_or(&Value::Null);
    let mut text = text_of(content);
    if text.is_none() {
        text = message.get("refusal").and_then(Value::as_str).map(str::to_owned);
    }
    let mut calls = vec![];
    for block in content.as_array().into_iter().flatten() {
        if block.get("type").and_then(Value::as_str) == Some("tool_use") {
            calls.push(call(block, turn)?);
        }
    }
    match message.get("tool_calls") {
        None | Some(Value::Null) => {}
        Some(Value::Array(items)) => {
            for item in items {
                calls.push(call(item, turn)?);
            }
        }
        Some(other) => return Err(format!("`tool_calls` must be a list, not {}", kind(other))),
    }
    if let Some(old) = message.get("function_call").filter(|old| old.is_object()) {
        calls.push(call(old, turn)?);
    }
    Ok(Spoken { text: text.map(|text| without_thinking(&text)), calls })
}

/// One call: `{id, function: {name, arguments}}`, `{type: tool_use, id, name, input}`,
/// `{type: function_call, call_id, name, arguments}`.
pub(crate) fn call(value: &Value, turn: u32) -> Result<NamedCall, String> {
    let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    let Some(name) = function.get("name").and_then(Value::as_str) else {
        return Err("a tool call has no `name`".to_owned());
    };
    let given = ["arguments", "input", "parameters"].iter().find_map(|key| function.get(*key));
    let (arguments, malformed) = arguments(given);
    let id = ["call_id", "id"].iter().find_map(|key| value.get(*key).and_then(Value::as_str)).unwrap_or_default();
    let call = ToolCall { name: name.to_owned(), arguments, result: Value::Null, error: None, turn, malformed };
    Ok(NamedCall { id: id.to_owned(), call })
}

/// Arguments as an object, and whether they were malformed: then they are the raw text. Nothing and empty text are an
/// empty object; text is read as JSON, and nothing is repaired.
pub(crate) fn arguments(given: Option<&Value>) -> (Value, bool) {
    match given {
        None | Some(Value::Null) => (Value::Object(Map::new()), false),
        Some(Value::Object(map)) => (Value::Object(map.clone()), false),
        Some(Value::String(text)) if text.trim().is_empty() => (Value::Object(Map::new()), false),
        Some(Value::String(text)) => match serde_json::from_str::<Value>(text) {
            Ok(Value::Null) => (Value::Object(Map::new()), false),
            Ok(object @ Value::Object(_)) => (object, false),
            _ => (Value::String(text.clone()), true),
        },
        Some(other) => (Value::String(other.to_string()), true),
    }
}

/// The text of a message's content: text, or the texts of its parts, joined as they stand. `None` where it has none.
pub(crate) fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(part_text).collect();
            (!texts.is_empty()).then(|| texts.concat())
        }
        Value::Object(_) => part_text(content).map(str::to_owned),
        _ => None,
    }
}

fn part_text(part: &Value) -> Option<&str> {
    if let Some(text) = part.as_str() {
        return Some(text);
    }
    match part.get("type").and_then(Value::as_str) {
        None | Some("text" | "output_text" | "input_text") => part.get("text")?.as_str(),
        Some("refusal") => part.get("refusal")?.as_str(),
        Some(_) => None,
    }
}

const THINKING: [(&str, &str); 3] = [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]")];

/// A reply without its thinking blocks. A block may lack its opening tag (the chat template wrote it) or, at the start
/// of a reply that was cut, its closing one: then nothing of it is a reply. A reply that is JSON stays as it is, since a
/// text in it may speak of such tags. Linear in the text.
pub(crate) fn without_thinking(text: &str) -> String {
    if text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    let mut changed = false;
    for (open, close) in THINKING {
        let mut rest = kept.as_str();
        let mut out = String::new();
        while let Some(end) = rest.find(close) {
            match rest[..end].find(open) {
                Some(start) => out.push_str(&rest[..start]),
                None => out.clear(),
            }
            rest = &rest[end + close.len()..];
        }
        if rest.len() < kept.len() {
            out.push_str(rest);
            changed = true;
            kept = out;
        }
        if kept.trim_start().starts_with(open) {
            return String::new();
        }
    }
    if changed { kept.trim().to_owned() } else { kept }
}

/// Token counts under the names of any vendor; `None` where there are none.
pub(crate) fn usage(value: &Value) -> Option<Usage> {
    let count = |keys: [&str; 2]| keys.iter().find_map(|key| value.get(*key).and_then(Value::as_u64));
    let input = count(["input_tokens", "prompt_tokens"]);
    let output = count(["output_tokens", "completion_tokens"]);
    (input.is_some() || output.is_some())
        .then(|| Usage { input_tokens: input.unwrap_or_default(), output_tokens: output.unwrap_or_default() })
}

/// The message of an error body: text, or an object with a `message`.
pub(crate) fn error_text(error: &Value) -> Option<String> {
    match error {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.get("message").and_then(Value::as_str).map_or_else(|| other.to_string(), str::to_owned)),
    }
}

/// A tool's output as a value: JSON where the text is a JSON object or list, else text.
pub(crate) fn output_value(content: &Value) -> Value {
    let Some(text) = text_of(content) else { return content.clone() };
    match serde_json::from_str::<Value>(&text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
        _ => Value::String(text),
    }
}

/// What a JSON value is, in the words of an error message.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_read_and_never_repaired() {
        let text = |text: &str| arguments(Some(&Value::String(text.to_owned())));
        assert_eq!(text("{\"order_id\": 4021}"), (json!({"order_id": 4021}), false));
        assert_eq!(arguments(Some(&json!({"order_id": 4021}))), (json!({"order_id": 4021}), false));
        for nothing in [None, Some(&Value::Null), Some(&json!(" ")), Some(&json!("null"))] {
            assert_eq!(arguments(nothing), (json!({}), false));
        }
        for broken in ["{\"order_id\": 4021}\"", "{\"order_id\": 40", "{order_id: 1}", "[1]", "4021", "\"{}\""] {
            assert_eq!(text(broken), (json!(broken), true));
        }
        assert_eq!(arguments(Some(&json!([1]))), (json!("[1]"), true));
    }

    #[test]
    fn a_json_reply_keeps_tags_that_its_texts_speak_of() {
        for json in ["{\"html\": \"<think>hi</think>\"}", "[\"</thinking>\"]"] {
            assert_eq!(without_thinking(json), json);
        }
        assert_eq!(without_thinking("[THINK]Hm.[/THINK]Done."), "Done.");
    }

    #[test]
    fn thinking_is_no_part_of_a_reply() {
        for (text, reply) in [
            ("<think>Hm.\nRefund?</think>\n\nNo refund.", "No refund."),
            ("Hm. Refund?</think>\nNo refund.", "No refund."),
            ("<think>Hm. Refund", ""),
            (" \n<thinking>Hm.</thinking>No refund.", "No refund."),
            ("<think>a</think>One.<think>b</think> Two.", "One. Two."),
            ("[THINK]a[/THINK]No refund.", "No refund."),
            ("  I think so. ", "  I think so. "),
            ("The tag <think> opens a block.", "The tag <think> opens a block."),
            ("", ""),
        ] {
            assert_eq!(without_thinking(text), reply, "{text}");
        }
    }

    #[test]
    fn parts_are_joined_and_parts_without_text_are_left_out() {
        assert_eq!(
            text_of(&json!([{"type": "text", "text": "No "}, {"type": "thinking", "thinking": "x"},
            {"type": "output_text", "text": "refund."}])),
            Some("No refund.".to_owned())
        );
        assert_eq!(text_of(&json!([{"type": "tool_use", "name": "x"}])), None);
        assert_eq!(text_of(&Value::Null), None);
    }
}
