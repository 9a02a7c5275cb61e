//! Tags of templates and of XML that lie over a text: what may go with a cut, and what has to stay for their balance.

use std::ops::Range;

use super::{jinja, xml};

/// One tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::instructions) struct Tag {
    pub range: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::instructions) enum Kind {
    Open(String),
    /// `{% else %}`: parts what an open tag holds.
    Middle,
    Close(String),
}

/// What a boundary of a cut must not lie in.
pub(super) enum Inside {
    /// `{{ name }}`: a word of the text, which goes or stays as a whole.
    Slot(Range<usize>),
    /// A tag or a comment, which is no word of the text.
    Tag(Range<usize>),
}

/// The tags that lie wholly in a range of a text, in order. A tag of XML counts where the text holds its other half.
pub(in crate::instructions) fn tags(text: &str, range: &Range<usize>) -> Vec<Tag> {
    let part = &text[range.clone()];
    if !part.contains(['<', '{']) {
        return Vec::new();
    }
    let mut found = jinja::tags(part);
    found.extend(xml::tags(part, text));
    for tag in &mut found {
        tag.range = tag.range.start + range.start..tag.range.end + range.start;
    }
    found.sort_by_key(|tag| tag.range.start);
    found
}

/// Which of the tags stand in pairs, as indexes of the opening and the closing one, inner pairs first, and whether
/// something parts what a pair holds.
pub(in crate::instructions) fn pairs(tags: &[Tag]) -> Vec<(usize, usize, bool)> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (index, tag) in tags.iter().enumerate() {
        match &tag.kind {
            Kind::Open(_) => open.push((index, false)),
            Kind::Middle => {
                let template = |at: &usize| matches!(&tags[*at].kind, Kind::Open(name) if !name.starts_with('<'));
                if let Some((_, parted)) = open.iter_mut().rev().find(|(at, _)| template(at)) {
                    *parted = true;
                }
            }
            Kind::Close(name) => {
                let same = |at: usize| matches!(&tags[at].kind, Kind::Open(other) if other == name);
                if let Some(at) = open.iter().rposition(|(at, _)| same(*at)) {
                    let (opening, parted) = open[at];
                    found.push((opening, index, parted));
                    open.truncate(at);
                }
            }
        }
    }
    found
}

/// The tags of a cut range whose other half is not in it: they have to stay.
pub(in crate::instructions) fn kept(text: &str, range: &Range<usize>) -> Vec<Tag> {
    let tags = tags(text, range);
    let mut goes = vec![false; tags.len()];
    for (open, close, _) in pairs(&tags) {
        goes[open] = true;
        goes[close] = true;
        for (at, tag) in tags.iter().enumerate().take(close).skip(open) {
            goes[at] |= tag.kind == Kind::Middle;
        }
    }
    tags.into_iter().zip(goes).filter(|(_, goes)| !goes).map(|(tag, _)| tag).collect()
}

/// A text without the tags that stand in pairs in it.
pub(in crate::instructions) fn without_pairs(text: &str, whole: &str) -> String {
    let mut tags = jinja::tags(text);
    tags.extend(xml::tags(text, whole));
    tags.sort_by_key(|tag| tag.range.start);
    let mut drop: Vec<Range<usize>> = pairs(&tags)
        .into_iter()
        .filter(|(_, _, parted)| !parted)
        .flat_map(|(open, close, _)| [tags[open].range.clone(), tags[close].range.clone()])
        .collect();
    drop.sort_by_key(|range| range.start);
    let mut left = String::new();
    let mut at = 0;
    for range in drop {
        left.push_str(text.get(at..range.start).unwrap_or_default());
        at = range.end;
    }
    left.push_str(&text[at..]);
    left
}

/// A range with the pairs of tags that hold nothing else.
pub(in crate::instructions) fn around(text: &str, range: Range<usize>) -> Range<usize> {
    let mut range = range;
    loop {
        let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
        let (before, after) = (tags(text, &(line_start..range.start)), tags(text, &(range.end..line_end)));
        let (Some(open), Some(close)) = (before.last(), after.first()) else { return range };
        let are_pair = matches!((&open.kind, &close.kind), (Kind::Open(a), Kind::Close(b)) if a == b);
        let hold_only_it =
            text[open.range.end..range.start].trim().is_empty() && text[range.end..close.range.start].trim().is_empty();
        if !are_pair || !hold_only_it {
            return range;
        }
        range = open.range.start..close.range.end;
    }
}

/// A range whose edges lie in no tag and cut no slot.
pub(in crate::instructions) fn uncut(text: &str, range: Range<usize>) -> Range<usize> {
    let mut range = range;
    match inside(text, range.start) {
        Some(Inside::Slot(slot)) => range.start = slot.start,
        Some(Inside::Tag(tag)) => range.start = tag.end,
        None => {}
    }
    match inside(text, range.end) {
        Some(Inside::Slot(slot)) => range.end = slot.end,
        Some(Inside::Tag(tag)) => range.end = tag.start,
        None => {}
    }
    range
}

fn inside(text: &str, at: usize) -> Option<Inside> {
    jinja::inside(text, at).or_else(|| xml::inside(text, at))
}
