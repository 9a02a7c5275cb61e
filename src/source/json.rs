use std::ops::Range;
use std::sync::Arc;

use super::yaml::{MAX_DEPTH, build_mapping, readable};
use super::{Diagnostic, Diagnostics, Node, NodeKind, Place, SourceFile};

/// The one value of a JSON text. Strict JSON, so that what other tools write (`"\ud83d\ude00"`, tabs between values) is
/// read as they meant it, which a YAML parser would not do. `None`, with a diagnostic, where it is none.
pub fn parse_json(file: &Arc<SourceFile>, diagnostics: &mut Diagnostics) -> Option<Node> {
    if !readable(file, diagnostics) {
        return None;
    }
    parse_range(file, 0..file.text.len(), diagnostics)
}

/// One JSON value a line; empty lines are skipped. A broken line is a diagnostic, and the next ones are still read.
pub fn parse_json_lines(file: &Arc<SourceFile>, diagnostics: &mut Diagnostics) -> Vec<Node> {
    if !readable(file, diagnostics) {
        return vec![];
    }
    let mut nodes = vec![];
    let mut start = 0;
    for line in file.text.split_inclusive('\n') {
        let end = start + line.len();
        if !line.trim().is_empty() {
            nodes.extend(parse_range(file, start..end, diagnostics));
        }
        start = end;
    }
    nodes
}

fn parse_range(file: &Arc<SourceFile>, range: Range<usize>, diagnostics: &mut Diagnostics) -> Option<Node> {
    let mut reader = Reader { file, at: range.start, end: range.end, depth: 0, diagnostics };
    let result = reader.value().and_then(|node| {
        reader.skip_space();
        if reader.at == reader.end {
            Ok(node)
        } else {
            Err(Broken::at(reader.at, "there is more text after the value"))
        }
    });
    match result {
        Ok(node) => Some(node),
        Err(broken) => {
            let at = broken.at.min(range.end);
            let end = file.text[at..range.end].chars().next().map_or(at, |c| at + c.len_utf8());
            let mut diagnostic = Diagnostic::error(format!("not valid JSON: {}", broken.what))
                .at(&Place { file: Arc::clone(file), span: at..end });
            if broken.what.starts_with("there is more text") && file.text[at..].starts_with('{') {
                diagnostic = diagnostic.help("for one object a line, name the file `.jsonl`");
            }
            diagnostics.push(diagnostic);
            None
        }
    }
}

struct Broken {
    at: usize,
    what: String,
}

impl Broken {
    fn at(at: usize, what: impl Into<String>) -> Broken {
        Broken { at, what: what.into() }
    }
}

struct Reader<'a> {
    file: &'a Arc<SourceFile>,
    at: usize,
    end: usize,
    depth: usize,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.file.text[self.at..self.end]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Takes `wanted` when it stands here, after white space.
    fn takes(&mut self, wanted: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn value(&mut self) -> Result<Node, Broken> {
        self.skip_space();
        let start = self.at;
        let kind = match self.rest().chars().next() {
            None => return Err(Broken::at(start, "it ends where a value should stand")),
            Some('"') => NodeKind::Scalar { text: self.string()?, plain: false },
            Some('[') => self.array()?,
            Some('{') => self.object()?,
            Some(_) => self.word()?,
        };
        Ok(Node { kind, place: Place { file: Arc::clone(self.file), span: start..self.at } })
    }

    fn deeper(&mut self) -> Result<(), Broken> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Broken::at(self.at, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        self.at += 1;
        Ok(())
    }

    fn array(&mut self) -> Result<NodeKind, Broken> {
        self.deeper()?;
        let mut items = vec![];
        if !self.takes(']') {
            loop {
                items.push(self.value()?);
                if self.takes(',') {
                    continue;
                }
                if self.takes(']') {
                    break;
                }
                return Err(Broken::at(self.at, "expected `,` or `]` here"));
            }
        }
        self.depth -= 1;
        Ok(NodeKind::Sequence(items))
    }

    fn object(&mut self) -> Result<NodeKind, Broken> {
        self.deeper()?;
        let mut items = vec![];
        if !self.takes('}') {
            loop {
                self.skip_space();
                let start = self.at;
                if !self.rest().starts_with('"') {
                    return Err(Broken::at(start, "expected a key in double quotes here"));
                }
                let kind = NodeKind::Scalar { text: self.string()?, plain: false };
                items.push(Node { kind, place: Place { file: Arc::clone(self.file), span: start..self.at } });
                if !self.takes(':') {
                    return Err(Broken::at(self.at, "expected `:` after the key"));
                }
                items.push(self.value()?);
                if self.takes(',') {
                    continue;
                }
                if self.takes('}') {
                    break;
                }
                return Err(Broken::at(self.at, "expected `,` or `}` here"));
            }
        }
        self.depth -= 1;
        Ok(build_mapping(items, self.diagnostics))
    }

    fn string(&mut self) -> Result<String, Broken> {
        let start = self.at;
        let mut escaped = false;
        let length = self.rest()[1..].find(|c| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        let Some(length) = length else {
            return Err(Broken::at(start, "this text has no closing quote"));
        };
        self.at = start + 1 + length + 1;
        let inner = &self.file.text[start + 1..self.at - 1];
        if !inner.contains(|c: char| c == '\\' || c.is_control()) {
            return Ok(inner.to_owned());
        }
        serde_json::from_str(&self.file.text[start..self.at])
            .map_err(|error| Broken::at(start, format!("this text can't be read: {}", without_position(&error))))
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<NodeKind, Broken> {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find([' ', '\t', '\n', '\r', ',', ']', '}', ':']).unwrap_or(rest.len());
        let word = rest[..length].to_owned();
        let known = matches!(word.as_str(), "true" | "false" | "null");
        if !known && serde_json::from_str::<serde_json::Number>(&word).is_err() {
            return Err(Broken::at(start, "expected a value: text stands in double quotes"));
        }
        self.at += length;
        Ok(NodeKind::Scalar { text: word, plain: true })
    }
}

/// serde_json counts lines within the token, which means nothing to a reader of the file.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}
