//! Speech that was written down by a machine: no marks, small letters, fillers between clauses.

use std::ops::Range;

use super::super::edit::Edit;
use super::super::text::Text;
use super::{Algorithm, Maker};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct Dictation {
    fillers: Vec<String>,
    openers: Vec<String>,
    /// No filler before one of these.
    not_before: Vec<String>,
    /// Chance of a filler at a clause's end, in a hundred.
    percent: usize,
}

/// `fillers` (between clauses), `openers` (before everything), `not_before` (words that no filler stands before),
/// `percent`.
pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("dictation", node, diagnostics)?;
    let fillers = fields.texts("fillers", diagnostics).unwrap_or_default();
    let openers = fields.texts("openers", diagnostics).unwrap_or_default();
    let not_before = fields.texts("not_before", diagnostics).unwrap_or_default();
    let percent = fields.whole_within("percent", 0, 100, diagnostics).unwrap_or(50) as usize;
    fields.finish(diagnostics);
    Some(Box::new(Dictation { fillers, openers, not_before, percent }))
}

impl Algorithm for Dictation {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let raw = text.raw;
        if raw.trim().contains('\n') {
            return Err("nobody dictates several lines".to_owned());
        }
        if text.words.len() < 3 || text.words.iter().any(|word| word.spaceless) {
            return Err("there is too little to dictate".to_owned());
        }
        let mut small = vec![];
        for word in text.words.iter().filter(|word| word.free && word.opens) {
            let lower = raw[word.range.clone()].to_lowercase();
            let first_person = word.lower == "i" || word.lower.starts_with("i'");
            if raw[word.range.clone()] != lower && !first_person {
                small.push(Edit::new(word.range.clone(), lower));
            }
        }
        let greeting = text.words.first().filter(|word| matches!(word.lower.as_str(), "hi" | "hello" | "hey"));
        // Marks between words, with whether a clause goes on after them.
        let mut marks: Vec<(Range<usize>, bool)> = vec![];
        for (at, c) in raw.char_indices() {
            let range = at..at + c.len_utf8();
            let near = raw[range.end..].chars().next();
            let ends = near.is_none_or(char::is_whitespace) || matches!(near, Some('.' | '!' | '?'));
            // The dot of "Dr." belongs to its word.
            let ends = ends && (c != '.' || text.sentences.iter().any(|s| s.mark.contains(&at)));
            if matches!(c, ',' | '.' | '!' | '?' | ';' | ':' | '¿' | '¡')
                && (ends || matches!(c, '¿' | '¡'))
                && text.is_free(&range)
                && !parts(text, &range)
            {
                // Nobody pauses inside an address, before "but" or after "hello".
                let next = text.words.iter().find(|word| word.range.start == range.end + 1);
                let goes_on = matches!(near, Some(' '))
                    && next.is_some_and(|next| next.free && !self.not_before.contains(&next.lower))
                    && greeting.is_none_or(|word| word.range.end != range.start);
                marks.push((range, goes_on));
            }
        }
        let start = raw.len() - raw.trim_start().len();
        let greeted = greeting.is_some();
        Ok(Box::new(move |draw| {
            let mut edits = small.clone();
            if !self.openers.is_empty() && !greeted && draw.chance(60) {
                edits.insert(0, Edit::insert(start, draw.one(&self.openers)?.clone()));
            }
            for (range, goes_on) in &marks {
                let filler = if *goes_on && draw.chance(self.percent) { draw.one(&self.fillers) } else { None };
                let filler = filler.map_or(String::new(), |filler| format!(" {filler}"));
                edits.push(Edit::new(range.clone(), filler));
            }
            Some(edits)
        }))
    }
}

/// Whether a mark keeps two protected spans apart: "12, 14" is not "12 14", and "Priya, Sam" are two people.
fn parts(text: &Text, mark: &Range<usize>) -> bool {
    let next = mark.end + (text.raw[mark.end..].len() - text.raw[mark.end..].trim_start().len());
    text.spans.iter().any(|span| span.range.end == mark.start)
        && text.spans.iter().any(|span| span.range.start == next)
        && !text.sentences.iter().any(|sentence| sentence.mark.contains(&mark.start))
}
