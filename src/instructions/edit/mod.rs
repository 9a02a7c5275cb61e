//! The text of a document without a rule, or with another in its place.

mod cut;
mod delete;
mod lines;
mod replace;
mod sentence;

use std::ops::Range;

use super::document::Document;
use super::layout::{Layout, is_markdown};
use super::locate::Statement;

/// What happens to every statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The words go, with what only served them: marker, label, an emptied heading, table or fence.
    Delete,
    /// The words are replaced; marker, emphasis and place stay.
    Replace(String),
}

/// One changed part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Bytes of the old text; empty where something is only put in.
    pub before: Range<usize>,
    /// What stood there.
    pub before_text: String,
    /// What stands there now.
    pub after_text: String,
}

/// An edited text, and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The whole new text, with the line ends of the old one.
    pub text: String,
    /// All changed parts in order, renumbering included.
    pub changes: Vec<Change>,
    /// What changed beside the rule's own words, for people, such as "list renumbered".
    pub notes: Vec<String>,
}

/// Why an edit cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// There is no statement to edit.
    #[error("no statement of the rule was given: locate the quote first")]
    NoStatement,
    /// A statement's range lies outside of the text or cuts a character.
    #[error("bytes {start}..{end} are no part of this document's text: locate the quote in this very document")]
    OutsideText {
        /// First byte of the range.
        start: usize,
        /// End of the range.
        end: usize,
    },
    /// The new text is the old one.
    #[error("the edit changes nothing: the replacement says what the file says already")]
    NothingChanged,
    /// A replacement without a word would be a deletion.
    #[error("the replacement is empty: delete the rule instead")]
    EmptyReplacement,
}

/// Edits all statements in one go.
///
/// # Errors
/// See [`EditError`]; the document is never changed.
pub fn edit(document: &Document, statements: &[Statement], edit: &Edit) -> Result<Edited, EditError> {
    let text = document.text();
    let ranges = checked(text, statements)?;
    let layout = &document.reading().layout;
    let place = Place { text, layout, syntax: Syntax::of(document) };
    let mut notes = Vec::new();
    let cuts = match edit {
        Edit::Delete => delete::cuts(&place, &ranges, &mut notes),
        Edit::Replace(with) if !with.contains(char::is_alphanumeric) => return Err(EditError::EmptyReplacement),
        Edit::Replace(with) => replace::cuts(&place, &ranges, with),
    };
    let (text, changes) = cut::apply(text, cuts);
    if changes.is_empty() {
        return Err(EditError::NothingChanged);
    }
    notes.dedup();
    Ok(Edited { text, changes, notes })
}

/// What every part of an edit reads.
struct Place<'a> {
    text: &'a str,
    layout: &'a Layout,
    syntax: Syntax,
}

impl Place<'_> {
    /// The file's own line end; the first one decides.
    fn line_end(&self) -> &str {
        self.layout
            .lines
            .iter()
            .find(|line| line.end > line.text_end)
            .map_or("\n", |line| &self.text[line.text_end..line.end])
    }
}

/// How much of what looks like prose may be syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Markdown,
    Plain,
    /// Rules stand in strings whose quotes and backslashes are escaped.
    Json,
    /// YAML, TOML, source code: keys, comments and brackets stay.
    Code,
}

impl Syntax {
    fn of(document: &Document) -> Self {
        let path = document.path();
        if is_markdown(path) {
            return Self::Markdown;
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "json" | "jsonl" | "ndjson" | "json5" => Self::Json,
            "txt" | "text" | "prompt" | "j2" | "jinja" | "jinja2" | "tmpl" | "hbs" | "liquid" | "xml" | "html"
            | "rst" | "adoc" => Self::Plain,
            _ => Self::Code,
        }
    }

    /// Whether `#` starts a heading and a short start with a colon is a label.
    fn is_prose(self) -> bool {
        matches!(self, Self::Markdown | Self::Plain)
    }
}

fn checked(text: &str, statements: &[Statement]) -> Result<Vec<Range<usize>>, EditError> {
    if statements.is_empty() {
        return Err(EditError::NoStatement);
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for statement in statements {
        let range = statement.range.clone();
        if range.is_empty() || text.get(range.clone()).is_none() {
            return Err(EditError::OutsideText { start: range.start, end: range.end });
        }
        ranges.push(range);
    }
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests;
