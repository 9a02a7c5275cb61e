use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Arm, Design, Finding, Outcome, Setup, Subject, Tree, Variant, Verdict};
use crate::agents::{AskError, InstructionFile, Request};
use crate::matchers::Question;
use crate::mutators::input::Kind;
use crate::run::{Answer, Experiment, MutantNote, TrialId};
use crate::studies::{Silence, assess};
use crate::suite::{Assertion, Case};
use crate::transcript::Transcript;

/// The arm of the original as the agent and the journal know it: the same as in the study of rules, so that what one
/// study asked the other need not ask again.
const ORIGINAL: &str = "baseline";

/// An assertion that fell in an arm.
#[derive(Debug, Clone, PartialEq)]
pub struct Fall {
    /// Its number in the case.
    pub assertion: usize,
    /// In how many trials of the arm.
    pub trials: usize,
    /// What it said of the first of them.
    pub why: String,
    first: u32,
}

/// The inputs study as a source of trials: turns answers into outcomes, and outcomes into wishes and verdicts.
pub struct InputsStudy<'s> {
    cases: &'s [Case],
    subjects: Vec<Subject>,
    trees: Vec<Tree>,
    instructions: Arc<[InstructionFile]>,
    seed: u64,
    falls: BTreeMap<(usize, Arm), Vec<Fall>>,
    /// Why a trial could not be assessed: the first of each arm.
    unassessed: BTreeMap<(usize, Arm), (u32, String)>,
    /// The first error of each subject, by arm and trial.
    faults: BTreeMap<usize, (Arm, u32, AskError)>,
}

impl<'s> InputsStudy<'s> {
    /// `instructions` are given to the agent as they are. The design is taken as it is: [`Design::check`] says whether
    /// it makes sense.
    pub fn new(
        cases: &'s [Case],
        subjects: Vec<Subject>,
        instructions: Arc<[InstructionFile]>,
        design: &Design,
        seed: u64,
    ) -> InputsStudy<'s> {
        let trees = subjects.iter().map(|subject| tree(subject, design)).collect();
        InputsStudy {
            cases,
            subjects,
            trees,
            instructions,
            seed,
            falls: BTreeMap::new(),
            unassessed: BTreeMap::new(),
            faults: BTreeMap::new(),
        }
    }

    pub fn subjects(&self) -> impl Iterator<Item = (&Subject, &Tree)> {
        self.subjects.iter().zip(&self.trees)
    }

    /// The verdict of a subject by its own trials.
    pub fn finding(&self, subject: usize) -> Finding {
        let mut finding = self.trees[subject].finding();
        let told = match finding.verdict {
            Verdict::Error => self.faults.get(&subject).map(|(_, _, error)| error.message.clone()),
            Verdict::Unproven => self.why_unassessed(subject, &finding),
            _ => None,
        };
        if let Some(told) = told {
            finding.reason = Some(match finding.reason {
                Some(reason) => format!("{reason}: {told}"),
                None => told,
            });
        }
        finding
    }

    /// The assertions that fell in an arm, in the case's order.
    pub fn falls(&self, subject: usize, arm: Arm) -> &[Fall] {
        self.falls.get(&(subject, arm)).map_or(&[], Vec::as_slice)
    }

    fn why_unassessed(&self, subject: usize, finding: &Finding) -> Option<String> {
        let arms = finding.unassessed.iter().map(|at| Arm::Variant(*at)).chain([Arm::Original]);
        arms.filter_map(|arm| self.unassessed.get(&(subject, arm))).map(|(_, why)| why.clone()).next()
    }

    fn wanted(&mut self, subject: usize) -> Vec<TrialId> {
        let wanted = self.trees[subject].wanted();
        wanted.into_iter().map(|(arm, number)| TrialId { subject, number, arm: number_of(arm) }).collect()
    }

    fn judge(&mut self, subject: usize, arm: Arm, trial: u32, transcript: &Transcript) -> Outcome {
        let case = &self.cases[self.subjects[subject].case];
        let (mut held, mut tools) = (Some(true), None);
        for (number, (holds, why)) in assess(case, transcript, Silence::Fails).into_iter().enumerate() {
            if holds == Some(false) {
                self.fell(subject, arm, trial, number, why);
            } else if holds.is_none() {
                let kept = self.unassessed.entry((subject, arm)).or_insert_with(|| (trial, why.clone()));
                if trial < kept.0 {
                    *kept = (trial, why);
                }
            }
            held = both(held, holds);
            if is_about_tools(&case.expect[number]) {
                tools = both(tools.unwrap_or(Some(true)), holds).into();
            }
        }
        Outcome::Judged { held, tools: tools.flatten() }
    }

    fn fell(&mut self, subject: usize, arm: Arm, trial: u32, assertion: usize, why: String) {
        let falls = self.falls.entry((subject, arm)).or_default();
        let at = falls.partition_point(|fall| fall.assertion < assertion);
        match falls.get_mut(at).filter(|fall| fall.assertion == assertion) {
            Some(fall) => {
                fall.trials += 1;
                if trial < fall.first {
                    (fall.first, fall.why) = (trial, why);
                }
            }
            None => falls.insert(at, Fall { assertion, trials: 1, why, first: trial }),
        }
    }
}

/// What several checks say together: one that fell settles it, one that can't be assessed leaves it open.
fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Whether a check asks for or forbids calls of tools.
pub(super) fn is_about_tools(assertion: &Assertion) -> bool {
    assertion.matcher.kind().contains("tool")
}

/// The plan of one case, before any trial.
pub(super) fn tree(subject: &Subject, design: &Design) -> Tree {
    let variant = |kind: Kind| Variant { kind: kind.name().to_owned(), adversarial: kind == Kind::Adversarial };
    Tree::new(Setup { variants: subject.variants.iter().map(|one| variant(one.kind)).collect() }, design.clone())
}

/// The engine's number for an arm.
fn number_of(arm: Arm) -> usize {
    match arm {
        Arm::Original => 0,
        Arm::Variant(variant) => variant + 1,
    }
}

fn arm_of(number: usize) -> Arm {
    number.checked_sub(1).map_or(Arm::Original, Arm::Variant)
}

impl Experiment for InputsStudy<'_> {
    fn start(&mut self) -> Vec<TrialId> {
        (0..self.trees.len()).flat_map(|subject| self.wanted(subject)).collect()
    }

    fn request(&self, trial: &TrialId) -> Request {
        let subject = &self.subjects[trial.subject];
        let case = &self.cases[subject.case];
        let (arm, input) = match arm_of(trial.arm) {
            Arm::Original => (ORIGINAL, &case.input),
            // Without the case's id in front: the mutator and the hash of the text, so that neither another variant nor
            // another order makes it another question.
            Arm::Variant(at) => {
                let variant = &subject.variants[at];
                (variant.id.strip_prefix(&format!("{}/", case.id)).unwrap_or(&variant.id), &variant.text)
            }
        };
        Request {
            case: case.id.clone(),
            arm: arm.to_owned(),
            trial: trial.number,
            seed: self.seed,
            input: input.clone(),
            conversation: case.conversation.clone(),
            fixtures: case.fixtures.clone(),
            instructions: Arc::clone(&self.instructions),
        }
    }

    fn mutant(&self, trial: &TrialId) -> Option<MutantNote> {
        let Arm::Variant(at) = arm_of(trial.arm) else { return None };
        let subject = &self.subjects[trial.subject];
        let case = &self.cases[subject.case];
        let changes = similar::TextDiff::from_lines(&case.input, &subject.variants[at].text);
        let diff =
            changes.unified_diff().context_radius(2).missing_newline_hint(false).header("input", "input").to_string();
        let arm = self.request(trial).arm;
        Some(MutantNote { mutant: subject.variants[at].id.clone(), case: case.id.clone(), arm, diff })
    }

    fn questions(&self, trial: &TrialId) -> Vec<Arc<Question>> {
        self.cases[self.subjects[trial.subject].case].questions().cloned().collect()
    }

    fn observe(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        let arm = arm_of(trial.arm);
        let outcome = match answer {
            Ok(transcript) => self.judge(trial.subject, arm, trial.number, transcript),
            Err(error) => {
                let seen = self.faults.entry(trial.subject).or_insert_with(|| (arm, trial.number, error.clone()));
                if (trial.number, arm) < (seen.1, seen.0) {
                    *seen = (arm, trial.number, error.clone());
                }
                Outcome::Error
            }
        };
        self.trees[trial.subject].observe(arm, trial.number, outcome);
        self.wanted(trial.subject)
    }

    fn stop(&mut self, reason: &str) {
        for tree in &mut self.trees {
            if !tree.is_settled() {
                tree.stop(reason);
            }
        }
    }
}
