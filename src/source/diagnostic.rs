use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level as Snippet, Renderer, Snippet as Source};

/// A text file that diagnostics can point into.
#[derive(Debug)]
pub struct SourceFile {
    /// As the user would name it: relative to the suite's folder where it lies inside.
    pub name: PathBuf,
    /// Decoded, without a byte order mark.
    pub text: String,
}

impl SourceFile {
    pub fn new(name: impl Into<PathBuf>, text: impl Into<String>) -> Arc<SourceFile> {
        Arc::new(SourceFile { name: name.into(), text: text.into() })
    }

    /// Line and column of a byte offset, both from 1; the column counts characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// A range of bytes in a source file.
#[derive(Clone)]
pub struct Place {
    pub file: Arc<SourceFile>,
    pub span: Range<usize>,
}

impl Place {
    /// Line and column of the start, both from 1.
    pub fn line_column(&self) -> (usize, usize) {
        self.file.line_column(self.span.start)
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// `file:line:column`
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (line, column) = self.line_column();
        write!(f, "{}:{line}:{column}", self.file.name.display())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The suite can't be used: exit code 2, before any agent call.
    Error,
    /// The suite can be used, but probably does not do what was meant.
    Warning,
}

/// One mistake: what happened, where, and what to do next.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    pub level: Level,
    /// One lowercase sentence without a final period.
    pub message: String,
    pub place: Option<Place>,
    /// What stands under the marked place.
    pub label: String,
    /// What to do, a line each.
    pub help: Vec<String>,
}

impl Diagnostic {
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic { level: Level::Error, message: message.into(), place: None, label: String::new(), help: vec![] }
    }

    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic { level: Level::Warning, ..Diagnostic::error(message) }
    }

    pub fn at(mut self, place: &Place) -> Diagnostic {
        self.place = Some(place.clone());
        self
    }

    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(help.into());
        self
    }
}

/// Every mistake that was found, in the order of finding.
#[derive(Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.items.push(diagnostic);
    }

    /// An error at a place, in one call; returns the stored item so that label and help can be added.
    pub fn error(&mut self, place: &Place, message: impl Into<String>) -> &mut Diagnostic {
        self.items.push(Diagnostic::error(message).at(place));
        self.items.last_mut().expect("one was pushed on the line above")
    }

    /// A warning at a place, in one call.
    pub fn warning(&mut self, place: &Place, message: impl Into<String>) -> &mut Diagnostic {
        self.items.push(Diagnostic::warning(message).at(place));
        self.items.last_mut().expect("one was pushed on the line above")
    }

    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter()
    }

    pub fn extend(&mut self, other: Diagnostics) {
        self.items.extend(other.items);
    }

    pub fn errors(&self) -> usize {
        self.items.iter().filter(|item| item.level == Level::Error).count()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All of them as text for a person, with source excerpts; `colour` adds terminal colours.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut out = String::new();
        for item in &self.items {
            let title = match item.level {
                Level::Error => Snippet::ERROR,
                Level::Warning => Snippet::WARNING,
            }
            .primary_title(printable(&item.message));
            let mut group = match &item.place {
                None => Group::with_title(title),
                Some(place) => {
                    let text = &place.file.text;
                    let end = place.span.end.min(text.len()).max(place.span.start.min(text.len()));
                    let start = place.span.start.min(end);
                    let mut annotation = AnnotationKind::Primary.span(start..end);
                    if !item.label.is_empty() {
                        annotation = annotation.label(printable(&item.label));
                    }
                    title.element(
                        Source::source(text.as_str())
                            .path(place.file.name.display().to_string())
                            .annotation(annotation),
                    )
                }
            };
            for help in &item.help {
                group = group.element(Snippet::HELP.message(printable(help)));
            }
            let _ = writeln!(out, "{}\n", renderer.render(&[group]));
        }
        out
    }
}

/// Control characters that a terminal would obey are shown, not sent.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}
