//! How sure is the mean over a suite's cases?

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::interval::{Interval, score};

/// How often the cases are drawn.
const RESAMPLES: usize = 10_000;

/// Where the mean of `shares` may lie, if other cases of the same sort had been written: the percentile bootstrap.
///
/// As many cases as there are, are drawn from them with repeats, 10,000 times; the interval holds the middle `level` of
/// the means. Cases are drawn whole, since the trials of one case are not independent. (B. Efron, "Bootstrap methods:
/// another look at the jackknife", Annals of Statistics 7, 1979.) Draws are the same for the same `seed`.
///
/// Where all shares are the same, every draw is the same and the bootstrap would claim to be sure. Then it is Wilson's
/// interval with each case as one trial: three perfect cases don't prove that the fourth is. `level` as in
/// [`wilson`](super::wilson); shares are 0 to 1. `None` without a case, or where a share is no number.
#[must_use]
pub fn bootstrap_mean(shares: &[f64], level: f64, seed: u64) -> Option<Interval> {
    let first = *shares.first()?;
    if shares.iter().any(|share| share.is_nan()) {
        return None;
    }
    let count = shares.len();
    if shares.iter().all(|share| *share == first) {
        return Some(score(first.clamp(0.0, 1.0), count as f64, level));
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| (0..count).map(|_| shares[random.random_range(0..count)]).sum::<f64>() / count as f64)
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    let tail = super::interval::tail(level);
    let at = |share: f64| means[((share * RESAMPLES as f64) as usize).min(RESAMPLES - 1)];
    Some(Interval { low: at(tail), high: at(1.0 - tail) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Tally, wilson};

    #[test]
    fn the_interval_of_a_large_suite_is_that_of_the_normal_approximation() {
        let shares: Vec<f64> = (0..400).map(|at| f64::from(at % 4) / 4.0).collect();
        let interval = bootstrap_mean(&shares, 0.95, 1).unwrap();
        // Mean 0.375, standard deviation sqrt(5) / 8, divided by 20.
        let half = 1.96 * 5f64.sqrt() / 8.0 / 20.0;
        assert!((interval.low - (0.375 - half)).abs() < 0.002, "{interval:?}");
        assert!((interval.high - (0.375 + half)).abs() < 0.002, "{interval:?}");
    }

    #[test]
    fn the_same_seed_draws_the_same() {
        let shares = [1.0, 0.5, 0.75, 1.0, 0.0];
        assert_eq!(bootstrap_mean(&shares, 0.95, 7), bootstrap_mean(&shares, 0.95, 7));
        assert_ne!(bootstrap_mean(&shares, 0.5, 7), bootstrap_mean(&shares, 0.95, 7));
    }

    #[test]
    fn a_suite_of_perfect_cases_is_not_proven_perfect() {
        let interval = bootstrap_mean(&[1.0; 3], 0.95, 1).unwrap();
        assert_eq!(interval, wilson(Tally { passes: 3, trials: 3 }, 0.95));
        let alike = bootstrap_mean(&[0.5; 4], 0.95, 1).unwrap();
        assert_eq!(alike, wilson(Tally { passes: 2, trials: 4 }, 0.95));
    }

    #[test]
    fn without_a_case_nothing_is_said() {
        assert_eq!(bootstrap_mean(&[], 0.95, 1), None);
        assert_eq!(bootstrap_mean(&[0.5, f64::NAN], 0.95, 1), None);
    }
}
