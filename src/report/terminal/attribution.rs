use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::Style;

use super::rules::stated;
use super::{BLUE, BOLD, DIM, GREEN, RED, YELLOW, paint, write_end, write_forecast, write_head, write_line};
use crate::report::escape::{shorten, terminal as escape};
use crate::report::rates::{count, sum_line};
use crate::studies::rules::Rate;
use crate::studies::rules::attribution::{
    AttributedAssertion, AttributedCase, AttributedStatement, AttributionForecast, AttributionReport, FileLines, Role,
    Verdict,
};

/// Lines that are shown around a marked one.
const AROUND: usize = 1;
/// Shorter stretches of lines without a mark are not folded.
const FOLDED: usize = 3;
/// Characters of a file's line.
const WIDTH: usize = 110;

fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Carried => GREEN,
        Verdict::ModelDefault => BLUE,
        Verdict::Unproven => YELLOW,
        Verdict::WrongReason | Verdict::BaselineFailing | Verdict::Unreached | Verdict::Error => RED,
    }
}

fn role_style(role: Role) -> Style {
    match role {
        Role::Carries => GREEN,
        Role::Suspect => YELLOW,
        Role::Quoted | Role::Needed => BLUE,
    }
}

/// The result of `mutate rules --attribute` for a person: the files with the carrying lines marked, then what it means.
pub fn attribution(report: &AttributionReport) -> String {
    let mut out = String::new();
    let design = &report.own.design;
    let design = format!("alpha {} beta {} min effect {}", design.alpha, design.beta, design.min_effect);
    write_head(&mut out, "mutate rules --attribute", &report.suite, &report.agent, report.seed, &design);
    for case in &report.cases {
        write_case(&mut out, case, &report.own.files);
    }
    write_end(&mut out, &report.notes, &attribution_sum(report), &report.summary);
    out
}

fn write_case(out: &mut String, case: &AttributedCase, files: &[FileLines]) {
    let verdict = paint(style(case.verdict).bold(), case.verdict.name());
    let _ = writeln!(out, "{}  {verdict}  {}", paint(BOLD, escape(&case.id)), paint(DIM, escape(&case.place)));
    if let Some(reason) = &case.reason {
        write_line(out, "because", &escape(reason));
    }
    write_line(out, "rule", &format!("“{}” {}", escape(&case.rule.quote), stated(&case.rule.statements)));
    for file in files {
        let marked: Vec<&AttributedStatement> = case.statements.iter().filter(|one| one.file == file.path).collect();
        if !marked.is_empty() {
            out.push('\n');
            write_file(out, file, &marked);
        }
    }
    out.push('\n');
    let width = case.assertions.iter().map(|one| checked(one).chars().count()).max().unwrap_or(0);
    for assertion in &case.assertions {
        write_assertion(out, case, assertion, width);
    }
    let back: Vec<String> = case
        .statements
        .iter()
        .filter(|one| one.put_back.is_some())
        .map(|one| format!("{}:{} {}", escape(&one.file), one.line, rate(one.put_back)))
        .collect();
    if !back.is_empty() {
        write_line(out, "put back", &format!("one alone: {}", back.join(" · ")));
    }
    let errors: usize = case.arms.iter().map(|arm| arm.errors).sum();
    if errors > 0 {
        write_line(out, "errors", &format!("{} (they count for nothing)", count(errors, "trial", "trials")));
    }
    write_line(out, "so", &escape(&case.conclusion));
    write_line(out, "next", &escape(&case.advice));
    out.push('\n');
}

/// A file with its marked lines and some around them; long stretches without a mark are folded.
fn write_file(out: &mut String, file: &FileLines, marked: &[&AttributedStatement]) {
    let mut marks: BTreeMap<usize, (Role, bool)> = BTreeMap::new();
    for one in marked {
        for line in one.line..=one.last_line {
            marks.entry(line).or_insert((one.role, line == one.line));
        }
    }
    let _ = writeln!(out, "  {}", paint(BOLD, escape(&file.path)));
    let last = file.lines.len();
    let digits = last.to_string().len();
    let is_shown = |line: usize| marks.range(line.saturating_sub(AROUND)..=line + AROUND).next().is_some();
    let mut line = 1;
    while line <= last {
        let hidden = (line..=last).take_while(|line| !is_shown(*line)).count();
        if hidden >= FOLDED {
            let _ = writeln!(out, "  {:9} {:digits$} {}", "", "", paint(DIM, format_args!("… {hidden} lines …")));
            line += hidden;
            continue;
        }
        for _ in 0..hidden.max(1) {
            write_file_line(out, file, line, digits, marks.get(&line));
            line += 1;
        }
    }
}

fn write_file_line(out: &mut String, file: &FileLines, line: usize, digits: usize, mark: Option<&(Role, bool)>) {
    let text = shorten(&escape(&file.lines[line - 1]), WIDTH);
    let gutter = match mark {
        Some((role, first)) => {
            let word = if *first { role.name() } else { "" };
            paint(role_style(*role), format_args!("{word:<9} {line:digits$} ┃"))
        }
        None => paint(DIM, format_args!("{:9} {line:digits$} │", "")),
    };
    let _ = writeln!(out, "{}", format!("  {gutter} {text}").trim_end());
}

fn checked(assertion: &AttributedAssertion) -> String {
    shorten(&format!("{} {}", assertion.kind, escape(&assertion.check)), 48)
}

fn write_assertion(out: &mut String, case: &AttributedCase, assertion: &AttributedAssertion, width: usize) {
    let what = checked(assertion);
    let set = case.statements.iter().filter(|one| matches!(one.role, Role::Carries | Role::Suspect)).count();
    let deleted = match set {
        0 => format!("all {}", case.candidates),
        1 => "it".to_owned(),
        2 => "both".to_owned(),
        many => format!("all {many}"),
    };
    let mut rates = format!("baseline {}", rate(Some(assertion.baseline)));
    if assertion.without.is_some() {
        let _ = write!(rates, " → without {deleted} {}", rate(assertion.without));
    }
    for (name, guard) in [("control", assertion.control), ("bare", assertion.bare)] {
        if guard.is_some() {
            let _ = write!(rates, " · {name} {}", rate(guard));
        }
    }
    write_line(out, "check", &format!("{what:<width$}  {rates}"));
    if let Some(evidence) = &assertion.evidence {
        let _ = writeln!(out, "  {:9} {}", "", paint(DIM, shorten(&escape(evidence), 110)));
    }
}

/// `3/5`, or `–` where it was not asked.
pub(in crate::report) fn rate(rate: Option<Rate>) -> String {
    rate.map_or_else(|| "–".to_owned(), |rate| format!("{}/{}", rate.passes, rate.trials))
}

/// One line of sum for the attribution.
pub fn attribution_sum(report: &AttributionReport) -> String {
    let names = Verdict::ALL.map(Verdict::name);
    sum_line(&report.summary, &names, "left out", "")
}

/// `--attribute --dry-run`: what a search would take.
pub fn attribution_plan(forecast: &AttributionForecast) -> String {
    let mut out = String::new();
    write_forecast(&mut out, &forecast.cases, &forecast.calls, forecast.cost_usd.as_ref());
    out
}
