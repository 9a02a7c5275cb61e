//! Writing a rule's opposite into the file of its case, with every other byte as it was.
//!
//! Only lines are added: `inverted:` under `quote:`, and `quote:` itself where the rule is a plain text. What comes out is
//! read again, by the parser and by the decoder of cases, and must say what the file said and the opposites; a file that
//! can't be edited like this is left as it is.

use std::ops::Range;
use std::sync::Arc;

use super::decode_case::Decoder;
use super::load::case_nodes;
use super::reviewed::scalar;
use super::{Case, Rule};
use crate::source::{Diagnostics, Node, NodeKind, Place, SourceFile, parse_documents};

/// An opposite to be written under a rule.
#[derive(Debug, Clone)]
pub struct Pin {
    /// Of the rule's quote.
    pub place: Place,
    pub text: String,
    /// A comment behind it, in one line.
    pub comment: Option<String>,
}

/// Why an opposite is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unpinned {
    #[error("the rule is written in braces or brackets")]
    Flow,
    #[error("several rules are this one text, by an alias (`*name`)")]
    Shared,
    #[error("the file would not read as before")]
    Layout,
}

/// A file with its pins.
#[derive(Debug)]
pub struct PinnedFile {
    /// The new text; the old one where nothing could be written.
    pub text: String,
    /// What became of each pin, in their order.
    pub outcomes: Vec<Result<(), Unpinned>>,
}

/// The line to be pasted by hand below a rule's `quote`, or into its braces.
pub fn pin_line(text: &str, unpinned: Unpinned, file: &SourceFile) -> String {
    let key = if is_json(file) { "\"inverted\"" } else { "inverted" };
    let comma = if unpinned == Unpinned::Flow { ", " } else { "" };
    format!("{comma}{key}: {}", scalar(text))
}

/// Writes opposites into a file of cases.
pub fn pin(file: &Arc<SourceFile>, pins: &[Pin]) -> PinnedFile {
    let documents = parse_documents(file, &mut Diagnostics::default());
    let edits: Vec<Result<Vec<Insertion>, Unpinned>> =
        pins.iter().map(|pin| insertions(file, &documents, pin)).collect();
    let possible = |at: &usize| edits[*at].is_ok();
    let all: Vec<usize> = (0..pins.len()).filter(possible).collect();
    let of = |chosen: &[usize]| {
        let insertions = chosen.iter().flat_map(|at| edits[*at].iter().flatten());
        let text = inserted(&file.text, insertions);
        let pins: Vec<&Pin> = chosen.iter().map(|at| &pins[*at]).collect();
        says_the_same(file, &documents, &text, &pins).then_some(text)
    };
    let (chosen, text) = match of(&all) {
        Some(text) => (all, text),
        // One of them spoils the file: which one shows where each is added alone.
        None => {
            let mut chosen = vec![];
            let mut text = file.text.clone();
            for at in all {
                chosen.push(at);
                match of(&chosen) {
                    Some(with) => text = with,
                    None => _ = chosen.pop(),
                }
            }
            (chosen, text)
        }
    };
    let outcome = |(at, edit): (usize, Result<Vec<Insertion>, Unpinned>)| match edit {
        Ok(_) if chosen.contains(&at) => Ok(()),
        Ok(_) => Err(Unpinned::Layout),
        Err(why) => Err(why),
    };
    PinnedFile { text, outcomes: edits.into_iter().enumerate().map(outcome).collect() }
}

/// A text that goes in at a byte.
type Insertion = (usize, String);

fn inserted<'i>(text: &str, insertions: impl Iterator<Item = &'i Insertion>) -> String {
    let mut sorted: Vec<&Insertion> = insertions.collect();
    sorted.sort_by_key(|(at, _)| *at);
    let mut out = String::with_capacity(text.len() + sorted.iter().map(|(_, more)| more.len()).sum::<usize>());
    let mut from = 0;
    for (at, more) in sorted {
        out.push_str(&text[from..*at]);
        out.push_str(more);
        from = *at;
    }
    out.push_str(&text[from..]);
    out
}

/// What a rule's text is in its file.
#[derive(Debug, Clone, Copy)]
enum Role<'n> {
    /// The value of `quote`, whose key this is.
    Quote(&'n Node),
    /// The value of `rule`, whose key this is.
    Value(&'n Node),
    /// An item of `rules`.
    Item,
}

fn insertions(file: &SourceFile, documents: &[Node], pin: &Pin) -> Result<Vec<Insertion>, Unpinned> {
    let mut roles = vec![];
    let in_flow = is_json(file);
    documents.iter().for_each(|node| roles_of(node, &pin.place.span, in_flow, &mut roles));
    let [(role, in_flow)] = roles.as_slice() else {
        return Err(if roles.is_empty() { Unpinned::Layout } else { Unpinned::Shared });
    };
    if *in_flow {
        return Err(Unpinned::Flow);
    }
    let text = &file.text;
    let span = &pin.place.span;
    let break_of_lines = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let comment = pin
        .comment
        .as_ref()
        .map_or(String::new(), |comment| format!("  # {}", comment.split(char::is_control).next().unwrap_or_default()));
    let end = end_of_line(text, span.end);
    let opposite = |indent: usize| {
        (end, format!("{break_of_lines}{}inverted: {}{comment}", " ".repeat(indent), scalar(&pin.text)))
    };
    match role {
        Role::Quote(key) => Ok(vec![opposite(column(text, key.place.span.start))]),
        Role::Item => {
            // An anchor or a tag belongs to the text, and stays behind the new key.
            let line = start_of_line(text, span.start);
            let before = &text[line..span.start];
            let start = before.rfind("- ").map_or(span.start, |dash| {
                let after = &before[dash + 2..];
                line + dash + 2 + (after.len() - after.trim_start().len())
            });
            Ok(vec![(start, "quote: ".to_owned()), opposite(column(text, start))])
        }
        Role::Value(key) => {
            let outer = column(text, key.place.span.start);
            // Further lines of the text must stay deeper than the new key.
            let rest = &text[end_of_line(text, key.place.span.end)..end.max(key.place.span.end)];
            let lines = rest.lines().skip(1).filter(|line| !line.trim().is_empty());
            let deepest = lines.map(|line| line.len() - line.trim_start_matches(' ').len()).min();
            let indent = (outer + 2).min(deepest.map_or(outer + 2, |depth| depth.saturating_sub(1)));
            if indent <= outer {
                return Err(Unpinned::Layout);
            }
            let colon = text[key.place.span.end..].find(':').ok_or(Unpinned::Layout)?;
            let colon = key.place.span.end + colon + 1;
            Ok(vec![(colon, format!("{break_of_lines}{}quote:", " ".repeat(indent))), opposite(indent)])
        }
    }
}

/// Every place of the tree in which the text of this span stands, and whether it is inside of braces or brackets.
fn roles_of<'n>(node: &'n Node, span: &Range<usize>, in_flow: bool, found: &mut Vec<(Role<'n>, bool)>) {
    let flow = |node: &Node| in_flow || node.place.file.text[node.place.span.start..].starts_with(['{', '[']);
    match &node.kind {
        NodeKind::Scalar { .. } => {}
        NodeKind::Sequence(items) => {
            for item in items {
                if is_text_at(item, span) {
                    found.push((Role::Item, flow(node)));
                }
                roles_of(item, span, flow(node), found);
            }
        }
        NodeKind::Mapping(pairs) => {
            for (key, value) in pairs {
                if is_text_at(value, span) {
                    let role = if key.text() == Some("quote") { Role::Quote(key) } else { Role::Value(key) };
                    found.push((role, flow(node)));
                }
                roles_of(value, span, flow(node), found);
            }
        }
    }
}

fn is_text_at(node: &Node, span: &Range<usize>) -> bool {
    matches!(node.kind, NodeKind::Scalar { .. }) && node.place.span == *span
}

fn is_json(file: &SourceFile) -> bool {
    let extension = file.name.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("json" | "jsonl" | "ndjson"))
}

fn start_of_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |line_break| line_break + 1)
}

/// Before the line break.
fn end_of_line(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |line_break| at + line_break);
    if text[at..end].ends_with('\r') { end - 1 } else { end }
}

/// How far a byte stands from the start of its line, in characters.
fn column(text: &str, at: usize) -> usize {
    text[start_of_line(text, at)..at].chars().count()
}

/// Whether the new text says what the old one did, and the pins: for the parser every node, for the loader every rule.
fn says_the_same(file: &Arc<SourceFile>, documents: &[Node], text: &str, pins: &[&Pin]) -> bool {
    let new = SourceFile::new(file.name.clone(), text);
    let mut mistakes = Diagnostics::default();
    let read = parse_documents(&new, &mut mistakes);
    let expected: Vec<Node> = documents.iter().map(|node| with_pins(node, pins)).collect();
    let alike = expected.len() == read.len() && expected.iter().zip(&read).all(|(one, other)| is_alike(one, other));
    alike && mistakes.errors() == 0 && loads_with(file, &new, pins)
}

/// The node as it should read with the pins.
fn with_pins(node: &Node, pins: &[&Pin]) -> Node {
    let pinned = |node: &Node| pins.iter().find(|pin| is_text_at(node, &pin.place.span)).copied();
    let made =
        |text: &str, plain: bool| Node::made(&node.place.file, NodeKind::Scalar { text: text.to_owned(), plain });
    let added = |pin: &Pin| (made("inverted", true), made(&pin.text, false));
    let kind = match (&node.kind, pinned(node)) {
        (scalar @ NodeKind::Scalar { .. }, Some(pin)) => {
            let quote = Node::made(&node.place.file, scalar.clone());
            NodeKind::Mapping(vec![(made("quote", true), quote), added(pin)])
        }
        (NodeKind::Scalar { .. }, None) => node.kind.clone(),
        (NodeKind::Sequence(items), _) => NodeKind::Sequence(items.iter().map(|item| with_pins(item, pins)).collect()),
        (NodeKind::Mapping(pairs), _) => {
            let mut new = vec![];
            for (key, value) in pairs {
                match pinned(value).filter(|_| key.text() == Some("quote")) {
                    Some(pin) => new.extend([(key.clone(), value.clone()), added(pin)]),
                    None => new.push((key.clone(), with_pins(value, pins))),
                }
            }
            NodeKind::Mapping(new)
        }
    };
    Node { kind, place: node.place.clone() }
}

fn is_alike(one: &Node, other: &Node) -> bool {
    match (&one.kind, &other.kind) {
        (NodeKind::Scalar { text: a, plain: p }, NodeKind::Scalar { text: b, plain: q }) => a == b && p == q,
        (NodeKind::Sequence(a), NodeKind::Sequence(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(one, other)| is_alike(one, other))
        }
        (NodeKind::Mapping(a), NodeKind::Mapping(b)) => {
            let pair = |((k, v), (l, w)): (&(Node, Node), &(Node, Node))| is_alike(k, l) && is_alike(v, w);
            a.len() == b.len() && a.iter().zip(b).all(pair)
        }
        _ => false,
    }
}

/// Whether the loader finds every rule of the old text in the new one, with the opposite where it was pinned.
fn loads_with(old: &Arc<SourceFile>, new: &Arc<SourceFile>, pins: &[&Pin]) -> bool {
    let Some((before, after)) = loaded(old).zip(loaded(new)) else { return false };
    let same = |(was, is): (&Rule, &Rule)| {
        let pin = pins.iter().find(|pin| pin.place.span == was.place.span);
        let expected = pin.map(|pin| &pin.text).or(was.inverted.as_ref());
        is.inverted.as_ref() == expected && is.quote == was.quote && is.also == was.also && is.file == was.file
    };
    let rules = |(was, is): (&Case, &Case)| {
        was.id == is.id && was.rules.len() == is.rules.len() && was.rules.iter().zip(&is.rules).all(same)
    };
    before.len() == after.len() && before.iter().zip(&after).all(rules)
}

/// The cases of a file, without what the suite around it knows; `None` where there is a mistake in it.
fn loaded(file: &Arc<SourceFile>) -> Option<Vec<Case>> {
    let mut diagnostics = Diagnostics::default();
    let mut decoder = Decoder::new(&crate::matchers::parse, None);
    let nodes = case_nodes(file, &mut diagnostics);
    let cases: Vec<Case> = nodes.iter().filter_map(|node| decoder.case(node, &mut diagnostics)).collect();
    (diagnostics.errors() == 0).then_some(cases)
}
