//! The search for one subject's carrying set, as a pure state machine over outcomes.
//!
//! The search is written as if every answer were there at once, and is run again from its start after each answer: where
//! one is missing, it ends with what it needs. So its state is the outcomes alone, and what finished first never matters.

mod evidence;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::evidence::{ArmTrials, Effect, Halt, Step, Why};
use super::minimise::{Set, minimise};
use super::verdict::{Finding, Needed, Verdict};
use crate::stats::{SequentialTest, Tally};
use crate::studies::rules::trials::Spent;

/// The quoted rule is first deleted together with so many of the statements that are most like it.
pub(super) const NEAR: usize = 7;
/// How often a set is confirmed with fresh trials before the search is given up; alpha is split over them.
pub(super) const ROUNDS: usize = 2;
/// The round of trials that searches; those that confirm come after it.
const SEARCH: usize = 0;
/// The round that confirms what the case needs.
const NEED: usize = ROUNDS + 1;

/// What an agent is given in one arm.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Given {
    /// The instructions as they are.
    Baseline,
    /// Without these candidates.
    Without(Set),
    /// Without an unrelated rule.
    Control,
    /// No instructions at all.
    Bare,
}

/// What is fixed before any trial.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How many assertions the case has; at least 1.
    pub assertions: usize,
    /// Which of them cannot fail at all; none where it is empty.
    pub vacuous: Vec<bool>,
    /// Candidates, the likely ones first: those of the quoted rule, then all other statements, then what is deleted only
    /// where no statement carries anything. Each number counts those before it in.
    pub quoted: usize,
    pub statements: usize,
    pub all: usize,
    /// Headings, each with the statements that stand below it up to the next one: where all of these go, so does it.
    pub sections: Vec<(usize, Set)>,
    /// The candidates that the control deletes.
    pub control: Set,
    /// Ask as well which statements are enough.
    pub needed: bool,
}

/// The state machine. Costs nothing to clone, replay or simulate.
#[derive(Debug, Clone)]
pub struct Search {
    plan: Plan,
    test: Arc<SequentialTest>,
    arms: Vec<ArmTrials>,
    /// Sets that can't be deleted together, and why.
    refused: BTreeMap<Set, String>,
    stopped: Option<String>,
}

/// What is known of the sets so far, by fresh trials that contradicted the search: whether they fall.
type Known = BTreeMap<Set, bool>;

enum Confirmed {
    Ends(Finding),
    Contradicted(Set, bool),
}

impl Search {
    /// `test` must be calibrated for [`ROUNDS`] comparisons.
    pub fn new(plan: Plan, test: Arc<SequentialTest>) -> Search {
        Search { plan, test, arms: vec![], refused: BTreeMap::new(), stopped: None }
    }

    /// The trials to ask for next, as arm and number; arms are numbered as they come up, see [`Search::given`]. Empty when
    /// the verdict stands, and while any trial is out.
    pub fn wanted(&mut self) -> Vec<(usize, u32)> {
        if self.stopped.is_some() || self.is_waiting() {
            return vec![];
        }
        let Err(Halt::Needs(needs)) = self.run() else { return vec![] };
        let mut fresh = vec![];
        for (given, round, slots) in needs {
            let at = self.place_of(given);
            let arm = &mut self.arms[at];
            for slot in arm.rounds.entry(round).or_default().take(slots) {
                fresh.push((slot, at, arm.places.len() as u32));
                arm.places.push((round, slot));
            }
        }
        fresh.sort_unstable();
        fresh.into_iter().map(|(_, arm, number)| (arm, number)).collect()
    }

    /// What an arm gives to the agent.
    pub fn given(&self, arm: usize) -> &Given {
        &self.arms[arm].given
    }

    pub fn is_settled(&self) -> bool {
        self.stopped.is_some() || (!self.is_waiting() && self.run().is_ok())
    }

    /// The verdict on what was seen so far.
    pub fn finding(&self) -> Finding {
        match self.run() {
            Ok(finding) => finding,
            Err(Halt::Stopped(reason)) => self.unproven(reason),
            Err(Halt::Needs(_)) => self.unproven("trials are still out".to_owned()),
        }
    }

    /// What shows that it is these statements that are missed, and not any that are gone: the control, or in place of one that
    /// is among them the least likely statement of all. `None` where there is no other statement.
    pub fn control_of(&self, set: &Set) -> Option<Given> {
        if self.plan.control.is_disjoint(set) {
            return Some(Given::Control);
        }
        let last = (self.plan.quoted..self.plan.statements).rev().find(|one| !set.contains(one));
        last.map(|one| Given::Without([one].into()))
    }

    /// How many assertions the case has.
    pub fn assertions(&self) -> usize {
        self.plan.assertions
    }

    fn run(&self) -> Step<Finding> {
        let holding = match self.holding()? {
            Ok(holding) => holding,
            Err(ending) => return Ok(ending),
        };
        let mut known = Known::new();
        for round in 1..=ROUNDS {
            let set = match self.search(&holding, &known)? {
                Ok(set) => set,
                Err(ending) => return Ok(ending),
            };
            match self.confirm(&holding, set, round)? {
                Confirmed::Ends(finding) => return self.with_needed(finding),
                Confirmed::Contradicted(set, falls) => known.insert(set, falls),
            };
        }
        Ok(self.unproven(format!("fresh trials contradicted the search {ROUNDS} times")))
    }

    /// The assertions that held in any of the first baseline trials; the others can't be lost.
    fn holding(&self) -> Step<Result<Vec<usize>, Finding>> {
        let look = self.test.looks()[0];
        let baseline = self.trials(&Given::Baseline, SEARCH);
        let (mut holding, mut needs, mut spent) = (vec![], vec![], None);
        let can_fail = |assertion: &usize| self.plan.vacuous.get(*assertion) != Some(&true);
        let able: Vec<usize> = (0..self.plan.assertions).filter(can_fail).collect();
        for assertion in able.iter().copied() {
            let assessed = baseline.sequence(assertion).len();
            if assessed >= look {
                if baseline.held_at_first(assertion, look) {
                    holding.push(assertion);
                }
            } else if let Some(why) = baseline.spent(assertion, look) {
                spent = spent.or(Some(why));
            } else {
                needs.push((Given::Baseline, SEARCH, look + baseline.prefix().count() - assessed));
            }
        }
        if !needs.is_empty() {
            return Err(self.halt(needs));
        }
        let ending = |verdict: Verdict, reason: Option<String>| Ok(Err(Finding::new(verdict, reason)));
        match spent {
            _ if able.is_empty() => ending(Verdict::Unproven, Some("no assertion of this case can fail".to_owned())),
            Some(why @ Spent::Errors { .. }) => ending(Verdict::Error, Some(why.text("baseline"))),
            Some(why) if holding.is_empty() => ending(Verdict::Unproven, Some(why.text("baseline"))),
            _ if holding.is_empty() => ending(Verdict::BaselineFailing, None),
            _ => Ok(Ok(holding)),
        }
    }

    /// A set that falls, as small as the search trials can tell; or how it ends without one.
    fn search(&self, holding: &[usize], known: &Known) -> Step<Result<Set, Finding>> {
        let mut lacking: Vec<Set> = known.iter().filter(|(_, falls)| !**falls).map(|(set, _)| set.clone()).collect();
        let fallen = known.iter().filter(|(_, falls)| **falls).map(|(set, _)| set).min_by_key(|set| set.len());
        let whole = match fallen {
            Some(set) => set.clone(),
            None => match self.hypotheses(holding, known, &mut lacking)? {
                Ok(set) => set,
                Err(ending) => return Ok(Err(ending)),
            },
        };
        let targets = self.killed(&whole, holding);
        let targets = if targets.is_empty() { holding.to_vec() } else { targets };
        let order: Vec<usize> = whole.iter().copied().collect();
        let mut falls = |set: &Set| Ok(self.effect(set, &targets, known)? == Effect::Falls);
        let found = minimise(&order, &mut lacking, &mut falls)?;
        // The heading goes with the last statement below it, and may be what was missed.
        let emptied = self.plan.sections.iter().filter(|(_, below)| below.len() > 1 && below.is_subset(&found));
        for (heading, _) in emptied {
            if falls(&Set::from([*heading]))? {
                return Ok(Ok([*heading].into()));
            }
        }
        Ok(Ok(found))
    }

    /// The first of the growing sets that falls: the quoted rule, the rule with what is like it, all statements, everything.
    fn hypotheses(&self, holding: &[usize], known: &Known, lacking: &mut Vec<Set>) -> Step<Result<Set, Finding>> {
        let Plan { quoted, statements, all, .. } = self.plan;
        let near = (quoted + NEAR).min(statements);
        let mut sizes = vec![quoted, near, statements];
        sizes.dedup();
        let mut last = Effect::Holds;
        for size in sizes.into_iter().filter(|size| *size > 0) {
            let set: Set = (0..size).collect();
            last = self.effect(&set, holding, known)?;
            match last {
                Effect::Falls => return Ok(Ok(set)),
                Effect::Holds => lacking.push(set),
                Effect::Unsettled(_) => {}
            }
        }
        if let Effect::Unsettled(why) = last {
            return Ok(Err(self.open(why)));
        }
        match self.compared(&Given::Bare, SEARCH, SEARCH, holding)? {
            Effect::Unsettled(why) => return Ok(Err(self.open(why))),
            Effect::Holds => return Ok(Err(self.default_of_the_model(holding))),
            Effect::Falls => {}
        }
        let everything: Set = (0..all).collect();
        if all > statements {
            match self.effect(&everything, holding, known)? {
                Effect::Falls => return Ok(Ok(everything)),
                Effect::Unsettled(why) => return Ok(Err(self.open(why))),
                Effect::Holds => {}
            }
        }
        let reason = "it falls without any instructions, but holds without all statements, headings and code: what is \
                      left of the files carries it, or that there are any";
        Ok(Err(Finding::new(Verdict::Unproven, Some(reason.to_owned()))))
    }

    fn default_of_the_model(&self, holding: &[usize]) -> Finding {
        let rarely = |assertion: &&usize| !self.tally(&Given::Baseline, None, **assertion).mostly_passes();
        match holding.iter().find(rarely) {
            None => Finding::new(Verdict::ModelDefault, None),
            Some(assertion) => {
                let Tally { passes, trials } = self.tally(&Given::Baseline, None, *assertion);
                let reason = format!("it holds in {passes} of {trials} baseline trials: too rarely for a loss to show");
                Finding::new(Verdict::Unproven, Some(reason))
            }
        }
    }

    /// What chose a set is no evidence: the set, and every part of it, are asked again with a fresh baseline.
    fn confirm(&self, holding: &[usize], set: Set, round: usize) -> Step<Confirmed> {
        let target = self.clearest(&set, holding);
        let found = |verdict: Verdict, reason: Option<String>, set: &Set| Finding {
            set: set.clone(),
            round,
            target: Some(target),
            ..Finding::new(verdict, reason)
        };
        match self.compared(&Given::Without(set.clone()), round, round, &[target])? {
            Effect::Falls => {}
            Effect::Holds => return Ok(Confirmed::Contradicted(set, false)),
            Effect::Unsettled(why) => {
                return Ok(Confirmed::Ends(found(why.verdict(), Some(why.text), &set)));
            }
        }
        let mut parts: Vec<(Given, usize)> = vec![];
        if set.len() > 1 {
            let without = |one: &usize| Given::Without(set.iter().filter(|other| *other != one).copied().collect());
            parts.extend(set.iter().map(|one| (without(one), round)));
        }
        let control = self.control_of(&set);
        parts.extend(control.iter().map(|control| (control.clone(), SEARCH)));
        let (mut needs, mut open, mut brittle) = (vec![], None, false);
        for (given, own) in parts {
            let mut effect = match self.compared(&given, round, own, &[target]) {
                Ok(effect) => effect,
                Err(Halt::Needs(more)) => {
                    needs.extend(more);
                    continue;
                }
                Err(stopped) => return Err(stopped),
            };
            if let Given::Without(smaller) = &given
                && control.as_ref() != Some(&given)
            {
                // Another assertion may need less than the target does.
                if holding.iter().any(|one| self.kills(&given, round, *one)) {
                    effect = Effect::Falls;
                }
                if effect == Effect::Falls {
                    return Ok(Confirmed::Contradicted(smaller.clone(), true));
                }
            }
            match effect {
                Effect::Falls => brittle = true,
                Effect::Holds => {}
                Effect::Unsettled(why) => open = open.or(Some(why)),
            }
        }
        if !needs.is_empty() {
            return Err(self.halt(needs));
        }
        Ok(Confirmed::Ends(match open {
            _ if brittle => found(Verdict::WrongReason, None, &set),
            Some(why) => found(why.verdict(), Some(why.text), &set),
            None => found(Verdict::Carried, None, &set),
        }))
    }

    /// The same question the other way round, where it was asked for: which statements are enough?
    fn with_needed(&self, finding: Finding) -> Step<Finding> {
        let Some(target) = finding.target.filter(|_| self.plan.needed && finding.verdict == Verdict::Carried) else {
            return Ok(finding);
        };
        let needed = match self.needed(&finding.set, target) {
            Ok(needed) => needed,
            Err(Halt::Stopped(reason)) => Needed { reason: Some(reason), ..Needed::default() },
            Err(halt) => return Err(halt),
        };
        Ok(Finding { needed: Some(needed), ..finding })
    }

    fn needed(&self, carrying: &Set, target: usize) -> Step<Needed> {
        let last = carrying.iter().next_back().map_or(0, |last| last + 1);
        let all: Set = (0..self.plan.statements.max(last)).collect();
        let without = |kept: &Set| Given::Without(all.difference(kept).copied().collect());
        let nothing = Known::new();
        let mut lacking = vec![];
        let keeps = |kept: &Set| -> Step<bool> {
            let deleted: Set = all.difference(kept).copied().collect();
            Ok(deleted.is_empty() || self.effect(&deleted, &[target], &nothing)? == Effect::Holds)
        };
        // Alone, one of those that carry is enough as a rule.
        let first: Set = carrying.iter().take(1).copied().collect();
        let kept = if keeps(&first)? {
            first
        } else {
            lacking.push(first);
            let order: Vec<usize> = carrying.iter().chain(all.difference(carrying)).copied().collect();
            minimise(&order, &mut lacking, &mut { keeps })?
        };
        let mut needs = vec![];
        let mut open = None;
        let checks = kept
            .iter()
            .map(|one| (without(&kept.iter().filter(|other| *other != one).copied().collect()), Effect::Falls))
            .chain([(without(&kept), Effect::Holds)]);
        for (given, wanted) in checks {
            if given == Given::Without(Set::new()) {
                continue;
            }
            match self.compared(&given, NEED, NEED, &[target]) {
                Ok(effect) if effect == wanted => {}
                Ok(Effect::Unsettled(why)) => open = open.or(Some(why.text)),
                Ok(_) => open = open.or(Some("fresh trials contradicted the search".to_owned())),
                Err(Halt::Needs(more)) => needs.extend(more),
                Err(stopped) => return Err(stopped),
            }
        }
        match needs.is_empty() {
            true => Ok(Needed { settled: open.is_none(), set: kept, reason: open }),
            false => Err(self.halt(needs)),
        }
    }

    fn effect(&self, set: &Set, targets: &[usize], known: &Known) -> Step<Effect> {
        if let Some(falls) = known.get(set) {
            return Ok(if *falls { Effect::Falls } else { Effect::Holds });
        }
        self.compared(&Given::Without(set.clone()), SEARCH, SEARCH, targets)
    }

    fn open(&self, why: Why) -> Finding {
        Finding { verdict: why.verdict(), ..self.unproven(why.text) }
    }

    fn unproven(&self, reason: String) -> Finding {
        Finding { set: self.bound(), ..Finding::new(Verdict::Unproven, Some(reason)) }
    }
}

#[cfg(test)]
mod tests;
