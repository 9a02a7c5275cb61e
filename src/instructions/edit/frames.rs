//! What only framed a removed rule goes with it: fences, tables, lead-ins, tags, headings.

use super::lines::Removal;
use super::sentence;
use crate::instructions::container::tags;
use crate::instructions::cut::Cut;
use crate::instructions::layout::{BlockKind, LineKind};
use crate::instructions::units::block_sentences;

impl Removal<'_> {
    /// A fence with nothing left in it, a table with no row left.
    pub(super) fn remove_emptied_frames(&mut self, notes: &mut Vec<String>) {
        let blocks = &self.place.layout.blocks;
        for index in 0..blocks.len() {
            let kind = self.first_line(index).kind;
            if self.gone[index] || !matches!(kind, LineKind::Fence | LineKind::TableHead) {
                continue;
            }
            let skip = if kind == LineKind::Fence { 1 } else { 2 };
            let inner = (index + skip).min(blocks.len());
            let holds = |block: usize| {
                if kind == LineKind::Fence { blocks[block].in_code } else { blocks[block].kind == BlockKind::TableRow }
            };
            let end = (inner..blocks.len()).find(|block| !holds(*block)).unwrap_or(blocks.len());
            if inner == end || !(inner..end).all(|block| self.gone[block]) {
                continue;
            }
            if kind == LineKind::Fence {
                self.remove(index);
                if end < blocks.len() {
                    self.remove(end);
                }
                notes.push("code block removed with its only rule".to_owned());
            } else {
                self.remove(index);
                self.remove(index + 1);
                notes.push("table removed with its only row".to_owned());
            }
        }
    }

    pub(super) fn remove_emptied_headings(&mut self, notes: &mut Vec<String>) {
        if !self.place.syntax.is_prose() {
            return;
        }
        let blocks = &self.place.layout.blocks;
        for index in (0..blocks.len()).rev() {
            let BlockKind::Heading(level) = blocks[index].kind else { continue };
            if self.gone[index] || blocks[index].in_code {
                continue;
            }
            let end = (index + 1..blocks.len())
                .find(|next| matches!(blocks[*next].kind, BlockKind::Heading(other) if other <= level))
                .unwrap_or(blocks.len());
            if end > index + 1 && (index + 1..end).all(|block| self.gone[block]) {
                let heading = self.place.text[self.place.layout.span(&blocks[index])].replace('`', "'");
                notes.push(format!("heading `{heading}` removed with its only rule"));
                self.remove(index);
            }
        }
    }

    /// A lead-in that has lost all of its items; where other sentences stand before it, only the last one goes.
    pub(super) fn remove_emptied_lead_ins(&mut self, notes: &mut Vec<String>) -> Vec<Cut> {
        let mut cuts = Vec::new();
        if !self.place.syntax.is_prose() {
            return cuts;
        }
        let (text, layout) = (self.place.text, self.place.layout);
        for index in (0..layout.blocks.len()).rev() {
            let block = &layout.blocks[index];
            let leads = matches!(block.kind, BlockKind::Paragraph | BlockKind::Item) && !block.in_code;
            if !leads || self.is_removed(index) || !is_lead_in(&text[layout.span(block)]) {
                continue;
            }
            let below = if block.kind == BlockKind::Item { self.children(index) } else { self.list_below(index) };
            if below.is_empty() || !below.clone().all(|item| self.gone[item]) {
                continue;
            }
            let sentences = block_sentences(text, layout, block);
            let Some(last) = sentences.last() else { continue };
            let words = text[last.clone()].split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
            notes.push(format!("lead-in `{words}` removed with its last item"));
            if sentences.len() > 1 {
                cuts.push(sentence::cut(text, &layout.pieces(block), last));
            } else {
                self.remove(index);
            }
        }
        cuts
    }

    /// A pair of tags on lines of their own with nothing left between them.
    pub(super) fn remove_emptied_tags(&mut self, notes: &mut Vec<String>) {
        if !self.place.syntax.is_prose() {
            return;
        }
        let (text, layout) = (self.place.text, self.place.layout);
        let mut found = Vec::new();
        for (index, block) in layout.blocks.iter().enumerate() {
            if layout.lines[block.lines.start].kind != LineKind::Tag {
                continue;
            }
            let span = layout.span(block);
            let mut tags = tags::tags(text, &span);
            if tags.len() == 1 && tags[0].range == span {
                found.push((index, tags.remove(0)));
            }
        }
        let tags: Vec<tags::Tag> = found.iter().map(|(_, tag)| tag.clone()).collect();
        for (open, close, _) in tags::pairs(&tags) {
            let (from, to) = (found[open].0, found[close].0);
            if from + 1 == to || !(from + 1..to).all(|block| self.gone[block]) {
                continue;
            }
            notes.push(format!("`{}` removed with its only rule", &text[tags[open].range.clone()]));
            self.remove(from);
            self.remove(to);
        }
    }
}

/// `Never share:`, or a line in bold that stands above a list like a heading.
fn is_lead_in(words: &str) -> bool {
    let bare = words.trim_end_matches(['*', '_', ' ']);
    let is_bold = words.len() > 4
        && words.starts_with("**")
        && words.ends_with("**")
        && !words[2..words.len() - 2].contains("**");
    bare.ends_with([':', '：']) || is_bold
}
