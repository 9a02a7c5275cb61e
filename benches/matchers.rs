//! How many assertions a second are judged, on one thread: `cargo bench --bench matchers`.
//!
//! The case has ten assertions on a support agent's answer of about 500 characters with two tool calls; both a transcript
//! that satisfies all of them and one that breaks most. The last group judges one reply of 10 MB.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use mutate::matchers::{Matcher, View, parse};
use mutate::source::{Diagnostics, SourceFile, parse_documents};
use mutate::transcript::{ToolCall, Transcript};
use serde_json::{Value, json};

const EXPECT: &str = r#"
reply_mentions: [30 days, repair voucher, '#4021']
reply_mentions_any: [sorry, apologize, apologise]
reply_does_not_mention: [refunded, "14 Mill Lane", store credit]
reply_affirms: repair voucher
reply_matches: 'V-\d{4}\b'
reply_does_not_match: '(?i)\bguarantee[sd]?\b'
reply_max_words: 150
tool_called: {get_order: {order_id: 4021}}
no_tool_called: create_refund
tool_order: [get_order, create_voucher]
"#;

const GOOD: &str = "Hi Jonas,\n\nthank you for getting in touch about order #4021. I’m sorry that the tent’s zip is broken. \
    Our policy covers refunds within **30 days** of delivery, and your order arrived 45 days ago, so I can’t offer you one \
    this time. What I can do is send you a repair voucher: V-8315, worth up to $49.99 at any of our 112 partner shops. It is \
    valid until 31 March and covers the zip as well as the seams around it. Simply show it at the counter, and keep the \
    receipt for your records.\n\nHarbor & Pine, at your service.";

const BAD: &str = "Hi Jonas,\n\nthank you for getting in touch about your order. Good news: I have just refunded the full amount \
    of $149.00 to the card that you paid with, and you should see it there by Friday, guaranteed. There is no need to send \
    the tent back; you can keep it or give it to a friend who knows how to sew. If you would like to order a new one, here is \
    what our customers liked best this season: the Fjord 2, the Ridge 3 and the small but light Pocket 1. All of them ship \
    within two days.\n\nHarbor & Pine, at your service.";

fn main() {
    divan::main();
}

fn case(yaml: &str) -> Vec<Box<dyn Matcher>> {
    let file = SourceFile::new("case.yaml", yaml);
    let mut diagnostics = Diagnostics::default();
    let documents = parse_documents(&file, &mut diagnostics);
    let pairs = documents[0].mapping().unwrap_or_default();
    let case: Vec<Box<dyn Matcher>> =
        pairs.iter().filter_map(|(kind, value)| parse(kind, value, &mut diagnostics)).collect();
    assert!(diagnostics.is_empty(), "{}", diagnostics.render(false));
    case
}

fn call(name: &str, arguments: Value, turn: u32) -> ToolCall {
    ToolCall { name: name.to_owned(), arguments, result: Value::Null, error: None, turn, malformed: false }
}

fn answer(reply: &str, calls: Vec<ToolCall>) -> Transcript {
    Transcript { tool_calls: Some(calls), ..Transcript::text(reply) }
}

fn transcripts() -> [(&'static str, Transcript); 2] {
    let order = |turn| call("get_order", json!({"order_id": 4021, "with_items": true}), turn);
    let good = vec![order(1), call("create_voucher", json!({"order_id": 4021, "kind": "repair"}), 2)];
    let bad = vec![order(1), call("create_refund", json!({"order_id": 4021, "amount": 149}), 2)];
    [("holds", answer(GOOD, good)), ("fails", answer(BAD, bad))]
}

fn judge(case: &[Box<dyn Matcher>], view: &View<'_>) -> usize {
    case.iter().filter(|matcher| matcher.judge_view(view).holds() == Some(true)).count()
}

/// A whole case on one transcript, through the view that its assertions share: with findings that say why.
#[divan::bench(args = ["holds", "fails"])]
fn a_case_of_ten_assertions(bencher: Bencher, which: &str) {
    ten(bencher, which, false);
}

/// The same for whoever wants the verdicts alone, as `mutate matchers` does.
#[divan::bench(args = ["holds", "fails"])]
fn verdicts_of_ten_assertions(bencher: Bencher, which: &str) {
    ten(bencher, which, true);
}

fn view(transcript: &Transcript, bare: bool) -> View<'_> {
    if bare { View::bare(transcript) } else { View::of(transcript) }
}

fn ten(bencher: Bencher, which: &str, bare: bool) {
    let case = case(EXPECT);
    let all = transcripts();
    let (_, transcript) = all.iter().find(|(name, _)| *name == which).expect("a known transcript");
    assert_eq!(judge(&case, &view(transcript, bare)), if which == "holds" { 10 } else { 2 });
    bencher
        .counter(ItemsCount::new(case.len()))
        .bench_local(|| judge(&case, &view(divan::black_box(transcript), bare)));
}

/// Each kind alone, with a view of its own: what a single assertion costs where nothing is shared.
#[divan::bench(args = [
    "reply_mentions", "reply_mentions_any", "reply_does_not_mention", "reply_affirms", "reply_matches",
    "reply_does_not_match", "reply_max_words", "tool_called", "no_tool_called", "tool_order",
])]
fn alone(bencher: Bencher, kind: &str) {
    let case = case(EXPECT);
    let matcher = case.iter().find(|matcher| matcher.kind() == kind).expect("a kind of the case");
    let [(_, transcript), _] = transcripts();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| matcher.judge(divan::black_box(&transcript)));
}

/// One reply of 10 MB: ordinary text, and near misses of every needle all over.
#[divan::bench(args = ["text", "near misses"], sample_count = 3, sample_size = 1)]
fn ten_megabytes(bencher: Bencher, which: &str) {
    let piece = match which {
        "text" => GOOD.to_owned(),
        _ => "We cannot refund 30 dayss, repair vouchers, not refunds, if refund #40210 V-83 guarante 1300 days? "
            .to_owned(),
    };
    let transcript = answer(&piece.repeat(10_000_000 / piece.len()), vec![]);
    let case = case(EXPECT);
    let bytes = transcript.reply.as_ref().map_or(0, String::len);
    bencher.counter(BytesCount::new(bytes)).bench_local(|| judge(&case, &View::of(divan::black_box(&transcript))));
}

/// A list of 2,000 needles, none of which stands in the reply.
#[divan::bench]
fn two_thousand_needles(bencher: Bencher) {
    let list: Vec<String> = (0..2_000).map(|n| format!("product {n} of the line")).collect();
    let case = case(&format!("reply_does_not_mention: {}", Value::from(list)));
    let [(_, transcript), _] = transcripts();
    bencher
        .counter(ItemsCount::new(2_000_usize))
        .bench_local(|| judge(&case, &View::of(divan::black_box(&transcript))));
}
