//! Finding and editing in a large instruction file: `cargo bench --bench instructions`.
//!
//! A file of 1 MB with some 14,000 rules, as Markdown and as one YAML block. Targets: `nearest` under 50 ms, the first
//! call on a document included; `locate` and `delete` of one rule well below.

use divan::Bencher;
use mutate::instructions::{Document, Edit, edit, locate, nearest};

fn main() {
    divan::main();
}

const SIZE: usize = 1_000_000;
const KINDS: [&str; 2] = ["prompt.md", "prompt.yaml"];
/// Near to one of the rules, and equal to none.
const QUOTE: &str = "Never refund parcel 7003 for a customer in shop 21 without an answer from the lead.";

fn text(name: &str) -> String {
    let (head, indent) = if name.ends_with("yaml") { ("prompt: |\n", "  ") } else { ("", "") };
    let mut text = head.to_owned();
    let mut at = 0;
    while text.len() < SIZE {
        if at % 40 == 0 {
            text.push_str(&format!("\n{indent}## Part {at}\n\n"));
        }
        let verb = ["refund", "exchange", "reserve", "describe", "insure"][at % 5];
        text.push_str(&format!(
            "{indent}- Never {verb} parcel {at} for a customer of shop {} without a word from the lead.\n",
            at % 97
        ));
        at += 1;
    }
    text
}

fn document(name: &str) -> Document {
    Document::from_bytes(name, text(name).into_bytes()).expect("the text is UTF-8")
}

/// Read, laid out and indexed anew each time.
#[divan::bench(args = KINDS)]
fn nearest_first(bencher: Bencher, name: &str) {
    bencher.with_inputs(|| document(name)).bench_values(|document| nearest(&document, QUOTE).map(|near| near.line));
}

#[divan::bench(args = KINDS)]
fn nearest_again(bencher: Bencher, name: &str) {
    let document = document(name);
    bencher.bench_local(|| nearest(&document, QUOTE).map(|near| near.line));
}

#[divan::bench(args = KINDS)]
fn locate_one(bencher: Bencher, name: &str) {
    let document = document(name);
    bencher.bench_local(|| {
        locate(&document, "never exchange parcel 6001 for a customer of shop 84 without a word from the lead").len()
    });
}

#[divan::bench(args = KINDS)]
fn delete_one(bencher: Bencher, name: &str) {
    let document = document(name);
    let statements =
        locate(&document, "Never exchange parcel 6001 for a customer of shop 84 without a word from the lead.");
    bencher.bench_local(|| edit(&document, &statements, &Edit::Delete).map(|edited| edited.text.len()));
}
