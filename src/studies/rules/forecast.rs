use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Arm, MutantReport, Outcome, Revision, Settings, Subject, Tree, study};
use crate::agents::InstructionFile;
use crate::stats::DesignError;
use crate::studies::drafting::MOST_ASKED;
use crate::studies::forecast::{CallRange, CaseForecast, CostRange, Forecasts};
use crate::suite::{Case, Price};

/// What a run would take: `mutate rules --dry-run --format json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Forecast {
    pub mutants: Vec<MutantReport>,
    pub cases: Vec<CaseForecast>,
    /// Of the agent, and of the helper for opposites.
    pub calls: CallRange,
    /// The helper's part of them; null where it would not be asked.
    pub helper: Option<HelperForecast>,
    /// US dollars for the agent's calls, where its model has a price; output is taken as 200 tokens a reply.
    pub cost_usd: Option<CostRange>,
}

/// Opposites that a run would ask a helper model for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HelperForecast {
    /// Whom it would ask.
    pub helper: String,
    /// For how many rules.
    pub rules: usize,
    /// One call a rule, and more where its answers don't hold.
    pub calls: CallRange,
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
    let cap = settings.design.max_trials_per_arm;
    let granted: Vec<Subject> = subjects.iter().map(as_if_helped).collect();
    let trees = study::trees(cases, subjects, settings)?.into_iter().zip(study::trees(cases, &granted, settings)?);
    for (subject, (tree, granted)) in subjects.iter().zip(trees) {
        let calls = range(&tree, cap).or(range(&granted, cap));
        forecasts.add(subject.id.clone(), calls, &cases[subject.case], instructions);
    }
    let helper = of_helper(subjects);
    if let Some(helper) = &helper {
        forecasts.calls.add(helper.calls);
    }
    Ok(Forecast {
        helper,
        mutants: subjects.iter().flat_map(|subject| subject.mutants.clone()).collect(),
        cost_usd: forecasts.cost(),
        cases: forecasts.cases,
        calls: forecasts.calls,
    })
}

/// The subject with the arm that a helper may make possible: what its instructions read plays no part in a forecast.
fn as_if_helped(subject: &Subject) -> Subject {
    let mut subject = subject.clone();
    if helper_of(&subject).is_some() {
        subject.arms.insert(Arm::Invert, Revision::Original);
    }
    subject
}

/// The helper that a run would ask for the subject's opposite.
fn helper_of(subject: &Subject) -> Option<&str> {
    subject.mutants.iter().find_map(|mutant| mutant.would_ask.as_deref())
}

/// One question a rule, however many cases quote it.
fn of_helper(subjects: &[Subject]) -> Option<HelperForecast> {
    let helper = subjects.iter().find_map(helper_of)?.to_owned();
    let asked = subjects.iter().filter(|subject| helper_of(subject).is_some());
    let rules: BTreeSet<&str> = asked.filter_map(|subject| Some(subject.stubborn.as_ref()?.rule.as_str())).collect();
    let (rules, most) = (rules.len(), rules.len() * MOST_ASKED as usize);
    Some(HelperForecast {
        helper,
        rules,
        calls: CallRange { fewest: rules, clear_least: rules, clear_most: rules, most },
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
