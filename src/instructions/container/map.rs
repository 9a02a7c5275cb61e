//! A text as a reader sees it, with the place of each of its characters in the text that holds it.

use std::ops::Range;

/// A decoded text and, for every byte of it, the bytes that it is written as.
#[derive(Debug, Clone, Default)]
pub(in crate::instructions) struct Map {
    pub content: String,
    segments: Vec<Segment>,
    /// Where the text would begin if it held anything.
    origin: usize,
}

#[derive(Debug, Clone)]
struct Segment {
    /// First byte in the content.
    at: usize,
    length: usize,
    /// As long as the content where it is written as it reads, of another length where it is an escape.
    raw: Range<usize>,
}

impl Segment {
    fn end(&self) -> usize {
        self.at + self.length
    }

    fn is_verbatim(&self) -> bool {
        self.length == self.raw.len()
    }
}

impl Map {
    /// An empty text whose first character would stand at `origin`.
    pub(in crate::instructions) fn starting_at(origin: usize) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Adds what is written as it reads.
    pub(super) fn verbatim(&mut self, text: &str, raw: Range<usize>) {
        if raw.is_empty() {
            return;
        }
        let at = self.content.len();
        self.content.push_str(&text[raw.clone()]);
        match self.segments.last_mut() {
            Some(last) if last.is_verbatim() && last.raw.end == raw.start => {
                last.length += raw.len();
                last.raw.end = raw.end;
            }
            _ => self.segments.push(Segment { at, length: raw.len(), raw }),
        }
    }

    /// Adds characters that are written in another way.
    pub(super) fn escape(&mut self, content: &str, raw: Range<usize>) {
        if content.is_empty() {
            return;
        }
        let at = self.content.len();
        self.content.push_str(content);
        self.segments.push(Segment { at, length: content.len(), raw });
    }

    /// Adds another text's characters, as those of a literal that is joined to this one.
    pub(super) fn append(&mut self, other: Self) {
        let shift = self.content.len();
        self.content.push_str(&other.content);
        self.segments.extend(other.segments.into_iter().map(|segment| Segment { at: segment.at + shift, ..segment }));
    }

    /// From the first to the last byte that a range of the content is written in.
    pub(in crate::instructions) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let parts = self.parts(range);
        match (parts.first(), parts.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => {
                let at = self.point(range.start);
                at..at
            }
        }
    }

    /// The runs of bytes that a range of the content is written in; what parts two literals is in none of them.
    pub(in crate::instructions) fn parts(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        let first = self.segments.partition_point(|segment| segment.end() <= range.start);
        for segment in self.segments[first..].iter().take_while(|segment| segment.at < range.end) {
            let raw = if segment.is_verbatim() {
                let from = range.start.max(segment.at) - segment.at;
                let to = range.end.min(segment.end()) - segment.at;
                segment.raw.start + from..segment.raw.start + to
            } else {
                segment.raw.clone()
            };
            match parts.last_mut() {
                Some(last) if last.end == raw.start => last.end = raw.end,
                _ => parts.push(raw),
            }
        }
        parts
    }

    /// Where something has to be put in to stand before a byte of the content.
    pub(in crate::instructions) fn point(&self, at: usize) -> usize {
        let index = self.segments.partition_point(|segment| segment.end() <= at);
        match self.segments.get(index) {
            Some(segment) if segment.is_verbatim() => segment.raw.start + at.saturating_sub(segment.at),
            Some(segment) => segment.raw.start,
            None => self.segments.last().map_or(self.origin, |last| last.raw.end),
        }
    }

    /// What of the content is written in a range of bytes; `None` where that is nothing.
    pub(in crate::instructions) fn within(&self, raw: &Range<usize>) -> Option<Range<usize>> {
        let first = self.segments.partition_point(|segment| segment.raw.end <= raw.start);
        let last = self.segments.partition_point(|segment| segment.raw.start < raw.end).checked_sub(1)?;
        let (first, last) = (self.segments.get(first)?, self.segments.get(last)?);
        let start = first.at + if first.is_verbatim() { raw.start.saturating_sub(first.raw.start) } else { 0 };
        let end = last.at + if last.is_verbatim() { (raw.end - last.raw.start).min(last.length) } else { last.length };
        (start < end).then_some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (&'static str, Map) {
        let raw = r#""Say \"no\"." + "Ask""#;
        let mut map = Map::starting_at(1);
        map.verbatim(raw, 1..5);
        map.escape("\"", 5..7);
        map.verbatim(raw, 7..9);
        map.escape("\"", 9..11);
        map.verbatim(raw, 11..12);
        map.verbatim(raw, 17..20);
        (raw, map)
    }

    #[test]
    fn a_range_of_the_content_is_placed_over_escapes_and_joints() {
        let (raw, map) = sample();
        assert_eq!(map.content, "Say \"no\".Ask");
        assert_eq!(&raw[map.place(&(4..8))], r#"\"no\""#);
        assert_eq!(map.parts(&(5..12)), [7..12, 17..20]);
        assert_eq!(map.point(4), 5);
        assert_eq!(map.point(12), 20);
    }

    #[test]
    fn bytes_lead_back_to_the_content() {
        let (_, map) = sample();
        assert_eq!(map.within(&(5..11)), Some(4..8));
        assert_eq!(map.within(&(6..7)), Some(4..5));
        assert_eq!(map.within(&(12..17)), None);
        assert_eq!(map.within(&(0..100)), Some(0..12));
    }
}
