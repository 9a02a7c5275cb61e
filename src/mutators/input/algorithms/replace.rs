//! Words and phrases for others, from a table.

use std::collections::HashMap;
use std::ops::Range;

use super::super::edit::Edit;
use super::super::text::Text;
use super::{Algorithm, Maker, capitalised};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct Replace {
    pairs: Vec<(String, String)>,
    /// First word of a phrase to its pairs, the longest phrase first.
    by_first: HashMap<String, Vec<usize>>,
    /// Hits of one variant.
    most: usize,
    every: bool,
    /// Only where another word follows in the same line.
    followed: bool,
    /// Not where one of these words stands before.
    not_after: Vec<String>,
}

/// `pairs` (a phrase to one or several others), `swaps` (pairs that hold in both directions), `most` (places changed in
/// one variant), `every` (all of them), `followed` (only where another word follows in the same line), `not_after` (words
/// that must not stand before).
pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("replace", node, diagnostics)?;
    let every = fields.boolean("every", diagnostics).unwrap_or(false);
    let followed = fields.boolean("followed", diagnostics).unwrap_or(false);
    let not_after = fields.texts("not_after", diagnostics).unwrap_or_default();
    let most = fields.whole_within("most", 1, 100, diagnostics).unwrap_or(2) as usize;
    let tables = [(fields.take("pairs"), false), (fields.take("swaps"), true)];
    fields.finish(diagnostics);
    let mut pairs = vec![];
    for (table, both) in tables {
        let Some(table) = table else { continue };
        if table.mapping().is_none() {
            let message = format!("a table of phrases must be a mapping, but this is {}", table.describe());
            diagnostics.error(&table.place, message).help.push("write `pairs: {want to: would like to}`".to_owned());
        }
        read_table(table, both, &mut pairs, diagnostics);
    }
    if pairs.is_empty() {
        diagnostics.error(&node.place, "`replace` needs phrases in `pairs` or `swaps`");
        return None;
    }
    let mut by_first: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, (from, _)) in pairs.iter().enumerate() {
        let first: String = from.chars().take_while(|c| c.is_alphabetic() || *c == '\'').collect();
        by_first.entry(first).or_default().push(at);
    }
    for found in by_first.values_mut() {
        found.sort_by_key(|at| std::cmp::Reverse(pairs[*at].0.len()));
    }
    Some(Box::new(Replace { pairs, by_first, most, every, followed, not_after }))
}

fn read_table(table: &Node, both: bool, pairs: &mut Vec<(String, String)>, diagnostics: &mut Diagnostics) {
    for (key, value) in table.mapping().unwrap_or_default() {
        let from = key.text().unwrap_or_default().to_owned();
        let targets: Vec<&Node> = value.sequence().map_or_else(|| vec![value], |items| items.iter().collect());
        if from.to_lowercase() != from || !from.starts_with(char::is_alphabetic) {
            diagnostics.error(&key.place, "the left side of a pair must be a phrase in small letters");
            continue;
        }
        for target in targets {
            let Some(to) = target.text() else {
                let message = format!("the right side of a pair must be text, but this is {}", target.describe());
                diagnostics.error(&target.place, message);
                continue;
            };
            pairs.push((from.clone(), to.to_owned()));
            if both && to.starts_with(char::is_alphabetic) {
                pairs.push((to.to_lowercase(), with_large_i(&from)));
            }
        }
    }
}

/// A phrase in small letters as it is written inside a sentence.
fn with_large_i(phrase: &str) -> String {
    let words = phrase
        .split(' ')
        .map(|word| if word == "i" || word.starts_with("i'") { capitalised(word) } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

/// One place where a pair fits.
struct Site {
    range: Range<usize>,
    /// What may stand here instead.
    choices: Vec<String>,
    /// "a" or "an" before it, to be kept right.
    article: Option<Range<usize>>,
}

impl Algorithm for Replace {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let sites = self.sites(text);
        if sites.is_empty() {
            return Err("none of its phrases stands in the input".to_owned());
        }
        Ok(Box::new(move |draw| {
            let hits = if self.every { sites.len() } else { 1 + draw.below(self.most.min(sites.len())) };
            let mut edits = vec![];
            for at in draw.distinct(hits, sites.len()) {
                let site = &sites[at];
                let choice = draw.one(&site.choices)?;
                edits.push(Edit::new(site.range.clone(), choice.clone()));
                if let Some(article) = &site.article {
                    edits.extend(agreeing(&text.raw[article.clone()], choice).map(|a| Edit::new(article.clone(), a)));
                }
            }
            Some(edits)
        }))
    }
}

impl Replace {
    /// Places from left to right, apart from each other; the longest phrase wins.
    fn sites(&self, text: &Text) -> Vec<Site> {
        let mut sites: Vec<Site> = vec![];
        let mut end = 0;
        for (at, word) in text.words.iter().enumerate() {
            if word.range.start < end || !word.free {
                continue;
            }
            let before = at.checked_sub(1).map(|before| &text.words[before]);
            if before.is_some_and(|before| self.not_after.contains(&before.lower)) {
                continue;
            }
            let mut site: Option<Site> = None;
            for pair in self.by_first.get(&word.lower).into_iter().flatten() {
                let (from, to) = &self.pairs[*pair];
                if site.as_ref().is_some_and(|site| lowered(&text.raw[site.range.clone()]) != *from) {
                    break;
                }
                let Some(range) = fits(text, word.range.start, from) else { continue };
                let mut rest = text.raw[range.end..].chars();
                if self.followed && !(rest.next() == Some(' ') && rest.next().is_some_and(char::is_alphabetic)) {
                    continue;
                }
                let large = text.raw[range.clone()].starts_with(char::is_uppercase);
                let to = if large && word.opens { capitalised(to) } else { to.clone() };
                let before = before.filter(|before| {
                    matches!(before.lower.as_str(), "a" | "an")
                        && before.free
                        && before.range.end + 1 == word.range.start
                });
                site.get_or_insert(Site { range, choices: vec![], article: before.map(|word| word.range.clone()) })
                    .choices
                    .push(to);
            }
            if let Some(site) = site {
                end = site.range.end;
                sites.push(site);
            }
        }
        sites
    }
}

/// The range from `start` that reads `phrase` in any case of letters and ends with a word, if it is free.
fn fits(text: &Text, start: usize, phrase: &str) -> Option<Range<usize>> {
    let mut end = start;
    let mut rest = text.raw[start..].chars();
    for wanted in phrase.chars() {
        let c = rest.next()?;
        let same = c == wanted || c == '\u{2019}' && wanted == '\'' || c.to_lowercase().eq([wanted]);
        if !same {
            return None;
        }
        end += c.len_utf8();
    }
    let cut = rest.next().is_some_and(|c| {
        c.is_alphanumeric()
            || c == '-'
            || matches!(c, '\'' | '\u{2019}') && rest.next().is_some_and(char::is_alphabetic)
    });
    (!cut && text.is_free(&(start..end))).then_some(start..end)
}

fn lowered(text: &str) -> String {
    text.to_lowercase().replace('\u{2019}', "'")
}

/// The article that `word` needs, where it is another one.
fn agreeing(article: &str, word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let sounds = ["u", "eu", "one", "once"].iter().any(|start| lower.starts_with(start))
        && !lower.starts_with("un")
        && !lower.starts_with("up");
    let vowel = lower.starts_with(['a', 'e', 'i', 'o', 'u']) && !sounds
        || lower.starts_with("hour")
        || lower.starts_with("honest");
    match (article, vowel) {
        ("a", true) => Some("an"),
        ("A", true) => Some("An"),
        ("an", false) => Some("a"),
        ("An", false) => Some("A"),
        _ => None,
    }
}
