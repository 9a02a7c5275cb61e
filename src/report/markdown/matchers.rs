//! `mutate matchers` as Markdown.

use std::fmt::Write as _;

use super::write_end;
use crate::report::escape::{markdown as escape, shorten};
use crate::report::terminal::{MOST_SURVIVORS, WIDTH, matchers_sum, survivors};
use crate::studies::matchers::{CaseReport, FindingReport, MatchersReport, SOUND};

/// The result of `mutate matchers` as Markdown.
pub fn matchers(report: &MatchersReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## mutate matchers: {}\n", escape(&report.suite));
    let found = |case: &&CaseReport| case.verdict != SOUND;
    if report.cases.iter().any(|case| found(&case)) {
        let _ = writeln!(out, "| case | finding | check | because |\n|---|---|---|---|");
    }
    for case in report.cases.iter().filter(found) {
        let mut name = escape(&case.id);
        for finding in case.findings.iter().filter(|finding| finding.accepted.is_none()) {
            let FindingReport { kind, check, place, because, .. } = finding;
            let _ = writeln!(
                out,
                "| {name} | **{}** | {} {} | {} |",
                kind.name(),
                escape(check),
                escape(place),
                escape(because)
            );
            name = String::new();
        }
    }
    out.push('\n');
    for finding in report.cases.iter().flat_map(|case| &case.findings).filter(|one| one.accepted.is_none()) {
        let _ = writeln!(out, "- {}: {}", escape(&finding.id), escape(&finding.proposal));
        if let Some(fooled) = &finding.fooled_by {
            let _ = writeln!(out, "  - seen on {}: {}", escape(&fooled.name), escape(&fooled.shown));
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
                escape(&survivor.id),
                escape(&before),
                if after.is_empty() { "(gone)".to_owned() } else { escape(&after) }
            );
        }
    }
    write_end(&mut out, &report.notes, &matchers_sum(report), &report.summary);
    out
}
