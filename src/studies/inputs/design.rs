use thiserror::Error;

use super::tree::{MOST, SOME};
use crate::stats::{Tally, passes_more_often};

/// The largest numbers of trials that a design may ask for.
const LARGEST: usize = 100;
/// No variant is confirmed by more trials than this.
const MOST_FRESH: usize = 10;

/// What is promised about a case's verdict, and how many trials it may cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// The largest chance that *sensitive* or *single-phrasing* is said of a case whose phrasing does not matter: above
    /// 0, at most 0.5.
    pub alpha: f64,
    /// Trials of the original before any variant is run; without a pass among them it is *baseline-failing*. 1 to 100.
    pub first_reruns: usize,
    /// Trials of the original where a verdict rests on its rate: 5 to 100, and at least `first_reruns`.
    pub reruns: usize,
    /// How many variants are screened before it is asked whether most fail: 3 to 100.
    pub screen: usize,
    /// The least number of fresh variant trials where most failed: 3 to 100.
    pub confirm: usize,
    /// The share of its trials that the original of a *single-phrasing* case must pass: above 0.5, at most 1.
    pub reliable: f64,
    /// Confidence of all intervals, such as 0.95: 0.5 to 0.9999.
    pub level: f64,
}

impl Default for Design {
    fn default() -> Design {
        Design { alpha: 0.05, first_reruns: 3, reruns: 8, screen: 6, confirm: 10, reliable: 0.75, level: 0.95 }
    }
}

/// A design that makes no sense, or that could never show anything.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DesignError {
    /// A share is outside of its range.
    #[error("{name} is {value}, but must be {range}")]
    Share {
        /// The field.
        name: &'static str,
        /// As given.
        value: f64,
        /// In words.
        range: &'static str,
    },
    /// A number of trials is outside of its range.
    #[error("{name} is {value}, but must be {least} to {LARGEST}")]
    Count {
        /// The field.
        name: &'static str,
        /// As given.
        value: usize,
        /// The smallest that is allowed.
        least: usize,
    },
    /// No outcome of these trials is as unlikely as alpha asks for.
    #[error(
        "alpha is {alpha}: {reruns} trials of the original and {confirm} of the variants are too few to show anything; raise alpha"
    )]
    NeverShown {
        /// As given.
        alpha: f64,
        /// As given.
        reruns: usize,
        /// As given.
        confirm: usize,
    },
}

impl Design {
    /// Are all values in range, and can every verdict be reached?
    ///
    /// # Errors
    /// [`DesignError`] names the value, its range and what to do.
    pub fn check(&self) -> Result<(), DesignError> {
        let share = |name, value: f64, good: bool, range| match good {
            true => Ok(()),
            false => Err(DesignError::Share { name, value, range }),
        };
        let (alpha, reliable, level) = (self.alpha, self.reliable, self.level);
        share("alpha", alpha, alpha > 0.0 && alpha <= 0.5, "above 0 and at most 0.5")?;
        share("reliable", reliable, reliable > 0.5 && reliable <= 1.0, "above 0.5 and at most 1")?;
        share("level", level, (0.5..=0.9999).contains(&level), "0.5 to 0.9999")?;
        for (name, value, least) in [
            ("first_reruns", self.first_reruns, 1),
            ("reruns", self.reruns, self.first_reruns.max(5)),
            ("screen", self.screen, 3),
            ("confirm", self.confirm, 3),
        ] {
            if !(least..=LARGEST).contains(&value) {
                return Err(DesignError::Count { name, value, least });
            }
        }
        let all_shown = self.clearest(self.confirm) <= MOST * alpha
            && 0.5f64.powi(self.confirm as i32) <= alpha
            && self.smallest_fresh(2).is_some();
        let Design { reruns, confirm, .. } = *self;
        if all_shown { Ok(()) } else { Err(DesignError::NeverShown { alpha, reruns, confirm }) }
    }

    /// Fresh trials of each variant, where so many of them failed. One or two get one more, so that a stray pass does not
    /// hide them; many speak together.
    pub(super) fn fresh_each(&self, failed: usize) -> usize {
        let fewest = self.smallest_fresh(failed.min(2)).unwrap_or(MOST_FRESH);
        match failed {
            ..=2 => fewest + 1,
            3 | 4 => fewest,
            _ => fewest.max(3) - 1,
        }
    }

    /// The fewest fails that show a drop from a flawless original, where it is one of so many comparisons; at least 3.
    fn smallest_fresh(&self, comparisons: usize) -> Option<usize> {
        (3..=MOST_FRESH).find(|&fails| 2.0 * comparisons as f64 * self.clearest(fails) <= SOME * self.alpha)
    }

    /// The p-value of a flawless original against so many fails.
    fn clearest(&self, fails: usize) -> f64 {
        passes_more_often(Tally { passes: self.reruns, trials: self.reruns }, Tally { passes: 0, trials: fails })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_design_is_sound_and_so_are_stricter_alphas() {
        for alpha in [0.5, 0.1, 0.05, 0.01, 0.001] {
            assert_eq!(Design { alpha, ..Design::default() }.check(), Ok(()), "{alpha}");
        }
    }

    #[test]
    fn a_stricter_alpha_asks_for_more_fresh_trials() {
        let fresh = |alpha: f64| [1, 2, 4, 5].map(|failed| Design { alpha, ..Design::default() }.fresh_each(failed));
        assert_eq!(fresh(0.05), [4, 4, 3, 2]);
        assert_eq!(fresh(0.01), [5, 5, 4, 3]);
    }

    #[test]
    fn a_value_out_of_range_is_named_with_its_range() {
        let d = Design::default();
        for (design, message) in [
            (Design { alpha: 0.0, ..d.clone() }, "alpha is 0, but must be above 0 and at most 0.5"),
            (Design { alpha: f64::NAN, ..d.clone() }, "alpha is NaN, but must be above 0 and at most 0.5"),
            (Design { reliable: 0.5, ..d.clone() }, "reliable is 0.5, but must be above 0.5 and at most 1"),
            (Design { level: 1.0, ..d.clone() }, "level is 1, but must be 0.5 to 0.9999"),
            (Design { first_reruns: 0, ..d.clone() }, "first_reruns is 0, but must be 1 to 100"),
            (Design { reruns: 4, ..d.clone() }, "reruns is 4, but must be 5 to 100"),
            (Design { first_reruns: 9, ..d.clone() }, "reruns is 8, but must be 9 to 100"),
            (Design { screen: 2, ..d.clone() }, "screen is 2, but must be 3 to 100"),
            (Design { confirm: 101, ..d.clone() }, "confirm is 101, but must be 3 to 100"),
        ] {
            assert_eq!(design.check().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn a_design_that_could_never_show_anything_says_what_to_raise() {
        let message = Design { alpha: 1e-6, ..Design::default() }.check().unwrap_err().to_string();
        assert!(message.starts_with("alpha is 0.000001: 8 trials of the original and 10 of the variants"), "{message}");
        assert!(Design { confirm: 4, ..Design::default() }.check().is_err(), "no rate of 1/2 can be excluded by 4");
    }
}
