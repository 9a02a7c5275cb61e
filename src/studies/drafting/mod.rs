//! Asking a helper model for texts: each [`Job`] says what it wants and checks what comes, [`Drafting`] asks, and asks
//! again, with what was wrong so far.
//!
//! A helper's answer is a trial like any other: budget, retries and resume hold for it, the journal keeps it, and the same
//! question is never paid twice. It is trusted no more than any other text: a job refuses what does not hold, and after
//! [`MOST_ASKED`] answers it has to do with what it has. Nothing here knows what the texts are for.

mod answer;

use crate::agents::{InstructionFile, Request};
use crate::run::{Answer, Experiment, MutantNote, TrialId};
use crate::transcript::Transcript;

use answer::Unreadable;

/// How often a helper is asked for one job at most: once, and again for what did not hold.
pub const MOST_ASKED: u32 = 3;

/// Texts of one answer that are looked at, for each that was wanted.
const MOST_READ: usize = 4;

/// Some texts that a helper is to write.
pub trait Job {
    /// The name of the arm, in the journal.
    const ARM: &'static str;

    /// The name of the case, for the journal.
    fn case(&self) -> &str;
    /// What the helper is told.
    fn prompt(&self) -> InstructionFile;
    /// What it is asked: `taken` are texts that were written before, `refused` what was wrong with some of them.
    fn question(&self, taken: &[String], refused: &[String]) -> String;
    /// How many texts are still wanted. None ends the asking.
    fn wanted(&self) -> usize;
    /// Keeps a text, or says what is wrong with it, as the end of "2 of 4 …".
    fn take(&mut self, text: &str) -> Result<(), String>;
    /// Whether a text may stand in the next question, which it should not fill.
    fn shows_again(&self, text: &str) -> bool;
    /// Told where an answer was a list without a text in it.
    fn nothing_came(&mut self) {}
}

/// Asks a helper for the texts of some jobs; what became of them is asked of [`Drafting::finish`].
pub struct Drafting<J> {
    seed: u64,
    drafts: Vec<Draft<J>>,
}

/// One job and how far it is.
#[derive(Debug)]
pub struct Draft<J> {
    pub job: J,
    /// Trials in which the helper could not be asked, or its answer not be read.
    pub errors: u32,
    /// How many texts were read, and those of them, kept or not, that the next question shows.
    read: usize,
    taken: Vec<String>,
    /// What was wrong with texts, and with how many; in the order in which it was seen.
    refused: Vec<(String, usize)>,
    unreadable: Vec<(Unreadable, usize)>,
    asked: u32,
    state: State,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Asking,
    Done,
    /// The helper could not be asked, and asking again does not mend it.
    Failed(String),
    /// The run ended before.
    Stopped(String),
}

impl<J: Job> Drafting<J> {
    pub fn new(jobs: impl IntoIterator<Item = J>, seed: u64) -> Drafting<J> {
        Drafting { seed, drafts: jobs.into_iter().map(Draft::new).collect() }
    }

    /// What became of the jobs, in their order.
    pub fn finish(self) -> Vec<Draft<J>> {
        self.drafts
    }
}

impl<J: Job> Experiment for Drafting<J> {
    fn start(&mut self) -> Vec<TrialId> {
        let open = self.drafts.iter().enumerate().filter(|(_, draft)| draft.state == State::Asking);
        open.map(|(subject, _)| TrialId { subject, number: 0, arm: 0 }).collect()
    }

    fn request(&self, trial: &TrialId) -> Request {
        let draft = &self.drafts[trial.subject];
        let refused: Vec<String> = draft.refused.iter().map(|(why, _)| why.clone()).collect();
        Request {
            case: draft.job.case().to_owned(),
            arm: J::ARM.to_owned(),
            trial: trial.number,
            seed: self.seed,
            input: draft.job.question(&draft.taken, &refused),
            conversation: vec![],
            fixtures: serde_json::Value::Null,
            instructions: [draft.job.prompt()].into(),
        }
    }

    fn mutant(&self, _trial: &TrialId) -> Option<MutantNote> {
        None
    }

    fn observe(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        let draft = &mut self.drafts[trial.subject];
        draft.asked += 1;
        match answer {
            Ok(transcript) => draft.read(transcript),
            // What asking again can mend, the engine asked again; the next run asks it anew.
            Err(error) => {
                draft.errors += 1;
                draft.state = State::Failed(format!("the helper could not be asked: {}", error.message));
            }
        }
        if draft.state == State::Asking && trial.number + 1 < MOST_ASKED {
            return vec![TrialId { number: trial.number + 1, ..trial.clone() }];
        }
        vec![]
    }

    fn stop(&mut self, reason: &str) {
        for draft in self.drafts.iter_mut().filter(|draft| draft.state == State::Asking && draft.asked < MOST_ASKED) {
            draft.state = State::Stopped(reason.to_owned());
        }
    }
}

impl<J: Job> Draft<J> {
    fn new(job: J) -> Draft<J> {
        let state = if job.wanted() == 0 { State::Done } else { State::Asking };
        Draft { job, errors: 0, read: 0, taken: vec![], refused: vec![], unreadable: vec![], asked: 0, state }
    }

    /// Whether the run ended before the helper had been asked often enough.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, State::Stopped(_))
    }

    /// Whether the helper could not be asked.
    pub fn is_failed(&self) -> bool {
        matches!(self.state, State::Failed(_))
    }

    fn read(&mut self, transcript: &Transcript) {
        match answer::texts(transcript.reply.as_deref().unwrap_or_default(), transcript.truncated) {
            Ok(texts) => {
                if texts.is_empty() {
                    self.job.nothing_came();
                }
                // Each kept text leaves one less to be wanted.
                let most = (self.job.wanted() + self.kept()) * MOST_READ;
                texts.into_iter().take(most).for_each(|text| self.take(text));
            }
            Err(reason) => {
                self.errors += 1;
                count(&mut self.unreadable, reason);
            }
        }
        if self.job.wanted() == 0 {
            self.state = State::Done;
        }
    }

    /// Texts that the job has kept so far.
    fn kept(&self) -> usize {
        self.read - self.refused.iter().map(|(_, times)| times).sum::<usize>()
    }

    /// Texts beyond what was wanted are not looked at.
    fn take(&mut self, text: String) {
        if self.job.wanted() == 0 {
            return;
        }
        self.read += 1;
        let shown = self.job.shows_again(&text);
        if let Err(reason) = self.job.take(&text) {
            count(&mut self.refused, reason);
        }
        if shown {
            self.taken.push(text);
        }
    }

    /// Why there are fewer than wanted: `2 of 4 lost `#4021`; 1 of 3 answers held no JSON array of texts`.
    pub fn why(&self) -> String {
        let mut parts: Vec<String> = vec![];
        if let State::Failed(reason) | State::Stopped(reason) = &self.state {
            parts.push(reason.clone());
        }
        let read = self.read;
        parts.extend(self.refused.iter().map(|(why, times)| format!("{times} of {read} {why}")));
        let asked = if self.asked == 1 { "1 answer".to_owned() } else { format!("{} answers", self.asked) };
        parts.extend(self.unreadable.iter().map(|(why, times)| format!("{times} of {asked} {why}")));
        if parts.is_empty() {
            parts.push(format!("{asked} held {read} text{}", if read == 1 { "" } else { "s" }));
        }
        parts.join("; ")
    }
}

fn count<T: PartialEq>(counts: &mut Vec<(T, usize)>, of: T) {
    match counts.iter_mut().find(|(known, _)| *known == of) {
        Some((_, times)) => *times += 1,
        None => counts.push((of, 1)),
    }
}
