//! Answers that should be a JSON value of a schema, with what the endpoint tells of their tokens.

use std::future::Future;
use std::pin::Pin;

use super::AskError;
use crate::transcript::Transcript;

/// An answer that was asked for by a schema. Whether it keeps to it is for the reader to see.
#[derive(Debug, Clone, PartialEq)]
pub struct Typed {
    pub transcript: Transcript,
    /// The tokens of the reply in their order, where the endpoint tells them; else none.
    pub tokens: Vec<Token>,
}

/// One token of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub text: String,
    /// The likeliest tokens at this place and their probabilities, 0 to 1; the one that was taken is among them.
    pub alternatives: Vec<(String, f64)>,
}

pub type AskingTyped<'a> = Pin<Box<dyn Future<Output = Result<Typed, AskError>> + Send + 'a>>;
