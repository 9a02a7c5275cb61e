//! The test as a whole: the figures it is known for, its promises, and that what is computed is what is done.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::*;

const BOUNDARIES: [Boundary; 2] = [Boundary::Constant, Boundary::PerLook];
const ALLOCATIONS: [Allocation; 2] = [Allocation::Lockstep, Allocation::LazyBaseline];

fn design(alpha: f64, beta: f64, min_effect: f64, max_trials_per_arm: usize) -> Design {
    Design { alpha, beta, min_effect, max_trials_per_arm }
}

fn calibrated(design: &Design, comparisons: usize, boundary: Boundary, allocation: Allocation) -> SequentialTest {
    SequentialTest::calibrate(design, comparisons, boundary, allocation).unwrap()
}

fn constant_lockstep() -> SequentialTest {
    calibrated(&Design::default(), 1, Boundary::Constant, Allocation::Lockstep)
}

fn standard(comparisons: usize) -> SequentialTest {
    calibrated(&Design::default(), comparisons, Boundary::PerLook, Allocation::LazyBaseline)
}

fn tally(passes: usize, trials: usize) -> Tally {
    Tally { passes, trials }
}

fn near(value: f64, expected: f64, within: f64) {
    assert!((value - expected).abs() <= within, "{value} is not {expected} ± {within}");
}

#[test]
fn one_constant_threshold_in_lockstep_has_the_known_figures() {
    let test = constant_lockstep();
    assert_eq!(test.looks(), [3, 4, 5, 6, 8, 10, 12, 15, 20]);
    let sure_kill = test.characteristics(1.0, 0.0);
    assert_eq!((sure_kill.killed, sure_kill.baseline_trials, sure_kill.mutant_trials), (1.0, 3.0, 3.0));
    let sure_survival = test.characteristics(1.0, 1.0);
    assert_eq!((sure_survival.survived, sure_survival.mutant_trials), (1.0, 5.0));
    let noisy = test.characteristics(0.9, 0.2);
    near(noisy.killed, 0.99, 0.005);
    near(noisy.mutant_trials, 6.0, 0.05);
    let alike = test.characteristics(0.95, 0.95);
    near(alike.mutant_trials, 5.9, 0.05);
    near(alike.survived, 0.997, 0.002);
}

#[test]
fn a_clean_sweep_of_three_kills_also_when_alpha_is_split_in_two() {
    let sweep = Judgement::Killed { baseline: tally(3, 3), mutant: tally(0, 3) };
    assert_eq!(standard(2).judge(&[true; 3], &[false; 3]), sweep);
    let constant = calibrated(&Design::default(), 2, Boundary::Constant, Allocation::Lockstep);
    assert_eq!(constant.judge(&[true; 3], &[false; 3]), Judgement::Undecided { baseline: 4, mutant: 4 });
}

#[test]
fn two_flawless_arms_survive_after_three_and_five_trials() {
    let survived = Judgement::Survived { baseline: tally(3, 3), mutant: tally(5, 5) };
    for comparisons in [1, 2] {
        let test = standard(comparisons);
        assert_eq!(test.judge(&[], &[]), Judgement::Undecided { baseline: 3, mutant: 3 });
        assert_eq!(test.judge(&[true; 3], &[true; 3]), Judgement::Undecided { baseline: 3, mutant: 4 });
        assert_eq!(test.judge(&[true; 3], &[true; 4]), Judgement::Undecided { baseline: 3, mutant: 5 });
        assert_eq!(test.judge(&[true; 3], &[true; 5]), survived);
    }
}

#[test]
fn with_the_mutants_first_fail_the_baseline_catches_up() {
    let test = standard(2);
    let mutant = [true, true, true, false];
    assert_eq!(test.judge(&[true; 3], &mutant), Judgement::Undecided { baseline: 4, mutant: 4 });
    assert_eq!(test.judge(&[true; 4], &mutant), Judgement::Undecided { baseline: 5, mutant: 5 });
    // A fail that is already there asks for both arms at once.
    assert_eq!(test.judge(&[], &[false]), Judgement::Undecided { baseline: 3, mutant: 3 });
    assert_eq!(
        test.judge(&[true; 4], &[true, true, true, false, true]),
        Judgement::Undecided { baseline: 5, mutant: 5 }
    );
}

#[test]
fn a_baseline_that_others_have_extended_changes_no_decision() {
    let test = standard(2);
    // Fails beyond the third baseline trial were not asked for while the mutant is flawless.
    let baseline = [true, true, true, false, false, false, false, false];
    assert_eq!(test.judge(&baseline, &[true; 5]), test.judge(&baseline[..3], &[true; 5]));
}

/// Both promises, evaluated from the bare sum over endings on a grid that the calibration does not use.
fn assert_promises(test: &SequentialTest, design: &Design, comparisons: usize) {
    let alpha = design.alpha / comparisons as f64;
    for step in 0..=997 {
        let p = f64::from(step) / 997.0;
        let equal = test.characteristics(p, p);
        assert!(equal.killed <= alpha, "{} > {alpha} at {p}: {design:?}", equal.killed);
        let mutant = p * (1.0 - design.min_effect);
        let apart = test.characteristics((mutant + design.min_effect).min(1.0), mutant);
        assert!(apart.survived <= design.beta, "{} > {} at {mutant}: {design:?}", apart.survived, design.beta);
    }
    assert!(test.worst_false_kill() <= alpha);
    assert!(test.worst_false_survival() <= design.beta);
}

#[test]
fn both_promises_hold_at_every_rate_for_many_designs() {
    for (alpha, beta, min_effect, cap) in [
        (0.05, 0.05, 0.5, 20),
        (0.01, 0.05, 0.5, 20),
        (0.1, 0.2, 0.4, 15),
        (0.05, 0.1, 0.7, 7),
        (0.001, 0.01, 0.6, 20),
        (0.2, 0.05, 0.8, 9),
        (0.5, 0.5, 0.5, 5),
        (0.05, 0.05, 0.3, 25),
        (0.05, 0.05, 1.0, 6),
    ] {
        let design = design(alpha, beta, min_effect, cap);
        for comparisons in [1, 2, 5] {
            for boundary in BOUNDARIES {
                for allocation in ALLOCATIONS {
                    let test = calibrated(&design, comparisons, boundary, allocation);
                    assert_promises(&test, &design, comparisons);
                }
            }
        }
    }
}

#[test]
fn pairs_further_apart_than_promised_are_no_worse() {
    // The doc of `worst_false_kill` argues that the border is the worst; here the whole triangles are walked.
    for boundary in BOUNDARIES {
        for allocation in ALLOCATIONS {
            let test = calibrated(&Design::default(), 2, boundary, allocation);
            for (i, j) in (0..=40).flat_map(|i| (0..=40).map(move |j| (i, j))) {
                let (p, q) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                let seen = test.characteristics(p, q);
                assert!(q < p || seen.killed <= 0.025, "killed at {p}, {q}: {}", seen.killed);
                assert!(p - q < 0.5 || seen.survived <= 0.05, "survived at {p}, {q}: {}", seen.survived);
                near(seen.killed + seen.survived + seen.undecided, 1.0, 1e-12);
            }
        }
    }
}

/// All sequences of `length` outcomes.
fn sequences(length: usize) -> Vec<Vec<bool>> {
    (0..1 << length).map(|bits: usize| (0..length).map(|at| bits >> at & 1 == 1).collect()).collect()
}

fn chance(sequence: &[bool], p: f64) -> f64 {
    sequence.iter().map(|&pass| if pass { p } else { 1.0 - p }).product()
}

#[test]
fn the_count_of_orders_agrees_with_judging_every_single_sequence() {
    for (design, comparisons) in
        [(design(0.05, 0.1, 0.6, 4), 1), (design(0.1, 0.2, 0.5, 4), 2), (design(0.05, 0.05, 0.5, 5), 1)]
    {
        for boundary in BOUNDARIES {
            for allocation in ALLOCATIONS {
                let test = calibrated(&design, comparisons, boundary, allocation);
                let all = sequences(design.max_trials_per_arm);
                for (p, q) in [(0.3, 0.3), (0.9, 0.2), (0.95, 0.85), (0.5, 1.0)] {
                    let mut counted = Characteristics::default();
                    for (baseline, mutant) in all.iter().flat_map(|b| all.iter().map(move |m| (b, m))) {
                        let chance = chance(baseline, p) * chance(mutant, q);
                        let (sum, used) = match test.judge(baseline, mutant) {
                            Judgement::Killed { baseline, mutant } => (&mut counted.killed, [baseline, mutant]),
                            Judgement::Survived { baseline, mutant } => (&mut counted.survived, [baseline, mutant]),
                            Judgement::Exhausted { baseline, mutant } => (&mut counted.undecided, [baseline, mutant]),
                            undecided => panic!("{undecided:?} after all trials"),
                        };
                        *sum += chance;
                        counted.baseline_trials += chance * used[0].trials as f64;
                        counted.mutant_trials += chance * used[1].trials as f64;
                    }
                    let exact = test.characteristics(p, q);
                    near(counted.killed, exact.killed, 1e-12);
                    near(counted.survived, exact.survived, 1e-12);
                    near(counted.undecided, exact.undecided, 1e-12);
                    near(counted.baseline_trials, exact.baseline_trials, 1e-12);
                    near(counted.mutant_trials, exact.mutant_trials, 1e-12);
                }
            }
        }
    }
}

/// Asks for just the trials that the test wants, until it is done.
fn run(
    test: &SequentialTest,
    mut baseline: impl FnMut() -> bool,
    mut mutant: impl FnMut() -> bool,
) -> (Judgement, [Vec<bool>; 2]) {
    let mut trials = [Vec::new(), Vec::new()];
    loop {
        match test.judge(&trials[0], &trials[1]) {
            Judgement::Undecided { baseline: wanted_baseline, mutant: wanted_mutant } => {
                assert!(wanted_baseline > trials[0].len() || wanted_mutant > trials[1].len(), "asks for nothing");
                trials[0].resize_with(wanted_baseline.max(trials[0].len()), &mut baseline);
                trials[1].resize_with(wanted_mutant.max(trials[1].len()), &mut mutant);
            }
            done => return (done, trials),
        }
    }
}

#[test]
fn running_the_test_agrees_with_its_exact_characteristics() {
    const RUNS: u32 = 4000;
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for (test, p, q) in
        [(standard(2), 0.9, 0.15), (standard(2), 0.9, 0.9), (standard(1), 0.6, 0.6), (constant_lockstep(), 0.8, 0.3)]
    {
        let mut killed = 0;
        let mut survived = 0;
        let mut spent = [0, 0];
        for _ in 0..RUNS {
            let mut other = ChaCha8Rng::seed_from_u64(random.random());
            let (judgement, trials) = run(&test, || random.random_bool(p), || other.random_bool(q));
            killed += u32::from(matches!(judgement, Judgement::Killed { .. }));
            survived += u32::from(matches!(judgement, Judgement::Survived { .. }));
            spent[0] += trials[0].len();
            spent[1] += trials[1].len();
        }
        let exact = test.characteristics(p, q);
        let share = |count: u32| f64::from(count) / f64::from(RUNS);
        near(share(killed), exact.killed, 0.03);
        near(share(survived), exact.survived, 0.03);
        near(spent[0] as f64 / f64::from(RUNS), exact.baseline_trials, 0.3);
        near(spent[1] as f64 / f64::from(RUNS), exact.mutant_trials, 0.3);
    }
}

#[test]
fn a_decision_stands_whatever_comes_after_it_and_nothing_is_decided_before_its_trials_are_there() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for allocation in ALLOCATIONS {
        let test = calibrated(&Design::default(), 2, Boundary::PerLook, allocation);
        for _ in 0..300 {
            let (p, q) = (random.random(), random.random());
            let baseline: Vec<bool> = (0..25).map(|_| random.random_bool(p)).collect();
            let mutant: Vec<bool> = (0..25).map(|_| random.random_bool(q)).collect();
            let decision = test.judge(&baseline, &mutant);
            let (used_baseline, used_mutant) = match decision {
                Judgement::Killed { baseline, mutant } => {
                    assert_eq!(baseline.trials, mutant.trials, "a kill is decided in step");
                    (baseline.trials, mutant.trials)
                }
                Judgement::Survived { baseline, mutant } | Judgement::Exhausted { baseline, mutant } => {
                    (baseline.trials, mutant.trials)
                }
                undecided => panic!("{undecided:?} after all trials"),
            };
            for (have_baseline, have_mutant) in (0..=25).flat_map(|b| (0..=25).map(move |m| (b, m))) {
                let judged = test.judge(&baseline[..have_baseline], &mutant[..have_mutant]);
                if have_baseline >= used_baseline && have_mutant >= used_mutant {
                    assert_eq!(judged, decision);
                } else {
                    assert!(matches!(judged, Judgement::Undecided { .. }), "{judged:?} before {decision:?}");
                }
            }
        }
    }
}

#[test]
fn all_looks_used_up_is_said_with_the_counts() {
    let test = calibrated(&design(0.05, 0.05, 0.5, 5), 1, Boundary::PerLook, Allocation::LazyBaseline);
    let baseline = [true, false, true, true, true];
    let mutant = [true, true, false, false, true];
    assert_eq!(test.judge(&baseline, &mutant), Judgement::Exhausted { baseline: tally(4, 5), mutant: tally(3, 5) });
}

#[test]
fn a_mutant_that_does_better_is_never_killed() {
    let test = standard(1);
    assert!(matches!(test.judge(&[false; 20], &[true; 20]), Judgement::Survived { .. }));
    assert_eq!(test.characteristics(0.0, 1.0).killed, 0.0);
}

#[test]
fn what_is_needed_is_the_way_to_the_look_that_would_settle_it() {
    let test = standard(2);
    assert_eq!(test.more_needed(&[], &[]), Some(3));
    assert_eq!(test.more_needed(&[true; 3], &[true; 3]), Some(2));
    assert_eq!(test.more_needed(&[true; 3], &[false; 3]), Some(0));
    // 8 of 8 against a third of 8 is the first that reaches the threshold.
    assert_eq!(test.more_needed(&[true; 3], &[true, false, false]), Some(5));
    // A drop by a quarter is hard to place: 25 trials an arm, counted from the arm that lacks most.
    assert_eq!(test.more_needed(&[true; 3], &[true, true, true, false]), Some(22));
}

#[test]
fn what_is_needed_may_lie_beyond_the_cap_and_may_be_out_of_reach() {
    let test = calibrated(&design(0.05, 0.05, 0.5, 20), 1, Boundary::PerLook, Allocation::Lockstep);
    let passes = |count: usize| -> Vec<bool> { (0..20).map(|at| at * count / 20 != (at + 1) * count / 20).collect() };
    assert!(matches!(test.judge(&passes(14), &passes(9)), Judgement::Exhausted { .. }));
    let more = test.more_needed(&passes(14), &passes(9)).unwrap();
    assert!((1..=80).contains(&more), "{more}");
    // Half of min_effect is the hardest drop to place: with such strict promises a hundred trials don't do.
    let strict = calibrated(&design(1e-30, 1e-15, 0.5, 100), 1, Boundary::PerLook, Allocation::Lockstep);
    assert_eq!(strict.more_needed(&passes(14), &passes(9)), None);
}

#[test]
fn a_value_out_of_range_is_named_with_its_range() {
    for (design, starts) in [
        (design(0.0, 0.05, 0.5, 20), "alpha is 0, but must be above 0 and at most 0.5"),
        (design(f64::NAN, 0.05, 0.5, 20), "alpha is NaN, but must be above 0 and at most 0.5"),
        (design(0.05, 0.6, 0.5, 20), "beta is 0.6, but must be above 0 and at most 0.5"),
        (design(0.05, 0.05, -0.5, 20), "min_effect is -0.5, but must be above 0 and at most 1"),
        (design(0.05, 0.05, 1.5, 20), "min_effect is 1.5, but must be above 0 and at most 1"),
        (design(0.05, 0.05, 0.5, 2), "max_trials_per_arm is 2, but must be 3 to 100"),
        (design(0.05, 0.05, 0.5, 101), "max_trials_per_arm is 101, but must be 3 to 100"),
    ] {
        let message = design.check().unwrap_err().to_string();
        assert!(message.starts_with(starts), "{message}");
    }
    assert_eq!(Design::default().check(), Ok(()));
    let none = SequentialTest::calibrate(&Design::default(), 0, Boundary::PerLook, Allocation::Lockstep);
    assert_eq!(none.unwrap_err(), DesignError::NoComparison);
}

#[test]
fn a_cap_that_is_too_small_names_the_smallest_that_works() {
    let too_small = design(0.05, 0.05, 0.5, 4);
    let error = too_small.check().unwrap_err();
    assert_eq!(error, DesignError::NeverSurvived { cap: 4, beta: 0.05, min_effect: 0.5, smallest: Some(5) });
    assert!(error.to_string().ends_with("set it to 5 or more, or raise beta or min_effect"), "{error}");
    assert_eq!(design(0.05, 0.05, 0.5, 5).check(), Ok(()));

    let error = design(0.001, 0.05, 0.9, 4).check().unwrap_err();
    assert_eq!(error, DesignError::NeverKilled { cap: 4, alpha: 0.001, comparisons: 1, smallest: Some(5) });
    assert_eq!(design(0.001, 0.05, 0.9, 5).check(), Ok(()));

    let split = SequentialTest::calibrate(&design(0.05, 0.2, 0.5, 3), 4, Boundary::PerLook, Allocation::Lockstep);
    let message = split.unwrap_err().to_string();
    assert!(message.contains("alpha 0.05 shared by 4 comparisons; set it to 4 or more, or raise alpha"), "{message}");
}

#[test]
fn an_effect_that_no_cap_can_exclude_is_said_so() {
    let message = design(0.05, 0.05, 0.01, 20).check().unwrap_err().to_string();
    assert!(message.ends_with("no cap up to 100 is enough: raise beta or min_effect"), "{message}");
}

#[test]
fn looks_go_on_to_any_cap_and_end_with_it() {
    let looks =
        |cap| calibrated(&design(0.05, 0.05, 0.5, cap), 1, Boundary::Constant, Allocation::Lockstep).looks().to_vec();
    assert_eq!(looks(7), [3, 4, 5, 6, 7]);
    assert_eq!(looks(34), [3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 34]);
}

#[test]
fn better_boundaries_cost_no_more_than_the_constant_one() {
    for comparisons in [1, 2] {
        let constant = calibrated(&Design::default(), comparisons, Boundary::Constant, Allocation::Lockstep);
        let better = standard(comparisons);
        for (p, q) in [(1.0, 0.0), (1.0, 1.0), (0.9, 0.15), (0.9, 0.9), (0.95, 0.95), (0.7, 0.7), (0.5, 0.5)] {
            let calls = |test: &SequentialTest| {
                let seen = test.characteristics(p, q);
                seen.baseline_trials + seen.mutant_trials
            };
            assert!(calls(&better) <= calls(&constant) + 1e-9, "{} at {p}, {q}", calls(&better));
        }
    }
}
