//! One golden case, whatever spelling it was written in.

use std::path::PathBuf;
use std::sync::Arc;

use crate::matchers::{Matcher, Question};
use crate::source::Place;
use crate::transcript::Message;
use crate::transcript::Transcript;

/// One golden case.
#[derive(Debug)]
pub struct Case {
    /// Unique in its suite: letters, digits, `-_.:/@#+` and single spaces inside, with no `#` and number at its end.
    pub id: String,
    /// The user's message, sent as it stands.
    pub input: String,
    /// The rules that it quotes; each is mutated alone.
    pub rules: Vec<Rule>,
    pub provenance: Provenance,
    pub source: Option<String>,
    pub added: Option<String>,
    pub owner: Option<String>,
    pub tags: Vec<String>,
    pub notes: Option<String>,
    /// Trials that the case asks for; at least 1.
    pub runs: u32,
    pub pass_if: PassIf,
    /// Turns before the input.
    pub conversation: Vec<Message>,
    /// What the case's tools know: a mapping, or null.
    pub fixtures: serde_json::Value,
    /// Phrasings of the input that a person wrote.
    pub paraphrases: Vec<String>,
    /// Transcripts that must pass.
    pub examples: Vec<Sample>,
    /// Recorded bad transcripts, which must fail.
    pub incident: Vec<Sample>,
    /// At least one.
    pub expect: Vec<Assertion>,
    /// Where the case stands: its id.
    pub place: Place,
}

impl Case {
    /// What must be asked outside before a transcript of this case can be judged.
    pub fn questions(&self) -> impl Iterator<Item = &Arc<Question>> {
        self.expect.iter().filter_map(|assertion| assertion.matcher.question())
    }
}

/// A text that a case quotes from the instructions.
#[derive(Debug, Clone)]
pub struct Rule {
    pub quote: String,
    /// One of the suite's instruction files; `None` looks in all of them.
    pub file: Option<PathBuf>,
    /// From 1: which statement is meant, where the quote stands several times.
    pub line: Option<usize>,
    /// The heading that the meant statement stands under.
    pub heading: Option<String>,
    /// Further texts of the instructions that say the same: they are changed together with the quote, since a rule that
    /// stands elsewhere in other words has not gone. None of them empty or the quote itself.
    pub also: Vec<String>,
    /// The author's own opposite.
    pub inverted: Option<String>,
    /// The text of an unrelated rule that the control arm deletes, in place of one that `mutate` chooses.
    pub control: Option<String>,
    /// Of the quote.
    pub place: Place,
}

/// Where a case comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Provenance {
    RuleDerived,
    IncidentDerived,
    ModelSwapGuard,
    #[default]
    Unlabeled,
}

impl Provenance {
    pub const NAMES: [&str; 4] = ["rule-derived", "incident-derived", "model-swap-guard", "unlabeled"];

    /// As it is written in a case.
    pub fn name(self) -> &'static str {
        match self {
            Provenance::RuleDerived => "rule-derived",
            Provenance::IncidentDerived => "incident-derived",
            Provenance::ModelSwapGuard => "model-swap-guard",
            Provenance::Unlabeled => "unlabeled",
        }
    }

    pub(super) fn from_name(name: &str) -> Provenance {
        match name {
            "rule-derived" => Provenance::RuleDerived,
            "incident-derived" => Provenance::IncidentDerived,
            "model-swap-guard" => Provenance::ModelSwapGuard,
            _ => Provenance::Unlabeled,
        }
    }
}

/// How many of how many trials must hold: `4/5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassIf {
    /// From 1 to `of`.
    pub passes: u32,
    pub of: u32,
}

/// A transcript that stands in a case.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Never an error of the agent.
    pub transcript: Transcript,
    pub place: Place,
}

/// One entry of `expect`.
#[derive(Debug)]
pub struct Assertion {
    /// The matcher's kind, and `#2`, `#3` … where a kind stands again in the case's order.
    pub id: String,
    pub matcher: Box<dyn Matcher>,
    /// Of the kind's name.
    pub place: Place,
}
