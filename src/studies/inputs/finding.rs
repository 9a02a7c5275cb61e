//! What was measured, whatever the verdict.

use crate::stats::{Interval, Tally, wilson};

/// A share with the interval in which it may lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Trials that count for it, and all that were assessed.
    pub tally: Tally,
    /// Wilson's; 0 to 1 without a trial.
    pub interval: Interval,
}

impl Share {
    /// `level` is the confidence of the interval.
    pub fn of(tally: Tally, level: f64) -> Share {
        Share { tally, interval: wilson(tally, level) }
    }

    /// How many of these outcomes are the `usual` one.
    pub(super) fn agreeing(outcomes: &[bool], usual: Option<bool>, level: f64) -> Share {
        let Some(usual) = usual else { return Share::of(Tally::default(), level) };
        let passes = outcomes.iter().filter(|one| **one == usual).count();
        Share::of(Tally { passes, trials: outcomes.len() }, level)
    }
}

/// One kind of variants.
#[derive(Debug, Clone, PartialEq)]
pub struct KindScore {
    pub kind: String,
    /// Variants of this kind that the case has.
    pub variants: usize,
    /// First trials that agree with the original's usual outcome.
    pub consistency: Share,
    /// Passes of all trials, reruns of variants that failed among them.
    pub passes: Tally,
}

/// How the original agrees with itself: the noise that no phrasing is to blame for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelfAgreement {
    pub passes: Tally,
    /// Trials that agree with the usual outcome.
    pub agreement: Share,
    /// The number of repeats of `pass_hat`: the first reruns, which each case has.
    pub k: usize,
    /// pass^k, the chance that k repeats all pass; `None` with fewer than k trials.
    pub pass_hat: Option<f64>,
}

/// The outcome of most trials; a tie counts as the pass that the case asks for. `None` without a trial.
pub(super) fn usual(outcomes: &[bool]) -> Option<bool> {
    let seen = Tally::of(outcomes);
    (seen.trials > 0).then_some(seen.passes * 2 >= seen.trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_outcome_is_that_of_most_trials() {
        assert_eq!(usual(&[true, false, false]), Some(false));
        assert_eq!(usual(&[true, false]), Some(true));
        assert_eq!(usual(&[]), None);
    }

    #[test]
    fn agreement_counts_fails_where_the_original_usually_fails() {
        let share = Share::agreeing(&[false, false, true], Some(false), 0.95);
        assert_eq!(share.tally, Tally { passes: 2, trials: 3 });
        assert_eq!(Share::agreeing(&[true], None, 0.95).tally, Tally::default());
    }
}
