//! The sequential test and the intervals: no other module does arithmetic on rates.
//!
//! # How it is decided that a mutant is killed
//!
//! An agent is a coin: the same case passes in one trial and fails in the next. A mutant is *killed* when its arm
//! passes less often than the baseline, and *survived* when its pass rate did not drop by as much as `min_effect`.
//! Both are claims about rates that nobody sees; what is seen is `x` passes of `n` trials in the baseline and `y` of
//! `m` in the mutant. So both claims can be wrong, and the [`Design`] says how often: a false kill in at most `alpha`
//! of all comparisons, a false survival in at most `beta`.
//!
//! Trials cost money, so the test looks early and often: after 3, 4, 5, 6, 8, 10, 12, 15 and 20 valid trials an arm
//! (and on to 100 where the cap is higher). At each look it computes two numbers from the counts, with
//! `l(p, q) = x ln p + (n - x) ln(1 - p) + y ln q + (m - y) ln(1 - q)`:
//!
//! * evidence for a kill: `sup l - sup over q >= p of l`, how much better the best explanation is than the best
//!   one in which the mutant passes at least as often;
//! * evidence for a survival: `sup l - sup over p - q >= min_effect of l`, the same against every drop that
//!   must not be overlooked.
//!
//! These are Wilks' log likelihood ratios (1938). The first is asked first; the first of the two that reaches its
//! threshold decides, and what comes later is not read. Looking often gives chance more chances, so the thresholds
//! must be higher than for a single look. How much higher is not approximated: decisions depend on counts alone, so
//! the number of orders of passes and fails that end in each decision is counted for all of them, and the chance of an
//! error is a polynomial in the pass rates whose maximum is searched over *all* rates. Thresholds are the lowest at
//! which both promises hold.
//!
//! # What may be asked
//!
//! [`SequentialTest::judge`] turns two sequences of outcomes into a [`Judgement`], and asks for more trials where it
//! needs them. [`SequentialTest::characteristics`] says exactly what a test does at given rates. [`wilson`],
//! [`clopper_pearson`] and [`pass_hat_k`] describe one [`Tally`]. [`passes_more_often`] compares two with a fixed number of
//! trials, [`rate_at_most`] one with a rate, [`homogeneity`] any number of them. [`benjamini_hochberg`] and [`holm`] judge
//! many p-values together; [`bootstrap_mean`] says how sure a mean over cases is, [`cohen_kappa`] how
//! far two raters agree beyond chance.
//!
//! # What it must never know
//!
//! Cases, assertions, rules, agents: here are only passes and fails. An error is neither and never comes here.

mod bootstrap;
mod calibrate;
mod design;
mod evidence;
mod exact;
mod homogeneity;
mod interval;
mod kappa;
mod many;
mod paths;
mod sequential;
mod tally;
#[cfg(test)]
mod tests;

pub use bootstrap::bootstrap_mean;
pub use design::{Design, DesignError, LARGEST_CAP};
pub use exact::{passes_more_often, rate_at_most};
pub use homogeneity::{Homogeneity, Method, homogeneity};
pub use interval::{Interval, clopper_pearson, wilson};
pub use kappa::{Kappa, cohen_kappa};
pub use many::{benjamini_hochberg, holm};
pub use sequential::{Allocation, Boundary, Characteristics, Judgement, SequentialTest};
pub use tally::{Tally, pass_hat_k};
