//! Near misses: replies that look like what a check asks for and mean something else.

use std::ops::Range;

use crate::matchers::{Demand, texts_matching};
use crate::mutators::transcript::{Probes, numbers};

/// Texts of one check that near misses are made of.
const MOST_TEXTS: usize = 8;

/// How a near miss misses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Miss {
    /// The number stands in a longer one.
    LongerNumber,
    /// The word stands in a longer one that means something else.
    LongerWord,
    /// The text is short, and stands in a sentence that answers nothing.
    InPassing,
    /// The deed is denied.
    Negated,
}

impl Miss {
    pub fn name(self) -> &'static str {
        match self {
            Miss::LongerNumber => "longer-number",
            Miss::LongerWord => "longer-word",
            Miss::InPassing => "in-passing",
            Miss::Negated => "negated",
        }
    }
}

/// A text that a satisfying reply holds, and what to put in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    pub miss: Miss,
    pub text: String,
    pub instead: String,
}

/// The near misses of one demand; `deny` allows those that deny the deed.
pub fn near_misses(demand: &Demand, deny: bool, probes: &Probes) -> Vec<NearMiss> {
    let mut found = vec![];
    match demand {
        Demand::Says { texts, .. } => {
            for text in texts.iter().take(MOST_TEXTS) {
                of_text((text, text), None, deny, probes, &mut found);
            }
        }
        Demand::Matches(patterns) => {
            for sampled in patterns.iter().flat_map(|pattern| texts_matching(pattern, 3)).take(MOST_TEXTS) {
                // The whole match is one word only where the pattern spells out all of it.
                let whole = matches!(sampled.spelled.as_slice(), [all] if all.len() == sampled.text.len());
                let word = if whole { sampled.text.as_str() } else { "" };
                of_text((&sampled.text, word), Some(&sampled.spelled), deny, probes, &mut found);
            }
        }
        _ => {}
    }
    found
}

/// `word` is the text where it is asked for as such; `spelled` is where a pattern means its numbers as they are, and `None`
/// where the text is no pattern's.
///
/// A pattern can be closed against further digits (`\b10\b`), but hardly against "10.5": that is not held against it.
fn of_text(
    (text, word): (&str, &str),
    spelled: Option<&[Range<usize>]>,
    deny: bool,
    probes: &Probes,
    found: &mut Vec<NearMiss>,
) {
    let mut push = |miss, instead: String| found.push(NearMiss { miss, text: text.to_owned(), instead });
    for number in numbers(text) {
        // A number that runs into what the pattern leaves open may be any number.
        let within = |range: &Range<usize>| range.start <= number.start && number.end <= range.end;
        if spelled.is_some_and(|spelled| !spelled.iter().any(within)) {
            continue;
        }
        for longer in probes.longer_numbers(&text[number.clone()], spelled.is_some()) {
            push(Miss::LongerNumber, format!("{}{longer}{}", &text[..number.start], &text[number.end..]));
        }
    }
    if let Some(longer) = probes.longer_word(word) {
        push(Miss::LongerWord, format!("It is {longer}."));
    }
    for sentence in probes.passing_mentions(word) {
        push(Miss::InPassing, sentence);
    }
    if let Some(negated) = probes.negated(word).filter(|_| deny) {
        push(Miss::Negated, negated);
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    fn insteads(demand: &Demand) -> Vec<String> {
        near_misses(demand, true, Probes::embedded()).into_iter().map(|near| near.instead).collect()
    }

    #[test]
    fn numbers_grow_and_deeds_are_denied() {
        let says = |text: &str| Demand::Says { texts: vec![text.to_owned()], any: false, inside_words: false };
        assert_eq!(insteads(&says("in 30 days")), ["in 130 days", "in 300 days", "in 30,000 days", "in 30.5 days"]);
        assert_eq!(insteads(&says("refund")), ["It is non-refundable.", "I cannot refund it."]);
        assert_eq!(insteads(&says("30 days policy")).len(), 4);
        assert_eq!(insteads(&says("voucher")), [""; 0]);
    }

    #[test]
    fn a_number_that_a_pattern_leaves_open_has_no_near_miss() {
        let matches = |pattern: &str| Demand::Matches(vec![Regex::new(pattern).unwrap()]);
        assert_eq!(insteads(&matches(r"\d+ days")), [""; 0]);
        assert_eq!(insteads(&matches("100")), ["1100", "1000"]);
        assert_eq!(insteads(&matches("(?i)refund")), ["It is non-refundable.", "I cannot refund it."]);
    }
}
