//! Exact tests of one or two pass rates.
//!
//! Both sum the chances of everything that speaks at least as strongly as what was seen. A p-value is the chance of such
//! an outcome where the claim is wrong: a claim made at p <= alpha is wrong in at most alpha of all such cases.

use statrs::function::factorial::ln_binomial;

use super::tally::Tally;

/// The p-value of "`first` passes more often than `second`", against "at most as often".
///
/// Given that `s` of all `N = n1 + n2` trials passed, and were the rates equal, every choice of the `s` would be equally
/// likely; so `first` would have `x` passes with the chance `C(n1, x) C(n2, s - x) / C(N, s)`. The p-value is the sum of
/// these from what was seen upwards. (R. A. Fisher, "The design of experiments", 1935, the lady tasting tea: the exact
/// conditional test.) It holds at every common rate and for any numbers of trials; 1 where an arm has no trial.
#[must_use]
pub fn passes_more_often(first: Tally, second: Tally) -> f64 {
    let passes = first.passes + second.passes;
    let trials = first.trials + second.trials;
    let most = first.trials.min(passes);
    let all = ln_choose(trials, passes);
    let chance = |x: usize| (ln_choose(first.trials, x) + ln_choose(second.trials, passes - x) - all).exp();
    let fewest = passes.saturating_sub(second.trials);
    // From the bottom it is everything: said exactly, not as a sum of roundings.
    if first.passes <= fewest { 1.0 } else { (first.passes..=most).map(chance).sum::<f64>().min(1.0) }
}

/// The p-value of "the pass rate is at most `rate`", against "it is higher": the binomial chance of so few passes at just
/// this rate, `sum over x <= passes of C(n, x) rate^x (1 - rate)^(n - x)`.
///
/// It also holds for the mean rate where trials differ in their rates: below the mean, passes of unlike trials spread
/// less than those of like ones, so that the chance of so few is smaller still once they are more than one below what
/// is expected. (W. Hoeffding, "On the distribution of the number of successes in independent trials", Annals of
/// Mathematical Statistics 27, 1956.) 1 without a trial. `rate` is kept within 0 to 1.
#[must_use]
pub fn rate_at_most(rate: f64, seen: Tally) -> f64 {
    let rate = if rate.is_nan() { 1.0 } else { rate.clamp(0.0, 1.0) };
    if seen.passes >= seen.trials {
        return 1.0;
    }
    let power = |base: f64, count: usize| if count == 0 { 0.0 } else { count as f64 * base.ln() };
    let chance = |x: usize| (ln_choose(seen.trials, x) + power(rate, x) + power(1.0 - rate, seen.trials - x)).exp();
    (0..=seen.passes).map(chance).sum::<f64>().min(1.0)
}

/// ln C(n, k).
fn ln_choose(n: usize, k: usize) -> f64 {
    ln_binomial(n as u64, k as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passes: usize, trials: usize) -> Tally {
        Tally { passes, trials }
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn a_flawless_arm_against_one_without_a_pass_is_one_draw_of_all() {
        near(passes_more_often(tally(3, 3), tally(0, 3)), 1.0 / 20.0);
        near(passes_more_often(tally(5, 5), tally(0, 3)), 1.0 / 56.0);
        near(passes_more_often(tally(8, 8), tally(0, 10)), 1.0 / 43_758.0);
    }

    #[test]
    fn the_lady_who_gets_three_of_four_cups_right_has_shown_little() {
        near(passes_more_often(tally(3, 4), tally(1, 4)), 17.0 / 70.0);
    }

    #[test]
    fn an_arm_that_does_no_better_has_no_evidence() {
        assert_eq!(passes_more_often(tally(0, 5), tally(3, 3)), 1.0);
        assert_eq!(passes_more_often(tally(5, 5), tally(3, 3)), 1.0);
        assert_eq!(passes_more_often(tally(5, 5), tally(0, 0)), 1.0);
        assert_eq!(passes_more_often(tally(0, 0), tally(0, 0)), 1.0);
    }

    #[test]
    fn the_same_drop_is_evidence_in_many_trials_and_none_in_few() {
        // By counting: sums of C(1000, x) C(1000, 1460 - x) / C(2000, 1460), and C(10, x) C(10, 15 - x) / C(20, 15).
        assert!((passes_more_often(tally(755, 1000), tally(705, 1000)) - 0.0067737).abs() < 1e-6);
        near(passes_more_often(tally(8, 10), tally(7, 10)), 0.5);
    }

    #[test]
    fn the_chance_of_a_small_p_value_is_no_larger_than_it_says_at_any_common_rate() {
        let choose = |n: usize, k: usize| (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product::<f64>();
        let binomial = |n: usize, x: usize, p: f64| choose(n, x) * p.powi(x as i32) * (1.0 - p).powi((n - x) as i32);
        let (a, b) = (8, 10);
        for p in (0..=100).map(|step| f64::from(step) / 100.0) {
            for limit in [0.01, 0.045, 0.1] {
                let size: f64 = (0..=a)
                    .flat_map(|x| (0..=b).map(move |y| (x, y)))
                    .filter(|&(x, y)| passes_more_often(tally(x, a), tally(y, b)) <= limit)
                    .map(|(x, y)| binomial(a, x, p) * binomial(b, y, p))
                    .sum();
                assert!(size <= limit, "{size} at {p}");
            }
        }
    }

    #[test]
    fn few_passes_speak_for_a_rate_of_at_most_one_half() {
        near(rate_at_most(0.5, tally(0, 5)), 1.0 / 32.0);
        near(rate_at_most(0.5, tally(2, 10)), 56.0 / 1024.0);
        near(rate_at_most(0.1, tally(0, 2)), 0.81);
        assert_eq!(rate_at_most(0.5, tally(4, 4)), 1.0);
        assert_eq!(rate_at_most(0.5, tally(0, 0)), 1.0);
        assert_eq!(rate_at_most(1.0, tally(1, 4)), 0.0);
        near(rate_at_most(0.0, tally(0, 4)), 1.0);
    }
}
