use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use super::{Diagnostics, Node, NodeKind, Place, SourceFile};

/// A larger configuration or case file is refused before it is parsed.
pub const MAX_FILE_BYTES: usize = 32 * 1024 * 1024;
/// Nodes after all aliases are followed: the end of "billion laughs" files.
const MAX_NODES_FROM_ALIASES: usize = 100_000;
pub(super) const MAX_DEPTH: usize = 128;

/// All documents of a YAML text (JSON is YAML). Mistakes go to `diagnostics`; a broken text gives the documents before
/// the break.
pub fn parse_documents(file: &Arc<SourceFile>, diagnostics: &mut Diagnostics) -> Vec<Node> {
    if !readable(file, diagnostics) {
        return vec![];
    }
    let mut builder =
        Builder { file, bytes: byte_offsets(&file.text), diagnostics, anchors: HashMap::new(), alias_nodes: 0 };
    builder.documents()
}

/// False, with a diagnostic, for a text that no parser should be given.
pub(super) fn readable(file: &Arc<SourceFile>, diagnostics: &mut Diagnostics) -> bool {
    if file.text.len() > MAX_FILE_BYTES {
        let place = Place { file: Arc::clone(file), span: 0..0 };
        diagnostics
            .error(&place, format!("this file has {} bytes; the limit is {MAX_FILE_BYTES}", file.text.len()))
            .help
            .push("split it into several files".to_owned());
        return false;
    }
    if let Some(at) = file.text.find('\u{feff}') {
        let place = Place { file: Arc::clone(file), span: at..at + '\u{feff}'.len_utf8() };
        diagnostics
            .error(&place, "there is a byte order mark (U+FEFF) inside the text")
            .help
            .push("delete this invisible character; only one at the very start of a file is allowed".to_owned());
        return false;
    }
    true
}

/// Byte offset of every character, and of the end.
fn byte_offsets(text: &str) -> Option<Vec<u32>> {
    if text.is_ascii() {
        return None;
    }
    Some(text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect())
}

struct Builder<'a> {
    file: &'a Arc<SourceFile>,
    /// `None` where characters are bytes.
    bytes: Option<Vec<u32>>,
    diagnostics: &'a mut Diagnostics,
    anchors: HashMap<usize, Anchored>,
    alias_nodes: usize,
}

/// What an alias stands for.
struct Anchored {
    node: Node,
    nodes: usize,
    depth: usize,
}

/// A collection that is still open.
struct Open {
    start: Span,
    anchor: usize,
    items: Vec<Node>,
    mapping: bool,
}

impl Builder<'_> {
    fn documents(&mut self) -> Vec<Node> {
        let text = Arc::clone(self.file);
        let mut parser = Parser::new_from_str(&text.text);
        let mut documents = vec![];
        let mut open: Vec<Open> = vec![];
        while let Some(next) = parser.next_event() {
            let (event, span) = match next {
                Ok(pair) => pair,
                Err(error) => {
                    self.syntax_error(&error);
                    break;
                }
            };
            let done = match event {
                Event::StreamEnd => break,
                Event::Scalar(value, style, anchor, _) => {
                    let plain = style == ScalarStyle::Plain;
                    let node = Node {
                        kind: NodeKind::Scalar { text: value.into_owned(), plain },
                        place: self.place(span, span),
                    };
                    self.remember(anchor, &node);
                    Some(node)
                }
                Event::Alias(anchor) => match self.follow(anchor, span, open.len()) {
                    Some(node) => Some(node),
                    None => return documents,
                },
                Event::SequenceStart(anchor, _) => {
                    open.push(Open { start: span, anchor, items: vec![], mapping: false });
                    None
                }
                Event::MappingStart(anchor, _) => {
                    open.push(Open { start: span, anchor, items: vec![], mapping: true });
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    let Some(closed) = open.pop() else { break };
                    let node = self.close(closed, span);
                    Some(node)
                }
                Event::DocumentStart(_) | Event::DocumentEnd | Event::StreamStart | Event::Nothing => None,
            };
            if open.len() > MAX_DEPTH {
                let place = self.place(span, span);
                self.diagnostics.error(&place, format!("nested deeper than {MAX_DEPTH} levels"));
                return documents;
            }
            if let Some(node) = done {
                match open.last_mut() {
                    Some(parent) => parent.items.push(node),
                    None => documents.push(node),
                }
            }
        }
        documents
    }

    fn close(&mut self, closed: Open, end: Span) -> Node {
        let place = self.place(closed.start, end);
        let kind = if closed.mapping {
            build_mapping(closed.items, self.diagnostics)
        } else {
            NodeKind::Sequence(closed.items)
        };
        let node = Node { kind, place };
        self.remember(closed.anchor, &node);
        node
    }

    fn remember(&mut self, anchor: usize, node: &Node) {
        if anchor != 0 {
            let (nodes, depth) = extent(node);
            self.anchors.insert(anchor, Anchored { node: node.clone(), nodes, depth });
        }
    }

    /// A copy of the anchored node, or `None` with a diagnostic when aliases have grown past a limit.
    fn follow(&mut self, anchor: usize, span: Span, open: usize) -> Option<Node> {
        let place = self.place(span, span);
        let Some(anchored) = self.anchors.get(&anchor) else {
            self.diagnostics.error(&place, "this alias stands inside the value that it names");
            return None;
        };
        self.alias_nodes += anchored.nodes;
        let too_much = if self.alias_nodes > MAX_NODES_FROM_ALIASES {
            format!("aliases grow this file past {MAX_NODES_FROM_ALIASES} nodes")
        } else if open + anchored.depth > MAX_DEPTH {
            format!("aliases nest this file deeper than {MAX_DEPTH} levels")
        } else {
            return Some(anchored.node.clone());
        };
        let error = self.diagnostics.error(&place, too_much);
        error.help.push("write the values out: anchors inside anchors multiply".to_owned());
        None
    }

    fn syntax_error(&mut self, error: &ScanError) {
        let at = self.byte(error.marker().index());
        let diagnostic = super::yaml_error::explain(self.file, at, error.info());
        self.diagnostics.push(diagnostic);
    }

    fn byte(&self, character: usize) -> usize {
        match &self.bytes {
            None => character.min(self.file.text.len()),
            Some(offsets) => offsets.get(character).map_or(self.file.text.len(), |at| *at as usize),
        }
    }

    fn place(&self, start: Span, end: Span) -> Place {
        let from = self.byte(start.start.index());
        let mut to = self.byte(end.end.index()).max(from);
        // A block collection ends where the next token starts: take the blank tail off.
        to = from + self.file.text[from..to].trim_end().len();
        Place { file: Arc::clone(self.file), span: from..to }
    }
}

/// A mapping from keys and values in turn. Keys that are no text, that stand twice or that YAML would merge are
/// diagnostics and left out.
pub(super) fn build_mapping(items: Vec<Node>, diagnostics: &mut Diagnostics) -> NodeKind {
    let mut pairs: Vec<(Node, Node)> = vec![];
    let mut seen: HashMap<String, Place> = HashMap::new();
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        let Some(name) = key.text().map(str::to_owned) else {
            diagnostics.error(&key.place, format!("a key must be text, but this is {}", key.describe()));
            continue;
        };
        if name == "<<" {
            diagnostics
                .error(&key.place, "merge keys (`<<`) are not read")
                .help
                .push("write the keys out, or give the whole mapping an anchor and use `*name`".to_owned());
            continue;
        }
        if let Some(first) = seen.get(&name) {
            let entry = diagnostics.error(&key.place, format!("the key `{name}` stands here twice"));
            entry.label = "again here".to_owned();
            entry.related.push((first.clone(), "first here".to_owned()));
            entry.help.push("keep one of the two".to_owned());
            continue;
        }
        seen.insert(name, key.place.clone());
        pairs.push((key, value));
    }
    NodeKind::Mapping(pairs)
}

/// How many nodes there are, and how deep they nest.
fn extent(node: &Node) -> (usize, usize) {
    let deeper = |(nodes, depth): (usize, usize), child: &Node| {
        let (more, below) = extent(child);
        (nodes + more, depth.max(below + 1))
    };
    match &node.kind {
        NodeKind::Scalar { .. } => (1, 0),
        NodeKind::Sequence(items) => items.iter().fold((1, 1), deeper),
        NodeKind::Mapping(pairs) => pairs.iter().flat_map(|(key, value)| [key, value]).fold((1, 1), deeper),
    }
}
