use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A text file that diagnostics can point into.
#[derive(Debug)]
pub struct SourceFile {
    /// As the user would name it: relative to the suite's folder where it lies inside.
    pub name: PathBuf,
    /// The folder that the name is relative to; empty where the name says it all.
    folder: PathBuf,
    /// Decoded, without a byte order mark.
    pub text: String,
    /// Byte offset of every line's start; made when it is first asked for, so that a place of every case can be printed
    /// without reading the file again for each.
    lines: OnceLock<Vec<usize>>,
}

impl SourceFile {
    pub fn new(name: impl Into<PathBuf>, text: impl Into<String>) -> Arc<SourceFile> {
        SourceFile::inside("", name, text)
    }

    /// A file whose name is relative to a folder.
    pub fn inside(folder: impl Into<PathBuf>, name: impl Into<PathBuf>, text: impl Into<String>) -> Arc<SourceFile> {
        Arc::new(SourceFile { name: name.into(), folder: folder.into(), text: text.into(), lines: OnceLock::new() })
    }

    /// The file's path as it can be opened from the working folder: a click in a terminal finds it.
    pub fn path_from_here(&self) -> PathBuf {
        let path = self.folder.join(&self.name);
        let Ok(here) = std::env::current_dir() else { return path };
        if let Ok(below) = path.strip_prefix(&here) {
            return below.to_owned();
        }
        match here.strip_prefix(&self.folder) {
            Ok(depth) if path.is_absolute() => depth.components().map(|_| "..").collect::<PathBuf>().join(&self.name),
            _ => path,
        }
    }

    /// Line and column of a byte offset, both from 1; the column counts characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        (line + 1, self.text[self.line_starts()[line]..offset].chars().count() + 1)
    }

    /// The line, counted from 0, that a byte offset stands in.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.line_starts().partition_point(|start| *start <= offset) - 1
    }

    /// The bytes of a line, counted from 0, without its line break.
    pub(super) fn line_span(&self, line: usize) -> Range<usize> {
        let starts = self.line_starts();
        let start = starts.get(line).copied().unwrap_or(self.text.len());
        let end = starts.get(line + 1).copied().unwrap_or(self.text.len());
        start..start + self.text[start..end].trim_end_matches(['\n', '\r']).len()
    }

    fn line_starts(&self) -> &[usize] {
        self.lines.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(breaks).collect()
        })
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
    /// All is well; something that is easily overlooked.
    Note,
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
    /// Other places that belong to it (where a name stands first), each with what to say of it.
    pub related: Vec<(Place, String)>,
    /// What to do, a line each.
    pub help: Vec<String>,
}

impl Diagnostic {
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            level: Level::Error,
            message: message.into(),
            place: None,
            label: String::new(),
            related: vec![],
            help: vec![],
        }
    }

    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic { level: Level::Warning, ..Diagnostic::error(message) }
    }

    pub fn note(message: impl Into<String>) -> Diagnostic {
        Diagnostic { level: Level::Note, ..Diagnostic::error(message) }
    }

    pub fn at(mut self, place: &Place) -> Diagnostic {
        self.place = Some(place.clone());
        self
    }

    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    pub fn related(mut self, place: &Place, label: impl Into<String>) -> Diagnostic {
        self.related.push((place.clone(), label.into()));
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
    /// How many of them are errors: asked for before and after every matcher of a suite.
    errors: usize,
}

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.add(diagnostic);
    }

    /// An error at a place, in one call; returns the stored item so that label and help can be added.
    pub fn error(&mut self, place: &Place, message: impl Into<String>) -> &mut Diagnostic {
        self.add(Diagnostic::error(message).at(place))
    }

    /// A warning at a place, in one call.
    pub fn warning(&mut self, place: &Place, message: impl Into<String>) -> &mut Diagnostic {
        self.add(Diagnostic::warning(message).at(place))
    }

    fn add(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        self.errors += usize::from(diagnostic.level == Level::Error);
        self.items.push(diagnostic);
        self.items.last_mut().expect("one was pushed on the line above")
    }

    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter()
    }

    pub fn extend(&mut self, other: Diagnostics) {
        self.errors += other.errors;
        self.items.extend(other.items);
    }

    pub fn errors(&self) -> usize {
        self.errors
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All of them as text for a person, with source excerpts; `colour` adds terminal colours.
    pub fn render(&self, colour: bool) -> String {
        super::render::render(&self.items, colour)
    }

    /// Takes secrets out of every message, label and help. Excerpts come from files, where a secret stands as `${NAME}`.
    pub fn redact(&mut self, secrets: &super::Secrets) {
        for item in &mut self.items {
            item.message = secrets.redact(&item.message);
            item.label = secrets.redact(&item.label);
            for (_, label) in &mut item.related {
                *label = secrets.redact(label);
            }
            for help in &mut item.help {
                *help = secrets.redact(help);
            }
        }
    }
}
