//! What is promised of variants, for generated inputs: see `common/promises.rs`, which the fuzz target asks as well.

use mutate::mutators::input::{Choice, Packs, Subject, variants};
use proptest::prelude::*;

#[path = "common/promises.rs"]
mod promises;

// No sign is torn: every cluster of several code points is one of the original's.
#[test]
fn no_grapheme_is_torn() {
    for input in [
        "👨‍👩‍👧 family ticket please",
        "cafe\u{301} order number",
        "नमस्ते दोस्तों कृपया",
        "🇫🇷 visa question",
        "👍🏽 thanks, the sea\u{301}nce ticket 1\u{fe0f}\u{20e3} came",
        "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8} ticket please",
        "กรุณายกเลิกการจองที่พัก",
        "مَرحبا أريد إلغاء الحجز",
        "Ich möchte das Paket zurückschicken",
    ] {
        assert!((0..6).all(|seed| promises::hold(input, &[], seed) > 0), "{input}");
    }
}

/// Pieces of inputs, with whether they must survive.
fn piece() -> impl Strategy<Value = (String, bool)> {
    let plain = prop::sample::select(vec![
        "please",
        "refund",
        "the",
        "order",
        "I",
        "want",
        "to",
        "receive",
        "broken",
        "tent,",
        "because",
        "it's",
        "could",
        "you",
        "don't",
        "my",
        "calendar.",
        "Why",
        "kaputt",
        "möchte",
        "返金してください",
        "我想退货",
        "नमस्ते",
        "cafe\u{301}",
        "—",
        "if",
        "when",
        "and",
        "is",
        "account",
        "separate",
        "definitely",
    ]);
    let solid = prop::sample::select(vec![
        "#4021",
        "AB-1290",
        "$1,250.00",
        "2026-03-01",
        "7:30",
        "ana@example.org",
        "https://x.org/a?b=1",
        "/usr/bin/env",
        "C:\\temp\\a.txt",
        "`rm -rf`",
        "\"quoted text\"",
        "{{slot}}",
        "NOT",
        "not",
        "never",
        "only",
        "unless",
        "+1 (555) 010-4477",
        "👩‍👩‍👧",
        "🇫🇷",
        "½",
        "18°C",
        "SAVE20",
        "snake_case",
        "--flag",
        "Monday",
        "89,90 €",
        "«cité»",
        "main.rs",
        "all",
        "1Z999AA1",
    ]);
    prop_oneof![
        3 => plain.prop_map(|text| (text.to_owned(), false)),
        2 => solid.prop_map(|text| (text.to_owned(), true)),
        1 => "[a-zA-Z]{1,9}[.,!?]?".prop_map(|text| (text, false)),
        // Any sign but those that come in pairs: a stray one leaves open what belongs together.
        1 => "\\PC{1,6}".prop_map(|text| (text.replace(['"', '\'', '`', '{', '}', '“', '”', '„', '‘', '’', '«', '»', '‹', '›', '「', '」', '『', '』'], ""), false)),
    ]
}

fn joint() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![" ", " ", " ", " ", ", ", ". ", "\n", "  ", "? "])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    #[test]
    fn what_must_survive_does_whatever_stands_around_it(
        pieces in prop::collection::vec((piece(), joint()), 1..14),
        seed in any::<u64>(),
    ) {
        let input: String = pieces.iter().map(|((text, _), joint)| format!("{text}{joint}")).collect();
        let subject = Subject { case: "case", input: &input, literals: &[], protect: &[], language: None };
        let names = Packs::embedded().mutators().map(|mutator| mutator.name().to_owned()).collect();
        let choice = Choice { kinds: None, mutators: Some(names), variants: 45, seed };
        let result = variants(Packs::embedded(), &subject, &choice);
        for variant in &result.variants {
            let mut at = 0;
            for ((keep, solid), _) in &pieces {
                if *solid {
                    let found = variant.text[at..].find(keep.as_str());
                    prop_assert!(found.is_some(), "{} lost {keep:?}: {input:?} became {:?}", variant.mutator, variant.text);
                    at += found.unwrap() + keep.len();
                }
            }
        }
    }

    #[test]
    fn no_text_breaks_the_mutators(input in "[a-zA-Z0-9 .,!?\"'`{}|#*>$\n\u{200d}\u{301}\u{1f468}\u{1f1eb}愛ñß’“”-]{0,60}", seed in any::<u64>()) {
        promises::hold(&input, &[], seed);
    }

    // The function that `fuzz/` drives, with literals that stand in the input and others that don't.
    #[test]
    fn the_promises_hold_for_any_text_seed_and_literals(
        pieces in prop::collection::vec((piece(), joint()), 0..10),
        picked in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        other in prop::collection::vec("\\PC{0,8}", 0..3),
        tail in "\\PC{0,30}",
        seed in any::<u64>(),
    ) {
        let input: String = pieces.iter().map(|((text, _), joint)| format!("{text}{joint}")).collect::<String>() + &tail;
        let words: Vec<&str> = input.split_whitespace().collect();
        let picked = picked.iter().filter(|_| !words.is_empty()).map(|at| at.get(&words).to_string());
        let literals: Vec<String> = picked.chain(other).collect();
        promises::hold(&input, &literals, seed);
    }
}
