//! Whether a quote is a whole statement, or a piece whose deletion leaves a torso.

use std::ops::Range;

use super::container::table::cells;
use super::document::Document;
use super::layout::{BlockKind, Layout};
use super::locate::Statement;
use super::units::block_sentences;

/// True where the statement begins and ends at the border of a sentence, an item, a heading, a cell or a clause.
///
/// A clause is what a colon, a semicolon or a dash parts from the rest, or what stands alone in parentheses. Commas part
/// no clauses: "If it is late" and "say sorry" are both pieces of "If it is late, say sorry."
pub fn is_whole(document: &Document, statement: &Statement) -> bool {
    let reading = document.reading();
    let (page, range) = reading.innermost(&statement.range);
    let page = &reading.pages[page];
    let text = &*page.text;
    let pieces = pieces(text, page.layout(), &range);
    let Range { start, end } = range;
    let before = pieces.iter().find(|piece| piece.contains(&start)).map_or("", |piece| &text[piece.start..start]);
    let after =
        pieces.iter().find(|piece| piece.start < end && end <= piece.end).map_or("", |piece| &text[end..piece.end]);
    starts_clause(before) && ends_clause(after, before)
}

/// The sentences and cells of the blocks that a range touches.
fn pieces(text: &str, layout: &Layout, range: &Range<usize>) -> Vec<Range<usize>> {
    let first = layout.line_at(range.start);
    let last = layout.line_at(range.end.saturating_sub(1).max(range.start));
    layout
        .touching(first, last)
        .flat_map(|block| match block.kind {
            BlockKind::TableRow | BlockKind::TableHead => cells(text, layout.span(block)),
            BlockKind::Furniture => Vec::new(),
            _ => block_sentences(text, layout, block),
        })
        .collect()
}

/// Marks that a reader does not see, and signs that open or close something.
fn is_mark(c: char) -> bool {
    matches!(c, '*' | '_' | '`' | '~' | '"' | '\'' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '[' | ']')
}

fn starts_clause(before: &str) -> bool {
    let before = without_tags(before);
    if !before.contains(char::is_alphanumeric) {
        return true;
    }
    let said = before.trim_end_matches(|c: char| c.is_whitespace() || is_mark(c));
    let apart = said.len() < before.len();
    // "10:30" and "re-read" are words, "Late: never" and "Late - never" are two clauses.
    said.ends_with([';', '—', '–', '('])
        || (apart && (said.ends_with(':') || said.ends_with(" -") || said.ends_with("--")))
}

fn ends_clause(after: &str, before: &str) -> bool {
    let after = without_tags(after);
    if !after.contains(char::is_alphanumeric) {
        return true;
    }
    let rest = after.trim_start_matches(is_mark);
    let closes =
        rest.starts_with(')') && before.trim_end_matches(|c: char| c.is_whitespace() || is_mark(c)).ends_with('(');
    let rest = rest.trim_start();
    closes || rest.starts_with([';', '—', '–']) || rest.starts_with("- ") || rest.starts_with("--")
}

/// Without HTML tags and marks of footnotes, whose letters are no words.
fn without_tags(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '[']) {
        let tail = &rest[at..];
        let tag = tail.starts_with("[^") || tail[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        let closer = if tail.starts_with('<') { '>' } else { ']' };
        let end = tail.find(closer).filter(|_| tag && (tail.starts_with('<') || tail.starts_with("[^")));
        let (until, from) = end.map_or((at + 1, at + 1), |end| (at, at + end + 1));
        kept.push_str(&rest[..until]);
        rest = &rest[from..];
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::locate;

    fn whole(text: &str, quote: &str) -> bool {
        let document = Document::from_bytes("a.md", text.as_bytes().to_vec()).unwrap();
        let statements = locate(&document, quote);
        assert_eq!(statements.len(), 1, "{quote} in {text}");
        is_whole(&document, &statements[0])
    }

    #[test]
    fn a_sentence_an_item_a_heading_and_a_cell_are_whole() {
        let text = "# Tone of voice\n\nBe kind. Never\nrefund late. Ask first.\n\n- **Greet** callers. Then\n  ask.\n1. Sign (always).\n\n\
                    | When | Rule |\n|---|---|\n| late | refuse it |\n\n> Quote <b>no</b> price.[^1]\n";
        for quote in [
            "Tone of voice",
            "Be kind",
            "Never refund late.",
            "Be kind. Never refund late.",
            "Greet callers.",
            "Greet callers. Then ask.",
            "then ask",
            "Sign (always).",
            "refuse it",
            "Quote <b>no</b> price.",
        ] {
            assert!(whole(text, quote), "{quote}");
        }
    }

    #[test]
    fn a_piece_of_a_sentence_is_not_whole() {
        for (text, quote) in [
            ("Always end with BYE.\n", "Always"),
            ("Always end with BYE.\n", "end with BYE"),
            ("- Always end with BYE.\n", "Always end"),
            ("- **Always** end with BYE.\n", "Always"),
            ("If it is late, say sorry.\n", "say sorry."),
            ("If it is late, say sorry.\n", "If it is late"),
            ("Be kind. Never refund\nlate parcels.\n", "Be kind. Never refund"),
            ("| late | refuse it kindly |\n|---|---|\n| x | open it twice |\n", "open it"),
            ("Open at 10:30 sharp.\n", "30 sharp."),
            ("Double-check names.\n", "check names."),
            ("Refunds: never after May.\n", "Refunds"),
            ("Sign (always with initials) below.\n", "always with"),
        ] {
            assert!(!whole(text, quote), "{quote} in {text}");
        }
    }

    #[test]
    fn a_clause_is_whole() {
        for (text, quote) in [
            ("**Refunds:** never after May.\n", "never after May."),
            ("Refunds: never after May.\n", "Never after May"),
            ("Greet first; then ask.\n", "Greet first"),
            ("Greet first; then ask.\n", "then ask"),
            ("Never guess — ask the user.\n", "Never guess"),
            ("Never guess—ask the user.\n", "ask the user"),
            ("Never guess - ask the user.\n", "ask the user"),
            ("Never do these:\n- Guess.\n", "Never do these"),
            ("Ask the user (never guess) first.\n", "never guess"),
            ("Say \"Never again.\"\n", "Say \"Never again.\""),
        ] {
            assert!(whole(text, quote), "{quote} in {text}");
        }
    }
}
