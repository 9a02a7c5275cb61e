//! What holds for every input, every literal and every seed. The property tests and the fuzz target both ask here.

use std::collections::HashSet;

use mutate::mutators::input::{Choice, Packs, Subject, Variants, Why, apply, protected, variants, verify};
use unicode_segmentation::UnicodeSegmentation;

/// Texts are cut here, so that a long one does not slow the search for short ones.
const LONGEST: usize = 2_000;
const MOST_LITERALS: usize = 6;

/// Makes variants with every mutator and panics with what is broken. Returns how many were made.
pub fn hold(input: &str, literals: &[String], seed: u64) -> usize {
    let input = cut(input);
    let literals = &literals[..literals.len().min(MOST_LITERALS)];
    let subject = Subject { case: "case", input, literals, protect: &[], language: None };
    let made = everything(&subject, seed);
    let kept: Vec<(Why, &str)> = protected(&subject).into_iter().map(|span| (span.why, &input[span.range])).collect();
    let clusters: HashSet<&str> = input.graphemes(true).collect();
    let (mut texts, mut ids) = (HashSet::new(), HashSet::new());
    for variant in &made.variants {
        let text = variant.text.as_str();
        let what = format!("{} of {input:?}: {text:?}", variant.id);
        assert_ne!(text, input, "unchanged: {what}");
        assert!(texts.insert(text) && ids.insert(&variant.id), "made twice: {what}");
        assert_eq!(apply(input, &variant.edits).as_deref(), Some(text), "its edits make something else: {what}");
        assert_eq!(verify(&subject, text, variant.kind), Ok(()), "{what}");
        assert!(digits(text).eq(digits(input)), "other digits: {what}");
        in_order(&kept, text, &what);
        whole(&clusters, text, &what);
    }
    assert_eq!(made.variants, everything(&subject, seed).variants, "a second run makes others");
    made.variants.len()
}

/// Every protected span stands in `text`, byte for byte and in the order of the input. By plain search, and so without
/// what `verify` knows.
fn in_order(kept: &[(Why, &str)], text: &str, what: &str) {
    let mut at = 0;
    for (why, keep) in kept.iter().filter(|(why, _)| *why != Why::Guard) {
        match text[at..].find(keep) {
            Some(found) => at += found + keep.len(),
            None => panic!("{why} {keep:?} is lost: {what}"),
        }
    }
}

/// No sign is torn: every cluster of several code points is one of the input's, but for signs without width.
fn whole(known: &HashSet<&str>, text: &str, what: &str) {
    for cluster in text.graphemes(true).filter(|cluster| cluster.chars().nth(1).is_some() && *cluster != "\r\n") {
        assert!(known.contains(cluster) || cluster.ends_with('\u{200b}'), "{cluster:?} is torn: {what}");
    }
}

fn everything(subject: &Subject, seed: u64) -> Variants {
    let names = Packs::embedded().mutators().map(|mutator| mutator.name().to_owned()).collect();
    variants(Packs::embedded(), subject, &Choice { kinds: None, mutators: Some(names), variants: 45, seed })
}

fn digits(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_numeric())
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
