//! `runs` and `pass_if`, which only make sense together.

use super::case::PassIf;
use crate::source::{Diagnostics, Fields};

const DEFAULT_RUNS: u32 = 5;
const MOST_RUNS: u64 = 1000;

/// Takes `runs` and `pass_if`. `4/5`, `80%` (rounded up to whole trials), `4` and `all` are read; `4/5` alone also sets
/// the runs.
pub(super) fn take(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> (u32, PassIf) {
    let runs_node = fields.get("runs");
    let runs = fields.whole_within("runs", 1, MOST_RUNS, diagnostics).map(|runs| runs as u32);
    let all = |runs: u32| PassIf { passes: runs, of: runs };
    let standard = runs.unwrap_or(DEFAULT_RUNS);
    let Some(node) = fields.take("pass_if") else { return (standard, all(standard)) };
    let Some(wanted) = node.text().and_then(Wanted::read) else {
        let seen = node.text().unwrap_or(node.describe());
        let error = diagnostics.error(&node.place, format!("`pass_if` can't be read: `{seen}`"));
        error.help.push("write how many of the runs must pass: `4/5`, `80%`, `4` or `all`".to_owned());
        return (standard, all(standard));
    };
    if let (Wanted::Of(_, of), Some(runs)) = (wanted, runs)
        && of != u64::from(runs)
    {
        let error = diagnostics.error(&node.place, format!("`pass_if` speaks of {of} runs, but `runs` is {runs}"));
        error.related.extend(runs_node.map(|node| (node.place.clone(), "the runs".to_owned())));
        error.help.push("leave `runs` out, or give `pass_if` as a share, such as `80%`".to_owned());
        return (runs, all(runs));
    }
    let of = match wanted {
        Wanted::Of(_, of) if (1..=MOST_RUNS).contains(&of) => of as u32,
        _ => standard,
    };
    let passes = match wanted {
        Wanted::All => u64::from(of),
        Wanted::Of(passes, _) | Wanted::Count(passes) => passes,
        Wanted::Percent(percent) if percent > 100.0 => u64::from(of) + 1,
        // A hair less, so that 1.1 % of 1000 is 11 and not 12.
        Wanted::Percent(percent) => (percent * f64::from(of) / 100.0 - 1e-9).ceil().max(0.0) as u64,
    };
    let text = node.text().unwrap_or_default();
    if let Wanted::Of(_, total) = wanted
        && !(1..=MOST_RUNS).contains(&total)
    {
        diagnostics.error(
            &node.place,
            format!("`pass_if: {text}` speaks of {total} runs; from 1 to {MOST_RUNS} are possible"),
        );
    } else if passes > u64::from(of) {
        let error = diagnostics
            .error(&node.place, format!("`pass_if: {text}` asks for more passes than there are runs ({of})"));
        error.label = "can never pass".to_owned();
        error.help.push(format!("write at most `{of}/{of}`"));
    } else if passes == 0 {
        let error = diagnostics.error(&node.place, format!("`pass_if: {text}` asks for no pass at all"));
        error.label = "can never fail".to_owned();
        error.help.push(format!("write at least `1/{of}`"));
    } else {
        return (of, PassIf { passes: passes as u32, of });
    }
    (of, all(of))
}

#[derive(Clone, Copy)]
enum Wanted {
    All,
    Of(u64, u64),
    Count(u64),
    Percent(f64),
}

impl Wanted {
    fn read(text: &str) -> Option<Wanted> {
        if text == "all" {
            return Some(Wanted::All);
        }
        if let Some((passes, of)) = text.split_once('/') {
            return Some(Wanted::Of(passes.trim().parse().ok()?, of.trim().parse().ok()?));
        }
        if let Some(percent) = text.strip_suffix('%') {
            let percent: f64 = percent.trim().parse().ok()?;
            return (0.0..1e6).contains(&percent).then_some(Wanted::Percent(percent));
        }
        text.parse().ok().map(Wanted::Count)
    }
}
