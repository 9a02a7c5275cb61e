//! Transcripts that stand in a case: `examples:` must pass, `incident:` must fail.

use super::case::Sample;
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::{Transcript, messages};

/// One transcript or a list of them. A text is a reply of an agent that does not report its tools.
pub(super) fn take(key: &'static str, fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Vec<Sample> {
    let Some(node) = fields.take(key) else { return vec![] };
    let items = node.sequence().unwrap_or(std::slice::from_ref(node));
    if items.is_empty() {
        let error = diagnostics.error(&node.place, format!("`{key}` is an empty list"));
        error.help.push("write a transcript or a reply, or leave it out".to_owned());
    }
    items.iter().filter_map(|item| one(key, item, diagnostics)).collect()
}

fn one(key: &str, node: &Node, diagnostics: &mut Diagnostics) -> Option<Sample> {
    let read = match node.text() {
        Some(text) => Ok(Transcript::text(text)),
        None if node.is_null() => Err("it is empty".to_owned()),
        None => messages::from_json(node.to_value()),
    };
    let problem = match read {
        Ok(transcript) => match &transcript.error {
            None => return Some(Sample { transcript, place: node.place.clone() }),
            Some(_) => "it has an `error`: such a trial is neither a pass nor a fail".to_owned(),
        },
        Err(problem) => problem,
    };
    let error = diagnostics.error(&node.place, format!("`{key}` holds no transcript: {problem}"));
    error.help.push(
        "write a reply as text, or `{reply: \"…\", tool_calls: [{name: …, arguments: {…}}]}`; `mutate schema transcript` \
         has every key"
            .to_owned(),
    );
    None
}
