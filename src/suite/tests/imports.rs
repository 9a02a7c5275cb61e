use super::*;
use crate::transcript::Transcript;

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

/// What the real checks of a case say of a reply.
fn verdicts(checks: &str, reply: &str) -> Vec<Option<bool>> {
    let folder = Folder::good().with("cases/refund.yaml", format!("id: a\ninput: Hi\n{checks}\n"));
    let loaded = crate::suite::load(folder.dir.path(), &|_| None);
    let suite = loaded.suite.unwrap_or_else(|| panic!("{}", loaded.diagnostics.render(false)));
    let transcript = Transcript { tool_calls: Some(vec![]), ..Transcript::text(reply) };
    suite.cases[0].expect.iter().map(|one| one.matcher.judge(&transcript).holds()).collect()
}

#[test]
fn every_type_of_assert_turns_round_with_not_before_it() {
    // Type and value, a reply on which it holds, one on which it fails.
    for (kind, value, yes, no) in [
        ("equals", "Hi", "Hi", "Good morning"),
        ("equals", "''", "", "Hi"),
        ("contains", "day", "within days", "within DAYS"),
        ("icontains", "DAY", "within days", "within hours"),
        ("contains-any", "[day, hour]", "hours", "weeks"),
        ("icontains-any", "'day, hour'", "HOUR", "weeks"),
        ("starts-with", "Hello", "Hello you", "Oh, Hello"),
        ("regex", "'^V-\\d+$'", "V-12", "V-x"),
    ] {
        let plain = format!("assert: [{{type: {kind}, value: {value}}}]");
        let not = format!("assert: [{{type: not-{kind}, value: {value}}}]");
        assert_eq!((verdicts(&plain, yes), verdicts(&plain, no)), (vec![Some(true)], vec![Some(false)]), "{kind}");
        assert_eq!((verdicts(&not, yes), verdicts(&not, no)), (vec![Some(false)], vec![Some(true)]), "not-{kind}");
    }
    assert_eq!(verdicts("assert: [{type: contains-all, value: [a, b]}]", "xaby"), [Some(true)]);
    assert_eq!(verdicts("assert: [{type: contains-all, value: [a, b]}]", "xay"), [Some(false)]);
    assert_eq!(verdicts("assert: [{type: is-json}]", "{\"ok\": true} or so"), [Some(false)]);
    let schema = "assert: [{type: contains-json, value: {type: object, required: [ok]}}]";
    assert_eq!(verdicts(schema, "So:\n{\"ok\": true}"), [Some(true)]);
    assert_eq!(verdicts(schema, "So:\n{\"no\": true}"), [Some(false)]);
}

#[test]
fn an_assert_of_a_type_that_is_not_known_is_told_with_its_line_and_never_passes() {
    let script = "{type: not-python, value: \"return {'pass': True, 'score': 1}\"}";
    let folder = Folder::good().with("cases/refund.yaml", format!("id: a\ninput: Hi\nassert:\n  - {script}\n"));
    let told = folder.mistakes();
    assert_eq!(
        told,
        [
            "cases/refund.yaml:4:12: `not-python` is not supported, and not scored",
            "cases/refund.yaml:1:5: case `a` has no check: it can't fail"
        ]
    );
    let both = format!("id: a\ninput: Hi\nassert:\n  - {script}\n  - {{type: contains, value: x}}\n");
    let loaded = Folder::good().with("cases/refund.yaml", both).load();
    assert_eq!(mistakes(&loaded), ["cases/refund.yaml:4:12: `not-python` is not supported, and not scored"]);
    let case = &loaded.suite.unwrap().cases[0];
    assert_eq!((case.expect.len(), case.notes.as_deref().unwrap().starts_with("assert not-python")), (1, true));
    // Opposites that can't be said are not scored either, rather than read as something else.
    for kind in ["not-is-json", "not-contains-all", "llm-rubric", "not-similar"] {
        let text = format!("id: a\ninput: Hi\nassert: [{{type: {kind}, value: x}}]\n");
        assert!(case_mistakes(&text).iter().any(|one| one.contains(&format!("`{kind}` is not supported"))), "{kind}");
    }
}

const ACTIONS: &str =
    "actions: [{action_id: a1, name: handoff, arguments: {summary: x, team: b}, compare_args: COMPARED}]";

#[test]
fn actions_are_checks_only_where_the_task_counts_them() {
    let of = |compared: &str, basis: &str| {
        let actions = ACTIONS.replace("COMPARED", compared);
        format!(
            "id: a\ninput: Hi\nexpect: {{reply_mentions: ok}}\nevaluation_criteria:\n  {actions}\n  reward_basis: {basis}\n"
        )
    };
    let loaded = Folder::good().with("cases/refund.yaml", of("[summary]", "[DB]")).load();
    assert_eq!(
        mistakes(&loaded),
        ["cases/refund.yaml:5:12: these `actions` are a reference and no checks: `reward_basis` has no `ACTION`"]
    );
    let case = &loaded.suite.unwrap().cases[0];
    assert_eq!(checks(case), [r#"reply_mentions "ok""#]);
    assert!(case.notes.as_deref().unwrap().starts_with("actions: [{"), "{:?}", case.notes);
    for (compared, call) in [
        ("[summary]", r#"{"name":"handoff","arguments":{"summary":"x"}}"#),
        ("[]", r#""handoff""#),
        ("", r#"{"name":"handoff","arguments":{"summary":"x","team":"b"}}"#),
    ] {
        let cases = cases_of("cases/x.yaml", &of(compared, "[DB, ACTION]"));
        assert_eq!(checks(&cases[0]), [r#"reply_mentions "ok""#.to_owned(), format!("tool_called [{call}]")]);
    }
    assert_eq!(
        verdicts(
            "evaluation_criteria: {actions: [{name: handoff, arguments: {a: 1}, compare_args: []}], reward_basis: [ACTION]}",
            "Bye."
        ),
        [Some(false)]
    );
}

#[test]
fn what_must_be_told_counts_unless_the_task_says_that_it_does_not() {
    let of = |basis: &str| format!("evaluation_criteria: {{communicate_info: [\"10\"]{basis}}}");
    assert_eq!(verdicts(&of(""), "It is 10."), [Some(true)]);
    assert_eq!(verdicts(&of(", reward_basis: [COMMUNICATE]"), "It is 100."), [Some(false)]);
    let told = case_mistakes(&format!("id: a\ninput: Hi\n{}\n", of(", reward_basis: [DB], nl_assertions: [be kind]")));
    assert!(told.iter().any(|one| one.contains("this `communicate_info` is no check")), "{told:?}");
    assert!(told.iter().any(|one| one.contains("`nl_assertions` are not scored")), "{told:?}");
    let customer = "evaluation_criteria: {actions: [{name: pay, requestor: user}], reward_basis: [ACTION]}";
    let told = case_mistakes(&format!("id: a\ninput: Hi\n{customer}\n"));
    assert!(told.iter().any(|one| one.contains("not the agent's, and not scored")), "{told:?}");
}
