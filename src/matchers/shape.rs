//! How long a reply is: `reply_max_words`, `reply_min_words`.

use serde_json::json;

use super::folded::{is_unspaced, is_word};
use super::kinds::{Kind, Part};
use super::view::View;
use super::{CUT, Demand, Finding, Matcher, NO_REPLY, Outcome};
use crate::source::{Diagnostics, Node};

/// The reply has at most so many words.
#[derive(Debug)]
struct MaxWords(u64);

/// The reply has at least so many words.
#[derive(Debug)]
struct MinWords(u64);

pub const MAX_WORDS: Kind = Kind {
    name: "reply_max_words",
    summary: "The reply has at most so many words.",
    aliases: &["max_words", "word_count_max"],
    negative: true,
    reads: Part::Reply,
    schema: || json!({"type": "integer", "minimum": 1}),
    parse: |name, value, diagnostics| Some(Box::new(MaxWords(whole(name, 1, value, diagnostics)?))),
};

pub const MIN_WORDS: Kind = Kind {
    name: "reply_min_words",
    summary: "The reply has at least so many words.",
    aliases: &["min_words", "word_count_min"],
    negative: false,
    reads: Part::Reply,
    schema: || json!({"type": "integer", "minimum": 1}),
    parse: |name, value, diagnostics| Some(Box::new(MinWords(whole(name, 1, value, diagnostics)?))),
};

/// A plain whole number of at least `least`.
pub fn whole(kind: &str, least: u64, value: &Node, diagnostics: &mut Diagnostics) -> Option<u64> {
    let found = value.number().and_then(|number| number.as_u64()).filter(|number| *number >= least);
    if found.is_none() {
        let seen = value.text().unwrap_or(value.describe());
        let message = format!("`{kind}` must be a whole number of at least {least}, not {seen}");
        let entry = diagnostics.error(&value.place, message);
        if value.number().is_some_and(|number| number.as_u64() == Some(0)) {
            entry.help.push("for an empty reply write `reply_equals: \"\"`".to_owned());
        }
    }
    found
}

/// Pieces between whitespace that have a letter or digit; in scripts without spaces every character counts.
pub fn words(reply: &str) -> u64 {
    let (mut count, mut start, mut at, mut any) = (0, 0, 0, false);
    while let Some(byte) = reply.as_bytes().get(at) {
        match byte {
            b' ' | b'\t'..=b'\r' => {
                count += u64::from(any);
                (start, any) = (at + 1, false);
            }
            0x80.. => {
                let end = reply[at..].find(char::is_whitespace).map_or(reply.len(), |length| at + length);
                count += words_of(&reply[start..end]);
                let space = reply[end..].chars().next().map_or(1, char::len_utf8);
                (start, at, any) = (end + space, end + space, false);
                continue;
            }
            byte => any |= byte.is_ascii_alphanumeric(),
        }
        at += 1;
    }
    count + u64::from(any)
}

/// Of a piece without whitespace.
fn words_of(piece: &str) -> u64 {
    let (mut unspaced, mut other) = (0, false);
    for c in piece.chars().filter(|c| is_word(*c) && *c != '_') {
        let hangul = matches!(c as u32, 0x1100..=0x11ff | 0xac00..=0xd7ff);
        if is_unspaced(c) && !hangul { unspaced += 1 } else { other = true }
    }
    unspaced + u64::from(other)
}

fn counted(count: u64) -> String {
    if count == 1 { "1 word".to_owned() } else { format!("{count} words") }
}

impl Matcher for MaxWords {
    fn kind(&self) -> &'static str {
        MAX_WORDS.name
    }

    fn describe(&self) -> String {
        format!("at most {}", counted(self.0))
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        if transcript.reply.is_none() {
            return Outcome::Holds(Finding::because(NO_REPLY));
        }
        let count = view.words();
        let reason = view.told(|| format!("the reply has {}; the most is {}", counted(count), self.0));
        if count > self.0 {
            Outcome::Fails(Finding { found: view.opening(), ..Finding::because(reason) })
        } else if transcript.truncated {
            Outcome::NotAssessable(format!("the reply has {} so far, and {CUT}", counted(count)))
        } else {
            Outcome::Holds(Finding::because(reason))
        }
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::MostWords(self.0)]
    }
}

impl Matcher for MinWords {
    fn kind(&self) -> &'static str {
        MIN_WORDS.name
    }

    fn describe(&self) -> String {
        format!("at least {}", counted(self.0))
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        if transcript.reply.is_none() {
            return Outcome::Fails(Finding::because(NO_REPLY));
        }
        let count = view.words();
        let reason = view.told(|| format!("the reply has {}; the least is {}", counted(count), self.0));
        if count >= self.0 {
            Outcome::Holds(Finding::because(reason))
        } else if transcript.truncated {
            Outcome::NotAssessable(format!("the reply has {} so far, and {CUT}", counted(count)))
        } else {
            Outcome::Fails(Finding { found: view.opening(), ..Finding::because(reason) })
        }
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::LeastWords(self.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_as_a_person_would() {
        for (text, count) in [
            ("", 0),
            ("one", 1),
            ("can't stop, won't-stop", 3),
            ("- a\n- b", 2),
            ("$49.99 !", 1),
            ("退款三十天", 5),
            ("a\u{a0}b — c", 3),
            ("x\u{3000}退 y ", 3),
            ("can’t ~ 退", 2),
        ] {
            assert_eq!(words(text), count, "{text:?}");
        }
    }
}
