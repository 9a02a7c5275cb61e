use std::sync::OnceLock;

use super::*;
use crate::stats::{Allocation, Boundary, Design};

fn tests(operators: usize) -> Tests {
    static CALIBRATED: [OnceLock<Arc<SequentialTest>>; 3] = [const { OnceLock::new() }; 3];
    let test = CALIBRATED[operators].get_or_init(|| {
        let design = Design::default();
        Arc::new(SequentialTest::calibrate(&design, operators, Boundary::PerLook, Allocation::LazyBaseline).unwrap())
    });
    Tests { operators: Arc::clone(test), guards: Arc::clone(test) }
}

fn tree(assertions: usize) -> Tree {
    Tree::new(Setup { assertions, operators: vec![Arm::Delete, Arm::Invert], thorough: false }, tests(2))
}

/// Feeds the tree what `outcome` says of each arm and trial until it wants no more; returns the trials asked.
fn play(tree: &mut Tree, outcome: impl Fn(Arm, u32) -> Outcome) -> Vec<(Arm, u32)> {
    let mut asked = vec![];
    loop {
        let wanted = tree.wanted();
        if wanted.is_empty() {
            return asked;
        }
        for (arm, trial) in wanted {
            tree.observe(arm, trial, outcome(arm, trial));
            asked.push((arm, trial));
        }
    }
}

/// Arms that always pass, all others always fail; one assertion.
fn clear(passing: &[Arm]) -> (CaseFinding, usize) {
    let mut tree = tree(1);
    let asked = play(&mut tree, |arm, _| Outcome::Judged(vec![Some(passing.contains(&arm))]));
    (tree.finding(), asked.len())
}

#[test]
fn each_clear_truth_gets_its_verdict_in_the_calls_that_the_readme_states() {
    use Arm::{Bare, Baseline, Control, Delete, Invert};
    let seen = |passing: &[Arm]| {
        let (finding, calls) = clear(passing);
        (finding.verdict, calls)
    };
    assert_eq!(seen(&[Baseline, Control]), (CaseVerdict::RuleDerived, 11));
    assert_eq!(seen(&[Baseline, Delete, Control, Bare]), (CaseVerdict::Steerable, 16));
    assert_eq!(seen(&[Baseline, Delete, Invert, Control, Bare]), (CaseVerdict::ModelDefault, 18));
    assert_eq!(seen(&[Baseline, Delete, Invert, Control]), (CaseVerdict::Redundant, 16));
    assert_eq!(seen(&[Baseline]), (CaseVerdict::WrongReason, 9));
    assert_eq!(seen(&[]), (CaseVerdict::BaselineFailing, 3));
}

#[test]
fn a_case_that_fails_at_baseline_has_no_mutant_run() {
    let mut tree = tree(1);
    let asked = play(&mut tree, |_, _| Outcome::Judged(vec![Some(false)]));
    assert!(asked.iter().all(|(arm, _)| *arm == Arm::Baseline), "{asked:?}");
    assert_eq!(tree.finding().assertions[0].verdict, AssertionVerdict::Broken);
}

#[test]
fn errors_under_a_mutant_are_no_kill() {
    let mut tree = tree(1);
    play(&mut tree, |arm, _| match arm {
        Arm::Delete => Outcome::Error,
        _ => Outcome::Judged(vec![Some(true)]),
    });
    let finding = tree.finding();
    assert_eq!(finding.verdict, CaseVerdict::Error);
    assert_eq!(finding.assertions[0].verdict, AssertionVerdict::Unproven);
    assert_eq!(tree.tally(Arm::Delete, 0).trials, 0);
}

#[test]
fn a_dead_agent_is_an_error_after_three_calls() {
    let mut tree = tree(2);
    let asked = play(&mut tree, |_, _| Outcome::Error);
    assert_eq!(asked.len(), 3);
    assert_eq!(tree.finding().verdict, CaseVerdict::Error);
}

#[test]
fn an_error_is_replaced_by_a_further_trial() {
    let mut tree = tree(1);
    let asked = play(&mut tree, |arm, trial| match (arm, trial) {
        (Arm::Delete, 1) => Outcome::Error,
        (arm, _) => Outcome::Judged(vec![Some(arm != Arm::Delete)]),
    });
    assert_eq!(tree.finding().verdict, CaseVerdict::RuleDerived);
    assert_eq!(tree.tally(Arm::Delete, 0), Tally { passes: 0, trials: 3 });
    assert_eq!(asked.len(), 12);
}

#[test]
fn the_verdict_does_not_depend_on_the_order_in_which_trials_finish() {
    // A noisy agent: which trial passes depends on its arm and number only.
    let passes = |arm: Arm, trial: u32| match arm {
        Arm::Baseline | Arm::Control => trial % 7 != 3,
        Arm::Delete => trial % 3 == 1,
        _ => trial.is_multiple_of(2),
    };
    let mut results = vec![];
    for shuffle in 0..40u64 {
        let mut tree = tree(1);
        let mut out = tree.wanted();
        let mut asked = out.len();
        let mut state = shuffle;
        while !out.is_empty() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (arm, trial) = out.swap_remove((state >> 33) as usize % out.len());
            tree.observe(arm, trial, Outcome::Judged(vec![Some(passes(arm, trial))]));
            let more = tree.wanted();
            asked += more.len();
            out.extend(more);
        }
        results.push((tree.finding(), asked));
    }
    assert!(results.iter().all(|result| *result == results[0]), "{results:#?}");
}

#[test]
fn what_is_not_assessable_is_neither_a_pass_nor_a_fail() {
    let mut tree = tree(1);
    let asked = play(&mut tree, |_, _| Outcome::Judged(vec![None]));
    assert_eq!(asked.len(), 3, "three trials are enough to see that nothing can be assessed");
    let finding = tree.finding();
    assert_eq!(finding.verdict, CaseVerdict::Unproven);
    assert!(finding.assertions[0].reason.as_ref().unwrap().contains("not assessable in 3 of 3"), "{finding:?}");
}

#[test]
fn an_assertion_beside_one_that_bites_is_inert_only_with_enough_trials() {
    let mut tree = tree(2);
    play(&mut tree, |arm, _| {
        let rule_stands = !matches!(arm, Arm::Delete | Arm::Invert);
        Outcome::Judged(vec![Some(true), Some(rule_stands)])
    });
    let finding = tree.finding();
    assert_eq!(finding.verdict, CaseVerdict::RuleDerived);
    assert_eq!(finding.assertions[0].verdict, AssertionVerdict::Inert);
    assert_eq!(finding.assertions[1].verdict, AssertionVerdict::Bites);
    assert_eq!(finding.assertions[1].fell_under, Some(Arm::Delete));
    for arm in [Arm::Delete, Arm::Invert] {
        assert_eq!(tree.tally(arm, 0), Tally { passes: 5, trials: 5 });
    }
}

#[test]
fn bare_is_asked_only_where_nothing_was_killed() {
    for (passing, asked_bare) in
        [(vec![Arm::Baseline, Arm::Control], false), (vec![Arm::Baseline, Arm::Delete, Arm::Invert], true)]
    {
        let mut tree = tree(1);
        let asked = play(&mut tree, |arm, _| Outcome::Judged(vec![Some(passing.contains(&arm))]));
        assert_eq!(asked.iter().any(|(arm, _)| *arm == Arm::Bare), asked_bare);
        assert_eq!(asked.iter().any(|(arm, _)| *arm == Arm::Control), !asked_bare);
    }
}

#[test]
fn a_budget_that_ends_leaves_the_case_unproven_with_the_reason() {
    let mut tree = tree(1);
    for (arm, trial) in tree.wanted() {
        tree.observe(arm, trial, Outcome::Judged(vec![Some(true)]));
    }
    tree.stop("the budget of 3 calls is used up");
    assert!(tree.wanted().is_empty());
    let finding = tree.finding();
    assert_eq!(finding.verdict, CaseVerdict::Unproven);
    assert_eq!(finding.reason.as_deref(), Some("the budget of 3 calls is used up"));
}

#[test]
fn a_rule_without_a_mutant_costs_nothing_and_proves_nothing() {
    let mut tree = Tree::new(Setup { assertions: 1, operators: vec![], thorough: false }, tests(1));
    assert!(tree.wanted().is_empty());
    assert_eq!(tree.finding().verdict, CaseVerdict::Unproven);
}

#[test]
fn steerable_needs_the_delete_arm_to_have_survived() {
    let only_invert = Setup { assertions: 1, operators: vec![Arm::Invert], thorough: false };
    let mut tree = Tree::new(only_invert, tests(1));
    play(&mut tree, |arm, _| Outcome::Judged(vec![Some(arm != Arm::Invert)]));
    let finding = tree.finding();
    assert_eq!(finding.assertions[0].verdict, AssertionVerdict::Bites);
    assert_eq!(finding.verdict, CaseVerdict::Unproven);
}

#[test]
fn without_the_delete_arm_nothing_is_called_redundant_or_a_model_default() {
    for bare_passes in [true, false] {
        let only_invert = Setup { assertions: 1, operators: vec![Arm::Invert], thorough: false };
        let mut tree = Tree::new(only_invert, tests(1));
        let asked = play(&mut tree, |arm, _| Outcome::Judged(vec![Some(arm != Arm::Bare || bare_passes)]));
        assert_eq!(tree.finding().verdict, CaseVerdict::Unproven);
        assert!(asked.iter().all(|(arm, _)| *arm != Arm::Bare), "its answer could change nothing");
    }
}

#[test]
fn an_agent_that_refuses_empty_instructions_leaves_the_survivors_unproven() {
    let mut tree = tree(1);
    play(&mut tree, |arm, _| if arm == Arm::Bare { Outcome::Error } else { Outcome::Judged(vec![Some(true)]) });
    let finding = tree.finding();
    assert_eq!(finding.verdict, CaseVerdict::Unproven);
    assert_eq!(finding.assertions[0].verdict, AssertionVerdict::Inert);
    assert!(finding.reason.unwrap().contains("of the bare arm were errors"));
}

#[test]
fn an_arm_that_does_better_than_the_baseline_is_seen_and_is_no_kill() {
    let mut tree = tree(1);
    for trial in 0..8 {
        tree.observe(Arm::Baseline, trial, Outcome::Judged(vec![Some(trial == 0)]));
        tree.observe(Arm::Delete, trial, Outcome::Judged(vec![Some(true)]));
        tree.observe(Arm::Invert, trial, Outcome::Judged(vec![Some(trial == 1)]));
    }
    assert!(tree.better(Arm::Delete, 0));
    assert!(!tree.better(Arm::Invert, 0));
    assert!(tree.killing_arms().is_empty());
}

#[test]
fn compared_arms_are_asked_in_turns() {
    let mut tree = tree(1);
    // Fails now and then, so that both arms are extended together.
    let asked = play(&mut tree, |_, trial| Outcome::Judged(vec![Some(trial % 4 != 2)]));
    let after_first_look: Vec<Arm> =
        asked.iter().filter(|(_, trial)| *trial >= 3).map(|(arm, _)| *arm).take(4).collect();
    assert_eq!(after_first_look[..2], [Arm::Baseline, Arm::Delete], "{asked:?}");
}
