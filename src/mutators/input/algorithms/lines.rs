//! A mark before every line: lists and quotes.

use std::ops::Range;

use super::super::edit::Edit;
use super::super::text::Text;
use super::{Algorithm, Maker};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct Lines {
    marks: Vec<String>,
    heads: Vec<String>,
    sentences: bool,
}

/// `marks`: one is drawn and put before every line. `sentences`: every sentence gets a line of its own, and there must
/// be two. `heads`: lines that may stand before everything.
pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("lines", node, diagnostics)?;
    let marks = fields.texts("marks", diagnostics).unwrap_or_default();
    let heads = fields.texts("heads", diagnostics).unwrap_or_default();
    let sentences = fields.boolean("sentences", diagnostics).unwrap_or(false);
    if marks.is_empty() {
        diagnostics.error(&node.place, "`lines` needs `marks`").help.push("write `marks: [\"- \"]`".to_owned());
    }
    fields.finish(diagnostics);
    Some(Box::new(Lines { marks, heads, sentences }))
}

impl Algorithm for Lines {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let raw = text.raw;
        let mut starts: Vec<Range<usize>> = vec![];
        let first = raw.len() - raw.trim_start().len();
        starts.push(first..first);
        for (at, _) in raw.trim_end().match_indices('\n').filter(|(at, _)| *at > first) {
            starts.push(at + 1..at + 1);
        }
        if starts.iter().any(|start| raw[start.start..].starts_with(['#', '>', '-', '*', '+', '|', '`', '\t'])) {
            return Err("its lines are marked up already".to_owned());
        }
        if let Some(start) = starts.iter().find(|start| !text.is_free(start)) {
            return Err(format!("a protected span reaches over a line break (byte {})", start.start));
        }
        if self.sentences {
            for pair in text.sentences.windows(2) {
                let gap = pair[0].range.end..pair[1].range.start;
                let wide = raw[pair[0].mark.clone()].ends_with(['。', '！', '？']);
                let apart = &raw[gap.clone()] == " " || wide && gap.is_empty();
                if !pair[0].mark.is_empty() && apart && text.is_free(&gap) {
                    starts.push(gap);
                }
            }
            if starts.len() < 2 {
                return Err("it is a single sentence".to_owned());
            }
            starts.sort_by_key(|range| range.start);
        }
        Ok(Box::new(move |draw| {
            let mark = draw.one(&self.marks)?;
            let head = if self.heads.is_empty() { "" } else { draw.one(&self.heads)? };
            let line = |at: usize, range: &Range<usize>| {
                let lead = if at == 0 { head } else { "" };
                let breaks = at > 0 && !raw[..range.start].ends_with('\n');
                let stop = if breaks { "\n" } else { "" };
                // A line without text: nothing to list, and a quote needs no space after its sign.
                let mark = match raw[range.end..].starts_with(['\n', '\r']) {
                    true if self.sentences => "",
                    true => mark.trim_end(),
                    false => mark.as_str(),
                };
                Edit::new(range.clone(), format!("{lead}{stop}{mark}"))
            };
            Some(starts.iter().enumerate().map(|(at, range)| line(at, range)).collect())
        }))
    }
}
