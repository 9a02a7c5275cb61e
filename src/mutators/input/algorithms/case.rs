//! Small and large letters.

use super::super::edit::Edit;
use super::super::protect::Why;
use super::super::text::Text;
use super::{Algorithm, Maker, uncapitalised};
use crate::source::{Diagnostics, Fields, Node};

const FORMS: [&str; 4] = ["lower", "first", "upper", "shout"];

#[derive(Debug)]
struct Case {
    forms: Vec<&'static str>,
}

/// `forms`: `lower` (every word), `first` (the first letter of one sentence), `upper` (every word), `shout` (one
/// sentence in capitals).
pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("case", node, diagnostics)?;
    let place = fields.get("forms").map(|node| node.place.clone());
    let mut forms = vec![];
    for form in fields.texts("forms", diagnostics).unwrap_or_default() {
        match FORMS.iter().find(|known| **known == form) {
            Some(known) => forms.push(*known),
            None => {
                let place = place.as_ref().unwrap_or(&node.place);
                diagnostics
                    .error(place, format!("`{form}` is no form of letters"))
                    .help
                    .push(format!("the choice is {}", FORMS.join(", ")));
            }
        }
    }
    if place.is_none() {
        fields.required("forms", diagnostics);
    }
    fields.finish(diagnostics);
    Some(Box::new(Case { forms }))
}

impl Algorithm for Case {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let raw = text.raw;
        // Small "not" among capitals would look like a trick, and so would a name.
        let small = |span: &super::super::protect::Span| {
            use Why::*;
            matches!(span.why, Guard | Name | Opening | Time | Literal | Listed | Capitals)
                && raw[span.range.clone()].contains(char::is_lowercase)
        };
        let guarded = text.spans.iter().any(small);
        let mut choices: Vec<Vec<Edit>> = vec![];
        let changed = |word: &super::super::tokens::Word, to: String| {
            (word.free && raw[word.range.clone()] != to).then(|| Edit::new(word.range.clone(), to))
        };
        for form in &self.forms {
            match *form {
                "lower" => {
                    let lower = |w: &super::super::tokens::Word| changed(w, raw[w.range.clone()].to_lowercase());
                    choices.push(text.words.iter().filter_map(lower).collect());
                }
                "first" => {
                    for word in text.words.iter().filter(|word| word.opens) {
                        choices.push(changed(word, uncapitalised(&raw[word.range.clone()])).into_iter().collect());
                    }
                }
                _ if guarded => {}
                "upper" => {
                    let upper = |w: &super::super::tokens::Word| changed(w, raw[w.range.clone()].to_uppercase());
                    choices.push(text.words.iter().filter_map(upper).collect());
                }
                _ => {
                    for sentence in &text.sentences {
                        let inside = |w: &&super::super::tokens::Word| {
                            sentence.range.start <= w.range.start && w.range.end <= sentence.range.end
                        };
                        let upper = |w: &super::super::tokens::Word| changed(w, raw[w.range.clone()].to_uppercase());
                        choices.push(text.words.iter().filter(inside).filter_map(upper).collect());
                    }
                }
            }
        }
        choices.retain(|edits| !edits.is_empty());
        if choices.is_empty() {
            return Err("no letter may change its case".to_owned());
        }
        Ok(Box::new(move |draw| draw.one(&choices).cloned()))
    }
}
