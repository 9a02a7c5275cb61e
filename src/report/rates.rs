//! How counts are written: the same in every format.

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

/// `1 case`, `2 cases`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
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
