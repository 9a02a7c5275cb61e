use std::sync::Arc;

use clap::Args;

use super::open;
use super::{Failure, SuiteFlag};
use crate::matchers::Question;
use crate::report::{self, Output, Recorded, ShownArm, ShownTrial};
use crate::run::{Entry, Journal, TrialRecord, recorded_rulings};
use crate::source::{Diagnostic, Diagnostics, Secrets};
use crate::studies::inputs::paraphrasing;
use crate::studies::rules::Arm;
use crate::studies::rules::attribution::WITHOUT;
use crate::studies::rules::inverting;
use crate::studies::{ExitCode, Silence, assess};
use crate::suite::Case;
use crate::transcript::{Asked, Transcript};

/// Flags of `mutate show`.
#[derive(Debug, Args)]
pub(super) struct Show {
    /// The case's id
    case: String,
    #[command(flatten)]
    suite: SuiteFlag,
    /// Only this arm (`baseline`, `delete`, `invert`, `control`, …)
    #[arg(long, value_name = "ARM")]
    arm: Option<String>,
    /// Only the first N trials of each arm
    #[arg(long, value_name = "N")]
    trials: Option<usize>,
    /// Only trials of runs with this seed [default: the seed of the last trial that was recorded]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl Show {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let suite = open::suite(&self.suite)?;
        // `id#2` is the second rule of the case `id`: its arms are shown with the case's.
        let id = self.case.rsplit_once('#').map_or(self.case.as_str(), |(id, _)| id);
        let Some(case) = suite.cases.iter().find(|case| case.id == self.case || case.id == id) else {
            return Err(open::no_such_case(&self.case, &suite.cases).into());
        };
        let unreadable = |error| Diagnostic::error(format!("the journal can't be read: {error}"));
        let mut journal = Journal::open(&suite.root, Secrets::new([])).map_err(unreadable)?;
        let entries = journal.entries().map_err(unreadable)?;
        // What can't be opened here was not asked either: such an assertion is shown as not assessable.
        let cases = std::slice::from_ref(case);
        let (referees, _) = open::referees(&suite, &open::questions(cases), None, false, &mut Diagnostics::default());
        let questions: Vec<Arc<Question>> = case.questions().cloned().collect();
        let rule = |transcript: &mut Transcript| recorded_rulings(&referees, &mut journal, &questions, transcript);
        let mut recorded = self.recorded(case, entries, rule);
        if recorded.arms.is_empty() {
            return Err(Diagnostic::error(format!("nothing is recorded for `{}`", case.id))
                .help(format!("run `mutate rules --case '{0}'` or `mutate inputs --case '{0}'` first", case.id))
                .into());
        }
        if let Some(wanted) = &self.arm {
            let arms: Vec<String> = recorded.arms.iter().map(|arm| arm.name.clone()).collect();
            recorded.arms.retain(|arm| arm.name == *wanted);
            if recorded.arms.is_empty() {
                return Err(Diagnostic::error(format!("no trial of `{}` is recorded in the arm `{wanted}`", case.id))
                    .help(format!("there are: {}", arms.join(", ")))
                    .into());
            }
        }
        for arm in &mut recorded.arms {
            arm.trials.truncate(self.trials.unwrap_or(usize::MAX));
        }
        Output::Stdout.write(&report::show(&recorded))?;
        Ok(ExitCode::Clean)
    }

    /// The journal's lines for this case, by arm in the study's order, by trial; of one question only the last answer.
    fn recorded(&self, case: &Case, entries: Vec<Entry>, mut rule: impl FnMut(&mut Transcript)) -> Recorded {
        let mut arms: Vec<ShownArm> = vec![];
        let mut place_of = |name: &str| -> usize {
            arms.iter().position(|arm| arm.name == name).unwrap_or_else(|| {
                arms.push(ShownArm { name: name.to_owned(), ..ShownArm::default() });
                arms.len() - 1
            })
        };
        let last = entries.iter().rev().find_map(|entry| match entry {
            Entry::Trial(record) if record.case == case.id => Some(record.seed),
            _ => None,
        });
        let seed = self.seed.or(last);
        let mut trials: Vec<(usize, ShownTrial)> = vec![];
        let mut diffs: Vec<(usize, String)> = vec![];
        for entry in entries {
            match entry {
                // What a helper model wrote for the case is no answer to it.
                Entry::Trial(record) if [paraphrasing::ARM, inverting::ARM].contains(&record.arm.as_str()) => {}
                Entry::Trial(record) if record.case == case.id && Some(record.seed) == seed => {
                    let at = place_of(&record.arm);
                    trials.retain(|(_, other)| other.record.key != record.key);
                    trials.push((at, ShownTrial { record: *record, judged: vec![] }));
                }
                Entry::Mutant(note) if note.case == case.id => {
                    diffs.push((place_of(&note.arm), note.diff));
                }
                _ => {}
            }
        }
        for (at, diff) in diffs {
            arms[at].diff = diff;
        }
        for (at, trial) in trials {
            arms[at].trials.push(trial);
        }
        arms.retain(|arm| !arm.trials.is_empty());
        for arm in &mut arms {
            // An edited rule or agent makes another experiment of the same name: only the last one is shown.
            let Some(last) = arm.trials.iter().map(|shown| shown.record.clone()).max_by(|a, b| a.at.cmp(&b.at)) else {
                continue;
            };
            let of = |record: &TrialRecord| (record.instructions.clone(), record.agent.clone(), record.asked.clone());
            arm.trials.retain(|shown| of(&shown.record) == of(&last));
        }
        for arm in &mut arms {
            arm.trials.sort_by_key(|shown| shown.record.trial);
        }
        arms.sort_by_key(|arm| arm_of(&arm.name).map_or(usize::MAX, Arm::number));
        let said =
            |shown: &ShownTrial| shown.record.transcript.as_ref()?.reply.as_ref().map(|reply| !reply.trim().is_empty());
        let mut baseline =
            arms.iter().filter(|arm| arm_of(&arm.name) == Some(Arm::Baseline)).flat_map(|arm| &arm.trials);
        let speaks = baseline.any(|shown| said(shown) == Some(true));
        for arm in &mut arms {
            for shown in &mut arm.trials {
                let input = if shown.record.input.is_empty() { &case.input } else { &shown.record.input };
                let asked = Asked { input: input.clone(), conversation: case.conversation.clone() };
                if let Some(transcript) = &mut shown.record.transcript {
                    transcript.asked = Some(Arc::new(asked));
                    rule(transcript);
                    shown.judged = judge(case, arm_of(&arm.name), speaks, transcript);
                }
            }
        }
        Recorded { case: case.id.clone(), input: case.input.clone(), arms }
    }
}

/// The arm of a recorded name: `delete#2` is the deletion of a case's second rule, `without/…` that of other statements.
/// `None` for a variant of the input.
fn arm_of(name: &str) -> Option<Arm> {
    if name.starts_with(WITHOUT) {
        return Some(Arm::Delete);
    }
    let name = name.split('#').next().unwrap_or_default();
    Arm::ALL.into_iter().find(|arm| arm.name() == name)
}

/// As its study judges it.
fn judge(case: &Case, arm: Option<Arm>, speaks: bool, transcript: &Transcript) -> Vec<(String, Option<bool>, String)> {
    let names = case.expect.iter().map(|one| format!("{} {}", one.matcher.kind(), one.matcher.describe()));
    let silence = arm.map_or(Silence::Fails, |arm| arm.silence(speaks));
    names.zip(assess(case, transcript, silence)).map(|(name, (holds, why))| (name, holds, why)).collect()
}
