//! Puts other words in a rule's place: marker, emphasis and indentation stay, a wrapped rule becomes one line.

use std::ops::Range;

use super::{Place, Syntax};
use crate::instructions::container::{jinja, table, xml};
use crate::instructions::cut::Cut;
use crate::instructions::inline::{Joined, Pair, pairs};
use crate::instructions::layout::{Block, BlockKind, Layout};

pub(super) fn cuts(place: &Place, ranges: &[Range<usize>], with: &str) -> Vec<Cut> {
    ranges.iter().flat_map(|range| cuts_of(place, range, with)).collect()
}

fn cuts_of(place: &Place, range: &Range<usize>, with: &str) -> Vec<Cut> {
    let blocks: Vec<(&Block, Range<usize>)> = place
        .layout
        .blocks
        .iter()
        .filter(|block| block.kind != BlockKind::Furniture)
        .filter_map(|block| {
            let span = place.layout.span(block);
            let part = span.start.max(range.start)..span.end.min(range.end);
            (part.start < part.end).then_some((block, part))
        })
        .collect();
    let lines = words_by_block(with);
    if blocks.len() > 1 && blocks.len() == lines.len() {
        return blocks
            .iter()
            .zip(&lines)
            .map(|((block, part), line)| Cut { with: dressed(place, Some(block), part, line), range: part.clone() })
            .collect();
    }
    let line = lines.join(" ");
    let block = blocks.first().map(|(block, _)| *block);
    vec![Cut { with: dressed(place, block, range, &line), range: range.clone() }]
}

/// The replacement's words, one entry a block, without markers.
fn words_by_block(with: &str) -> Vec<String> {
    let with = with.trim();
    let layout = Layout::read(with, true);
    layout
        .blocks
        .iter()
        .filter(|block| block.kind != BlockKind::Furniture)
        .map(|block| Joined::new(with, &layout.pieces(block)).text)
        .filter(|line| !line.is_empty())
        .collect()
}

/// The new words with the emphasis of the old ones and what the place asks for.
fn dressed(place: &Place, block: Option<&Block>, range: &Range<usize>, line: &str) -> String {
    let text = place.text;
    let mut line = match block {
        Some(block) => marked(text, place.layout, block, range, line),
        None => line.to_owned(),
    };
    let old = text[range.clone()].trim_end_matches(['*', '_', '`']);
    let ends = |words: &str| words.trim_end_matches(['*', '_', '`', '"', ')']).ends_with(['.', '!', '?', ':']);
    if old.ends_with(['.', '!', '?']) && !ends(&line) {
        let stop = old.chars().next_back().unwrap_or('.');
        line.push(stop);
    } else if !ends(old) && line.ends_with('.') {
        let goes_on = text[range.end..].chars().next().is_some_and(|c| !c.is_whitespace());
        let in_line = text[range.end..].split(['\n', '\r']).next().is_some_and(|rest| !rest.trim().is_empty());
        if goes_on || in_line {
            line.pop();
        }
    }
    if block.is_some_and(|block| matches!(block.kind, BlockKind::TableRow | BlockKind::TableHead)) {
        line = table::escaped(&line);
    }
    match place.syntax {
        Syntax::Markup => line = xml::escaped(&line),
        Syntax::Template => line = jinja::escaped(&line, &text[range.clone()]),
        _ => {}
    }
    if place.syntax == Syntax::Json {
        let quoted = serde_json::Value::from(line.as_str()).to_string();
        line = quoted[1..quoted.len() - 1].to_owned();
    }
    line
}

/// Puts the marks of the old words around the same words of the new ones; marks around all of it, and around the first
/// word, stay even when the words differ.
fn marked(text: &str, layout: &Layout, block: &Block, range: &Range<usize>, line: &str) -> String {
    let joined = Joined::new(text, &layout.pieces(block));
    let mut line = line.to_owned();
    let holds = |pair: &Pair| range.start <= pair.open.start && pair.close.end <= range.end;
    for pair in pairs(&joined).into_iter().rev().filter(holds) {
        let (open, close) = (&text[pair.open.clone()], &text[pair.close.clone()]);
        if line.contains(open) && (open != "[" || line.contains("](")) {
            continue;
        }
        let inner = &text[pair.inner()];
        let rest = text[pair.close.end..range.end].trim();
        let whole = pair.open.start == range.start && !rest.contains(char::is_alphanumeric);
        if whole {
            let kept =
                line.len() - if rest.is_empty() { 0 } else { line.len() - line.trim_end_matches(['.', '!']).len() };
            line = format!("{open}{}{close}{}", &line[..kept], &line[kept..]);
        } else if let Some(at) = find_word(&line, inner) {
            line = format!("{}{open}{inner}{close}{}", &line[..at], &line[at + inner.len()..]);
        } else if pair.open.start == range.start && !inner.contains(' ') {
            let word = line.find(' ').unwrap_or(line.len());
            line = format!("{open}{}{close}{}", &line[..word], &line[word..]);
        }
    }
    line
}

fn find_word(line: &str, word: &str) -> Option<usize> {
    if word.is_empty() {
        return None;
    }
    line.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = line[..*at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let joins = |side: Option<char>| side.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '`' | '*'));
        !joins(before) && !joins(after)
    })
}
