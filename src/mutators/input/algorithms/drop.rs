//! Words that are left out: telegram style, and articles that a learner forgets.

use std::ops::Range;

use super::super::edit::Edit;
use super::super::text::Text;
use super::super::tokens::{Sentence, Word};
use super::{Algorithm, Maker, capitalised};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct Drop {
    phrases: Vec<String>,
    /// Left out with this chance in a hundred each; at least one is.
    percent: usize,
    /// At most so many; 0 for no limit.
    most: usize,
    /// Only at the start of a sentence.
    openings: Vec<String>,
    /// Openings that make a question: the question mark goes with them.
    questions: Vec<String>,
    /// Nothing is left out before one of these.
    not_before: Vec<String>,
    small: bool,
}

/// `phrases` (anywhere), `openings` (at the start of a sentence), `questions` (openings that ask), `not_before`,
/// `percent`, `most`, `small` (no large first letter and no final mark either).
pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("drop", node, diagnostics)?;
    let phrases = fields.texts("phrases", diagnostics).unwrap_or_default();
    let openings = fields.texts("openings", diagnostics).unwrap_or_default();
    let questions = fields.texts("questions", diagnostics).unwrap_or_default();
    let not_before = fields.texts("not_before", diagnostics).unwrap_or_default();
    let percent = fields.whole_within("percent", 1, 100, diagnostics).unwrap_or(100) as usize;
    let most = fields.whole_within("most", 0, 100, diagnostics).unwrap_or(0) as usize;
    let small = fields.boolean("small", diagnostics).unwrap_or(false);
    if phrases.is_empty() && openings.is_empty() && questions.is_empty() {
        diagnostics.error(&node.place, "`drop` needs `phrases`, `openings` or `questions`");
    }
    fields.finish(diagnostics);
    Some(Box::new(Drop { phrases, openings, questions, not_before, percent, most, small }))
}

impl Algorithm for Drop {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let sites = self.sites(text);
        if sites.is_empty() {
            return Err("none of its words stands in the input".to_owned());
        }
        let left = text
            .words
            .iter()
            .filter(|word| !sites.iter().any(|(site, _)| site.start <= word.range.start && word.range.end <= site.end));
        if left.count() < 2 {
            return Err("too little would be left".to_owned());
        }
        Ok(Box::new(move |draw| {
            let sure = draw.below(sites.len());
            let mut edits: Vec<Edit> = vec![];
            for (at, (site, opens)) in sites.iter().enumerate() {
                if at != sure && (self.most == 1 || !draw.chance(self.percent)) {
                    continue;
                }
                if *opens && !self.small {
                    // What follows opens the sentence now.
                    let next = text.raw[site.end..].chars().next()?;
                    let range = site.start..site.end + next.len_utf8();
                    if !text.is_free(&range) {
                        continue;
                    }
                    edits.push(Edit::new(range, capitalised(&next.to_string())));
                } else {
                    edits.push(Edit::new(site.clone(), ""));
                }
            }
            let asked = |sentence: &&Sentence| {
                edits.iter().any(|edit| {
                    edit.range.start == sentence.range.start
                        && self.asks(text.raw[edit.range.clone()].trim_end())
                        && self.is_one_question(text, sentence)
                })
            };
            let told: Vec<&Sentence> = text.sentences.iter().filter(asked).collect();
            for sentence in told {
                let last = sentence.range.end == text.raw.trim_end().len();
                edits.push(Edit::new(sentence.mark.clone(), if last && self.small { "" } else { "." }));
            }
            if self.small {
                self.shrink(text, &mut edits);
            }
            (!edits.is_empty()).then_some(edits)
        }))
    }
}

impl Drop {
    fn asks(&self, opening: &str) -> bool {
        self.questions.iter().any(|question| question.eq_ignore_ascii_case(opening))
    }

    /// Whether the sentence ends with the mark of one question, and no second one may hide behind a comma.
    fn is_one_question(&self, text: &Text, sentence: &Sentence) -> bool {
        &text.raw[sentence.mark.clone()] == "?"
            && text.is_free(&sentence.mark)
            && !text.raw[sentence.range.clone()].contains(", ")
    }

    /// Whether what stands around a phrase lets it go: a word that counts or negates has its neighbours ("a few",
    /// "not very", "all the"), and an article must fit the word after it ("a really urgent").
    fn may_go(&self, text: &Text, at: usize, range: &Range<usize>) -> bool {
        let next = text.words[at..].iter().find(|word| word.range.start >= range.end);
        let before = at.checked_sub(1).map(|before| &text.words[before]);
        let before = before.filter(|before| &text.raw[before.range.end..range.start] == " ");
        let guards = |word: Option<&Word>| word.is_some_and(|word| text.tongue.guards(&word.lower));
        !guards(next)
            && !guards(before)
            && !next.is_some_and(|next| self.not_before.contains(&next.lower))
            && !before.is_some_and(|before| matches!(before.lower.as_str(), "a" | "an"))
    }

    /// What may go, each with the space after it, and whether it opens a sentence.
    fn sites(&self, text: &Text) -> Vec<(Range<usize>, bool)> {
        let mut sites: Vec<(Range<usize>, bool)> = vec![];
        for (at, word) in text.words.iter().enumerate() {
            let start = word.range.start;
            if sites.last().is_some_and(|(site, _)| start < site.end) || word.spaceless {
                continue;
            }
            let after_drop = sites.last().is_some_and(|(site, opens)| *opens && site.end == start);
            let opens = word.opens || after_drop;
            let lists: &[&[String]] =
                if opens { &[&self.questions, &self.openings, &self.phrases] } else { &[&self.phrases] };
            let phrase = lists.iter().flat_map(|list| list.iter()).filter(|phrase| {
                let end = start + phrase.len();
                text.raw.get(start..end).is_some_and(|found| {
                    let same = found.eq_ignore_ascii_case(phrase)
                        || found.replace('\u{2019}', "'").eq_ignore_ascii_case(phrase);
                    let goes_on =
                        text.raw[end..].starts_with(' ') && text.raw[end + 1..].starts_with(char::is_alphanumeric);
                    same && goes_on && text.is_free(&(start..end + 1)) && self.may_go(text, at, &(start..end + 1))
                })
            });
            if let Some(phrase) = phrase.max_by_key(|phrase| phrase.len()) {
                sites.push((start..start + phrase.len() + 1, opens));
            }
        }
        sites
    }

    /// Small first letters, and nothing at the end.
    fn shrink(&self, text: &Text, edits: &mut Vec<Edit>) {
        let touched = |edits: &[Edit], range: &Range<usize>| {
            edits.iter().any(|edit| edit.range.start < range.end && range.start < edit.range.end)
        };
        for word in text.words.iter().filter(|word| word.opens && word.free && !word.spaceless) {
            let first = word.bounds[0]..word.bounds[1];
            let letter = &text.raw[first.clone()];
            let lower = letter.to_lowercase();
            if letter != lower && word.lower != "i" && !word.lower.starts_with("i'") && !touched(edits, &first) {
                edits.push(Edit::new(first, lower));
            }
        }
        if let Some(last) = text.sentences.last()
            && &text.raw[last.mark.clone()] == "."
            && text.is_free(&last.mark)
        {
            edits.push(Edit::new(last.mark.clone(), ""));
        }
    }
}
