use std::fmt::Write as _;

use super::write_end;
use crate::report::escape::markdown as escape;
use crate::report::terminal::{attribution_sum, rate};
use crate::studies::rules::attribution::AttributionReport;

/// The result of `mutate rules --attribute`: for each case its statements, its checks and what it means.
pub fn attribution(report: &AttributionReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## mutate rules --attribute: {}\n", escape(&report.suite));
    for case in &report.cases {
        let _ = write!(out, "**{}** is **{}**", escape(&case.id), case.verdict.name());
        if let Some(reason) = &case.reason {
            let _ = write!(out, " ({})", escape(reason));
        }
        let _ = writeln!(out, ": {}.\n", escape(&case.conclusion));
        if !case.statements.is_empty() {
            let _ = writeln!(out, "| line | statement | part | put back alone |\n|---|---|---|---|");
            for one in &case.statements {
                let words = one.text.split_whitespace().collect::<Vec<_>>().join(" ");
                let quoted = if one.quoted && one.role.name() != "quoted" { ", quoted" } else { "" };
                let _ = writeln!(
                    out,
                    "| {}:{} | {} | {}{quoted} | {} |",
                    escape(&one.file),
                    one.line,
                    escape(&words),
                    one.role.name(),
                    rate(one.put_back)
                );
            }
            out.push('\n');
        }
        let _ = writeln!(out, "| check | baseline | without | control | bare |\n|---|---|---|---|---|");
        for assertion in &case.assertions {
            let _ = writeln!(
                out,
                "| {} {} | {} | {} | {} | {} |",
                escape(&assertion.kind),
                escape(&assertion.check),
                rate(Some(assertion.baseline)),
                rate(assertion.without),
                rate(assertion.control),
                rate(assertion.bare)
            );
        }
        let _ = writeln!(out, "\nNext: {}.\n", escape(&case.advice));
    }
    write_end(&mut out, &report.notes, &attribution_sum(report), &report.summary);
    out
}
