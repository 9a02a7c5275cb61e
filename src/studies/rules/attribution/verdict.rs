use schemars::JsonSchema;
use serde::Serialize;

use super::minimise::Set;

/// What is known of where a case's behaviour comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A carrying set was found and confirmed: without all of it the case falls, and any one of its statements, put
    /// back, keeps the behaviour.
    Carried,
    /// Not even without all statements, nor without any instructions, does the case fall: the model behaves so anyway.
    ModelDefault,
    /// It falls without an unrelated rule too: no statement is to be named.
    WrongReason,
    /// Nothing holds with the instructions as they are.
    BaselineFailing,
    /// Budget or trials ran out before the question was settled.
    Unproven,
    /// Mutated instructions do not get to the agent.
    Unreached,
    /// The agent could not be asked.
    Error,
}

impl Verdict {
    pub const ALL: [Verdict; 7] = [
        Verdict::Carried,
        Verdict::ModelDefault,
        Verdict::WrongReason,
        Verdict::BaselineFailing,
        Verdict::Unproven,
        Verdict::Unreached,
        Verdict::Error,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Carried => "carried",
            Verdict::ModelDefault => "model-default",
            Verdict::WrongReason => "wrong-reason",
            Verdict::BaselineFailing => "baseline-failing",
            Verdict::Unproven => "unproven",
            Verdict::Unreached => "unreached",
            Verdict::Error => "error",
        }
    }
}

/// The verdict of one subject with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub verdict: Verdict,
    /// The carrying set; where it is not settled, the smallest set that was seen to fall, so that a carrying set lies in
    /// it. Empty where none was.
    pub set: Set,
    /// The round of fresh trials that confirmed it; 0 where none did.
    pub round: usize,
    /// The assertion that the confirmation looked at.
    pub target: Option<usize>,
    /// Why, where the verdict's name does not say it.
    pub reason: Option<String>,
    /// Where it was asked for, and a carrying set was found.
    pub needed: Option<Needed>,
}

/// A smallest set of statements that is enough: with all other statements deleted the case holds, and falls when one
/// more of it is deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needed {
    /// Empty where the search was not finished.
    pub set: Set,
    /// Confirmed by fresh trials.
    pub settled: bool,
    /// Why it is not.
    pub reason: Option<String>,
}

impl Finding {
    pub(super) fn new(verdict: Verdict, reason: Option<String>) -> Finding {
        Finding { verdict, set: Set::new(), round: 0, target: None, reason, needed: None }
    }
}
