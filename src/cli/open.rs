//! Opening what every command starts from: the suite, its documents, the cases that were chosen, the agent.

use std::path::Path;
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};

use super::{Failure, SuiteFlag};
use crate::agents::{self, Agent, Surroundings};
use crate::instructions::Document;
use crate::mutators::input::Packs;
use crate::report;
use crate::rulings::Referees;
use crate::source::{Diagnostic, Diagnostics, Node, Place, Secrets, expand, names_a_secret, nearest_name};
use crate::studies::inputs::paraphrasing::Prompt;
use crate::studies::rules::inverting;
use crate::suite::{self, Case, Suite};

mod labels;
mod referees;

pub(super) use labels::{LabelledJudge, Labels};
pub(super) use referees::{judge, judge_description, questions, referees};

/// Which cases a command is about.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Choice {
    /// Only cases with this id; `*` and `?` stand for any text and any character. Repeatable
    #[arg(long, value_name = "ID|GLOB")]
    case: Vec<String>,
    /// Only cases with this tag. Repeatable: any of them
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What an agent is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Asking,
    /// Only its settings are wanted, which the journal's keys are made of: no key that is secret by its name is part of
    /// them, so it does not matter whether one is set, nor whether the agent could be asked here.
    Replaying,
}

impl Purpose {
    fn environment(self, name: &str) -> Option<String> {
        let found = environment(name);
        let missing = self == Purpose::Replaying && names_a_secret(name) && found.as_deref().is_none_or(str::is_empty);
        if missing { Some("not-set".to_owned()) } else { found }
    }
}

/// Loads the suite; warnings are shown, errors end the command.
pub(super) fn suite(flag: &SuiteFlag) -> Result<Suite, Failure> {
    let loaded = suite::load(&flag.start(), &environment);
    match loaded.suite {
        Some(suite) => {
            report::errors(&loaded.diagnostics);
            Ok(suite)
        }
        None => Err(loaded.diagnostics.into()),
    }
}

/// The instruction files as documents.
pub(super) fn documents(suite: &Suite, diagnostics: &mut Diagnostics) -> Vec<Document> {
    let mut documents = vec![];
    for source in &suite.instructions {
        match Document::from_bytes(source.path.clone(), source.bytes.clone()) {
            Ok(document) => documents.push(document),
            Err(error) => {
                let mut diagnostic = Diagnostic::error(error.to_string());
                if let Some(place) = &source.place {
                    diagnostic = diagnostic.at(place);
                }
                diagnostics.push(diagnostic);
            }
        }
    }
    documents
}

/// The input mutators: those that come with the program, and those of the suite's `mutators:`.
pub(super) fn packs(suite: &Suite, diagnostics: &mut Diagnostics) -> Packs {
    Packs::with_own(&suite.root, &suite.config.mutators, diagnostics)
}

impl Choice {
    pub(super) fn is_everything(&self) -> bool {
        self.case.is_empty() && self.tag.is_empty()
    }

    /// Whether a pattern means this subject: by its own id (`id#2`) or by its case's.
    pub(super) fn names(&self, case: &str, subject: &str) -> bool {
        self.case.is_empty() || self.case.iter().any(|pattern| matches(pattern, case) || matches(pattern, subject))
    }

    /// The chosen cases in the suite's order; a name or tag that chooses nothing is a mistake.
    pub(super) fn of(&self, cases: Vec<Case>) -> Result<Vec<Case>, Failure> {
        let named = |pattern: &str, case: &Case| {
            matches(pattern, &case.id)
                || (2..=case.rules.len()).any(|number| matches(pattern, &format!("{}#{number}", case.id)))
        };
        for pattern in &self.case {
            if let Err(error) = glob(pattern) {
                return Err(Diagnostic::error(format!("--case {pattern} is no pattern: {error}")).into());
            }
            if !cases.iter().any(|case| named(pattern, case)) {
                return Err(no_such_case(pattern, &cases).into());
            }
        }
        for tag in &self.tag {
            if !cases.iter().any(|case| case.tags.contains(tag)) {
                let known = cases.iter().flat_map(|case| case.tags.iter().map(String::as_str));
                let mut error = Diagnostic::error(format!("no case has the tag `{tag}`"));
                if let Some(near) = nearest_name(tag, known) {
                    error = error.help(format!("did you mean `{near}`?"));
                }
                return Err(error.into());
            }
        }
        Ok(cases
            .into_iter()
            .filter(|case| self.case.is_empty() || self.case.iter().any(|pattern| named(pattern, case)))
            .filter(|case| self.tag.is_empty() || case.tags.iter().any(|tag| self.tag.contains(tag)))
            .collect())
    }
}

fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(false).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

fn matches(pattern: &str, id: &str) -> bool {
    pattern == id || glob(pattern).is_ok_and(|glob| glob.is_match(id))
}

/// Which name was meant, or which there are.
pub(super) fn no_such_case(name: &str, cases: &[Case]) -> Diagnostic {
    let error = Diagnostic::error(format!("no case is called `{name}`"));
    let ids = || cases.iter().map(|case| case.id.as_str());
    if let Some(near) = nearest_name(name, ids()) {
        return error.help(format!("did you mean `{near}`?"));
    }
    let some: Vec<&str> = ids().take(8).collect();
    match cases.len() {
        0 => error.help("the suite has no cases"),
        number if number > some.len() => error.help(format!("there are {number}: {}, …", some.join(", "))),
        _ => error.help(format!("there are: {}", some.join(", "))),
    }
}

/// An agent that can be asked, and what must never be written.
pub(super) struct Opened {
    pub name: String,
    pub agent: Arc<dyn Agent>,
    pub secrets: Secrets,
}

/// The chosen agent, or the suite's default; checked as far as that costs nothing.
pub(super) fn agent(suite: &Suite, name: Option<&str>, diagnostics: &mut Diagnostics) -> Option<Opened> {
    match suite.config.agent(name) {
        Ok(entry) => opened(suite, Purpose::Asking, (&entry.name, &entry.node, &entry.place), diagnostics),
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            None
        }
    }
}

/// The chosen agent and whom the cases' matchers may ask, to read what the journal has of them: nobody will be asked.
/// The error says in one line why the agent's settings can't be had. That there is no such agent is a diagnostic.
pub(super) fn unasked(
    suite: &Suite,
    name: Option<&str>,
    cases: &[Case],
    diagnostics: &mut Diagnostics,
) -> Result<(Opened, Referees), String> {
    let entry = suite.config.agent(name).map_err(|diagnostic| {
        let message = diagnostic.message.clone();
        diagnostics.push(*diagnostic);
        message
    })?;
    let mut problems = Diagnostics::default();
    let agent = opened(suite, Purpose::Replaying, (&entry.name, &entry.node, &entry.place), &mut problems);
    let agent = agent.ok_or_else(|| {
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        messages.join("; ")
    })?;
    // What can't be opened here was not asked either: its rulings are missing, and the case is unproven.
    let (referees, _) =
        referees::referees_for(Purpose::Replaying, suite, &questions(cases), None, false, &mut Diagnostics::default());
    Ok((agent, referees))
}

/// The suite's helper model, which must be another model than that of the agent that is asked. `None` without a word
/// where the suite names none.
pub(super) fn helper(suite: &Suite, asked: &dyn Agent, diagnostics: &mut Diagnostics) -> Option<Opened> {
    let helper = any_helper(suite, diagnostics)?;
    let node = suite.config.helper_model.as_ref()?;
    if let Some(model) = agents::same_model(helper.agent.as_ref(), asked)
        && !suite.config.allow_same_model
    {
        let error = diagnostics.error(&node.place, format!("`helper_model` is the agent's own model, `{model}`"));
        error.help.push("a model finds its own wordings easy: name another one".to_owned());
        error.help.push("or say `allow_same_model: true`, and read the scores of its paraphrases with care".to_owned());
        return None;
    }
    Some(helper)
}

/// The suite's helper model, whatever model the agent is: for texts that nobody's score depends on.
pub(super) fn any_helper(suite: &Suite, diagnostics: &mut Diagnostics) -> Option<Opened> {
    let node = suite.config.helper_model.as_ref()?;
    opened(suite, Purpose::Asking, ("helper_model", node, &node.place), diagnostics)
}

/// What a helper model is told of opposites: `invert.md`, looked for as [`paraphrase_prompt`] does.
pub(super) fn invert_prompt(suite: &Suite, diagnostics: &mut Diagnostics) -> inverting::Prompt {
    own_prompt(suite, "invert.md", inverting::Prompt::of_text, diagnostics)
}

/// What a helper model is told: `paraphrase.md` in the last of the folders under `mutators:` that has one, or the prompt
/// that comes with the program. A suite's `prompts/` is no place for it: what stands there is sent to the agent.
pub(super) fn paraphrase_prompt(suite: &Suite, diagnostics: &mut Diagnostics) -> Prompt {
    own_prompt(suite, "paraphrase.md", Prompt::of_text, diagnostics)
}

/// The last prompt of this name in the folders under `mutators:`, or the default one.
fn own_prompt<P: Default>(
    suite: &Suite,
    file: &str,
    read: impl Fn(&str) -> Result<P, String>,
    diagnostics: &mut Diagnostics,
) -> P {
    let named = suite.config.mutators.iter().rev().map(|name| Path::new(name).join(file));
    let Some(name) = named.into_iter().find(|name| suite.root.join(name).is_file()) else { return P::default() };
    let text = std::fs::read_to_string(suite.root.join(&name)).map_err(|error| error.to_string());
    text.and_then(|text| read(text.trim_start_matches('\u{feff}'))).unwrap_or_else(|problem| {
        diagnostics.push(Diagnostic::error(format!("the prompt {} can't be used: {problem}", name.display())));
        P::default()
    })
}

fn surroundings(suite: &Suite) -> Surroundings {
    let limits = &suite.config.limits;
    Surroundings { root: suite.root.clone(), timeout: limits.timeout, max_output_bytes: limits.max_output_bytes }
}

/// An agent from its settings, which stand as they were written.
fn opened(
    suite: &Suite,
    purpose: Purpose,
    (name, node, place): (&str, &Node, &Place),
    diagnostics: &mut Diagnostics,
) -> Option<Opened> {
    let mut secrets = vec![];
    let before = diagnostics.errors();
    let node = expand(node, &|name| purpose.environment(name), &mut secrets, diagnostics);
    if diagnostics.errors() > before {
        return None;
    }
    let surroundings = surroundings(suite);
    let agent = agents::from_node(name, &node, &surroundings, diagnostics);
    let secrets = Secrets::new(secrets);
    diagnostics.redact(&secrets);
    let agent = agent?;
    if purpose == Purpose::Asking
        && let Err(problem) = agent.check()
    {
        diagnostics.error(place, problem);
        return None;
    }
    Some(Opened { name: name.to_owned(), agent, secrets })
}

#[cfg(test)]
mod tests;
