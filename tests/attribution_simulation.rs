//! How often the attribution finds exactly the statements that carry a case, and for how many calls: the real study and
//! the real engine ask an agent that obeys a rule where it stands, at known rates, in files of 20 and of 200 statements.
//!
//! Everything is seeded. The table of docs/attribution.md, in some minutes:
//! `cargo test --release --test attribution_simulation -- --ignored --nocapture`.

#![allow(clippy::print_stdout, reason = "the table is read with --nocapture")]

#[path = "common/simulated.rs"]
mod simulated;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use mutate::agents::{Agent, Asking, Delivery, Request};
use mutate::instructions::Document;
use mutate::source::Diagnostics;
use mutate::stats::Design;
use mutate::studies::rules::attribution::{AttributionStudy, Verdict};
use mutate::studies::rules::{Arm, Settings, Workshop, nonce};
use mutate::suite::{self, Case};
use mutate::transcript::Transcript;
use serde_json::{Value, json};

const QUOTE: &str = "Never offer a discount to anybody who asks for one.";
/// The same in other words.
const AGAIN: &str = "Whoever wants a discount hears that we do not offer any.";
const THIRD: &str = "Discounts are not yours to give.";
/// The same without a word in common.
const UNLIKE: &str = "Prices stay as printed, however long people haggle.";

/// Says "yes" at one rate while any of the statements stands in its instructions, and at another while none does.
struct Obedient {
    carriers: &'static [&'static str],
    with: f64,
    without: f64,
}

impl Agent for Obedient {
    fn kind(&self) -> &'static str {
        "simulated"
    }

    fn describe(&self) -> String {
        "simulated".to_owned()
    }

    fn settings(&self) -> Value {
        json!({"carriers": self.carriers, "with": self.with, "without": self.without})
    }

    fn delivery(&self) -> Delivery {
        Delivery::Handed
    }

    fn sees_names(&self) -> bool {
        true
    }

    fn bare_note(&self) -> &'static str {
        "empty instructions"
    }

    fn ask<'a>(&'a self, request: &'a Request) -> Asking<'a> {
        let text = request.instructions_text();
        let stands = self.carriers.iter().any(|carrier| text.contains(carrier));
        let chance = if stands { self.with } else { self.without };
        let draw = f64::from(request.trial_seed()) / f64::from(i32::MAX);
        let reply = if draw < chance { "yes" } else { "no" };
        Box::pin(async move { Ok(Transcript::text(reply)) })
    }
}

/// Cases that quote the rule and want the reply "yes". Each id gives its own randomness.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let case = |n: usize| {
        format!(
            "{{\"id\": \"case-{n}\", \"input\": \"Can I have it cheaper?\", \"rule\": \"{QUOTE}\", \
             \"expect\": {{\"reply_equals\": \"yes\"}}}}\n"
        )
    };
    write("mutate.yaml", "instructions: rules.md\ncases: cases.jsonl\nagents: {simulated: {command: [never-asked]}}\n");
    write("rules.md", &format!("- {QUOTE}\n"));
    write("cases.jsonl", &(0..MANY).map(case).collect::<String>());
    let loaded = suite::load(folder.path(), &|_| None);
    loaded.suite.unwrap_or_else(|| panic!("{}", loaded.diagnostics.render(false))).cases
});

/// Cases of one truth in a long run.
const MANY: usize = 200;
/// Cases that share one file where the agent is noisy.
const A_FILE: usize = 10;

/// Instructions of so many statements, those given at places that the seed chooses.
fn instructions(size: usize, given: &[&str], seed: u64) -> String {
    const WHO: [&str; 8] = [
        "New customers",
        "Callers from abroad",
        "Dealers",
        "Members of the club",
        "Schools",
        "People who write at night",
        "Neighbours of the shop",
        "Owners of an older model",
    ];
    const WHAT: [&str; 9] = [
        "get the opening hours first",
        "are asked for their order number",
        "are greeted by their family name",
        "want a link to the manual",
        "are told about spare parts",
        "hear that delivery takes a week",
        "may send a photo of the damage",
        "are handed to the workshop when they ask for it",
        "receive a summary at the end",
    ];
    const WHEN: [&str; 3] = ["", " before anything else", " unless they say that they are in a hurry"];
    let mut random = seed;
    let mut draw = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let mut lines: Vec<String> = vec![];
    let mut all: Vec<usize> = (0..WHO.len() * WHAT.len() * WHEN.len()).collect();
    while lines.len() < size - given.len() {
        let one = all.swap_remove(draw(all.len()));
        let (who, what, when) = (one % WHO.len(), one / WHO.len() % WHAT.len(), one / WHO.len() / WHAT.len());
        lines.push(format!("{} {}{}.", WHO[who], WHAT[what], WHEN[when]));
    }
    for text in given {
        lines.insert(draw(lines.len() + 1), (*text).to_owned());
    }
    let mut text = "# Shop\n".to_owned();
    for (at, line) in lines.iter().enumerate() {
        if at % 10 == 0 {
            text.push_str(&format!("\n## Part {}\n\n", at / 10 + 1));
        }
        text.push_str(&format!("- {line}\n"));
    }
    text
}

/// A truth: what stands in the file, and which of it carries.
struct Truth {
    name: &'static str,
    given: &'static [&'static str],
    carriers: &'static [&'static str],
}

const TRUTHS: [Truth; 8] = [
    Truth { name: "the quoted rule alone", given: &[QUOTE], carriers: &[QUOTE] },
    Truth { name: "the rule written twice", given: &[QUOTE, QUOTE], carriers: &[QUOTE] },
    Truth { name: "the rule and a paraphrase", given: &[QUOTE, AGAIN], carriers: &[QUOTE, AGAIN] },
    Truth { name: "the rule and two paraphrases", given: &[QUOTE, AGAIN, THIRD], carriers: &[QUOTE, AGAIN, THIRD] },
    Truth { name: "a paraphrase, not the rule", given: &[QUOTE, AGAIN], carriers: &[AGAIN] },
    Truth { name: "another statement alone", given: &[QUOTE, UNLIKE], carriers: &[UNLIKE] },
    Truth { name: "the rule and another statement", given: &[QUOTE, UNLIKE], carriers: &[QUOTE, UNLIKE] },
    Truth { name: "nothing", given: &[QUOTE], carriers: &[] },
];

/// What came out for the cases of one truth.
#[derive(Default)]
struct Outcomes {
    cases: usize,
    /// Said to be carried by exactly the statements that carry, or by nothing where nothing does.
    right: usize,
    /// Settled, and not right.
    wrong: usize,
    calls: Vec<usize>,
}

impl Outcomes {
    /// Calls that so large a share of the cases needed no more than.
    fn calls(&self, share: f64) -> usize {
        let mut calls = self.calls.clone();
        calls.sort_unstable();
        calls[((calls.len() as f64 * share).ceil() as usize).clamp(1, calls.len()) - 1]
    }

    fn share(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.cases as f64
    }
}

/// Runs `files` files with so many cases each. With `thorough`, a settled case is right only if moreover exactly one of the
/// carriers is said to be enough.
fn simulate(
    truth: &Truth,
    size: usize,
    [with, without]: [f64; 2],
    [files, each]: [usize; 2],
    thorough: bool,
) -> Outcomes {
    // Where nothing carries it, the agent passes as it does with the rule.
    let without = if truth.carriers.is_empty() { with } else { without };
    let mut outcomes = Outcomes::default();
    for file in 0..files {
        let seed = file as u64;
        let text = instructions(size, truth.given, seed);
        let documents = [Document::from_bytes("rules.md", text.into()).unwrap()];
        let workshop = Workshop::new(&documents, &[Arm::Delete], seed, &nonce(seed));
        let one = workshop.subjects(0, &CASES[0], &mut Diagnostics::default()).remove(0);
        let subjects = (file * each..(file + 1) * each)
            .map(|case| mutate::studies::rules::Subject { id: CASES[case].id.clone(), case, ..one.clone() })
            .collect();
        let agent = Arc::new(Obedient { carriers: truth.carriers, with, without });
        let settings = Settings { thorough, ..Settings::new(Design::default(), seed) };
        let mut study = AttributionStudy::new(&CASES, &workshop, subjects, &settings, agent.delivery()).unwrap();
        simulated::ask(agent, &mut study);
        for subject in 0..study.subjects() {
            let finding = study.finding(subject);
            let found: Vec<&str> =
                finding.set.iter().map(|one| study.candidates(subject).all[*one].statement.text.as_str()).collect();
            let all_of_them = truth.given.iter().filter(|text| truth.carriers.contains(text)).count();
            let exact = found.len() == all_of_them
                && found.iter().copied().collect::<BTreeSet<_>>() == truth.carriers.iter().copied().collect();
            let enough = !thorough
                || finding.needed.as_ref().is_some_and(|needed| {
                    needed.settled && needed.set.len() == 1 && needed.set.is_subset(&finding.set)
                });
            let right = match finding.verdict {
                Verdict::Carried => exact && enough && !truth.carriers.is_empty(),
                Verdict::ModelDefault => truth.carriers.is_empty(),
                _ => false,
            };
            let settled = !matches!(finding.verdict, Verdict::Unproven | Verdict::BaselineFailing);
            outcomes.cases += 1;
            outcomes.right += usize::from(right);
            outcomes.wrong += usize::from(settled && !right);
            outcomes.calls.push(study.asked(subject));
        }
    }
    outcomes
}

fn row(truth: &Truth, size: usize, rates: [f64; 2], seen: &Outcomes) -> String {
    format!(
        "| {} | {size} | {} → {} | {:.1} % | {:.1} % | {} | {} |",
        truth.name,
        rates[0],
        rates[1],
        seen.share(seen.right),
        seen.share(seen.wrong),
        seen.calls(0.5),
        seen.calls(0.95)
    )
}

/// Most calls of any case of a steady agent, in files of 20 and of 200 statements.
const STEADY_CALLS: [[usize; 2]; 8] = [[17, 17], [37, 37], [43, 43], [63, 63], [31, 31], [45, 80], [62, 105], [23, 23]];

#[test]
fn where_the_agent_is_steady_exactly_what_carries_is_found() {
    for (at, truth) in TRUTHS.iter().enumerate() {
        for (size, most) in [20, 200].into_iter().zip(STEADY_CALLS[at]) {
            let seen = simulate(truth, size, [1.0, 0.0], [4, 1], false);
            println!("{}", row(truth, size, [1.0, 0.0], &seen));
            assert_eq!(seen.right, seen.cases, "{} of {size}", truth.name);
            assert!(seen.calls(1.0) <= most, "{} of {size}: {} calls", truth.name, seen.calls(1.0));
        }
    }
}

#[test]
fn where_the_agent_is_noisy_what_is_settled_is_hardly_ever_wrong() {
    let (mut cases, mut wrong) = (0, 0);
    for truth in &TRUTHS {
        let seen = simulate(truth, 20, [0.9, 0.1], [3, A_FILE], false);
        println!("{}", row(truth, 20, [0.9, 0.1], &seen));
        assert!(seen.share(seen.right) >= 85.0, "{}: {} of {} right", truth.name, seen.right, seen.cases);
        cases += seen.cases;
        wrong += seen.wrong;
    }
    assert!(wrong * 50 <= cases, "{wrong} of {cases} wrong");
}

#[test]
fn what_is_said_to_be_enough_is_enough() {
    for truth in &TRUTHS[..3] {
        for (rates, cases) in [([1.0, 0.0], [3, 1]), ([0.9, 0.1], [2, A_FILE])] {
            let seen = simulate(truth, 20, rates, cases, true);
            println!("thorough {}", row(truth, 20, rates, &seen));
            assert!(10 * seen.right >= 8 * seen.cases, "{}: {} of {} right", truth.name, seen.right, seen.cases);
            assert_eq!(seen.wrong * 20 / seen.cases, 0, "{}: {} of {} wrong", truth.name, seen.wrong, seen.cases);
        }
    }
}

#[test]
#[ignore = "many minutes in a debug build"]
fn the_table_of_the_documentation() {
    println!("| what carries | statements | passes with → without | exactly right | wrong | calls, median | 95 % |");
    println!("|---|---|---|---|---|---|---|");
    for (rates, cases) in [([1.0, 0.0], [20, 1]), ([0.9, 0.1], [MANY / A_FILE, A_FILE])] {
        for size in [20, 200] {
            for truth in &TRUTHS {
                let seen = simulate(truth, size, rates, cases, false);
                println!("{}", row(truth, size, rates, &seen));
                assert!(seen.share(seen.wrong) <= 5.0, "{}: {} of {} wrong", truth.name, seen.wrong, seen.cases);
            }
        }
    }
}
