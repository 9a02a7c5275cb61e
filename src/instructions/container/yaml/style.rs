//! How a scalar is written: plain, in quotes, as a block. Each can be read, written into, and written anew.

use std::ops::Range;

use super::super::escapes::line_end_at;
use super::super::json;
use super::super::map::Map;
use super::block::Block;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::instructions) enum Style {
    Plain {
        /// Inside of `[…]` or `{…}`, where commas and brackets end a scalar.
        in_flow: bool,
    },
    Single,
    Double,
    Block(Block),
}

impl Style {
    /// What a plain or quoted scalar reads as.
    pub(super) fn read(&self, text: &str, whole: Range<usize>) -> Option<Map> {
        let quote = match self {
            Self::Plain { .. } => "",
            Self::Single => "'",
            Self::Double => "\"",
            Self::Block(_) => return None,
        };
        let written = text.get(whole.clone())?;
        if written.len() < 2 * quote.len() || !written.starts_with(quote) || !written.ends_with(quote) {
            return None;
        }
        let inner = whole.start + quote.len()..whole.end - quote.len();
        let until = &text[..inner.end];
        let mut map = Map::starting_at(inner.start);
        let mut at = inner.start;
        while at < inner.end {
            let c = until[at..].chars().next()?;
            let next = at + c.len_utf8();
            let end = match c {
                ' ' | '\t' | '\n' | '\r' => {
                    let end = inner.end - until[at..].trim_start_matches([' ', '\t', '\n', '\r']).len();
                    match breaks(&until[at..end]) {
                        0 => map.verbatim(text, at..end),
                        1 => map.escape(" ", at..end),
                        lines => map.escape(&"\n".repeat(lines - 1), at..end),
                    }
                    end
                }
                '\'' if *self == Self::Single => {
                    if !until[next..].starts_with('\'') {
                        return None;
                    }
                    map.escape("'", at..next + 1);
                    next + 1
                }
                '"' if *self == Self::Double => return None,
                '\\' if *self == Self::Double => {
                    let (content, end) = escape(until, at)?;
                    map.escape(&content, at..end);
                    end
                }
                _ => {
                    map.verbatim(text, at..next);
                    next
                }
            };
            at = end;
        }
        Some(map)
    }

    /// A text as it is written in the scalar; `None` where the scalar has to be written anew.
    pub(in super::super) fn encode(&self, content: &str) -> Option<String> {
        let in_one_line = !content.contains(['\n', '\r']);
        match self {
            Self::Plain { .. } => in_one_line.then(|| content.to_owned()),
            Self::Single => in_one_line.then(|| content.replace('\'', "''")),
            Self::Double => Some(json::encode(content)),
            Self::Block(block) => block.encode(content),
        }
    }

    /// A whole scalar with this content; in double quotes where nothing simpler does.
    pub(in super::super) fn rewrite(&self, content: &str) -> String {
        match self {
            Self::Single if !content.contains(['\n', '\r']) => format!("'{}'", content.replace('\'', "''")),
            Self::Block(block) => block.rewrite(content),
            _ => format!("\"{}\"", json::encode(content)),
        }
    }

    pub(in super::super) fn reads_as(&self, written: &str, content: &str) -> bool {
        let read = |style: &Self| style.read(written, 0..written.len()).is_some_and(|map| map.content == content);
        match self {
            Self::Plain { .. } if written.starts_with('"') => read(&Self::Double),
            Self::Plain { in_flow } => is_plain(content, *in_flow) && read(self),
            Self::Block(block) => block.reads_as(written, content),
            _ => read(self),
        }
    }

    /// The scalar of a text with nothing in it.
    pub(in super::super) fn empty(&self) -> String {
        match self {
            Self::Single => "''".to_owned(),
            Self::Block(block) => format!("\"\"{}", block.line_end()),
            _ => "\"\"".to_owned(),
        }
    }
}

/// Whether a text in one line means itself without quotes.
fn is_plain(content: &str, in_flow: bool) -> bool {
    let starts =
        content.starts_with([',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', ' ']);
    let leads = content.starts_with(['-', '?', ':'])
        && content[1..].chars().next().is_none_or(|c| c.is_whitespace() || in_flow);
    let ends = content.ends_with([':', ' ']) || content.is_empty();
    let inside = content.contains(": ") || content.contains(" #") || content.contains(['\n', '\r', '\t']);
    let flow = in_flow && content.contains([',', '[', ']', '{', '}']);
    let other = matches!(
        content.to_ascii_lowercase().as_str(),
        "null" | "~" | "true" | "false" | "yes" | "no" | "on" | "off" | "---" | "..."
    ) || content.replace('_', "").parse::<f64>().is_ok();
    !(starts || leads || ends || inside || flow || other)
}

fn breaks(blanks: &str) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < blanks.len() {
        let length = line_end_at(blanks, at);
        count += usize::from(length > 0);
        at += length.max(1);
    }
    count
}

/// What an escape between double quotes stands for, and where it ends.
fn escape(text: &str, at: usize) -> Option<(String, usize)> {
    let c = text[at + 1..].chars().next()?;
    let end = at + 1 + c.len_utf8();
    let code = |digits: usize| {
        let value = u32::from_str_radix(text.get(end..end + digits)?, 16).ok()?;
        Some((char::from_u32(value)?.to_string(), end + digits))
    };
    let content = match c {
        '\n' | '\r' => {
            let from = at + 1 + line_end_at(text, at + 1);
            let rest = text[from..].trim_start_matches([' ', '\t']);
            return Some((String::new(), text.len() - rest.len()));
        }
        'x' => return code(2),
        'u' => return code(4),
        'U' => return code(8),
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        ' ' | '"' | '/' | '\\' => c,
        _ => return None,
    };
    Some((content.to_string(), end))
}
