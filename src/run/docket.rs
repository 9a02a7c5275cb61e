//! Transcripts that wait for rulings before they are judged.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::attempt::{Attempted, Attempts, Pace, Retrying};
use super::{Journal, JournalError, Key, RulingRecord, Spent, ruling_key};
use crate::agents::AskError;
use crate::matchers::{Ask, Question};
use crate::rulings::Referees;
use crate::suite::Price;
use crate::transcript::{Ruling, Transcript, Vote};

/// What waits (`Who`) for the rulings on its transcript. Every question is asked once for each distinct text that it is
/// about, however many wait for the answer, and never where the journal has it.
pub(super) struct Docket<Who> {
    referees: Arc<Referees>,
    waiting: HashMap<usize, Waiting<Who>>,
    next: usize,
    /// Not asked yet, in their order.
    queue: VecDeque<Key>,
    open: HashMap<Key, Open>,
    /// What was answered in this run: the journal's index is of earlier ones.
    known: HashMap<Key, Ruling>,
}

struct Waiting<Who> {
    who: Who,
    transcript: Transcript,
    /// Rulings that are still missing.
    missing: usize,
}

/// A question that is not answered yet.
struct Open {
    question: Arc<Question>,
    transcript: Arc<Transcript>,
    /// Whoever waits for it.
    waiting: Vec<usize>,
}

/// What came of asking for one ruling.
pub(super) struct Ruled {
    key: Key,
    attempted: Attempted<Ruling>,
    /// Calls that were paid for.
    paid: Vec<Transcript>,
}

impl<Who> Docket<Who> {
    pub fn new(referees: Arc<Referees>) -> Docket<Who> {
        Docket {
            referees,
            waiting: HashMap::new(),
            next: 0,
            queue: VecDeque::new(),
            open: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Puts a transcript down to be judged by these questions. It comes back at once where nothing has to be asked.
    pub fn file(
        &mut self,
        who: Who,
        mut transcript: Transcript,
        questions: &[Arc<Question>],
        journal: &mut Journal,
        spent: &mut Spent,
    ) -> Option<(Who, Transcript)> {
        let mut missing: Vec<(Key, &Arc<Question>)> = vec![];
        for question in questions {
            if question.is_moot(&transcript).is_some() {
                continue;
            }
            let key = ruling_key(&self.referees, question, &transcript);
            if transcript.rulings.get(question.digest()).is_some() || missing.iter().any(|(known, _)| *known == key) {
                continue;
            }
            match self.known.get(&key).cloned().or_else(|| journal.ruling(key)) {
                Some(ruling) => {
                    spent.rulings_reused += 1;
                    spent.add_votes(&ruling);
                    transcript.rulings.insert(question.digest(), Ok(ruling));
                }
                None => missing.push((key, question)),
            }
        }
        if missing.is_empty() {
            return Some((who, transcript));
        }
        let id = self.next;
        self.next += 1;
        let shared = Arc::new(transcript.clone());
        for (key, question) in &missing {
            let open = self.open.entry(*key).or_insert_with(|| {
                self.queue.push_back(*key);
                Open { question: Arc::clone(question), transcript: Arc::clone(&shared), waiting: vec![] }
            });
            open.waiting.push(id);
        }
        self.waiting.insert(id, Waiting { who, transcript, missing: missing.len() });
        None
    }

    /// How many transcripts wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many questions are not asked yet.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// The next question as a task, and its key.
    pub fn next(
        &mut self,
        pace: &Arc<Pace>,
        stopping: &Arc<AtomicBool>,
        retrying: &Retrying,
    ) -> Option<(Key, impl Future<Output = Ruled> + Send + 'static + use<Who>)> {
        let key = self.queue.pop_front()?;
        let Open { question, transcript, .. } = self.open.get(&key)?;
        let (question, transcript) = (Arc::clone(question), Arc::clone(transcript));
        let here = matches!(question.ask, Ask::Program(_));
        let attempts = Attempts {
            retrying: retrying.clone(),
            pace: (!here).then(|| Arc::clone(pace)),
            stopping: Arc::clone(stopping),
            key,
        };
        let referees = Arc::clone(&self.referees);
        let asking = async move {
            let paid = Mutex::new(vec![]);
            let attempted = attempts.make(|| referees.ask(&question, &transcript, &paid)).await;
            Ruled { key, attempted, paid: paid.into_inner().unwrap_or_else(PoisonError::into_inner) }
        };
        Some((key, asking))
    }

    /// Takes an answer in, counts it and keeps it in the journal; returns who waits for nothing more.
    pub fn ruled(
        &mut self,
        ruled: Ruled,
        journal: &mut Journal,
        spent: &mut Spent,
        prices: &[Price],
    ) -> (Vec<(Who, Transcript)>, Option<JournalError>) {
        let Ruled { key, attempted, paid } = ruled;
        let Attempted { answer, took, retries, .. } = attempted;
        spent.retries += u64::from(retries);
        paid.iter().for_each(|call| spent.add_ruling(call, prices));
        // The run ended before it was asked: whoever waits for it waits for the next run.
        let (Some(answer), Some(open)) = (answer, self.open.remove(&key)) else { return (vec![], None) };
        spent.rulings += 1;
        spent.ruling_errors += u64::from(answer.is_err());
        let answer = without_secrets(journal, answer);
        let model = paid.last().and_then(|call| call.model.clone());
        if let Ok(ruling) = &answer {
            self.known.insert(key, ruling.clone());
            open.waiting.iter().for_each(|_| spent.add_votes(ruling));
            // Who waited for the same answer got one that was there: which came first is chance, and must not show.
            spent.rulings_reused += open.waiting.len().saturating_sub(1) as u64;
        }
        let record = RulingRecord::of(key, &open.question, &answer, model, took);
        let failed = if journal.is_kept() { journal.append_ruling(&record).err() } else { None };
        let answer = answer.map_err(|error| error.message);
        let mut ready = vec![];
        for id in open.waiting {
            let Some(waiting) = self.waiting.get_mut(&id) else { continue };
            waiting.transcript.rulings.insert(open.question.digest(), answer.clone());
            waiting.missing -= 1;
            if waiting.missing == 0
                && let Some(Waiting { who, transcript, .. }) = self.waiting.remove(&id)
            {
                ready.push((who, transcript));
            }
        }
        (ready, failed)
    }

    /// Everybody who still waits, with the rulings that there are.
    pub fn give_up(&mut self) -> Vec<(Who, Transcript)> {
        self.queue.clear();
        self.waiting.drain().map(|(_, waiting)| (waiting.who, waiting.transcript)).collect()
    }

    /// Ends what was started to be asked.
    pub async fn rest(&self) {
        self.referees.rest().await;
    }
}

impl Ruled {
    /// Of a task that ended by a fault of ours.
    pub fn lost(key: Key, error: AskError) -> Ruled {
        let attempted = Attempted { answer: Some(Err(error)), took: Duration::ZERO, retries: 0, cut: false };
        Ruled { key, attempted, paid: vec![] }
    }
}

/// A program may repeat what it found in its environment.
fn without_secrets(journal: &Journal, answer: Result<Ruling, AskError>) -> Result<Ruling, AskError> {
    let secrets = journal.secrets();
    let clean = |reason: Option<String>| reason.map(|reason| secrets.redact(&reason));
    match answer {
        Ok(Ruling::Verdict { holds, reason }) => Ok(Ruling::Verdict { holds, reason: clean(reason) }),
        Ok(Ruling::Label { label, reason, confidence }) => {
            Ok(Ruling::Label { label, reason: clean(reason), confidence })
        }
        Ok(Ruling::Votes(votes)) => {
            let clean = |vote: Vote| Vote { reason: clean(vote.reason.clone()), ..vote };
            Ok(Ruling::Votes(votes.into_iter().map(clean).collect()))
        }
        Ok(Ruling::Similarity(alike)) => Ok(Ruling::Similarity(alike)),
        Err(mut error) => {
            error.message = secrets.redact(&error.message);
            Err(error)
        }
    }
}
