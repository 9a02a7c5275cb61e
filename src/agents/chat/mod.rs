//! The `chat` agent: any endpoint that speaks OpenAI's `/chat/completions`.
//!
//! The instructions are the system message; every trial is a new conversation. Tools are declared in the suite and
//! answered from the case's fixtures, so that a trial never touches anything real.

pub(in crate::agents) mod access;
pub(in crate::agents) mod endpoint;
mod faults;
mod settings;
mod tools;
mod typed;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::{Agent, AskError, Asking, AskingTyped, Delivery, Fault, Request, Retry, Surroundings};
use crate::source::{Diagnostics, Node};
use crate::transcript::parts::{self, NamedCall, Spoken};
use crate::transcript::{Transcript, Usage};

use endpoint::Endpoint;
pub use settings::ChatSettings;
use settings::PATH;
use typed::Refused;

/// Reads what stands under `chat:`.
pub(super) fn read(node: &Node, surroundings: &Surroundings, diagnostics: &mut Diagnostics) -> Option<Arc<dyn Agent>> {
    let settings = ChatSettings::read(node, &surroundings.root, diagnostics)?;
    Some(Arc::new(Chat::new(settings, surroundings)))
}

pub(super) fn schema() -> schemars::Schema {
    schemars::schema_for!(ChatSettings)
}

/// An agent behind a chat endpoint.
pub struct Chat {
    settings: ChatSettings,
    endpoint: Endpoint,
    timeout: Duration,
    /// What this endpoint does not take beside messages.
    refused: Refused,
}

impl Chat {
    pub fn new(settings: ChatSettings, surroundings: &Surroundings) -> Chat {
        let timeout = settings.timeout.unwrap_or(surroundings.timeout);
        let endpoint = Endpoint::new(&settings.access(), PATH, timeout, surroundings.max_output_bytes);
        Chat { settings, endpoint, timeout, refused: Refused::default() }
    }

    /// Everything of a request's body but the messages.
    fn frame(&self, request: &Request) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("model".to_owned(), self.settings.model.as_str().into());
        body.insert("messages".to_owned(), Value::Null);
        if let Some(temperature) = self.settings.temperature {
            body.insert("temperature".to_owned(), temperature.into());
        }
        if let Some(most) = self.settings.max_tokens {
            body.insert("max_tokens".to_owned(), most.into());
        }
        if self.settings.seed {
            body.insert("seed".to_owned(), request.trial_seed().into());
        }
        if !self.settings.tools.is_empty() {
            body.insert("tools".to_owned(), self.settings.tools.declarations());
        }
        for (key, value) in &self.settings.extra {
            body.insert(key.clone(), value.clone());
        }
        body
    }

    async fn answer(&self, request: &Request) -> Result<Transcript, AskError> {
        let deadline = Instant::now() + self.timeout;
        let mut body = self.frame(request);
        let mut messages = opening(request);
        let given = messages.len();

        let mut transcript = Transcript { tool_calls: Some(vec![]), ..Transcript::default() };
        for turn in 1..=self.settings.max_turns {
            body.insert("messages".to_owned(), Value::Array(messages));
            let answer = self.endpoint.post(&body, deadline).await?;
            messages = match body.insert("messages".to_owned(), Value::Null) {
                Some(Value::Array(messages)) => messages,
                _ => vec![],
            };
            let said = Turn::read(answer, turn).map_err(|reason| self.endpoint.malformed(&reason))?;
            said.add_to(&mut transcript);
            if said.spoken.calls.is_empty() {
                if turn > 1 || said.finish.as_deref() == Some("content_filter") {
                    messages.push(json!({
                        "role": "assistant", "content": said.spoken.text, "finish_reason": said.finish,
                    }));
                    transcript.messages = messages.split_off(given);
                }
                transcript.reply = said.spoken.text;
                return Ok(transcript);
            }
            messages.push(said.echo());
            for NamedCall { id, mut call } in said.spoken.calls {
                let content = self.settings.tools.answer(&mut call, &request.fixtures)?;
                messages.push(json!({ "role": "tool", "tool_call_id": id, "content": content }));
                transcript.tool_calls.get_or_insert_default().push(call);
            }
        }
        let last = transcript.tool_calls.as_ref().and_then(|calls| calls.last()).map_or("", |call| &call.name);
        Err(AskError {
            fault: Fault::TooManyTurns,
            message: format!(
                "the agent still called tools (`{last}`) in turn {}; raise `max_turns` if it needs more",
                self.settings.max_turns
            ),
            retry: Retry::No,
        })
    }
}

/// Instructions, conversation and input as messages.
fn opening(request: &Request) -> Vec<Value> {
    let mut messages = vec![json!({ "role": "system", "content": request.instructions_text() })];
    messages.extend(request.conversation.iter().map(|message| json!(message)));
    messages.push(json!({ "role": "user", "content": request.input }));
    messages
}

/// What the endpoint said once.
struct Turn {
    spoken: Spoken,
    finish: Option<String>,
    usage: Option<Usage>,
    model: Option<String>,
}

impl Turn {
    fn read(answer: Value, turn: u32) -> Result<Turn, String> {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let choice = answer.get("choices").and_then(Value::as_array).and_then(|choices| choices.first());
        let Some(choice) = choice else { return Err("the answer has no `choices`".to_owned()) };
        let Some(message) = choice.get("message").and_then(Value::as_object) else {
            return Err("the answer's first choice has no `message`".to_owned());
        };
        let mut spoken = parts::spoken(message, turn)?;
        let mut seen: Vec<String> = vec![];
        for (at, named) in spoken.calls.iter_mut().enumerate() {
            if named.id.is_empty() || seen.contains(&named.id) {
                named.id = format!("call_{turn}_{}", at + 1);
            }
            seen.push(named.id.clone());
        }
        Ok(Turn {
            spoken,
            finish: text(choice.get("finish_reason")),
            usage: answer.get("usage").and_then(parts::usage),
            model: text(answer.get("model")),
        })
    }

    fn add_to(&self, transcript: &mut Transcript) {
        if let Some(usage) = self.usage {
            let sum = transcript.usage.get_or_insert_default();
            sum.input_tokens = sum.input_tokens.saturating_add(usage.input_tokens);
            sum.output_tokens = sum.output_tokens.saturating_add(usage.output_tokens);
        }
        if self.model.is_some() {
            transcript.model.clone_from(&self.model);
        }
        // A filter cuts as a limit does: what it took away is no evidence.
        transcript.truncated |= matches!(self.finish.as_deref(), Some("length" | "content_filter"));
    }

    /// The agent's message as it goes back to the endpoint. Servers parse the arguments again and refuse broken JSON, so
    /// that a malformed call goes back wrapped.
    fn echo(&self) -> Value {
        let calls: Vec<Value> = self
            .spoken
            .calls
            .iter()
            .map(|NamedCall { id, call }| {
                let arguments = match &call.arguments {
                    raw if call.malformed => json!({ "malformed_arguments": raw }).to_string(),
                    object => object.to_string(),
                };
                json!({ "id": id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
            })
            .collect();
        json!({ "role": "assistant", "content": self.spoken.text, "tool_calls": calls })
    }
}

impl Agent for Chat {
    fn kind(&self) -> &'static str {
        "chat"
    }

    fn describe(&self) -> String {
        format!("chat {} at {}", self.settings.model, self.endpoint.host())
    }

    fn settings(&self) -> Value {
        self.settings.shown()
    }

    fn delivery(&self) -> Delivery {
        Delivery::Handed
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(self.timeout)
    }

    fn sees_names(&self) -> bool {
        false
    }

    fn bare_note(&self) -> &'static str {
        "a system message with empty text"
    }

    fn check(&self) -> Result<(), String> {
        self.endpoint.check()
    }

    fn ask<'a>(&'a self, request: &'a Request) -> Asking<'a> {
        Box::pin(self.answer(request))
    }

    fn ask_typed<'a>(&'a self, request: &'a Request, schema: &'a Value) -> AskingTyped<'a> {
        Box::pin(self.typed(request, schema))
    }
}

#[cfg(test)]
mod tests;
