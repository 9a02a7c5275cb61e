use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::asking::{Asking, agent_line, stale_acceptances};
use super::helped::{self, Helped};
use super::open::{self, Choice};
use super::{Failure, SuiteFlag};
use crate::agents::InstructionFile;
use crate::mutators::input::{self, Kind, Packs};
use crate::report::{self, Format, Output};
use crate::source::{Diagnostic, Diagnostics, nearest_name};
use crate::studies::inputs::{Design, InputsStudy, ListedVariant, Sources, Subject, assemble, forecast, listed, plan};
use crate::studies::{ExitCode, Heading};
use crate::suite::{self, Case, Suite};

/// Flags of `mutate inputs`.
#[derive(Debug, Args)]
pub(super) struct Inputs {
    #[command(flatten)]
    suite: SuiteFlag,
    #[command(flatten)]
    choice: Choice,
    /// Only variants of these kinds: typo, format, paraphrase, distraction, adversarial, model, written
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = kind)]
    kinds: Vec<Kind>,
    /// Only these mutators, by name (`typo/transposition`) or pack (`typo/`); `mutate mutators` lists them
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    mutators: Vec<String>,
    /// Variants of each case; its own paraphrases come first, and all of them
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000))]
    variants: u32,
    /// Chance of blaming the phrasing of a case whose phrasing does not matter
    #[arg(long, value_name = "P")]
    alpha: Option<f64>,
    /// Print the variants and ask nothing
    #[arg(long, group = "instead")]
    list: bool,
    /// Print the variants and what a run would take, and ask nothing
    #[arg(long, group = "instead")]
    dry_run: bool,
    /// Write the variants to a file beside each case, to be reviewed; later runs use those first. Asks
    /// no agent; of the kind `model` it asks the helper
    #[arg(long, group = "instead")]
    save: bool,
    /// Print the variants for another harness, and ask nothing
    #[arg(long, value_enum, value_name = "FORMAT", group = "instead")]
    export: Option<Export>,
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    asking: Asking,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Export {
    /// A list of tests in YAML, the text as the variable `input`
    Promptfoo,
    /// One JSON object a line
    Jsonl,
}

fn kind(text: &str) -> Result<Kind, String> {
    Kind::from_name(text).ok_or_else(|| match nearest_name(text, Kind::NAMES) {
        Some(near) => format!("there is no such kind; did you mean `{near}`?"),
        None => format!("the kinds are {}", Kind::NAMES.join(", ")),
    })
}

impl Inputs {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        self.output().check()?;
        let mut suite = open::suite(&self.suite)?;
        let mut diagnostics = Diagnostics::default();
        let documents = open::documents(&suite, &mut diagnostics);
        let instructions: Arc<[InstructionFile]> = documents.iter().map(InstructionFile::of).collect();
        let everything = self.choice.is_everything();
        let cases = self.choice.of(std::mem::take(&mut suite.cases))?;
        let packs = open::packs(&suite, &mut diagnostics);
        let wanted = self.wanted(&packs, &mut diagnostics);
        let design = self.design(&suite, &mut diagnostics);
        let asks_nobody = self.list || self.dry_run || self.save || self.export.is_some();
        // A list needs no agent, unless a model has a part in it, which must be another than the agent's.
        let opened = match asks_nobody && !self.kinds.contains(&Kind::Model) {
            false => Some(self.asking.open(&suite, &cases, diagnostics)?),
            true if diagnostics.errors() > 0 => return Err(diagnostics.into()),
            true => {
                report::errors(&diagnostics);
                None
            }
        };
        let helped = match &opened {
            Some(opened) => {
                let asks = self.save || !asks_nobody;
                helped::paraphrases(&suite, &cases, &wanted, (&self.asking, opened.0.agent.as_ref()), asks)?
            }
            None => Helped::default(),
        };
        let sources = Sources { packs: &packs, choice: &wanted, protect: &suite.config.protect };
        let subject = |(at, case): (usize, &Case)| {
            sources.subject(at, case, suite.reviewed.get(&case.id), helped.paraphrases.get(at).map(|one| &one.made))
        };
        let subjects: Vec<Subject> = cases.iter().enumerate().map(subject).collect();
        let Some(opened) = opened.filter(|_| !asks_nobody) else {
            return match self.save {
                true => self.save(&suite, &cases, &subjects),
                false => self.print_plan(&suite, &cases, &subjects, &design, &instructions, &helped.notes),
            };
        };
        let (mut engine, journal_notes) = self.asking.engine(&suite, opened)?;
        engine.budget = engine.budget.after(&helped.spent);
        let mut notes = helped.notes;
        notes.extend(journal_notes);
        if everything {
            notes.extend(stale_acceptances(&suite, |id| match id.strip_suffix("/inputs") {
                Some(case) => cases.iter().any(|one| one.id == case),
                None => true,
            }));
        }
        let mut study = InputsStudy::new(&cases, subjects, instructions, &design, self.asking.seed);
        let mut spent = self.asking.run(&mut engine, &mut study)?;
        spent.include(&helped.spent);
        let heading = Heading {
            suite: self.suite.shown(&suite.root),
            agent: agent_line(&engine),
            seed: self.asking.seed,
            cases_left_out: 0,
            notes,
        };
        let mut result = assemble(&study, &suite, &cases, &design, &spent, heading);
        if self.asking.report_only {
            result.summary.only_report_findings();
        }
        let text = match self.format {
            Format::Terminal => report::inputs(&result),
            Format::Json => report::json(&result),
            Format::Markdown => report::inputs_markdown(&result),
        };
        self.output().write(&text)?;
        Ok(ExitCode::of(result.summary.exit_code))
    }

    fn output(&self) -> Output {
        self.output.clone().map_or(Output::Stdout, Output::File)
    }

    fn design(&self, suite: &Suite, diagnostics: &mut Diagnostics) -> Design {
        let standard = Design::default();
        let alpha = self.alpha.or(suite.config.design.alpha).unwrap_or(standard.alpha);
        let design = Design { alpha, ..standard };
        if let Err(error) = design.check() {
            diagnostics.push(Diagnostic::error(error.to_string()));
        }
        design
    }

    /// Which variants are wanted; a mutator that is not there is a mistake.
    fn wanted(&self, packs: &Packs, diagnostics: &mut Diagnostics) -> input::Choice {
        let chosen = |name: &str, mutator: &input::Mutator| match name.strip_suffix('/') {
            Some(_) => mutator.name().starts_with(name),
            None => mutator.name() == name,
        };
        let known = |name: &str| packs.mutators().any(|mutator| chosen(name, mutator));
        for name in self.mutators.iter().filter(|name| !known(name)) {
            let error = Diagnostic::error(format!("there is no mutator `{name}`"));
            let help = match nearest_name(name, packs.mutators().map(|mutator| mutator.name())) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`mutate mutators` lists them".to_owned(),
            };
            diagnostics.push(error.help(help));
        }
        if !self.kinds.is_empty() && !self.mutators.is_empty() {
            let fits = |mutator: &input::Mutator| self.kinds.contains(&mutator.kind());
            let any = packs.mutators().any(|one| fits(one) && self.mutators.iter().any(|name| chosen(name, one)));
            if !any && diagnostics.errors() == 0 {
                let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
                let message =
                    format!("none of the mutators {} is of kind {}", self.mutators.join(", "), kinds.join(" or "));
                diagnostics.push(Diagnostic::error(message).help("name mutators or kinds, or both so that some fit"));
            }
        }
        input::Choice {
            kinds: (!self.kinds.is_empty()).then(|| self.kinds.clone()),
            mutators: (!self.mutators.is_empty()).then(|| self.mutators.clone()),
            variants: self.variants as usize,
            seed: self.asking.seed,
        }
    }

    fn print_plan(
        &self,
        suite: &Suite,
        cases: &[Case],
        subjects: &[Subject],
        design: &Design,
        instructions: &[InstructionFile],
        notes: &[String],
    ) -> Result<ExitCode, Failure> {
        let variants: Vec<ListedVariant> =
            subjects.iter().flat_map(|subject| listed(&cases[subject.case], subject)).collect();
        let forecast = self.dry_run.then(|| {
            let model = self.asking.model(suite);
            forecast(cases, subjects, design, instructions, &suite.config.prices, model.as_deref())
        });
        let text = match (self.export, self.format, &forecast) {
            (Some(Export::Promptfoo), _, _) => report::promptfoo(&variants),
            (Some(Export::Jsonl), _, _) => report::variant_lines(&variants),
            (None, Format::Json, None) => report::json(&variants),
            (None, Format::Json, Some(forecast)) => report::json(forecast),
            (None, _, forecast) => report::inputs_plan(&plan(cases, subjects, design), forecast.as_ref(), notes),
        };
        self.output().write(&text)?;
        Ok(if variants.is_empty() { ExitCode::NotAssessed } else { ExitCode::Clean })
    }

    /// Adds to each case's file of variants what is not in it yet.
    fn save(&self, suite: &Suite, cases: &[Case], subjects: &[Subject]) -> Result<ExitCode, Failure> {
        let mut said = String::new();
        for subject in subjects {
            let case = &cases[subject.case];
            let reviewed = suite.reviewed.get(&case.id);
            if let Some(stale) = reviewed.filter(|reviewed| reviewed.input != case.input) {
                return Err(Diagnostic::error(format!(
                    "the input of `{}` has changed since this file was saved",
                    case.id
                ))
                .at(&stale.place)
                .help("delete the file and save anew, or make its `input` and texts what they should be")
                .into());
            }
            let new: Vec<&input::Variant> = subject
                .variants
                .iter()
                .filter(|variant| !case.paraphrases.contains(&variant.text))
                .filter(|variant| reviewed.is_none_or(|one| one.variants.iter().all(|old| old.text != variant.text)))
                .collect();
            let name = reviewed.map_or_else(|| suite::reviewed_name(case), |reviewed| reviewed.file.clone());
            let mut text = if reviewed.is_none() { suite::head(case) } else { String::new() };
            for variant in &new {
                text.push_str(&suite::entry(variant, self.asking.seed));
            }
            if !new.is_empty() {
                report::add_to_file(&suite.root.join(&name), &text)?;
            }
            let before = reviewed.map_or(0, |reviewed| reviewed.variants.len());
            said.push_str(&format!("{name}: {} new, {before} before\n", new.len()));
        }
        self.output().write(&report::plain(said.trim_end()))?;
        Ok(if subjects.iter().all(|one| one.variants.is_empty()) { ExitCode::NotAssessed } else { ExitCode::Clean })
    }
}
