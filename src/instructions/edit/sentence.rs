//! Takes words out of a block that keeps others: one blank between its neighbours, no half pair, no broken line.

use std::ops::Range;

use crate::instructions::cut::Cut;
use crate::instructions::inline::{Joined, Pair, pairs};

const FINAL: [char; 3] = ['.', '!', '?'];
const LOOSE: [char; 6] = [',', ';', ':', '—', '–', '-'];
const JOINERS: [&str; 4] = ["and", "or", "but", "nor"];

/// The cut that takes `range` out of a block with these visible pieces.
pub(super) fn cut(text: &str, pieces: &[Range<usize>], range: &Range<usize>) -> Cut {
    let mut range = visible(pieces, range);
    if range.start >= range.end {
        return Cut::out(range.start..range.start);
    }
    take_parentheses(text, pieces, &mut range);
    let (first, last) = (piece_at(pieces, range.start), piece_at(pieces, range.end));
    let before = text[pieces[first].start..range.start].trim_end();
    let after_end = pieces[last].end.max(range.end);
    let after = text[range.end..after_end].trim_start();
    let found = pairs(&Joined::new(text, pieces));
    let (closers, openers) = orphans(text, &found, &range);
    let start = pieces[first].start + before.len();
    let end = after_end - after.len();
    let next_line = pieces.get(last + 1).map(|piece| piece.start);

    if before.is_empty() && first > 0 {
        // Nothing stands before it on its line: what is cut starts at the end of the line above.
        let above = pieces[first - 1].end;
        if after.is_empty() && openers.is_empty() {
            return Cut { range: above..end, with: closers + &mend_end(text, pieces, &range, above) };
        }
        let between = &text[above..pieces[first].start];
        let end = if after.is_empty() { next_line.unwrap_or(end) } else { end };
        return Cut { range: above..end, with: closers + between + &openers };
    }
    if before.is_empty() {
        let end = if after.is_empty() { next_line.unwrap_or(end) } else { end };
        let (end, capital) = mend_start(text, &range, end, after_end);
        return Cut { range: start..end, with: openers + &capital };
    }
    if after.is_empty() {
        if !openers.is_empty() {
            return Cut { range: start..next_line.unwrap_or(end), with: format!("{closers} {openers}") };
        }
        let mended = mend_end(text, pieces, &range, start);
        if mended.is_empty() || !closers.is_empty() {
            return Cut { range: start..end, with: closers };
        }
        let kept = without_joiner(before).len();
        return Cut { range: pieces[first].start + kept..end, with: mended };
    }
    if openers.is_empty() {
        let opens = found.iter().any(|pair| pair.open.end == start);
        let parted = !opens && (end > range.end || after.starts_with(char::is_alphanumeric));
        let glue = if parted && !after.starts_with([',', ';', '.', ':', ')', '!', '?']) { " " } else { "" };
        return Cut { range: start..end, with: closers + glue };
    }
    Cut { range: start..end, with: format!("{closers} {openers}") }
}

/// A range without the indentation that it begins or ends in.
fn visible(pieces: &[Range<usize>], range: &Range<usize>) -> Range<usize> {
    let start =
        pieces.iter().find(|piece| range.start <= piece.end).map_or(range.start, |piece| piece.start.max(range.start));
    let end =
        pieces.iter().rev().find(|piece| piece.start < range.end).map_or(range.end, |piece| piece.end.min(range.end));
    start..end.max(start)
}

fn piece_at(pieces: &[Range<usize>], at: usize) -> usize {
    pieces.iter().position(|piece| at <= piece.end).unwrap_or(pieces.len().saturating_sub(1))
}

/// `(Never refund.)`: nothing but the rule stands between the parentheses.
fn take_parentheses(text: &str, pieces: &[Range<usize>], range: &mut Range<usize>) {
    let inside = pieces.iter().any(|piece| piece.start < range.start && range.start <= piece.end);
    if inside && text[..range.start].ends_with('(') && text[range.end..].starts_with(')') {
        range.start -= 1;
        range.end += 1;
    }
}

/// Marks in the range whose other half stays: closing ones, opening ones.
fn orphans(text: &str, found: &[Pair], range: &Range<usize>) -> (String, String) {
    let holds = |mark: &Range<usize>| range.start <= mark.start && mark.end <= range.end;
    let (mut closers, mut openers) = (String::new(), String::new());
    for pair in found {
        match (holds(&pair.open), holds(&pair.close)) {
            (true, false) => openers.push_str(&text[pair.open.clone()]),
            // Outer pairs come first, and close last.
            (false, true) => closers.insert_str(0, &text[pair.close.clone()]),
            _ => {}
        }
    }
    (closers, openers)
}

/// What ends the words that stay when the end of their sentence went with the range.
fn mend_end(text: &str, pieces: &[Range<usize>], range: &Range<usize>, kept_end: usize) -> String {
    let is_last = pieces.last().is_some_and(|piece| text[range.end.min(piece.end)..piece.end].trim().is_empty());
    let Some(mark) =
        text[range.clone()].trim_end_matches(['*', '_', '`']).chars().next_back().filter(|c| FINAL.contains(c))
    else {
        return String::new();
    };
    let start = pieces.first().map_or(0, |piece| piece.start);
    let kept = text[start..kept_end.max(start)].trim_end_matches(['*', '_', '`', '"', '\'', ')', ']', ' ']);
    let fragment = kept.ends_with(LOOSE) || kept.chars().next_back().is_some_and(char::is_alphanumeric);
    if is_last && fragment && !kept.ends_with(':') { mark.to_string() } else { String::new() }
}

fn without_joiner(before: &str) -> &str {
    let mut kept = before.trim_end_matches(LOOSE).trim_end();
    if let Some((rest, word)) = kept.rsplit_once(' ')
        && JOINERS.contains(&word)
    {
        kept = rest.trim_end_matches(LOOSE).trim_end();
    }
    if kept.is_empty() { before } else { kept }
}

/// Drops the comma or "and" that a cut start leaves behind, and gives the capital letter of what follows.
fn mend_start(text: &str, range: &Range<usize>, end: usize, after_end: usize) -> (usize, String) {
    let cut = text[range.clone()].trim_end_matches(['*', '_', '`']);
    let mid_sentence = !cut.ends_with(FINAL) && !cut.ends_with(':');
    let Some(after) = text.get(end..after_end).filter(|_| mid_sentence) else {
        return (end, String::new());
    };
    let mut rest = after.trim_start_matches(LOOSE).trim_start();
    let mut loosened = rest.len() < after.len();
    if let Some((word, others)) = rest.split_once(' ')
        && JOINERS.contains(&word)
    {
        rest = others.trim_start();
        loosened = true;
    }
    let Some(first) = rest.chars().next().filter(|_| loosened) else {
        return (end, String::new());
    };
    let was_capital = cut.trim_start_matches(['*', '_', '`']).starts_with(char::is_uppercase);
    let start = after_end - rest.len();
    if was_capital && first.is_lowercase() {
        (start + first.len_utf8(), first.to_uppercase().collect())
    } else {
        (start, String::new())
    }
}
