//! What was asked and what it said, arm by arm.

use std::collections::BTreeMap;

use super::{Arm, Outcome};

/// After this many trials of an arm that settle nothing (errors, not assessable), the arm is given up.
const MAX_SPOILED: usize = 5;
/// So many trials without a single one that can be assessed are enough to give up.
const DEAD: usize = 3;

#[derive(Debug, Clone, Default)]
pub(super) struct Trials {
    arms: BTreeMap<Arm, Vec<Option<Outcome>>>,
}

impl Trials {
    /// Is any trial out?
    pub fn any_out(&self) -> bool {
        self.arms.values().flatten().any(Option::is_none)
    }

    /// Takes down as asked what is not there yet of so many slots an arm; by trial number, arms in turn.
    pub fn take(&mut self, needs: Vec<(Arm, usize)>) -> Vec<(Arm, u32)> {
        let mut fresh = vec![];
        for (arm, target) in needs {
            let slots = self.arms.entry(arm).or_default();
            for number in slots.len()..target {
                fresh.push((arm, number as u32));
                slots.push(None);
            }
        }
        fresh.sort_by_key(|(arm, number)| (*number, *arm));
        fresh
    }

    pub fn observe(&mut self, arm: Arm, trial: u32, outcome: Outcome) {
        let slots = self.arms.entry(arm).or_default();
        let at = trial as usize;
        if slots.len() <= at {
            slots.resize(at + 1, None);
        }
        slots[at] = Some(outcome);
    }

    /// The slots that an arm must have so that it can have `wanted` trials that can be assessed; `None` where it has them
    /// or where no more can be had.
    pub fn ask(&self, arm: Arm, wanted: usize) -> Option<(Arm, usize)> {
        let assessed = self.assessed(arm).count();
        let spoiled = self.prefix(arm).count() - assessed;
        (assessed < wanted && self.dead(arm).is_none()).then_some((arm, wanted + spoiled))
    }

    /// Did the whole case hold: the trials of an arm in which that could be assessed, in order.
    pub fn held(&self, arm: Arm) -> Vec<bool> {
        self.assessed(arm).collect()
    }

    /// The first of them.
    pub fn first_held(&self, arm: Arm) -> Option<bool> {
        self.assessed(arm).next()
    }

    /// The same for its tool checks alone.
    pub fn tools(&self, arm: Arm) -> Vec<bool> {
        self.prefix(arm).filter_map(|outcome| outcome.tools()).collect()
    }

    pub fn errors(&self, arm: Arm) -> usize {
        self.prefix(arm).filter(|outcome| **outcome == Outcome::Error).count()
    }

    /// All that were asked for, errors and those that are out among them.
    pub fn asked(&self, arm: Arm) -> usize {
        self.arms.get(&arm).map_or(0, Vec::len)
    }

    /// Why no more can be had from an arm, if so.
    pub fn dead(&self, arm: Arm) -> Option<String> {
        if self.given_up(arm) {
            return Some(format!("the agent gave {} errors for {arm}", self.errors(arm)));
        }
        let judged = self.prefix(arm).count() - self.errors(arm);
        let silent = judged - self.assessed(arm).count();
        ((silent == judged && judged >= DEAD) || silent > MAX_SPOILED)
            .then(|| format!("not assessable in {silent} of {judged} trials of {arm}"))
    }

    /// An arm whose agent answers with errors: all of the first three, or more than five in all.
    pub fn given_up(&self, arm: Arm) -> bool {
        let errors = self.errors(arm);
        errors > MAX_SPOILED || (errors >= DEAD && errors == self.prefix(arm).count())
    }

    fn assessed(&self, arm: Arm) -> impl Iterator<Item = bool> {
        self.prefix(arm).filter_map(|outcome| outcome.held())
    }

    /// The trials of an arm in order, up to the first that is still out.
    fn prefix(&self, arm: Arm) -> impl Iterator<Item = &Outcome> {
        self.arms.get(&arm).into_iter().flatten().map_while(Option::as_ref)
    }
}
