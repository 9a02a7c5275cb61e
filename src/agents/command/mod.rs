//! The `command` agent: any program that takes a prompt and prints an answer.
//!
//! One trial is one start of the program, in its own process group. The mutated instructions lie as files in a folder
//! outside the user's tree; variables say where.

mod answer;
pub(in crate::agents) mod child;
mod folder;
mod placeholders;
mod session;
mod settings;
pub(in crate::agents) mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;

use super::distinct::Distinct;
use super::reading::MASK;
use super::{Agent, AskError, Asking, Delivery, Fault, Request, Retry, Surroundings};
use crate::source::{Diagnostics, Node, names_a_secret};
use crate::transcript::Transcript;

use child::{how, is_passing, said};
use folder::Folder;
pub use settings::CommandSettings;
use settings::{Cwd, Stdin};
use watch::named_files;

/// Longer texts are not put into variables: systems refuse to start a program with a variable of 128 KiB.
const LONGEST_VARIABLE: usize = 100_000;

/// Reads what stands under `command:`.
pub(super) fn read(node: &Node, surroundings: &Surroundings, diagnostics: &mut Diagnostics) -> Option<Arc<dyn Agent>> {
    let settings = CommandSettings::read(node, diagnostics)?;
    let agent = CommandAgent::new(settings, surroundings);
    for (watched, digest) in agent.settings.watch.iter().zip(&agent.watched) {
        if let Err((message, help)) = digest {
            diagnostics.error(watched.place(), message).help.push((*help).to_owned());
        }
    }
    agent.watched.iter().all(Result::is_ok).then(|| Arc::new(agent) as Arc<dyn Agent>)
}

pub(super) fn schema() -> schemars::Schema {
    settings::schema()
}

/// An agent that is a program.
pub struct CommandAgent {
    settings: CommandSettings,
    /// The suite's folder, absolute.
    root: PathBuf,
    /// The program as it is started: absolute where it was named with a folder.
    program: OsString,
    timeout: Duration,
    max_output_bytes: usize,
    folders: Distinct<Folder>,
    /// Digests of the suite's own files that the command line names: an edited agent is another agent.
    digests: Value,
    /// For each of `watch:`, the digest of its files, or what is wrong with it and what to do.
    watched: Vec<Result<String, (String, &'static str)>>,
}

impl CommandAgent {
    pub fn new(settings: CommandSettings, surroundings: &Surroundings) -> CommandAgent {
        let root = std::path::absolute(&surroundings.root).unwrap_or_else(|_| surroundings.root.clone());
        let program = child::program(settings.run[0].as_text(), &root);
        let digests = named_files(settings.run.iter().map(placeholders::Argument::as_text), &root);
        let watched = settings.watch.iter().map(|watched| watched.digest(&root)).collect();
        CommandAgent {
            timeout: settings.timeout.unwrap_or(surroundings.timeout),
            max_output_bytes: surroundings.max_output_bytes,
            settings,
            root,
            program,
            folders: Distinct::default(),
            digests,
            watched,
        }
    }

    fn command(&self, request: &Request, folder: &Folder, cwd: &Path) -> Command {
        let mut command = Command::new(&self.program);
        let instructions_dir = folder.path().to_string_lossy();
        for argument in &self.settings.run[1..] {
            command.arg(argument.fill(request, &instructions_dir));
        }
        command.current_dir(cwd);
        command.env("MUTATE_CASE", &request.case).env("MUTATE_ARM", &request.arm);
        command.env("MUTATE_TRIAL", request.trial.to_string());
        command.env("MUTATE_SEED", request.trial_seed().to_string());
        command.env("MUTATE_SESSION", session::fresh());
        command.env("MUTATE_RUN_SEED", request.seed.to_string());
        command.env("MUTATE_SUITE", &self.root).env("MUTATE_INSTRUCTIONS_DIR", folder.path());
        for (name, path) in folder.variables() {
            command.env(name, path);
        }
        let mut long = |name: &str, text: Option<&str>| {
            match text {
                Some(text) if text.len() <= LONGEST_VARIABLE && !text.contains('\0') => command.env(name, text),
                // One that this process has got itself must not look like this trial's.
                _ => command.env_remove(name),
            };
        };
        long("MUTATE_INPUT", Some(&request.input));
        let conversation = (!request.conversation.is_empty()).then(|| json!(request.conversation).to_string());
        long("MUTATE_CONVERSATION", conversation.as_deref());
        let fixtures = (!request.fixtures.is_null()).then(|| request.fixtures.to_string());
        long("MUTATE_FIXTURES", fixtures.as_deref());
        for (name, value) in &self.settings.env {
            command.env(name, value);
        }
        let fed = self.settings.stdin != Stdin::None;
        command.stdin(if fed { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    async fn answer(&self, request: &Request) -> Result<Transcript, AskError> {
        let folder = self.folder(request)?;
        let own_folder = match self.settings.cwd {
            Cwd::Suite => None,
            Cwd::Temp => Some(
                tempfile::Builder::new()
                    .prefix("mutate-trial-")
                    .tempdir()
                    .map_err(|error| crashed(format!("can't make a temporary folder: {error}"), Retry::No))?,
            ),
        };
        let cwd = own_folder.as_ref().map_or(self.root.as_path(), |folder| folder.path());
        let command = self.command(request, &folder, cwd);
        let stdin = match self.settings.stdin {
            Stdin::Prompt => request.input.clone().into_bytes(),
            Stdin::Json => json_request(request).to_string().into_bytes(),
            Stdin::None => vec![],
        };
        let ended = child::run(command, &stdin, self.timeout, self.max_output_bytes).await;
        let spoilt = folder.spoilt();
        if spoilt.is_some() {
            self.folders.forget(&request.instructions);
        }
        let ended = ended.map_err(|failed| self.error(failed))?;
        if let Some(spoilt) = spoilt {
            return Err(crashed(format!("{} {spoilt}", self.name()), Retry::No));
        }
        if !ended.status.success() {
            let said = said(&ended.stderr);
            return Err(crashed(format!("{} {}{said}", self.name(), how(ended.status)), Retry::No));
        }
        answer::transcript(&ended.stdout, self.settings.reply)
    }

    /// The folder with this trial's instructions, as they were written.
    fn folder(&self, request: &Request) -> Result<Arc<Folder>, AskError> {
        let get = || {
            self.folders.get(&request.instructions, |files, _| Folder::write(files)).map_err(|error| {
                crashed(format!("can't write the mutated instructions to a temporary folder: {error}"), Retry::No)
            })
        };
        let folder = get()?;
        if folder.spoilt().is_none() {
            return Ok(folder);
        }
        // Nobody looked after a trial that was abandoned.
        self.folders.forget(&request.instructions);
        get()
    }

    fn error(&self, failed: child::Failed) -> AskError {
        let name = self.name();
        match failed {
            child::Failed::Start(error) => {
                let mut message = format!("can't start {name}: {error}");
                if error.kind() == std::io::ErrorKind::ArgumentListTooLong {
                    message.push_str("; a long input goes by stdin, not by `{input}` or `{instructions}`");
                }
                crashed(message, if is_passing(&error) { Retry::Backoff } else { Retry::No })
            }
            child::Failed::Timeout { stderr } => AskError {
                fault: Fault::Timeout,
                message: format!("{name}: no answer within {} s{}", self.timeout.as_secs_f64(), said(&stderr)),
                retry: Retry::No,
            },
            child::Failed::TooLarge => AskError {
                fault: Fault::OutputTooLarge,
                message: format!(
                    "{name} printed more than {} bytes; raise `limits.max_output_bytes` if that is meant",
                    self.max_output_bytes
                ),
                retry: Retry::No,
            },
            child::Failed::Wait(error) => crashed(format!("can't follow {name}: {error}"), Retry::No),
        }
    }

    fn name(&self) -> String {
        format!("`{}`", self.settings.run[0].as_text())
    }

    /// The command line without secrets.
    fn shown(&self) -> Vec<String> {
        let mut hide = false;
        let show = |argument: &placeholders::Argument| {
            let text = argument.as_text();
            let flag = text.starts_with('-') && names_a_secret(text);
            if std::mem::replace(&mut hide, flag && !text.contains('=')) && !text.starts_with('-') {
                return MASK.to_owned();
            }
            match text.split_once('=') {
                Some((name, _)) if names_a_secret(name) && !name.contains(' ') => format!("{name}={MASK}"),
                _ => text.to_owned(),
            }
        };
        self.settings.run.iter().map(show).collect()
    }
}

fn crashed(message: String, retry: Retry) -> AskError {
    AskError { fault: Fault::Crashed, message, retry }
}

fn json_request(request: &Request) -> Value {
    let instructions: Vec<Value> = request
        .instructions
        .iter()
        .map(|file| json!({ "path": file.path.to_string_lossy(), "text": file.text }))
        .collect();
    json!({
        "input": request.input,
        "conversation": request.conversation,
        "fixtures": request.fixtures,
        "instructions": instructions,
        "case": request.case,
        "arm": request.arm,
        "trial": request.trial,
        "seed": request.trial_seed(),
        "run_seed": request.seed,
    })
}

impl Agent for CommandAgent {
    fn kind(&self) -> &'static str {
        "command"
    }

    fn describe(&self) -> String {
        let line = self.shown().join(" ").replace(['\n', '\r'], " ");
        let short: String = line.chars().take(60).collect();
        if short.len() < line.len() { format!("command {short}…") } else { format!("command {short}") }
    }

    fn settings(&self) -> Value {
        let env: serde_json::Map<String, Value> = self
            .settings
            .env
            .iter()
            .map(|(name, value)| (name.clone(), if names_a_secret(name) { MASK } else { value.as_str() }.into()))
            .collect();
        let mut settings = json!({
            "kind": "command",
            "run": self.shown(),
            "stdin": self.settings.stdin,
            "reply": self.settings.reply,
            "cwd": self.settings.cwd,
            "env": env,
            "files": self.digests,
        });
        if !self.watched.is_empty() {
            let digests = self.watched.iter().map(|digest| digest.as_deref().unwrap_or("unreadable"));
            let watched: serde_json::Map<String, Value> = self
                .settings
                .watch
                .iter()
                .zip(digests)
                .map(|(of, digest)| (of.pattern().into(), digest.into()))
                .collect();
            settings["watch"] = watched.into();
        }
        settings
    }

    fn delivery(&self) -> Delivery {
        let handed = self.settings.stdin == Stdin::Json
            || self.settings.run.iter().any(placeholders::Argument::holds_instructions);
        if handed { Delivery::Handed } else { Delivery::Offered }
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(self.timeout)
    }

    fn sees_names(&self) -> bool {
        true
    }

    fn bare_note(&self) -> &'static str {
        "empty instruction files"
    }

    fn check(&self) -> Result<(), String> {
        let path = self.settings.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| OsString::from(value));
        child::find_program(Path::new(&self.program), path)
    }

    fn ask<'a>(&'a self, request: &'a Request) -> Asking<'a> {
        Box::pin(self.answer(request))
    }
}

#[cfg(test)]
mod tests;
