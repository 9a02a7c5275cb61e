use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::escape::{shorten, terminal as escape};
use super::rates::{count, dollars, rates, sum_line};
use crate::studies::rules::{
    Arm, AssertionVerdict, CallRange, CaseReport, CaseVerdict, Forecast, MutantReport, RulesReport, StatementReport,
};

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const RED: Style = AnsiColor::Red.on_default();
pub(super) const GREEN: Style = AnsiColor::Green.on_default();
pub(super) const YELLOW: Style = AnsiColor::Yellow.on_default();
const BLUE: Style = AnsiColor::Blue.on_default();

pub(super) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

fn case_style(verdict: CaseVerdict) -> Style {
    match verdict {
        CaseVerdict::RuleDerived => GREEN,
        CaseVerdict::ModelDefault => BLUE,
        CaseVerdict::Steerable | CaseVerdict::Redundant | CaseVerdict::Unproven => YELLOW,
        CaseVerdict::WrongReason | CaseVerdict::BaselineFailing | CaseVerdict::Unreached | CaseVerdict::Error => RED,
    }
}

fn assertion_style(verdict: AssertionVerdict) -> Style {
    match verdict {
        AssertionVerdict::Bites => GREEN,
        AssertionVerdict::Inert | AssertionVerdict::Unproven => YELLOW,
        AssertionVerdict::Brittle | AssertionVerdict::Vacuous | AssertionVerdict::Broken => RED,
    }
}

/// The result of `mutate rules` for a person.
pub fn rules(report: &RulesReport) -> String {
    let mut out = String::new();
    let design = &report.own.design;
    let _ = writeln!(
        out,
        "{} {}  {}\n",
        paint(BOLD, "mutate rules"),
        escape(&report.suite),
        paint(
            DIM,
            format_args!(
                "agent {} ({})  seed {}  alpha {} beta {} min effect {}",
                escape(&report.agent.name),
                escape(&report.agent.description),
                report.seed,
                design.alpha,
                design.beta,
                design.min_effect
            )
        )
    );
    for case in &report.cases {
        write_case(&mut out, case);
    }
    for note in &report.notes {
        let _ = writeln!(out, "{} {}", paint(YELLOW, "note:"), escape(note));
    }
    if !report.notes.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{}", paint(BOLD, rules_sum(report)));
    if let Some(reason) = &report.summary.exit_reason {
        let _ = writeln!(out, "exit {}: {}", report.summary.exit_code, escape(reason));
    }
    out
}

fn write_case(out: &mut String, case: &CaseReport) {
    let verdict = paint(case_style(case.verdict).bold(), case.verdict.name());
    let _ = writeln!(out, "{}  {}  {}", paint(BOLD, escape(&case.id)), verdict, paint(DIM, escape(&case.place)));
    let line = |out: &mut String, word: &str, text: &str| {
        let _ = writeln!(out, "  {} {text}", paint(DIM, format_args!("{word:<9}")));
    };
    if let Some(reason) = &case.reason {
        line(out, "because", &escape(reason));
    }
    line(out, "rule", &format!("“{}” {}", escape(&case.rule.quote), stated(&case.rule.statements)));
    for mutant in &case.mutants {
        // What was neither asked nor refused is in `--list`, not here.
        if (case.arms.contains_key(mutant.operator.name()) || mutant.refused.is_some())
            && let Some(text) = describe(mutant)
        {
            line(out, mutant.operator.name(), &text);
        }
    }
    let width = case.assertions.iter().map(|a| a.kind.chars().count() + 1 + a.check.chars().count()).max();
    let width = width.unwrap_or(0).min(48);
    for assertion in &case.assertions {
        let what = shorten(&format!("{} {}", assertion.kind, escape(&assertion.check)), 48);
        let verdict = paint(assertion_style(assertion.verdict), format_args!("{:<9}", assertion.verdict.name()));
        let _ = writeln!(out, "  {verdict} {what:<width$}  {}", rates(assertion));
        if let Some(evidence) = &assertion.evidence {
            let _ = writeln!(out, "  {:9} {}", "", paint(DIM, shorten(&escape(evidence), 110)));
        }
        if let (AssertionVerdict::Unproven, Some(more)) = (assertion.verdict, assertion.more_trials_needed) {
            let about = format!("about {more} more trials an arm would settle it, if the rates stay as seen");
            let _ = writeln!(out, "  {:9} {}", "", paint(DIM, about));
        }
        for arm in &assertion.better_under {
            let better = format!("holds better under {arm} than with the rule as it is");
            let _ = writeln!(out, "  {:9} {}", "", paint(YELLOW, better));
        }
    }
    let errors: usize = case.arms.values().map(|arm| arm.errors).sum();
    if errors > 0 {
        line(out, "errors", &format!("{} (they count for nothing)", count(errors, "trial", "trials")));
    }
    match &case.accepted {
        Some(reason) => line(out, "accepted", &escape(reason)),
        None => line(out, "next", &escape(&case.advice)),
    }
    out.push('\n');
}

fn stated(statements: &[StatementReport]) -> String {
    let places: Vec<String> = statements.iter().map(|at| format!("{}:{}", escape(&at.file), at.line)).collect();
    match places.len() {
        0 => String::new(),
        1 => paint(DIM, &places[0]),
        many => paint(DIM, format_args!("stated {many}×: {}", places.join(", "))),
    }
}

/// What a mutant did, for the line under its case; plain deletions of the rule need no words.
fn describe(mutant: &MutantReport) -> Option<String> {
    let mut text = match (&mutant.refused, mutant.operator) {
        (Some(refused), _) => format!("not possible: {}", escape(refused)),
        (None, Arm::Control) if mutant.before.is_empty() => String::new(),
        (None, Arm::Control) => {
            let words = mutant.before.split_whitespace().collect::<Vec<_>>().join(" ");
            let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || "-*+.) ".contains(c));
            let place = paint(DIM, format_args!("deleted {}:{}", escape(&mutant.file), mutant.line));
            format!("“{}” {place}", shorten(&escape(words), 70))
        }
        (None, Arm::Delete) => String::new(),
        (None, _) => {
            let by = match mutant.source {
                "case" => "as the case words it",
                "model" => "worded by the helper model",
                _ => "worded offline",
            };
            format!("“{}” {}", escape(&mutant.after), paint(DIM, by))
        }
    };
    if !mutant.notes.is_empty() {
        let notes = escape(&mutant.notes.join(", "));
        text = if text.is_empty() { notes } else { format!("{text} ({notes})") };
    }
    (!text.is_empty()).then_some(text)
}

/// One line of sum for the rules study.
pub fn rules_sum(report: &RulesReport) -> String {
    let names = CaseVerdict::ALL.map(CaseVerdict::name);
    let cap = report.own.design.max_trials_per_arm;
    sum_line(&report.summary, &names, "without a rule", &format!("a fixed {cap}-trial design"))
}

/// `--list` and `--dry-run`: the mutants with their diffs, and what a run would take.
pub fn plan(mutants: &[MutantReport], forecast: Option<&Forecast>) -> String {
    let mut out = list(mutants);
    let Some(forecast) = forecast else { return out };
    let calls = |calls: &CallRange| {
        format!(
            "{} to {} where the truth is clear; fewest {}, most {}",
            calls.clear_least, calls.clear_most, calls.fewest, calls.most
        )
    };
    let width = forecast.cases.iter().map(|case| case.id.chars().count()).max().unwrap_or(0);
    for case in &forecast.cases {
        let _ = writeln!(out, "{:<width$}  {}", escape(&case.id), paint(DIM, calls(&case.calls)));
    }
    let total = format!("calls in all: {}", calls(&forecast.calls));
    let _ = writeln!(out, "{}", paint(BOLD, total));
    if let Some(cost) = &forecast.cost_usd {
        let _ = writeln!(
            out,
            "about {} where the truth is clear; fewest {}, most {} (200 tokens a reply)",
            dollars(cost.clear_most),
            dollars(cost.fewest),
            dollars(cost.most)
        );
    }
    out
}

fn list(mutants: &[MutantReport]) -> String {
    let mut out = String::new();
    for mutant in mutants {
        let place = format!("{}:{}", escape(&mutant.file), mutant.line);
        let _ = writeln!(out, "{}  {}", paint(BOLD, escape(&mutant.id)), paint(DIM, place));
        if let Some(refused) = &mutant.refused {
            let _ = writeln!(out, "  {} {}\n", paint(YELLOW, "refused:"), escape(refused));
            continue;
        }
        write_change(&mut out, &mutant.before, &mutant.after);
        for also in &mutant.also {
            let _ = writeln!(out, "  {}", paint(DIM, format_args!("and {}:{}", escape(&also.file), also.line)));
        }
        for note in &mutant.notes {
            let _ = writeln!(out, "  {}", paint(DIM, escape(note)));
        }
        out.push('\n');
    }
    out
}

fn write_change(out: &mut String, before: &str, after: &str) {
    for text in before.lines().filter(|text| !text.trim().is_empty()) {
        let _ = writeln!(out, "  {}", paint(RED, format_args!("- {}", escape(text))));
    }
    for text in after.lines().filter(|text| !text.trim().is_empty()) {
        let _ = writeln!(out, "  {}", paint(GREEN, format_args!("+ {}", escape(text))));
    }
}
