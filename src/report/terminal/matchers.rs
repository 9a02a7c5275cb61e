//! `mutate matchers` for a terminal: only the bad news, then one line of sum.

use std::fmt::Write as _;

use anstyle::Style;

use super::{BOLD, DIM, GREEN, RED, YELLOW, paint, write_end};
use crate::report::escape::{shorten, terminal as escape};
use crate::report::rates::{count, seconds};
use crate::studies::matchers::{CaseReport, FindingKind, MatchersReport, SOUND, SurvivorReport};

/// Survivors that a report for people shows.
pub const MOST_SURVIVORS: usize = 10;
/// Characters of one changed part.
pub const WIDTH: usize = 120;

/// The result of `mutate matchers` for a person at a terminal.
pub fn matchers(report: &MatchersReport) -> String {
    let mut out = String::new();
    let offline = paint(DIM, &report.agent.description);
    let _ = writeln!(out, "{} {}  {offline}\n", paint(BOLD, "mutate matchers"), escape(&report.suite));
    for case in report.cases.iter().filter(|case| case.verdict != SOUND) {
        write_case(&mut out, case);
    }
    write_survivors(&mut out, report);
    write_end(&mut out, &report.notes, &matchers_sum(report), &report.summary);
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

/// Wrong transcripts of all cases that nothing caught.
pub fn survivors(report: &MatchersReport) -> Vec<&SurvivorReport> {
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
pub fn matchers_sum(report: &MatchersReport) -> String {
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
