//! From counts to a verdict. Which counts may be used for what is stated in the folder's doc.

use crate::stats::{Tally, holm, homogeneity, passes_more_often, rate_at_most};
use crate::studies::inputs::{Design, Verdict};

/// Shares of alpha, by what is claimed and when; on no way through the plan do they add up to more than 1.
///
/// Most variants failed, in the first ones that were screened or in all.
pub(in crate::studies::inputs) const MOST: f64 = 0.6;
/// Some failed in the whole screening.
pub(in crate::studies::inputs) const SOME: f64 = 0.9;
/// Some failed in the whole screening, but most of the first ones: there the other claim was at stake before.
pub(super) const AFTER_MOST: f64 = 0.3;
/// The original is worse than its variants.
const WORSE: f64 = 0.1;

/// The settled part of a finding; kinds are numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decision {
    pub verdict: Verdict,
    pub kinds: Vec<usize>,
    pub p_value: Option<f64>,
    pub reason: Option<String>,
}

/// Trials of one variant that had no part in choosing it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fresh {
    pub kind: usize,
    pub tally: Tally,
}

impl Decision {
    fn of(verdict: Verdict, p_value: f64, reason: String) -> Decision {
        Decision { verdict, kinds: vec![], p_value: Some(p_value), reason: Some(reason) }
    }

    pub fn open(reason: impl Into<String>) -> Decision {
        Decision { verdict: Verdict::Unproven, kinds: vec![], p_value: None, reason: Some(reason.into()) }
    }

    pub fn error(reason: String) -> Decision {
        Decision { verdict: Verdict::Error, kinds: vec![], p_value: None, reason: Some(reason) }
    }

    pub fn baseline_failing(trials: usize) -> Decision {
        let reason = Some(format!("the original failed in all of its {trials} trials"));
        Decision { verdict: Verdict::BaselineFailing, kinds: vec![], p_value: None, reason }
    }

    /// Nothing failed: there is no spread to be tested.
    pub fn robust() -> Decision {
        Decision { verdict: Verdict::Robust, kinds: vec![], p_value: Some(1.0), reason: None }
    }

    pub fn flaky_original(original: Tally, p_value: f64) -> Decision {
        let reason = format!("the original itself passes {} only", counts(original));
        Decision::of(Verdict::Flaky, p_value, reason)
    }
}

/// The decision where most variants failed in the screening. `all` counts the screening too.
pub(super) fn most_failed(
    design: &Design,
    original: Tally,
    fresh: &[Fresh],
    all: Tally,
    failing: Vec<usize>,
) -> Decision {
    let pooled = sum(fresh.iter());
    let p_value = (passes_more_often(original, pooled) / MOST).min(1.0);
    let seen = format!(
        "the original passes {}, its variants {} when run afresh ({})",
        counts(original),
        counts(pooled),
        shown(p_value)
    );
    if p_value > design.alpha {
        return Decision::of(Verdict::Flaky, p_value, format!("{seen}: trial noise explains it"));
    }
    let reliable = original.rate().is_some_and(|rate| rate >= design.reliable);
    if reliable && rate_at_most(0.5, all) <= design.alpha {
        return Decision::of(Verdict::SinglePhrasing, p_value, seen);
    }
    Decision {
        kinds: blamed(design, MOST, original, fresh, failing),
        ..Decision::of(Verdict::Sensitive, p_value, seen)
    }
}

/// The decision where some variants failed in the screening, or none; `None` while the `open` trials that each of them
/// may still be run could change it. `firsts` counts the screening; `share` is
/// that of alpha.
pub(super) fn some_failed(
    design: &Design,
    share: f64,
    original: Tally,
    firsts: Tally,
    fresh: &[Fresh],
    open: usize,
    failing: impl Fn() -> Vec<usize>,
) -> Option<Decision> {
    let worse = (passes_more_often(firsts, original) / WORSE).min(1.0);
    if worse <= design.alpha {
        let reason = format!(
            "the original passes {} only, its variants {} ({})",
            counts(original),
            counts(firsts),
            shown(worse)
        );
        return Some(Decision::of(Verdict::Sensitive, worse, reason));
    }
    if original.passes * 2 <= original.trials {
        return Some(Decision::flaky_original(original, worse));
    }
    let pooled = sum(fresh.iter());
    let mut seen = format!("the original passes {}, its variants {}", counts(original), counts(firsts));
    if pooled.trials > 0 {
        seen = format!("{seen}, and those that failed {} when run again", counts(pooled));
    }
    if open > 0 {
        let fails_only = |one: &Fresh| Fresh { tally: Tally { trials: one.tally.trials + open, ..one.tally }, ..*one };
        let at_best: Vec<Fresh> = fresh.iter().map(fails_only).collect();
        let hopeless = forward(share, original, &at_best) > design.alpha;
        return hopeless.then(|| Decision::of(Verdict::Flaky, worse, format!("{seen}: trial noise explains it")));
    }
    let forward = forward(share, original, fresh);
    let p_value = forward.min(worse);
    let seen = format!("{seen} ({})", shown(p_value));
    Some(if forward <= design.alpha {
        let kinds = blamed(design, share, original, fresh, failing());
        Decision { kinds, ..Decision::of(Verdict::Sensitive, p_value, seen) }
    } else {
        Decision::of(Verdict::Flaky, p_value, format!("{seen}: trial noise explains it"))
    })
}

/// The p-value of "the phrasing matters" where some variants were run again: by spread or by kind.
fn forward(share: f64, original: Tally, fresh: &[Fresh]) -> f64 {
    if fresh.is_empty() {
        return 1.0;
    }
    let groups: Vec<Tally> = [original].into_iter().chain(fresh.iter().map(|one| one.tally)).collect();
    let spread = homogeneity(&groups).p_value;
    let kind = by_kind(original, fresh).into_iter().map(|(_, p_value)| p_value).fold(1.0, f64::min);
    (2.0 * spread.min(kind) / share).min(1.0)
}

/// Each kind with its p-value, adjusted for the others.
fn by_kind(original: Tally, fresh: &[Fresh]) -> Vec<(usize, f64)> {
    let mut kinds: Vec<usize> = fresh.iter().map(|one| one.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let own = |kind: &usize| passes_more_often(original, sum(fresh.iter().filter(|one| one.kind == *kind)));
    let p_values: Vec<f64> = kinds.iter().map(own).collect();
    kinds.into_iter().zip(holm(&p_values)).collect()
}

/// The kinds that break the case: those that are shown to, or else those of the variants that are `failing`.
fn blamed(design: &Design, share: f64, original: Tally, fresh: &[Fresh], failing: Vec<usize>) -> Vec<usize> {
    let shown: Vec<usize> = by_kind(original, fresh)
        .into_iter()
        .filter(|(_, p_value)| *p_value <= share * design.alpha)
        .map(|(kind, _)| kind)
        .collect();
    if shown.is_empty() { failing } else { shown }
}

fn sum<'f>(fresh: impl Iterator<Item = &'f Fresh>) -> Tally {
    fresh.fold(Tally::default(), |sum, one| Tally {
        passes: sum.passes + one.tally.passes,
        trials: sum.trials + one.tally.trials,
    })
}

fn counts(tally: Tally) -> String {
    format!("{}/{}", tally.passes, tally.trials)
}

fn shown(p_value: f64) -> String {
    if p_value < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p_value:.3}") }
}
