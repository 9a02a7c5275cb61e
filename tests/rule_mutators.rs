//! The rule mutators on many texts: a table of rules that a careful editor turned around, promises that hold for any text,
//! and the real rules of a folder beside the project where it is there.

use std::path::PathBuf;
use std::process::Command;

use mutate::mutators::rule::{Inversion, RefusalReason, invert, threshold, weaken};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    rule: String,
    #[serde(default)]
    inverted: Vec<String>,
    #[serde(default)]
    refused: Option<String>,
}

#[test]
#[expect(clippy::print_stderr, reason = "a measurement is there to be read")]
fn rules_are_turned_around_as_an_editor_would() {
    let source = std::fs::read_to_string("tests/data/rules.yaml").unwrap();
    let rules: Vec<Expected> = serde_yaml::from_str(&source).unwrap();
    let (mut answers, mut right, mut invertible) = (0, 0, 0);
    let (mut wrong, mut left) = (vec![], vec![]);
    for expected in &rules {
        let found = invert(&expected.rule);
        invertible += usize::from(expected.refused.is_none());
        match (&found, &expected.refused) {
            (Inversion::Inverted(text), None) => {
                answers += 1;
                if expected.inverted.contains(text) {
                    right += 1;
                } else {
                    wrong.push(format!("{} => {text}", expected.rule));
                }
            }
            (Inversion::Inverted(text), Some(_)) => {
                answers += 1;
                wrong.push(format!("{} => {text}", expected.rule));
            }
            (Inversion::Refused(refusal), Some(reason)) => {
                assert_eq!(refusal.reason.name(), reason, "{}", expected.rule);
            }
            (Inversion::Refused(refusal), None) => left.push(format!("{}: {refusal}", expected.rule)),
        }
    }
    eprintln!("own rules: {right} right of {answers} answers, {invertible} invertible of {}", rules.len());
    assert!(rules.len() >= 250 && wrong.is_empty(), "{right} of {answers}: {wrong:#?}");
    assert!(left.is_empty(), "refused though it can be turned around: {left:#?}");
}

#[test]
fn every_reason_of_the_rules_is_documented() {
    let readme = std::fs::read_to_string("mutators/README.md").unwrap();
    for reason in RefusalReason::ALL {
        assert!(readme.contains(&format!("`{}`", reason.name())), "{} is not in mutators/README.md", reason.name());
    }
}

/// Scores the real rules by the script that lies beside them.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped measurement must be heard of")]
fn real_rules_are_turned_around_or_refused() {
    let folder = std::env::var_os("MUTATE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from)
        .join("data/rules");
    let Ok(rules) = std::fs::read_to_string(folder.join("rules.dev.jsonl")) else {
        eprintln!("skipped: no folder of real rules (set MUTATE_SHARED to one)");
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let answers = std::env::var_os("MUTATE_INVERSIONS").map_or_else(|| out.path().join("answers.jsonl"), PathBuf::from);
    let mut lines = String::new();
    let (mut answered, mut invertible) = (0usize, 0usize);
    for rule in rules.lines() {
        let rule: serde_json::Value = serde_json::from_str(rule).unwrap();
        let found = invert(rule["quote"].as_str().unwrap());
        let reason = match &found {
            Inversion::Inverted(_) => None,
            Inversion::Refused(refusal) => Some(refusal.to_string()),
        };
        answered += usize::from(reason.is_none());
        invertible += usize::from(rule["invertible"] == true);
        let line = serde_json::json!({"id": rule["id"], "inverted": found.text(), "refused": reason});
        lines.push_str(&format!("{line}\n"));
    }
    std::fs::write(&answers, lines).unwrap();
    let scored = Command::new("python3")
        .arg(folder.join("score_inversions.py"))
        .arg(&answers)
        .arg("--rules")
        .arg(folder.join("rules.dev.jsonl"))
        .arg("--json")
        .output();
    let Ok(scored) = scored else {
        eprintln!("skipped: no python3 to score the answers with");
        return;
    };
    let scored = String::from_utf8(scored.stdout).unwrap();
    let verdicts: Vec<serde_json::Value> = scored.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let right =
        verdicts.iter().filter(|line| matches!(line["verdict"].as_str(), Some("exact" | "norm" | "loose"))).count();
    eprintln!("real rules: {right} right of {answered} answers, {invertible} invertible of {}", verdicts.len());
    assert!(right * 100 >= invertible * 80, "{right} right of {invertible} invertible rules");
    assert!(right * 100 >= answered * 97, "{right} right of {answered} answers");
}

fn digits(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).map(str::to_owned).collect()
}

fn quoted(text: &str, sign: char) -> Vec<String> {
    text.split(sign).skip(1).step_by(2).map(str::to_owned).collect()
}

/// Pieces of rules, in any order: most make no sense, and nothing may be promised but that no harm is done.
fn pieces() -> impl Strategy<Value = String> {
    let words = vec![
        "Never",
        "do",
        "not",
        "**Always**",
        "must",
        "only",
        "if",
        ",",
        ";",
        "unless",
        "you",
        "can",
        "-",
        "(",
        ")",
        ":",
        "\n- ",
        "é",
        "avoid",
        "using",
        "prefer",
        "over",
        "one",
        "at",
        "most",
        "3",
        ".",
        "?",
        "don’t",
        "and",
        "it's",
        "is",
        "required",
        "ensure",
        "instead",
        "of",
        "—",
        "first",
        "please",
        "needs",
        "to",
        "#",
        "*",
        "“",
        "a",
        "the agent",
        "asks",
        "when",
        "no",
        "only if",
        "but",
        "also",
        "rather than",
        "| ",
        "until",
        "cannot",
        "be",
        "`x 7`",
        "\"say 8\"",
        "30 days",
        "$50",
        "refuse",
        "decline",
        "refrain",
        "from",
        "stop",
        "make",
        "sure",
        "that",
        "ever",
        "just",
        "merely",
        "simply",
        "try",
        "aim",
        "remember",
        "careful",
        "need",
        "have",
        "has",
        "should",
        "shall",
        "mustn't",
        "can't",
        "won't",
        "will",
        "may",
        "requires",
        "does",
        "doesn't",
        "are",
        "isn't",
        "you're",
        "free",
        "allowed",
        "forbidden",
        "permitted",
        "strictly",
        "nothing",
        "nobody",
        "neither",
        "nor",
        "except",
        "without",
        "before",
        "after",
        "least",
        "more",
        "than",
        "up",
        "even",
        "feel",
        "or",
        "in",
        "favour",
        "Label:",
        "the",
        "user",
        "which",
        "they",
        "it",
        "rarely",
        "exactly",
        "within",
        "days.",
        "jeder",
        "immer",
        "kein",
        "nur",
        "muss",
        "toujours",
        "ne",
        "siempre",
        "nunca",
        "no",
        "debes",
        "一定",
        "絶対に",
        "してください",
        "niemals",
        "nicht",
        "Ne",
        "pas",
        "jamais",
        "no uses",
        "不要",
        "必须",
        "。",
        "ないでください",
        "「だけ」",
        "**",
        "otherwise",
        "then",
        "call",
        "check",
        "test",
        "release",
        "that",
        "which",
        "limits",
        "zero",
        "ten",
    ];
    proptest::collection::vec(proptest::sample::select(words), 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 6 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered_or_refused(text in "\\PC{0,60}") {
        for found in [invert(&text), weaken(&text), threshold(&text, &[&text])] {
            if let Inversion::Inverted(found) = found {
                prop_assert_ne!(found, text.clone());
            }
        }
    }

    #[test]
    fn an_inversion_differs_and_adds_no_number(text in pieces()) {
        for found in [invert(&text), weaken(&text)] {
            if let Inversion::Inverted(found) = found {
                prop_assert_ne!(&found, &text);
                let before = digits(&text);
                prop_assert!(digits(&found).iter().all(|run| before.contains(run)), "{} => {}", text, found);
            }
        }
    }

    #[test]
    fn code_and_quotations_are_kept_byte_for_byte(
        before in "[A-Z][a-z]{2,6}",
        code in "[a-zA-Z_ .!]{1,12}",
        said in "[a-zA-Z' ,.]{1,12}",
        rule in proptest::sample::select(vec![
            "Never run `{c}` or say \"{s}\".", "Do not run `{c}` when the user says \"{s}\".", "Run `{c}` instead of \"{s}\".",
            "You must say \"{s}\" and run `{c}`.", "Only run `{c}` if the user says \"{s}\".", "Avoid \"{s}\", use `{c}`.",
            "Use `{c}`, not \"{s}\".", "Nutze niemals `{c}` oder \"{s}\".", "Ne dites jamais \"{s}\" avec `{c}`.", "不要说\"{s}\"或`{c}`。",
        ]),
    ) {
        let text = format!("{before}: {}", rule.replace("{c}", &code).replace("{s}", &said));
        for found in [invert(&text), weaken(&text)] {
            if let Inversion::Inverted(found) = found {
                let (mut old, mut new) = (quoted(&text, '`'), quoted(&found, '`'));
                old.sort();
                new.sort();
                prop_assert_eq!(old, new, "{}", text);
                let (mut old, mut new) = (quoted(&text, '"'), quoted(&found, '"'));
                old.sort();
                new.sort();
                prop_assert_eq!(old, new, "{}", text);
            }
        }
    }

    #[test]
    fn a_moved_threshold_leaves_the_words(value in 1u32..5000, limit in 1u32..5000) {
        let rule = format!("Never refund an order older than {limit} days.");
        if let Inversion::Inverted(found) = threshold(&rule, &[&format!("It came {value} days ago.")]) {
            let moved: u32 = digits(&found.replace(',', ""))[0].parse().unwrap();
            prop_assert_ne!(moved, value);
            prop_assert_eq!(moved > value, limit <= value, "{} {} {}", limit, value, moved);
        }
    }
}
