use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;

const SOURCE: &str = include_str!("../../../mutators/probes.yaml");

/// The probes and near misses of `mutators/probes.yaml`, embedded and read once.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probes {
    pub probes: Vec<Probe>,
    /// Replies that say nothing of any case; at least one.
    pub neutral: Vec<String>,
    /// Longer numbers that hold `{n}`.
    pub(super) numbers: Vec<String>,
    pub(super) bare_numbers: Vec<String>,
    pub(super) words: BTreeMap<String, String>,
    pub(super) longer_words: BTreeMap<String, String>,
    pub(super) negations: Vec<Negation>,
    pub(super) negating: Vec<String>,
    auxiliaries: Vec<Vec<String>>,
}

/// A transcript that is tried on every case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    pub name: String,
    pub means: Means,
    /// What the agent does, as the rest of "an agent that … passes".
    pub does: String,
    /// `None`: it gives no reply. `{input}` stands for the case's input.
    pub reply: Option<String>,
    pub calls: Option<CallsOf>,
}

/// What it shows when a whole case passes on a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Means {
    /// The case passes for an agent that says and does nothing.
    Silence,
    /// The case passes on what is a right answer to nothing.
    Wrong,
    /// Nothing: it may be the right answer.
    Fair,
}

/// Which calls a probe makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallsOf {
    EveryTool,
    WrongArguments,
}

/// Words, and a sentence that denies them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Negation {
    /// With `{word}` where the word stands.
    pub says: String,
    pub words: Vec<String>,
}

impl Probes {
    pub fn embedded() -> &'static Arc<Probes> {
        static PROBES: OnceLock<Arc<Probes>> = OnceLock::new();
        PROBES.get_or_init(|| Arc::new(serde_yaml::from_str(SOURCE).expect("the embedded file is read by a test")))
    }

    /// Longer numbers that hold this one; with `digits`, only those that have further digits right beside it.
    pub fn longer_numbers(&self, number: &str, digits: bool) -> Vec<String> {
        let beside = |form: &&String| !digits || form.replace("{n}", "").bytes().all(|byte| byte.is_ascii_digit());
        self.numbers.iter().filter(beside).map(|form| form.replace("{n}", number)).collect()
    }

    /// Sentences in which a short text (a small number, "yes") stands and answers nothing.
    pub fn passing_mentions(&self, text: &str) -> Vec<String> {
        let text = text.trim().to_lowercase();
        if !text.is_empty() && text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.bare_numbers.iter().map(|form| form.replace("{n}", &text)).collect();
        }
        self.words.get(&text).cloned().into_iter().collect()
    }

    /// A longer word that holds this one and means something else.
    pub fn longer_word(&self, word: &str) -> Option<&str> {
        self.longer_words.get(&word.trim().to_lowercase()).map(String::as_str)
    }

    /// A sentence that denies the deed that a word names.
    pub fn negated(&self, word: &str) -> Option<String> {
        let word = word.trim().to_lowercase();
        let negation = self.negations.iter().find(|negation| negation.words.contains(&word))?;
        Some(negation.says.replace("{word}", &word))
    }

    /// True where a text says no, or restricts.
    pub fn negates(&self, text: &str) -> bool {
        let text = text.to_lowercase().replace('’', "'");
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| self.negating.iter().any(|no| no == word))
    }

    /// Lists of an auxiliary verb and its negations.
    pub(super) fn auxiliaries(&self) -> &[Vec<String>] {
        &self.auxiliaries
    }
}
