mod attribute;
mod opposites;
mod pin;

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

mod coverage;

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
    /// List every statement of a rule in the instructions and the cases that quote it; reads the journal and asks nothing
    #[arg(long, conflicts_with_all = ["list", "dry_run", "fresh"])]
    coverage: bool,
    /// Write the opposite of each rule into its case, as `inverted:`, to be reviewed; asks nothing and
    /// never overwrites one
    #[arg(long, conflicts_with_all = ["list", "dry_run", "coverage"])]
    pin: bool,
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
    Threshold,
}

impl Operator {
    fn arm(self) -> Arm {
        match self {
            Operator::Delete => Arm::Delete,
            Operator::Invert => Arm::Invert,
            Operator::Weaken => Arm::Weaken,
            Operator::Threshold => Arm::Threshold,
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
        if self.pin {
            operators = vec![Arm::Invert];
        }
        let settings = self.settings(&suite, &mut diagnostics);
        let mut workshop = Workshop::new(&documents, &operators, self.asking.seed, &nonce(self.asking.seed));
        let mut subjects: Vec<Subject> = cases
            .iter()
            .enumerate()
            .flat_map(|(at, case)| workshop.subjects(at, case, &mut diagnostics))
            .filter(|subject| self.choice.names(&subject.case_id, &subject.id))
            .collect();
        let asks = !(self.list || self.dry_run || self.pin);
        let helper = opposites::helper(&suite, &subjects, asks, &mut diagnostics);
        if !asks {
            if diagnostics.errors() > 0 {
                return Err(diagnostics.into());
            }
            report::errors(&diagnostics);
            opposites::ask(&suite, &cases, (&mut workshop, &mut subjects), helper, &self.asking, false)?;
            if self.pin {
                return pin::pin(&suite, &cases, &subjects, (self.format, self.output()));
            }
            return self.print_plan(&suite, &cases, &workshop, &subjects, &settings);
        }
        if self.coverage {
            opposites::ask(&suite, &cases, (&mut workshop, &mut subjects), helper, &self.asking, false)?;
            return self.cover(&suite, &cases, &workshop, (subjects, &settings), diagnostics);
        }
        let opened = self.asking.open(&suite, &cases, diagnostics)?;
        let (helped, mut notes) =
            opposites::ask(&suite, &cases, (&mut workshop, &mut subjects), helper, &self.asking, true)?;
        let (mut engine, journal_notes) = self.asking.engine(&suite, opened)?;
        engine.budget = engine.budget.after(&helped);
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
        let mut spent = self.asking.run(&mut engine, &mut study)?;
        spent.include(&helped);
        let heading = Heading {
            suite: self.suite.shown(&suite.root),
            agent: agent_line(&engine),
            seed: self.asking.seed,
            cases_left_out: cases_without_rule,
            notes,
        };
        let mut result = assemble(&study, &suite, &cases, &settings, &spent, heading, engine.agent.bare_note());
        if self.asking.report_only {
            result.summary.only_report_findings();
        }
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
        workshop: &Workshop<'_>,
        subjects: &[Subject],
        settings: &Settings,
    ) -> Result<ExitCode, Failure> {
        let mutants: Vec<MutantReport> = subjects.iter().flat_map(|subject| subject.mutants.clone()).collect();
        let forecast = match self.dry_run {
            true => Some(
                forecast(
                    cases,
                    subjects,
                    settings,
                    workshop.baseline(),
                    &suite.config.prices,
                    self.asking.model(suite).as_deref(),
                )
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
