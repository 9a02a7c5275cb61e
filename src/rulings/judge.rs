//! A model as a judge: what it is shown, how it is asked, what its answer says.

mod answer;
mod confidence;
mod prompt;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::agents::{Agent, AskError, Fault, Request, Retry, Typed};
use crate::matchers::Criteria;
use crate::transcript::{Ruling, Transcript, Vote};

pub use prompt::Prompt;
pub(super) use prompt::shown;

/// How often a judge is asked for one label: once, and again where its answer held none.
const MOST_ASKED: u32 = 3;
/// The agent's own time limit speaks first: its message says more.
const GRACE: Duration = Duration::from_secs(2);

/// A model that judges.
pub(super) struct Judge {
    agent: Arc<dyn Agent>,
    prompt: Prompt,
    timeout: Duration,
}

impl Judge {
    /// `timeout` is for one call, where the agent has none of its own.
    pub(super) fn new(agent: Arc<dyn Agent>, prompt: Prompt, timeout: Duration) -> Judge {
        let timeout = agent.time_limit().unwrap_or(timeout) + GRACE;
        Judge { agent, prompt, timeout }
    }

    /// A label as one vote among several.
    pub(super) fn vote(&self, ruling: Ruling) -> Result<Vote, AskError> {
        match ruling {
            Ruling::Label { label, reason, confidence } => {
                Ok(Vote { judge: self.agent.describe(), label, reason, confidence })
            }
            _ => Err(AskError {
                fault: Fault::Malformed,
                message: "a judge chose no label".to_owned(),
                retry: Retry::No,
            }),
        }
    }

    pub(super) fn identity(&self) -> Value {
        json!({ "agent": self.agent.settings(), "prompt": self.prompt.text() })
    }

    /// The label that it chose. An answer without one is asked again; it is never a pass.
    pub(super) async fn ask(
        &self,
        criteria: &Criteria,
        transcript: &Transcript,
        pay: &(dyn Fn(Transcript) + Sync),
    ) -> Result<Ruling, AskError> {
        let schema = schema(&criteria.labels);
        let malformed = |message| AskError { fault: Fault::Malformed, message, retry: Retry::No };
        let mut problem = String::new();
        for trial in 0..MOST_ASKED {
            let request = Request {
                case: "judge".to_owned(),
                arm: "judge".to_owned(),
                trial,
                seed: 0,
                input: prompt::question(criteria, transcript),
                conversation: vec![],
                fixtures: Value::Null,
                instructions: Arc::from([self.prompt.file(criteria)]),
            };
            let asked = self.agent.ask_typed(&request, &schema);
            let Typed { transcript: said, tokens } = match tokio::time::timeout(self.timeout, asked).await {
                Ok(answer) => answer?,
                Err(_) => {
                    let message = format!("no answer within {:?}", self.timeout);
                    return Err(AskError { fault: Fault::Timeout, message, retry: Retry::No });
                }
            };
            let reply = said.reply.clone().unwrap_or_default();
            let cut = said.truncated;
            pay(said);
            match answer::choice(&reply, &criteria.labels) {
                Ok(answer::Choice { label, reason }) => {
                    let confidence = confidence::of(&label, &criteria.labels, &tokens);
                    return Ok(Ruling::Label { label, reason, confidence });
                }
                Err(why) if cut => {
                    problem = format!("{why}, and was cut by a limit of tokens (raise its `max_tokens`)")
                }
                Err(why) => problem = why,
            }
        }
        Err(malformed(format!("its answer {problem} ({MOST_ASKED} answers)")))
    }
}

/// The reason stands first: a label that is written after it is chosen with it.
fn schema(labels: &[String]) -> Value {
    json!({
        "type": "object",
        "properties": { "reason": { "type": "string" }, "label": { "type": "string", "enum": labels } },
        "required": ["reason", "label"],
        "additionalProperties": false,
    })
}
