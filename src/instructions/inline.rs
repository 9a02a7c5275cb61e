//! Emphasis, code and link pairs inside a block, and where its sentences end.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Markup that opens before some text and closes after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    pub open: Range<usize>,
    pub close: Range<usize>,
    pub is_link: bool,
}

impl Pair {
    /// What stands between the two.
    pub(super) fn inner(&self) -> Range<usize> {
        self.open.end..self.close.start
    }
}

/// A block's text in one line, with the place of every byte in the file.
pub(super) struct Joined {
    pub text: String,
    places: Vec<usize>,
}

impl Joined {
    pub(super) fn new(text: &str, pieces: &[Range<usize>]) -> Self {
        let mut joined = String::new();
        let mut places = Vec::new();
        for piece in pieces {
            if !joined.is_empty() {
                joined.push(' ');
                places.push(places.last().map_or(piece.start, |last| last + 1));
            }
            joined.push_str(&text[piece.clone()]);
            places.extend(piece.clone());
        }
        Self { text: joined, places }
    }

    /// The file's range for a range of the joined text.
    pub(super) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.places.get(range.start).copied();
        let last = range.end.checked_sub(1).and_then(|end| self.places.get(end).copied());
        match (start, last) {
            (Some(start), Some(last)) if range.start < range.end => start..last + 1,
            (Some(start), _) => start..start,
            (None, _) => {
                let end = self.places.last().map_or(0, |last| last + 1);
                end..end
            }
        }
    }
}

/// Keeps the parser from taking the first words for a heading, a list or an HTML block.
const PARAGRAPH: &str = "x ";

/// All pairs of a block's text, outer ones before the ones inside them.
pub(super) fn pairs(joined: &Joined) -> Vec<Pair> {
    if !joined.text.contains(['*', '_', '`', '[', '~']) {
        return Vec::new();
    }
    let source = format!("{PARAGRAPH}{}", joined.text);
    let mut found = Vec::new();
    let parser = Parser::new_ext(&source, Options::ENABLE_STRIKETHROUGH).into_offset_iter();
    for (event, range) in parser {
        if range.start < PARAGRAPH.len() {
            continue;
        }
        let written = &source[range.clone()];
        let lengths = match event {
            Event::Start(Tag::Strong) => Some((2, 2, false)),
            Event::Start(Tag::Emphasis) => Some((1, 1, false)),
            Event::Start(Tag::Strikethrough) => {
                let signs = if written.starts_with("~~") { 2 } else { 1 };
                Some((signs, signs, false))
            }
            Event::Code(_) => {
                let signs = written.len() - written.trim_start_matches('`').len();
                Some((signs, signs, false))
            }
            Event::Start(Tag::Link { .. }) => link_close(written, '[').map(|close| (1, close, true)),
            Event::Start(Tag::Image { .. }) => link_close(written, '!').map(|close| (2, close, true)),
            _ => None,
        };
        if let Some((open, close, is_link)) = lengths
            && open + close <= written.len()
        {
            let shift = |at: usize| at - PARAGRAPH.len();
            found.push(Pair {
                open: joined.place(&(shift(range.start)..shift(range.start + open))),
                close: joined.place(&(shift(range.end - close)..shift(range.end))),
                is_link,
            });
        }
    }
    found
}

/// Length of what follows a link's text: `](…)`, `][…]` or `]`.
fn link_close(written: &str, first: char) -> Option<usize> {
    if !written.starts_with(first) {
        return None;
    }
    let mut depth = 0usize;
    let mut escaped = false;
    for (at, c) in written.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => depth += 1,
            ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(written.len() - at);
                }
            }
            _ => {}
        }
    }
    None
}

const ABBREVIATIONS: [&str; 24] = [
    "e.g", "i.e", "etc", "vs", "cf", "dr", "mr", "mrs", "ms", "st", "no", "nr", "fig", "approx", "incl", "resp",
    "prof", "inc", "ltd", "dept", "max", "min", "z.b", "bzw",
];

/// The sentences of a text, as ranges that leave out the blanks between them.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let wide = matches!(c, '。' | '！' | '？');
        if !wide && !matches!(c, '.' | '!' | '?') {
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some((next, closer)) = chars.peek().copied() {
            if !matches!(closer, '.' | '!' | '?' | '"' | '\'' | '”' | '’' | ')' | ']' | '*' | '_' | '`' | '»') {
                break;
            }
            end = next + closer.len_utf8();
            chars.next();
        }
        let rest = text[end..].trim_start();
        let spaced = rest.len() < text.len() - end;
        let goes_on = rest.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_lowercase);
        let word = text[start..at].rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '*' | '_')).next();
        let short = c == '.' && word.is_some_and(|word| ABBREVIATIONS.contains(&word.to_lowercase().as_str()));
        if (spaced && !goes_on && !short) || wide || rest.is_empty() {
            found.push(start..end);
            start = text.len() - rest.len();
            while chars.peek().is_some_and(|(next, _)| *next < start) {
                chars.next();
            }
        }
    }
    if !text[start..].trim().is_empty() {
        found.push(start..text.trim_end().len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(text: &str) -> Vec<&str> {
        let joined = Joined::new(text, std::slice::from_ref(&(0..text.len())));
        pairs(&joined).iter().map(|pair| &text[pair.inner()]).collect()
    }

    #[test]
    fn pairs_are_found_with_what_they_hold() {
        assert_eq!(
            inner("**Never _ever_** run `a * b` for [the *shop*](http://x.y), ~~no~~."),
            ["Never _ever_", "ever", "a * b", "the *shop*", "shop", "no"]
        );
    }

    #[test]
    fn a_lone_star_is_no_pair() {
        assert!(inner("Rate 4* hotels and snake_case_names as 5*.").is_empty());
    }

    #[test]
    fn a_pair_may_span_lines() {
        let text = "> **Do\n> not** go";
        let joined = Joined::new(text, &[2..6, 9..17]);
        let pair = pairs(&joined).remove(0);
        assert_eq!((pair.open, pair.close), (2..4, 12..14));
    }

    #[test]
    fn sentences_end_neither_at_abbreviations_nor_in_numbers() {
        let text = "Ask Dr. Smith, e.g. about v1.2. Do not guess (ever!). \"Done.\" Go";
        let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["Ask Dr. Smith, e.g. about v1.2.", "Do not guess (ever!).", "\"Done.\"", "Go"]);
    }
}
