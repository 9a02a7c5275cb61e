//! Quoted strings of Python, TypeScript, JavaScript and TOML: what they read as, and how a text is written in them.

use std::ops::Range;

use super::map::Map;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::instructions) enum Language {
    Python,
    Script,
    Toml,
}

/// How one string is quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::instructions) struct Quoted {
    language: Language,
    /// Letters before the quotes, such as `f` or `r`.
    prefix: String,
    /// One quote, or three.
    quote: &'static str,
    /// Backslashes are plain characters.
    raw: bool,
    /// Braces are slots.
    format: bool,
    /// The slots as they are written, such as `{name}` or `${name}`: they stand so in the content, too.
    slots: Vec<String>,
    line_end: &'static str,
}

const QUOTES: [&str; 5] = ["\"\"\"", "'''", "\"", "'", "`"];

impl Quoted {
    /// Reads a string from its first to its last byte; `None` where it is none.
    pub(super) fn read(language: Language, text: &str, whole: Range<usize>) -> Option<(Self, Map)> {
        let written = text.get(whole.clone())?;
        let letters = written.len() - written.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (prefix, rest) = written.split_at(letters);
        let quote = QUOTES.into_iter().find(|quote| {
            let triple = quote.len() == 3 && language == Language::Script;
            !triple && rest.len() >= 2 * quote.len() && rest.starts_with(quote) && rest.ends_with(quote)
        })?;
        let lower = prefix.to_ascii_lowercase();
        let raw = lower.contains('r') || (language == Language::Toml && quote.starts_with('\''));
        let format = match language {
            Language::Python => lower.contains(['f', 't']),
            Language::Script => quote == "`",
            Language::Toml => false,
        };
        let line_end = if rest.contains("\r\n") { "\r\n" } else { "\n" };
        let mut quoted = Self { language, prefix: prefix.to_owned(), quote, raw, format, slots: Vec::new(), line_end };
        let opening = whole.start + letters;
        let escapes = !(language == Language::Toml && raw);
        let end = match quote {
            "`" => super::script::template_end(&text[..whole.end], opening + 1),
            _ => super::code::string_end(&text[..whole.end], opening, quote, quoted.spans_lines(), escapes),
        };
        if end != Some(whole.end) {
            return None;
        }
        let inner = opening + quote.len()..whole.end - quote.len();
        let map = quoted.decode(text, inner)?;
        Some((quoted, map))
    }

    fn spans_lines(&self) -> bool {
        self.quote.len() == 3 || self.quote == "`"
    }

    fn decode(&mut self, text: &str, inner: Range<usize>) -> Option<Map> {
        let mut at = inner.start;
        let until = &text[..inner.end];
        if self.language == Language::Toml && self.quote.len() == 3 {
            at += line_end_at(until, at);
        }
        let mut map = Map::starting_at(at);
        while at < inner.end {
            let c = until[at..].chars().next()?;
            let next = at + c.len_utf8();
            match c {
                '\\' if !self.raw => {
                    let (content, end) = self.escape(until, at)?;
                    match content {
                        Some(content) => map.escape(&content, at..end),
                        None => map.verbatim(text, at..end),
                    }
                    at = end;
                    continue;
                }
                '\\' if self.language == Language::Python => {
                    // In a raw string a backslash still keeps the quote after it from closing.
                    let end = until[next..].chars().next().map_or(next, |c| next + c.len_utf8());
                    let end = if until[next..].starts_with(['\r', '\n']) { next } else { end };
                    map.verbatim(text, at..end);
                    at = end;
                    continue;
                }
                '\r' if until[next..].starts_with('\n') => {
                    map.escape("\n", at..next + 1);
                    at = next + 1;
                    continue;
                }
                '\r' => map.escape("\n", at..next),
                '\n' if !self.spans_lines() => return None,
                '{' if self.format && self.language == Language::Python => {
                    if until[next..].starts_with('{') {
                        map.escape("{", at..next + 1);
                        at = next + 1;
                    } else {
                        let end = slot_end(until, next)?;
                        self.slot(text, at..end, &mut map);
                        at = end;
                    }
                    continue;
                }
                '}' if self.format && self.language == Language::Python => {
                    if !until[next..].starts_with('}') {
                        return None;
                    }
                    map.escape("}", at..next + 1);
                    at = next + 1;
                    continue;
                }
                '$' if self.format && self.language == Language::Script && until[next..].starts_with('{') => {
                    let end = slot_end(until, next + 1)?;
                    self.slot(text, at..end, &mut map);
                    at = end;
                    continue;
                }
                _ => map.verbatim(text, at..next),
            }
            at = next;
        }
        Some(map)
    }

    fn slot(&mut self, text: &str, range: Range<usize>, map: &mut Map) {
        let slot = text[range.clone()].to_owned();
        if !self.slots.contains(&slot) {
            self.slots.push(slot);
        }
        map.verbatim(text, range);
    }

    /// What a backslash and what follows it stand for, and where that ends; no content where it stays as written.
    fn escape(&self, text: &str, at: usize) -> Option<(Option<String>, usize)> {
        let c = text[at + 1..].chars().next()?;
        let end = at + 1 + c.len_utf8();
        let is_script = self.language == Language::Script;
        let single = |content: char| Some((Some(content.to_string()), end));
        match c {
            '\r' | '\n' => {
                let mut end = at + 1 + line_end_at(text, at + 1);
                if self.language == Language::Toml {
                    end += text[end..].len() - text[end..].trim_start().len();
                }
                Some((Some(String::new()), end))
            }
            ' ' | '\t' if self.language == Language::Toml => {
                let rest = text[at + 1..].trim_start();
                Some((Some(String::new()), text.len() - rest.len()))
            }
            'n' => single('\n'),
            't' => single('\t'),
            'r' => single('\r'),
            'b' => single('\u{8}'),
            'f' => single('\u{c}'),
            'v' if self.language != Language::Toml => single('\u{b}'),
            'a' if self.language == Language::Python => single('\u{7}'),
            'x' => number(text, end, 2, 2).map_or(Some((None, end)), |(c, end)| Some((Some(c.to_string()), end))),
            'u' if is_script && text[end..].starts_with('{') => {
                let close = text[end..].find('}').map(|close| end + close)?;
                let (c, _) = number(text, end + 1, 1, close - end - 1)?;
                Some((Some(c.to_string()), close + 1))
            }
            'u' => surrogates(text, end).map_or(Some((None, end)), |(c, end)| Some((Some(c.to_string()), end))),
            'U' if !is_script => {
                number(text, end, 8, 8).map_or(Some((None, end)), |(c, end)| Some((Some(c.to_string()), end)))
            }
            '\\' | '"' | '\'' => single(c),
            _ if is_script => single(c),
            _ => Some((None, end)),
        }
    }

    /// A text as it is written between the quotes.
    pub(super) fn encode(&self, content: &str, every_quote: bool) -> String {
        let mut written = String::new();
        let mut rest = content;
        let sign = self.quote.chars().next().unwrap_or('"');
        while let Some(c) = rest.chars().next() {
            if let Some(slot) = self.slots.iter().find(|slot| rest.starts_with(slot.as_str())) {
                written.push_str(slot);
                rest = &rest[slot.len()..];
                continue;
            }
            let after = &rest[c.len_utf8()..];
            match c {
                '\n' if self.spans_lines() => written.push_str(self.line_end),
                _ if self.raw => written.push(c),
                '\n' => written.push_str("\\n"),
                '\r' => written.push_str("\\r"),
                '\t' if self.quote.len() == 1 => written.push_str("\\t"),
                '\t' => written.push('\t'),
                '\\' => written.push_str("\\\\"),
                _ if c == sign => {
                    // Between three quotes a single one needs nothing, unless it stands beside another.
                    let alone = self.quote.len() == 3 && !every_quote && !after.is_empty() && !after.starts_with(sign);
                    written.push_str(if alone { "" } else { "\\" });
                    written.push(c);
                }
                '{' | '}' if self.format && self.language == Language::Python => {
                    written.push(c);
                    written.push(c);
                }
                '$' if self.format && after.starts_with('{') => written.push_str("\\$"),
                _ if c.is_control() => written.push_str(&format!("\\u{:04x}", u32::from(c))),
                _ => written.push(c),
            }
            rest = after;
        }
        written
    }

    /// A whole string with this content, without what a raw string cannot hold.
    pub(super) fn rewrite(&self, content: &str) -> String {
        let mut quoted = self.clone();
        quoted.raw = false;
        quoted.prefix.retain(|c| !matches!(c, 'r' | 'R'));
        if self.language == Language::Toml && self.raw {
            quoted.quote = if self.quote.len() == 3 { "\"\"\"" } else { "\"" };
        }
        let opening = if self.language == Language::Toml && quoted.quote.len() == 3 { self.line_end } else { "" };
        let (prefix, quote) = (&quoted.prefix, quoted.quote);
        format!("{prefix}{quote}{opening}{}{quote}", quoted.encode(content, true))
    }

    pub(super) fn reads_as(&self, written: &str, content: &str) -> bool {
        Self::read(self.language, written, 0..written.len()).is_some_and(|(_, map)| map.content == content)
    }
}

/// Length of the line end at an offset; 0 where there is none.
pub(super) fn line_end_at(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at..) {
        Some([b'\r', b'\n', ..]) => 2,
        Some([b'\r' | b'\n', ..]) => 1,
        _ => 0,
    }
}

/// The character of a hexadecimal number with so many digits.
fn number(text: &str, from: usize, least: usize, most: usize) -> Option<(char, usize)> {
    let digits = text[from..].bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
    if digits < least {
        return None;
    }
    let value = u32::from_str_radix(&text[from..from + digits], 16).ok()?;
    Some((char::from_u32(value)?, from + digits))
}

/// The character of four digits, or of the two halves that UTF-16 has of it.
pub(super) fn surrogates(text: &str, from: usize) -> Option<(char, usize)> {
    if let Some(found) = number(text, from, 4, 4) {
        return Some(found);
    }
    let unit = |at: usize| u16::from_str_radix(text.get(at..at + 4)?, 16).ok();
    let high = unit(from)?;
    let low = text.get(from + 4..from + 6).filter(|sign| *sign == "\\u").and_then(|_| unit(from + 6))?;
    let c = char::decode_utf16([high, low]).next()?.ok()?;
    Some((c, from + 10))
}

/// The end of a slot whose opening brace stands before `from`; strings in it may hold braces.
pub(super) fn slot_end(text: &str, from: usize) -> Option<usize> {
    let mut depth = 1usize;
    let mut chars = text[from..].char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(from + at + 1);
                }
            }
            '"' | '\'' | '`' => {
                let mut escaped = false;
                let inner = text[from + at + 1..].find(|next| {
                    let closes = next == c && !escaped;
                    escaped = next == '\\' && !escaped;
                    closes
                })?;
                let end = at + 1 + inner;
                while chars.clone().next().is_some_and(|(next, _)| next <= end) {
                    chars.next();
                }
            }
            _ => {}
        }
    }
    None
}
