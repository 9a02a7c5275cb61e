//! No trial sees anything of another: not its conversation, not its answer, not its name, at any number of jobs.

#![cfg(unix)]

mod common;

use std::collections::BTreeSet;

use common::Lab;
use common::endpoint::{Endpoint, says};
use serde_json::Value;

const RULES: &str = "# Desk\n\n- Answer every question in one sentence.\n- Sign with your name.\n";

/// Ids that look alike where parts are joined with a separator, or where a file system folds names.
const ALIKE: [&str; 12] = ["a", "a:b", "a/b", "a b", "a_b", "a-b", "a.b", "A:b", "a:b:c", "a/b:c", "a:b/c", "a#b"];

fn inputs(lab: &Lab, arguments: &[&str]) -> Value {
    lab.run(&[&["inputs", "--quiet", "--format", "json"], arguments].concat()).json()
}

/// Verdict of every case.
fn verdicts(report: &Value) -> BTreeSet<&str> {
    report["cases"].as_array().unwrap().iter().map(|case| case["verdict"].as_str().unwrap()).collect()
}

fn replies(lab: &Lab) -> Vec<(String, String)> {
    let trials = lab.journal().into_iter().filter(|line| line.get("key").is_some());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    trials.map(|line| (text(&line["case"]), text(&line["transcript"]["reply"]))).collect()
}

/// In turns a case that tells a name and one that asks for it, under these ids.
fn names(ids: &[&str]) -> String {
    let case = |(at, id): (usize, &&str)| match at % 2 {
        0 => format!("- {{id: \"{id}\", input: My name is Noor., expect: {{reply_mentions: [Noor]}}}}\n"),
        _ => format!("- {{id: \"{id}\", input: What is my name?, expect: {{reply_does_not_mention: [Noor]}}}}\n"),
    };
    ids.iter().enumerate().map(case).collect()
}

#[test]
fn a_program_that_keeps_its_conversations_by_session_has_a_new_one_in_each_trial() {
    let script = "mkdir -p history; cat >> \"history/$MUTATE_SESSION\"; echo >> \"history/$MUTATE_SESSION\"; cat \"history/$MUTATE_SESSION\"";
    // The second keeps them in the folder that it is started in.
    let own = "cat >> history; echo >> history; cat history";
    for (script, cwd) in [(script, "suite"), (own, "temp")] {
        let agent = format!("command: {{run: [sh, -c, '{script}'], cwd: {cwd}}}");
        let lab = Lab::new(RULES, &names(&ALIKE), &agent);
        for jobs in ["1", "8", "64"] {
            // The same trials again, and the program still remembers those before.
            let report = inputs(&lab, &["--jobs", jobs, "--variants", "3", "--fresh"]);
            assert_eq!(verdicts(&report), ["robust"].into(), "{cwd}, {jobs} jobs: {report:#}");
        }
        let replies = replies(&lab);
        assert_eq!(replies.len(), 3 * ALIKE.len() * 6);
        for (case, reply) in replies {
            let tells = ALIKE.iter().position(|id| *id == case).unwrap() % 2 == 0;
            assert_eq!(reply.matches("Noor").count(), usize::from(tells), "{case}: {reply}");
        }
    }
}

#[test]
fn a_chat_is_sent_its_own_turns_only_and_no_session_of_the_server_is_kept() {
    // A server that answers with everything that it was sent.
    let endpoint = Endpoint::new(|asked| says(&asked["messages"].to_string()));
    let lab = Lab::new(RULES, &names(&ALIKE), &endpoint.agent(""));
    for jobs in ["1", "8", "64"] {
        let report = inputs(&lab, &["--jobs", jobs, "--variants", "3", "--fresh"]);
        assert_eq!(verdicts(&report), ["robust"].into(), "{jobs} jobs: {report:#}");
    }
    assert!(endpoint.asked() > 0);
    for body in endpoint.bodies() {
        let roles: Vec<&str> =
            body["messages"].as_array().unwrap().iter().map(|turn| turn["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["system", "user"], "{body}");
    }
    for head in endpoint.heads() {
        assert!(!head.contains("cookie:"), "{head}");
    }
}

#[test]
fn each_of_two_hundred_trials_gets_its_own_answer_at_any_number_of_jobs() {
    let case = |n: usize| {
        format!(
            "- {{id: \"{n}\", input: \"Please close ticket {n} for me.\", expect: {{reply_mentions: [\"{n}\"]}}}}\n"
        )
    };
    let cases: String = (1000..1050).map(case).collect();
    // The later a trial is asked, the sooner it is answered, so that answers come in another order than questions.
    let lab = Lab::new(RULES, &cases, "command: [sh, -c, 'sleep 0.00$((5 - $MUTATE_TRIAL)); cat']");
    for jobs in ["1", "8", "64"] {
        lab.forget();
        let report = inputs(&lab, &["--jobs", jobs, "--variants", "1"]);
        assert_eq!((verdicts(&report), &report["summary"]["calls"]), (["robust"].into(), &200.into()), "{jobs} jobs");
        let replies = replies(&lab);
        assert_eq!(replies.len(), 200);
        for (case, reply) in replies {
            let digits: String = reply.chars().filter(char::is_ascii_digit).collect();
            assert_eq!(digits, case, "{jobs} jobs");
        }
    }
}

#[test]
fn cases_with_names_that_look_alike_share_no_question_no_variant_and_no_file() {
    let agent = "command: [sh, -c, 'echo \"$MUTATE_CASE|\"; cat']";
    let case = |id: &&str| {
        let rule = "rule: Answer every question in one sentence.";
        format!("- {{id: \"{id}\", input: What is open today?, {rule}, expect: {{reply_mentions: [open]}}}}\n")
    };
    let lab = Lab::new(RULES, &ALIKE.iter().map(case).collect::<String>(), agent);
    for list in [["inputs", "--list"], ["rules", "--list"]] {
        let listed = lab.run(&[&list[..], &["--format", "json"]].concat()).json();
        let ids: Vec<&str> = listed.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
        assert!(ids.len() >= 2 * ALIKE.len(), "{list:?}: {ids:?}");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{list:?}");
    }
    let report = inputs(&lab, &["--variants", "2"]);
    assert_eq!(report["summary"]["calls"], 5 * ALIKE.len());
    for (case, reply) in replies(&lab) {
        assert!(reply.starts_with(&format!("{case}|")), "{case}: {reply}");
    }
    assert_eq!(lab.run(&["inputs", "--save", "--variants", "2"]).code, 0);
    let files: Vec<String> = lab
        .tree()
        .iter()
        .map(|(path, _)| path.strip_prefix(lab.path()).unwrap().to_string_lossy().to_lowercase())
        .filter(|name| name.ends_with(".variants.yaml"))
        .collect();
    assert_eq!(files.iter().collect::<BTreeSet<_>>().len(), ALIKE.len(), "{files:?}");
    let again = inputs(&lab, &["--variants", "2"]);
    let variants = |report: &Value| -> Vec<(Value, Value)> {
        let cases = report["cases"].as_array().unwrap().iter();
        let all = cases.flat_map(|case| case["variants"].as_array().unwrap());
        all.map(|one| (one["id"].clone(), one["text"].clone())).collect()
    };
    assert_eq!(again["summary"]["calls"], 0);
    assert_eq!(variants(&again), variants(&report), "each reads its own file");
}
