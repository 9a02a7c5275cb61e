use serde::{Deserialize, Serialize};

/// One earlier turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// `user`, `assistant` or `system`.
    pub role: String,
    pub content: String,
}

/// What an agent was asked in one trial.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The customer's message.
    pub input: String,
    /// The turns before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversation: Vec<Message>,
}
