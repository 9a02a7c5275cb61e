//! What is promised by a comparison of two arms, and which promises can be kept.

use thiserror::Error;

use super::sequential::{Allocation, Boundary, SequentialTest};

/// The largest cap that a design may ask for: trials in each arm.
pub const LARGEST_CAP: usize = 100;

/// Numbers of valid trials an arm after which a decision may be taken.
const LADDER: [usize; 16] = [3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100];

/// What is promised about a verdict, and how many trials it may cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// The largest chance of a false kill: "killed" although the mutant passes at least as often as the baseline.
    /// Above 0, at most 0.5. It is shared by all comparisons that one answer rests on.
    pub alpha: f64,
    /// The largest chance of a false "survived": said although the pass rate dropped by `min_effect` or more.
    /// Above 0, at most 0.5.
    pub beta: f64,
    /// The drop in the pass rate that must not be overlooked: above 0, at most 1 (0.5 = from 90 % to 40 %).
    pub min_effect: f64,
    /// The most valid trials that are spent in one arm, 3 to 100. Errors are not trials.
    pub max_trials_per_arm: usize,
}

impl Default for Design {
    fn default() -> Self {
        Self { alpha: 0.05, beta: 0.05, min_effect: 0.5, max_trials_per_arm: 20 }
    }
}

/// A design that promises what can't be kept, or that makes no sense.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DesignError {
    /// `alpha` is outside of its range.
    #[error(
        "alpha is {0}, but must be above 0 and at most 0.5: it is the largest chance of a false kill; 0.05 is usual"
    )]
    Alpha(f64),
    /// `beta` is outside of its range.
    #[error(
        "beta is {0}, but must be above 0 and at most 0.5: it is the largest chance of a false \"survived\"; 0.05 is usual"
    )]
    Beta(f64),
    /// `min_effect` is outside of its range.
    #[error(
        "min_effect is {0}, but must be above 0 and at most 1: it is the drop in the pass rate that must be noticed; 0.5 is usual"
    )]
    MinEffect(f64),
    /// `max_trials_per_arm` is outside of its range.
    #[error("max_trials_per_arm is {0}, but must be 3 to 100; 20 is usual")]
    Cap(usize),
    /// Alpha can't be split over no comparison.
    #[error("alpha is split over 0 comparisons, but there must be at least 1")]
    NoComparison,
    /// No number of passes would ever be "killed".
    #[error(
        "max_trials_per_arm is {cap}: too few for any \"killed\" at alpha {alpha}{}; {}",
        shared(*comparisons),
        remedy(*smallest, "alpha")
    )]
    NeverKilled {
        /// The cap that was asked for.
        cap: usize,
        /// Alpha as given, before it is split.
        alpha: f64,
        /// Over how many comparisons alpha is split.
        comparisons: usize,
        /// The smallest cap that works, when one does.
        smallest: Option<usize>,
    },
    /// Two arms without a single failure would never be "survived".
    #[error(
        "max_trials_per_arm is {cap}: too few for any \"survived\" at beta {beta} and min_effect {min_effect}, even of two flawless arms; {}",
        remedy(*smallest, "beta or min_effect")
    )]
    NeverSurvived {
        /// The cap that was asked for.
        cap: usize,
        /// Beta as given.
        beta: f64,
        /// The smallest drop that must not be overlooked.
        min_effect: f64,
        /// The smallest cap that works, when one does.
        smallest: Option<usize>,
    },
}

fn shared(comparisons: usize) -> String {
    if comparisons == 1 { String::new() } else { format!(" shared by {comparisons} comparisons") }
}

fn remedy(smallest: Option<usize>, knob: &str) -> String {
    match smallest {
        Some(cap) => format!("set it to {cap} or more, or raise {knob}"),
        None => format!("no cap up to {LARGEST_CAP} is enough: raise {knob}"),
    }
}

impl Design {
    /// Are all values in range, and can both "killed" and "survived" be reached by one comparison?
    ///
    /// # Errors
    /// [`DesignError`] names the value, its range and what to do.
    pub fn check(&self) -> Result<(), DesignError> {
        SequentialTest::calibrate(self, 1, Boundary::PerLook, Allocation::LazyBaseline).map(drop)
    }

    /// Are all values in range? (Not: can the promise be kept?)
    pub fn check_ranges(&self) -> Result<(), DesignError> {
        let is_chance = |value: f64| value > 0.0 && value <= 0.5;
        if !is_chance(self.alpha) {
            return Err(DesignError::Alpha(self.alpha));
        }
        if !is_chance(self.beta) {
            return Err(DesignError::Beta(self.beta));
        }
        if !(self.min_effect > 0.0 && self.min_effect <= 1.0) {
            return Err(DesignError::MinEffect(self.min_effect));
        }
        if !(LADDER[0]..=LARGEST_CAP).contains(&self.max_trials_per_arm) {
            return Err(DesignError::Cap(self.max_trials_per_arm));
        }
        Ok(())
    }

    /// The looks: numbers of valid trials an arm after which a decision may be taken. The cap always is the last one.
    pub(super) fn looks(&self) -> Vec<usize> {
        let cap = self.max_trials_per_arm;
        LADDER.iter().copied().filter(|&look| look < cap).chain([cap]).collect()
    }

    /// The looks that a design with the largest cap would have.
    pub(super) fn longest_ladder() -> &'static [usize] {
        &LADDER
    }
}
