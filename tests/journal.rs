//! The journal through the real binary: what a kill, a torn line, Ctrl-C and a second case with the same question cost.

#![cfg(unix)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::endpoint::{Endpoint, says};
use common::{Lab, only_case, ran, rate};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const RULES: &str = "# Shop\n\n- Never offer a discount.\n- Speak kindly to everybody who writes.\n- Keep every answer short.\n- Sign with your name.\n";
const CASE: &str = "id: discount\ninput: Can I have it cheaper?\nrule: Never offer a discount.\nexpect:\n  reply_does_not_mention: [discount]\n";
const JOBS: usize = 4;

/// Twelve cases under an agent that counts its calls beside the suite, takes a moment, and follows the rule.
fn counted_suite(lab: &Lab, name: &str) {
    let agent = r#"command: [sh, -c, 'echo "$MUTATE_CASE $MUTATE_ARM $MUTATE_TRIAL" >> ../count; sleep 0.03; if grep -q "Never offer" "$MUTATE_INSTRUCTIONS"; then echo the price is fixed; else echo here is a discount; fi']"#;
    let cases: String = (0..12)
        .map(|n| format!("- {}\n", CASE.trim().replace("id: discount", &format!("id: case-{n}")).replace('\n', "\n  ")))
        .collect();
    lab.write(
        &format!("{name}/suite/mutate.yaml"),
        &format!(
            "instructions: rules.md\ncases: cases.yaml\nlimits: {{jobs: {JOBS}}}\nagents:\n  demo:\n    {agent}\n"
        ),
    );
    lab.write(&format!("{name}/suite/rules.md"), RULES);
    lab.write(&format!("{name}/suite/cases.yaml"), &cases);
}

fn count(lab: &Lab, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(lab.path().join(name).join("count")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn run_counted(lab: &Lab, name: &str) -> Value {
    run_study(lab, "rules", name)
}

fn run_study(lab: &Lab, study: &str, name: &str) -> Value {
    lab.run(&[study, "--quiet", "--format", "json", "--suite", &format!("{name}/suite")]).json()
}

/// Starts a run and returns when it has asked `calls` times.
fn under_way(lab: &Lab, study: &str, name: &str, calls: usize) -> Child {
    let mut command = lab.command(&[study, "--format", "json", "--suite", &format!("{name}/suite")]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while count(lab, name).len() < calls {
        assert!(began.elapsed() < Duration::from_secs(60), "the run does not get on");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
}

/// What a report says of the cases, without what differs from run to run.
fn verdicts(report: &Value) -> Vec<Value> {
    report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| json!([case["id"], case["verdict"], case["assertions"], case["arms"], case["variants"]]))
        .collect()
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was_and_ends_with_the_same_verdicts() {
    for study in ["rules", "inputs"] {
        goes_on_where_it_was(study);
    }
}

fn goes_on_where_it_was(study: &str) {
    let lab = Lab::new(RULES, CASE, "command: [\"true\"]");
    counted_suite(&lab, "undisturbed");
    let whole = run_study(&lab, study, "undisturbed");
    let undisturbed = count(&lab, "undisturbed").len();
    assert_eq!(whole["summary"]["calls"], undisturbed);

    counted_suite(&lab, "killed");
    let mut child = under_way(&lab, study, "killed", undisturbed / 2);
    signal(&child, Signal::KILL);
    child.wait().unwrap();
    // Programs that were out end by themselves.
    std::thread::sleep(Duration::from_millis(300));
    let before = count(&lab, "killed").len();
    assert!(before < undisturbed, "it was killed in mid-run");
    let rest = run_study(&lab, study, "killed");

    assert_eq!(verdicts(&rest), verdicts(&whole));
    let kept = rest["summary"]["reused"].as_u64().unwrap() as usize;
    assert!(kept + JOBS >= before, "{kept} of {before} answers were kept");
    assert_eq!(
        rest["summary"]["calls"].as_u64().unwrap() as usize,
        undisturbed - kept,
        "only what is missing is asked"
    );
    assert!(count(&lab, "killed").len() <= undisturbed + JOBS);
}

#[test]
fn a_torn_last_line_is_dropped_with_a_note_and_asked_again() {
    let lab = Lab::new(RULES, CASE, "command: [\"true\"]");
    counted_suite(&lab, "torn");
    let whole = run_counted(&lab, "torn");
    let asked = count(&lab, "torn").len();
    let journal = only_file(&lab.path().join("torn/suite/.mutate/journal"));
    let bytes = std::fs::read(&journal).unwrap();
    std::fs::write(&journal, &bytes[..bytes.len() - 20]).unwrap();

    let again = run_counted(&lab, "torn");
    assert_eq!(again["summary"]["calls"], 1);
    assert_eq!(count(&lab, "torn").len(), asked + 1);
    assert_eq!(verdicts(&again), verdicts(&whole));
    let notes = again["notes"].to_string();
    assert!(notes.contains("1 journal line(s) dropped") && notes.contains("is torn"), "{notes}");
}

#[test]
fn one_ctrl_c_reports_and_keeps_what_is_known_and_the_next_run_completes_it() {
    let lab = Lab::new(RULES, CASE, "command: [\"true\"]");
    counted_suite(&lab, "stopped");
    let child = under_way(&lab, "rules", "stopped", 20);
    signal(&child, Signal::INT);
    let stopped = ran(child.wait_with_output().unwrap());
    assert_eq!(stopped.code, 130, "{}", stopped.stderr);
    let report = stopped.json();
    assert_eq!(report["summary"]["stopped"], "interrupted");
    assert_eq!(report["summary"]["exit_code"], 130);
    let asked = count(&lab, "stopped").len();
    assert_eq!(report["summary"]["calls"], asked, "what was out is waited for");
    let open = report["cases"].as_array().unwrap().iter().filter(|case| case["reason"] == "interrupted").count();
    assert!(open > 0, "{report:#}");

    let rest = run_counted(&lab, "stopped");
    assert_eq!(rest["summary"]["reused"], asked, "every answer was kept");
    assert_eq!(rest["summary"]["calls"].as_u64().unwrap() as usize, count(&lab, "stopped").len() - asked);
    let all = rest["cases"].as_array().unwrap();
    assert!(all.iter().all(|case| case["verdict"] == "rule-derived"), "{rest:#}");
}

#[test]
fn a_second_ctrl_c_ends_at_once_and_leaves_no_program_behind() {
    let agent = "command: [sh, -c, 'echo x >> asked; sleep 30; echo too late']";
    let lab = Lab::new(RULES, CASE, agent);
    let child =
        lab.command(&["rules", "--format", "json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while !lab.path().join("asked").exists() {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, Signal::INT);
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, Signal::INT);
    let ended = ran(child.wait_with_output().unwrap());
    assert!(began.elapsed() < Duration::from_secs(20), "it did not wait for the agent");
    assert_eq!(ended.code, 130);
    assert_eq!(only_case(&ended.json())["verdict"], "unproven");
    assert_eq!(lab.journal().iter().filter(|line| line.get("key").is_some()).count(), 0);
}

#[test]
fn what_is_recorded_is_kept_out_of_git() {
    let lab = Lab::new(RULES, CASE, "command: [echo, price]");
    lab.rules(&[]);
    assert_eq!(lab.read(".mutate/.gitignore"), "*\n");
}

fn only_file(folder: &Path) -> std::path::PathBuf {
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

fn system_text(asked: &Value) -> &str {
    asked["messages"][0]["content"].as_str().unwrap_or_default()
}

fn follows_its_rule(asked: &Value) -> Value {
    says(if system_text(asked).contains("Never offer") { "The price is fixed." } else { "Here is a discount." })
}

#[test]
fn two_cases_with_the_same_question_share_each_call_of_an_agent_that_is_told_no_names() {
    let endpoint = Endpoint::new(follows_its_rule);
    let one = format!("- {}\n", CASE.trim().replace('\n', "\n  "));
    let two = format!("{one}{}", one.replace("id: discount", "id: rebate").replace("[discount]", "[rebate, discount]"));
    let lab = Lab::new(RULES, &two, &endpoint.agent(""));
    let report = lab.rules(&[]);
    let verdicts: Vec<&Value> = report["cases"].as_array().unwrap().iter().map(|case| &case["verdict"]).collect();
    assert_eq!(verdicts, ["rule-derived", "rule-derived"]);
    let calls = report["summary"]["calls"].as_u64().unwrap() as usize;
    assert_eq!(calls, endpoint.asked());
    let each: Vec<u64> =
        report["cases"].as_array().unwrap().iter().map(|case| case["calls"].as_u64().unwrap()).collect();
    // The controls may differ, since each case chooses its own; all else is one question.
    assert!(calls < (each[0] + each[1]) as usize, "{calls} calls for {each:?}");
    let mut questions: BTreeMap<String, usize> = BTreeMap::new();
    for body in endpoint.bodies() {
        *questions.entry(body.to_string()).or_default() += 1;
    }
    assert!(questions.values().all(|times| *times == 1), "no question was sent twice: {questions:?}");
}

#[test]
fn an_error_under_http_200_is_an_error_and_never_an_answer() {
    let endpoint = Endpoint::new(|_| json!({"error": {"message": "model is overloaded", "code": 400}}));
    let lab = Lab::new(RULES, CASE, &endpoint.agent(""));
    lab.append("mutate.yaml", "limits: {retries: 0}\n");
    let report = lab.rules(&[]);
    assert_eq!(only_case(&report)["verdict"], "error");
    assert!(only_case(&report)["reason"].as_str().unwrap().contains("model is overloaded"), "{report:#}");
    let journal = lab.journal();
    assert_eq!(journal.len(), 3);
    assert!(journal.iter().all(|line| line["ok"] == false && line["transcript"].is_null()), "{journal:?}");
    let again = lab.rules(&[]);
    assert_eq!((&again["summary"]["reused"], &again["summary"]["calls"]), (&json!(0), &json!(3)));
}

/// Passes as it should from the fourth answer on.
fn after_three(first: Value) -> impl FnMut(&Value) -> Value {
    let mut asked = 0;
    move |question: &Value| {
        asked += 1;
        if asked <= 3 { first.clone() } else { follows_its_rule(question) }
    }
}

#[test]
fn a_body_that_is_no_answer_is_never_kept_whatever_its_shape() {
    for body in [
        json!({"error": "rate limit exceeded"}),
        json!({"error": {"message": "rate limit exceeded", "type": "limit"}}),
        json!({"error": {"code": "rate_limit"}, "choices": [{"message": {"content": "The price is fixed."}}]}),
        json!({"choices": [{"error": {"message": "died"}, "message": {"role": "assistant", "content": ""}}]}),
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
        json!({"object": "error", "message": "rate limit exceeded", "code": 429}),
        json!({"detail": "rate limit exceeded"}),
        json!({"choices": []}),
        json!({}),
        json!("rate limit exceeded"),
        json!(null),
    ] {
        let endpoint = Endpoint::new(after_three(body.clone()));
        let lab = Lab::new(RULES, CASE, &endpoint.agent(""));
        lab.append("mutate.yaml", "limits: {retries: 0}\n");
        let run = || lab.run(&["inputs", "--quiet", "--format", "json", "--variants", "1"]).json();
        let report = run();
        assert_eq!(
            (&only_case(&report)["verdict"], &report["summary"]["exit_code"]),
            (&json!("error"), &json!(3)),
            "{body}"
        );
        assert!(lab.journal().iter().all(|line| line["ok"] != true && line["transcript"].is_null()), "{body}");
        let again = run();
        assert_eq!(
            (only_case(&again)["verdict"].as_str(), &again["summary"]["reused"]),
            (Some("robust"), &json!(0)),
            "{body}"
        );
    }
}

#[test]
fn an_error_that_a_program_reports_is_never_kept_and_makes_no_second_row() {
    let script =
        "if [ -e ../down ]; then echo '{\"error\": \"rate limit exceeded\"}'; else echo the price is fixed; fi";
    let lab = Lab::new(RULES, CASE, "command: [\"true\"]");
    lab.write("down", "");
    lab.write(
        "suite/mutate.yaml",
        &lab.read("mutate.yaml").replace("[\"true\"]", &format!("[sh, -c, '{}']", script.replace('\'', "''"))),
    );
    lab.write("suite/rules.md", RULES);
    lab.write("suite/cases.yaml", CASE);
    let run = || lab.run(&["inputs", "--quiet", "--format", "json", "--suite", "suite", "--output", "report.json"]);
    let report = || -> Value { serde_json::from_str(&lab.read("report.json")).unwrap() };
    assert_eq!(run().code, 3);
    assert_eq!((&report()["summary"]["errors"], &only_case(&report())["verdict"]), (&json!(3), &json!("error")));
    std::fs::hard_link(lab.path().join("report.json"), lab.path().join("first.json")).unwrap();
    let journal = only_file(&lab.path().join("suite/.mutate/journal"));
    let recorded = std::fs::read(&journal).unwrap();

    std::fs::remove_file(lab.path().join("down")).unwrap();
    assert_eq!(run().code, 0);
    let case = only_case(&report()).clone();
    assert_eq!(
        (&case["verdict"], &case["original"]["trials"], &case["original"]["errors"]),
        (&json!("robust"), &json!(3), &json!(0))
    );
    // A report is replaced as a whole, and what an earlier run recorded is never written to.
    assert!(lab.read("first.json").contains("rate limit exceeded"));
    assert_eq!(std::fs::read(&journal).unwrap(), recorded);
    let shown = lab.run(&["show", "discount", "--suite", "suite", "--arm", "baseline"]).stdout;
    for trial in ["trial 0  ", "trial 1  ", "trial 2  "] {
        assert_eq!(shown.matches(trial).count(), 1, "{shown}");
    }
    assert!(!shown.contains("rate limit exceeded"), "{shown}");
}

#[test]
fn a_verdict_is_made_anew_from_the_answers_that_are_kept() {
    let agent =
        "scripted: {otherwise: {reply: Apple pie for 7, tool_calls: [{order: {item: pie}}], fields: {kind: cake}}}";
    for (holds, falls) in [
        ("reply_matches: '^A'", "reply_matches: '^B'"),
        ("reply_mentions: [pie]", "reply_mentions: [bread]"),
        ("reply_does_not_mention: [bread]", "reply_does_not_mention: [pie]"),
        ("reply_starts_with: Apple", "reply_starts_with: Pie"),
        ("reply_equals: Apple pie for 7", "reply_equals: Apple pie for 8"),
        ("tool_called: [{order: {item: pie}}]", "tool_called: [{order: {item: bread}}]"),
        ("no_tool_called: [cancel]", "no_tool_called: [order]"),
        ("field: {path: kind, equals: cake}", "field: {path: kind, equals: tart}"),
    ] {
        let case = |expect: &str| format!("id: cake\ninput: Please bring me what you have.\nexpect:\n  {expect}\n");
        let lab = Lab::new(RULES, &case(holds), agent);
        let run = || lab.run(&["inputs", "--quiet", "--format", "json", "--variants", "2"]).json();
        assert_eq!(only_case(&run())["verdict"], "robust", "{holds}");
        lab.write("cases.yaml", &case(falls));
        let report = run();
        assert_eq!(
            (&only_case(&report)["verdict"], &report["summary"]["calls"]),
            (&json!("baseline-failing"), &json!(0)),
            "{falls}"
        );
    }
}

#[test]
fn a_case_that_the_journal_answers_keeps_its_verdict_when_a_case_before_it_uses_the_budget_up() {
    let habit = "scripted:\n  habits:\n    - {when: /./, rule: Never offer a discount., with: {reply: No.}, without: {reply: A discount!}}\n";
    let lab = Lab::new(RULES, CASE, habit);
    let known = only_case(&lab.rules(&[])).clone();
    // One that nobody has asked about stands before it.
    let new = CASE.replace("id: discount", "id: a-new-one").replace("Can I have it", "Is there a");
    lab.write("cases.yaml", &format!("{new}---\n{CASE}"));
    for calls in ["0", "2"] {
        let recorded = lab.journal().len();
        let report = lab.rules(&["--max-trials", calls]);
        assert_eq!(report["cases"][0]["verdict"], "unproven", "{report:#}");
        for key in ["id", "verdict", "arms", "calls"] {
            assert_eq!(report["cases"][1][key], known[key], "--max-trials {calls}");
        }
        assert_eq!(report["summary"]["calls"].to_string(), calls);
        assert_eq!(report["summary"]["exit_code"], 3);
        assert_eq!(lab.journal().len() > recorded, calls != "0");
    }
}

#[test]
fn trials_with_the_same_words_are_judged_each_by_its_own_tool_calls() {
    let script = "if [ $MUTATE_TRIAL = 0 ]; then calls='{\"name\": \"cancel\", \"arguments\": {}}'; fi; echo \"{\\\"reply\\\": \\\"Done\\\", \\\"tool_calls\\\": [$calls]}\"";
    let case = CASE.replace("reply_does_not_mention: [discount]", "tool_called: [cancel]");
    let lab = Lab::new(RULES, &case, "command: [sh, agent.sh]");
    lab.write("agent.sh", script);
    for calls in ["2", "0"] {
        let report = lab.rules(&["--max-trials", calls, "--jobs", "2"]);
        assert_eq!(rate(only_case(&report), "baseline"), "1/2", "{report:#}");
    }
    let shown = lab.run(&["show", "discount", "--arm", "baseline"]).stdout;
    assert_eq!(
        (shown.matches("holds  tool_called").count(), shown.matches("fails  tool_called").count()),
        (1, 1),
        "{shown}"
    );
}

#[test]
fn every_trial_of_every_variant_is_its_own_call_and_is_read_back_as_itself() {
    let lab = Lab::new(RULES, CASE, "command: [\"true\"]");
    // It falls in its second trial: an answer that is read back for another trial would show.
    let script = "if [ $MUTATE_TRIAL = 1 ]; then what=discount; else what=price; fi; echo x >> ../count; echo \"$MUTATE_ARM $MUTATE_TRIAL: the $what no. $(wc -l < ../count)\"";
    lab.write("suite/agent.sh", script);
    lab.write("suite/mutate.yaml", &lab.read("mutate.yaml").replace("[\"true\"]", "[sh, agent.sh]"));
    lab.write("suite/rules.md", RULES);
    let talk = "conversation:\n- {role: user, content: Hello.}\n- {role: assistant, content: Hello!}\n";
    lab.write("suite/cases.yaml", &format!("{CASE}{talk}"));
    let run = || lab.run(&["inputs", "--quiet", "--format", "json", "--jobs", "1", "--suite", "suite"]).json();
    let first = run();
    let original = &only_case(&first)["original"];
    assert_eq!(original["passes"].as_u64().unwrap() + 1, original["trials"].as_u64().unwrap(), "{first:#}");
    let calls = first["summary"]["calls"].as_u64().unwrap() as usize;
    assert_eq!((calls > 12, lab.read("count").lines().count()), (true, calls));
    let replies = |lab: &Lab| -> BTreeMap<String, String> {
        let text = std::fs::read_to_string(only_file(&lab.path().join("suite/.mutate/journal"))).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let trials = lines.filter(|line| line.get("key").is_some());
        let named = |line: Value| {
            let name = format!("{} {}", line["arm"].as_str().unwrap(), line["trial"]);
            (name, line["transcript"]["reply"].as_str().unwrap().to_owned())
        };
        trials.map(named).collect()
    };
    let kept = replies(&lab);
    assert_eq!(kept.len(), calls, "each trial has a name of its own");
    assert!(kept.iter().all(|(name, reply)| reply.starts_with(&format!("{name}: "))), "{kept:?}");
    let again = run();
    assert_eq!((&again["summary"]["calls"], &again["summary"]["reused"]), (&json!(0), &json!(calls)));
    assert_eq!(again["cases"], first["cases"]);
    assert_eq!(replies(&lab), kept);
}

const KEY: &str = "sk-test-4a1f\"\\9c77/+e2";

/// The key must stand nowhere, in no spelling that JSON or a shell may give it.
fn holds_no_key(what: &str, text: &str) {
    for part in ["sk-test-4a1f", "9c77/+e2"] {
        assert!(!text.contains(part), "{what} holds a part of the key: {text}");
    }
}

#[test]
fn a_key_from_the_environment_is_never_written_down_although_the_agent_says_it() {
    let agent = r#"command: {run: [sh, -c, 'echo "the price: $SHOP_KEY"; echo "key $SHOP_KEY" >&2; test "$MUTATE_ARM" != delete'], env: {SHOP_KEY: "${API_KEY}"}}"#;
    let lab = Lab::new(RULES, &CASE.replace("[discount]", "[price]"), agent);
    for format in ["json", "terminal", "markdown"] {
        lab.forget();
        let output = lab.command(&["rules", "--thorough", "--format", format]).env("API_KEY", KEY).output().unwrap();
        let ran = ran(output);
        assert!(ran.stdout.contains("price"), "{}", ran.stderr);
        holds_no_key("the report", &ran.stdout);
        holds_no_key("stderr", &ran.stderr);
    }
    let shown = ran(lab.command(&["show", "discount"]).env("API_KEY", KEY).output().unwrap());
    holds_no_key("`mutate show`", &shown.stdout);
    let journal = std::fs::read_to_string(only_file(&lab.path().join(".mutate/journal"))).unwrap();
    assert!(journal.contains("the price: "), "{journal}");
    holds_no_key("the journal", &journal);
}

#[test]
fn a_key_that_an_endpoint_repeats_is_never_written_down() {
    let endpoint = Endpoint::new(|_| says("my key is sk-test-0123456789abcdef, and the price is fixed"));
    let lab = Lab::new(RULES, CASE, &endpoint.agent(", api_key: '${API_KEY}'"));
    let output =
        lab.command(&["rules", "--format", "json"]).env("API_KEY", "sk-test-0123456789abcdef").output().unwrap();
    let ran = ran(output);
    assert!(!ran.stdout.contains("sk-test"), "{}", ran.stdout);
    let journal = std::fs::read_to_string(only_file(&lab.path().join(".mutate/journal"))).unwrap();
    assert!(journal.contains("the price is fixed") && !journal.contains("sk-test"), "{journal}");
}
