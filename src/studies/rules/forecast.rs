use schemars::JsonSchema;
use serde::Serialize;

use super::{Arm, MutantReport, Outcome, Settings, Subject, Tree, study};
use crate::run::{dollars, price_of};
use crate::stats::DesignError;
use crate::suite::{Case, Price};

/// Characters a token, roughly, for English text.
const CHARACTERS_PER_TOKEN: usize = 4;
/// Tokens that a reply is taken to have where nobody knows.
const REPLY_TOKENS: usize = 200;

/// What a run would take: `mutate rules --dry-run --format json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Forecast {
    pub mutants: Vec<MutantReport>,
    pub cases: Vec<CaseForecast>,
    pub calls: CallRange,
    /// US dollars for the calls, where the agent's model has a price; output is taken as 200 tokens a reply.
    pub cost_usd: Option<CostRange>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CaseForecast {
    pub id: String,
    pub calls: CallRange,
}

/// Calls of the agent, before retries and errors; answers in the journal make it fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallRange {
    /// Where nothing holds with the rule in place.
    pub fewest: usize,
    /// Where every arm always passes or always fails: the cheapest and the dearest verdict.
    pub clear_least: usize,
    pub clear_most: usize,
    /// Where every arm runs to its last trial.
    pub most: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct CostRange {
    pub fewest: f64,
    pub clear_most: f64,
    pub most: f64,
}

/// Plays every clear-cut truth through the decision tree and counts what it asks for. `model` is what the agent says
/// that it asks.
///
/// # Errors
/// A design that promises what its trials can't keep.
pub fn forecast(
    cases: &[Case],
    subjects: &[Subject],
    settings: &Settings,
    prices: &[Price],
    model: Option<&str>,
) -> Result<Forecast, DesignError> {
    let price = model.and_then(|model| price_of(prices, model));
    let mut total = CallRange { fewest: 0, clear_least: 0, clear_most: 0, most: 0 };
    let mut cost = CostRange { fewest: 0.0, clear_most: 0.0, most: 0.0 };
    let mut rows = vec![];
    for (subject, tree) in subjects.iter().zip(study::trees(cases, subjects, settings)?) {
        let calls = range(&tree, settings.design.max_trials_per_arm);
        total = CallRange {
            fewest: total.fewest + calls.fewest,
            clear_least: total.clear_least + calls.clear_least,
            clear_most: total.clear_most + calls.clear_most,
            most: total.most + calls.most,
        };
        if let Some(price) = price {
            let instructions: usize = subject
                .files
                .get(&Arm::Baseline)
                .into_iter()
                .flat_map(|files| files.iter())
                .map(|f| f.text.len())
                .sum();
            let case = &cases[subject.case];
            let turns: usize = case.conversation.iter().map(|turn| turn.content.len()).sum();
            let input = (instructions + turns + case.input.len()) / CHARACTERS_PER_TOKEN;
            let each = dollars(price, input as u64, REPLY_TOKENS as u64);
            cost.fewest += each * calls.fewest as f64;
            cost.clear_most += each * calls.clear_most as f64;
            cost.most += each * calls.most as f64;
        }
        rows.push(CaseForecast { id: subject.id.clone(), calls });
    }
    Ok(Forecast {
        mutants: subjects.iter().flat_map(|subject| subject.mutants.clone()).collect(),
        cases: rows,
        calls: total,
        cost_usd: price.map(|_| cost),
    })
}

fn range(tree: &Tree, cap: usize) -> CallRange {
    let operators = tree.operators();
    if operators.is_empty() {
        return CallRange { fewest: 0, clear_least: 0, clear_most: 0, most: 0 };
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
