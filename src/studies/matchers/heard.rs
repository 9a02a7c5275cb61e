//! What was said outside of the transcripts that are tried: the study says which it wants to know of, somebody else asks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Known;
use super::tries::Tries;
use crate::matchers::{Ask, Matcher, Question};
use crate::suite::Case;
use crate::transcript::{Ruling, Rulings, Transcript};

/// Who may be asked outside: the others' checks are not tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whom {
    /// The programs of `helper:` checks, which cost nothing.
    pub programs: bool,
    /// Judges and endpoints for embeddings, which cost money.
    pub models: bool,
}

impl Default for Whom {
    /// Nobody who costs money.
    fn default() -> Whom {
        Whom { programs: true, models: false }
    }
}

impl Whom {
    /// The question of a check, where it asks somebody who may be asked.
    pub fn of(self, matcher: &dyn Matcher) -> Option<&Arc<Question>> {
        matcher.question().filter(|question| match question.ask {
            Ask::Program(_) => self.programs,
            Ask::Judge(_) | Ask::Similar(_) => self.models,
        })
    }

    /// True where a check asks somebody who may not be asked, so that nothing can be tried on it.
    pub fn leaves_out(self, matcher: &dyn Matcher) -> bool {
        matcher.question().is_some() && self.of(matcher).is_none()
    }
}

/// A transcript, and the questions that are asked about it.
pub type Asked = (Vec<Arc<Question>>, Transcript);

/// What was said of transcripts so far. One that was asked about in vain, since the run ended, is no longer asked about.
#[derive(Debug, Clone, Default)]
pub struct Heard(HashMap<blake3::Hash, Option<Result<Ruling, String>>>);

impl Heard {
    /// Takes in transcripts with what was said of them beside ([`Transcript::rulings`]).
    pub fn keep(&mut self, asked: Vec<Asked>) {
        for (questions, transcript) in asked {
            let written = written(&transcript);
            for question in questions {
                let said = transcript.rulings.get(question.digest()).cloned();
                self.0.insert(key(&question, &written), said);
            }
        }
    }

    /// What was said of a transcript, and the questions that nobody asked about it.
    pub(super) fn of(&self, questions: &[Arc<Question>], transcript: &Transcript) -> (Rulings, Vec<Arc<Question>>) {
        let (mut rulings, mut missing) = (Rulings::default(), vec![]);
        if questions.is_empty() {
            return (rulings, missing);
        }
        let written = written(transcript);
        for question in questions {
            match self.0.get(&key(question, &written)) {
                Some(Some(ruling)) => rulings.insert(question.digest(), ruling.clone()),
                Some(None) => {}
                None => missing.push(Arc::clone(question)),
            }
        }
        (rulings, missing)
    }
}

/// The transcripts that must be asked about before the cases can be judged. What is tried next depends on what is
/// said, so lay the answers in `known.heard` and ask again until nothing is left: at most three rounds.
pub fn to_hear(cases: &[Case], known: &Known) -> Vec<Asked> {
    let mut wanted: Vec<Asked> = vec![];
    let mut seen = HashSet::new();
    for case in cases.iter().filter(|case| case.expect.iter().any(|one| known.whom.of(one.matcher.as_ref()).is_some()))
    {
        for (questions, transcript) in Tries::of(case, known).unheard {
            let written = written(&transcript);
            let questions: Vec<_> = questions.into_iter().filter(|one| seen.insert(key(one, &written))).collect();
            if !questions.is_empty() {
                wanted.push((questions, transcript));
            }
        }
    }
    wanted
}

/// What of a transcript those who are asked may see: it, and what it answers.
fn written(transcript: &Transcript) -> Vec<u8> {
    serde_json::to_vec(&(transcript, transcript.asked.as_deref())).unwrap_or_default()
}

fn key(question: &Question, written: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(question.digest().as_bytes());
    hasher.update(written);
    hasher.finalize()
}
