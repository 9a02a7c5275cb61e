use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::open::{self, Choice};
use super::{Failure, SuiteFlag};
use crate::report::{self, Format, Output};
use crate::run::{Entry, Journal, Spent};
use crate::source::{Diagnostic, Secrets};
use crate::studies::matchers::{Known, MatchersReport, Recorded, is_finding_id, study};
use crate::studies::{AgentLine, ExitCode, Heading};
use crate::suite::Suite;

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
        let known = Known::of(&suite.cases, recorded(&suite)?);
        let cases = self.choice.of(std::mem::take(&mut suite.cases))?;
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
        let mut result = study(&cases, &known, &suite.config.accepted, &Spent::default(), heading);
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

/// What the journal holds of the cases' baselines, the newest first, equal ones once.
fn recorded(suite: &Suite) -> Result<Recorded, Failure> {
    let unreadable = |error| Diagnostic::error(format!("the journal can't be read: {error}"));
    let journal = Journal::open(&suite.root, Secrets::new([])).map_err(unreadable)?;
    let known: HashSet<&str> = suite.cases.iter().map(|case| case.id.as_str()).collect();
    let mut found = Recorded::new();
    for entry in journal.entries().map_err(unreadable)?.into_iter().rev() {
        let Entry::Trial(record) = entry else { continue };
        if !record.ok || record.arm != "baseline" || !known.contains(record.case.as_str()) {
            continue;
        }
        let Some(transcript) = record.transcript else { continue };
        let kept = found.entry(record.case).or_default();
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
