use super::study::tree;
use super::{Arm, Design, Outcome, Subject, Tree};
use crate::agents::InstructionFile;
use crate::studies::{CallRange, CaseForecast, CostRange, Forecasts};
use crate::suite::{Case, Price};

use schemars::JsonSchema;
use serde::Serialize;

use super::ListedVariant;

/// What a run would take: `mutate inputs --dry-run --format json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Forecast {
    pub variants: Vec<ListedVariant>,
    pub cases: Vec<CaseForecast>,
    pub calls: CallRange,
    /// US dollars for the calls, where the agent's model has a price; output is taken as 200 tokens a reply.
    pub cost_usd: Option<CostRange>,
}

/// Plays clear-cut truths through the plan and counts what it asks for. `model` is what the agent says that it asks.
pub fn forecast(
    cases: &[Case],
    subjects: &[Subject],
    design: &Design,
    instructions: &[InstructionFile],
    prices: &[Price],
    model: Option<&str>,
) -> Forecast {
    let mut forecasts = Forecasts::new(prices, model);
    for subject in subjects {
        let case = &cases[subject.case];
        forecasts.add(case.id.clone(), range(&tree(subject, design)), case, instructions);
    }
    Forecast {
        variants: subjects.iter().flat_map(|subject| listed(&cases[subject.case], subject)).collect(),
        cost_usd: forecasts.cost(),
        cases: forecasts.cases,
        calls: forecasts.calls,
    }
}

/// A case's variants as a list shows them.
pub fn listed(case: &Case, subject: &Subject) -> Vec<ListedVariant> {
    let variants = subject.variants.iter();
    variants
        .map(|variant| ListedVariant {
            id: variant.id.clone(),
            case: case.id.clone(),
            mutator: variant.mutator.clone(),
            kind: variant.kind.name().to_owned(),
            text: variant.text.clone(),
            edits: variant.edits.clone(),
        })
        .collect()
}

/// Clear: every arm always passes or always fails, and any number of variants fails.
fn range(tree: &Tree) -> CallRange {
    let count = tree.variants().len();
    let fails = |failing: usize| {
        move |arm: Arm, _: u32| match arm {
            Arm::Original => true,
            Arm::Variant(at) => at >= failing,
        }
    };
    let clear: Vec<usize> = (0..=count).map(|failing| play(tree, fails(failing))).collect();
    // What failed in the screening passes and fails in turn afterwards, so that nothing is decided early.
    let undecided = (0..=count).map(|failing| {
        play(tree, |arm, trial| match arm {
            Arm::Original => trial > 0,
            Arm::Variant(at) => at >= failing || trial > 0 && trial % 2 == 0,
        })
    });
    CallRange {
        fewest: play(tree, |_, _| false),
        clear_least: clear.iter().copied().min().unwrap_or(0),
        clear_most: clear.iter().copied().max().unwrap_or(0),
        most: undecided.chain(clear.iter().copied()).max().unwrap_or(0),
    }
}

/// The number of trials that the plan asks for where `passes` says what each arm does in each trial.
fn play(tree: &Tree, passes: impl Fn(Arm, u32) -> bool) -> usize {
    let mut tree = tree.clone();
    let mut asked = 0;
    loop {
        let wanted = tree.wanted();
        if wanted.is_empty() {
            return asked;
        }
        asked += wanted.len();
        for (arm, number) in wanted {
            tree.observe(arm, number, Outcome::Judged { held: Some(passes(arm, number)), tools: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::inputs::{Setup, Variant};
    use proptest::prelude::*;

    fn of(kinds: &[&str]) -> Tree {
        let variants =
            kinds.iter().map(|kind| Variant { kind: (*kind).to_owned(), adversarial: *kind == "adversarial" });
        Tree::new(Setup { variants: variants.collect() }, Design::default())
    }

    #[test]
    fn a_robust_case_takes_three_trials_and_one_a_variant() {
        let calls = range(&of(&["typo", "format", "paraphrase", "adversarial"]));
        assert_eq!((calls.fewest, calls.clear_least), (3, 7));
    }

    #[test]
    fn without_a_variant_nothing_is_asked() {
        assert_eq!(range(&of(&[])), CallRange::default());
    }

    proptest! {
        #[test]
        fn no_outcomes_take_more_calls_than_the_most_that_is_announced(
            count in 1usize..16,
            seed in any::<u64>(),
            rate in 0u64..=100,
        ) {
            let tree = of(&["typo", "format", "paraphrase"].repeat(6)[..count]);
            let coin = |arm: Arm, trial: u32| {
                let hash = blake3::hash(format!("{seed} {arm} {trial}").as_bytes());
                u64::from(hash.as_bytes()[0]) * 100 < rate * 256
            };
            let most = range(&tree).most;
            prop_assert!(play(&tree, coin) <= most);
        }
    }
}
