//! Opposites that are worded by a helper model or pinned into the case, through the real binary.

mod common;

use std::collections::VecDeque;

use common::endpoint::{Endpoint, says};
use common::{Lab, only_case, rate};
use serde_json::{Value, json};

const RULES: &str = "# Tool library\n\n- Rarely mention the waiting list.\n- Sign with your name.\n- Be kind to everybody who writes.\n";
const CASE: &str = "id: queue\ninput: Is the drill there?\nrule: Rarely mention the waiting list.\nexpect:\n  reply_mentions: [drill]\n";
/// It talks of nothing else once it is told to mention the list always.
const AGENT: &str = "scripted:\n  habits:\n    - when: /./\n      rule: Rarely mention the waiting list.\n      with: {reply: The drill is there.}\n      without: {reply: The drill is there.}\n      inverted: Always mention the waiting list.\n      opposed: {reply: There is a waiting list.}\n";
const GOOD: &str = "Always mention the waiting list.";

/// A suite whose rule is refused offline (`degree`), and a helper that gives these answers in turn, then the last again.
fn lab(answers: &[&str]) -> (Lab, Endpoint) {
    let mut answers: VecDeque<String> = answers.iter().map(|text| json!([text]).to_string()).collect();
    let endpoint = Endpoint::new(move |_: &Value| {
        says(&if answers.len() > 1 { answers.pop_front().unwrap() } else { answers[0].clone() })
    });
    let lab = Lab::new(RULES, CASE, AGENT);
    lab.append("mutate.yaml", &format!("helper_model: {{{}}}\n", endpoint.agent("")));
    (lab, endpoint)
}

/// The inversion among the mutants that a list shows.
fn listed(lab: &Lab) -> Value {
    let mutants = lab.run(&["rules", "--list", "--format", "json"]).json();
    mutants.as_array().unwrap().iter().find(|one| one["operator"] == "invert").unwrap().clone()
}

#[test]
fn a_rule_that_is_refused_offline_is_turned_around_by_the_helper_and_marked() {
    let (lab, helper) = lab(&[GOOD]);
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!((&case["verdict"], rate(case, "invert")), (&"steerable".into(), "0/3".to_owned()), "{case:#}");
    let mutant = &case["mutants"][1];
    assert_eq!((&mutant["source"], &mutant["after"]), (&"model".into(), &GOOD.into()));
    assert!(mutant["made_by"].as_str().unwrap().contains("m-1"), "{mutant:#}");
    assert_eq!(helper.asked(), 1);
    assert_eq!(report["summary"]["calls"], case["calls"].as_u64().unwrap() + 1, "the helper's call is a call");
    let question = helper.bodies()[0]["messages"].to_string();
    assert!(question.contains("Rarely mention the waiting list."), "{question}");
    let again = lab.rules(&[]);
    assert_eq!((helper.asked(), &again["summary"]["calls"]), (1, &0.into()), "never paid twice");
    assert_eq!(again["cases"], report["cases"]);
    for format in ["terminal", "markdown"] {
        let text = lab.run(&["rules", "--format", format, "--quiet"]).stdout;
        assert!(text.contains(" worded by the model chat m-1 at "), "{text}");
    }
    assert!(!lab.run(&["show", "queue"]).stdout.contains("── inversion"), "no answer of the agent's");
}

#[test]
fn a_list_asks_nobody_and_shows_what_the_journal_has() {
    let (lab, helper) = lab(&[GOOD]);
    let before = listed(&lab);
    assert!(before["refused"].as_str().unwrap().starts_with("degree: "), "{before:#}");
    assert!(before["would_ask"].as_str().unwrap().contains("m-1"), "{before:#}");
    let text = lab.run(&["rules", "--list"]).stdout;
    assert!(text.contains("a run would ask chat m-1 at 127.0.0.1"), "{text}");
    let forecast = lab.run(&["rules", "--dry-run", "--format", "json"]).json();
    let (all, own) = (&forecast["calls"], &forecast["cases"][0]["calls"]);
    assert_eq!((&forecast["helper"]["calls"]["fewest"], &forecast["helper"]["calls"]["most"]), (&1.into(), &3.into()));
    assert_eq!(all["most"].as_u64().unwrap(), own["most"].as_u64().unwrap() + 3);
    assert_eq!(own["most"], 80, "the invert arm may come to be asked");
    assert!(lab.run(&["rules", "--dry-run"]).stdout.contains("1 to 3 of them by the helper chat m-1"));
    assert_eq!((helper.asked(), lab.journal().len()), (0, 0));
    lab.rules(&[]);
    let after = listed(&lab);
    assert_eq!((&after["refused"], &after["after"], &after["would_ask"]), (&Value::Null, &GOOD.into(), &Value::Null));
    assert!(lab.run(&["rules", "--list"]).stdout.contains("worded by the model chat m-1"));
    assert_eq!(helper.asked(), 1);
}

#[test]
fn an_answer_that_does_not_hold_is_asked_again_three_times_and_then_refused_by_name() {
    let (lab, helper) = lab(&["Seldom mention the waiting list.", "Rarely mention the waiting list!"]);
    let report = lab.rules(&[]);
    let case = only_case(&report);
    let refused = case["mutants"][1]["refused"].as_str().unwrap();
    assert!(refused.starts_with("same-direction: 3 of 3 said what the rule says; "), "{refused}");
    assert!(refused.contains("`rule.inverted`"), "{refused}");
    assert_eq!(helper.asked(), 3);
    assert!(case["arms"]["invert"].is_null(), "no arm without a mutant");
    assert!(helper.bodies()[1]["messages"].to_string().contains("said what the rule says"), "told what was wrong");
}

#[test]
fn a_helper_that_fails_is_told_and_the_rest_of_the_study_goes_on() {
    let helper = Endpoint::new(|_: &Value| json!({"error": {"message": "no such model"}}));
    let lab = Lab::new(RULES, CASE, AGENT);
    lab.append("mutate.yaml", &format!("helper_model: {{{}}}\nlimits: {{retries: 1}}\n", helper.agent("")));
    let report = lab.rules(&[]);
    let refused = only_case(&report)["mutants"][1]["refused"].as_str().unwrap().to_owned();
    assert!(refused.starts_with("helper-error: ") && refused.contains("no such model"), "{refused}");
    assert_eq!(rate(only_case(&report), "delete"), "5/5");
}

#[test]
fn a_helper_is_not_needed_where_the_case_or_the_offline_inverter_has_the_words() {
    let (lab, helper) = lab(&[GOOD]);
    lab.write("cases.yaml", &CASE.replace("rule: Rarely mention the waiting list.", "rule: Sign with your name."));
    lab.rules(&[]);
    lab.write(
        "cases.yaml",
        &CASE.replace("rule: Rarely", "rule:\n  inverted: Praise the waiting list.\n  quote: Rarely"),
    );
    assert_eq!(listed(&lab)["source"], "case");
    lab.rules(&[]);
    assert_eq!(helper.asked(), 0);
}

#[test]
fn a_suites_own_prompt_takes_the_place_of_ours_and_the_helper_may_be_the_agents_model() {
    let (lab, helper) = lab(&[GOOD]);
    lab.append("mutate.yaml", "mutators: [own]\n");
    lab.write("own/invert.md", "Say the contrary, in one JSON array.");
    lab.rules(&[]);
    assert!(helper.bodies()[0]["messages"].to_string().contains("Say the contrary"));
    lab.write("own/invert.md", "Say the contrary of {{ rule }}.");
    let ran = lab.run(&["rules", "--quiet"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`{{ rule }}` is filled by nobody; this prompt has no slots"), "{}", ran.stderr);
    let same = Lab::new(RULES, CASE, AGENT);
    same.append("mutate.yaml", &format!("helper_model:\n  {}", AGENT.replace('\n', "\n  ")));
    assert_ne!(same.run(&["rules", "--quiet"]).code, 2);
}

/// The exit code and the report of `mutate rules --pin`.
fn pin(lab: &Lab, more: &[&str]) -> (i32, Value) {
    let ran = lab.run(&[&["rules", "--pin", "--format", "json"], more].concat());
    (ran.code, ran.json())
}

const PINNABLE: &str = "# Desk cases\n- id: name\n  input: Hi\n  rule: Sign with your name.   # ours\n  expect: {reply_mentions: [drill]}\n\n- id: queue\n  input: Hi\n  rules:\n    - quote: Be kind to everybody who writes.\n    - Rarely mention the waiting list.\n  expect: {reply_mentions: [drill]}\n";

#[test]
fn pinning_writes_the_opposite_into_the_case_and_nothing_else_and_asks_nobody() {
    let (lab, helper) = lab(&[GOOD]);
    lab.write("cases.yaml", PINNABLE);
    let before = lab.tree().len();
    let offline = lab.run(&["rules", "--list", "--format", "json"]).json();
    let (code, report) = pin(&lab, &[]);
    assert_eq!(code, 0);
    let outcomes: Vec<&Value> = report.as_array().unwrap().iter().map(|one| &one["outcome"]).collect();
    assert_eq!(outcomes, ["pinned", "pinned", "refused"]);
    assert!(report[2]["reason"].as_str().unwrap().starts_with("degree: "), "{report:#}");
    assert!(report[2]["would_ask"].as_str().unwrap().contains("m-1"));
    let expected = PINNABLE
        .replace(
            "rule: Sign with your name.   # ours",
            "rule:\n    quote: Sign with your name.   # ours\n    inverted: \"Do not sign with your name.\"",
        )
        .replace(
            "quote: Be kind to everybody who writes.",
            "quote: Be kind to everybody who writes.\n      inverted: \"Do not be kind to everybody who writes.\"",
        );
    assert_eq!(lab.read("cases.yaml"), expected);
    assert_eq!((lab.tree().len(), helper.asked(), lab.journal().len()), (before, 0, 0));
    let pinned = lab.run(&["rules", "--list", "--format", "json"]).json();
    let invert = |listed: &Value, case: &str| {
        let of = |one: &&Value| one["case"] == case && one["operator"] == "invert";
        listed.as_array().unwrap().iter().find(of).unwrap().clone()
    };
    let (offline, pinned) = (invert(&offline, "name"), invert(&pinned, "name"));
    assert_eq!((&offline["source"], &pinned["source"]), (&"offline".into(), &"case".into()));
    assert_eq!((&offline["id"], &offline["after"]), (&pinned["id"], &pinned["after"]), "the same mutant");
    let (code, again) = pin(&lab, &[]);
    assert_eq!((code, &again[0]["outcome"], &again[1]["outcome"]), (0, &"kept".into(), &"kept".into()));
    assert_eq!(lab.read("cases.yaml"), expected, "never overwritten");
}

#[test]
fn pinning_takes_the_helpers_answer_from_the_journal_and_marks_it_in_the_file() {
    let (lab, helper) = lab(&[GOOD]);
    lab.rules(&[]);
    let (code, report) = pin(&lab, &["--case", "queue"]);
    assert_eq!((code, &report[0]["outcome"]), (0, &"pinned".into()), "{report:#}");
    let file = lab.read("cases.yaml");
    assert!(file.contains(&format!("\n  inverted: \"{GOOD}\"  # worded by chat m-1 at 127.0.0.1")), "{file}");
    assert_eq!(helper.asked(), 1);
    let report = lab.rules(&[]);
    assert_eq!((&report["summary"]["calls"], &only_case(&report)["mutants"][1]["source"]), (&0.into(), &"case".into()));
}

#[test]
fn what_can_not_be_edited_safely_is_left_with_the_line_to_paste() {
    let lab =
        Lab::new(RULES, &CASE.replace("Rarely mention the waiting list.", "{quote: Sign with your name.}"), AGENT);
    let before = lab.tree();
    let ran = lab.run(&["rules", "--pin"]);
    assert_eq!(ran.code, 3, "nothing was pinned");
    assert!(
        ran.stdout
            .contains("the rule is written in braces or brackets\n  , inverted: \"Do not sign with your name.\"\n")
    );
    assert_eq!(lab.tree(), before);
    assert_eq!(lab.run(&["rules", "--pin", "--list"]).code, 2);
}

#[cfg(unix)]
#[test]
fn a_pinned_file_keeps_its_permissions_its_mark_and_its_link() {
    use std::os::unix::fs::PermissionsExt as _;
    let lab = Lab::new(RULES, "", AGENT);
    let own = lab.write("own/desk.yaml", &format!("\u{feff}{PINNABLE}"));
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::remove_file(lab.path().join("cases.yaml")).unwrap();
    std::os::unix::fs::symlink("own/desk.yaml", lab.path().join("cases.yaml")).unwrap();
    assert_eq!(pin(&lab, &[]).0, 0);
    assert!(lab.path().join("cases.yaml").is_symlink());
    assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o640);
    let text = lab.read("own/desk.yaml");
    assert!(text.starts_with("\u{feff}# Desk cases\n") && text.contains("inverted: \"Do not sign"), "{text}");
}

#[test]
fn the_helpers_calls_count_against_the_budget() {
    let (lab, helper) = lab(&[GOOD]);
    let report = lab.rules(&["--max-trials", "3"]);
    assert_eq!((helper.asked(), &report["summary"]["calls"]), (1, &3.into()));
    assert_eq!(rate(only_case(&report), "baseline"), "2/2", "two calls were left for the agent");
    let (dear, helper) = self::lab(&[GOOD]);
    let report = dear.rules(&["--max-trials", "0"]);
    let mutant = &only_case(&report)["mutants"][1];
    assert!(mutant["would_ask"].as_str().unwrap().contains("m-1"), "{mutant:#}");
    assert_eq!(helper.asked(), 0);
}
