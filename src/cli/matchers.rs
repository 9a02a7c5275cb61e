use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;

use super::asking::hearing;
use super::open::{self, Choice};
use super::{Failure, SuiteFlag};
use crate::matchers::{Ask, Question};
use crate::mutators::transcript::Probes;
use crate::report::{self, Format, Output, ProgressLine};
use crate::run::{Entry, Journal, Spent, asked_digest};
use crate::source::{Diagnostic, Diagnostics, Secrets};
use crate::studies::matchers::{Known, MatchersReport, Recorded, Whom, is_finding_id, study, to_hear};
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
    /// Start no program of a `helper:` check: such checks are not tried then
    #[arg(long)]
    no_helpers: bool,
    /// Ask models of `judge:` and `similar:` checks about everything that is tried, which costs what they cost
    #[arg(long)]
    ask_judges: bool,
    /// Programs and models asked at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Ask programs and models again what the journal could answer
    #[arg(long)]
    fresh: bool,
    /// End with 0 where there is nothing worse than findings; they are still reported
    #[arg(long)]
    report_only: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl Matchers {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let output = self.output.clone().map_or(Output::Stdout, Output::File);
        output.check()?;
        let mut suite = open::suite(&self.suite)?;
        let everything = self.choice.is_everything();
        let began = Instant::now();
        let [baselines, other_arms] = recorded(&suite)?;
        let mut known = Known {
            other_arms,
            whom: Whom { programs: !self.no_helpers, models: self.ask_judges },
            probes: own_probes(&suite)?,
            ..Known::of(&suite.cases, baselines)
        };
        let cases = self.choice.of(std::mem::take(&mut suite.cases))?;
        let spent = self.hear(&suite, &cases, &mut known)?;
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
        let mut result = study(&cases, &known, &suite.config, &spent, heading);
        if everything {
            result.notes.extend(stale_acceptances(&suite, &result));
        }
        result.summary.elapsed_seconds = began.elapsed().as_secs_f64();
        if self.report_only {
            result.summary.only_report_findings();
        }
        let text = match self.format {
            Format::Terminal => report::matchers(&result),
            Format::Json => report::json(&result),
            Format::Markdown => report::matchers_markdown(&result),
        };
        output.write(&text)?;
        Ok(ExitCode::of(result.summary.exit_code))
    }

    /// Lays in `known` what those who may be asked say of everything that is tried on these cases.
    fn hear(&self, suite: &Suite, cases: &[Case], known: &mut Known) -> Result<Spent, Failure> {
        let mut wanted = to_hear(cases, known);
        let mut total = Spent::default();
        if wanted.is_empty() {
            return Ok(total);
        }
        let mut diagnostics = Diagnostics::default();
        let asks = |question: &Question| {
            matches!(question.ask, Ask::Program(_)) && known.whom.programs
                || !matches!(question.ask, Ask::Program(_)) && known.whom.models
        };
        let questions: Vec<_> = open::questions(cases).into_iter().filter(|(_, question)| asks(question)).collect();
        // A judge of the agent's own family is as wrong here as it is in a run.
        let agent = open::agent(suite, None, &mut Diagnostics::default()).map(|opened| opened.agent);
        let priced = known.whom.models && suite.config.limits.max_cost.is_some();
        let (referees, secrets) = open::referees(suite, &questions, agent.as_deref(), priced, &mut diagnostics);
        if diagnostics.errors() > 0 {
            return Err(diagnostics.into());
        }
        report::errors(&diagnostics);
        let mut hearing = hearing(suite, referees, secrets, self.jobs, self.fresh)?;
        let progress = ProgressLine::new(self.quiet);
        while !wanted.is_empty() && total.stopped.is_none() {
            hearing.budget.max_cost = suite.config.limits.max_cost.map(|most| (most - total.cost).max(0.0));
            let spent = hearing
                .block_on(&mut wanted, &progress)
                .map_err(|error| Diagnostic::error(format!("the runtime could not be started: {error}")))?;
            total.include(&spent);
            total.include_rulings(&spent);
            total.stopped = spent.stopped;
            known.heard.keep(wanted);
            wanted = to_hear(cases, known);
        }
        progress.finish();
        Ok(total)
    }
}

/// What is tried: what comes with the program, and the suite's own.
fn own_probes(suite: &Suite) -> Result<Arc<Probes>, Failure> {
    let mut diagnostics = Diagnostics::default();
    let probes = Probes::with_own(&suite.root, &suite.config.mutators, &mut diagnostics);
    if diagnostics.errors() > 0 {
        return Err(diagnostics.into());
    }
    report::errors(&diagnostics);
    Ok(Arc::new(probes))
}

fn unreadable(error: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(format!("the journal can't be read: {error}"))
}

/// What the journal holds of the cases' baselines, and of their other arms: the newest first, equal ones once.
fn recorded(suite: &Suite) -> Result<[Recorded; 2], Failure> {
    let journal = Journal::open(&suite.root, Secrets::new([])).map_err(unreadable)?;
    let digest = |case: &Case| asked_digest(&case.input, &case.conversation, &case.fixtures);
    let known: HashMap<&str, String> = suite.cases.iter().map(|case| (case.id.as_str(), digest(case))).collect();
    let mut found = [Recorded::new(), Recorded::new()];
    for entry in journal.entries().map_err(unreadable)?.into_iter().rev() {
        let Entry::Trial(record) = entry else { continue };
        let Some(asked) = known.get(record.case.as_str()).filter(|_| record.ok) else { continue };
        // What was right before the case was edited may be wrong now. Of other arms it is not asked what is right.
        if record.arm == "baseline" && record.asked != *asked {
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
