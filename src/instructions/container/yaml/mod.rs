//! Scalars of YAML that are values: which they are, by the events of a parser; `style` says how each is written.

mod block;
mod style;

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde::Deserialize;

use super::sequence::{Form, Sequence};
use super::{Element, Literal, Piece, Scan, Writing};

pub(super) use style::Style;

/// A collection that is still open.
enum Open {
    Mapping {
        /// Column of its keys.
        column: usize,
        flow: bool,
        key: Option<String>,
        at_key: bool,
    },
    Sequence {
        start: usize,
        column: usize,
        flow: bool,
        elements: Vec<Range<usize>>,
        /// Literals by the element that they are.
        texts: Vec<(usize, usize)>,
        name: Option<String>,
    },
}

/// The texts of the documents in a range; none where they can't be parsed to the end.
pub(super) fn scan(text: &str, range: Range<usize>) -> Scan {
    let part = &text[range.clone()];
    let offsets: Option<Vec<usize>> =
        (!part.is_ascii()).then(|| part.char_indices().map(|(at, _)| at).chain([part.len()]).collect());
    let byte = |chars: usize| {
        let at =
            offsets.as_ref().map_or(chars.min(part.len()), |known| known.get(chars).copied().unwrap_or(part.len()));
        range.start + at
    };
    let mut scan = Scan::default();
    let mut open: Vec<Open> = Vec::new();
    let mut starts: Vec<usize> = Vec::new();
    for event in Parser::new_from_str(part) {
        let Ok((event, span)) = event else { return Scan::default() };
        let span: Span = span;
        let (start, end) = (byte(span.start.index()), byte(span.end.index()));
        match event {
            Event::Scalar(value, style, _, _) => {
                let at_key = matches!(open.last(), Some(Open::Mapping { at_key: true, .. }));
                let mut whole = start..end;
                if !at_key && let Some(literal) = literal(text, start..end, &value, style, &open, range.end) {
                    whole = literal.whole();
                    if let Some(Open::Sequence { elements, texts, .. }) = open.last_mut() {
                        texts.push((elements.len(), scan.literals.len()));
                    }
                    scan.literals.push(literal);
                }
                node(&mut open, whole, Some(&value));
            }
            Event::Alias(_) => node(&mut open, start..end, None),
            Event::MappingStart(..) => {
                starts.push(start);
                let flow = text[start..].starts_with('{');
                open.push(Open::Mapping { column: span.start.col(), flow, key: None, at_key: true });
            }
            Event::SequenceStart(..) => {
                starts.push(start);
                let name = open.last().and_then(Open::name);
                open.push(Open::Sequence {
                    start,
                    column: span.start.col(),
                    flow: text[start..].starts_with('['),
                    elements: Vec::new(),
                    texts: Vec::new(),
                    name,
                });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let from = starts.pop().unwrap_or(start);
                if let Some(Open::Sequence { start, flow, elements, texts, .. }) = open.pop() {
                    list(text, &mut scan, (start, end), flow, elements, &texts);
                }
                node(&mut open, from..end.max(from), None);
            }
            _ => {}
        }
    }
    scan
}

pub(super) fn parses(text: &str) -> bool {
    // By the parser that most programs use, not by the one that the texts were found with.
    serde_yaml::Deserializer::from_str(text).all(|document| serde::de::IgnoredAny::deserialize(document).is_ok())
}

impl Open {
    fn name(&self) -> Option<String> {
        match self {
            Self::Mapping { key, .. } => key.clone(),
            Self::Sequence { name, .. } => name.clone(),
        }
    }
}

/// A key, value or element of the innermost collection is complete.
fn node(open: &mut [Open], range: Range<usize>, text: Option<&str>) {
    match open.last_mut() {
        Some(Open::Mapping { key, at_key, .. }) => {
            if *at_key {
                *key = text.map(str::to_owned);
            }
            *at_key = !*at_key;
        }
        Some(Open::Sequence { elements, .. }) => elements.push(range),
        None => {}
    }
}

fn literal(
    text: &str,
    span: Range<usize>,
    value: &str,
    style: ScalarStyle,
    open: &[Open],
    until: usize,
) -> Option<Literal> {
    let words = value.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    let fewest = if style == ScalarStyle::Plain { 2 } else { 1 };
    if words < fewest {
        return None;
    }
    let in_flow =
        open.iter().any(|one| matches!(one, Open::Mapping { flow: true, .. } | Open::Sequence { flow: true, .. }));
    let parent = match open.last() {
        Some(Open::Mapping { column, .. } | Open::Sequence { column, .. }) => Some(*column),
        None => None,
    };
    let (whole, map, style) = match style {
        ScalarStyle::Literal | ScalarStyle::Folded => {
            block::read(&text[..until], block::header_before(text, span.start)?, parent)?
        }
        _ => {
            let end = span.start + text[span.clone()].trim_end().len();
            let whole = span.start..end;
            let style = match style {
                ScalarStyle::SingleQuoted => Style::Single,
                ScalarStyle::DoubleQuoted => Style::Double,
                _ => Style::Plain { in_flow },
            };
            let map = style.read(text, whole.clone())?;
            (whole, map, style)
        }
    };
    // What we read differently from the parser, we had better not edit.
    let same = map.content == value || (until == whole.end && map.content == value.trim_end_matches('\n'));
    same.then(|| {
        let content = 0..map.content.len();
        let piece = Piece { whole, content, writing: Writing::Yaml(style) };
        Literal { pieces: vec![piece], map, name: open.last().and_then(Open::name), element: None }
    })
}

fn list(
    text: &str,
    scan: &mut Scan,
    (start, end): (usize, usize),
    flow: bool,
    elements: Vec<Range<usize>>,
    texts: &[(usize, usize)],
) {
    let sequence = scan.sequences.len();
    let mut dashed: Vec<Range<usize>> = elements.clone();
    let mut known = 0;
    for (index, literal) in texts {
        let whole = scan.literals[*literal].whole();
        if !flow {
            let Some(dash) = dash_before(text, whole.start) else { continue };
            dashed[*index].start = dash;
        }
        scan.literals[*literal].element = Some(Element { sequence, index: *index });
        known += 1;
    }
    let form = if flow {
        let close = text[..end].trim_end().len();
        let close = if text[..close].ends_with(']') { close - 1 } else { close };
        Form::Bracketed(start + 1..close.max(start + 1))
    } else {
        Form::Dashed
    };
    if known > 0 {
        scan.sequences.push(Sequence { elements: dashed, form });
    }
}

/// The dash of an element that has its line for itself.
fn dash_before(text: &str, start: usize) -> Option<usize> {
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = text[line..start].trim_end();
    (before.trim_start() == "-").then(|| line + before.len() - 1)
}
