use std::collections::BTreeMap;
use std::sync::Arc;

use super::subject::{Subject, Workshop};
use super::{Arm, CaseVerdict, Outcome, Reach, Setup, Tests, Tree};
use crate::agents::{AskError, Delivery, Request, canary};
use crate::run::{Answer, Experiment, MutantNote, TrialId};
use crate::stats::{Allocation, Boundary, Design, DesignError, SequentialTest};
use crate::suite::Case;
use crate::transcript::Transcript;

/// How often the canary is asked before its silence means something.
const CANARY_TRIALS: u32 = 3;

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
    cases: &'s [Case],
    workshop: &'s Workshop<'s>,
    subjects: Vec<Subject>,
    trees: Vec<Tree>,
    seed: u64,
    nonce: String,
    delivery: Delivery,
    canary: Canary,
    /// What a check said of the first trial in which it fell, by subject, arm and assertion.
    evidence: BTreeMap<(usize, Arm, usize), String>,
    /// The first error of each subject.
    faults: BTreeMap<usize, AskError>,
    /// Which subjects have their verdict, and how many have not.
    settled: Vec<bool>,
    open: usize,
    /// Whether any arm of any subject was seen to kill: a kill is never taken back, so each tree is asked only once.
    killed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Canary {
    NotAsked,
    Asked,
    Echoed,
    Deaf,
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
        let operators: Vec<Arm> = Arm::OPERATORS.into_iter().filter(|arm| subject.files.contains_key(arm)).collect();
        let split = test(operators.len().max(1))?;
        let guards = if settings.guards_alone { test(1)? } else { Arc::clone(&split) };
        let assertions = cases[subject.case].expect.len();
        let setup = Setup { assertions, operators, thorough: settings.thorough };
        trees.push(Tree::new(setup, Tests { operators: split, guards }));
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
            settled: vec![false; subjects.len()],
            open: subjects.len(),
            killed: false,
            subjects,
            trees,
            seed: settings.seed,
            nonce: nonce(settings.seed),
            delivery,
            canary: Canary::NotAsked,
            evidence: BTreeMap::new(),
            faults: BTreeMap::new(),
        })
    }

    pub fn subjects(&self) -> impl Iterator<Item = (&Subject, &Tree)> {
        self.subjects.iter().zip(&self.trees)
    }

    /// The verdict of a subject, with what is known of the mutants' way to the agent.
    pub fn finding(&self, subject: usize) -> super::CaseFinding {
        let mut finding = self.trees[subject].finding();
        if finding.verdict == CaseVerdict::ModelDefault && self.reach() == Reach::NotSeen {
            finding.verdict = CaseVerdict::Unreached;
            finding.reason = Some("the agent did not repeat a nonce that its instructions demanded".to_owned());
        }
        if finding.verdict == CaseVerdict::Error
            && let Some(fault) = self.faults.get(&subject)
        {
            finding.reason = Some(fault.message.clone());
        }
        finding
    }

    pub fn reach(&self) -> Reach {
        if self.killed {
            return Reach::Killed;
        }
        match (self.canary, self.delivery) {
            (Canary::Echoed, _) => Reach::CanaryEchoed,
            (Canary::Deaf, Delivery::Handed) => Reach::CanaryIgnored,
            (Canary::Deaf, Delivery::Offered) => Reach::NotSeen,
            (Canary::NotAsked, _) => Reach::NotAsked,
            // The run ended before the canary did.
            (Canary::Asked, Delivery::Handed) => Reach::NotAsked,
            (Canary::Asked, Delivery::Offered) => Reach::NotSeen,
        }
    }

    pub fn evidence(&self, subject: usize, arm: Arm, assertion: usize) -> Option<&str> {
        self.evidence.get(&(subject, arm, assertion)).map(String::as_str)
    }

    fn wanted(&mut self, subject: usize) -> Vec<TrialId> {
        self.trees[subject]
            .wanted()
            .into_iter()
            .map(|(arm, number)| TrialId { subject, number, arm: arm.name() })
            .collect()
    }

    /// Once, where nothing was killed and a case claims that nothing can: does mutated text arrive at all?
    fn canary_trials(&mut self) -> Vec<TrialId> {
        if self.open > 0 || self.canary != Canary::NotAsked || self.killed {
            return vec![];
        }
        let Some(subject) = self.trees.iter().position(|tree| tree.finding().verdict == CaseVerdict::ModelDefault)
        else {
            return vec![];
        };
        self.canary = Canary::Asked;
        vec![TrialId { subject, number: 0, arm: Arm::Canary.name() }]
    }

    fn hear_canary(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        if answer.as_ref().is_ok_and(|transcript| canary::echoes(transcript, &self.nonce)) {
            self.canary = Canary::Echoed;
            return vec![];
        }
        if trial.number + 1 >= CANARY_TRIALS {
            self.canary = Canary::Deaf;
            return vec![];
        }
        vec![TrialId { number: trial.number + 1, ..trial.clone() }]
    }

    /// Counts a subject as done when its verdict stands.
    fn settle(&mut self, subject: usize) {
        self.killed = self.killed || self.trees[subject].any_kill();
        if !self.settled[subject] && self.trees[subject].is_settled() {
            self.settled[subject] = true;
            self.open -= 1;
        }
    }

    /// What a transcript says of each assertion.
    ///
    /// An agent that said and did nothing shows nothing about a rule: what holds on silence holds for no reason, and
    /// what falls on silence under a mutant fell for another reason than the rule.
    fn judge(&mut self, subject: usize, arm: Arm, transcript: &Transcript) -> Outcome {
        let silent = transcript.is_silent();
        let case = &self.cases[self.subjects[subject].case];
        let mut held = vec![];
        for (at, assertion) in case.expect.iter().enumerate() {
            let outcome = assertion.matcher.judge(transcript);
            let mut holds = outcome.holds();
            if silent && (holds == Some(true) || arm != Arm::Baseline) {
                holds = None;
            }
            if let (Some(false), crate::matchers::Outcome::Fails(finding)) = (holds, &outcome) {
                let mut text = finding.reason.clone();
                if let Some(note) = &finding.note {
                    text = format!("{text} ({note})");
                }
                self.evidence.entry((subject, arm, at)).or_insert(text);
            }
            held.push(holds);
        }
        Outcome::Judged(held)
    }
}

fn arm_named(name: &str) -> Arm {
    Arm::ALL.into_iter().find(|arm| arm.name() == name).unwrap_or(Arm::Baseline)
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
        let arm = arm_named(trial.arm);
        Request {
            case: case.id.clone(),
            arm: subject.arm_label(arm),
            trial: trial.number,
            seed: self.seed,
            input: case.input.clone(),
            conversation: case.conversation.clone(),
            fixtures: case.fixtures.clone(),
            instructions: subject
                .files
                .get(&arm)
                .or_else(|| subject.files.get(&Arm::Baseline))
                .map(Arc::clone)
                .expect("every subject has a baseline"),
        }
    }

    fn mutant(&self, trial: &TrialId) -> Option<MutantNote> {
        let arm = arm_named(trial.arm);
        (arm != Arm::Baseline).then(|| self.workshop.note(&self.subjects[trial.subject], arm)).flatten()
    }

    fn observe(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        let arm = arm_named(trial.arm);
        if arm == Arm::Canary {
            return self.hear_canary(trial, answer);
        }
        let outcome = match answer {
            Ok(transcript) => self.judge(trial.subject, arm, transcript),
            Err(error) => {
                self.faults.entry(trial.subject).or_insert_with(|| error.clone());
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
        for tree in self.trees.iter_mut().filter(|tree| !tree.is_settled()) {
            tree.stop(reason);
        }
    }
}
