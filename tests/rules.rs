//! The rules study through the real binary: what must never be called what.

mod common;

use common::{Lab, only_case, rate};

const RULES: &str = "# Shop\n\n- Never offer a discount.\n- Speak kindly to everybody who writes.\n- Keep every answer short.\n- Sign with your name.\n";
const CASE: &str = "id: discount\ninput: Can I have it cheaper?\nrule: Never offer a discount.\nexpect:\n  reply_does_not_mention: [discount]\n  reply_mentions: [price]\n";

/// One habit for every input.
fn habit(with: &str, without: &str, more: &str) -> String {
    format!(
        "scripted:\n  habits:\n    - when: /./\n      rule: Never offer a discount.\n      with: {with}\n      without: {without}\n{more}"
    )
}

const FIRM: &str = "{reply: The price is fixed.}";
const SOFT: &str = "{reply: The price has a discount.}";

#[test]
fn a_case_that_needs_its_rule_is_rule_derived() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, SOFT, ""));
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "rule-derived");
    assert_eq!(case["label"], "rule-derived");
    assert_eq!(case["assertions"][0]["verdict"], "bites");
    assert_eq!(case["assertions"][0]["fell_under"], "delete");
    assert_eq!(case["assertions"][1]["verdict"], "inert");
    assert_eq!(report["summary"]["exit_code"], 0);
}

#[test]
fn an_agent_that_ignores_its_instructions_is_a_model_default() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, FIRM, "  canary: ignores\n"));
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "model-default");
    assert_eq!(case["label"], "model-swap-guard");
    assert_eq!(report["reach"], "canary-ignored");
    assert_eq!(report["summary"]["exit_code"], 1);
}

#[test]
fn where_nothing_was_killed_a_canary_shows_once_that_mutants_arrive() {
    let two = format!(
        "- {}\n- {}\n",
        CASE.trim().replace('\n', "\n  "),
        CASE.trim().replace("discount\ninput", "other\ninput").replace('\n', "\n  ")
    );
    let lab = Lab::new(RULES, &two, &habit(FIRM, FIRM, ""));
    let report = lab.rules(&[]);
    assert_eq!(report["reach"], "canary-echoed");
    let canaries = lab.journal().iter().filter(|line| line["arm"] == "canary" && line["ok"] == true).count();
    assert_eq!(canaries, 1);
}

#[test]
fn a_dead_agent_is_an_error_and_never_a_verdict_on_the_case() {
    let lab = Lab::new(RULES, CASE, "scripted:\n  habits: []\n  otherwise: {fault: error}");
    let ran = lab.run(&["rules", "--format", "json"]);
    let report = ran.json();
    assert_eq!(only_case(&report)["verdict"], "error");
    assert_eq!(only_case(&report)["arms"]["baseline"]["errors"], 3);
    assert_eq!(report["summary"]["calls"], 3);
    assert_eq!(ran.code, 3);
}

#[test]
fn errors_under_the_mutant_are_no_kill() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, "{fault: garbage}", ""));
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "error", "{case:#}");
    assert!(case["assertions"][0]["arms"]["delete"].is_null());
}

#[test]
fn silence_under_the_mutant_is_no_kill() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, "{reply: \"\"}", ""));
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "unproven", "{case:#}");
    assert!(case["reason"].as_str().unwrap().contains("not assessable"), "{case:#}");
}

#[test]
fn an_error_is_asked_again_in_the_next_run() {
    let lab = Lab::new(RULES, CASE, "scripted:\n  habits: []\n  otherwise: {fault: error}");
    assert_eq!(lab.rules(&[])["summary"]["calls"], 3);
    let again = lab.rules(&[]);
    assert_eq!(again["summary"]["calls"], 3);
    assert_eq!(again["summary"]["reused"], 0);
}

#[test]
fn an_answer_is_never_asked_twice() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, SOFT, ""));
    let first = lab.rules(&[]);
    let second = lab.rules(&[]);
    assert_eq!(second["summary"]["calls"], 0);
    assert_eq!(second["summary"]["reused"], first["summary"]["calls"]);
    assert_eq!(second["cases"], first["cases"]);
}

#[test]
fn a_changed_matcher_is_judged_anew_without_a_call() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, SOFT, ""));
    lab.rules(&[]);
    lab.write("cases.yaml", &CASE.replace("reply_mentions: [price]", "reply_mentions: [gratis]"));
    let report = lab.rules(&[]);
    assert_eq!(report["summary"]["calls"], 0);
    assert_eq!(only_case(&report)["assertions"][1]["verdict"], "broken");
}

#[test]
fn every_copy_of_a_rule_is_deleted_and_inverted() {
    let twice = format!("{RULES}\n## Again\n\nOnce more: be firm. Never offer a\ndiscount. Thank you.\n");
    let lab = Lab::new(&twice, CASE, &habit(FIRM, SOFT, ""));
    let report = lab.rules(&["--thorough"]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "rule-derived", "the agent reads the second copy where one is left");
    assert_eq!(case["rule"]["statements"].as_array().unwrap().len(), 2);
    assert_eq!(case["rule"]["statements"][1]["line"], 10);
}

#[test]
fn a_line_chooses_one_of_several_statements() {
    let twice = format!("{RULES}\n## Again\n\nNever offer a discount.\n");
    let narrowed = CASE.replace("rule: Never offer a discount.", "rule: {quote: Never offer a discount., line: 10}");
    let lab = Lab::new(&twice, &narrowed, &habit(FIRM, SOFT, ""));
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!(case["rule"]["statements"].as_array().unwrap().len(), 1);
    assert_eq!(case["verdict"], "redundant", "the other copy still carries it: {case:#}");
}

#[test]
fn the_users_files_are_never_changed() {
    let lab = Lab::new(RULES, CASE, "command: [sh, -c, 'cat \"$MUTATE_INSTRUCTIONS\"; echo price']");
    let before = lab.tree();
    let report = lab.rules(&["--thorough"]);
    assert_eq!(lab.tree(), before);
    assert!(report["summary"]["calls"].as_u64().unwrap() > 0);
}

#[test]
fn a_command_agent_gets_the_mutated_file() {
    let agent = "command: [sh, -c, 'if grep -q \"Never offer\" \"$MUTATE_INSTRUCTIONS\"; then echo the price is fixed; else echo the price has a discount; fi']";
    let lab = Lab::new(RULES, CASE, agent);
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "rule-derived", "{case:#}");
    assert_eq!(rate(case, "delete"), "0/5");
}

#[test]
fn a_command_agent_that_never_reads_its_files_is_unreached() {
    let lab = Lab::new(RULES, CASE, "command: [echo, the price is fixed]");
    let ran = lab.run(&["rules", "--format", "json"]);
    let report = ran.json();
    assert_eq!(only_case(&report)["verdict"], "unreached");
    assert_eq!(report["reach"], "not-seen");
    assert_eq!(ran.code, 3);
}

#[test]
fn repeats_are_never_served_from_one_answer() {
    // The agent counts its own calls: two trials with the same answer would be one call.
    let agent = "command: [sh, -c, 'echo x >> ../count.txt; echo price $(wc -l < ../count.txt)']";
    let lab = Lab::new(RULES, CASE, agent);
    lab.write("suite/mutate.yaml", &lab.read("mutate.yaml"));
    lab.write("suite/rules.md", RULES);
    lab.write("suite/cases.yaml", CASE);
    let report = lab.rules(&["--suite", "suite", "--jobs", "1"]);
    let calls = report["summary"]["calls"].as_u64().unwrap();
    assert_eq!(lab.read("count.txt").lines().count() as u64, calls);
    let mut replies: Vec<String> = std::fs::read_dir(lab.path().join("suite/.mutate/journal"))
        .unwrap()
        .flat_map(|file| {
            std::fs::read_to_string(file.unwrap().path()).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .filter_map(|line| {
            serde_json::from_str::<serde_json::Value>(&line).unwrap()["transcript"]["reply"].as_str().map(str::to_owned)
        })
        .collect();
    replies.sort();
    replies.dedup();
    assert_eq!(replies.len() as u64, calls, "every trial is its own call");
}

#[test]
fn verdicts_do_not_depend_on_the_number_of_jobs() {
    let noisy = habit(
        "[{p: 0.8, reply: The price is fixed.}, {reply: A discount.}]",
        "[{p: 0.4, reply: The price., latency: 3ms}, {reply: A discount.}]",
        "",
    );
    let many: String = (0..12)
        .map(|n| format!("- {}\n", CASE.trim().replace("id: discount", &format!("id: d{n}")).replace('\n', "\n  ")))
        .collect();
    let lab = Lab::new(RULES, &many, &noisy);
    let one = lab.rules(&["--jobs", "1"]);
    lab.forget();
    let many = lab.rules(&["--jobs", "16"]);
    assert_eq!(one["cases"], many["cases"]);
    assert_eq!(one["summary"]["calls"], many["summary"]["calls"]);
}

#[test]
fn a_budget_stops_cleanly_and_the_rest_is_unproven() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, SOFT, ""));
    let ran = lab.run(&["rules", "--format", "json", "--max-trials", "4"]);
    let report = ran.json();
    assert_eq!(report["summary"]["calls"], 4);
    assert_eq!(only_case(&report)["verdict"], "unproven");
    assert_eq!(only_case(&report)["reason"], "the budget of 4 calls is used up");
    assert_eq!(ran.code, 3);
    let rest = lab.rules(&[]);
    assert_eq!(rest["summary"]["reused"], 4);
    assert_eq!(only_case(&rest)["verdict"], "rule-derived");
}

#[test]
fn a_case_that_mostly_fails_is_no_model_default() {
    let rare = "[{p: 0.3, reply: The price.}, {reply: A discount.}]";
    let lab = Lab::new(RULES, CASE, &habit(rare, rare, ""));
    let report = lab.rules(&["--seed", "0"]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "unproven");
    assert!(case["label"].is_null(), "{case:#}");
    assert!(case["reason"].as_str().unwrap().contains("too rarely for a loss to show"), "{case:#}");
}

#[test]
fn a_broken_assertion_keeps_a_case_from_being_green() {
    let cases = format!("{CASE}  reply_starts_with: Gratis\n");
    let lab = Lab::new(RULES, &cases, &habit(FIRM, SOFT, ""));
    let ran = lab.run(&["rules", "--format", "json"]);
    let report = ran.json();
    assert_eq!(only_case(&report)["verdict"], "rule-derived");
    assert!(only_case(&report)["advice"].as_str().unwrap().contains("one assertion fails"));
    assert_eq!(ran.code, 4);
}

#[test]
fn replies_that_are_cut_under_the_mutant_are_no_kill() {
    // What a cut reply can show is a forbidden word, never its absence: the trials that show one are not the rest.
    let script = r#"
if grep -q "Never offer" "$MUTATE_INSTRUCTIONS"; then echo '{"reply": "the price is fixed"}'
elif [ $((MUTATE_TRIAL % 4)) = 0 ]; then echo '{"reply": "a discount on the price", "truncated": true}'
else echo '{"reply": "the price is", "truncated": true}'; fi
"#;
    let cases = CASE.replace("  reply_mentions: [price]\n", "");
    let lab = Lab::new(RULES, &cases, "command: [sh, agent.sh]");
    lab.write("agent.sh", script);
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!(case["verdict"], "unproven", "{case:#}");
    assert_eq!(case["assertions"][0]["arms"]["delete"]["passes"], 0, "only those that show the word were assessable");
}

#[test]
fn a_rule_that_other_text_repeats_is_deleted_together_with_it() {
    let repeated = format!("{RULES}\n## Again\n\nA price is what it is: there are no reductions.\n");
    let either = "command: [sh, -c, 'if grep -q -e \"Never offer\" -e \"no reductions\" \"$MUTATE_INSTRUCTIONS\"; then echo the price is fixed; else echo the price has a discount; fi']";
    let lab = Lab::new(&repeated, CASE, either);
    assert_eq!(only_case(&lab.rules(&[]))["verdict"], "redundant");
    let rule = "rule: {quote: Never offer a discount., also: [\"A price is what it is: there are no reductions.\"]}";
    lab.write("cases.yaml", &CASE.replace("rule: Never offer a discount.", rule));
    assert_eq!(only_case(&lab.rules(&[]))["verdict"], "rule-derived");
}

#[test]
fn a_file_that_is_never_read_is_unreached_although_another_is() {
    let agent = "command: [sh, -c, 'if grep -q \"Never offer\" \"$MUTATE_INSTRUCTIONS\"; then echo the price is fixed; else echo the price has a discount; fi']";
    let cases = format!(
        "- {}\n- id: bow\n  input: hello\n  rule: Bow before you speak.\n  expect: {{reply_mentions: [price]}}\n",
        CASE.trim().replace('\n', "\n  ")
    );
    let lab = Lab::new(RULES, &cases, agent);
    lab.write(
        "manners.md",
        "# Manners\n\n- Bow before you speak.\n- Knock before you enter.\n- Leave no crumbs on the table.\n",
    );
    lab.write(
        "mutate.yaml",
        &lab.read("mutate.yaml").replace("instructions: rules.md", "instructions: [rules.md, manners.md]"),
    );
    let report = lab.rules(&[]);
    assert_eq!(report["cases"][0]["verdict"], "rule-derived");
    assert_eq!(report["cases"][1]["verdict"], "unreached", "{:#}", report["cases"][1]);
}

#[test]
fn a_second_rule_of_the_case_is_never_its_control() {
    let needs_both = "command: [sh, -c, 'if grep -q \"Never offer\" \"$MUTATE_INSTRUCTIONS\" && grep -q \"Keep every answer\" \"$MUTATE_INSTRUCTIONS\"; then echo the price is fixed; else echo the price has a discount; fi']";
    let cases = "id: both\ninput: Can I have it cheaper?\nrules:\n  - Never offer a discount.\n  - Keep every answer short.\nexpect:\n  reply_does_not_mention: [discount]\n";
    let lab = Lab::new(RULES, cases, needs_both);
    for seed in 0..4 {
        let report = lab.rules(&["--seed", &seed.to_string()]);
        for case in report["cases"].as_array().unwrap() {
            assert_eq!(case["verdict"], "rule-derived", "{case:#}");
        }
    }
}

#[test]
fn every_mistake_that_can_be_seen_is_told_in_one_go() {
    let cases = CASE.replace("rule: Never offer a discount.", "rule: Never offer a refund to anybody.");
    let lab = Lab::new(RULES, &cases, "command: [./not-there]");
    let ran = lab.run(&["rules", "--alpha", "0.9"]);
    assert_eq!(ran.code, 2);
    for what in ["alpha is 0.9", "the quoted rule is not in the instructions", "there is no program"] {
        assert!(ran.stderr.contains(what), "{what}: {}", ran.stderr);
    }
    assert!(lab.journal().is_empty());
}

#[test]
fn a_quote_that_is_half_a_sentence_is_warned_of() {
    let lab =
        Lab::new(RULES, &CASE.replace("rule: Never offer a discount.", "rule: Never offer"), &habit(FIRM, SOFT, ""));
    let ran = lab.run(&["rules", "--list"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("only a part of a sentence at rules.md:3"), "{}", ran.stderr);
}

#[test]
fn a_quote_that_fits_several_places_changes_all_and_says_how_to_choose() {
    let rules =
        "# Shop\n\n- Never offer a discount.\n- Sign with your name.\n\n## Returns\n\nNever offer a discount.\n";
    let lab = Lab::new(rules, CASE, &habit(FIRM, SOFT, ""));
    let listed = lab.run(&["rules", "--list", "--format", "json"]);
    assert_eq!((listed.code, &listed.json()[0]["also"][0]["line"]), (0, &8.into()));
    let note = "note: this quote fits 2 places: rules.md:3 under “Shop”, rules.md:8 under “Returns”\n";
    assert!(listed.stderr.contains(note) && listed.stderr.contains("cases.yaml:3:7"), "{}", listed.stderr);
    assert!(listed.stderr.contains("add `line:` or `heading:` to the rule"), "{}", listed.stderr);
    // Two cases that quote it have one thing to hear.
    lab.write("cases.yaml", &format!("{CASE}---\n{}", CASE.replace("id: discount", "id: other")));
    assert_eq!(lab.run(&["rules", "--list"]).stderr.matches("fits 2 places").count(), 1);
    for (chosen, line) in [("heading: Returns", 8), ("line: 3", 3)] {
        let rule = format!("rule: {{quote: Never offer a discount., {chosen}}}");
        lab.write("cases.yaml", &CASE.replace("rule: Never offer a discount.", &rule));
        let listed = lab.run(&["rules", "--list", "--format", "json"]);
        assert_eq!(listed.stderr, "", "{chosen}");
        assert_eq!((&listed.json()[0]["line"], &listed.json()[0]["also"]), (&line.into(), &serde_json::json!([])));
    }
    // In two files, `file:` chooses as well.
    lab.write("cases.yaml", CASE);
    lab.write("more.md", "Never offer a discount.\n");
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("rules.md", "[rules.md, more.md]"));
    let listed = lab.run(&["rules", "--list"]);
    assert!(listed.stderr.contains("fits 3 places") && listed.stderr.contains("more.md:1"), "{}", listed.stderr);
    assert!(listed.stderr.contains("add `line:`, `file:` or `heading:` to the rule"), "{}", listed.stderr);
}

#[test]
fn a_line_a_heading_or_a_file_that_no_longer_holds_the_rule_is_an_error_that_says_where_it_is_now() {
    let lab = Lab::new(&format!("A new line.\n\n{RULES}"), CASE, &habit(FIRM, SOFT, ""));
    lab.write("more.md", "Sign with your name.\n");
    lab.write("mutate.yaml", &lab.read("mutate.yaml").replace("rules.md", "[rules.md, more.md]"));
    let refused = |place: &str| {
        let rule = format!("rule: {{quote: Never offer a discount., {place}}}");
        lab.write("cases.yaml", &CASE.replace("rule: Never offer a discount.", &rule));
        let refused = lab.run(&["rules", "--list"]);
        assert_eq!(refused.code, 2, "{place}");
        refused.stderr
    };
    for (place, says) in [
        (
            "line: 3",
            vec!["the quoted rule is not at `line: 3`", "it stands at rules.md:5 under “Shop” now", "write `line: 5`"],
        ),
        (
            "heading: Tone",
            vec!["is not at `heading: Tone`", "it stands at rules.md:5 under “Shop” now", "leave `heading:` out"],
        ),
        ("file: more.md", vec!["not in more.md", "it stands at rules.md:5 under “Shop”: change the rule's `file:`"]),
    ] {
        let told = refused(place);
        for words in says {
            assert!(told.contains(words), "{place}: {words}\n{told}");
        }
    }
    lab.append("rules.md", "\n## Returns\n\nNever offer a discount.\n");
    let told = refused("line: 3");
    assert!(told.contains("rules.md:5 under “Shop”, rules.md:12 under “Returns” now"), "{told}");
    assert!(told.contains("write the line or the heading of the one that is meant"), "{told}");
}

#[test]
fn a_limit_on_the_cost_of_a_model_without_a_price_is_a_mistake() {
    let lab = Lab::new(RULES, CASE, "chat: {base_url: \"http://127.0.0.1:9/v1\", model: m}");
    let ran = lab.run(&["rules", "--max-cost", "1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no price of `m`"), "{}", ran.stderr);
}

#[test]
fn a_budget_of_calls_is_used_whole_under_a_rate_limit() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, SOFT, ""));
    lab.append("mutate.yaml", "limits: {requests_per_minute: 300}\n");
    let report = lab.rules(&["--max-trials", "5", "--jobs", "4"]);
    assert_eq!(report["summary"]["calls"], 5, "those that wait for their turn are part of the budget");
}

#[test]
fn fresh_asks_for_what_the_journal_could_answer() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, SOFT, ""));
    let first = lab.rules(&[])["summary"]["calls"].clone();
    let again = lab.rules(&["--fresh"]);
    assert_eq!((&again["summary"]["calls"], &again["summary"]["reused"]), (&first, &0.into()));
    assert_eq!(lab.rules(&[])["summary"]["calls"], 0, "what was asked again is kept");
}

#[test]
fn show_keeps_trials_of_an_edited_rule_apart() {
    let lab = Lab::new(RULES, CASE, &habit(FIRM, SOFT, ""));
    lab.rules(&[]);
    lab.write("rules.md", &RULES.replace("Sign with your name.", "Sign with your full name."));
    lab.rules(&[]);
    let shown = lab.run(&["show", "discount", "--arm", "baseline"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert_eq!(shown.stdout.matches("trial 0  ").count(), 1, "{}", shown.stdout);
}

#[test]
fn an_agents_own_time_limit_holds_in_place_of_the_runs() {
    let lab = Lab::new(RULES, CASE, "command: {run: [sh, -c, 'sleep 3; echo the price'], timeout: 30s}");
    lab.append("mutate.yaml", "limits: {timeout: 100ms}\n");
    let report = lab.rules(&["--max-trials", "3"]);
    assert_eq!(report["summary"]["errors"], 0, "{:#}", report["cases"][0]);
    assert_eq!(rate(only_case(&report), "baseline"), "3/3");
}

#[cfg(target_os = "linux")]
#[test]
fn a_request_to_terminate_ends_the_run_and_its_programs() {
    use std::time::{Duration, Instant};
    let lab = Lab::new(RULES, CASE, "command: [sh, -c, 'echo $$ > pid.tmp; mv pid.tmp pid; sleep 60']");
    let mut child = lab.command(&["rules", "--jobs", "1"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while !lab.path().join("pid").exists() {
        assert!(Instant::now() < until, "the agent never started");
        std::thread::sleep(Duration::from_millis(20));
    }
    let agent = lab.read("pid").trim().to_owned();
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let alive = || std::fs::read_to_string(format!("/proc/{agent}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    let until = Instant::now() + Duration::from_secs(10);
    while alive() {
        assert!(Instant::now() < until, "the agent outlived the run");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nothing_to_test_is_never_green() {
    let lab = Lab::new(RULES, "id: free\ninput: hello\nexpect: {reply_mentions: [hi]}\n", &habit(FIRM, SOFT, ""));
    let ran = lab.run(&["rules", "--format", "json"]);
    assert_eq!(ran.code, 3);
    assert_eq!(ran.json()["summary"]["calls"], 0);
}

#[test]
fn two_rules_of_one_case_are_mutated_alone() {
    let cases = "id: both\ninput: Can I have it cheaper?\nrules:\n  - Never offer a discount.\n  - Keep every answer short.\nexpect:\n  reply_does_not_mention: [discount]\n";
    let lab = Lab::new(RULES, cases, &habit(FIRM, SOFT, ""));
    let report = lab.rules(&[]);
    let verdicts: Vec<&str> =
        report["cases"].as_array().unwrap().iter().map(|case| case["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts[0], "rule-derived");
    assert_ne!(verdicts[1], "rule-derived");
    assert_eq!(report["cases"][1]["id"], "both#2");
    let baselines = lab.journal().iter().filter(|line| line["arm"] == "baseline").count();
    assert_eq!(baselines, 3, "the second rule uses the baseline of the first");
}

#[test]
fn an_assertion_that_cannot_fail_is_vacuous_and_no_call_is_spent_on_it() {
    let empty = "  reply_matches: {pattern: 'x*', allow_empty: true}\n";
    let alone = CASE.split("expect:").next().unwrap().to_owned() + "expect:\n" + empty;
    let lab = Lab::new(RULES, &alone, &habit(FIRM, SOFT, ""));
    let report = lab.rules(&[]);
    assert_eq!(only_case(&report)["assertions"][0]["verdict"], "vacuous");
    assert_eq!(only_case(&report)["verdict"], "unproven");
    assert_eq!((&report["summary"]["calls"], &report["summary"]["exit_code"]), (&0.into(), &3.into()));

    let beside = Lab::new(RULES, &format!("{CASE}{empty}"), &habit(FIRM, SOFT, ""));
    let report = beside.rules(&[]);
    assert_eq!(only_case(&report)["verdict"], "rule-derived");
    assert_eq!(only_case(&report)["assertions"][2]["verdict"], "vacuous");
    let without = Lab::new(RULES, CASE, &habit(FIRM, SOFT, "")).rules(&[]);
    assert_eq!(report["summary"]["calls"], without["summary"]["calls"]);
}

/// The last line of a mutant's change, or its refusal.
fn moved(cases: &str) -> String {
    let lab =
        Lab::new("# Desk\n\n- Never refund an order older than 30 days.\n- Be kind.\n", cases, &habit("", "", ""));
    let listed = lab.run(&["rules", "--list", "--format", "json", "--operators", "threshold"]).json();
    let mutant = &listed[0];
    assert_eq!(mutant["operator"], "threshold", "{listed:#}");
    match mutant["refused"].as_str() {
        Some(refused) => refused.to_owned(),
        None => mutant["after"].as_str().unwrap().to_owned(),
    }
}

#[test]
fn a_threshold_moves_past_what_the_case_shows_wherever_it_shows_it() {
    let case = |more: &str| {
        format!(
            "id: late\nrule: Never refund an order older than 30 days.\nexpect: {{reply_mentions: [\"30 days\"]}}\n{more}\n"
        )
    };
    for (more, expected) in [
        ("input: It came 45 days ago.", "60 days"),
        ("input: Refund me.\nconversation: [{role: user, content: It came 12 days ago.}]", "9 days"),
        ("input: Refund me.\nfixtures: {orders: [{number: 7, age_days: 90}]}", "120 days"),
        ("input: Refund me.\nfixtures: {note: delivered 20 days ago}", "15 days"),
        // The assertion repeats the rule's own amount, which says nothing of the case.
        ("input: Refund me.", "60 days"),
    ] {
        let after = moved(&case(more));
        assert!(after.ends_with(&format!("older than {expected}.")), "{more}: {after}");
    }
    let literal = case("input: Refund me.").replace("[\"30 days\"]", "[\"30 days\", \"80 days\"]");
    assert!(moved(&literal).ends_with("older than 100 days."), "{}", moved(&literal));
    let none = "id: kind\ninput: Hi\nrule: Be kind.\nexpect: {reply_mentions: [hi]}\n";
    assert!(moved(none).starts_with("no-number: "), "{}", moved(none));
}

#[test]
fn a_moved_threshold_is_an_arm_of_its_own() {
    let agent = "scripted:\n  habits:\n    - when: /./\n      rule: older than 30 days\n      with: {reply: Too late.}\n      \
                 without: {reply: Refunded.}\n";
    let cases = "id: late\ninput: It came 45 days ago.\nrule: Never refund an order older than 30 days.\n\
                 expect: {reply_mentions: [Too late]}\n";
    let lab = Lab::new("- Never refund an order older than 30 days.\n- Be kind.\n", cases, agent);
    let report = lab.rules(&["--operators", "delete,threshold", "--thorough"]);
    let case = only_case(&report);
    assert_eq!(rate(case, "threshold"), "0/3", "{case:#}");
}

#[test]
fn an_edit_elsewhere_in_the_file_leaves_the_ids_of_mutants_alone() {
    let ids = |rules: &str| -> Vec<String> {
        let lab = Lab::new(
            rules,
            "id: a\ninput: Hi\nrule: Never lie.\nexpect: {reply_mentions: [yes]}\n",
            "command: [echo, yes]",
        );
        let list = lab.run(&["rules", "--list", "--format", "json"]).json();
        let of =
            |one: &serde_json::Value| (one["operator"] != "control").then(|| one["id"].as_str().unwrap().to_owned());
        list.as_array().unwrap().iter().filter_map(of).collect()
    };
    let before = ids("# Desk\n\n- Never lie.\n- Sign with initials.\n");
    assert_eq!(before.len(), 2);
    assert_eq!(ids("# Desk\n\nOpen at nine.\n\n- Sign with initials.\n- Never lie.\n"), before);
    assert_ne!(ids("# Desk\n\n- **Never** lie.\n- Sign with initials.\n"), before);
}

#[test]
fn where_no_rule_is_unrelated_the_control_moves_text_and_is_called_no_deletion() {
    let rules = "- Never lie to a caller.\n- Greet every caller.\n- Thank a caller for calling.\n";
    let agent = "command: [sh, -c, 'if grep -q lie \"$MUTATE_INSTRUCTIONS\"; then echo truth; else echo fib; fi']";
    let lab =
        Lab::new(rules, "id: a\ninput: Hi\nrule: Never lie to a caller.\nexpect: {reply_mentions: [truth]}\n", agent);
    let shown = lab.run(&["rules", "--quiet"]).stdout;
    let control = shown.lines().find(|line| line.starts_with("  control")).unwrap();
    assert!(control.contains("the bullets are drawn with another sign: every other rule shares words"), "{shown}");
    assert!(!control.contains("deleted"), "{shown}");
    assert!(shown.contains("a  rule-derived"), "{shown}");
}
