//! What can be asked. An agent knows no case and no matcher: it turns a [`Request`] into a [`Transcript`] or an error.
//!
//! Adding an agent is a new file and one line in the list of kinds.

pub mod canary;
mod chat;
mod command;
mod distinct;
mod embeddings;
pub mod fence;
pub mod program;
mod reading;
mod same_model;
mod scripted;
mod slots;
mod typed;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::instructions::{Document, expanded};
use crate::source::{Diagnostics, Node, nearest_name};
use crate::transcript::{Message, Transcript};

pub use chat::{Chat, ChatSettings};
pub use command::{CommandAgent, CommandSettings};
pub use embeddings::{Embedded, Embeddings};
pub use same_model::{same_family, same_model};
pub use scripted::{Script, Scripted};
pub use slots::only_slots;
pub use typed::{AskingTyped, Token, Typed};

/// The kinds of agents: one line a kind.
const KINDS: [Kind; 3] = [
    Kind { name: "scripted", read: scripted::read, schema: scripted::schema },
    Kind { name: "command", read: command::read, schema: command::schema },
    Kind { name: "chat", read: chat::read, schema: chat::schema },
];

/// A way to make an agent from what stands under its key.
struct Kind {
    name: &'static str,
    read: Reader,
    schema: fn() -> schemars::Schema,
}

type Reader = fn(&Node, &Surroundings, &mut Diagnostics) -> Option<Arc<dyn Agent>>;

/// Where an agent lives and what it must keep to.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The suite's folder.
    pub root: PathBuf,
    /// For one trial, where the agent sets no time of its own.
    pub timeout: Duration,
    /// For one answer; a longer one is [`Fault::OutputTooLarge`].
    pub max_output_bytes: usize,
}

/// The agent that stands under `agents: NAME:`, or `None` with diagnostics.
///
/// `node` is a mapping with exactly one key, the agent's kind.
pub fn from_node(
    name: &str,
    node: &Node,
    surroundings: &Surroundings,
    diagnostics: &mut Diagnostics,
) -> Option<Arc<dyn Agent>> {
    let kinds = || KINDS.iter().map(|kind| kind.name);
    let listed = kinds().collect::<Vec<_>>().join("`, `");
    let pairs = node.mapping().unwrap_or_default();
    let [(key, value)] = pairs else {
        diagnostics
            .error(
                &node.place,
                match node.mapping() {
                    Some(pairs) if !pairs.is_empty() => format!("agent `{name}` must have one key, its kind"),
                    Some(_) => format!("agent `{name}` is empty"),
                    None => format!("agent `{name}` must be a mapping, but this is {}", node.describe()),
                },
            )
            .help
            .push(format!("write one of `{listed}` and, below it, that agent's settings"));
        return None;
    };
    let word = key.text().unwrap_or("null");
    let Some(kind) = KINDS.iter().find(|kind| kind.name == word) else {
        let entry = diagnostics.error(&key.place, format!("unknown kind of agent `{word}`"));
        entry.help.push(match nearest_name(word, kinds()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known kinds: `{listed}`"),
        });
        return None;
    };
    (kind.read)(value, surroundings, diagnostics)
}

/// JSON Schemas of what stands under each kind's key, by the kind's name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    KINDS.iter().map(|kind| (kind.name, (kind.schema)())).collect()
}

/// One instruction file as an agent gets it: already mutated, where the arm mutates it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionFile {
    /// Relative to the suite's folder, as in `mutate.yaml`.
    pub path: PathBuf,
    /// The file's bytes, in its own encoding.
    pub bytes: Vec<u8>,
    /// The same, decoded, without a byte order mark.
    pub text: String,
}

impl InstructionFile {
    /// The file as it lies there.
    pub fn of(document: &Document) -> InstructionFile {
        InstructionFile {
            path: document.path().to_owned(),
            bytes: document.bytes().to_vec(),
            text: document.text().to_owned(),
        }
    }
}

/// One trial, as an agent sees it. Every request is a new conversation.
#[derive(Debug, Clone)]
pub struct Request {
    /// Names for the agent's own logs (`MUTATE_CASE`, `MUTATE_ARM`, `MUTATE_TRIAL`).
    pub case: String,
    pub arm: String,
    /// From 0 within its arm.
    pub trial: u32,
    /// The run's seed, the same for all of its trials; see [`Request::trial_seed`].
    pub seed: u64,
    pub input: String,
    pub conversation: Vec<Message>,
    /// What the case's tools know; a mapping, or null.
    pub fixtures: Value,
    pub instructions: Arc<[InstructionFile]>,
}

impl Request {
    /// All instruction files as one text, in the suite's order, a blank line between two; a file that another one includes
    /// stands where it is included. See [`expanded`].
    pub fn instructions_text(&self) -> String {
        let files: Vec<(&Path, &str)> =
            self.instructions.iter().map(|file| (file.path.as_path(), file.text.as_str())).collect();
        expanded(&files)
    }

    /// The seed of this trial's own randomness, which derives from the run's seed, the case, the arm and the trial number:
    /// trials with one seed would be one trial, counted often. 31 bits, since some servers and programs read a signed
    /// 32-bit number.
    pub fn trial_seed(&self) -> u32 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes()).update(&self.trial.to_le_bytes());
        for name in [&self.case, &self.arm] {
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
        }
        let digest = hasher.finalize();
        let [a, b, c, d, ..] = *digest.as_bytes();
        u32::from_le_bytes([a, b, c, d]) >> 1
    }
}

/// How surely the mutated instructions got to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The text itself is part of what the agent is given: a system message, a JSON request, an argument.
    Handed,
    /// Files lie ready under names that the agent is told; whether it reads them is its own matter. Only a canary or a
    /// kill proves that it does.
    Offered,
}

/// Why a trial can't be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// No answer in time.
    Timeout,
    /// The connection failed.
    Transport,
    /// HTTP 429, after all retries.
    RateLimited,
    /// HTTP 5xx, or an error body under HTTP 200.
    Server,
    /// HTTP 4xx: asking again gives the same.
    Rejected,
    /// The conversation is longer than the model takes.
    ContextLength,
    /// The answer can't be read as a transcript.
    Malformed,
    /// The program could not be started, crashed, or ended with a non-zero status.
    Crashed,
    /// More output than `limits.max_output_bytes`.
    OutputTooLarge,
    /// The agent itself reported an error.
    Reported,
    /// It kept calling tools past its limit of turns.
    TooManyTurns,
}

/// An error of the agent: never a pass and never a fail.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct AskError {
    pub fault: Fault,
    /// What happened, with the status, the host, the last lines of stderr: enough to act on.
    pub message: String,
    /// Whether asking again can help, and not before when (`Retry-After`).
    pub retry: Retry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    No,
    /// After the engine's own backoff.
    Backoff,
    /// The server said how long to wait.
    After(Duration),
}

pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<Transcript, AskError>> + Send + 'a>>;

/// What can be asked.
///
/// Dropping the future of [`Agent::ask`] abandons the trial and leaves nothing running.
pub trait Agent: Send + Sync {
    /// `scripted`, `command`, `chat`.
    fn kind(&self) -> &'static str;
    /// One line for the report's head: `chat gpt-5-mini at api.example.com`. Never a secret.
    fn describe(&self) -> String;
    /// Everything about this agent that can change an answer, without secrets: part of the journal's key, and shown.
    fn settings(&self) -> Value;
    fn delivery(&self) -> Delivery;
    /// Whether the agent is told the names of case and arm, so that two cases with the same text are two questions.
    fn sees_names(&self) -> bool;
    /// What is sent in place of the instructions in the `bare` arm, for the report.
    fn bare_note(&self) -> &'static str;
    /// The agent's own limit on the time of one trial, where it has one: it holds in place of the run's.
    fn time_limit(&self) -> Option<Duration> {
        None
    }
    /// A mistake that would make every trial an error (a program that is not there), found before any call.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    fn ask<'a>(&'a self, request: &'a Request) -> Asking<'a>;
    /// [`Agent::ask`] for an answer that should be a JSON object of this schema. An agent that can't pass a schema on
    /// asks as ever.
    fn ask_typed<'a>(&'a self, request: &'a Request, schema: &'a Value) -> AskingTyped<'a> {
        let _ = schema;
        Box::pin(async move { Ok(Typed { transcript: self.ask(request).await?, tokens: vec![] }) })
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
