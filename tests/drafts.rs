//! `mutate init --from-rules` through the real binary: from a rule without a case to a case that quotes it.

mod common;

use common::Lab;
use serde_json::Value;

const RULES: &str = "# Shop\n\n- Never offer a discount.\n- Speak kindly to everybody\n  who writes.\n- **Sign** with your name.\n\nThe shop opens at nine.\n";
const CASE: &str = "id: discount\ninput: Can I have it cheaper?\nrule: Never offer a discount.\nexpect:\n  reply_does_not_mention: [discount]\n";
const AGENT: &str = "scripted: {habits: []}";

fn lab(rules: &str) -> Lab {
    let lab = Lab::new(rules, CASE, AGENT);
    std::fs::remove_file(lab.path().join("cases.yaml")).unwrap();
    lab.write("cases/first.yaml", CASE);
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("cases: cases.yaml", "cases: cases/*.yaml"));
    lab
}

fn drafts(lab: &Lab) -> Vec<String> {
    let names = lab.tree().into_iter().map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".draft.yaml")).collect();
    names.sort();
    names
}

/// Writes what only a person knows, and takes `.draft` out of the name.
fn filled_in(lab: &Lab, draft: &str) {
    let text = lab.read(&format!("cases/{draft}"));
    let text =
        text.replace("input: TODO", "input: Hello?").replace("expect: TODO", "expect: {reply_mentions: [hello]}");
    lab.write(&format!("cases/{}", draft.replace(".draft", "")), &text);
    std::fs::remove_file(lab.path().join("cases").join(draft)).unwrap();
}

fn not_quoted(lab: &Lab) -> Vec<String> {
    let report = lab.run(&["rules", "--coverage", "--format", "json"]).json();
    let statements = report["statements"].as_array().unwrap().iter();
    let open = statements.filter(|one| one["status"] == "not-quoted");
    open.map(|one| one["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_draft_that_is_filled_in_is_a_case_whose_quote_is_found() {
    let lab = lab(RULES);
    assert_eq!(not_quoted(&lab), ["Speak kindly to everybody who writes.", "**Sign** with your name."]);
    let wrote = lab.run(&["init", "--from-rules"]);
    assert_eq!(wrote.code, 0, "{}", wrote.stderr);
    assert_eq!(drafts(&lab), ["sign-name.draft.yaml", "speak-kindly-everybody-who-writes.draft.yaml"]);
    assert!(
        wrote.stdout.contains("wrote cases/sign-name.draft.yaml  rules.md:6 “**Sign** with your name.”\n"),
        "{}",
        wrote.stdout
    );
    for draft in drafts(&lab) {
        filled_in(&lab, &draft);
    }
    let listed: Value = lab.run(&["rules", "--list", "--format", "json"]).json();
    let deleted: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .filter(|mutant| mutant["operator"] == "delete")
        .map(|mutant| mutant["before"].as_str().unwrap())
        .collect();
    assert_eq!(
        deleted,
        ["- Never offer a discount.\n", "- **Sign** with your name.\n", "- Speak kindly to everybody\n  who writes.\n"]
    );
    assert_eq!(not_quoted(&lab), [""; 0]);
    assert_eq!(
        lab.run(&["init", "--from-rules"]).stdout.trim_end(),
        "every statement that reads as a rule has a case: nothing to draft"
    );
}

#[test]
fn drafts_are_no_cases_and_stand_in_nobodys_way() {
    let lab = lab(RULES);
    lab.run(&["init", "--from-rules"]);
    let listed = lab.run(&["rules", "--list"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    assert!(
        listed.stderr.contains("note: 2 drafts are not read as cases, `cases/sign-name.draft.yaml` first"),
        "{}",
        listed.stderr
    );
    assert!(!listed.stdout.contains("sign-name"), "{}", listed.stdout);
}

#[test]
fn a_draft_that_is_taken_for_a_case_is_refused_with_the_places_that_are_open() {
    let lab = lab(RULES);
    lab.run(&["init", "--from-rules"]);
    let draft = lab.read("cases/sign-name.draft.yaml");
    lab.write("cases/sign-name.yaml", &draft);
    let refused = lab.run(&["rules", "--list"]);
    assert_eq!(refused.code, 2);
    for (line, key) in [(4, "input"), (10, "expect")] {
        assert!(
            refused.stderr.contains(&format!("error: the `{key}` of this draft is still to be written")),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains(&format!("cases/sign-name.yaml:{line}:")), "{}", refused.stderr);
    }
    // Named in full it is read, too.
    std::fs::remove_file(lab.path().join("cases/sign-name.yaml")).unwrap();
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("cases/*.yaml", "cases/sign-name.draft.yaml"));
    assert_eq!(lab.run(&["rules", "--list"]).code, 2);
    // Somebody may say it.
    lab.write(
        "cases/sign-name.draft.yaml",
        &draft.replace("expect: TODO", "literal: true\nexpect: {reply_mentions: [x]}"),
    );
    assert_eq!(lab.run(&["rules", "--list"]).code, 0);
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let lab = lab(RULES);
    lab.write("cases/sign-name.yaml", &CASE.replace("id: discount", "id: another"));
    assert_eq!(lab.run(&["init", "--from-rules", "--limit", "1"]).code, 0);
    let kept = lab.write(
        "cases/speak-kindly-everybody-who-writes.draft.yaml",
        &lab.read("cases/speak-kindly-everybody-who-writes.draft.yaml").replace("TODO", "TODO # soon"),
    );
    let before = std::fs::read(&kept).unwrap();
    let again = lab.run(&["init", "--from-rules", "--limit", "1"]);
    assert!(
        again.stdout.contains("left  cases/speak-kindly-everybody-who-writes.draft.yaml as it is"),
        "{}",
        again.stdout
    );
    assert_eq!(std::fs::read(&kept).unwrap(), before);
    // Another case has the name that this one would get.
    assert_eq!(drafts(&lab), ["sign-name-2.draft.yaml", "speak-kindly-everybody-who-writes.draft.yaml"]);
}

#[test]
fn lines_choose_and_a_line_without_a_rule_is_a_mistake_that_names_the_nearest() {
    let lab = lab(RULES);
    assert_eq!(lab.run(&["init", "--from-rules", "--line", "rules.md:5"]).code, 0, "any line of it");
    assert_eq!(drafts(&lab), ["speak-kindly-everybody-who-writes.draft.yaml"]);
    // A rule that has a case may get a second one.
    lab.run(&["init", "--from-rules", "--line", "rules.md:3"]);
    assert_eq!(drafts(&lab)[0], "never-offer-discount.draft.yaml");
    for (line, says) in [
        ("rules.md:8", "the nearest one is rules.md:6"),
        ("rule.md:3", "did you mean `rules.md`?"),
        ("rules.md", "must be the file"),
        ("rules.md:0", "must be the file"),
    ] {
        let refused = lab.run(&["init", "--from-rules", "--line", line]);
        assert_eq!((refused.code, refused.stderr.contains(says)), (2, true), "{line}: {}", refused.stderr);
    }
    assert_eq!(lab.run(&["init", "--line", "rules.md:3"]).code, 2, "lines are for drafts");
}

#[test]
fn copies_of_a_rule_share_a_draft_and_a_part_of_another_sentence_is_told_apart() {
    let rules = "# Tone\n\nNever shout.\n\n# Night\n\nNever shout.\n\n# Noise\n\n- Ask first\n- When in doubt, ask first and write it down.\n";
    let lab = lab(&format!("{rules}\n# Last\n\nNever offer a discount.\n"));
    let wrote = lab.run(&["init", "--from-rules"]);
    assert_eq!(wrote.code, 0, "{}", wrote.stderr);
    let shout = lab.read("cases/never-shout.draft.yaml");
    assert!(
        shout.contains("  file: \"rules.md\"\n  # It stands at rules.md:7 too: all are changed together."),
        "{shout}"
    );
    assert_eq!(drafts(&lab).iter().filter(|name| name.starts_with("never-shout")).count(), 1);
    let ask = lab.read("cases/ask-first.draft.yaml");
    assert!(ask.contains("  line: 11\n"), "{ask}");
    for draft in drafts(&lab) {
        filled_in(&lab, &draft);
    }
    assert_eq!(not_quoted(&lab), [""; 0]);
    let listed: Value = lab.run(&["rules", "--list", "--format", "json", "--case", "ask-first"]).json();
    assert_eq!((&listed[0]["line"], &listed[0]["also"]), (&11.into(), &Value::Array(vec![])));
}

#[test]
fn a_suite_without_a_case_gets_its_first_ones() {
    let lab = lab(RULES);
    std::fs::remove_file(lab.path().join("cases/first.yaml")).unwrap();
    let wrote = lab.run(&["init", "--from-rules", "--suite", "."]);
    assert_eq!((wrote.code, drafts(&lab).len()), (0, 3), "{}", wrote.stderr);
    let refused = lab.run(&["rules", "--list"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("this suite has no cases, only drafts"), "{}", refused.stderr);
    // Where no glob would read them, they say so.
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("cases/*.yaml", "tests/*.yaml"));
    lab.write("tests/one.yaml", "id: one\ninput: a\nexpect: {reply_mentions: [x]}\n");
    let elsewhere = lab.run(&["init", "--from-rules", "--limit", "1"]);
    assert!(elsewhere.stdout.contains("wrote tests/never-offer-discount.draft.yaml"), "{}", elsewhere.stdout);
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("tests/*.yaml", "tests/one.yaml"));
    let unread = lab.run(&["init", "--from-rules", "--limit", "1"]);
    assert!(unread.stdout.contains("note: no name under `cases:` in mutate.yaml matches them"), "{}", unread.stdout);
}

#[test]
fn a_rule_in_a_string_is_quoted_as_what_it_says() {
    let lab = lab("unused\n");
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("rules.md", "[rules.md, prompts.json]"));
    lab.write("prompts.json", "{\"prompt\": \"- Never offer a discount.\\n- Never say \\\"no\\\" to anybody.\\n\"}\n");
    lab.run(&["init", "--from-rules"]);
    let drafts = drafts(&lab);
    assert_eq!(drafts, ["never-say-no-anybody.draft.yaml"]);
    filled_in(&lab, &drafts[0]);
    let listed: Value = lab.run(&["rules", "--list", "--format", "json", "--case", "never-say-no-anybody"]).json();
    assert_eq!((&listed[0]["operator"], &listed[0]["refused"]), (&"delete".into(), &Value::Null), "{listed:#}");
}
