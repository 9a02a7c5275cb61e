//! `mutate rules --attribute`, run as its users run it.

mod common;

use common::{Lab, only_case};
use serde_json::Value;

const RULES: &str = "---\nname: shop\n---\n\n# Shop\n\nYou answer for a shop.\n\n## Prices\n\n- Never offer a discount.\n- Quote prices with taxes.\n\n## Tone\n\n- Speak kindly to everybody who writes.\n- Keep every answer short.\n- Sign with your name.\n\n## Last\n\nRead it again. Nobody gets a discount, whatever they say.\n";
const CASE: &str = "id: discount\ninput: Can I have it cheaper?\nrule: Never offer a discount.\nexpect:\n  reply_does_not_mention: [rebate]\n";

/// An agent that obeys while all of these stand in its instructions.
fn obeys(rule: &str) -> String {
    format!(
        "scripted:\n  habits:\n    - when: /./\n      rule: {rule}\n      with: {{reply: The price is fixed.}}\n      without: {{reply: Have a rebate.}}\n"
    )
}

fn attributed(lab: &Lab, arguments: &[&str]) -> Value {
    lab.run(&[&["rules", "--attribute", "--format", "json", "--quiet"], arguments].concat()).json()
}

/// Line and role of every statement of the answer.
fn roles(case: &Value) -> Vec<(u64, &str)> {
    let statements = case["statements"].as_array().unwrap().iter();
    statements.map(|one| (one["line"].as_u64().unwrap(), one["role"].as_str().unwrap())).collect()
}

#[test]
fn the_other_text_of_a_redundant_case_is_found_and_marked_in_the_file() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    let ran = lab.run(&["rules", "--quiet"]);
    assert!(ran.stdout.contains("`mutate rules --attribute --case discount` finds it"), "{}", ran.stdout);
    let ran = lab.run(&["rules", "--attribute", "--case", "discount", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let marked: Vec<&str> = ran.stdout.lines().filter(|line| line.contains('┃')).collect();
    assert_eq!(
        marked,
        [
            "  carries   11 ┃ - Never offer a discount.",
            "  carries   22 ┃ Read it again. Nobody gets a discount, whatever they say."
        ]
    );
    assert!(ran.stdout.contains("so        either of rules.md:11 and rules.md:22 is enough"), "{}", ran.stdout);
    assert!(ran.stdout.contains("next      name rules.md:22 under the rule's `also:`"), "{}", ran.stdout);
    assert!(ran.stdout.contains("… 8 lines …"), "{}", ran.stdout);
}

#[test]
fn the_report_says_what_each_statement_is_and_how_it_did_when_it_was_put_back() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    let report = attributed(&lab, &["--case", "discount"]);
    let case = only_case(&report);
    assert_eq!((&report["study"], &case["verdict"]), (&"attribution".into(), &"carried".into()));
    assert_eq!(roles(case), [(11, "carries"), (22, "carries")]);
    for (at, text, quoted) in
        [(0, "Never offer a discount.", true), (1, "Nobody gets a discount, whatever they say.", false)]
    {
        let one = &case["statements"][at];
        let (start, end) = (one["start"].as_u64().unwrap() as usize, one["end"].as_u64().unwrap() as usize);
        assert_eq!(&RULES[start..end], text);
        assert_eq!((&one["text"], &one["quoted"]), (&text.into(), &quoted.into()));
        assert_eq!(one["put_back"], serde_json::json!({"passes": 5, "trials": 5}));
    }
    let assertion = &case["assertions"][0];
    assert_eq!(assertion["without"], serde_json::json!({"passes": 0, "trials": 6}));
    assert_eq!(assertion["evidence"], "the reply mentions \"rebate\"");
    assert_eq!((&case["candidates"], &case["needed"]), (&8.into(), &Value::Null));
}

#[test]
fn trials_of_the_rules_study_are_not_asked_again() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    let rules = lab.rules(&["--operators", "delete"]);
    assert_eq!(only_case(&rules)["verdict"], "redundant");
    let report = attributed(&lab, &["--case", "discount"]);
    // Three of the baseline and five of the deletion; no instructions at all is asked by the other study alone.
    assert_eq!(report["summary"]["reused"], 8);
    let again = attributed(&lab, &["--case", "discount"]);
    assert_eq!(again["summary"]["calls"], 0);
    assert_eq!(again["cases"], report["cases"]);
}

#[test]
fn another_text_that_carries_alone_is_named_and_the_quoted_one_is_not_blamed() {
    let lab = Lab::new(RULES, CASE, &obeys("Sign with your name."));
    let report = attributed(&lab, &["--case", "discount"]);
    let case = only_case(&report);
    assert_eq!(roles(case), [(11, "quoted"), (18, "carries")]);
    assert_eq!(
        case["conclusion"],
        "rules.md:18 alone carries it: without it the case falls; the quoted rule is not needed for that"
    );
    assert_eq!(case["advice"], "let the case quote rules.md:18 in its `rule:`");
}

#[test]
fn a_quote_that_is_a_part_of_an_item_leaves_the_rest_of_it_to_be_deleted_alone() {
    let rules =
        "# Shop\n\n- Never offer a discount. Be firm about it.\n- Sign with your name.\n- Keep every answer short.\n";
    let lab = Lab::new(rules, CASE, &obeys("Be firm about it"));
    let report = attributed(&lab, &["--case", "discount"]);
    let case = only_case(&report);
    let carrying: Vec<&Value> =
        case["statements"].as_array().unwrap().iter().filter(|one| one["role"] == "carries").collect();
    assert_eq!(carrying.len(), 1, "{case:#}");
    assert_eq!(carrying[0]["text"], "Be firm about it.");
}

#[test]
fn a_heading_is_found_where_no_statement_carries_anything() {
    let lab = Lab::new(RULES, CASE, &obeys("prices"));
    lab.write(
        "rules.md",
        "# Prices stand\n\nYou answer for a shop.\n\n- Never offer a discount.\n- Sign with your name.\n",
    );
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("rule: prices", "rule: Prices stand"));
    let report = attributed(&lab, &["--case", "discount"]);
    assert_eq!(roles(only_case(&report)), [(1, "carries"), (5, "quoted")], "{report:#}");
}

#[test]
fn two_copies_of_a_rule_in_two_files_are_found_together() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("rules.md", "[rules.md, more.md]"));
    lab.write("rules.md", "- Never offer a discount.\n- Sign with your name.\n- Keep every answer short.\n");
    lab.write("more.md", "- Speak kindly.\n- If they beg, a discount is still not for us to give.\n");
    let report = attributed(&lab, &["--case", "discount"]);
    let case = only_case(&report);
    assert_eq!(roles(case), [(1, "carries"), (2, "carries")]);
    assert_eq!(
        (&case["statements"][0]["file"], &case["statements"][1]["file"]),
        (&"rules.md".into(), &"more.md".into())
    );
    let ran = lab.run(&["rules", "--attribute", "--case", "discount", "--quiet"]);
    let files: Vec<&str> = ran.stdout.lines().filter(|line| line.ends_with(".md") && line.starts_with("  ")).collect();
    assert_eq!(files, ["  rules.md", "  more.md"]);
}

#[test]
fn rules_in_strings_of_yaml_are_found_and_the_file_stays_valid() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("rules.md", "rules.yaml"));
    lab.write(
        "rules.yaml",
        "role: You answer for a shop.\nrules:\n  - Never offer a discount.\n  - \"Sign with \\\"Yours\\\".\"\n  - Nobody gets a discount.\n",
    );
    let report = attributed(&lab, &["--case", "discount"]);
    assert_eq!(roles(only_case(&report)), [(3, "carries"), (5, "carries")], "{report:#}");
    let diffs: Vec<String> = lab.journal().iter().filter_map(|line| line["diff"].as_str().map(str::to_owned)).collect();
    assert!(diffs.iter().any(|diff| diff.contains("-  - Nobody gets a discount.")), "{diffs:?}");
}

#[test]
fn a_budget_ends_the_search_with_the_smallest_set_so_far_and_more_of_it_goes_on() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    let ran = lab.run(&["rules", "--attribute", "--case", "discount", "--quiet", "--max-trials", "14"]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    assert!(ran.stdout.contains("somewhere in these 4 of 8 statements"), "{}", ran.stdout);
    assert_eq!(ran.stdout.lines().filter(|line| line.starts_with("  suspect")).count(), 3, "{}", ran.stdout);
    let report = attributed(&lab, &["--case", "discount"]);
    assert_eq!((&report["summary"]["reused"], &only_case(&report)["verdict"]), (&14.into(), &"carried".into()));
}

#[test]
fn thorough_asks_as_well_which_statements_are_enough() {
    let two = obeys("[Never offer a discount., Read it again.]");
    let lab = Lab::new(RULES, CASE, &two);
    let report = attributed(&lab, &["--case", "discount", "--thorough"]);
    let case = only_case(&report);
    assert_eq!(roles(case), [(11, "carries"), (22, "needed")]);
    assert_eq!(case["needed"], serde_json::json!({"settled": true, "statements": 2, "reason": null}));
    let conclusion = case["conclusion"].as_str().unwrap();
    assert!(conclusion.ends_with(". Of all 8 statements, rules.md:11 and rules.md:22 would be enough"), "{conclusion}");
}

#[test]
fn a_program_that_reads_no_instructions_is_unreached_and_not_a_model_default() {
    let lab = Lab::new(RULES, CASE, "command: [echo, The price is fixed.]");
    let report = attributed(&lab, &["--case", "discount"]);
    assert_eq!(only_case(&report)["verdict"], "unreached");
    assert_eq!(report["summary"]["exit_code"], 3);
    let handed = Lab::new(RULES, CASE, &obeys("nothing of this").replace("Have a rebate", "No"));
    let report = attributed(&handed, &["--case", "discount"]);
    assert_eq!((&only_case(&report)["verdict"], &report["summary"]["exit_code"]), (&"model-default".into(), &0.into()));
}

#[test]
fn a_case_without_a_rule_begins_with_the_one_that_is_given() {
    let lab = Lab::new(RULES, &CASE.replace("rule: Never offer a discount.\n", ""), &obeys("a discount"));
    let ran = lab.run(&["rules", "--attribute", "--case", "discount"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the case `discount` quotes no rule to begin with"), "{}", ran.stderr);
    assert!(ran.stderr.contains("name a first guess: `--rule"), "{}", ran.stderr);
    let report = attributed(&lab, &["--case", "discount", "--rule", "Quote prices with taxes."]);
    assert_eq!(roles(only_case(&report)), [(11, "carries"), (12, "quoted"), (22, "carries")]);
    let ran = lab.run(&["rules", "--attribute", "--case", "discount", "--rule", "Quote prices without taxes."]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the quoted rule is not in the instructions"), "{}", ran.stderr);
}

#[test]
fn one_case_is_looked_at_and_not_several() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    lab.append("cases.yaml", &format!("---\n{}", CASE.replace("id: discount", "id: cheaper")));
    let ran = lab.run(&["rules", "--attribute"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--attribute looks at exactly one case"), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 cases were chosen: name one with `--case ID`"), "{}", ran.stderr);
    for flags in [&["--list"][..], &["--operators", "delete"]] {
        let ran = lab.run(&[&["rules", "--attribute", "--case", "cheaper"], flags].concat());
        assert_eq!(ran.code, 2, "{flags:?}");
    }
    assert_eq!(lab.run(&["rules", "--rule", "Sign with your name."]).code, 2, "--rule needs --attribute");
    assert!(lab.journal().is_empty());
}

#[test]
fn a_dry_run_says_what_it_would_take_and_asks_nothing() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    let forecast = lab.run(&["rules", "--attribute", "--case", "discount", "--dry-run", "--format", "json"]).json();
    assert_eq!((&forecast["calls"]["fewest"], &forecast["calls"]["clear_least"]), (&3.into(), &17.into()));
    assert!(lab.journal().is_empty());
    let taken = attributed(&lab, &["--case", "discount"])["summary"]["calls"].as_u64().unwrap();
    let bound = forecast["calls"]["clear_most"].as_u64().unwrap();
    assert!(17 < taken && taken <= bound, "{taken} of {bound}");
}

#[test]
fn the_markdown_report_shows_what_the_file_says_and_does_not_obey_it() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    lab.write(
        "rules.md",
        "- Never offer a discount.\n- Sign with your name.\n- Nobody gets a discount | <b>@all</b>.\n",
    );
    let ran = lab.run(&["rules", "--attribute", "--case", "discount", "--format", "markdown", "--quiet"]);
    assert!(ran.stdout.contains("| rules.md:1 | Never offer a discount. | carries, quoted | 5/5 |"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Nobody gets a discount \\| &lt;b&gt;\\@all&lt;/b&gt;."), "{}", ran.stdout);
}

#[test]
fn what_was_asked_can_be_looked_at_arm_by_arm() {
    let lab = Lab::new(RULES, CASE, &obeys("a discount"));
    attributed(&lab, &["--case", "discount"]);
    let shown = lab.run(&["show", "discount"]).stdout;
    let arms: Vec<&str> = shown.lines().filter(|line| line.starts_with("── ")).collect();
    assert!(arms[0].starts_with("── baseline") && arms[1].starts_with("── delete"), "{arms:?}");
    assert!(arms.iter().any(|arm| arm.starts_with("── without/")), "{arms:?}");
    assert!(shown.contains("-Read it again. Nobody gets a discount, whatever they say."), "{shown}");
}
