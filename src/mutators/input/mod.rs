//! Input mutators: the same request, typed differently.
//!
//! Asked of this folder: which mutators there are ([`Packs`]), verified variants of one input ([`variants`]), what of
//! an input must survive ([`protected`]), and whether a text that somebody else wrote keeps it ([`verify`]). Mutators
//! are data: `mutators/*.yaml` names an algorithm and gives its parameters and tables; the algorithms are here. It
//! never knows a study, an agent or a journal, and it asks no model.
//!
//! Three promises hold for every variant. It keeps every protected span byte for byte, in order and in number, and
//! every word that negates or counts; it brings no new digit. It is verified after it was made, and drawn again where
//! that fails; what can't be made is a [`Shortfall`], never a duplicate. And it depends on nothing but (seed, case,
//! mutator, index) and the input: another mutator, another case or another machine changes none.

mod algorithms;
mod draw;
mod edit;
mod listing;
mod make;
mod packs;
mod protect;
mod read;
mod text;
mod tokens;
mod verify;
mod words;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use edit::{TextEdit, apply};
pub use listing::{Example, MutatorEntry};
pub use make::{Choice, NotApplicable, Shortfall, Variant, Variants, rephrasable, variants};
pub use packs::{Mutator, Packs};
pub use protect::{Span, Why, protected};
pub use verify::{Breach, verify};

/// What a mutator does to an input, and what a rate is given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Slips of the hand and real misspellings.
    Typo,
    /// The same words, laid out differently.
    Format,
    /// Other words for the same request.
    Paraphrase,
    /// Talk around the request that asks for nothing.
    Distraction,
    /// Made to break a reader: its own score, never part of the headline.
    Adversarial,
    /// A paraphrase that a helper model wrote.
    Model,
    /// A paraphrase that a person wrote.
    Written,
}

impl Kind {
    /// In the order of a report.
    pub const ALL: [Kind; 7] =
        [Kind::Typo, Kind::Format, Kind::Paraphrase, Kind::Distraction, Kind::Adversarial, Kind::Model, Kind::Written];
    /// The names of [`Kind::ALL`], in the same order.
    pub const NAMES: [&str; 7] = ["typo", "format", "paraphrase", "distraction", "adversarial", "model", "written"];

    /// As it is written in packs, flags and reports.
    pub fn name(self) -> &'static str {
        Kind::NAMES[self as usize]
    }

    /// What variants of this kind are, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Kind::Typo => "slips of the hand and real misspellings",
            Kind::Format => "the same words, laid out differently",
            Kind::Paraphrase => "other words for the same request",
            Kind::Distraction => "talk around the request that asks for nothing",
            Kind::Adversarial => "made to break a reader: its own score, never part of the headline",
            Kind::Model => "paraphrases that a helper model wrote",
            Kind::Written => "paraphrases that a person wrote",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One input, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The case's id: a part of every variant's id and of its random stream.
    pub case: &'a str,
    /// The text to vary.
    pub input: &'a str,
    /// Texts that the case depends on: from assertions, expected arguments and fixtures. Where one stands in the input
    /// as whole words, in any case of letters, it is protected.
    pub literals: &'a [String],
    /// The user's own patterns; every match is protected.
    pub protect: &'a [Regex],
    /// A language code (`en`, `de-AT`); `None` guesses from the text.
    pub language: Option<&'a str>,
}

#[cfg(test)]
mod tests;
