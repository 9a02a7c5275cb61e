//! Block scalars: `|` and `>` with their indentation and what they do with the last line ends.

use std::ops::Range;

use super::super::escapes::line_end_at;
use super::super::json;
use super::super::map::Map;
use super::Style;

/// How one block scalar is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::instructions) struct Block {
    folded: bool,
    /// Spaces before each line of the text.
    indent: usize,
    /// Spaces before what holds the scalar; `None` where it is the whole document.
    parent: Option<usize>,
    line_end: &'static str,
    /// Its last line ends with a line end.
    ends_line: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Clip,
    Strip,
    Keep,
}

struct Header {
    folded: bool,
    chomping: Chomping,
    indicator: Option<usize>,
    /// First byte of the first line of the text.
    end: usize,
}

struct Line {
    /// Without the block's indentation.
    text: Range<usize>,
    /// End with the line end.
    end: usize,
    blank: bool,
}

/// Reads the block scalar whose header starts at `start`: all of its bytes, its text and its style.
pub(super) fn read(text: &str, start: usize, parent: Option<usize>) -> Option<(Range<usize>, Map, Style)> {
    let header = header(text, start)?;
    let indent = match header.indicator {
        Some(more) => parent.unwrap_or(0) + more,
        None => first_indent(text, header.end)?,
    };
    let lines = lines(text, header.end, indent);
    let last = lines.iter().rposition(|line| !line.blank)?;
    let last = if header.chomping == Chomping::Keep { lines.len() - 1 } else { last };
    let lines = &lines[..=last];
    let map = if header.folded { folded(text, lines, &header) } else { literal(text, lines, header.chomping) };
    let end = lines[last].end;
    let ends_line = text[..end].ends_with(['\n', '\r']);
    let line_end = if text[start..end].contains("\r\n") { "\r\n" } else { "\n" };
    let block = Block { folded: header.folded, indent, parent, line_end, ends_line };
    Some((start..end, map, Style::Block(block)))
}

/// Where the header of the block scalar stands whose text starts at an offset, on the line above.
pub(super) fn header_before(text: &str, start: usize) -> Option<usize> {
    let end = text[..start].trim_end().len();
    let line = text[..end].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    text[line..end]
        .match_indices(['|', '>'])
        .map(|(at, _)| line + at)
        .find(|at| text[..*at].ends_with([' ', '\t', '-', ':', '\n']) && header(text, *at).is_some())
}

fn header(text: &str, start: usize) -> Option<Header> {
    let folded = match text.as_bytes().get(start)? {
        b'|' => false,
        b'>' => true,
        _ => return None,
    };
    let (mut chomping, mut indicator) = (Chomping::Clip, None);
    let mut at = start + 1;
    while let Some(sign) = text.as_bytes().get(at) {
        match sign {
            b'-' => chomping = Chomping::Strip,
            b'+' => chomping = Chomping::Keep,
            b'1'..=b'9' => indicator = Some(usize::from(sign - b'0')),
            _ => break,
        }
        at += 1;
    }
    let end = text[at..].find(['\n', '\r']).map(|found| at + found)?;
    let rest = text[at..end].trim_start();
    (rest.is_empty() || rest.starts_with('#')).then(|| Header {
        folded,
        chomping,
        indicator,
        end: end + line_end_at(text, end),
    })
}

fn first_indent(text: &str, from: usize) -> Option<usize> {
    text[from..]
        .lines()
        .find(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
}

fn lines(text: &str, from: usize, indent: usize) -> Vec<Line> {
    let mut found = Vec::new();
    let mut at = from;
    while at < text.len() {
        let end = text[at..].find(['\n', '\r']).map_or(text.len(), |found| at + found);
        let content = &text[at..end];
        let spaces = content.len() - content.trim_start_matches(' ').len();
        let blank = spaces == content.len();
        if !blank && spaces < indent {
            break;
        }
        let start = at + spaces.min(indent);
        let next = end + line_end_at(text, end);
        found.push(Line { text: start..end, end: next, blank: blank && spaces <= indent });
        at = next;
    }
    found
}

fn literal(text: &str, lines: &[Line], chomping: Chomping) -> Map {
    let mut map = Map::starting_at(lines[0].text.start);
    for (index, line) in lines.iter().enumerate() {
        map.verbatim(text, line.text.clone());
        match lines.get(index + 1) {
            Some(next) => map.escape("\n", line.text.end..next.text.start),
            None if chomping != Chomping::Strip && line.end > line.text.end => {
                map.escape("\n", line.text.end..line.end);
            }
            None => {}
        }
    }
    map
}

fn folded(text: &str, lines: &[Line], header: &Header) -> Map {
    let mut map = Map::starting_at(lines[0].text.start);
    let indented = |line: &Line| text[line.text.clone()].starts_with([' ', '\t']);
    let mut previous: Option<&Line> = None;
    let mut blanks = 0;
    for line in lines {
        if line.blank {
            blanks += 1;
            continue;
        }
        match previous {
            None if blanks > 0 => map.escape(&"\n".repeat(blanks), header.end..line.text.start),
            None => {}
            Some(before) => {
                let between = if indented(before) || indented(line) {
                    "\n".repeat(blanks + 1)
                } else if blanks == 0 {
                    " ".to_owned()
                } else {
                    "\n".repeat(blanks)
                };
                map.escape(&between, before.text.end..line.text.start);
            }
        }
        map.verbatim(text, line.text.clone());
        previous = Some(line);
        blanks = 0;
    }
    let ends = if header.chomping == Chomping::Keep { blanks + 1 } else { 1 };
    if let (Some(before), Some(last)) = (previous, lines.last())
        && header.chomping != Chomping::Strip
        && last.end > before.text.end
    {
        map.escape(&"\n".repeat(ends), before.text.end..last.end);
    }
    map
}

impl Block {
    pub(super) fn line_end(&self) -> &'static str {
        if self.ends_line { self.line_end } else { "" }
    }

    /// Where the line begins whose first character is at an offset of the content; `None` where no line begins.
    pub(in super::super) fn line_start(&self, text: &str, map: &Map, at: usize) -> Option<usize> {
        if self.folded {
            return None;
        }
        if at == 0 {
            let start = map.point(0);
            let spaces = text[..start].len() - text[..start].trim_end_matches(' ').len();
            return Some(start - spaces.min(self.indent));
        }
        map.content[..at].ends_with('\n').then(|| {
            let written = map.place(&(at - 1..at));
            written.start + line_end_at(text, written.start)
        })
    }

    pub(super) fn encode(&self, content: &str) -> Option<String> {
        if self.folded && content.contains('\n') {
            return None;
        }
        Some(content.replace('\n', &format!("{}{}", self.line_end, " ".repeat(self.indent))))
    }

    pub(super) fn rewrite(&self, content: &str) -> String {
        let plain = content.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()) && self.ends_line;
        let first = content.split('\n').find(|line| !line.is_empty()).unwrap_or_default();
        let needs_indicator = first.starts_with([' ', '\t']);
        let more = self.indent.saturating_sub(self.parent.unwrap_or(0));
        if !plain || first.is_empty() || (needs_indicator && !(1..=9).contains(&more)) {
            return format!("\"{}\"{}", json::encode(content), self.line_end());
        }
        let mut written = "|".to_owned();
        if needs_indicator {
            written.push_str(&more.to_string());
        }
        let body = content.trim_end_matches('\n');
        let ends = content.len() - body.len();
        written.push_str(match ends {
            0 => "-",
            1 => "",
            _ => "+",
        });
        for line in body.split('\n') {
            written.push_str(self.line_end);
            if !line.is_empty() {
                written.push_str(&" ".repeat(self.indent));
                written.push_str(line);
            }
        }
        written.push_str(&self.line_end.repeat(ends.max(1)));
        written
    }

    pub(super) fn reads_as(&self, written: &str, content: &str) -> bool {
        if self.ends_line && !written.ends_with('\n') {
            return false;
        }
        if written.starts_with('"') {
            let end = written.trim_end().len();
            return Style::Double.read(written, 0..end).is_some_and(|map| map.content == content);
        }
        let Some((whole, map, Style::Block(again))) = read(written, 0, self.parent) else { return false };
        whole.end == written.len() && map.content == content && again.indent == self.indent
    }
}
