//! English words and their real misspellings, made at build time (`build.rs`) and embedded.
//!
//! The list answers one question: might this typo be another word? It holds what people write in requests, not the
//! whole language, and endings are taken off ("orderd" counts as a word, because "order" is one): a typo too few is
//! cheaper than one that asks for something else.

use std::collections::HashMap;
use std::sync::OnceLock;

const TABLE: &str = include_str!(concat!(env!("OUT_DIR"), "/words.txt"));

/// Word to its misspellings, separated by spaces. Only ever looked up, so its order is of no matter.
fn table() -> &'static HashMap<&'static str, &'static str> {
    static WORDS: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    WORDS.get_or_init(|| TABLE.lines().map(|line| line.split_once(' ').unwrap_or((line, ""))).collect())
}

/// Whether `word`, in lower case, is an English word of the list.
pub(super) fn is_word(word: &str) -> bool {
    table().contains_key(word)
}

/// Whether `word`, in lower case, is in the list or becomes so when an ending is taken off.
pub(super) fn may_be_word(word: &str) -> bool {
    if is_word(word) || !word.is_ascii() {
        return is_word(word);
    }
    ["s", "es", "d", "ed", "ing", "ly", "er", "r", "y"].into_iter().any(|ending| {
        word.strip_suffix(ending).is_some_and(|stem| {
            let bytes = stem.as_bytes();
            let doubled = bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
            stem.len() > 2
                && (is_word(stem)
                    || doubled && is_word(&stem[..stem.len() - 1])
                    || ending == "ing" && is_word(&format!("{stem}e")))
        })
    })
}

/// How people mistype `word`, which is in lower case; sorted.
pub(super) fn misspellings(word: &str) -> impl Iterator<Item = &'static str> {
    table().get(word).copied().unwrap_or("").split_ascii_whitespace()
}

/// Whether people who type `typo`, in lower case, mean another word than `word`: "helo" is "hello" and not "help".
pub(super) fn means_another_word(typo: &str, word: &str) -> bool {
    static MEANT: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    let meant = MEANT.get_or_init(|| {
        let pairs = table().iter().flat_map(|(word, typos)| typos.split_ascii_whitespace().map(|typo| (typo, *word)));
        pairs.collect()
    });
    meant.get(typo).is_some_and(|meant| *meant != word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_words_of_requests_and_their_misspellings() {
        assert!(table().len() > 20_000, "{}", table().len());
        assert!(misspellings("receive").any(|found| found == "recieve"));
        for word in ["form", "from", "cold", "refund", "orders", "booked", "shipping"] {
            assert!(may_be_word(word), "{word}");
        }
        assert!(!may_be_word("refnud"));
    }

    #[test]
    fn a_typo_that_stands_for_another_word_is_told() {
        assert!(means_another_word("helo", "help"));
        assert!(!means_another_word("helo", "hello"));
        assert!(!means_another_word("hepl", "help"));
        // One misspelling stands for one word, so the order of the table is of no matter.
        let all: Vec<&str> = table().values().flat_map(|typos| typos.split_ascii_whitespace()).collect();
        assert_eq!(all.len(), all.iter().collect::<std::collections::HashSet<_>>().len());
    }

    #[test]
    fn no_misspelling_is_a_word_of_the_list() {
        let words = table();
        for (word, wrong) in words {
            assert!(wrong.split_ascii_whitespace().all(|typo| !words.contains_key(typo)), "{word}: {wrong}");
        }
    }
}
