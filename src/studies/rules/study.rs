use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::reach::{Answers, Canary};
use super::subject::{ArmFiles, Subject, Workshop};
use super::{Arm, CaseVerdict, Cause, Outcome, Reach, Setup, Tests, Tree};
use crate::agents::{AskError, Delivery, Request};
use crate::matchers::Question;
use crate::run::{Answer, Experiment, MutantNote, TrialId};
use crate::stats::{Allocation, Boundary, Design, DesignError, SequentialTest};
use crate::studies::{assess, matchers};
use crate::suite::Case;
use crate::transcript::Transcript;

/// How the study decides.
#[derive(Debug, Clone)]
pub struct Settings {
    pub design: Design,
    pub boundary: Boundary,
    pub allocation: Allocation,
    /// Alpha of the control and bare arms, where it is not split like the operators'.
    pub guards_alone: bool,
    pub thorough: bool,
    pub seed: u64,
}

impl Settings {
    pub fn new(design: Design, seed: u64) -> Settings {
        Settings {
            design,
            boundary: Boundary::default(),
            allocation: Allocation::default(),
            guards_alone: false,
            thorough: false,
            seed,
        }
    }
}

/// The rules study as a source of trials: turns answers into outcomes, and outcomes into wishes and verdicts.
pub struct RulesStudy<'s> {
    pub(super) cases: &'s [Case],
    pub(super) workshop: &'s Workshop<'s>,
    /// The files of arms of open subjects, made when their first trial is asked for.
    made: RefCell<BTreeMap<(usize, Arm), ArmFiles>>,
    pub(super) subjects: Vec<Subject>,
    pub(super) trees: Vec<Tree>,
    pub(super) seed: u64,
    pub(super) nonce: String,
    pub(super) delivery: Delivery,
    /// The canaries that were asked, by the document that carried the demand.
    pub(super) canaries: BTreeMap<usize, Canary>,
    /// Documents whose mutants were seen to change what the agent does, beyond chance.
    pub(super) reached: BTreeSet<usize>,
    /// Subjects with a kill under a mutant of a document.
    pub(super) kills: BTreeMap<usize, usize>,
    /// Whether all answers of an arm were the same, and which, by subject and arm.
    pub(super) answers: BTreeMap<(usize, Arm), Answers>,
    /// Subjects whose agent spoke at baseline: its silence then means that it did not answer.
    pub(super) speaks: BTreeSet<usize>,
    /// What a check said of the first trial in which it fell, by subject, arm and assertion.
    pub(super) evidence: BTreeMap<(usize, Arm, usize), (u32, String)>,
    /// Why a check could not be assessed, by subject, arm and assertion.
    pub(super) unassessed: BTreeMap<(usize, Arm, usize), (u32, String)>,
    /// The first error of each subject, by arm and trial.
    pub(super) faults: BTreeMap<usize, (Arm, u32, AskError)>,
    /// Which subjects have their verdict, and how many have not.
    pub(super) settled: Vec<bool>,
    pub(super) open: usize,
}

/// The word that the canary arm demands: the same for the same seed, so that the journal can answer.
pub fn nonce(seed: u64) -> String {
    let hash = blake3::hash(format!("canary {seed}").as_bytes()).to_hex();
    format!("canary-{}", &hash[..8])
}

/// One tree a subject; tests are calibrated once for each number of operators.
pub(super) fn trees(cases: &[Case], subjects: &[Subject], settings: &Settings) -> Result<Vec<Tree>, DesignError> {
    let mut calibrated: BTreeMap<usize, Arc<SequentialTest>> = BTreeMap::new();
    let mut test = |comparisons: usize| -> Result<Arc<SequentialTest>, DesignError> {
        if let Some(test) = calibrated.get(&comparisons) {
            return Ok(Arc::clone(test));
        }
        let made = SequentialTest::calibrate(&settings.design, comparisons, settings.boundary, settings.allocation)?;
        Ok(Arc::clone(calibrated.entry(comparisons).or_insert_with(|| Arc::new(made))))
    };
    let mut trees = vec![];
    for subject in subjects {
        let operators: Vec<Arm> = Arm::OPERATORS.into_iter().filter(|arm| subject.arms.contains_key(arm)).collect();
        let split = test(operators.len().max(1))?;
        let guards = if settings.guards_alone { test(1)? } else { Arc::clone(&split) };
        let assertions = cases[subject.case].expect.len();
        let setup = Setup { assertions, operators, thorough: settings.thorough };
        let tree = Tree::new(setup, Tests { operators: split, guards });
        trees.push(tree.knowing(matchers::vacuous(&cases[subject.case])));
    }
    Ok(trees)
}

impl<'s> RulesStudy<'s> {
    /// # Errors
    /// A design that promises what its trials can't keep.
    pub fn new(
        cases: &'s [Case],
        workshop: &'s Workshop<'s>,
        subjects: Vec<Subject>,
        settings: &Settings,
        delivery: Delivery,
    ) -> Result<RulesStudy<'s>, DesignError> {
        let trees = trees(cases, &subjects, settings)?;
        Ok(RulesStudy {
            cases,
            workshop,
            made: RefCell::default(),
            settled: vec![false; subjects.len()],
            open: subjects.len(),
            subjects,
            trees,
            seed: settings.seed,
            nonce: nonce(settings.seed),
            delivery,
            canaries: BTreeMap::new(),
            reached: BTreeSet::new(),
            kills: BTreeMap::new(),
            answers: BTreeMap::new(),
            speaks: BTreeSet::new(),
            evidence: BTreeMap::new(),
            unassessed: BTreeMap::new(),
            faults: BTreeMap::new(),
        })
    }

    pub fn subjects(&self) -> impl Iterator<Item = (&Subject, &Tree)> {
        self.subjects.iter().zip(&self.trees)
    }

    /// The verdict of a subject, with what is known of the mutants' way to the agent.
    pub fn finding(&self, subject: usize) -> super::CaseFinding {
        let mut finding = self.trees[subject].finding();
        if finding.verdict == CaseVerdict::ModelDefault
            && self.reach_of(self.subjects[subject].document) == Reach::NotSeen
        {
            finding.verdict = CaseVerdict::Unreached;
            finding.reason = Some("the agent did not repeat a nonce that its instructions demanded".to_owned());
        }
        if finding.verdict == CaseVerdict::Error
            && let Some(fault) = self.faults.get(&subject)
        {
            finding.reason = Some(fault.2.message.clone());
        }
        for (at, assertion) in finding.assertions.iter_mut().enumerate() {
            let Some(Cause::NotAssessable(arm)) = assertion.cause else { continue };
            let why = self.unassessed.get(&(subject, arm, at)).map(|(_, why)| why);
            if let (Some(why), Some(reason)) = (why, &mut assertion.reason) {
                let told = finding.reason.as_deref() == Some(reason);
                *reason = format!("{reason}: {why}");
                if told {
                    finding.reason = Some(reason.clone());
                }
            }
        }
        finding
    }

    pub fn evidence(&self, subject: usize, arm: Arm, assertion: usize) -> Option<&str> {
        self.evidence.get(&(subject, arm, assertion)).map(|(_, text)| text.as_str())
    }

    /// The files of an arm, the same for all of its trials.
    fn files(&self, subject: usize, arm: Arm) -> ArmFiles {
        let make = || self.workshop.files(&self.subjects[subject], arm);
        Arc::clone(self.made.borrow_mut().entry((subject, arm)).or_insert_with(make))
    }

    /// A subject that has its verdict asks for no files any more.
    pub(super) fn let_go(&mut self, subject: usize) {
        self.made.get_mut().retain(|(of, _), _| *of != subject);
    }

    fn wanted(&mut self, subject: usize) -> Vec<TrialId> {
        self.trees[subject]
            .wanted()
            .into_iter()
            .map(|(arm, number)| TrialId { subject, number, arm: arm.number() })
            .collect()
    }

    fn judge(&mut self, subject: usize, arm: Arm, trial: u32, transcript: &Transcript) -> Outcome {
        self.remember_answer(subject, arm, transcript);
        let case = &self.cases[self.subjects[subject].case];
        let mut held = vec![];
        for (at, (holds, why)) in
            assess(case, transcript, arm.silence(self.speaks.contains(&subject))).into_iter().enumerate()
        {
            match holds {
                Some(true) => {}
                Some(false) => keep_first(self.evidence.entry((subject, arm, at)), trial, why),
                None => keep_first(self.unassessed.entry((subject, arm, at)), trial, why),
            }
            held.push(holds);
        }
        Outcome::Judged(held)
    }
}

/// Keeps the text of the lowest trial: which trial finished first must not show.
fn keep_first(entry: Entry<'_, (usize, Arm, usize), (u32, String)>, trial: u32, text: String) {
    let kept = entry.or_insert_with(|| (trial, text.clone()));
    if trial < kept.0 {
        *kept = (trial, text);
    }
}

impl Experiment for RulesStudy<'_> {
    fn start(&mut self) -> Vec<TrialId> {
        let mut first = vec![];
        for subject in 0..self.trees.len() {
            first.extend(self.wanted(subject));
            self.settle(subject);
        }
        first
    }

    fn request(&self, trial: &TrialId) -> Request {
        let subject = &self.subjects[trial.subject];
        let case = &self.cases[subject.case];
        let arm = Arm::numbered(trial.arm);
        Request {
            case: case.id.clone(),
            arm: subject.arm_label(arm),
            trial: trial.number,
            seed: self.seed,
            input: case.input.clone(),
            conversation: case.conversation.clone(),
            fixtures: case.fixtures.clone(),
            instructions: self.files(trial.subject, arm),
        }
    }

    fn mutant(&self, trial: &TrialId) -> Option<MutantNote> {
        let arm = Arm::numbered(trial.arm);
        (arm != Arm::Baseline).then(|| self.workshop.note(&self.subjects[trial.subject], arm)).flatten()
    }

    fn questions(&self, trial: &TrialId) -> Vec<Arc<Question>> {
        // A canary's answer is no answer to the case.
        if Arm::numbered(trial.arm) == Arm::Canary {
            return vec![];
        }
        self.cases[self.subjects[trial.subject].case].questions().cloned().collect()
    }

    fn observe(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        let arm = Arm::numbered(trial.arm);
        if arm == Arm::Canary {
            return self.hear_canary(trial, answer);
        }
        let outcome = match answer {
            Ok(transcript) => self.judge(trial.subject, arm, trial.number, transcript),
            Err(error) => {
                let seen = self.faults.entry(trial.subject).or_insert_with(|| (arm, trial.number, error.clone()));
                if (arm, trial.number) < (seen.0, seen.1) {
                    *seen = (arm, trial.number, error.clone());
                }
                Outcome::Error
            }
        };
        self.trees[trial.subject].observe(arm, trial.number, outcome);
        let mut wanted = self.wanted(trial.subject);
        self.settle(trial.subject);
        wanted.extend(self.canary_trials());
        wanted
    }

    fn stop(&mut self, reason: &str) {
        for subject in 0..self.trees.len() {
            if !self.trees[subject].is_settled() {
                self.trees[subject].stop(reason);
            }
            self.settle(subject);
        }
    }
}
