use regex::Regex;
use serde_json::Value;

use super::calls::CallPattern;

/// What a check asks for, as data: enough to make transcripts that satisfy it, and some that just miss it.
///
/// [`Matcher::judge`](super::Matcher::judge) alone says whether a transcript satisfies a check; a transcript that is
/// made from demands is tried like any other.
#[derive(Debug, Clone)]
pub enum Demand {
    /// These texts stand in the reply: all of them, or with `any` at least one.
    Says {
        texts: Vec<String>,
        any: bool,
        /// Some may stand inside longer words.
        inside_words: bool,
    },
    /// None of these texts stands in the reply.
    Unsaid(Vec<String>),
    /// The reply is this text.
    Is(String),
    Starts(String),
    Ends(String),
    /// Each of these patterns matches.
    Matches(Vec<Regex>),
    /// None of these patterns matches.
    Unmatched(Vec<Regex>),
    /// The reply is JSON that fits this schema, where there is one.
    Json(Option<Value>),
    LeastWords(u64),
    MostWords(u64),
    /// Each of these calls was made.
    Calls(Vec<CallPattern>),
    /// None of these calls was made; an empty list forbids every call.
    NoCalls(Vec<CallPattern>),
    /// These steps follow each other; calls within a step have no order.
    Order(Vec<Vec<CallPattern>>),
    /// These calls and no others.
    Exactly {
        calls: Vec<CallPattern>,
        repeats: bool,
    },
    /// At most so many calls, of one tool or of all.
    MostCalls(Vec<(Option<String>, u64)>),
    /// The reported field at this JSON pointer has such a value; `None`: it is not there.
    Field {
        pointer: String,
        value: Option<Value>,
    },
}

/// Alternatives of one check of which each is made into a transcript.
pub const FEW_WAYS: usize = 6;

impl Demand {
    /// The calls that must be made.
    pub fn calls(&self) -> Vec<&CallPattern> {
        match self {
            Demand::Calls(calls) | Demand::Exactly { calls, .. } => calls.iter().collect(),
            Demand::Order(steps) => steps.iter().flatten().collect(),
            _ => vec![],
        }
    }

    /// True where it is about the reply.
    pub fn is_of_reply(&self) -> bool {
        !self.is_of_calls() && !matches!(self, Demand::Field { .. })
    }

    /// True where it is about tool calls.
    pub fn is_of_calls(&self) -> bool {
        matches!(
            self,
            Demand::Calls(_) | Demand::NoCalls(_) | Demand::Order(_) | Demand::Exactly { .. } | Demand::MostCalls(_)
        )
    }

    /// True where the transcripts that can be made of it stand for all that satisfy it: what each of them breaks can't
    /// be kept. A schema or a pattern has more texts than those that are made.
    pub fn is_met_in_few_ways(&self) -> bool {
        match self {
            Demand::Json(_) => false,
            Demand::Matches(patterns) => {
                patterns.iter().all(|pattern| regex::escape(pattern.as_str()) == pattern.as_str())
            }
            Demand::Says { texts, any, .. } => !*any || texts.len() <= FEW_WAYS,
            _ => true,
        }
    }

    /// True where it only forbids or limits: the less there is, the better it holds.
    pub fn only_limits(&self) -> bool {
        match self {
            Demand::Unsaid(_)
            | Demand::Unmatched(_)
            | Demand::MostWords(_)
            | Demand::NoCalls(_)
            | Demand::MostCalls(_) => true,
            Demand::Field { value, .. } => value.is_none(),
            _ => false,
        }
    }
}
