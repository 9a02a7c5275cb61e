//! What the tests of all kinds of agents share.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{Agent, AskError, InstructionFile, Request, Surroundings, from_node};
use crate::source::{Diagnostics, SourceFile, parse_documents};
use crate::transcript::Transcript;

pub(crate) fn surroundings() -> Surroundings {
    Surroundings { root: ".".into(), timeout: Duration::from_millis(30), max_output_bytes: 1_000_000 }
}

/// The agent of a YAML text, and the diagnostics as text.
pub(crate) fn read_in(yaml: &str, surroundings: &Surroundings) -> (Option<Arc<dyn Agent>>, String) {
    let mut diagnostics = Diagnostics::default();
    let documents = parse_documents(&SourceFile::new("mutate.yaml", yaml), &mut diagnostics);
    let agent = documents.first().and_then(|node| from_node("demo", node, surroundings, &mut diagnostics));
    (agent, diagnostics.render(false))
}

pub(crate) fn read_text(yaml: &str) -> (Option<Arc<dyn Agent>>, String) {
    read_in(yaml, &surroundings())
}

pub(crate) fn agent_in(yaml: &str, surroundings: &Surroundings) -> Arc<dyn Agent> {
    let (agent, messages) = read_in(yaml, surroundings);
    agent.unwrap_or_else(|| panic!("{messages}"))
}

pub(crate) fn agent(yaml: &str) -> Arc<dyn Agent> {
    agent_in(yaml, &surroundings())
}

pub(crate) fn file(path: &str, text: &str) -> InstructionFile {
    InstructionFile { path: path.into(), bytes: text.as_bytes().to_vec(), text: text.to_owned() }
}

pub(crate) fn request(input: &str, instructions: &str) -> Request {
    Request {
        case: "refund".to_owned(),
        arm: "baseline".to_owned(),
        trial: 0,
        seed: 7,
        input: input.to_owned(),
        conversation: vec![],
        fixtures: Value::Null,
        instructions: Arc::from([file("prompts/support.md", instructions)]),
    }
}

pub(crate) fn ask(agent: &dyn Agent, request: &Request) -> Result<Transcript, AskError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(agent.ask(request))
}
