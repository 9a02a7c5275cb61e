//! The promises of the inputs study, by simulation: real variants, the real study and the real engine ask an agent whose
//! pass rates are known.
//!
//! Everything is seeded: what passes once passes always. `cargo test --test inputs_simulation -- --nocapture` prints the
//! table; with `--release -- --include-ignored --nocapture` it has 4,000 cases a truth.

#![allow(clippy::print_stdout, reason = "the table is read with --nocapture")]

#[path = "common/simulated.rs"]
mod simulated;

use std::collections::BTreeMap;
use std::sync::Arc;

use mutate::agents::{self, InstructionFile, Surroundings};
use mutate::mutators::input::{Choice, Packs};
use mutate::source::{Diagnostics, SourceFile, parse_documents};
use mutate::studies::inputs::{Design, InputsStudy, Sources, Subject, Verdict};
use mutate::suite::{self, Case};

const FEW: usize = 400;
const MANY: usize = 4_000;

/// Of 200. Seen were 2 that flip and 15 that differ; a gate on the rate of three trials flips a quarter.
const FLIPS: usize = 6;
const DIFFER: usize = 30;

const INPUT: &str = "Please refund order #4021, the tent arrived broken and I'd like my money back.";

/// An agent that passes at these rates: on the original, on variants that keep a certain word, on others.
struct Truth {
    name: &'static str,
    original: f64,
    others: f64,
}

const TRUTHS: [Truth; 7] = [
    Truth { name: "always", original: 1.0, others: 1.0 },
    Truth { name: "90 %, whatever the phrasing", original: 0.9, others: 0.9 },
    Truth { name: "70 %, whatever the phrasing", original: 0.7, others: 0.7 },
    Truth { name: "50 %, whatever the phrasing", original: 0.5, others: 0.5 },
    Truth { name: "95 % as written, 10 % elsewhere", original: 0.95, others: 0.1 },
    Truth { name: "95 % as written, 40 % elsewhere", original: 0.95, others: 0.4 },
    Truth { name: "never", original: 0.0, others: 0.0 },
];

struct Seen {
    cases: usize,
    calls: f64,
    verdicts: BTreeMap<Verdict, usize>,
    /// Case by case.
    each: Vec<Verdict>,
}

impl Seen {
    fn share(&self, verdict: Verdict) -> f64 {
        self.verdicts.get(&verdict).copied().unwrap_or(0) as f64 / self.cases as f64
    }

    fn blamed(&self) -> f64 {
        self.share(Verdict::Sensitive) + self.share(Verdict::SinglePhrasing)
    }

    fn line(&self) -> String {
        let shares = self.verdicts.keys().map(|one| format!("{} {:.1} %", one.name(), 100.0 * self.share(*one)));
        format!("{:>5.1} calls  {}", self.calls, shares.collect::<Vec<_>>().join(", "))
    }
}

fn cases(count: usize) -> Vec<Case> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let case = |n: usize| {
        format!("{{\"id\": \"case-{n}\", \"input\": \"{INPUT}\", \"expect\": {{\"reply_equals\": \"yes\"}}}}\n")
    };
    write("mutate.yaml", "instructions: rules.md\ncases: cases.jsonl\nagents: {simulated: {scripted: {}}}\n");
    write("rules.md", "# Shop\n");
    write("cases.jsonl", &(0..count).map(case).collect::<String>());
    let loaded = suite::load(folder.path(), &|_| None);
    loaded.suite.unwrap_or_else(|| panic!("{}", loaded.diagnostics.render(false))).cases
}

fn simulate(truth: &Truth, count: usize, seed: u64) -> Seen {
    let cases = cases(count);
    let coin = |p: f64| format!("[{{p: {p}, reply: 'yes'}}, {{reply: 'no'}}]");
    let exact = INPUT.replace('.', "\\\\.");
    let script = format!(
        "scripted: {{habits: [{{when: \"/^{exact}$/\", with: {}}}], otherwise: {}}}",
        coin(truth.original),
        coin(truth.others)
    );
    let mut diagnostics = Diagnostics::default();
    let node = parse_documents(&SourceFile::new("agent.yaml", script), &mut diagnostics).remove(0);
    let surroundings = Surroundings {
        root: std::path::PathBuf::new(),
        timeout: std::time::Duration::from_secs(1),
        max_output_bytes: 1000,
    };
    let agent = agents::from_node("simulated", &node, &surroundings, &mut diagnostics);
    let agent = agent.unwrap_or_else(|| panic!("{}", diagnostics.render(false)));
    let choice = Choice { seed, ..Choice::default() };
    let sources = Sources { packs: Packs::embedded(), choice: &choice, protect: &[] };
    let subjects: Vec<Subject> =
        cases.iter().enumerate().map(|(at, case)| sources.subject(at, case, None, None)).collect();
    assert!(subjects.iter().all(|subject| subject.variants.len() == 12));
    let instructions: Arc<[InstructionFile]> = Arc::new([]);
    let mut study = InputsStudy::new(&cases, subjects, instructions, &Design::default(), seed);
    let spent = simulated::ask(agent, &mut study);
    let each: Vec<Verdict> = (0..count).map(|at| study.finding(at).verdict).collect();
    let mut verdicts = BTreeMap::new();
    for verdict in &each {
        *verdicts.entry(*verdict).or_default() += 1;
    }
    Seen { cases: count, calls: spent.calls as f64 / count as f64, verdicts, each }
}

/// A share that is truly `p` is higher than this in fewer than 2 of 1,000 simulated suites.
fn with_margin(p: f64, cases: usize) -> f64 {
    p + 3.0 * (p * (1.0 - p) / cases as f64).sqrt()
}

#[test]
fn an_agent_of_90_percent_is_not_blamed_for_its_phrasings() {
    let seen = simulate(&TRUTHS[1], FEW, 9);
    assert!(seen.blamed() <= 0.05, "{}", seen.line());
    assert!(seen.calls <= 25.0, "{}", seen.line());
}

#[test]
fn a_phrasing_that_does_not_matter_is_blamed_no_more_often_than_promised() {
    for (truth, seed) in [(&TRUTHS[2], 7), (&TRUTHS[3], 5)] {
        let seen = simulate(truth, FEW, seed);
        assert!(seen.blamed() <= with_margin(0.05, FEW), "{}: {}", truth.name, seen.line());
    }
}

#[test]
fn a_case_that_passes_as_written_and_hardly_elsewhere_is_single_phrasing() {
    let seen = simulate(&TRUTHS[4], FEW, 1);
    assert!(seen.share(Verdict::SinglePhrasing) >= 0.95, "{}", seen.line());
    assert!(seen.calls <= 25.0, "{}", seen.line());
}

#[test]
fn clear_truths_are_called_what_they_are_in_the_fewest_calls() {
    let always = simulate(&TRUTHS[0], 20, 0);
    assert_eq!((always.share(Verdict::Robust), always.calls), (1.0, 15.0));
    let never = simulate(&TRUTHS[6], 20, 0);
    assert_eq!((never.share(Verdict::BaselineFailing), never.calls), (1.0, 3.0));
}

#[test]
fn the_same_suite_and_seed_give_the_same_verdicts_and_calls() {
    let (one, other) = (simulate(&TRUTHS[2], 50, 3), simulate(&TRUTHS[2], 50, 3));
    assert_eq!((one.calls, one.verdicts), (other.calls, other.verdicts));
}

/// The same agent asked twice, with nothing changed but the chances: how often do two runs disagree?
#[test]
fn two_runs_of_the_same_thing_hardly_ever_disagree_on_whether_it_is_at_fault() {
    let truth = Truth { name: "80 %, whatever the phrasing", original: 0.8, others: 0.8 };
    let (one, other) = (simulate(&truth, 200, 11), simulate(&truth, 200, 12));
    println!("{}\n{}", one.line(), other.line());
    // What a gate sees: a case at fault, one in order, or one that is open.
    let seen = |verdict: &Verdict| match verdict {
        Verdict::Robust | Verdict::Flaky => Some(true),
        Verdict::SinglePhrasing | Verdict::Sensitive | Verdict::BaselineFailing => Some(false),
        _ => None,
    };
    let pairs = || one.each.iter().zip(&other.each);
    let flips = pairs().filter(|(a, b)| matches!((seen(a), seen(b)), (Some(x), Some(y)) if x != y)).count();
    let differ = pairs().filter(|(a, b)| a != b).count();
    println!("{flips} of 200 flip between in order and at fault; {differ} have another verdict");
    assert!(flips <= FLIPS, "{flips}");
    assert!(differ <= DIFFER, "{differ}");
}

fn table(count: usize) {
    for (at, truth) in TRUTHS.iter().enumerate() {
        println!("{:<34} {}", truth.name, simulate(truth, count, at as u64).line());
    }
}

#[test]
#[ignore = "the table of the docs: a minute in a release build"]
fn the_table_with_many_cases() {
    table(MANY);
}
