//! How many verified, distinct variants a second, on one thread: `cargo bench --bench variants`.
//!
//! On your own inputs: `MUTATE_INPUTS=inputs.jsonl cargo bench --bench variants` reads lines
//! `{"text": "…", "must_survive": ["#4021"], "lang": "en"}` (only `text` is needed) and counts variants, distinct ones,
//! losses of what must survive, and variants a second. `MUTATE_VARIANTS` sets how many of each input (4000),
//! `MUTATE_KINDS=typo,format` the kinds, `MUTATE_SHOW=1` prints every variant.

use std::collections::HashSet;
use std::io::{self, Write};
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use mutate::mutators::input::{Choice, Kind, NotApplicable, Packs, Subject, variants};

const INPUTS: [&str; 6] = [
    "Refund order #4021, the tent arrived damaged and the zip is broken.",
    "Hi, I was charged twice for invoice INV-2024-0087. Can you refund the duplicate payment of $49.99?",
    "Please rename the function `parse_line` in src/reader.rs and run the tests again.",
    "Could you move my appointment with Dr. Okafor to Thursday at 14:30, please?",
    "My package was supposed to arrive on 12/05/2024 but the tracking page still says it has been delayed.",
    "I'd like to change the email address on my account from ann@example.org to ann.b@example.org.",
];

fn main() -> io::Result<()> {
    match std::env::var("MUTATE_INPUTS") {
        Ok(path) => score(&path),
        Err(_) => {
            divan::main();
            Ok(())
        }
    }
}

/// The default mutators, `wanted` variants of each input.
#[divan::bench(args = [12, 100, 1000, 10000])]
fn default_mutators(bencher: Bencher, wanted: usize) {
    let packs = Packs::embedded();
    let make = |seed: u64| -> usize {
        let choice = Choice { variants: wanted, seed, ..Choice::default() };
        INPUTS.iter().map(|input| variants(packs, &subject(input, None), &choice).variants.len()).sum()
    };
    let count = make(1);
    bencher.counter(ItemsCount::new(count)).bench_local(|| make(1));
}

fn subject<'a>(input: &'a str, language: Option<&'a str>) -> Subject<'a> {
    Subject { case: "bench", input, literals: &[], protect: &[], language }
}

fn score(path: &str) -> io::Result<()> {
    let packs = Packs::embedded();
    let wanted = std::env::var("MUTATE_VARIANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let kinds = std::env::var("MUTATE_KINDS").ok();
    let kinds: Option<Vec<Kind>> = kinds.map(|list| list.split(',').filter_map(Kind::from_name).collect());
    let show = std::env::var_os("MUTATE_SHOW").is_some();
    let mut out = io::stdout().lock();
    let (mut made, mut distinct, mut lost, mut seconds) = (0, 0, 0, 0.0);
    for (at, line) in std::fs::read_to_string(path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let input: serde_json::Value = serde_json::from_str(line)?;
        let text = input["text"].as_str().unwrap_or_default();
        let keep: Vec<&str> =
            input["must_survive"].as_array().into_iter().flatten().filter_map(|text| text.as_str()).collect();
        let choice = Choice { variants: wanted, kinds: kinds.clone(), ..Choice::default() };
        let case = format!("line-{}", at + 1);
        let subject = Subject { case: &case, ..subject(text, input["lang"].as_str()) };
        let start = Instant::now();
        let result = variants(packs, &subject, &choice);
        seconds += start.elapsed().as_secs_f64();
        made += result.variants.len();
        distinct +=
            result.variants.iter().map(|v| v.text.as_str()).filter(|made| *made != text).collect::<HashSet<_>>().len();
        for variant in &result.variants {
            for keep in keep.iter().filter(|keep| !variant.text.contains(**keep)) {
                lost += 1;
                writeln!(out, "lost {keep}: {}: {:?}", variant.id, variant.text)?;
            }
            if show {
                writeln!(out, "{:<28} {:?}", variant.mutator, variant.text)?;
            }
        }
        if show {
            for short in &result.shortfalls {
                writeln!(out, "short  {} {} of {}: {}", short.mutator, short.made, short.wanted, short.reason)?;
            }
            for NotApplicable { mutator, reason, .. } in &result.not_applicable {
                writeln!(out, "n/a    {mutator}: {reason}")?;
            }
            writeln!(out)?;
        }
    }
    writeln!(
        out,
        "{made} variants, {distinct} distinct and changed, {lost} losses, {:.0} a second",
        made as f64 / seconds
    )
}
