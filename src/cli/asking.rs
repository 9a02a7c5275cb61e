//! What every command that asks an agent shares: its flags, and the run from an opened agent to what it spent.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::Failure;
use super::open::{self, Opened};
use crate::report::ProgressLine;
use crate::rulings::Referees;
use crate::run::{self, Budget, Engine, Experiment, Hearing, Journal, Retrying, Spent, price_of};
use crate::source::{Diagnostic, Diagnostics, Secrets, TIME_HELP, parse_time};
use crate::studies::AgentLine;
use crate::suite::{Case, Suite};

/// Flags of a run.
#[derive(Debug, Args)]
pub(super) struct Asking {
    /// Agent to ask, by its name in mutate.yaml
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Seed of everything that is chosen by chance
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Trials in flight at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Stop after this many calls of the agent; what is open then is unproven
    #[arg(long, value_name = "N")]
    max_trials: Option<u64>,
    /// Stop after this many US dollars
    #[arg(long, value_name = "X", value_parser = non_negative, allow_negative_numbers = true)]
    max_cost: Option<f64>,
    /// Ask nothing more after this time (`90s`, `45m`, `2h`), and wait for what is out
    #[arg(long, value_name = "DURATION", value_parser = time, allow_negative_numbers = true)]
    max_time: Option<Duration>,
    /// Ask again what the journal could answer
    #[arg(long)]
    fresh: bool,
    /// End with 0 where there is nothing worse than findings; they are still reported
    #[arg(long)]
    pub report_only: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

fn non_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("must be a number of at least 0".to_owned()),
    }
}

fn time(text: &str) -> Result<Duration, String> {
    match parse_time(text) {
        Some(Duration::ZERO) => Err("must be longer than 0".to_owned()),
        Some(time) => Ok(time),
        None => Err(format!("must be a time span: {TIME_HELP}")),
    }
}

impl Asking {
    /// The agent of this run and whom the cases' matchers may ask, checked as far as that costs nothing; else everything
    /// that is wrong so far.
    pub(super) fn open(
        &self,
        suite: &Suite,
        cases: &[Case],
        mut diagnostics: Diagnostics,
    ) -> Result<(Opened, Referees), Failure> {
        let opened = open::agent(suite, self.agent.as_deref(), &mut diagnostics);
        let priced = self.max_cost(suite).is_some();
        if let (Some(opened), true) = (&opened, priced) {
            check_price(suite, opened, &mut diagnostics);
        }
        let asked = opened.as_ref().map(|opened| opened.agent.as_ref());
        let (referees, secrets) = open::referees(suite, &open::questions(cases), asked, priced, &mut diagnostics);
        match opened.filter(|_| diagnostics.errors() == 0) {
            Some(opened) => {
                crate::report::errors(&diagnostics);
                Ok((Opened { secrets: opened.secrets.and(secrets), ..opened }, referees))
            }
            None => Err(diagnostics.into()),
        }
    }

    /// The engine for an opened agent, and what there is to say of its journal.
    pub(super) fn engine(
        &self,
        suite: &Suite,
        (opened, referees): (Opened, Referees),
    ) -> Result<(Engine, Vec<String>), Failure> {
        let journal = journal(suite, opened.secrets.clone(), self.fresh)?;
        let mut notes = vec![];
        if !journal.skipped().is_empty() {
            notes.push(format!("{} journal line(s) dropped: {}", journal.skipped().len(), journal.skipped()[0]));
        }
        let limits = &suite.config.limits;
        let engine = Engine {
            agent: opened.agent,
            agent_name: opened.name,
            referees: Arc::new(referees),
            journal,
            jobs: self.jobs.map_or(limits.jobs, |jobs| jobs as usize),
            timeout: limits.timeout,
            retrying: Retrying { attempts: limits.retries, ..Retrying::default() },
            requests_per_minute: limits.requests_per_minute.map(u64::from),
            budget: self.budget(suite),
            prices: suite.config.prices.clone(),
        };
        Ok((engine, notes))
    }

    /// Asks until the experiment wants no more or may have no more, with a progress line.
    pub(super) fn run(&self, engine: &mut Engine, experiment: &mut dyn Experiment) -> Result<Spent, Failure> {
        let progress = ProgressLine::new(self.quiet);
        let spent = run::block_on(engine, experiment, &progress)
            .map_err(|error| Diagnostic::error(format!("the runtime could not be started: {error}")))?;
        progress.finish();
        Ok(spent)
    }

    /// The model that the agent would ask, where that can be known without a key.
    pub(super) fn model(&self, suite: &Suite) -> Option<String> {
        let opened = open::agent(suite, self.agent.as_deref(), &mut Diagnostics::default())?;
        opened.agent.settings().get("model")?.as_str().map(str::to_owned)
    }

    /// The limits of the whole run.
    fn budget(&self, suite: &Suite) -> Budget {
        let limits = &suite.config.limits;
        Budget {
            max_trials: self.max_trials.or(limits.max_trials),
            max_cost: self.max_cost(suite),
            max_time: self.max_time.or(limits.max_time),
            ..Budget::default()
        }
    }

    fn max_cost(&self, suite: &Suite) -> Option<f64> {
        self.max_cost.or(suite.config.limits.max_cost)
    }
}

/// Asks helpers and judges alone, within the suite's limits.
pub(super) fn hearing(
    suite: &Suite,
    referees: Referees,
    secrets: Secrets,
    jobs: Option<u32>,
    fresh: bool,
) -> Result<Hearing, Failure> {
    let limits = &suite.config.limits;
    Ok(Hearing {
        referees: Arc::new(referees),
        journal: journal(suite, secrets, fresh)?,
        jobs: jobs.map_or(limits.jobs, |jobs| jobs as usize),
        retrying: Retrying { attempts: limits.retries, ..Retrying::default() },
        requests_per_minute: limits.requests_per_minute.map(u64::from),
        budget: Budget { max_cost: limits.max_cost, ..Budget::default() },
        prices: suite.config.prices.clone(),
    })
}

fn journal(suite: &Suite, secrets: Secrets, fresh: bool) -> Result<Journal, Failure> {
    let mut journal = Journal::open(&suite.root, secrets)
        .map_err(|error| Diagnostic::error(format!("the journal can't be read: {error}")))?;
    if fresh {
        journal.forget();
    }
    Ok(journal)
}

/// How a report names the agent.
pub(super) fn agent_line(engine: &Engine) -> AgentLine {
    AgentLine {
        name: engine.agent_name.clone(),
        kind: engine.agent.kind().to_owned(),
        description: engine.agent.describe(),
    }
}

/// Accepted ids that nothing of this suite has: the text has changed, and the acceptance with it.
pub(super) fn stale_acceptances(suite: &Suite, known: impl Fn(&str) -> bool) -> Vec<String> {
    let stale = suite.config.accepted.iter().filter(|one| !known(&one.id));
    stale.map(|one| format!("`{}` is accepted at {}, but nothing has this id", one.id, one.place)).collect()
}

/// A limit on the cost of a chat model needs its price; other agents may report what a trial cost.
fn check_price(suite: &Suite, opened: &Opened, diagnostics: &mut Diagnostics) {
    let settings = opened.agent.settings();
    let Some(model) = settings.get("model").and_then(|model| model.as_str()) else { return };
    if opened.agent.kind() == "chat" && price_of(&suite.config.prices, model).is_none() {
        let error = Diagnostic::error(format!("there is a limit on the cost, but no price of `{model}`"));
        let entry = format!("prices: {{{model}: {{input_per_million: …, output_per_million: …}}}}");
        diagnostics.push(error.help(format!("add it to mutate.yaml: {entry}")));
    }
}
