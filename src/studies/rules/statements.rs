//! Which statements of an instruction file are rules: what coverage counts.
//!
//! A statement is a sentence of a paragraph, an item or a table's cell. It is *rule-like* where the rule mutators see a
//! command in it: `invert` or `weaken` turn it, or refuse it for a reason that speaks of a rule. Headings, code, front
//! matter and examples are none, nor is a lead-in ("Never share:"); its items are, where it commands or they do. The words
//! and the list of reasons are data: `mutators/coverage.yaml`.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use serde::Deserialize;

use crate::instructions::{Document, Statement, Unit, UnitKind, front_matter, sentences, units};
use crate::mutators::rule::{Inversion, RefusalReason, invert, weaken};

/// One statement of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleStatement {
    /// Bytes of [`Document::text`].
    pub range: Range<usize>,
    /// Its words in one line, escapes of a string resolved.
    pub text: String,
    /// The heading, tag or key that it stands under.
    pub section: Option<String>,
}

/// The statements of one document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statements {
    /// Those that are rules, in order and without overlap.
    pub rules: Vec<RuleStatement>,
    /// How many are in a language, or a pattern of it, that no pack knows: nobody can say what they are.
    pub unread: usize,
}

/// What counts, as it is written in `mutators/coverage.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    no_rule: Vec<String>,
    examples: Vec<String>,
    illustrations: Vec<String>,
    speakers: Vec<String>,
    idle: Vec<String>,
}

impl Words {
    fn get() -> &'static Words {
        static WORDS: OnceLock<Words> = OnceLock::new();
        WORDS.get_or_init(|| {
            serde_yaml::from_str(include_str!("../../../mutators/coverage.yaml"))
                .expect("the embedded file is read by a test")
        })
    }

    fn speaks_of_a_rule(&self, reason: RefusalReason) -> bool {
        !self.no_rule.iter().any(|name| name == reason.name())
    }

    /// Whether a heading, a tag's name or a lead-in announces examples.
    fn announces_examples(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        name.split(|c: char| !c.is_alphanumeric()).any(|word| self.examples.iter().any(|known| known == word))
    }

    /// Whether a sentence only illustrates, only says that rules follow, or is somebody's turn in a dialogue.
    fn illustrates(&self, text: &str) -> bool {
        let lower = text.trim_start_matches(['*', '_', '(', '"', ' ']).to_lowercase();
        if self.illustrations.iter().any(|opening| lower.starts_with(opening.as_str())) {
            return true;
        }
        let bare = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
        if self.idle.iter().any(|idle| idle == bare) {
            return true;
        }
        let Some((before, _)) = lower.split_once([':', '：']) else { return false };
        let speaker = before.trim_end_matches(['*', '_', ' ']);
        self.speakers.iter().any(|known| known == speaker)
    }
}

/// What a sentence is to the rule mutators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Rule,
    Nothing,
    /// In words that no pack knows.
    Unread,
}

fn said(text: &str) -> Said {
    let words = Words::get();
    // One word alone is a name or an answer, whatever its form.
    if text.split_whitespace().nth(1).is_none() && text.chars().filter(|c| !c.is_ascii()).count() < 4 {
        return Said::Nothing;
    }
    // A fence that nobody closes opens a block of code all the same.
    if words.illustrates(text) || text.starts_with("```") || text.starts_with("~~~") {
        return Said::Nothing;
    }
    for found in [invert(text), weaken(text)] {
        match found {
            Inversion::Inverted(_) => return Said::Rule,
            Inversion::Refused(refusal) if refusal.reason == RefusalReason::OtherLanguage => return Said::Unread,
            Inversion::Refused(refusal) if words.speaks_of_a_rule(refusal.reason) => return Said::Rule,
            Inversion::Refused(_) => {}
        }
    }
    Said::Nothing
}

/// Whether a lead-in makes a rule of each of its items. A permission ("You can use these tools:") is about the list, and
/// "A customer has:" a fact in the form of a rule.
fn commands(lead_in: &str) -> bool {
    let third_person =
        invert(lead_in).text().is_some_and(|text| text.contains("does not ")) && !lead_in.contains(" not ");
    !third_person && weaken(lead_in).text().is_some()
}

/// What the items below a lead-in are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeadIn {
    /// "Never share:": each item is a rule with it.
    Commands,
    /// "Our rooms:": each item speaks for itself.
    Names,
    /// "Examples:".
    Examples,
}

/// The statements of a document that are rules.
pub fn rule_statements(document: &Document) -> Statements {
    let text = document.text();
    let words = Words::get();
    let matter = front_matter(document);
    let examples = tagged_examples(text);
    let all: Vec<Unit> = units(document);
    let mut found = Statements::default();
    let mut example_level: Option<usize> = None;
    // Lead-ins that are open, each with the column that its items are right of.
    let mut open: Vec<(usize, LeadIn)> = vec![];
    for (at, unit) in all.iter().enumerate() {
        let written = &text[unit.range.clone()];
        if unit.kind == UnitKind::Heading {
            let level = heading_level(text, unit.range.start);
            example_level = example_level.filter(|outer| level > *outer);
            if example_level.is_none() && words.announces_examples(written) {
                example_level = Some(level);
            }
            open.clear();
            continue;
        }
        let inside = |range: &Range<usize>| range.start <= unit.range.start && unit.range.end <= range.end;
        let is_item = unit.kind == UnitKind::Item;
        let column = document.line_column(unit.range.start).1;
        open.retain(|(left, _)| is_item && *left < column);
        let skipped = unit.kind == UnitKind::Code
            || example_level.is_some()
            || matter.as_ref().is_some_and(inside)
            || examples.iter().any(inside)
            || unit.section.as_deref().is_some_and(|section| words.announces_examples(section));
        if skipped {
            continue;
        }
        let above = open.last().map(|(_, lead_in)| *lead_in);
        if above == Some(LeadIn::Examples) {
            continue;
        }
        let followed = all.get(at + 1).is_some_and(|next| {
            next.kind == UnitKind::Item && (!is_item || document.line_column(next.range.start).1 > column)
        });
        let parts = parts(document, unit);
        let last = parts.len().saturating_sub(1);
        for (number, statement) in parts.into_iter().enumerate() {
            let one_line = statement.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let is = said(&one_line);
            if followed && number == last && one_line.trim_end_matches(['*', '_', ' ']).ends_with([':', '：']) {
                let lead_in = match is {
                    _ if words.announces_examples(&one_line) => LeadIn::Examples,
                    Said::Rule if commands(&one_line) => LeadIn::Commands,
                    _ => LeadIn::Names,
                };
                open.push((if is_item { column } else { 0 }, lead_in));
                continue;
            }
            if is == Said::Unread {
                found.unread += 1;
            }
            // Below a command only an item's first sentence is what it commands; the others explain it.
            if is == Said::Rule || (above == Some(LeadIn::Commands) && number == 0) {
                let section = unit.section.clone();
                found.rules.push(RuleStatement { range: statement.range, text: one_line, section });
            }
        }
    }
    found
}

/// The sentences of a unit.
fn parts(document: &Document, unit: &Unit) -> Vec<Statement> {
    let text = &document.text()[unit.range.clone()];
    let ranges = match unit.kind {
        UnitKind::Item | UnitKind::Cell => sentences(text),
        _ => std::iter::once(0..text.len()).collect(),
    };
    let start = unit.range.start;
    ranges.into_iter().map(|part| Statement::at(document, start + part.start..start + part.end)).collect()
}

/// How many `#` a heading has; 1 for one that is underlined.
fn heading_level(text: &str, start: usize) -> usize {
    let before = text[..start].trim_end_matches([' ', '\t']);
    (before.len() - before.trim_end_matches('#').len()).max(1)
}

/// What stands between tags such as `<example>`, whatever tags are inside.
fn tagged_examples(text: &str) -> Vec<Range<usize>> {
    static TAG: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"<(/?)([\p{L}][\p{L}\p{N}_.-]*)[^<>]*>").expect("the pattern is fixed and valid"));
    let mut found = vec![];
    let mut open: Option<(String, usize)> = None;
    for tag in TAG.captures_iter(text) {
        let whole = tag.get(0).expect("the whole match is always there").range();
        let name = tag[2].to_lowercase();
        match &open {
            None if tag[1].is_empty() && Words::get().announces_examples(&name) => open = Some((name, whole.start)),
            Some((opened, from)) if !tag[1].is_empty() && *opened == name => {
                found.push(*from..whole.end);
                open = None;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;
