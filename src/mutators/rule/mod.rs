//! Mutants of a rule: its opposite, a weaker form of it, another threshold, and the unrelated rule that a control arm
//! deletes.
//!
//! [`invert()`](invert::invert), [`weaken()`](weaken::weaken) and [`threshold()`](threshold::threshold) work offline on
//! plain shapes and refuse by name everywhere else: a wrong opposite would give a wrong verdict, a refusal only asks the
//! author for a line. They know a rule's text and nothing of files, cases or agents.
//!
//! The way of an inversion: `words` reads the text, `rewrite` tells the language and the sentences apart, `label` and
//! `sentence` find the clauses, and each clause goes to the first that knows it: `contrast` and `limits` ("only"),
//! `bare_no`, then `cues` (its shape) with `modal`, `rest` looking at what follows. `condition` negates a side clause,
//! `foreign` has the other languages. Words are data: `mutators/polarity*.yaml`. What a helper model writes instead is
//! checked by `opposite`.

mod amount;
mod bare_no;
mod condition;
mod contrast;
pub mod control;
mod cues;
mod foreign;
mod forms;
pub mod invert;
mod label;
mod lexicon;
mod limits;
mod modal;
pub mod opposite;
pub mod refusal;
mod rest;
mod rewrite;
mod sentence;
mod subject;
pub mod threshold;
pub mod weaken;
mod words;

pub use control::{Bystanders, NoControl, are_unrelated};
pub use invert::invert;
pub use opposite::check_opposite;
pub use refusal::{Refusal, RefusalReason};
pub use threshold::threshold;
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
