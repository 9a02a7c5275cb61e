//! What the study hands to a report: every figure and every sentence is decided here, a report only lays it out.

use schemars::JsonSchema;
use serde::Serialize;

use super::Verdict;
use crate::mutators::input::TextEdit;
use crate::studies::{GateStanding, Report};

/// The result of `mutate inputs`.
pub type InputsReport = Report<CaseReport, InputsOwn>;

/// What only this study's result has.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct InputsOwn {
    pub design: DesignLine,
    /// The mean over the cases of the share of variants whose first trial agrees with the original's usual outcome.
    pub consistency: Option<MeanReport>,
    /// The same of the checks on tool calls alone; null where no case has any.
    pub tool_consistency: Option<MeanReport>,
    /// The mean over the cases of how often the original agrees with itself: what no phrasing is to blame for.
    pub self_agreement: Option<MeanReport>,
    /// The same means by kind of mutator.
    pub by_kind: Vec<KindMean>,
    /// The kind with the lowest mean below 1.
    pub worst_kind: Option<String>,
    /// Adversarial variants, scored apart: they are in no other figure and in no verdict.
    pub adversarial: Option<MeanReport>,
    /// `gates.consistency_min` and how it stands; null where it is not set.
    pub gate: Option<GateReport>,
    /// To how many cases each mutator applied.
    pub mutators: Vec<MutatorReport>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DesignLine {
    /// The chance of blaming the phrasing where it does not matter.
    pub alpha: f64,
    /// Confidence of all intervals.
    pub level: f64,
    /// Trials of the original where a verdict rests on its rate.
    pub reruns: usize,
}

/// A mean over cases, each with the same weight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct MeanReport {
    pub mean: f64,
    /// Bootstrap over cases.
    pub low: f64,
    pub high: f64,
    pub cases: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KindMean {
    pub kind: String,
    pub variants: usize,
    #[serde(flatten)]
    pub consistency: MeanReport,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct GateReport {
    pub consistency_min: f64,
    pub standing: GateStanding,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MutatorReport {
    pub name: String,
    /// Cases that have a variant of it.
    pub applied: usize,
    /// Cases that were asked for one.
    pub of: usize,
    pub variants: usize,
    /// Why it applied to none, where that is so.
    pub reason: Option<String>,
    /// It is for other languages than those of the inputs.
    pub other_language: bool,
}

/// One case under other phrasings.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CaseReport {
    pub id: String,
    /// `file:line:column` of the case.
    pub place: String,
    pub input: String,
    pub verdict: Verdict,
    /// The kinds that break a sensitive case.
    pub kinds: Vec<String>,
    /// What the verdict rests on or lacks, with its counts.
    pub reason: Option<String>,
    /// What to do next.
    pub advice: String,
    /// True where the verdict is a finding under the suite's gates and is not accepted.
    pub finding: bool,
    /// The reason that the suite gives for living with this finding.
    pub accepted: Option<String>,
    /// First trials of variants that agree with the original's usual outcome.
    pub consistency: ShareReport,
    /// The same of the checks on tool calls alone; no trials where there are none.
    pub tool_consistency: ShareReport,
    pub original: OriginalReport,
    pub by_kind: Vec<KindReport>,
    /// The kind with the lowest consistency below 1.
    pub worst_kind: Option<String>,
    /// The adversarial kinds, scored apart.
    pub adversarial: Vec<KindReport>,
    /// The chance of evidence this strong where the phrasing does not matter; null where no test was reached.
    pub p_value: Option<f64>,
    /// The same, adjusted for the number of cases (Benjamini-Hochberg).
    pub q_value: Option<f64>,
    /// The assertions that fell in any trial of the original or of a variant, adversarial ones left out.
    pub fell: Vec<FallReport>,
    /// How many trials of these could be judged.
    pub assessed: usize,
    pub variants: Vec<VariantReport>,
    pub shortfalls: Vec<ShortfallReport>,
    /// Mutators that can't change this input.
    pub not_applicable: Vec<NotApplicable>,
    /// What a person should know of the variants.
    pub notes: Vec<String>,
    /// Trials that this verdict rests on, reused ones and errors among them.
    pub calls: usize,
}

/// A share of trials with the interval in which the rate may lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct ShareReport {
    pub agree: usize,
    pub trials: usize,
    /// Wilson's interval; 0 to 1 without a trial.
    pub low: f64,
    pub high: f64,
}

/// The noise floor: the original against itself.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OriginalReport {
    pub passes: usize,
    pub trials: usize,
    pub errors: usize,
    /// Trials that agree with the usual outcome.
    pub agreement: ShareReport,
    /// The number of repeats of `pass_hat_k`.
    pub k: usize,
    /// The chance that k repeats all pass, C(passes, k) / C(trials, k); null with fewer than k trials.
    pub pass_hat_k: Option<f64>,
    /// The assertions that fell.
    pub fell: Vec<FallReport>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KindReport {
    pub kind: String,
    pub variants: usize,
    pub consistency: ShareReport,
    /// Of all trials, reruns of variants that failed among them.
    pub passes: usize,
    pub trials: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VariantReport {
    /// `case/mutator/hash of the text`: the same in every list, report and file.
    pub id: String,
    pub mutator: String,
    pub kind: String,
    pub text: String,
    pub edits: Vec<TextEdit>,
    pub passes: usize,
    pub trials: usize,
    pub errors: usize,
    /// Its first trial failed and, where it was run again, most of the trials after it.
    pub failing: bool,
    /// The assertions that fell.
    pub fell: Vec<FallReport>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FallReport {
    pub assertion: String,
    /// The check in a few words.
    pub check: String,
    /// `file:line:column` of the assertion.
    pub place: String,
    /// Trials in which it fell.
    pub trials: usize,
    /// What it said of the first of them.
    pub evidence: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ShortfallReport {
    pub mutator: String,
    pub wanted: usize,
    pub made: usize,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NotApplicable {
    pub mutator: String,
    pub reason: String,
    /// It is for other languages than the input's.
    pub other_language: bool,
}

/// One variant as `mutate inputs --list --format json` and `--export jsonl` print it; other tools build on it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ListedVariant {
    /// `case/mutator/hash of the text`.
    pub id: String,
    pub case: String,
    pub mutator: String,
    pub kind: String,
    pub text: String,
    /// What differs from the case's input, ascending; bytes of the input.
    pub edits: Vec<TextEdit>,
}
