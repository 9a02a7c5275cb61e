//! Intervals for a pass rate.
//!
//! Both have a width whatever was seen: three passes of three trials don't prove that the next one passes.

use statrs::distribution::{Beta, ContinuousCDF, Normal};

use super::tally::Tally;

/// Where a pass rate may lie, given what was seen: `low` < `high`, both 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Nothing is known.
    const ALL: Self = Self { low: 0.0, high: 1.0 };
}

/// Confidence levels stay where both intervals can be computed and have a width.
pub(super) fn tail(level: f64) -> f64 {
    let level = if level.is_nan() { 0.95 } else { level.clamp(0.01, 0.999_999) };
    (1.0 - level) / 2.0
}

/// Wilson's score interval: all rates that a normal test at this level would not reject. On average it covers the true
/// rate as often as `level` says, a little less at some rates. (E. B. Wilson, "Probable inference, the law of
/// succession, and statistical inference", Journal of the American Statistical Association 22, 1927.)
///
/// `level` is the confidence, such as 0.95; it is kept within 0.01 to 0.999999. Without a trial the interval is 0 to 1.
#[must_use]
pub fn wilson(tally: Tally, level: f64) -> Interval {
    let Some(rate) = tally.rate() else { return Interval::ALL };
    score(rate, tally.trials as f64, level)
}

/// [`wilson`] of a share of `n` trials that need not be a whole number of passes; `n` is above 0.
pub(super) fn score(rate: f64, n: f64, level: f64) -> Interval {
    let z = Normal::standard().inverse_cdf(1.0 - tail(level));
    let shrink = 1.0 + z * z / n;
    let middle = (rate + z * z / (2.0 * n)) / shrink;
    let half = z / shrink * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    Interval {
        // At the ends the formula gives exactly 0 and 1, but for the last digits.
        low: if rate == 0.0 { 0.0 } else { (middle - half).max(0.0) },
        high: if rate == 1.0 { 1.0 } else { (middle + half).min(1.0) },
    }
}

/// The exact interval: all rates that an exact binomial test at this level would not reject. It covers the true rate
/// at least as often as `level` says, and is wider for it. (C. J. Clopper and E. S. Pearson, "The use of confidence or
/// fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934.)
///
/// `level` and an empty tally as in [`wilson`].
#[must_use]
pub fn clopper_pearson(tally: Tally, level: f64) -> Interval {
    let (passes, fails) = (tally.passes as f64, tally.trials.saturating_sub(tally.passes) as f64);
    let tail = tail(level);
    let quantile = |a: f64, b: f64, chance: f64| Beta::new(a, b).ok().map(|beta| beta.inverse_cdf(chance));
    // Beta with a parameter 0 has no quantile: there the interval reaches its end.
    Interval {
        low: quantile(passes, fails + 1.0, tail).unwrap_or(0.0),
        high: quantile(passes + 1.0, fails, 1.0 - tail).unwrap_or(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passes: usize, trials: usize) -> Tally {
        Tally { passes, trials }
    }

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() < within, "{a} is not {b}");
    }

    #[test]
    fn wilson_of_few_flawless_trials_reaches_far_down() {
        for (n, low) in [(1, 0.2065), (3, 0.4385), (10, 0.7225)] {
            let interval = wilson(tally(n, n), 0.95);
            close(interval.low, low, 5e-4);
            assert_eq!(interval.high, 1.0);
            let mirrored = wilson(tally(0, n), 0.95);
            close(mirrored.high, 1.0 - low, 5e-4);
            assert_eq!(mirrored.low, 0.0);
        }
    }

    #[test]
    fn wilson_has_the_ends_that_decide_a_gate() {
        for ((passes, trials), (low, high)) in [
            ((8, 10), (0.4902, 0.9433)),
            ((3, 10), (0.1078, 0.6032)),
            ((95, 100), (0.8882, 0.9785)),
            ((80, 90), (0.8074, 0.9385)),
            ((147, 198), (0.6773, 0.7983)),
        ] {
            let interval = wilson(tally(passes, trials), 0.95);
            close(interval.low, low, 5e-5);
            close(interval.high, high, 5e-5);
        }
    }

    #[test]
    fn the_same_drop_is_outside_the_interval_of_many_trials_and_inside_that_of_few() {
        let before = 0.755;
        let many = wilson(tally(705, 1000), 0.95);
        close(many.high, 0.7324, 5e-5);
        assert!(many.high < before);
        let few = wilson(tally(7, 10), 0.95);
        close(few.high, 0.8922, 5e-5);
        assert!(few.low < before && before < few.high);
    }

    #[test]
    fn clopper_pearson_has_the_ends_of_the_printed_tables() {
        let half = clopper_pearson(tally(5, 10), 0.95);
        close(half.low, 0.1871, 5e-4);
        close(half.high, 0.8129, 5e-4);
        // Without a fail the lower end is the n-th root of the tail.
        let flawless = clopper_pearson(tally(3, 3), 0.95);
        close(flawless.low, 0.025f64.powf(1.0 / 3.0), 1e-6);
        assert_eq!(flawless.high, 1.0);
    }

    #[test]
    fn no_interval_has_zero_width_and_each_holds_what_was_seen() {
        for trials in 1..=100 {
            for passes in 0..=trials {
                for level in [f64::NAN, -1.0, 0.0, 0.5, 0.95, 1.0] {
                    for interval in [wilson, clopper_pearson].map(|of| of(tally(passes, trials), level)) {
                        let rate = passes as f64 / trials as f64;
                        assert!(interval.low < interval.high, "{passes}/{trials} at {level}: {interval:?}");
                        assert!(interval.low <= rate + 1e-9 && rate <= interval.high + 1e-9, "{interval:?}");
                        assert!(interval.low >= 0.0 && interval.high <= 1.0);
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_known_without_a_trial() {
        assert_eq!(wilson(tally(0, 0), 0.95), Interval::ALL);
        assert_eq!(clopper_pearson(tally(0, 0), 0.95), Interval::ALL);
    }

    #[test]
    fn clopper_pearson_covers_every_rate_at_least_as_often_as_promised() {
        let n = 12;
        for step in 1..200 {
            let p = f64::from(step) / 200.0;
            let covered: f64 = (0..=n)
                .filter(|&x| {
                    let interval = clopper_pearson(tally(x, n), 0.9);
                    interval.low <= p && p <= interval.high
                })
                .map(|x| {
                    let ways: f64 = (0..x).map(|i| (n - i) as f64 / (x - i) as f64).product();
                    ways * p.powi(x as i32) * (1.0 - p).powi((n - x) as i32)
                })
                .sum();
            assert!(covered >= 0.9, "{covered} at {p}");
        }
    }
}
