//! What an arm does to the instruction files, kept as what changed: the mutants of a large file weigh as much as their
//! words, and a whole text is made when it is asked for.

use std::sync::Arc;

use super::subject::ArmFiles;
use crate::agents::InstructionFile;
use crate::instructions::{Change, Document, patched};

/// How an arm's files come from the suite's documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revision {
    /// As they are.
    Original,
    /// All files empty, but that one document reads this.
    Only(Option<(usize, Arc<str>)>),
    /// One step after the other.
    Edited(Vec<Step>),
}

/// Changes of one document, in the places of what it read before this step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Index of the document.
    pub document: usize,
    pub changes: Vec<Change>,
}

/// What a document reads after these steps; `None` where none of them is its own.
pub(super) fn text_after(steps: &[Step], at: usize, document: &Document) -> Option<String> {
    steps.iter().filter(|step| step.document == at).fold(None, |text: Option<String>, step| {
        Some(patched(text.as_deref().unwrap_or(document.text()), &step.changes))
    })
}

impl Revision {
    /// Whether a document reads anything else than its file.
    pub fn changes(&self, at: usize, document: &Document) -> bool {
        match self {
            Revision::Original => false,
            Revision::Only(Some((only, text))) if *only == at => **text != *document.text(),
            Revision::Only(_) => !document.text().is_empty(),
            Revision::Edited(steps) => steps.iter().any(|step| step.document == at),
        }
    }

    /// What a document reads; `None` where that is its file.
    pub fn text(&self, at: usize, document: &Document) -> Option<String> {
        if !self.changes(at, document) {
            return None;
        }
        match self {
            Revision::Original => None,
            Revision::Only(Some((only, text))) if *only == at => Some(text.to_string()),
            Revision::Only(_) => Some(String::new()),
            Revision::Edited(steps) => text_after(steps, at, document),
        }
    }

    /// The files of an agent, with those of `baseline` where nothing changes.
    pub(super) fn files(&self, documents: &[Document], baseline: &ArmFiles) -> ArmFiles {
        if *self == Revision::Original {
            return Arc::clone(baseline);
        }
        let file = |(at, document): (usize, &Document)| match self.text(at, document) {
            None => baseline[at].clone(),
            Some(text) => {
                let bytes = match self {
                    // What the tool says itself is not in the file's encoding, and needs none.
                    Revision::Only(_) => text.clone().into_bytes(),
                    _ => document.encode(&text).expect("a step is only made of characters that the file can hold"),
                };
                InstructionFile { path: document.path().to_owned(), bytes, text }
            }
        };
        documents.iter().enumerate().map(file).collect()
    }

    /// Eight digits that tell this change from another: what goes and what comes, in which file, wherever it stands.
    pub(super) fn digest(&self, documents: &[Document]) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &str| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        };
        if let Revision::Edited(steps) = self {
            for step in steps {
                add(&super::subject::shown(documents[step.document].path()));
                for change in &step.changes {
                    add(&change.before_text);
                    add(&change.after_text);
                }
            }
        }
        hasher.finalize().to_hex()[..8].to_owned()
    }
}
