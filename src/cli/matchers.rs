use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;

use super::open::{self, Choice};
use super::{Failure, SuiteFlag};
use crate::matchers::Ask;
use crate::report::{self, Format, Output, ProgressLine};
use crate::run::{Budget, Entry, Hearing, Journal, Retrying, Spent};
use crate::source::{Diagnostic, Diagnostics, Secrets};
use crate::studies::matchers::{Known, MatchersReport, Recorded, is_finding_id, study, to_hear};
use crate::studies::{AgentLine, ExitCode, Heading};
use crate::suite::{Case, Suite};

/// Recorded transcripts of one case that are looked at, the newest first.
const MOST_RECORDED: usize = 20;

/// Flags of `mutate matchers`.
#[derive(Debug, Args)]
pub(super) struct Matchers {
    #[command(flatten)]
    suite: SuiteFlag,
    #[command(flatten)]
    choice: Choice,
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Matchers {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let output = self.output.map_or(Output::Stdout, Output::File);
        output.check()?;
        let mut suite = open::suite(&self.suite)?;
        let everything = self.choice.is_everything();
        let began = Instant::now();
        let [baselines, other_arms] = recorded(&suite)?;
        let mut known = Known { other_arms, ..Known::of(&suite.cases, baselines) };
        let cases = self.choice.of(std::mem::take(&mut suite.cases))?;
        let spent = hear(&suite, &cases, &mut known)?;
        let heading = Heading {
            suite: self.suite.shown(&suite.root),
            agent: AgentLine {
                name: "none".to_owned(),
                kind: "none".to_owned(),
                description: "no agent is asked".to_owned(),
            },
            seed: 0,
            cases_left_out: 0,
            notes: vec![],
        };
        let mut result = study(&cases, &known, &suite.config.accepted, &spent, heading);
        if everything {
            result.notes.extend(stale_acceptances(&suite, &result));
        }
        result.summary.elapsed_seconds = began.elapsed().as_secs_f64();
        let text = match self.format {
            Format::Terminal => report::matchers(&result),
            Format::Json => report::json(&result),
            Format::Markdown => report::matchers_markdown(&result),
        };
        output.write(&text)?;
        Ok(ExitCode::of(result.summary.exit_code))
    }
}

/// Lays in `known` what the programs of these cases say of everything that is tried on them. Nobody who costs money is
/// asked.
fn hear(suite: &Suite, cases: &[Case], known: &mut Known) -> Result<Spent, Failure> {
    let mut wanted = to_hear(cases, known);
    let mut total = Spent::default();
    if wanted.is_empty() {
        return Ok(total);
    }
    let programs = open::questions(cases).into_iter().filter(|(_, question)| matches!(question.ask, Ask::Program(_)));
    let mut diagnostics = Diagnostics::default();
    let programs: Vec<_> = programs.collect();
    let (referees, secrets) = open::referees(suite, &programs, None, false, &mut diagnostics);
    if diagnostics.errors() > 0 {
        return Err(diagnostics.into());
    }
    report::errors(&diagnostics);
    let limits = &suite.config.limits;
    let mut hearing = Hearing {
        referees: Arc::new(referees),
        journal: Journal::open(&suite.root, secrets).map_err(unreadable)?,
        jobs: limits.jobs,
        retrying: Retrying { attempts: limits.retries, ..Retrying::default() },
        requests_per_minute: None,
        budget: Budget::default(),
        prices: vec![],
    };
    let progress = ProgressLine::new(false);
    while !wanted.is_empty() && total.stopped.is_none() {
        let spent = hearing
            .block_on(&mut wanted, &progress)
            .map_err(|error| Diagnostic::error(format!("the runtime could not be started: {error}")))?;
        total.rulings += spent.rulings;
        total.rulings_reused += spent.rulings_reused;
        total.ruling_errors += spent.ruling_errors;
        total.retries += spent.retries;
        total.stopped = spent.stopped;
        known.heard.keep(wanted);
        wanted = to_hear(cases, known);
    }
    progress.finish();
    Ok(total)
}

fn unreadable(error: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(format!("the journal can't be read: {error}"))
}

/// What the journal holds of the cases' baselines, and of their other arms: the newest first, equal ones once.
fn recorded(suite: &Suite) -> Result<[Recorded; 2], Failure> {
    let journal = Journal::open(&suite.root, Secrets::new([])).map_err(unreadable)?;
    let known: HashSet<&str> = suite.cases.iter().map(|case| case.id.as_str()).collect();
    let mut found = [Recorded::new(), Recorded::new()];
    for entry in journal.entries().map_err(unreadable)?.into_iter().rev() {
        let Entry::Trial(record) = entry else { continue };
        if !record.ok || !known.contains(record.case.as_str()) {
            continue;
        }
        let Some(transcript) = record.transcript else { continue };
        let kept = found[usize::from(record.arm != "baseline")].entry(record.case).or_default();
        if kept.len() < MOST_RECORDED && transcript.error.is_none() && !kept.contains(&transcript) {
            kept.push(transcript);
        }
    }
    Ok(found)
}

/// Accepted findings of this study that are no longer found.
fn stale_acceptances(suite: &Suite, result: &MatchersReport) -> Vec<String> {
    let known = |id: &str| result.cases.iter().flat_map(|case| &case.findings).any(|finding| finding.id == id);
    let stale = suite.config.accepted.iter().filter(|one| is_finding_id(&one.id) && !known(&one.id));
    stale.map(|one| format!("`{}` is accepted at {}, but is no longer found", one.id, one.place)).collect()
}
