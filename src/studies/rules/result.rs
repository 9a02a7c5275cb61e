//! What the study hands to a report: every figure and every sentence is decided here, a report only lays it out.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Arm, AssertionVerdict, CaseVerdict, Settings};
use crate::studies::Report;

/// The result of `mutate rules`.
pub type RulesReport = Report<CaseReport, RulesOwn>;

/// What only this study's result has.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RulesOwn {
    pub design: DesignLine,
    /// Whether mutated instructions were seen to reach the agent.
    pub reach: Reach,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DesignLine {
    pub alpha: f64,
    pub beta: f64,
    pub min_effect: f64,
    pub max_trials_per_arm: usize,
    pub thorough: bool,
}

impl DesignLine {
    pub(super) fn of(settings: &Settings) -> DesignLine {
        let design = &settings.design;
        DesignLine {
            alpha: design.alpha,
            beta: design.beta,
            min_effect: design.min_effect,
            max_trials_per_arm: design.max_trials_per_arm,
            thorough: settings.thorough,
        }
    }
}

/// One case and one rule that it quotes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CaseReport {
    /// The case's id; `id#2` for the second rule that a case quotes.
    pub id: String,
    /// `file:line:column` of the case.
    pub place: String,
    /// What the case says of itself.
    pub provenance: String,
    pub rule: RuleReport,
    pub verdict: CaseVerdict,
    /// The `provenance` that the verdict supports, else null.
    pub label: Option<&'static str>,
    /// Why, where the verdict's name does not say it.
    pub reason: Option<String>,
    /// What to do next.
    pub advice: String,
    /// True where the verdict is a finding under the suite's gates and is not accepted.
    pub finding: bool,
    /// The reason that the suite gives for living with this finding.
    pub accepted: Option<String>,
    pub assertions: Vec<AssertionReport>,
    /// Trials of the whole case, by arm: a trial passes when every assessable assertion held.
    pub arms: BTreeMap<String, ArmReport>,
    /// Whether the agent's answers (reply and calls, to the letter) are others than with the instructions as they are, by
    /// arm; only for arms in which, as at baseline, it gave one and the same answer in at least three trials.
    pub answers_changed: BTreeMap<String, bool>,
    pub mutants: Vec<MutantReport>,
    /// Trials that this verdict rests on, reused ones and errors among them.
    pub calls: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleReport {
    pub quote: String,
    /// Every place where it stands.
    pub statements: Vec<StatementReport>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StatementReport {
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Byte offsets in the file.
    pub start: usize,
    pub end: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AssertionReport {
    pub id: String,
    pub kind: String,
    /// The check in a few words.
    pub check: String,
    /// `file:line:column`.
    pub place: String,
    pub verdict: AssertionVerdict,
    /// The operator under which it fell.
    pub fell_under: Option<Arm>,
    /// Why it is unproven, in a few words.
    pub reason: Option<String>,
    /// About how many more trials an arm would settle it, if the rates stay as seen.
    pub more_trials_needed: Option<usize>,
    pub arms: BTreeMap<String, Rate>,
    /// Arms in which it held significantly more often than in the baseline.
    pub better_under: Vec<Arm>,
    /// What the check said of the first trial in which it fell under the operator (or in the baseline, where broken).
    pub evidence: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rate {
    pub passes: usize,
    pub trials: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArmReport {
    pub passes: usize,
    pub trials: usize,
    /// Trials that ended in an error of the agent: neither passes nor fails.
    pub errors: usize,
}

/// One change of the instructions. `mutate rules --list --format json` prints these; other tools build on them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MutantReport {
    /// `case/operator/hash of what changes`: the same in every list, report and acceptance.
    pub id: String,
    pub case: String,
    pub operator: Arm,
    pub file: String,
    /// From 1.
    pub line: usize,
    /// Byte offsets in the file of the first changed statement.
    pub start: usize,
    pub end: usize,
    /// The changed part as it is.
    pub before: String,
    /// The same part in the mutant; empty where it is deleted.
    pub after: String,
    /// Who worded it: `case` (the author's `inverted:`), `offline` (the built-in inverter), `model`.
    pub source: &'static str,
    /// The helper model that worded it, where `source` is `model`: read such a mutant before you trust it.
    pub made_by: Option<String>,
    /// Why this mutant can't be made, else null.
    pub refused: Option<String>,
    /// The helper model that a run would ask for it; a list asks nobody.
    pub would_ask: Option<String>,
    /// What else the edit did: `list renumbered`.
    pub notes: Vec<String>,
    /// All changed places after the first, where the rule is stated more than once.
    pub also: Vec<StatementReport>,
}

/// How it is known that mutated instructions get to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// A mutant changed what the agent does.
    Seen,
    /// The agent repeated a nonce that only the mutated instructions held.
    CanaryEchoed,
    /// It did not repeat the nonce, and its instructions are handed to it with every request: it ignores them, or its
    /// endpoint drops them.
    CanaryIgnored,
    /// It did not repeat the nonce, and nothing shows that it reads the mutated files.
    NotSeen,
    /// Nothing needed it.
    NotAsked,
}

/// What `mutate rules --pin` did with one rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PinReport {
    /// The case's id; `id#2` for the second rule that a case quotes.
    pub id: String,
    /// `file:line:column` of the quote, as it was before.
    pub place: String,
    pub quote: String,
    pub outcome: PinOutcome,
    /// The rule's opposite, where there is one.
    pub inverted: Option<String>,
    /// The helper model that worded it.
    pub made_by: Option<String>,
    /// Why it is not written.
    pub reason: Option<String>,
    /// The helper model that a run would ask for it.
    pub would_ask: Option<String>,
    /// What to paste below the quote, or into its braces.
    pub paste: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PinOutcome {
    /// Written into the case's file.
    Pinned,
    /// The case has one, which is never overwritten.
    Kept,
    /// There is no opposite to be written.
    Refused,
    /// There is one, but the file can't be edited safely: it is left as it is.
    ByHand,
}
