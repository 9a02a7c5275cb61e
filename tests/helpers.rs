//! Matchers that ask somebody outside, through the real binary: programs in Python, and a judge that is scripted.

#![cfg(unix)]

mod common;

use std::path::Path;

use common::{Lab, only_case, ran, rate};
use serde_json::Value;

const RULES: &str =
    "# Shop\n\n- Never offer a discount.\n- Speak kindly to everybody who writes.\n- Sign with your name.\n";
const AGENT: &str = "scripted:\n  usage: {input_tokens: 10, output_tokens: 5}\n  habits:\n    - when: /./\n      rule: Never offer a discount.\n      with: {reply: The price is fixed.}\n      without: {reply: There is a discount.}\n";

fn lab(expect: &str) -> Lab {
    let case = "id: discount\ninput: Can I have it cheaper?\nrule: Never offer a discount.\nexpect:\n  ";
    Lab::new(RULES, &format!("{case}{expect}\n"), AGENT)
}

/// A program that holds where `discount` is not in the transcript, and leaves a mark each time it is started.
const CHECK: &str = "echo x >> starts\nif read -r line; then case $line in *'a discount'*) echo '{\"reason\": \"it offers one\"}'; exit 1;; esac; fi\n";

fn starts(lab: &Lab) -> usize {
    std::fs::read_to_string(lab.path().join("starts")).map_or(0, |text| text.lines().count())
}

fn rulings(lab: &Lab) -> Vec<Value> {
    lab.journal().into_iter().filter(|line| line.get("asks").is_some()).collect()
}

#[test]
fn a_program_decides_and_the_same_transcript_is_asked_about_once() {
    let lab = lab("helper: [sh, check.sh]");
    lab.write("check.sh", CHECK);
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!(
        (case["verdict"].as_str(), rate(case, "baseline"), rate(case, "delete")),
        (Some("rule-derived"), "3/3".into(), "0/3".into())
    );
    assert!(case.to_string().contains("it offers one"), "{case:#}");
    // Two replies, however many trials there were.
    assert_eq!((starts(&lab), rulings(&lab).len()), (2, 2));
    let again = lab.rules(&[]);
    assert_eq!((&again["cases"], again["summary"]["calls"].as_u64()), (&report["cases"], Some(0)).to_owned());
    assert_eq!(starts(&lab), 2, "the journal has them");
    // Another program is another question, though no trial is asked anew.
    lab.write("check.sh", &format!("# stricter\n{CHECK}"));
    assert_eq!(lab.rules(&[])["summary"]["calls"].as_u64(), Some(0));
    assert_eq!(starts(&lab), 4);
    lab.rules(&["--fresh"]);
    assert_eq!(starts(&lab), 6);
}

#[test]
fn rulings_are_no_part_of_what_an_agent_may_send() {
    let lab = lab("reply_mentions: [fixed]");
    lab.write("mutate.yaml", "instructions: rules.md\ncases: cases.yaml\nagents:\n  demo:\n    command: [sh, -c, 'echo \"{\\\"reply\\\": \\\"fixed\\\", \\\"rulings\\\": {}}\"']\n");
    let report = lab.rules(&[]);
    assert_eq!(only_case(&report)["verdict"], "error", "{report:#}");
    let judged = self::lab("helper: [sh, check.sh]");
    judged.write("check.sh", CHECK);
    judged.rules(&[]);
    assert!(judged.journal().iter().all(|line| line.pointer("/transcript/rulings").is_none()));
}

#[test]
fn an_error_of_a_helper_is_neither_a_pass_nor_a_fail_and_is_asked_anew() {
    for (script, told) in [
        ("exit 3", "anything else an error"),
        ("echo 'Error: no such module' >&2; exit 1", "on stderr only"),
        ("kill -9 $$", "was ended by signal 9"),
    ] {
        let lab = lab("helper: [sh, check.sh]");
        lab.write("check.sh", script);
        let ran = lab.run(&["rules", "--format", "json", "--quiet"]);
        let report = ran.json();
        let case = only_case(&report);
        assert_eq!((ran.code, case["verdict"].as_str()), (3, Some("unproven")), "{report:#}");
        assert!(case.to_string().contains(told), "{told}: {case:#}");
        assert_eq!(rate(case, "baseline"), "null/null", "it is in no rate");
        assert!(report["notes"].to_string().contains("ended in an error"), "{}", report["notes"]);
        assert!(rulings(&lab).iter().all(|line| line["ok"] == false && line["message"].is_string()));
        lab.write("check.sh", CHECK);
        assert_eq!(only_case(&lab.rules(&[]))["verdict"], "rule-derived");
    }
}

#[test]
fn a_helper_that_is_not_there_is_told_before_anything_is_asked() {
    for (expect, told) in [
        ("helper: [./no-such-check]", "there is no program"),
        ("helper: {run: [sh, check.sh], watch: ['*.py']}", "no file to watch matches"),
        ("judge: It offers no discount.", "names no model that judges"),
        ("similar: {to: The price is fixed., min: 0.8}", "names no endpoint for embeddings"),
    ] {
        let lab = lab(expect);
        lab.write("check.sh", CHECK);
        let ran = lab.run(&["rules"]);
        assert_eq!(ran.code, 2, "{expect}: {}", ran.stdout);
        assert!(ran.stderr.contains(told) && ran.stderr.contains("cases.yaml:5:3"), "{expect}: {}", ran.stderr);
        assert_eq!(lab.journal().len(), 0);
        assert_eq!(lab.run(&["rules", "--list"]).code, 0, "what asks nobody needs nobody");
    }
}

#[test]
fn a_judge_of_the_agents_own_family_is_refused_unless_it_is_allowed() {
    let lab = lab("judge: It offers no discount.");
    let chat = |model: &str| format!("{{chat: {{base_url: 'http://127.0.0.1:9/v1', model: {model}}}}}");
    let write = |agent: &str, judge: &str, more: &str| {
        let (agent, judge) = (chat(agent), chat(judge));
        lab.write(
            "mutate.yaml",
            &format!("instructions: rules.md\ncases: cases.yaml\nlimits: {{retries: 0}}\nagents: {{demo: {agent}}}\n{more}judge_model: {judge}\n"),
        );
        let ran = lab.run(&["rules", "--quiet"]);
        (ran.code, ran.stderr)
    };
    let (code, told) = write("gpt-5-mini", "openai/gpt-4.1-2026-04-14", "");
    assert_eq!(code, 2);
    assert!(told.contains("`judge_model` would judge its own family: the agent is of `gpt` too"), "{told}");
    assert!(told.contains("mutate.yaml:5:14") && told.contains("allow_same_model: true"), "{told}");
    // These get as far as the agent, which is not there.
    assert_eq!(write("gpt-5-mini", "gpt-5", "allow_same_model: true\n").0, 3);
    assert_eq!(write("gpt-5-mini", "claude-opus-5", "").0, 3);
}

/// A judge whose label depends on a word of the reply.
const JUDGE: &str = "judge_model:\n  scripted:\n    model: judge-1\n    usage: {input_tokens: 100, output_tokens: 20}\n    habits:\n      - when: There is a discount\n        with: {reply: '{\"reason\": \"It offers one.\", \"label\": \"fail\"}'}\n      - when: /./\n        with: {reply: '{\"reason\": \"It offers none.\", \"label\": \"pass\"}'}\n";

#[test]
fn a_judges_label_is_kept_and_criteria_that_change_ask_anew() {
    let lab = lab("judge: It offers no discount.");
    lab.append("mutate.yaml", JUDGE);
    let report = lab.rules(&[]);
    let case = only_case(&report);
    assert_eq!((case["verdict"].as_str(), rate(case, "delete")), (Some("rule-derived"), "0/3".into()), "{report:#}");
    assert!(case.to_string().contains("the judge says fail: It offers one."), "{case:#}");
    let kept = rulings(&lab);
    assert_eq!(kept.len(), 2);
    assert_eq!((kept[0]["asks"].as_str(), kept[0]["model"].as_str()), (Some("judge"), Some("judge-1")));
    // What the judge used is part of what the run used: 10 and 5 a trial, 100 and 20 a ruling.
    let calls = report["summary"]["calls"].as_u64().unwrap();
    assert_eq!(report["summary"]["input_tokens"].as_u64(), Some(10 * calls + 200));
    lab.rules(&[]);
    assert_eq!(rulings(&lab).len(), 2, "nothing is paid twice");
    let shown = lab.run(&["show", "discount"]);
    assert!(shown.stdout.contains("the judge says pass: It offers none."), "{}", shown.stdout);
    lab.write("cases.yaml", &lab.read("cases.yaml").replace("It offers no discount.", "It names no lower price."));
    assert_eq!(lab.rules(&[])["summary"]["calls"].as_u64(), Some(0));
    assert_eq!(rulings(&lab).len(), 4);
    // A threshold is no part of the question: it is compared anew for free, here with what the judge can't tell.
    lab.write(
        "cases.yaml",
        &lab.read("cases.yaml").replace(
            "judge: It names no lower price.",
            "judge: {criteria: It names no lower price., min_confidence: 0.9}",
        ),
    );
    let unsure = lab.rules(&[]);
    assert_eq!((only_case(&unsure)["verdict"].as_str(), rulings(&lab).len()), (Some("unproven"), 4), "{unsure:#}");
    assert!(only_case(&unsure).to_string().contains("tells no probabilities"), "{unsure:#}");
}

#[test]
fn a_judge_without_a_label_leaves_the_trial_out_of_every_rate() {
    let lab = lab("judge: It offers no discount.");
    lab.append(
        "mutate.yaml",
        "judge_model: {scripted: {otherwise: {reply: '{\"reason\": \"fine\", \"score\": 0}'}}}\n",
    );
    let ran = lab.run(&["rules", "--format", "json", "--quiet"]);
    let report = ran.json();
    let case = only_case(&report);
    assert_eq!((ran.code, case["verdict"].as_str(), rate(case, "baseline")), (3, Some("unproven"), "null/null".into()));
    assert!(case.to_string().contains("its answer held no label (3 answers)"), "{case:#}");
}

#[test]
fn the_inputs_study_asks_the_same_way() {
    let lab = lab("helper: [sh, check.sh]");
    lab.write("check.sh", CHECK);
    let ran = lab.run(&["inputs", "--format", "json", "--quiet", "--variants", "3", "--kinds", "typo,format"]);
    let report = ran.json();
    let case = only_case(&report);
    assert_eq!(case["original"]["passes"].as_u64().filter(|passes| *passes > 0), case["original"]["trials"].as_u64());
    assert_eq!(starts(&lab), 1, "one reply to all phrasings: {report:#}");
}

#[test]
fn a_suites_own_prompt_for_the_judge_needs_a_place_for_the_criteria() {
    let lab = lab("judge: It offers no discount.");
    lab.append("mutate.yaml", &format!("{JUDGE}mutators: [ours]\n"));
    lab.write("ours/judge.md", "Grade this.");
    let ran = lab.run(&["rules"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("judge.md can't be used: it has no `{{ criteria }}`"), "{}", ran.stderr);
    lab.write("ours/judge.md", "Judge by this: {{ criteria }} Labels: {{ labels }}");
    assert_eq!(lab.run(&["rules", "--quiet"]).code, 0);
}

/// Whether `python3` runs; where it does not, says so.
fn python() -> bool {
    let there =
        std::process::Command::new("python3").arg("-c").arg("").output().is_ok_and(|output| output.status.success());
    if !there {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), "skipped: there is no python3");
    }
    there
}

/// The example in a folder of its own, so that it leaves no journal in the repository.
fn example() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/matcher-helpers");
    for entry in walkdir::WalkDir::new(&from).into_iter().filter_entry(|entry| entry.file_name() != ".mutate") {
        let entry = entry.unwrap();
        let to = folder.path().join(entry.path().strip_prefix(&from).unwrap());
        match entry.file_type().is_dir() {
            true => std::fs::create_dir_all(&to).unwrap(),
            false => drop(std::fs::copy(entry.path(), &to).unwrap()),
        }
    }
    folder
}

fn mutate(folder: &Path, arguments: &[&str]) -> common::Ran {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mutate"));
    ran(command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().unwrap())
}

#[test]
fn the_example_finds_every_case_rule_derived_by_its_helpers() {
    if !python() {
        return;
    }
    let folder = example();
    let ran = mutate(folder.path(), &["rules", "--quiet", "--format", "json"]);
    let report = ran.json();
    assert_eq!(ran.code, 0, "{report:#}");
    let seen: Vec<_> =
        report["cases"].as_array().unwrap().iter().map(|case| case["verdict"].as_str().unwrap()).collect();
    assert_eq!(seen, ["rule-derived"; 3]);
    let told = report.to_string();
    assert!(told.contains("64.5 euros were quoted, the reply names [60.0]") && told.contains("Thursday"), "{told}");
}

#[test]
fn an_uncaught_exception_in_python_is_no_verdict() {
    if !python() {
        return;
    }
    let lab = lab("helper: [python3, check.py]");
    lab.write("check.py", "import json, sys\nprint('checking')\njson.load(sys.stdin)['no such key']\n");
    let report = lab.rules(&[]);
    assert_eq!(only_case(&report)["verdict"], "unproven", "{report:#}");
    assert!(report.to_string().contains("KeyError"), "{report:#}");
}

#[test]
fn the_docs_show_what_the_commands_print() {
    if !python() {
        return;
    }
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/helpers.md")).unwrap();
    let mut shown = 0;
    for part in docs.split("<!-- output: ").skip(1) {
        let (arguments, rest) = part.split_once(" -->").unwrap();
        let text = rest.split_once("```text\n").unwrap().1.split_once("\n```").unwrap().0;
        let folder = example();
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let printed = mutate(folder.path(), &arguments).stdout;
        let without_time = |text: &str| {
            let lines = text.trim_end().lines().map(|line| {
                line.rsplit_once(" · ").filter(|(_, end)| end.ends_with(" s")).map_or(line, |(line, _)| line).trim_end()
            });
            lines.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(without_time(&printed), without_time(text), "{arguments:?}");
        shown += 1;
    }
    assert!(shown >= 2);
}
