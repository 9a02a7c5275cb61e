//! Log likelihood ratios of two binomial arms: how strongly do the counts speak against a hypothesis?
//!
//! With `x` of `a` passes in the baseline and `y` of `b` in the mutant, the log likelihood of pass rates `p` and `q` is
//! `l(p, q) = x ln p + (a - x) ln(1 - p) + y ln q + (b - y) ln(1 - q)`. The evidence against a set H of pairs is
//! `sup l - sup over H of l`: 0 where the best explanation lies in H, and growing with the distance from it.
//! (S. S. Wilks, "The large-sample distribution of the likelihood ratio for testing composite hypotheses",
//! Annals of Mathematical Statistics 9, 1938. Only the statistic is his: thresholds here are exact, not asymptotic.)
//!
//! Counts are `f64`, since "what if the rates stay as seen" asks for counts that are no whole numbers.

/// Passes out of trials in one arm; both may be fractions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counts {
    pub passes: f64,
    pub trials: f64,
}

impl Counts {
    pub fn of(passes: usize, trials: usize) -> Self {
        Self { passes: passes as f64, trials: trials as f64 }
    }

    fn rate(self) -> f64 {
        self.passes / self.trials
    }

    fn failures(self) -> f64 {
        self.trials - self.passes
    }

    /// Log likelihood of the pass rate `p`; minus infinity where `p` rules out what was seen.
    fn log_likelihood(self, p: f64) -> f64 {
        let term = |count: f64, chance: f64| if count > 0.0 { count * chance.ln() } else { 0.0 };
        term(self.passes, p) + term(self.failures(), 1.0 - p)
    }

    /// Slope of the log likelihood in `p`, for 0 < p < 1.
    fn slope(self, p: f64) -> f64 {
        self.passes / p - self.failures() / (1.0 - p)
    }
}

/// Evidence for a kill: against "the mutant passes at least as often as the baseline" (q >= p).
pub(super) fn for_kill(baseline: Counts, mutant: Counts) -> f64 {
    if mutant.rate() >= baseline.rate() {
        return 0.0;
    }
    // The likelihood is concave, so its best point with q >= p has q = p: the pooled rate.
    let pooled = (baseline.passes + mutant.passes) / (baseline.trials + mutant.trials);
    distance(baseline, mutant, pooled, pooled)
}

/// Evidence for a survival: against "the pass rate dropped by at least `min_effect`" (p - q >= min_effect).
pub(super) fn for_survival(baseline: Counts, mutant: Counts, min_effect: f64) -> f64 {
    if baseline.rate() - mutant.rate() >= min_effect {
        return 0.0;
    }
    // Again the best point lies on the border, p = q + min_effect; there the slope in q falls from + to -.
    let (mut low, mut high) = (0.0, 1.0 - min_effect);
    for _ in 0..60 {
        let q = 0.5 * (low + high);
        if baseline.slope(q + min_effect) + mutant.slope(q) > 0.0 {
            low = q;
        } else {
            high = q;
        }
    }
    // The ends of the range are tried as they are: a flawless baseline has its best point exactly at p = 1.
    [0.0, 0.5 * (low + high), 1.0 - min_effect]
        .into_iter()
        .map(|q| distance(baseline, mutant, (q + min_effect).min(1.0), q))
        .fold(f64::INFINITY, f64::min)
}

/// How far the likelihood of (p, q) lies below the best one; never negative.
fn distance(baseline: Counts, mutant: Counts, p: f64, q: f64) -> f64 {
    let below = |arm: Counts, rate: f64| arm.log_likelihood(arm.rate()) - arm.log_likelihood(rate);
    (below(baseline, p) + below(mutant, q)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    #[test]
    fn a_clean_sweep_of_three_is_six_coin_flips_of_evidence() {
        close(for_kill(Counts::of(3, 3), Counts::of(0, 3)), 6.0 * 2f64.ln());
    }

    #[test]
    fn a_mutant_that_passes_more_often_gives_no_evidence_for_a_kill() {
        assert_eq!(for_kill(Counts::of(1, 3), Counts::of(2, 3)), 0.0);
        assert_eq!(for_kill(Counts::of(2, 3), Counts::of(2, 3)), 0.0);
    }

    #[test]
    fn two_flawless_arms_are_as_many_coin_flips_of_evidence_for_survival_as_the_mutant_has_trials() {
        close(for_survival(Counts::of(5, 5), Counts::of(5, 5), 0.5), 5.0 * 2f64.ln());
        close(for_survival(Counts::of(3, 3), Counts::of(5, 5), 0.5), 5.0 * 2f64.ln());
    }

    #[test]
    fn the_border_point_of_the_survival_evidence_is_the_best_of_a_fine_grid() {
        for (x, a, y, b, d) in [(7, 10, 6, 10, 0.5), (0, 4, 4, 4, 0.3), (3, 3, 7, 8, 0.5), (5, 20, 5, 20, 0.2)] {
            let (baseline, mutant) = (Counts::of(x, a), Counts::of(y, b));
            let best = (0..=100_000)
                .map(|i| (1.0 - d) * f64::from(i) / 1e5)
                .map(|q| distance(baseline, mutant, (q + d).min(1.0), q))
                .fold(f64::INFINITY, f64::min);
            assert!((for_survival(baseline, mutant, d) - best).abs() < 1e-6);
        }
    }

    #[test]
    fn a_drop_of_min_effect_gives_no_evidence_for_survival() {
        assert_eq!(for_survival(Counts::of(4, 4), Counts::of(2, 4), 0.5), 0.0);
    }

    #[test]
    fn evidence_moves_one_way_with_the_baseline_in_both_statistics() {
        // The guarantee rests on it: the worst pair of rates then lies on the border of the hypothesis.
        for n in [3, 7, 20] {
            for y in 0..=n {
                for x in 0..n {
                    let (less, more) = (Counts::of(x, n), Counts::of(x + 1, n));
                    let mutant = Counts::of(y, n);
                    assert!(for_kill(more, mutant) >= for_kill(less, mutant) - 1e-9);
                    assert!(for_survival(more, mutant, 0.3) <= for_survival(less, mutant, 0.3) + 1e-9);
                }
            }
        }
    }
}
