//! Input variants, from outside: nothing that matters is lost, whatever the input, the seed and the mutator.
//!
//! On your own inputs: `MUTATE_SHARED=folder` with `folder/data/inputs.dev.jsonl`, lines
//! `{"text": "…", "must_survive": ["#4021"]}`; or see `benches/variants.rs`.

use std::collections::{BTreeSet, HashSet};
use std::io::Write;
use std::path::PathBuf;

use mutate::mutators::input::{Choice, Kind, Packs, Subject, Variants, Why, apply, protected, variants, verify};
use mutate::source::Diagnostics;
use regex::Regex;

fn subject<'a>(case: &'a str, input: &'a str) -> Subject<'a> {
    Subject { case, input, literals: &[], protect: &[], language: None }
}

/// Every mutator of the packs.
fn everything(variants: usize, seed: u64) -> Choice {
    let names = Packs::embedded().mutators().map(|mutator| mutator.name().to_owned()).collect();
    Choice { kinds: None, mutators: Some(names), variants, seed }
}

fn made(input: &str, choice: &Choice) -> Variants {
    variants(Packs::embedded(), &subject("case", input), choice)
}

fn texts(variants: &Variants) -> Vec<&str> {
    variants.variants.iter().map(|variant| variant.text.as_str()).collect()
}

#[test]
fn nothing_that_must_survive_is_lost_over_a_hundred_thousand_variants() {
    let shared = std::env::var("MUTATE_SHARED").map_or_else(|_| PathBuf::from("../shared"), PathBuf::from);
    let path = shared.join("data/inputs.dev.jsonl");
    let Ok(lines) = std::fs::read_to_string(&path) else {
        let note = "skipped: there is no data/inputs.dev.jsonl in ../shared (MUTATE_SHARED names another folder)";
        writeln!(std::io::stderr(), "{note}").unwrap();
        return;
    };
    let inputs: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (mut count, mut lost) = (0, vec![]);
    for seed in 0..200 {
        for input in &inputs {
            let text = input["text"].as_str().unwrap();
            let subject =
                Subject { language: input["lang"].as_str(), ..subject(input["id"].as_str().unwrap_or("case"), text) };
            let result = variants(Packs::embedded(), &subject, &everything(60, seed));
            count += result.variants.len();
            for variant in &result.variants {
                for keep in input["must_survive"].as_array().unwrap() {
                    let keep = keep.as_str().unwrap();
                    if variant.text.matches(keep).count() != text.matches(keep).count() {
                        lost.push(format!("{keep} in {}: {:?}", variant.id, variant.text));
                    }
                }
                assert_ne!(variant.text, text);
            }
        }
        if count > 110_000 {
            break;
        }
    }
    writeln!(std::io::stderr(), "{count} variants, {} losses", lost.len()).unwrap();
    assert!(lost.is_empty(), "{} lost, the first ones: {:#?}", lost.len(), &lost[..lost.len().min(5)]);
    assert!(count >= 100_000, "{count}");
}

#[test]
fn a_default_run_makes_twelve_distinct_variants_of_three_kinds() {
    let input = "Refund order #4021, it arrived damaged and the customer is waiting.";
    let result = made(input, &Choice::default());
    assert_eq!(result.variants.len(), 12);
    let kinds: BTreeSet<Kind> = result.variants.iter().map(|variant| variant.kind).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), [Kind::Typo, Kind::Format, Kind::Paraphrase]);
    let ids: HashSet<&str> = result.variants.iter().map(|variant| variant.id.as_str()).collect();
    assert_eq!(ids.len(), 12);
    assert!(result.variants.iter().all(|variant| variant.id.starts_with(&format!("case/{}/", variant.mutator))));
}

#[test]
fn edits_rebuild_the_variant_from_the_original() {
    let input = "If the tent is broken, please send another tent. I'm waiting - what's the status of AB-1290?";
    let result = made(input, &everything(400, 3));
    assert!(result.variants.len() > 300);
    for variant in &result.variants {
        assert_eq!(apply(input, &variant.edits).as_deref(), Some(variant.text.as_str()), "{}", variant.id);
        for edit in &variant.edits {
            assert_eq!(&input[edit.start..edit.end], edit.before);
        }
    }
}

// Text without a place to change: returns at once, with fewer variants or none.
#[test]
fn texts_with_little_to_change_neither_hang_nor_panic() {
    for input in [
        "ok ok ok", "hi bob", "a", "", ".", "???", "Cancel", "Cancel!", "返品", " ", "\n", "👍", "4021", "\u{301}",
        "'", "``", "{{", "\"", "| a |",
    ] {
        let result = made(input, &everything(200, 1));
        let distinct: HashSet<&str> = texts(&result).into_iter().collect();
        assert_eq!(distinct.len(), result.variants.len(), "{input:?}");
        assert!(!distinct.contains(input), "{input:?}");
        // Every mutator is accounted for: by what it made, by a shortfall, or by the reason why it can't change this.
        for mutator in Packs::embedded().mutators().map(|mutator| mutator.name()) {
            let short = result.shortfalls.iter().any(|short| short.mutator == mutator && !short.reason.is_empty());
            let refused = result.not_applicable.iter().any(|one| one.mutator == *mutator && !one.reason.is_empty());
            assert!(short || refused, "{mutator} on {input:?}: {:?}", result.variants);
        }
    }
    assert!(made("", &everything(10, 1)).variants.is_empty());
    assert_eq!(made("Cancel", &everything(10, 1)).variants.len(), 10);
    for (word, least) in [("Cancel", 3), ("Cancel!", 3), ("返品", 3)] {
        let result = made(word, &Choice { variants: 200, ..Choice::default() });
        assert!(result.variants.len() >= least, "{word}: {:?}", texts(&result));
    }
}

// What two mutators both make is asked for once.
#[test]
fn the_same_text_of_two_mutators_is_one_variant() {
    let twin = "pack: own\nkind: typo\nmutators:\n  - {name: one, does: a, replace: {pairs: {parcel: pracel}}}\n  - {name: two, does: b, replace: {pairs: {parcel: pracel}}}\n";
    let packs = own_packs(twin);
    let choice = Choice { mutators: Some(vec!["own/".into()]), ..Choice::default() };
    let result = variants(&packs, &subject("case", "Where is my parcel?"), &choice);
    assert_eq!(texts(&result), ["Where is my pracel?"]);
    let short: Vec<&str> = result.shortfalls.iter().map(|short| short.mutator.as_str()).collect();
    assert_eq!(short, ["own/one", "own/two"]);
}

/// The embedded packs and one more.
fn own_packs(pack: &str) -> Packs {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.yaml"), pack).unwrap();
    let mut diagnostics = Diagnostics::default();
    let packs = Packs::with_own(folder.path(), &["own.yaml"], &mut diagnostics);
    assert!(diagnostics.is_empty(), "{}", diagnostics.render(false));
    packs
}

// A line of numbers and bars has nothing that may be changed safely.
#[test]
fn a_table_of_numbers_has_no_variant() {
    for input in ["| 3 || ½ || 0 || 12 || 41.50", "| 7 | 9 |\n| 1 | 2 |", "12 / 7 = 3"] {
        let result = made(input, &everything(50, 1));
        assert_eq!(texts(&result), Vec::<&str>::new(), "{input}");
        assert!(result.not_applicable.len() > 20, "every mutator says why");
    }
}

// What changes nothing is not applicable, with a reason, and takes no place.
#[test]
fn a_mutator_that_finds_nothing_is_not_applicable() {
    let choice = Choice { mutators: Some(vec!["paraphrase/contraction".into()]), ..Choice::default() };
    for input in ["Did my parcel arrive?", "OK"] {
        let result = made(input, &choice);
        assert!(result.variants.is_empty() && result.shortfalls.is_empty(), "{:?}", result.variants);
        assert_eq!(result.not_applicable[0].mutator, "paraphrase/contraction");
    }
}

// Typos touch letters of ordinary words only.
#[test]
fn typos_change_nothing_but_letters_of_plain_words() {
    let input = "Please change my flight AB-1290 on 2 May, mail to ana@example.org or see https://x.org/a?b=1 {{seat}} `a b` \"window seat\" {\"aisle\": true}";
    let choice = Choice { kinds: Some(vec![Kind::Typo]), variants: 300, ..Choice::default() };
    let result = made(input, &choice);
    assert!(result.variants.len() > 100, "{}", result.variants.len());
    for variant in &result.variants {
        for keep in [
            "AB-1290",
            "2 May",
            "ana@example.org",
            "https://x.org/a?b=1",
            "{{seat}}",
            "`a b`",
            "\"window seat\"",
            "{\"aisle\": true}",
        ] {
            assert!(variant.text.contains(keep), "{keep}: {}", variant.text);
        }
        for edit in &variant.edits {
            assert!(edit.before.chars().chain(edit.after.chars()).all(char::is_alphabetic), "{edit:?}");
        }
    }
}

// At most one typo in five words, one a word, at least one.
#[test]
fn typos_are_few() {
    let input = "why is my credit card still blocked today";
    let words: Vec<&str> = input.split(' ').collect();
    for name in ["typo/key-slip-qwerty", "typo/transposition", "typo/omission", "typo/doubling", "typo/misspelling"] {
        let choice = Choice { mutators: Some(vec![name.into()]), variants: 40, ..Choice::default() };
        let result = made(input, &choice);
        assert!(!result.variants.is_empty(), "{name}");
        for text in texts(&result) {
            let changed = text.split(' ').zip(&words).filter(|(now, was)| now != *was).count();
            assert_eq!((text.split(' ').count(), changed), (words.len(), 1), "{text}");
        }
    }
}

// The rate has an effect: none, one word in five, every word; and no word is hit twice.
#[test]
fn a_rate_is_the_share_of_words_that_a_slip_may_hit() {
    let input = "please change delivery address because customer already waited several terribly annoying months";
    let words: Vec<&str> = input.split(' ').collect();
    assert_eq!(words.len(), 12);
    for (rate, most) in [("0", 0), ("0.01", 1), ("0.2", 2), ("0.5", 6), ("1", 11)] {
        let slips = ["transpose", "omit", "double", "misspell", "key_slip"].map(|slip| {
            let rows = if slip == "key_slip" { "rows: [qwertyuiop, asdfghjkl, zxcvbnm], " } else { "" };
            format!("  - {{name: {}, does: a, {slip}: {{{rows}rate: {rate}}}}}\n", slip.replace('_', "-"))
        });
        let packs = own_packs(&format!("pack: own\nkind: typo\nmutators:\n{}", slips.concat()));
        let choice = Choice { mutators: Some(vec!["own/".into()]), variants: 1500, ..Choice::default() };
        let result = variants(&packs, &subject("case", input), &choice);
        if most == 0 {
            assert_eq!((result.variants.len(), result.not_applicable.len()), (0, 5));
            assert!(result.not_applicable.iter().all(|one| one.reason == "its rate is 0"));
        }
        let mut hits = BTreeSet::new();
        for variant in &result.variants {
            let now: Vec<&str> = variant.text.split(' ').collect();
            assert_eq!(now.len(), words.len());
            let changed: Vec<_> = now.iter().zip(&words).filter(|(now, was)| now != was).collect();
            assert_eq!(changed.len(), variant.edits.len(), "one slip a word: {}", variant.text);
            for (now, was) in changed.iter().filter(|_| variant.mutator != "own/misspell") {
                assert!(now.len().abs_diff(was.len()) <= 1, "{was} became {now}");
            }
            hits.insert(changed.len());
        }
        let seen = (hits.first().copied().unwrap_or(0), hits.last().copied().unwrap_or(0));
        // "several" is a guard and never hit; eleven words at once are rarely drawn.
        assert!(seen.0 == most.min(1) && seen.1 <= most && seen.1 >= most.min(8), "rate {rate}: {seen:?}");
    }
}

// The same seed gives the same variants, whatever runs beside them; other seeds and cases give others.
#[test]
fn variants_depend_on_seed_case_mutator_and_index_alone() {
    let input = "How do I reset my PIN? The page is not working and I am waiting for an answer.";
    let all = made(input, &everything(300, 7));
    assert_eq!(texts(&all), texts(&made(input, &everything(300, 7))));
    assert_ne!(texts(&all), texts(&made(input, &everything(300, 8))));
    let other = variants(Packs::embedded(), &subject("other", input), &everything(300, 7));
    assert_ne!(texts(&all), texts(&other));
    // Alone, a mutator makes what it makes among all others.
    for mutator in ["typo/transposition", "typo/misspelling", "format/line-wrap", "paraphrase/greeting"] {
        let choice = Choice { mutators: Some(vec![mutator.into()]), variants: 5, seed: 7, ..Choice::default() };
        let alone = made(input, &choice);
        assert!(!alone.variants.is_empty());
        for variant in &alone.variants {
            let among = all.variants.iter().find(|other| other.mutator == mutator && other.index == variant.index);
            assert_eq!(among, Some(variant));
        }
    }
}

// Neither more cases, nor another order of them, nor a further pack, nor a second thread changes what a case gets.
#[test]
fn what_stands_beside_a_case_changes_nothing() {
    let inputs = ["How do I reset my PIN?", "Where is my parcel? It is late.", "Please cancel the order, I'm moving."];
    let all = |packs: &Packs, order: &[usize]| -> Vec<(usize, Variants)> {
        let of = |at: &usize| (*at, variants(packs, &subject(&format!("case-{at}"), inputs[*at]), &everything(120, 7)));
        let mut made: Vec<_> = order.iter().map(of).collect();
        made.sort_by_key(|(at, _)| *at);
        made
    };
    let key = |made: &[(usize, Variants)]| -> Vec<String> {
        made.iter()
            .flat_map(|(_, made)| made.variants.iter().map(|v| format!("{} {} {}", v.id, v.index, v.text)))
            .collect()
    };
    let packs = Packs::embedded();
    let known = key(&all(packs, &[0, 1, 2]));
    assert!(known.len() > 200);
    assert_eq!(known, key(&all(packs, &[2, 0, 1])));
    assert_eq!(known[..key(&all(packs, &[0])).len()], key(&all(packs, &[0])));
    let elsewhere = std::thread::scope(|scope| scope.spawn(|| key(&all(packs, &[1, 2, 0]))).join().unwrap());
    assert_eq!(known, elsewhere);
    // A further mutator takes places in the sum; what the others make of an index is what they made before.
    let more = own_packs("pack: own\nkind: typo\nmutators:\n  - {name: w, does: a, default: true, double: {}}\n");
    let with_more = all(&more, &[0, 1, 2]);
    for (at, made) in all(packs, &[0, 1, 2]) {
        for variant in with_more[at].1.variants.iter().filter(|variant| variant.mutator != "own/w") {
            let same = made.variants.iter().find(|v| v.mutator == variant.mutator && v.index == variant.index);
            assert!(same.is_none_or(|same| same == variant), "{variant:?}");
        }
    }
}

// The very texts are pinned: another machine, another release of a crate must make the same.
#[test]
fn the_first_variants_of_seed_one_are_pinned() {
    let choice = Choice { variants: 6, seed: 1, ..Choice::default() };
    let result = made("Please refund the broken tent from order #4021.", &choice);
    assert_eq!(texts(&result), PINNED);
}

const PINNED: [&str; 6] = [
    "Please refund the broken trnt from order #4021.",
    "Please refund the broken tnet from order #4021.",
    "please refund the broken tent from order #4021.",
    "Please refund the broken tent from\norder #4021.",
    "I need you to refund the broken tent from order #4021.",
    "refund broken tent from order #4021",
];

// Words of the case's assertions stay.
#[test]
fn words_of_the_assertions_stay() {
    let literals = vec!["yes".to_owned(), "no".to_owned(), "refundable".to_owned()];
    let subject = Subject { literals: &literals, ..subject("case", "Is this refundable: yes or no?") };
    let whys: Vec<String> =
        protected(&subject).iter().map(|span| subject.input[span.range.clone()].to_owned()).collect();
    assert_eq!(whys, ["refundable", "yes", "no"]);
    let result = variants(Packs::embedded(), &subject, &everything(200, 1));
    assert!(result.variants.len() > 20);
    for text in texts(&result) {
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|w| literals.iter().any(|l| l == w)).collect();
        assert_eq!(words, ["refundable", "yes", "no"], "{text}");
    }
}

// A literal is a word of its own, in any case of letters: "no" is kept, and "know" may be mistyped.
#[test]
fn a_literal_is_kept_as_a_whole_word_only() {
    let literals = vec!["no".to_owned(), "Gift Card".to_owned()];
    let input = "Do you know whether the notebook is paid by gift card? No answer came.";
    let subject = Subject { literals: &literals, ..subject("case", input) };
    let result = variants(Packs::embedded(), &subject, &everything(600, 5));
    assert!(result.variants.len() > 300);
    let stands = |text: &str, word: &str| text.split(|c: char| !c.is_alphanumeric()).any(|found| found == word);
    for text in texts(&result) {
        assert!(stands(text, "No") && text.contains("gift card"), "{text}");
    }
    for word in ["know", "notebook"] {
        assert!(texts(&result).iter().any(|text| !stands(&text.to_lowercase(), word)), "{word} was never changed");
    }
}

// The user's keep list holds for every mutator, letters' case included.
#[test]
fn the_protect_list_holds_for_every_mutator() {
    let protect = [Regex::new("(?i)platinum").unwrap(), Regex::new("window seats?").unwrap()];
    let input = "Is SKU-7 in the platinum plan, with window seats for everybody";
    let subject = Subject { protect: &protect, ..subject("case", input) };
    let whys: Vec<(&str, Why)> = protected(&subject).into_iter().map(|s| (&input[s.range], s.why)).collect();
    assert_eq!(whys[..3], [("SKU-7", Why::Identifier), ("platinum", Why::Listed), ("window seats", Why::Listed)]);
    let result = variants(Packs::embedded(), &subject, &everything(300, 1));
    assert!(result.variants.len() > 50);
    // Every mutator that could do anything took part, those that change the case of letters among them.
    assert!(result.variants.iter().any(|variant| variant.text.starts_with("is SKU-7 in the platinum plan")));
    for text in texts(&result) {
        assert!(["SKU-7", "platinum", "window seats"].iter().all(|keep| text.contains(keep)), "{text}");
    }
}

#[test]
fn written_paraphrases_are_verified_too() {
    let subject = subject("case", "Do not refund order #4021 unless Mira says so, it can't be undone.");
    let loose = "Unless Mira says so, order #4021 should not be refunded: undoing it is not possible.";
    assert_eq!(verify(&subject, loose, Kind::Written), Ok(()));
    assert!(verify(&subject, loose, Kind::Model).is_err(), "a model keeps the order");
    let lost = verify(&subject, "Do not refund it unless Mira says so, it can't be undone.", Kind::Written);
    assert!(lost.unwrap_err().to_string().contains("`#4021` stands"), "the number is named");
    let flipped = verify(&subject, "Refund order #4021 unless Mira says so, it can't be undone.", Kind::Written);
    assert!(flipped.unwrap_err().to_string().contains("negate"), "a negation fewer");
}

#[test]
fn a_language_that_does_not_fit_is_named() {
    let result = made("Erstatte bitte die Bestellung #7713, sie kam kaputt an.", &Choice::default());
    let reason =
        result.not_applicable.iter().find(|one| one.mutator == "paraphrase/terse").map(|one| one.reason.as_str());
    assert_eq!(reason, Some("it is for en, and the input is in `de`"));
    assert!(result.variants.len() > 6, "{result:#?}");
}

#[test]
fn every_mutator_shows_an_example() {
    for mutator in Packs::embedded().mutators() {
        let (input, variant) = mutator.example().unwrap_or_else(|| panic!("{} makes no example", mutator.name()));
        assert_ne!(input, variant, "{}", mutator.name());
    }
}

#[test]
fn what_can_not_be_made_is_a_shortfall_and_not_a_duplicate() {
    let choice = Choice { mutators: Some(vec!["format/final-mark".into()]), variants: 50, ..Choice::default() };
    let result = made("Where is my parcel?", &choice);
    let distinct: HashSet<&str> = texts(&result).into_iter().collect();
    assert_eq!((result.variants.len(), distinct.len()), (4, 4));
    assert_eq!((result.shortfalls[0].wanted, result.shortfalls[0].made), (5, 4));
}
