//! The text that comes nearest to a quote that is not in the document.

use std::ops::Range;

use similar::TextDiff;

use super::document::Document;
use super::layout::BlockKind;
use super::normal::normal_text;
use super::units::block_sentences;

/// What an author may have meant with a quote that is not there.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Bytes of [`Document::text`].
    pub range: Range<usize>,
    /// Line of the first byte, from 1.
    pub line: usize,
    /// The words as they stand in the file.
    pub text: String,
    /// From 0 (nothing in common) to 1 (the same but for what [`locate`](super::locate()) overlooks anyway):
    /// twice the characters in common over all characters of both.
    pub likeness: f64,
}

/// Below this share of common words a candidate is compared no further.
const WORTH_COMPARING: usize = 24;

/// The sentence, item or run of sentences that is most like the quote; `None` in a document without text.
pub fn nearest(document: &Document, quote: &str) -> Option<Nearest> {
    let quote = normal_text(quote);
    let text = document.text();
    let layout = &document.reading().layout;
    let mut candidates: Vec<(usize, Range<usize>, String)> = Vec::new();
    for block in &layout.blocks {
        if block.kind == BlockKind::Furniture {
            continue;
        }
        let sentences = block_sentences(text, layout, block);
        let mut ranges = sentences.clone();
        ranges.extend(sentences.windows(2).map(|two| two[0].start..two[1].end));
        if sentences.len() > 2 {
            ranges.push(layout.span(block));
        }
        for range in ranges {
            let normal = normal_text(&text[range.clone()]);
            let common = words_in_common(&quote, &normal);
            candidates.push((common, range, normal));
        }
    }
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.0));
    candidates.truncate(WORTH_COMPARING);
    let (likeness, range) = candidates
        .into_iter()
        .map(|(_, range, normal)| (f64::from(TextDiff::from_chars(quote.as_str(), normal.as_str()).ratio()), range))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    Some(Nearest { line: document.line_column(range.start).0, text: text[range.clone()].to_owned(), range, likeness })
}

/// Shared words in thousandths of all words of both.
fn words_in_common(left: &str, right: &str) -> usize {
    let words = |text: &str| -> Vec<String> {
        let mut words: Vec<String> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        words.sort_unstable();
        words.dedup();
        words
    };
    let (left, right) = (words(left), words(right));
    let shared = left.iter().filter(|word| right.binary_search(word).is_ok()).count();
    2_000 * shared / (left.len() + right.len()).max(1)
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
