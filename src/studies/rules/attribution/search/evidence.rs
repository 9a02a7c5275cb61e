//! What was asked in each arm, round by round, and what it says of a set.

use std::collections::BTreeMap;

use super::{Given, ROUNDS, SEARCH, Search};
use crate::stats::Tally;
use crate::studies::rules::Outcome;
use crate::studies::rules::attribution::minimise::Set;
use crate::studies::rules::attribution::verdict::Verdict;
use crate::studies::rules::trials::{Compared, Side, Spent, Trials, compare};

/// The trials of one arm: those that search, and those of each confirmation.
#[derive(Debug, Clone)]
pub(super) struct ArmTrials {
    pub(super) given: Given,
    pub(super) rounds: BTreeMap<usize, Trials>,
    /// Round and slot of each trial, by its number.
    pub(super) places: Vec<(usize, usize)>,
}

/// Slots that an arm must have in one round.
pub(super) type Need = (Given, usize, usize);

pub(super) enum Halt {
    Needs(Vec<Need>),
    Stopped(String),
}

pub(super) type Step<T> = Result<T, Halt>;

/// What deleting a set does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    Falls,
    Holds,
    Unsettled(Why),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Why {
    pub(super) text: String,
    pub(super) errors: bool,
}

impl Search {
    /// Records what a trial that [`Search::wanted`] named has said.
    pub fn observe(&mut self, arm: usize, number: u32, outcome: Outcome) {
        let arm = &mut self.arms[arm];
        let Some((round, slot)) = arm.places.get(number as usize).copied() else { return };
        arm.rounds.entry(round).or_default().record(slot, outcome);
    }

    /// This arm can't be made: its trials that are wanted will not come.
    pub fn refuse(&mut self, arm: usize, why: &str) {
        let arm = &mut self.arms[arm];
        (arm.rounds, arm.places) = (BTreeMap::new(), vec![]);
        if let Given::Without(set) = &arm.given {
            self.refused.insert(set.clone(), why.to_owned());
        }
    }

    /// No more trials will come, for this reason.
    pub fn stop(&mut self, reason: &str) {
        self.stopped.get_or_insert(reason.to_owned());
    }

    /// Trials that were asked for, in all arms.
    pub fn asked(&self) -> usize {
        self.arms.iter().map(|arm| arm.places.len()).sum()
    }

    /// How many arms came up.
    pub fn arms(&self) -> usize {
        self.arms.len()
    }

    /// Passes and trials of one assertion in all rounds of an arm, or those of one round.
    pub fn tally(&self, given: &Given, round: Option<usize>, assertion: usize) -> Tally {
        let mut tally = Tally::default();
        let Some(arm) = self.arms.iter().find(|arm| arm.given == *given) else { return tally };
        for (_, trials) in arm.rounds.iter().filter(|(at, _)| round.is_none_or(|round| round == **at)) {
            let one = trials.tally(assertion);
            tally = Tally { passes: tally.passes + one.passes, trials: tally.trials + one.trials };
        }
        tally
    }

    /// Trials of an arm in which every assessable assertion held, and all trials that were judged.
    pub fn whole_case(&self, arm: usize) -> Tally {
        let rounds = self.arms[arm].rounds.values().map(Trials::whole_case);
        rounds.fold(Tally::default(), |a, b| Tally { passes: a.passes + b.passes, trials: a.trials + b.trials })
    }

    /// Trials of an arm that ended in an error.
    pub fn errors(&self, arm: usize) -> usize {
        self.arms[arm].rounds.values().map(Trials::errors).sum()
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.arms.iter().flat_map(|arm| arm.rounds.values()).any(Trials::any_out)
    }

    pub(super) fn place_of(&mut self, given: Given) -> usize {
        self.arms.iter().position(|arm| arm.given == given).unwrap_or_else(|| {
            self.arms.push(ArmTrials { given, rounds: BTreeMap::new(), places: vec![] });
            self.arms.len() - 1
        })
    }

    /// Compares an arm with the baseline: it falls if any of the assertions falls, and holds if all of them do.
    pub(super) fn compared(&self, given: &Given, baseline: usize, round: usize, targets: &[usize]) -> Step<Effect> {
        if let Given::Without(set) = given
            && let Some(reason) = self.refused.get(set)
        {
            return Ok(Effect::Unsettled(Why { text: reason.clone(), errors: false }));
        }
        let (base, arm) = (self.trials(&Given::Baseline, baseline), self.trials(given, round));
        let name = self.name(given);
        let (mut needs, mut why) = (vec![], None);
        for assertion in targets.iter().copied() {
            match compare(&self.test, base, arm, assertion) {
                Compared::Killed => return Ok(Effect::Falls),
                Compared::Survived => {}
                Compared::Needs(more) => needs.extend(more.into_iter().map(|(side, slots)| match side {
                    Side::Baseline => (Given::Baseline, baseline, slots),
                    Side::Mutant => (given.clone(), round, slots),
                })),
                Compared::Spent(side, spent) => {
                    let name = if side == Side::Baseline { "baseline" } else { &name };
                    let errors = matches!(spent, Spent::Errors { .. });
                    why = why.or(Some(Why { text: spent.text(name), errors }));
                }
                Compared::Exhausted => {
                    let (b, m) = (base.tally(assertion), arm.tally(assertion));
                    let mut text = format!(
                        "{name} is undecided after {} trials ({}/{} against {}/{})",
                        arm.judged(),
                        b.passes,
                        b.trials,
                        m.passes,
                        m.trials
                    );
                    let more = self.test.more_needed(&base.sequence(assertion), &arm.sequence(assertion));
                    if let Some(more) = more.filter(|more| *more > 0) {
                        text.push_str(&format!(
                            "; about {more} more an arm would settle it, if the rates stay as seen"
                        ));
                    }
                    why = why.or(Some(Why { text, errors: false }));
                }
            }
        }
        match why {
            _ if !needs.is_empty() => Err(self.halt(needs)),
            Some(why) => Ok(Effect::Unsettled(why)),
            None => Ok(Effect::Holds),
        }
    }

    /// How a reason calls an arm.
    fn name(&self, given: &Given) -> String {
        match given {
            Given::Baseline => "baseline".to_owned(),
            Given::Control => "control".to_owned(),
            Given::Bare => "bare".to_owned(),
            Given::Without(set) if set.iter().copied().eq(0..self.plan.quoted) => "delete".to_owned(),
            Given::Without(set) if set.len() == 1 => "without one statement".to_owned(),
            Given::Without(set) => format!("without {} statements", set.len()),
        }
    }

    pub(super) fn trials(&self, given: &Given, round: usize) -> &Trials {
        static NONE: Trials = Trials::none();
        let arm = self.arms.iter().find(|arm| arm.given == *given);
        arm.and_then(|arm| arm.rounds.get(&round)).unwrap_or(&NONE)
    }

    pub(super) fn kills(&self, given: &Given, round: usize, assertion: usize) -> bool {
        let (base, arm) = (self.trials(&Given::Baseline, round), self.trials(given, round));
        compare(&self.test, base, arm, assertion) == Compared::Killed
    }

    /// The assertions that were seen to fall without a set, in whatever round.
    pub(super) fn killed(&self, set: &Set, holding: &[usize]) -> Vec<usize> {
        let given = Given::Without(set.clone());
        let falls = |assertion: &usize| (SEARCH..=ROUNDS).any(|round| self.kills(&given, round, *assertion));
        holding.iter().copied().filter(falls).collect()
    }

    /// Of the assertions that fall without a set, the one with the largest drop, by the trials that chose the set.
    pub(super) fn clearest(&self, set: &Set, holding: &[usize]) -> usize {
        let given = Given::Without(set.clone());
        let rate = |given: &Given, assertion: usize| self.tally(given, Some(SEARCH), assertion).rate().unwrap_or(1.0);
        let drop = |assertion: usize| rate(&Given::Baseline, assertion) - rate(&given, assertion);
        let killed = self.killed(set, holding);
        let first = killed.first().or(holding.first()).copied().unwrap_or(0);
        killed.into_iter().fold(first, |best, next| if drop(next) > drop(best) { next } else { best })
    }

    /// The smallest set that was seen to fall, and that no fresh trials contradicted.
    pub(super) fn bound(&self) -> Set {
        let assertions: Vec<usize> = (0..self.plan.assertions).collect();
        let falls = |arm: &&ArmTrials| {
            let Given::Without(set) = &arm.given else { return false };
            let base = |round: usize| self.trials(&Given::Baseline, round);
            let survives = |(round, trials): (&usize, &Trials), assertion: usize| {
                *round > SEARCH && compare(&self.test, base(*round), trials, assertion) == Compared::Survived
            };
            self.killed(set, &assertions)
                .into_iter()
                .any(|assertion| !arm.rounds.iter().any(|round| survives(round, assertion)))
        };
        let fallen = self.arms.iter().filter(falls).filter_map(|arm| match &arm.given {
            Given::Without(set) => Some(set.clone()),
            _ => None,
        });
        fallen.min_by_key(Set::len).unwrap_or_default()
    }

    pub(super) fn halt(&self, needs: Vec<Need>) -> Halt {
        match &self.stopped {
            Some(reason) => Halt::Stopped(reason.clone()),
            None => Halt::Needs(needs),
        }
    }
}

impl Why {
    pub(super) fn verdict(&self) -> Verdict {
        if self.errors { Verdict::Error } else { Verdict::Unproven }
    }
}
