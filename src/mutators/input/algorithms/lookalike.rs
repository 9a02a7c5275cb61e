//! Letters that only look right: homoglyphs, full width, and signs without width between letters.

use super::super::edit::Edit;
use super::super::text::Text;
use super::super::tokens::Word;
use super::{Algorithm, Maker};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct Lookalike {
    letters: Vec<(String, String)>,
    insert: Vec<String>,
    /// Letters of one word, at most.
    a_word: usize,
    /// Words, at most.
    words: usize,
}

/// `letters` (a letter to its double) or `insert` (signs put between letters), `a_word` (at most 2), `words`.
pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("lookalike", node, diagnostics)?;
    let a_word = fields.whole_within("a_word", 1, 2, diagnostics).unwrap_or(2) as usize;
    let words = fields.whole_within("words", 1, 100, diagnostics).unwrap_or(4) as usize;
    let insert = fields.texts("insert", diagnostics).unwrap_or_default();
    let mut letters = vec![];
    if let Some(table) = fields.take("letters") {
        for (key, value) in table.mapping().unwrap_or_default() {
            match (key.text(), value.text()) {
                (Some(from), Some(to)) => letters.push((from.to_owned(), to.to_owned())),
                _ => {
                    diagnostics.error(&key.place, "a letter must be given its double: `a: а`");
                }
            }
        }
    }
    if letters.is_empty() && insert.is_empty() {
        diagnostics.error(&node.place, "`lookalike` needs `letters` or `insert`");
    }
    fields.finish(diagnostics);
    Some(Box::new(Lookalike { letters, insert, a_word, words }))
}

impl Algorithm for Lookalike {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let sites: Vec<(&Word, Vec<Edit>)> = text
            .free_words()
            .map(|(_, word)| (word, self.choices(text, word)))
            .filter(|(_, choices)| !choices.is_empty())
            .collect();
        if sites.is_empty() {
            return Err("no letter has a double".to_owned());
        }
        Ok(Box::new(move |draw| {
            let hits = 1 + draw.below(self.words.min(sites.len()));
            let mut edits = vec![];
            for at in draw.distinct(hits, sites.len()) {
                let choices = &sites[at].1;
                let letters = 1 + draw.below(self.a_word.min(choices.len()));
                edits.extend(draw.distinct(letters, choices.len()).into_iter().map(|at| choices[at].clone()));
            }
            Some(edits)
        }))
    }
}

impl Lookalike {
    fn choices(&self, text: &Text, word: &Word) -> Vec<Edit> {
        let mut choices = vec![];
        for at in 0..word.graphemes() {
            let range = word.bounds[at]..word.bounds[at + 1];
            let letter = &text.raw[range.clone()];
            if !text.is_free(&range) {
                continue;
            }
            if let Some((_, double)) = self.letters.iter().find(|(from, _)| from == letter) {
                choices.push(Edit::new(range.clone(), double.clone()));
            }
            if at > 0 {
                choices.extend(self.insert.first().map(|sign| Edit::insert(range.start, sign.clone())));
            }
        }
        choices
    }
}
