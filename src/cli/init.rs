mod drafts;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::Failure;
use crate::instructions::{Document, Unit, UnitKind, units};
use crate::report::{self, Output};
use crate::source::Diagnostic;
use crate::studies::ExitCode;

/// Flags of `mutate init`.
#[derive(Debug, Args)]
pub(super) struct Init {
    /// Folder to write into
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Write the example suite (a scripted support agent, one case of each verdict) instead
    #[arg(long)]
    example: bool,
    /// What the agent is
    #[arg(long, value_enum, default_value_t = Kind::Command)]
    agent: Kind,
    /// The instruction file, relative to the folder [default: AGENTS.md, CLAUDE.md, prompts/*.md, … whichever is there]
    #[arg(long, value_name = "FILE", conflicts_with = "example")]
    instructions: Option<PathBuf>,
    #[command(flatten)]
    drafts: drafts::Drafts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// A program on this machine
    Command,
    /// An OpenAI-compatible chat endpoint
    Chat,
    /// A scripted stand-in, to try mutate out
    Scripted,
}

/// The example suite, as it stands under `cases/support-desk`.
const EXAMPLE: [(&str, &str); 6] = [
    ("mutate.yaml", include_str!("../../cases/support-desk/mutate.yaml")),
    ("agent.yaml", include_str!("../../cases/support-desk/agent.yaml")),
    ("prompts/support.md", include_str!("../../cases/support-desk/prompts/support.md")),
    ("cases/privacy.yaml", include_str!("../../cases/support-desk/cases/privacy.yaml")),
    ("cases/refunds.yaml", include_str!("../../cases/support-desk/cases/refunds.yaml")),
    ("cases/tone.yaml", include_str!("../../cases/support-desk/cases/tone.yaml")),
];

/// Where instructions usually are, in the order of trying.
const USUAL: [&str; 10] = [
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    "SYSTEM.md",
    "system_prompt.md",
    "system_prompt.txt",
    "prompt.md",
    "prompt.txt",
    "prompts",
];

const HEAD: &str = include_str!("init/head.yaml");
const COMMAND: &str = include_str!("init/command.yaml");
const CHAT: &str = include_str!("init/chat.yaml");
const SCRIPTED: &str = include_str!("init/scripted.yaml");
const AGENT: &str = include_str!("init/agent.yaml");
const TAIL: &str = include_str!("init/tail.yaml");
const CASE: &str = include_str!("init/case.yaml");

impl Init {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        if self.drafts.from_rules {
            return self.drafts.run(&self.folder);
        }
        let folder = self.folder.display();
        if self.example {
            let files = EXAMPLE.map(|(name, text)| (name.to_owned(), text.to_owned()));
            return self.write(&files, &format!("try it: mutate rules --suite {folder}"));
        }
        let (name, document) = self.document()?;
        let Some(rule) = first_rule(&document) else {
            return Err(Diagnostic::error(format!("{name} holds no sentence that could be a rule"))
                .help("name another file: mutate init --instructions FILE")
                .into());
        };
        let agent = match self.agent {
            Kind::Command => COMMAND,
            Kind::Chat => CHAT,
            Kind::Scripted => SCRIPTED,
        };
        let config = format!("{}{agent}{TAIL}", HEAD.replace("@instructions@", &name));
        let quoted = serde_json::to_string(&rule).unwrap_or_default();
        let case = CASE.replace("@quote@", &quoted);
        let mut files = vec![("mutate.yaml".to_owned(), config), ("cases/first.yaml".to_owned(), case)];
        if self.agent == Kind::Scripted {
            files.push(("agent.yaml".to_owned(), AGENT.replace("@quote@", &quoted)));
        }
        self.write(&files, "next: edit cases/first.yaml, then look at the mutants: mutate rules --list")
    }

    /// The folder's own instruction file.
    fn document(&self) -> Result<(String, Document), Failure> {
        let name = match &self.instructions {
            Some(given) => given.clone(),
            None => self.usual().ok_or_else(|| {
                Diagnostic::error(format!("no instruction file found in {}", self.folder.display()))
                    .help(format!("looked for {}", USUAL.join(", ")))
                    .help("name it: mutate init --instructions FILE; or try the example: mutate init --example DIR")
            })?,
        };
        let path = self.folder.join(&name);
        let bytes =
            fs::read(&path).map_err(|error| Diagnostic::error(format!("{} can't be read: {error}", path.display())))?;
        let document = Document::from_bytes(&name, bytes).map_err(|error| Diagnostic::error(error.to_string()))?;
        Ok((name.to_string_lossy().replace('\\', "/"), document))
    }

    fn usual(&self) -> Option<PathBuf> {
        USUAL.iter().find_map(|name| {
            let path = self.folder.join(name);
            if path.is_file() {
                return Some(PathBuf::from(name));
            }
            let mut inside: Vec<PathBuf> =
                fs::read_dir(path).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
            inside.sort();
            let first = inside.into_iter().find(|file| {
                file.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| matches!(ending, "md" | "txt"))
            })?;
            Some(Path::new(name).join(first.file_name()?))
        })
    }

    /// Writes all files or none: what is there already is never overwritten.
    fn write(&self, files: &[(String, String)], next: &str) -> Result<ExitCode, Failure> {
        if let Some((name, _)) = files.iter().find(|(name, _)| self.folder.join(name).exists()) {
            return Err(Diagnostic::error(format!("{} is there already", self.folder.join(name).display()))
                .help("nothing was written; choose another folder or move the file away")
                .into());
        }
        let mut said = String::new();
        for (name, text) in files {
            let path = self.folder.join(name);
            let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
            written.map_err(|error| Diagnostic::error(format!("{} can't be written: {error}", path.display())))?;
            said.push_str(&format!("wrote {}\n", path.display()));
        }
        said.push_str(next);
        said.push('\n');
        Output::Stdout.write(&report::plain(&said))?;
        Ok(ExitCode::Clean)
    }
}

/// The first item or sentence that says what to do, else the first at all.
fn first_rule(document: &Document) -> Option<String> {
    let said = |unit: &Unit| document.text()[unit.range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
    let candidates: Vec<String> = units(document)
        .iter()
        .filter(|unit| matches!(unit.kind, UnitKind::Item | UnitKind::Sentence))
        .map(said)
        .filter(|text| text.split(' ').count() >= 3)
        .collect();
    let orders = |text: &String| {
        let lower = text.to_lowercase();
        ["never ", "always ", "must ", "do not ", "don't ", "should "].iter().any(|cue| lower.contains(cue))
    };
    candidates.iter().find(|text| orders(text)).or(candidates.first()).cloned()
}

#[cfg(test)]
mod tests;
