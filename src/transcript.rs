//! The one shape that every agent's answer is turned into.
//!
//! [`Transcript`] is what a matcher judges, what the journal keeps and what `mutate schema transcript` describes.
//! Turning foreign message shapes into it lives in `transcript/messages.rs`; this file only says what a transcript is.

mod asked;
pub mod messages;
pub(crate) mod parts;
mod rulings;

pub use asked::{Asked, Message};
pub use rulings::{Ruling, Rulings, Vote};

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What one trial produced.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transcript {
    /// What the agent said in the end, without its private reasoning. Absent means that it said nothing at all, which
    /// is not the same as an agent that could not be asked: that is an error and gives no transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// In the order in which they were made. Absent means "this agent does not report its tool calls": tool
    /// assertions are then not assessable. An empty list means "it made none".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Vec<ToolCall>>,
    /// Named values that the agent reports beside its reply.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// The raw conversation, where the agent hands it over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What this trial cost in US dollars, where the agent knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The agent says that it failed: the trial is then an error, never a pass and never a fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The model that answered, as the endpoint names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// True where the reply was cut by a limit (`finish_reason: length`): what is missing from it is no evidence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// What was said outside of it, for matchers that need that. Never read from an agent and never written.
    #[serde(skip)]
    pub rulings: Rulings,
    /// What it answers, for those who are asked about it. Never read from an agent and never written.
    #[serde(skip)]
    pub asked: Option<Arc<Asked>>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    pub name: String,
    /// The arguments as JSON. A JSON string is kept as it came where the arguments were no valid JSON object
    /// (see [`ToolCall::malformed`]).
    #[serde(default)]
    pub arguments: Value,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// From 1; calls of one turn were made in parallel. 0 where the agent does not say.
    #[serde(default)]
    pub turn: u32,
    /// True where the model wrote arguments that are no JSON object: `arguments` then holds the raw text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub malformed: bool,
}

/// Tokens, as the endpoint counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
}

impl Transcript {
    /// A transcript that is a reply and nothing else; tools are not reported.
    pub fn text(reply: impl Into<String>) -> Transcript {
        Transcript { reply: Some(reply.into()), ..Transcript::default() }
    }

    /// True where the agent said nothing and did nothing: such a transcript is no evidence that a rule was broken.
    pub fn is_silent(&self) -> bool {
        self.reply.as_deref().is_none_or(|reply| reply.trim().is_empty())
            && self.tool_calls.as_ref().is_none_or(Vec::is_empty)
            && self.fields.is_empty()
    }
}
