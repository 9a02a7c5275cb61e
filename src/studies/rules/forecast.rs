use schemars::JsonSchema;
use serde::Serialize;

use super::{Arm, MutantReport, Outcome, Settings, Subject, Tree, study};
use crate::agents::InstructionFile;
use crate::stats::DesignError;
use crate::studies::forecast::{CallRange, CaseForecast, CostRange, Forecasts};
use crate::suite::{Case, Price};

/// What a run would take: `mutate rules --dry-run --format json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Forecast {
    pub mutants: Vec<MutantReport>,
    pub cases: Vec<CaseForecast>,
    pub calls: CallRange,
    /// US dollars for the calls, where the agent's model has a price; output is taken as 200 tokens a reply.
    pub cost_usd: Option<CostRange>,
}

/// Plays every clear-cut truth through the decision tree and counts what it asks for. `instructions` are
/// the suite's files, `model` is what the agent says that it asks.
///
/// # Errors
/// A design that promises what its trials can't keep.
pub fn forecast(
    cases: &[Case],
    subjects: &[Subject],
    settings: &Settings,
    instructions: &[InstructionFile],
    prices: &[Price],
    model: Option<&str>,
) -> Result<Forecast, DesignError> {
    let mut forecasts = Forecasts::new(prices, model);
    for (subject, tree) in subjects.iter().zip(study::trees(cases, subjects, settings)?) {
        let calls = range(&tree, settings.design.max_trials_per_arm);
        forecasts.add(subject.id.clone(), calls, &cases[subject.case], instructions);
    }
    Ok(Forecast {
        mutants: subjects.iter().flat_map(|subject| subject.mutants.clone()).collect(),
        cost_usd: forecasts.cost(),
        cases: forecasts.cases,
        calls: forecasts.calls,
    })
}

fn range(tree: &Tree, cap: usize) -> CallRange {
    let operators = tree.operators();
    if operators.is_empty() {
        return CallRange::default();
    }
    let arms: Vec<Arm> = operators.iter().copied().chain([Arm::Control, Arm::Bare]).collect();
    let truths = (0..1usize << arms.len())
        .map(|bits| play(tree, |arm| arms.iter().position(|one| *one == arm).is_none_or(|at| bits & (1 << at) != 0)));
    let clear: Vec<usize> = truths.collect();
    CallRange {
        fewest: play(tree, |_| false),
        clear_least: clear.iter().copied().min().unwrap_or(0),
        clear_most: clear.iter().copied().max().unwrap_or(0),
        // Control is asked where something fell, bare where nothing did: never both.
        most: (2 + operators.len()) * cap,
    }
}

/// The number of trials that the tree asks for where `passes` says what each arm always does.
fn play(tree: &Tree, passes: impl Fn(Arm) -> bool) -> usize {
    let mut tree = tree.clone();
    let mut asked = 0;
    loop {
        let wanted = tree.wanted();
        if wanted.is_empty() {
            return asked;
        }
        asked += wanted.len();
        for (arm, number) in wanted {
            let held = Some(passes(arm));
            tree.observe(arm, number, Outcome::Judged(vec![held; tree.assertions()]));
        }
    }
}
