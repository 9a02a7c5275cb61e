//! The English that the rule mutators know: `mutators/polarity.yaml`, embedded and read once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;

const SOURCE: &str = include_str!("../../../mutators/polarity.yaml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    verbs: Vec<String>,
    also_nouns: HashSet<String>,
    determiners: HashSet<String>,
    openers: HashSet<String>,
    scenes: HashSet<String>,
    subordinators: HashSet<String>,
    persons: HashSet<String>,
    allowed: HashSet<String>,
    forbidden: BTreeMap<String, String>,
    labels: HashSet<String>,
    label_polarity: HashSet<String>,
    degrees: HashSet<String>,
    limits: HashSet<String>,
    foreign: HashSet<String>,
}

#[derive(Debug)]
pub(super) struct Lexicon {
    verbs: HashSet<String>,
    gerunds: HashMap<String, String>,
    pack: Pack,
}

impl Lexicon {
    pub(super) fn get() -> &'static Self {
        static LEXICON: OnceLock<Lexicon> = OnceLock::new();
        LEXICON.get_or_init(|| {
            let pack: Pack = serde_yaml::from_str(SOURCE).expect("the embedded pack is read by a test");
            let gerunds = pack.verbs.iter().map(|verb| (gerund(verb), verb.clone())).collect();
            Self { verbs: pack.verbs.iter().cloned().collect(), gerunds, pack }
        })
    }

    pub(super) fn is_verb(&self, word: &str) -> bool {
        self.verbs.contains(word)
    }

    pub(super) fn is_also_noun(&self, word: &str) -> bool {
        self.pack.also_nouns.contains(word)
    }

    /// The base form of "changing".
    pub(super) fn base_of_gerund(&self, word: &str) -> Option<&str> {
        self.gerunds.get(word).map(String::as_str)
    }

    pub(super) fn is_determiner(&self, word: &str) -> bool {
        self.pack.determiners.contains(word)
    }

    pub(super) fn is_opener(&self, word: &str) -> bool {
        self.pack.openers.contains(word)
    }

    pub(super) fn is_scene(&self, word: &str) -> bool {
        self.pack.scenes.contains(word)
    }

    pub(super) fn is_subordinator(&self, word: &str) -> bool {
        self.pack.subordinators.contains(word)
    }

    pub(super) fn is_person(&self, word: &str) -> bool {
        self.pack.persons.contains(word)
    }

    pub(super) fn is_allowed(&self, word: &str) -> bool {
        self.pack.allowed.contains(word)
    }

    pub(super) fn unforbidden(&self, word: &str) -> Option<&str> {
        self.pack.forbidden.get(word).map(String::as_str)
    }

    pub(super) fn is_label(&self, word: &str) -> bool {
        self.pack.labels.contains(word)
    }

    pub(super) fn has_polarity(&self, word: &str) -> bool {
        self.pack.label_polarity.contains(word)
    }

    pub(super) fn is_degree(&self, word: &str) -> bool {
        self.pack.degrees.contains(word)
    }

    pub(super) fn is_limit(&self, word: &str) -> bool {
        self.pack.limits.contains(word)
    }

    pub(super) fn is_foreign(&self, word: &str) -> bool {
        self.pack.foreign.contains(word)
    }
}

/// The usual spelling of a verb's "-ing" form.
pub(super) fn gerund(verb: &str) -> String {
    let letters: Vec<char> = verb.chars().collect();
    let vowel = |c: &char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    if verb == "be" {
        return "being".to_owned();
    }
    if let Some(stem) = verb.strip_suffix("ie") {
        return format!("{stem}ying");
    }
    if verb.ends_with('e') && !verb.ends_with("ee") && !verb.ends_with("ye") && !verb.ends_with("oe") {
        return format!("{}ing", &verb[..verb.len() - 1]);
    }
    let syllables = letters.windows(2).filter(|two| vowel(&two[0]) && !vowel(&two[1])).count();
    let stressed = [
        "commit", "submit", "permit", "refer", "infer", "prefer", "defer", "transfer", "occur", "omit", "rerun",
        "reset", "format", "begin", "forget", "transmit", "admit", "embed", "debug", "emit",
    ];
    if let [.., before, last_vowel, last] = letters.as_slice()
        && !vowel(before)
        && vowel(last_vowel)
        && !vowel(last)
        && !matches!(last, 'w' | 'x' | 'y')
        && (syllables == 1 || stressed.contains(&verb))
    {
        return format!("{verb}{last}ing");
    }
    if let [first, last] = letters.as_slice()
        && vowel(first)
        && !vowel(last)
    {
        return format!("{verb}{last}ing");
    }
    format!("{verb}ing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_pack_is_read() {
        let lexicon = Lexicon::get();
        assert!(lexicon.verbs.len() > 700, "{}", lexicon.verbs.len());
        assert!(lexicon.pack.also_nouns.iter().all(|noun| lexicon.is_verb(noun)));
    }

    #[test]
    fn gerunds_are_spelled_as_usual() {
        for (verb, expected) in [
            ("change", "changing"),
            ("run", "running"),
            ("lie", "lying"),
            ("visit", "visiting"),
            ("commit", "committing"),
            ("see", "seeing"),
            ("fix", "fixing"),
            ("answer", "answering"),
            ("read", "reading"),
            ("omit", "omitting"),
        ] {
            assert_eq!(gerund(verb), expected);
        }
        assert_eq!(Lexicon::get().base_of_gerund("retaining"), Some("retain"));
    }
}
