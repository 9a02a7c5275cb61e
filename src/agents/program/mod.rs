//! A program that is asked something other than to be the agent: text in, an exit status or a line out. It knows no
//! matcher and no transcript.
//!
//! [`CommandLine::once`] starts it for one question, [`Lines`] once for all of them.

mod lines;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;

use super::command::child::{self, Failed, find_program, how, is_passing, said};
use super::command::watch::{named_files, watched_digest};
use super::{AskError, Fault, Retry};
use crate::source::names_a_secret;

pub use lines::Lines;

/// A command line in a suite's folder, and what it is made of.
#[derive(Debug)]
pub struct CommandLine {
    words: Vec<String>,
    program: OsString,
    /// The suite's folder, absolute.
    root: PathBuf,
    timeout: Duration,
    max_output_bytes: usize,
    /// Digests of the files that the words and the watched patterns name.
    digests: Value,
    problem: Option<String>,
}

/// What a program that was started once left behind.
#[derive(Debug, PartialEq)]
pub struct Left {
    /// `None` where a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    /// The end of it.
    pub stderr: Vec<u8>,
    /// "ended with status 3".
    pub how: String,
}

impl CommandLine {
    /// `words` has at least one, the program; names with a folder start at `root`. `timeout` is for one question.
    pub fn new(
        words: &[String],
        watch: &[String],
        root: &Path,
        timeout: Duration,
        max_output_bytes: usize,
    ) -> CommandLine {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let program = child::program(words.first().map_or("", String::as_str), &root);
        let mut problem = find_program(Path::new(&program), None).err();
        let mut watched = serde_json::Map::new();
        for pattern in watch {
            match watched_digest(pattern, &root) {
                Ok(digest) => drop(watched.insert(pattern.clone(), digest.into())),
                Err((what, _)) => drop(problem.get_or_insert(what)),
            }
        }
        let digests = json!({ "files": named_files(words.iter().map(String::as_str), &root), "watch": watched });
        CommandLine { words: words.to_vec(), program, root, timeout, max_output_bytes, digests, problem }
    }

    /// The program is not there, or a watched file is not: found before anything is asked.
    pub fn check(&self) -> Result<(), String> {
        self.problem.clone().map_or(Ok(()), Err)
    }

    /// What the program's files are: another content is another program.
    pub fn digests(&self) -> &Value {
        &self.digests
    }

    /// Runs it once with this on its standard input. Any exit status is an answer.
    pub async fn once(&self, stdin: &[u8]) -> Result<Left, AskError> {
        let ended = child::run(self.command(), stdin, self.timeout, self.max_output_bytes).await;
        let ended = ended.map_err(|failed| self.error(failed))?;
        let how = how(ended.status);
        Ok(Left { code: ended.status.code(), stdout: ended.stdout, stderr: ended.stderr, how })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.words[1..]).current_dir(&self.root).env("MUTATE_SUITE", &self.root);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The program with what says which one it is: an interpreter's script.
    pub fn name(&self) -> String {
        let secret = |word: &&String| !names_a_secret(word);
        format!("`{}`", self.words.iter().take(2).take_while(secret).cloned().collect::<Vec<_>>().join(" "))
    }

    fn error(&self, failed: Failed) -> AskError {
        let name = self.name();
        let error = |fault, message| AskError { fault, message, retry: Retry::No };
        match failed {
            Failed::Start(problem) => AskError {
                retry: if is_passing(&problem) { Retry::Backoff } else { Retry::No },
                ..error(Fault::Crashed, format!("can't start {name}: {problem}"))
            },
            Failed::Wait(problem) => error(Fault::Crashed, format!("can't follow {name}: {problem}")),
            Failed::Timeout { stderr } => {
                let message = format!("{name}: no answer within {} s{}", self.timeout.as_secs_f64(), said(&stderr));
                error(Fault::Timeout, message)
            }
            Failed::TooLarge => error(
                Fault::OutputTooLarge,
                format!(
                    "{name} printed more than {} bytes; raise `limits.max_output_bytes` if that is meant",
                    self.max_output_bytes
                ),
            ),
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
