//! Whom a matcher's question is put to: helper programs, a judge model, an embedding endpoint.
//!
//! Asked of this folder: the [`Ruling`] on one transcript ([`Referees::ask`]), and everything that can change it
//! ([`Referees::identity`], [`Referees::shown`]), so that the journal can keep it. This folder knows what a question
//! says; it knows no case and no study, starts no tasks, asks nothing again but an answer that it can't read, and never
//! decides whether an assertion holds: that is the matcher's business.

mod judge;
mod program;
mod similar;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::agents::{Agent, AskError, Embeddings, Fault, Retry};
use crate::matchers::{Ask, Question};
use crate::transcript::{Ruling, Transcript};

use judge::Judge;
pub use judge::Prompt;
use program::Helper;

/// What a suite names to be asked.
pub struct Setup {
    /// The suite's folder.
    pub root: PathBuf,
    /// For one question, where whoever is asked has no time of its own.
    pub timeout: Duration,
    /// For one answer.
    pub max_output_bytes: usize,
    /// The model that judges, and what it is told.
    pub judge: Option<(Arc<dyn Agent>, Prompt)>,
    /// Another model that judges the same by itself: only where both agree there is a verdict.
    pub second_judge: Option<Arc<dyn Agent>>,
    pub embeddings: Option<Embeddings>,
}

/// Everybody who may be asked about a transcript.
pub struct Referees {
    setup: Setup,
    judge: Option<Judge>,
    second_judge: Option<Judge>,
    /// By the digest of the question.
    programs: Mutex<HashMap<String, Arc<Helper>>>,
    references: similar::References,
}

impl Referees {
    pub fn new(mut setup: Setup) -> Referees {
        let (first, second) = (setup.judge.take(), setup.second_judge.take());
        let timeout = setup.timeout;
        let second_judge = first.as_ref().and_then(|(_, prompt)| Some(Judge::new(second?, prompt.clone(), timeout)));
        let judge = first.map(|(agent, prompt)| Judge::new(agent, prompt, timeout));
        Referees { setup, judge, second_judge, programs: Mutex::default(), references: similar::References::default() }
    }

    /// Nobody but programs in this folder.
    pub fn none(root: PathBuf) -> Referees {
        let timeout = Duration::from_secs(60);
        Referees::new(Setup {
            root,
            timeout,
            max_output_bytes: 1024 * 1024,
            judge: None,
            second_judge: None,
            embeddings: None,
        })
    }

    /// Why a question can't be asked at all, and what to do: found before anything is.
    pub fn check(&self, question: &Question) -> Result<(), (String, String)> {
        match &question.ask {
            Ask::Program(_) => {
                let helper = self.program(question);
                let checked = helper.map_or(Ok(()), |helper| helper.command_line().check());
                checked.map_err(|what| (what, "names in `run` and `watch` start at the suite's folder".to_owned()))
            }
            Ask::Judge(_) if self.judge.is_none() => Err((
                "this suite names no model that judges".to_owned(),
                "add one to mutate.yaml: `judge_model: {chat: {base_url: …, model: …}}`".to_owned(),
            )),
            Ask::Similar(_) if self.setup.embeddings.is_none() => Err((
                "this suite names no endpoint for embeddings".to_owned(),
                "add one to mutate.yaml: `embeddings: {base_url: …, model: …}`".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Everything about whoever is asked, and about the question, that can change the answer.
    pub fn identity(&self, question: &Question) -> Value {
        let of = match &question.ask {
            Ask::Program(_) => self.program(question).map(|helper| helper.command_line().digests().clone()),
            Ask::Judge(_) => match (&self.judge, &self.second_judge) {
                (Some(judge), Some(second)) => Some(json!([judge.identity(), second.identity()])),
                (judge, _) => judge.as_ref().map(Judge::identity),
            },
            Ask::Similar(_) => self.setup.embeddings.as_ref().map(Embeddings::settings),
        };
        json!({ "question": question.digest(), "of": of })
    }

    /// What of a transcript whoever is asked gets to see.
    pub fn shown(&self, question: &Question, transcript: &Transcript) -> String {
        match &question.ask {
            Ask::Program(_) => program::as_json(transcript),
            Ask::Judge(criteria) => judge::shown(transcript, criteria.show_tools).to_string(),
            Ask::Similar(_) => transcript.reply.clone().unwrap_or_default(),
        }
    }

    /// What is said of a transcript. `paid` gets what was paid for on the way, answers that could not be read among them.
    pub async fn ask(
        &self,
        question: &Question,
        transcript: &Transcript,
        paid: &Mutex<Vec<Transcript>>,
    ) -> Result<Ruling, AskError> {
        let pay = |transcript| paid.lock().unwrap_or_else(PoisonError::into_inner).push(transcript);
        match &question.ask {
            Ask::Program(_) => match self.program(question) {
                Some(helper) => helper.ask(transcript).await,
                None => Err(nobody("no program")),
            },
            Ask::Judge(criteria) => match (&self.judge, &self.second_judge) {
                (Some(judge), None) => judge.ask(criteria, transcript, &pay).await,
                (Some(judge), Some(second)) => {
                    let asked = [judge.ask(criteria, transcript, &pay), second.ask(criteria, transcript, &pay)];
                    let [one, other] = asked;
                    let (one, other) = tokio::join!(one, other);
                    Ok(Ruling::Votes(vec![judge.vote(one?)?, second.vote(other?)?]))
                }
                (None, _) => Err(nobody("no model that judges: `judge_model:` in mutate.yaml")),
            },
            Ask::Similar(reference) => match &self.setup.embeddings {
                Some(embeddings) => {
                    let reply = transcript.reply.as_deref().unwrap_or_default();
                    self.references.similarity(embeddings, reference, reply, &pay).await
                }
                None => Err(nobody("no endpoint for embeddings: `embeddings:` in mutate.yaml")),
            },
        }
    }

    /// Ends every program that waits for another question; the next one starts it again.
    pub async fn rest(&self) {
        let programs: Vec<Arc<Helper>> =
            self.programs.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for helper in programs {
            helper.rest().await;
        }
    }

    fn program(&self, question: &Question) -> Option<Arc<Helper>> {
        let Ask::Program(program) = &question.ask else { return None };
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let helper = programs.entry(question.digest().to_owned()).or_insert_with(|| {
            let Setup { root, timeout, max_output_bytes, .. } = &self.setup;
            Arc::new(Helper::new(program, root, *timeout, *max_output_bytes))
        });
        Some(Arc::clone(helper))
    }
}

fn nobody(what: &str) -> AskError {
    AskError { fault: Fault::Rejected, message: format!("there is {what}"), retry: Retry::No }
}
