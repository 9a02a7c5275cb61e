//! The matchers study on suites of many cases: `cargo bench --bench study_matchers`.
//!
//! `MUTATE_SUITE=DIR cargo bench --bench study_matchers` studies the cases of a suite of yours once and prints the time
//! and the judgements a second.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use mutate::run::Spent;
use mutate::studies::matchers::{Known, MatchersReport, Recorded, study};
use mutate::studies::{AgentLine, Heading};
use mutate::suite::{Case, Config, load};

fn main() -> io::Result<()> {
    match std::env::var("MUTATE_SUITE") {
        Ok(folder) => once(&PathBuf::from(folder)),
        Err(_) => {
            divan::main();
            Ok(())
        }
    }
}

/// Every case has a call with arguments, a forbidden one, a text to mention and one not to, and an example.
#[divan::bench(args = [100, 1000], sample_count = 10)]
fn cases(bencher: Bencher, number: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_suite(folder.path(), number).expect("the suite is written");
    let cases = cases_of(folder.path());
    bencher.counter(ItemsCount::new(number)).bench_local(|| run(&cases));
}

fn write_suite(folder: &Path, number: usize) -> io::Result<()> {
    std::fs::write(folder.join("mutate.yaml"), "cases: cases.yaml\nagents: {nobody: {scripted: {habits: []}}}\n")?;
    let mut text = String::new();
    for at in 0..number {
        let order = 4000 + at;
        text.push_str(&format!(
            "- id: case-{at}\n  input: \"Please refund order {order}. It came 45 days ago.\"\n  expect:\n    tool_called: [{{get_order: {{order_id: {order}}}}}]\n    no_tool_called: [create_refund, cancel_order]\n    reply_mentions: [\"30 days\"]\n    reply_does_not_mention: [refunded]\n    reply_matches: 'order #?{order}\\b'\n  examples:\n    - reply: \"Your order {order} came 45 days ago. We can refund within 30 days, so this one is too late. Is there anything else?\"\n      tool_calls: [{{name: get_order, arguments: {{order_id: {order}}}}}]\n"
        ));
    }
    std::fs::write(folder.join("cases.yaml"), text)
}

fn cases_of(folder: &Path) -> Vec<Case> {
    let loaded = load(folder, &|_| None);
    loaded.suite.unwrap_or_else(|| panic!("{}", loaded.diagnostics.render(false))).cases
}

fn run(cases: &[Case]) -> MatchersReport {
    let agent = AgentLine { name: String::new(), kind: String::new(), description: String::new() };
    let heading = Heading { suite: String::new(), agent, seed: 0, cases_left_out: 0, notes: vec![] };
    study(cases, &Known::of(cases, Recorded::new()), &Config::default(), &Spent::default(), heading)
}

fn once(folder: &Path) -> io::Result<()> {
    let cases = cases_of(folder);
    let began = Instant::now();
    let report = run(&cases);
    let seconds = began.elapsed().as_secs_f64();
    let judgements = report.own.judgements;
    writeln!(
        io::stdout().lock(),
        "{} cases, {} transcripts, {judgements} judgements in {seconds:.2} s: {:.0} a second",
        cases.len(),
        report.own.tried,
        judgements as f64 / seconds
    )
}
