//! Text as a reader sees it: no markers, no emphasis, one kind of blank, quote and dash, lower case; with a map back to
//! the file, byte by byte. A quote and a document are made comparable by the same rules.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::layout::{Block, Layout, LineKind, is_blank};

/// Stands between two blocks that a blank line parts: no match runs across it unless the quote has one too.
pub(super) const GAP: char = '\u{1e}';

/// Normal text with the file's range for every byte of it.
#[derive(Debug)]
pub(super) struct Normal {
    pub text: String,
    places: Vec<(u32, u32)>,
    block_ends: Vec<usize>,
}

impl Normal {
    /// Makes the normal form of a whole text.
    pub(super) fn of(text: &str, layout: &Layout) -> Self {
        let mut normal = Self {
            text: String::with_capacity(text.len()),
            places: Vec::with_capacity(text.len()),
            block_ends: Vec::new(),
        };
        let mut previous_end = 0;
        for block in &layout.blocks {
            let parted = layout.lines[previous_end..block.lines.start].iter().any(|line| line.kind == LineKind::Blank);
            previous_end = block.lines.end;
            if parted {
                normal.gap()
            } else {
                normal.blank()
            }
            normal.block(text, layout, block);
            normal.block_ends.push(normal.text.trim_end_matches(' ').len());
        }
        normal
    }

    /// The file's range for a range of the normal text.
    pub(super) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.places.get(range.start).map_or(0, |place| place.0 as usize);
        let end =
            range.end.checked_sub(1).and_then(|last| self.places.get(last)).map_or(start, |place| place.1 as usize);
        start..end.max(start)
    }

    /// Whether a block ends at an offset of the normal text.
    pub(super) fn ends_block(&self, at: usize) -> bool {
        self.block_ends.binary_search(&at).is_ok()
    }

    fn block(&mut self, text: &str, layout: &Layout, block: &Block) {
        for piece in layout.pieces(block) {
            self.blank();
            self.piece(text, piece);
        }
    }

    fn piece(&mut self, text: &str, piece: Range<usize>) {
        let content = &text[piece.clone()];
        let dropped = markup(content);
        let mut skip = dropped.iter().peekable();
        let mut entity_end = 0;
        for (at, c) in content.char_indices() {
            while skip.peek().is_some_and(|range| range.end <= at) {
                skip.next();
            }
            if at < entity_end || skip.peek().is_some_and(|range| range.contains(&at)) {
                continue;
            }
            let place = (piece.start + at, piece.start + at + c.len_utf8());
            if c == '&'
                && let Some((length, decoded)) = entity(&content[at..])
            {
                self.plain(decoded, (place.0, place.0 + length));
                entity_end = at + length;
                continue;
            }
            let before = content[..at].chars().next_back();
            let after = content[at + c.len_utf8()..].chars().next();
            self.character(c, before, after, place);
        }
    }

    fn character(&mut self, c: char, before: Option<char>, after: Option<char>, place: (usize, usize)) {
        let word = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
        let open = |side: Option<char>| side.is_none_or(|c| is_blank(c) || is_dash(c));
        match c {
            '*' if !(word(before) && word(after)) => {}
            // Kept inside a name such as `snake_case`, dropped where it marks emphasis.
            '_' if !(word(before) || before == Some('_')) || !(word(after) || after == Some('_')) => {}
            '`' => {}
            '|' | '—' | '―' => self.blank(),
            '-' | '–' if open(before) && (open(after) || before.is_some_and(is_dash)) => self.blank(),
            '-' if after == Some('-') || before == Some('-') => self.blank(),
            _ => self.plain(c, place),
        }
    }

    fn plain(&mut self, c: char, place: (usize, usize)) {
        match c {
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe0f}' => {}
            GAP => {}
            _ if is_blank(c) => self.blank(),
            _ if c.is_ascii() => self.push(c.to_ascii_lowercase(), place),
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' => self.push('"', place),
            '‘' | '’' | '‚' | '‛' | '′' | '´' => self.push('\'', place),
            '‐' | '‑' | '‒' | '–' | '−' => self.push('-', place),
            _ => {
                for folded in std::iter::once(c).nfkd().flat_map(char::to_lowercase) {
                    if is_blank(folded) { self.blank() } else { self.push(folded, place) }
                }
            }
        }
    }

    fn push(&mut self, c: char, place: (usize, usize)) {
        self.text.push(c);
        let place = (u32::try_from(place.0).unwrap_or(u32::MAX), u32::try_from(place.1).unwrap_or(u32::MAX));
        self.places.resize(self.text.len(), place);
    }

    fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', GAP]) {
            let end = self.places.last().map_or(0, |place| place.1 as usize);
            self.push(' ', (end, end));
        }
    }

    fn gap(&mut self) {
        if self.text.ends_with(' ') {
            self.text.pop();
            self.places.pop();
        }
        if !self.text.is_empty() && !self.text.ends_with(GAP) {
            let end = self.places.last().map_or(0, |place| place.1 as usize);
            self.push(GAP, (end, end));
        }
    }
}

/// The normal form of a snippet such as a quote, with its blanks trimmed.
pub(super) fn normal_text(snippet: &str) -> String {
    let layout = Layout::read(snippet, true);
    let normal = Normal::of(snippet, &layout);
    normal.text.trim_matches([' ', GAP]).to_owned()
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '–' | '—')
}

/// Entities that are common in instruction files, and numbered ones.
fn entity(rest: &str) -> Option<(usize, char)> {
    let end = rest.bytes().take(12).position(|byte| byte == b';')?;
    let name = &rest[1..end];
    let decoded = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" | "ldquo" | "rdquo" => '"',
        "apos" | "lsquo" | "rsquo" => '\'',
        "nbsp" => ' ',
        "mdash" => ' ',
        "ndash" => '-',
        _ => {
            let digits = name.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(number).filter(|c| *c != '\0')?
        }
    };
    Some((end + 1, decoded))
}

const INLINE_TAGS: [&str; 12] = ["b", "i", "u", "em", "strong", "code", "br", "span", "mark", "kbd", "sub", "sup"];

/// What a reader does not see in a line: link targets, inline tags, backslashes before signs.
fn markup(content: &str) -> Vec<Range<usize>> {
    let mut dropped = Vec::new();
    if !content.contains(['[', '<', '\\', '~']) {
        return dropped;
    }
    let bytes = content.as_bytes();
    let mut at = 0;
    let mut in_code = false;
    while at < bytes.len() {
        match bytes[at] {
            b'`' => in_code = !in_code,
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => {
                dropped.push(at..at + 1);
                at += 1;
            }
            b'~' if bytes.get(at + 1) == Some(&b'~') => {
                dropped.push(at..at + 2);
                at += 1;
            }
            b'[' if !in_code => {
                if let Some((open, close)) = link(content, at) {
                    dropped.push(open);
                    dropped.push(close);
                }
            }
            b'<' if !in_code => {
                if let Some(end) = content[at..].find('>').map(|end| at + end) {
                    let inner = content[at + 1..end].trim_start_matches('/');
                    let name: &str = inner.split([' ', '/']).next().unwrap_or_default();
                    if INLINE_TAGS.contains(&name.to_ascii_lowercase().as_str()) {
                        dropped.push(at..end + 1);
                    } else if inner.contains("://") && !inner.contains(' ') {
                        dropped.push(at..at + 1);
                        dropped.push(end..end + 1);
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    dropped.sort_by_key(|range| range.start);
    dropped
}

/// The opening and closing markup of a link or image that starts with the bracket at `at`.
fn link(content: &str, at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let bytes = content.as_bytes();
    let close = closing(bytes, at, b'[', b']')?;
    let (opener, closer) = match bytes.get(close + 1)? {
        b'(' => (b'(', b')'),
        b'[' => (b'[', b']'),
        _ => return None,
    };
    let end = closing(bytes, close + 1, opener, closer)?;
    // `items[0](args)` in code is no link, nor is `[a] [b]`; an empty link text shows nothing.
    if at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'#') {
        return None;
    }
    let start = if at > 0 && bytes[at - 1] == b'!' { at - 1 } else { at };
    Some((start..at + 1, close..end + 1))
}

fn closing(bytes: &[u8], from: usize, opener: u8, closer: u8) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        if *byte == opener {
            depth += 1;
        } else if *byte == closer {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_and_a_wrapped_item_have_one_normal_form() {
        let item = "> 3. **Never** refund an\n>    order that’s older\u{a0}than 30\u{200b} days — _ever_.";
        assert_eq!(normal_text(item), normal_text("never refund an order that's older than 30 days -- ever."));
    }

    #[test]
    fn names_and_ranges_keep_their_signs() {
        assert_eq!(normal_text("Keep `snake_case`, 3*4 and 10–20."), "keep snake_case, 3*4 and 10-20.");
    }

    #[test]
    fn a_link_is_its_text() {
        assert_eq!(normal_text("See [the policy](https://x.y/z_(a)) &amp; stop."), "see the policy & stop.");
    }

    #[test]
    fn a_blank_line_leaves_a_gap() {
        assert_eq!(normal_text("One.\n\n- Two.\n- Three."), format!("one.{GAP}two. three."));
    }
}
