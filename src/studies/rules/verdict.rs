use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Arm;

/// What is known of one assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AssertionVerdict {
    /// Fell when the rule was deleted or inverted, and held when an unrelated rule was deleted.
    Bites,
    /// Never fell under any mutant of the rule, with enough trials to say so.
    Inert,
    /// Fell, but fell under the control as well: wrong reason.
    Brittle,
    /// Cannot fail for this case.
    Vacuous,
    /// Fails with the instructions as they are.
    Broken,
    /// Budget, trials or assessable transcripts ran out first.
    Unproven,
}

impl AssertionVerdict {
    pub fn name(self) -> &'static str {
        match self {
            AssertionVerdict::Bites => "bites",
            AssertionVerdict::Inert => "inert",
            AssertionVerdict::Brittle => "brittle",
            AssertionVerdict::Vacuous => "vacuous",
            AssertionVerdict::Broken => "broken",
            AssertionVerdict::Unproven => "unproven",
        }
    }
}

/// What is known of one case and one rule that it quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CaseVerdict {
    /// An assertion bites when the rule is deleted: the case needs its rule.
    RuleDerived,
    /// Bites only when the rule is inverted: the rule can move it, but losing the rule goes unnoticed.
    Steerable,
    /// Nothing moves it, not even having no instructions at all: the model behaves so anyway.
    ModelDefault,
    /// Losing the rule goes unnoticed, losing all instructions does not: other text carries it.
    Redundant,
    /// What fell also fell when an unrelated rule was deleted.
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

impl CaseVerdict {
    pub const ALL: [CaseVerdict; 9] = [
        CaseVerdict::RuleDerived,
        CaseVerdict::Steerable,
        CaseVerdict::ModelDefault,
        CaseVerdict::Redundant,
        CaseVerdict::WrongReason,
        CaseVerdict::BaselineFailing,
        CaseVerdict::Unproven,
        CaseVerdict::Unreached,
        CaseVerdict::Error,
    ];

    pub fn name(self) -> &'static str {
        match self {
            CaseVerdict::RuleDerived => "rule-derived",
            CaseVerdict::Steerable => "steerable",
            CaseVerdict::ModelDefault => "model-default",
            CaseVerdict::Redundant => "redundant",
            CaseVerdict::WrongReason => "wrong-reason",
            CaseVerdict::BaselineFailing => "baseline-failing",
            CaseVerdict::Unproven => "unproven",
            CaseVerdict::Unreached => "unreached",
            CaseVerdict::Error => "error",
        }
    }

    /// The `provenance` that this verdict supports, where it supports one.
    pub fn label(self) -> Option<&'static str> {
        match self {
            CaseVerdict::RuleDerived => Some("rule-derived"),
            CaseVerdict::ModelDefault => Some("model-swap-guard"),
            _ => None,
        }
    }
}

/// The verdict of one assertion with what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct AssertionFinding {
    pub verdict: AssertionVerdict,
    /// The operator arm under which it fell, for `bites` and `brittle`.
    pub fell_under: Option<Arm>,
    /// Why it is unproven, in a few words.
    pub reason: Option<String>,
    /// What an unproven assertion failed on, where it is neither noise nor a budget.
    pub cause: Option<Cause>,
}

/// What stood in the way of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The trials of this arm showed nothing that the check could settle.
    NotAssessable(Arm),
    /// The agent answered this arm with errors.
    Errors(Arm),
}

/// The verdict of one subject with what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseFinding {
    pub verdict: CaseVerdict,
    /// In the order of the case's `expect`.
    pub assertions: Vec<AssertionFinding>,
    /// Why, where the verdict's name does not say it.
    pub reason: Option<String>,
}
