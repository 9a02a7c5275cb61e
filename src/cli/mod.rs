//! The command line: clap types, one file a command. Turns flags into calls and prints nothing itself.

mod asking;
mod calibrate;
mod helped;
mod init;
mod inputs;
mod matchers;
mod mutators;
mod open;
mod rules;
mod schema;
mod show;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::report;
use crate::source::{Diagnostic, Diagnostics};
use crate::studies::ExitCode;

/// Mutation testing for the golden cases of AI agents: which assertions never fail for the right reason, which cases pass
/// in one phrasing only?
#[derive(Debug, Parser)]
#[command(name = "mutate", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Does each case depend on the rule that it quotes? Deletes and inverts the rule, and runs the case again
    Rules(rules::Rules),
    /// Does each case pass only in the phrasing in which it was written? Varies its input, and runs it again
    Inputs(inputs::Inputs),
    /// Can each check fail, and does it tell a wrong answer from the right one? Asks no agent
    Matchers(matchers::Matchers),
    /// Does a judge say what people say? Its agreement with human labels
    Calibrate(calibrate::Calibrate),
    /// What was recorded for a case: transcripts arm by arm, and what each arm changed
    Show(show::Show),
    /// What can change an input: every mutator with an example
    Mutators(mutators::Mutators),
    /// Write a commented mutate.yaml and a first case, or the example suite
    Init(init::Init),
    /// Print a JSON Schema of what mutate reads or writes
    Schema(schema::Schema),
}

const EXIT_CODES: &str = "Exit codes: 0 nothing found, 1 findings, 2 usage or suite error, 3 not assessed, \
                          4 failing before anything is changed, 130 interrupted. Where several apply: 2, 130, 3, 4, 1, 0.";

/// Where the suite is.
#[derive(Debug, Clone, clap::Args)]
struct SuiteFlag {
    /// Folder of the suite, or any folder below it [default: looked for upwards from here]
    #[arg(long, value_name = "DIR")]
    suite: Option<PathBuf>,
}

impl SuiteFlag {
    fn start(&self) -> PathBuf {
        self.suite.clone().unwrap_or_else(|| PathBuf::from("."))
    }

    /// The suite as a report names it.
    fn shown(&self, root: &std::path::Path) -> String {
        match &self.suite {
            Some(given) => given.display().to_string(),
            None => root.file_name().map_or_else(|| ".".to_owned(), |name| name.to_string_lossy().into_owned()),
        }
    }
}

/// Why a command could not do its work: everything that a user can mend.
struct Failure(Diagnostics);

impl From<Diagnostics> for Failure {
    fn from(diagnostics: Diagnostics) -> Failure {
        Failure(diagnostics)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(diagnostic);
        Failure(diagnostics)
    }
}

impl From<report::OutputError> for Failure {
    fn from(error: report::OutputError) -> Failure {
        Diagnostic::error(error.to_string()).into()
    }
}

/// Runs one command line and says how it ended. Prints through `report` only.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are asked for, all else is a mistake.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::Usage } else { ExitCode::Clean };
        }
    };
    let done = match cli.command {
        Command::Rules(command) => command.run(),
        Command::Inputs(command) => command.run(),
        Command::Matchers(command) => command.run(),
        Command::Calibrate(command) => command.run(),
        Command::Show(command) => command.run(),
        Command::Mutators(command) => command.run(),
        Command::Init(command) => command.run(),
        Command::Schema(command) => command.run(),
    };
    match done {
        Ok(exit) => exit,
        Err(Failure(diagnostics)) => {
            report::errors(&diagnostics);
            ExitCode::Usage
        }
    }
}
