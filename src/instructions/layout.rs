//! Lines and blocks: what a reader of the raw file sees. Deliberately laxer than CommonMark, since rules also stand in
//! HTML blocks, code fences, front matter and plain text, where a Markdown parser sees no list.

use std::ops::Range;

use super::container::jinja::is_tag_line;

/// A list marker at the start of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    /// From the marker's first byte to the first byte of what it marks, a task box included.
    pub range: Range<usize>,
    /// The digits of a numbered item.
    pub digits: Option<Range<usize>>,
    /// The bullet itself, or the sign after the number.
    pub sign: char,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    Text,
    /// `# …`, with its level.
    Heading(usize),
    /// The line under a heading, with the heading's level.
    Underline(usize),
    /// A line that opens or closes a code block.
    Fence,
    /// A thematic break, or the edge of front matter.
    Break,
    TableHead,
    TableEdge,
    TableRow,
    /// Nothing but a tag, such as `<rules>`.
    Tag,
}

#[derive(Debug, Clone)]
pub(super) struct Line {
    /// First byte of the line.
    pub start: usize,
    /// First byte after quote signs, indentation, marker and heading signs.
    pub content_start: usize,
    /// End of what is visible: trailing blanks and a closing run of `#` are left out.
    pub content_end: usize,
    /// End of the line without its line end.
    pub text_end: usize,
    /// End of the line with its line end.
    pub end: usize,
    /// `>` signs before the content.
    pub quotes: usize,
    /// Columns before the marker or the content, after the quote signs; a tab runs to the next multiple of four.
    pub indent: usize,
    /// First byte after the quote signs: where the indentation begins.
    pub indent_start: usize,
    pub marker: Option<Marker>,
    pub kind: LineKind,
    /// Inside a fenced code block.
    pub in_code: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Paragraph,
    /// A list item's own first paragraph.
    Item,
    Heading(usize),
    TableHead,
    TableRow,
    /// Fences, breaks, tags, a table's edge: nothing that could be a rule.
    Furniture,
}

/// Lines that are read in one go.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub kind: BlockKind,
    /// Into [`Layout::lines`].
    pub lines: Range<usize>,
    pub indent: usize,
    pub in_code: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub lines: Vec<Line>,
    pub blocks: Vec<Block>,
}

impl Layout {
    /// Reads a text. In plain text (`markdown` false) an outdented line after an item is a paragraph of its own.
    pub(super) fn read(text: &str, markdown: bool) -> Self {
        let mut lines = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (text_end, end) = line_end(text, at);
            lines.push(Line::read(text, at, text_end, end));
            at = end;
        }
        mark_code(text, &mut lines);
        mark_comments(text, &mut lines);
        mark_tables(text, &mut lines);
        let blocks = group(text, &mut lines, markdown);
        Self { lines, blocks }
    }

    /// The visible pieces of a block, line by line, for the lines that hold words.
    pub(super) fn pieces(&self, block: &Block) -> Vec<Range<usize>> {
        self.worded(block).map(|line| line.content_start..line.content_end).collect()
    }

    /// From the first to the last visible byte of a block.
    pub(super) fn span(&self, block: &Block) -> Range<usize> {
        let mut lines = self.worded(block);
        let Some(first) = lines.next() else { return 0..0 };
        let last = lines.next_back().unwrap_or(first);
        first.content_start..last.content_end.max(first.content_start)
    }

    fn worded(&self, block: &Block) -> impl DoubleEndedIterator<Item = &Line> {
        self.lines[block.lines.clone()].iter().filter(|line| !matches!(line.kind, LineKind::Underline(_)))
    }

    /// The blocks that have a line from `first` to `last`.
    pub(super) fn touching(&self, first: usize, last: usize) -> impl Iterator<Item = &Block> {
        let from = self.blocks.partition_point(|block| block.lines.end <= first);
        self.blocks[from..].iter().take_while(move |block| block.lines.start <= last)
    }

    /// The line that holds a byte; the last one for what lies past the end.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.start <= offset).saturating_sub(1)
    }
}

/// Whether lines of this file are read as Markdown: everything is that has no other well-known shape.
pub(super) fn is_markdown(path: &std::path::Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) => {
            matches!(extension.to_ascii_lowercase().as_str(), "md" | "markdown" | "mdc" | "mdx" | "mkd" | "qmd" | "rmd")
        }
        None => true,
    }
}

fn line_end(text: &str, from: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let end =
        bytes[from..].iter().position(|byte| matches!(byte, b'\n' | b'\r')).map_or(bytes.len(), |found| from + found);
    let ending = match (bytes.get(end), bytes.get(end + 1)) {
        (Some(b'\r'), Some(b'\n')) => 2,
        (Some(_), _) => 1,
        (None, _) => 0,
    };
    (end, end + ending)
}

pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}' | '\u{2060}')
}

impl Line {
    fn read(text: &str, start: usize, text_end: usize, end: usize) -> Self {
        let (after_quotes, quotes) = skip_quotes(text, start, text_end);
        let (mut content_start, indent) = skip_indent(text, after_quotes, text_end);
        let mut content_end = content_start + text[content_start..text_end].trim_end_matches(is_blank).len();
        let mut kind = LineKind::Text;
        let mut marker = None;
        let content = &text[content_start..content_end];
        if content.is_empty() {
            kind = LineKind::Blank;
        } else if is_break(content) {
            kind = LineKind::Break;
        } else if is_fence(content) {
            kind = LineKind::Fence;
        } else if is_tag(content) {
            kind = LineKind::Tag;
        } else if let Some((level, skip)) = heading(content) {
            kind = LineKind::Heading(level);
            content_start += skip;
            content_end = content_start + without_closing_hashes(&text[content_start..content_end]).len();
        } else if let Some(found) = read_marker(text, content_start, content_end) {
            content_start = found.range.end;
            marker = Some(found);
        }
        Self {
            start,
            content_start,
            content_end: content_end.max(content_start),
            text_end,
            end,
            quotes,
            indent,
            indent_start: after_quotes,
            marker,
            kind,
            in_code: false,
        }
    }
}

fn skip_quotes(text: &str, start: usize, end: usize) -> (usize, usize) {
    let (mut at, mut quotes) = (start, 0);
    loop {
        let rest = &text[at..end];
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        if blanks > 3 || !rest[blanks..].starts_with('>') {
            return (at, quotes);
        }
        at += blanks + 1;
        quotes += 1;
        if text[at..end].starts_with(' ') {
            at += 1;
        }
    }
}

fn skip_indent(text: &str, start: usize, end: usize) -> (usize, usize) {
    let (mut at, mut columns) = (start, 0);
    for c in text[start..end].chars().take_while(|c| is_blank(*c)) {
        columns = if c == '\t' { columns / 4 * 4 + 4 } else { columns + 1 };
        at += c.len_utf8();
    }
    (at, columns)
}

fn is_break(content: &str) -> bool {
    ['-', '*', '_'].iter().any(|sign| {
        content.chars().all(|c| c == *sign || is_blank(c)) && content.chars().filter(|c| c == sign).count() >= 3
    })
}

fn is_fence(content: &str) -> bool {
    content.starts_with("~~~") || (content.starts_with("```") && !content.trim_start_matches('`').contains('`'))
}

fn is_tag(content: &str) -> bool {
    if is_tag_line(content) {
        return true;
    }
    let Some(inner) = content.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else {
        return false;
    };
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    inner.starts_with(|c: char| c.is_ascii_alphabetic()) && !inner.contains(['<', '>']) && !inner.contains("://")
}

fn heading(content: &str) -> Option<(usize, usize)> {
    let level = content.len() - content.trim_start_matches('#').len();
    if !(1..=6).contains(&level) {
        return None;
    }
    let rest = &content[level..];
    let trimmed = rest.trim_start_matches(is_blank);
    let spaced = trimmed.len() < rest.len();
    // `#Role` is a common slip in prompts; anything longer or lower-case could be a tag or a comment.
    let glued = rest.starts_with(char::is_uppercase) && rest.len() <= 40 && !rest.ends_with('.');
    (rest.is_empty() || spaced || glued).then_some((level, content.len() - trimmed.len()))
}

fn without_closing_hashes(content: &str) -> &str {
    let without = content.trim_end_matches('#');
    if without.len() < content.len() && without.ends_with(is_blank) {
        without.trim_end_matches(is_blank)
    } else {
        content
    }
}

fn read_marker(text: &str, start: usize, end: usize) -> Option<Marker> {
    let content = &text[start..end];
    let first = content.chars().next()?;
    let (sign, digits, length) = if matches!(first, '-' | '*' | '+' | '•' | '‣' | '◦' | '▪' | '●' | '·') {
        (first, None, first.len_utf8())
    } else {
        let digits = content.len() - content.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let sign = content[digits..].chars().next()?;
        if !(1..=9).contains(&digits) || !matches!(sign, '.' | ')') {
            return None;
        }
        (sign, Some(start..start + digits), digits + 1)
    };
    let rest = &content[length..];
    let trimmed = rest.trim_start_matches(is_blank);
    if trimmed.len() == rest.len() && !rest.is_empty() {
        return None;
    }
    let mut until = end - trimmed.len();
    for task in ["[ ] ", "[x] ", "[X] "] {
        if let Some(after) = trimmed.strip_prefix(task) {
            until = end - after.trim_start_matches(is_blank).len();
        }
    }
    Some(Marker { range: start..until, digits, sign })
}

/// Marks what stands between fences. A fence is closed by the same sign, at least as long; an unclosed one marks nothing,
/// so that a stray fence does not swallow the rest of the file.
fn mark_code(text: &str, lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        if lines[at].kind != LineKind::Fence {
            at += 1;
            continue;
        }
        let opening = fence_signs(text, &lines[at]);
        let close = (at + 1..lines.len()).find(|index| {
            let line = &lines[*index];
            line.kind == LineKind::Fence && {
                let signs = fence_signs(text, line);
                signs.0 == opening.0 && signs.1 >= opening.1 && signs.2
            }
        });
        let Some(close) = close else {
            lines[at].kind = LineKind::Text;
            at += 1;
            continue;
        };
        for line in &mut lines[at + 1..close] {
            line.in_code = true;
            if line.kind == LineKind::Fence {
                line.kind = LineKind::Text;
            }
        }
        at = close + 1;
    }
}

/// A template's comment over several lines prints nothing.
fn mark_comments(text: &str, lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        let content = &text[lines[at].content_start..lines[at].content_end];
        let opens = content.starts_with("{#") && !content.contains("#}") && lines[at].kind == LineKind::Text;
        let ends = |line: &Line| text[line.content_start..line.content_end].ends_with("#}");
        if opens && let Some(length) = lines[at..].iter().take(200).position(ends) {
            for line in &mut lines[at..=at + length] {
                if line.kind != LineKind::Blank {
                    line.kind = LineKind::Tag;
                    line.marker = None;
                }
            }
            at += length;
        }
        at += 1;
    }
}

fn fence_signs(text: &str, line: &Line) -> (char, usize, bool) {
    let content = &text[line.content_start..line.content_end];
    let sign = content.chars().next().unwrap_or('`');
    let length = content.chars().take_while(|c| *c == sign).count();
    (sign, length, content.chars().all(|c| c == sign))
}

fn mark_tables(text: &str, lines: &mut [Line]) {
    for edge in 1..lines.len() {
        let is_edge = lines[edge].marker.is_none()
            && lines[edge].kind == LineKind::Text
            && is_table_edge(&text[lines[edge].content_start..lines[edge].content_end]);
        let head = &lines[edge - 1];
        let has_head = head.kind == LineKind::Text
            && head.marker.is_none()
            && text[head.content_start..head.content_end].contains('|');
        if !is_edge || !has_head {
            continue;
        }
        lines[edge - 1].kind = LineKind::TableHead;
        lines[edge].kind = LineKind::TableEdge;
        for line in &mut lines[edge + 1..] {
            let content = &text[line.content_start..line.content_end];
            if line.kind != LineKind::Text || line.marker.is_some() || !content.contains('|') {
                break;
            }
            line.kind = LineKind::TableRow;
        }
    }
}

fn is_table_edge(content: &str) -> bool {
    content.contains('|') && content.contains('-') && content.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// The line that closes the front matter of a text. It has keys: what stands between two breaks may be prose as well.
pub(super) fn front_matter(text: &str, lines: &[Line]) -> Option<usize> {
    let is_break = |line: &Line| line.kind == LineKind::Break;
    let shown = |line: &Line| text[line.start..line.text_end].trim_end().to_owned();
    lines.first().filter(|line| is_break(line) && shown(line) == "---")?;
    let close = 1 + lines[1..].iter().position(is_break)?;
    let mut inside = lines[1..close].iter().map(shown);
    let opening = inside.find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let has_key = opening.ends_with(':') || opening.contains(": ") || opening.starts_with(['{', '?']);
    has_key.then_some(close)
}

fn group(text: &str, lines: &mut [Line], markdown: bool) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    let mut front_matter = front_matter(text, lines).is_some();
    for index in 0..lines.len() {
        let line = &lines[index];
        let content = &text[line.content_start..line.content_end];
        let underline = open && markdown && !front_matter && line.quotes == 0 && line.marker.is_none();
        if underline
            && let Some(level) = underline_level(content)
            && let Some(last) = blocks.last_mut()
            && last.kind == BlockKind::Paragraph
            && !line.in_code
        {
            last.kind = BlockKind::Heading(level);
            last.lines.end = index + 1;
            lines[index].kind = LineKind::Underline(level);
            open = false;
            continue;
        }
        let kind = match line.kind {
            LineKind::Blank => {
                open = false;
                continue;
            }
            LineKind::Text if line.marker.is_some() => BlockKind::Item,
            LineKind::Text => BlockKind::Paragraph,
            LineKind::Heading(level) => BlockKind::Heading(level),
            LineKind::TableHead => BlockKind::TableHead,
            LineKind::TableRow => BlockKind::TableRow,
            LineKind::Fence | LineKind::Tag | LineKind::TableEdge | LineKind::Underline(_) => BlockKind::Furniture,
            LineKind::Break => {
                if index > 0 {
                    front_matter = false;
                }
                BlockKind::Furniture
            }
        };
        if kind == BlockKind::Paragraph
            && open
            && !front_matter
            && let Some(last) = blocks.last_mut()
            && continues(&lines[last.lines.start], line, last.kind, markdown)
        {
            last.lines.end = index + 1;
            continue;
        }
        blocks.push(Block { kind, lines: index..index + 1, indent: line.indent, in_code: line.in_code });
        open = matches!(kind, BlockKind::Paragraph | BlockKind::Item);
    }
    blocks
}

fn continues(first: &Line, line: &Line, kind: BlockKind, markdown: bool) -> bool {
    let lazy = line.indent <= first.indent && kind == BlockKind::Item;
    first.in_code == line.in_code
        && (first.quotes == line.quotes || (markdown && line.quotes == 0))
        && !(lazy && (!markdown || line.in_code))
}

fn underline_level(content: &str) -> Option<usize> {
    if content.is_empty() {
        None
    } else if content.chars().all(|c| c == '=') {
        Some(1)
    } else if content.len() >= 2 && content.chars().all(|c| c == '-') {
        Some(2)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(BlockKind, String)> {
        let layout = Layout::read(text, true);
        layout.blocks.iter().map(|block| (block.kind, text[layout.span(block)].to_owned())).collect()
    }

    #[test]
    fn markers_quotes_and_headings_are_no_content() {
        assert_eq!(
            kinds("## Tone ##\n> - [ ] Be brief,\n>   and kind.\n12) Ask.\n"),
            [
                (BlockKind::Heading(2), "Tone".to_owned()),
                (BlockKind::Item, "Be brief,\n>   and kind.".to_owned()),
                (BlockKind::Item, "Ask.".to_owned()),
            ]
        );
    }

    #[test]
    fn an_underlined_heading_is_one_block() {
        let layout = Layout::read("Refunds\n-------\nText.\n", true);
        assert_eq!(layout.blocks[0].kind, BlockKind::Heading(2));
        assert_eq!(layout.blocks[0].lines, 0..2);
    }

    #[test]
    fn a_bold_start_is_no_bullet_and_a_year_no_number() {
        assert_eq!(kinds("**Never** lie.\n\n2024 was fine.\n").len(), 2);
        assert!(Layout::read("**Never** lie.", true).lines[0].marker.is_none());
        assert!(Layout::read("3.5 days", true).lines[0].marker.is_none());
    }

    #[test]
    fn an_outdented_line_after_an_item_is_its_own_paragraph_in_plain_text_only() {
        let text = "- One\nTwo\n";
        assert_eq!(Layout::read(text, true).blocks.len(), 1);
        assert_eq!(Layout::read(text, false).blocks.len(), 2);
    }
}
