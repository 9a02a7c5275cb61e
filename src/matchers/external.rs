//! What must be asked outside to judge a transcript.
//!
//! A matcher does no I/O. One that needs a program, a model or an endpoint says so with a [`Question`]; whoever runs the
//! study asks it, and lays the answer beside the transcript before it is judged ([`Transcript::rulings`]).

use std::time::Duration;

use serde::Serialize;

use super::{CUT, Outcome};
use crate::transcript::{Ruling, Transcript};

/// What must be asked outside to judge a transcript, without the transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Of everything that the assertion says about it. How it is asked (the model, the content of a program's files) is
    /// the business of whoever asks.
    digest: String,
    pub ask: Ask,
}

/// Who is to be asked what.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Ask {
    /// A program decides.
    Program(Program),
    /// A model chooses a label.
    Judge(Criteria),
    /// How alike the reply and this text are.
    Similar(String),
}

/// A program that gets transcripts as JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Program {
    /// The program and its arguments, at least one.
    pub run: Vec<String>,
    pub mode: Mode,
    /// Names or globs of further files that it is made of, relative to the suite.
    pub watch: Vec<String>,
    /// For one transcript; `None` is the suite's.
    #[serde(skip)]
    pub timeout: Option<Duration>,
}

/// How often a program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Mode {
    /// Once a transcript; its exit status is the answer.
    Once,
    /// Once for all: a transcript a line in, an answer a line out.
    Lines,
}

/// What a model is to judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Criteria {
    pub text: String,
    /// The closed set that it chooses from, at least two.
    pub labels: Vec<String>,
    /// Whether it is shown the tool calls beside the reply.
    pub show_tools: bool,
}

impl Question {
    pub(super) fn new(ask: Ask) -> Question {
        let written = serde_json::to_vec(&ask).expect("texts and flags are always JSON");
        Question { digest: blake3::hash(&written).to_hex()[..32].to_owned(), ask }
    }

    /// The same for the same question, whatever suite or case asks it: the key of [`Transcript::rulings`].
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// `helper`, `judge` or `similar`: the kind of matcher that asks.
    pub fn kind(&self) -> &'static str {
        match self.ask {
            Ask::Program(_) => "helper",
            Ask::Judge(_) => "judge",
            Ask::Similar(_) => "similar",
        }
    }

    /// Why there is nothing to ask about this transcript: its matcher can say without it what it says.
    pub fn is_moot(&self, transcript: &Transcript) -> Option<&'static str> {
        let silent = || transcript.reply.as_deref().is_none_or(|reply| reply.trim().is_empty());
        match self.ask {
            _ if transcript.error.is_some() => Some("the agent reported an error"),
            Ask::Program(_) => None,
            // A program is told that the reply was cut, and can settle what a part of it settles.
            Ask::Judge(_) | Ask::Similar(_) if transcript.truncated => Some(CUT),
            Ask::Similar(_) if silent() => Some(super::NO_REPLY),
            Ask::Similar(_) => None,
            Ask::Judge(Criteria { show_tools: true, .. }) if transcript.tool_calls.is_none() => {
                Some("this agent does not report its tool calls")
            }
            Ask::Judge(_) => None,
        }
    }

    /// What was said of the transcript, or the outcome that follows where nothing was.
    pub(super) fn ruling<'t>(&self, transcript: &'t Transcript) -> Result<&'t Ruling, Outcome> {
        if let Some(why) = self.is_moot(transcript) {
            return Err(Outcome::NotAssessable(why.to_owned()));
        }
        let who = match self.ask {
            Ask::Program(_) => "the helper",
            Ask::Judge(_) => "the judge",
            Ask::Similar(_) => "the embedding endpoint",
        };
        match transcript.rulings.get(&self.digest) {
            Some(Ok(ruling)) => Ok(ruling),
            Some(Err(why)) => Err(Outcome::NotAssessable(format!("{who} gave no answer: {why}"))),
            None => Err(Outcome::NotAssessable(format!("{who} was not asked about this transcript"))),
        }
    }

    /// A ruling of another kind than was asked for: nobody makes one, and it settles nothing.
    pub(super) fn beside_the_point(&self) -> Outcome {
        Outcome::NotAssessable(format!("the answer is not one to a `{}`", self.kind()))
    }
}
