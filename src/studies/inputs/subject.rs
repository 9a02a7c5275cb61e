//! From a case to its variants: what people wrote, what they reviewed, what a model wrote, and what is made.

use std::collections::HashSet;

use regex::Regex;
use serde_json::Value;

use crate::mutators::input::{self, Choice, Kind, NotApplicable, Packs, Shortfall, Variant, Variants, verify};
use crate::suite::{Case, Reviewed};

/// The mutator of a case's own `paraphrases:`, and of what somebody added to a file of variants.
const WRITTEN: &str = "written/paraphrase";

/// One case with its variants, each verified and different from all others.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// Index of the case among those of the study.
    pub case: usize,
    pub variants: Vec<Variant>,
    /// Mutators that made fewer than they were asked for.
    pub shortfalls: Vec<Shortfall>,
    /// Mutators that can't change this input, with the reason: they count in no rate.
    pub not_applicable: Vec<NotApplicable>,
    /// What a person should know of these variants.
    pub notes: Vec<String>,
}

/// What variants are made from, for all cases.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'s> {
    pub packs: &'s Packs,
    pub choice: &'s Choice,
    /// Whatever these match stays as it is.
    pub protect: &'s [Regex],
}

impl Sources<'_> {
    /// The variants of one case: its own paraphrases, all of them; then those of `reviewed` that are kept; then the
    /// `model`'s; then as many made ones as the choice's number leaves room for.
    ///
    /// Of kinds that were not chosen there are none, whoever wrote them.
    pub fn subject(&self, at: usize, case: &Case, reviewed: Option<&Reviewed>, model: Option<&Variants>) -> Subject {
        let literals = literals(case);
        let of = input::Subject {
            case: &case.id,
            input: &case.input,
            literals: &literals,
            protect: self.protect,
            language: None,
        };
        let mut subject = Subject { case: at, ..Subject::default() };
        let mut taken: HashSet<String> = HashSet::from([case.input.clone()]);
        if self.takes(Kind::Written) {
            for (index, text) in case.paraphrases.iter().enumerate() {
                // A person may know better than the check what the same request is: it is used, and said.
                if let Err(breach) = verify(&of, text, Kind::Written) {
                    subject.notes.push(format!("paraphrase {}: {breach}; it is used as it stands", index + 1));
                }
                let variant = Variant::of_text(&of, WRITTEN, Kind::Written, text.clone(), index as u32);
                subject.add(variant, &mut taken);
            }
        }
        if let Some(reviewed) = reviewed {
            self.reviewed(&of, reviewed, &mut subject, &mut taken);
        }
        for variant in model.iter().flat_map(|model| &model.variants) {
            subject.add(variant.clone(), &mut taken);
        }
        self.made(&of, &mut subject, &taken);
        if let Some(model) = model {
            subject.shortfalls.extend(model.shortfalls.iter().cloned());
            subject.not_applicable.extend(model.not_applicable.iter().cloned());
        }
        subject
    }

    fn takes(&self, kind: Kind) -> bool {
        self.choice.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }

    fn reviewed(
        &self,
        of: &input::Subject<'_>,
        reviewed: &Reviewed,
        subject: &mut Subject,
        taken: &mut HashSet<String>,
    ) {
        if reviewed.input != of.input {
            subject.notes.push(format!(
                "{} was made from another input and is left aside: delete it, then `mutate inputs --save`",
                reviewed.file
            ));
            return;
        }
        for (index, one) in reviewed.variants.iter().enumerate() {
            if !one.keep {
                taken.insert(one.text.clone());
            } else if self.takes(one.kind) {
                if let Err(breach) = verify(of, &one.text, one.kind) {
                    subject.notes.push(format!("{} is left out: {breach}", one.place));
                    continue;
                }
                let mutator = one.mutator.as_deref().unwrap_or(WRITTEN);
                let variant = Variant::of_text(of, mutator, one.kind, one.text.clone(), index as u32);
                subject.add(variant, taken);
            }
        }
    }

    /// Fills up with variants that are made now. A larger number only adds to a smaller one's, so it is raised until
    /// enough of them are new.
    fn made(&self, of: &input::Subject<'_>, subject: &mut Subject, taken: &HashSet<String>) {
        let room = self.choice.variants.saturating_sub(subject.variants.len());
        let mut wanted = room;
        loop {
            let choice = Choice { variants: wanted, ..self.choice.clone() };
            let result = input::variants(self.packs, of, &choice);
            let all = result.variants.len();
            let mut new: Vec<Variant> =
                result.variants.into_iter().filter(|variant| !taken.contains(&variant.text)).collect();
            if new.len() < room && all == wanted {
                wanted += room - new.len();
                continue;
            }
            new.truncate(room);
            subject.variants.append(&mut new);
            subject.shortfalls = result.shortfalls;
            subject.not_applicable = result.not_applicable;
            return;
        }
    }
}

impl Subject {
    fn add(&mut self, variant: Variant, taken: &mut HashSet<String>) {
        if taken.insert(variant.text.clone()) {
            self.variants.push(variant);
        }
    }
}

/// The texts that a case depends on: of its assertions, their arguments and its fixtures.
pub fn literals(case: &Case) -> Vec<String> {
    let mut literals: Vec<String> = case.expect.iter().flat_map(|assertion| assertion.matcher.literals()).collect();
    texts(&case.fixtures, &mut literals);
    literals.retain(|text| !text.trim().is_empty());
    literals.sort();
    literals.dedup();
    literals
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(pairs) => {
            for (key, value) in pairs {
                found.push(key.clone());
                texts(value, found);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}
