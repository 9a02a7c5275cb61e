use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::asking::hearing;
use super::open::{self, Labels};
use super::{Failure, SuiteFlag};
use crate::agents::same_family;
use crate::matchers::{Ask, Question};
use crate::report::{self, Format, Output, ProgressLine};
use crate::run::StopReason;
use crate::source::{Diagnostic, Diagnostics, Place};
use crate::studies::ExitCode;
use crate::studies::calibration::{Item, Labelled, calibrate};
use crate::suite::Suite;
use crate::transcript::{Ruling, Transcript, Vote};

/// Flags of `mutate calibrate`.
#[derive(Debug, Args)]
pub(super) struct Calibrate {
    /// One JSON object a line: a `reply` or a `transcript`, the `label` that a person gave it, and the `case` whose judge is
    /// meant; or a first line with `criteria`, and `labels`, of its own
    #[arg(value_name = "LABELS.jsonl")]
    labels: PathBuf,
    #[command(flatten)]
    suite: SuiteFlag,
    /// The case of lines that name none
    #[arg(long, value_name = "ID")]
    case: Option<String>,
    /// The assertion of lines that name none (`judge`, `judge#2`); needed where a case has several judges
    #[arg(long, value_name = "ID")]
    assertion: Option<String>,
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Questions in flight at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Ask again what the journal could answer
    #[arg(long)]
    fresh: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl Calibrate {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let output = self.output.clone().map_or(Output::Stdout, Output::File);
        output.check()?;
        let suite = open::suite(&self.suite)?;
        let mut diagnostics = Diagnostics::default();
        let labels =
            Labels::read(&self.labels, &suite, self.case.as_deref(), self.assertion.as_deref(), &mut diagnostics);
        let wanted: Vec<(&Place, &Arc<Question>)> =
            labels.judges.iter().map(|judge| (judge.place(), judge.question())).collect();
        let priced = suite.config.limits.max_cost.is_some();
        let (referees, secrets) = open::referees(&suite, &wanted, None, priced, &mut diagnostics);
        if diagnostics.errors() > 0 {
            return Err(diagnostics.into());
        }
        report::errors(&diagnostics);
        let mut hearing = hearing(&suite, referees, secrets, self.jobs, self.fresh)?;
        let mut transcripts: Vec<(Vec<Arc<Question>>, Transcript)> = labels
            .lines
            .iter()
            .map(|line| (vec![Arc::clone(labels.judges[line.judge].question())], line.transcript.clone()))
            .collect();
        let progress = ProgressLine::new(self.quiet);
        let spent = hearing
            .block_on(&mut transcripts, &progress)
            .map_err(|error| Diagnostic::error(format!("the runtime could not be started: {error}")))?;
        progress.finish();
        let judged = labelled(&labels, &transcripts);
        let stopped = spent.stopped.as_ref().map(|reason| {
            let interrupted = *reason == StopReason::Interrupted;
            (if interrupted { ExitCode::Interrupted } else { ExitCode::NotAssessed }, reason.to_string())
        });
        let mut notes: Vec<String> = spent.rulings_note().into_iter().collect();
        notes.extend(kinship(&suite));
        let model = open::judge_description(&suite);
        let result = calibrate(self.suite.shown(&suite.root), model, &judged, notes, stopped);
        output.write(&match self.format {
            Format::Terminal => report::calibration(&result),
            Format::Json => report::json(&result),
            Format::Markdown => report::calibration_markdown(&result),
        })?;
        Ok(ExitCode::of(result.exit_code))
    }
}

/// The labels of people beside what the judge said.
fn labelled(labels: &Labels<'_>, transcripts: &[(Vec<Arc<Question>>, Transcript)]) -> Vec<Labelled> {
    let of = |(at, judge): (usize, &open::LabelledJudge<'_>)| {
        let Ask::Judge(criteria) = &judge.question().ask else { return None };
        let number = |label: &str| criteria.labels.iter().position(|known| known == label);
        let items =
            labels.lines.iter().zip(transcripts).filter(|(line, _)| line.judge == at).map(|(line, (_, heard))| {
                let (judge, reason) = match heard.rulings.get(judge.question().digest()) {
                    Some(Ok(Ruling::Label { label, reason, confidence })) => match number(label) {
                        Some(label) => (Ok((label, *confidence)), reason.clone()),
                        None => (Err(format!("`{label}` is no label")), None),
                    },
                    Some(Ok(Ruling::Votes(votes))) => {
                        (of_votes(votes, number), votes.first().and_then(|vote| vote.reason.clone()))
                    }
                    Some(Err(why)) => (Err(why.clone()), None),
                    _ => (Err(judge.question().is_moot(heard).unwrap_or("it was not asked").to_owned()), None),
                };
                Item { place: line.place.to_string(), human: line.label, judge, reason }
            });
        Some(Labelled {
            name: judge.name.clone(),
            criteria: criteria.text.clone(),
            labels: criteria.labels.clone(),
            passing: criteria.labels.iter().map(|label| judge.passes(label)).collect(),
            items: items.collect(),
        })
    };
    labels.judges.iter().enumerate().filter_map(of).collect()
}

/// The label that all judges chose, as sure as the least sure of them; else why there is none.
fn of_votes(votes: &[Vote], number: impl Fn(&str) -> Option<usize>) -> Result<(usize, Option<f64>), String> {
    let said = votes.iter().map(|vote| format!("{} says {}", vote.judge, vote.label)).collect::<Vec<_>>().join(", ");
    let same = votes.windows(2).all(|pair| pair[0].label == pair[1].label);
    let label = votes.first().filter(|_| same).and_then(|vote| number(&vote.label));
    let least = votes.iter().map(|vote| vote.confidence).reduce(|one, other| Some(one?.min(other?)));
    label.map(|label| (label, least.flatten())).ok_or(format!("the judges disagree: {said}"))
}

/// A judge of the agent's own family is what a calibration is for, and its reader must know.
fn kinship(suite: &Suite) -> Option<String> {
    let mut unsaid = Diagnostics::default();
    let agent = open::agent(suite, None, &mut unsaid)?;
    let judge = open::judge(suite, &mut unsaid)?;
    let family = same_family(judge.agent.as_ref(), agent.agent.as_ref())?;
    Some(format!("the judge is of the agent's own family, `{family}`: compare it with people on this agent's replies"))
}
