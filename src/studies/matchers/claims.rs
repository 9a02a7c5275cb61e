//! What a case itself says that a right transcript has: it decides which mutants are wrong, and which are equivalents
//! that count nowhere. docs/matchers-study.md states the rules.

use regex::Regex;
use serde_json::{Value, json};

use super::witness::{call, call_of};
use crate::matchers::{CallPattern, Demand};
use crate::mutators::transcript::{ArgumentChange, Mutant, Probes, ReplyChange, Touched, numbers};
use crate::suite::Case;
use crate::transcript::{ToolCall, Transcript};

/// The claims of one case.
pub struct Claims {
    demands: Vec<Demand>,
    /// Texts that the reply must hold, in small letters.
    texts: Vec<String>,
    patterns: Vec<Regex>,
    /// Numbers that stand in these texts or in a rule that the case quotes.
    numbers: Vec<String>,
    /// Calls that must be made.
    calls: Vec<CallPattern>,
    input: String,
    /// Some check can't say what it asks for, so that it may look at anything.
    opaque: bool,
}

impl Claims {
    pub fn of(case: &Case) -> Claims {
        let by_assertion: Vec<Vec<Demand>> = case.expect.iter().map(|one| one.matcher.demands()).collect();
        let opaque = by_assertion.iter().any(Vec::is_empty);
        let demands: Vec<Demand> = by_assertion.into_iter().flatten().collect();
        let mut texts: Vec<String> = vec![];
        let mut patterns = vec![];
        for demand in &demands {
            match demand {
                Demand::Says { texts: said, .. } => texts.extend(said.iter().map(|text| text.to_lowercase())),
                Demand::Is(text) | Demand::Starts(text) | Demand::Ends(text) => texts.push(text.to_lowercase()),
                Demand::Matches(wanted) => patterns.extend(wanted.iter().cloned()),
                _ => {}
            }
        }
        let quotes = case.rules.iter().map(|rule| rule.quote.as_str());
        let numbers = texts.iter().map(String::as_str).chain(quotes).flat_map(numbers_in).collect();
        let calls = demands.iter().flat_map(Demand::calls).cloned().collect();
        Claims { demands, texts, patterns, numbers, calls, input: case.input.clone(), opaque }
    }

    /// Calls that the case forbids, each of which makes any transcript wrong.
    pub fn forbidden(&self) -> Vec<ToolCall> {
        let mut made: Vec<ToolCall> = vec![];
        for demand in &self.demands {
            match demand {
                Demand::NoCalls(patterns) if !patterns.is_empty() => made.extend(patterns.iter().map(call_of)),
                Demand::NoCalls(_) | Demand::Exactly { .. } => made.push(call("some_tool", json!({}))),
                _ => {}
            }
        }
        made
    }

    /// Fields that the case names, as JSON pointers.
    pub fn fields(&self) -> Vec<String> {
        let pointer = |demand: &Demand| match demand {
            Demand::Field { pointer, value: Some(_) } => Some(pointer.clone()),
            _ => None,
        };
        self.demands.iter().filter_map(pointer).collect()
    }

    /// True where the case asks for a call.
    pub fn wants_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// True where the right answer may itself say no: the case forbids calls, or its rule or input is a negative one.
    pub fn may_refuse(&self, case: &Case, probes: &Probes) -> bool {
        self.demands.iter().any(|demand| matches!(demand, Demand::NoCalls(_)))
            || case.rules.iter().any(|rule| probes.negates(&rule.quote))
            || probes.negates(&case.input)
    }

    /// Whether a mutant of a passing transcript is wrong by what the case says.
    pub fn is_wrong(&self, mutant: &Mutant) -> bool {
        match &mutant.touched {
            Touched::Calls { name } => self.wants(name),
            Touched::Added { .. } => true,
            Touched::Doubled { name } => self.counts(name, &mutant.transcript),
            Touched::Order => self.is_out_of_order(&mutant.transcript),
            Touched::Argument { name, pointer, was, how } => self.is_claimed(name, pointer, was, *how),
            // No check of the built-in kinds looks at results.
            Touched::Errors => self.opaque,
            Touched::Field { .. } => true,
            Touched::Reply { lost, how } => {
                let kept = mutant.transcript.reply.as_deref().unwrap_or_default();
                match how {
                    ReplyChange::Negated => self.holds_claim(lost),
                    ReplyChange::Number => self.numbers.iter().any(|number| number == lost),
                    ReplyChange::Cut => self.loses_claim(lost, kept),
                    // Where a case only forbids things, what it says of silence is a finding of its own.
                    ReplyChange::Emptied => {
                        self.opaque
                            || self.demands.iter().any(Demand::is_of_reply)
                                && self.demands.iter().any(|demand| !demand.only_limits())
                    }
                }
            }
        }
    }

    fn wants(&self, name: &str) -> bool {
        self.calls.iter().any(|pattern| pattern.name == name)
    }

    /// Whether one more call of this tool is one too many.
    fn counts(&self, name: &str, now: &Transcript) -> bool {
        let made = now.tool_calls.as_deref().unwrap_or_default();
        self.demands.iter().any(|demand| match demand {
            Demand::Calls(calls) => calls.iter().any(|pattern| pattern.name == name && pattern.times.is_some()),
            Demand::Exactly { calls, repeats: false } => calls.iter().any(|pattern| pattern.name == name),
            Demand::MostCalls(limits) => limits.iter().any(|(of, most)| {
                let count = made.iter().filter(|call| of.as_ref().is_none_or(|of| call.name == *of)).count();
                of.as_ref().is_none_or(|of| of == name) && count as u64 > *most
            }),
            _ => false,
        })
    }

    /// Whether a step of an order comes first after a later one did.
    fn is_out_of_order(&self, now: &Transcript) -> bool {
        let made = now.tool_calls.as_deref().unwrap_or_default();
        self.demands.iter().any(|demand| {
            let Demand::Order(steps) = demand else { return false };
            let firsts: Vec<usize> = steps
                .iter()
                .filter_map(|step| made.iter().position(|call| step.iter().any(|pattern| pattern.matches(call))))
                .collect();
            firsts.windows(2).any(|pair| pair[0] > pair[1])
        })
    }

    fn is_claimed(&self, name: &str, pointer: &str, was: &Value, how: ArgumentChange) -> bool {
        let of_tool = |pattern: &&CallPattern| pattern.name == name;
        let named = self.calls.iter().filter(of_tool).find(|pattern| {
            let named = pattern.arguments.as_ref().and_then(|arguments| arguments.pointer(pointer));
            named.is_some_and(|named| named == was || named.to_string().trim_matches('"') == text_of(was))
        });
        match (how, named) {
            (ArgumentChange::Extra, _) => self.calls.iter().filter(of_tool).any(|pattern| pattern.strictness.exact),
            (ArgumentChange::Type, named) => named.is_some_and(|pattern| !pattern.strictness.lenient_types),
            (_, Some(_)) => true,
            // The customer named it, so that a call for another one serves somebody else.
            (_, None) => self.wants(name) && self.stands_in_input(&text_of(was)),
        }
    }

    fn stands_in_input(&self, text: &str) -> bool {
        let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        text.chars().count() >= 3
            && self.input.match_indices(text).any(|(at, _)| {
                edge(self.input[..at].chars().next_back()) && edge(self.input[at + text.len()..].chars().next())
            })
    }

    fn holds_claim(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        self.texts.iter().any(|claimed| lower.contains(claimed)) || self.patterns.iter().any(|one| one.is_match(text))
    }

    fn loses_claim(&self, lost: &str, kept: &str) -> bool {
        let (lost_lower, kept_lower) = (lost.to_lowercase(), kept.to_lowercase());
        let texts = self.texts.iter().any(|claimed| lost_lower.contains(claimed) && !kept_lower.contains(claimed));
        texts || self.patterns.iter().any(|pattern| pattern.is_match(lost) && !pattern.is_match(kept))
    }
}

fn numbers_in(text: &str) -> impl Iterator<Item = String> {
    numbers(text).into_iter().map(|range| text[range].to_owned())
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
