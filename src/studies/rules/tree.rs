//! The decision tree of one subject (a case and one rule that it quotes), as a pure state machine over outcomes.
//!
//! [`Tree::wanted`] and [`Tree::finding`] are functions of the outcomes in trial order: what finished first never
//! matters.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::trials::{self, Side, Spent, Trials};
use super::{Arm, AssertionFinding, AssertionVerdict, CaseFinding, CaseVerdict, Cause};
use crate::stats::{Judgement, SequentialTest, Tally};

/// The end of the reason of a case that is unproven since it mostly fails.
const RARELY: &str = "too rarely for a loss to show";

/// What one trial said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Per assertion: held, fell, or not assessable.
    Judged(Vec<Option<bool>>),
    /// The agent could not be asked; counts for nothing.
    Error,
}

/// What is fixed about a subject before any trial.
#[derive(Debug, Clone)]
pub struct Setup {
    /// How many assertions the case has; at least 1.
    pub assertions: usize,
    /// The arms that change the rule and could be made, in the order in which they are tried.
    pub operators: Vec<Arm>,
    /// Try every operator on every assertion, also where the answer can change no verdict.
    pub thorough: bool,
}

/// The calibrated tests that a tree decides with.
#[derive(Debug, Clone)]
pub struct Tests {
    /// For the operator arms, alpha split over them.
    pub operators: Arc<SequentialTest>,
    /// For the arms that explain a result: control and bare.
    pub guards: Arc<SequentialTest>,
}

/// The state machine. Costs nothing to clone, replay or simulate.
#[derive(Debug, Clone)]
pub struct Tree {
    setup: Setup,
    tests: Tests,
    arms: BTreeMap<Arm, Trials>,
    stopped: Option<String>,
    /// Which assertions cannot fail at all; none where it is empty.
    vacuous: Vec<bool>,
}

/// How far one assertion is.
enum Progress {
    Needs(Vec<(Arm, usize)>),
    Settled(AssertionFinding),
}

/// One comparison of an arm with the baseline.
enum Compared {
    Killed,
    Survived,
    Needs(Vec<(Arm, usize)>),
    /// No more can be learned.
    Undecided(Why),
}

/// Why no more can be learned.
#[derive(Clone)]
struct Why {
    text: String,
    cause: Option<Cause>,
}

impl From<String> for Why {
    fn from(text: String) -> Why {
        Why { text, cause: None }
    }
}

impl Why {
    fn spent(arm: Arm, spent: Spent) -> Why {
        let cause = match spent {
            Spent::Errors { .. } => Cause::Errors(arm),
            Spent::NotAssessable { .. } => Cause::NotAssessable(arm),
        };
        Why { text: spent.text(arm.name()), cause: Some(cause) }
    }
}

impl Tree {
    pub fn new(setup: Setup, tests: Tests) -> Tree {
        Tree { setup, tests, arms: BTreeMap::new(), stopped: None, vacuous: vec![] }
    }

    /// Tells it which assertions cannot fail, whatever the agent does: no trial is asked for them.
    pub fn knowing(self, vacuous: Vec<bool>) -> Tree {
        Tree { vacuous, ..self }
    }

    /// The trials to ask for next that were not asked for before, interleaved over their arms. Empty when the verdict
    /// stands, and while any trial is still out: what is asked next must not depend on what finished first.
    pub fn wanted(&mut self) -> Vec<(Arm, u32)> {
        if self.stopped.is_some() || self.is_waiting() {
            return vec![];
        }
        let mut targets: BTreeMap<Arm, usize> = BTreeMap::new();
        for (arm, slots) in self.needs() {
            let target = targets.entry(arm).or_default();
            *target = (*target).max(slots);
        }
        let mut fresh: Vec<(Arm, u32)> = vec![];
        for (arm, target) in targets {
            fresh.extend(self.arms.entry(arm).or_default().take(target).map(|number| (arm, number as u32)));
        }
        fresh.sort_by_key(|(arm, number)| (*number, *arm));
        fresh
    }

    /// Records what a trial that [`Tree::wanted`] named has said.
    pub fn observe(&mut self, arm: Arm, trial: u32, outcome: Outcome) {
        self.arms.entry(arm).or_default().record(trial as usize, outcome);
    }

    /// No more trials will come, for this reason (a budget, an interruption): what is open stays unproven.
    pub fn stop(&mut self, reason: impl Into<String>) {
        self.stopped.get_or_insert(reason.into());
    }

    /// True when nothing is wanted and nothing is out.
    pub fn is_settled(&self) -> bool {
        self.stopped.is_some() || (!self.is_waiting() && self.needs().is_empty())
    }

    /// True while a trial that was asked for is still out.
    pub fn is_waiting(&self) -> bool {
        self.arms.values().any(Trials::any_out)
    }

    /// How many assertions the case has.
    pub fn assertions(&self) -> usize {
        self.setup.assertions
    }

    /// The operator arms that could be made.
    pub fn operators(&self) -> &[Arm] {
        &self.setup.operators
    }

    /// Passes and trials of one assertion in one arm, as far as they are assessable.
    pub fn tally(&self, arm: Arm, assertion: usize) -> Tally {
        Tally::of(&self.sequence(arm, assertion))
    }

    /// Trials of an arm that ended in an error.
    pub fn errors(&self, arm: Arm) -> usize {
        self.arms.get(&arm).map_or(0, Trials::errors)
    }

    /// Trials of an arm in which every assessable assertion held, and all trials that were judged.
    pub fn whole_case(&self, arm: Arm) -> Tally {
        self.arms.get(&arm).map(Trials::whole_case).unwrap_or_default()
    }

    /// Trials of an arm that were asked for, errors and those that are still out among them.
    pub fn asked(&self, arm: Arm) -> usize {
        self.arms.get(&arm).map_or(0, Trials::asked)
    }

    /// The arms that were asked at all.
    pub fn arms(&self) -> impl Iterator<Item = Arm> + '_ {
        self.arms.keys().copied()
    }

    /// An arm in which an assertion did significantly better than the baseline: the case holds better without the rule.
    pub fn better(&self, arm: Arm, assertion: usize) -> bool {
        let baseline = self.sequence(Arm::Baseline, assertion);
        let other = self.sequence(arm, assertion);
        matches!(self.test(arm).judge(&other, &baseline), Judgement::Killed { .. })
    }

    /// The arms that were seen to kill an assertion: what they changed did reach the agent.
    pub fn killing_arms(&self) -> Vec<Arm> {
        let kills = |arm: Arm| {
            (0..self.setup.assertions).any(|assertion| {
                self.holds_at_first(assertion) && matches!(self.compare(arm, assertion), Compared::Killed)
            })
        };
        self.arms.keys().copied().filter(|arm| *arm != Arm::Baseline && kills(*arm)).collect()
    }

    /// About how many more trials an arm would settle an undecided comparison, if the rates stay as seen.
    pub fn more_needed(&self, assertion: usize) -> Option<usize> {
        self.arms
            .keys()
            .filter(|arm| **arm != Arm::Baseline)
            .filter(|arm| !matches!(self.compare(**arm, assertion), Compared::Killed | Compared::Survived))
            .filter_map(|arm| {
                let baseline = self.sequence(Arm::Baseline, assertion);
                self.test(*arm).more_needed(&baseline, &self.sequence(*arm, assertion))
            })
            .max()
    }

    /// The verdict on what was seen so far. Before the tree is settled, open questions read *unproven*.
    pub fn finding(&self) -> CaseFinding {
        let assertions: Vec<AssertionFinding> = (0..self.setup.assertions)
            .map(|assertion| match self.progress(assertion) {
                Progress::Settled(finding) => finding,
                Progress::Needs(_) => {
                    unproven(self.stopped.clone().unwrap_or_else(|| "trials are still out".to_owned()).into())
                }
            })
            .collect();
        let (verdict, reason) = self.case_verdict(&assertions);
        CaseFinding { verdict, assertions, reason }
    }

    fn case_verdict(&self, assertions: &[AssertionFinding]) -> (CaseVerdict, Option<String>) {
        let with = |verdict: AssertionVerdict| assertions.iter().filter(move |one| one.verdict == verdict);
        let bites = |arm: Arm| with(AssertionVerdict::Bites).any(|one| one.fell_under == Some(arm));
        if self.setup.operators.is_empty() {
            return (CaseVerdict::Unproven, Some("no mutant of this rule can be made".into()));
        }
        if bites(Arm::Delete) {
            return (CaseVerdict::RuleDerived, None);
        }
        if assertions.iter().all(|one| one.verdict == AssertionVerdict::Vacuous) {
            return (CaseVerdict::Unproven, Some("no assertion of this case can fail".into()));
        }
        let open = || with(AssertionVerdict::Unproven);
        if let Some(open) = open().find(|one| matches!(one.cause, Some(Cause::Errors(_)))).or_else(|| open().next()) {
            return match open.cause {
                Some(Cause::Errors(_)) => (CaseVerdict::Error, open.reason.clone()),
                _ => (CaseVerdict::Unproven, open.reason.clone()),
            };
        }
        if assertions.iter().all(|one| matches!(one.verdict, AssertionVerdict::Broken | AssertionVerdict::Vacuous)) {
            return (CaseVerdict::BaselineFailing, None);
        }
        if let Some(open) = with(AssertionVerdict::Bites).find_map(|one| one.reason.clone()) {
            return (CaseVerdict::Unproven, Some(open));
        }
        if with(AssertionVerdict::Bites).next().is_some() {
            return match self.setup.operators.contains(&Arm::Delete) {
                true => (CaseVerdict::Steerable, None),
                false => {
                    let reason = "it bites, but nobody deleted the rule: add `delete` to --operators";
                    (CaseVerdict::Unproven, Some(reason.into()))
                }
            };
        }
        if with(AssertionVerdict::Brittle).next().is_some() {
            return (CaseVerdict::WrongReason, None);
        }
        if !self.setup.operators.contains(&Arm::Delete) {
            return (CaseVerdict::Unproven, Some("nobody deleted the rule: add `delete` to --operators".into()));
        }
        let mut all_survive = true;
        for (assertion, _) in self.inert(assertions) {
            match self.compare(Arm::Bare, assertion) {
                Compared::Killed => return (CaseVerdict::Redundant, None),
                Compared::Survived => {}
                Compared::Undecided(why) => return (CaseVerdict::Unproven, Some(why.text)),
                Compared::Needs(_) => all_survive = false,
            }
        }
        if !all_survive {
            return (CaseVerdict::Unproven, self.stopped.clone());
        }
        // A pass rate below the smallest drop can't drop by it: such a case survives everything and shows nothing.
        match self.inert(assertions).find(|(assertion, _)| self.holds_rarely(*assertion)) {
            None => (CaseVerdict::ModelDefault, None),
            Some((assertion, _)) => {
                let Tally { passes, trials } = self.tally(Arm::Baseline, assertion);
                (CaseVerdict::Unproven, Some(format!("it holds in {passes} of {trials} baseline trials: {RARELY}")))
            }
        }
    }

    /// True where an assertion holds too rarely at baseline for a loss to show.
    pub fn holds_rarely(&self, assertion: usize) -> bool {
        !self.tally(Arm::Baseline, assertion).mostly_passes()
    }

    fn inert<'f>(&self, assertions: &'f [AssertionFinding]) -> impl Iterator<Item = (usize, &'f AssertionFinding)> {
        assertions.iter().enumerate().filter(|(_, one)| one.verdict == AssertionVerdict::Inert)
    }

    /// Slots that each arm must have before the next decision.
    fn needs(&self) -> Vec<(Arm, usize)> {
        if self.setup.operators.is_empty() {
            return vec![];
        }
        let mut needs = vec![];
        let mut settled = vec![];
        for assertion in 0..self.setup.assertions {
            match self.progress(assertion) {
                Progress::Needs(more) => needs.extend(more),
                Progress::Settled(finding) => settled.push(finding),
            }
        }
        if !needs.is_empty() || settled.len() < self.setup.assertions {
            return needs;
        }
        let (verdict, _) = self.case_verdict(&settled);
        let all_inert = settled.iter().all(|one| {
            matches!(one.verdict, AssertionVerdict::Inert | AssertionVerdict::Broken | AssertionVerdict::Vacuous)
        }) && verdict != CaseVerdict::BaselineFailing
            && self.setup.operators.contains(&Arm::Delete);
        if all_inert {
            for (assertion, _) in self.inert(&settled) {
                if let Compared::Needs(more) = self.compare(Arm::Bare, assertion) {
                    needs.extend(more);
                }
            }
        }
        needs
    }

    fn progress(&self, assertion: usize) -> Progress {
        if self.vacuous.get(assertion) == Some(&true) {
            return settled(AssertionVerdict::Vacuous, None);
        }
        let first_look = self.first_look();
        let baseline = self.sequence(Arm::Baseline, assertion);
        if baseline.len() < first_look {
            return match self.spent(Arm::Baseline, assertion) {
                Some(why) => Progress::Settled(unproven(why)),
                None => {
                    let spoiled = self.prefix(Arm::Baseline).count() - baseline.len();
                    Progress::Needs(vec![(Arm::Baseline, first_look + spoiled)])
                }
            };
        }
        if !self.holds_at_first(assertion) {
            return settled(AssertionVerdict::Broken, None);
        }
        if self.setup.thorough {
            let mut needs = vec![];
            for arm in self.setup.operators.iter().copied() {
                if let Compared::Needs(more) = self.compare(arm, assertion) {
                    needs.extend(more);
                }
            }
            if !needs.is_empty() {
                return Progress::Needs(needs);
            }
        }
        let mut undecided = None;
        for arm in self.setup.operators.iter().copied() {
            match self.compare(arm, assertion) {
                Compared::Needs(more) => return Progress::Needs(more),
                Compared::Survived => {}
                Compared::Undecided(why) => undecided = undecided.or(Some(why)),
                Compared::Killed => {
                    return match self.compare(Arm::Control, assertion) {
                        Compared::Needs(more) => Progress::Needs(more),
                        // The reason says which earlier operator is still open: that the assertion fell under another
                        // does not show that the loss of the rule goes unnoticed.
                        Compared::Survived => Progress::Settled(AssertionFinding {
                            verdict: AssertionVerdict::Bites,
                            fell_under: Some(arm),
                            reason: undecided.map(|why| why.text),
                            cause: None,
                        }),
                        Compared::Killed => settled(AssertionVerdict::Brittle, Some(arm)),
                        Compared::Undecided(why) => Progress::Settled(AssertionFinding {
                            verdict: AssertionVerdict::Unproven,
                            fell_under: Some(arm),
                            reason: Some(format!("it fell under {arm}, but {}", why.text)),
                            cause: why.cause,
                        }),
                    };
                }
            }
        }
        match undecided {
            Some(why) => Progress::Settled(unproven(why)),
            None => settled(AssertionVerdict::Inert, None),
        }
    }

    fn test(&self, arm: Arm) -> &SequentialTest {
        if Arm::OPERATORS.contains(&arm) { &self.tests.operators } else { &self.tests.guards }
    }

    fn first_look(&self) -> usize {
        self.tests.operators.looks()[0]
    }

    fn holds_at_first(&self, assertion: usize) -> bool {
        let first_look = self.first_look();
        self.arms.get(&Arm::Baseline).is_some_and(|trials| trials.held_at_first(assertion, first_look))
    }

    /// Compares an arm with the baseline: see [`trials::compare`].
    fn compare(&self, arm: Arm, assertion: usize) -> Compared {
        let none = Trials::none();
        let of = |arm: Arm| self.arms.get(&arm).unwrap_or(&none);
        let (baseline, mutant) = (of(Arm::Baseline), of(arm));
        let side = |side: Side| if side == Side::Baseline { Arm::Baseline } else { arm };
        match trials::compare(self.test(arm), baseline, mutant, assertion) {
            trials::Compared::Killed => Compared::Killed,
            trials::Compared::Survived => Compared::Survived,
            trials::Compared::Needs(needs) => match &self.stopped {
                Some(reason) => Compared::Undecided(reason.clone().into()),
                None => Compared::Needs(needs.into_iter().map(|(of, slots)| (side(of), slots)).collect()),
            },
            trials::Compared::Spent(of, spent) => Compared::Undecided(match &self.stopped {
                Some(reason) => reason.clone().into(),
                None => Why::spent(side(of), spent),
            }),
            trials::Compared::Exhausted => {
                let (b, m) = (baseline.tally(assertion), mutant.tally(assertion));
                let judged = mutant.judged();
                let mut text = format!(
                    "{arm} is undecided after {judged} trials ({}/{} against {}/{})",
                    b.passes, b.trials, m.passes, m.trials
                );
                let lost = baseline.lost(assertion) + mutant.lost(assertion);
                if lost > 0 {
                    text.push_str(&format!("; {lost} could not be assessed"));
                }
                Compared::Undecided(text.into())
            }
        }
    }

    /// Why no more trials can settle this assertion in this arm, if so.
    fn spent(&self, arm: Arm, assertion: usize) -> Option<Why> {
        if let Some(reason) = &self.stopped {
            return Some(reason.clone().into());
        }
        let spent = self.arms.get(&arm)?.spent(assertion, self.first_look())?;
        Some(Why::spent(arm, spent))
    }

    /// The trials of an arm in order, up to the first that is still out.
    fn prefix(&self, arm: Arm) -> impl Iterator<Item = &Outcome> {
        self.arms.get(&arm).into_iter().flat_map(Trials::prefix)
    }

    fn sequence(&self, arm: Arm, assertion: usize) -> Vec<bool> {
        self.arms.get(&arm).map(|trials| trials.sequence(assertion)).unwrap_or_default()
    }
}

fn settled(verdict: AssertionVerdict, fell_under: Option<Arm>) -> Progress {
    Progress::Settled(AssertionFinding { verdict, fell_under, reason: None, cause: None })
}

fn unproven(why: Why) -> AssertionFinding {
    AssertionFinding { verdict: AssertionVerdict::Unproven, fell_under: None, reason: Some(why.text), cause: why.cause }
}

#[cfg(test)]
mod tests;
