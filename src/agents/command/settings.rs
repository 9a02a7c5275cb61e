use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::placeholders::Argument;
use super::watch::Watched;
use crate::source::{Diagnostics, Fields, Node};

/// Any program as an agent: it gets the input and prints its answer.
///
/// It is started once for each trial, in its own process group, which is ended when the trial ends. It finds in its
/// environment:
///
/// * `MUTATE_CASE`, `MUTATE_ARM`, `MUTATE_TRIAL` (from 0 within its arm);
/// * `MUTATE_SEED`, a number of 31 bits for this trial's own randomness, the same when this trial is run again, and
///   `MUTATE_RUN_SEED`, the seed of the whole run: an agent that seeds itself with that answers the same in every trial;
/// * `MUTATE_SESSION`, an id that no other start of the program has got, not even of the same trial: for programs that
///   keep conversations;
/// * `MUTATE_INPUT`, and `MUTATE_CONVERSATION` and `MUTATE_FIXTURES` as JSON where the case has them (each is left out
///   when it is longer than 100,000 bytes or holds a NUL: read stdin then);
/// * `MUTATE_SUITE`, the suite's folder;
/// * `MUTATE_INSTRUCTIONS_DIR`, the folder with the instruction files as this trial wants them, under their own relative
///   paths; `MUTATE_INSTRUCTIONS`, the first (or only) file in it; `MUTATE_INSTRUCTIONS_1`, `MUTATE_INSTRUCTIONS_2`, …,
///   every file in the suite's order; and for each file a variable from its name: `MUTATE_FILE_` and the path in upper
///   case, with `_` for everything but letters and digits (`prompts/support.md` is in `MUTATE_FILE_PROMPTS_SUPPORT_MD`).
///   The files are read-only and shared by trials: never write there.
///
/// A status other than 0 makes the trial an error, with the end of stderr in the message. Nothing on stdout is an empty
/// reply.
#[derive(Debug, Clone, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandSettings {
    /// The program and its arguments; no shell is involved. A program named with a folder is looked for from the
    /// suite's folder, else in `PATH`. In the arguments `{input}`, `{instructions}` (their text),
    /// `{instructions_dir}`, `{case}`, `{arm}`, `{trial}`, `{seed}` (of the trial) and `{run_seed}` are replaced; other
    /// words in braces stay.
    /// Inside `sh -c` write `"$MUTATE_INPUT"` in place of `{input}`: a shell would obey what stands in the input.
    #[schemars(with = "Vec<String>", length(min = 1))]
    pub(super) run: Vec<Argument>,
    /// What the program reads on stdin: the input (`prompt`, the default), the whole request as JSON (`json`:
    /// `{input, conversation, fixtures, instructions: [{path, text}], case, arm, trial, seed, run_seed}`), or
    /// nothing (`none`).
    #[schemars(with = "Option<Stdin>")]
    pub(super) stdin: Stdin,
    /// For one trial: `30`, `500ms`, `2m`, `1h`; in place of `limits.timeout`.
    #[schemars(with = "Option<String>")]
    pub(super) timeout: Option<Duration>,
    /// Variables beside those above.
    #[schemars(with = "Option<std::collections::BTreeMap<String, String>>")]
    pub(super) env: Vec<(String, String)>,
    /// Where the program runs: in the suite's folder (`suite`, the default) or in an empty folder of its own (`temp`).
    #[schemars(with = "Option<Cwd>")]
    pub(super) cwd: Cwd,
    /// How stdout is read. `auto` (the default): a transcript where the last line (or all of it) is a JSON object with
    /// keys of a transcript, an error where it begins like one and can't be read, else text. `text`: always text. `json`:
    /// always a transcript, in any known shape.
    #[schemars(with = "Option<ReplyFormat>")]
    pub(super) reply: ReplyFormat,
    /// Files that the program is made of, beside those that `run` names: names or globs, relative to the suite's folder
    /// (`[src/**/*.py, ../shared/tools.json]`). When one of them is edited, the agent counts as another one and old
    /// answers of the journal are not taken for its own. Hidden files and folders are left out of globs.
    #[schemars(with = "Option<crate::agents::reading::OneOrMany<String>>")]
    pub(super) watch: Vec<Watched>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stdin {
    #[default]
    Prompt,
    Json,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Cwd {
    #[default]
    Suite,
    Temp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ReplyFormat {
    #[default]
    Auto,
    Text,
    Json,
}

/// The short form is the value of `run` alone.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes what the reader accepts")]
enum Form {
    /// The program and its arguments.
    Short(Vec<String>),
    Long(Box<CommandSettings>),
}

pub(super) fn schema() -> schemars::Schema {
    schemars::schema_for!(Form)
}

impl CommandSettings {
    /// The settings that `node` holds, or `None` with diagnostics. `run` has at least one word then.
    pub fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<CommandSettings> {
        let errors = diagnostics.errors();
        let mut settings = CommandSettings {
            run: vec![],
            stdin: Stdin::default(),
            timeout: None,
            env: vec![],
            cwd: Cwd::default(),
            reply: ReplyFormat::default(),
            watch: vec![],
        };
        if node.mapping().is_none() {
            settings.run = read_run(node, diagnostics)?;
            return Some(settings);
        }
        let mut fields = Fields::of("a command agent", node, diagnostics)?;
        if let Some(run) = fields.required("run", diagnostics).and_then(|node| read_run(node, diagnostics)) {
            settings.run = run;
        }
        if let Some(word) = fields.take("stdin") {
            let known = [("prompt", Stdin::Prompt), ("json", Stdin::Json), ("none", Stdin::None)];
            settings.stdin = one_of("stdin", word, &known, diagnostics).unwrap_or_default();
        }
        if let Some(word) = fields.take("cwd") {
            let known = [("suite", Cwd::Suite), ("temp", Cwd::Temp)];
            settings.cwd = one_of("cwd", word, &known, diagnostics).unwrap_or_default();
        }
        if let Some(word) = fields.take("reply") {
            let known = [("auto", ReplyFormat::Auto), ("text", ReplyFormat::Text), ("json", ReplyFormat::Json)];
            settings.reply = one_of("reply", word, &known, diagnostics).unwrap_or_default();
        }
        settings.timeout = crate::agents::reading::timeout(&mut fields, diagnostics);
        if let Some(node) = fields.take("env") {
            settings.env = read_env(node, diagnostics);
        }
        if let Some(node) = fields.take("watch") {
            settings.watch = Watched::read(node, diagnostics);
        }
        fields.finish(diagnostics);
        (diagnostics.errors() == errors).then_some(settings)
    }
}

fn read_run(node: &Node, diagnostics: &mut Diagnostics) -> Option<Vec<Argument>> {
    const HELP: &str = "write the program and its arguments as a list: `[python3, agent.py, --fast]`";
    let Some(items) = node.sequence() else {
        let message = format!("a command must be a list, but this is {}", node.describe());
        diagnostics.error(&node.place, message).help.push(HELP.to_owned());
        return None;
    };
    let mut run = vec![];
    let mut bad = false;
    for (at, item) in items.iter().enumerate() {
        match &item.kind {
            crate::source::NodeKind::Scalar { text, .. } if !item.is_null() => {
                let argument = Argument::new(text);
                // In the program's own name nothing is replaced.
                if let Some((word, near)) = argument.nearly().filter(|_| at > 0) {
                    let warning =
                        diagnostics.warning(&item.place, format!("`{word}` is not replaced: it stays as it is"));
                    warning.help.push(format!("did you mean `{{{near}}}`?"));
                }
                run.push(argument);
            }
            _ => {
                bad = true;
                diagnostics.error(&item.place, format!("an argument must be text, but this is {}", item.describe()));
            }
        }
    }
    if !bad && run.first().is_none_or(|program| program.as_text().is_empty()) {
        diagnostics.error(&node.place, "this command names no program").help.push(HELP.to_owned());
        bad = true;
    }
    (!bad).then_some(run)
}

fn read_env(node: &Node, diagnostics: &mut Diagnostics) -> Vec<(String, String)> {
    let Some(pairs) = node.mapping() else {
        diagnostics.error(&node.place, format!("`env` must be a mapping, but this is {}", node.describe()));
        return vec![];
    };
    let mut env = vec![];
    for (key, value) in pairs {
        let name = key.text().unwrap_or_default();
        if name.is_empty() || name.contains(['=', '\0']) {
            diagnostics.error(&key.place, format!("`{name}` is no name of a variable"));
        } else if value.sequence().is_some() || value.mapping().is_some() {
            diagnostics.error(&value.place, format!("`{name}` must be text, but this is {}", value.describe()));
        } else {
            env.push((name.to_owned(), value.text().unwrap_or_default().to_owned()));
        }
    }
    env
}

fn one_of<T: Copy>(key: &str, node: &Node, known: &[(&str, T)], diagnostics: &mut Diagnostics) -> Option<T> {
    let found = known.iter().find(|(name, _)| node.text() == Some(name)).map(|(_, value)| *value);
    if found.is_none() {
        let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
        let seen = node.text().unwrap_or(node.describe());
        diagnostics.error(&node.place, format!("`{key}` must be one of {}, not {seen}", names.join(", ")));
    }
    found
}
