//! Replacements of ranges of a text, and what they make of it.

use std::ops::Range;

/// One changed part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Bytes of the old text; empty where something is only put in.
    pub before: Range<usize>,
    /// What stood there.
    pub before_text: String,
    /// What stands there now.
    pub after_text: String,
}

/// A range of the old text and what comes in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub range: Range<usize>,
    pub with: String,
}

impl Cut {
    pub(super) fn out(range: Range<usize>) -> Self {
        Self { range, with: String::new() }
    }
}

/// Makes all cuts at once. Cuts that overlap become one, so that no order of them can garble the text.
pub(super) fn apply(text: &str, mut cuts: Vec<Cut>) -> (String, Vec<Change>) {
    cuts.sort_by_key(|cut| (cut.range.start, cut.range.end));
    let mut merged: Vec<Cut> = Vec::new();
    for cut in cuts {
        match merged.last_mut() {
            Some(last) if cut.range.start < last.range.end || cut.range == last.range => {
                last.range.end = last.range.end.max(cut.range.end);
                if cut.with != last.with {
                    last.with.push_str(&cut.with);
                }
            }
            _ => merged.push(cut),
        }
    }
    let mut edited = String::with_capacity(text.len());
    let mut changes: Vec<Change> = Vec::new();
    let mut at = 0;
    for cut in merged {
        edited.push_str(&text[at..cut.range.start]);
        edited.push_str(&cut.with);
        at = cut.range.end;
        let before_text = text[cut.range.clone()].to_owned();
        if before_text == cut.with {
            continue;
        }
        changes.push(Change { before: cut.range, before_text, after_text: cut.with });
    }
    edited.push_str(&text[at..]);
    (edited, changes)
}
