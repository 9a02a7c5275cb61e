//! `mutate rules --coverage` through the real binary: what it lists, and that it asks nobody.

#![cfg(unix)]

mod common;

use common::endpoint::{Endpoint, says};
use common::{Lab, Ran};
use serde_json::Value;

const RULES: &str = "# Shop\n\n- Never offer a discount.\n- Speak kindly to everybody who writes.\n- Keep every answer short.\n- Sign with your name.\n\nThe shop opens at nine.\n";
const CASE: &str = "id: discount\ninput: Can I have it cheaper?\nrule: Never offer a discount.\nexpect:\n  reply_does_not_mention: [discount]\n";
const OTHER: &str = "id: kind\ninput: Hello?\nrule: Speak kindly to everybody who writes.\nexpect:\n  reply_does_not_mention: [idiot]\n";
/// Counts its calls in the suite's folder, and follows the rule.
const AGENT: &str = r#"command: [sh, -c, 'echo x >> asked; if grep -q "Never offer" "$MUTATE_INSTRUCTIONS"; then echo the price is fixed; else echo here is a discount; fi']"#;

fn coverage(lab: &Lab, arguments: &[&str]) -> Ran {
    lab.run(&[&["rules", "--coverage", "--quiet"], arguments].concat())
}

fn listed(lab: &Lab) -> Value {
    coverage(lab, &["--format", "json"]).json()
}

/// `3 biting`: the line and the status of every statement.
fn statuses(report: &Value) -> Vec<String> {
    let statements = report["statements"].as_array().unwrap();
    statements.iter().map(|one| format!("{} {}", one["line"], one["status"].as_str().unwrap())).collect()
}

fn asked(lab: &Lab) -> usize {
    lab.tree().iter().filter(|(path, _)| path.ends_with("asked")).map(|(_, bytes)| bytes.len()).sum()
}

#[test]
fn before_any_run_everything_quoted_is_unproven_and_nobody_is_asked() {
    let lab = Lab::new(RULES, &format!("{CASE}---\n{OTHER}"), AGENT);
    let report = listed(&lab);
    assert_eq!(statuses(&report), ["3 unproven", "4 unproven", "5 not-quoted", "6 not-quoted"]);
    assert_eq!(report["statements"][0]["cases"][0]["reason"], "not run yet");
    assert_eq!((asked(&lab), lab.path().join(".mutate").exists()), (0, false), "nothing is asked and nothing kept");
}

#[test]
fn what_the_journal_knows_decides_and_the_same_run_costs_nothing() {
    let lab = Lab::new(RULES, &format!("{CASE}---\n{OTHER}"), AGENT);
    assert_eq!(lab.rules(&[])["summary"]["verdicts"]["rule-derived"], 1);
    let (calls, lines) = (asked(&lab), lab.journal().len());
    assert!(calls > 0);
    let report = listed(&lab);
    assert_eq!(statuses(&report), ["3 biting", "4 inert", "5 not-quoted", "6 not-quoted"]);
    let first = &report["statements"][0];
    assert_eq!((&first["text"], &first["file"]), (&"Never offer a discount.".into(), &"rules.md".into()));
    assert_eq!(
        first["cases"][0],
        serde_json::json!({"case": "discount", "verdict": "rule-derived", "bites": true, "reason": null})
    );
    let counts = &report["counts"];
    assert_eq!(
        (counts["statements"].as_u64(), counts["quoted_share"].as_f64(), counts["biting_share"].as_f64()),
        (Some(4), Some(0.5), Some(0.25))
    );
    assert_eq!((asked(&lab), lab.journal().len()), (calls, lines));
    // A case that nobody has run does not take the others' verdicts, even where it comes first.
    lab.write(
        "cases.yaml",
        &format!("{}---\n{CASE}---\n{OTHER}", OTHER.replace("kind\n", "a-new-one\n").replace("Hello?", "Hi!")),
    );
    assert_eq!(statuses(&listed(&lab)), ["3 biting", "4 unproven", "5 not-quoted", "6 not-quoted"]);
    assert_eq!(asked(&lab), calls);
}

#[test]
fn a_file_is_shown_line_by_line_with_a_mark_and_a_word_for_each_statement() {
    let lab = Lab::new(RULES, CASE, AGENT);
    lab.rules(&[]);
    let shown = coverage(&lab, &[]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines[1], "✓ biting   = inert   ? unproven   ✗ not quoted by any case");
    let start = lines.iter().position(|line| *line == "rules.md").unwrap();
    assert_eq!(
        lines[start..start + 10],
        [
            "rules.md",
            "  1 # Shop",
            "  2",
            "✓ 3 - Never offer a discount.",
            "    ✓ discount rule-derived",
            "✗ 4 - Speak kindly to everybody who writes.",
            "✗ 5 - Keep every answer short.",
            "✗ 6 - Sign with your name.",
            "  ⋮ 2 lines",
            "rules.md: 4 statements · 1 quoted (25 %) · 1 biting (25 %) · 0 inert · 0 unproven · 3 not quoted",
        ]
    );
    assert!(shown.stdout.contains("next: `mutate init --from-rules`"), "{}", shown.stdout);
    let table = coverage(&lab, &["--format", "markdown"]).stdout;
    assert!(table.contains("| rules.md:5 | Keep every answer short. | Shop |  |\n"), "{table}");
    assert!(!table.contains("| rules.md:3 |"), "{table}");
}

#[test]
fn several_statements_on_one_line_are_told_apart() {
    let lab = Lab::new("Sign with your name. Never offer a discount. Be brief.\n", CASE, AGENT);
    lab.rules(&[]);
    let shown = coverage(&lab, &[]).stdout;
    assert!(
        shown.contains("✗✓✗ 1 Sign with your name. Never offer a discount. Be brief.\n      ✗ “Sign with your name.” no case\n      ✓ “Never offer a discount.” discount rule-derived\n      ✗ “Be brief.” no case\n"),
        "{shown}"
    );
}

#[test]
fn a_long_line_is_cut_and_what_it_says_further_on_is_named_below() {
    let lab = Lab::new(&format!("The shop is {}old. Sign with your name.\n", "very ".repeat(30)), CASE, AGENT);
    lab.write("cases.yaml", "id: a\ninput: a\nexpect: {reply_mentions: [x]}\n");
    let shown = coverage(&lab, &[]).stdout;
    assert!(shown.contains(" ve…\n    ✗ “Sign with your name.” no case\n"), "{shown}");
}

#[test]
fn a_key_that_is_not_set_does_not_matter() {
    let endpoint = Endpoint::new(|question| {
        let system = question["messages"][0]["content"].as_str().unwrap_or_default();
        says(if system.contains("Never offer") { "The price is fixed." } else { "There is a discount." })
    });
    let lab = Lab::new(RULES, CASE, &endpoint.agent(", api_key: '${COVERAGE_TEST_KEY}'"));
    let run = lab.command(&["rules", "--quiet"]).env("COVERAGE_TEST_KEY", "a-key-of-some-length").output().unwrap();
    assert_eq!(run.status.code(), Some(0));
    let calls = endpoint.asked();
    assert_eq!(lab.run(&["rules"]).code, 2, "a run needs its key");
    let report = listed(&lab);
    assert_eq!(statuses(&report)[0], "3 biting", "{report:#}");
    assert_eq!(endpoint.asked(), calls);
}

#[test]
fn settings_that_can_not_be_had_leave_everything_quoted_unproven_and_the_report_says_why() {
    let lab = Lab::new(RULES, CASE, "chat: {base_url: '${COVERAGE_TEST_URL}', model: m}");
    let ran = coverage(&lab, &["--format", "json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["agent"]), (0, &Value::Null));
    assert_eq!(statuses(&report)[0], "3 unproven");
    assert!(report["notes"][0].as_str().unwrap().contains("`COVERAGE_TEST_URL` is not set"), "{report:#}");
    assert_eq!(coverage(&lab, &["--agent", "demmo"]).code, 2, "an agent that is not there is a mistake");
}

#[test]
fn no_program_that_judges_is_run_either() {
    let case = CASE.replace("reply_does_not_mention: [discount]", "helper: [sh, check.sh]");
    let lab = Lab::new(RULES, &case, AGENT);
    lab.write("check.sh", "echo x >> starts\nif read -r line; then case $line in *'a discount'*) exit 1;; esac; fi\n");
    lab.rules(&[]);
    let starts = lab.read("starts");
    assert_eq!(statuses(&listed(&lab))[0], "3 biting", "its rulings are in the journal");
    // Another program is another question, which nobody is asked.
    lab.write("check.sh", "echo x >> starts\nread -r line\n");
    assert_eq!(statuses(&listed(&lab))[0], "3 unproven");
    assert_eq!(lab.read("starts"), starts);
}

#[test]
fn a_gate_on_coverage_is_a_finding_below_its_share() {
    let lab = Lab::new(RULES, CASE, AGENT);
    let with = |share: &str| {
        let config = lab.read("mutate.yaml");
        lab.write("mutate.yaml", &format!("{config}gates: {{coverage_min: {share}}}\n"));
        let ran = coverage(&lab, &["--format", "json"]);
        let chosen = coverage(&lab, &["--case", "discount"]);
        lab.write("mutate.yaml", &config);
        assert_eq!(chosen.code, 0, "of some cases it can't be asked");
        (ran.code, ran.json()["exit_reason"].clone())
    };
    assert_eq!(with("0.25"), (0, Value::Null));
    assert_eq!(with("0.3"), (1, "cases quote 0.25 of the statements, `coverage_min` is 0.3".into()));
}

#[test]
fn every_file_and_what_it_includes_is_listed() {
    let lab = Lab::new("Never shout.\n\n@more/tone.md\n", CASE, AGENT);
    lab.write("more/tone.md", "Never offer a discount.\n");
    lab.write("settings.json", "{\"prompt\": \"Sign with your name.\"}\n");
    let config = lab.read("mutate.yaml").replace("rules.md", "[rules.md, settings.json]");
    lab.write("mutate.yaml", &config);
    let report = listed(&lab);
    let files: Vec<&str> =
        report["statements"].as_array().unwrap().iter().map(|one| one["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["rules.md", "settings.json", "more/tone.md"]);
    assert_eq!(report["statements"][2]["status"], "unproven");
}

/// `cargo test --test coverage -- --nocapture recognised` prints the figures of the README.
#[test]
#[expect(clippy::print_stderr, reason = "a measurement is there to be read, and so is that it was left out")]
fn nearly_all_sentences_that_people_marked_as_rules_are_recognised() {
    let shared = std::env::var("MUTATE_SHARED").map_or_else(|_| "../shared".into(), std::path::PathBuf::from);
    let folder = shared.join("data/rules");
    let Ok(marked) = std::fs::read_to_string(folder.join("rules.dev.jsonl")) else {
        eprintln!("skipped: there is no data/rules/rules.dev.jsonl in ../shared (MUTATE_SHARED names another folder)");
        return;
    };
    let mut files = std::collections::BTreeMap::new();
    let (mut all, mut missed) = (0, vec![]);
    for line in marked.lines() {
        let rule: Value = serde_json::from_str(line).unwrap();
        let name = rule["file"].as_str().unwrap().to_owned();
        let (document, found) = files.entry(name.clone()).or_insert_with(|| {
            let bytes = std::fs::read(folder.join("files").join(&name)).unwrap();
            let document = mutate::instructions::Document::from_bytes(&name, bytes).unwrap();
            let found = mutate::studies::rules::rule_statements(&document);
            (document, found)
        });
        // Their offsets count characters.
        let byte = |key: &str| {
            let characters = rule[key].as_u64().unwrap() as usize;
            document.text().char_indices().nth(characters).map_or(document.text().len(), |(at, _)| at)
        };
        let (start, end) = (byte("char_start"), byte("char_end"));
        all += 1;
        if !found.rules.iter().any(|one| one.range.start < end && start < one.range.end) {
            missed.push(format!("{name}:{} {}", rule["line_start"], rule["quote"]));
        }
    }
    let statements: usize = files.values().map(|(_, found)| found.rules.len()).sum();
    eprintln!("{} of {all} recognised; {statements} statements in {} files", all - missed.len(), files.len());
    assert!(missed.len() * 20 <= all, "{missed:#?}");
}
