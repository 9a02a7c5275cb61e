use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KindScore, SelfAgreement, Share};

/// What is known of one case under other phrasings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No trial failed, of the original or of any variant.
    Robust,
    /// The phrasing moves the pass rate; the finding names the kinds that break it.
    Sensitive,
    /// The original passes, its variants do not: the case has memorised a sentence.
    SinglePhrasing,
    /// Trials fail, and trial noise explains which.
    Flaky,
    /// The original does not pass as it is written.
    BaselineFailing,
    /// Budget or trials ran out before the question was settled, or no variant could be made.
    Unproven,
    /// The agent could not be asked.
    Error,
}

impl Verdict {
    pub const ALL: [Verdict; 7] = [
        Verdict::Robust,
        Verdict::Sensitive,
        Verdict::SinglePhrasing,
        Verdict::Flaky,
        Verdict::BaselineFailing,
        Verdict::Unproven,
        Verdict::Error,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Robust => "robust",
            Verdict::Sensitive => "sensitive",
            Verdict::SinglePhrasing => "single-phrasing",
            Verdict::Flaky => "flaky",
            Verdict::BaselineFailing => "baseline-failing",
            Verdict::Unproven => "unproven",
            Verdict::Error => "error",
        }
    }

    /// Does it claim that the phrasing matters? These are the verdicts whose error alpha limits.
    pub fn blames_the_phrasing(self) -> bool {
        matches!(self, Verdict::Sensitive | Verdict::SinglePhrasing)
    }
}

/// The verdict of one case with what it rests on. Numbers of variants are those of the setup, from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub verdict: Verdict,
    /// The kinds that break a sensitive case, in the order of the setup. None where the original is what is worse.
    pub kinds: Vec<String>,
    /// First trials of the variants that agree with the original's usual outcome; adversarial ones are left out.
    pub consistency: Share,
    /// The same for the tool checks alone; no trials where there are none.
    pub tool_consistency: Share,
    /// Each kind that is no adversarial one, in the order of the setup.
    pub by_kind: Vec<KindScore>,
    /// The adversarial kinds, scored apart.
    pub adversarial: Vec<KindScore>,
    /// Variants that fail: their first trial and, where they were run again, most of the trials after it. Adversarial
    /// ones among them.
    pub failing: Vec<usize>,
    /// Variants that were asked, and from which no trial could be assessed.
    pub unassessed: Vec<usize>,
    pub self_agreement: SelfAgreement,
    /// The chance of evidence this strong where the phrasing does not matter; for the adjustment over a suite. `None`
    /// where no test was reached.
    pub p_value: Option<f64>,
    /// What the verdict rests on or lacks, in a few words with its counts.
    pub reason: Option<String>,
}

impl Finding {
    /// The kind with the lowest consistency below 1, the first of several; no adversarial one.
    pub fn worst_kind(&self) -> Option<&KindScore> {
        let rate = |score: &&KindScore| score.consistency.tally.rate().filter(|rate| *rate < 1.0);
        self.by_kind
            .iter()
            .filter(|score| rate(score).is_some())
            .min_by(|a, b| rate(a).unwrap_or(1.0).total_cmp(&rate(b).unwrap_or(1.0)))
    }
}
