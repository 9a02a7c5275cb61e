//! Matchers that need somebody outside: what they ask, and what they make of the answer.

use super::*;
use crate::transcript::Ruling;

/// One value of every kind that asks outside.
pub const OUTSIDE: &[&str] = &[
    "helper: [python3, checks/refund.py]",
    "helper: {run: [./check], mode: lines, timeout: 5s, watch: ['checks/*.py']}",
    "judge: The reply declines the refund.",
    "judge: {criteria: It declines., labels: [good, fair, bad], pass: good, accept: [fair], min_confidence: 0.7}",
    "judge: {criteria: It looks the order up., show_tools: true}",
    "similar: {to: It arrives in three days., min: 0.8}",
];

fn reply() -> Transcript {
    Transcript { tool_calls: Some(vec![]), ..Transcript::text("No refund.") }
}

fn ruled(yaml: &str, ruling: Result<Ruling, &str>) -> Outcome {
    let matcher = matcher(yaml);
    let mut transcript = reply();
    transcript.rulings.insert(matcher.question().unwrap().digest(), ruling.map_err(str::to_owned));
    matcher.judge(&transcript)
}

fn label(label: &str, confidence: Option<f64>) -> Result<Ruling, &'static str> {
    Ok(Ruling::Label { label: label.to_owned(), reason: Some("It says no.".to_owned()), confidence })
}

fn verdict(holds: bool, reason: Option<&str>) -> Result<Ruling, &'static str> {
    Ok(Ruling::Verdict { holds, reason: reason.map(str::to_owned) })
}

fn not_assessable(outcome: &Outcome, told: &str) {
    let Outcome::NotAssessable(why) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains(told), "{told:?} is not in: {why}");
}

#[test]
fn without_an_answer_nothing_is_passed_and_nothing_failed() {
    for yaml in OUTSIDE {
        not_assessable(&matcher(yaml).judge(&reply()), "was not asked about this transcript");
        not_assessable(&ruled(yaml, Err("timed out")), "gave no answer: timed out");
    }
    // The answer to another question is none to this.
    let mut transcript = reply();
    transcript.rulings.insert("0123", verdict(true, None).map_err(str::to_owned));
    not_assessable(&matcher(OUTSIDE[0]).judge(&transcript), "was not asked");
    not_assessable(&ruled("judge: x", verdict(true, None)), "not one to a `judge`");
    not_assessable(&ruled("helper: [x]", label("pass", None)), "not one to a `helper`");
}

#[test]
fn an_errored_trial_is_not_judged_by_anybody() {
    let errored = Transcript { error: Some("quota".to_owned()), ..reply() };
    for yaml in OUTSIDE {
        let matcher = matcher(yaml);
        assert!(matcher.question().unwrap().is_moot(&errored).is_some(), "{yaml}: nobody is asked about it");
        not_assessable(&matcher.judge(&errored), "the agent reported an error");
    }
}

#[test]
fn a_cut_reply_is_judged_by_programs_only() {
    for yaml in OUTSIDE {
        let moot = matcher(yaml).question().unwrap().is_moot(&cut("No ref"));
        assert_eq!(moot.is_some(), !yaml.starts_with("helper"), "{yaml}");
    }
    not_assessable(&matcher("similar: {to: a, min: 0.5}").judge(&cut("")), "cut");
}

#[test]
fn a_program_decides_and_says_why() {
    let outcome = ruled("helper: [python3, checks/refund.py]", verdict(false, Some("it was\nrefunded")));
    assert_eq!((outcome.holds(), outcome.told().as_str()), (Some(false), "it was refunded"));
    let outcome = ruled("helper: [python3, checks/refund.py]", verdict(true, None));
    assert_eq!(
        (outcome.holds(), outcome.told().as_str()),
        (Some(true), "`python3 checks/refund.py` says that it holds")
    );
    assert_eq!(matcher(OUTSIDE[0]).describe(), "python3 checks/refund.py");
}

#[test]
fn a_judge_holds_with_labels_that_pass_and_says_how_sure_it_is() {
    let yaml = "judge: {criteria: It declines., labels: [good, fair, bad], pass: good, accept: [fair]}";
    let of = |name: &str, sure: Option<f64>| ruled(yaml, label(name, sure));
    assert_eq!(
        (of("good", None).holds(), of("fair", None).holds(), of("bad", None).holds()),
        (Some(true), Some(true), Some(false))
    );
    assert_eq!(of("good", Some(0.914)).told(), "the judge says good (sure by 0.91): It says no.");
    assert!(of("fair", None).told().ends_with("(accepted, though not a clear pass)"));
    assert_eq!(matcher(yaml).describe(), "\"It declines.\" is good");
}

#[test]
fn an_unsure_judge_settles_nothing() {
    let yaml = "judge: {criteria: It declines., min_confidence: 0.7}";
    for name in ["pass", "fail"] {
        not_assessable(&ruled(yaml, label(name, Some(0.69))), "sure by 0.69 only, and `min_confidence` is 0.7");
        not_assessable(&ruled(yaml, label(name, None)), "tells no probabilities");
    }
    assert_eq!(ruled(yaml, label("pass", Some(0.7))).holds(), Some(true));
}

#[test]
fn a_similarity_is_compared_and_an_empty_reply_is_similar_to_nothing() {
    let yaml = "similar: {to: It arrives in three days., min: 0.8}";
    let of = |similarity: f64| ruled(yaml, Ok(Ruling::Similarity(similarity)));
    assert_eq!((of(0.8).holds(), of(0.799).holds()), (Some(true), Some(false)));
    assert_eq!(of(0.6123).told(), "the similarity is 0.612, and at least 0.8 is wanted");
    for silent in [Transcript::default(), Transcript::text(" \n")] {
        let matcher = matcher(yaml);
        assert!(matcher.question().unwrap().is_moot(&silent).is_some());
        assert_eq!(finding(matcher.judge(&silent)).reason, "the agent gave no reply");
    }
}

#[test]
fn tools_that_are_not_reported_can_not_be_judged() {
    let matcher = matcher("judge: {criteria: It looks the order up., show_tools: true}");
    assert!(matcher.question().unwrap().is_moot(&Transcript::text("Done.")).is_some());
    not_assessable(&matcher.judge(&Transcript::text("Done.")), "does not report its tool calls");
}

#[test]
fn whatever_can_change_an_answer_makes_another_question_and_thresholds_do_not() {
    let digest = |yaml: &str| matcher(yaml).question().unwrap().digest().to_owned();
    let judge = "judge: {criteria: a, labels: [x, y, z], pass: x}";
    for (one, other) in [
        (judge, "judge: {criteria: b, labels: [x, y, z], pass: x}"),
        (judge, "judge: {criteria: a, labels: [x, z, y], pass: x}"),
        (judge, "judge: {criteria: a, labels: [x, y, z], pass: x, show_tools: true}"),
        ("helper: [a, b]", "helper: [a b]"),
        ("helper: [a]", "helper: {run: [a], mode: lines}"),
        ("helper: [a]", "helper: {run: [a], watch: b}"),
        ("similar: {to: a, min: 0.5}", "similar: {to: b, min: 0.5}"),
    ] {
        assert_ne!(digest(one), digest(other), "{one} {other}");
    }
    for (one, other) in [
        (judge, "judge: {criteria: a, labels: [x, y, z], pass: [y], accept: x, min_confidence: 0.9}"),
        ("helper: [a]", "helper: {run: [a], timeout: 9s}"),
        ("similar: {to: a, min: 0.5}", "similar: {to: a, min: 0.9}"),
        ("judge: a", "judge: {criteria: a, labels: [pass, fail], pass: [pass]}"),
    ] {
        assert_eq!(digest(one), digest(other), "what was paid for is judged anew for free: {one} {other}");
    }
}

#[test]
fn mistakes_are_told_before_anybody_is_asked() {
    for (yaml, told) in [
        ("helper: python3 check.py", "must list a program and its arguments"),
        ("helper: []", "must list a program and its arguments"),
        ("helper: {mode: lines}", "a helper needs `run`"),
        ("helper: {run: [a], mode: line}", "did you mean `lines`?"),
        ("helper: {run: [a], timeout: 0}", "`timeout` must be more than 0"),
        ("helper: {run: [a], stdin: json}", "unknown key `stdin`"),
        ("judge: ''", "`judge` needs criteria in words"),
        ("judge: {labels: [pass, fail]}", "a judge needs `criteria`"),
        ("judge: 'Mentions {{ days }}.'", "`{{ days }}` in the criteria is filled by nobody"),
        ("judge: {criteria: a, labels: [pass]}", "at least two labels"),
        ("judge: {criteria: a, labels: [pass, Pass]}", "`Pass` stands there twice"),
        ("judge: {criteria: a, labels: [good, bad]}", "none of the labels is called `pass`"),
        ("judge: {criteria: a, labels: [good, bad], pass: god}", "did you mean `good`?"),
        ("judge: {criteria: a, pass: [pass, fail]}", "every label passes: this check can't fail"),
        ("judge: {criteria: a, accept: fail}", "every label passes"),
        ("judge: {criteria: a, min_confidence: 70}", "must be a number from 0 to 1"),
        ("judge: {criteria: a, rubric: b}", "unknown key `rubric`"),
        ("similar: It arrives.", "needs a reference and a least similarity"),
        ("similar: {to: It arrives.}", "needs `min`"),
        ("similar: {to: '', min: 0.8}", "is empty"),
        ("similar: {to: a, min: 1.2}", "must be a number from -1 to 1"),
    ] {
        let rendered = refused(yaml);
        assert!(rendered.contains(told), "{told:?} is not in: {rendered}");
    }
    for (yaml, near) in [("llm_rubric: a", "judge"), ("script: [a]", "helper"), ("semantic_similarity: a", "similar")] {
        assert!(refused(yaml).contains(&format!("did you mean `{near}`?")));
    }
}

#[test]
fn a_reference_that_is_a_template_is_a_warning() {
    for to in ["Based on a search for X, these fit.", "Dear {{name}}, it ships.", "Dear <name>, it ships."] {
        let (matcher, rendered) = load(&format!("similar: {{to: '{to}', min: 0.8}}"));
        assert!(matcher.is_some() && rendered.contains("a template, not an answer"), "{to}: {rendered}");
    }
}

#[test]
fn two_judges_that_part_settle_nothing_and_those_that_agree_do() {
    let vote = |judge: &str, label: &str, confidence: Option<f64>| crate::transcript::Vote {
        judge: judge.to_owned(),
        label: label.to_owned(),
        reason: None,
        confidence,
    };
    let of = |yaml: &str, one: &str, other: &str| {
        ruled(yaml, Ok(Ruling::Votes(vec![vote("m-1", one, Some(0.9)), vote("n-2", other, Some(0.6))])))
    };
    assert_eq!(of("judge: x", "pass", "pass").holds(), Some(true));
    assert_eq!(of("judge: x", "fail", "fail").holds(), Some(false));
    not_assessable(&of("judge: x", "pass", "fail"), "the judges disagree: m-1 says pass, n-2 says fail");
    not_assessable(&of("judge: x", "fail", "pass"), "the judges disagree");
    // Two labels that both let it pass do not part on whether it passes.
    let graded = "judge: {criteria: x, labels: [good, fair, bad], pass: good, accept: [fair]}";
    assert_eq!(of(graded, "good", "fair").holds(), Some(true));
    not_assessable(&of(graded, "fair", "bad"), "the judges disagree");
    // Each must be sure enough.
    not_assessable(
        &of("judge: {criteria: x, min_confidence: 0.7}", "pass", "pass"),
        "n-2 says pass, but it is sure by 0.60",
    );
    assert_eq!(of("judge: {criteria: x, min_confidence: 0.5}", "pass", "pass").holds(), Some(true));
}
