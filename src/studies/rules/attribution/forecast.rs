use schemars::JsonSchema;
use serde::Serialize;

use super::minimise::Set;
use super::search::{Given, NEAR, Search};
use super::study::searches;
use crate::stats::DesignError;
use crate::studies::forecast::{CallRange, CaseForecast, CostRange, Forecasts};
use crate::studies::rules::{Outcome, Settings, Subject, Workshop};
use crate::suite::{Case, Price};

/// What an attribution would take: `mutate rules --attribute --dry-run --format json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttributionForecast {
    pub cases: Vec<CaseForecast>,
    pub calls: CallRange,
    /// US dollars for the calls, where the agent's model has a price; output is taken as 200 tokens a reply.
    pub cost_usd: Option<CostRange>,
}

/// Plays clear-cut truths through the search and counts what it asks for: the quoted rule alone; with the statement that is
/// most like it; with the least likely one; the two least likely ones; nothing. `model` is what the agent says that it
/// asks.
///
/// `most` takes as many arms as the dearest of them, each to its last trial and confirmed twice: noise can lead the
/// search astray, so it is no bound. `--max-trials` is one.
///
/// # Errors
/// A design that promises what its trials can't keep.
pub fn forecast(
    cases: &[Case],
    workshop: &Workshop<'_>,
    subjects: &[Subject],
    settings: &Settings,
    prices: &[Price],
    model: Option<&str>,
) -> Result<AttributionForecast, DesignError> {
    let mut forecasts = Forecasts::new(prices, model);
    for (subject, (candidates, search)) in subjects.iter().zip(searches(cases, workshop, subjects, settings)?) {
        let quoted = candidates.quoted;
        let last = candidates.statements.max(1) - 1;
        let rule = || 0..quoted;
        let mut truths: Vec<Set> = vec![rule().collect(), rule().chain([quoted.min(last)]).collect()];
        truths.push(rule().chain([last]).collect());
        truths.push([last.saturating_sub(1), last].into());
        truths.push(rule().chain([(quoted + NEAR).min(last), last]).collect());
        let carried_by = |truth: &Set| {
            play(&search, |given| match given {
                Given::Without(deleted) => !truth.is_subset(deleted),
                Given::Bare => false,
                Given::Baseline | Given::Control => true,
            })
        };
        let played: Vec<(usize, usize)> = truths.iter().map(carried_by).collect();
        let nothing = play(&search, |_| true);
        let all = || played.iter().chain([&nothing]);
        let arms = all().map(|(_, arms)| *arms).max().unwrap_or(0);
        let calls = CallRange {
            fewest: play(&search, |_| false).0,
            clear_least: all().map(|(calls, _)| *calls).min().unwrap_or(0),
            clear_most: all().map(|(calls, _)| *calls).max().unwrap_or(0),
            most: 2 * arms * settings.design.max_trials_per_arm,
        };
        let instructions = workshop.baseline();
        forecasts.add(subject.id.clone(), calls, &cases[subject.case], instructions);
    }
    Ok(AttributionForecast { cost_usd: forecasts.cost(), cases: forecasts.cases, calls: forecasts.calls })
}

/// Trials and arms that the search asks for, where `holds` says what each arm always does.
fn play(search: &Search, holds: impl Fn(&Given) -> bool) -> (usize, usize) {
    let mut search = search.clone();
    loop {
        let wanted = search.wanted();
        if wanted.is_empty() {
            return (search.asked(), search.arms());
        }
        for (arm, number) in wanted {
            let held = Some(holds(search.given(arm)));
            search.observe(arm, number, Outcome::Judged(vec![held; search.assertions()]));
        }
    }
}
