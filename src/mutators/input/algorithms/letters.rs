//! Slips inside a word: a neighbouring key, swapped, missing and doubled letters, and misspellings of the dictionary.
//!
//! The first letter stays, at most one word in five is hit (the `rate`) and no word twice. In English the result is no
//! word of the list and no known misspelling of another word; in other languages, where there is no list, only longer
//! words are hit.

use super::super::draw::Draw;
use super::super::edit::Edit;
use super::super::text::Text;
use super::super::tokens::Word;
use super::super::words::{may_be_word, means_another_word, misspellings};
use super::{Algorithm, Maker, capitalised};
use crate::source::{Diagnostics, Fields, Node};

/// Draws for one word before it is left as it is.
const TRIES: usize = 6;

#[derive(Debug)]
struct Letters {
    slip: Slip,
    /// Of words that may be hit, as a share of all words; at least one is, unless it is 0.
    rate: f64,
    /// Words hit in one variant, whatever the rate.
    most: usize,
    /// Graphemes that a word must have.
    least: usize,
}

#[derive(Debug)]
enum Slip {
    /// Every key with its neighbours.
    Key(Vec<(char, Vec<char>)>),
    Transpose,
    Omit,
    Double,
    Misspell,
}

pub(in super::super) fn key_slip(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("key_slip", node, diagnostics)?;
    let rows_node = fields.get("rows");
    let rows = match fields.texts("rows", diagnostics) {
        Some(rows) => rows,
        None => {
            fields.required("rows", diagnostics);
            vec![]
        }
    };
    if let Some(place) = rows_node.map(|node| &node.place)
        && rows.iter().flat_map(|row| row.chars()).any(|key| !key.is_lowercase())
    {
        diagnostics.error(place, "`rows` must hold small letters only, a row of keys each").help.push(
            "write `rows: [qwertyuiop, asdfghjkl, zxcvbnm]`; every row stands half a key to the right of the one above"
                .to_owned(),
        );
        return None;
    }
    letters(Slip::Key(neighbours(&rows)), fields, diagnostics)
}

pub(in super::super) fn transpose(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    letters(Slip::Transpose, Fields::of("transpose", node, diagnostics)?, diagnostics)
}

pub(in super::super) fn omit(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    letters(Slip::Omit, Fields::of("omit", node, diagnostics)?, diagnostics)
}

pub(in super::super) fn double(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    letters(Slip::Double, Fields::of("double", node, diagnostics)?, diagnostics)
}

pub(in super::super) fn misspell(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    letters(Slip::Misspell, Fields::of("misspell", node, diagnostics)?, diagnostics)
}

fn letters(slip: Slip, mut fields: Fields, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let rate = fields.number("rate", 0.0, 1.0, diagnostics).unwrap_or(0.2);
    let most = fields.whole_within("most", 1, 1000, diagnostics).unwrap_or(1000) as usize;
    let least = fields.whole_within("least", 3, 40, diagnostics).unwrap_or(4) as usize;
    fields.finish(diagnostics);
    Some(Box::new(Letters { slip, rate, most, least }))
}

/// Keys that a finger reaches by a slip: left, right, and the two above and below, every row being half a key to the
/// right of the one above.
fn neighbours(rows: &[String]) -> Vec<(char, Vec<char>)> {
    let rows: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
    let key = |row: Option<usize>, column: Option<usize>| Some(*rows.get(row?)?.get(column?)?);
    let mut table = vec![];
    for (r, row) in rows.iter().enumerate() {
        for (c, letter) in row.iter().enumerate() {
            let (above, below) = (r.checked_sub(1), Some(r + 1));
            let (left, here, right) = (c.checked_sub(1), Some(c), Some(c + 1));
            let near = [
                key(Some(r), left),
                key(Some(r), right),
                key(above, here),
                key(above, right),
                key(below, left),
                key(below, here),
            ];
            table.push((*letter, near.into_iter().flatten().collect()));
        }
    }
    table
}

impl Algorithm for Letters {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        if self.rate == 0.0 {
            return Err("its rate is 0".to_owned());
        }
        let sites: Vec<&Word> = text.free_words().map(|(_, word)| word).filter(|word| self.fits(text, word)).collect();
        if sites.is_empty() {
            return Err(match self.slip {
                Slip::Misspell => "no word of the input has a known misspelling".to_owned(),
                _ => format!("no word of at least {} letters may be changed", self.least),
            });
        }
        // A run of a script without spaces holds several words: about two signs each.
        let size = |word: &Word| if word.spaceless { word.graphemes().div_ceil(2) } else { 1 };
        let words: usize = text.words.iter().map(size).sum();
        let most = ((words as f64 * self.rate) as usize).clamp(1, sites.len()).min(self.most);
        Ok(Box::new(move |draw| {
            let hits = 1 + draw.below(most);
            let chosen = draw.distinct(hits, sites.len());
            let edits: Vec<Edit> = chosen.into_iter().filter_map(|at| self.hit(text, sites[at], draw)).collect();
            (!edits.is_empty()).then_some(edits)
        }))
    }
}

impl Letters {
    fn fits(&self, text: &Text, word: &Word) -> bool {
        if let Slip::Misspell = self.slip {
            return text.tongue.is_english() && misspellings(&word.lower).next().is_some();
        }
        if word.spaceless {
            return matches!(self.slip, Slip::Transpose | Slip::Double) && word.graphemes() >= 4;
        }
        // Without a word list, a short word is too likely to become another one.
        let least = if text.tongue.is_english() { self.least } else { self.least.max(6) };
        word.graphemes() >= least && !word.lower.contains('\'')
    }

    fn hit(&self, text: &Text, word: &Word, draw: &mut Draw) -> Option<Edit> {
        (0..TRIES).find_map(|_| self.slip_in(text, word, draw))
    }

    fn slip_in(&self, text: &Text, word: &Word, draw: &mut Draw) -> Option<Edit> {
        let raw = text.raw;
        let length = word.graphemes();
        let edit = match &self.slip {
            Slip::Misspell => {
                let known = misspellings(&word.lower).count();
                let wrong = misspellings(&word.lower).nth(draw.below(known))?;
                return Some(Edit::new(word.range.clone(), cased_like(&raw[word.range.clone()], wrong)));
            }
            Slip::Key(keys) => {
                let at = 1 + draw.below(length - 1);
                let letter = word.grapheme(raw, at);
                let mut chars = letter.chars();
                let (pressed, None) = (chars.next()?, chars.next()) else { return None };
                let (_, near) = keys.iter().find(|(key, _)| pressed.to_lowercase().eq([*key]))?;
                let slipped = *draw.one(near)?;
                let slipped =
                    if pressed.is_uppercase() { slipped.to_uppercase().collect() } else { slipped.to_string() };
                Edit::new(word.bounds[at]..word.bounds[at + 1], slipped)
            }
            Slip::Transpose => {
                let at = 1 + draw.below(length - 2);
                let (a, b) = (word.grapheme(raw, at), word.grapheme(raw, at + 1));
                // Two words of Chinese may be each other's swap, and no list is here to tell.
                if a == b || a.chars().chain(b.chars()).any(is_han) {
                    return None;
                }
                Edit::new(word.bounds[at]..word.bounds[at + 2], format!("{b}{a}"))
            }
            Slip::Omit => {
                let at = 1 + draw.below(length - 2);
                Edit::new(word.bounds[at]..word.bounds[at + 1], "")
            }
            Slip::Double => {
                let at = 1 + draw.below(length - 1);
                let letter = word.grapheme(raw, at);
                if word.grapheme(raw, at - 1) == letter {
                    return None;
                }
                Edit::new(word.bounds[at]..word.bounds[at + 1], letter.repeat(2))
            }
        };
        // In a script without spaces the neighbours of a negation belong to it.
        let around = if word.spaceless { 4 } else { 0 };
        let near = edit.range.start.saturating_sub(around)..edit.range.end + around;
        if !text.is_free(&near) {
            return None;
        }
        let mut made = String::with_capacity(word.range.len() + 4);
        made.push_str(&raw[word.range.start..edit.range.start]);
        made.push_str(&edit.after);
        made.push_str(&raw[edit.range.end..word.range.end]);
        let made = made.to_lowercase();
        let other_word = made == word.lower
            || text.tongue.guards(&made)
            || text.tongue.is_english() && (may_be_word(&made) || means_another_word(&made, &word.lower));
        (!other_word).then_some(edit)
    }
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

/// `wrong` with a large first letter, or all large, where `written` is.
fn cased_like(written: &str, wrong: &str) -> String {
    let large = written.chars().take_while(|c| c.is_uppercase()).count();
    match large {
        0 => wrong.to_owned(),
        1 => capitalised(wrong),
        _ => wrong.to_uppercase(),
    }
}
