//! `mutate init --from-rules`: a draft of a case for every rule that has none.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::{Failure, open};
use crate::instructions::Document;
use crate::report::{self, Output};
use crate::source::{Diagnostic, Diagnostics, nearest_name};
use crate::studies::ExitCode;
use crate::studies::rules::{
    CoverageHeading, Quotable, Sensor, StatementCoverage, StatementStatus, Workshop, coverage, quotable,
};
use crate::suite::{DRAFT_SUFFIX, Suite, draft, draft_id, load_without_cases};

/// Flags of `mutate init --from-rules`.
#[derive(Debug, Args)]
pub(super) struct Drafts {
    /// Draft a case for every rule of the suite's instructions that no case quotes (see `mutate rules --coverage`)
    #[arg(long, conflicts_with_all = ["example", "agent", "instructions"])]
    pub(super) from_rules: bool,
    /// With --from-rules: folder of the suite, or any folder below it [default: FOLDER]
    #[arg(long, value_name = "DIR", requires = "from_rules")]
    suite: Option<PathBuf>,
    /// With --from-rules: only for the rules on this line of an instruction file. Repeatable
    #[arg(long, value_name = "FILE:N", requires = "from_rules", value_parser = place)]
    line: Vec<(String, usize)>,
    /// With --from-rules: write no more than this many
    #[arg(long, value_name = "N", requires = "from_rules", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

fn place(text: &str) -> Result<(String, usize), String> {
    let parsed = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    match parsed {
        Some((file, line)) if !file.is_empty() && line > 0 => Ok((file.replace('\\', "/"), line)),
        _ => Err("must be the file as `mutate rules --coverage` names it, `:` and the number of a line".to_owned()),
    }
}

/// A draft that is to be written.
struct Planned {
    /// Relative to the suite.
    name: PathBuf,
    id: String,
    quotable: Quotable,
    /// `rules.md:7`.
    place: String,
    /// An earlier run has written it.
    is_there: bool,
}

impl Drafts {
    pub(super) fn run(&self, folder: &Path) -> Result<ExitCode, Failure> {
        let start = self.suite.clone().unwrap_or_else(|| folder.to_owned());
        let suite = loaded(&start)?;
        let mut diagnostics = Diagnostics::default();
        let documents = open::documents(&suite, &mut diagnostics);
        let workshop = Workshop::new(&documents, &[], 0, "");
        let sensors: Vec<Sensor> = suite
            .cases
            .iter()
            .enumerate()
            .flat_map(|(at, case)| workshop.subjects(at, case, &mut diagnostics))
            .map(|subject| Sensor::unasked(&subject, ""))
            .collect();
        if diagnostics.errors() > 0 {
            return Err(diagnostics.into());
        }
        let covered = coverage(&documents, &sensors, CoverageHeading::default());
        let chosen = self.chosen(&covered.statements, &documents)?;
        let mut said = String::new();
        if chosen.is_empty() {
            said.push_str(match covered.statements.is_empty() {
                true => "no statement of the instructions reads as a rule: nothing to draft\n",
                false => "every statement that reads as a rule has a case: nothing to draft\n",
            });
        }
        let mut written = vec![];
        for planned in self.planned(&suite, &documents, &chosen, &mut said) {
            let shown = shown_path(&start, &suite, &planned.name);
            let quote = report_words(&planned.quotable.rule.quote);
            if write_new(&suite.root.join(&planned.name), &draft(&planned.id, &planned.quotable.rule))? {
                said.push_str(&format!("wrote {shown}  {} {quote}\n", planned.place));
                written.push(planned);
            } else {
                said.push_str(&format!("left  {shown} as it is  {} {quote}\n", planned.place));
            }
        }
        if let Some(first) = written.first() {
            said.push_str(&format!(
                "next: write `input` and `expect`, take `.draft` out of the name, then: mutate rules --case {}\n",
                first.id
            ));
            if !loaded(&start)?.drafts.contains(&first.name) {
                said.push_str("note: no name under `cases:` in mutate.yaml matches them: add one that does\n");
            }
        }
        Output::Stdout.write(&report::plain(&said))?;
        Ok(ExitCode::Clean)
    }

    /// The statements that were asked for, else all that no case quotes.
    fn chosen<'c>(
        &self,
        statements: &'c [StatementCoverage],
        documents: &[Document],
    ) -> Result<Vec<&'c StatementCoverage>, Failure> {
        if self.line.is_empty() {
            return Ok(statements.iter().filter(|one| one.status == StatementStatus::NotQuoted).collect());
        }
        let files: Vec<String> =
            documents.iter().map(|document| document.path().to_string_lossy().replace('\\', "/")).collect();
        let mut chosen: Vec<&StatementCoverage> = vec![];
        for (file, line) in &self.line {
            if !files.contains(file) {
                let error = Diagnostic::error(format!("`{file}` is not among the suite's instructions"));
                return Err(error
                    .help(match nearest_name(file, files.iter().map(String::as_str)) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("there are: {}", files.join(", ")),
                    })
                    .into());
            }
            let here: Vec<&StatementCoverage> = statements
                .iter()
                .filter(|one| one.file == *file && (one.line..=one.last_line).contains(line))
                .collect();
            if here.is_empty() {
                let near = statements.iter().filter(|one| one.file == *file).min_by_key(|one| one.line.abs_diff(*line));
                let mut error = Diagnostic::error(format!("no rule was recognised at {file}:{line}"));
                if let Some(near) = near {
                    error =
                        error.help(format!("the nearest one is {file}:{}: {}", near.line, report_words(&near.text)));
                }
                return Err(error.help("a case may quote any text: write one by hand").into());
            }
            chosen.extend(here.into_iter().filter(|one| !chosen.contains(one)).collect::<Vec<_>>());
        }
        Ok(chosen)
    }

    /// One draft for each rule: copies of one share it.
    fn planned(
        &self,
        suite: &Suite,
        documents: &[Document],
        chosen: &[&StatementCoverage],
        said: &mut String,
    ) -> Vec<Planned> {
        let folder = suite.cases.first().map_or_else(
            || PathBuf::from("cases"),
            |case| case.place.file.name.parent().map(PathBuf::from).unwrap_or_default(),
        );
        let mut planned: Vec<Planned> = vec![];
        for statement in chosen {
            let new = planned.iter().filter(|one| !one.is_there).count();
            if self.limit.is_some_and(|limit| new >= limit as usize) {
                break;
            }
            if planned.iter().any(|one| one.quotable.covers(statement)) {
                continue;
            }
            let place = format!("{}:{}", statement.file, statement.line);
            let Some(quotable) = quotable(documents, statement) else {
                said.push_str(&format!(
                    "skipped {place}, which no quote of its words finds: quote a part of it by hand\n"
                ));
                continue;
            };
            let name = |id: &str| folder.join(format!("{id}{DRAFT_SUFFIX}"));
            // A draft of this very rule is left as it is; whatever else has the name keeps it.
            let is_own = |id: &str| {
                let there = std::fs::read_to_string(suite.root.join(name(id))).unwrap_or_default();
                there.contains(&format!("quote: {}\n", serde_json::to_string(&quotable.rule.quote).unwrap_or_default()))
            };
            let is_taken = |id: &str| {
                let root = |name: PathBuf| suite.root.join(name).exists();
                suite.cases.iter().any(|case| case.id.to_lowercase() == id.to_lowercase())
                    || planned.iter().any(|one| one.id == id)
                    || root(folder.join(format!("{id}.yaml")))
                    || (root(name(id)) && !is_own(id))
            };
            let id = draft_id(&statement.text, &is_taken);
            let is_there = suite.root.join(name(&id)).exists();
            planned.push(Planned { name: name(&id), id, quotable, place, is_there });
        }
        planned
    }
}

/// The suite, whether or not it has a case yet; only errors are shown.
fn loaded(start: &Path) -> Result<Suite, Failure> {
    let loaded = load_without_cases(start, &|name| std::env::var(name).ok());
    loaded.suite.ok_or_else(|| loaded.diagnostics.into())
}

/// Writes a file that is not there yet; false where one is.
fn write_new(path: &Path, text: &str) -> Result<bool, Failure> {
    let written = path
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes()));
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Diagnostic::error(format!("{} can't be written: {error}", path.display())).into()),
    }
}

/// A file of the suite as it can be opened from here.
fn shown_path(start: &Path, suite: &Suite, name: &Path) -> String {
    let path = suite.root.join(name);
    let here = std::env::current_dir().ok();
    let path =
        here.as_deref().and_then(|here| path.strip_prefix(here).ok()).map_or_else(|| path.clone(), Path::to_owned);
    if path.is_absolute() { start.join(name).display().to_string() } else { path.display().to_string() }
}

fn report_words(text: &str) -> String {
    format!("“{}”", report::short(text))
}
