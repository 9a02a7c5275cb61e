//! Strings of TypeScript and JavaScript: quoted, template literals with their slots, and sums of them.

use std::ops::Range;

use super::code::{Grammar, Token, line_end, string_end, walk, word_end};
use super::escapes::{Language, Quoted};
use super::{Scan, Writing};

pub(super) fn scan(text: &str, range: Range<usize>) -> Scan {
    let grammar = Grammar { token, joins_neighbours: false, joins_sums: true, lines_end: false, fewest_words: 2 };
    walk(&grammar, text, range)
}

fn token(text: &str, at: usize, after_value: bool) -> (Token, usize) {
    let rest = &text[at..];
    let c = rest.chars().next().unwrap_or(' ');
    if rest.starts_with("//") {
        return (Token::Comment, line_end(text, at));
    }
    if rest.starts_with("/*") {
        return (Token::Comment, rest.find("*/").map_or(text.len(), |end| at + end + 2));
    }
    let end = match c {
        '"' | '\'' => string_end(text, at, &rest[..1], false, true),
        '`' => template_end(text, at + 1),
        _ => None,
    };
    if let Some(end) = end {
        return match Quoted::read(Language::Script, text, at..end) {
            Some((quoted, map)) => (Token::Text(Writing::Quoted(quoted), map), end),
            None => (Token::Word, end),
        };
    }
    if c == '/'
        && !after_value
        && let Some(end) = pattern_end(text, at)
    {
        return (Token::Word, end);
    }
    if c.is_alphanumeric() || matches!(c, '_' | '$') {
        // After `return "a"` nothing is joined, and `return /x/` is a pattern.
        let end = word_end(text, at);
        let starts_value = matches!(&text[at..end], "return" | "typeof" | "case" | "in" | "of" | "await" | "yield");
        return if starts_value { (Token::Sign(' '), end) } else { (Token::Word, end) };
    }
    // An apostrophe in the text of a component opens no string.
    if c == '\'' || c == '"' { (Token::Word, at + 1) } else { (Token::Sign(c), at + c.len_utf8()) }
}

/// The end of a template literal whose opening sign stands before `from`; slots may hold further literals.
pub(super) fn template_end(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => return Some(at + 1),
            b'$' if bytes.get(at + 1) == Some(&b'{') => at = super::escapes::slot_end(text, at + 2)?,
            _ => at += 1,
        }
    }
    None
}

fn pattern_end(text: &str, at: usize) -> Option<usize> {
    let mut in_class = false;
    let mut escaped = false;
    for (offset, c) in text[at + 1..].char_indices() {
        match c {
            '\n' | '\r' => return None,
            _ if escaped => {
                escaped = false;
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(at + offset + 2),
            _ => {}
        }
        escaped = c == '\\';
    }
    None
}
