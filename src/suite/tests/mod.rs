//! Suites written to a temporary folder, loaded with matchers that accept everything of a known kind.

mod cases;
mod config;
mod files;
mod imports;
mod includes;
mod pin;
mod reviewed;
mod scale;
mod schema;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::load::load_with;
use super::{Case, Loaded, Suite};
use crate::matchers::{Finding, Matcher, Outcome, View};
use crate::source::{Diagnostics, Node};

const KINDS: [&str; 8] = [
    "reply_mentions",
    "reply_mentions_any",
    "reply_does_not_mention",
    "reply_equals",
    "reply_matches",
    "tool_called",
    "no_tool_called",
    "field",
];

/// Remembers what it was made from.
#[derive(Debug)]
struct Recorded {
    kind: &'static str,
    value: String,
}

impl Matcher for Recorded {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn describe(&self) -> String {
        self.value.clone()
    }

    fn judge_view(&self, _: &View<'_>) -> Outcome {
        Outcome::Holds(Finding::default())
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }
}

fn recorded(kind: &Node, value: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Matcher>> {
    let name = kind.text().unwrap_or_default();
    match KINDS.iter().find(|known| **known == name) {
        Some(kind) => Some(Box::new(Recorded { kind, value: value.to_value().to_string() })),
        None => {
            diagnostics.error(&kind.place, format!("unknown check `{name}`"));
            None
        }
    }
}

/// The least that a suite needs beside its cases.
const CONFIG: &str = "instructions: prompts/support.md\nagents: {bot: {scripted: {}}}\n";
const RULES: &str = "# Rules\n\n- Never refund an order older than 30 days.\n";
const CASE: &str = "id: refund\ninput: Refund order 4021.\nexpect: {reply_mentions: [30 days]}\n";

struct Folder {
    dir: TempDir,
}

impl Folder {
    /// A suite that loads.
    fn good() -> Folder {
        let folder = Folder { dir: TempDir::new().unwrap() };
        folder.with("mutate.yaml", CONFIG).with("prompts/support.md", RULES).with("cases/refund.yaml", CASE)
    }

    fn with(self, name: &str, text: impl AsRef<[u8]>) -> Folder {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn without(self, name: &str) -> Folder {
        std::fs::remove_file(self.path(name)).unwrap();
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn load(&self) -> Loaded {
        load_from(self.dir.path())
    }

    fn suite(&self) -> Suite {
        let loaded = self.load();
        assert_eq!(loaded.diagnostics.render(false), "");
        loaded.suite.unwrap()
    }

    /// `file:line:column: message` of every diagnostic.
    fn mistakes(&self) -> Vec<String> {
        mistakes(&self.load())
    }

    fn rendered(&self) -> String {
        self.load().diagnostics.render(false)
    }
}

fn environment(name: &str) -> Option<String> {
    match name {
        "JOBS" => Some("7".to_owned()),
        "API_KEY" => Some("sk-hidden-value".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}

fn load_from(start: &Path) -> Loaded {
    load_with(start, &environment, &recorded)
}

fn mistakes(loaded: &Loaded) -> Vec<String> {
    let line = |item: &crate::source::Diagnostic| match &item.place {
        Some(place) => format!("{place}: {}", item.message),
        None => item.message.clone(),
    };
    loaded.diagnostics.iter().map(line).collect()
}

/// The mistakes of a good suite whose one case file has this text.
fn case_mistakes(text: &str) -> Vec<String> {
    Folder::good().with("cases/refund.yaml", text).mistakes()
}

/// The mistakes of a good suite with further lines in `mutate.yaml`.
fn config_mistakes(further: &str) -> Vec<String> {
    Folder::good().with("mutate.yaml", format!("{CONFIG}{further}")).mistakes()
}

/// The cases of a good suite whose one case file has this name and text.
fn cases_of(name: &str, text: &str) -> Vec<Case> {
    Folder::good().without("cases/refund.yaml").with(name, text).suite().cases
}

/// `id kind value` of every assertion.
fn checks(case: &Case) -> Vec<String> {
    case.expect.iter().map(|assertion| format!("{} {}", assertion.id, assertion.matcher.describe())).collect()
}
