//! Texts that stand inside of something else: strings of YAML, JSON, TOML, Python, TypeScript and JavaScript files, of
//! fenced blocks and of front matter; and the tags, slots and cells that lie over a text.
//!
//! Asked of this folder: [`scan`] a file, or [`nested`] texts of a text, for the texts that they hold; [`write`] a
//! changed one back with its container's escaping; and which tags a cut must leave. It knows nothing of rules, quotes or
//! Markdown, and it reads no code: of a program it sees strings, comments and brackets.

mod code;
mod escapes;
pub(super) mod jinja;
mod json;
mod map;
mod python;
mod script;
mod sequence;
pub(super) mod table;
pub(super) mod tags;
mod toml;
mod write;
pub(super) mod xml;
mod yaml;

use std::ops::Range;
use std::path::Path;

pub(super) use map::Map;
pub(super) use sequence::{Sequence, removals};
pub(super) use write::{Written, write};

/// What holds texts, and how they are written in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Yaml,
    Json,
    Toml,
    Python,
    Script,
}

impl Container {
    /// By the name of a file's extension, or of a fenced block's language.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" | "jsonl" | "ndjson" | "json5" | "jsonc" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            "py" | "pyi" | "python" => Some(Self::Python),
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" | "typescript" | "javascript" => {
                Some(Self::Script)
            }
            _ => None,
        }
    }

    /// The container that a whole file is: by its extension, else by a text that is one JSON value.
    pub(super) fn of_file(path: &Path, text: &str) -> Option<Self> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(extension) => Self::named(extension),
            None => json::is_one(text).then_some(Self::Json),
        }
    }

    /// Whether a program reads the file and only its strings reach an agent. A data file may be handed over as it is.
    pub(super) fn is_code(self) -> bool {
        matches!(self, Self::Python | Self::Script)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Yaml => "YAML",
            Self::Json => "JSON",
            Self::Toml => "TOML",
            Self::Python => "Python",
            Self::Script => "TypeScript or JavaScript",
        }
    }

    /// Whether the text can be read as what it is. Always true of code, which is not parsed.
    pub(super) fn parses(self, text: &str) -> bool {
        match self {
            Self::Yaml => yaml::parses(text),
            Self::Json => json::parses(text),
            Self::Toml | Self::Python | Self::Script => true,
        }
    }
}

/// The texts that a range of a text holds, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    pub literals: Vec<Literal>,
    pub sequences: Vec<Sequence>,
}

/// One text: a string, a block scalar, or several strings that a program joins.
#[derive(Debug, Clone)]
pub(super) struct Literal {
    /// Never empty, in order; more than one where strings are joined.
    pub pieces: Vec<Piece>,
    pub map: Map,
    /// The key or variable that it is the value of.
    pub name: Option<String>,
    /// Its place in a list, if it is an element of one.
    pub element: Option<Element>,
}

/// One string as it is written.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// With its quotes, prefix or header.
    pub whole: Range<usize>,
    /// What it adds to the content.
    pub content: Range<usize>,
    pub writing: Writing,
}

/// Which element of which of the scan's sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    pub sequence: usize,
    pub index: usize,
}

/// How a text is written as a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Writing {
    Json,
    Quoted(escapes::Quoted),
    Yaml(yaml::Style),
}

impl Literal {
    /// From the first to the last byte, with what parts joined strings.
    pub(super) fn whole(&self) -> Range<usize> {
        let end = self.pieces.last().map_or(0, |piece| piece.whole.end);
        self.pieces.first().map_or(end, |piece| piece.whole.start)..end
    }
}

/// The texts in a range of a text.
pub(super) fn scan(container: Container, text: &str, range: Range<usize>) -> Scan {
    match container {
        Container::Yaml => yaml::scan(text, range),
        Container::Json => json::scan(text, range),
        Container::Toml => toml::scan(text, range),
        Container::Python => python::scan(text, range),
        Container::Script => script::scan(text, range),
    }
}

/// The texts of a text that is itself one JSON value, as prompts with examples are.
pub(super) fn nested(text: &str) -> Option<Scan> {
    json::is_one(text).then(|| json::scan(text, 0..text.len()))
}

impl Scan {
    /// Takes over what another part of the same text holds.
    pub(super) fn extend(&mut self, other: Self) {
        let shift = self.sequences.len();
        self.sequences.extend(other.sequences);
        self.literals.extend(other.literals.into_iter().map(|mut literal| {
            if let Some(element) = &mut literal.element {
                element.sequence += shift;
            }
            literal
        }));
    }
}
