//! One answer by a JSON Schema, with the probabilities of its tokens.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Chat, Turn, opening};
use crate::agents::{AskError, Fault, Request, Token, Typed};
use crate::transcript::Transcript;

/// How many alternatives of each token are asked for: closed sets of labels are small.
const ALTERNATIVES: u32 = 10;

/// What an endpoint was seen to refuse: it is not sent again.
#[derive(Default)]
pub(super) struct Refused {
    schema: AtomicBool,
    log_probs: AtomicBool,
}

impl Refused {
    /// Learns from a refusal that names a parameter, or, where it names none, from any. False where there is nothing
    /// left to leave out.
    fn learn(&self, error: &AskError) -> bool {
        let told = error.message.to_lowercase();
        let unwanted = error.fault == Fault::Rejected
            && ["http 400", "http 422", "http 501"].iter().any(|code| told.starts_with(code));
        let log_probs = told.contains("logprob") || told.contains("log_prob");
        let schema = ["response_format", "json_schema", "schema", "structured"].iter().any(|word| told.contains(word));
        let both = !log_probs && !schema;
        let mut learned = false;
        for (flag, named) in [(&self.log_probs, log_probs), (&self.schema, schema)] {
            if unwanted && (named || both) {
                learned |= !flag.swap(true, Ordering::Relaxed);
            }
        }
        learned
    }

    fn forget(&self) {
        self.schema.store(false, Ordering::Relaxed);
        self.log_probs.store(false, Ordering::Relaxed);
    }
}

impl Chat {
    /// Tools are not offered: an answer by a schema is one message.
    pub(super) async fn typed(&self, request: &Request, schema: &Value) -> Result<Typed, AskError> {
        let deadline = Instant::now() + self.timeout;
        let answer = loop {
            let mut body = self.frame(request);
            body.shift_remove("tools");
            body.insert("messages".to_owned(), opening(request).into());
            if !self.refused.schema.load(Ordering::Relaxed) {
                let format = json!({ "name": "answer", "strict": true, "schema": schema });
                body.entry("response_format")
                    .or_insert_with(|| json!({ "type": "json_schema", "json_schema": format }));
            }
            if !self.refused.log_probs.load(Ordering::Relaxed) {
                body.entry("logprobs").or_insert(true.into());
                body.entry("top_logprobs").or_insert(ALTERNATIVES.into());
            }
            let bare = !body.contains_key("response_format") && !body.contains_key("logprobs");
            match self.endpoint.post(&body, deadline).await {
                Ok(answer) => break answer,
                Err(error) if self.refused.learn(&error) => {}
                Err(error) => {
                    if bare {
                        // It refuses this request in any form: the parameters were not the reason.
                        self.refused.forget();
                    }
                    return Err(error);
                }
            }
        };
        let tokens = tokens(&answer);
        let said = Turn::read(answer, 1).map_err(|reason| self.endpoint.malformed(&reason))?;
        let mut transcript = Transcript::default();
        said.add_to(&mut transcript);
        transcript.reply = said.spoken.text;
        Ok(Typed { transcript, tokens })
    }
}

/// The tokens of the first choice, where there are any that can be read.
fn tokens(answer: &Value) -> Vec<Token> {
    let content = answer.pointer("/choices/0/logprobs/content").and_then(Value::as_array);
    let one = |of: &Value| {
        let text = of.get("token")?.as_str()?.to_owned();
        Some((text, of.get("logprob")?.as_f64()?.exp()))
    };
    let token = |of: &Value| {
        let taken = one(of)?;
        let listed = of.get("top_logprobs").and_then(Value::as_array);
        let mut alternatives: Vec<(String, f64)> = listed.into_iter().flatten().filter_map(one).collect();
        if alternatives.iter().all(|(text, _)| *text != taken.0) {
            alternatives.push(taken.clone());
        }
        Some(Token { text: taken.0, alternatives })
    };
    content.map(|tokens| tokens.iter().filter_map(token).collect()).unwrap_or_default()
}
