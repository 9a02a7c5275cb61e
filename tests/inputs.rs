//! `mutate inputs` from outside: the real binary on suites in temporary folders.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{Lab, only_case};
use serde_json::Value;

const RULES: &str = "# Shop\n\n- Never offer a discount.\n- Sign with your name.\n";
const CASE: &str = "id: refund\ninput: \"Please refund order #4021, the tent arrived broken.\"\nexpect:\n  reply_mentions: [refunded]\n  tool_called: [{refund: {order_id: 4021}}]\n";

/// Answers to the order number alone, however the rest is put.
const STEADY: &str = "scripted:\n  habits:\n    - when: \"#4021\"\n      with: {reply: It is refunded., tool_calls: [{refund: {order_id: 4021}}]}\n";
/// Knows one sentence by heart.
const BY_HEART: &str = "scripted:\n  habits:\n    - when: \"/^Please refund order #4021, the tent arrived broken\\\\.$/\"\n      with: {reply: It is refunded., tool_calls: [{refund: {order_id: 4021}}]}\n";

fn lab(agent: &str) -> Lab {
    Lab::new(RULES, CASE, agent)
}

/// `mutate inputs --format json` with further arguments.
fn inputs(lab: &Lab, arguments: &[&str]) -> Value {
    lab.run(&[&["inputs", "--format", "json", "--quiet"], arguments].concat()).json()
}

fn texts(variants: &Value) -> Vec<String> {
    variants.as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
}

/// The example suites of the repository, copied so that no journal is left in them.
fn example(name: &str) -> Lab {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(name);
    let lab = lab(STEADY);
    for entry in walkdir::WalkDir::new(&from).into_iter().filter_entry(|entry| entry.file_name() != ".mutate") {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(&from).unwrap().to_string_lossy().into_owned();
            lab.write(&name, &std::fs::read_to_string(entry.path()).unwrap());
        }
    }
    lab
}

#[test]
fn the_example_has_a_case_of_each_verdict() {
    let lab = example("phrasings");
    let report = inputs(&lab, &[]);
    let verdicts: Vec<(&str, &str)> = report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| (case["id"].as_str().unwrap(), case["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(
        verdicts,
        [
            ("renew-loan", "robust"),
            ("overdue-fee", "sensitive"),
            ("opening-hours", "single-phrasing"),
            ("reservation", "flaky"),
            ("lost-card", "baseline-failing"),
            ("isbn-only", "unproven"),
        ]
    );
    assert_eq!(report["summary"]["exit_code"], 3);
    let fee = &report["cases"][1];
    assert_eq!(fee["kinds"], serde_json::json!(["format"]));
    let fails: Vec<&Value> = fee["variants"].as_array().unwrap().iter().filter(|one| one["failing"] == true).collect();
    assert!(!fails.is_empty());
    for variant in fails {
        assert_eq!((&variant["kind"], &variant["fell"][0]["assertion"]), (&"format".into(), &"reply_mentions".into()));
        assert_eq!(variant["fell"][0]["trials"], variant["trials"], "it fell in every trial");
    }
}

#[test]
fn a_robust_case_costs_three_trials_and_one_a_variant() {
    let report = inputs(&lab(STEADY), &[]);
    let case = only_case(&report);
    assert_eq!((case["verdict"].as_str(), case["calls"].as_u64()), (Some("robust"), Some(15)));
    assert_eq!((&case["consistency"]["agree"], &case["consistency"]["trials"]), (&12.into(), &12.into()));
    assert_eq!((&case["tool_consistency"]["agree"], &case["tool_consistency"]["trials"]), (&12.into(), &12.into()));
    assert_eq!((&case["original"]["passes"], &case["original"]["k"]), (&3.into(), &3.into()));
    let kinds: Vec<&str> =
        case["by_kind"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["typo", "format", "paraphrase"]);
    assert_eq!(report["summary"]["exit_code"], 0);
    // Twelve of twelve do not prove that the next one holds.
    assert!(case["consistency"]["low"].as_f64().unwrap() < 0.8);
    assert!(report["consistency"]["low"].as_f64().unwrap() < 0.5, "one case says little about a suite");
}

#[test]
fn a_case_that_passes_in_one_phrasing_is_a_finding() {
    let lab = lab(BY_HEART);
    let ran = lab.run(&["inputs", "--quiet"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("refund  single-phrasing"), "{}", ran.stdout);
    assert!(ran.stdout.contains("reply_mentions \"refunded\": \"refunded\" is not in the reply"), "{}", ran.stdout);
    assert!(ran.stdout.contains("exit 1: findings: refund"));
    lab.append("mutate.yaml", "gates: {single_phrasing: ignore}\n");
    assert_eq!(lab.run(&["inputs", "--quiet"]).code, 0);
}

#[test]
fn a_finding_that_is_accepted_is_no_finding_and_says_why() {
    let lab = lab(BY_HEART);
    lab.append("mutate.yaml", "accepted: [{id: refund/inputs, reason: the desk types it for them}]\n");
    let ran = lab.run(&["inputs", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("accepted  the desk types it for them"), "{}", ran.stdout);
    let gone = lab.run(&["rules", "--list"]);
    assert_eq!(gone.stderr, "", "an acceptance of one study is no mistake in another");
}

#[test]
fn a_list_asks_nothing_and_has_the_keys_that_others_build_on() {
    let lab = lab("command: {run: [never-there]}");
    let ran = lab.run(&["inputs", "--list", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let listed = ran.json();
    assert_eq!(listed.as_array().unwrap().len(), 12);
    let keys: Vec<&str> = listed[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["id", "case", "mutator", "kind", "text", "edits"]);
    let input = "Please refund order #4021, the tent arrived broken.";
    for one in listed.as_array().unwrap() {
        let edits: Vec<mutate::mutators::input::TextEdit> = serde_json::from_value(one["edits"].clone()).unwrap();
        assert_eq!(mutate::mutators::input::apply(input, &edits).as_deref(), one["text"].as_str());
        assert!(one["text"].as_str().unwrap().contains("#4021"), "{one}");
    }
    assert!(lab.journal().is_empty());
    assert!(lab.run(&["inputs", "--dry-run"]).stdout.contains("calls in all: 15 to "));
    assert!(lab.journal().is_empty());
}

#[test]
fn the_same_seed_gives_the_same_variants_and_another_seed_others() {
    let lab = lab(STEADY);
    let of = |seed: &str| texts(&lab.run(&["inputs", "--list", "--format", "json", "--seed", seed]).json());
    assert_eq!(of("7"), of("7"));
    assert_ne!(of("7"), of("8"));
}

#[test]
fn paraphrases_of_the_case_come_first_and_all_of_them() {
    let lab = lab(STEADY);
    let own = ["Refund #4021: the tent came broken.", "The tent of order #4021 came broken, please refund it."];
    lab.append("cases.yaml", &format!("paraphrases:\n- \"{}\"\n- \"{}\"\n", own[0], own[1]));
    let listed = lab.run(&["inputs", "--list", "--format", "json"]).json();
    assert_eq!(texts(&listed)[..2], own);
    assert_eq!((&listed[0]["kind"], listed.as_array().unwrap().len()), (&"written".into(), 12));
    let one = texts(&lab.run(&["inputs", "--list", "--format", "json", "--variants", "1"]).json());
    assert_eq!(one, own, "what a person wrote is never left out for want of room");
    let typos = lab.run(&["inputs", "--list", "--format", "json", "--kinds", "typo"]).json();
    assert!(typos.as_array().unwrap().iter().all(|one| one["kind"] == "typo"), "only what was asked for");
}

#[test]
fn what_must_not_change_stays_in_every_variant() {
    let lab = lab(STEADY);
    lab.append("mutate.yaml", "protect: ['tent (?-u:\\w)+']\n");
    lab.write("cases.yaml", &CASE.replace("mentions: [refunded]", "mentions: [please]"));
    let every = ["--variants", "200", "--kinds", "typo,format,paraphrase,distraction,adversarial"];
    let listed = lab.run(&[&["inputs", "--list", "--format", "json"], &every[..]].concat()).json();
    let texts = texts(&listed);
    assert!(texts.len() > 100, "{}", texts.len());
    for text in texts {
        // The first from the pattern, the second a word that the case's own check asks for, the third its argument.
        assert!(text.contains("tent arrived") && text.contains("Please") && text.contains("4021"), "{text}");
    }
}

#[test]
fn saved_variants_are_reviewed_in_a_file_and_used_first() {
    let lab = lab(STEADY);
    let saved = lab.run(&["inputs", "--save", "--variants", "4"]);
    assert_eq!((saved.code, saved.stdout.trim()), (0, "refund.variants.yaml: 4 new, 0 before"));
    let before = texts(&lab.run(&["inputs", "--list", "--format", "json", "--variants", "4"]).json());
    let file = lab.read("refund.variants.yaml");
    // A person refuses the first, adds one, and leaves a comment.
    let edited = file.replacen("keep: true", "keep: false  # nobody writes this", 1)
        + "- text: \"Order #4021 came broken. Please refund the tent.\"\n";
    lab.write("refund.variants.yaml", &edited);
    let after = texts(&lab.run(&["inputs", "--list", "--format", "json", "--variants", "6", "--seed", "5"]).json());
    assert_eq!(after[..3], before[1..], "what was kept comes first, whatever the seed");
    assert_eq!(after[3], "Order #4021 came broken. Please refund the tent.");
    assert_eq!(after.len(), 6, "and new ones fill up");
    let many = texts(&lab.run(&["inputs", "--list", "--format", "json", "--variants", "300"]).json());
    assert!(!many.contains(&before[0]), "what was refused never comes back");
    let again = lab.run(&["inputs", "--save", "--variants", "4"]);
    assert_eq!(again.stdout.trim(), "refund.variants.yaml: 0 new, 5 before");
    assert_eq!(lab.read("refund.variants.yaml"), edited, "nothing of a person's is touched");
    let more = lab.run(&["inputs", "--save", "--variants", "6", "--seed", "5"]);
    assert_eq!(more.stdout.trim(), "refund.variants.yaml: 2 new, 5 before");
    assert!(lab.read("refund.variants.yaml").starts_with(&edited));
}

#[test]
fn a_file_of_another_input_is_left_aside_and_never_overwritten() {
    let lab = lab(STEADY);
    lab.run(&["inputs", "--save", "--variants", "3"]);
    lab.write("cases.yaml", &CASE.replace("broken", "torn"));
    let report = inputs(&lab, &[]);
    let note = only_case(&report)["notes"][0].as_str().unwrap();
    assert!(note.starts_with("refund.variants.yaml was made from another input"), "{note}");
    let file = lab.read("refund.variants.yaml");
    let saved = lab.run(&["inputs", "--save"]);
    assert_eq!(saved.code, 2);
    assert!(saved.stderr.contains("the input of `refund` has changed since this file was saved"), "{}", saved.stderr);
    assert!(saved.stderr.contains("refund.variants.yaml:4:8"), "{}", saved.stderr);
    assert_eq!(lab.read("refund.variants.yaml"), file);
}

#[test]
fn a_reviewed_text_that_loses_the_order_number_is_left_out_and_said() {
    let lab = lab(STEADY);
    lab.run(&["inputs", "--save", "--variants", "2"]);
    lab.append("refund.variants.yaml", "- text: Please refund my order, the tent arrived broken.\n");
    let report = inputs(&lab, &["--variants", "3"]);
    let case = only_case(&report);
    let note = case["notes"][0].as_str().unwrap();
    assert!(note.starts_with("refund.variants.yaml:") && note.contains("#4021"), "{note}");
    assert!(texts(&case["variants"]).iter().all(|text| text.contains("#4021")));
}

#[test]
fn what_was_answered_is_not_asked_again_and_the_report_is_the_same() {
    let whole = lab(BY_HEART);
    let at_once = inputs(&whole, &[]);
    let cut = lab(BY_HEART);
    let first = inputs(&cut, &["--max-trials", "7"]);
    assert_eq!((&first["summary"]["calls"], &first["summary"]["exit_code"]), (&7.into(), &3.into()));
    assert_eq!(only_case(&first)["verdict"], "unproven");
    let second = inputs(&cut, &[]);
    assert_eq!(second["cases"], at_once["cases"]);
    assert_eq!(second["summary"]["reused"], 7);
    let all = at_once["summary"]["calls"].as_u64().unwrap();
    assert_eq!(second["summary"]["calls"].as_u64().unwrap(), all - 7);
    assert_eq!(inputs(&cut, &["--jobs", "1"])["cases"], at_once["cases"]);
}

#[test]
fn the_studies_share_the_trials_of_what_is_not_changed() {
    let lab = lab(STEADY);
    lab.append("cases.yaml", "rule: Never offer a discount.\n");
    let rules = lab.rules(&[]);
    let baseline = rules["cases"][0]["arms"]["baseline"]["trials"].as_u64().unwrap();
    assert_eq!(baseline, 3);
    assert_eq!(inputs(&lab, &[])["summary"]["reused"], baseline);
}

#[test]
fn another_check_is_judged_anew_for_free() {
    let lab = lab(STEADY);
    inputs(&lab, &[]);
    lab.write("cases.yaml", &CASE.replace("[refunded]", "[voucher]"));
    let report = inputs(&lab, &["--variants", "12"]);
    assert_eq!(only_case(&report)["verdict"], "baseline-failing");
    assert_eq!((&report["summary"]["calls"], &report["summary"]["reused"]), (&0.into(), &3.into()));
}

#[test]
fn errors_of_the_agent_are_neither_passes_nor_fails() {
    let dead = lab("scripted: {otherwise: {fault: error}}");
    let report = inputs(&dead, &[]);
    assert_eq!((&only_case(&report)["verdict"], &report["summary"]["exit_code"]), (&"error".into(), &3.into()));
    assert_eq!(only_case(&report)["consistency"]["trials"], 0);
    // One in five fails to answer: what is judged is what answered.
    let shaky = lab(&STEADY.replace(
        "with: {reply: It is refunded., tool_calls: [{refund: {order_id: 4021}}]}",
        "with: [{p: 0.2, fault: error}, {reply: It is refunded., tool_calls: [{refund: {order_id: 4021}}]}]",
    ));
    let report = inputs(&shaky, &[]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "robust", "{case:#}");
    assert!(report["summary"]["errors"].as_u64().unwrap() > 0);
    assert_eq!(case["consistency"]["trials"], 12);
}

#[test]
fn tools_that_are_not_reported_leave_a_case_unproven() {
    let lab = lab(&STEADY.replace("scripted:\n", "scripted:\n  reports_tools: false\n"));
    let report = inputs(&lab, &[]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "unproven");
    assert_eq!(case["tool_consistency"]["trials"], 0);
    assert_eq!(report["summary"]["exit_code"], 3);
}

// 100 errors of 1,000 neither raise nor lower a rate, and a threshold inside the interval is no pass.
#[test]
fn a_threshold_inside_the_interval_is_undecided() {
    let lab = lab(STEADY);
    lab.append("mutate.yaml", "gates: {consistency_min: 0.9}\n");
    let report = inputs(&lab, &[]);
    assert_eq!(report["gate"], serde_json::json!({"consistency_min": 0.9, "standing": "undecided"}));
    assert_eq!(report["summary"]["exit_code"], 3);
    let reason = report["summary"]["exit_reason"].as_str().unwrap();
    assert_eq!(reason, "not assessed: gates.consistency_min");
    let note = report["notes"].to_string();
    assert!(note.contains("the threshold lies inside the interval"), "{note}");
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("0.9", "0.1"));
    assert_eq!(inputs(&lab, &[])["gate"]["standing"], "met");
    assert_eq!(lab.run(&["inputs", "--quiet"]).code, 0);
}

#[test]
fn a_suite_below_its_threshold_is_a_finding() {
    let cases: Vec<String> = (0..8)
        .map(|n| {
            let case = CASE.replacen("id: refund", &format!("id: refund-{n}"), 1).replace('\n', "\n  ");
            format!("- {}\n", case.trim_end())
        })
        .collect();
    let lab = Lab::new(RULES, &cases.concat(), BY_HEART);
    lab.append("mutate.yaml", "gates: {consistency_min: 0.9, single_phrasing: ignore}\n");
    let report = inputs(&lab, &[]);
    assert_eq!(report["gate"]["standing"], "missed");
    assert_eq!((&report["summary"]["exit_code"], &report["summary"]["findings"]), (&1.into(), &1.into()));
}

/// A suite of ten or more cases: so many answer in every phrasing, the others know their sentence by heart.
fn of_which(steady: usize, all: usize) -> Lab {
    let order = |n: usize| format!("#{}", 4000 + n);
    let case = |n: usize| {
        let case = CASE.replace("id: refund", &format!("id: order-{n}")).replace("#4021", &order(n));
        format!("- {}\n", case.replace("4021", &(4000 + n).to_string()).trim_end().replace('\n', "\n  "))
    };
    let habit = |n: usize| {
        let agent = if n < steady { STEADY } else { BY_HEART };
        let habit = agent.replace("#4021", &order(n)).replace("4021", &(4000 + n).to_string());
        habit.strip_prefix("scripted:\n  habits:\n").unwrap().to_owned()
    };
    let habits: String = (0..all).map(habit).collect();
    let lab = Lab::new(RULES, &(0..all).map(case).collect::<String>(), &format!("scripted:\n  habits:\n{habits}"));
    lab.append("mutate.yaml", "gates: {consistency_min: 0.8, single_phrasing: ignore}\n");
    lab
}

#[test]
fn a_threshold_is_met_missed_or_undecided_by_the_interval_and_each_has_its_exit_code() {
    // Ten of ten perfect cases prove no more than 0.72 (Wilson); sixteen of sixteen prove 0.81.
    for (steady, all, standing, code) in
        [(16, 16, "met", 0), (10, 10, "undecided", 3), (8, 10, "undecided", 3), (3, 10, "missed", 1)]
    {
        let lab = of_which(steady, all);
        let report = inputs(&lab, &[]);
        assert_eq!(report["gate"]["standing"], standing, "{steady} of {all}: {:#}", report["consistency"]);
        assert_eq!(report["summary"]["exit_code"], code, "{steady} of {all}");
        assert_eq!(
            (&report["consistency"]["mean"], &report["consistency"]["cases"]),
            (&(steady as f64 / all as f64).into(), &all.into())
        );
        let seen = ["low", "high"].map(|end| (report["consistency"][end].as_f64().unwrap() * 100.0).round() as u32);
        match (steady, all) {
            (16, 16) => assert_eq!(seen, [81, 100]),
            (10, 10) => assert_eq!(seen, [72, 100]),
            (8, 10) => assert_eq!(seen, [50, 100]),
            _ => assert_eq!(seen, [0, 60]),
        }
        let shown = lab.run(&["inputs", "--quiet"]);
        assert_eq!(shown.code, code);
        let failing = shown.stdout.matches("  single-phrasing  cases.yaml:").count();
        assert_eq!(failing, all - steady, "those that fail are listed either way");
        let wants_more = shown.stdout.contains("the threshold lies inside the interval; more cases make it narrower");
        assert_eq!(wants_more, standing == "undecided", "{}", shown.stdout);
    }
}

#[test]
fn errors_in_some_trials_raise_no_rate_and_a_case_without_an_answer_keeps_a_threshold_open() {
    // Two of eighteen cases only get errors: the threshold would be met by those that answered.
    let lab = of_which(18, 18);
    let dead = lab.read("mutate.yaml").replace(
        "when: \"#4016\"\n          with: {reply: It is refunded., tool_calls: [{refund: {order_id: 4016}}]}",
        "when: \"#4016\"\n          with: {fault: error}",
    );
    let dead = dead.replace(
        "when: \"#4017\"\n          with: {reply: It is refunded., tool_calls: [{refund: {order_id: 4017}}]}",
        "when: \"#4017\"\n          with: {fault: error}",
    );
    assert_eq!(dead.matches("fault: error").count(), 2);
    lab.write("mutate.yaml", &dead);
    let report = inputs(&lab, &[]);
    assert_eq!((&report["consistency"]["mean"], &report["consistency"]["cases"]), (&1.0.into(), &16.into()));
    assert_eq!((&report["summary"]["errors"], &report["summary"]["verdicts"]["error"]), (&6.into(), &2.into()));
    assert_eq!(report["summary"]["exit_code"], 3);
    assert_eq!(report["summary"]["exit_reason"], "not assessed: order-16 and order-17");
}

#[test]
fn the_time_limit_ends_a_run_with_a_report_and_no_green() {
    let slow = STEADY.replace("habits:", "latency: 2s\n  habits:");
    let lab = lab(&slow);
    lab.append("mutate.yaml", "limits: {max_time: 1h}\n");
    let report = inputs(&lab, &["--jobs", "2", "--max-time", "700ms"]);
    assert_eq!(report["summary"]["stopped"], "the time limit of 700ms is over");
    assert_eq!(
        (&report["summary"]["calls"], &report["summary"]["errors"]),
        (&2.into(), &0.into()),
        "what was out is heard"
    );
    assert_eq!(
        (&report["summary"]["exit_code"], &report["summary"]["exit_reason"]),
        (&3.into(), &"not assessed: refund".into())
    );
    let case = only_case(&report);
    assert_eq!((&case["verdict"], &case["reason"]), (&"unproven".into(), &"the time limit of 700ms is over".into()));
    assert_eq!(lab.journal().iter().filter(|line| line["ok"] == true).count(), 2, "and kept");
}

#[test]
fn five_hundred_cases_at_sixteen_jobs_end_with_a_report() {
    let case = |n: usize| {
        format!("- {}\n", CASE.replace("id: refund", &format!("id: refund-{n}")).trim_end().replace('\n', "\n  "))
    };
    let lab = Lab::new(RULES, &(0..500).map(case).collect::<String>(), STEADY);
    for study in [&["inputs", "--variants", "1"][..], &["inputs", "--variants", "1", "--max-time", "10m", "--fresh"]] {
        let report = lab.run(&[study, &["--quiet", "--format", "json", "--jobs", "16"]].concat()).json();
        assert_eq!(
            (&report["summary"]["verdicts"]["robust"], &report["summary"]["calls"]),
            (&500.into(), &2000.into())
        );
    }
}

#[test]
fn a_number_that_means_nothing_is_a_mistake_before_any_call() {
    let agent = "command: [sh, -c, 'echo x >> ../asked; echo It is refunded.']";
    let lab = lab("scripted: {}");
    lab.write("suite/mutate.yaml", &lab.read("mutate.yaml").replace("scripted: {}", agent));
    lab.write("suite/rules.md", RULES);
    lab.write("suite/cases.yaml", &format!("{CASE}rule: Never offer a discount.\n"));
    let both: &[(&str, &[&str])] = &[
        ("--jobs", &["0", "-3", "1.5", "many", ""]),
        ("--max-trials", &["-3", "1.5", "many", ""]),
        ("--max-cost", &["-1", "NaN", "inf", "much", ""]),
        ("--max-time", &["0", "0s", "-3", "soon", "NaN", "1d", ""]),
        ("--seed", &["-1", "1.5", "x"]),
        ("--alpha", &["0", "-0.1", "0.6", "NaN", "x"]),
    ];
    let inputs: &[(&str, &[&str])] = &[("--variants", &["0", "-3", "1.5", "1001", "many", ""])];
    let rules: &[(&str, &[&str])] = &[
        ("--max-trials-per-arm", &["0", "-3", "1.5", "2", "101", "many", ""]),
        ("--beta", &["0", "-0.1", "0.6", "NaN"]),
        ("--min-effect", &["0", "-0.5", "1.5", "NaN"]),
    ];
    for (study, own) in [("inputs", inputs), ("rules", rules)] {
        for (flag, values) in both.iter().chain(own) {
            for value in *values {
                let ran = lab.run(&[study, "--suite", "suite", flag, value]);
                assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{study} {flag} {value}");
                assert!(ran.stderr.starts_with("error: "), "{study} {flag} {value}: {}", ran.stderr);
            }
        }
    }
    assert!(!lab.path().join("asked").exists() && !lab.path().join("suite/.mutate").exists(), "nobody was asked");
    lab.run(&["inputs", "--suite", "suite", "--max-trials", "1"]);
    assert!(lab.path().join("asked").exists(), "and without the mistake somebody is");
}

#[test]
fn adversarial_variants_are_scored_apart_and_in_no_verdict() {
    // Homoglyphs, full width and hidden signs break this agent, and nothing else does.
    let lab = lab(
        "scripted:\n  habits:\n    - when: \"/^[ -~\\\\s]*$/\"\n      with: {reply: It is refunded., tool_calls: [{refund: {order_id: 4021}}]}\n",
    );
    let report = inputs(&lab, &["--kinds", "typo,adversarial", "--variants", "8"]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "robust", "{case:#}");
    let agree: u64 =
        case["adversarial"].as_array().unwrap().iter().map(|one| one["consistency"]["agree"].as_u64().unwrap()).sum();
    assert_eq!(agree, 0);
    assert_eq!(report["consistency"]["mean"], 1.0);
    assert_eq!(report["adversarial"]["mean"], 0.0);
}

#[test]
fn a_mutator_that_fits_no_case_is_said_and_is_in_no_rate() {
    let lab = lab(STEADY);
    let report = inputs(&lab, &["--mutators", "typo/transposition,paraphrase/contraction"]);
    let mutators = report["mutators"].as_array().unwrap();
    let of = |name: &str| mutators.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!((&of("paraphrase/contraction")["applied"], &of("paraphrase/contraction")["of"]), (&0.into(), &1.into()));
    assert_eq!(of("typo/transposition")["applied"], 1);
    assert!(report["by_kind"].as_array().unwrap().iter().all(|one| one["kind"] == "typo"));
    assert!(report["notes"].to_string().contains("paraphrase/contraction"), "{}", report["notes"]);
}

#[test]
fn exports_are_read_by_other_harnesses() {
    let lab = lab(STEADY);
    let listed: BTreeSet<String> =
        texts(&lab.run(&["inputs", "--list", "--format", "json"]).json()).into_iter().collect();
    let tests: Value = serde_yaml::from_str(&lab.run(&["inputs", "--export", "promptfoo"]).stdout).unwrap();
    let of_yaml: BTreeSet<String> =
        tests.as_array().unwrap().iter().map(|test| test["vars"]["input"].as_str().unwrap().to_owned()).collect();
    assert_eq!(of_yaml, listed);
    lab.run(&["inputs", "--export", "jsonl", "--output", "variants.jsonl"]);
    let of_lines: BTreeSet<String> = lab
        .read("variants.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(of_lines, listed);
}

#[test]
fn show_has_the_variants_with_what_each_changed() {
    let lab = lab(BY_HEART);
    inputs(&lab, &[]);
    let shown = lab.run(&["show", "refund"]).stdout;
    assert!(shown.contains("── baseline"), "{shown}");
    let typo = shown.split("── typo/").nth(1).unwrap();
    assert!(typo.contains("-Please refund order #4021, the tent arrived broken."), "{typo}");
    assert!(typo.contains("fails  reply_mentions"), "{typo}");
}

#[test]
fn no_study_writes_into_the_users_tree() {
    let lab = lab(BY_HEART);
    let before = lab.tree();
    inputs(&lab, &[]);
    lab.run(&["inputs", "--list"]);
    lab.run(&["inputs", "--export", "jsonl"]);
    assert_eq!(lab.tree(), before);
}

const HELPER: &str = "helper_model:\n  scripted:\n    model: helper\n    otherwise: {reply: '[\"Could you refund order #4021? The tent arrived broken.\", \"Please refund my tent.\", \"Kindly refund order #4021. The tent arrived broken, I am afraid.\"]'}\n";

#[test]
fn a_helper_models_paraphrases_are_verified_and_never_paid_twice() {
    let lab = lab(STEADY);
    lab.append("mutate.yaml", HELPER);
    let report = inputs(&lab, &["--kinds", "model", "--variants", "2"]);
    let case = only_case(&report);
    let mut made = texts(&case["variants"]);
    made.sort();
    assert_eq!(
        made,
        [
            "Could you refund order #4021? The tent arrived broken.",
            "Kindly refund order #4021. The tent arrived broken, I am afraid."
        ],
        "the one without its order number is none"
    );
    assert!(case["variants"].as_array().unwrap().iter().all(|one| one["mutator"] == "model/paraphrase"));
    assert_eq!(case["verdict"], "robust");
    assert_eq!(report["summary"]["calls"], 3 + 2 + 1, "the helper's call is a call");
    let again = inputs(&lab, &["--kinds", "model", "--variants", "2"]);
    assert_eq!((&again["summary"]["calls"], &again["summary"]["reused"]), (&0.into(), &6.into()));
    assert_eq!(again["cases"], report["cases"]);
    assert!(!lab.run(&["show", "refund"]).stdout.contains("── paraphrase"), "no answer of the agent's");
}

#[test]
fn a_list_does_not_ask_the_helper_and_a_save_does() {
    let lab = lab(STEADY);
    lab.append("mutate.yaml", HELPER);
    let listed = lab.run(&["inputs", "--list", "--kinds", "model"]);
    assert_eq!(listed.code, 3, "there is nothing to list yet: {}", listed.stdout);
    assert!(lab.journal().is_empty());
    assert!(listed.stdout.contains("a run or `--save` asks the helper"), "{}", listed.stdout);
    assert_eq!(lab.run(&["inputs", "--save", "--kinds", "model", "--variants", "2", "--quiet"]).code, 0);
    assert!(lab.read("refund.variants.yaml").contains("mutator: model/paraphrase"));
    let kept = lab.run(&["inputs", "--list", "--kinds", "model", "--variants", "2", "--format", "json"]).json();
    assert_eq!(kept.as_array().unwrap().len(), 2);
}

#[test]
fn the_helper_must_be_there_and_another_model_than_the_agent() {
    let alone = lab(STEADY);
    let ran = alone.run(&["inputs", "--kinds", "model"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the kind `model` needs a `helper_model`"), "{}", ran.stderr);
    let same = lab(STEADY);
    same.append("mutate.yaml", &format!("helper_model:\n  {}", STEADY.replace('\n', "\n  ")));
    let ran = same.run(&["inputs", "--kinds", "model"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`helper_model` is the agent's own model"), "{}", ran.stderr);
    assert!(same.journal().is_empty());
}

#[test]
fn the_helpers_calls_count_against_the_budget() {
    let lab = lab(STEADY);
    lab.append("mutate.yaml", HELPER);
    let report = inputs(&lab, &["--kinds", "model", "--variants", "2", "--max-trials", "3"]);
    assert_eq!(report["summary"]["calls"], 3);
    assert_eq!(only_case(&report)["original"]["trials"], 2);
    assert_eq!(report["summary"]["exit_code"], 3);
}
