//! Sentences negated, numbers changed, the reply cut short or left out.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{Mutant, Probes, ReplyChange, Touched};
use crate::transcript::Transcript;

/// Sentences and numbers of one reply that are changed.
const MOST: usize = 12;

pub(super) fn mutate(transcript: &Transcript, said: &str, found: &mut Vec<Mutant>) {
    let mut push = |mutator, how, reply: String, lost: String, before: String, after: String| {
        let transcript = Transcript { reply: Some(reply), ..transcript.clone() };
        found.push(Mutant { mutator, transcript, touched: Touched::Reply { lost, how }, before, after });
    };
    let sentences: Vec<Range<usize>> = said
        .unicode_sentences()
        .map(|sentence| {
            let start = sentence.as_ptr() as usize - said.as_ptr() as usize;
            start..start + sentence.trim_end().len()
        })
        .filter(|range| !range.is_empty())
        .collect();
    for range in sentences.iter().take(MOST) {
        let sentence = &said[range.clone()];
        if let Some(negated) = negated(sentence) {
            let reply = format!("{}{negated}{}", &said[..range.start], &said[range.end..]);
            push("negate-sentence", ReplyChange::Negated, reply, sentence.to_owned(), sentence.to_owned(), negated);
        }
    }
    let mut seen: Vec<&str> = vec![];
    let all = numbers(said);
    for range in &all {
        let number = &said[range.clone()];
        if seen.contains(&number) || seen.len() >= MOST {
            continue;
        }
        seen.push(number);
        let other = other_number(number);
        let mut reply = String::with_capacity(said.len());
        let mut from = 0;
        for place in all.iter().filter(|place| said[(*place).clone()] == *number) {
            reply.push_str(&said[from..place.start]);
            reply.push_str(&other);
            from = place.end;
        }
        reply.push_str(&said[from..]);
        let whole = sentences.iter().find(|sentence| sentence.contains(&range.start)).unwrap_or(range).clone();
        let before = said[whole.clone()].to_owned();
        let after = format!("{}{other}{}", &said[whole.start..range.start], &said[range.end..whole.end.max(range.end)]);
        push("change-number", ReplyChange::Number, reply, number.to_owned(), before, after);
    }
    for range in sentences.iter().skip(1).take(MOST) {
        let (kept, lost) = said.split_at(range.start);
        let shown = lost.trim().to_owned();
        push("cut-reply", ReplyChange::Cut, kept.trim_end().to_owned(), lost.to_owned(), shown, String::new());
    }
    let all = said.trim().to_owned();
    push("empty-reply", ReplyChange::Emptied, String::new(), said.to_owned(), all, String::new());
}

/// The numbers of a text, separators inside them included: `1,000`, `49.99`.
pub fn numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut found = vec![];
    let mut at = 0;
    while at < bytes.len() {
        if !digit(at) {
            at += 1;
            continue;
        }
        let start = at;
        while digit(at) || (matches!(bytes.get(at), Some(b'.' | b',')) && digit(at + 1)) {
            at += 1;
        }
        found.push(start..at);
    }
    found
}

/// The same number with another last digit.
pub(super) fn other_number(number: &str) -> String {
    let mut chars: Vec<char> = number.chars().collect();
    if let Some(last) = chars.iter_mut().rev().find(|c| c.is_ascii_digit()) {
        *last = match *last {
            '9' => '8',
            digit => char::from(digit as u8 + 1),
        };
    }
    chars.into_iter().collect()
}

/// The sentence with its first negation taken out or, where it has none, its first auxiliary verb negated.
fn negated(sentence: &str) -> Option<String> {
    let lower = sentence.to_ascii_lowercase().replace('’', "'");
    // The curly apostrophe is longer: then places would not be those of the sentence.
    if lower.len() != sentence.len() {
        return None;
    }
    let auxiliaries = Probes::embedded().auxiliaries();
    let negative = auxiliaries.iter().flat_map(|forms| {
        forms[1..].iter().filter_map(|form| Some((whole_word(&lower, form)?, form.len(), forms[0].as_str())))
    });
    let positive = || {
        auxiliaries.iter().filter_map(|forms| Some((whole_word(&lower, &forms[0])?, forms[0].len(), forms[1].as_str())))
    };
    let (at, length, by) = negative.min_by_key(|(at, ..)| *at).or_else(|| positive().min_by_key(|(at, ..)| *at))?;
    let capital = sentence[at..].starts_with(|c: char| c.is_ascii_uppercase());
    let by = if capital { format!("{}{}", by[..1].to_ascii_uppercase(), &by[1..]) } else { by.to_owned() };
    Some(format!("{}{by}{}", &sentence[..at], &sentence[at + length..]))
}

fn whole_word(text: &str, word: &str) -> Option<usize> {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '\'' && c != '_');
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| edge(text[..*at].chars().next_back()) && edge(text[at + word.len()..].chars().next()))
}
