use std::fmt::Write as _;

use super::write_end;
use crate::report::escape::markdown as escape;
use crate::report::rates::share;
use crate::report::terminal::inputs_sum;
use crate::studies::inputs::{InputsReport, Verdict};

/// The result of `mutate inputs`: one table, then what fails and what to do.
pub fn inputs(report: &InputsReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## mutate inputs: {}\n", escape(&report.suite));
    let kinds: Vec<&str> = report.own.by_kind.iter().map(|one| one.kind.as_str()).collect();
    let _ = write!(out, "| case | verdict | original | consistency |");
    for kind in &kinds {
        let _ = write!(out, " {} |", escape(kind));
    }
    let _ = writeln!(out, "\n|---|---|---|---|{}", "---|".repeat(kinds.len()));
    for case in &report.cases {
        let _ = write!(
            out,
            "| {} | **{}** | {}/{} | {} |",
            escape(&case.id),
            case.verdict.name(),
            case.original.passes,
            case.original.trials,
            share(&case.consistency)
        );
        for kind in &kinds {
            match case.by_kind.iter().find(|one| one.kind == *kind) {
                Some(one) => {
                    let _ = write!(out, " {}/{} |", one.consistency.agree, one.consistency.trials);
                }
                None => out.push_str(" – |"),
            }
        }
        out.push('\n');
    }
    if let Some(mean) = &report.own.consistency {
        let _ = writeln!(
            out,
            "\nConsistency {:.2} ({:.2} to {:.2}) over {} cases{}.",
            mean.mean,
            mean.low,
            mean.high,
            mean.cases,
            report
                .own
                .worst_kind
                .as_ref()
                .map(|kind| format!("; the worst kind is {}", escape(kind)))
                .unwrap_or_default()
        );
    }
    let _ = writeln!(out);
    for case in report.cases.iter().filter(|case| case.verdict != Verdict::Robust) {
        let _ = write!(out, "- **{}** is {}", escape(&case.id), case.verdict.name());
        if let Some(reason) = &case.reason {
            let _ = write!(out, " ({})", escape(reason));
        }
        let _ = writeln!(out, ": {}", escape(case.accepted.as_deref().unwrap_or(&case.advice)));
        for variant in case.variants.iter().filter(|one| one.failing) {
            let _ = write!(
                out,
                "  - {} {}/{}: {}",
                escape(&variant.mutator),
                variant.passes,
                variant.trials,
                escape(&variant.text)
            );
            for fall in &variant.fell {
                let _ =
                    write!(out, "; {} {}: {}", escape(&fall.assertion), escape(&fall.check), escape(&fall.evidence));
            }
            out.push('\n');
        }
    }
    write_end(&mut out, &report.notes, &inputs_sum(report), &report.summary);
    out
}
