//! Whether a text that somebody else wrote may stand for a rule's opposite.
//!
//! This sees what can't be one: the rule in other words, another number, a lost code span, another subject. It does not
//! prove that a text is one, which is why such a text is shown and marked wherever it is used.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;

use super::amount::WORDS;
use super::invert;
use super::refusal::{Refusal, RefusalReason};
use super::words::{Kind, Token, tokens};
use crate::mutators::folded;
use crate::mutators::language::{Tongue, is_spaceless};

const SOURCE: &str = include_str!("../../../mutators/opposites.yaml");

/// Letters by which an opposite may be longer than twice the rule: short ones grow the most.
const SLACK: usize = 60;
/// Letters of a word that say what it is about: "refunds" and "refunding" are one word.
const STEM: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Opposites {
    directions: BTreeMap<String, HashSet<String>>,
    sides: HashSet<String>,
    hedges: HashSet<String>,
    common: HashSet<String>,
}

fn lexicon() -> &'static Opposites {
    static LEXICON: OnceLock<Opposites> = OnceLock::new();
    LEXICON.get_or_init(|| serde_yaml::from_str(SOURCE).expect("the embedded file is read by a test"))
}

/// Checks a text that a helper model gives for the opposite of a rule.
///
/// # Errors
/// What is wrong with it: `same-direction`, `new-number`, `lost-literal`, `other-length`, `off-topic` or `no-answer`.
pub fn check_opposite(rule: &str, text: &str) -> Result<(), Refusal> {
    let refused = |reason, what: &str| Err(Refusal::new(reason, what));
    if folded(text).is_empty() || text.chars().any(char::is_control) {
        return refused(RefusalReason::NoAnswer, text.trim());
    }
    if folded(text) == folded(rule) {
        return refused(RefusalReason::SameDirection, text);
    }
    let (length, before) = (text.chars().count(), rule.chars().count());
    if length * 4 < before || length > before * 2 + SLACK {
        return refused(RefusalReason::OtherLength, &format!("{length} letters for {before}"));
    }
    let (old, new) = (tokens(rule), tokens(text));
    let known: BTreeSet<String> = numbers(rule).collect();
    if let Some(number) = numbers(text).find(|number| !known.contains(number)) {
        return refused(RefusalReason::NewNumber, &number);
    }
    if let Some(lost) = literals(rule).into_iter().find(|literal| !text.contains(literal)) {
        return refused(RefusalReason::LostLiteral, lost);
    }
    let tongue = Tongue::of(rule, &[], None);
    if !is_about(rule, text, &tongue) {
        return refused(RefusalReason::OffTopic, text);
    }
    if !is_turned(rule, text, (&old, &new), &tongue) {
        return refused(RefusalReason::SameDirection, text);
    }
    Ok(())
}

/// Code, quotations, placeholders and addresses of a rule: what every opposite must hold as well.
pub fn literals(rule: &str) -> Vec<&str> {
    let cited = |token: &&Token| match token.kind {
        // Parentheses comment on a rule; all else that is opaque cites something.
        Kind::Opaque => !rule[token.range.clone()].starts_with(['(', '（', '[']),
        Kind::Word => ["{{", "<", "@", "://", "_"].iter().any(|sign| rule[token.range.clone()].contains(sign)),
        Kind::Sign(_) => false,
    };
    tokens(rule).iter().filter(cited).map(|token| &rule[token.range.clone()]).collect()
}

/// Runs of digits, and number words from "two" on: "one" is more often a pronoun.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    let digits = text.split(|c: char| !c.is_numeric()).filter(|run| !run.is_empty()).map(str::to_owned);
    let words = text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    digits.chain(words.filter(|word| WORDS[2..].contains(&word.as_str()))).collect::<Vec<_>>().into_iter()
}

/// Whether a text speaks of what the rule speaks of: half of its content words stand in the text.
fn is_about(rule: &str, text: &str, tongue: &Tongue) -> bool {
    let (of_rule, of_text) = (content(rule, tongue), content(text, tongue));
    let shared = of_rule.intersection(&of_text).count();
    of_rule.is_empty() || shared * 2 >= of_rule.len()
}

/// The beginnings of the words that are no cues and not common; in scripts without spaces, pairs of signs.
fn content(text: &str, tongue: &Tongue) -> BTreeSet<String> {
    let lexicon = lexicon();
    if text.chars().any(is_spaceless) {
        let signs: Vec<char> = text.chars().filter(|c| c.is_alphabetic() && !tongue.guards_sign(*c)).collect();
        return signs.windows(2).map(|pair| pair.iter().collect()).collect();
    }
    let cue = |word: &str| {
        tongue.guards(word) || lexicon.common.contains(word) || lexicon.directions["against"].contains(word)
    };
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’'))).map(str::to_lowercase);
    words.filter(|word| word.chars().count() > 3 && !cue(word)).map(|word| word.chars().take(STEM).collect()).collect()
}

/// Whether a word that gives the rule its direction came, went or changed places.
fn is_turned(rule: &str, text: &str, (old, new): (&[Token], &[Token]), tongue: &Tongue) -> bool {
    if invert(text).text().is_some_and(|back| folded(back) == folded(rule)) {
        return true;
    }
    // A short text without a word that is English for certain is taken for English all the same.
    let english = Tongue::of(rule, &[], Some("en"));
    let shows = |token: &Token| english.is_mark(&token.word) || line(&token.word).is_some();
    let hedge = |token: &&Token| lexicon().hedges.contains(&token.word);
    if new.iter().filter(hedge).count() > old.iter().filter(hedge).count() {
        return false;
    }
    match tongue.is_english() && old.iter().any(shows) {
        true => directions(old, new) != directions(new, old) || changed_places((rule, old), (text, new), tongue),
        // Or for a sister language: the words of all are watched.
        false => {
            let all = Tongue::of(rule, &[], Some("und"));
            guards(rule, old, &all) != guards(text, new, &all)
        }
    }
}

/// How many words point each way. A word that is "un" before a word of the other text points against it.
fn directions(tokens: &[Token], other: &[Token]) -> Vec<usize> {
    let denied = |word: &str| {
        let rest = ["un", "im", "in", "dis"].iter().find_map(|prefix| word.strip_prefix(prefix));
        rest.is_some_and(|rest| rest.len() > 3 && other.iter().any(|token| token.word == rest))
    };
    let points = |name: &str, words: &HashSet<String>, word: &str| {
        words.contains(word) || (name == "against" && (word.ends_with("n't") || denied(word)))
    };
    let count = |(name, words): (&String, &HashSet<String>)| {
        tokens.iter().filter(|token| points(name, words, &token.word)).count()
    };
    lexicon().directions.iter().map(count).collect()
}

/// Whether a word such as "not" or "over" stands before another of the rule's words than in the rule.
fn changed_places((rule, old): (&str, &[Token]), (text, new): (&str, &[Token]), tongue: &Tongue) -> bool {
    let of_rule = content(rule, tongue);
    let pairs = pairs(rule, old, tongue);
    let known: HashSet<&str> = old.iter().filter_map(|token| line(&token.word)).collect();
    self::pairs(text, new, tongue).iter().any(|pair| {
        let cited = rule.to_lowercase().contains(&pair.1) && !pair.1.starts_with(char::is_alphanumeric);
        known.contains(pair.0) && !pairs.contains(pair) && (of_rule.contains(&pair.1) || cited)
    })
}

/// Which way a word points: the name of its line, or the word itself where it stands before a side.
fn line(word: &str) -> Option<&'static str> {
    let lexicon = lexicon();
    let directions =
        || lexicon.directions.iter().find(|(_, words)| words.contains(word)).map(|(name, _)| name.as_str());
    lexicon.sides.get(word).map(String::as_str).or_else(directions)
}

/// Each word that gives a direction, with the content word, code or quotation that comes next.
fn pairs(text: &str, tokens: &[Token], tongue: &Tongue) -> BTreeSet<(&'static str, String)> {
    let next = |at: usize| {
        tokens[at + 1..].iter().find_map(|token| match token.kind {
            Kind::Opaque => Some(text[token.range.clone()].to_lowercase()),
            Kind::Word => content(&text[token.range.clone()], tongue).into_iter().next(),
            Kind::Sign(_) => None,
        })
    };
    (0..tokens.len()).filter_map(|at| Some((line(&tokens[at].word)?, next(at)?))).collect()
}

/// The words and signs of other languages that negate or restrict, in the order of the alphabet.
fn guards(text: &str, tokens: &[Token], tongue: &Tongue) -> Vec<String> {
    let words = tokens.iter().filter(|token| token.kind == Kind::Word).flat_map(|token| {
        token
            .word
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| tongue.guards(word))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    let signs = text.chars().filter(|c| tongue.guards_sign(*c)).map(String::from);
    let mut found: Vec<String> = words.chain(signs).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(rule: &str, text: &str) -> &'static str {
        check_opposite(rule, text).map_or_else(|refusal| refusal.reason.name(), |()| "ok")
    }

    #[test]
    fn an_opposite_in_other_words_is_taken() {
        for (rule, text) in [
            ("Only lend tools to members.", "Lend tools to everybody, members or not."),
            ("No tools for guests.", "Hand tools out to guests too."),
            ("Nobody but the keeper opens the shed.", "Everyone may open the shed, not just the keeper."),
            ("Prefer email over phone calls.", "Prefer phone calls over email."),
            ("Rarely mention the waiting list.", "Always mention the waiting list."),
            ("Answer with `sold out` when the tour is full.", "Never answer with `sold out` when the tour is full."),
            ("Never charge more than 5 euros.", "Charge more than 5 euros."),
            ("Non condividere mai la password.", "Condividi sempre la password."),
            ("请不要透露客户的地址。", "请透露客户的地址。"),
        ] {
            assert_eq!(said(rule, text), "ok", "{rule} → {text}");
        }
    }

    #[test]
    fn what_can_not_be_the_opposite_is_refused_by_name() {
        for (rule, text, reason) in [
            ("Only lend tools to members.", "only lend tools, to members", "same-direction"),
            ("Never share an address.", "Do not share an address.", "same-direction"),
            ("Never share an address.", "Refuse to share an address.", "same-direction"),
            ("Prefer email over phone calls.", "Prefer emails over phone calls.", "same-direction"),
            ("Never charge more than 5 euros.", "Charge more than 50 euros.", "new-number"),
            ("Lend at most three tools.", "Lend four tools or more.", "new-number"),
            ("Answer with `sold out` when the tour is full.", "Never answer when the tour is full.", "lost-literal"),
            ("Never call `close_shed` at noon.", "Always close the shed at noon with a call.", "lost-literal"),
            ("Close with \"Safe travels!\" in every reply.", "Never close with a wish in every reply.", "lost-literal"),
            ("Lend tools to members only.", "I can't help with that request.", "off-topic"),
            ("Lend tools to members only.", "No.", "other-length"),
            ("Be kind.", &"Be unkind. ".repeat(9), "other-length"),
            ("Be kind.", " … ", "no-answer"),
            ("Non condividere mai la password.", "Non condividere mai le password.", "same-direction"),
        ] {
            assert_eq!(said(rule, text), reason, "{rule} → {text}");
        }
    }
}
