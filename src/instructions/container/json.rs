//! Strings of JSON, JSON lines, and JSON with comments.

use std::ops::Range;
use std::sync::Arc;

use super::code::{Grammar, Token, line_end, string_end, walk, word_end};
use super::escapes::surrogates;
use super::map::Map;
use super::{Scan, Writing};
use crate::source::{Diagnostics, SourceFile, parse_json, parse_json_lines};

pub(super) fn scan(text: &str, range: Range<usize>) -> Scan {
    let grammar = Grammar { token, joins_neighbours: false, joins_sums: false, lines_end: false, fewest_words: 1 };
    walk(&grammar, text, range)
}

fn token(text: &str, at: usize, _after_value: bool) -> (Token, usize) {
    let rest = &text[at..];
    let c = rest.chars().next().unwrap_or(' ');
    if rest.starts_with("//") {
        return (Token::Comment, line_end(text, at));
    }
    if rest.starts_with("/*") {
        return (Token::Comment, rest.find("*/").map_or(text.len(), |end| at + end + 2));
    }
    if c == '"' {
        return match string_end(text, at, "\"", false, true) {
            Some(end) => match read(text, at..end) {
                Some(map) => (Token::Text(Writing::Json, map), end),
                None => (Token::Word, end),
            },
            None => (Token::Word, line_end(text, at)),
        };
    }
    if c.is_alphanumeric() || c == '_' {
        (Token::Word, word_end(text, at))
    } else {
        (Token::Sign(c), at + c.len_utf8())
    }
}

/// What a JSON string reads as.
pub(super) fn read(text: &str, whole: Range<usize>) -> Option<Map> {
    let inner = whole.start + 1..whole.end.checked_sub(1)?;
    let until = text.get(..inner.end)?;
    let mut map = Map::starting_at(inner.start);
    let mut at = inner.start;
    while at < inner.end {
        let c = until[at..].chars().next()?;
        if c == '"' || c == '\n' || c == '\r' {
            return None;
        }
        if c != '\\' {
            map.verbatim(text, at..at + c.len_utf8());
            at += c.len_utf8();
            continue;
        }
        let sign = *until.as_bytes().get(at + 1)?;
        let (content, end) = match sign {
            b'n' => ('\n', at + 2),
            b't' => ('\t', at + 2),
            b'r' => ('\r', at + 2),
            b'b' => ('\u{8}', at + 2),
            b'f' => ('\u{c}', at + 2),
            b'"' | b'\\' | b'/' => (char::from(sign), at + 2),
            b'u' => surrogates(until, at + 2)?,
            _ => return None,
        };
        map.escape(content.encode_utf8(&mut [0; 4]), at..end);
        at = end;
    }
    Some(map)
}

/// A text as it is written between the quotes.
pub(super) fn encode(content: &str) -> String {
    let quoted = serde_json::Value::from(content).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Whether a text is one JSON object or list.
pub(super) fn is_one(text: &str) -> bool {
    let trimmed = text.trim();
    let framed =
        (trimmed.starts_with('{') && trimmed.ends_with('}')) || (trimmed.starts_with('[') && trimmed.ends_with(']'));
    framed && serde_json::from_str::<serde::de::IgnoredAny>(trimmed).is_ok()
}

/// Whether a text is JSON, or one JSON value a line.
pub(super) fn parses(text: &str) -> bool {
    let file = SourceFile::new("text.json", text);
    let strict = |read: &dyn Fn(&Arc<SourceFile>, &mut Diagnostics) -> bool| {
        let mut diagnostics = Diagnostics::default();
        read(&file, &mut diagnostics) && diagnostics.errors() == 0
    };
    strict(&|file, found| parse_json(file, found).is_some())
        || strict(&|file, found| !parse_json_lines(file, found).is_empty())
}
