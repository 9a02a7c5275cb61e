//! Words in bold, as chat windows and Markdown write it.

use std::ops::Range;

use super::super::edit::Edit;
use super::super::protect::Why;
use super::super::text::Text;
use super::{Algorithm, Maker};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct Bold {
    signs: Vec<String>,
    least: usize,
    never: Vec<String>,
}

/// `signs`: one of them is put on both sides. `least`: letters of a word that is worth it. `never`: words that are not.
pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("bold", node, diagnostics)?;
    let signs = fields.texts("signs", diagnostics).unwrap_or_else(|| vec!["**".to_owned()]);
    let least = fields.whole_within("least", 1, 40, diagnostics).unwrap_or(5) as usize;
    let never = fields.texts("never", diagnostics).unwrap_or_default();
    fields.finish(diagnostics);
    Some(Box::new(Bold { signs, least, never }))
}

impl Algorithm for Bold {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        if text.raw.contains(['*', '_', '`']) {
            return Err("it is marked up already".to_owned());
        }
        let whole = |why: Why| matches!(why, Why::Number | Why::Identifier | Why::Name | Why::Capitals);
        let mut sites: Vec<Range<usize>> =
            text.spans.iter().filter(|span| whole(span.why)).map(|span| span.range.clone()).collect();
        let worth = |word: &&super::super::tokens::Word| {
            !word.spaceless && word.graphemes() >= self.least && !self.never.contains(&word.lower)
        };
        sites.extend(text.free_words().map(|(_, word)| word).filter(worth).map(|word| word.range.clone()));
        sites.sort_by_key(|site| site.start);
        if sites.is_empty() {
            return Err(format!("no word of at least {} letters may be marked", self.least));
        }
        Ok(Box::new(move |draw| {
            let sign = draw.one(&self.signs)?;
            let hits = 1 + draw.below(2);
            let mut edits = vec![];
            let mut end = None;
            for at in draw.distinct(hits, sites.len()) {
                // Neighbours would share one pair of signs.
                if end.replace(sites[at].end).is_some_and(|end| text.raw[end..sites[at].start].trim().is_empty()) {
                    continue;
                }
                edits.push(Edit::insert(sites[at].start, sign.clone()));
                edits.push(Edit::insert(sites[at].end, sign.clone()));
            }
            Some(edits)
        }))
    }
}
