use std::net::TcpListener;

use super::*;
use crate::agents::Message;
use crate::agents::testing::{Server, agent_in, ask, http, ok, read_text, request};

trait Asked {
    fn agent(&self, more: &str) -> Arc<dyn Agent>;
}

impl Asked for Server {
    fn agent(&self, more: &str) -> Arc<dyn Agent> {
        let yaml = format!("chat: {{base_url: 'http://127.0.0.1:{}/v1/', model: m-1{more}}}", self.port);
        agent_in(&yaml, &surroundings())
    }
}

fn surroundings() -> Surroundings {
    Surroundings { root: ".".into(), timeout: Duration::from_secs(10), max_output_bytes: 100_000 }
}

fn says(message: Value, finish: &str) -> String {
    ok(json!({
        "model": "m-1-2026", "usage": {"prompt_tokens": 100, "completion_tokens": 7},
        "choices": [{"message": message, "finish_reason": finish}],
    }))
}

fn text(reply: &str) -> String {
    says(json!({"role": "assistant", "content": reply}), "stop")
}

fn called(id: Option<&str>, name: &str, arguments: Value) -> Value {
    let mut call = json!({"type": "function", "function": {"name": name, "arguments": arguments}});
    if let Some(id) = id {
        call["id"] = id.into();
    }
    call
}

fn refused(answer: String) -> AskError {
    ask(&*Server::new(vec![answer]).agent(""), &request("Refund?", "Be kind.")).unwrap_err()
}

fn reply_to(message: Value) -> Option<String> {
    ask(&*Server::new(vec![says(message, "stop")]).agent(""), &request("x", "")).unwrap().reply
}

const TOOLS: &str = ", tools: [{name: get_order, description: Looks up, parameters: {type: object, required: [order_id], \
                     properties: {order_id: {type: string}}}}, {type: function, function: {name: create_refund}}]";

#[test]
fn instructions_conversation_and_input_become_messages() {
    let server = Server::new(vec![text("No refund.")]);
    let agent = server.agent(
        ", api_key: sk-secret-1, temperature: 0.7, max_tokens: 160, extra: {top_p: 0.9}, headers: {X-Team: blue-1}",
    );
    let mut request = request("Refund?", "Be kind.\n");
    request.conversation = vec![
        Message { role: "user".to_owned(), content: "Hello".to_owned() },
        Message { role: "assistant".to_owned(), content: "Hi!".to_owned() },
    ];
    let answer = ask(&*agent, &request).unwrap();
    assert_eq!(answer.reply.as_deref(), Some("No refund."));
    assert_eq!(answer.tool_calls, Some(vec![]), "an agent without tools makes no calls");
    assert_eq!(answer.usage, Some(Usage { input_tokens: 100, output_tokens: 7 }));
    assert_eq!((answer.model.as_deref(), answer.truncated, answer.messages.len()), (Some("m-1-2026"), false, 0));
    let mut body = server.bodies().remove(0);
    assert!(body["seed"].as_u64().is_some_and(|seed| seed < 1 << 31));
    body.as_object_mut().unwrap().remove("seed");
    assert_eq!(
        body,
        json!({"model": "m-1", "temperature": 0.7, "max_tokens": 160, "top_p": 0.9, "messages": [
        {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi!"}, {"role": "user", "content": "Refund?"}]})
    );
    let head = server.head(0).to_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(head.contains("authorization: bearer sk-secret-1") && head.contains("x-team: blue-1"), "{head}");
}

#[test]
fn without_instructions_an_empty_system_message_is_sent() {
    let server = Server::new(vec![text("x")]);
    let agent = server.agent("");
    ask(&*agent, &request("Refund?", " \n")).unwrap();
    assert_eq!(server.bodies()[0]["messages"][0], json!({"role": "system", "content": ""}));
    assert_eq!(agent.bare_note(), "a system message with empty text");
}

#[test]
fn seeds_differ_by_trial_and_are_the_same_for_the_same_trial() {
    let server = Server::new((0..4).map(|_| text("x")).collect());
    let agent = server.agent("");
    for (trial, arm) in [(0, "baseline"), (1, "baseline"), (0, "delete"), (0, "baseline")] {
        ask(&*agent, &Request { trial, arm: arm.to_owned(), ..request("x", "") }).unwrap();
    }
    let seeds: Vec<u64> = server.bodies().iter().map(|body| body["seed"].as_u64().unwrap()).collect();
    assert!(seeds[0] != seeds[1] && seeds[0] != seeds[2] && seeds[0] == seeds[3], "{seeds:?}");
    let server = Server::new(vec![text("x")]);
    ask(&*server.agent(", seed: false"), &request("x", "")).unwrap();
    assert_eq!(server.bodies()[0].get("seed"), None);
}

#[test]
fn parallel_tool_calls_are_answered_from_the_fixtures() {
    let both = json!({"role": "assistant", "content": null, "tool_calls": [
        called(Some("a"), "get_order", json!("{\"order_id\": 4021}")), called(Some("b"), "get_order", json!({"order_id": "9"}))]});
    let refund = json!({"role": "assistant", "tool_calls": [called(None, "create_refund", json!(""))]});
    let server = Server::new(vec![says(both, "tool_calls"), says(refund, "tool_calls"), text("Done.")]);
    let agent = server.agent(&format!("{TOOLS}, tool_results: {{create_refund: {{status: ok}}}}"));
    let request = Request { fixtures: json!({"orders": {"4021": {"age_days": 45}}}), ..request("Refund?", "Be kind.") };
    let answer = ask(&*agent, &request).unwrap();
    let made = answer.tool_calls.unwrap();
    let seen: Vec<_> = made.iter().map(|call| (call.name.as_str(), &call.arguments, &call.result, call.turn)).collect();
    assert_eq!(
        seen,
        [
            ("get_order", &json!({"order_id": 4021}), &json!({"age_days": 45}), 1),
            ("get_order", &json!({"order_id": "9"}), &json!({"error": "not found"}), 1),
            ("create_refund", &json!({}), &json!({"status": "ok"}), 2),
        ]
    );
    assert_eq!(answer.usage, Some(Usage { input_tokens: 300, output_tokens: 21 }));
    assert_eq!((answer.reply.as_deref(), answer.messages.len()), (Some("Done."), 6));
    let bodies = server.bodies();
    assert_eq!(bodies[0]["tools"][0]["function"]["parameters"]["required"], json!(["order_id"]));
    assert_eq!(bodies[0]["tools"][1]["function"]["parameters"], json!({"type": "object", "properties": {}}));
    let told = bodies[1]["messages"].as_array().unwrap();
    assert_eq!(told[2]["tool_calls"][0]["function"]["arguments"], "{\"order_id\":4021}");
    assert_eq!(told[3], json!({"role": "tool", "tool_call_id": "a", "content": "{\"age_days\":45}"}));
    assert_eq!(told[4]["tool_call_id"], "b");
    let told = bodies[2]["messages"].as_array().unwrap();
    assert_eq!(told[5]["tool_calls"][0]["id"], "call_2_1");
    assert_eq!(told[6]["tool_call_id"], "call_2_1");
}

#[test]
fn templates_render_results() {
    let call = |id: &str| json!({"tool_calls": [called(None, "get_order", json!({"order_id": id}))]});
    let server = Server::new(vec![says(call("4021"), ""), says(call("7"), ""), text("Done.")]);
    let agent = server.agent(&format!(
        "{TOOLS}, tool_results: {{get_order: '{{{{ fixtures.sold[arguments.order_id] }}}}', create_refund: 'x'}}"
    ));
    let request = Request { fixtures: json!({"sold": {"4021": {"age": 45, "of": ["a"]}}}), ..request("x", "") };
    let made = ask(&*agent, &request).unwrap().tool_calls.unwrap();
    assert_eq!(made[0].result, json!({"age": 45, "of": ["a"]}));
    assert_eq!(made[1].result, json!({"error": "not found"}));
    let server = Server::new(vec![
        says(json!({"tool_calls": [called(None, "get_order", json!({"order_id": 4021}))]}), ""),
        text(""),
    ]);
    let agent = server.agent(&format!("{TOOLS}, tool_results: {{get_order: 'It is {{{{ lookup(fixtures.sold, arguments.order_id).age | tojson }}}} days old'}}"));
    assert_eq!(ask(&*agent, &request).unwrap().tool_calls.unwrap()[0].result, json!("It is 45 days old"));
}

#[test]
fn broken_arguments_are_kept_raw_and_the_model_is_told() {
    let broken =
        json!({"content": null, "tool_calls": [called(Some("a"), "get_order", json!("{\"order_id\": 4021}\""))]});
    let server = Server::new(vec![says(broken, "tool_calls"), text("Sorry.")]);
    let answer = ask(&*server.agent(TOOLS), &request("x", "")).unwrap();
    let made = &answer.tool_calls.unwrap()[0];
    assert_eq!((&made.arguments, made.malformed), (&json!("{\"order_id\": 4021}\""), true));
    assert!(made.error.as_deref().unwrap().contains("not a JSON object"));
    let told = &server.bodies()[1]["messages"];
    assert!(told[3]["content"].as_str().unwrap().contains("not a JSON object"), "{told}");
    // What goes back is JSON, which servers insist on.
    let echoed = told[2]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    assert!(serde_json::from_str::<Value>(echoed).unwrap().is_object());
}

#[test]
fn a_tool_that_was_never_declared_is_an_answered_error() {
    let call = json!({"tool_calls": [called(None, "drop_tables", json!("{}"))]});
    let answer = ask(&*Server::new(vec![says(call, ""), text("Well.")]).agent(""), &request("x", "")).unwrap();
    let made = answer.tool_calls.unwrap();
    assert_eq!(
        (made[0].name.as_str(), made[0].error.as_deref()),
        ("drop_tables", Some("there is no tool `drop_tables`"))
    );
}

#[test]
fn an_agent_that_never_stops_calling_is_an_error() {
    let call = || says(json!({"tool_calls": [called(None, "get_order", json!("{}"))]}), "");
    let server = Server::new(vec![call(), call(), call()]);
    let error = ask(&*server.agent(&format!("{TOOLS}, max_turns: 2")), &request("x", "")).unwrap_err();
    assert_eq!(error.fault, Fault::TooManyTurns);
    assert!(error.message.contains("`get_order`") && error.message.contains("turn 2"), "{}", error.message);
    assert_eq!(server.bodies().len(), 2);
}

#[test]
fn replies_come_without_thinking_and_in_any_shape_of_content() {
    assert_eq!(reply_to(json!({"content": "<think>hm</think>\n\nNo."})).as_deref(), Some("No."));
    assert_eq!(reply_to(json!({"content": "hm</think>No."})).as_deref(), Some("No."));
    assert_eq!(reply_to(json!({"content": "No.", "reasoning_content": "hm"})).as_deref(), Some("No."));
    assert_eq!(
        reply_to(json!({"content": [{"type": "text", "text": "N"}, {"type": "text", "text": "o."}]})).as_deref(),
        Some("No.")
    );
    assert_eq!(reply_to(json!({"content": null, "refusal": "I can't."})).as_deref(), Some("I can't."));
    assert_eq!(reply_to(json!({"content": null})), None);
    assert_eq!(reply_to(json!({"role": "assistant"})), None);
}

#[test]
fn a_cut_reply_is_marked() {
    for (finish, cut) in [("length", true), ("content_filter", true), ("stop", false)] {
        let server = Server::new(vec![says(json!({"content": "<think>hm"}), finish)]);
        let answer = ask(&*server.agent(""), &request("x", "")).unwrap();
        assert_eq!(answer.truncated, cut, "{finish}");
        assert!(answer.is_silent());
        let noted = answer.messages.last().map(|message| message["finish_reason"].clone());
        assert_eq!(noted, (finish == "content_filter").then(|| json!("content_filter")));
    }
}

#[test]
fn too_many_requests_are_retried_when_the_server_says() {
    let limited = |headers: &str, body: &str| refused(http("429 Too Many Requests", headers, body));
    let error = limited("Retry-After: 7\r\n", r#"{"error": {"message": "slow down"}}"#);
    assert_eq!((error.fault, error.retry), (Fault::RateLimited, Retry::After(Duration::from_secs(7))));
    assert!(
        error.message.contains("HTTP 429 from 127.0.0.1:") && error.message.contains("slow down"),
        "{}",
        error.message
    );
    let then = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(60);
    let date = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&then).unwrap();
    let Retry::After(wait) = limited(&format!("Retry-After: {date}\r\n"), "").retry else { panic!("{date}") };
    assert!((55..=60).contains(&wait.as_secs()), "{wait:?}");
    assert_eq!(limited("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "").retry, Retry::Backoff);
    assert_eq!(limited("Retry-After: soon\r\n", "").retry, Retry::Backoff);
    assert_eq!(limited("", "").retry, Retry::Backoff);
    assert_eq!(
        limited("retry-after-ms: 250\r\nRetry-After: 1\r\n", "").retry,
        Retry::After(Duration::from_millis(250))
    );
    let long = limited("Retry-After: 3600\r\n", "");
    assert_eq!(long.retry, Retry::No);
    assert!(long.message.contains("the server asks to wait 3600 s"), "{}", long.message);
    assert_eq!(limited("", r#"{"error": {"message": "pay", "code": "insufficient_quota"}}"#).retry, Retry::No);
}

#[test]
fn faults_of_the_server_and_of_the_request_are_told_apart() {
    let page = "<html><head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>";
    let error = refused(http("502 Bad Gateway", "Content-Type: text/html\r\n", page));
    assert_eq!((error.fault, error.retry), (Fault::Server, Retry::Backoff));
    assert!(error.message.ends_with(": 502 Bad Gateway nginx"), "{}", error.message);

    let error =
        refused(http("503 Service Unavailable", "Retry-After: 2\r\n", r#"{"error": {"message": "Loading model"}}"#));
    assert_eq!((error.fault, error.retry), (Fault::Server, Retry::After(Duration::from_secs(2))));

    let error = refused(http("401 Unauthorized", "", r#"{"error": "no key"}"#));
    assert_eq!((error.fault, error.retry), (Fault::Rejected, Retry::No));
    assert!(error.message.contains("HTTP 401") && error.message.contains("is `api_key` right?"), "{}", error.message);

    let error = refused(http(
        "400 Bad Request",
        "",
        r#"{"error": {"message": "too long", "code": "context_length_exceeded"}}"#,
    ));
    assert_eq!((error.fault, error.retry), (Fault::ContextLength, Retry::No));

    let error = refused(http("308 Permanent Redirect", "Location: https://elsewhere.example/v1?token=x\r\n", ""));
    assert_eq!(error.fault, Fault::Rejected);
    assert!(error.message.contains("redirects to https://elsewhere.example/v1,"), "{}", error.message);
}

#[test]
fn an_error_under_http_200_is_an_error() {
    let error = refused(ok(json!({"error": {"message": "overloaded", "code": 502}})));
    assert_eq!((error.fault, error.retry), (Fault::Server, Retry::Backoff));
    assert!(error.message.contains("HTTP 200") && error.message.contains("overloaded"), "{}", error.message);
    assert_eq!(refused(ok(json!({"error": {"message": "slow", "code": 429}}))).fault, Fault::RateLimited);
    let inner = refused(ok(json!({"choices": [{"error": {"message": "died"}, "message": {"content": ""}}]})));
    assert_eq!(inner.fault, Fault::Server);
    assert_eq!(refused(ok(json!({"error": null, "choices": []}))).fault, Fault::Malformed);
    assert_eq!(refused(ok(json!({"choices": [{"text": "x"}]}))).fault, Fault::Malformed);
    let page = refused(http("200 OK", "", "<html>Log in</html>"));
    assert_eq!((page.fault, page.retry), (Fault::Malformed, Retry::No));
    assert!(page.message.contains("no JSON: Log in"), "{}", page.message);
}

#[test]
fn an_answer_past_the_limit_is_an_error() {
    let error = refused(text(&"x".repeat(100_001)));
    assert_eq!(error.fault, Fault::OutputTooLarge);
}

#[test]
fn no_server_and_no_answer_are_told_apart() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let agent = agent_in(&format!("chat: {{base_url: 'http://127.0.0.1:{closed}', model: m}}"), &surroundings());
    let error = ask(&*agent, &request("x", "")).unwrap_err();
    assert_eq!((error.fault, error.retry), (Fault::Transport, Retry::Backoff));
    assert!(
        error.message.contains("can't connect to 127.0.0.1") && error.message.contains("refused"),
        "{}",
        error.message
    );

    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let agent =
        agent_in(&format!("chat: {{base_url: 'http://127.0.0.1:{port}', model: m, timeout: 200ms}}"), &surroundings());
    let error = ask(&*agent, &request("x", "")).unwrap_err();
    assert_eq!((error.fault, error.retry), (Fault::Timeout, Retry::No));
    assert!(error.message.contains("no answer within 0.2 s (total)"), "{}", error.message);

    let cut = refused("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{".to_owned());
    assert_eq!((cut.fault, cut.retry), (Fault::Transport, Retry::Backoff));
}

#[test]
fn an_https_endpoint_has_its_cryptography() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let agent = agent_in(&format!("chat: {{base_url: 'https://127.0.0.1:{closed}', model: m}}"), &surroundings());
    assert_eq!(ask(&*agent, &request("x", "")).unwrap_err().fault, Fault::Transport);
}

#[test]
fn the_key_never_shows() {
    let key = "sk-very-secret-4021";
    let body = format!(r#"{{"error": {{"message": "Incorrect API key provided: {key}"}}}}"#);
    let server = Server::new(vec![http("401 Unauthorized", "", &body), text(&format!("Your key is {key}"))]);
    let agent = server.agent(&format!(", api_key: {key}, headers: {{X-Token: hush-hush-hush}}"));
    let error = ask(&*agent, &request("x", "")).unwrap_err();
    let answer = ask(&*agent, &request("x", "")).unwrap();
    let settings = {
        let mut diagnostics = Diagnostics::default();
        let file = crate::source::SourceFile::new(
            "mutate.yaml",
            format!("{{base_url: 'http://h/v1', model: m, api_key: {key}}}"),
        );
        let node = crate::source::parse_documents(&file, &mut diagnostics).remove(0);
        ChatSettings::read(&node, ".".as_ref(), &mut diagnostics).unwrap()
    };
    let shown = format!("{error:?} {answer:?} {} {} {settings:?}", agent.settings(), agent.describe());
    assert!(!shown.contains(key) && !shown.contains("hush"), "{shown}");
    assert!(error.message.contains("provided: ***") && shown.contains("x-token"), "{shown}");
    assert_eq!(agent.describe(), format!("chat m-1 at 127.0.0.1:{}", server.port));
    assert!(!agent.sees_names());
}

#[test]
fn mistakes_are_told_with_their_places() {
    let start = "chat: {base_url: 'http://h/v1', model: m";
    for (yaml, message) in [
        ("chat: {}".to_owned(), "needs `base_url`"),
        ("chat: {base_url: h, model: m}".to_owned(), "`base_url` must be an address, not h"),
        ("chat: {base_url: 'http://u:p@h', model: m}".to_owned(), "must not hold a name or password"),
        ("chat: {base_url: 'http://h/v1/chat/completions', model: m}".to_owned(), "must end before"),
        (format!("{start}, api_key: ''}}"), "`api_key` is empty"),
        (format!("{start}, api-key: x}}"), "did you mean `api_key`?"),
        (format!("{start}, temperature: hot}}"), "`temperature` must be a number"),
        (format!("{start}, extra: {{stream: true}}}}"), "`stream` can't stand under `extra`"),
        (format!("{start}, headers: {{'a b': c}}}}"), "no name of a header"),
        (format!("{start}, tools: [{{description: x}}]}}"), "a tool needs `name`"),
        (format!("{start}, tools: [{{name: a}}, {{name: a}}]}}"), "two tools named `a`"),
        (format!("{start}, tools: [{{name: a, parameters: {{type: objekt}}}}]}}"), "no valid JSON Schema"),
        (format!("{start}, tools: nowhere.yaml}}"), "can't read `nowhere.yaml`"),
        (
            format!("{start}, tools: [{{name: get_order}}], tool_results: {{get_ordr: x}}}}"),
            "did you mean `get_order`?",
        ),
        (format!("{start}, tools: [{{name: a}}], tool_results: {{a: '{{{{ x'}}}}"), "not a template"),
    ] {
        let (agent, messages) = read_text(&yaml);
        assert!(agent.is_none() && messages.contains(message), "{yaml}: {messages}");
        assert!(messages.contains("mutate.yaml:1:"), "{yaml}: {messages}");
    }
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"label": {"enum": ["pass", "fail"]}}})
}

fn typed(agent: &dyn Agent) -> Result<crate::agents::Typed, AskError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(agent.ask_typed(&request("Judge it.", "You judge."), &schema()))
}

#[test]
fn a_typed_answer_is_asked_for_by_its_schema_and_with_log_probs() {
    let answer = ok(
        json!({"model": "m-1", "choices": [{"message": {"content": "pass"}, "finish_reason": "stop", "logprobs": {"content": [
        {"token": "pass", "logprob": -0.105_360_515, "top_logprobs": [
            {"token": "pass", "logprob": -0.105_360_515}, {"token": "fail", "logprob": -1.609_437_91}]}]}}]}),
    );
    let server = Server::new(vec![answer]);
    let typed = typed(&*server.agent(TOOLS)).unwrap();
    assert_eq!(typed.transcript.reply.as_deref(), Some("pass"));
    let [(_, pass), (other, fail)] = &typed.tokens[0].alternatives[..] else { panic!("{:?}", typed.tokens) };
    assert!((pass - 0.9).abs() < 1e-6 && (fail - 0.2).abs() < 1e-6 && other == "fail", "{:?}", typed.tokens);
    let body = &server.bodies()[0];
    assert_eq!(body["response_format"]["type"], "json_schema");
    assert_eq!(body["response_format"]["json_schema"]["schema"], schema());
    assert_eq!((&body["logprobs"], body["top_logprobs"].as_u64()), (&json!(true), Some(10)));
    assert_eq!(body.get("tools"), None, "a judge has no tools");
}

#[test]
fn an_endpoint_that_refuses_a_parameter_is_asked_without_it_from_then_on() {
    let refuse = |message: &str| http("400 Bad Request", "", &json!({"error": {"message": message}}).to_string());
    let server = Server::new(vec![
        refuse("Unknown name logprobs"),
        text("pass"),
        text("fail"),
        refuse("bad response_format"),
        text("x"),
    ]);
    let agent = server.agent("");
    assert_eq!(typed(&*agent).unwrap().transcript.reply.as_deref(), Some("pass"));
    assert_eq!(typed(&*agent).unwrap().tokens, vec![]);
    assert_eq!(typed(&*agent).unwrap().transcript.reply.as_deref(), Some("x"));
    let sent: Vec<(bool, bool)> = server
        .bodies()
        .iter()
        .map(|body| (body.get("response_format").is_some(), body.get("logprobs").is_some()))
        .collect();
    assert_eq!(sent, [(true, true), (true, false), (true, false), (true, false), (false, false)]);
}

#[test]
fn a_request_that_is_refused_in_any_form_is_an_error_and_teaches_nothing() {
    let refuse = || http("400 Bad Request", "", "{\"error\": {\"message\": \"no such model\"}}");
    let server = Server::new(vec![refuse(), refuse(), text("pass")]);
    let agent = server.agent("");
    assert_eq!(typed(&*agent).unwrap_err().fault, Fault::Rejected);
    typed(&*agent).unwrap();
    assert!(server.bodies()[2].get("response_format").is_some());
    let denied = Server::new(vec![http("401 Unauthorized", "", "{}")]);
    assert_eq!(typed(&*denied.agent("")).unwrap_err().fault, Fault::Rejected);
    assert_eq!(denied.bodies().len(), 1, "a wrong key is no wrong parameter");
}
