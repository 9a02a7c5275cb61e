//! Tags of XML and HTML, as prompts use them to part their sections.

use super::tags::{Inside, Kind, Tag};

/// Tags that never have another half.
const VOID: [&str; 8] = ["br", "hr", "img", "input", "meta", "link", "col", "wbr"];
const LONGEST: usize = 1_000;

/// The tags of a part of a text. `<path>` is a tag only where `</path>` stands somewhere in the whole text.
pub(super) fn tags(part: &str, whole: &str) -> Vec<Tag> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = part[at..].find('<').map(|start| at + start) {
        at = start + 1;
        let Some((end, kind)) = tag(&part[start..]) else { continue };
        let has_other_half = match &kind {
            Kind::Open(name) => whole.contains(&format!("</{}>", &name[1..])),
            Kind::Close(name) => whole.contains(name.as_str()),
            Kind::Middle => false,
        };
        if has_other_half {
            found.push(Tag { range: start..start + end, kind });
        }
        at = start + end;
    }
    found
}

/// The tag that a text starts with: its length and, unless it is closed by itself, what it is. Names keep their `<`.
fn tag(text: &str) -> Option<(usize, Kind)> {
    let mut length = LONGEST.min(text.len());
    length = text.floor_char_boundary(length);
    let close = text[1..length].find(['>', '<']).map(|at| at + 1).filter(|at| text[*at..].starts_with('>'))?;
    let inner = &text[1..close];
    let closing = inner.starts_with('/');
    let name = inner.trim_start_matches('/');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || inner.contains("://") {
        return None;
    }
    let length =
        name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))).unwrap_or(name.len());
    let name = &name[..length];
    if inner.ends_with('/') || VOID.contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    let name = format!("<{name}");
    Some((close + 1, if closing { Kind::Close(name) } else { Kind::Open(name) }))
}

/// The tag that an offset lies in.
pub(super) fn inside(text: &str, at: usize) -> Option<Inside> {
    let window = text.floor_char_boundary(at.saturating_sub(LONGEST));
    let start = window + text.get(window..at)?.rfind('<')?;
    let end = text.ceil_char_boundary((start + LONGEST).min(text.len()).max(at));
    let first = tags(&text[start..end], text).into_iter().next().filter(|tag| tag.range.start == 0)?;
    (start + first.range.end > at).then(|| Inside::Tag(start..start + first.range.end))
}

/// The name of the section that a line opens or closes, if it is nothing but a tag.
pub(in crate::instructions) fn section(content: &str) -> Option<(String, bool)> {
    let (length, kind) = content.starts_with('<').then(|| tag(content))??;
    if length != content.len() {
        return None;
    }
    match kind {
        Kind::Open(name) => Some((name[1..].to_owned(), true)),
        Kind::Close(name) => Some((name[1..].to_owned(), false)),
        Kind::Middle => None,
    }
}

/// Text as it is written in XML: entities that are there already stay.
pub(in crate::instructions) fn escaped(text: &str) -> String {
    let mut written = String::new();
    for (at, c) in text.char_indices() {
        match c {
            '<' => written.push_str("&lt;"),
            '&' if !is_entity(&text[at..]) => written.push_str("&amp;"),
            _ => written.push(c),
        }
    }
    written
}

fn is_entity(text: &str) -> bool {
    text.find(';').is_some_and(|end| {
        (2..12).contains(&end) && text[1..end].chars().all(|c| c.is_ascii_alphanumeric() || c == '#')
    })
}
