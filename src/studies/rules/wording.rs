//! In which words each operator changes a rule, or why it can't.

use std::collections::BTreeMap;

use super::Arm;
use super::inverting::{Opposite, Stubborn, is_worth_asking};
use super::quotes::Stated;
use super::subject::Workshop;
use super::values::case_values;
use crate::instructions::Edit;
use crate::mutators::rule::{Inversion, Refusal, invert, threshold, weaken};
use crate::suite::{Case, Rule};

/// The words of one mutant.
pub(super) struct Wording {
    /// The error is the reason for a report.
    pub(super) edit: Result<Edit, String>,
    /// Who worded it: `case`, `offline` or `model`.
    pub(super) source: &'static str,
    /// The helper, where its words are used.
    pub(super) made_by: Option<String>,
    /// The helper that a run would ask.
    pub(super) would_ask: Option<String>,
    /// What a helper may be asked about.
    pub(super) stubborn: Option<Stubborn>,
}

impl Wording {
    fn offline(edit: Result<Edit, String>) -> Wording {
        Wording { edit, source: "offline", made_by: None, would_ask: None, stubborn: None }
    }
}

/// What a helper model made of the rules that were refused offline.
#[derive(Debug, Clone)]
pub struct Helped {
    /// The helper, as a report names it.
    pub helper: String,
    /// By the rule as the instructions word it.
    pub opposites: BTreeMap<String, Opposite>,
}

impl Workshop<'_> {
    pub(super) fn wording(&self, arm: Arm, case: &Case, rule: &Rule, stated: &[Stated<'_>]) -> Wording {
        let words = words_of(rule, stated);
        match arm {
            Arm::Delete => Wording::offline(Ok(Edit::Delete)),
            Arm::Invert => self.opposite(case, rule, words),
            Arm::Threshold => {
                let values = case_values(case, &words);
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                Wording::offline(worded(threshold(&words, &values)))
            }
            _ => Wording::offline(worded(weaken(&words))),
        }
    }

    /// The author's own opposite first, then the offline one, then the helper's.
    fn opposite(&self, case: &Case, rule: &Rule, words: String) -> Wording {
        if let Some(text) = &rule.inverted {
            return Wording { source: "case", ..Wording::offline(Ok(Edit::Replace(text.clone()))) };
        }
        let refusal = match invert(&words) {
            Inversion::Refused(refusal) if is_worth_asking(refusal.reason) => refusal,
            found => return Wording::offline(worded(found)),
        };
        let told =
            |helped: &Helped| (helped.helper.clone(), helped.opposites.get(&words).cloned().unwrap_or(Opposite::Open));
        match self.helped.as_ref().map(told) {
            Some((helper, Opposite::Made(text))) => {
                Wording { source: "model", made_by: Some(helper), ..Wording::offline(Ok(Edit::Replace(text))) }
            }
            Some((_, Opposite::Refused(reason, why))) => {
                let offline = refusal.reason.name();
                let text = format!("{}: {why}; {} ({offline} offline)", reason.name(), reason.advice());
                Wording { source: "model", ..Wording::offline(Err(text)) }
            }
            open => Wording {
                would_ask: open.map(|(helper, _)| helper),
                stubborn: Some(Stubborn { case: case.id.clone(), rule: words }),
                ..Wording::offline(Err(refused(&refusal)))
            },
        }
    }
}

/// The rule as the file words it, where the quote is all of it: a quote may be in other letter case, or leave words out.
fn words_of(rule: &Rule, stated: &[Stated<'_>]) -> String {
    let text = &stated[0].statements[0].text;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if rule.quote.contains(['…']) || rule.quote.contains("...") { words } else { one_line(&rule.quote, &words) }
}

/// The file's spelling, unless it carries list or quote marks between its lines that the quote does not have.
fn one_line(quote: &str, words: &str) -> String {
    let letters =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    if letters(quote) == letters(words) { words.to_owned() } else { quote.to_owned() }
}

fn worded(inversion: Inversion) -> Result<Edit, String> {
    match inversion {
        Inversion::Inverted(text) => Ok(Edit::Replace(text)),
        Inversion::Refused(refusal) => Err(refused(&refusal)),
    }
}

fn refused(refusal: &Refusal) -> String {
    format!("{}: {}", refusal.reason.name(), refusal.reason.advice())
}
