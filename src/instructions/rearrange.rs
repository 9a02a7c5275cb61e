//! An edit that changes bytes and no meaning, near a rule that stays as it is.

use std::ops::Range;

use super::cut::Change;
use super::document::Document;
use super::inline::Joined;
use super::layout::{Block, BlockKind, Layout, LineKind};
use super::page::Standing;

/// What was rearranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rearrangement {
    /// Two neighbouring bullets stand in each other's place.
    Bullets,
    /// A line break of a paragraph or an item stands elsewhere.
    Wrap,
    /// All bullets are drawn with another sign.
    Markers,
    /// There are more blank lines at the end.
    BlankLines,
}

impl Rearrangement {
    /// What a report says of it.
    pub fn described(self) -> &'static str {
        match self {
            Self::Bullets => "two neighbouring bullets have changed places",
            Self::Wrap => "one line break is a blank",
            Self::Markers => "the bullets are drawn with another sign",
            Self::BlankLines => "only blank lines at the end changed",
        }
    }
}

/// A change that leaves the meaning and the given ranges alone, the strongest that the document offers: two bullets that
/// are `unrelated` by their words swapped, a paragraph wrapped otherwise, other bullet signs, blank lines.
///
/// Only bullets that no number orders, with nothing nested in them, and whose words point to no neighbour are swapped.
pub fn rearranged(
    document: &Document,
    kept: &[Range<usize>],
    unrelated: &dyn Fn(&str, &str) -> bool,
) -> (Vec<Change>, Rearrangement) {
    let reading = document.reading();
    if reading.standing == Standing::Whole {
        let page = &reading.pages[0];
        let place = Place { text: &page.text, layout: page.layout(), kept };
        let found = place
            .swapped(unrelated)
            .map(|changes| (changes, Rearrangement::Bullets))
            .or_else(|| place.unwrapped().map(|changes| (changes, Rearrangement::Wrap)))
            .or_else(|| place.other_markers().map(|changes| (changes, Rearrangement::Markers)));
        if let Some(found) = found {
            return found;
        }
    }
    let text = document.text();
    let end = text.trim_end().len();
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut after = line_end.repeat(2);
    if after == text[end..] {
        after.push_str(line_end);
    }
    let change = Change { before: end..text.len(), before_text: text[end..].to_owned(), after_text: after };
    (vec![change], Rearrangement::BlankLines)
}

/// Words by which an item speaks of its neighbours or of its place.
const POINTING: [&str; 24] = [
    "above",
    "below",
    "previous",
    "preceding",
    "following",
    "next",
    "then",
    "first",
    "second",
    "third",
    "last",
    "latter",
    "former",
    "also",
    "otherwise",
    "instead",
    "this",
    "that",
    "these",
    "those",
    "it",
    "they",
    "them",
    "such",
];

/// In a file of thousands of bullets it is not worth reading them all for every rule.
const MOST_PAIRS: usize = 100;

struct Place<'a> {
    text: &'a str,
    layout: &'a Layout,
    kept: &'a [Range<usize>],
}

impl Place<'_> {
    fn is_kept(&self, span: &Range<usize>) -> bool {
        self.kept.iter().any(|range| range.start < span.end && span.start < range.end)
    }

    fn swapped(&self, unrelated: &dyn Fn(&str, &str) -> bool) -> Option<Vec<Change>> {
        let blocks = &self.layout.blocks;
        let stand_alike = |at: &usize| {
            let (first, second) = (&blocks[at - 1], &blocks[*at]);
            let nothing_below = blocks.get(at + 1).is_none_or(|block| block.indent <= second.indent);
            first.kind == BlockKind::Item
                && second.kind == BlockKind::Item
                && first.indent == second.indent
                && first.lines.end == second.lines.start
                && nothing_below
                && self.sign(first) == self.sign(second)
        };
        let can_be_swapped = |at: &usize| {
            let pair = [&blocks[at - 1], &blocks[*at]];
            let texts = pair.map(|block| &self.text[self.layout.span(block)]);
            texts[0] != texts[1] && pair.iter().all(|block| self.is_free_bullet(block)) && unrelated(texts[0], texts[1])
        };
        let found = (1..blocks.len()).filter(stand_alike).take(MOST_PAIRS).find(can_be_swapped)?;
        let spans = [found - 1, found].map(|at| self.layout.span(&blocks[at]));
        let texts = spans.clone().map(|span| self.text[span].to_owned());
        let change = |at: usize| Change {
            before: spans[at].clone(),
            before_text: texts[at].clone(),
            after_text: texts[1 - at].clone(),
        };
        Some(vec![change(0), change(1)])
    }

    fn sign(&self, block: &Block) -> Option<char> {
        let marker = self.layout.lines[block.lines.start].marker.as_ref()?;
        marker.digits.is_none().then_some(marker.sign)
    }

    fn is_free_bullet(&self, block: &Block) -> bool {
        let span = self.layout.span(block);
        let text = &self.text[span.clone()];
        let points =
            text.split(|c: char| !c.is_alphanumeric()).any(|word| POINTING.contains(&word.to_lowercase().as_str()));
        block.kind == BlockKind::Item
            && !block.in_code
            && self.sign(block).is_some()
            && !self.is_kept(&span)
            && !points
            && !text.trim_end().ends_with([':', ',', ';'])
    }

    /// The first line break inside of a paragraph or item, as a blank.
    fn unwrapped(&self) -> Option<Vec<Change>> {
        let wrapped = self.layout.blocks.iter().filter(|block| {
            matches!(block.kind, BlockKind::Paragraph | BlockKind::Item) && !block.in_code && block.lines.len() > 1
        });
        let mut places = wrapped.flat_map(|block| block.lines.clone().skip(1).map(move |at| (block, at)));
        places.find_map(|(block, at)| {
            let (above, line) = (&self.layout.lines[at - 1], &self.layout.lines[at]);
            let words = line.kind == LineKind::Text && above.kind == LineKind::Text && line.marker.is_none();
            // Two blanks or a backslash at the end are a hard break.
            let hard = self.text[above.content_end..above.text_end].len() > 1
                || self.text[..above.content_end].ends_with(['\\', '>', '|']);
            if !words || hard || line.quotes > 0 || self.is_kept(&self.layout.span(block)) {
                return None;
            }
            let joined = Joined::new(self.text, &self.layout.pieces(block));
            if joined.text.contains('`') {
                return None;
            }
            let before = above.content_end..line.content_start;
            let before_text = self.text[before.clone()].to_owned();
            Some(vec![Change { before, before_text, after_text: " ".to_owned() }])
        })
    }

    /// `-` for `*` or the other way, where the file uses one of them only.
    fn other_markers(&self) -> Option<Vec<Change>> {
        let items = self.layout.blocks.iter().filter(|block| block.kind == BlockKind::Item && !block.in_code);
        let bullets: Vec<(usize, char)> = items
            .filter_map(|block| {
                let sign = self.sign(block)?;
                Some((self.layout.lines[block.lines.start].marker.as_ref()?.range.start, sign))
            })
            .collect();
        let sign = bullets.first()?.1;
        let other = match sign {
            '-' => "*",
            '*' => "-",
            _ => return None,
        };
        if bullets.iter().any(|(_, found)| *found != sign) {
            return None;
        }
        let change = |(at, sign): (usize, char)| Change {
            before: at..at + sign.len_utf8(),
            before_text: sign.to_string(),
            after_text: other.to_owned(),
        };
        Some(bullets.into_iter().map(change).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::{locate, patched};

    fn rearranged_to(path: &str, text: &str, quote: &str) -> (String, Rearrangement) {
        let document = Document::from_bytes(path, text.as_bytes().to_vec()).unwrap();
        let kept: Vec<Range<usize>> = locate(&document, quote).into_iter().map(|statement| statement.range).collect();
        assert!(!kept.is_empty(), "{quote}");
        let (changes, what) = rearranged(&document, &kept, &|_, _| true);
        (patched(text, &changes), what)
    }

    #[test]
    fn two_bullets_change_places_and_the_rule_stays() {
        let text = "- Never guess.\n- Be kind\n  to all.\n- Sign letters.\n- Ask.\n";
        let expected = "- Never guess.\n- Sign letters.\n- Be kind\n  to all.\n- Ask.\n";
        assert_eq!(rearranged_to("a.md", text, "Never guess."), (expected.to_owned(), Rearrangement::Bullets));
    }

    #[test]
    fn bullets_that_point_to_others_or_hold_others_or_are_numbered_stay_in_order() {
        for text in [
            "- Never guess.\n- Be kind.\n- Then sign letters.\n",
            "- Never guess.\n- Be kind.\n- Sign letters.\n  - With ink.\n",
            "- Never guess.\n\n1. Be kind.\n2. Sign letters.\n",
            "- Never guess.\n- Be kind:\n- Sign letters.\n",
        ] {
            let (found, what) = rearranged_to("a.md", text, "Never guess.");
            assert_eq!(what, Rearrangement::Markers, "{text}");
            assert_eq!(found, text.replace("- ", "* "));
        }
    }

    #[test]
    fn a_line_break_becomes_a_blank() {
        let text = "Never guess.\n\nBe kind and\nsay so.\n";
        let expected = "Never guess.\n\nBe kind and say so.\n";
        assert_eq!(rearranged_to("a.md", text, "Never guess."), (expected.to_owned(), Rearrangement::Wrap));
        // A hard break and code stay.
        let text = "Never guess.\n\nBe kind  \nand say so.\n\nRun `a\nb`.\n";
        assert_eq!(rearranged_to("a.md", text, "Never guess.").1, Rearrangement::BlankLines);
    }

    #[test]
    fn where_nothing_else_can_move_there_are_more_blank_lines() {
        for (path, text) in [
            ("a.md", "Never guess.\n"),
            ("a.md", "Never guess."),
            ("a.md", "Never guess.\r\n\r\n"),
            ("a.yaml", "rules: |\n  - Never guess.\n  - Be kind.\n  - Sign.\n"),
        ] {
            let (found, what) = rearranged_to(path, text, "Never guess.");
            assert_eq!(what, Rearrangement::BlankLines, "{text:?}");
            assert_ne!(found, text);
            assert_eq!(found.trim_end(), text.trim_end());
            assert_eq!(found.contains('\r'), text.contains('\r'));
        }
    }
}
