//! Finding the lowest thresholds that keep both promises.

use super::design::Design;
use super::evidence::{self, Counts};
use super::paths::{self, Call, Chance, Rules};

/// Two evidences closer than this are the same number, computed in two ways.
const TIE: f64 = 1e-9;

/// By which share of its limit an error chance stays below it, against the last digits of the search for its worst case.
const MARGIN: f64 = 1e-9;

/// The evidence at every look and every pair of counts.
pub(super) struct EvidenceTable {
    pub looks: Vec<usize>,
    pub lazy: bool,
    kill: Vec<Vec<f64>>,
    survive: Vec<Vec<f64>>,
    waiting: Vec<Vec<f64>>,
}

impl EvidenceTable {
    pub fn new(design: &Design, lazy: bool) -> Self {
        let looks = design.looks();
        let square = |of: &dyn Fn(Counts, Counts) -> f64| -> Vec<Vec<f64>> {
            let at_look = |&n: &usize| {
                (0..(n + 1) * (n + 1)).map(|at| of(Counts::of(at / (n + 1), n), Counts::of(at % (n + 1), n))).collect()
            };
            looks.iter().map(at_look).collect()
        };
        let first = looks[0];
        let waiting = |&n: &usize| {
            (0..=first)
                .map(|x| evidence::for_survival(Counts::of(x, first), Counts::of(n, n), design.min_effect))
                .collect()
        };
        Self {
            kill: square(&evidence::for_kill),
            survive: square(&|baseline, mutant| evidence::for_survival(baseline, mutant, design.min_effect)),
            waiting: if lazy { looks.iter().map(waiting).collect() } else { Vec::new() },
            looks,
            lazy,
        }
    }

    /// The decisions that follow from these thresholds.
    pub fn rules(&self, thresholds: &Thresholds) -> Rules {
        let in_step = (0..self.looks.len())
            .map(|look| {
                let pairs = self.kill[look].iter().zip(&self.survive[look]);
                pairs.map(|(&for_kill, &for_survival)| thresholds.call(look, for_kill, for_survival)).collect()
            })
            .collect();
        let waiting = self
            .waiting
            .iter()
            .enumerate()
            .map(|(look, row)| row.iter().map(|&for_survival| thresholds.call(look, 0.0, for_survival)).collect())
            .collect();
        Rules { looks: self.looks.clone(), lazy: self.lazy, in_step, waiting }
    }
}

/// What is set beside one common threshold: looks at which the clearest outcome is decided in any case.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape {
    /// At this look a baseline without a fail against a mutant without a pass is a kill.
    sweep: Option<usize>,
    /// At this look two flawless arms are a survival.
    flawless: Option<usize>,
}

impl Shape {
    /// The clearest outcomes are decided at the first look at which their chance takes at most this share of what may
    /// be spent; where there is none, at the last look, if all of it is enough.
    ///
    /// With equal arms at rate p the baseline's n passes and the mutant's n fails have the chance (p (1 - p))^n, at
    /// most 4^-n. With rates a gap apart the mutant's n passes have at most the chance (1 - gap)^n.
    pub fn early(looks: &[usize], promises: Promises) -> Self {
        const SHARE: f64 = 0.7;
        let first = |chance: f64, limit: f64| {
            let spent = |n: usize| chance.powi(n as i32) / limit;
            let last = looks.len() - 1;
            let at_last = (spent(looks[last]) <= 1.0 - MARGIN).then_some(last);
            looks.iter().position(|&n| spent(n) <= SHARE).or(at_last)
        };
        Self { sweep: first(0.25, promises.alpha), flawless: first(1.0 - promises.gap, promises.beta) }
    }
}

/// Thresholds that keep the promises, one a look.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Thresholds {
    pub kill: Vec<f64>,
    pub survive: Vec<f64>,
}

impl Thresholds {
    /// What is decided at a look from both evidences. Kill is asked first.
    pub fn call(&self, look: usize, for_kill: f64, for_survival: f64) -> Call {
        let reached = |evidence: f64, threshold: f64| evidence > TIE && evidence >= threshold - TIE;
        if reached(for_kill, self.kill[look]) {
            Call::Kill
        } else if reached(for_survival, self.survive[look]) {
            Call::Survive
        } else {
            Call::Continue
        }
    }
}

/// The promises that thresholds must keep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Promises {
    /// P(kill) is at most this for equal arms.
    pub alpha: f64,
    /// P(survived) is at most this for arms that are `gap` apart.
    pub beta: f64,
    pub gap: f64,
}

impl Promises {
    /// Is the promise that limits kills (`Call::Kill`) or survivals (`Call::Survive`) kept?
    fn kept(&self, side: Call, table: &EvidenceTable, thresholds: &Thresholds) -> bool {
        let endings = paths::endings(&table.rules(thresholds));
        let (gap, limit) = if side == Call::Kill { (0.0, self.alpha) } else { (self.gap, self.beta) };
        Chance::along(&endings, side, gap).stays_within(limit * (1.0 - MARGIN))
    }
}

/// The lowest thresholds of this shape that keep the promises.
///
/// Each boundary cuts paths off from the other: who survived early can't be killed late. So both are lowered in
/// turns until nothing moves. Every step keeps both promises, since a lower threshold on one side only takes
/// paths away from the other.
pub(super) fn lowest(table: &EvidenceTable, shape: &Shape, promises: Promises) -> Thresholds {
    let clean = |look: usize, of: &[Vec<f64>], mutant_passes: usize| {
        let n = table.looks[look];
        of[look][n * (n + 1) + mutant_passes]
    };
    let sweep = shape.sweep.map(|look| (look, clean(look, &table.kill, 0)));
    let flawless = shape.flawless.map(|look| (look, clean(look, &table.survive, table.looks[look])));
    let kill_factors = falling(table.kill.iter().flatten().copied());
    let survive_factors = falling(table.survive.iter().chain(&table.waiting).flatten().copied());

    let never = vec![f64::INFINITY; table.looks.len()];
    let mut found = Thresholds { kill: never.clone(), survive: never };
    // A few rounds do; the bound is there for thresholds that differ in the last digits only.
    for _ in 0..50 {
        let before = found.clone();
        found = lowest_kept(&kill_factors, &found, Call::Kill, table, promises, |kept, level| {
            kept.kill = level_with(level, table.looks.len(), sweep);
        });
        found = lowest_kept(&survive_factors, &found, Call::Survive, table, promises, |kept, level| {
            kept.survive = level_with(level, table.looks.len(), flawless);
        });
        if found == before {
            break;
        }
    }
    found
}

/// Counts come in steps, so one common threshold leaves a part of alpha and beta unspent. It is spent here: look by
/// look, the earliest first, thresholds fall as far as the promises allow.
pub(super) fn spend_the_rest(table: &EvidenceTable, thresholds: Thresholds, promises: Promises) -> Thresholds {
    let mut found = thresholds;
    for look in 0..table.looks.len() {
        let candidates = falling(table.kill[look].iter().copied().filter(|&value| value < found.kill[look] - TIE));
        found = lowest_kept(&candidates, &found, Call::Kill, table, promises, |kept, level| {
            kept.kill[look] = kept.kill[look].min(level);
        });
    }
    for look in 0..table.looks.len() {
        let values = table.survive[look].iter().chain(table.waiting.get(look).into_iter().flatten());
        let candidates = falling(values.copied().filter(|&value| value < found.survive[look] - TIE));
        found = lowest_kept(&candidates, &found, Call::Survive, table, promises, |kept, level| {
            kept.survive[look] = kept.survive[look].min(level);
        });
    }
    found
}

/// One threshold for all looks, and a lower one where that was set.
fn level_with(level: f64, looks: usize, set: Option<(usize, f64)>) -> Vec<f64> {
    let mut thresholds = vec![level; looks];
    if let Some((look, threshold)) = set {
        thresholds[look] = thresholds[look].min(threshold);
    }
    thresholds
}

/// All levels at which some decision changes, from high to low.
fn falling(evidence: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut levels: Vec<f64> = evidence.filter(|&level| level > TIE).collect();
    levels.sort_unstable_by(|a, b| b.total_cmp(a));
    levels.dedup_by(|lower, higher| *higher - *lower < TIE);
    levels
}

/// `thresholds`, set to the lowest level at which the promise on this side is kept. It is kept at every level above one
/// at which it is kept, so the search halves the levels; an infinite one comes first and changes nothing but what was set.
fn lowest_kept(
    levels: &[f64],
    thresholds: &Thresholds,
    side: Call,
    table: &EvidenceTable,
    promises: Promises,
    set: impl Fn(&mut Thresholds, f64),
) -> Thresholds {
    let kept_at = |level: f64| {
        let mut tried = thresholds.clone();
        set(&mut tried, level);
        promises.kept(side, table, &tried).then_some(tried)
    };
    let mut best = kept_at(f64::INFINITY);
    let (mut low, mut high) = (0, levels.len());
    while low < high {
        let middle = (low + high) / 2;
        match kept_at(levels[middle]) {
            Some(tried) => {
                best = Some(tried);
                low = middle + 1;
            }
            None => high = middle,
        }
    }
    best.unwrap_or_else(|| thresholds.clone())
}
