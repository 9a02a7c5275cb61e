//! Edits in place: a variant is its original with a few ranges replaced, never words that were joined again.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// One replaced range of the original.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TextEdit {
    /// First byte in the original.
    pub start: usize,
    /// The byte after the last one; `start` for an insertion.
    pub end: usize,
    /// What stood there.
    pub before: String,
    /// What stands there now.
    pub after: String,
}

/// An edit as an algorithm makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) after: String,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, after: impl Into<String>) -> Edit {
        Edit { range, after: after.into() }
    }

    pub(super) fn insert(at: usize, after: impl Into<String>) -> Edit {
        Edit::new(at..at, after)
    }
}

/// `original` with `edits` applied; `None` where they overlap, fall outside or cut a character.
///
/// Edits may come in any order; insertions at one place keep the order in which they are given.
pub fn apply(original: &str, edits: &[TextEdit]) -> Option<String> {
    let mut edits: Vec<Edit> = edits.iter().map(|edit| Edit::new(edit.start..edit.end, edit.after.clone())).collect();
    written(original, &mut edits)
}

/// As [`apply`]; leaves the edits sorted.
pub(super) fn written(original: &str, edits: &mut [Edit]) -> Option<String> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let added: usize = edits.iter().map(|edit| edit.after.len()).sum();
    let mut text = String::with_capacity(original.len() + added);
    let mut at = 0;
    for edit in edits.iter() {
        if edit.range.start > edit.range.end || edit.range.start < at {
            return None;
        }
        original.get(edit.range.clone())?;
        text.push_str(original.get(at..edit.range.start)?);
        text.push_str(&edit.after);
        at = edit.range.end;
    }
    text.push_str(original.get(at..)?);
    Some(text)
}

pub(super) fn reported(original: &str, edits: &[Edit]) -> Vec<TextEdit> {
    let report = |edit: &Edit| TextEdit {
        start: edit.range.start,
        end: edit.range.end,
        before: original.get(edit.range.clone()).unwrap_or_default().to_owned(),
        after: edit.after.clone(),
    };
    edits.iter().filter(|edit| original.get(edit.range.clone()) != Some(&edit.after)).map(report).collect()
}
