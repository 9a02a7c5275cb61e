//! What of an input must survive every variant.
//!
//! A scanner by hand instead of patterns: it reads the text once, knows what contains what (a number inside a path, a
//! quote inside code), and is quick enough to run for every input. Where it can't tell, it protects: a span too many
//! costs a place for a typo, a span too few costs a customer's order number.

use std::fmt;
use std::ops::Range;

use super::super::language::{Tongue, is_spaceless};
use super::Subject;
use super::text::Text;
use super::tokens::{self, Word};
use super::words::may_be_word;

/// A stretch of the input that stays byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Bytes of the input.
    pub range: Range<usize>,
    /// The reason; the first one where several hold.
    pub why: Why,
}

/// Why a span is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A number, an amount, a date or a time, with its unit.
    Number,
    /// Letters and digits mixed, capitals inside, hexadecimal.
    Identifier,
    Email,
    Url,
    /// A path, a file name, a domain.
    Path,
    /// Code, markup, a flag, a table row, JSON.
    Code,
    Quoted,
    /// A template's place: `{{name}}`.
    Slot,
    /// A word in capitals; a single capital letter together with the word before it ("size M").
    Capitals,
    /// A capital inside a sentence.
    Name,
    /// The first word of a sentence, where it may be a name.
    Opening,
    Emoji,
    /// A day, a month, "tomorrow".
    Time,
    /// A word that negates, restricts or counts.
    Guard,
    /// Stands in the case's assertions, arguments or fixtures.
    Literal,
    /// Matches the user's `protect:` list.
    Listed,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Number => "number",
            Why::Identifier => "identifier",
            Why::Email => "e-mail address",
            Why::Url => "URL",
            Why::Path => "path",
            Why::Code => "code",
            Why::Quoted => "quoted text",
            Why::Slot => "template slot",
            Why::Capitals => "word in capitals",
            Why::Name => "name",
            Why::Opening => "first word that may be a name",
            Why::Emoji => "emoji",
            Why::Time => "date or time",
            Why::Guard => "word that negates or counts",
            Why::Literal => "text of the case's assertions or fixtures",
            Why::Listed => "text of the protect list",
        })
    }
}

impl Why {
    /// Whether such a span and its neighbour are one: "March 14", "42 Elm Street", "+1 (555) 010".
    fn joins(self) -> bool {
        matches!(self, Why::Number | Why::Identifier | Why::Path | Why::Capitals | Why::Name | Why::Opening | Why::Time)
    }
}

/// The protected spans of an input: ascending, apart from each other.
pub fn protected(subject: &Subject) -> Vec<Span> {
    Text::new(subject).spans
}

/// As [`protected`], from what is known of the text.
pub(super) fn spans(subject: &Subject, tongue: &Tongue, words: &mut [Word]) -> Vec<Span> {
    let raw = subject.input;
    let mut spans = blocks(raw);
    let solid: Vec<Range<usize>> = {
        let tokens = token_spans(raw, &spans, tongue, words);
        spans.extend(tokens);
        spans.sort_by_key(|span| (span.range.start, span.range.end));
        merged(raw, spans.clone()).into_iter().map(|span| span.range).collect()
    };
    let mut sentences = tokens::sentences(raw, &solid).into_iter().peekable();
    for word in words.iter_mut() {
        // A sentence is opened by the first word that starts in it; bullets and quotes may stand before.
        while sentences.peek().is_some_and(|sentence| sentence.range.end <= word.range.start) {
            sentences.next();
        }
        if sentences.next_if(|sentence| sentence.range.start <= word.range.start).is_some() {
            word.opens = true;
        }
    }
    word_spans(raw, tongue, words, &mut spans);
    for literal in subject.literals {
        spans.extend(occurrences(raw, literal.trim()).into_iter().map(|range| Span { range, why: Why::Literal }));
    }
    for pattern in subject.protect {
        let hits = pattern.find_iter(raw).filter(|hit| !hit.is_empty());
        spans.extend(hits.map(|hit| Span { range: hit.range(), why: Why::Listed }));
    }
    spans.sort_by_key(|span| (span.range.start, span.range.end));
    merged(raw, spans)
}

/// Spans that overlap or touch as one, and neighbours that belong together with the space between them.
fn merged(raw: &str, spans: Vec<Span>) -> Vec<Span> {
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        if let Some(last) = merged.last_mut() {
            let between = raw.get(last.range.end..span.range.start);
            let near = between.is_some_and(|gap| gap.chars().all(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}')));
            if span.range.start <= last.range.end || near && last.why.joins() && span.why.joins() {
                last.range.end = last.range.end.max(span.range.end);
                continue;
            }
        }
        merged.push(span);
    }
    merged
}

/// What has a beginning and an end: code, quotes, braces, table rows.
fn blocks(raw: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = ['"', '`'].into_iter().filter_map(|sign| unpaired(raw, sign)).collect();
    let mut at = 0;
    while let Some(c) = raw[at..].chars().next() {
        let before = raw[..at].chars().next_back();
        let starts_line = before.is_none_or(|c| c == '\n');
        match block_at(raw, at, c, before, starts_line) {
            Some((end, why)) => {
                spans.push(Span { range: at..end, why });
                at = end;
            }
            None => at += c.len_utf8(),
        }
    }
    spans.sort_by_key(|span| (span.range.start, span.range.end));
    merged(raw, spans)
}

/// Where signs don't pair up (an odd number, or a pair with a space inside its edge) nobody knows which of them belong
/// together: all from the first to the last stays.
fn unpaired(raw: &str, sign: char) -> Option<Span> {
    let (first, last) = (raw.find(sign)?, raw.rfind(sign)?);
    let mut parts = raw.split(sign).skip(1);
    let mut suspicious = raw.matches(sign).count() % 2 == 1;
    while let (Some(inner), Some(_)) = (parts.next(), parts.next()) {
        let edge = inner.starts_with(char::is_whitespace) || inner.ends_with(char::is_whitespace);
        // Code fences have nothing between their ticks, and line breaks inside.
        suspicious |= edge && !inner.contains('\n');
    }
    let why = if sign == '"' { Why::Quoted } else { Why::Code };
    (first < last && suspicious).then_some(Span { range: first..last + 1, why })
}

fn block_at(raw: &str, at: usize, c: char, before: Option<char>, starts_line: bool) -> Option<(usize, Why)> {
    let rest = &raw[at..];
    let line_end = at + rest.find('\n').unwrap_or(rest.len());
    match c {
        '|' if starts_line => Some((line_end, Why::Code)),
        '`' => {
            let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
            let fence = &rest[..ticks];
            if ticks < 3 && rest[ticks..].starts_with(char::is_whitespace) {
                return None;
            }
            match rest[ticks..].find(fence) {
                Some(end) => Some((at + ticks + end + ticks, Why::Code)),
                // An open fence reaches to the end; lone ticks are a slip.
                None => Some((if ticks >= 3 { raw.len() } else { at + ticks }, Why::Code)),
            }
        }
        '{' => {
            let mut depth = 0;
            for (offset, c) in rest.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    let why = if rest.starts_with("{{") { Why::Slot } else { Why::Code };
                    return Some((at + offset + 1, why));
                }
            }
            None
        }
        '"' | '“' | '„' | '«' | '‹' | '「' | '『' | '‘' | '\'' => {
            quote_end(raw, at, c, before).map(|end| (end, Why::Quoted))
        }
        _ => None,
    }
}

fn quote_end(raw: &str, at: usize, open: char, before: Option<char>) -> Option<usize> {
    let closers: &[char] = match open {
        '"' => &['"'],
        '“' => &['”'],
        '„' => &['“', '”'],
        '«' => &['»'],
        '‹' => &['›'],
        '「' => &['」'],
        '『' => &['』'],
        '‘' => &['’'],
        _ => &['\''],
    };
    let single = matches!(open, '\'' | '‘');
    if single && before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let inner = &raw[at + open.len_utf8()..];
    let paragraph = inner.find("\n\n").unwrap_or(inner.len());
    let mut previous = ' ';
    for (offset, c) in inner[..paragraph].char_indices() {
        if single && c == '\n' || offset == 0 && c.is_whitespace() {
            return None;
        }
        let end = offset + c.len_utf8();
        let closes = closers.contains(&c)
            && (!single
                || !previous.is_whitespace() && !inner[end..].chars().next().is_some_and(char::is_alphanumeric));
        if closes && (offset > 0 || open == '"') {
            return Some(at + open.len_utf8() + end);
        }
        previous = c;
    }
    None
}

/// What stands between spaces and is no plain word.
fn token_spans(raw: &str, blocks: &[Span], tongue: &Tongue, words: &[Word]) -> Vec<Span> {
    let mut spans = vec![];
    let mut start = None;
    let mut block = 0;
    let ends = raw.char_indices().chain([(raw.len(), ' ')]);
    for (at, c) in ends {
        while blocks.get(block).is_some_and(|span| span.range.end <= at) {
            block += 1;
        }
        let inside = blocks.get(block).is_some_and(|span| span.range.start <= at);
        if !(c.is_whitespace() || is_spaceless(c) || inside) {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take()
            && let Some(mut span) = token_span(raw, start..at)
        {
            if span.why == Why::Number
                && let Some(unit) = words.iter().find(|word| word.range.start >= span.range.end)
                && raw[span.range.end..unit.range.start].chars().all(|c| c == ' ' || c == '\u{a0}')
                && tongue.is_unit(&unit.lower)
            {
                span.range.end = unit.range.end;
            }
            spans.push(span);
        }
    }
    spans
}

fn token_span(raw: &str, range: Range<usize>) -> Option<Span> {
    let (mut start, mut end) = (range.start, range.end);
    loop {
        let token = &raw[start..end];
        let last = token.chars().next_back()?;
        let unmatched = |open: char| !token.contains(open);
        let drop = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '…' | '"' | '\'' | '”' | '’' | '»' | '*' | '_' => true,
            ')' => unmatched('('),
            ']' => unmatched('['),
            '}' => unmatched('{'),
            '>' => unmatched('<'),
            _ => false,
        };
        if !drop {
            break;
        }
        end -= last.len_utf8();
        if start == end {
            return None;
        }
    }
    loop {
        let token = &raw[start..end];
        let first = token.chars().next()?;
        let unmatched = |close: char| !token.contains(close);
        let drop = match first {
            '"' | '\'' | '“' | '‘' | '«' | '¿' | '¡' | '*' | '_' => true,
            '(' => unmatched(')'),
            '[' => unmatched(']'),
            _ => false,
        };
        if !drop {
            break;
        }
        start += first.len_utf8();
        if start == end {
            return None;
        }
    }
    why_of(&raw[start..end]).map(|why| Span { range: start..end, why })
}

fn why_of(token: &str) -> Option<Why> {
    if token.contains("://") || token.starts_with("www.") {
        return Some(Why::Url);
    }
    if token.contains('@') {
        return Some(Why::Email);
    }
    if token.chars().any(is_pictograph) {
        return Some(Why::Emoji);
    }
    if token.contains(['/', '\\']) && token.len() > 1 {
        return Some(if token.chars().any(char::is_alphabetic) { Why::Path } else { Why::Number });
    }
    if token.chars().any(char::is_numeric) {
        let letters = token.chars().filter(|c| c.is_alphabetic()).count();
        return Some(if letters <= 2 { Why::Number } else { Why::Identifier });
    }
    if token.chars().all(|c| matches!(c, '$' | '€' | '£' | '¥' | '₹' | '%' | '°' | '#' | '№')) {
        return Some(Why::Number);
    }
    let letters: Vec<char> = token.chars().collect();
    let dotted = letters.windows(3).any(|w| w[1] == '.' && w[0].is_alphanumeric() && w[2].is_alphanumeric());
    if dotted {
        return Some(Why::Path);
    }
    let signs = ['_', '=', '<', '>', '{', '}', '|', '^', '~', '$', '€', '£', '%', '#', '&', '+', '`', '[', ']'];
    if token.contains(signs) || token.contains("::") || token.contains("->") || token.contains("()") {
        return Some(Why::Code);
    }
    if letters[0] == '-' && letters.iter().any(|c| c.is_alphabetic()) {
        return Some(Why::Code);
    }
    if letters.windows(2).any(|w| w[0].is_lowercase() && w[1].is_uppercase()) {
        return Some(Why::Identifier);
    }
    let hexadecimal = letters.len() >= 7 && letters.iter().all(|c| c.is_ascii_hexdigit()) && !may_be_word(token);
    hexadecimal.then_some(Why::Identifier)
}

/// Emoji, flags and what joins them.
fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{fe0f}' | '\u{200d}' | '\u{e0020}'..='\u{e007f}')
}

fn word_spans(raw: &str, tongue: &Tongue, words: &[Word], spans: &mut Vec<Span>) {
    let covered: Vec<Range<usize>> = spans.iter().map(|span| span.range.clone()).collect();
    for (at, word) in words.iter().enumerate() {
        if covered.iter().any(|range| range.start <= word.range.start && word.range.end <= range.end) {
            continue;
        }
        let text = &raw[word.range.clone()];
        let lower = word.lower.as_str();
        if word.spaceless {
            let guards = text.char_indices().filter(|(_, c)| tongue.guards_sign(*c));
            spans.extend(guards.map(|(offset, c)| {
                let start = word.range.start + offset;
                Span { range: start..start + c.len_utf8(), why: Why::Guard }
            }));
            continue;
        }
        let span = |why| Span { range: word.range.clone(), why };
        if tongue.guards(lower) {
            spans.push(span(if shouted(text) { Why::Capitals } else { Why::Guard }));
        } else if tongue.is_time(lower) {
            spans.push(span(Why::Time));
        } else if shouted(text) {
            spans.push(span(Why::Capitals));
        } else if lone_capital(text) && !(lower == "i" || lower == "a" && word.opens) {
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            let start = before
                .filter(|before| &raw[before.range.end..word.range.start] == " ")
                .map_or(word.range.start, |before| before.range.start);
            spans.push(Span { range: start..word.range.end, why: Why::Capitals });
        } else if text.chars().next().is_some_and(char::is_uppercase) {
            let first_person = matches!(lower, "i" | "i'm" | "i've" | "i'll" | "i'd");
            if !word.opens && !first_person {
                spans.push(span(Why::Name));
            } else if word.opens && !first_person && may_be_name(tongue, words, at) {
                spans.push(span(Why::Opening));
            }
        }
    }
}

fn shouted(text: &str) -> bool {
    text.chars().filter(|c| c.is_uppercase()).count() >= 2 && !text.chars().any(char::is_lowercase)
}

fn lone_capital(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(char::is_uppercase) && chars.next().is_none()
}

fn may_be_name(tongue: &Tongue, words: &[Word], at: usize) -> bool {
    let lower = words[at].lower.as_str();
    if tongue.is_given_name(lower) {
        return !words.get(at + 1).is_some_and(|next| tongue.is_mark(&next.lower));
    }
    let base = lower.split('\'').next().unwrap_or(lower);
    !(tongue.is_mark(lower) || tongue.is_english() && may_be_word(base))
}

/// Where `needle` stands in `raw` as whole words, in any case of letters.
pub(super) fn occurrences(raw: &str, needle: &str) -> Vec<Range<usize>> {
    let mut found = vec![];
    let Some(first) = needle.chars().next().map(|c| c.to_lowercase().next()) else { return found };
    let mut from = 0;
    for (at, c) in raw.char_indices() {
        if at < from || c.to_lowercase().next() != first {
            continue;
        }
        if let Some(length) = prefix_in_any_case(&raw[at..], needle)
            && is_whole(raw, &(at..at + length))
        {
            found.push(at..at + length);
            from = at + length;
        }
    }
    found
}

fn prefix_in_any_case(text: &str, needle: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    for wanted in needle.chars() {
        let (_, c) = chars.next()?;
        if c != wanted && !c.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    Some(chars.next().map_or(text.len(), |(at, _)| at))
}

/// Whether a range begins and ends where words do. Signs of scripts without spaces are no neighbours that matter.
pub(super) fn is_whole(raw: &str, range: &Range<usize>) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_spaceless(c));
    let text = &raw[range.clone()];
    let cut_left = joins(text.chars().next()) && joins(raw[..range.start].chars().next_back());
    let cut_right = joins(text.chars().next_back()) && joins(raw[range.end..].chars().next());
    !cut_left && !cut_right
}
