//! What is known of languages (`mutators/languages.yaml`), and which one a text is in.

use std::collections::HashSet;
use std::sync::OnceLock;

use serde::Deserialize;

const SOURCE: &str = include_str!("../../mutators/languages.yaml");

/// One language of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    language: String,
    #[serde(default)]
    marks: HashSet<String>,
    #[serde(default)]
    guards: HashSet<String>,
    #[serde(default)]
    given: HashSet<String>,
    #[serde(default)]
    times: HashSet<String>,
    #[serde(default)]
    units: HashSet<String>,
    #[serde(default)]
    signs: HashSet<char>,
}

fn all() -> &'static [Language] {
    static LANGUAGES: OnceLock<Vec<Language>> = OnceLock::new();
    LANGUAGES.get_or_init(|| serde_yaml::from_str(SOURCE).expect("the embedded file is read by a test"))
}

/// The languages whose words are watched in one text: its own and English, or all where its own is not known.
#[derive(Debug, Clone)]
pub(super) struct Tongue {
    /// A code of two letters, or `und`.
    pub(super) code: String,
    watched: Vec<&'static Language>,
    /// By length: bits of the first letters (a to z) of guards that long. Most words are told apart by it.
    starts: [u32; 24],
}

impl Tongue {
    pub(super) fn of(text: &str, words: &[String], given: Option<&str>) -> Tongue {
        let code = match given {
            Some(code) => code.split(['-', '_']).next().unwrap_or(code).to_ascii_lowercase(),
            None => guess(text, words).to_owned(),
        };
        let known = all().iter().any(|language| language.language == code);
        let watched = all()
            .iter()
            .filter(|language| {
                !known || language.language == code || language.language == "en" || !language.signs.is_empty()
            })
            .collect();
        let mut tongue = Tongue { code, watched, starts: [0; 24] };
        for guard in tongue.watched.iter().flat_map(|language| &language.guards) {
            if let (Some(bits), Some(letter)) = (tongue.starts.get_mut(guard.len()), letter_of(guard)) {
                *bits |= 1 << letter;
            }
        }
        tongue
    }

    /// Whether a word, in lower case with straight apostrophes, negates, restricts or counts.
    pub(super) fn guards(&self, word: &str) -> bool {
        if word.ends_with("n't") {
            return true;
        }
        !self.rules_out(word) && self.watched.iter().any(|language| language.guards.contains(word))
    }

    /// Whether a word, in any case of letters, is no guard for its length and its first letter alone.
    pub(super) fn rules_out(&self, word: &str) -> bool {
        let bits = self.starts.get(word.len()).copied().unwrap_or(0);
        letter_of(word).is_some_and(|letter| bits & (1 << letter) == 0)
            && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    }

    /// Whether a sign of a script without spaces negates, restricts or counts.
    pub(super) fn guards_sign(&self, sign: char) -> bool {
        !sign.is_ascii() && self.watched.iter().any(|language| language.signs.contains(&sign))
    }

    pub(super) fn is_time(&self, word: &str) -> bool {
        self.watched.iter().any(|language| language.times.contains(word))
    }

    pub(super) fn is_unit(&self, word: &str) -> bool {
        self.watched.iter().any(|language| language.units.contains(word))
    }

    /// Whether a common word is a person's name as well.
    pub(super) fn is_given_name(&self, word: &str) -> bool {
        self.watched.iter().any(|language| language.given.contains(word))
    }

    /// Whether `word` is one of the frequent words, and so no name.
    pub(super) fn is_mark(&self, word: &str) -> bool {
        self.watched.iter().any(|language| language.marks.contains(word))
    }

    /// Whether the English word list can judge a typo of this text.
    pub(super) fn is_english(&self) -> bool {
        self.code == "en"
    }
}

/// 0 to 25 for a word that starts with a to z, small or large.
fn letter_of(word: &str) -> Option<u8> {
    word.bytes().next().filter(u8::is_ascii_alphabetic).map(|first| first.to_ascii_lowercase() - b'a')
}

/// The language with most of its frequent words in the text; English for Latin letters without accents where there is
/// none; `und` for everything else.
pub(super) fn guess(text: &str, words: &[String]) -> &'static str {
    let kana = |c: char| matches!(c, '\u{3040}'..='\u{30ff}');
    if text.chars().any(kana) {
        return "ja";
    }
    if text.chars().any(|c| matches!(c, '\u{3400}'..='\u{9fff}')) {
        return "zh";
    }
    let mut best = (0, "");
    for language in all() {
        let score = words.iter().filter(|word| language.marks.contains(*word)).count();
        if score > best.0 {
            best = (score, &language.language);
        }
    }
    match best {
        (0, _) if text.chars().all(|c| !c.is_alphabetic() || c.is_ascii()) => "en",
        (0, _) => "und",
        (_, code) => code,
    }
}

/// Signs of scripts that are written without spaces between words.
pub(super) fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{303f}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        let words: Vec<String> = text.split_whitespace().map(|word| word.trim_matches(',').to_lowercase()).collect();
        Tongue::of(text, &words, None).code
    }

    #[test]
    fn short_requests_are_told_apart() {
        assert_eq!(code("Erstatte bitte die Bestellung, sie kam kaputt an"), "de");
        assert_eq!(code("Where is my parcel?"), "en");
        assert_eq!(code("Cancel"), "en");
        assert_eq!(code("¿Dónde está mi pedido"), "es");
        assert_eq!(code("我想退货"), "zh");
        assert_eq!(code("キャンセルしてください"), "ja");
        assert_eq!(code("नमस्ते"), "und");
    }

    #[test]
    fn a_given_language_wins_over_the_guess() {
        assert_eq!(Tongue::of("Hallo", &["hallo".to_owned()], Some("en-US")).code, "en");
    }
}
