//! Passes out of trials.

/// Passes out of valid trials in one arm. Errors are neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Trials that passed.
    pub passes: usize,
    /// Trials that passed or failed.
    pub trials: usize,
}

impl Tally {
    /// Counts outcomes; `true` is a pass.
    #[must_use]
    pub fn of(outcomes: &[bool]) -> Self {
        Self { passes: outcomes.iter().filter(|&&pass| pass).count(), trials: outcomes.len() }
    }

    /// True where at least half of the trials passed; an arm without a trial did not.
    #[must_use]
    pub fn mostly_passes(self) -> bool {
        self.trials > 0 && 2 * self.passes >= self.trials
    }

    /// The share of trials that passed, 0 to 1; `None` without a trial.
    #[must_use]
    pub fn rate(self) -> Option<f64> {
        (self.trials > 0).then(|| self.passes as f64 / self.trials as f64)
    }
}

/// The chance that `k` trials, drawn from these without putting any back, all pass: pass^k, the reliability over k
/// repeats. C(c, k) / C(n, k) with c passes of n trials is its unbiased estimate (S. Yao et al., "τ-bench", 2024;
/// the counterpart of pass@k). `None` where there are fewer than `k` trials.
#[must_use]
pub fn pass_hat_k(tally: Tally, k: usize) -> Option<f64> {
    let Tally { passes, trials } = tally;
    (k <= trials && passes <= trials)
        .then(|| (0..k).map(|drawn| passes.saturating_sub(drawn) as f64 / (trials - drawn) as f64).product())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passes: usize, trials: usize) -> Tally {
        Tally { passes, trials }
    }

    #[test]
    fn an_arm_without_a_trial_has_no_rate() {
        assert_eq!(tally(0, 0).rate(), None);
        assert_eq!(tally(3, 4).rate(), Some(0.75));
    }

    #[test]
    fn half_of_the_trials_is_mostly() {
        assert!(tally(3, 6).mostly_passes());
        assert!(!tally(2, 5).mostly_passes());
        assert!(!tally(0, 0).mostly_passes());
    }

    #[test]
    fn outcomes_are_counted() {
        assert_eq!(Tally::of(&[true, false, true]), tally(2, 3));
    }

    #[test]
    fn pass_hat_k_counts_the_draws_that_all_pass() {
        // Of the 10 ways to draw 2 of 5, C(3, 2) = 3 have passes only.
        assert!((pass_hat_k(tally(3, 5), 2).unwrap() - 0.3).abs() < 1e-12);
        // C(3, 2) / C(4, 2): not (3 / 4)^2, which puts each trial back.
        assert_eq!(pass_hat_k(tally(3, 4), 2), Some(0.5));
        assert_eq!(pass_hat_k(tally(3, 5), 1), Some(0.6));
        assert_eq!(pass_hat_k(tally(1, 5), 2), Some(0.0));
        assert_eq!(pass_hat_k(tally(5, 5), 5), Some(1.0));
    }

    #[test]
    fn pass_hat_k_says_nothing_of_more_repeats_than_there_are_trials() {
        assert_eq!(pass_hat_k(tally(3, 3), 4), None);
        assert_eq!(pass_hat_k(tally(0, 0), 1), None);
    }
}
