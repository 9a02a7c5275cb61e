//! Edits in place: a variant is its original with a few ranges replaced, never words that were joined again.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use similar::{DiffTag, TextDiff};

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

impl TextEdit {
    /// What turns `original` into `text`, word by word, ascending: [`apply`] gives `text` again. What is changed on both
    /// sides of a single gap is one edit, since nobody reads a sentence in which every second blank was kept.
    pub fn between(original: &str, text: &str) -> Vec<TextEdit> {
        let diff = TextDiff::from_unicode_words(original, text);
        let (old, new) = (starts(diff.iter_old_slices()), starts(diff.iter_new_slices()));
        let mut changes: Vec<(Range<usize>, Range<usize>)> = vec![];
        for op in diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal) {
            let before = old[op.old_range().start]..old[op.old_range().end];
            let after = new[op.new_range().start]..new[op.new_range().end];
            match changes.last_mut() {
                Some(last) if original[last.0.end..before.start].trim().is_empty() => {
                    last.0.end = before.end;
                    last.1.end = after.end;
                }
                _ => changes.push((before, after)),
            }
        }
        let edits: Vec<Edit> = changes.into_iter().map(|(before, after)| Edit::new(before, &text[after])).collect();
        reported(original, &edits)
    }
}

/// Where each part starts, and the end: one more than there are parts.
fn starts<'p>(parts: impl Iterator<Item = &'p str>) -> Vec<usize> {
    let mut starts = vec![0];
    for part in parts {
        starts.push(starts[starts.len() - 1] + part.len());
    }
    starts
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn between(original: &str, text: &str) -> Vec<(String, String)> {
        TextEdit::between(original, text).into_iter().map(|edit| (edit.before, edit.after)).collect()
    }

    #[test]
    fn a_text_of_somebody_else_is_shown_word_by_word() {
        let one = |before: &str, after: &str| (before.to_owned(), after.to_owned());
        assert_eq!(between("Where is order #4021?", "Where is order #4021?"), []);
        assert_eq!(
            between("Where is my order #4021?", "Where did my parcel #4021 go?"),
            [one("is", "did"), one("order", "parcel"), one("", " go")]
        );
        assert_eq!(
            between("Please cancel the order now.", "Kindly stop the order."),
            [one("Please cancel", "Kindly stop"), one(" now", "")]
        );
        assert_eq!(between("", "Hi"), [one("", "Hi")]);
        assert_eq!(between("Hi", ""), [one("Hi", "")]);
        assert_eq!(between("我想退货", "我要退货"), [one("想", "要")]);
    }

    proptest! {
        #[test]
        fn edits_between_two_texts_make_the_second_of_the_first(
            original in "([a-d]{1,2}|[ ,.\n]|é|👍🏽|注){0,30}",
            text in "([a-d]{1,2}|[ ,.\n]|é|👍🏽|注){0,30}",
        ) {
            let edits = TextEdit::between(&original, &text);
            prop_assert_eq!(apply(&original, &edits), Some(text));
            prop_assert!(edits.is_sorted_by(|a, b| a.end < b.start));
            prop_assert!(edits.iter().all(|edit| original[edit.start..edit.end] == edit.before));
        }
    }
}
