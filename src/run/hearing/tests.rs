use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::agents::testing::{Server, agent_in, http, ok};
use crate::agents::{Embeddings, Surroundings};
use crate::matchers::{Matcher, parse};
use crate::rulings::{Prompt, Setup};
use crate::source::{Diagnostics, Secrets, SourceFile, parse_documents};

fn matcher(yaml: &str) -> Box<dyn Matcher> {
    let mut diagnostics = Diagnostics::default();
    let node = parse_documents(&SourceFile::new("case.yaml", yaml), &mut diagnostics).remove(0);
    let (kind, value) = &node.mapping().unwrap()[0];
    parse(kind, value, &mut diagnostics).unwrap_or_else(|| panic!("{}", diagnostics.render(false)))
}

fn around(root: &Path) -> Surroundings {
    Surroundings { root: root.to_owned(), timeout: Duration::from_secs(20), max_output_bytes: 1_000_000 }
}

/// A hearing before those who are behind this server.
fn hearing(root: &Path, server: Option<&Server>) -> Hearing {
    let around = around(root);
    let url = server.map(|server| format!("{{base_url: 'http://127.0.0.1:{}/v1', model: m-1}}", server.port));
    let judge = url.as_ref().map(|url| (agent_in(&format!("chat: {url}"), &around), Prompt::default()));
    let embeddings = url.as_ref().map(|url| {
        let mut diagnostics = Diagnostics::default();
        let node = parse_documents(&SourceFile::new("mutate.yaml", url.as_str()), &mut diagnostics).remove(0);
        Embeddings::read(&node, &around, &mut diagnostics).unwrap()
    });
    let setup = Setup {
        root: around.root,
        timeout: around.timeout,
        max_output_bytes: around.max_output_bytes,
        judge,
        second_judge: None,
        embeddings,
    };
    Hearing {
        referees: Arc::new(Referees::new(setup)),
        journal: Journal::open(root, Secrets::new([])).unwrap(),
        jobs: 4,
        retrying: Retrying { attempts: 2, backoff: Duration::from_millis(1) },
        requests_per_minute: None,
        budget: Budget::default(),
        prices: vec![],
    }
}

/// What the matcher says of these replies, and what was spent.
fn judge(hearing: &mut Hearing, yaml: &str, replies: &[String]) -> (Vec<(Option<bool>, String)>, Spent) {
    let matcher = matcher(yaml);
    let question = matcher.question().unwrap();
    let mut heard: Vec<_> =
        replies.iter().map(|reply| (vec![Arc::clone(question)], Transcript::text(reply.as_str()))).collect();
    let spent = hearing.block_on(&mut heard, &()).unwrap();
    let told = heard.iter().map(|(_, transcript)| {
        let outcome = matcher.judge(transcript);
        (outcome.holds(), outcome.told())
    });
    (told.collect(), spent)
}

fn says(content: &str) -> String {
    ok(json!({"model": "m-1-2026", "usage": {"prompt_tokens": 50, "completion_tokens": 5},
        "choices": [{"message": {"content": content}, "finish_reason": "stop"}]}))
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_judge_that_is_busy_is_asked_again_and_counted_once() {
    let folder = tempfile::tempdir().unwrap();
    let busy = || http("429 Too Many Requests", "retry-after-ms: 1\r\n", "{}");
    let server = Server::new(vec![busy(), busy(), says("{\"label\": \"pass\"}")]);
    let (told, spent) = judge(&mut hearing(folder.path(), Some(&server)), "judge: It declines.", &texts(&["No."]));
    assert_eq!(told[0], (Some(true), "the judge says pass".to_owned()));
    assert_eq!((spent.rulings, spent.ruling_errors, spent.retries), (1, 0, 2));
    assert_eq!((spent.input_tokens, spent.output_tokens, spent.calls), (50, 5, 0));
}

#[test]
fn a_judge_that_stays_busy_is_an_error_and_no_fail() {
    let folder = tempfile::tempdir().unwrap();
    let busy = || http("429 Too Many Requests", "retry-after-ms: 1\r\n", "{}");
    let server = Server::new(vec![busy(), busy(), busy(), says("{\"label\": \"pass\"}")]);
    let mut hearing_of = hearing(folder.path(), Some(&server));
    let (told, spent) = judge(&mut hearing_of, "judge: It declines.", &texts(&["No."]));
    assert_eq!(told[0].0, None);
    assert!(told[0].1.contains("HTTP 429") && told[0].1.contains("(after 3 attempts)"), "{}", told[0].1);
    assert_eq!((spent.rulings, spent.ruling_errors), (1, 1));
    // The error is not reused.
    let (told, _) = judge(&mut hearing(folder.path(), Some(&server)), "judge: It declines.", &texts(&["No."]));
    assert_eq!(told[0].0, Some(true));
}

#[test]
fn the_same_text_is_judged_once_in_a_run_and_never_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(vec![says("{\"label\": \"pass\"}"), says("{\"label\": \"fail\"}")]);
    let mut first = hearing(folder.path(), Some(&server));
    first.jobs = 1;
    let (told, spent) = judge(&mut first, "judge: It declines.", &texts(&["No.", "Yes.", "No.", "No."]));
    let held: Vec<_> = told.iter().map(|(holds, _)| *holds).collect();
    assert_eq!(held, [Some(true), Some(false), Some(true), Some(true)]);
    assert_eq!((spent.rulings, server.bodies().len()), (2, 2));
    let (again, spent) =
        judge(&mut hearing(folder.path(), Some(&server)), "judge: It declines.", &texts(&["Yes.", "No."]));
    assert_eq!(again.iter().map(|(holds, _)| *holds).collect::<Vec<_>>(), [Some(false), Some(true)]);
    assert_eq!((spent.rulings, spent.rulings_reused), (0, 2));
}

#[test]
fn log_probs_become_a_confidence_that_the_journal_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let token = |text: &str, others: serde_json::Value| json!({"token": text, "logprob": -0.5, "top_logprobs": others});
    let answer = ok(
        json!({"model": "m", "choices": [{"message": {"content": "{\"label\": \"pass\"}"}, "logprobs": {"content": [
        token("{\"label\": \"", json!([])),
        token("pass", json!([{"token": "pass", "logprob": -0.510_825_62}, {"token": "fail", "logprob": -0.916_290_73}])),
        token("\"}", json!([]))]}}]}),
    );
    let server = Server::new(vec![answer]);
    let yaml = "judge: {criteria: It declines., min_confidence: 0.7}";
    let (told, _) = judge(&mut hearing(folder.path(), Some(&server)), yaml, &texts(&["No."]));
    assert!(told[0].0.is_none() && told[0].1.contains("sure by 0.60 only"), "{told:?}");
    let lenient = "judge: {criteria: It declines., min_confidence: 0.55}";
    let (told, spent) = judge(&mut hearing(folder.path(), Some(&server)), lenient, &texts(&["No."]));
    assert_eq!((told[0].0, spent.rulings), (Some(true), 0), "another threshold asks nobody");
}

#[test]
fn similar_embeds_the_reference_once_and_compares_by_the_cosine() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = |data: serde_json::Value| ok(json!({"model": "e", "data": data}));
    let server = Server::new(vec![
        vectors(json!([{"index": 0, "embedding": [3, 4]}, {"index": 1, "embedding": [4, 3]}])),
        vectors(json!([{"index": 0, "embedding": [-4, -3]}])),
        http("500 Internal Server Error", "", "{}"),
        http("500 Internal Server Error", "", "{}"),
        http("500 Internal Server Error", "", "{}"),
    ]);
    let mut hearing = hearing(folder.path(), Some(&server));
    hearing.jobs = 1;
    let yaml = "similar: {to: It arrives in three days., min: 0.9}";
    let (told, spent) = judge(&mut hearing, yaml, &texts(&["Three days.", "Never.", "Five.", ""]));
    assert_eq!(told[0], (Some(true), "the similarity is 0.960, and at least 0.9 is wanted".to_owned()));
    assert_eq!(told[1], (Some(false), "the similarity is -1.000, and at least 0.9 is wanted".to_owned()));
    assert!(told[2].0.is_none() && told[2].1.contains("HTTP 500"), "{told:?}");
    assert_eq!(told[3], (Some(false), "the agent gave no reply".to_owned()), "nobody is asked about nothing");
    assert_eq!((spent.rulings, spent.ruling_errors), (3, 1));
    let sent: Vec<_> = server.bodies().iter().map(|body| body["input"].as_array().unwrap().len()).collect();
    assert_eq!(sent, [2, 1, 1, 1, 1]);
}

#[test]
fn a_limit_on_cost_stops_a_judge() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(vec![says("{\"label\": \"pass\"}"), says("{\"label\": \"pass\"}")]);
    let mut hearing = hearing(folder.path(), Some(&server));
    hearing.jobs = 1;
    hearing.budget = Budget { max_cost: Some(0.00005), ..Budget::default() };
    hearing.prices = vec![Price { model: "m-1".into(), input_per_million: 1.0, output_per_million: 0.0 }];
    let (told, spent) = judge(&mut hearing, "judge: It declines.", &texts(&["No.", "Never."]));
    assert_eq!((told[0].0, told[1].0), (Some(true), None));
    assert!(told[1].1.contains("was not asked"), "{}", told[1].1);
    assert_eq!((spent.rulings, matches!(spent.stopped, Some(StopReason::MaxCost(_)))), (1, true));
}

#[test]
fn ten_thousand_transcripts_cost_one_start_of_a_program_that_reads_lines() {
    let folder = tempfile::tempdir().unwrap();
    // Every answer is a line of the program's own, in the order of the questions.
    let script = "echo start >> starts\nwhile read -r line; do case $line in *odd*) echo '{\"holds\": false}';; *) echo '{\"holds\": true}';; esac; done\n";
    std::fs::write(folder.path().join("check.sh"), script).unwrap();
    let replies: Vec<String> =
        (0..10_000).map(|at| format!("{} {at}", if at % 2 == 1 { "odd" } else { "even" })).collect();
    let mut hearing = hearing(folder.path(), None);
    hearing.jobs = 16;
    let (told, spent) = judge(&mut hearing, "helper: {run: [sh, check.sh], mode: lines}", &replies);
    assert!(told.iter().enumerate().all(|(at, (holds, _))| *holds == Some(at % 2 == 0)));
    assert_eq!((spent.rulings, spent.ruling_errors), (10_000, 0));
    assert_eq!(std::fs::read_to_string(folder.path().join("starts")).unwrap(), "start\n");
}

#[test]
fn a_program_that_crashes_on_one_transcript_costs_that_one() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo start >> starts\nwhile read -r line; do case $line in *crash*) exit 3;; *) echo '{\"holds\": true}';; esac; done\n";
    std::fs::write(folder.path().join("check.sh"), script).unwrap();
    let replies = texts(&["a", "b", "crash", "c", "d"]);
    let (told, spent) =
        judge(&mut hearing(folder.path(), None), "helper: {run: [sh, check.sh], mode: lines}", &replies);
    let held: Vec<_> = told.iter().map(|(holds, _)| *holds).collect();
    assert_eq!(held, [Some(true), Some(true), None, Some(true), Some(true)]);
    assert_eq!(spent.ruling_errors, 1);
    assert_eq!(std::fs::read_to_string(folder.path().join("starts")).unwrap(), "start\nstart\n");
}

#[test]
fn two_judges_are_asked_once_and_what_they_part_on_is_kept_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let label = |label: &str| says(&format!("{{\"label\": \"{label}\"}}"));
    let first = Server::new(vec![label("pass"), label("pass")]);
    let second = Server::new(vec![label("pass"), label("fail")]);
    let panel = |folder: &Path| {
        let around = around(folder);
        let agent = |server: &Server, model: &str| {
            agent_in(&format!("chat: {{base_url: 'http://127.0.0.1:{}/v1', model: {model}}}", server.port), &around)
        };
        let setup = Setup {
            judge: Some((agent(&first, "m-1"), Prompt::default())),
            second_judge: Some(agent(&second, "n-2")),
            embeddings: None,
            root: folder.to_owned(),
            timeout: around.timeout,
            max_output_bytes: around.max_output_bytes,
        };
        Hearing { referees: Arc::new(Referees::new(setup)), jobs: 1, ..hearing(folder, None) }
    };
    let (told, spent) = judge(&mut panel(folder.path()), "judge: It declines.", &texts(&["No.", "Well."]));
    assert_eq!((told[0].0, told[1].0), (Some(true), None));
    assert!(told[1].1.contains("the judges disagree: ") && told[1].1.contains("n-2"), "{}", told[1].1);
    assert_eq!((spent.rulings, spent.judged_twice, spent.judges_agreed), (2, 2, 1));
    assert!(spent.rulings_note().unwrap().contains("the two judges agreed on 1 of 2"), "{:?}", spent.rulings_note());
    // Both are paid for, and neither is asked again.
    assert_eq!((spent.input_tokens, first.bodies().len(), second.bodies().len()), (200, 2, 2));
    let (again, spent) = judge(&mut panel(folder.path()), "judge: It declines.", &texts(&["No.", "Well."]));
    assert_eq!((again[1].0, spent.rulings, spent.rulings_reused, spent.judged_twice), (None, 0, 2, 2));
}
