//! The `scripted` agent: a stand-in for tests, demonstrations and benchmarks. It calls no model.
//!
//! Its script says how it behaves when a rule stands in its instructions and when it does not, and with which
//! probability. That makes it an agent whose true answer to every study is known. It says nothing about real agents.

mod fold;
mod script;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::distinct::Distinct;
use super::{Agent, AskError, Asking, Delivery, Fault, InstructionFile, Request, Retry, Surroundings, canary};
use crate::source::{Diagnostics, Node};
use crate::transcript::Transcript;

use fold::{fold, stands_in};
pub use script::Script;
use script::{Behaviour, Habit, ScriptedFault};

/// Reads what stands under `scripted:`: a file name, or the script itself.
pub(super) fn read(node: &Node, surroundings: &Surroundings, diagnostics: &mut Diagnostics) -> Option<Arc<dyn Agent>> {
    let from_file;
    let node = match node.text() {
        Some(file) => {
            from_file = super::reading::yaml_file(&surroundings.root, file, &node.place, diagnostics)?;
            &from_file
        }
        None => node,
    };
    let script = Script::read(node, diagnostics)?;
    Some(Arc::new(Scripted::new(script, node.to_value(), surroundings.timeout)))
}

pub(super) fn schema() -> schemars::Schema {
    schemars::schema_for!(Script)
}

/// An agent that follows a script: a stand-in for tests, demonstrations and benchmarks.
pub struct Scripted {
    script: Script,
    settings: Value,
    /// How long a hanging trial hangs.
    timeout: Duration,
    standing: Distinct<Standing>,
    /// In place of habits: the chance of a "yes" in each arm.
    chances: Option<HashMap<String, f64>>,
}

/// What of a script's texts stands in one set of instructions.
struct Standing {
    empty: bool,
    canary: Option<String>,
    /// For each habit.
    rules: Vec<Stand>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    Rule,
    Inverted,
    Neither,
}

impl Scripted {
    /// `settings` is the script as it was written, for the journal's key; `timeout` is how long `fault: hang` hangs.
    pub fn new(script: Script, settings: Value, timeout: Duration) -> Scripted {
        Scripted { script, settings, timeout, standing: Distinct::default(), chances: None }
    }

    /// For simulations: an agent that says "yes" with the given probability in each arm, and "no" otherwise. An arm that
    /// is not named says "no". Probabilities outside of 0 to 1 count as 0 or 1.
    pub fn from_probabilities(chances: HashMap<String, f64>) -> Scripted {
        let sorted: std::collections::BTreeMap<_, _> = chances.iter().collect();
        let settings = json!({ "probabilities": sorted });
        Scripted { chances: Some(chances), ..Scripted::new(Script::default(), settings, Duration::ZERO) }
    }

    /// The number from 0 to 1 that decides one trial: the same for the same seed, case, arm and trial, in any order.
    fn draw(request: &Request) -> f64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&request.seed.to_le_bytes());
        for name in [&request.case, &request.arm] {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
        }
        hasher.update(&request.trial.to_le_bytes());
        ChaCha8Rng::from_seed(*hasher.finalize().as_bytes()).random()
    }

    fn standing(&self, files: &[InstructionFile]) -> Standing {
        let texts: Vec<&str> = files.iter().map(|file| file.text.as_str()).collect();
        let whole = texts.join("\n\n");
        let folded = fold(&whole);
        Standing {
            empty: folded.is_empty(),
            canary: canary::demanded_nonce(&whole).map(str::to_owned),
            rules: self.script.habits.iter().map(|habit| stand(habit, &folded)).collect(),
        }
    }

    fn behaviours(&self, request: &Request, standing: &Standing) -> &[Behaviour] {
        let mut input = None;
        let matching = self
            .script
            .habits
            .iter()
            .zip(&standing.rules)
            .find(|(habit, _)| habit.matches(&request.input, input.get_or_insert_with(|| fold(&request.input))));
        let Some((habit, stand)) = matching else { return &self.script.otherwise };
        let without = habit.without.as_deref().unwrap_or(&habit.with);
        match stand {
            _ if standing.empty => habit.bare.as_deref().unwrap_or(without),
            Stand::Rule => &habit.with,
            Stand::Inverted => habit.opposed.as_deref().unwrap_or(without),
            Stand::Neither => without,
        }
    }

    async fn answer(&self, request: &Request) -> Result<Transcript, AskError> {
        let draw = Scripted::draw(request);
        if let Some(chances) = &self.chances {
            let chance = chances.get(&request.arm).copied().unwrap_or(0.0);
            return Ok(Transcript {
                tool_calls: Some(vec![]),
                ..Transcript::text(if draw < chance { "yes" } else { "no" })
            });
        }
        let standing = self.standing.get(&request.instructions, |files, _| Ok::<_, AskError>(self.standing(files)))?;
        if let Some(nonce) = &standing.canary
            && self.script.canary_follows
        {
            self.wait(None).await;
            return Ok(self.transcript(Some(nonce.clone())));
        }
        let behaviour = choose(self.behaviours(request, &standing), draw);
        self.wait(behaviour.latency).await;
        match behaviour.fault {
            None => Ok(Transcript {
                tool_calls: self.script.reports_tools.then(|| behaviour.tool_calls.clone()),
                fields: behaviour.fields.clone(),
                ..self.transcript(behaviour.reply.clone())
            }),
            Some(ScriptedFault::Empty) => Ok(self.transcript(Some(String::new()))),
            Some(ScriptedFault::Error) => Err(fault(Fault::Reported, "the script says that this trial fails")),
            Some(ScriptedFault::Garbage) => Err(fault(Fault::Malformed, "the script says that this answer is garbage")),
            Some(ScriptedFault::Hang) => {
                tokio::time::sleep(self.timeout).await;
                let seconds = self.timeout.as_secs_f64();
                Err(fault(
                    Fault::Timeout,
                    format!("no answer within {seconds} s: the script says that this trial hangs"),
                ))
            }
        }
    }

    async fn wait(&self, own: Option<Duration>) {
        let latency = own.unwrap_or(self.script.latency);
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
    }

    fn transcript(&self, reply: Option<String>) -> Transcript {
        Transcript {
            reply,
            tool_calls: self.script.reports_tools.then(Vec::new),
            usage: self.script.usage,
            model: Some(self.script.model.clone()),
            ..Transcript::default()
        }
    }
}

fn fault(fault: Fault, message: impl Into<String>) -> AskError {
    AskError { fault, message: message.into(), retry: Retry::No }
}

/// Whether a habit's rule or its opposite stands in folded instructions.
///
/// One may be a part of the other ("greet the customer", "do not greet the customer"): the longer one's occurrences are
/// taken out before the shorter one is looked for.
fn stand(habit: &Habit, instructions: &str) -> Stand {
    let blanked;
    let mut text = instructions;
    if let Some(inverted) = &habit.inverted
        && stands_in(instructions, inverted)
    {
        if !habit.rule.iter().any(|rule| rule.contains(inverted.as_str())) {
            blanked = instructions.replace(inverted.as_str(), " \u{0} ");
            text = &blanked;
        }
        if !habit.rule.iter().all(|rule| stands_in(text, rule)) {
            return Stand::Inverted;
        }
    }
    if habit.rule.iter().all(|rule| stands_in(text, rule)) { Stand::Rule } else { Stand::Neither }
}

/// The behaviour whose share of the numbers from 0 to 1 holds `draw`; the one without a probability has what is left.
fn choose(behaviours: &[Behaviour], draw: f64) -> &Behaviour {
    let mut sum = 0.0;
    for behaviour in behaviours {
        match behaviour.p {
            Some(p) => sum += p,
            None => continue,
        }
        if draw < sum {
            return behaviour;
        }
    }
    let rest = behaviours.iter().rev().find(|behaviour| behaviour.p.is_none());
    rest.or(behaviours.last()).expect("a list of behaviours is never empty: its reader refuses that")
}

impl Agent for Scripted {
    fn kind(&self) -> &'static str {
        "scripted"
    }

    fn describe(&self) -> String {
        format!("scripted {} (a stand-in, no model)", self.script.model)
    }

    fn settings(&self) -> Value {
        json!({ "kind": "scripted", "model": self.script.model, "script": self.settings })
    }

    fn delivery(&self) -> Delivery {
        Delivery::Handed
    }

    fn sees_names(&self) -> bool {
        true
    }

    fn bare_note(&self) -> &'static str {
        "empty instructions"
    }

    fn ask<'a>(&'a self, request: &'a Request) -> Asking<'a> {
        Box::pin(self.answer(request))
    }
}

#[cfg(test)]
mod tests;
