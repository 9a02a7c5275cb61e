use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::studies::Silence;

/// What an agent is given in an experiment on a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    /// The instructions as they are.
    Baseline,
    /// Every statement of the rule deleted.
    Delete,
    /// Every statement replaced by its opposite.
    Invert,
    /// Every statement made milder (`must` → `may want to`).
    Weaken,
    /// An amount of every statement moved past the value that the case shows.
    Threshold,
    /// An unrelated rule of about the same length deleted.
    Control,
    /// No instructions at all.
    Bare,
    /// Instructions that demand a nonce: do mutated texts reach the agent?
    Canary,
}

impl Arm {
    /// In the order in which a report shows them.
    pub const ALL: [Arm; 8] =
        [Arm::Baseline, Arm::Delete, Arm::Invert, Arm::Weaken, Arm::Threshold, Arm::Control, Arm::Bare, Arm::Canary];
    /// The arms that change the rule itself, in the order in which they are tried.
    pub const OPERATORS: [Arm; 4] = [Arm::Delete, Arm::Invert, Arm::Weaken, Arm::Threshold];

    /// Its place in [`Arm::ALL`], by which the engine knows it.
    pub fn number(self) -> usize {
        self as usize
    }

    /// The arm of that number.
    pub fn numbered(number: usize) -> Arm {
        Arm::ALL[number]
    }

    /// What it means where the agent says and does nothing in this arm; `speaks` is whether it says something at
    /// baseline.
    ///
    /// What falls on silence under a mutant fell for another reason than the rule. But for an agent that never speaks
    /// and works through its tools alone, to call none is an answer.
    pub fn silence(self, speaks: bool) -> Silence {
        match self {
            Arm::Baseline => Silence::Fails,
            _ if speaks => Silence::NoEvidence,
            _ => Silence::Wordless,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Arm::Baseline => "baseline",
            Arm::Delete => "delete",
            Arm::Invert => "invert",
            Arm::Weaken => "weaken",
            Arm::Threshold => "threshold",
            Arm::Control => "control",
            Arm::Bare => "bare",
            Arm::Canary => "canary",
        }
    }
}

impl std::fmt::Display for Arm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
