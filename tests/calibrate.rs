//! `mutate calibrate` through the real binary, with a scripted judge.

mod common;

use common::Lab;
use serde_json::json;

const JUDGE: &str = "judge_model:\n  scripted:\n    model: judge-1\n    habits:\n      - when: /maybe/\n        with: {reply: '{\"label\": \"partly\"}'}\n      - when: /no label/\n        with: {reply: 'I would rather not say.'}\n      - when: /discount/\n        with: {reply: '{\"label\": \"fail\", \"reason\": \"It offers one.\"}'}\n      - when: /./\n        with: {reply: '{\"label\": \"pass\"}'}\n";
const CASE: &str = "- id: discount\n  input: Cheaper?\n  expect:\n    - judge: {criteria: It offers no discount., labels: [pass, partly, fail], accept: [partly]}\n    - reply_mentions: [x]\n- id: two\n  input: Two?\n  expect:\n    - judge: It is short.\n    - judge: It is kind.\n- id: none\n  input: None?\n  expect: {reply_mentions: [x]}\n";

fn lab(labels: &[serde_json::Value]) -> Lab {
    let lab = Lab::new("Rules.", CASE, "scripted: {otherwise: {reply: x}}");
    lab.append("mutate.yaml", JUDGE);
    let lines: Vec<String> = labels.iter().map(ToString::to_string).collect();
    lab.write("labels.jsonl", &lines.join("\n"));
    lab
}

fn label(label: &str, reply: &str) -> serde_json::Value {
    json!({"reply": reply, "label": label})
}

#[test]
fn agreement_kappa_and_confusion_are_of_the_labels() {
    let lab =
        lab(&[label("pass", "fixed"), label("Pass", "maybe"), label("fail", "a discount"), label("fail", "fixed")]);
    let ran = lab.run(&["calibrate", "labels.jsonl", "--case", "discount", "--format", "json"]);
    let report = ran.json();
    let judge = &report["judges"][0];
    assert_eq!((ran.code, judge["name"].as_str()), (0, Some("discount/judge")), "{report:#}");
    assert_eq!(judge["confusion"], json!([[1, 1, 0], [0, 0, 0], [1, 0, 1]]));
    assert_eq!((&judge["strict"]["agree"], &judge["lenient"]["agree"]), (&json!(2), &json!(3)));
    // Observed 3 of 4; by chance half of the people's and three quarters of the judge's pass: 0.5.
    assert_eq!(judge["lenient"]["kappa"]["value"], json!(0.5));
    assert_eq!(judge["passing"], json!(["pass", "partly"]));
    let differ = judge["disagreements"].as_array().unwrap();
    assert!(differ[0]["place"].as_str().unwrap().ends_with("labels.jsonl:2:1"), "{differ:?}");
    assert!(report["notes"][0].to_string().contains("3 rulings asked"), "{}", report["notes"]);
    assert!(report["notes"][1].to_string().contains("4 labels of people are few"), "{}", report["notes"]);
    // The schema describes it, and nothing is asked twice.
    let schema = lab.run(&["schema", "calibration"]).json();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&report));
    assert!(!jsonschema::validator_for(&schema).unwrap().is_valid(&json!({"judges": 1})));
    let again = lab.run(&["calibrate", "labels.jsonl", "--case", "discount", "--format", "json"]).json();
    assert_eq!(again["judges"], report["judges"]);
    assert!(again["notes"][0].to_string().contains("4 rulings of helpers and judges known from before"));
}

#[test]
fn texts_without_a_label_of_the_judge_are_told_and_not_green() {
    let lab = lab(&[label("pass", "fixed"), label("fail", "no label")]);
    let ran = lab.run(&["calibrate", "labels.jsonl", "--case", "discount"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stdout.contains("strict    1/1 agree") && ran.stdout.contains("exit 3: not judged: 1 of 2"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("unjudged") && ran.stdout.contains("held no label"), "{}", ran.stdout);
}

#[test]
fn criteria_may_stand_in_the_file_and_lines_may_name_their_judges() {
    let lab = lab(&[
        json!({"criteria": "It is fixed.", "labels": ["yes", "no", "pass"], "pass": ["yes", "pass"]}),
        label("pass", "fixed"),
        json!({"transcript": {"reply": "a discount", "tool_calls": []}, "label": "pass", "case": "two", "assertion": "judge#2", "id": "x-1", "note": "kind"}),
    ]);
    let report = lab.run(&["calibrate", "labels.jsonl", "--format", "json"]).json();
    let judges: Vec<_> = report["judges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|judge| (judge["name"].as_str().unwrap(), judge["strict"]["agree"].as_u64().unwrap()))
        .collect();
    assert_eq!(judges, [("labels.jsonl", 1), ("two/judge#2", 0)]);
    let markdown = lab.run(&["calibrate", "labels.jsonl", "--format", "markdown"]).stdout;
    assert!(
        markdown.contains("### two/judge\\#2") && markdown.contains("| people ↓ judge → | pass | fail |"),
        "{markdown}"
    );
}

#[test]
fn mistakes_are_told_with_their_lines() {
    for (line, arguments, told) in [
        (label("pass", "x"), &[][..], "this label names no judge"),
        (label("maybe", "x"), &["--case", "discount"], "`maybe` is no label of this judge"),
        (label("parttly", "x"), &["--case", "discount"], "did you mean `partly`?"),
        (label("pass", "x"), &["--case", "discuont"], "did you mean `discount`?"),
        (label("pass", "x"), &["--case", "two"], "has several judges"),
        (label("pass", "x"), &["--case", "two", "--assertion", "judge#3"], "`judge#3` is no judge of the case"),
        (label("pass", "x"), &["--case", "none"], "the case `none` has no judge"),
        (json!({"label": "pass"}), &["--case", "discount"], "needs either `reply` or `transcript`"),
        (json!({"reply": "x"}), &["--case", "discount"], "a label needs `label`"),
        (json!({"reply": "x", "lable": "pass"}), &["--case", "discount"], "did you mean `label`?"),
        (json!({"transcript": {"replly": "x"}, "label": "pass"}), &["--case", "discount"], "this is no transcript"),
    ] {
        let lab = lab(std::slice::from_ref(&line));
        let ran = lab.run(&[&["calibrate", "labels.jsonl"], arguments].concat());
        assert_eq!(ran.code, 2, "{line}");
        assert!(
            ran.stderr.contains(told) && ran.stderr.contains("labels.jsonl:1:"),
            "{told:?} is not in: {}",
            ran.stderr
        );
        assert_eq!(lab.journal().len(), 0);
    }
    let lab = lab(&[]);
    assert!(lab.run(&["calibrate", "labels.jsonl"]).stderr.contains("this file holds no label"));
    assert!(lab.run(&["calibrate", "nothing.jsonl"]).stderr.contains("can't be read"));
}

#[test]
#[cfg(unix)]
fn after_ctrl_c_what_was_judged_is_reported_and_never_asked_again() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let labels: Vec<serde_json::Value> = (0..12).map(|number| label("pass", &format!("fixed {number}"))).collect();
    let lab = Lab::new("Rules.", CASE, "scripted: {otherwise: {reply: x}}");
    let judge =
        "judge_model:\n  command: [sh, -c, 'echo asked >> count; sleep 0.1; echo \"{\\\"label\\\": \\\"pass\\\"}\"']\n";
    lab.append("mutate.yaml", judge);
    let lines: Vec<String> = labels.iter().map(ToString::to_string).collect();
    lab.write("labels.jsonl", &lines.join("\n"));
    let arguments = ["calibrate", "labels.jsonl", "--case", "discount", "--jobs", "1", "--quiet", "--format", "json"];
    let asked = || std::fs::read_to_string(lab.path().join("count")).unwrap_or_default().lines().count();
    let child = lab.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while asked() < 3 {
        assert!(began.elapsed() < Duration::from_secs(60), "the judge is not asked");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let ran = common::ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let report = ran.json();
    let judged = report["judges"][0]["strict"]["of"].as_u64().unwrap() as usize;
    // The one that was out is waited for; the others are not asked and in no rate.
    assert!((2..12).contains(&judged) && judged == asked(), "{judged} of {}: {report:#}", asked());
    let whole = lab.run(&arguments);
    assert_eq!((whole.code, asked()), (0, 12), "{}", whole.stderr);
    assert_eq!(whole.json()["judges"][0]["strict"]["of"], 12);
}
