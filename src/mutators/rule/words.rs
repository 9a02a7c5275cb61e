//! A rule's text as words and signs, each with its place; code, quotations and parentheses are single opaque pieces, so
//! that no cue is ever seen in what a rule only cites.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// Code, a quotation or a parenthesis.
    Opaque,
    /// One of `, ; : . ! ?` or a dash (as `-`).
    Sign(char),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub range: Range<usize>,
    /// The word in lower case with a straight apostrophe; empty for the other kinds.
    pub word: String,
}

impl Token {
    pub(super) fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.word == word
    }

    pub(super) fn is_sign(&self, signs: &[char]) -> bool {
        matches!(self.kind, Kind::Sign(sign) if signs.contains(&sign))
    }
}

/// The word at a place before `end`; empty for signs, opaque pieces and places outside.
pub(super) fn word_in(tokens: &[Token], at: usize, end: usize) -> &str {
    if at < end { tokens.get(at).map_or("", |token| token.word.as_str()) } else { "" }
}

/// Reads a text. Emphasis marks and blanks are no tokens.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = c.len_utf8();
        if let Some(length) = tag_length(rest) {
            at += length;
            continue;
        }
        let opaque = opaque_length(text, at);
        if let Some(length) = opaque {
            push(&mut found, text, Kind::Opaque, at..at + length);
            at += length;
        } else if c.is_alphanumeric()
            || (matches!(c, '@' | '$' | '#' | '/' | '<' | '{') && !rest[length..].starts_with([' ', '*']))
        {
            let length = word_length(rest);
            push(&mut found, text, Kind::Word, at..at + length);
            at += length;
        } else {
            if let Some(sign) = sign_of(rest) {
                let length =
                    if sign == '-' { rest.len() - rest.trim_start_matches(['-', '—', '–']).len() } else { length };
                push(&mut found, text, Kind::Sign(sign), at..at + length);
                at += length;
            } else {
                at += length;
            }
        }
    }
    found
}

/// Length of an HTML tag that only sets emphasis; placeholders such as `<order_id>` are words.
fn tag_length(rest: &str) -> Option<usize> {
    const TAGS: [&str; 8] = ["b", "strong", "i", "em", "u", "mark", "span", "br"];
    let inner = rest.strip_prefix('<')?;
    let end = inner.find('>')?;
    let name = inner[..end].trim_start_matches('/').trim_end_matches('/').trim_end().to_ascii_lowercase();
    TAGS.contains(&name.as_str()).then_some(end + 2)
}

fn push(found: &mut Vec<Token>, text: &str, kind: Kind, range: Range<usize>) {
    let word = match kind {
        Kind::Word => text[range.clone()].to_lowercase().replace('’', "'"),
        _ => String::new(),
    };
    found.push(Token { kind, range, word });
}

fn sign_of(rest: &str) -> Option<char> {
    match rest.chars().next()? {
        c @ (',' | ';' | ':' | '.' | '!' | '?') => Some(c),
        '—' | '–' => Some('-'),
        '-' if rest.starts_with("--") || rest.starts_with("- ") => Some('-'),
        _ => None,
    }
}

fn word_length(rest: &str) -> usize {
    let mut end = 0;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '<' && at > 0 && tag_length(&rest[at..]).is_some() {
            break;
        }
        let next = chars.peek().map(|(_, next)| *next);
        let joins = next.is_some_and(char::is_alphanumeric);
        let inside = c.is_alphanumeric()
            || matches!(c, '@' | '$' | '#' | '/' | '<' | '>' | '{' | '}' | '=' | '%' | '+' | '~')
            || (c == '_' && at > 0 && rest[at..].trim_start_matches('_').starts_with(char::is_alphanumeric))
            || (matches!(c, '\'' | '’' | '.' | ':' | '-' | '&') && joins && at > 0);
        if !inside {
            break;
        }
        end = at + c.len_utf8();
    }
    end.max(rest.chars().next().map_or(0, char::len_utf8))
}

/// Length of a code span, quotation or parenthesis that starts here.
fn opaque_length(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    let close = match first {
        '`' => {
            let signs = rest.len() - rest.trim_start_matches('`').len();
            let fence = &rest[..signs];
            return rest[signs..].find(fence).map(|found| found + 2 * signs);
        }
        '"' => '"',
        '“' | '„' => return rest.find(['”', '“', '"']).map_or_else(|| None, |_| closing_quote(rest)),
        '\'' | '‘' => {
            let starts =
                text[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '*' | '_'));
            return if starts { closing_single(rest) } else { None };
        }
        '(' => ')',
        '（' => '）',
        '「' => '」',
        '『' => '』',
        '《' => '》',
        '«' => '»',
        '[' => ']',
        _ => return None,
    };
    if close == '"' {
        return rest[1..].find('"').map(|found| found + 2);
    }
    let mut depth = 0usize;
    for (at, c) in rest.char_indices() {
        if c == first {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + c.len_utf8());
            }
        }
    }
    None
}

fn closing_quote(rest: &str) -> Option<usize> {
    rest.char_indices().skip(1).find(|(_, c)| matches!(c, '”' | '"' | '“')).map(|(at, c)| at + c.len_utf8())
}

fn closing_single(rest: &str) -> Option<usize> {
    rest.char_indices().skip(1).find_map(|(at, c)| {
        let end = at + c.len_utf8();
        let ends = rest[end..].chars().next().is_none_or(|next| !next.is_alphanumeric());
        (matches!(c, '\'' | '’') && ends).then_some(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokens(text)
            .iter()
            .map(|token| match token.kind {
                Kind::Word => token.word.clone(),
                Kind::Opaque => format!("<{}>", &text[token.range.clone()]),
                Kind::Sign(sign) => sign.to_string(),
            })
            .collect()
    }

    #[test]
    fn what_is_cited_is_opaque() {
        assert_eq!(
            words("**Don’t** say \"never (no)\" or `do not`—it's 'not ok' (never), e.g. 3.5%."),
            [
                "don't",
                "say",
                "<\"never (no)\">",
                "or",
                "<`do not`>",
                "-",
                "it's",
                "<'not ok'>",
                "<(never)>",
                ",",
                "e.g",
                ".",
                "3.5%",
                "."
            ]
        );
    }

    #[test]
    fn marks_of_emphasis_are_no_part_of_a_word() {
        assert_eq!(words("<b>Never</b> __share__ _a_b_ of <order_id>"), ["never", "share", "a_b", "of", "<order_id>"]);
    }

    #[test]
    fn signs_at_any_place_do_no_harm() {
        for text in ["(", "\"", "`", "'", "“", "_ * #", "-", "a-", "((a)"] {
            tokens(text);
        }
    }
}
