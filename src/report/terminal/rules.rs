use std::fmt::Write as _;

use anstyle::Style;

use super::{BLUE, BOLD, DIM, GREEN, RED, YELLOW, paint, write_end, write_forecast, write_head, write_line};
use crate::report::escape::{shorten, terminal as escape};
use crate::report::rates::{count, rates, sum_line};
use crate::studies::rules::{
    Arm, AssertionVerdict, CaseReport, CaseVerdict, Forecast, MutantReport, RulesReport, StatementReport,
};

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
    let design = format!("alpha {} beta {} min effect {}", design.alpha, design.beta, design.min_effect);
    write_head(&mut out, "mutate rules", &report.suite, &report.agent, report.seed, &design);
    for case in &report.cases {
        write_case(&mut out, case);
    }
    write_end(&mut out, &report.notes, &rules_sum(report), &report.summary);
    out
}

fn write_case(out: &mut String, case: &CaseReport) {
    let verdict = paint(case_style(case.verdict).bold(), case.verdict.name());
    let _ = writeln!(out, "{}  {}  {}", paint(BOLD, escape(&case.id)), verdict, paint(DIM, escape(&case.place)));
    if let Some(reason) = &case.reason {
        write_line(out, "because", &escape(reason));
    }
    write_line(out, "rule", &format!("“{}” {}", escape(&case.rule.quote), stated(&case.rule.statements)));
    for mutant in &case.mutants {
        // What was neither asked nor refused is in `--list`, not here.
        if (case.arms.contains_key(mutant.operator.name()) || mutant.refused.is_some())
            && let Some(text) = describe(mutant)
        {
            write_line(out, mutant.operator.name(), &text);
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
    let survived = matches!(case.verdict, CaseVerdict::Steerable | CaseVerdict::ModelDefault | CaseVerdict::Redundant);
    match case.answers_changed.get(Arm::Delete.name()).filter(|_| survived) {
        Some(true) => write_line(out, "answers", "others without the rule, and no check sees it"),
        Some(false) => write_line(out, "answers", "the same without the rule, to the letter"),
        None => {}
    }
    let errors: usize = case.arms.values().map(|arm| arm.errors).sum();
    if errors > 0 {
        write_line(out, "errors", &format!("{} (they count for nothing)", count(errors, "trial", "trials")));
    }
    match &case.accepted {
        Some(reason) => write_line(out, "accepted", &escape(reason)),
        None => write_line(out, "next", &escape(&case.advice)),
    }
    out.push('\n');
}

pub(super) fn stated(statements: &[StatementReport]) -> String {
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
        // Nothing was deleted: the note says what was moved.
        (None, Arm::Control) if mutant.before.is_empty() || !mutant.after.is_empty() => String::new(),
        (None, Arm::Control) => {
            let words = mutant.before.split_whitespace().collect::<Vec<_>>().join(" ");
            let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || "-*+.) ".contains(c));
            let place = paint(DIM, format_args!("deleted {}:{}", escape(&mutant.file), mutant.line));
            format!("“{}” {place}", shorten(&escape(words), 70))
        }
        (None, Arm::Delete) => String::new(),
        (None, _) => {
            let by = match &mutant.made_by {
                Some(helper) => format!("worded by the model {}", escape(helper)),
                None if mutant.source == "case" => "as the case words it".to_owned(),
                None => "worded offline".to_owned(),
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
    write_forecast(&mut out, &forecast.cases, &forecast.calls, forecast.cost_usd.as_ref());
    if let Some(helper) = &forecast.helper {
        let (least, most) = (helper.calls.fewest, helper.calls.most);
        let rules = count(helper.rules, "rule", "rules");
        let _ = writeln!(
            out,
            "{least} to {most} of them by the helper {} for the opposite of {rules}",
            escape(&helper.helper)
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
            let _ = writeln!(out, "  {} {}", paint(YELLOW, "refused:"), escape(refused));
            if let Some(helper) = &mutant.would_ask {
                let _ = writeln!(out, "  {}", paint(DIM, format_args!("a run would ask {} for it", escape(helper))));
            }
            out.push('\n');
            continue;
        }
        write_change(&mut out, &mutant.before, &mutant.after);
        if let Some(helper) = &mutant.made_by {
            let by = format!("worded by the model {}: read it, and keep it with `--pin`", escape(helper));
            let _ = writeln!(out, "  {}", paint(YELLOW, by));
        }
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
