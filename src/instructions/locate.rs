//! Where a quoted rule stands in a document: every place, with exact ranges.

use std::ops::Range;

use memchr::memmem;

use super::document::Document;
use super::inline::{Joined, pairs, sentences};
use super::layout::Layout;
use super::normal::{GAP, Normal, normal_text};
use super::page::Standing;

/// One place where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Bytes of [`Document::text`], with the emphasis marks that belong to the words and the final period,
    /// without list marker and quote signs.
    pub range: Range<usize>,
    /// Line of the first byte, from 1.
    pub line: usize,
    /// Column of the first byte in characters, from 1.
    pub column: usize,
    /// The words as they stand in the file, line breaks included; in a string, what its escapes stand for.
    pub text: String,
}

impl Statement {
    /// The statement that a range of a document's text makes.
    pub(crate) fn at(document: &Document, range: Range<usize>) -> Self {
        let reading = document.reading();
        let (page, inner) = reading.innermost(&range);
        Self::on_page(document, range, reading.pages[page].text[inner].to_owned())
    }

    fn on_page(document: &Document, range: Range<usize>, text: String) -> Self {
        let (line, column) = document.line_column(range.start);
        Self { range, line, column, text }
    }
}

/// All places where a quote stands, in order and without overlap; none for a quote without a word.
///
/// Line wraps, list markers, emphasis, link targets, entities, the kind of quotes, dashes and blanks, and letter case
/// do not matter, nor does a missing or added final period. A quote never matches inside a longer word or number, nor
/// across a blank line that it has not itself. `…` or `...` that the file does not have stands for words left out.
///
/// In a file of data or a program the strings are searched, as what their escapes stand for, joined strings as one; in a
/// file of data where no string holds the quote, the file as it lies there.
pub fn locate(document: &Document, quote: &str) -> Vec<Statement> {
    let quote = normal_text(quote);
    if !quote.contains(char::is_alphanumeric) {
        return Vec::new();
    }
    let bare = without_quotes(&quote);
    let mut hits = everywhere(document, &|normal| search(normal, &quote));
    if hits.is_empty()
        && let Some(bare) = bare
    {
        hits = everywhere(document, &|normal| search(normal, bare));
    }
    if hits.is_empty() {
        hits = everywhere(document, &|normal| search_gapped(normal, bare.unwrap_or(&quote)));
    }
    let mut statements: Vec<Statement> = Vec::new();
    for (range, text) in hits {
        if statements.last().is_none_or(|last| last.range.end <= range.start) {
            statements.push(Statement::on_page(document, range, text));
        }
    }
    statements
}

/// The hits of a search on all pages, as ranges of the file in order, with the words of their page.
fn everywhere(document: &Document, search: &dyn Fn(&Normal) -> Vec<Range<usize>>) -> Vec<(Range<usize>, String)> {
    let reading = document.reading();
    let on_page = |at: usize| {
        let page = &reading.pages[at];
        let hits = search(page.normal()).into_iter();
        hits.map(move |hit| {
            let range = widen(&page.text, page.layout(), page.normal().place(&hit));
            (reading.to_file(at, &range), page.text[range].to_owned())
        })
        .collect::<Vec<_>>()
    };
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    // From the innermost text outwards: what a string holds is said by the string.
    for at in (1..reading.pages.len()).rev() {
        add_apart(&mut found, on_page(at));
    }
    let asks_the_file = match reading.standing {
        Standing::Whole => true,
        Standing::LastResort => found.is_empty(),
        Standing::Never => false,
    };
    if asks_the_file {
        add_apart(&mut found, on_page(0));
    }
    found.sort_by_key(|(range, _)| (range.start, range.end));
    found
}

fn add_apart(found: &mut Vec<(Range<usize>, String)>, new: Vec<(Range<usize>, String)>) {
    let known = found.len();
    for hit in new {
        if !found[..known].iter().any(|(range, _)| range.start < hit.0.end && hit.0.start < range.end) {
            found.push(hit);
        }
    }
}

/// A quote that was pasted with quotation marks around it.
fn without_quotes(quote: &str) -> Option<&str> {
    ['"', '\''].iter().find_map(|mark| {
        let inner = quote.strip_prefix(*mark)?;
        let inner = inner.strip_suffix(*mark).or_else(|| inner.strip_suffix('.')?.strip_suffix(*mark))?;
        inner.contains(char::is_alphanumeric).then_some(inner.trim())
    })
}

const FINAL: [char; 3] = ['.', '!', '?'];
const WEAK: [char; 3] = [':', ';', ','];

fn search(normal: &Normal, quote: &str) -> Vec<Range<usize>> {
    let text = normal.text.as_str();
    let core = quote.trim_end_matches(FINAL).trim_end_matches(WEAK).trim_end();
    let ending = &quote[core.len()..];
    let core = if core.contains(char::is_alphanumeric) { core } else { quote };
    let mut hits = Vec::new();
    let mut from = 0;
    while let Some(found) = memmem::find(&text.as_bytes()[from..], core.as_bytes()).map(|found| from + found) {
        let end = found + core.len();
        if starts_word(text, found)
            && ends_word(text, end)
            && let Some(end) = with_ending(normal, end, ending)
        {
            hits.push(found..end);
            from = end;
        } else {
            from = found + text[found..].chars().next().map_or(1, char::len_utf8);
        }
    }
    hits
}

/// The end of a hit with the signs that close its sentence; `None` when the quote ends a sentence and the text does not.
fn with_ending(normal: &Normal, end: usize, ending: &str) -> Option<usize> {
    let rest = &normal.text[end..];
    let closed = rest.len() - rest.trim_start_matches(FINAL).len();
    let after = rest[closed..].chars().next();
    let at_end = after.is_none_or(|c| matches!(c, ' ' | GAP | ')' | ']' | '"' | '\'' | '}' | '<' | '\\'));
    if closed > 0 && at_end {
        return Some(end + closed);
    }
    if ending.is_empty() {
        return Some(end);
    }
    if rest.starts_with(ending) {
        return Some(end + ending.len());
    }
    // A period was added where the file has none: fine at the end of a block or clause, wrong in mid-sentence.
    let goes_on = rest.trim_start_matches(' ').starts_with(char::is_alphanumeric) && !normal.ends_block(end);
    (!goes_on || ending.contains(WEAK)).then_some(end)
}

fn search_gapped(normal: &Normal, quote: &str) -> Vec<Range<usize>> {
    let text = normal.text.as_str();
    let pieces: Vec<&str> = quote.split("...").map(str::trim).collect();
    let words: Vec<&str> = pieces.iter().copied().filter(|piece| piece.chars().count() >= 3).collect();
    if pieces.len() < 2 || words.is_empty() {
        return Vec::new();
    }
    let opened = pieces.first().is_some_and(|piece| piece.is_empty());
    let left_open = pieces.last().is_some_and(|piece| piece.is_empty());
    let mut hits: Vec<Range<usize>> = Vec::new();
    for block in blocks(text) {
        let mut from = block.start;
        while let Some(hit) = gapped_hit(normal, block.end, from, &words, opened, left_open) {
            from = hit.end.max(from + 1);
            let hit = to_sentence(text, &block, hit, opened, left_open);
            hits.push(hit);
        }
    }
    hits
}

fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for part in text.split(GAP) {
        found.push(start..start + part.len());
        start += part.len() + GAP.len_utf8();
    }
    found
}

/// How much may be left out at one ellipsis, in bytes.
const LONGEST_OMISSION: usize = 1_000;

fn gapped_hit(
    normal: &Normal,
    until: usize,
    from: usize,
    words: &[&str],
    opened: bool,
    left_open: bool,
) -> Option<Range<usize>> {
    let text = &normal.text[..until];
    let (first, others) = words.split_first()?;
    let mut from = from;
    'starts: while let Some(start) = text.get(from..)?.find(first).map(|found| from + found) {
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
        if !opened && !starts_word(text, start) {
            continue;
        }
        let mut end = start + first.len();
        for (index, piece) in others.iter().enumerate() {
            let last = index + 1 == others.len() && !left_open;
            let core = if last { piece.trim_end_matches(FINAL) } else { piece };
            let mut next = end;
            loop {
                let Some(found) = text[next..].find(core).map(|found| next + found) else {
                    continue 'starts;
                };
                if found - end > LONGEST_OMISSION {
                    continue 'starts;
                }
                let stop = found + core.len();
                let ending = &piece[core.len()..];
                if !last {
                    end = stop;
                    break;
                }
                if ends_word(text, stop)
                    && let Some(stop) = with_ending(normal, stop, ending)
                {
                    end = stop;
                    break;
                }
                next = found + text[found..].chars().next().map_or(1, char::len_utf8);
            }
        }
        return Some(start..end);
    }
    None
}

/// An ellipsis at the start or the end of a quote leaves out the rest of the sentence.
fn to_sentence(text: &str, block: &Range<usize>, hit: Range<usize>, opened: bool, left_open: bool) -> Range<usize> {
    let mut hit = hit;
    for sentence in folded_sentences(&text[block.clone()]) {
        let sentence = block.start + sentence.start..block.start + sentence.end;
        if opened && sentence.contains(&hit.start) {
            hit.start = sentence.start;
        }
        if left_open && sentence.start < hit.end && hit.end <= sentence.end {
            hit.end = sentence.end;
        }
    }
    hit
}

/// Sentences of normal text, where no capital shows that a new one starts.
fn folded_sentences(text: &str) -> Vec<Range<usize>> {
    let shown: String = text.chars().map(|c| if c.is_ascii() { c.to_ascii_uppercase() } else { c }).collect();
    sentences(&shown)
}

fn starts_word(text: &str, at: usize) -> bool {
    let first = text[at..].chars().next();
    let mut before = text[..at].chars().rev();
    let previous = before.next();
    let in_number = first.is_some_and(|c| c.is_ascii_digit())
        && matches!(previous, Some('.' | ','))
        && before.next().is_some_and(|c| c.is_ascii_digit());
    !in_number && !joins(previous, first)
}

fn ends_word(text: &str, at: usize) -> bool {
    let last = text[..at].chars().next_back();
    let mut after = text[at..].chars();
    let next = after.next();
    let in_number = last.is_some_and(|c| c.is_ascii_digit())
        && matches!(next, Some('.' | ','))
        && after.next().is_some_and(|c| c.is_ascii_digit());
    !in_number && !joins(last, next)
}

fn joins(left: Option<char>, right: Option<char>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return false };
    let in_word = |c: char| c.is_alphanumeric() || c == '_' || unicode_normalization::char::is_combining_mark(c);
    in_word(left) && in_word(right) && !is_unspaced(left) && !is_unspaced(right)
}

/// Letters of scripts that put no blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Takes in the emphasis, code and link marks whose whole text is in the range.
fn widen(text: &str, layout: &Layout, range: Range<usize>) -> Range<usize> {
    let mut range = range;
    let first = layout.line_at(range.start);
    let last = layout.line_at(range.end.saturating_sub(1).max(range.start));
    for block in layout.touching(first, last) {
        let joined = Joined::new(text, &layout.pieces(block));
        let found = pairs(&joined);
        // Inner pairs come last, and what they add can complete an outer one.
        for pair in found.iter().rev().chain(found.iter()) {
            let inner = pair.inner();
            if inner.is_empty() {
                continue;
            }
            let opens_with = range.start <= inner.start
                || (range.start < inner.end && text[inner.start..range.start].trim().is_empty());
            let closes_with =
                range.end >= inner.end || (range.end > inner.start && text[range.end..inner.end].trim().is_empty());
            let meets = range.start < pair.close.end && range.end > pair.open.start;
            let reaches_out = range.end > inner.end || range.start < inner.start;
            if !meets {
                continue;
            }
            if opens_with && closes_with {
                range.start = range.start.min(pair.open.start);
                range.end = range.end.max(pair.close.end);
            } else if opens_with && reaches_out {
                range.start = range.start.min(pair.open.start);
            }
        }
    }
    // `**Never lie**.` has its period after the marks, and it belongs to the rule.
    let rest = &text[range.end..];
    let closed = rest.len() - rest.trim_start_matches(FINAL).len();
    let stops = rest[closed..].chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '<'));
    let has_final = text[range.clone()].trim_end_matches(['*', '_', '`', '"', ')']).ends_with(FINAL);
    if closed > 0 && stops && !has_final {
        range.end += closed;
    }
    range
}

#[cfg(test)]
mod tests;
