//! Mutants of a rule: its opposite, a weaker form of it, and the unrelated rule that a control arm deletes.
//!
//! [`invert()`](invert::invert) and [`weaken()`](weaken::weaken) work offline on plain English shapes and refuse by name
//! everywhere else: a wrong opposite would give a wrong verdict, a refusal only asks the author for a line.

mod bare_no;
mod condition;
mod contrast;
pub mod control;
mod cues;
mod forms;
pub mod invert;
mod label;
mod lexicon;
mod limits;
mod modal;
pub mod refusal;
mod rest;
mod rewrite;
mod sentence;
pub mod weaken;
mod words;

pub use control::{NoControl, control};
pub use invert::invert;
pub use refusal::{Refusal, RefusalReason};
pub use weaken::weaken;

/// What became of a rule's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inversion {
    /// The new text, with the emphasis marks, the final sign and the line breaks of the old one.
    Inverted(String),
    /// No text: the shape is not one that can be turned around with certainty.
    Refused(Refusal),
}

impl Inversion {
    /// The new text, if there is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Inverted(text) => Some(text),
            Self::Refused(_) => None,
        }
    }
}
