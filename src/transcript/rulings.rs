use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What somebody outside said of a transcript: a helper program, a judge model, an embedding endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// A program says that it holds or that it fails.
    Verdict {
        holds: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A model chose one label of a closed set.
    Label {
        label: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// How sure it was of this label among all that it could have chosen, 0 to 1; absent where its endpoint tells no
        /// probabilities.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
    },
    /// Several models chose, each by itself.
    Votes(Vec<Vote>),
    /// How alike two texts are: a cosine, -1 to 1.
    Similarity(f64),
}

/// What one of several models chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// The model, for people.
    pub judge: String,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// As in [`Ruling::Label`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

impl Ruling {
    /// Whether several models chose the same label; `None` where there were not several.
    pub fn agreed(&self) -> Option<bool> {
        let Ruling::Votes(votes) = self else { return None };
        Some(votes.windows(2).all(|pair| pair[0].label == pair[1].label))
    }
}

/// What was said of one transcript, by the digest of the question. It is no part of what an agent may send.
///
/// An error is why nobody could be asked, or gave no answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rulings(BTreeMap<String, Result<Ruling, String>>);

impl Rulings {
    /// Keeps what was said to the question with this digest.
    pub fn insert(&mut self, question: &str, ruling: Result<Ruling, String>) {
        self.0.insert(question.to_owned(), ruling);
    }

    pub fn get(&self, question: &str) -> Option<&Result<Ruling, String>> {
        self.0.get(question)
    }
}
