//! Text before and after: greetings, signatures, e-mail frames, talk around the request.

use super::super::edit::Edit;
use super::super::text::Text;
use super::{Algorithm, Maker, uncapitalised};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct Wrap {
    before: Vec<String>,
    after: Vec<String>,
    /// Both sides in every variant; otherwise one of them.
    both: bool,
    /// Makes the first letter of the input small.
    lower_first: bool,
    /// Starts of an input that has such a frame already.
    unless_before: Vec<String>,
    /// Words near the end of an input that has such a frame already.
    unless_after: Vec<String>,
    /// Only for an input whose first sentence asks.
    question: bool,
    /// Only for an input of one line.
    one_line: bool,
    /// Only for an input without these.
    without: Vec<String>,
}

pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("wrap", node, diagnostics)?;
    let mut list =
        |key: &'static str, diagnostics: &mut Diagnostics| fields.texts(key, diagnostics).unwrap_or_default();
    let before = list("before", diagnostics);
    let after = list("after", diagnostics);
    let unless_before = list("unless_before", diagnostics);
    let unless_after = list("unless_after", diagnostics);
    let without = list("without", diagnostics);
    let mut flag = |key: &'static str, diagnostics: &mut Diagnostics| fields.boolean(key, diagnostics).unwrap_or(false);
    let both = flag("both", diagnostics);
    let lower_first = flag("lower_first", diagnostics);
    let question = flag("question", diagnostics);
    let one_line = flag("one_line", diagnostics);
    if before.is_empty() && after.is_empty() {
        diagnostics.error(&node.place, "`wrap` needs `before`, `after` or both");
    }
    fields.finish(diagnostics);
    Some(Box::new(Wrap { before, after, both, lower_first, unless_before, unless_after, question, one_line, without }))
}

impl Algorithm for Wrap {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let raw = text.raw;
        let lower = raw.to_lowercase();
        if let Some(found) = self.without.iter().find(|sign| lower.contains(sign.as_str())) {
            return Err(format!("the input holds `{}`", found.escape_debug()));
        }
        if self.one_line && raw.trim().contains('\n') {
            return Err("the input has several lines".to_owned());
        }
        let starts = |start: &String| {
            lower.trim_start().strip_prefix(start.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
        };
        let tail: Vec<&str> = text.words.iter().rev().take(6).map(|word| word.lower.as_str()).collect();
        let framed_before = self.before.is_empty() || self.unless_before.iter().any(starts);
        let framed_after = self.after.is_empty() || self.unless_after.iter().any(|word| tail.contains(&word.as_str()));
        if framed_before && framed_after || self.both && (framed_before || framed_after) {
            return Err("the input has such a frame already".to_owned());
        }
        let first = text.sentences.first();
        if self.question && !first.is_some_and(|sentence| raw[sentence.mark.clone()].contains('?')) {
            return Err("its first sentence asks nothing".to_owned());
        }
        let (before, after): (&[String], &[String]) =
            (if framed_before { &[] } else { &self.before }, if framed_after { &[] } else { &self.after });
        let opening =
            text.words.first().filter(|word| word.free && word.opens && raw[..word.range.start].trim().is_empty());
        if self.lower_first && opening.is_none() {
            return Err("its first word must stay as it is".to_owned());
        }
        Ok(Box::new(move |draw| {
            let front = !before.is_empty() && (self.both || after.is_empty() || draw.below(2) == 0);
            let mut edits = vec![];
            if front {
                let start = raw.len() - raw.trim_start().len();
                edits.push(Edit::insert(start, draw.one(before)?.clone()));
                if let (true, Some(word)) = (self.lower_first, opening) {
                    edits.push(Edit::new(word.range.clone(), uncapitalised(&raw[word.range.clone()])));
                }
            }
            if self.both || !front {
                let end = raw.trim_end().len();
                let closing = draw.one(after)?;
                // A sentence that goes on in the same line needs an end first.
                let open = raw[..end].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == ')');
                let stop = if open && closing.starts_with(' ') && closing.trim_start().starts_with(char::is_alphabetic)
                {
                    "."
                } else {
                    ""
                };
                edits.push(Edit::insert(end, format!("{stop}{closing}")));
            }
            Some(edits)
        }))
    }
}
