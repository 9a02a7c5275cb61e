//! Everything that is tried on one case, each judged once by every assertion.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Known;
use super::claims::Claims;
use super::heard::Asked;
use super::near::{Miss, near_misses};
use super::witness::{call, call_of, satisfying, violating};
use crate::matchers::{Demand, Question, View};
use crate::mutators::transcript::{CallsOf, Means, Mutant, Targets, mutants};
use crate::suite::{Assertion, Case};
use crate::transcript::{Rulings, ToolCall, Transcript};

/// Passing transcripts of one case that mutants are made from.
const MOST_BASES: usize = 5;

/// What a transcript is tried for.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    Probe(Means),
    /// Made from what the checks ask for; whether it satisfies anything is seen when it is judged.
    Made,
    NearMiss {
        assertion: usize,
        miss: Miss,
        /// The text that is asked for.
        text: String,
    },
    /// A trial of the baseline, from the journal.
    Recorded,
    /// A trial of another arm, from the journal: no right answer, but it shows what a program can say.
    OtherArm,
    /// `examples[n]` of the case.
    Example(usize),
    /// `incident[n]` of the case.
    Incident(usize),
    /// Of a passing transcript; `wrong` by what the case claims, or an equivalent.
    Mutant {
        mutant: Box<Mutant>,
        wrong: bool,
    },
}

/// One transcript, judged.
#[derive(Debug, Clone)]
pub struct Try {
    /// The probe's, near miss's or mutator's name.
    pub name: String,
    pub role: Role,
    pub transcript: Transcript,
    /// What programs said of it. Not in `transcript`: mutants of that are other transcripts.
    pub rulings: Rulings,
    /// For every assertion: holds, fails, or not assessable.
    pub outcomes: Vec<Option<bool>>,
}

impl Try {
    /// True where the case passes: something holds, nothing fails, and nothing is open.
    pub fn passes(&self) -> bool {
        !self.outcomes.is_empty() && self.outcomes.iter().all(|holds| *holds == Some(true))
    }

    /// True where nothing fails and something holds; what is not assessable is left out.
    pub fn passes_as_far_as_it_goes(&self) -> bool {
        !self.fails() && self.outcomes.contains(&Some(true))
    }

    pub fn fails(&self) -> bool {
        self.outcomes.contains(&Some(false))
    }

    /// The transcript with what programs said of it beside, as checks want it.
    pub fn heard(&self) -> Transcript {
        Transcript { rulings: self.rulings.clone(), ..self.transcript.clone() }
    }
}

/// From where the passing transcripts came that were mutated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Recorded,
    Examples,
    Constructed,
    /// None is known: near misses and mutants could not be made.
    Nothing,
}

/// All tries of one case.
#[derive(Debug)]
pub struct Tries<'k> {
    pub demands: Vec<Vec<Demand>>,
    pub all: Vec<Try>,
    pub source: Source,
    /// For every assertion: it asks somebody who is not asked, so that it has no outcome here.
    pub left_out: Vec<bool>,
    /// What must be asked about before more is known.
    pub unheard: Vec<Asked>,
    pub known: &'k Known,
    /// Those of the case's checks.
    questions: Vec<Arc<Question>>,
    /// What every transcript answers.
    context: Arc<crate::transcript::Asked>,
}

impl<'k> Tries<'k> {
    /// Tries everything on a case.
    pub fn of(case: &Case, known: &'k Known) -> Tries<'k> {
        let of_case = |recorded: &'k super::Recorded| recorded.get(&case.id).map_or(&[][..], Vec::as_slice);
        let (tools, whom) = (known.tools.as_slice(), known.whom);
        let questions: Vec<_> = case.expect.iter().filter_map(|one| whom.of(one.matcher.as_ref())).cloned().collect();
        let left_out = case.expect.iter().map(|one| whom.leaves_out(one.matcher.as_ref())).collect();
        let context = crate::transcript::Asked { input: case.input.clone(), conversation: case.conversation.clone() };
        let context = Arc::new(context);
        let demands: Vec<Vec<Demand>> = case.expect.iter().map(|one| one.matcher.demands()).collect();
        let claims = Claims::of(case);
        let source = Source::Nothing;
        let (all, unheard) = (vec![], vec![]);
        let mut tries = Tries { demands, all, source, left_out, unheard, known, questions, context };
        tries.probes(case, tools);
        let whole: Vec<&Demand> = tries.demands.iter().flatten().collect();
        let made = satisfying(&whole);
        let witness = tries.witness(case, made);
        let witness_transcript = witness.as_ref().map(|one| one.transcript.clone());
        tries.all.extend(witness);
        tries.single(case);
        for transcript in of_case(&known.recorded) {
            tries.add(case, "recorded", Role::Recorded, transcript.clone());
        }
        if !tries.questions.is_empty() {
            for transcript in of_case(&known.other_arms) {
                tries.add(case, "another arm", Role::OtherArm, transcript.clone());
            }
        }
        for (at, sample) in case.examples.iter().enumerate() {
            tries.add(case, "example", Role::Example(at), sample.transcript.clone());
        }
        for (at, sample) in case.incident.iter().enumerate() {
            tries.add(case, "incident", Role::Incident(at), sample.transcript.clone());
        }
        let bases = tries.bases(witness_transcript.as_ref());
        if let Some(base) = witness_transcript.as_ref().or(bases.first()) {
            tries.near_misses(case, &claims, base);
        }
        tries.mutants(case, &claims, &bases, tools);
        tries
    }

    fn add(&mut self, case: &Case, name: &str, role: Role, transcript: Transcript) {
        let (one, missing) = self.judged(name, role, transcript, case);
        self.want(&one, missing);
        self.all.push(one);
    }

    /// Judged as far as it is known what programs say of it, and the questions that are open.
    fn judged(&self, name: &str, role: Role, mut transcript: Transcript, case: &Case) -> (Try, Vec<Arc<Question>>) {
        transcript.asked = (!self.questions.is_empty()).then(|| Arc::clone(&self.context));
        let (rulings, missing) = self.known.heard.of(&self.questions, &transcript);
        let mut one = Try { name: name.to_owned(), role, transcript, rulings, outcomes: vec![] };
        let judge = |transcript: &Transcript| -> Vec<Option<bool>> {
            let view = View::bare(transcript);
            let judge = |(one, left): (&Assertion, &bool)| {
                if *left { None } else { one.matcher.judge_view(&view).holds() }
            };
            case.expect.iter().zip(&self.left_out).map(judge).collect()
        };
        one.outcomes = if self.questions.is_empty() { judge(&one.transcript) } else { judge(&one.heard()) };
        (one, missing)
    }

    fn want(&mut self, one: &Try, missing: Vec<Arc<Question>>) {
        if !missing.is_empty() {
            self.unheard.push((missing, one.transcript.clone()));
        }
    }

    /// The first of these on which every check holds that has an outcome here.
    fn witness(&mut self, case: &Case, made: Vec<Transcript>) -> Option<Try> {
        for transcript in made {
            let (one, missing) = self.judged("constructed", Role::Made, transcript, case);
            if self.passes_as_far_as_asked(&one) {
                return Some(one);
            }
            // What fails anyhow is no witness, whatever a program says.
            if !one.fails() {
                self.want(&one, missing);
            }
        }
        None
    }

    fn passes_as_far_as_asked(&self, one: &Try) -> bool {
        let mut told = one.outcomes.iter().zip(&self.left_out).filter(|(_, left)| !**left).peekable();
        told.peek().is_some() && told.all(|(holds, _)| *holds == Some(true))
    }

    fn probes(&mut self, case: &Case, tools: &[String]) {
        let asked: Vec<String> = self
            .demands
            .iter()
            .flatten()
            .filter_map(|demand| match demand {
                Demand::Is(text) => Some(text.trim().to_lowercase()),
                _ => None,
            })
            .collect();
        // The tools that the case names come first: those of the suite may be too many.
        let own = known_tools(std::slice::from_ref(case), std::iter::empty(), usize::MAX);
        for probe in &self.known.probes.probes {
            let reply = probe.reply.as_ref().map(|reply| reply.replace("{input}", &case.input));
            let calls = match probe.calls {
                None => vec![],
                Some(CallsOf::EveryTool) => {
                    let others = tools.iter().filter(|name| !own.contains(name));
                    own.iter().chain(others).map(|name| call(name, json!({}))).collect()
                }
                Some(CallsOf::WrongArguments) => self.wrong_calls(),
            };
            if probe.calls.is_some() && calls.is_empty() {
                continue;
            }
            // What the case asks for as it stands is its right answer, be it "[]" or nothing at all.
            let said = reply.as_deref().unwrap_or_default().trim().to_lowercase();
            let means = if asked.contains(&said) { Means::Fair } else { probe.means };
            let transcript = Transcript { reply, tool_calls: Some(calls), ..Transcript::default() };
            self.add(case, &probe.name, Role::Probe(means), transcript);
        }
    }

    /// The calls that are asked for, with arguments that are not those.
    fn wrong_calls(&self) -> Vec<ToolCall> {
        let patterns = self.demands.iter().flatten().flat_map(Demand::calls);
        patterns.map(|pattern| call(&pattern.name, json!({"wrong": "arguments"}))).collect()
    }

    /// What satisfies or breaks one assertion alone.
    fn single(&mut self, case: &Case) {
        let mut made = vec![];
        for demands in &self.demands {
            let whole: Vec<&Demand> = demands.iter().collect();
            if demands.iter().any(|demand| !demand.only_limits()) {
                made.extend(satisfying(&whole).into_iter().take(6));
            }
            for demand in demands {
                made.extend(violating(demand));
                if let Demand::Says { texts, any: false, .. } = demand
                    && texts.len() > 1
                {
                    made.extend(texts.iter().map(|text| quiet(text.clone())));
                }
            }
        }
        for transcript in made {
            if let Some(reply) = &transcript.reply {
                self.add(case, "constructed", Role::Made, quiet(reply.to_uppercase()));
            }
            self.add(case, "constructed", Role::Made, transcript);
        }
    }

    /// Passing transcripts: recorded ones and examples, or else the one that was made.
    fn bases(&mut self, witness: Option<&Transcript>) -> Vec<Transcript> {
        let passing = |role: &dyn Fn(&Role) -> bool| -> Vec<Transcript> {
            let mut found: Vec<Transcript> = vec![];
            for one in self.all.iter().filter(|one| role(&one.role) && one.passes_as_far_as_it_goes()) {
                if found.len() < MOST_BASES && !one.transcript.is_silent() && !found.contains(&one.transcript) {
                    found.push(one.transcript.clone());
                }
            }
            found
        };
        let recorded = passing(&|role| *role == Role::Recorded);
        let examples = passing(&|role| matches!(role, Role::Example(_)));
        let (source, bases) = match (recorded.is_empty(), examples.is_empty(), witness) {
            (false, ..) => (Source::Recorded, [recorded, examples].concat()),
            (_, false, _) => (Source::Examples, examples),
            (.., Some(witness)) => (Source::Constructed, vec![witness.clone()]),
            (.., None) => (Source::Nothing, vec![]),
        };
        self.source = source;
        bases
    }

    fn near_misses(&mut self, case: &Case, claims: &Claims, base: &Transcript) {
        let deny = !claims.wants_calls() && !claims.may_refuse(case, &self.known.probes);
        let said = base.reply.as_deref().unwrap_or_default();
        let lower = said.to_lowercase();
        let mut made = vec![];
        for (assertion, demands) in self.demands.iter().enumerate() {
            for demand in demands {
                // Of several texts that would do, the base holds one: that is the one to take away.
                let alternatives: Vec<String> = match demand {
                    Demand::Says { texts, any: true, .. } => texts.iter().map(|text| text.to_lowercase()).collect(),
                    _ => vec![],
                };
                for near in near_misses(demand, deny, &self.known.probes) {
                    let text = near.text.to_lowercase();
                    let held = alternatives.iter().find(|text| lower.contains(*text)).unwrap_or(&text);
                    let reply = replaced(said, &lower, held, &near.instead);
                    let role = Role::NearMiss { assertion, miss: near.miss, text: near.text };
                    made.push((near.miss.name(), role, Transcript { reply: Some(reply), ..base.clone() }));
                }
            }
        }
        for (name, role, transcript) in made {
            self.add(case, name, role, transcript);
        }
    }

    fn mutants(&mut self, case: &Case, claims: &Claims, bases: &[Transcript], tools: &[String]) {
        let (add, fields) = (claims.forbidden(), claims.fields());
        let targets = Targets { tools, add: &add, fields: &fields };
        for base in bases {
            for mutant in mutants(base, &targets) {
                let wrong = claims.is_wrong(&mutant);
                let (name, transcript) = (mutant.mutator, mutant.transcript.clone());
                self.add(case, name, Role::Mutant { mutant: Box::new(mutant), wrong }, transcript);
            }
        }
    }
}

/// `said` with every `held` in it replaced, whatever the letter case; `lower` is `said` in small letters. Where `held`
/// does not stand there, only what is put in its place.
fn replaced(said: &str, lower: &str, held: &str, by: &str) -> String {
    if lower.len() != said.len() || !lower.contains(held) {
        return by.to_owned();
    }
    let mut reply = String::new();
    let mut from = 0;
    for (at, _) in lower.match_indices(held) {
        // Small letters of other lengths may have moved what stands between them.
        let Some(before) = said.get(from..at).filter(|_| said.is_char_boundary(at + held.len())) else {
            return by.to_owned();
        };
        reply.push_str(before);
        reply.push_str(by);
        from = at + held.len();
    }
    reply.push_str(&said[from..]);
    reply
}

fn quiet(reply: String) -> Transcript {
    Transcript { tool_calls: Some(vec![]), ..Transcript::text(reply) }
}

/// The tools that a suite names or that were seen to be called, in alphabetical order, at most `most`.
pub fn known_tools<'c>(cases: &'c [Case], recorded: impl Iterator<Item = &'c Transcript>, most: usize) -> Vec<String> {
    let mut names = std::collections::BTreeSet::new();
    for demand in cases.iter().flat_map(|case| &case.expect).flat_map(|one| one.matcher.demands()) {
        names.extend(demand.calls().into_iter().map(|pattern| pattern.name.clone()));
        match &demand {
            Demand::NoCalls(patterns) => {
                names.extend(patterns.iter().map(call_of).map(|call| call.name));
            }
            Demand::MostCalls(limits) => names.extend(limits.iter().filter_map(|(name, _)| name.clone())),
            _ => {}
        }
    }
    let seen = recorded.chain(cases.iter().flat_map(|case| &case.examples).map(|sample| &sample.transcript));
    names.extend(seen.flat_map(|one| one.tool_calls.iter().flatten()).map(|call| call.name.clone()));
    names.into_iter().filter(|name| !name.is_empty()).take(most).collect()
}

/// Transcripts as a report shows them: the bulky raw conversation is left out.
pub fn shown(transcript: &Transcript) -> Value {
    let bare = Transcript { messages: vec![], usage: None, cost_usd: None, model: None, ..transcript.clone() };
    serde_json::to_value(bare).unwrap_or_default()
}
