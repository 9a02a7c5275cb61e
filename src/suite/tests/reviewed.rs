use super::*;
use crate::mutators::input::{Kind, Subject, Variant};
use crate::suite::{entry, head, reviewed_name};

const FILE: &str = "case: refund\ninput: Refund order 4021.\nvariants:\n- text: Refund ordre 4021.\n  mutator: typo/transposition\n  kind: typo\n  seed: 3\n  keep: false\n- text: Order 4021, refund it.\n";

fn mistakes_of(text: &str) -> Vec<String> {
    Folder::good().with("cases/refund.variants.yaml", text).mistakes()
}

#[test]
fn a_reviewed_file_is_read_with_what_was_decided() {
    let suite = Folder::good().with("cases/refund.variants.yaml", FILE).suite();
    assert_eq!(suite.cases.len(), 1, "it is no file of cases");
    let reviewed = &suite.reviewed["refund"];
    assert_eq!((reviewed.input.as_str(), reviewed.file.as_str()), ("Refund order 4021.", "cases/refund.variants.yaml"));
    let [made, own] = reviewed.variants.as_slice() else { panic!("{reviewed:?}") };
    assert_eq!(
        (made.mutator.as_deref(), made.kind, made.seed, made.keep),
        (Some("typo/transposition"), Kind::Typo, Some(3), false)
    );
    assert_eq!((own.mutator.as_deref(), own.kind, own.keep), (None, Kind::Written, true));
    assert_eq!(own.text, "Order 4021, refund it.");
}

#[test]
fn mistakes_of_a_reviewed_file_are_errors_with_their_place() {
    let of = |before: &str, after: &str| mistakes_of(&FILE.replace(before, after));
    let at = "cases/refund.variants.yaml";
    assert_eq!(of("keep: false", "kept: false"), [format!("{at}:8:3: unknown key `kept` in a variant")]);
    assert_eq!(of("kind: typo", "kind: typos"), [format!("{at}:6:9: `kind` can't be `typos`")]);
    assert_eq!(
        of("text: Order 4021, refund it.", "text: ''"),
        [format!("{at}:9:9: `text` must be a phrasing, but this is empty")]
    );
    assert_eq!(of("- text: Order 4021, refund it.", "- {}"), [format!("{at}:9:3: a variant needs `text`")]);
    assert_eq!(of("Order 4021, refund it.", "Refund ordre 4021."), [format!("{at}:9:9: this text stands here twice")]);
    assert_eq!(of("input: Refund order 4021.\n", ""), [format!("{at}:1:1: a file of variants needs `input`")]);
    assert_eq!(
        mistakes_of("case: refund\ninput: x\nvariants: {}\n"),
        [format!("{at}:3:11: `variants` must be a list, but this is a mapping")]
    );
    assert!(!mistakes_of("broken: [").is_empty());
}

#[test]
fn a_file_of_no_case_is_a_warning_and_two_of_one_case_are_an_error() {
    assert_eq!(
        mistakes_of(&FILE.replace("case: refund", "case: refunt")),
        ["cases/refund.variants.yaml:1:1: these are variants of `refunt`, but no case has this id"]
    );
    let twice = Folder::good().with("cases/a.variants.yaml", FILE).with("cases/b.variants.yaml", FILE);
    assert_eq!(twice.mistakes(), ["cases/b.variants.yaml:2:8: `refund` has two files of variants"]);
}

#[test]
fn what_is_written_reads_back_whatever_the_text() {
    let texts = ["yes", "1.10", "a: b # c", "\"'\\\t\n x", "\u{a0}\u{200b}\u{7f}\u{2028}é 👍", " - x", "{{name}} %"];
    for text in texts {
        let input = format!("Refund {text}");
        let case = format!(
            "id: refund\nliteral: true\ninput: {}\nexpect: {{reply_mentions: [30 days]}}\n",
            serde_json::to_string(&input).unwrap()
        );
        let folder = Folder::good().with("cases/refund.yaml", case);
        let suite = folder.suite();
        let case = &suite.cases[0];
        let subject = Subject { case: &case.id, input: &case.input, literals: &[], protect: &[], language: None };
        let variant = Variant::of_text(&subject, "format/quote", Kind::Format, text.to_owned(), 0);
        let name = reviewed_name(case);
        let suite = folder.with(&name, head(case) + &entry(&variant, 9)).suite();
        let reviewed = &suite.reviewed["refund"];
        assert_eq!(reviewed.input, case.input);
        assert_eq!((reviewed.variants[0].text.as_str(), reviewed.variants[0].seed), (text, Some(9)), "{text:?}");
    }
}

#[test]
fn the_file_of_a_case_lies_beside_it_under_a_name_that_every_system_takes() {
    let named = |id: &str| {
        let suite = Folder::good().with("cases/refund.yaml", CASE.replace("id: refund", &format!("id: {id}"))).suite();
        reviewed_name(&suite.cases[0])
    };
    assert_eq!(named("refund"), "cases/refund.variants.yaml");
    let (slash, colon) = (named("a/b"), named("a:b"));
    assert!(slash.starts_with("cases/a_b-") && slash.ends_with(".variants.yaml"), "{slash}");
    assert_ne!(slash, colon, "two ids never share a file");
}
