use std::path::Path;

use serde_json::Value;

use crate::agents::{Agent, InstructionFile, Request};
use crate::matchers::Question;
use crate::rulings::Referees;
use crate::transcript::{Message, Transcript};

/// What makes two questions the same question: a hash of everything that can change the answer, the trial number
/// among it. Assertions are not in it, so a changed matcher is judged anew for free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 16]);

impl Key {
    pub fn parse(text: &str) -> Option<Key> {
        let mut bytes = [0u8; 16];
        if text.len() != 32 || !text.is_ascii() {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Key(bytes))
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Hashes parts with their lengths, so that no two lists of parts give the same bytes.
struct Parts(blake3::Hasher);

impl Parts {
    fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    fn key(&self) -> Key {
        let mut short = [0u8; 16];
        short.copy_from_slice(&self.0.finalize().as_bytes()[..16]);
        Key(short)
    }
}

/// A digest of an agent's settings, computed once a run.
pub fn agent_digest(agent: &dyn Agent) -> [u8; 32] {
    *blake3::hash(agent.settings().to_string().as_bytes()).as_bytes()
}

/// The key of one request. Case and arm names count only where the agent is told them.
pub fn key_of(agent: &[u8; 32], sees_names: bool, request: &Request) -> Key {
    let mut parts = Parts(blake3::Hasher::new());
    parts.add(b"mutate trial 1");
    parts.add(agent);
    parts.add(&instructions_digest(&request.instructions));
    parts.add(request.input.as_bytes());
    for turn in &request.conversation {
        parts.add(turn.role.as_bytes());
        parts.add(turn.content.as_bytes());
    }
    parts.add(&(request.conversation.len() as u64).to_le_bytes());
    parts.add(sorted(&request.fixtures).to_string().as_bytes());
    parts.add(&request.seed.to_le_bytes());
    parts.add(&request.trial.to_le_bytes());
    if sees_names {
        parts.add(request.case.as_bytes());
        parts.add(request.arm.as_bytes());
    }
    parts.key()
}

/// The key of a question about a transcript: who is asked what, and what of the transcript they get to see.
pub fn ruling_key(referees: &Referees, question: &Question, transcript: &Transcript) -> Key {
    let mut parts = Parts(blake3::Hasher::new());
    parts.add(b"mutate ruling 1");
    parts.add(referees.identity(question).to_string().as_bytes());
    parts.add(referees.shown(question, transcript).as_bytes());
    parts.key()
}

/// Tells one text of the instructions from another, for people: the first half of a digest.
pub fn short_digest(files: &[InstructionFile]) -> String {
    blake3::Hash::from_bytes(instructions_digest(files)).to_hex()[..16].to_owned()
}

/// Tells what an agent was asked from what it was asked before a case was edited: of the input, the turns before it and
/// what the tools know.
pub fn asked_digest(input: &str, conversation: &[Message], fixtures: &Value) -> String {
    let mut parts = Parts(blake3::Hasher::new());
    parts.add(input.as_bytes());
    for turn in conversation {
        parts.add(turn.role.as_bytes());
        parts.add(turn.content.as_bytes());
    }
    parts.add(sorted(fixtures).to_string().as_bytes());
    parts.key().to_string()
}

fn instructions_digest(files: &[InstructionFile]) -> [u8; 32] {
    let mut parts = Parts(blake3::Hasher::new());
    for file in files {
        parts.add(portable(&file.path).as_bytes());
        parts.add(&file.bytes);
    }
    *parts.0.finalize().as_bytes()
}

fn portable(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The same value with its keys sorted: the order in which fixtures are written does not change the question.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
            pairs.sort_by_key(|(key, _)| *key);
            Value::Object(pairs.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}
