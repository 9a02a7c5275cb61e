//! What a YAML parser's message means to somebody who wrote the file.

use std::sync::Arc;

use super::{Diagnostic, Place, SourceFile};

/// By what the parser's message holds: what to say in its place, and what to do. The first that fits counts.
const WORDS: [(&str, &str, &str); 16] = [
    (
        "mapping values are not allowed",
        "a `: ` stands here inside a text without quotes, or this line is indented wrongly",
        "put the whole text in quotes, or line the key up with the keys above it",
    ),
    (
        "did not find expected key",
        "a key should stand here: this line is indented less or more than its neighbours",
        "line it up with the keys above it; a text that starts with a quote must end with one",
    ),
    (
        "did not find expected '-'",
        "a list entry should start with `-` here, in line with the entries above",
        "check the indentation of this line",
    ),
    ("flow sequence, expected", "this list is not closed: expected `,` or `]`", "close the list that `[` opened"),
    (
        "flow mapping, did not find expected",
        "this mapping is not closed: expected `,` or `}`",
        "close the mapping that `{` opened; inside `{…}` and `[…]` a `${NAME}` needs quotes",
    ),
    ("misplaced bracket", "this bracket closes nothing", "text that holds brackets needs quotes"),
    ("unexpected end of stream", "this quoted text is never closed", "add the closing quote"),
    ("unexpected document indicator", "this quoted text is never closed", "add the closing quote"),
    (
        "trailing content after double-quoted",
        "more text stands after the closing quote",
        "put all of it in quotes; a quote inside is `\\\"` in double quotes, `''` in single ones",
    ),
    (
        "unknown escape character",
        "this backslash starts no known escape",
        "in double quotes write `\\\\` for a backslash, or use single quotes, where it is only a backslash",
    ),
    ("found unknown anchor", "this `*name` points at nothing", "text that starts with `*` needs quotes"),
    (
        "anchor or alias, did not find",
        "`*` and `&` at the start of a text are YAML's own marks",
        "text that starts with `*` or `&` needs quotes",
    ),
    (
        "invalid indentation in quoted scalar",
        "a quoted text goes on too far to the left",
        "indent its further lines, or close the quote",
    ),
    (
        "simple key expect",
        "the line above this one is no `key: value`",
        "add its `:`, or indent it so that it belongs to the text above",
    ),
    (
        "illegal placement of ':'",
        "a new key starts here, but a list or mapping before it is not closed",
        "close what `[` or `{` opened, or put the text that holds the bracket in quotes",
    ),
    ("unexpected character", "a text without quotes can't start with this character", "put the text in quotes"),
];

/// A text that starts with one of these is something else than text to YAML.
const STANDARD_HELP: &str = "text with `: ` or ` #` in it, or with one of `* & @ % [ { > | \"` in front, needs quotes";

pub(super) fn explain(file: &Arc<SourceFile>, at: usize, message: &str) -> Diagnostic {
    let mut at = at.min(file.text.len());
    while !file.text.is_char_boundary(at) {
        at -= 1;
    }
    // At the end of a file there is nothing to mark: mark the last thing before it.
    if file.text[at..].trim().is_empty() {
        at = file.text[..at].trim_end().char_indices().next_back().map_or(0, |(last, _)| last);
    }
    let line = file.line_span(file.line_of(at));
    let indentation = file.text[line.clone()].find(|c| c != ' ' && c != '\t').unwrap_or(0);
    let tab = file.text[line.start..line.start + indentation].find('\t').map(|tab| line.start + tab);
    if let Some(at) = tab {
        let place = Place { file: Arc::clone(file), span: at..at + 1 };
        return Diagnostic::error("this line is indented with a tab").at(&place).help("YAML wants spaces");
    }
    let end = file.text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    let place = Place { file: Arc::clone(file), span: at..end };
    match WORDS.iter().find(|(part, _, _)| message.contains(part)) {
        Some((_, what, help)) => Diagnostic::error(format!("not valid YAML: {what}")).at(&place).help(*help),
        None => Diagnostic::error(format!("not valid YAML: {message}")).at(&place).help(STANDARD_HELP),
    }
}
