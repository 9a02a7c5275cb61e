//! Strings of TOML, basic and literal, in one line and in several.

use std::ops::Range;

use super::code::{Grammar, Token, line_end, string_end, walk, word_end};
use super::escapes::{Language, Quoted};
use super::{Scan, Writing};

pub(super) fn scan(text: &str, range: Range<usize>) -> Scan {
    let grammar = Grammar { token, joins_neighbours: false, joins_sums: false, lines_end: true, fewest_words: 1 };
    walk(&grammar, text, range)
}

fn token(text: &str, at: usize, _after_value: bool) -> (Token, usize) {
    let rest = &text[at..];
    let c = rest.chars().next().unwrap_or(' ');
    if c == '#' {
        return (Token::Comment, line_end(text, at));
    }
    if let Some(quote) = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| rest.starts_with(quote)) {
        let Some(end) = string_end(text, at, quote, quote.len() == 3, quote.starts_with('"')) else {
            return (Token::Word, line_end(text, at + quote.len()));
        };
        return match Quoted::read(Language::Toml, text, at..end) {
            Some((quoted, map)) => (Token::Text(Writing::Quoted(quoted), map), end),
            None => (Token::Word, end),
        };
    }
    if c.is_alphanumeric() || c == '_' {
        (Token::Word, word_end(text, at))
    } else {
        (Token::Sign(c), at + c.len_utf8())
    }
}
