//! The result type that all studies share: a study adds its cases' shape and what only it has.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{ExitCode, Standing};
use crate::run::Spent;

/// The result of a study, with everything that a report lays out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Report<Case, Own> {
    /// The version of this format; grows only when a reader would break.
    pub version: u32,
    /// `rules`, `inputs`, `matchers`.
    pub study: &'static str,
    /// The suite's folder, as it was named.
    pub suite: String,
    pub agent: AgentLine,
    pub seed: u64,
    #[serde(flatten)]
    pub own: Own,
    pub cases: Vec<Case>,
    /// Remarks on the whole run, for people.
    pub notes: Vec<String>,
    pub summary: Summary,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AgentLine {
    /// Its name in `mutate.yaml`.
    pub name: String,
    /// `scripted`, `command` or `chat`; `none` where a study asks nobody.
    pub kind: String,
    pub description: String,
}

/// What a report says about the run as a whole, known before the study ends.
#[derive(Debug, Clone)]
pub struct Heading {
    pub suite: String,
    pub agent: AgentLine,
    pub seed: u64,
    /// Cases that were chosen and are not part of the study.
    pub cases_left_out: usize,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Summary {
    pub cases: usize,
    /// Cases that were chosen and that this study says nothing of: for the rules study those that quote no rule.
    pub cases_left_out: usize,
    /// Verdicts by name.
    pub verdicts: BTreeMap<String, usize>,
    /// Assertion verdicts by name.
    pub assertions: BTreeMap<String, usize>,
    /// Findings under the suite's gates.
    pub findings: usize,
    /// Trials asked of the agent in this run, errors among them.
    pub calls: u64,
    /// Trials that the journal answered.
    pub reused: u64,
    pub errors: u64,
    pub retries: u64,
    /// What a design with a fixed number of trials an arm would have asked for the same arms.
    pub fixed_design_calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// US dollars; null where the cost of some call is not known.
    pub cost_usd: Option<f64>,
    pub elapsed_seconds: f64,
    /// Why the run ended early, else null.
    pub stopped: Option<String>,
    pub exit_code: u8,
    /// Why the exit code is not 0, or would not be without `--report-only`, in one sentence; else null.
    pub exit_reason: Option<String>,
}

/// How a figure of the whole suite stands to the threshold that `gates:` asks of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateStanding {
    /// The figure, or its whole interval, is at or above it.
    Met,
    /// The figure, or its whole interval, is below it.
    Missed,
    /// The interval holds it, or there is no figure: neither is shown.
    Undecided,
}

impl Summary {
    /// Findings end with 0 and are still said; whatever was not assessed, or fails as it is, keeps its code.
    pub fn only_report_findings(&mut self) {
        if self.exit_code == ExitCode::Findings.code() {
            self.exit_code = ExitCode::Clean.code();
            self.exit_reason = self.exit_reason.take().map(|reason| format!("{reason} (only reported)"));
        }
    }

    /// Counts a gate on the whole suite like one more case. `standings` are the cases'.
    pub fn with_gate(&mut self, standings: &[(&str, Standing)], gate: (&str, GateStanding), spent: &Spent) {
        let standing = match gate.1 {
            GateStanding::Met => return,
            GateStanding::Missed => Standing::Finding,
            GateStanding::Undecided => Standing::Open,
        };
        if standings.is_empty() {
            return;
        }
        self.findings += usize::from(standing == Standing::Finding);
        let all: Vec<(&str, Standing)> = standings.iter().copied().chain([(gate.0, standing)]).collect();
        let (exit, reason) = ExitCode::judge(&all, spent.stopped.as_ref(), "");
        (self.exit_code, self.exit_reason) = (exit.code(), reason);
    }

    /// The figures of a run; `nothing` says why no case at all would be left to judge.
    pub fn new(standings: &[(&str, Standing)], spent: &Spent, left_out: usize, nothing: &str) -> Summary {
        let (exit, exit_reason) = ExitCode::judge(standings, spent.stopped.as_ref(), nothing);
        Summary {
            cases: standings.len(),
            cases_left_out: left_out,
            findings: standings.iter().filter(|(_, standing)| *standing == Standing::Finding).count(),
            calls: spent.calls,
            reused: spent.reused,
            errors: spent.errors,
            retries: spent.retries,
            input_tokens: spent.input_tokens,
            output_tokens: spent.output_tokens,
            cost_usd: (spent.unpriced == 0 && spent.cost > 0.0).then_some(spent.cost),
            elapsed_seconds: spent.elapsed.as_secs_f64(),
            stopped: spent.stopped.as_ref().map(ToString::to_string),
            exit_code: exit.code(),
            exit_reason,
            ..Summary::default()
        }
    }
}
