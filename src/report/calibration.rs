use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::escape::{markdown as escape_markdown, shorten, terminal as escape};
use crate::studies::calibration::{Agreement, Band, CalibrationReport, JudgeReport, KappaReport};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const YELLOW: Style = AnsiColor::Yellow.on_default();

/// Disagreements that are shown; all of them are in the JSON.
const SHOWN: usize = 10;

/// A judge against people, for a person.
pub fn calibration(report: &CalibrationReport) -> String {
    let mut out = format!(
        "{BOLD}mutate calibrate{BOLD:#} {}  {DIM}judge {}{DIM:#}\n",
        escape(&report.suite),
        escape(&report.model)
    );
    for judge in &report.judges {
        let _ = writeln!(out, "\n{BOLD}{}{BOLD:#}  {DIM}“{}”{DIM:#}", escape(&judge.name), short(&judge.criteria));
        for (word, agreement) in agreements(judge) {
            let _ = writeln!(out, "  {word:<9} {}", told(agreement));
        }
        write_confusion(&mut out, judge);
        for band in &judge.bands {
            let _ = writeln!(out, "  {:<9} {}", "sure by", band_told(band));
        }
        for one in judge.disagreements.iter().take(SHOWN) {
            let sure = one.confidence.map_or_else(String::new, |sure| format!(" (sure by {sure:.2})"));
            let reason = one.reason.as_deref().map_or_else(String::new, |reason| format!(": {}", short(reason)));
            let (human, judge) = (escape(&one.human), escape(&one.judge));
            let _ =
                writeln!(out, "  {:<9} {} people {human}, judge {judge}{sure}{reason}", "differ", escape(&one.place));
        }
        let more = judge.disagreements.len().saturating_sub(SHOWN);
        if more > 0 {
            let _ = writeln!(out, "  {:<9} … and {more} more (`--format json` has all)", "differ");
        }
        for one in judge.unjudged.iter().take(SHOWN) {
            let _ = writeln!(out, "  {:<9} {} {}", "unjudged", escape(&one.place), short(&one.why));
        }
    }
    out.push('\n');
    for note in &report.notes {
        let _ = writeln!(out, "{YELLOW}note:{YELLOW:#} {}", escape(note));
    }
    if let Some(reason) = &report.exit_reason {
        let _ = writeln!(out, "exit {}: {}", report.exit_code, escape(reason));
    }
    out
}

fn write_confusion(out: &mut String, judge: &JudgeReport) {
    let width = judge.labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).max(5);
    let _ = write!(out, "  {DIM}{:<9} {:<width$}{DIM:#}", "people ↓", "judge →");
    for label in &judge.labels {
        let _ = write!(out, "  {:>width$}", escape(label));
    }
    out.push('\n');
    for (label, row) in judge.labels.iter().zip(&judge.confusion) {
        let _ = write!(out, "  {:<9} {:<fill$}", "", escape(label), fill = width.max(7));
        for count in row {
            let _ = write!(out, "  {count:>width$}");
        }
        out.push('\n');
    }
}

/// The same as Markdown.
pub fn calibration_markdown(report: &CalibrationReport) -> String {
    let mut out = format!("## mutate calibrate {}\n\njudge {}\n", cell(&report.suite), cell(&report.model));
    for judge in &report.judges {
        let _ = writeln!(out, "\n### {}\n\n> {}\n", cell(&judge.name), cell(&judge.criteria));
        out.push_str("| | agreement |\n|---|---|\n");
        for (word, agreement) in agreements(judge) {
            let _ = writeln!(out, "| {word} | {} |", told(agreement));
        }
        for band in &judge.bands {
            let _ = writeln!(out, "| sure by | {} |", band_told(band));
        }
        let labels: Vec<String> = judge.labels.iter().map(|label| cell(label)).collect();
        let _ = writeln!(out, "\n| people ↓ judge → | {} |\n|---|{}", labels.join(" | "), "---|".repeat(labels.len()));
        for (label, row) in labels.iter().zip(&judge.confusion) {
            let row: Vec<String> = row.iter().map(usize::to_string).collect();
            let _ = writeln!(out, "| {label} | {} |", row.join(" | "));
        }
        if !judge.unjudged.is_empty() {
            let _ = writeln!(
                out,
                "\n{} of {} not judged: {}",
                judge.unjudged.len(),
                judge.labelled,
                cell(&judge.unjudged[0].why)
            );
        }
    }
    for note in &report.notes {
        let _ = writeln!(out, "\nnote: {}", cell(note));
    }
    if let Some(reason) = &report.exit_reason {
        let _ = writeln!(out, "\nexit {}: {}", report.exit_code, cell(reason));
    }
    out
}

fn agreements(judge: &JudgeReport) -> impl Iterator<Item = (&'static str, &Agreement)> {
    // With one label on each side both ask the same.
    let both = judge.labels.len() > 2;
    [("strict", &judge.strict), ("lenient", &judge.lenient)].into_iter().take(if both { 2 } else { 1 })
}

fn told(agreement: &Agreement) -> String {
    let Agreement { agree, of, low, high, kappa } = agreement;
    if *of == 0 {
        return "nothing was judged".to_owned();
    }
    let share = *agree as f64 / *of as f64;
    let kappa = match kappa {
        Some(KappaReport { value, low, high }) => format!("kappa {value:.2} ({low:.2} to {high:.2})"),
        None => "no kappa: people and judge gave one label only".to_owned(),
    };
    format!("{agree}/{of} agree, {share:.2} ({low:.2} to {high:.2}) · {kappa}")
}

fn band_told(band: &Band) -> String {
    let Band { from, to, agree, of, low, high } = band;
    let share = *agree as f64 / *of as f64;
    format!("{from:.2} to {to:.2}: {agree}/{of} agree, {share:.2} ({low:.2} to {high:.2})")
}

fn short(text: &str) -> String {
    shorten(&escape(text), 100)
}

fn cell(text: &str) -> String {
    escape_markdown(text)
}
