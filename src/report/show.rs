use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::escape::{terminal as escape, terminal_lines};
use crate::run::TrialRecord;

/// What is recorded for one case.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    pub case: String,
    pub input: String,
    /// In the order of the study's arms.
    pub arms: Vec<ShownArm>,
}

#[derive(Debug, Clone, Default)]
pub struct ShownArm {
    pub name: String,
    /// What the arm changes in the instructions; empty for the baseline.
    pub diff: String,
    pub trials: Vec<ShownTrial>,
}

/// A recorded trial, judged with the assertions as they are now.
#[derive(Debug, Clone)]
pub struct ShownTrial {
    pub record: TrialRecord,
    /// For every assertion: its name, whether it holds (`None`: not assessable), and the matcher's reason.
    pub judged: Vec<(String, Option<bool>, String)>,
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();

/// The transcripts of a case, arm by arm, each arm's change first, for people who disbelieve a verdict.
pub fn show(recorded: &Recorded) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{BOLD}{}{BOLD:#}", escape(&recorded.case));
    let _ = writeln!(out, "{DIM}input{DIM:#}  {}", indent(&recorded.input, 7));
    for arm in &recorded.arms {
        let _ = writeln!(out, "\n{BOLD}── {} {BOLD:#}{DIM}{}{DIM:#}", escape(&arm.name), trials(arm.trials.len()));
        for line in arm.diff.lines() {
            let style = match line.as_bytes().first() {
                Some(b'-') => RED,
                Some(b'+') => GREEN,
                _ => DIM,
            };
            let _ = writeln!(out, "   {style}{}{style:#}", escape(line));
        }
        for trial in &arm.trials {
            write_trial(&mut out, trial);
        }
    }
    out
}

fn write_trial(out: &mut String, trial: &ShownTrial) {
    let record = &trial.record;
    let head = format!("{} · {} · {} ms · seed {}", record.agent, record.at, record.ms, record.seed);
    let _ = writeln!(out, "\n   {BOLD}trial {}{BOLD:#}  {DIM}{}{DIM:#}", record.trial, escape(&head));
    if let Some(message) = &record.message {
        let fault = record.fault.map(|fault| format!("{fault:?}").to_lowercase()).unwrap_or_default();
        let _ = writeln!(out, "   {RED}error{RED:#} {fault}: {}", indent(message, 10));
    }
    if let Some(transcript) = &record.transcript {
        match &transcript.reply {
            Some(reply) if !reply.trim().is_empty() => {
                let _ = writeln!(out, "   {DIM}reply{DIM:#}  {}", indent(reply, 10));
            }
            _ => {
                let _ = writeln!(out, "   {DIM}reply{DIM:#}  {YELLOW}(empty){YELLOW:#}");
            }
        }
        if transcript.truncated {
            let _ = writeln!(out, "   {YELLOW}cut by a token limit: what is missing is no evidence{YELLOW:#}");
        }
        for call in transcript.tool_calls.iter().flatten() {
            let _ =
                writeln!(out, "   {DIM}call{DIM:#}   {}({})", escape(&call.name), escape(&call.arguments.to_string()));
        }
        for (name, value) in &transcript.fields {
            let _ = writeln!(out, "   {DIM}field{DIM:#}  {} = {}", escape(name), escape(&value.to_string()));
        }
    }
    for (name, holds, reason) in &trial.judged {
        let (style, word) = match holds {
            Some(true) => (GREEN, "holds"),
            Some(false) => (RED, "fails"),
            None => (YELLOW, "not assessable"),
        };
        let _ = writeln!(out, "   {style}{word}{style:#}  {} {DIM}{}{DIM:#}", escape(name), escape(reason));
    }
}

fn trials(number: usize) -> String {
    if number == 1 { "1 trial".to_owned() } else { format!("{number} trials") }
}

fn indent(text: &str, by: usize) -> String {
    terminal_lines(text).replace('\n', &format!("\n{:by$}", ""))
}
