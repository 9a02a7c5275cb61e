use super::*;

fn variants(kinds: &[&str]) -> Setup {
    let variant = |kind: &&str| Variant { kind: (*kind).into(), adversarial: *kind == "adversarial" };
    Setup { variants: kinds.iter().map(variant).collect() }
}

/// Two kinds of four variants each: 0 to 3 are typos, 4 to 7 formats.
fn tree() -> Tree {
    Tree::new(variants(&["typo", "typo", "typo", "typo", "format", "format", "format", "format"]), Design::default())
}

fn held(held: bool) -> Outcome {
    Outcome::Judged { held: Some(held), tools: None }
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

fn tally(passes: usize, trials: usize) -> Tally {
    Tally { passes, trials }
}

#[test]
fn a_case_that_always_passes_is_robust_after_three_originals_and_one_trial_a_variant() {
    let mut tree = tree();
    let asked = play(&mut tree, |_, _| held(true));
    let finding = tree.finding();
    assert_eq!((finding.verdict, asked.len()), (Verdict::Robust, 3 + 8));
    assert_eq!(finding.consistency.tally, tally(8, 8));
    assert!(finding.consistency.interval.low < 0.7, "eight trials prove little: {:?}", finding.consistency.interval);
    assert_eq!(finding.p_value, Some(1.0));
    assert_eq!(finding.self_agreement.pass_hat, Some(1.0));
    assert_eq!(finding.worst_kind(), None);
}

#[test]
fn an_original_that_never_passes_ends_the_case_after_three_calls() {
    let mut tree = tree();
    let asked = play(&mut tree, |arm, _| held(arm != Arm::Original));
    let finding = tree.finding();
    assert_eq!((finding.verdict, asked.len(), finding.p_value), (Verdict::BaselineFailing, 3, None));
    assert_eq!(finding.reason.as_deref(), Some("the original failed in all of its 3 trials"));
}

#[test]
fn a_case_that_passes_as_written_and_nowhere_else_is_single_phrasing() {
    let mut tree = tree();
    let asked = play(&mut tree, |arm, _| held(arm == Arm::Original));
    let finding = tree.finding();
    assert_eq!(finding.verdict, Verdict::SinglePhrasing);
    // 8 originals, 6 variants screened, 2 for the first time and 8 again.
    assert_eq!(asked.len(), 8 + 6 + 10);
    assert!((finding.p_value.unwrap() - 1.0 / 43_758.0 / 0.6).abs() < 1e-9, "{:?}", finding.p_value);
    assert_eq!(finding.failing, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(finding.consistency.tally, tally(0, 8));
    assert_eq!(
        finding.reason.as_deref(),
        Some("the original passes 8/8, its variants 0/10 when run afresh (p < 0.001)")
    );
}

#[test]
fn a_kind_that_breaks_the_case_is_named() {
    let mut tree = tree();
    play(&mut tree, |arm, _| held(!matches!(arm, Arm::Variant(4..8))));
    let finding = tree.finding();
    assert_eq!((finding.verdict, finding.kinds.as_slice()), (Verdict::Sensitive, ["format".to_owned()].as_slice()));
    assert_eq!(finding.failing, [4, 5, 6, 7]);
    assert_eq!(finding.worst_kind().unwrap().kind, "format");
    let scores: Vec<_> = finding.by_kind.iter().map(|score| (score.kind.as_str(), score.consistency.tally)).collect();
    assert_eq!(scores, [("typo", tally(4, 4)), ("format", tally(0, 4))]);
}

#[test]
fn one_variant_that_fails_again_and_again_is_enough() {
    let mut tree = tree();
    let asked = play(&mut tree, |arm, _| held(arm != Arm::Variant(2)));
    let finding = tree.finding();
    assert_eq!((finding.verdict, finding.failing.as_slice()), (Verdict::Sensitive, [2].as_slice()));
    assert_eq!(asked.len(), 8 + 8 + 4);
    // Nothing but its four fresh trials speaks: 1 of C(12, 4), doubled for the two tests.
    assert!((finding.p_value.unwrap() - 2.0 / 495.0 / 0.9).abs() < 1e-9, "{:?}", finding.p_value);
}

#[test]
fn a_fail_that_does_not_come_back_is_noise() {
    let mut tree = tree();
    let asked = play(&mut tree, |arm, trial| held((arm, trial) != (Arm::Variant(2), 0)));
    let finding = tree.finding();
    assert_eq!((finding.verdict, finding.p_value), (Verdict::Flaky, Some(1.0)));
    assert!(finding.failing.is_empty());
    // It passes at once when run again, and two more: then two fails would show nothing.
    assert!(asked.len() <= 8 + 8 + 3, "{}", asked.len());
    assert_eq!(finding.consistency.tally, tally(7, 8), "the reruns of the variant don't wash its fail away");
}

#[test]
fn the_fails_that_led_to_the_reruns_are_no_evidence() {
    // Two typos fail once each and then every other time: 8/8 against 4/8 is p = 0.038, doubled for the two tests. With
    // the first fails it would be 4/10 and p = 0.011.
    let mut tree = tree();
    play(&mut tree, |arm, trial| held(!matches!(arm, Arm::Variant(0 | 1)) || trial == 2 || trial == 4));
    let finding = tree.finding();
    assert_eq!((tree.tally(Arm::Variant(0)), tree.tally(Arm::Original)), (tally(2, 5), tally(8, 8)));
    assert_eq!(finding.verdict, Verdict::Flaky);
    assert!(finding.p_value.unwrap() > 0.08, "{:?}", finding.p_value);
}

#[test]
fn an_original_that_is_worse_than_its_variants_is_what_is_blamed() {
    let mut tree = Tree::new(variants(&["typo"; 12]), Design::default());
    play(&mut tree, |arm, trial| held(arm != Arm::Original || trial == 0));
    let finding = tree.finding();
    assert_eq!((finding.verdict, finding.kinds.len()), (Verdict::Sensitive, 0));
    assert!(finding.reason.unwrap().starts_with("the original passes 1/8 only, its variants 12/12"));
    assert_eq!(finding.consistency.tally, tally(0, 12), "the original usually fails, the variants don't");
}

#[test]
fn an_original_that_passes_half_of_the_time_blames_nobody() {
    let mut tree = tree();
    let asked = play(&mut tree, |arm, trial| held(arm == Arm::Original && trial.is_multiple_of(2)));
    let finding = tree.finding();
    assert_eq!(finding.verdict, Verdict::Flaky);
    assert_eq!(finding.reason.as_deref(), Some("the original itself passes 4/8 only"));
    assert_eq!(asked.len(), 8 + 8, "no variant is run again");
}

#[test]
fn adversarial_variants_are_scored_apart_and_change_no_verdict() {
    let mut tree = Tree::new(variants(&["typo", "adversarial", "format", "adversarial"]), Design::default());
    let asked = play(&mut tree, |arm, _| held(!matches!(arm, Arm::Variant(1 | 3))));
    let finding = tree.finding();
    assert_eq!((finding.verdict, asked.len()), (Verdict::Robust, 3 + 4));
    assert_eq!(finding.consistency.tally, tally(2, 2));
    assert_eq!(finding.adversarial.len(), 1);
    assert_eq!(finding.adversarial[0].consistency.tally, tally(0, 2));
    assert!(finding.by_kind.iter().all(|score| score.kind != "adversarial"));
    assert_eq!(finding.failing, [1, 3]);
}

#[test]
fn errors_are_asked_again_and_count_for_nothing() {
    let mut tree = tree();
    let asked = play(&mut tree, |arm, trial| match (arm, trial) {
        (Arm::Original | Arm::Variant(3), 0) => Outcome::Error,
        _ => held(true),
    });
    let finding = tree.finding();
    assert_eq!((finding.verdict, asked.len()), (Verdict::Robust, 11 + 2));
    assert_eq!(finding.consistency.tally, tally(8, 8));
    assert_eq!((tree.errors(Arm::Original), tree.asked(Arm::Original)), (1, 4));
}

#[test]
fn a_dead_agent_is_an_error_after_three_calls() {
    let mut tree = tree();
    let asked = play(&mut tree, |_, _| Outcome::Error);
    let finding = tree.finding();
    assert_eq!((finding.verdict, asked.len()), (Verdict::Error, 3));
    assert_eq!(finding.reason.as_deref(), Some("the agent gave 3 errors for the original"));
}

#[test]
fn an_agent_that_dies_after_the_original_is_an_error() {
    let mut tree = tree();
    play(&mut tree, |arm, _| if arm == Arm::Original { held(true) } else { Outcome::Error });
    assert_eq!(tree.finding().verdict, Verdict::Error);
}

#[test]
fn an_agent_that_dies_before_the_reruns_leaves_no_flaky_case() {
    for failing in [vec![2], (0..6).collect::<Vec<usize>>()] {
        let mut tree = Tree::new(variants(&["typo"; 6]), Design::default());
        play(&mut tree, |arm, trial| match arm {
            Arm::Variant(_) if trial > 0 => Outcome::Error,
            Arm::Variant(at) => held(!failing.contains(&at)),
            Arm::Original => held(true),
        });
        let finding = tree.finding();
        assert_eq!((finding.verdict, finding.p_value), (Verdict::Error, None), "{failing:?}");
        assert!(finding.reason.unwrap().starts_with("the agent gave 6 errors for variant"));
    }
}

#[test]
fn a_variant_that_only_gives_errors_is_left_out_and_keeps_the_case_from_being_robust() {
    let mut tree = tree();
    play(&mut tree, |arm, _| if arm == Arm::Variant(5) { Outcome::Error } else { held(true) });
    let finding = tree.finding();
    assert_eq!(finding.verdict, Verdict::Unproven);
    assert_eq!(finding.reason.as_deref(), Some("1 of 8 variants could not be assessed"));
    assert_eq!((finding.unassessed.as_slice(), finding.consistency.tally), ([5].as_slice(), tally(7, 7)));
}

#[test]
fn what_cannot_be_assessed_is_neither_a_pass_nor_a_fail() {
    let nothing = Outcome::Judged { held: None, tools: None };
    let mut tree = tree();
    let asked = play(&mut tree, |_, _| nothing);
    let finding = tree.finding();
    assert_eq!((finding.verdict, asked.len()), (Verdict::Unproven, 3));
    assert_eq!(finding.reason.as_deref(), Some("not assessable in 3 of 3 trials of the original"));
    assert_eq!(finding.self_agreement.passes, tally(0, 0));
}

#[test]
fn tool_calls_have_a_consistency_of_their_own() {
    let mut tree = tree();
    play(&mut tree, |arm, _| Outcome::Judged { held: Some(true), tools: Some(arm != Arm::Variant(1)) });
    let finding = tree.finding();
    assert_eq!((finding.consistency.tally, finding.tool_consistency.tally), (tally(8, 8), tally(7, 8)));
}

#[test]
fn a_case_without_a_variant_asks_nothing() {
    for kinds in [[].as_slice(), &["adversarial"]] {
        let mut tree = Tree::new(variants(kinds), Design::default());
        assert!(tree.wanted().is_empty());
        assert!(tree.is_settled());
        let finding = tree.finding();
        assert_eq!(finding.verdict, Verdict::Unproven);
        assert_eq!(finding.reason.as_deref(), Some("no variant of this case could be made"));
    }
}

#[test]
fn two_variants_that_fail_are_no_single_phrasing() {
    let mut tree = Tree::new(variants(&["typo", "format"]), Design::default());
    play(&mut tree, |arm, _| held(arm == Arm::Original));
    assert_eq!(tree.finding().verdict, Verdict::Sensitive);
}

#[test]
fn the_first_variants_that_are_screened_are_of_all_kinds() {
    let mut tree = tree();
    for (arm, trial) in tree.wanted() {
        tree.observe(arm, trial, held(true));
    }
    let screened: Vec<Arm> = tree.wanted().into_iter().map(|(arm, _)| arm).collect();
    assert_eq!(screened, [0, 1, 2, 4, 5, 6].map(Arm::Variant));
}

#[test]
fn a_case_that_is_stopped_is_unproven_with_the_reason() {
    let mut tree = tree();
    for (arm, trial) in tree.wanted() {
        tree.observe(arm, trial, held(true));
    }
    assert!(!tree.is_settled());
    assert_eq!(tree.finding().reason.as_deref(), Some("trials are still out"));
    tree.stop("the budget of 3 trials is used up");
    assert!(tree.is_settled() && tree.wanted().is_empty());
    let finding = tree.finding();
    assert_eq!((finding.verdict, finding.p_value), (Verdict::Unproven, None));
    assert_eq!(finding.reason.as_deref(), Some("the budget of 3 trials is used up"));
    assert_eq!(finding.self_agreement.passes, tally(3, 3));
}

#[test]
fn a_verdict_that_stands_outlives_the_stop() {
    let mut tree = tree();
    play(&mut tree, |_, _| held(true));
    tree.stop("the budget is used up");
    assert_eq!(tree.finding().verdict, Verdict::Robust);
}

#[test]
fn nothing_is_asked_while_a_trial_is_out() {
    let mut tree = tree();
    let wanted = tree.wanted();
    assert_eq!(wanted, [0, 1, 2].map(|trial| (Arm::Original, trial)));
    tree.observe(Arm::Original, 1, held(true));
    tree.observe(Arm::Original, 2, held(true));
    assert!(tree.wanted().is_empty() && !tree.is_settled());
    tree.observe(Arm::Original, 0, held(true));
    assert_eq!(tree.wanted().len(), 6);
}

#[test]
fn the_verdict_does_not_depend_on_the_order_in_which_trials_finish() {
    // Noisy agents: which trial passes depends on its arm and number only.
    let passes = |salt: u64, arm: Arm, trial: u32| {
        let number = match arm {
            Arm::Original => 0,
            Arm::Variant(at) => at as u64 + 1,
        };
        let mixed = (salt + number * 31 + u64::from(trial) * 977 + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) % 10 < if arm == Arm::Original { 8 } else { 3 + salt % 6 }
    };
    let mut verdicts = std::collections::BTreeSet::new();
    for salt in 0..60u64 {
        let mut results = vec![];
        for shuffle in 0..8u64 {
            let mut tree = tree();
            let mut out = tree.wanted();
            let mut asked = out.len();
            let mut state = shuffle;
            while !out.is_empty() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let (arm, trial) = out.swap_remove((state >> 33) as usize % out.len());
                tree.observe(arm, trial, held(passes(salt, arm, trial)));
                let more = tree.wanted();
                asked += more.len();
                out.extend(more);
            }
            results.push((tree.finding(), asked));
        }
        assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
        verdicts.insert(results[0].0.verdict);
    }
    assert!(verdicts.len() >= 3, "too few verdicts to mean anything: {verdicts:?}");
}
