use super::*;

fn checks_of(text: &str) -> Vec<String> {
    checks(&cases_of("cases/x.yaml", &format!("id: a\n{text}\n"))[0])
}

#[test]
fn golden_cases_are_translated() {
    let text = "input: Hi\nmust_call: [get_order]\nforbid_call: [create_refund]\nexpect_contains_any: [a, b]\nexpect_status: open\nexpect_count: 3";
    assert_eq!(
        checks_of(text),
        [
            r#"tool_called ["get_order"]"#,
            r#"no_tool_called ["create_refund"]"#,
            r#"reply_mentions_any ["a","b"]"#,
            r#"field {"path":"status","equals":"open"}"#,
            r#"field#2 {"path":"count","equals":3}"#,
        ]
    );
    assert_eq!(checks_of("input: Hi\nexpect: {must_call: [t]}"), [r#"tool_called ["t"]"#]);
}

#[test]
fn an_expected_answer_is_compared_as_its_grader_says() {
    assert_eq!(checks_of("question: Hi\nexpected: no\ngrader: exact_match"), [r#"reply_equals "no""#]);
    assert_eq!(checks_of("input: Hi\nexpected: 206\ngrader: contains"), [r#"reply_mentions 206"#]);
    let of = |text: &str| case_mistakes(&format!("id: a\ninput: Hi\n{text}\n"));
    assert_eq!(of("expected: x"), ["cases/refund.yaml:3:1: `expected` does not say how it is compared"]);
    assert_eq!(of("grader: contains"), ["cases/refund.yaml:3:1: `grader` has nothing to compare with"]);
    assert_eq!(of("expected: x\ngrader: semantic"), ["cases/refund.yaml:4:9: the grader `semantic` is not known here"]);
}

#[test]
fn prompts_with_demands_are_translated() {
    assert_eq!(
        checks_of("prompt: Hi\nexpected_tool: get_order\nmust_have: [30 days]\nmust_not_have: refunded"),
        [r#"tool_called "get_order""#, r#"reply_mentions ["30 days"]"#, r#"reply_does_not_mention "refunded""#]
    );
}

#[test]
fn labels_are_translated() {
    assert_eq!(checks_of("input: Hi\nlabel: refund"), [r#"reply_equals "refund""#]);
    assert_eq!(checks_of("input: Hi\naccept: [a, b]"), [r#"reply_mentions_any ["a","b"]"#]);
    assert_eq!(checks_of("input: Hi\nlabel: a\naccept: b"), [r#"reply_mentions_any ["a","b"]"#]);
}

#[test]
fn what_code_can_not_decide_is_a_warning_and_a_note() {
    let text = "- {id: a, input: Hi, must_have: x, criteria: be kind, notes: n}\n- {id: b, input: Hi, must_have: x, criteria: [be, brief]}\n";
    let loaded = Folder::good().with("cases/refund.yaml", text).load();
    assert_eq!(
        mistakes(&loaded),
        ["cases/refund.yaml:1:36: `criteria` is not scored (and of 1 further case in this file)"]
    );
    let cases = loaded.suite.unwrap().cases;
    assert_eq!(cases[0].notes.as_deref(), Some("n\ncriteria: be kind"));
    assert_eq!(cases[1].notes.as_deref(), Some(r#"criteria: ["be","brief"]"#));
}

#[test]
fn a_case_with_nothing_but_criteria_can_not_fail() {
    let folder = Folder::good().with("cases/refund.yaml", "id: a\ninput: Hi\nreference: be kind\n");
    assert_eq!(folder.mistakes(), ["cases/refund.yaml:1:5: case `a` has no check: it can't fail"]);
    assert!(folder.rendered().contains("`reference` is a note: code can't decide it"), "{}", folder.rendered());
}

#[test]
fn two_spellings_of_one_thing_are_an_error() {
    let of = |text: &str| case_mistakes(&format!("id: a\n{text}\n"));
    assert_eq!(
        of("input: Hi\nprompt: Hi\nmust_have: x"),
        ["cases/refund.yaml:3:1: `input` and `prompt` are two spellings of one thing"]
    );
    assert_eq!(
        of("input: Hi\nmust_call: [t]\nexpect: {tool_called: [t]}"),
        ["cases/refund.yaml:3:1: `tool_called` and `must_call` are two spellings of one check"]
    );
    assert_eq!(
        of("input: Hi\nmust_have: x\nexpected: y\ngrader: contains"),
        ["cases/refund.yaml:3:1: `expected` and `must_have` are two spellings of one check"]
    );
}
