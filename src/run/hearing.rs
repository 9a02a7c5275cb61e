//! Rulings on transcripts that are there already: no agent is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tokio::task::JoinSet;

use super::attempt::{Pace, Retrying};
use super::docket::{Docket, Ruled};
use super::engine::{listen_for_interrupts, panicked};
use super::{Budget, Journal, Progress, Spent, StopReason, ruling_key};
use crate::matchers::Question;
use crate::rulings::Referees;
use crate::suite::Price;
use crate::transcript::Transcript;

/// Asks for rulings on transcripts from wherever: labels of people, probes, recorded trials.
pub struct Hearing {
    pub referees: Arc<Referees>,
    pub journal: Journal,
    /// Questions in flight at once, at least 1.
    pub jobs: usize,
    pub retrying: Retrying,
    pub requests_per_minute: Option<u64>,
    pub budget: Budget,
    pub prices: Vec<Price>,
}

impl Hearing {
    /// Lays what was said beside every transcript, in place. Where the run ends early, those that were not asked about
    /// have no ruling and are not assessable. Blocks; Ctrl-C as in [`super::block_on`].
    pub fn block_on(
        &mut self,
        transcripts: &mut [(Vec<Arc<Question>>, Transcript)],
        progress: &dyn Progress,
    ) -> std::io::Result<Spent> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        Ok(runtime.block_on(self.run(transcripts, progress)))
    }

    async fn run(&mut self, transcripts: &mut [(Vec<Arc<Question>>, Transcript)], progress: &dyn Progress) -> Spent {
        let began = Instant::now();
        let mut interrupts = listen_for_interrupts();
        let pace = Arc::new(Pace::new(self.requests_per_minute));
        let stopping = Arc::new(AtomicBool::new(false));
        let mut spent = Spent::default();
        let mut docket: Docket<usize> = Docket::new(Arc::clone(&self.referees));
        for (at, (questions, transcript)) in transcripts.iter_mut().enumerate() {
            let filed = docket.file(at, std::mem::take(transcript), questions, &mut self.journal, &mut spent);
            if let Some((_, ready)) = filed {
                *transcript = ready;
            }
        }
        let mut running: JoinSet<Ruled> = JoinSet::new();
        let mut tasks = std::collections::HashMap::new();
        loop {
            while spent.stopped.is_none() && running.len() < self.jobs.max(1) && docket.queued() > 0 {
                if !self.budget.affords(&spent) {
                    spent.stopped = Some(self.budget.cost_reached());
                    break;
                }
                let Some((key, asking)) = docket.next(&pace, &stopping, &self.retrying) else { break };
                tasks.insert(running.spawn(asking).id(), key);
            }
            stopping.store(spent.stopped == Some(StopReason::Interrupted), Ordering::Relaxed);
            spent.elapsed = began.elapsed();
            // To whoever watches, rulings are what is asked here.
            let (calls, reused) = (spent.rulings + running.len() as u64, spent.rulings_reused);
            let shown = Spent { calls, reused, errors: spent.ruling_errors, ..spent.clone() };
            progress.update(&shown, docket.queued(), running.len());
            if running.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                Some(()) = interrupts.recv() => {
                    if spent.stopped == Some(StopReason::Interrupted) {
                        running.shutdown().await;
                        break;
                    }
                    spent.stopped = Some(StopReason::Interrupted);
                }
                Some(joined) = running.join_next_with_id() => {
                    let ruled = match joined {
                        Ok((_, ruled)) => ruled,
                        Err(error) => match tasks.get(&error.id()) {
                            Some(key) => Ruled::lost(*key, panicked(&error)),
                            None => continue,
                        },
                    };
                    let (ready, failed) = docket.ruled(ruled, &mut self.journal, &mut spent, &self.prices);
                    if let Some(error) = failed {
                        spent.stopped.get_or_insert(StopReason::Journal(error.to_string()));
                    }
                    for (at, transcript) in ready {
                        transcripts[at].1 = transcript;
                    }
                }
            }
        }
        for (at, transcript) in docket.give_up() {
            transcripts[at].1 = transcript;
        }
        docket.rest().await;
        spent.elapsed = began.elapsed();
        spent
    }
}

/// Lays beside a transcript what the journal has on these questions; asks nobody.
pub fn recorded_rulings(
    referees: &Referees,
    journal: &mut Journal,
    questions: &[Arc<Question>],
    transcript: &mut Transcript,
) {
    for question in questions {
        if let Some(ruling) = journal.ruling(ruling_key(referees, question, transcript)) {
            transcript.rulings.insert(question.digest(), Ok(ruling));
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
