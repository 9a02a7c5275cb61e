//! Writes a changed text back into its container: change by change where the strings then read as they should, else the
//! string anew.

use std::ops::Range;

use super::map::Map;
use super::yaml::Style;
use super::{Element, Literal, Piece, Writing, json};
use crate::instructions::cut::{Change, Cut, patched, resolved};

/// What a changed text asks of the text that holds it.
#[derive(Debug, Default)]
pub(in crate::instructions) struct Written {
    pub cuts: Vec<Cut>,
    /// The text is empty now, and it is an element of a list, which takes it out.
    pub removed: Option<Element>,
    /// The text is empty now, and an empty string stays where something must stand.
    pub emptied: bool,
}

/// The cuts that make a literal of `text` read as `content`; `changes` lead there from what it reads as. `None` where no
/// string can hold it.
pub(in crate::instructions) fn write(
    text: &str,
    literal: &Literal,
    changes: &[Change],
    content: &str,
) -> Option<Written> {
    if content.trim().is_empty() {
        if let Some(element) = literal.element {
            return Some(Written { removed: Some(element), ..Written::default() });
        }
        let first = literal.pieces.first()?;
        let cut = Cut { range: literal.whole(), with: first.writing.empty() };
        return Some(Written { cuts: vec![cut], removed: None, emptied: true });
    }
    let mut cuts = Vec::new();
    for (index, piece) in literal.pieces.iter().enumerate() {
        let own = changes_in(literal, index, changes);
        if own.is_empty() {
            continue;
        }
        let old = &literal.map.content[piece.content.clone()];
        let shifted = own
            .iter()
            .map(|(range, with)| Cut {
                range: range.start - piece.content.start..range.end - piece.content.start,
                with: with.clone(),
            })
            .collect();
        let new = patched(old, &resolved(old, shifted));
        if new.is_empty()
            && let Some(line) = joint_line(text, literal, index)
        {
            cuts.push(Cut::out(line));
            continue;
        }
        cuts.extend(piece_cuts(text, &literal.map, piece, &own, &new)?);
    }
    Some(Written { cuts, ..Written::default() })
}

/// The part of the changes that one piece takes: what goes of it, and what is put in where a change begins.
fn changes_in(literal: &Literal, index: usize, changes: &[Change]) -> Vec<(Range<usize>, String)> {
    let pieces = &literal.pieces;
    let own = &pieces[index].content;
    let mut found = Vec::new();
    for change in changes {
        let (start, end) = (change.before.start, change.before.end);
        // The first piece that a change touches takes its words; an insertion belongs to the text before it.
        let first = pieces
            .iter()
            .position(|piece| if start == end { start <= piece.content.end } else { start < piece.content.end });
        let part = start.max(own.start)..end.min(own.end);
        let takes_words = first == Some(index);
        if part.start < part.end || takes_words {
            let with = if takes_words { change.after_text.clone() } else { String::new() };
            let at = part.start.min(own.end);
            found.push((at..part.end.max(at), with));
        }
    }
    found
}

fn piece_cuts(text: &str, map: &Map, piece: &Piece, changes: &[(Range<usize>, String)], new: &str) -> Option<Vec<Cut>> {
    let whole = &piece.whole;
    if let Some(cuts) = fine_cuts(text, map, piece, changes) {
        let shifted: Vec<Cut> = cuts
            .iter()
            .map(|cut| Cut {
                range: cut.range.start - whole.start..cut.range.end - whole.start,
                with: cut.with.clone(),
            })
            .collect();
        let written = patched(&text[whole.clone()], &resolved(&text[whole.clone()], shifted));
        if piece.writing.reads_as(&written, new) {
            return Some(cuts);
        }
    }
    let written = piece.writing.rewrite(new);
    piece.writing.reads_as(&written, new).then(|| vec![Cut { range: whole.clone(), with: written }])
}

fn fine_cuts(text: &str, map: &Map, piece: &Piece, changes: &[(Range<usize>, String)]) -> Option<Vec<Cut>> {
    let mut cuts = Vec::new();
    for (range, with) in changes {
        let mut with = piece.writing.encode(with)?;
        let mut parts = map.parts(range);
        if parts.is_empty() {
            let at = if range.start > piece.content.start {
                map.place(&(range.start - 1..range.start)).end
            } else {
                map.point(range.start)
            };
            parts.push(at..at);
        }
        if let Writing::Yaml(Style::Block(block)) = &piece.writing
            && let (Some(start), Some(end)) =
                (block.line_start(text, map, range.start), block.line_start(text, map, range.end))
        {
            // Whole lines go with their own indentation, not with that of the next line.
            parts.clear();
            parts.push(start..end);
        }
        for part in parts {
            cuts.push(Cut { range: part, with: std::mem::take(&mut with) });
        }
    }
    Some(cuts)
}

/// The line of a joined string that has it for itself, where the others stay joined without it.
fn joint_line(text: &str, literal: &Literal, index: usize) -> Option<Range<usize>> {
    let whole = &literal.pieces[index].whole;
    let glue = |at: usize| -> &str {
        match (literal.pieces.get(at), literal.pieces.get(at + 1)) {
            (Some(before), Some(after)) => text.get(before.whole.end..after.whole.start).unwrap_or_default(),
            _ => "",
        }
    };
    let last = literal.pieces.len().checked_sub(1).filter(|last| *last > 0)?;
    let start = text[..whole.start].rfind('\n').map_or(0, |at| at + 1);
    let end = whole.end + text[whole.end..].find('\n')? + 1;
    let before = text[start..whole.start].trim();
    let after = text[whole.end..end].trim();
    let summed = glue(index).contains('+') || index.checked_sub(1).is_some_and(|at| glue(at).contains('+'));
    let alone = match (before, after) {
        ("", "") => !summed,
        ("", "+") => index < last,
        ("+", "") => index > 0,
        _ => false,
    };
    alone.then_some(start..end)
}

impl Writing {
    fn encode(&self, content: &str) -> Option<String> {
        match self {
            Self::Json => Some(json::encode(content)),
            Self::Quoted(quoted) => Some(quoted.encode(content, false)),
            Self::Yaml(style) => style.encode(content),
        }
    }

    fn rewrite(&self, content: &str) -> String {
        match self {
            Self::Json => format!("\"{}\"", json::encode(content)),
            Self::Quoted(quoted) => quoted.rewrite(content),
            Self::Yaml(style) => style.rewrite(content),
        }
    }

    fn reads_as(&self, written: &str, content: &str) -> bool {
        match self {
            Self::Json => json::read(written, 0..written.len()).is_some_and(|map| map.content == content),
            Self::Quoted(quoted) => quoted.reads_as(written, content),
            Self::Yaml(style) => style.reads_as(written, content),
        }
    }

    fn empty(&self) -> String {
        match self {
            Self::Json => "\"\"".to_owned(),
            Self::Quoted(quoted) => quoted.rewrite(""),
            Self::Yaml(style) => style.empty(),
        }
    }
}
