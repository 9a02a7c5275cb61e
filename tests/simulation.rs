//! The promises of the rules study, by simulation: the real study and the real engine ask an agent whose pass rates are
//! known, so that every verdict can be held against the truth.
//!
//! The chance of a false kill of an assertion is at most alpha, shared by its two rule arms (delete and invert). The
//! control is asked only after a kill, so it adds none. The chance of a false *inert* is at most beta.
//!
//! Everything is seeded: what passes once passes always. All of it with 4,000 cases a truth, in a minute:
//! `cargo test --release --test simulation -- --include-ignored --nocapture --test-threads 1`.

#![allow(clippy::print_stdout, reason = "the tables are read with --nocapture")]

#[path = "common/simulated.rs"]
mod simulated;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use mutate::agents::{Agent as _, Scripted};
use mutate::instructions::Document;
use mutate::source::Diagnostics;
use mutate::stats::{Allocation, Boundary, Design};
use mutate::studies::rules::{Arm, CaseVerdict, RulesStudy, Settings, Subject, Workshop, nonce};
use mutate::suite::{self, Case};

/// Cases of one truth wherever a promise is tested.
const CASES: usize = 2_000;
/// Cases of one truth in the table of a normal test run, and in that of a long one.
const FEW: usize = 200;
const MANY: usize = 4_000;

const ALPHA: f64 = 0.05;
const BETA: f64 = 0.05;

const RULES: &str = "# Shop\n\n- Never offer a discount.\n- Speak kindly to everybody who writes.\n- Keep every answer short.\n- Sign with your name.\n";

/// Pass rates of baseline, delete, invert, control and bare.
type Truth = [f64; 5];

const ARMS: [Arm; 5] = [Arm::Baseline, Arm::Delete, Arm::Invert, Arm::Control, Arm::Bare];

/// What the cases of one simulated suite came to.
#[derive(Default)]
struct Outcomes {
    cases: usize,
    /// Of each case.
    calls: Vec<f64>,
    verdicts: BTreeMap<CaseVerdict, usize>,
    /// Cases whose assertion was said to fall under delete or invert, whatever the verdict became then.
    killed: usize,
    /// Cases whose assertion was said to fall under neither.
    inert: usize,
}

impl Outcomes {
    fn share(&self, count: usize) -> f64 {
        count as f64 / self.cases as f64
    }

    fn verdict(&self, verdict: CaseVerdict) -> f64 {
        self.share(self.verdicts.get(&verdict).copied().unwrap_or(0))
    }

    fn mean_calls(&self) -> f64 {
        self.calls.iter().sum::<f64>() / self.cases as f64
    }

    /// The spread of the calls from case to case.
    fn deviation(&self) -> f64 {
        let mean = self.mean_calls();
        (self.calls.iter().map(|calls| (calls - mean).powi(2)).sum::<f64>() / self.cases as f64).sqrt()
    }

    fn line(&self) -> String {
        let mut verdicts: Vec<CaseVerdict> = self.verdicts.keys().copied().collect();
        verdicts.sort_by(|a, b| self.verdict(*b).total_cmp(&self.verdict(*a)));
        let shares = verdicts.iter().map(|one| format!("{} {:.1} %", one.name(), 100.0 * self.verdict(*one)));
        format!("{:>5.1} calls  {}", self.mean_calls(), shares.collect::<Vec<_>>().join(", "))
    }
}

/// Cases that quote a rule and want the reply "yes", read as any suite is read. Each id gives its own randomness.
static SUITE: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let case = |n: usize| {
        format!(
            "{{\"id\": \"case-{n}\", \"input\": \"Can I have it cheaper?\", \"rule\": \"Never offer a discount.\", \
             \"expect\": {{\"reply_equals\": \"yes\"}}}}\n"
        )
    };
    write("mutate.yaml", "instructions: rules.md\ncases: cases.jsonl\nagents: {simulated: {command: [never-asked]}}\n");
    write("rules.md", RULES);
    write("cases.jsonl", &(0..MANY).map(case).collect::<String>());
    let loaded = suite::load(folder.path(), &|_| None);
    loaded.suite.unwrap_or_else(|| panic!("{}", loaded.diagnostics.render(false))).cases
});

fn standard() -> Settings {
    Settings::new(Design { alpha: ALPHA, beta: BETA, ..Design::default() }, 0)
}

/// The plainest form of the study: one threshold for all looks, arms in lockstep, every rule arm run.
fn plain() -> Settings {
    Settings {
        boundary: Boundary::Constant,
        allocation: Allocation::Lockstep,
        guards_alone: true,
        thorough: true,
        ..standard()
    }
}

fn simulate(truth: Truth, cases: usize, seed: u64, settings: Settings) -> Outcomes {
    let settings = Settings { seed, ..settings };
    let documents = [Document::from_bytes("rules.md", RULES.into()).unwrap()];
    let workshop = Workshop::new(&documents, &[Arm::Delete, Arm::Invert], seed, &nonce(seed));
    let one = workshop.subjects(0, &SUITE[0], &mut Diagnostics::default()).remove(0);
    assert!(ARMS.iter().all(|arm| one.arms.contains_key(arm)), "every arm can be made of this rule");
    let subjects: Vec<Subject> =
        (0..cases).map(|case| Subject { id: SUITE[case].id.clone(), case, ..one.clone() }).collect();
    let chances: HashMap<String, f64> = ARMS.iter().map(|arm| arm.name().to_owned()).zip(truth).collect();
    let agent = Arc::new(Scripted::from_probabilities(chances));
    let mut study = RulesStudy::new(&SUITE[..cases], &workshop, subjects, &settings, agent.delivery()).unwrap();
    simulated::ask(agent, &mut study);
    let mut outcomes = Outcomes { cases, ..Outcomes::default() };
    for (at, (_, tree)) in study.subjects().enumerate() {
        outcomes.calls.push(tree.arms().map(|arm| tree.asked(arm)).sum::<usize>() as f64);
        let finding = study.finding(at);
        // The known figures count a case that survives everything as a model default, however rarely it holds; the study
        // calls one that mostly fails unproven. One whose bare arm is undecided is unproven in both.
        let rarely = finding.reason.as_deref().is_some_and(|why| why.ends_with("too rarely for a loss to show"));
        let verdict = if settings.guards_alone && rarely { CaseVerdict::ModelDefault } else { finding.verdict };
        *outcomes.verdicts.entry(verdict).or_default() += 1;
        outcomes.killed += usize::from(finding.assertions[0].fell_under.is_some());
        outcomes.inert += usize::from(finding.assertions[0].verdict.name() == "inert");
    }
    outcomes
}

/// A share that is truly `p` is higher than this in fewer than 2 of 1,000 simulated suites.
fn with_margin(p: f64, cases: usize) -> f64 {
    p + 3.0 * (p * (1.0 - p) / cases as f64).sqrt()
}

fn a_rate_equal_in_all_arms(p: f64, seed: u64) -> Outcomes {
    let seen = simulate([p; 5], CASES, seed, standard());
    println!("{p} everywhere: {:.2} % false kills; {}", 100.0 * seen.share(seen.killed), seen.line());
    let limit = with_margin(ALPHA, CASES);
    assert!(seen.share(seen.killed) <= limit, "{} false kills at {p}", seen.share(seen.killed));
    let delete_alone = seen.verdict(CaseVerdict::RuleDerived);
    assert!(
        delete_alone <= with_margin(ALPHA / 2.0, CASES),
        "{delete_alone} of the cases at {p} are called rule-derived"
    );
    seen
}

#[test]
fn equal_arms_at_50_percent_are_falsely_killed_no_more_often_than_promised() {
    a_rate_equal_in_all_arms(0.5, 50);
}

#[test]
fn a_flaky_agent_of_70_percent_is_hardly_ever_called_rule_derived() {
    let seen = a_rate_equal_in_all_arms(0.7, 70);
    assert!(seen.verdict(CaseVerdict::RuleDerived) <= 0.025);
    assert!(seen.verdict(CaseVerdict::ModelDefault) >= 0.6, "{}", seen.line());
}

#[test]
fn equal_arms_at_90_percent_are_falsely_killed_no_more_often_than_promised() {
    let seen = a_rate_equal_in_all_arms(0.9, 90);
    assert!(seen.verdict(CaseVerdict::ModelDefault) >= 0.9, "{}", seen.line());
}

#[test]
fn equal_arms_that_never_fail_are_never_killed() {
    let seen = a_rate_equal_in_all_arms(1.0, 100);
    assert_eq!(seen.killed, 0);
    assert_eq!(seen.verdict(CaseVerdict::ModelDefault), 1.0);
}

/// How often an assertion is called inert although a rule arm lies as far below the baseline as must not be overlooked.
/// The sharper question is asked first: losing the rule changes nothing and only its opposite does, so that one
/// overlooked arm is enough. Where both arms fall, both must be overlooked.
fn a_drop_that_must_not_be_overlooked([p, delete, invert]: [f64; 3], seed: u64) {
    let seen = simulate([p, delete, invert, p, invert], CASES, seed, standard());
    let inert = seen.share(seen.inert);
    println!("{p} → {delete}, {invert}: {:.2} % falsely inert; {}", 100.0 * inert, seen.line());
    assert!(inert <= with_margin(BETA, CASES), "{inert} falsely inert at {p} → {delete}, {invert}");
}

#[test]
fn a_drop_from_100_to_50_percent_is_hardly_ever_called_inert() {
    a_drop_that_must_not_be_overlooked([1.0, 1.0, 0.5], 10);
}

#[test]
fn a_drop_from_90_to_40_percent_is_hardly_ever_called_inert() {
    a_drop_that_must_not_be_overlooked([0.9, 0.9, 0.4], 21);
}

#[test]
fn a_drop_from_75_to_25_percent_is_hardly_ever_called_inert() {
    a_drop_that_must_not_be_overlooked([0.75, 0.75, 0.25], 30);
}

#[test]
fn a_drop_from_50_to_0_percent_is_hardly_ever_called_inert() {
    a_drop_that_must_not_be_overlooked([0.5, 0.5, 0.0], 40);
}

#[test]
#[ignore = "half a minute in a debug build"]
fn a_drop_in_both_rule_arms_is_hardly_ever_called_inert() {
    for (seed, [p, q]) in (60..).zip([[1.0, 0.5], [0.9, 0.4], [0.75, 0.25], [0.5, 0.0]]) {
        a_drop_that_must_not_be_overlooked([p, q, q], seed);
    }
}

use CaseVerdict::{ModelDefault, Redundant, RuleDerived, Steerable, Unproven, WrongReason};

/// A truth, and what the plain study is known to make of it: mean calls a case, and the share of some verdicts (or of
/// several together).
struct Known {
    truth: Truth,
    calls: f64,
    shares: &'static [(&'static [CaseVerdict], f64)],
}

const KNOWN: [Known; 9] = [
    Known { truth: [1.0, 0.0, 0.0, 1.0, 0.0], calls: 18.0, shares: &[(&[RuleDerived], 1.0)] },
    Known {
        truth: [0.9, 0.15, 0.1, 0.9, 0.1],
        calls: 28.0,
        shares: &[(&[RuleDerived], 0.982), (&[WrongReason], 0.013)],
    },
    Known { truth: [1.0, 1.0, 0.0, 1.0, 1.0], calls: 19.0, shares: &[(&[Steerable], 1.0)] },
    Known { truth: [1.0, 1.0, 1.0, 1.0, 1.0], calls: 20.0, shares: &[(&[ModelDefault], 1.0)] },
    Known {
        truth: [0.9; 5],
        calls: 30.0,
        shares: &[
            (&[ModelDefault], 0.967),
            (&[Redundant], 0.016),
            (&[Unproven], 0.012),
            (&[RuleDerived, Steerable], 0.004),
        ],
    },
    Known {
        truth: [0.7; 5],
        calls: 39.0,
        shares: &[(&[ModelDefault], 0.76), (&[Unproven], 0.17), (&[RuleDerived, Steerable], 0.016)],
    },
    Known {
        truth: [0.5; 5],
        calls: 39.0,
        shares: &[(&[ModelDefault], 0.63), (&[Unproven], 0.20), (&[RuleDerived, Steerable], 0.019)],
    },
    Known { truth: [1.0, 1.0, 1.0, 1.0, 0.0], calls: 18.0, shares: &[(&[Redundant], 1.0)] },
    Known { truth: [1.0, 0.0, 0.0, 0.0, 0.0], calls: 15.0, shares: &[(&[WrongReason], 1.0)] },
];

fn the_default_study_takes_no_more_calls(cases: usize) {
    println!("the default study, {cases} cases a truth (baseline, delete, invert, control, bare):");
    for (at, known) in KNOWN.iter().enumerate() {
        let seen = simulate(known.truth, cases, 500 + at as u64, standard());
        println!("{:?}: {}", known.truth, seen.line());
        assert!(seen.mean_calls() <= known.calls, "{:?}: {} calls", known.truth, seen.mean_calls());
        // Where the truth is clear, the verdict is too.
        for (verdicts, share) in known.shares.iter().filter(|(_, share)| *share == 1.0) {
            let found: f64 = verdicts.iter().map(|one| seen.verdict(*one)).sum();
            assert_eq!(found, *share, "{:?}: {}", known.truth, seen.line());
        }
    }
}

fn the_plain_study_has_the_known_figures(cases: usize) {
    println!("the plain study, {cases} cases a truth (baseline, delete, invert, control, bare):");
    let mut wrong = vec![];
    for (at, known) in KNOWN.iter().enumerate() {
        let seen = simulate(known.truth, cases, 700 + at as u64, plain());
        println!("{:?}: {}", known.truth, seen.line());
        // The known figures are rounded, and come from 4,000 simulated cases themselves.
        let error = (1.0 / cases as f64 + 1.0 / 4_000.0).sqrt();
        if (seen.mean_calls() - known.calls).abs() > 0.5 + 3.0 * seen.deviation() * error {
            wrong.push(format!("{:?}: {} calls, not {}", known.truth, seen.mean_calls(), known.calls));
        }
        for (verdicts, share) in known.shares {
            let found: f64 = verdicts.iter().map(|one| seen.verdict(*one)).sum();
            let rounded = if *share < 0.1 || *share > 0.9 { 0.001 } else { 0.005 };
            if (found - share).abs() > rounded + 3.0 * (share * (1.0 - share)).sqrt() * error {
                wrong.push(format!("{:?}: {verdicts:?} {found}, not {share}", known.truth));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_default_study_takes_no_more_calls_than_the_plain_one() {
    the_default_study_takes_no_more_calls(FEW);
}

#[test]
fn the_plain_study_has_its_known_figures() {
    the_plain_study_has_the_known_figures(FEW);
}

#[test]
#[ignore = "minutes in a debug build"]
fn the_default_study_takes_no_more_calls_than_the_plain_one_in_the_long_run() {
    the_default_study_takes_no_more_calls(MANY);
}

#[test]
#[ignore = "minutes in a debug build"]
fn the_plain_study_has_its_known_figures_in_the_long_run() {
    the_plain_study_has_the_known_figures(MANY);
}
