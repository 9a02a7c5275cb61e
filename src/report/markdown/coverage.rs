use std::fmt::Write as _;

use crate::report::escape::markdown as escape;
use crate::report::rates::percent;
use crate::report::terminal::{coverage_next, coverage_sum, covering};
use crate::studies::rules::{CoverageReport, StatementStatus};

/// The result as Markdown: sums, then what no case quotes, then what is quoted and does not bite.
pub fn markdown(report: &CoverageReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## mutate rules --coverage: {}\n", escape(&report.suite));
    let _ = writeln!(out, "**{}**\n", coverage_sum(&report.counts));
    let _ = writeln!(out, "| file | statements | quoted | biting | inert | unproven | not quoted |");
    let _ = writeln!(out, "|---|---|---|---|---|---|---|");
    for file in &report.files {
        let counts = &file.counts;
        let _ = writeln!(
            out,
            "| {} | {} | {}{} | {}{} | {} | {} | {} |",
            escape(&file.file),
            counts.statements,
            counts.quoted,
            percent(counts.quoted_share),
            counts.biting,
            percent(counts.biting_share),
            counts.inert,
            counts.unproven,
            counts.not_quoted
        );
    }
    for (status, title) in [
        (StatementStatus::NotQuoted, "Not quoted by any case"),
        (StatementStatus::Inert, "Inert"),
        (StatementStatus::Unproven, "Unproven"),
    ] {
        let of_status: Vec<_> = report.statements.iter().filter(|one| one.status == status).collect();
        if of_status.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n### {title}\n\n| place | statement | under | cases |\n|---|---|---|---|");
        for one in of_status {
            let cases: Vec<String> = one.cases.iter().map(|case| escape(&covering(case))).collect();
            let section = one.section.as_deref().map(escape).unwrap_or_default();
            let place = format!("{}:{}", escape(&one.file), one.line);
            let _ = writeln!(out, "| {place} | {} | {section} | {} |", escape(&one.text), cases.join(", "));
        }
    }
    out.push('\n');
    for note in &report.notes {
        let _ = writeln!(out, "> {}\n", escape(note));
    }
    for step in coverage_next(&report.counts) {
        let _ = writeln!(out, "- {step}");
    }
    if let Some(reason) = &report.exit_reason {
        let _ = writeln!(out, "\nexit {}: {}", report.exit_code, escape(reason));
    }
    out
}
