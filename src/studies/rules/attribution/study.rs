use std::collections::BTreeMap;
use std::sync::Arc;

use super::candidates::Candidates;
use super::search::{Given, Plan, ROUNDS, Search};
use super::verdict::{Finding, Verdict};
use crate::agents::{AskError, Delivery, Request};
use crate::matchers::Question;
use crate::run::{Answer, Experiment, MutantNote, TrialId};
use crate::stats::{DesignError, SequentialTest};
use crate::studies::rules::reach::Canary;
use crate::studies::rules::{Arm, ArmFiles, Outcome, Settings, Subject, Workshop, nonce};
use crate::studies::{assess, matchers};
use crate::suite::Case;

/// What the names of arms begin with that delete a set of statements.
pub const WITHOUT: &str = "without/";
/// The number of the canary arm; the others have those of the search.
const CANARY: usize = usize::MAX;

/// The attribution as a source of trials: makes the arms that each subject's [`Search`] names, and turns answers into
/// outcomes.
pub struct AttributionStudy<'s> {
    pub(super) cases: &'s [Case],
    pub(super) workshop: &'s Workshop<'s>,
    pub(super) inquiries: Vec<Inquiry>,
    seed: u64,
    nonce: String,
    delivery: Delivery,
}

/// One subject on its way.
pub(super) struct Inquiry {
    pub(super) subject: Subject,
    pub(super) candidates: Candidates,
    pub(super) search: Search,
    /// Of each arm of the search; `None` where it can't be made.
    files: Vec<Option<ArmFiles>>,
    /// The agent spoke at baseline: its silence then means that it did not answer.
    speaks: bool,
    canary: Option<Canary>,
    /// The first error, by arm and trial.
    fault: Option<(usize, u32, AskError)>,
    /// What a check said of the first trial in which it fell, by arm and assertion.
    evidence: BTreeMap<(usize, usize), (u32, String)>,
}

/// One search a subject.
pub(super) fn searches(
    cases: &[Case],
    workshop: &Workshop<'_>,
    subjects: &[Subject],
    settings: &Settings,
) -> Result<Vec<(Candidates, Search)>, DesignError> {
    let test = SequentialTest::calibrate(&settings.design, ROUNDS, settings.boundary, settings.allocation)?;
    let test = Arc::new(test);
    let one = |subject: &Subject| {
        let case = &cases[subject.case];
        let candidates = Candidates::of(workshop, case, subject);
        let plan = Plan {
            assertions: case.expect.len(),
            vacuous: matchers::vacuous(case),
            quoted: candidates.quoted,
            statements: candidates.statements,
            all: candidates.all.len(),
            sections: candidates.sections(),
            control: candidates.in_control(workshop, subject),
            needed: settings.thorough,
        };
        (candidates, Search::new(plan, Arc::clone(&test)))
    };
    Ok(subjects.iter().map(one).collect())
}

impl<'s> AttributionStudy<'s> {
    /// The workshop must have been asked for the delete operator. `settings.thorough` asks as well which statements are
    /// enough.
    ///
    /// # Errors
    /// A design that promises what its trials can't keep.
    pub fn new(
        cases: &'s [Case],
        workshop: &'s Workshop<'s>,
        subjects: Vec<Subject>,
        settings: &Settings,
        delivery: Delivery,
    ) -> Result<AttributionStudy<'s>, DesignError> {
        let searches = searches(cases, workshop, &subjects, settings)?;
        let inquiry = |(subject, (candidates, search))| Inquiry {
            subject,
            candidates,
            search,
            files: vec![],
            speaks: false,
            canary: None,
            fault: None,
            evidence: BTreeMap::new(),
        };
        let inquiries = subjects.into_iter().zip(searches).map(inquiry).collect();
        let seed = settings.seed;
        Ok(AttributionStudy { cases, workshop, inquiries, seed, nonce: nonce(seed), delivery })
    }

    /// How many subjects there are.
    pub fn subjects(&self) -> usize {
        self.inquiries.len()
    }

    /// What can be deleted for a subject, in the numbering of its finding.
    pub fn candidates(&self, subject: usize) -> &Candidates {
        &self.inquiries[subject].candidates
    }

    /// The trials of a subject that were asked for.
    pub fn asked(&self, subject: usize) -> usize {
        self.inquiries[subject].search.asked()
    }

    /// The verdict of a subject, with what is known of the mutants' way to the agent.
    pub fn finding(&self, subject: usize) -> Finding {
        let inquiry = &self.inquiries[subject];
        let mut finding = inquiry.search.finding();
        if finding.verdict == Verdict::ModelDefault
            && self.delivery == Delivery::Offered
            && inquiry.canary != Some(Canary::Echoed)
        {
            finding.verdict = Verdict::Unreached;
            finding.reason = Some("the agent did not repeat a nonce that its instructions demanded".to_owned());
        }
        if finding.verdict == Verdict::Error
            && let Some((_, _, fault)) = &inquiry.fault
        {
            finding.reason = Some(fault.message.clone());
        }
        finding
    }

    /// Whether the agent did not follow even a plain demand in its instructions.
    pub(super) fn ignores_instructions(&self, subject: usize) -> bool {
        self.inquiries[subject].canary == Some(Canary::Deaf)
    }

    fn wanted(&mut self, subject: usize) -> Vec<TrialId> {
        let inquiry = &mut self.inquiries[subject];
        loop {
            let mut trials = inquiry.search.wanted();
            let asked = trials.len();
            for arm in inquiry.files.len()..inquiry.search.arms() {
                let made = inquiry.make(arm, self.workshop);
                inquiry.files.push(made.map_err(|why| inquiry.search.refuse(arm, &why)).ok());
            }
            trials.retain(|(arm, _)| inquiry.files[*arm].is_some());
            if trials.is_empty() && asked > 0 {
                continue;
            }
            if trials.is_empty() && self.canary_is_wanted(subject) {
                self.inquiries[subject].canary = Some(Canary::Asked);
                return vec![TrialId { subject, number: 0, arm: CANARY }];
            }
            return trials.into_iter().map(|(arm, number)| TrialId { subject, number, arm }).collect();
        }
    }

    /// Nothing moved the case: do its mutants arrive at all?
    fn canary_is_wanted(&self, subject: usize) -> bool {
        let inquiry = &self.inquiries[subject];
        inquiry.canary.is_none()
            && inquiry.search.is_settled()
            && inquiry.search.finding().verdict == Verdict::ModelDefault
    }

    fn hear_canary(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        let Some(heard) = Canary::heard(trial.number, answer, &self.nonce) else {
            return vec![TrialId { number: trial.number + 1, ..trial.clone() }];
        };
        self.inquiries[trial.subject].canary = Some(heard);
        vec![]
    }
}

impl Inquiry {
    /// The rules study's arm of the same content, where there is one: its trials are shared.
    fn shared(&self, arm: usize) -> Option<Arm> {
        match self.search.given(arm) {
            Given::Baseline => Some(Arm::Baseline),
            Given::Control => Some(Arm::Control),
            Given::Bare => Some(Arm::Bare),
            Given::Without(set) if set.iter().copied().eq(0..self.candidates.quoted) => Some(Arm::Delete),
            Given::Without(_) => None,
        }
    }

    fn make(&self, arm: usize, workshop: &Workshop<'_>) -> Result<ArmFiles, String> {
        if let Some(arm) = self.shared(arm).filter(|arm| self.subject.arms.contains_key(arm)) {
            return Ok(workshop.files(&self.subject, arm));
        }
        match self.search.given(arm) {
            Given::Without(set) => self.candidates.without(workshop, set).map(|(files, _)| files),
            given => Err(format!("{given:?} can't be made")),
        }
    }

    /// The arm's name for the agent and the journal; that of a set by its content, so that another order of the search
    /// changes no question.
    pub(super) fn label(&self, arm: usize) -> String {
        if let Some(arm) = self.shared(arm) {
            return self.subject.arm_label(arm);
        }
        let mut hasher = blake3::Hasher::new();
        for file in self.files[arm].iter().flat_map(|files| files.iter()) {
            hasher.update(&file.bytes).update(&[0]);
        }
        format!("{WITHOUT}{}", &hasher.finalize().to_hex()[..8])
    }

    fn judge(&mut self, case: &Case, trial: &TrialId, answer: &Answer) -> Outcome {
        let arm = trial.arm;
        let is_baseline = *self.search.given(arm) == Given::Baseline;
        let transcript = match answer {
            Ok(transcript) => transcript,
            Err(error) => {
                let first = self.fault.as_ref().is_none_or(|seen| (arm, trial.number) < (seen.0, seen.1));
                if first {
                    self.fault = Some((arm, trial.number, error.clone()));
                }
                return Outcome::Error;
            }
        };
        if is_baseline && transcript.reply.as_deref().is_some_and(|reply| !reply.trim().is_empty()) {
            self.speaks = true;
        }
        let as_arm = if is_baseline { Arm::Baseline } else { Arm::Delete };
        let mut held = vec![];
        for (at, (holds, why)) in assess(case, transcript, as_arm.silence(self.speaks)).into_iter().enumerate() {
            if holds == Some(false) {
                let kept = self.evidence.entry((arm, at)).or_insert_with(|| (trial.number, why.clone()));
                if trial.number < kept.0 {
                    *kept = (trial.number, why);
                }
            }
            held.push(holds);
        }
        Outcome::Judged(held)
    }

    /// What a check said when it first fell in an arm.
    pub(super) fn evidence(&self, given: &Given, assertion: usize) -> Option<&str> {
        let arm = (0..self.search.arms()).find(|arm| self.search.given(*arm) == given)?;
        self.evidence.get(&(arm, assertion)).map(|(_, why)| why.as_str())
    }
}

impl Experiment for AttributionStudy<'_> {
    fn start(&mut self) -> Vec<TrialId> {
        (0..self.inquiries.len()).flat_map(|subject| self.wanted(subject)).collect()
    }

    fn request(&self, trial: &TrialId) -> Request {
        let inquiry = &self.inquiries[trial.subject];
        let case = &self.cases[inquiry.subject.case];
        let (arm, files) = match trial.arm {
            CANARY => {
                let files = self.workshop.files(&inquiry.subject, Arm::Canary);
                (inquiry.subject.arm_label(Arm::Canary), Some(files))
            }
            arm => (inquiry.label(arm), inquiry.files[arm].clone()),
        };
        Request {
            case: case.id.clone(),
            arm,
            trial: trial.number,
            seed: self.seed,
            input: case.input.clone(),
            conversation: case.conversation.clone(),
            fixtures: case.fixtures.clone(),
            instructions: files.expect("an arm without files is never asked for"),
        }
    }

    fn mutant(&self, trial: &TrialId) -> Option<MutantNote> {
        let inquiry = &self.inquiries[trial.subject];
        let shared = if trial.arm == CANARY { Some(Arm::Canary) } else { inquiry.shared(trial.arm) };
        match shared {
            Some(Arm::Baseline) => None,
            Some(arm) => self.workshop.note(&inquiry.subject, arm),
            None => {
                let (arm, case) = (inquiry.label(trial.arm), inquiry.subject.case_id.clone());
                let diff = self.workshop.diff(inquiry.files[trial.arm].as_ref()?);
                Some(MutantNote { mutant: format!("{case}/{arm}"), case, arm, diff })
            }
        }
    }

    fn questions(&self, trial: &TrialId) -> Vec<Arc<Question>> {
        // A canary's answer is no answer to the case.
        match trial.arm {
            CANARY => vec![],
            _ => self.cases[self.inquiries[trial.subject].subject.case].questions().cloned().collect(),
        }
    }

    fn observe(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        if trial.arm == CANARY {
            return self.hear_canary(trial, answer);
        }
        let inquiry = &mut self.inquiries[trial.subject];
        let case = &self.cases[inquiry.subject.case];
        let outcome = inquiry.judge(case, trial, answer);
        inquiry.search.observe(trial.arm, trial.number, outcome);
        self.wanted(trial.subject)
    }

    fn stop(&mut self, reason: &str) {
        for inquiry in &mut self.inquiries {
            if !inquiry.search.is_settled() {
                inquiry.search.stop(reason);
            }
        }
    }
}
