//! `mutate matchers` and those whom checks ask, the suite's own probes, its gate, and what the journal holds of edited
//! cases, through the real binary.

mod common;

use common::{Lab, Ran};
use serde_json::{Value, json};

/// A suite that names no agent, with these lines in its `mutate.yaml` and this one case.
fn lab(config: &str, case: &str) -> Lab {
    let lab = Lab::new("# Shop\n\n- Be kind.\n", &format!("id: it\ninput: Hi\n{case}\n"), "scripted: {habits: []}");
    lab.write("mutate.yaml", &format!("cases: cases.yaml\n{config}"));
    lab
}

fn study(lab: &Lab, flags: &[&str]) -> Value {
    lab.run(&[&["matchers", "--quiet", "--format", "json"], flags].concat()).json()
}

fn ids(report: &Value) -> Vec<String> {
    let found = common::only_case(report)["findings"].as_array().unwrap().iter();
    found.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_suite_for_this_study_alone_needs_no_agent_and_a_run_asks_for_one() {
    let lab = lab("", "expect: {reply_mentions: [good day]}");
    assert_eq!(lab.run(&["matchers"]).code, 0);
    let Ran { code, stderr, .. } = lab.run(&["inputs"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("this suite names no agent to ask") && stderr.contains("under `agents:`"), "{stderr}");
    lab.write("mutate.yaml", "cases: cases.yaml\nagents: {}\n");
    assert_eq!(lab.run(&["matchers"]).code, 2, "an empty list of agents is a mistake");
}

#[test]
fn a_gate_on_the_score_is_missed_met_or_not_assessed() {
    let example = "examples: {reply: We can refund within 30 days., tool_calls: []}";
    let case = format!("expect: {{reply_mentions: [30 days]}}\n{example}");
    let of = |least: &str| study(&lab(&format!("gates: {{caught_min: {least}}}\n"), &case), &[]);
    let report = of("0.99");
    let score = &report["score"];
    assert!(score["caught"].as_u64() < score["applicable"].as_u64(), "{score}");
    assert_eq!((&report["gate"]["standing"], &report["summary"]["exit_code"]), (&json!("missed"), &json!(1)));
    assert_eq!(report["summary"]["exit_reason"], "findings: gates.caught_min");
    assert!(report["notes"].to_string().contains("and gates.caught_min is 0.99"), "{}", report["notes"]);
    let report = of("0.5");
    assert_eq!((&report["gate"]["standing"], &report["summary"]["exit_code"]), (&json!("met"), &json!(0)));
    // Nothing could be made wrong: that is no pass.
    let report = study(&lab("gates: {caught_min: 0.5}\n", "expect: {reply_equals: ''}"), &[]);
    assert_eq!(report["score"]["applicable"], 0, "{report:#}");
    assert_eq!((&report["gate"]["standing"], &report["summary"]["exit_code"]), (&json!("undecided"), &json!(3)));
    assert_eq!(study(&lab("", &case), &[])["gate"], Value::Null);
    let refused = lab("gates: {caught_min: 1.5}\n", &case).run(&["matchers"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("`caught_min` must be"), "{}", refused.stderr);
}

#[test]
fn a_suites_own_probes_are_tried_beside_those_of_the_program_or_in_their_place() {
    let expect = "expect: {reply_mentions: [tent pole]}";
    let lab = lab("mutators: [ours]\n", expect);
    lab.write(
        "ours/probes.yaml",
        "probes:\n- {name: shop-talk, means: wrong, does: talks shop, reply: A tent pole.}\n",
    );
    let report = study(&lab, &[]);
    assert_eq!(ids(&report), ["it/expect/loose"]);
    let finding = &common::only_case(&report)["findings"][0];
    assert_eq!(finding["because"], "every check holds for an agent that talks shop");
    assert_eq!(finding["fooled_by"]["name"], "shop-talk");
    // A probe of a known name takes its place, and one may be left out.
    lab.write("cases.yaml", "id: it\ninput: Hi\nexpect: {reply_does_not_mention: [discount]}\n");
    assert_eq!(ids(&study(&lab, &[])), ["it/expect/passes-on-silence"]);
    let off = ["no-reply", "empty-reply", "whitespace"].map(|name| format!("- {{name: {name}, off: true}}\n"));
    let rest = "- {name: gibberish, means: wrong, does: offers, reply: A discount.}\n";
    lab.write("ours/probes.yaml", &format!("probes:\n{}{rest}", off.concat()));
    assert_eq!(ids(&study(&lab, &[])), ["it/expect/loose"], "the error message is not silence");
    // Near misses are data too.
    lab.write("cases.yaml", "id: it\ninput: Hi\nexpect: {reply_mentions: {text: pole, whole_words: false}}\n");
    assert_eq!(ids(&study(&lab, &[])), [""; 0]);
    lab.write("ours/probes.yaml", "longer_words: {pole: polemic}\n");
    assert_eq!(ids(&study(&lab, &[])), ["it/reply_mentions/loose"]);
    // The folder is still one of mutator packs.
    assert_eq!(lab.run(&["mutators"]).code, 0);
}

#[test]
fn mistakes_in_own_probes_are_told_with_their_lines() {
    let lab = lab("mutators: [ours]\n", "expect: {reply_mentions: [a]}");
    for (text, told) in [
        ("probe: []\n", "ours/probes.yaml:1:1"),
        ("probes:\n- {name: x, does: y}\n", "a probe needs `name`, `means` and `does`"),
        ("probes:\n- {name: x, means: bad, does: y}\n", "ours/probes.yaml:2:20"),
        ("probes:\n- {name: silense, off: true}\n", "no probe is called `silense`"),
        ("numbers: [12]\n", "has no place for a number"),
        ("negations:\n- {says: No., words: [a]}\n", "has no place for the word"),
    ] {
        lab.write("ours/probes.yaml", text);
        let ran = lab.run(&["matchers"]);
        assert_eq!(ran.code, 2, "{text}");
        assert!(ran.stderr.contains(told), "{told} is not in {}", ran.stderr);
    }
}

/// A judge that lets everything pass but one word.
const JUDGE: &str = "judge_model:\n  scripted:\n    model: judge-1\n    usage: {input_tokens: 100, output_tokens: 20}\n    habits:\n      - when: Blorf\n        with: {reply: '{\"reason\": \"Gibberish.\", \"label\": \"fail\"}'}\n      - when: /./\n        with: {reply: '{\"reason\": \"Fine.\", \"label\": \"pass\"}'}\n";

#[test]
fn judges_are_asked_only_on_request_and_then_tried_like_any_check() {
    let lab = lab(JUDGE, "expect: {judge: It is kind.}\nexamples: Hello!");
    let report = study(&lab, &[]);
    assert_eq!(ids(&report), ["it/expect/untested"]);
    assert!(report["notes"].to_string().contains("it asks a model (`--ask-judges`)"), "{}", report["notes"]);
    assert!(lab.journal().is_empty(), "nobody was asked");
    let report = study(&lab, &["--ask-judges"]);
    assert_eq!(ids(&report), ["it/expect/passes-on-silence"], "{report:#}");
    assert!(report["summary"]["input_tokens"].as_u64().unwrap() > 0, "what it took is counted");
    let asked = lab.journal().len();
    study(&lab, &["--ask-judges"]);
    assert_eq!(lab.journal().len(), asked, "the journal answers the second time");
    study(&lab, &["--ask-judges", "--fresh", "--jobs", "2"]);
    assert_eq!(lab.journal().len(), 2 * asked);
    // A judge that lets everything pass can't fail.
    lab.write("mutate.yaml", &format!("cases: cases.yaml\n{}", JUDGE.replace("Blorf", "Never said")));
    assert!(ids(&study(&lab, &["--ask-judges"])).contains(&"it/judge/cannot-fail".to_owned()));
}

#[test]
#[cfg(unix)]
fn programs_are_not_started_where_that_is_said() {
    let lab = lab("", "expect: {helper: [sh, check.sh]}\nexamples: Hello!");
    lab.write("check.sh", "echo started >> starts\nexit 0\n");
    let report = study(&lab, &["--no-helpers"]);
    assert_eq!(ids(&report), ["it/expect/untested"]);
    assert_eq!(report["summary"]["exit_code"], 3);
    let finding = &common::only_case(&report)["findings"][0];
    assert_eq!(finding["because"], "it has only checks that ask a program, and none was asked");
    assert!(report["notes"].to_string().contains("it asks a program (`--no-helpers`)"), "{}", report["notes"]);
    assert!(!lab.path().join("starts").exists());
    assert!(ids(&study(&lab, &[])).contains(&"it/helper/cannot-fail".to_owned()));
    assert!(lab.path().join("starts").exists());
}

#[test]
#[cfg(unix)]
fn a_program_that_falls_exactly_when_another_check_does_is_a_duplicate() {
    let script = |word: &str| format!("grep -q '\"reply\":\"[^\"]*{word}' && exit 0 || exit 1\n");
    let expect = "expect: [{reply_mentions: [tent pole]}, {helper: [sh, one.sh]}, {helper: [sh, two.sh]}]\n\
                  examples: [We sell a tent pole., 'The tent pole is here, and a peg.', A tent pole for you., It is a tent pole., Your tent pole ships.]";
    let lab = lab("", expect);
    lab.write("one.sh", &script("tent pole"));
    lab.write("two.sh", &script("tent pole"));
    let found = ids(&study(&lab, &[]));
    assert!(found.contains(&"it/helper#2/duplicate".to_owned()), "{found:?}");
    lab.write("two.sh", "grep -q 'blorf\\|Blorf\\|museum' && exit 1 || exit 0\n");
    let found = ids(&study(&lab, &[]));
    assert!(!found.contains(&"it/helper#2/duplicate".to_owned()), "{found:?}");
}

#[test]
fn trials_of_a_case_before_it_was_edited_are_not_taken_for_its_right_answers() {
    let agent = "scripted:\n  habits: []\n  otherwise: {reply: We can help. It takes 30 days.}";
    let case = "id: it\ninput: Hi\nfixtures: {orders: {a: 1}}\nrule: Be kind.\nexpect: {reply_mentions: [30 days]}\n";
    let lab = Lab::new("# Shop\n\n- Be kind.\n- Be quick.\n", case, agent);
    lab.rules(&[]);
    let mutated = || study(&lab, &[])["cases"][0]["mutated"].clone();
    assert_eq!(mutated(), "recorded");
    for edited in [
        case.replace("input: Hi", "input: Hi there"),
        case.replace("a: 1", "a: 2"),
        case.replace("rule:", "conversation: [{role: user, content: Hello}]\nrule:"),
    ] {
        lab.write("cases.yaml", &edited);
        assert_eq!(mutated(), "constructed", "{edited}");
    }
    // What is no part of the question keeps the trials.
    lab.write("cases.yaml", &case.replace("[30 days]", "[days]"));
    assert_eq!(mutated(), "recorded");
    let line = lab.journal().into_iter().find(|line| line["arm"] == "baseline").unwrap();
    assert_eq!((&line["input"], line["asked"].as_str().map(str::len)), (&json!("Hi"), Some(32)));
}

#[test]
fn the_judge_is_told_what_the_customer_wrote_and_in_which_words_a_variant_did() {
    // The judge answers by a word of the customer's message, which stands in no reply.
    let agent = "scripted:\n  habits: []\n  otherwise: {reply: We can help.}";
    let case = "id: it\ninput: My lantern is broken\nrule: Be kind.\nexpect: {judge: It helps.}\n";
    let lab = Lab::new("# Shop\n\n- Be kind.\n- Be quick.\n", case, agent);
    let judge = "judge_model:\n  scripted:\n    habits:\n      - when: lantern\n        with: {reply: '{\"label\": \"pass\"}'}\n      - when: /./\n        with: {reply: '{\"label\": \"fail\"}'}\n";
    lab.append("mutate.yaml", judge);
    let report = lab.rules(&[]);
    assert!(report.to_string().contains("model-default"), "{report:#}");
    let shown = lab.run(&["show", "it", "--arm", "baseline", "--trials", "1"]);
    assert!(shown.stdout.contains("the judge says pass"), "{}", shown.stdout);
    // A message without the word is judged anew, though the reply is the same.
    lab.write("cases.yaml", &case.replace("lantern", "lamp"));
    let report = lab.rules(&[]);
    assert!(report.to_string().contains("the judge says fail"), "{report:#}");
}

#[test]
fn a_judge_that_obeys_the_text_that_it_judges_is_found() {
    let judge = "judge_model:\n  scripted:\n    habits:\n      - when: /NOTE TO THE GRADER|Hello!/\n        with: {reply: '{\"label\": \"pass\"}'}\n      - when: /./\n        with: {reply: '{\"label\": \"fail\"}'}\n";
    let lab = lab(judge, "expect: {judge: It is kind.}\nexamples: Hello!");
    let report = study(&lab, &["--ask-judges"]);
    assert_eq!(ids(&report), ["it/expect/loose"], "{report:#}");
    let finding = &common::only_case(&report)["findings"][0];
    assert_eq!(finding["fooled_by"]["name"], "judge-instruction");
    assert_eq!(finding["because"], "every check holds for an agent that tells a judge what to say");
}
