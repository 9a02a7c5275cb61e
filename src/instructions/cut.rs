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

/// What the cuts do, in order. Cuts that overlap become one, so that no order of them can garble the text.
pub(super) fn resolved(text: &str, mut cuts: Vec<Cut>) -> Vec<Change> {
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
    let changed = merged.into_iter().filter(|cut| text[cut.range.clone()] != cut.with);
    changed
        .map(|cut| Change { before_text: text[cut.range.clone()].to_owned(), before: cut.range, after_text: cut.with })
        .collect()
}

/// A text with its changes made; they are in order, apart, and in places of this text.
pub fn patched(text: &str, changes: &[Change]) -> String {
    let mut edited =
        String::with_capacity(text.len() + changes.iter().map(|change| change.after_text.len()).sum::<usize>());
    let mut at = 0;
    for change in changes {
        edited.push_str(&text[at..change.before.start]);
        edited.push_str(&change.after_text);
        at = change.before.end;
    }
    edited.push_str(&text[at..]);
    edited
}
