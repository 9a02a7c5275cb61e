//! The matchers study for people: on a terminal and as Markdown. Only the bad news, then one line of sum.

use std::fmt::Write as _;

use anstyle::Style;

use super::escape::{markdown as in_markdown, shorten, terminal as escape};
use super::rates::{count, seconds};
use super::terminal::{BOLD, DIM, GREEN, RED, YELLOW, paint};
use crate::studies::matchers::{CaseReport, FindingKind, FindingReport, MatchersReport, SOUND, SurvivorReport};

/// Survivors that a report for people shows.
const MOST_SURVIVORS: usize = 10;
/// Characters of one changed part.
const WIDTH: usize = 120;

/// The result of `mutate matchers` for a person at a terminal.
pub fn matchers(report: &MatchersReport) -> String {
    let mut out = String::new();
    let offline = paint(DIM, &report.agent.description);
    let _ = writeln!(out, "{} {}  {offline}\n", paint(BOLD, "mutate matchers"), escape(&report.suite));
    for case in report.cases.iter().filter(|case| case.verdict != SOUND) {
        write_case(&mut out, case);
    }
    write_survivors(&mut out, report);
    for note in &report.notes {
        let _ = writeln!(out, "{} {}", paint(YELLOW, "note:"), escape(note));
    }
    if !report.notes.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{}", paint(BOLD, sum(report)));
    if let Some(reason) = &report.summary.exit_reason {
        let _ = writeln!(out, "exit {}: {}", report.summary.exit_code, escape(reason));
    }
    out
}

fn style(kind: FindingKind) -> Style {
    match kind {
        FindingKind::Loose | FindingKind::Duplicate | FindingKind::NotAssessable | FindingKind::Untested => YELLOW,
        _ => RED,
    }
}

fn write_case(out: &mut String, case: &CaseReport) {
    let _ = writeln!(out, "{}  {}", paint(BOLD, escape(&case.id)), paint(DIM, escape(&case.place)));
    for finding in case.findings.iter().filter(|finding| finding.accepted.is_none()) {
        let kind = paint(style(finding.kind).bold(), finding.kind.name());
        let mut head = format!("  {kind}  {}", shorten(&escape(&finding.check), 60));
        if finding.place != case.place {
            let _ = write!(head, "  {}", paint(DIM, escape(&finding.place)));
        }
        let _ = writeln!(out, "{head}");
        let mut line = |word: &str, text: &str| {
            let _ = writeln!(out, "    {} {text}", paint(DIM, format_args!("{word:<8}")));
        };
        line("because", &escape(&finding.because));
        if let Some(fooled) = &finding.fooled_by {
            line("seen on", &format!("{}: {}", fooled.name, escape(&fooled.shown)));
        }
        line("next", &escape(&finding.proposal));
    }
    out.push('\n');
}

fn survivors(report: &MatchersReport) -> Vec<&SurvivorReport> {
    report.cases.iter().flat_map(|case| &case.survivors).collect()
}

fn write_survivors(out: &mut String, report: &MatchersReport) {
    let all = survivors(report);
    if all.is_empty() {
        return;
    }
    let _ = writeln!(out, "{}", paint(BOLD, "wrong answers that no check caught (for a look; they are no findings)"));
    for survivor in all.iter().take(MOST_SURVIVORS) {
        let _ = writeln!(out, "  {}", escape(&survivor.id));
        for (sign, style, text) in [('-', RED, &survivor.before), ('+', GREEN, &survivor.after)] {
            if !text.is_empty() {
                let _ = writeln!(out, "    {}", paint(style, format_args!("{sign} {}", shorten(&escape(text), WIDTH))));
            }
        }
    }
    if all.len() > MOST_SURVIVORS {
        let _ = writeln!(out, "  and {} more: --format json has all", all.len() - MOST_SURVIVORS);
    }
    out.push('\n');
}

/// One line of sum.
fn sum(report: &MatchersReport) -> String {
    let summary = &report.summary;
    let names = FindingKind::ALL.iter().map(|kind| kind.name()).chain([SOUND]);
    let verdicts: Vec<String> =
        names.filter_map(|name| summary.verdicts.get(name).map(|number| format!("{number} {name}"))).collect();
    let mut parts = vec![format!("{}: {}", count(summary.cases, "case", "cases"), verdicts.join(", "))];
    let accepted = report.cases.iter().flat_map(|case| &case.findings).filter(|one| one.accepted.is_some()).count();
    if accepted > 0 {
        parts.push(format!("{} accepted", count(accepted, "finding", "findings")));
    }
    let score = report.own.score;
    if score.applicable > 0 {
        parts.push(format!("{} of {} mutated transcripts caught", score.caught, score.applicable));
    }
    parts.push(count(report.own.judgements, "judgement", "judgements"));
    parts.push(seconds(summary.elapsed_seconds));
    parts.join(" · ")
}

/// The result of `mutate matchers` as Markdown.
pub fn matchers_markdown(report: &MatchersReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## mutate matchers: {}\n", in_markdown(&report.suite));
    let found = |case: &&CaseReport| case.verdict != SOUND;
    if report.cases.iter().any(|case| found(&case)) {
        let _ = writeln!(out, "| case | finding | check | because |\n|---|---|---|---|");
    }
    for case in report.cases.iter().filter(found) {
        let mut name = in_markdown(&case.id);
        for finding in case.findings.iter().filter(|finding| finding.accepted.is_none()) {
            let FindingReport { kind, check, place, because, .. } = finding;
            let _ = writeln!(
                out,
                "| {name} | **{}** | {} {} | {} |",
                kind.name(),
                in_markdown(check),
                in_markdown(place),
                in_markdown(because)
            );
            name = String::new();
        }
    }
    out.push('\n');
    for finding in report.cases.iter().flat_map(|case| &case.findings).filter(|one| one.accepted.is_none()) {
        let _ = writeln!(out, "- {}: {}", in_markdown(&finding.id), in_markdown(&finding.proposal));
        if let Some(fooled) = &finding.fooled_by {
            let _ = writeln!(out, "  - seen on {}: {}", in_markdown(&fooled.name), in_markdown(&fooled.shown));
        }
    }
    let all = survivors(report);
    if !all.is_empty() {
        let _ = writeln!(out, "\nWrong answers that no check caught:\n");
        for survivor in all.iter().take(MOST_SURVIVORS) {
            let (before, after) = (shorten(&survivor.before, WIDTH), shorten(&survivor.after, WIDTH));
            let _ = writeln!(
                out,
                "- {}: {} → {}",
                in_markdown(&survivor.id),
                in_markdown(&before),
                if after.is_empty() { "(gone)".to_owned() } else { in_markdown(&after) }
            );
        }
    }
    for note in &report.notes {
        let _ = writeln!(out, "- {}", in_markdown(note));
    }
    let _ = writeln!(out, "\n{}", in_markdown(&sum(report)));
    if let Some(reason) = &report.summary.exit_reason {
        let _ = writeln!(out, "\nexit {}: {}", report.summary.exit_code, in_markdown(reason));
    }
    out
}
