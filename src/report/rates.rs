//! How counts are written: the same in every format.

use crate::studies::Summary;
use crate::studies::inputs::ShareReport;
use crate::studies::rules::{Arm, AssertionReport};

/// `baseline 5/5 → delete 0/3 · control 5/5`: the arms that were asked, operators after arrows, guards after dots.
pub fn rates(assertion: &AssertionReport) -> String {
    let mut out = String::new();
    for arm in Arm::ALL {
        let Some(rate) = assertion.arms.get(arm.name()) else { continue };
        if !out.is_empty() {
            out.push_str(if Arm::OPERATORS.contains(&arm) { " → " } else { " · " });
        }
        out.push_str(&format!("{arm} {}/{}", rate.passes, rate.trials));
    }
    if out.is_empty() { "no assessable trial".to_owned() } else { out }
}

/// `11/12 (0.65 to 0.99)`: a share of trials and the interval of its rate.
pub fn share(share: &ShareReport) -> String {
    format!("{}/{} ({:.2} to {:.2})", share.agree, share.trials, share.low, share.high)
}

/// `1 case`, `2 cases`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// ` (66 %)`, rounded down, so that only all of them are 100 %; nothing where there is no share.
pub fn percent(share: Option<f64>) -> String {
    share.map_or(String::new(), |share| format!(" ({:.0} %)", (share * 100.0 + 1e-9).floor()))
}

/// 840 → `840`, 12 345 → `12.3k`, 2 345 678 → `2.3M`.
pub fn tokens(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{:.1}k", number as f64 / 1e3),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

pub fn dollars(cost: f64) -> String {
    if cost > 0.0 && cost < 0.01 { format!("${cost:.4}") } else { format!("${cost:.2}") }
}

pub fn seconds(elapsed: f64) -> String {
    match elapsed {
        e if e < 60.0 => format!("{e:.1} s"),
        e if e < 3600.0 => format!("{} min {} s", (e / 60.0) as u64, (e % 60.0) as u64),
        e => format!("{} h {} min", (e / 3600.0) as u64, (e % 3600.0 / 60.0) as u64),
    }
}

/// One line of sum: cases by verdict in the order of `names`, calls, tokens, cost, time. `left_out` says what the cases
/// are that the study does not look at, `fixed` which design the saved calls are compared with.
pub fn sum_line(summary: &Summary, names: &[&str], left_out: &str, fixed: &str) -> String {
    let verdicts: Vec<String> =
        names.iter().filter_map(|name| summary.verdicts.get(*name).map(|number| format!("{number} {name}"))).collect();
    let mut cases = count(summary.cases, "case", "cases");
    if !verdicts.is_empty() {
        cases = format!("{cases}: {}", verdicts.join(", "));
    }
    let mut parts = vec![cases];
    if summary.cases_left_out > 0 {
        parts.push(format!("{} {left_out}", summary.cases_left_out));
    }
    let mut calls = many(summary.calls, "agent call", "agent calls");
    if summary.fixed_design_calls > 0 {
        calls = format!("{calls} ({fixed}: {})", summary.fixed_design_calls);
    }
    parts.push(calls);
    if summary.reused > 0 {
        parts.push(many(summary.reused, "answer from the journal", "answers from the journal"));
    }
    if summary.errors > 0 {
        parts.push(many(summary.errors, "error", "errors"));
    }
    if summary.input_tokens + summary.output_tokens > 0 {
        parts.push(format!("{} tokens in, {} out", tokens(summary.input_tokens), tokens(summary.output_tokens)));
    }
    if let Some(cost) = summary.cost_usd {
        parts.push(dollars(cost));
    }
    parts.push(seconds(summary.elapsed_seconds));
    parts.join(" · ")
}

fn many(number: u64, one: &str, many: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), one, many)
}
