//! An input, read once for all of its variants.

use std::ops::Range;

use super::super::language::Tongue;
use super::Subject;
use super::protect::{self, Span};
use super::tokens::{self, Sentence, Word};
use super::verify::Promise;

/// What the algorithms know of an input.
pub(super) struct Text<'a> {
    pub(super) raw: &'a str,
    pub(super) tongue: Tongue,
    pub(super) words: Vec<Word>,
    pub(super) sentences: Vec<Sentence>,
    /// Ascending and apart.
    pub(super) spans: Vec<Span>,
    /// Where a single space stands between two words, outside of every span.
    pub(super) gaps: Vec<usize>,
    pub(super) promise: Promise,
}

impl<'a> Text<'a> {
    pub(super) fn new(subject: &Subject<'a>) -> Text<'a> {
        let raw = subject.input;
        let mut words = tokens::words(raw);
        let lower: Vec<String> = words.iter().map(|word| word.lower.clone()).collect();
        let tongue = Tongue::of(raw, &lower, subject.language);
        let spans = protect::spans(subject, &tongue, &mut words);
        for word in &mut words {
            word.free = word.spaceless || free(&spans, &word.range);
        }
        let solid: Vec<Range<usize>> = spans.iter().map(|span| span.range.clone()).collect();
        let bytes = raw.as_bytes();
        let gaps = (1..bytes.len().saturating_sub(1))
            .filter(|at| {
                bytes[*at] == b' ' && !bytes[at - 1].is_ascii_whitespace() && !bytes[at + 1].is_ascii_whitespace()
            })
            .filter(|at| free(&spans, &(*at..at + 1)))
            .collect();
        let promise = Promise::new(raw, &spans, &tongue);
        Text { raw, sentences: tokens::sentences(raw, &solid), tongue, words, spans, gaps, promise }
    }

    /// Whether `range` overlaps no protected span. An empty range is free unless it stands inside one.
    pub(super) fn is_free(&self, range: &Range<usize>) -> bool {
        free(&self.spans, range)
    }

    /// The words that may be changed, with their positions among all words.
    pub(super) fn free_words(&self) -> impl Iterator<Item = (usize, &Word)> {
        self.words.iter().enumerate().filter(|(_, word)| word.free)
    }

    /// Whether there is anything but numbers, code and signs.
    pub(super) fn has_words(&self) -> bool {
        self.words.iter().any(|word| {
            let inside =
                self.spans.iter().find(|span| span.range.start <= word.range.start && word.range.end <= span.range.end);
            inside.is_none_or(|span| {
                use super::protect::Why::*;
                matches!(span.why, Capitals | Name | Opening | Time | Guard | Literal | Listed)
            })
        })
    }
}

fn free(spans: &[Span], range: &Range<usize>) -> bool {
    let next = spans.partition_point(|span| span.range.end <= range.start);
    spans.get(next).is_none_or(|span| {
        range.end.max(range.start + 1) <= span.range.start || range.is_empty() && range.start <= span.range.start
    })
}
