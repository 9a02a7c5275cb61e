//! The matchers study through the real binary: what must be found, and what must be left alone.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use common::{Lab, Ran, ran};
use serde_json::Value;

const NOBODY: &str = "scripted: {habits: []}";

/// A suite without instructions whose cases have these texts under `expect:` and after it.
fn lab(cases: &str) -> Lab {
    Lab::new("# Shop\n\n- Be kind.\n", cases, NOBODY)
}

/// One case with this input and these further lines.
fn case(input: &str, rest: &str) -> Lab {
    lab(&format!("id: it\ninput: {input}\n{rest}\n"))
}

fn study(lab: &Lab) -> Value {
    lab.run(&["matchers", "--format", "json"]).json()
}

/// `assertion/kind` of every finding of the only case.
fn findings(lab: &Lab) -> Vec<String> {
    let report = study(lab);
    let found = common::only_case(&report)["findings"].as_array().unwrap().clone();
    found.iter().map(|one| one["id"].as_str().unwrap().strip_prefix("it/").unwrap().to_owned()).collect()
}

/// `assertion/kind` of every finding, for each `expect:` in a suite of its own case each.
fn findings_of_each(expects: &[&str]) -> Vec<Vec<String>> {
    let cases: Vec<String> = expects
        .iter()
        .enumerate()
        .map(|(at, expect)| format!("- id: it-{at}\n  input: Hi\n  expect: {expect}\n"))
        .collect();
    let report = study(&lab(&cases.concat()));
    let ids = |case: &Value| -> Vec<String> {
        let found = case["findings"].as_array().unwrap().iter();
        found.map(|one| one["id"].as_str().unwrap().split_once('/').unwrap().1.to_owned()).collect()
    };
    report["cases"].as_array().unwrap().iter().map(ids).collect()
}

fn traps() -> Ran {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments = ["matchers", "--suite", "cases/matcher-traps", "--format", "json"];
    ran(Command::new(env!("CARGO_BIN_EXE_mutate")).args(arguments).current_dir(root).output().unwrap())
}

#[test]
fn the_example_has_one_case_of_each_finding_and_sound_ones() {
    let ran = traps();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = ran.json();
    let verdicts: BTreeMap<&str, &str> = report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| (case["id"].as_str().unwrap(), case["verdict"].as_str().unwrap()))
        .collect();
    let expected = BTreeMap::from([
        ("no-discount", "passes-on-silence"),
        ("order-number", "cannot-fail"),
        ("return-window", "cannot-pass"),
        ("double-refund", "misses-incident"),
        ("opening-hours", "fails-example"),
        ("deposit", "loose"),
        ("cancel-order", "loose"),
        ("warranty", "duplicate"),
        ("address-change", "not-assessable"),
        ("greeting", "sound"),
        ("refund-too-late", "sound"),
    ]);
    assert_eq!(verdicts, expected);
    let findings = report["cases"].as_array().unwrap().iter().map(|case| case["findings"].as_array().unwrap().len());
    assert_eq!(findings.sum::<usize>(), 10, "one of each trap, and one that is accepted");
}

#[test]
fn every_finding_says_where_it_is_what_fooled_it_and_what_to_write() {
    let report = traps().json();
    for finding in report["cases"].as_array().unwrap().iter().flat_map(|case| case["findings"].as_array().unwrap()) {
        let place = finding["place"].as_str().unwrap();
        assert_eq!(place.split(':').count(), 3, "{place}");
        assert!(finding["proposal"].as_str().unwrap().len() > 15, "{finding:#}");
        let fooled = !finding["fooled_by"].is_null();
        assert_eq!(fooled, !matches!(finding["kind"].as_str(), Some("cannot-pass" | "duplicate")), "{finding:#}");
    }
    let deposit = report["cases"].as_array().unwrap().iter().find(|case| case["id"] == "deposit").unwrap();
    let finding = &deposit["findings"][0];
    assert_eq!(finding["id"], "deposit/reply_matches/loose");
    assert_eq!(finding["place"], "cases/traps.yaml:46:5");
    assert_eq!(finding["fooled_by"]["transcript"]["reply"], "$200");
}

#[test]
fn a_case_that_only_forbids_passes_on_silence_and_one_positive_check_mends_it() {
    assert_eq!(findings(&case("Hi", "expect: {reply_does_not_mention: [discount]}")), ["expect/passes-on-silence"]);
    assert_eq!(findings(&case("Hi", "expect: {no_tool_called: create_refund}")), ["expect/passes-on-silence"]);
    let mended = "expect: {reply_does_not_mention: [discount], reply_mentions: [full price]}";
    assert_eq!(findings(&case("Hi", mended)), [""; 0]);
    assert_eq!(findings(&case("Hi", "expect: {no_tool_called: cancel, tool_called: {get: {id: 4}}}")), [""; 0]);
}

#[test]
fn what_an_empty_reply_is_asked_for_is_its_right_answer() {
    let lab = case("Say nothing.", "expect: {reply_equals: ''}");
    assert_eq!(findings(&lab), [""; 0]);
    assert_eq!(findings(&case("List none.", "expect: {reply_equals: '[]'}")), [""; 0]);
}

#[test]
fn a_pattern_that_nothing_matches_can_neither_fail_nor_pass() {
    assert_eq!(
        findings(&case("Hi", "expect: {reply_does_not_match: '$x', reply_mentions: [kind regards]}")),
        ["reply_does_not_match/cannot-fail"]
    );
    assert_eq!(findings(&case("Hi", "expect: {reply_matches: '$x'}")), ["reply_matches/cannot-pass"]);
    assert_eq!(findings(&case("Hi", r"expect: {reply_matches: '^\d{3} [A-Z]+\b.$'}")), [""; 0]);
}

#[test]
fn a_recorded_or_written_passing_transcript_settles_that_a_check_can_pass() {
    let odd = "expect: {reply_matches: '^(?:ab|a\\b)c?$'}\nexamples: ab";
    assert_eq!(findings(&case("Hi", odd)), [""; 0]);
}

#[test]
fn checks_that_contradict_each_other_cannot_pass_together() {
    for (expect, found) in [
        ("reply_mentions: [30 days], reply_does_not_mention: [30]", "reply_does_not_mention/cannot-pass"),
        ("tool_called: refund, no_tool_called: refund", "no_tool_called/cannot-pass"),
        ("tool_called: [a, b, c], max_tool_calls: 2", "max_tool_calls/cannot-pass"),
        ("reply_mentions: [one two three four], reply_max_words: 2", "reply_max_words/cannot-pass"),
        ("reply_equals: approved, reply_mentions: [refused]", "reply_mentions/cannot-pass"),
    ] {
        assert_eq!(findings(&case("Hi", &format!("expect: {{{expect}}}"))), [found], "{expect}");
    }
    // One of the alternatives is left.
    let alternatives = "expect: {reply_mentions_any: [voucher, coupon code], reply_does_not_mention: [voucher]}";
    assert_eq!(findings(&case("Hi", alternatives)), [""; 0]);
    let anchored = "expect: {reply_mentions: [sorry], reply_does_not_match: '^sorry'}";
    assert_eq!(findings(&case("Hi", anchored)), [""; 0]);
    // What a schema or a pattern allows is more than the texts that can be made of it.
    for open in [
        "reply_is_json: {properties: {id: {pattern: '^(A-[0-9]{3}|unknown)$'}}, required: [id]}, reply_does_not_match: 'A-[0-9]'",
        "reply_matches: '(?:A-[0-9]{3}|[a-z]{9})', reply_does_not_match: '[Aa]|[b-y]'",
    ] {
        let found = findings(&case("Hi", &format!("expect: {{{open}}}")));
        assert!(found.iter().all(|id| !id.ends_with("cannot-pass")), "{open}: {found:?}");
    }
}

#[test]
fn near_misses_are_findings_only_where_the_whole_case_passes_on_them() {
    let loose = "expect: {reply_matches: '10 days'}";
    assert_eq!(findings(&case("Hi", loose)), ["reply_matches/loose"]);
    assert_eq!(findings(&case("Hi", r"expect: {reply_matches: '\b10 days'}")), [""; 0]);
    let caught = "expect: {reply_matches: '10 days', reply_mentions: [10 days]}";
    assert_eq!(findings(&case("Hi", caught)), [""; 0]);
    assert_eq!(
        findings(&case("Hi", "expect: {reply_mentions: {text: refund, whole_words: false}}")),
        ["reply_mentions/loose"]
    );
    for short in ["'5'", "'yes'", "'no'"] {
        assert_eq!(findings(&case("Hi", &format!("expect: {{reply_mentions: {short}}}"))), ["reply_mentions/loose"]);
        assert_eq!(findings(&case("Hi", &format!("expect: {{reply_equals: {short}}}"))), [""; 0]);
    }
}

#[test]
fn the_opposite_is_a_near_miss_only_where_the_right_answer_says_yes() {
    let says = "expect: {reply_mentions: [refund]}";
    assert_eq!(findings(&case("My lamp is broken.", says)), ["reply_mentions/loose"]);
    for (input, rest) in [
        ("My lamp is broken.", "expect: {reply_mentions: [refund], no_tool_called: create_refund}"),
        ("My lamp is broken.", "expect: {reply_mentions: [refund], tool_called: {create_refund: {id: 7}}}"),
        ("You do not give my money back?", says),
    ] {
        assert_eq!(findings(&case(input, rest)), [""; 0], "{input} {rest}");
    }
}

#[test]
fn what_stands_in_the_input_is_no_proof_of_an_answer() {
    let echo = case("Where is order 4021?", "expect: {reply_mentions: ['4021']}");
    assert_eq!(findings(&echo), ["expect/loose"]);
    let report = study(&echo);
    assert_eq!(report["cases"][0]["findings"][0]["fooled_by"]["name"], "echo");
    assert_eq!(findings(&case("Where is order 4021?", "expect: {reply_mentions: ['4021', tracking code]}")), [""; 0]);
    assert_eq!(findings(&case("Hi", "expect: {tool_called: get_order}")), ["expect/loose"]);
    assert_eq!(findings(&case("Hi", "expect: {reply_is_json: true}")), ["expect/loose"]);
    let schema = "expect: {reply_is_json: {type: object, required: [status]}}";
    assert_eq!(findings(&case("Hi", schema)), [""; 0]);
}

#[test]
fn different_checks_are_no_duplicates() {
    let different = [
        "[{reply_mentions: [a lamp]}, {reply_mentions: [a table]}]",
        "[{reply_mentions: [a lamp, a table]}, {reply_mentions: [a lamp]}]",
        "[{reply_mentions_any: [a lamp, a chair]}, {reply_mentions_any: [a lamp, a table]}, {reply_mentions: [a desk]}]",
        "[{reply_does_not_mention: [a]}, {reply_does_not_mention: [b]}, {reply_mentions: [shoe]}]",
        "[{tool_called: [get, put]}, {tool_order: [get, put]}, {reply_mentions: [shoe]}]",
        "[{tool_called: {get: {id: 1}}}, {tool_called: get}]",
        "[{tool_called: {get: {id: 1}}}, {tools_called_exactly: {get: {id: 1}}}]",
        "[{reply_max_words: 100}, {reply_max_words: 120}, {reply_mentions: [shoe]}]",
        "[{reply_matches: 'shoe|boot'}, {reply_mentions: [shoe]}]",
        "[{reply_matches: 'in \\d+ days'}, {reply_mentions: [in 1 days]}]",
        "[{field: {path: a, equals: 1}}, {field: {path: b, equals: 1}}]",
    ];
    for (expect, found) in different.iter().zip(findings_of_each(&different)) {
        assert!(!found.iter().any(|id| id.ends_with("duplicate")), "{expect}: {found:?}");
    }
    let same = [
        "[{reply_mentions: [a lamp]}, {reply_mentions_any: [A lamp]}]",
        "[{max_tool_calls: 0}, {no_tool_called: true}, {reply_mentions: [shoe]}]",
    ];
    for (expect, found) in same.iter().zip(findings_of_each(&same)) {
        assert!(found.iter().any(|id| id.ends_with("duplicate")), "{expect}: {found:?}");
    }
}

#[test]
fn an_incident_must_fail_and_is_compared_as_far_as_it_was_kept() {
    let refund = "expect: {tool_called: {refund: {id: 7}}, reply_mentions: [refunded]}";
    let missed =
        format!("{refund}\nincident: {{reply: It is refunded., tool_calls: [{{name: refund, arguments: {{id: 7}}}}]}}");
    assert_eq!(findings(&case("Hi", &missed)), ["incident/misses-incident"]);
    let caught = format!("{refund}\nincident: [{{reply: It is refunded., tool_calls: []}}, Never.]");
    assert_eq!(findings(&case("Hi", &caught)), [""; 0]);
    let half = format!("{refund}\nincident: It is refunded.");
    assert_eq!(findings(&case("Hi", &half)), ["incident/not-assessable"]);
    let bare = case("Hi", "provenance: incident-derived\nexpect: {reply_mentions: [a lamp]}");
    assert!(study(&bare)["notes"][0].as_str().unwrap().contains("no `incident:`"));
}

#[test]
fn survivors_come_from_what_the_case_itself_claims() {
    let example = "examples: {reply: Order 4021 came 45 days ago. We can refund within 30 days., tool_calls: [{name: get_order, arguments: {order_id: 4021, page: 3}}]}";
    let rest = format!("expect: {{tool_called: get_order, reply_mentions: [30 days]}}\n{example}");
    let report = study(&case("Refund order 4021.", &rest));
    let only = common::only_case(&report);
    let survivors: Vec<(&str, &str)> = only["survivors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["mutator"].as_str().unwrap(), one["after"].as_str().unwrap()))
        .collect();
    // The order number is the customer's, so that another one is wrong; the page and the 45 days are nobody's claim.
    assert_eq!(
        survivors,
        [
            ("argument-number", r#"get_order {"order_id":4022,"page":3}"#),
            ("argument-missing", r#"get_order {"page":3}"#),
            ("negate-sentence", "We cannot refund within 30 days."),
        ]
    );
    // drop-call, rename-call, change-number (30), cut-reply, empty-reply.
    assert_eq!(only["score"], serde_json::json!({"caught": 5, "applicable": 8}));
    assert_eq!(only["mutated"], "examples");
    let strict = rest.replace("tool_called: get_order", "tool_called: {get_order: {order_id: 4021}}");
    let report = study(&case("Refund order 4021.", &strict));
    assert_eq!(common::only_case(&report)["survivors"].as_array().unwrap().len(), 1, "{report:#}");
}

#[test]
fn passing_trials_of_the_journal_are_mutated_and_show_what_the_agent_does_not_report() {
    let agent = "scripted:\n  habits: []\n  otherwise: {reply: We can help. It takes 30 days.}";
    let rest = "id: it\ninput: Hi\nrule: Be kind.\nexpect: {reply_mentions: [30 days]}\n";
    let lab = Lab::new("# Shop\n\n- Be kind.\n- Be quick.\n", rest, agent);
    assert_eq!(study(&lab)["cases"][0]["mutated"], "constructed");
    lab.rules(&[]);
    let report = study(&lab);
    assert_eq!(report["cases"][0]["mutated"], "recorded", "{report:#}");
    assert_eq!(report["summary"]["calls"], 0);

    let command = Lab::new(
        "# Shop\n\n- Be kind.\n- Be quick.\n",
        &rest.replace("expect: {", "expect: {tool_called: {get: {id: 9}}, "),
        "command: [echo, 30 days]",
    );
    command.rules(&[]);
    assert_eq!(findings(&command), ["tool_called/not-assessable"]);
}

#[test]
fn an_accepted_finding_no_longer_fails_the_run_and_a_stale_one_is_named() {
    let lab = case("Hi", "expect: {reply_does_not_mention: [discount]}");
    assert_eq!(lab.run(&["matchers"]).code, 1);
    lab.append(
        "mutate.yaml",
        "accepted:\n- {id: it/expect/passes-on-silence, reason: watched elsewhere}\n- {id: it/expect/loose, reason: gone}\n",
    );
    let ran = lab.run(&["matchers"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("1 finding accepted"), "{}", ran.stdout);
    assert!(ran.stdout.contains("`it/expect/loose` is accepted at mutate.yaml:"), "{}", ran.stdout);
    // The rules study does not call it stale: it is not its finding.
    let rules = lab.run(&["rules", "--format", "json"]).json();
    assert!(!rules["notes"].to_string().contains("expect/"), "{rules:#}");
}

#[test]
fn what_could_not_be_tried_is_not_green() {
    // No reply is a list and holds these words beside it.
    let lab = case("Hi", "expect: {reply_is_json: {type: array, minItems: 1}, reply_ends_with: over.}");
    let report = study(&lab);
    assert_eq!(findings(&lab), ["expect/untested"], "{report:#}");
    assert_eq!(report["summary"]["exit_code"], 3);
}

#[test]
fn chosen_cases_only_are_studied_and_the_same_input_gives_the_same_output() {
    let lab = lab(
        "- {id: a, input: Hi, tags: [x], expect: {reply_does_not_mention: [y]}}\n- {id: b, input: Hi, expect: {reply_mentions: [good day]}}\n",
    );
    assert_eq!(lab.run(&["matchers", "--case", "b"]).code, 0);
    assert_eq!(lab.run(&["matchers", "--tag", "x"]).code, 1);
    assert_eq!(lab.run(&["matchers", "--case", "c"]).code, 2);
    let without_time = |mut report: Value| {
        report["summary"]["elapsed_seconds"] = Value::Null;
        report
    };
    assert_eq!(without_time(study(&lab)), without_time(study(&lab)));
    let markdown = lab.run(&["matchers", "--format", "markdown", "--output", "out.md"]);
    assert_eq!((markdown.code, markdown.stdout.as_str()), (1, ""));
    assert!(lab.read("out.md").contains("| a | **passes-on-silence** |"), "{}", lab.read("out.md"));
    assert!(lab.journal().is_empty());
}

#[test]
fn a_broken_example_is_a_mistake_with_its_place() {
    for (rest, message) in [
        ("examples: []", "`examples` is an empty list"),
        ("incident: [~]", "`incident` holds no transcript: it is empty"),
        ("examples: {replly: x}", "unknown key `replly` in a transcript; did you mean `reply`?"),
        ("incident: {reply: x, error: down}", "it has an `error`"),
    ] {
        let ran = case("Hi", &format!("{rest}\nexpect: {{reply_mentions: [x y]}}")).run(&["matchers"]);
        assert_eq!(ran.code, 2, "{rest}");
        assert!(ran.stderr.contains(message) && ran.stderr.contains("cases.yaml:3"), "{}", ran.stderr);
    }
}

#[test]
fn one_long_answer_to_many_questions_is_worth_a_note() {
    let case = |id: &str, input: &str, answer: &str| {
        format!("- {{id: {id}, input: {input}, expect: {{reply_equals: {answer}}}}}\n")
    };
    let note = "Made by asking a model for more questions.";
    let same = ["a", "b", "c"].map(|id| case(id, &format!("Question {id}"), note)).concat();
    assert!(
        study(&lab(&same))["notes"][0]
            .as_str()
            .unwrap()
            .starts_with("3 cases with different inputs ask for the same reply")
    );
    let few = ["a", "b"].map(|id| case(id, &format!("Question {id}"), note)).concat();
    assert_eq!(study(&lab(&few))["notes"], serde_json::json!([]));
}

#[test]
fn every_kind_of_check_can_be_made_to_hold_and_to_fail() {
    let kinds = [
        "{reply_mentions: [30 days, {text: fund, whole_words: false}]}",
        "{reply_mentions: {text: [Refund, '-5'], case_sensitive: true}}",
        "{reply_mentions_any: [sorry, 退款, $7]}",
        "{reply_does_not_mention: [refunded, '10', ß]}",
        "{reply_matches: {pattern: [refund, days$], case_sensitive: false}}",
        r"{reply_does_not_match: '\brefund'}",
        "{reply_equals: {text: Approved, exact: true}}",
        "{reply_starts_with: Dear}",
        "{reply_ends_with: {text: logged., whole_words: false}}",
        "{reply_is_json: {strict: true, schema: {type: array}}}",
        "{reply_max_words: 5}",
        "{reply_min_words: 2}",
        "{tool_called: [{get_order: {id: 4021}}, {name: search, arguments: {q: a}, times: 2, exact: true}]}",
        "{no_tool_called: true}",
        "{no_tool_called: [create_refund, {name: search, arguments: {q: a}, lenient_types: true}]}",
        "{tool_order: [get_order, [search, create_refund], get_order]}",
        "{tool_order: {steps: [search, create_refund], same_turn: true}}",
        "{tools_called_exactly: [get_order, {search: {q: a}}]}",
        "{tools_called_exactly: {calls: [search], repeats: true}}",
        "{max_tool_calls: 2}",
        "{max_tool_calls: {search: 1}}",
        "{field: [{path: 'a.b[0]', at_least: 1, at_most: 5}, {path: status, one_of: [a, 1], exists: true}]}",
        "{field: {path: status, matches: 'o+'}}",
        "{field: {path: status, exists: false}}",
    ];
    for (expect, found) in kinds.iter().zip(findings_of_each(&kinds)) {
        for kind in ["cannot-fail", "cannot-pass", "untested"] {
            assert!(!found.iter().any(|id| id.ends_with(kind)), "{expect}: {found:?}");
        }
    }
}

#[test]
fn a_choice_of_cases_finds_what_the_whole_suite_finds() {
    let lab = lab(
        "- {id: a, input: Hi, expect: {tools_called_exactly: get_order}}\n- {id: b, input: Hi, expect: {tool_called: {cancel: {id: 1}}}}\n",
    );
    let whole = study(&lab);
    let alone = lab.run(&["matchers", "--format", "json", "--case", "a"]).json();
    assert_eq!(alone["cases"][0], whole["cases"][0]);
    assert_eq!(
        alone["cases"][0]["verdict"], "sound",
        "with another tool in the suite, calling all is not exactly this one"
    );
}

/// What is found of programs in `sh`.
#[cfg(unix)]
mod programs {
    use super::*;

    /// Holds where the transcript has these words in it; answers silence with a fail.
    const SOUND: &str = "read -r line; case $line in *'a new lamp'*) exit 0;; esac; exit 1\n";

    fn helped(script: &str, more: &str) -> Lab {
        let lab = case("My lamp is broken.", &format!("expect:\n  helper: [sh, check.sh]\n{more}"));
        lab.write("check.sh", &format!("echo x >> starts\n{script}"));
        lab
    }

    fn starts(lab: &Lab) -> usize {
        std::fs::read_to_string(lab.path().join("starts")).map_or(0, |text| text.lines().count())
    }

    #[test]
    fn a_program_that_holds_on_everything_cannot_fail() {
        let lab = helped("exit 0\n", "  reply_mentions: [a new lamp]\n");
        let report = study(&lab);
        assert_eq!(findings(&lab), ["helper/cannot-fail"], "{report:#}");
        let finding = &report["cases"][0]["findings"][0];
        assert!(finding["proposal"].as_str().unwrap().contains("under `incident:`"), "{finding:#}");
        assert_eq!(finding["place"], "cases.yaml:4:3");
        assert_eq!(report["summary"]["exit_code"], 1);
        let alone = helped("exit 0\n", "");
        assert_eq!(findings(&alone), ["expect/passes-on-silence", "helper/cannot-fail"]);
    }

    #[test]
    fn a_program_that_falls_over_on_silence_is_a_finding_with_its_own_words() {
        let script = "read -r line; case $line in *reply*) ;; *) echo 'there is no reply' >&2; exit 3;; esac\n";
        let lab = helped(
            &format!("{script}case $line in *'a new lamp'*) exit 0;; esac; exit 1\n"),
            "examples: It gets a new lamp.",
        );
        let report = study(&lab);
        assert_eq!(findings(&lab), ["helper/crashes-on-silence"], "{report:#}");
        let finding = &report["cases"][0]["findings"][0];
        assert_eq!(finding["fooled_by"]["name"], "no-reply");
        assert!(finding["because"].as_str().unwrap().contains("there is no reply"), "{finding:#}");
        assert_eq!(report["summary"]["exit_code"], 1);
    }

    #[test]
    fn a_program_that_always_falls_over_is_that_finding_and_nothing_else() {
        let lab = helped("exit 7\n", "examples: It gets a new lamp.");
        assert_eq!(findings(&lab), ["helper/crashes-on-silence"]);
        assert_eq!(lab.run(&["matchers"]).code, 1);
    }

    #[test]
    fn a_sound_program_is_asked_about_every_transcript_once_and_its_mutants_count() {
        let lab = helped(SOUND, "examples: It gets a new lamp.");
        let report = study(&lab);
        let only = common::only_case(&report);
        assert_eq!(
            (only["verdict"].as_str(), only["mutated"].as_str()),
            (Some("sound"), Some("examples")),
            "{report:#}"
        );
        // A reply that is emptied is wrong for whoever asks for something; a program does not say more.
        assert!(
            only["score"]["applicable"].as_u64() > Some(0) && only["score"]["caught"] == only["score"]["applicable"]
        );
        let asked = starts(&lab);
        // Three neutral replies were tried as one that may satisfy it, and were none.
        assert!(asked > 15 && asked <= only["tried"].as_u64().unwrap() as usize + 3, "{asked}");
        let again = study(&lab);
        assert_eq!((starts(&lab), &again["cases"]), (asked, &report["cases"]), "the journal has what it said");
        lab.append("check.sh", "# another\n");
        study(&lab);
        assert_eq!(starts(&lab), 2 * asked);
    }

    #[test]
    fn near_misses_and_mutants_are_asked_about_too() {
        // Both hold on the constructed reply, and the pattern lets a longer number through that the program catches.
        let lax = "  reply_matches: '10 days'\n";
        assert_eq!(findings(&helped("exit 0\n", lax)), ["helper/cannot-fail", "reply_matches/loose"]);
        let strict = "read -r line; case $line in *110*|*100*|*10,*|*10.*) exit 1;; esac; exit 0\n";
        assert_eq!(findings(&helped(strict, lax)), [""; 0]);
    }

    #[test]
    fn what_forbids_is_shown_to_fail_by_an_incident_or_by_a_recorded_trial_without_the_rule() {
        let forbids = "read -r line; case $line in *discount*) exit 1;; esac; exit 0\n";
        let with = "  reply_mentions: [a new lamp]\n";
        assert_eq!(findings(&helped(forbids, with)), ["helper/cannot-fail"]);
        assert_eq!(findings(&helped(forbids, &format!("{with}incident: Here is a discount."))), [""; 0]);
        let agent = "scripted:\n  habits:\n    - when: /./\n      rule: Offer no discount.\n      with: {reply: It gets a new lamp.}\n      without: {reply: A new lamp at a discount.}\n";
        let lab = Lab::new(
            "# Shop\n\n- Offer no discount.\n- Speak kindly to everybody.\n",
            "id: it\ninput: My lamp is broken.\nrule: Offer no discount.\nexpect:\n  helper: [sh, check.sh]\n  reply_mentions: [a new lamp]\n",
            agent,
        );
        lab.write("check.sh", forbids);
        let rules = lab.rules(&[]);
        assert_eq!(common::only_case(&rules)["verdict"], "rule-derived", "{rules:#}");
        assert_eq!(findings(&lab), [""; 0]);
    }

    #[test]
    fn a_program_that_stumbles_elsewhere_is_noted_and_no_finding() {
        let picky = "read -r line; case $line in *museum*) exit 9;; *'a new lamp'*) exit 0;; esac; exit 1\n";
        let lab = helped(picky, "examples: It gets a new lamp.");
        let report = study(&lab);
        assert_eq!(report["summary"]["exit_code"], 0, "{report:#}");
        let notes = report["notes"].to_string();
        assert!(notes.contains("it/helper gave no answer on 1 of") && notes.contains("`unrelated`"), "{notes}");
    }

    #[test]
    fn a_program_that_is_not_there_is_a_mistake_with_its_place() {
        let lab = case("Hi", "expect:\n  helper: [./no-such-check]");
        let ran = lab.run(&["matchers"]);
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(ran.stderr.contains("there is no program") && ran.stderr.contains("cases.yaml:4:3"), "{}", ran.stderr);
    }

    #[test]
    fn the_rules_study_calls_no_program_vacuous_that_it_has_not_asked() {
        let agent = "scripted:\n  habits: []\n  otherwise: {reply: It gets a new lamp.}";
        let cases =
            "id: it\ninput: Hi\nrule: Be kind.\nexpect:\n  helper: [sh, check.sh]\n  reply_mentions: [a new lamp]\n";
        let lab = Lab::new("# Shop\n\n- Be kind.\n- Be quick.\n", cases, agent);
        lab.write("check.sh", "exit 0\n");
        study(&lab);
        let report = lab.rules(&[]);
        assert!(!report["cases"].to_string().contains("vacuous"), "{report:#}");
        let sure = Lab::new(
            "# Shop\n\n- Be kind.\n- Be quick.\n",
            &cases.replace("helper: [sh, check.sh]", "reply_does_not_match: '$x'"),
            agent,
        );
        assert!(sure.rules(&[])["cases"].to_string().contains("vacuous"), "what is known is said");
    }

    #[test]
    fn the_example_of_programs_has_one_case_of_each_finding() {
        if Command::new("python3").arg("-c").arg("").output().is_ok_and(|output| output.status.success()) {
            let folder = tempfile::tempdir().unwrap();
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/helper-traps");
            std::fs::create_dir(folder.path().join("checks")).unwrap();
            for name in [
                "mutate.yaml",
                "cases.yaml",
                "checks/hours.py",
                "checks/no_link.py",
                "checks/polite.py",
                "checks/steps.py",
            ] {
                std::fs::copy(from.join(name), folder.path().join(name)).unwrap();
            }
            let arguments = ["matchers", "--format", "json"];
            let ran = ran(Command::new(env!("CARGO_BIN_EXE_mutate"))
                .args(arguments)
                .current_dir(folder.path())
                .output()
                .unwrap());
            let report = ran.json();
            let verdicts: Vec<(&str, &str)> = report["cases"]
                .as_array()
                .unwrap()
                .iter()
                .map(|case| (case["id"].as_str().unwrap(), case["verdict"].as_str().unwrap()))
                .collect();
            assert_eq!(
                verdicts,
                [
                    ("opening-hours", "crashes-on-silence"),
                    ("polite", "cannot-fail"),
                    ("no-link", "passes-on-silence"),
                    ("kind", "untested"),
                    ("two-steps", "sound"),
                ],
                "{report:#}"
            );
            assert!(report["notes"].to_string().contains("kind/judge is not probed: it asks a model"), "{report:#}");
        } else {
            use std::io::Write as _;
            let _ = writeln!(std::io::stderr().lock(), "skipped: there is no python3");
        }
    }
}

/// No key, no model and no endpoint: asking would fail loudly.
#[test]
fn what_asks_a_model_is_left_out_with_a_note_and_alone_it_is_untested() {
    let judge = "expect: {judge: It is kind.}\nexamples: It gets a new lamp.\nincident: No.";
    let lab = case("Hi", judge);
    let report = study(&lab);
    assert_eq!(
        (findings(&lab), report["summary"]["exit_code"].as_u64()),
        (vec!["expect/untested".to_owned()], Some(3))
    );
    assert_eq!(report["notes"], serde_json::json!(["it/judge is not probed: it asks a model (`--ask-judges`)"]));
    assert_eq!(findings(&case("Hi", "expect: {similar: {to: It gets a new lamp., min: 0.8}}")), ["expect/untested"]);
    // Beside another check it is no finding, and what the other does is judged without it.
    let beside = case("Hi", "expect: {judge: It is kind., reply_mentions: [a new lamp]}");
    let report = study(&beside);
    assert_eq!((findings(&beside), report["summary"]["exit_code"].as_u64()), (vec![], Some(0)), "{report:#}");
    assert_eq!(report["cases"][0]["mutated"], "constructed");
    // Whether the judge would catch silence is not known, and not said.
    assert_eq!(findings(&case("Hi", "expect: {judge: It is kind., reply_does_not_mention: [no]}")), [""; 0]);
    assert_eq!(
        findings(&case("Hi", "expect: {judge: It is kind., reply_does_not_match: '$x'}")),
        ["reply_does_not_match/cannot-fail"]
    );
    assert!(beside.journal().is_empty());
}
