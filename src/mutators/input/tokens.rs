//! Words, sentences and gaps of a text, by grapheme.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::super::language::is_spaceless;

/// A run of letters, with apostrophes inside; a run of signs in scripts without spaces.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) range: Range<usize>,
    /// In lower case, curly apostrophes made straight.
    pub(super) lower: String,
    /// Where each grapheme starts, and the end: one more than there are graphemes.
    pub(super) bounds: Vec<usize>,
    /// Of a script without spaces between words.
    pub(super) spaceless: bool,
    /// The first of its sentence.
    pub(super) opens: bool,
    /// Overlaps no protected span.
    pub(super) free: bool,
}

impl Word {
    pub(super) fn graphemes(&self) -> usize {
        self.bounds.len() - 1
    }

    pub(super) fn grapheme<'t>(&self, raw: &'t str, at: usize) -> &'t str {
        &raw[self.bounds[at]..self.bounds[at + 1]]
    }
}

/// A stretch between sentence ends, without the space around it.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    pub(super) range: Range<usize>,
    /// Its final marks; empty at the end where there are none.
    pub(super) mark: Range<usize>,
}

/// The words of `raw`, none of them free or opening yet.
pub(super) fn words(raw: &str) -> Vec<Word> {
    let mut words: Vec<Word> = vec![];
    let mut open: Option<Word> = None;
    let mut graphemes = raw.grapheme_indices(true).peekable();
    while let Some((at, grapheme)) = graphemes.next() {
        let end = at + grapheme.len();
        let first = grapheme.chars().next().unwrap_or(' ');
        let spaceless = is_spaceless(first) && first.is_alphabetic();
        let joins = matches!(grapheme, "'" | "\u{2019}")
            && open.as_ref().is_some_and(|word| !word.spaceless)
            && graphemes.peek().is_some_and(|(_, next)| next.chars().next().is_some_and(char::is_alphabetic));
        if !(first.is_alphabetic() || joins) {
            words.extend(open.take());
            continue;
        }
        match &mut open {
            Some(word) if word.spaceless == spaceless || joins => {
                word.range.end = end;
                word.bounds.push(end);
            }
            _ => {
                words.extend(open.take());
                open = Some(Word {
                    range: at..end,
                    lower: String::new(),
                    bounds: vec![at, end],
                    spaceless,
                    opens: false,
                    free: false,
                });
            }
        }
    }
    words.extend(open);
    for word in &mut words {
        word.lower = raw[word.range.clone()].to_lowercase().replace('\u{2019}', "'");
    }
    words
}

const ABBREVIATIONS: [&str; 16] =
    ["dr", "mr", "mrs", "ms", "st", "prof", "vs", "etc", "e.g", "i.e", "approx", "inc", "ltd", "co", "no", "nr"];

/// The sentences of `raw`; an end inside one of `solid` (ascending, apart) is none. A line break ends a sentence.
pub(super) fn sentences(raw: &str, solid: &[Range<usize>]) -> Vec<Sentence> {
    let inside = |at: usize| {
        let next = solid.partition_point(|range| range.end <= at);
        solid.get(next).is_some_and(|range| range.start <= at)
    };
    let mut found = vec![];
    let mut start = 0;
    let mut marks: Option<usize> = None;
    let push = |found: &mut Vec<Sentence>, start: usize, mark: usize, end: usize| {
        let text = &raw[start..end];
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return;
        }
        let from = start + (text.len() - text.trim_start().len());
        let to = from + trimmed.len();
        let mark = mark.clamp(from, to);
        found.push(Sentence { range: from..to, mark: mark..to });
    };
    for (at, c) in raw.char_indices() {
        if inside(at) {
            marks = None;
            continue;
        }
        let wide = matches!(c, '。' | '！' | '？');
        if wide || matches!(c, '.' | '!' | '?' | '…') {
            marks = Some(marks.unwrap_or(at));
            continue;
        }
        let after_wide = marks.is_some_and(|mark| raw[mark..at].contains(['。', '！', '？']));
        let abbreviated = marks.is_some_and(|mark| {
            let word = raw[start..mark].rsplit(char::is_whitespace).next().unwrap_or_default();
            &raw[mark..at] == "." && ABBREVIATIONS.contains(&word.to_lowercase().as_str())
        });
        if let Some(mark) = marks
            && (after_wide || c.is_whitespace() && !abbreviated)
        {
            push(&mut found, start, mark, at);
            start = at;
        } else if c == '\n' {
            push(&mut found, start, at, at);
            start = at;
        }
        marks = None;
    }
    let end = raw.len();
    push(&mut found, start, marks.unwrap_or(end), end);
    for sentence in &mut found {
        // Without marks the mark is empty and stands at the end of the trimmed text.
        if !raw[sentence.mark.clone()].starts_with(['.', '!', '?', '…', '。', '！', '？']) {
            sentence.mark = sentence.range.end..sentence.range.end;
        }
    }
    found
}
