//! Takes elements out of a list with the commas, dashes and lines that only served them.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::instructions::cut::Cut;

/// A list, whatever its elements are.
#[derive(Debug, Clone)]
pub(in crate::instructions) struct Sequence {
    /// Each element; in a list of dashes with its dash.
    pub elements: Vec<Range<usize>>,
    pub form: Form,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::instructions) enum Form {
    /// `[a, b]`: what stands between the brackets.
    Bracketed(Range<usize>),
    /// A line with a dash for each element.
    Dashed,
}

/// The cuts that take elements out; a list that loses all of them is left as `[]`.
pub(in crate::instructions) fn removals(text: &str, sequence: &Sequence, gone: &BTreeSet<usize>) -> Vec<Cut> {
    let all = gone.len() >= sequence.elements.len();
    match &sequence.form {
        Form::Bracketed(inner) if all => vec![Cut::out(inner.clone())],
        Form::Bracketed(_) => bracketed(text, &sequence.elements, gone),
        Form::Dashed if all => vec![emptied(text, &sequence.elements)],
        Form::Dashed => gone.iter().map(|at| Cut::out(with_line(text, &sequence.elements[*at]))).collect(),
    }
}

fn bracketed(text: &str, elements: &[Range<usize>], gone: &BTreeSet<usize>) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for at in gone {
        let element = &elements[*at];
        let kept_before = (0..*at).rev().find(|before| !gone.contains(before));
        let kept_after = (at + 1..elements.len()).find(|after| !gone.contains(after));
        if let Some(line) = own_line(text, element) {
            let has_comma = text[element.end..line.end].trim_start().starts_with(',');
            cuts.push(Cut::out(line));
            // The comma of the element before it would be a trailing one, which JSON does not have.
            if !has_comma
                && kept_after.is_none()
                && let Some(before) = kept_before
                && let Some(comma) = text[elements[before].end..element.start].find(',')
            {
                let comma = elements[before].end + comma;
                cuts.push(Cut::out(comma..comma + 1));
            }
        } else if *at > 0 && kept_before.is_some() {
            cuts.push(Cut::out(elements[at - 1].end..element.end));
        } else if let Some(after) = elements.get(at + 1) {
            cuts.push(Cut::out(element.start..after.start));
        }
    }
    cuts
}

/// The whole line or lines of an element that shares them with nothing but its comma and a comment.
fn own_line(text: &str, element: &Range<usize>) -> Option<Range<usize>> {
    let start = text[..element.start].rfind('\n').map_or(0, |at| at + 1);
    let rest = &text[element.end..];
    let end = element.end + rest.find('\n')? + 1;
    let after = text[element.end..end].trim_start();
    let after = after.strip_prefix(',').unwrap_or(after).trim_start();
    let alone = text[start..element.start].trim().is_empty()
        && (after.is_empty() || after.starts_with('#') || after.starts_with("//"));
    alone.then_some(start..end)
}

fn with_line(text: &str, element: &Range<usize>) -> Range<usize> {
    let start = text[..element.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[..element.end].ends_with('\n');
    let end =
        if end { element.end } else { text[element.end..].find('\n').map_or(text.len(), |at| element.end + at + 1) };
    // The last line of a file without a line end at its end takes the line end before it.
    let start = if end == text.len() && !text.ends_with('\n') && start > 0 {
        start - if text[..start].ends_with("\r\n") { 2 } else { 1 }
    } else {
        start
    };
    start..end
}

/// `key: []` in place of a key and its last dash.
fn emptied(text: &str, elements: &[Range<usize>]) -> Cut {
    let first = elements.first().map_or(0, |element| element.start);
    let last = elements.last().map_or(first, |element| element.end);
    let end = text[..last].trim_end().len().max(first);
    let before = text[..first].trim_end();
    if before.ends_with(':') && before.len() < first {
        Cut { range: before.len()..end, with: " []".to_owned() }
    } else {
        Cut { range: first..end, with: "[]".to_owned() }
    }
}
