use std::path::PathBuf;

use clap::Args;

use super::open::{self, Choice, Opened};
use super::{Failure, SuiteFlag};
use crate::report::{self, Format, Output, ProgressLine};
use crate::run::{self, Budget, Engine, Journal, Retrying, price_of};
use crate::source::{Diagnostic, Diagnostics};
use crate::stats::Design;
use crate::studies::matchers::is_finding_id;
use crate::studies::rules::{Arm, MutantReport, RulesStudy, Settings, Subject, Workshop, assemble, forecast, nonce};
use crate::studies::{AgentLine, ExitCode, Heading};
use crate::suite::{Case, Suite};

/// Flags of `mutate rules`.
#[derive(Debug, Args)]
pub(super) struct Rules {
    #[command(flatten)]
    suite: SuiteFlag,
    #[command(flatten)]
    choice: Choice,
    /// Agent to ask, by its name in mutate.yaml
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Mutants of the rule to try, in this order
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "delete,invert")]
    operators: Vec<Operator>,
    /// Try every operator on every assertion, also where the answer can change no verdict
    #[arg(long)]
    thorough: bool,
    /// Seed of everything that is chosen by chance
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Trials in flight at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Stop after this many calls of the agent; what is open then is unproven
    #[arg(long, value_name = "N")]
    max_trials: Option<u64>,
    /// Stop after this many US dollars
    #[arg(long, value_name = "X", value_parser = non_negative, allow_negative_numbers = true)]
    max_cost: Option<f64>,
    /// Ask again what the journal could answer
    #[arg(long)]
    fresh: bool,
    /// Chance of calling an assertion killed that is not
    #[arg(long, value_name = "P")]
    alpha: Option<f64>,
    /// Chance of calling an assertion a survivor that dropped by --min-effect or more
    #[arg(long, value_name = "P")]
    beta: Option<f64>,
    /// The smallest drop of the pass rate that must not be overlooked
    #[arg(long, value_name = "D")]
    min_effect: Option<f64>,
    /// Most trials in one arm
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_trials_per_arm: Option<u32>,
    /// Print the mutants and ask nothing
    #[arg(long)]
    list: bool,
    /// Print the mutants and what a run would take, and ask nothing
    #[arg(long)]
    dry_run: bool,
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Operator {
    Delete,
    Invert,
    Weaken,
}

impl Operator {
    fn arm(self) -> Arm {
        match self {
            Operator::Delete => Arm::Delete,
            Operator::Invert => Arm::Invert,
            Operator::Weaken => Arm::Weaken,
        }
    }
}

fn non_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("must be a number of at least 0".to_owned()),
    }
}

impl Rules {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        self.output().check()?;
        let mut suite = open::suite(&self.suite)?;
        let mut diagnostics = Diagnostics::default();
        let documents = open::documents(&suite, &mut diagnostics);
        let everything = self.choice.is_everything();
        let chosen = self.choice.of(std::mem::take(&mut suite.cases))?;
        let cases_without_rule = chosen.iter().filter(|case| case.rules.is_empty()).count();
        let cases: Vec<Case> = chosen.into_iter().filter(|case| !case.rules.is_empty()).collect();
        let mut operators: Vec<Arm> = self.operators.iter().map(|operator| operator.arm()).collect();
        operators.sort();
        operators.dedup();
        let settings = self.settings(&suite, &mut diagnostics);
        let workshop = Workshop::new(&documents, &operators, self.seed, &nonce(self.seed));
        let subjects: Vec<Subject> = cases
            .iter()
            .enumerate()
            .flat_map(|(at, case)| workshop.subjects(at, case, &mut diagnostics))
            .filter(|subject| self.choice.names(&subject.case_id, &subject.id))
            .collect();
        if self.list || self.dry_run {
            if diagnostics.errors() > 0 {
                return Err(diagnostics.into());
            }
            report::errors(&diagnostics);
            return self.print_plan(&suite, &cases, &subjects, &settings);
        }
        let opened = open::agent(&suite, self.agent.as_deref(), &mut diagnostics);
        let max_cost = self.max_cost.or(suite.config.limits.max_cost);
        if let (Some(opened), Some(_)) = (&opened, max_cost) {
            check_price(&suite, opened, &mut diagnostics);
        }
        let Some(opened) = opened.filter(|_| diagnostics.errors() == 0) else { return Err(diagnostics.into()) };
        report::errors(&diagnostics);
        let mut journal = Journal::open(&suite.root, opened.secrets.clone())
            .map_err(|error| Diagnostic::error(format!("the journal can't be read: {error}")))?;
        if self.fresh {
            journal.forget();
        }
        let mut notes: Vec<String> = vec![];
        if everything {
            notes.extend(stale_acceptances(&suite, &subjects));
        }
        if !journal.skipped().is_empty() {
            notes.push(format!("{} journal line(s) dropped: {}", journal.skipped().len(), journal.skipped()[0]));
        }
        let mut study = RulesStudy::new(&cases, &workshop, subjects, &settings, opened.agent.delivery())
            .map_err(|error| Diagnostic::error(error.to_string()))?;
        let limits = &suite.config.limits;
        let mut engine = Engine {
            agent: opened.agent,
            agent_name: opened.name,
            journal,
            jobs: self.jobs.map_or(limits.jobs, |jobs| jobs as usize),
            timeout: limits.timeout,
            retrying: Retrying { attempts: limits.retries, ..Retrying::default() },
            requests_per_minute: limits.requests_per_minute.map(u64::from),
            budget: Budget { max_trials: self.max_trials.or(limits.max_trials), max_cost },
            prices: suite.config.prices.clone(),
        };
        let progress = ProgressLine::new(self.quiet);
        let spent = run::block_on(&mut engine, &mut study, &progress)
            .map_err(|error| Diagnostic::error(format!("the runtime could not be started: {error}")))?;
        progress.finish();
        let heading = Heading {
            suite: self.suite.shown(&suite.root),
            agent: AgentLine {
                name: engine.agent_name.clone(),
                kind: engine.agent.kind().to_owned(),
                description: engine.agent.describe(),
            },
            seed: self.seed,
            cases_left_out: cases_without_rule,
            notes,
        };
        let result = assemble(&study, &suite, &cases, &settings, &spent, heading, engine.agent.bare_note());
        let text = match self.format {
            Format::Terminal => report::rules(&result),
            Format::Json => report::json(&result),
            Format::Markdown => report::markdown(&result),
        };
        self.output().write(&text)?;
        Ok(ExitCode::of(result.summary.exit_code))
    }

    fn output(&self) -> Output {
        self.output.clone().map_or(Output::Stdout, Output::File)
    }

    fn settings(&self, suite: &Suite, diagnostics: &mut Diagnostics) -> Settings {
        let configured = &suite.config.design;
        let standard = Design::default();
        let design = Design {
            alpha: self.alpha.or(configured.alpha).unwrap_or(standard.alpha),
            beta: self.beta.or(configured.beta).unwrap_or(standard.beta),
            min_effect: self.min_effect.or(configured.min_effect).unwrap_or(standard.min_effect),
            max_trials_per_arm: self
                .max_trials_per_arm
                .or(configured.max_trials_per_arm)
                .map_or(standard.max_trials_per_arm, |cap| cap as usize),
        };
        if let Err(error) = design.check_ranges() {
            diagnostics.push(Diagnostic::error(error.to_string()));
        }
        Settings { thorough: self.thorough, ..Settings::new(design, self.seed) }
    }

    /// The model that the agent would ask, where that can be known without a key.
    fn model(&self, suite: &Suite) -> Option<String> {
        let opened = open::agent(suite, self.agent.as_deref(), &mut Diagnostics::default())?;
        opened.agent.settings().get("model")?.as_str().map(str::to_owned)
    }

    fn print_plan(
        &self,
        suite: &Suite,
        cases: &[Case],
        subjects: &[Subject],
        settings: &Settings,
    ) -> Result<ExitCode, Failure> {
        let mutants: Vec<MutantReport> = subjects.iter().flat_map(|subject| subject.mutants.clone()).collect();
        let forecast = match self.dry_run {
            true => Some(
                forecast(cases, subjects, settings, &suite.config.prices, self.model(suite).as_deref())
                    .map_err(|error| Diagnostic::error(error.to_string()))?,
            ),
            false => None,
        };
        let text = match (self.format, &forecast) {
            (Format::Json, None) => report::json(&mutants),
            (Format::Json, Some(forecast)) => report::json(forecast),
            (_, forecast) => report::plan(&mutants, forecast.as_ref()),
        };
        self.output().write(&text)?;
        Ok(if mutants.is_empty() { ExitCode::NotAssessed } else { ExitCode::Clean })
    }
}

/// Accepted ids that no case and no mutant of this suite has: the text has changed, and the acceptance with it.
fn stale_acceptances(suite: &Suite, subjects: &[Subject]) -> Vec<String> {
    let known = |id: &str| {
        subjects.iter().any(|subject| subject.id == id || subject.mutants.iter().any(|mutant| mutant.id == id))
    };
    // Findings of the matchers study are its to look for.
    let stale = suite.config.accepted.iter().filter(|one| !known(&one.id) && !is_finding_id(&one.id));
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
