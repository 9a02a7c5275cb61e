use std::fmt::Write as _;

use super::write_end;
use crate::report::escape::markdown as escape;
use crate::report::rates::rates;
use crate::report::terminal::rules_sum;
use crate::studies::rules::{CaseVerdict, RulesReport};

/// The result as Markdown: one table, then what to do, worst first.
pub fn markdown(report: &RulesReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## mutate rules: {}\n", escape(&report.suite));
    let _ = writeln!(out, "| case | verdict | assertion | | trials |\n|---|---|---|---|---|");
    for case in &report.cases {
        let mut name = format!("{} ", escape(&case.id));
        let mut verdict = format!("**{}**", case.verdict.name());
        for assertion in &case.assertions {
            let _ = writeln!(
                out,
                "| {name} | {verdict} | {} {} | {} | {} |",
                escape(&assertion.kind),
                escape(&assertion.check),
                assertion.verdict.name(),
                rates(assertion)
            );
            (name, verdict) = (String::new(), String::new());
        }
    }
    let _ = writeln!(out);
    for mutant in report.cases.iter().flat_map(|case| &case.mutants) {
        if let Some(helper) = &mutant.made_by {
            let (id, after) = (escape(&mutant.id), escape(&mutant.after));
            let _ = writeln!(out, "- {id} is worded by the model {}: “{after}”", escape(helper));
        }
    }
    for case in report.cases.iter().filter(|case| case.verdict != CaseVerdict::RuleDerived) {
        let _ = write!(out, "- **{}** is {}", escape(&case.id), case.verdict.name());
        if let Some(reason) = &case.reason {
            let _ = write!(out, " ({})", escape(reason));
        }
        let _ = writeln!(out, ": {}", escape(case.accepted.as_deref().unwrap_or(&case.advice)));
        for assertion in &case.assertions {
            if let Some(evidence) = &assertion.evidence {
                let _ =
                    writeln!(out, "  - {} {}: {}", escape(&assertion.kind), escape(&assertion.check), escape(evidence));
            }
        }
    }
    write_end(&mut out, &report.notes, &rules_sum(report), &report.summary);
    out
}
