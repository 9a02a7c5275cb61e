//! What users of mutation testers have reported, one test a kind of report: the run leaves nothing behind, line ends and
//! line numbers are right, and what could not be asked is never counted as caught.

#![cfg(unix)]

mod common;

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{Lab, only_case};

const RULES: &str =
    "# Shop\n\n- Never offer a discount.\n- Speak kindly to everybody who writes.\n- Sign with your name.\n";
const CASE: &str = "id: discount\ninput: Cheaper?\nrule: Never offer a discount.\nexpect:\n  reply_mentions: [fixed]\n";

/// A program that follows its rule after these commands.
fn program(commands: &str) -> String {
    format!(
        "command:\n  run: [sh, -c, '{commands}; if grep -q discount \"$MUTATE_INSTRUCTIONS\"; then echo fixed; else echo yours; fi']\n  timeout: 1s\n"
    )
}

fn started(lab: &Lab) -> Child {
    let mut command = lab.command(&["rules", "--format", "json", "--jobs", "1"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_run_that_is_killed_during_a_mutant_leaves_the_suite_as_it_was() {
    let marker = tempfile::tempdir().unwrap();
    let sign = marker.path().join("mutated");
    // The second arm's program waits to be killed.
    let agent =
        program(&format!("grep -q discount \"$MUTATE_INSTRUCTIONS\" || {{ touch {}; sleep 0.9; }}", sign.display()));
    let lab = Lab::new(RULES, CASE, &agent);
    // An edit that no commit holds is part of the tree that has to stay.
    lab.append("rules.md", "- Not yet committed.\n");
    let before = lab.tree();
    let mut child = started(&lab);
    wait_for(&sign);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(lab.tree(), before);
    assert_eq!(only_case(&lab.rules(&[]))["verdict"], "rule-derived");
    assert_eq!(lab.tree(), before);
}

#[test]
fn two_runs_at_a_time_change_nothing_and_agree() {
    let lab = Lab::new(RULES, CASE, &program("sleep 0.05"));
    let before = lab.tree();
    let verdicts: Vec<serde_json::Value> = [started(&lab), started(&lab)]
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            only_case(&report)["verdict"].clone()
        })
        .collect();
    assert_eq!(verdicts, ["rule-derived", "rule-derived"]);
    assert_eq!(lab.tree(), before);
}

#[test]
fn a_quote_of_two_lines_is_found_in_a_crlf_file_and_the_mutant_keeps_crlf() {
    let rules = "Rule 1:\r\nnever share PINs\r\n\r\nRule 2:\r\nbe kind\r\n";
    let case = "id: pin\ninput: PIN?\nrule: \"Rule 1:\\nnever share PINs\"\nexpect:\n  reply_mentions: [fixed]\n";
    let agent = "command: [sh, -c, 'if tr -d \"\\r\\n\" < \"$MUTATE_INSTRUCTIONS\" | grep -q PIN; then echo fixed; elif [ \"$(tr -dc \"\\r\" < \"$MUTATE_INSTRUCTIONS\" | wc -c)\" -eq \"$(tr -dc \"\\n\" < \"$MUTATE_INSTRUCTIONS\" | wc -c)\" ]; then echo mutated; else exit 3; fi']";
    let lab = Lab::new(rules, case, agent);
    let report = lab.rules(&[]);
    assert_eq!(only_case(&report)["verdict"], "rule-derived", "{report:#}");
}

#[test]
fn lines_are_those_of_the_file_with_a_mark_crlf_tabs_and_umlauts() {
    let rules = "\u{feff}# Läden\r\n\r\n\t- Größe.\r\n- Ä.\tNever offer a discount.\r\n";
    let lab = Lab::new(rules, CASE, &program("true"));
    let report = lab.rules(&["--list"]);
    let mutant = report.as_array().unwrap().iter().find(|mutant| mutant["operator"] == "delete").unwrap().clone();
    assert_eq!(mutant["line"], 4, "{mutant:#}");
    let start = usize::try_from(mutant["start"].as_u64().unwrap()).unwrap();
    assert!(rules[start..].trim_start().starts_with("Never offer"), "{:?}", &rules[start..]);
}

#[test]
fn a_time_limit_is_no_kill_and_no_verdict() {
    // Slow under the mutant only: a slow answer says nothing of the rule.
    let slow = Lab::new(RULES, CASE, &program("grep -q discount \"$MUTATE_INSTRUCTIONS\" || sleep 5"));
    let ran = slow.run(&["rules", "--format", "json", "--quiet"]);
    assert_eq!(only_case(&ran.json())["verdict"], "error");
    assert_eq!(ran.code, 3);
}

#[test]
fn a_baseline_that_is_too_slow_ends_in_a_whole_report() {
    let slow = Lab::new(RULES, CASE, &program("sleep 5"));
    let ran = slow.run(&["rules", "--format", "json", "--quiet"]);
    let report = ran.json();
    assert_eq!(only_case(&report)["verdict"], "error");
    assert_eq!(only_case(&report)["arms"]["baseline"]["errors"], 3);
    assert_eq!(ran.code, 3);
}

#[test]
fn an_agent_that_breaks_midway_kills_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let breaks = format!("echo x >> {0}; [ $(wc -l < {0}) -le 3 ] || exit 1", count.display());
    let lab = Lab::new(RULES, CASE, &program(&breaks));
    let ran = lab.run(&["rules", "--format", "json", "--quiet", "--jobs", "1"]);
    let report = ran.json();
    assert_eq!(only_case(&report)["verdict"], "error", "{report:#}");
    assert!(only_case(&report)["label"].is_null());
    assert_eq!(ran.code, 3);
}

#[test]
fn a_case_that_fails_without_a_mutant_has_no_mutants_asked() {
    let lab = Lab::new(RULES, CASE, "command: [echo, yours]");
    let report = lab.rules(&[]);
    assert_eq!(only_case(&report)["verdict"], "baseline-failing");
    assert!(lab.journal().iter().all(|line| line["arm"].is_null() || line["arm"] == "baseline"), "{:?}", lab.journal());
}

/// What the agent says with its rule and without it; the check looks at the first word alone.
fn answering(with: &str, without: &str) -> Lab {
    let run = format!("if grep -q discount \"$MUTATE_INSTRUCTIONS\"; then echo {with}; else echo {without}; fi");
    Lab::new(RULES, CASE, &format!("command:\n  run: [sh, -c, '{run}']\n"))
}

#[test]
fn a_survivor_says_whether_the_answer_changed_at_all() {
    let changed = |lab: &Lab| only_case(&lab.rules(&[]))["answers_changed"].clone();
    let blind = answering("fixed as ruled", "fixed as you like");
    assert_eq!(changed(&blind)["delete"], true);
    let shown = blind.run(&["rules"]).stdout;
    assert!(shown.contains("discount  model-default"), "{shown}");
    assert!(shown.contains("answers   others without the rule, and no check sees it"), "{shown}");
    assert_eq!(changed(&answering("fixed", "fixed"))["delete"], false);
    // Where it talks now so and now so, nothing can be said.
    assert_eq!(changed(&answering("fixed $$", "fixed $$")), serde_json::json!({}));
}

#[test]
fn findings_can_be_reported_without_failing_the_job_and_nothing_else_can() {
    let lab = answering("fixed as ruled", "fixed as you like");
    let code = |arguments: &[&str]| lab.run(&[&["rules", "--quiet"], arguments].concat()).code;
    assert_eq!(code(&[]), 1);
    assert_eq!(code(&["--report-only"]), 0);
    let summary = lab.rules(&["--report-only"])["summary"].clone();
    assert_eq!((&summary["findings"], &summary["exit_code"]), (&1.into(), &0.into()));
    assert_eq!(summary["exit_reason"], "findings: discount (only reported)");
    assert_eq!(code(&["--report-only", "--fresh", "--max-trials", "2"]), 3);
    assert_eq!(code(&["--report-only", "--operators", "none"]), 2);
    assert_eq!(answering("nothing", "nothing").run(&["rules", "--report-only"]).code, 4);
}
