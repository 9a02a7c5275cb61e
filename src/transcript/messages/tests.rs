use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(value: Value) -> Transcript {
    from_json(value).unwrap()
}

fn calls(transcript: &Transcript) -> Vec<(&str, Value, u32)> {
    let calls = transcript.tool_calls.as_ref().unwrap();
    calls.iter().map(|call| (call.name.as_str(), call.arguments.clone(), call.turn)).collect()
}

#[test]
fn our_own_shape_is_read_as_it_stands() {
    let transcript = read(json!({
        "reply": "No refund.", "fields": {"status": "open"}, "model": "m", "cost_usd": 0.002, "error": null,
        "usage": {"input_tokens": 4, "output_tokens": 2},
        "tool_calls": [{"name": "get_order", "arguments": {"order_id": 4021}, "result": {"age": 45}, "error": null, "turn": 1}],
    }));
    assert_eq!(transcript.reply.as_deref(), Some("No refund."));
    assert_eq!(calls(&transcript), [("get_order", json!({"order_id": 4021}), 1)]);
    assert_eq!(transcript.tool_calls.unwrap()[0].result, json!({"age": 45}));
    assert_eq!(transcript.fields["status"], "open");
    assert_eq!((transcript.cost_usd, transcript.usage.unwrap().input_tokens), (Some(0.002), 4));
}

#[test]
fn absent_tool_calls_are_not_an_empty_list() {
    assert_eq!(read(json!({"reply": "x"})).tool_calls, None);
    assert_eq!(read(json!({"reply": "x", "tool_calls": null})).tool_calls, None);
    assert_eq!(read(json!({"reply": "x", "tool_calls": []})).tool_calls, Some(vec![]));
}

#[test]
fn what_a_transcript_writes_is_read_back() {
    let transcript = Transcript {
        tool_calls: Some(vec![ToolCall {
            name: "a".into(),
            arguments: json!("{broken"),
            result: Value::Null,
            error: Some("no".into()),
            turn: 2,
            malformed: true,
        }]),
        truncated: true,
        ..Transcript::text("x")
    };
    assert_eq!(read(serde_json::to_value(&transcript).unwrap()), transcript);
}

#[test]
fn mistakes_name_the_key() {
    for (value, message) in [
        (json!({"reply": "x", "tool_call": []}), "unknown key `tool_call` in a transcript; did you mean `tool_calls`?"),
        (json!({"answer": "x"}), "unknown key `answer` in a transcript; known keys: reply"),
        (json!({"reply": 3}), "`reply` must be text, not a number"),
        (json!({"tool_calls": {}}), "`tool_calls` must be a list, not an object"),
        (json!({"tool_calls": [{"arguments": {}}]}), "`tool_calls[0]` has no `name`"),
        (json!({"tool_calls": [{"name": "a", "args": {}}]}), "unknown key `args` in `tool_calls[0]`"),
        (json!({"truncated": "yes"}), "`truncated` must be true or false, not text"),
        (json!([{"role": "user", "content": "x"}, {"role": "robot"}]), "message 2: unknown role `robot`"),
        (json!([{}]), "message 1: has neither `role` nor `type`"),
        (json!({"choices": []}), "`choices` is empty"),
        (json!(4), "a transcript must be an object"),
    ] {
        let error = from_json(value.clone()).unwrap_err();
        assert!(error.contains(message), "{value}: {error}");
    }
}

#[test]
fn an_error_is_kept_as_text() {
    assert_eq!(read(json!({"error": "quota"})).error.as_deref(), Some("quota"));
    assert_eq!(read(json!({"error": {"message": "quota", "code": 4}})).error.as_deref(), Some("quota"));
    assert_eq!(read(json!({"reply": "x", "error": ""})).error, None);
}

#[test]
fn a_chat_completion_is_read_with_parallel_calls() {
    let transcript = read(json!({
        "model": "m", "usage": {"prompt_tokens": 10, "completion_tokens": 3},
        "choices": [{"finish_reason": "length", "message": {"content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "get_order", "arguments": "{\"order_id\": 4021}"}},
            {"id": "b", "type": "function", "function": {"name": "get_user", "arguments": "{broken"}}]}}],
    }));
    assert_eq!(calls(&transcript), [("get_order", json!({"order_id": 4021}), 1), ("get_user", json!("{broken"), 1)]);
    assert!(transcript.tool_calls.as_ref().unwrap()[1].malformed && transcript.truncated);
    assert_eq!(transcript.reply, None);
    assert_eq!(transcript.usage.unwrap().output_tokens, 3);
}

#[test]
fn openai_messages_are_followed_from_the_last_word_of_the_user() {
    let messages = json!([
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "0", "function": {"name": "old", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "0", "content": "{}"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "Refund?"},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [
            {"id": "1", "function": {"name": "get_order", "arguments": "{}"}},
            {"id": "2", "function": {"name": "get_user", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "2", "content": "Ann"},
        {"role": "tool", "tool_call_id": "1", "content": "{\"age\": 45}"},
        {"role": "assistant", "tool_calls": [{"id": "3", "function": {"name": "deny", "arguments": ""}}]},
        {"role": "tool", "tool_call_id": "3", "content": "done"},
        {"role": "assistant", "content": "<think>so</think>No refund."},
    ]);
    let transcript = read(messages.clone());
    assert_eq!(calls(&transcript), [("get_order", json!({}), 1), ("get_user", json!({}), 1), ("deny", json!({}), 2)]);
    let made = transcript.tool_calls.as_ref().unwrap();
    assert_eq!((&made[0].result, &made[1].result), (&json!({"age": 45}), &json!("Ann")));
    assert_eq!(transcript.reply.as_deref(), Some("No refund."));
    // The same list under `messages` of our own shape fills what is absent, and only that.
    let filled = read(json!({"messages": messages, "reply": "mine"}));
    assert_eq!(filled.reply.as_deref(), Some("mine"));
    assert_eq!(filled.tool_calls, transcript.tool_calls);
}

#[test]
fn anthropic_blocks_are_read() {
    let transcript = read(json!([
        {"role": "user", "content": "Refund?"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "t1", "name": "get_order", "input": {"order_id": 4021}},
            {"type": "tool_use", "id": "t2", "name": "get_user", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "{\"age\": 45}"}]},
            {"type": "tool_result", "tool_use_id": "t2", "content": "gone", "is_error": true}]},
        {"role": "assistant", "content": [{"type": "text", "text": "No "}, {"type": "text", "text": "refund."}]},
    ]));
    assert_eq!(calls(&transcript), [("get_order", json!({"order_id": 4021}), 1), ("get_user", json!({}), 1)]);
    let made = transcript.tool_calls.as_ref().unwrap();
    assert_eq!((&made[0].result, made[1].error.as_deref()), (&json!({"age": 45}), Some("gone")));
    assert_eq!(transcript.reply.as_deref(), Some("No refund."));
    let whole = read(json!({"type": "message", "role": "assistant", "model": "m", "stop_reason": "max_tokens",
        "content": [{"type": "text", "text": "No"}], "usage": {"input_tokens": 5, "output_tokens": 1}}));
    assert_eq!((whole.reply.as_deref(), whole.truncated, whole.usage.unwrap().input_tokens), (Some("No"), true, 5));
}

#[test]
fn responses_items_are_read() {
    let transcript = read(json!({
        "model": "m", "status": "completed", "usage": {"input_tokens": 9, "output_tokens": 4},
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "c1", "name": "get_order", "arguments": "{\"order_id\": 1}"},
            {"type": "function_call", "call_id": "c2", "name": "get_user", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "{\"age\": 45}"},
            {"type": "function_call_output", "call_id": "c2", "output": "Ann"},
            {"type": "function_call", "call_id": "c3", "name": "deny", "arguments": "{}"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "No refund."}]}],
    }));
    assert_eq!(
        calls(&transcript),
        [("get_order", json!({"order_id": 1}), 1), ("get_user", json!({}), 1), ("deny", json!({}), 2)]
    );
    assert_eq!(transcript.tool_calls.as_ref().unwrap()[0].result, json!({"age": 45}));
    assert_eq!(transcript.reply.as_deref(), Some("No refund."));
    assert!(!transcript.truncated);
}

/// JSON that is near the shapes that are read: their keys and words, in any place.
fn near_json() -> impl Strategy<Value = Value> {
    const WORDS: [&str; 34] = [
        "reply",
        "tool_calls",
        "fields",
        "messages",
        "usage",
        "error",
        "model",
        "truncated",
        "choices",
        "message",
        "role",
        "content",
        "type",
        "output",
        "function",
        "name",
        "arguments",
        "input",
        "id",
        "call_id",
        "tool_use_id",
        "user",
        "assistant",
        "tool",
        "tool_use",
        "tool_result",
        "function_call",
        "function_call_output",
        "text",
        "</think>",
        "<think>",
        "{\"a\"",
        "",
        "turn",
    ];
    let word = || prop::sample::select(WORDS.as_slice()).prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_json_makes_the_reader_panic_and_what_it_reads_it_reads_again(value in near_json()) {
        if let Ok(transcript) = from_json(value) {
            let again = from_json(serde_json::to_value(&transcript).unwrap());
            prop_assert_eq!(again.map(|again| again.reply), Ok(transcript.reply.or_else(|| {
                conversation(&transcript.messages).ok().and_then(|told| told.reply)
            })));
        }
    }
}
