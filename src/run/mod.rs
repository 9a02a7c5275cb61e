//! The engine: asks agents, keeps the journal. The only folder that spawns tasks. It knows nothing of rules or
//! phrasings: an [`Experiment`] says which trials it wants, and is told what became of them.

mod attempt;
mod budget;
mod docket;
mod engine;
mod hearing;
mod journal;
mod key;
#[cfg(test)]
mod tests;

pub use attempt::Retrying;
pub use budget::{Budget, Leave, Spent, StopReason, dollars, price_of};
pub use engine::{Engine, Progress, block_on, run};
pub use hearing::{Hearing, recorded_rulings};
pub use journal::{Entry, Journal, JournalError, MutantNote, RulingRecord, TrialRecord};
pub use key::{Key, agent_digest, asked_digest, key_of, ruling_key, short_digest};

use std::sync::Arc;

use crate::agents::{AskError, Request};
use crate::matchers::Question;
use crate::transcript::Transcript;

/// One trial of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrialId {
    /// Which of the experiment's subjects it belongs to. Lower ones are asked first, so that a budget finishes cases
    /// rather than begins them.
    pub subject: usize,
    /// From 0 within its arm.
    pub number: u32,
    /// Which of the experiment's arms, by a numbering of its own.
    pub arm: usize,
}

/// What became of a trial.
pub type Answer = Result<Transcript, AskError>;

/// A source of trials. It does no I/O: the engine asks for it.
pub trait Experiment {
    /// The first trials.
    fn start(&mut self) -> Vec<TrialId>;
    /// What to send for a trial.
    fn request(&self, trial: &TrialId) -> Request;
    /// The change that the trial's arm makes to the instructions, for people who look into the journal later.
    fn mutant(&self, trial: &TrialId) -> Option<MutantNote>;
    /// What must be asked outside before the answer to this trial can be judged; the answers lie beside the transcript
    /// that [`Experiment::observe`] gets.
    fn questions(&self, trial: &TrialId) -> Vec<Arc<Question>> {
        let _ = trial;
        vec![]
    }
    /// Records an answer; returns the trials that are wanted because of it.
    fn observe(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId>;
    /// No more trials will be run, for this reason.
    fn stop(&mut self, reason: &str);
}
