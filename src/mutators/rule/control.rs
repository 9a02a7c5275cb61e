//! The unrelated rule whose deletion shows whether an assertion falls for any change of the instructions.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::instructions::{Document, Statement, UnitKind, units};

/// Why no unrelated rule can be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoControl {
    /// The document holds nothing but the rule.
    #[error("the instructions hold no rule besides the quoted one: add a second, unrelated rule to get a control arm")]
    NothingElse,
    /// Every other rule shares words with the rule, the input or the assertions.
    #[error("every other rule shares words with the quoted rule, the input or the assertions, so none is unrelated")]
    AllRelated,
    /// The unrelated ones are far shorter or far longer than the rule.
    #[error("no unrelated rule is of about the rule's length (a third to three times)")]
    NoneOfItsLength,
}

/// A rule is comparable from a third of the quoted rule's words to three times as many.
const LENGTH_FACTOR: usize = 3;
/// The seed chooses among this many that are nearest in length.
const CHOICE: usize = 8;

/// An unrelated rule of about the same length: no content word in common with the quoted statements or with `avoid`
/// (the input and the literals of the assertions), chosen by the seed among those nearest in length.
///
/// # Errors
/// [`NoControl`] says why there is none.
pub fn control(document: &Document, quoted: &[Statement], avoid: &[String], seed: u64) -> Result<Statement, NoControl> {
    let text = document.text();
    let mut taken: HashSet<String> = HashSet::new();
    for statement in quoted {
        taken.extend(content_words(&statement.text));
    }
    let length = quoted.iter().map(|statement| word_count(&statement.text)).max().unwrap_or(0).max(1);
    for words in avoid {
        taken.extend(content_words(words));
    }
    let others: Vec<_> = units(document)
        .into_iter()
        .filter(|unit| matches!(unit.kind, UnitKind::Item | UnitKind::Sentence))
        .filter(|unit| {
            quoted
                .iter()
                .all(|statement| statement.range.end <= unit.range.start || unit.range.end <= statement.range.start)
        })
        .filter(|unit| {
            word_count(&text[unit.range.clone()]) >= 2 && !text[unit.range.clone()].trim_end().ends_with(':')
        })
        .collect();
    if others.is_empty() {
        return Err(NoControl::NothingElse);
    }
    let unrelated: Vec<_> =
        others.into_iter().filter(|unit| content_words(&text[unit.range.clone()]).is_disjoint(&taken)).collect();
    if unrelated.is_empty() {
        return Err(NoControl::AllRelated);
    }
    let mut fitting: Vec<_> = unrelated
        .into_iter()
        .map(|unit| (word_count(&text[unit.range.clone()]), unit))
        .filter(|(words, _)| *words <= length * LENGTH_FACTOR && length <= *words * LENGTH_FACTOR)
        .collect();
    if fitting.is_empty() {
        return Err(NoControl::NoneOfItsLength);
    }
    fitting.sort_by_key(|(words, unit)| (words.abs_diff(length), unit.range.start));
    fitting.truncate(CHOICE);
    let chosen = ChaCha8Rng::seed_from_u64(seed).random_range(0..fitting.len());
    let range = fitting.swap_remove(chosen).1.range;
    Ok(Statement::at(document, range))
}

fn word_count(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Words that say nothing about the matter.
const FUNCTION_WORDS: &str = " a about after all also always an and any are as ask at be because been before being but by can cannot do does don't each ever every first for from had has have how if in into is it its just like make may more most must need never no not of off on once one only or other our out over own please same shall should so some such than that the their them then there these they this to too under until up use used user users very was we were what when where whether which while who will with without would you your yours ";

/// Content words of a text, cut to a rough stem so that "refunds" and "refunded" meet.
fn content_words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .map(|word| word.to_lowercase().replace('’', "'"))
        .filter(|word| word.chars().count() >= 2 && !FUNCTION_WORDS.contains(&format!(" {word} ")))
        .map(|word| stem(&word))
        .collect()
}

fn stem(word: &str) -> String {
    let chars = word.chars().count();
    for (suffix, least) in [
        ("ations", 9),
        ("ation", 8),
        ("ings", 7),
        ("ing", 6),
        ("ies", 5),
        ("ied", 5),
        ("ers", 6),
        ("ed", 5),
        ("es", 5),
        ("er", 6),
        ("s", 4),
        ("y", 4),
        ("e", 4),
    ] {
        if chars >= least
            && let Some(stem) = word.strip_suffix(suffix)
        {
            let doubled =
                stem.len() > 3 && stem.as_bytes()[stem.len() - 1] == stem.as_bytes()[stem.len() - 2] && stem.is_ascii();
            return if doubled && suffix != "s" { stem[..stem.len() - 1].to_owned() } else { stem.to_owned() };
        }
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::locate;

    const RULES: &str = "# Refunds\n\n- Never refund an order older than 30 days.\n- Refunded money goes to the same card.\n\n# Tone\n\n\
        - Answer in at most three short sentences.\n- Keep a warm and friendly voice in chats.\n- Sign every message with your first name.\n- Hi.\n";

    fn choose(text: &str, avoid: &[&str], seed: u64) -> Result<String, NoControl> {
        let document = Document::from_bytes("a.md", text.as_bytes().to_vec()).unwrap();
        let quoted = locate(&document, "Never refund an order older than 30 days.");
        let avoid: Vec<String> = avoid.iter().map(|words| (*words).to_owned()).collect();
        control(&document, &quoted, &avoid, seed).map(|statement| statement.text)
    }

    #[test]
    fn the_control_rule_is_unrelated_and_chosen_by_the_seed() {
        let chosen: HashSet<String> = (0..50).map(|seed| choose(RULES, &["my order"], seed).unwrap()).collect();
        let expected = [
            "Answer in at most three short sentences.",
            "Keep a warm and friendly voice in chats.",
            "Sign every message with your first name.",
        ];
        assert_eq!(chosen, expected.map(str::to_owned).into());
        assert_eq!(choose(RULES, &[], 7), choose(RULES, &[], 7));
    }

    #[test]
    fn words_of_input_and_assertions_are_avoided() {
        for seed in 0..20 {
            let chosen = choose(RULES, &["Send me a short message", "friendly"], seed);
            assert_eq!(chosen, Err(NoControl::AllRelated));
        }
    }

    #[test]
    fn a_missing_control_says_why() {
        assert_eq!(choose("- Never refund an order older than 30 days.\n", &[], 1), Err(NoControl::NothingElse));
        assert_eq!(
            choose("Never refund an order older than 30 days. Be kind.\n", &[], 1),
            Err(NoControl::NoneOfItsLength)
        );
    }
}
