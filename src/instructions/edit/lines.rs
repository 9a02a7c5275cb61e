//! Takes whole lines out: children promoted, emptied headings, fences and tables gone, lists renumbered, blanks collapsed.

use std::ops::Range;

use super::Place;
use super::references::References;
use crate::instructions::cut::Cut;
use crate::instructions::layout::{BlockKind, Line, LineKind};

pub(super) struct Removal<'a> {
    pub(super) place: &'a Place<'a>,
    /// What was asked to go.
    ranges: &'a [Range<usize>],
    /// For every block: its lines go.
    pub(super) gone: Vec<bool>,
    /// For every line: it goes.
    lines: Vec<bool>,
    /// For every block: by how many columns it is moved to the left.
    outdent: Vec<usize>,
}

impl<'a> Removal<'a> {
    pub(super) fn new(place: &'a Place<'a>, ranges: &'a [Range<usize>]) -> Self {
        Self {
            place,
            ranges,
            gone: vec![false; place.layout.blocks.len()],
            lines: vec![false; place.layout.lines.len()],
            outdent: vec![0; place.layout.blocks.len()],
        }
    }

    /// A block's lines go, and nothing else.
    pub(super) fn remove(&mut self, index: usize) {
        self.gone[index] = true;
        for line in self.place.layout.blocks[index].lines.clone() {
            self.lines[line] = true;
        }
    }

    /// An item's own lines go; the outdented ones that follow without a blank line stay.
    pub(super) fn remove_first_lines(&mut self, index: usize, parts: &[Range<usize>]) {
        let last = parts.last().map_or(0, |part| self.place.layout.line_at(part.end.saturating_sub(1)));
        for line in self.place.layout.blocks[index].lines.clone() {
            self.lines[line] = line <= last || self.lines[line];
        }
    }

    /// A block goes with what belongs to it: an item's continuation, and what a text with a colon leads into.
    /// Items nested below another text are rules of their own: they stay, one level further out.
    pub(super) fn remove_with_children(&mut self, index: usize, notes: &mut Vec<String>) {
        let blocks = &self.place.layout.blocks;
        let block = &blocks[index];
        self.remove(index);
        let words = self.place.text[self.place.layout.span(block)].trim_end_matches(['*', '_', ' ']);
        let leads_in = words.ends_with(':');
        if matches!(block.kind, BlockKind::Heading(_))
            && blocks.get(index + 1).is_some_and(|next| {
                !matches!(next.kind, BlockKind::Heading(_)) && !self.is_asked(index + 1) && !leads_in
            })
        {
            notes.push("the section below the removed heading is kept".to_owned());
        }
        let below = if block.kind == BlockKind::Item {
            self.children(index)
        } else if leads_in && self.place.syntax.is_prose() {
            self.list_below(index)
        } else {
            return;
        };
        let mut kept_from: Option<usize> = None;
        let (mut promoted, mut dropped) = (0usize, 0usize);
        for child in below {
            let is_item = blocks[child].kind == BlockKind::Item;
            if leads_in {
                dropped += usize::from(is_item && !self.is_asked(child));
                self.remove(child);
                continue;
            }
            let under_kept = kept_from.is_some_and(|kept| blocks[child].indent > blocks[kept].indent);
            if is_item && !under_kept {
                kept_from = Some(child);
            }
            if is_item || under_kept {
                promoted += usize::from(is_item);
                let from = kept_from.map_or(0, |kept| blocks[kept].indent);
                self.outdent[child] += from.saturating_sub(block.indent);
            } else {
                kept_from = None;
                self.remove(child);
            }
        }
        if dropped > 0 {
            notes.push(format!("{dropped} items below the rule's lead-in removed with it"));
        }
        if promoted > 0 {
            notes.push(format!("{promoted} nested items kept, one level further out"));
        }
    }

    fn is_asked(&self, block: usize) -> bool {
        let span = self.place.layout.span(&self.place.layout.blocks[block]);
        self.ranges.iter().any(|range| range.start < span.end && span.start < range.end)
    }

    pub(super) fn children(&self, index: usize) -> Range<usize> {
        let blocks = &self.place.layout.blocks;
        let parent = &blocks[index];
        let quotes = self.first_line(index).quotes;
        let mut end = index + 1;
        while let Some(block) = blocks.get(end) {
            let inside_fence = block.in_code && !parent.in_code;
            let deeper = block.indent > parent.indent && self.first_line(end).quotes == quotes;
            if !inside_fence && !deeper {
                break;
            }
            end += 1;
        }
        index + 1..end
    }

    /// The list right below a lead-in, with at most one blank line between.
    pub(super) fn list_below(&self, index: usize) -> Range<usize> {
        let blocks = &self.place.layout.blocks;
        let start = index + 1;
        let Some(first) = blocks.get(start).filter(|block| block.kind == BlockKind::Item) else {
            return start..start;
        };
        if first.lines.start > blocks[index].lines.end + 1 {
            return start..start;
        }
        let signs =
            |block: usize| self.first_line(block).marker.as_ref().map(|marker| (marker.sign, marker.digits.is_some()));
        let mut end = start;
        while let Some(block) = blocks.get(end) {
            let same_list = block.kind == BlockKind::Item && block.indent == first.indent && signs(end) == signs(start);
            if !same_list && block.indent <= first.indent {
                break;
            }
            end += 1;
        }
        start..end
    }

    pub(super) fn first_line(&self, block: usize) -> &Line {
        &self.place.layout.lines[self.place.layout.blocks[block].lines.start]
    }

    /// All cuts that the removed lines ask for.
    pub(super) fn cuts(mut self, notes: &mut Vec<String>) -> Vec<Cut> {
        self.remove_emptied_frames(notes);
        let mut cuts = self.remove_emptied_lead_ins(notes);
        self.remove_emptied_tags(notes);
        self.remove_emptied_headings(notes);
        cuts.extend(self.renumbered(notes));
        cuts.extend(self.outdented());
        self.collapse_blanks();
        cuts.extend(self.runs());
        cuts
    }

    /// New numbers for the items that follow a removed one, where the list was counted through.
    fn renumbered(&self, notes: &mut Vec<String>) -> Vec<Cut> {
        let blocks = &self.place.layout.blocks;
        let mut cuts = Vec::new();
        let mut moved = References::default();
        let mut seen = vec![false; blocks.len()];
        for index in 0..blocks.len() {
            if seen[index] || self.number(index).is_none() {
                continue;
            }
            let list = self.numbered_list(index);
            for item in &list {
                seen[*item] = true;
            }
            let originals: Vec<u64> = list
                .iter()
                .filter(|item| self.outdent[**item] == self.outdent[index])
                .filter_map(|item| self.number(*item))
                .collect();
            let counted = originals.windows(2).all(|two| two[1] == two[0] + 1);
            let touched = list.iter().any(|item| self.is_removed(*item) || self.outdent[*item] != self.outdent[index]);
            if !counted || !touched {
                continue;
            }
            let Some(first) = originals.first() else { continue };
            moved.gone.extend(list.iter().filter(|item| self.is_removed(**item)).filter_map(|item| self.number(*item)));
            let kept = list.iter().filter(|item| !self.is_removed(**item));
            for (number, item) in (*first..).zip(kept) {
                let Some(digits) = self.digits(*item) else { continue };
                let width = if self.place.text[digits.clone()].starts_with('0') { digits.len() } else { 0 };
                let with = format!("{number:0width$}");
                if with != self.place.text[digits.clone()] {
                    moved.moved.extend(self.number(*item));
                    cuts.push(Cut { range: digits, with });
                }
            }
        }
        if !cuts.is_empty() {
            notes.push("list renumbered".to_owned());
        }
        notes.extend(moved.notes(self.place, |line| self.lines[line]));
        cuts
    }

    pub(super) fn is_removed(&self, block: usize) -> bool {
        self.lines[self.place.layout.blocks[block].lines.start]
    }

    fn digits(&self, block: usize) -> Option<Range<usize>> {
        self.first_line(block).marker.as_ref()?.digits.clone()
    }

    fn number(&self, block: usize) -> Option<u64> {
        self.place.text[self.digits(block)?].parse().ok()
    }

    /// The numbered items of the list that an item starts, as they stand after children were moved out.
    fn numbered_list(&self, start: usize) -> Vec<usize> {
        let blocks = &self.place.layout.blocks;
        let indent = |block: usize| blocks[block].indent.saturating_sub(self.outdent[block]);
        let sign = |block: usize| self.first_line(block).marker.as_ref().map(|marker| marker.sign);
        let mut list = vec![start];
        for block in start + 1..blocks.len() {
            let moved = self.outdent[block] > 0;
            if indent(block) > indent(start) || (moved && self.number(block).is_none()) {
                continue;
            }
            let same = indent(block) == indent(start)
                && self.number(block).is_some()
                && sign(block) == sign(start)
                && self.first_line(block).quotes == self.first_line(start).quotes
                && blocks[block].in_code == blocks[start].in_code;
            if !same {
                break;
            }
            list.push(block);
        }
        list
    }

    fn outdented(&self) -> Vec<Cut> {
        let mut cuts = Vec::new();
        for (index, block) in self.place.layout.blocks.iter().enumerate() {
            if self.outdent[index] == 0 || self.gone[index] {
                continue;
            }
            for line in &self.place.layout.lines[block.lines.clone()] {
                let mut columns = 0;
                let mut end = line.indent_start;
                for c in self.place.text[line.indent_start..line.content_end].chars() {
                    if columns >= self.outdent[index] || !matches!(c, ' ' | '\t') {
                        break;
                    }
                    columns = if c == '\t' { columns / 4 * 4 + 4 } else { columns + 1 };
                    end += c.len_utf8();
                }
                if end > line.indent_start {
                    cuts.push(Cut::out(line.indent_start..end));
                }
            }
        }
        cuts
    }

    /// Blank lines around what went: one gap stays where there were two, none at the edges of the file.
    fn collapse_blanks(&mut self) {
        let lines = &self.place.layout.lines;
        let blank = |line: usize| lines[line].kind == LineKind::Blank;
        let mut at = 0;
        while at < lines.len() {
            if !self.lines[at] {
                at += 1;
                continue;
            }
            let start = at;
            // Blank lines between two removed runs go with them.
            let mut end = at;
            let mut next = at;
            while next < lines.len() && (self.lines[next] || blank(next)) {
                if self.lines[next] {
                    end = next + 1;
                }
                next += 1;
            }
            for line in &mut self.lines[start..end] {
                *line = true;
            }
            let above = (0..start).rev().find(|line| !self.lines[*line]);
            let at_top = above.is_none();
            let in_list = above.is_some_and(|above| self.is_item_line(above))
                && lines.get(next).is_some_and(|line| line.marker.is_some());
            if at_top || above.is_some_and(blank) || in_list || next == lines.len() {
                for line in &mut self.lines[end..next] {
                    *line = true;
                }
            }
            if next == lines.len() {
                for line in (0..start).rev().take_while(|line| blank(*line)) {
                    self.lines[line] = true;
                }
            }
            at = next.max(start + 1);
        }
    }

    fn is_item_line(&self, line: usize) -> bool {
        let blocks = &self.place.layout.blocks;
        let block = blocks.partition_point(|block| block.lines.end <= line);
        blocks.get(block).is_some_and(|block| block.kind == BlockKind::Item && block.lines.contains(&line))
    }

    /// The removed lines as cuts, with an empty line where two neighbours would otherwise become one paragraph.
    fn runs(&self) -> Vec<Cut> {
        let lines = &self.place.layout.lines;
        let mut cuts = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            if !self.lines[at] {
                at += 1;
                continue;
            }
            let start = at;
            while at < lines.len() && self.lines[at] {
                at += 1;
            }
            let mut range = lines[start].start..lines[at - 1].end;
            let mut with = String::new();
            if start > 0 && at < lines.len() && would_join(self.place.text, &lines[start - 1], &lines[at]) {
                with = self.place.line_end().to_owned();
            }
            // A file without a line end at its end keeps that habit.
            if at == lines.len() && start > 0 && lines[at - 1].end == lines[at - 1].text_end {
                range.start = lines[start - 1].text_end;
            }
            cuts.push(Cut { range, with });
        }
        cuts
    }
}

fn would_join(text: &str, above: &Line, below: &Line) -> bool {
    let words = |line: &Line| line.kind == LineKind::Text && !line.in_code;
    let content = &text[below.content_start..below.content_end];
    let underlines = below.kind == LineKind::Break && content.chars().all(|c| matches!(c, '-' | '='));
    words(above) && above.indent < 4 && (underlines || (words(below) && below.marker.is_none()))
}
