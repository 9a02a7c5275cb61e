use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::Style;

use super::{BLUE, BOLD, DIM, GREEN, RED, YELLOW, paint};
use crate::report::escape::{shorten, terminal as escape};
use crate::report::rates::{count, percent};
use crate::studies::rules::{
    CoverageCounts, CoverageReport, CoveringCase, FileCoverage, StatementCoverage, StatementStatus,
};

/// Lines of a file are cut here; the whole text is in `--format json`.
const WIDTH: usize = 100;

/// Further statements that start on one line have no mark in the gutter; below the line they have.
const MOST_MARKS: usize = 4;

type ByLine<'s> = BTreeMap<usize, Vec<&'s StatementCoverage>>;

const ALL: [StatementStatus; 4] = StatementStatus::ALL;

fn mark(status: StatementStatus) -> &'static str {
    match status {
        StatementStatus::Biting => "✓",
        StatementStatus::Inert => "=",
        StatementStatus::Unproven => "?",
        StatementStatus::NotQuoted => "✗",
    }
}

fn style(status: StatementStatus) -> Style {
    match status {
        StatementStatus::Biting => GREEN,
        StatementStatus::Inert => BLUE,
        StatementStatus::Unproven => YELLOW,
        StatementStatus::NotQuoted => RED,
    }
}

/// The result of `mutate rules --coverage` for a person: every file line by line, with a mark for each statement.
pub fn coverage(report: &CoverageReport) -> String {
    let mut out = String::new();
    let agent = match &report.agent {
        Some(agent) => format!("agent {} ({})  seed {}", escape(&agent.name), escape(&agent.description), report.seed),
        None => "no agent".to_owned(),
    };
    let _ =
        writeln!(out, "{} {}  {}", paint(BOLD, "mutate rules --coverage"), escape(&report.suite), paint(DIM, agent));
    let legend: Vec<String> = ALL
        .iter()
        .map(|status| {
            let meaning = match status {
                StatementStatus::NotQuoted => "not quoted by any case",
                status => status.name(),
            };
            format!("{} {meaning}", paint(style(*status), mark(*status)))
        })
        .collect();
    let _ = writeln!(out, "{}\n", legend.join("   "));
    for file in &report.files {
        let own: Vec<&StatementCoverage> = report.statements.iter().filter(|one| one.file == file.file).collect();
        write_file(&mut out, file, &own);
    }
    for note in &report.notes {
        let _ = writeln!(out, "{} {}", paint(YELLOW, "note:"), escape(note));
    }
    if !report.notes.is_empty() {
        out.push('\n');
    }
    if report.files.len() > 1 {
        let all = format!("{}: {}", count(report.files.len(), "file", "files"), coverage_sum(&report.counts));
        let _ = writeln!(out, "{}", paint(BOLD, all));
    }
    for step in next_steps(&report.counts) {
        let _ = writeln!(out, "{} {step}", paint(DIM, "next:"));
    }
    if let Some(reason) = &report.exit_reason {
        let _ = writeln!(out, "exit {}: {}", report.exit_code, escape(reason));
    }
    out
}

/// One line: counts and shares.
pub fn coverage_sum(counts: &CoverageCounts) -> String {
    format!(
        "{} · {} quoted{} · {} biting{} · {} inert · {} unproven · {} not quoted",
        count(counts.statements, "statement", "statements"),
        counts.quoted,
        percent(counts.quoted_share),
        counts.biting,
        percent(counts.biting_share),
        counts.inert,
        counts.unproven,
        counts.not_quoted
    )
}

/// What to do about what is not biting, the cheapest first.
pub fn next_steps(counts: &CoverageCounts) -> Vec<&'static str> {
    let mut steps = vec![];
    if counts.unproven > 0 {
        steps.push("`mutate rules` asks what the unproven cases still need, or says why they stay open");
    }
    if counts.inert > 0 {
        steps.push("`mutate rules --case ID` says why a case is inert");
    }
    if counts.not_quoted > 0 {
        steps.push(
            "`mutate init --from-rules` drafts a case for every statement that none quotes (`--line FILE:N` for one)",
        );
    }
    steps
}

/// The case and what is known of it: `refund-too-late rule-derived`.
pub fn covering(case: &CoveringCase) -> String {
    match &case.reason {
        Some(reason) => format!("{} {} ({reason})", case.case, case.verdict.name()),
        None => format!("{} {}", case.case, case.verdict.name()),
    }
}

fn write_file(out: &mut String, file: &FileCoverage, statements: &[&StatementCoverage]) {
    let _ = writeln!(out, "{}", paint(BOLD, escape(&file.file)));
    let shown = shown_lines(file, statements);
    let numbers = file.lines.len().to_string().len();
    let (mut starts, mut ends) = (ByLine::new(), ByLine::new());
    for statement in statements {
        starts.entry(statement.line).or_default().push(statement);
        ends.entry(statement.last_line).or_default().push(statement);
    }
    // A mark for each statement that starts on the line: as wide as the fullest line.
    let marks = starts.values().map(Vec::len).max().unwrap_or(0).clamp(1, MOST_MARKS);
    let mut line = 1;
    while line <= file.lines.len() {
        if !shown[line - 1] {
            let hidden = shown[line - 1..].iter().take_while(|shown| !**shown).count();
            let text = format!("{:marks$} {:>numbers$} {}", "", "⋮", count(hidden, "line", "lines"));
            let _ = writeln!(out, "{}", paint(DIM, text));
            line += hidden;
            continue;
        }
        let here = starts.get(&line).map(Vec::as_slice).unwrap_or_default();
        let gutter: String = here.iter().take(marks).map(|one| paint(style(one.status), mark(one.status))).collect();
        let blank = " ".repeat(marks - here.len().min(marks));
        let number = paint(DIM, format_args!("{line:>numbers$}"));
        let text = shorten(&escape(&file.lines[line - 1]), WIDTH);
        let _ = writeln!(out, "{}", format!("{gutter}{blank} {number} {text}").trim_end());
        let done = ends.get(&line).map(Vec::as_slice).unwrap_or_default();
        for statement in done {
            // Which one is meant, and what it says where its line is cut.
            let cut = file.lines[statement.line - 1].chars().count() > WIDTH;
            let shared = cut || done.len() > 1 || starts.get(&statement.line).is_some_and(|here| here.len() > 1);
            write_cases(out, statement, shared, marks + numbers + 2);
        }
        line += 1;
    }
    let _ = writeln!(out, "{}\n", paint(BOLD, format_args!("{}: {}", escape(&file.file), coverage_sum(&file.counts))));
}

/// The cases of a statement below its last line; the words too, where the line does not show which one it is.
fn write_cases(out: &mut String, statement: &StatementCoverage, named: bool, indent: usize) {
    let cases: Vec<String> = statement.cases.iter().map(|case| escape(&covering(case))).collect();
    if cases.is_empty() && !named {
        return;
    }
    let said = if cases.is_empty() { "no case".to_owned() } else { cases.join(", ") };
    let words = if named { format!("“{}” ", shorten(&escape(&statement.text), 40)) } else { String::new() };
    let text = format!("{} {words}{said}", mark(statement.status));
    let _ = writeln!(out, "{:indent$}{}", "", paint(style(statement.status), text));
}

/// Lines of statements, headings above them, and single lines between.
fn shown_lines(file: &FileCoverage, statements: &[&StatementCoverage]) -> Vec<bool> {
    let mut shown = vec![false; file.lines.len()];
    let mut of_statements = shown.clone();
    for statement in statements {
        for line in statement.line..=statement.last_line.min(file.lines.len()) {
            (shown[line - 1], of_statements[line - 1]) = (true, true);
        }
    }
    for (at, heading) in file.headings.iter().enumerate() {
        let next = file.headings.get(at + 1).map_or(file.lines.len() + 1, |next| *next);
        if of_statements[heading - 1..next - 1].contains(&true) {
            shown[heading - 1] = true;
        }
    }
    // One hidden line takes as much room as the note that it is hidden.
    for at in 0..shown.len() {
        let alone = !shown[at] && (at > 0 && shown[at - 1]) && shown.get(at + 1).is_some_and(|next| *next);
        if alone {
            shown[at] = true;
        }
    }
    shown
}
