//! What word processors and phones do to signs: curly apostrophes, dashes, ellipses, spaces that don't break.

use super::super::edit::Edit;
use super::super::text::Text;
use super::{Algorithm, Maker};
use crate::source::{Diagnostics, Fields, Node};

const NO_BREAK: &str = "\u{a0}";

#[derive(Debug)]
struct Typography;

pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    Fields::of("typography", node, diagnostics)?.finish(diagnostics);
    Some(Box::new(Typography))
}

impl Algorithm for Typography {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let raw = text.raw;
        let mut smart = vec![];
        for (sign, other) in [("'", "\u{2019}"), ("...", "\u{2026}"), (" - ", " \u{2013} "), ("--", "\u{2014}")] {
            for (at, _) in raw.match_indices(sign) {
                let range = at..at + sign.len();
                let inside_word = text.words.iter().any(|w| w.free && w.range.start < at && at < w.range.end);
                if text.is_free(&range) && (sign != "'" || inside_word) {
                    smart.push(Edit::new(range, other));
                }
            }
        }
        if smart.is_empty() && text.gaps.is_empty() {
            return Err("there is neither an apostrophe nor a space that may be changed".to_owned());
        }
        Ok(Box::new(move |draw| {
            let spaces = if smart.is_empty() { 1 + draw.below(3) } else { draw.below(4) };
            let mut edits = smart.clone();
            for at in draw.distinct(spaces, text.gaps.len()) {
                let at = text.gaps[at];
                edits.push(Edit::new(at..at + 1, NO_BREAK));
            }
            // An en dash takes its spaces with it.
            edits.sort_by_key(|edit| edit.range.start);
            edits.dedup_by(|next, kept| next.range.start < kept.range.end);
            Some(edits)
        }))
    }
}
