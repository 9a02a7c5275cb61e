//! Final marks, spaces and line breaks.

use super::super::draw::Draw;
use super::super::edit::Edit;
use super::super::text::Text;
use super::{Algorithm, Maker};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct FinalMark;

pub(in super::super) fn final_mark(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    Fields::of("final_mark", node, diagnostics)?.finish(diagnostics);
    Some(Box::new(FinalMark))
}

impl Algorithm for FinalMark {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let last = text.sentences.last().ok_or("the input has no sentence")?;
        let mark = last.mark.clone();
        if !text.is_free(&mark) {
            return Err("its end is protected".to_owned());
        }
        let others: &[&str] = match &text.raw[mark.clone()] {
            "." => &["", "!", "...", "!!"],
            "?" => &["", "??", "?!", " ?"],
            "!" => &["", ".", "!!"],
            "" => &[".", "!", "..."],
            "。" => &["", "！", "…"],
            "？" => &["", "？？"],
            _ => &[""],
        };
        Ok(Box::new(move |draw| Some(vec![Edit::new(mark.clone(), *draw.one(others)?)])))
    }
}

#[derive(Debug)]
struct Spacing;

pub(in super::super) fn spacing(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    Fields::of("spacing", node, diagnostics)?.finish(diagnostics);
    Some(Box::new(Spacing))
}

impl Algorithm for Spacing {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let raw = text.raw;
        // After a comma people leave the space out, before marks they put one in.
        let commas: Vec<usize> = text
            .gaps
            .iter()
            .copied()
            .filter(|at| {
                raw[..*at].ends_with(',')
                    && raw[at + 1..].starts_with(char::is_alphabetic)
                    && raw[..at - 1].ends_with(char::is_alphabetic)
            })
            .collect();
        let marks: Vec<usize> = text
            .sentences
            .iter()
            .map(|s| s.mark.start)
            .filter(|at| raw[*at..].starts_with(['?', '!']) && text.is_free(&(*at..*at)))
            .collect();
        Ok(Box::new(move |draw: &mut Draw| {
            let edit = match draw.below(6) {
                0 => Edit::insert(raw.len(), if draw.below(2) == 0 { " " } else { "  " }),
                1 => Edit::insert(0, if draw.below(2) == 0 { " " } else { "  " }),
                2 => Edit::insert(raw.len(), "\n"),
                3 => Edit::insert(*draw.one(&marks)?, " "),
                4 => {
                    let at = *draw.one(&commas)?;
                    Edit::new(at..at + 1, "")
                }
                _ => {
                    let most = 3.min(text.gaps.len());
                    let hits = 1 + draw.below(most);
                    let doubled = |at: usize| Edit::insert(text.gaps[at], " ");
                    return Some(draw.distinct(hits, text.gaps.len()).into_iter().map(doubled).collect());
                }
            };
            Some(vec![edit])
        }))
    }
}

#[derive(Debug)]
struct LineWrap {
    least: usize,
    most: usize,
}

/// `least` and `most`: the width of a line in bytes.
pub(in super::super) fn line_wrap(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("line_wrap", node, diagnostics)?;
    let least = fields.whole_within("least", 10, 200, diagnostics).unwrap_or(24) as usize;
    let most = fields.whole_within("most", 10, 400, diagnostics).unwrap_or(72) as usize;
    if most < least {
        diagnostics.error(&node.place, format!("`most` ({most}) must not be below `least` ({least})"));
    }
    fields.finish(diagnostics);
    Some(Box::new(LineWrap { least, most: most.max(least) }))
}

impl Algorithm for LineWrap {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let gaps = &text.gaps;
        // Between sentences a writer presses return, too; wide marks need no space there.
        let mut between: Vec<std::ops::Range<usize>> = vec![];
        for pair in text.sentences.windows(2) {
            let gap = pair[0].range.end..pair[1].range.start;
            let wide = text.raw[pair[0].mark.clone()].ends_with(['。', '！', '？']);
            if !pair[0].mark.is_empty()
                && (&text.raw[gap.clone()] == " " || wide && gap.is_empty())
                && text.is_free(&gap)
            {
                between.push(gap);
            }
        }
        // A window that narrow would break no line of a shorter text.
        let longest = text.raw.lines().map(str::len).max().unwrap_or(0);
        let wraps = longest > self.least && !gaps.is_empty();
        if !wraps && between.is_empty() {
            return Err(format!("it has one sentence of no more than {} bytes", self.least));
        }
        let most = self.most.min(longest.saturating_sub(1)).max(self.least);
        Ok(Box::new(move |draw| {
            if !wraps || !between.is_empty() && draw.below(3) == 0 {
                let at = draw.one(&between)?.clone();
                return Some(vec![Edit::new(at, if draw.below(2) == 0 { "\n" } else { "\n\n" })]);
            }
            let width = self.least + draw.below(most - self.least + 1);
            let breaks = breaks(text.raw, gaps, width);
            Some(breaks.into_iter().map(|at| Edit::new(at..at + 1, "\n")).collect())
        }))
    }
}

/// The gaps at which the lines of `raw` are broken so that they are at most `width` bytes long, where gaps allow it.
fn breaks(raw: &str, gaps: &[usize], width: usize) -> Vec<usize> {
    let mut breaks = vec![];
    let mut start = 0;
    for line in raw.split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        let mut from = start;
        let mut open: Option<usize> = None;
        let inside = gaps.iter().copied().filter(|gap| (start..end).contains(gap));
        for stop in inside.chain([end]) {
            if let Some(gap) = open.filter(|_| stop - from > width) {
                breaks.push(gap);
                from = gap + 1;
            }
            open = Some(stop);
        }
        start += line.len();
    }
    breaks
}
