//! For people at a terminal. One file a study; here is what they share.

mod attribution;
mod coverage;
mod inputs;
mod matchers;
mod pins;
mod rules;

pub use attribution::{attribution, attribution_plan};
pub(super) use attribution::{attribution_sum, rate};
pub use coverage::coverage;
pub(super) use coverage::{coverage_sum, covering, next_steps as coverage_next};
pub use inputs::{inputs, inputs_plan};
pub use matchers::matchers;
pub(super) use matchers::{MOST_SURVIVORS, WIDTH, matchers_sum, survivors};
pub use pins::pins;
pub use rules::{plan, rules};
pub(super) use {inputs::inputs_sum, rules::rules_sum};

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::escape::terminal as escape;
use super::rates::dollars;
use crate::studies::{AgentLine, CallRange, CaseForecast, CostRange, Summary};

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const RED: Style = AnsiColor::Red.on_default();
pub(super) const GREEN: Style = AnsiColor::Green.on_default();
pub(super) const YELLOW: Style = AnsiColor::Yellow.on_default();
const BLUE: Style = AnsiColor::Blue.on_default();

pub(super) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The first line: what ran on what, with which agent and seed, by which `design`.
fn write_head(out: &mut String, command: &str, suite: &str, agent: &AgentLine, seed: u64, design: &str) {
    let of = format!("agent {} ({})  seed {seed}  {design}", escape(&agent.name), escape(&agent.description));
    let _ = writeln!(out, "{} {}  {}\n", paint(BOLD, command), escape(suite), paint(DIM, of));
}

/// A line of a case: a word that says what it is, then the text.
fn write_line(out: &mut String, word: &str, text: &str) {
    let _ = writeln!(out, "  {} {text}", paint(DIM, format_args!("{word:<9}")));
}

/// Notes, the line of sum, and why the exit code is not 0.
fn write_end(out: &mut String, notes: &[String], sum: &str, summary: &Summary) {
    for note in notes {
        let _ = writeln!(out, "{} {}", paint(YELLOW, "note:"), escape(note));
    }
    if !notes.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{}", paint(BOLD, sum));
    if let Some(reason) = &summary.exit_reason {
        let _ = writeln!(out, "exit {}: {}", summary.exit_code, escape(reason));
    }
}

/// What a run would take, case by case and in all.
fn write_forecast(out: &mut String, cases: &[CaseForecast], total: &CallRange, cost: Option<&CostRange>) {
    let calls = |calls: &CallRange| {
        format!(
            "{} to {} where the truth is clear; fewest {}, most {}",
            calls.clear_least, calls.clear_most, calls.fewest, calls.most
        )
    };
    let width = cases.iter().map(|case| case.id.chars().count()).max().unwrap_or(0);
    for case in cases {
        let _ = writeln!(out, "{:<width$}  {}", escape(&case.id), paint(DIM, calls(&case.calls)));
    }
    let total = format!("calls in all: {}", calls(total));
    let _ = writeln!(out, "{}", paint(BOLD, total));
    if let Some(cost) = cost {
        let _ = writeln!(
            out,
            "about {} where the truth is clear; fewest {}, most {} (200 tokens a reply)",
            dollars(cost.clear_most),
            dollars(cost.fewest),
            dollars(cost.most)
        );
    }
}
