//! Decides block by block what goes with a deleted rule: some words, the block, its label, its table row.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Place;
use super::lines::Removal;
use super::sentence;
use crate::instructions::container::table::cells;
use crate::instructions::container::tags;
use crate::instructions::cut::Cut;
use crate::instructions::layout::{Block, BlockKind};

pub(super) fn cuts(place: &Place, ranges: &[Range<usize>], notes: &mut Vec<String>) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let mut removal = Removal::new(place, ranges);
    for index in touched(place, ranges) {
        let block = &place.layout.blocks[index];
        let span = place.layout.span(block);
        let parts: Vec<Range<usize>> = ranges
            .iter()
            .map(|range| span.start.max(range.start)..span.end.min(range.end))
            .filter(|part| part.start < part.end)
            .collect();
        if parts.is_empty() || block.kind == BlockKind::Furniture {
            continue;
        }
        let pieces = place.layout.pieces(block);
        match block.kind {
            BlockKind::TableHead => {
                for cell in cells(place.text, span) {
                    cuts.extend(cell_cuts(place, &cell, &parts));
                }
            }
            BlockKind::TableRow => {
                let row = cells(place.text, span);
                if row_is_gone(place, &row, &parts) {
                    if row.len() > 1 {
                        notes.push("table row removed with its rule".to_owned());
                    }
                    removal.remove(index);
                } else {
                    for cell in row {
                        cuts.extend(cell_cuts(place, &cell, &parts));
                    }
                }
            }
            _ if is_gone(place, &pieces, &parts) => removal.remove_with_children(index, notes),
            _ if starts_only_item(place, block, &pieces, &parts) => removal.remove_first_lines(index, &parts),
            _ => {
                for part in joined_parts(place.text, parts) {
                    let part = tags::around(place.text, part);
                    cuts.push(sentence::cut(place.text, &pieces, &part));
                }
            }
        }
    }
    cuts.extend(removal.cuts(notes));
    cuts
}

/// The blocks with a line in any of the ranges, in order.
fn touched(place: &Place, ranges: &[Range<usize>]) -> BTreeSet<usize> {
    let layout = place.layout;
    let lines = |range: &Range<usize>| (layout.line_at(range.start), layout.line_at(range.end));
    let blocks = |(first, last): (usize, usize)| {
        let from = layout.blocks.partition_point(|block| block.lines.end <= first);
        (from..layout.blocks.len()).take_while(move |at| layout.blocks[*at].lines.start <= last)
    };
    ranges.iter().map(lines).flat_map(blocks).collect()
}

/// Parts with nothing but blanks and marks between them are cut as one.
fn joined_parts(text: &str, parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if is_bare(&text[last.end..part.start]) => last.end = part.end,
            _ => joined.push(part),
        }
    }
    joined
}

fn is_bare(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || matches!(c, '*' | '_' | '~' | '>'))
}

/// Whether a block has no word left, or only the label of what went.
fn is_gone(place: &Place, pieces: &[Range<usize>], parts: &[Range<usize>]) -> bool {
    let left = left_over(place.text, pieces, parts);
    let words: String = left.iter().map(|rest| &place.text[rest.clone()]).collect();
    let words = if words.contains(['<', '{']) { tags::without_pairs(&words, place.text) } else { words };
    let nothing = words
        .chars()
        .all(|c| c.is_whitespace() || matches!(c, '*' | '_' | '~' | '.' | ';' | ':' | '!' | '?' | '(' | ')' | '\\'));
    if nothing {
        return true;
    }
    let first = parts.first().map_or(0, |part| part.start);
    let (before, after): (Vec<_>, Vec<_>) = left.into_iter().partition(|rest| rest.end <= first);
    let before: String = before.iter().map(|rest| &place.text[rest.clone()]).collect();
    let after: String = after.iter().map(|rest| &place.text[rest.clone()]).collect();
    place.syntax.is_prose() && !after.contains(char::is_alphanumeric) && is_label(&before)
}

/// `**No invented names**:` or `Tone —`: a few words that only announce what follows.
fn is_label(text: &str) -> bool {
    let bare = text.trim().trim_end_matches(['*', '_', ' ']);
    let label = bare.trim_end_matches([':', '–', '—', '-']).trim_end_matches(['*', '_', ' ']);
    let announces = label.len() < bare.len();
    announces && label.split_whitespace().count() <= 6 && !label.contains(['.', '!', '?', '"', '{', '[', '='])
}

/// What of the pieces is not in the parts.
fn left_over(text: &str, pieces: &[Range<usize>], parts: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    for piece in pieces {
        let mut at = piece.start;
        for part in parts {
            if part.end <= at || part.start >= piece.end {
                continue;
            }
            if part.start > at {
                left.push(at..part.start);
            }
            at = part.end.min(piece.end);
        }
        if at < piece.end {
            left.push(at..piece.end);
        }
    }
    left.retain(|rest| !text[rest.clone()].is_empty());
    left
}

/// An item whose own lines all go, while an outdented line that the parser counts to it stays.
fn starts_only_item(place: &Place, block: &Block, pieces: &[Range<usize>], parts: &[Range<usize>]) -> bool {
    let lines = &place.layout.lines[block.lines.clone()];
    let own = 1 + lines.iter().skip(1).take_while(|line| line.indent > block.indent).count();
    block.kind == BlockKind::Item
        && own < lines.len()
        && parts.iter().all(|part| part.end <= pieces[own - 1].end)
        && is_gone(place, &pieces[..own], parts)
}

fn row_is_gone(place: &Place, row: &[Range<usize>], parts: &[Range<usize>]) -> bool {
    let covered = |cell: &Range<usize>| is_bare_cell(place.text, cell, parts);
    let filled: Vec<&Range<usize>> = row.iter().filter(|cell| !cell.is_empty()).collect();
    filled.iter().any(|cell| covered(cell))
        && filled.iter().filter(|cell| !covered(cell)).all(|cell| {
            let words = &place.text[(*cell).clone()];
            words.split_whitespace().count() <= 5 && !words.ends_with(['.', '!', '?'])
        })
}

fn is_bare_cell(text: &str, cell: &Range<usize>, parts: &[Range<usize>]) -> bool {
    !cell.is_empty()
        && left_over(text, std::slice::from_ref(cell), parts)
            .iter()
            .all(|rest| !text[rest.clone()].contains(char::is_alphanumeric))
}

fn cell_cuts(place: &Place, cell: &Range<usize>, parts: &[Range<usize>]) -> Vec<Cut> {
    if is_bare_cell(place.text, cell, parts) {
        return vec![Cut::out(cell.clone())];
    }
    parts
        .iter()
        .map(|part| cell.start.max(part.start)..cell.end.min(part.end))
        .filter(|part| part.start < part.end)
        .map(|part| sentence::cut(place.text, std::slice::from_ref(cell), &part))
        .collect()
}
