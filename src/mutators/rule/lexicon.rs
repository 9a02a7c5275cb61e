//! The English that the rule mutators know: `mutators/polarity.yaml`, embedded and read once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;

use super::forms::{gerund, past, third_person};

const SOURCE: &str = include_str!("../../../mutators/polarity.yaml");

/// Syllables that make a verb of a verb.
const PREFIXES: [&str; 11] = ["re", "pre", "un", "de", "over", "mis", "auto", "cross", "double", "co", "dis"];

/// Endings of verbs; nouns and adjectives with them ("private", "climate") are under `no_verbs`.
const VERB_ENDINGS: [&str; 4] = ["ize", "ise", "ify", "ate"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    verbs: Vec<String>,
    irregular: BTreeMap<String, Vec<String>>,
    particles: HashSet<String>,
    no_verbs: HashSet<String>,
    function_words: HashSet<String>,
    predicates: HashSet<String>,
    prepositions: HashSet<String>,
    agents: HashSet<String>,
    deeds: HashSet<String>,
    hedges: HashSet<String>,
    also_nouns: HashSet<String>,
    mostly_verbs: HashSet<String>,
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
}

#[derive(Debug)]
pub(super) struct Lexicon {
    verbs: HashSet<String>,
    gerunds: HashMap<String, String>,
    thirds: HashMap<String, String>,
    participles: HashSet<String>,
    pack: Pack,
}

impl Lexicon {
    pub(super) fn get() -> &'static Self {
        static LEXICON: OnceLock<Lexicon> = OnceLock::new();
        LEXICON.get_or_init(|| {
            let pack: Pack = serde_yaml::from_str(SOURCE).expect("the embedded pack is read by a test");
            let gerunds = pack.verbs.iter().map(|verb| (gerund(verb), verb.clone())).collect();
            let thirds = pack.verbs.iter().map(|verb| (third_person(verb), verb.clone())).collect();
            let regular = pack.verbs.iter().filter(|verb| !pack.irregular.contains_key(*verb)).map(|verb| past(verb));
            let participles = regular.chain(pack.irregular.values().flatten().cloned()).collect();
            Self { verbs: pack.verbs.iter().cloned().collect(), gerunds, thirds, participles, pack }
        })
    }

    /// Whether a word is a verb's base form: one of the list, or one made from it ("re-run", "cross-check"), or one with
    /// an ending that hardly anything but verbs has ("containerize").
    pub(super) fn is_verb(&self, word: &str) -> bool {
        if self.verbs.contains(word) {
            return true;
        }
        if self.pack.no_verbs.contains(word) {
            return false;
        }
        let made = PREFIXES.iter().any(|prefix| {
            word.strip_prefix(prefix)
                .map(|rest| rest.trim_start_matches('-'))
                .is_some_and(|rest| rest.len() > 2 && self.verbs.contains(rest))
        });
        made || (word.len() > 6 && VERB_ENDINGS.iter().any(|end| word.ends_with(end)) && !word.contains('-'))
    }

    /// The base form of "asks".
    pub(super) fn base_of_third(&self, word: &str) -> Option<&str> {
        self.thirds.get(word).map(String::as_str)
    }

    /// "asked", "given": a past form or participle.
    pub(super) fn is_participle(&self, word: &str) -> bool {
        self.participles.contains(word)
    }

    /// "off", "up": a word that makes a phrasal verb of the noun or verb before it.
    pub(super) fn is_particle(&self, word: &str) -> bool {
        self.pack.particles.contains(word)
    }

    /// A word that is never a command, whatever follows it.
    pub(super) fn is_function_word(&self, word: &str) -> bool {
        self.pack.function_words.contains(word)
            || self.pack.determiners.contains(word)
            || self.pack.openers.contains(word)
            || self.pack.scenes.contains(word)
            || self.pack.subordinators.contains(word)
            || self.pack.persons.contains(word)
            || self.pack.prepositions.contains(word)
    }

    /// "necessary", "possible": what may follow "if" alone.
    pub(super) fn is_predicate(&self, word: &str) -> bool {
        self.pack.predicates.contains(word)
    }

    pub(super) fn is_preposition(&self, word: &str) -> bool {
        self.pack.prepositions.contains(word)
    }

    /// "agent", "assistant": one that the instructions are for.
    pub(super) fn is_agent(&self, word: &str) -> bool {
        self.pack.agents.contains(word)
    }

    /// "refunded", "cancelled": what a policy forbids with "cannot be".
    pub(super) fn is_deed(&self, word: &str) -> bool {
        self.pack.deeds.contains(word)
    }

    /// "note", "keep in mind": what may stand before "that" and a rule.
    pub(super) fn is_hedge(&self, words: &str) -> bool {
        self.pack.hedges.contains(words)
    }

    pub(super) fn is_also_noun(&self, word: &str) -> bool {
        self.pack.also_nouns.contains(word)
    }

    /// "use", "wait": a noun too, but hardly ever where a clause starts.
    pub(super) fn is_mostly_verb(&self, word: &str) -> bool {
        self.pack.mostly_verbs.contains(word)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_pack_is_read() {
        let lexicon = Lexicon::get();
        assert!(lexicon.verbs.len() > 700, "{}", lexicon.verbs.len());
        assert!(lexicon.pack.also_nouns.iter().all(|noun| lexicon.is_verb(noun)));
        assert!(lexicon.pack.mostly_verbs.iter().all(|verb| lexicon.is_also_noun(verb)));
    }

    #[test]
    fn forms_lead_back_to_their_verb() {
        let lexicon = Lexicon::get();
        assert_eq!(lexicon.base_of_gerund("retaining"), Some("retain"));
        assert_eq!(lexicon.base_of_third("requests"), Some("request"));
        assert!(lexicon.is_participle("approved") && lexicon.is_participle("given") && lexicon.is_participle("set"));
        assert!(!lexicon.is_participle("kitchen"));
    }

    #[test]
    fn a_verb_is_known_by_its_build_too() {
        let lexicon = Lexicon::get();
        for verb in ["re-run", "reconfirm", "cross-check", "containerize", "prefill", "unsubscribe"] {
            assert!(lexicon.is_verb(verb), "{verb}");
        }
        for other in ["the", "private", "delicate", "climate", "ready", "red", "prize", "late"] {
            assert!(!lexicon.is_verb(other), "{other}");
        }
    }
}
