use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::subject::{Subject, Workshop};
use super::{Arm, CaseVerdict, Cause, Outcome, Reach, Setup, Tests, Tree};
use crate::agents::{AskError, Delivery, Request, canary};
use crate::matchers;
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
    /// The canaries that were asked, by the document that carried the demand.
    canaries: BTreeMap<usize, Canary>,
    /// Documents whose mutants were seen to change what the agent does, beyond chance.
    reached: BTreeSet<usize>,
    /// Subjects with a kill under a mutant of a document.
    kills: BTreeMap<usize, usize>,
    /// Whether all answers of an arm were the same, and which, by subject and arm.
    answers: BTreeMap<(usize, Arm), Answers>,
    /// Subjects whose agent spoke at baseline: its silence then means that it did not answer.
    speaks: BTreeSet<usize>,
    /// What a check said of the first trial in which it fell, by subject, arm and assertion.
    evidence: BTreeMap<(usize, Arm, usize), (u32, String)>,
    /// Why a check could not be assessed, by subject, arm and assertion.
    unassessed: BTreeMap<(usize, Arm, usize), (u32, String)>,
    /// The first error of each subject, by arm and trial.
    faults: BTreeMap<usize, (Arm, u32, AskError)>,
    /// Which subjects have their verdict, and how many have not.
    settled: Vec<bool>,
    open: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Canary {
    Asked,
    Echoed,
    Deaf,
}

/// The answers of one arm: how many, and the digest of each where all are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Answers {
    trials: usize,
    all: Option<blake3::Hash>,
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

    /// How it is known that mutants of a document get to the agent.
    fn reach_of(&self, document: usize) -> Reach {
        // What is handed over is one text: a change anywhere in it shows that all of it arrives.
        let handed = self.delivery == Delivery::Handed;
        if self.reached.contains(&document) || (handed && !self.reached.is_empty()) {
            return Reach::Seen;
        }
        match self.canaries.get(&document) {
            Some(Canary::Echoed) => Reach::CanaryEchoed,
            Some(Canary::Deaf) if handed => Reach::CanaryIgnored,
            Some(Canary::Deaf) => Reach::NotSeen,
            // The run ended before the canary did.
            Some(Canary::Asked) if !handed => Reach::NotSeen,
            Some(Canary::Asked) | None => Reach::NotAsked,
        }
    }

    /// The same for the whole run: the worst of the documents that were asked about.
    pub fn reach(&self) -> Reach {
        let worst = [Reach::NotSeen, Reach::CanaryIgnored, Reach::CanaryEchoed, Reach::Seen];
        let seen: Vec<Reach> = self.subjects.iter().map(|subject| self.reach_of(subject.document)).collect();
        worst.into_iter().find(|reach| seen.contains(reach)).unwrap_or(Reach::NotAsked)
    }

    pub fn evidence(&self, subject: usize, arm: Arm, assertion: usize) -> Option<&str> {
        self.evidence.get(&(subject, arm, assertion)).map(|(_, text)| text.as_str())
    }

    fn wanted(&mut self, subject: usize) -> Vec<TrialId> {
        self.trees[subject]
            .wanted()
            .into_iter()
            .map(|(arm, number)| TrialId { subject, number, arm: arm.name() })
            .collect()
    }

    /// Once for each document of which a case says that its rule moves nothing, and whose mutants were never seen to
    /// change anything: does its text arrive at all?
    fn canary_trials(&mut self) -> Vec<TrialId> {
        if self.open > 0 || !self.canaries.is_empty() {
            return vec![];
        }
        let mut trials = vec![];
        for (subject, one) in self.subjects.iter().enumerate() {
            if self.reach_of(one.document) == Reach::NotAsked
                && self.trees[subject].finding().verdict == CaseVerdict::ModelDefault
            {
                self.canaries.insert(one.document, Canary::Asked);
                trials.push(TrialId { subject, number: 0, arm: Arm::Canary.name() });
                if self.delivery == Delivery::Handed {
                    break;
                }
            }
        }
        // One text is handed over: what is heard from one document goes for all.
        if self.delivery == Delivery::Handed && !trials.is_empty() {
            let documents: Vec<usize> = self.subjects.iter().map(|one| one.document).collect();
            self.canaries.extend(documents.into_iter().map(|document| (document, Canary::Asked)));
        }
        trials
    }

    fn hear_canary(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        let heard = match answer {
            Ok(transcript) if canary::echoes(transcript, &self.nonce) => Canary::Echoed,
            _ if trial.number + 1 < CANARY_TRIALS => {
                return vec![TrialId { number: trial.number + 1, ..trial.clone() }];
            }
            Ok(_) => Canary::Deaf,
            // It was asked, and nobody knows.
            Err(_) => Canary::Asked,
        };
        let document = self.subjects[trial.subject].document;
        for (of, canary) in &mut self.canaries {
            if *of == document || self.delivery == Delivery::Handed {
                *canary = heard;
            }
        }
        vec![]
    }

    /// Counts a subject as done when its verdict stands, and keeps what its arms showed of the mutants' way.
    fn settle(&mut self, subject: usize) {
        if self.settled[subject] || !self.trees[subject].is_settled() {
            return;
        }
        self.settled[subject] = true;
        self.open -= 1;
        let otherwise = self.arms_that_answer_otherwise(subject);
        let shown: Vec<usize> = otherwise.into_iter().flat_map(|arm| self.documents_of(subject, arm)).collect();
        self.reached.extend(shown);
        let killing = self.trees[subject].killing_arms();
        let killed: BTreeSet<usize> = killing.into_iter().flat_map(|arm| self.documents_of(subject, arm)).collect();
        for document in killed {
            *self.kills.entry(document).or_default() += 1;
        }
        if self.open == 0 {
            // One kill in a hundred cases is what chance gives: in a tenth of a document's cases it is not.
            for (document, kills) in &self.kills {
                if 10 * kills >= self.subjects.iter().filter(|one| one.document == *document).count() {
                    self.reached.insert(*document);
                }
            }
        }
    }

    /// Documents of which an arm shows that they arrive: what is handed over is one text.
    fn documents_of(&self, subject: usize, arm: Arm) -> Vec<usize> {
        let subject = &self.subjects[subject];
        match self.delivery {
            Delivery::Handed => vec![subject.document],
            Delivery::Offered => subject.changed.get(&arm).cloned().unwrap_or_default(),
        }
    }

    /// Arms whose answers are all the same, and not those that the baseline always gives: three and three trials that
    /// differ like this are no chance.
    fn arms_that_answer_otherwise(&self, subject: usize) -> Vec<Arm> {
        let settled = |arm: Arm| self.answers.get(&(subject, arm)).filter(|seen| seen.trials >= 3)?.all;
        let Some(usual) = settled(Arm::Baseline) else { return vec![] };
        Arm::ALL.into_iter().filter(|arm| settled(*arm).is_some_and(|answer| answer != usual)).collect()
    }

    fn remember_answer(&mut self, subject: usize, arm: Arm, transcript: &Transcript) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(transcript.reply.as_deref().unwrap_or_default().as_bytes());
        for call in transcript.tool_calls.iter().flatten() {
            hasher.update(&[0]).update(call.name.as_bytes()).update(call.arguments.to_string().as_bytes());
        }
        let digest = hasher.finalize();
        let seen = self.answers.entry((subject, arm)).or_insert(Answers { trials: 0, all: Some(digest) });
        seen.trials += 1;
        seen.all = seen.all.filter(|all| *all == digest);
        if arm == Arm::Baseline && transcript.reply.as_deref().is_some_and(|reply| !reply.trim().is_empty()) {
            self.speaks.insert(subject);
        }
    }

    /// What a transcript says of each assertion.
    ///
    /// An agent that said and did nothing shows nothing about a rule: what holds on silence holds for no reason, and
    /// what falls on silence under a mutant fell for another reason than the rule. An agent that never speaks at
    /// baseline and works through its tools alone is not silent when it calls none: that is its answer.
    fn judge(&mut self, subject: usize, arm: Arm, trial: u32, transcript: &Transcript) -> Outcome {
        self.remember_answer(subject, arm, transcript);
        let wordless = transcript.tool_calls.is_some() && !self.speaks.contains(&subject);
        let silent = transcript.is_silent() && !(wordless && arm != Arm::Baseline);
        let case = &self.cases[self.subjects[subject].case];
        let mut held = vec![];
        for (at, assertion) in case.expect.iter().enumerate() {
            let outcome = assertion.matcher.judge(transcript);
            let mut holds = outcome.holds();
            if silent && (holds == Some(true) || arm != Arm::Baseline) {
                holds = None;
            }
            match (holds, &outcome) {
                (Some(false), matchers::Outcome::Fails(finding)) => {
                    let mut text = finding.reason.clone();
                    if let Some(note) = &finding.note {
                        text = format!("{text} ({note})");
                    }
                    keep_first(self.evidence.entry((subject, arm, at)), trial, text);
                }
                (None, outcome) => {
                    let why = match outcome {
                        matchers::Outcome::NotAssessable(why) => why.as_str(),
                        _ => "the agent said and did nothing",
                    };
                    keep_first(self.unassessed.entry((subject, arm, at)), trial, why.to_owned());
                }
                _ => {}
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
