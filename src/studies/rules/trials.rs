//! The trials of one arm, and an arm compared with the baseline.

use super::Outcome;
use crate::stats::{Judgement, SequentialTest, Tally};

/// After this many trials of an arm that settle nothing (errors, not assessable), the arm is given up.
const MAX_SPOILED: usize = 5;

/// The trials of one arm in the order of their numbers; those that are out have no outcome.
#[derive(Debug, Clone, Default)]
pub(super) struct Trials(Vec<Option<Outcome>>);

/// Why an arm can settle no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    /// So many of its trials were errors.
    Errors { errors: usize, trials: usize },
    /// So many of its trials showed nothing that the check could settle.
    NotAssessable { lost: usize, trials: usize },
}

impl Spent {
    /// The same for people.
    pub(super) fn text(self, arm: &str) -> String {
        match self {
            Spent::Errors { errors, trials } => format!("{errors} of {trials} trials of the {arm} arm were errors"),
            Spent::NotAssessable { lost, trials } => {
                format!("not assessable in {lost} of {trials} trials of the {arm} arm")
            }
        }
    }
}

/// One of two arms that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Baseline,
    Mutant,
}

/// What two arms say of one assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Compared {
    Killed,
    Survived,
    /// Slots that each side must have before the next look.
    Needs(Vec<(Side, usize)>),
    /// One side can settle no more.
    Spent(Side, Spent),
    /// All looks are used up.
    Exhausted,
}

impl Trials {
    pub(super) const fn none() -> Trials {
        Trials(Vec::new())
    }

    /// Trials that were asked for, errors and those that are still out among them.
    pub(super) fn asked(&self) -> usize {
        self.0.len()
    }

    pub(super) fn any_out(&self) -> bool {
        self.0.iter().any(Option::is_none)
    }

    /// Takes down as asked what is not there yet of so many slots; returns their numbers.
    pub(super) fn take(&mut self, slots: usize) -> std::ops::Range<usize> {
        let fresh = self.0.len()..slots.max(self.0.len());
        self.0.resize(fresh.end, None);
        fresh
    }

    pub(super) fn record(&mut self, at: usize, outcome: Outcome) {
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        self.0[at] = Some(outcome);
    }

    /// In order, up to the first that is still out.
    pub(super) fn prefix(&self) -> impl Iterator<Item = &Outcome> {
        self.0.iter().map_while(Option::as_ref)
    }

    /// Trials that ended in an error.
    pub(super) fn errors(&self) -> usize {
        self.prefix().filter(|outcome| **outcome == Outcome::Error).count()
    }

    /// Trials that the agent answered, assessable or not.
    pub(super) fn judged(&self) -> usize {
        self.prefix().count() - self.errors()
    }

    /// What one assertion said, where it could be assessed.
    pub(super) fn sequence(&self, assertion: usize) -> Vec<bool> {
        self.answers(assertion).flatten().collect()
    }

    pub(super) fn tally(&self, assertion: usize) -> Tally {
        Tally::of(&self.sequence(assertion))
    }

    /// Trials that were answered and say nothing of the assertion.
    pub(super) fn lost(&self, assertion: usize) -> usize {
        self.answers(assertion).filter(Option::is_none).count()
    }

    fn answers(&self, assertion: usize) -> impl Iterator<Item = Option<bool>> {
        self.prefix().filter_map(move |outcome| match outcome {
            Outcome::Judged(held) => Some(held.get(assertion).copied().flatten()),
            Outcome::Error => None,
        })
    }

    /// Trials in which every assessable assertion held, and all trials that were judged.
    pub(super) fn whole_case(&self) -> Tally {
        let judged = self.prefix().filter_map(|outcome| match outcome {
            Outcome::Judged(held) if held.iter().any(Option::is_some) => {
                Some(held.iter().all(|one| one.unwrap_or(true)))
            }
            _ => None,
        });
        Tally::of(&judged.collect::<Vec<bool>>())
    }

    /// Whether the assertion held in any of the first `look` trials that could be assessed.
    pub(super) fn held_at_first(&self, assertion: usize, look: usize) -> bool {
        self.sequence(assertion).iter().take(look).any(|held| *held)
    }

    /// Why no more trials can settle this assertion, if so: an arm whose agent answers with errors (all of the first
    /// three, or later most of more than five), or with nothing that can be assessed.
    pub(super) fn spent(&self, assertion: usize, first_look: usize) -> Option<Spent> {
        let (errors, trials) = (self.errors(), self.prefix().count());
        if (errors > MAX_SPOILED && 2 * errors > trials) || (errors >= 3 && errors == trials) {
            return Some(Spent::Errors { errors, trials });
        }
        let (judged, lost) = (self.judged(), self.lost(assertion));
        let most = lost > MAX_SPOILED && 2 * lost > judged;
        (most || (lost == judged && judged >= first_look)).then_some(Spent::NotAssessable { lost, trials: judged })
    }
}

/// Compares an arm with the baseline.
///
/// A trial that can't be assessed is not dropped: which trials can't be may depend on their outcome (a reply that is
/// cut can show a forbidden word, but never its absence). A kill must stand when they are counted against it, as
/// passes of the mutant and fails of the baseline, and a survival when they are counted the other way round.
pub(super) fn compare(test: &SequentialTest, baseline: &Trials, mutant: &Trials, assertion: usize) -> Compared {
    let completed = |trials: &Trials, lost: bool| -> Vec<bool> {
        trials.answers(assertion).map(|held| held.unwrap_or(lost)).collect()
    };
    let judge = |in_baseline, in_mutant| test.judge(&completed(baseline, in_baseline), &completed(mutant, in_mutant));
    let lost = baseline.lost(assertion) + mutant.lost(assertion);
    let against_a_kill = judge(false, true);
    let against_a_survival = if lost == 0 { against_a_kill } else { judge(true, false) };
    if matches!(against_a_kill, Judgement::Killed { .. }) {
        return Compared::Killed;
    }
    if matches!(against_a_survival, Judgement::Survived { .. }) {
        return Compared::Survived;
    }
    let mut needs = vec![];
    for judgement in [against_a_kill, against_a_survival] {
        let Judgement::Undecided { baseline: in_baseline, mutant: in_mutant } = judgement else { continue };
        for (side, trials, wanted) in [(Side::Baseline, baseline, in_baseline), (Side::Mutant, mutant, in_mutant)] {
            if trials.judged() < wanted {
                if let Some(spent) = trials.spent(assertion, test.looks()[0]) {
                    return Compared::Spent(side, spent);
                }
                needs.push((side, wanted + trials.errors()));
            }
        }
    }
    if needs.is_empty() { Compared::Exhausted } else { Compared::Needs(needs) }
}
