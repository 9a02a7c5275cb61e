mod attribute;

use std::path::PathBuf;

use clap::Args;

use super::asking::{Asking, agent_line, stale_acceptances};
use super::open::{self, Choice};
use super::{Failure, SuiteFlag};
use crate::report::{self, Format, Output};
use crate::source::{Diagnostic, Diagnostics};
use crate::stats::Design;
use crate::studies::matchers::is_finding_id;
use crate::studies::rules::{Arm, MutantReport, RulesStudy, Settings, Subject, Workshop, assemble, forecast, nonce};
use crate::studies::{ExitCode, Heading};
use crate::suite::{Case, Suite};

/// Flags of `mutate rules`.
#[derive(Debug, Args)]
pub(super) struct Rules {
    #[command(flatten)]
    suite: SuiteFlag,
    #[command(flatten)]
    choice: Choice,
    /// Mutants of the rule to try, in this order
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "delete,invert")]
    operators: Vec<Operator>,
    /// Try every operator on every assertion, also where the answer can change no verdict; with --attribute, find as well
    /// which statements would be enough
    #[arg(long)]
    thorough: bool,
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
    /// Find the statements that carry the behaviour of one case (--case), and print the files with these lines marked
    #[arg(long, conflicts_with_all = ["list", "operators"])]
    attribute: bool,
    /// With --attribute: begin with this text of the instructions, in place of the rule that the case quotes
    #[arg(long, value_name = "TEXT", requires = "attribute")]
    rule: Option<String>,
    /// Print the mutants and ask nothing
    #[arg(long)]
    list: bool,
    /// Print the mutants (not with --attribute) and what a run would take, and ask nothing
    #[arg(long)]
    dry_run: bool,
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    asking: Asking,
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

impl Rules {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        self.output().check()?;
        if self.attribute {
            return self.attribute();
        }
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
        let workshop = Workshop::new(&documents, &operators, self.asking.seed, &nonce(self.asking.seed));
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
        let opened = self.asking.open(&suite, &cases, diagnostics)?;
        let (mut engine, journal_notes) = self.asking.engine(&suite, opened)?;
        let mut notes: Vec<String> = vec![];
        if everything {
            notes.extend(stale_acceptances(&suite, |id| {
                // Those of the other studies are theirs to look for.
                is_finding_id(id)
                    || id.ends_with("/inputs")
                    || subjects
                        .iter()
                        .any(|subject| subject.id == id || subject.mutants.iter().any(|mutant| mutant.id == id))
            }));
        }
        notes.extend(journal_notes);
        let mut study = RulesStudy::new(&cases, &workshop, subjects, &settings, engine.agent.delivery())
            .map_err(|error| Diagnostic::error(error.to_string()))?;
        let spent = self.asking.run(&mut engine, &mut study)?;
        let heading = Heading {
            suite: self.suite.shown(&suite.root),
            agent: agent_line(&engine),
            seed: self.asking.seed,
            cases_left_out: cases_without_rule,
            notes,
        };
        let result = assemble(&study, &suite, &cases, &settings, &spent, heading, engine.agent.bare_note());
        let text = match self.format {
            Format::Terminal => report::rules(&result),
            Format::Json => report::json(&result),
            Format::Markdown => report::rules_markdown(&result),
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
        Settings { thorough: self.thorough, ..Settings::new(design, self.asking.seed) }
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
                forecast(cases, subjects, settings, &suite.config.prices, self.asking.model(suite).as_deref())
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
