use std::fmt::Write as _;

use anstyle::Style;

use super::{BLUE, BOLD, DIM, GREEN, RED, YELLOW, paint, write_end, write_forecast, write_head, write_line};
use crate::report::escape::{shorten, terminal as escape};
use crate::report::rates::{count, share, sum_line};
use crate::report::word_diff::short_word_diff;
use crate::studies::inputs::{
    CaseReport, FallReport, Forecast, InputsOwn, InputsReport, KindReport, MeanReport, VariantReport, Verdict,
};

/// Failing variants of one case that are shown.
const SHOWN: usize = 6;
/// Characters of a variant's line.
const WIDTH: usize = 150;

fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Robust => GREEN,
        Verdict::Flaky => BLUE,
        Verdict::Sensitive | Verdict::Unproven => YELLOW,
        Verdict::SinglePhrasing | Verdict::BaselineFailing | Verdict::Error => RED,
    }
}

/// The result of `mutate inputs` for a person.
pub fn inputs(report: &InputsReport) -> String {
    let mut out = String::new();
    let design = format!("alpha {}", report.own.design.alpha);
    write_head(&mut out, "mutate inputs", &report.suite, &report.agent, report.seed, &design);
    let mut after_one_line = false;
    for case in &report.cases {
        let quiet = case.verdict == Verdict::Robust && case.notes.is_empty();
        if after_one_line && !quiet {
            out.push('\n');
        }
        write_case(&mut out, case, quiet);
        after_one_line = quiet;
    }
    if after_one_line {
        out.push('\n');
    }
    write_means(&mut out, &report.own);
    write_end(&mut out, &report.notes, &inputs_sum(report), &report.summary);
    out
}

/// A robust case is one line; of all others the screen says why and what to do.
fn write_case(out: &mut String, case: &CaseReport, quiet: bool) {
    let verdict = paint(style(case.verdict).bold(), case.verdict.name());
    let _ = write!(out, "{}  {verdict}  {}", paint(BOLD, escape(&case.id)), paint(DIM, escape(&case.place)));
    if quiet {
        let seen = format!(
            "original {}/{} · variants {}/{}",
            case.original.passes, case.original.trials, case.consistency.agree, case.consistency.trials
        );
        let _ = writeln!(out, "  {}", paint(DIM, seen));
        return;
    }
    out.push('\n');
    if let Some(reason) = &case.reason {
        write_line(out, "because", &escape(reason));
    }
    if case.original.trials > 0 {
        write_line(out, "original", &original(case));
    }
    if case.consistency.trials > 0 {
        let kinds = case.by_kind.iter().map(kind).collect::<Vec<_>>().join(" · ");
        write_line(out, "variants", &format!("{} agree: {kinds}", share(&case.consistency)));
    }
    if case.tool_consistency.trials > 0 {
        write_line(out, "tools", &format!("{} agree", share(&case.tool_consistency)));
    }
    if !case.adversarial.is_empty() {
        let kinds = case.adversarial.iter().map(kind).collect::<Vec<_>>().join(" · ");
        write_line(out, "apart", &format!("{kinds} (in no verdict)"));
    }
    match case.verdict {
        // What failed there failed by chance: no phrasing is to be held up.
        Verdict::BaselineFailing | Verdict::Flaky => {
            for fall in &case.fell {
                let seen = format!("{}/{}", fall.trials, case.assessed);
                write_line(out, "fell", &format!("{seen}  {}", described(fall)));
            }
        }
        _ => write_failing(out, case),
    }
    let errors: usize = case.variants.iter().map(|one| one.errors).sum::<usize>() + case.original.errors;
    if errors > 0 {
        write_line(out, "errors", &format!("{} (they count for nothing)", count(errors, "trial", "trials")));
    }
    for note in &case.notes {
        write_line(out, "note", &escape(note));
    }
    match &case.accepted {
        Some(reason) => write_line(out, "accepted", &escape(reason)),
        None => write_line(out, "next", &escape(&case.advice)),
    }
    out.push('\n');
}

fn original(case: &CaseReport) -> String {
    let original = &case.original;
    let agreement = &original.agreement;
    let mut text = format!(
        "{}/{} pass, agrees with itself {:.2} ({:.2} to {:.2})",
        original.passes,
        original.trials,
        agreement.agree as f64 / agreement.trials.max(1) as f64,
        agreement.low,
        agreement.high
    );
    if let Some(pass_hat) = original.pass_hat_k {
        let _ = write!(text, " · pass^{} {pass_hat:.2}", original.k);
    }
    text
}

fn kind(kind: &KindReport) -> String {
    format!("{} {}/{}", escape(&kind.kind), kind.consistency.agree, kind.consistency.trials)
}

fn write_failing(out: &mut String, case: &CaseReport) {
    let failing: Vec<&VariantReport> = case.variants.iter().filter(|one| one.failing).collect();
    let width = failing.iter().take(SHOWN).map(|one| label(one).chars().count()).max().unwrap_or(0);
    let mut said: Vec<String> = vec![];
    for variant in failing.iter().take(SHOWN) {
        let line =
            format!("{:<width$}  {}", label(variant), short_word_diff(&case.input, &variant.text, WIDTH - width));
        write_line(out, "fails", &line);
        let fell: Vec<String> = variant.fell.iter().map(described).collect();
        // The same assertion for the same reason is said once for all variants after it.
        if fell != said {
            for line in &fell {
                let _ = writeln!(out, "  {:9} {}", "", paint(DIM, line));
            }
            said = fell;
        }
    }
    if failing.len() > SHOWN {
        let more = format!("{} more: `--format json` or `mutate show` has all", failing.len() - SHOWN);
        let _ = writeln!(out, "  {:9} {}", "", paint(DIM, more));
    }
}

/// An assertion and what it said.
fn described(fall: &FallReport) -> String {
    shorten(&escape(&format!("{} {}: {}", fall.assertion, fall.check, fall.evidence)), WIDTH)
}

fn label(variant: &VariantReport) -> String {
    format!("{} {}/{}", escape(&variant.mutator), variant.passes, variant.trials)
}

fn write_means(out: &mut String, own: &InputsOwn) {
    let mean = |mean: &MeanReport| format!("{:.2} ({:.2} to {:.2})", mean.mean, mean.low, mean.high);
    let Some(consistency) = &own.consistency else { return };
    let mut line = format!("{} over {}", mean(consistency), count(consistency.cases, "case", "cases"));
    if let Some(itself) = &own.self_agreement {
        let _ = write!(line, " · the original with itself {:.2}", itself.mean);
    }
    if let Some(tools) = &own.tool_consistency {
        let _ = write!(line, " · tool checks {:.2}", tools.mean);
    }
    let _ = writeln!(out, "{} {line}", paint(BOLD, "consistency"));
    let kinds: Vec<String> = own.by_kind.iter().map(|one| format!("{} {}", one.kind, mean(&one.consistency))).collect();
    let worst = own.worst_kind.as_ref().map(|kind| format!(" · worst: {kind}")).unwrap_or_default();
    let _ = writeln!(out, "{} {}{worst}", paint(DIM, format_args!("{:<11}", "by kind")), kinds.join(" · "));
    if let Some(adversarial) = &own.adversarial {
        let line = format!("{} (in no other figure)", mean(adversarial));
        let _ = writeln!(out, "{} {line}", paint(DIM, format_args!("{:<11}", "adversarial")));
    }
    out.push('\n');
}

/// One line of sum for the inputs study.
pub fn inputs_sum(report: &InputsReport) -> String {
    let names = Verdict::ALL.map(Verdict::name);
    let fixed = format!("every phrasing {} times", report.own.design.reruns);
    sum_line(&report.summary, &names, "left out", &fixed)
}

/// `--list` and `--dry-run`: the variants, what could not be made and why, and what a run would take.
pub fn inputs_plan(cases: &[CaseReport], forecast: Option<&Forecast>, notes: &[String]) -> String {
    let mut out = String::new();
    for case in cases {
        let _ = writeln!(out, "{}  {}", paint(BOLD, escape(&case.id)), paint(DIM, escape(&case.place)));
        let _ = writeln!(out, "  {}", escape(&case.input));
        let width = case.variants.iter().map(|one| one.mutator.chars().count()).max().unwrap_or(0);
        for variant in &case.variants {
            let hash = variant.id.rsplit('/').next().unwrap_or_default();
            let name = format!("{:<width$}  {hash}", escape(&variant.mutator));
            let _ = writeln!(out, "  {}  {}", paint(DIM, name), escape(&variant.text));
        }
        for short in &case.shortfalls {
            let line = format!("{} made {} of {}: {}", short.mutator, short.made, short.wanted, short.reason);
            let _ = writeln!(out, "  {} {}", paint(YELLOW, "shortfall:"), escape(&line));
        }
        let foreign: Vec<&str> =
            case.not_applicable.iter().filter(|one| one.other_language).map(|one| one.mutator.as_str()).collect();
        if !foreign.is_empty() {
            let line = format!("for other languages: {}", foreign.join(", "));
            let _ = writeln!(out, "  {}", paint(DIM, escape(&line)));
        }
        for one in case.not_applicable.iter().filter(|one| !one.other_language) {
            let line = format!("not applicable: {}: {}", one.mutator, one.reason);
            let _ = writeln!(out, "  {}", paint(DIM, escape(&line)));
        }
        for note in &case.notes {
            let _ = writeln!(out, "  {} {}", paint(YELLOW, "note:"), escape(note));
        }
        out.push('\n');
    }
    for note in notes {
        let _ = writeln!(out, "{} {}", paint(YELLOW, "note:"), escape(note));
    }
    if let Some(forecast) = forecast {
        write_forecast(&mut out, &forecast.cases, &forecast.calls, forecast.cost_usd.as_ref());
    }
    out
}
