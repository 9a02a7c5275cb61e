//! Diagnostics as text for a person: message, place, excerpt, what to do.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level as Heading, Renderer, Snippet};

use super::{Diagnostic, Level, Place, SourceFile};

/// Lines of an excerpt are cut around the marked place at this many columns.
const WIDTH: usize = 120;
/// Two marks no further apart than this share an excerpt.
const NEAR_LINES: usize = 8;

pub(super) fn render(items: &[Diagnostic], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() }.term_width(WIDTH);
    let mut out = String::new();
    for item in items {
        let heading = match item.level {
            Level::Error => Heading::ERROR,
            Level::Warning => Heading::WARNING,
            Level::Note => Heading::NOTE,
        };
        let excerpts = excerpts(item);
        let mut group = Group::with_title(heading.primary_title(printable(&item.message)));
        group = group.elements(excerpts.iter().map(Excerpt::snippet));
        for help in &item.help {
            group = group.element(Heading::HELP.message(printable(help)));
        }
        let _ = writeln!(out, "{}\n", renderer.render(&[group]));
    }
    out
}

/// Some lines of one file, with what is marked in them.
struct Excerpt<'d> {
    file: &'d Arc<SourceFile>,
    lines: Range<usize>,
    marks: Vec<(Range<usize>, &'d str, AnnotationKind)>,
}

/// The diagnostic's own place first, then the related ones.
fn excerpts(item: &Diagnostic) -> Vec<Excerpt<'_>> {
    let mut excerpts: Vec<Excerpt<'_>> = vec![];
    let own = item.place.iter().map(|place| (place, item.label.as_str(), AnnotationKind::Primary));
    let related = item.related.iter().map(|(place, label)| (place, label.as_str(), AnnotationKind::Context));
    for (place, label, kind) in own.chain(related) {
        let (line, span) = first_line(place);
        let near = excerpts.iter_mut().find(|excerpt| {
            Arc::ptr_eq(excerpt.file, &place.file)
                && line + NEAR_LINES >= excerpt.lines.start
                && line <= excerpt.lines.end + NEAR_LINES
        });
        match near {
            Some(excerpt) => {
                excerpt.lines = excerpt.lines.start.min(line)..excerpt.lines.end.max(line + 1);
                excerpt.marks.push((span, label, kind));
            }
            None => {
                excerpts.push(Excerpt { file: &place.file, lines: line..line + 1, marks: vec![(span, label, kind)] });
            }
        }
    }
    excerpts
}

/// The line (from 0) where a place starts, and the part of the place on that line: a mapping of thirty lines is pointed
/// at, not drawn around.
fn first_line(place: &Place) -> (usize, Range<usize>) {
    let mut start = place.span.start.min(place.file.text.len());
    while !place.file.text.is_char_boundary(start) {
        start -= 1;
    }
    let line = place.file.line_of(start);
    let bounds = place.file.line_span(line);
    let start = start.min(bounds.end);
    (line, start..place.span.end.clamp(start, bounds.end))
}

impl<'d> Excerpt<'d> {
    fn snippet(&self) -> Snippet<'d, Annotation<'d>> {
        let from = self.file.line_span(self.lines.start).start;
        let to = self.file.line_span(self.lines.end - 1).end;
        let marks = self.marks.iter().map(|(span, label, kind)| {
            let mark = kind.span(span.start - from..span.end - from);
            if label.is_empty() { mark } else { mark.label(printable(label)) }
        });
        Snippet::source(&self.file.text[from..to])
            .path(self.file.path_from_here().display().to_string())
            .line_start(self.lines.start + 1)
            .annotations(marks)
    }
}

/// Control characters that a terminal would obey are shown, not sent.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}
