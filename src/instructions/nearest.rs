//! The text that comes nearest to a quote that is not in the document.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use similar::TextDiff;

use super::document::Document;
use super::layout::{BlockKind, Layout};
use super::normal::normal_text;
use super::page::{Reading, Standing};
use super::units::block_sentences;

/// What an author may have meant with a quote that is not there.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Bytes of [`Document::text`].
    pub range: Range<usize>,
    /// Line of the first byte, from 1.
    pub line: usize,
    /// The words as they stand in the file; in a string, what its escapes stand for.
    pub text: String,
    /// From 0 (nothing in common) to 1 (the same but for what [`locate`](super::locate()) overlooks anyway):
    /// twice the characters in common over all characters of both.
    pub likeness: f64,
}

/// Candidates with fewer words in common than this many others are compared no further.
const WORTH_COMPARING: usize = 24;
/// Longer texts are compared word by word: the time of a comparison grows with the product of both lengths.
const LONGEST_BY_CHARACTER: usize = 600;

/// A sentence, an item or a run of sentences, with the hashes of its words, sorted.
#[derive(Debug)]
pub(super) struct Candidate {
    range: Range<usize>,
    words: Box<[u32]>,
}

impl Candidate {
    /// All candidates of a text.
    pub(super) fn all(text: &str, layout: &Layout) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for block in layout.blocks.iter().filter(|block| block.kind != BlockKind::Furniture) {
            let first = found.len();
            for range in block_sentences(text, layout, block) {
                found.push(Self { words: words(&text[range.clone()]), range });
            }
            let sentences = first..found.len();
            for two in sentences.clone().skip(1) {
                let joined = Self::joined(&found[two - 1..=two]);
                found.push(joined);
            }
            if sentences.len() > 2 {
                let joined = Self::joined(&found[sentences]);
                found.push(joined);
            }
        }
        found
    }

    fn joined(of: &[Self]) -> Self {
        let start = of.first().map_or(0, |first| first.range.start);
        let end = of.last().map_or(start, |last| last.range.end);
        let mut words: Vec<u32> = of.iter().flat_map(|one| one.words.iter().copied()).collect();
        words.sort_unstable();
        words.dedup();
        Self { range: start..end, words: words.into() }
    }

    /// Shared words in thousandths of all words of both.
    fn in_common(&self, words: &[u32]) -> usize {
        let shared = words.iter().filter(|word| self.words.binary_search(word).is_ok()).count();
        2_000 * shared / (self.words.len() + words.len()).max(1)
    }
}

/// The sentence, item or run of sentences that is most like the quote; `None` in a document without text. In a program
/// only strings are looked at.
///
/// The words of the document are listed at the first call; each call then compares the quote with some two dozen
/// candidates that share most words with it.
pub fn nearest(document: &Document, quote: &str) -> Option<Nearest> {
    let quote = normal_text(quote);
    let wanted = words(&quote);
    let reading = document.reading();
    let mut ranked: Vec<(usize, usize, &Candidate)> = pages(reading)
        .flat_map(|page| reading.pages[page].candidates().iter().map(move |candidate| (page, candidate)))
        .map(|(page, candidate)| (candidate.in_common(&wanted), page, candidate))
        .collect();
    let far = ranked.len().min(WORTH_COMPARING);
    if far > 0 && far < ranked.len() {
        // Where many are alike, the first ones of the file are taken.
        ranked.select_nth_unstable_by_key(far, |(common, page, candidate)| {
            (std::cmp::Reverse(*common), *page, candidate.range.start)
        });
        ranked.truncate(far);
    }
    ranked.sort_by_key(|(common, page, candidate)| (std::cmp::Reverse(*common), *page, candidate.range.start));
    let (likeness, page, range) = ranked
        .into_iter()
        .map(|(_, page, candidate)| {
            let text = &reading.pages[page].text[candidate.range.clone()];
            (likeness(&quote, text), page, &candidate.range)
        })
        .reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let text = reading.pages[page].text[range.clone()].to_owned();
    let range = reading.to_file(page, range);
    Some(Nearest { line: document.line_column(range.start).0, text, range, likeness })
}

/// The pages that are looked at; the file itself where it is no program.
fn pages(reading: &Reading) -> impl Iterator<Item = usize> {
    let first = usize::from(reading.standing != Standing::Whole);
    first..reading.pages.len()
}

fn likeness(quote: &str, text: &str) -> f64 {
    // A text that is many times as long is not alike, whatever it has in common.
    if text.len() > 8 * quote.len() + 400 {
        return 0.0;
    }
    let text = normal_text(text);
    let ratio = if quote.len().max(text.len()) > LONGEST_BY_CHARACTER {
        TextDiff::from_words(quote, text.as_str()).ratio()
    } else {
        TextDiff::from_chars(quote, text.as_str()).ratio()
    };
    f64::from(ratio)
}

/// The hashes of a text's words, sorted, each once.
fn words(text: &str) -> Box<[u32]> {
    let mut found: Vec<u32> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut hasher = DefaultHasher::new();
            word.chars().flat_map(char::to_lowercase).for_each(|c| c.hash(&mut hasher));
            hasher.finish() as u32
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_text_is_named_with_its_line() {
        let text = "# Refunds\n\n- Be kind to everyone.\n- Never refund an order older than 14 days.\n";
        let document = Document::from_bytes("a.md", text.as_bytes().to_vec()).unwrap();
        let nearest = nearest(&document, "Never refund an order older than 30 days.").unwrap();
        assert_eq!(nearest.text, "Never refund an order older than 14 days.");
        assert_eq!(nearest.line, 4);
        assert!((0.9..1.0).contains(&nearest.likeness), "{}", nearest.likeness);
    }

    #[test]
    fn an_empty_document_has_no_nearest_text() {
        let document = Document::from_bytes("a.md", Vec::new()).unwrap();
        assert_eq!(nearest(&document, "Never lie."), None);
    }
}
