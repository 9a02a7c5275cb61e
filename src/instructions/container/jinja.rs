//! Templates of Jinja, nunjucks, Liquid and their kin: `{% … %}`, `{{ … }}` and `{# … #}`.

use std::ops::Range;

use super::tags::{Inside, Kind, Tag};

/// How far a tag or a slot may reach, in bytes: further apart, two signs are no pair.
const LONGEST: usize = 4_000;

const SIGNS: [(&str, &str); 3] = [("{%", "%}"), ("{{", "}}"), ("{#", "#}")];

const BLOCKS: [&str; 19] = [
    "if",
    "for",
    "block",
    "macro",
    "call",
    "filter",
    "set",
    "raw",
    "autoescape",
    "trans",
    "with",
    "unless",
    "case",
    "capture",
    "comment",
    "verbatim",
    "asyncEach",
    "asyncAll",
    "generation",
];

/// What stands between signs, from the first at or after `from`: its range and its opening sign.
fn next(text: &str, from: usize) -> Option<(Range<usize>, &'static str)> {
    let mut at = from;
    loop {
        let start = at + text[at..].find('{')?;
        let found = SIGNS.iter().find(|(open, _)| text[start..].starts_with(open)).and_then(|(open, close)| {
            let inner = start + 2;
            let length = text[inner..].find(close).filter(|length| *length <= LONGEST)?;
            Some((start..inner + length + 2, *open))
        });
        if found.is_some() {
            return found;
        }
        at = start + 1;
    }
}

pub(super) fn tags(text: &str) -> Vec<Tag> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((range, sign)) = next(text, at) {
        at = range.end;
        if sign == "{%"
            && let Some(kind) = kind(&text[range.start + 2..range.end - 2])
        {
            found.push(Tag { range, kind });
        }
    }
    found
}

fn kind(inner: &str) -> Option<Kind> {
    let inner = inner.trim_matches(['-', '+', '~']).trim();
    let word = inner.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    if let Some(name) = word.strip_prefix("end") {
        return Some(Kind::Close(name.to_owned()));
    }
    if matches!(word, "else" | "elif" | "elsif" | "elseif" | "when") {
        return Some(Kind::Middle);
    }
    let assigns = word == "set" && inner.contains('=');
    (BLOCKS.contains(&word) && !assigns).then(|| Kind::Open(word.to_owned()))
}

/// The slot, tag or comment that an offset lies in.
pub(super) fn inside(text: &str, at: usize) -> Option<Inside> {
    let window = text.floor_char_boundary(at.saturating_sub(LONGEST));
    if !text.get(window..at)?.contains('{') {
        return None;
    }
    let mut from = window;
    while let Some((range, sign)) = next(text, from) {
        if range.start >= at {
            return None;
        }
        if at < range.end {
            return Some(if sign == "{{" { Inside::Slot(range) } else { Inside::Tag(range) });
        }
        from = range.end;
    }
    None
}

/// Whether a line is nothing but tags that print nothing, or a comment.
pub(in crate::instructions) fn is_tag_line(content: &str) -> bool {
    if !content.starts_with("{%") && !content.starts_with("{#") {
        return false;
    }
    let mut at = 0;
    while let Some((range, sign)) = next(content, at) {
        if sign == "{{" || !content[at..range.start].trim().is_empty() {
            return false;
        }
        at = range.end;
    }
    at > 0 && content[at..].trim().is_empty()
}

/// A text whose new braces are printed as they stand, for a template; slots that the old text has stay slots.
pub(in crate::instructions) fn escaped(new: &str, old: &str) -> String {
    let mut written = String::new();
    let mut at = 0;
    while let Some(start) = ["{{", "{%", "{#"].into_iter().filter_map(|sign| new[at..].find(sign)).min() {
        let start = at + start;
        written.push_str(&new[at..start]);
        if let Some((range, _)) = next(new, start).filter(|(range, _)| range.start == start)
            && old.contains(&new[range.clone()])
        {
            written.push_str(&new[range.clone()]);
            at = range.end;
        } else {
            written.push_str(&format!("{{{{ '{}' }}}}", &new[start..start + 2]));
            at = start + 2;
        }
    }
    written.push_str(&new[at..]);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_open_and_close_and_statements_do_neither() {
        let found = tags("{%- if x -%}a{% else %}b{% endif %}{% set y = 1 %}{{ y }}{# if #}{% include \"z\" %}");
        let kinds: Vec<Kind> = found.into_iter().map(|tag| tag.kind).collect();
        assert_eq!(kinds, [Kind::Open("if".into()), Kind::Middle, Kind::Close("if".into())]);
    }

    #[test]
    fn new_braces_are_printed_and_old_slots_stay() {
        assert_eq!(escaped("Hi {{ name }}, say {{x}}.", "Bye {{ name }}."), "Hi {{ name }}, say {{ '{{' }}x}}.");
    }
}
