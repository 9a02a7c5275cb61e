//! The plan and the decision of one case, as a pure state machine over outcomes. The folder's doc states both.
//!
//! [`Tree::wanted`] and [`Tree::finding`] are functions of the outcomes in trial order: what finished first never
//! matters.

use std::fmt;

use super::finding::usual;
use super::{Design, Finding, KindScore, SelfAgreement, Share, Verdict};
use crate::stats::{Tally, pass_hat_k};
use decision::{AFTER_MOST, Decision, Fresh};
pub(super) use decision::{MOST, SOME};
use trials::Trials;

mod decision;
mod trials;

/// Reruns of variants that had a trial before, where most failed.
const RETRIES: usize = 4;

/// What the agent is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arm {
    /// The case's input as it is written.
    Original,
    /// The variant of this number, from 0 in the order of the setup.
    Variant(usize),
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arm::Original => f.write_str("the original"),
            Arm::Variant(number) => write!(f, "variant {}", number + 1),
        }
    }
}

/// What one trial said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The agent answered.
    Judged {
        /// Did the whole case hold? `None` where that can't be assessed: it counts for nothing.
        held: Option<bool>,
        /// Did its tool calls alone? `None` where nothing is asked of them, or they are not reported.
        tools: Option<bool>,
    },
    /// The agent could not be asked; counts for nothing.
    Error,
}

impl Outcome {
    fn held(self) -> Option<bool> {
        if let Outcome::Judged { held, .. } = self { held } else { None }
    }

    fn tools(self) -> Option<bool> {
        if let Outcome::Judged { tools, .. } = self { tools } else { None }
    }
}

/// One variant of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// The kind of its mutator, such as `typo`.
    pub kind: String,
    /// Made to break the agent: scored apart, in no verdict.
    pub adversarial: bool,
}

/// What is fixed about a case before any trial.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The variants that could be made; their order is their number.
    pub variants: Vec<Variant>,
}

/// The state machine. Costs little to clone, replay or simulate.
#[derive(Debug, Clone)]
pub struct Tree {
    variants: Vec<Variant>,
    design: Design,
    /// The kinds in the order of the setup, and the number of each variant's kind among them.
    kinds: Vec<String>,
    kind_of: Vec<usize>,
    /// The variants that count, in the order in which they are screened: one of each kind in turn.
    order: Vec<usize>,
    adversarial: Vec<usize>,
    trials: Trials,
    stopped: Option<String>,
}

/// How far the case is.
enum Step {
    Ask(Vec<(Arm, usize)>),
    Settled(Decision),
}

impl Tree {
    /// The design is taken as it is: [`Design::check`] says whether it makes sense.
    pub fn new(setup: Setup, design: Design) -> Tree {
        let variants = setup.variants;
        let mut kinds: Vec<String> = vec![];
        let mut kind_of = vec![];
        let mut turns = vec![];
        for (at, variant) in variants.iter().enumerate() {
            let kind = kinds.iter().position(|kind| *kind == variant.kind).unwrap_or_else(|| {
                kinds.push(variant.kind.clone());
                kinds.len() - 1
            });
            let before = kind_of.iter().filter(|other| **other == kind).count();
            kind_of.push(kind);
            turns.push((before, kind, at));
        }
        turns.sort_unstable();
        let (adversarial, order) =
            turns.into_iter().map(|(_, _, at)| at).partition(|at: &usize| variants[*at].adversarial);
        Tree { variants, design, kinds, kind_of, order, adversarial, trials: Trials::default(), stopped: None }
    }

    /// The trials to ask for next that were not asked for before, interleaved over their arms. Empty when the verdict
    /// stands, and while any trial is still out: what is asked next must not depend on what finished first.
    pub fn wanted(&mut self) -> Vec<(Arm, u32)> {
        if self.stopped.is_some() || self.trials.any_out() {
            return vec![];
        }
        match self.step() {
            Step::Ask(needs) => self.trials.take(needs),
            Step::Settled(_) => vec![],
        }
    }

    /// Records what a trial that [`Tree::wanted`] named has said.
    pub fn observe(&mut self, arm: Arm, trial: u32, outcome: Outcome) {
        self.trials.observe(arm, trial, outcome);
    }

    /// No more trials will come, for this reason (a budget, an interruption): what is open stays unproven.
    pub fn stop(&mut self, reason: impl Into<String>) {
        self.stopped.get_or_insert(reason.into());
    }

    /// True when nothing is wanted and nothing is out.
    pub fn is_settled(&self) -> bool {
        self.stopped.is_some() || (!self.trials.any_out() && matches!(self.step(), Step::Settled(_)))
    }

    /// The variants, by their number.
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// Passes and trials of an arm, as far as they are assessable.
    pub fn tally(&self, arm: Arm) -> Tally {
        Tally::of(&self.trials.held(arm))
    }

    /// Trials of an arm that ended in an error.
    pub fn errors(&self, arm: Arm) -> usize {
        self.trials.errors(arm)
    }

    /// Trials of an arm that were asked for, errors and those that are still out among them.
    pub fn asked(&self, arm: Arm) -> usize {
        self.trials.asked(arm)
    }

    /// The verdict on what was seen so far. Before the tree is settled it reads *unproven*.
    pub fn finding(&self) -> Finding {
        let decision = match self.step() {
            Step::Settled(decision) if self.stopped.is_some() || !self.trials.any_out() => decision,
            _ => Decision::open(self.stopped.clone().unwrap_or_else(|| "trials are still out".into())),
        };
        let level = self.design.level;
        let original = self.trials.held(Arm::Original);
        let passes = Tally::of(&original);
        let k = self.design.first_reruns;
        let usual_tools = usual(&self.trials.tools(Arm::Original));
        let tools: Vec<bool> = self.order.iter().filter_map(|at| self.first_tools(*at)).collect();
        let (adversarial, by_kind) = self.scores(usual(&original)).into_iter().partition::<Vec<_>, _>(|one| one.0);
        let scores = |of: Vec<(bool, KindScore)>| of.into_iter().map(|(_, score)| score).collect();
        Finding {
            verdict: decision.verdict,
            kinds: decision.kinds.iter().map(|kind| self.kinds[*kind].clone()).collect(),
            consistency: Share::agreeing(&self.firsts(&self.order), usual(&original), level),
            tool_consistency: Share::agreeing(&tools, usual_tools, level),
            by_kind: scores(by_kind),
            adversarial: scores(adversarial),
            failing: (0..self.variants.len()).filter(|at| self.fails(*at)).collect(),
            unassessed: (0..self.variants.len()).filter(|at| self.is_unassessed(*at)).collect(),
            self_agreement: SelfAgreement {
                passes,
                agreement: Share::agreeing(&original, usual(&original), level),
                k,
                pass_hat: pass_hat_k(passes, k),
            },
            p_value: decision.p_value,
            reason: decision.reason,
        }
    }

    /// Each kind's score, and whether it is that of its adversarial variants.
    fn scores(&self, usual: Option<bool>) -> Vec<(bool, KindScore)> {
        let mut scores = vec![];
        for (number, kind) in self.kinds.iter().enumerate() {
            for (adversarial, pool) in [(false, &self.order), (true, &self.adversarial)] {
                let own: Vec<usize> = pool.iter().copied().filter(|at| self.kind_of[*at] == number).collect();
                if own.is_empty() {
                    continue;
                }
                let all: Vec<bool> = own.iter().flat_map(|at| self.trials.held(Arm::Variant(*at))).collect();
                let score = KindScore {
                    kind: kind.clone(),
                    variants: own.len(),
                    consistency: Share::agreeing(&self.firsts(&own), usual, self.design.level),
                    passes: Tally::of(&all),
                };
                scores.push((adversarial, score));
            }
        }
        scores
    }

    fn step(&self) -> Step {
        if self.order.is_empty() {
            return Step::Settled(Decision::open("no variant of this case could be made"));
        }
        let first_reruns = self.design.first_reruns;
        if let Some(more) = self.trials.ask(Arm::Original, first_reruns) {
            return Step::Ask(vec![more]);
        }
        let original = self.trials.held(Arm::Original);
        if original.len() < first_reruns {
            return Step::Settled(self.silenced(Arm::Original));
        }
        if !original[..first_reruns].contains(&true) {
            return Step::Settled(Decision::baseline_failing(first_reruns));
        }
        let batch = &self.order[..self.design.screen.min(self.order.len())];
        if let Some(needs) = self.ask(batch.iter().map(|at| (Arm::Variant(*at), 1))) {
            return Step::Ask(needs);
        }
        if self.most_failed(batch) {
            return self.confirm_most(batch);
        }
        if let Some(needs) = self.ask(self.order.iter().chain(&self.adversarial).map(|at| (Arm::Variant(*at), 1))) {
            return Step::Ask(needs);
        }
        if self.firsts(&self.order).is_empty() {
            return Step::Settled(self.silenced(Arm::Variant(self.order[0])));
        }
        if self.most_failed(&self.order) { self.confirm_most(&self.order) } else { self.confirm_some(SOME) }
    }

    /// Most of the `screened` variants failed: is it all variants?
    fn confirm_most(&self, screened: &[usize]) -> Step {
        let unscreened = &self.order[screened.len()..];
        let once = unscreened.iter().chain(&self.adversarial).map(|at| (Arm::Variant(*at), 1));
        if let Some(needs) = self.ask([(Arm::Original, self.design.reruns)].into_iter().chain(once)) {
            return Step::Ask(needs);
        }
        // Those that were not among the first may tell another story.
        if !self.most_failed(&self.order) {
            return self.confirm_some(AFTER_MOST);
        }
        let original = self.tally(Arm::Original);
        if original.trials < self.design.reruns {
            return Step::Settled(self.silenced(Arm::Original));
        }
        if original.passes * 2 <= original.trials {
            return Step::Settled(Decision::flaky_original(original, 1.0));
        }
        let fresh_firsts = self.firsts(unscreened).len();
        let retries = self.design.confirm.saturating_sub(fresh_firsts).max(RETRIES);
        // Those that passed come first: what speaks against the verdict is heard before it.
        let mut tried: Vec<usize> = self.order.iter().copied().filter(|at| self.first(*at).is_some()).collect();
        tried.sort_by_key(|at| self.first(*at) == Some(false));
        let each = |place: usize| 1 + retries / tried.len() + usize::from(place < retries % tried.len());
        if let Some(needs) = self.ask(tried.iter().enumerate().map(|(place, at)| (Arm::Variant(*at), each(place)))) {
            return Step::Ask(needs);
        }
        let fresh = self.fresh(&tried, |at| usize::from(screened.contains(&at)));
        let all: Vec<bool> = tried.iter().flat_map(|at| self.trials.held(Arm::Variant(*at))).collect();
        let decision = decision::most_failed(&self.design, original, &fresh, Tally::of(&all), self.failing_kinds());
        let planned = tried.iter().enumerate().map(|(place, at)| (*at, each(place)));
        Step::Settled(self.unless_cut_short(decision, planned))
    }

    /// Some variants failed, or none: is it more than the noise of the original?
    fn confirm_some(&self, share: f64) -> Step {
        let failed: Vec<usize> = self.order.iter().copied().filter(|at| self.first(*at) == Some(false)).collect();
        let flawless = !self.trials.held(Arm::Original)[..self.design.first_reruns].contains(&false);
        if failed.is_empty() && flawless {
            return Step::Settled(match self.order.iter().filter(|at| self.first(**at).is_none()).count() {
                0 => Decision::robust(),
                count => Decision::open(format!("{count} of {} variants could not be assessed", self.order.len())),
            });
        }
        let each = if failed.is_empty() { 0 } else { self.design.fresh_each(failed.len()) };
        for done in each.min(1)..=each {
            let again = failed.iter().map(|at| (Arm::Variant(*at), 1 + done));
            if let Some(needs) = self.ask([(Arm::Original, self.design.reruns)].into_iter().chain(again)) {
                let before = (done > 1).then(|| self.decide_some(share, &failed, each + 1 - done)).flatten();
                return before.map_or(Step::Ask(needs), Step::Settled);
            }
        }
        let decision = self.decide_some(share, &failed, 0);
        let decision = decision.unwrap_or_else(|| Decision::open("the plan has no further trial"));
        Step::Settled(self.unless_cut_short(decision, failed.iter().map(|at| (*at, 1 + each))))
    }

    /// `None` where the `open` trials that each of the variants that `failed` may still be run could change it.
    fn decide_some(&self, share: f64, failed: &[usize], open: usize) -> Option<Decision> {
        let original = self.tally(Arm::Original);
        if original.trials < self.design.reruns {
            return Some(self.silenced(Arm::Original));
        }
        let firsts = Tally::of(&self.firsts(&self.order));
        let fresh = self.fresh(failed, |_| 1);
        decision::some_failed(&self.design, share, original, firsts, &fresh, open, || self.failing_kinds())
    }

    /// What each variant's trials after the first `screened` say.
    fn fresh(&self, variants: &[usize], screened: impl Fn(usize) -> usize) -> Vec<Fresh> {
        let of = |&at: &usize| {
            let held = self.trials.held(Arm::Variant(at));
            Fresh { kind: self.kind_of[at], tally: Tally::of(held.get(screened(at)..).unwrap_or_default()) }
        };
        variants.iter().map(of).collect()
    }

    /// Noise explains nothing where a variant did not get the trials that were `planned` to tell.
    fn unless_cut_short(&self, decision: Decision, planned: impl Iterator<Item = (usize, usize)>) -> Decision {
        let mut short = planned.filter(|(at, trials)| self.tally(Arm::Variant(*at)).trials < *trials);
        match short.next() {
            Some((at, _)) if decision.verdict == Verdict::Flaky => self.silenced(Arm::Variant(at)),
            _ => decision,
        }
    }

    /// No more can be learned from this arm.
    fn silenced(&self, arm: Arm) -> Decision {
        let reason = self.trials.dead(arm).unwrap_or_else(|| format!("no more trials of {arm}"));
        if self.trials.given_up(arm) { Decision::error(reason) } else { Decision::open(reason) }
    }

    fn ask(&self, targets: impl IntoIterator<Item = (Arm, usize)>) -> Option<Vec<(Arm, usize)>> {
        let needs: Vec<(Arm, usize)> =
            targets.into_iter().filter_map(|(arm, wanted)| self.trials.ask(arm, wanted)).collect();
        (!needs.is_empty()).then_some(needs)
    }

    fn first(&self, variant: usize) -> Option<bool> {
        self.trials.first_held(Arm::Variant(variant))
    }

    fn first_tools(&self, variant: usize) -> Option<bool> {
        self.trials.tools(Arm::Variant(variant)).first().copied()
    }

    fn firsts(&self, variants: &[usize]) -> Vec<bool> {
        variants.iter().filter_map(|at| self.first(*at)).collect()
    }

    /// At least two of three, of three or more.
    fn most_failed(&self, variants: &[usize]) -> bool {
        let Tally { passes, trials } = Tally::of(&self.firsts(variants));
        trials >= 3 && (trials - passes) * 3 >= trials * 2
    }

    /// Its first trial failed, and most of those after it.
    fn fails(&self, variant: usize) -> bool {
        let held = self.trials.held(Arm::Variant(variant));
        let again = Tally::of(held.get(1..).unwrap_or_default());
        held.first() == Some(&false) && (again.trials == 0 || again.passes * 2 < again.trials)
    }

    fn failing_kinds(&self) -> Vec<usize> {
        let fails = |kind: &usize| self.order.iter().any(|at| self.kind_of[*at] == *kind && self.fails(*at));
        (0..self.kinds.len()).filter(fails).collect()
    }

    fn is_unassessed(&self, variant: usize) -> bool {
        let arm = Arm::Variant(variant);
        self.first(variant).is_none() && self.trials.dead(arm).is_some()
    }
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
