//! The test as a whole: the figures it is known for, its promises, and that what is computed is what is done.

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
