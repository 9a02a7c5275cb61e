//! The text of a document without a rule, or with another in its place.

mod delete;
mod frames;
mod lines;
mod references;
mod replace;
mod sentence;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::container::{Written, removals, tags, write};
use super::document::Document;
use super::layout::{Layout, is_markdown};
use super::locate::Statement;
use super::page::{Page, Reading, Standing};

use super::cut::{Cut, resolved};

pub use super::cut::{Change, patched};

/// What happens to every statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The words go, with what only served them: marker, label, an emptied heading, table or fence.
    Delete,
    /// The words are replaced; marker, emphasis and place stay.
    Replace(String),
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

/// What an edit does to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revised {
    /// All changed parts in order, renumbering included.
    pub changes: Vec<Change>,
    /// As [`Edited::notes`].
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
    /// What was asked for is code, a comment, or punctuation between strings.
    #[error("bytes {start}..{end} are in no string of this {container} file: only its strings can be edited")]
    NotText {
        /// First byte of the range.
        start: usize,
        /// End of the range.
        end: usize,
        /// What kind of file it is.
        container: &'static str,
    },
    /// Without the words the file is no longer what it is.
    #[error("the file would no longer be valid {container}: quote the text of one value, without its key")]
    Broken {
        /// What kind of file it is.
        container: &'static str,
    },
    /// No string of the file's kind can hold the new text.
    #[error("the string at line {line} cannot hold the new text: use another wording")]
    Unwritable {
        /// Line of the string's first byte, from 1.
        line: usize,
    },
    /// The new text is the old one.
    #[error("the edit changes nothing: the replacement says what the file says already")]
    NothingChanged,
    /// A replacement without a word would be a deletion.
    #[error("the replacement is empty: delete the rule instead")]
    EmptyReplacement,
}

/// Edits all statements in one go, those in strings with their string's escapes.
///
/// # Errors
/// See [`EditError`]; the document is never changed.
pub fn edit(document: &Document, statements: &[Statement], edit: &Edit) -> Result<Edited, EditError> {
    let Revised { changes, notes } = revise(document, statements, edit)?;
    Ok(Edited { text: patched(document.text(), &changes), changes, notes })
}

/// What [`edit`] would do, without the whole new text.
///
/// # Errors
/// See [`EditError`].
pub fn revise(document: &Document, statements: &[Statement], edit: &Edit) -> Result<Revised, EditError> {
    let ranges = checked(document.text(), statements)?;
    if let Edit::Replace(with) = edit
        && !with.contains(char::is_alphanumeric)
    {
        return Err(EditError::EmptyReplacement);
    }
    let reading = document.reading();
    let asked = by_page(reading, &ranges)?;
    let mut work = Work::new(document, reading);
    // A page stands after the one that holds it: what its text becomes is known before that one is written.
    for at in (0..reading.pages.len()).rev() {
        work.page(at, asked.get(&at).map_or(&[], Vec::as_slice), edit)?;
    }
    let Work { changes, mut notes, .. } = work;
    if changes.is_empty() {
        return Err(EditError::NothingChanged);
    }
    if let Some(container) = reading.container
        && asked.contains_key(&0)
        && !container.parses(&patched(document.text(), &changes))
        && container.parses(document.text())
    {
        return Err(EditError::Broken { container: container.name() });
    }
    let mut seen = BTreeSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    Ok(Revised { changes, notes })
}

/// What is asked of each page, in its own ranges.
fn by_page(reading: &Reading, ranges: &[Range<usize>]) -> Result<BTreeMap<usize, Vec<Range<usize>>>, EditError> {
    let mut asked: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for range in ranges {
        let (page, inner) = reading.innermost(range);
        if page > 0 || reading.standing != Standing::Never {
            asked.entry(page).or_default().push(inner);
            continue;
        }
        // Over the code between strings: of each string what lies in the range.
        let mut found = false;
        for (at, page) in reading.pages.iter().enumerate().skip(1) {
            let part = range.start.max(page.span.start)..range.end.min(page.span.end);
            let is_outer = page.holder.as_ref().is_some_and(|(holder, _)| *holder == 0);
            if is_outer
                && part.start < part.end
                && let Some(inner) = reading.to_page(at, &part)
            {
                asked.entry(at).or_default().push(inner);
                found = true;
            }
        }
        if !found {
            let container = reading.container.map_or("source", super::container::Container::name);
            return Err(EditError::NotText { start: range.start, end: range.end, container });
        }
    }
    Ok(asked)
}

/// The cuts of all pages, from the innermost text outwards.
struct Work<'a> {
    document: &'a Document,
    reading: &'a Reading,
    /// For each page, what the pages in it ask of it.
    cuts: Vec<Vec<Cut>>,
    /// For each page, the elements of its lists that are empty now.
    removed: Vec<BTreeMap<usize, BTreeSet<usize>>>,
    notes: Vec<String>,
    /// What is done to the file itself.
    changes: Vec<Change>,
}

impl<'a> Work<'a> {
    fn new(document: &'a Document, reading: &'a Reading) -> Self {
        let pages = reading.pages.len();
        let (cuts, removed) = (vec![Vec::new(); pages], vec![BTreeMap::new(); pages]);
        Self { document, reading, cuts, removed, notes: Vec::new(), changes: Vec::new() }
    }

    fn page(&mut self, at: usize, ranges: &[Range<usize>], edit: &Edit) -> Result<(), EditError> {
        let page = &self.reading.pages[at];
        let mut cuts = std::mem::take(&mut self.cuts[at]);
        for (sequence, gone) in &self.removed[at] {
            cuts.extend(removals(&page.text, &page.sequences[*sequence], gone));
        }
        if !ranges.is_empty() {
            cuts.extend(self.direct(at, page, ranges, edit));
        }
        if cuts.is_empty() {
            return Ok(());
        }
        let changes = resolved(&page.text, cuts);
        let Some((holder, literal)) = &page.holder else {
            self.changes = changes;
            return Ok(());
        };
        if changes.is_empty() {
            return Ok(());
        }
        let text = patched(&page.text, &changes);
        let line = self.document.line_column(page.span.start).0;
        let Written { cuts, removed, emptied } =
            write(&self.reading.pages[*holder].text, literal, &changes, &text).ok_or(EditError::Unwritable { line })?;
        self.cuts[*holder].extend(cuts);
        if let Some(element) = removed {
            self.removed[*holder].entry(element.sequence).or_default().insert(element.index);
        }
        if emptied {
            self.notes.push(match page.name() {
                Some(name) => format!("`{name}` is an empty text now"),
                None => format!("the text at line {line} is empty now"),
            });
        }
        Ok(())
    }

    /// The cuts of a page's own statements.
    fn direct(&mut self, at: usize, page: &Page, ranges: &[Range<usize>], edit: &Edit) -> Vec<Cut> {
        let syntax = if at == 0 { Syntax::of(self.document) } else { Syntax::Plain };
        let line_of = |offset: usize| {
            let range = self.reading.to_file(at, &(offset..offset + 1));
            self.document.line_column(range.start).0
        };
        let place = Place { text: &page.text, layout: page.layout(), syntax, line_of: &line_of };
        let ranges: Vec<Range<usize>> = ranges
            .iter()
            .map(|range| tags::uncut(&page.text, range.clone()))
            .filter(|range| range.start < range.end)
            .collect();
        let ranges = merged(ranges);
        let mut notes = Vec::new();
        let mut cuts = match edit {
            Edit::Delete => delete::cuts(&place, &ranges, &mut notes),
            Edit::Replace(with) => replace::cuts(&place, &ranges, with),
        };
        for cut in &mut cuts {
            keep_tags(&place, cut);
        }
        self.notes.extend(notes);
        cuts
    }
}

/// Puts back the tags whose other half stays.
fn keep_tags(place: &Place, cut: &mut Cut) {
    let kept = tags::kept(place.text, &cut.range);
    if kept.is_empty() {
        return;
    }
    let closes = |tag: &tags::Tag| matches!(tag.kind, tags::Kind::Close(_));
    let first_open = kept.iter().position(|tag| !closes(tag)).unwrap_or(kept.len());
    let written = |tags: &[tags::Tag]| tags.iter().map(|tag| &place.text[tag.range.clone()]).collect::<String>();
    let (closing, others) = (written(&kept[..first_open]), written(&kept[first_open..]));
    let whole_lines = cut.with.is_empty() && place.text[cut.range.clone()].ends_with(['\n', '\r']);
    let ending = if whole_lines { place.line_end() } else { "" };
    let parted = place.text[cut.range.clone()].starts_with(' ') && !cut.with.ends_with(' ') && !others.is_empty();
    let blank = if parted { " " } else { "" };
    cut.with = format!("{closing}{}{blank}{others}{ending}", cut.with);
}

/// What every part of an edit reads.
struct Place<'a> {
    text: &'a str,
    layout: &'a Layout,
    syntax: Syntax,
    /// The line of the file in which a byte of the text stands.
    line_of: &'a dyn Fn(usize) -> usize,
}

impl Place<'_> {
    /// The text's own line end; the first one decides.
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
    /// Signs are written as entities.
    Markup,
    /// Braces are slots and tags.
    Template,
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
            "txt" | "text" | "prompt" | "tmpl" | "hbs" | "rst" | "adoc" => Self::Plain,
            "xml" | "html" | "htm" | "xhtml" | "svg" => Self::Markup,
            "j2" | "jinja" | "jinja2" | "njk" | "liquid" => Self::Template,
            _ => Self::Code,
        }
    }

    /// Whether `#` starts a heading and a short start with a colon is a label.
    fn is_prose(self) -> bool {
        matches!(self, Self::Markdown | Self::Plain | Self::Markup | Self::Template)
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
    Ok(merged(ranges))
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod container_tests;
#[cfg(test)]
mod tests;
