//! Finding the lowest thresholds that keep both promises.

use super::design::Design;
use super::evidence::{self, Counts};
use super::paths::{self, Call, Chance, Rules};

/// Two evidences closer than this are the same number, computed in two ways.
const TIE: f64 = 1e-9;

/// How far below its limit an error chance stays, against the last digits of the search for its worst case.
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

    /// The decisions that follow from a threshold a look. Kill is asked first.
    pub fn rules(&self, thresholds: &Thresholds) -> Rules {
        let call = |look: usize, for_kill: f64, for_survival: f64| {
            if for_kill >= thresholds.kill[look] - TIE && for_kill > TIE {
                Call::Kill
            } else if for_survival >= thresholds.survive[look] - TIE && for_survival > TIE {
                Call::Survive
            } else {
                Call::Continue
            }
        };
        let in_step = (0..self.looks.len())
            .map(|look| {
                let pairs = self.kill[look].iter().zip(&self.survive[look]);
                pairs.map(|(&for_kill, &for_survival)| call(look, for_kill, for_survival)).collect()
            })
            .collect();
        let waiting = self
            .waiting
            .iter()
            .enumerate()
            .map(|(look, row)| row.iter().map(|&for_survival| call(look, 0.0, for_survival)).collect())
            .collect();
        Rules { looks: self.looks.clone(), lazy: self.lazy, in_step, waiting }
    }
}

/// How the thresholds of the looks relate to each other.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// The threshold at a look is this times a common factor.
    kill: Vec<f64>,
    survive: Vec<f64>,
    /// At this look a baseline without a fail against a mutant without a pass is a kill in any case.
    sweep: Option<usize>,
    /// At this look two flawless arms are a survival in any case.
    flawless: Option<usize>,
}

impl Shape {
    /// The same threshold at all looks.
    pub fn constant(looks: &[usize]) -> Self {
        Self { kill: vec![1.0; looks.len()], survive: vec![1.0; looks.len()], sweep: None, flawless: None }
    }

    /// The clearest outcomes are decided at the first look at which their chance takes at most this share of what may
    /// be spent; the rest is spent evenly on the other looks.
    ///
    /// With equal arms at rate p the baseline's n passes and the mutant's n fails have the chance (p (1 - p))^n, at
    /// most 4^-n. With the rates at a gap of d the mutant's n passes have at most the chance (1 - d)^n.
    pub fn early(looks: &[usize], alpha: f64, beta: f64, gap: f64) -> Self {
        const SHARE: f64 = 0.7;
        let first = |chance: f64, limit: f64| looks.iter().position(|&n| chance.powi(n as i32) <= SHARE * limit);
        Self { sweep: first(0.25, alpha), flawless: first(1.0 - gap, beta), ..Self::constant(looks) }
    }
}

/// Thresholds that keep the promises, one a look.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Thresholds {
    pub kill: Vec<f64>,
    pub survive: Vec<f64>,
}

/// The lowest thresholds of this shape that keep P(kill) <= alpha for equal arms and P(survived) <= beta at the gap.
///
/// Each boundary cuts paths off from the other: who survived early can't be killed late. So both are lowered in
/// turns until nothing moves. Every step keeps both promises, since a lower threshold on one side only takes
/// paths away from the other.
pub(super) fn thresholds(table: &EvidenceTable, shape: &Shape, alpha: f64, beta: f64, gap: f64) -> Thresholds {
    let clean = |look: usize, of: &[Vec<f64>], mutant_passes: usize| {
        let n = table.looks[look];
        of[look][n * (n + 1) + mutant_passes]
    };
    let sweep = shape.sweep.map(|look| (look, clean(look, &table.kill, 0)));
    let flawless = shape.flawless.map(|look| (look, clean(look, &table.survive, table.looks[look])));
    let kill_factors = factors(table.kill.iter(), &shape.kill);
    let survive_factors = factors(table.survive.iter().chain(&table.waiting), &[&shape.survive[..]; 2].concat());
    let worst = |thresholds: &Thresholds, call: Call, gap: f64| {
        Chance::along(&paths::endings(&table.rules(thresholds)), call, gap).worst()
    };

    let never = vec![f64::INFINITY; table.looks.len()];
    let mut found = Thresholds { kill: never.clone(), survive: never };
    // A few rounds do; the bound is there for thresholds that differ in the last digits only.
    for _ in 0..50 {
        let before = found.clone();
        found = lowest(&kill_factors, |factor| {
            let kill = scaled(&shape.kill, factor, sweep);
            let tried = Thresholds { kill, survive: found.survive.clone() };
            (worst(&tried, Call::Kill, 0.0) <= alpha - MARGIN).then_some(tried)
        })
        .unwrap_or(found);
        found = lowest(&survive_factors, |factor| {
            let survive = scaled(&shape.survive, factor, flawless);
            let tried = Thresholds { kill: found.kill.clone(), survive };
            (worst(&tried, Call::Survive, gap) <= beta - MARGIN).then_some(tried)
        })
        .unwrap_or(found);
        if found == before {
            break;
        }
    }
    found
}

/// The thresholds of a shape, and lower at one look where that was promised.
fn scaled(shape: &[f64], factor: f64, promised: Option<(usize, f64)>) -> Vec<f64> {
    let mut thresholds: Vec<f64> = shape.iter().map(|relative| relative * factor).collect();
    if let Some((look, threshold)) = promised {
        thresholds[look] = thresholds[look].min(threshold);
    }
    thresholds
}

/// All common factors at which some decision changes, from high to low.
fn factors<'a>(rows: impl Iterator<Item = &'a Vec<f64>>, shape: &[f64]) -> Vec<f64> {
    let relative = rows.zip(shape).flat_map(|(row, relative)| row.iter().map(move |evidence| evidence / relative));
    let mut factors: Vec<f64> = relative.filter(|&factor| factor > TIE).collect();
    factors.sort_unstable_by(|a, b| b.total_cmp(a));
    factors.dedup_by(|lower, higher| *higher - *lower < TIE);
    factors
}

/// The thresholds of the lowest factor that is allowed. What is allowed at a factor is allowed at all higher ones.
fn lowest(factors: &[f64], allowed: impl Fn(f64) -> Option<Thresholds>) -> Option<Thresholds> {
    let mut best = allowed(f64::INFINITY);
    let (mut low, mut high) = (0, factors.len());
    while low < high {
        let middle = (low + high) / 2;
        match allowed(factors[middle]) {
            Some(thresholds) => {
                best = Some(thresholds);
                low = middle + 1;
            }
            None => high = middle,
        }
    }
    best
}
