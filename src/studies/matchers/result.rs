//! What the study hands to a report: every figure and every sentence is decided here, a report only lays it out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::studies::{GateStanding, Report};

/// The result of `mutate matchers`.
pub type MatchersReport = Report<CaseReport, MatchersOwn>;

/// What only this study's result has.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MatchersOwn {
    /// Transcripts that were tried, over all cases.
    pub tried: usize,
    /// Judgements of an assertion on a transcript.
    pub judgements: usize,
    pub score: Score,
    /// `gates.caught_min` and how it stands; null where it is not set.
    pub gate: Option<CaughtGate>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct CaughtGate {
    pub caught_min: f64,
    pub standing: GateStanding,
}

/// Mutated transcripts that are wrong by what their case claims, and those of them that some assertion caught.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Score {
    pub caught: usize,
    pub applicable: usize,
}

impl Score {
    /// The share that was caught, 0 to 1; `None` where there was none to catch.
    pub fn share(self) -> Option<f64> {
        (self.applicable > 0).then(|| self.caught as f64 / self.applicable as f64)
    }
}

/// What is wrong with an assertion or a whole case, gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The whole case passes for an agent that says and does nothing.
    PassesOnSilence,
    /// Nothing that was tried made the assertion fail.
    CannotFail,
    /// Nothing recorded or constructed satisfied it.
    CannotPass,
    /// A program gives no answer on silence, so that a trial of which nothing came would be in no rate.
    CrashesOnSilence,
    /// The case passes on the transcript of the incident that it was made from.
    MissesIncident,
    /// The case fails on a transcript that it says must pass.
    FailsExample,
    /// The case passes on a wrong answer that resembles the right one, or on one to no question.
    Loose,
    /// It falls exactly when another assertion of the case does.
    Duplicate,
    /// It needs what the agent, or a recorded incident, does not report.
    NotAssessable,
    /// No transcript is known that satisfies it, so that near misses and mutants could not be tried: no finding, but the
    /// case was not assessed.
    Untested,
}

impl FindingKind {
    pub const ALL: [FindingKind; 10] = [
        FindingKind::PassesOnSilence,
        FindingKind::CannotFail,
        FindingKind::CannotPass,
        FindingKind::CrashesOnSilence,
        FindingKind::MissesIncident,
        FindingKind::FailsExample,
        FindingKind::Loose,
        FindingKind::Duplicate,
        FindingKind::NotAssessable,
        FindingKind::Untested,
    ];

    pub fn name(self) -> &'static str {
        match self {
            FindingKind::PassesOnSilence => "passes-on-silence",
            FindingKind::CannotFail => "cannot-fail",
            FindingKind::CannotPass => "cannot-pass",
            FindingKind::CrashesOnSilence => "crashes-on-silence",
            FindingKind::MissesIncident => "misses-incident",
            FindingKind::FailsExample => "fails-example",
            FindingKind::Loose => "loose",
            FindingKind::Duplicate => "duplicate",
            FindingKind::NotAssessable => "not-assessable",
            FindingKind::Untested => "untested",
        }
    }
}

/// The verdict of a case of which nothing is found.
pub const SOUND: &str = "sound";

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CaseReport {
    pub id: String,
    /// `file:line:column` of the case.
    pub place: String,
    pub provenance: String,
    /// The name of its gravest finding that is not accepted, or `sound`.
    pub verdict: &'static str,
    /// Gravest first, accepted ones among them.
    pub findings: Vec<FindingReport>,
    pub score: Score,
    /// From where the passing transcripts came that were mutated: `recorded`, `examples`, `constructed`, or `nothing`.
    pub mutated: &'static str,
    /// Wrong transcripts that no assertion caught. They show where the case looks away; by themselves they are no
    /// findings.
    pub survivors: Vec<SurvivorReport>,
    /// Transcripts that were tried.
    pub tried: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FindingReport {
    /// `case/assertion/kind`, for `accepted:` in `mutate.yaml`; `expect` where it is of the whole case.
    pub id: String,
    pub kind: FindingKind,
    /// The assertion's id; null where it is of the whole case.
    pub assertion: Option<String>,
    /// The check in a few words: `reply_mentions "30 days"`.
    pub check: String,
    /// `file:line:column` of the assertion, the example, the incident or the case.
    pub place: String,
    /// What was seen, in one sentence.
    pub because: String,
    pub fooled_by: Option<FooledBy>,
    /// A stricter check, in one sentence.
    pub proposal: String,
    /// The reason that the suite gives for living with it.
    pub accepted: Option<String>,
}

/// The transcript that shows it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FooledBy {
    /// The name of the probe, the near miss or the mutator.
    pub name: String,
    /// It in one line, for people.
    pub shown: String,
    /// As `mutate schema transcript` describes it.
    pub transcript: Value,
}

/// One mutated transcript that passes and should not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SurvivorReport {
    /// `case/mutator/hash of the transcript`.
    pub id: String,
    pub mutator: &'static str,
    /// The changed part as it was, and as it is now.
    pub before: String,
    pub after: String,
}
