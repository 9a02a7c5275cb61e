//! "If A, B." and "B if A.", where one conjunction and one comma leave no doubt.

use std::ops::Range;

use super::super::edit::Edit;
use super::super::text::Text;
use super::{Algorithm, Maker, capitalised, uncapitalised};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct Reorder {
    conjunctions: Vec<String>,
    /// Words after which "if" means "whether", and others that make the order matter.
    blockers: Vec<String>,
}

/// `conjunctions` that start the movable clause; `blockers`: a sentence with one of these words stays.
pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("reorder", node, diagnostics)?;
    let conjunctions = fields.texts("conjunctions", diagnostics).unwrap_or_default();
    let blockers = fields.texts("blockers", diagnostics).unwrap_or_default();
    if conjunctions.is_empty() {
        diagnostics.error(&node.place, "`reorder` needs `conjunctions`");
    }
    fields.finish(diagnostics);
    Some(Box::new(Reorder { conjunctions, blockers }))
}

impl Algorithm for Reorder {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let made: Vec<Edit> =
            text.sentences.iter().filter_map(|s| self.turned(text, s.range.start..s.mark.start)).collect();
        if made.is_empty() {
            return Err("no sentence has two clauses that may change places".to_owned());
        }
        Ok(Box::new(move |draw| Some(vec![draw.one(&made)?.clone()])))
    }
}

impl Reorder {
    /// The sentence, without its final mark, with its clauses in the other order.
    fn turned(&self, text: &Text, range: Range<usize>) -> Option<Edit> {
        let sentence = &text.raw[range.clone()];
        let words: Vec<_> =
            text.words.iter().filter(|w| range.start <= w.range.start && w.range.end <= range.end).collect();
        if words.iter().any(|word| self.blockers.contains(&word.lower))
            || sentence.contains(['\n', ';', ':', '(', '—', '–'])
        {
            return None;
        }
        let joints: Vec<_> = words.iter().filter(|word| word.free && self.conjunctions.contains(&word.lower)).collect();
        let [joint] = joints.as_slice() else { return None };
        let commas: Vec<usize> = sentence
            .match_indices(", ")
            .map(|(at, _)| range.start + at)
            .filter(|at| text.is_free(&(*at..at + 2)))
            .collect();
        let first = words.first()?;
        let made = if joint.range.start == range.start {
            let [comma] = commas.as_slice() else { return None };
            let (side, main) = (&text.raw[range.start..*comma], &text.raw[comma + 2..range.end]);
            // "…, then do it": the second clause leans on the first.
            let leads = main.split(' ').next()?.to_lowercase();
            if side.split(' ').count() < 3
                || main.split(' ').count() < 2
                || matches!(leads.as_str(), "then" | "and" | "but" | "so" | "or")
            {
                return None;
            }
            format!("{} {}", capitalised(main), uncapitalised(side))
        } else {
            if !commas.is_empty() || !first.free {
                return None;
            }
            let (main, side) =
                (text.raw[range.start..joint.range.start].trim_end(), &text.raw[joint.range.start..range.end]);
            if side.split(' ').count() < 3 || main.split(' ').count() < 2 {
                return None;
            }
            format!("{}, {}", capitalised(side), uncapitalised(main))
        };
        Some(Edit::new(range, made))
    }
}
