//! Strings of Python: plain, raw, formatted, triple-quoted, and joined with their neighbours or by `+`.

use std::ops::Range;

use super::code::{Grammar, Token, line_end, string_end, walk, word_end};
use super::escapes::{Language, Quoted};
use super::{Scan, Writing};

pub(super) fn scan(text: &str, range: Range<usize>) -> Scan {
    let grammar = Grammar { token, joins_neighbours: true, joins_sums: true, lines_end: true, fewest_words: 2 };
    walk(&grammar, text, range)
}

fn token(text: &str, at: usize, _after_value: bool) -> (Token, usize) {
    let rest = &text[at..];
    let c = rest.chars().next().unwrap_or(' ');
    if c == '#' {
        return (Token::Comment, line_end(text, at));
    }
    let letters = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let quotes = at + letters;
    let prefixes = letters <= 2 && rest[..letters].bytes().all(|c| b"rRbBuUfFtT".contains(&c));
    if prefixes
        && let Some(quote) = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| text[quotes..].starts_with(quote))
    {
        let Some(end) = string_end(text, quotes, quote, quote.len() == 3, true) else {
            return (Token::Word, line_end(text, quotes + quote.len()).max(quotes + quote.len()));
        };
        let is_bytes = rest[..letters].contains(['b', 'B']);
        return match Quoted::read(Language::Python, text, at..end).filter(|_| !is_bytes) {
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
