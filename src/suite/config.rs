//! What `mutate.yaml` says. Reading it is `decode_config`.

use std::time::Duration;

use regex::Regex;

use crate::source::{Diagnostic, Node, Place, nearest_name};

/// What `mutate.yaml` says, but for the files that it names.
#[derive(Debug, Clone, Default)]
pub struct Config {
    pub agents: Vec<AgentEntry>,
    /// The name of one of `agents`.
    pub default_agent: Option<String>,
    pub limits: Limits,
    pub design: DesignConfig,
    pub gates: Gates,
    pub accepted: Vec<Accepted>,
    pub prices: Vec<Price>,
    /// Whatever they match, no input mutator may change.
    pub protect: Vec<Regex>,
    /// Files, or folders of files, with further packs of input mutators; relative to the suite.
    pub mutators: Vec<String>,
    /// The model that writes paraphrases: raw, like an agent's settings.
    pub helper_model: Option<Node>,
    /// The model that judges replies: raw, like an agent's settings. Without it, the helper model judges.
    pub judge_model: Option<Node>,
    /// A second model that judges the same: raw too. Only what both say counts.
    pub second_judge_model: Option<Node>,
    /// The endpoint for embeddings: raw too.
    pub embeddings: Option<Node>,
    /// Whether the helper model and the judge may be the agent's own, or of its family.
    pub allow_same_model: bool,
}

/// One of `agents:`. Its settings are kept as written: `${NAME}` is expanded by whoever builds this agent, so that the
/// unset key of another agent does not matter.
#[derive(Debug, Clone)]
pub struct AgentEntry {
    pub name: String,
    pub node: Node,
    /// Of the name.
    pub place: Place,
}

/// What a run may use.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Agent calls at the same time; at least 1.
    pub jobs: usize,
    /// For one call.
    pub timeout: Duration,
    /// Further tries after a fault of the transport.
    pub retries: u32,
    pub requests_per_minute: Option<u32>,
    /// Agent calls in one run.
    pub max_trials: Option<u64>,
    /// In the currency of `prices`.
    pub max_cost: Option<f64>,
    /// For one run: after it nothing more is asked.
    pub max_time: Option<Duration>,
    /// For one call's answer.
    pub max_output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            jobs: 4,
            timeout: Duration::from_secs(60),
            retries: 3,
            requests_per_minute: None,
            max_trials: None,
            max_cost: None,
            max_time: None,
            max_output_bytes: 1024 * 1024,
        }
    }
}

/// The strength of the test, where the suite sets it; the defaults are those of the test itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DesignConfig {
    /// The chance of a false kill; above 0, at most 0.5.
    pub alpha: Option<f64>,
    /// The chance of a false survival; above 0, at most 0.5.
    pub beta: Option<f64>,
    /// The drop in pass rate that must not be missed; above 0, at most 1.
    pub min_effect: Option<f64>,
    /// From 3 to 100.
    pub max_trials_per_arm: Option<u32>,
}

/// What makes a run end with exit code 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Gates {
    /// Case verdicts of the rules study that are findings.
    pub rules: Vec<String>,
    /// What an inert assertion beside one that bites means.
    pub inert_assertions: Gate,
    /// What a case that passes in one phrasing only means.
    pub single_phrasing: Gate,
    /// What a case means whose outcome the phrasing moves.
    pub sensitive: Gate,
    /// The least consistency over the suite: 0 to 1. `None` asks for none.
    pub consistency_min: Option<f64>,
    /// The least share of the instructions' statements that a case must quote: 0 to 1. `None` asks for none.
    pub coverage_min: Option<f64>,
    /// The least share of wrong transcripts that the suite's checks catch: 0 to 1. `None` asks for none.
    pub caught_min: Option<f64>,
}

/// The verdicts that a gate can turn into findings. Others have exit codes of their own: a case that fails at baseline,
/// one that was not assessed, an error.
pub const GATE_VERDICTS: [&str; 4] = ["steerable", "model-default", "redundant", "wrong-reason"];

impl Default for Gates {
    fn default() -> Gates {
        Gates {
            rules: GATE_VERDICTS.map(str::to_owned).to_vec(),
            inert_assertions: Gate::Ignore,
            single_phrasing: Gate::Fail,
            sensitive: Gate::Fail,
            consistency_min: None,
            coverage_min: None,
            caught_min: None,
        }
    }
}

/// Whether something that was found is a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    Fail,
    Ignore,
}

/// A finding that the team lives with.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// Of a case, an assertion or a mutant.
    pub id: String,
    pub reason: String,
    /// Of the id.
    pub place: Place,
}

/// What a model costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    pub model: String,
    pub input_per_million: f64,
    pub output_per_million: f64,
}

impl Config {
    /// The agent of this name; without a name the default one, or the only one.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one, or several agents of which none is the default.
    pub fn agent(&self, name: Option<&str>) -> Result<&AgentEntry, Box<Diagnostic>> {
        let names = || self.agents.iter().map(|agent| agent.name.as_str());
        let error = match (name.or(self.default_agent.as_deref()), self.agents.as_slice()) {
            (None, [only]) => return Ok(only),
            (_, []) => Diagnostic::error("this suite names no agent to ask").help(
                "add one to mutate.yaml under `agents:` (`mutate schema suite` describes the kinds); `mutate matchers` \
                 needs none",
            ),
            (None, _) => Diagnostic::error("this suite has several agents and no default")
                .help(format!("choose one with `--agent NAME` or `default_agent: NAME`: {}", list(names()))),
            (Some(name), agents) => match agents.iter().find(|agent| agent.name == name) {
                Some(agent) => return Ok(agent),
                None => Diagnostic::error(format!("there is no agent named `{name}`")).help(
                    nearest_name(name, names()).map_or_else(
                        || format!("agents of this suite: {}", list(names())),
                        |near| format!("did you mean `{near}`?"),
                    ),
                ),
            },
        };
        Err(Box::new(error))
    }
}

/// Names as a message lists them.
pub(super) fn list<'k>(names: impl IntoIterator<Item = &'k str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
