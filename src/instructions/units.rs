//! What could be a rule in a document: items, sentences, headings, table cells, code.

use std::collections::BTreeSet;
use std::ops::Range;

use super::container::table::cells;
use super::container::xml;
use super::document::Document;
use super::inline::{Joined, sentences};
use super::layout::{Block, BlockKind, Layout};
use super::page::{Page, Standing};

/// What a unit is in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnitKind {
    /// A list item's own text, without the items below it.
    Item,
    /// A sentence of a paragraph.
    Sentence,
    /// A heading's text.
    Heading,
    /// A paragraph or item inside a code block.
    Code,
    /// The text of one cell of a table's body.
    Cell,
}

/// A piece of a document that could be a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Bytes of [`Document::text`]; a list marker is left out.
    pub range: Range<usize>,
    /// What it is in the document.
    pub kind: UnitKind,
    /// Text of the nearest heading above it, else the name of the tag that it stands in, else that of the key whose
    /// value it is in.
    pub section: Option<String>,
}

/// The units of a document, in order and without overlap.
pub fn units(document: &Document) -> Vec<Unit> {
    let reading = document.reading();
    let mut found = Vec::new();
    for (at, page) in reading.read_pages() {
        // Strings of a fenced block are an example: the block's lines are listed as its code.
        let in_fence = at > 0 && reading.standing == Standing::Whole && !reading.in_front_matter(at);
        if in_fence {
            continue;
        }
        for unit in units_of(page) {
            let range = reading.to_file(at, &unit.range);
            found.push(Unit { range, section: unit.section.or_else(|| page.name().map(str::to_owned)), ..unit });
        }
    }
    found.sort_by_key(|unit| unit.range.start);
    // A string in a string is listed once, by the text that is nearest to a reader.
    let mut end = 0;
    found.retain(|unit| {
        let apart = unit.range.start >= end;
        end = end.max(unit.range.end);
        apart
    });
    found
}

/// The front matter of a Markdown file, from its first line to the one that closes it.
pub fn front_matter(document: &Document) -> Option<Range<usize>> {
    let page = &document.reading().pages[0];
    let last = page.front_matter.end.checked_sub(1)?;
    Some(0..page.layout().span(&page.layout().blocks[last]).end)
}

/// Ranges of all blocks that stand above or below the given ranges in a list: the items that theirs are nested in, and
/// the items and paragraphs nested in theirs. Their own blocks are left out.
pub fn kin(document: &Document, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let reading = document.reading();
    let mut found = Vec::new();
    for (at, page) in reading.read_pages() {
        let own: Vec<Range<usize>> = ranges.iter().filter_map(|range| reading.to_page(at, range)).collect();
        if !own.is_empty() {
            found.extend(kin_of(page, &own).iter().map(|range| reading.to_file(at, range)));
        }
    }
    found
}

fn kin_of(page: &Page, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let layout = page.layout();
    let blocks = &layout.blocks;
    let is_heading = |at: &usize| matches!(blocks[*at].kind, BlockKind::Heading(_));
    let mut own = BTreeSet::new();
    for range in ranges {
        let lines = layout.line_at(range.start)..=layout.line_at(range.end.saturating_sub(1).max(range.start));
        let first = blocks.partition_point(|block| block.lines.end <= *lines.start());
        let touched = (first..blocks.len()).take_while(|at| blocks[*at].lines.start <= *lines.end());
        own.extend(touched.filter(|at| {
            let span = layout.span(&blocks[*at]);
            span.start < range.end && range.start < span.end
        }));
    }
    let mut found = BTreeSet::new();
    for at in &own {
        // Items that are open here: each is less indented than all that stands between.
        let mut indent = blocks[*at].indent;
        for above in (0..*at).rev().take_while(|at| !is_heading(at)) {
            if indent == 0 {
                break;
            }
            if blocks[above].kind == BlockKind::Item && blocks[above].indent < indent {
                found.insert(above);
            }
            indent = indent.min(blocks[above].indent);
        }
        if blocks[*at].kind == BlockKind::Item {
            let indent = blocks[*at].indent;
            let below = (at + 1..blocks.len()).take_while(|at| !is_heading(at) && blocks[*at].indent > indent);
            found.extend(below);
        }
    }
    found.difference(&own).map(|at| layout.span(&blocks[*at])).collect()
}

fn units_of(page: &Page) -> Vec<Unit> {
    let (text, layout) = (&*page.text, page.layout());
    let mut found = Vec::new();
    let mut section: Option<String> = None;
    // Tags that are open, with the section outside of them.
    let mut tags: Vec<(String, Option<String>)> = Vec::new();
    for (at, block) in layout.blocks.iter().enumerate() {
        if page.front_matter.contains(&at) {
            continue;
        }
        let span = layout.span(block);
        if text[span.clone()].trim().is_empty() {
            continue;
        }
        let mut add = |range: Range<usize>, kind: UnitKind| {
            found.push(Unit { range, kind, section: section.clone() });
        };
        match block.kind {
            BlockKind::Furniture => match xml::section(&text[span]) {
                Some((name, true)) => {
                    tags.push((name.clone(), section.take()));
                    section = Some(name);
                }
                Some((name, false)) => {
                    if let Some(at) = tags.iter().rposition(|(open, _)| *open == name) {
                        section = tags.swap_remove(at).1;
                        tags.truncate(at);
                    }
                }
                None => {}
            },
            BlockKind::TableHead => {}
            _ if block.in_code => add(span, UnitKind::Code),
            BlockKind::Heading(_) => {
                add(span.clone(), UnitKind::Heading);
                section = Some(text[span].to_owned());
            }
            BlockKind::Item => add(span, UnitKind::Item),
            BlockKind::Paragraph => {
                for sentence in block_sentences(text, layout, block) {
                    add(sentence, UnitKind::Sentence);
                }
            }
            BlockKind::TableRow => {
                for cell in cells(text, span) {
                    if !text[cell.clone()].is_empty() {
                        add(cell, UnitKind::Cell);
                    }
                }
            }
        }
    }
    found
}

/// The sentences of a block as ranges of the file; a wrapped one runs over the line break.
pub(super) fn block_sentences(text: &str, layout: &Layout, block: &Block) -> Vec<Range<usize>> {
    let joined = Joined::new(text, &layout.pieces(block));
    sentences(&joined.text).iter().map(|sentence| joined.place(sentence)).filter(|range| !range.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_named_with_their_section() {
        let text = "# Refunds\n\nBe kind. Never\nrefund late.\n\n- Ask\n  first.\n\n| When | Rule |\n|---|---|\n| late | refuse |\n\n```\nrun\n```\n";
        let document = Document::from_bytes("a.md", text.as_bytes().to_vec()).unwrap();
        let found: Vec<(UnitKind, &str)> =
            units(&document).iter().map(|unit| (unit.kind, &text[unit.range.clone()])).collect();
        assert_eq!(
            found,
            [
                (UnitKind::Heading, "Refunds"),
                (UnitKind::Sentence, "Be kind."),
                (UnitKind::Sentence, "Never\nrefund late."),
                (UnitKind::Item, "Ask\n  first."),
                (UnitKind::Cell, "late"),
                (UnitKind::Cell, "refuse"),
                (UnitKind::Code, "run"),
            ]
        );
        assert_eq!(units(&document)[3].section.as_deref(), Some("Refunds"));
    }
}
