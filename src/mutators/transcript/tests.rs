use proptest::prelude::*;
use serde_json::json;

use super::*;

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { name: name.to_owned(), arguments, result: Value::Null, error: None, turn: 0, malformed: false }
}

fn transcript() -> Transcript {
    let Value::Object(fields) = json!({"status": "open", "order": {"id": 7}}) else { unreachable!() };
    Transcript {
        tool_calls: Some(vec![
            call("get_order", json!({"order_id": 4021, "with": {"lines": "12"}})),
            call("send", json!({})),
        ]),
        fields,
        ..Transcript::text("Your table came 45 days ago. We can refund within 30 days, not after 30 days.")
    }
}

fn of(mutator: &str) -> Vec<Mutant> {
    let tools = ["get_order".to_owned(), "create_refund".to_owned()];
    let add = [call("create_refund", json!({"order_id": 4021}))];
    let fields = ["/status".to_owned(), "/order/id".to_owned()];
    let targets = Targets { tools: &tools, add: &add, fields: &fields };
    mutants(&transcript(), &targets).into_iter().filter(|mutant| mutant.mutator == mutator).collect()
}

#[test]
fn every_mutator_makes_mutants_and_none_leaves_the_transcript_as_it_is() {
    for name in NAMES {
        let made = of(name);
        assert!(!made.is_empty(), "{name}");
        assert!(made.iter().all(|mutant| mutant.transcript != transcript() && mutant.before != mutant.after), "{name}");
    }
}

#[test]
fn a_number_is_changed_wherever_it_stands() {
    let replies: Vec<String> = of("change-number").into_iter().filter_map(|mutant| mutant.transcript.reply).collect();
    assert_eq!(
        replies,
        [
            "Your table came 46 days ago. We can refund within 30 days, not after 30 days.",
            "Your table came 45 days ago. We can refund within 31 days, not after 31 days.",
        ]
    );
    assert_eq!(other_last("1,999"), "1,998");
    let spans = numbers("$1,000.50, 3. and 10x");
    assert_eq!(spans.len(), 3);
}

fn other_last(number: &str) -> String {
    super::reply::other_number(number)
}

#[test]
fn a_sentence_is_negated_once() {
    let afters: Vec<String> = of("negate-sentence").into_iter().map(|mutant| mutant.after).collect();
    assert_eq!(afters, ["We cannot refund within 30 days, not after 30 days."]);
    let said = Transcript::text("I can't do that. Won’t work. We'll see.");
    let afters: Vec<String> = mutants(&said, &Targets::default())
        .into_iter()
        .filter(|mutant| mutant.mutator == "negate-sentence")
        .map(|mutant| mutant.after)
        .collect();
    assert_eq!(afters, ["I can do that."]);
}

#[test]
fn arguments_change_value_type_and_presence_at_every_depth() {
    let altered: Vec<Value> =
        ["argument-number", "argument-other", "argument-type", "argument-missing", "argument-extra"]
            .into_iter()
            .flat_map(of)
            .map(|mutant| mutant.transcript.tool_calls.unwrap_or_default()[0].arguments.clone())
            .collect();
    for wanted in [
        json!({"order_id": 4022, "with": {"lines": "12"}}),
        json!({"order_id": "4021", "with": {"lines": "12"}}),
        json!({"with": {"lines": "12"}}),
        json!({"order_id": 4021, "with": {"lines": "13"}}),
        json!({"order_id": 4021, "with": {"lines": 12}}),
        json!({"order_id": 4021, "with": {}}),
        json!({"order_id": 4021, "with": {"lines": "12"}, "unexpected": true}),
    ] {
        assert!(altered.contains(&wanted), "{wanted} is not in {altered:?}");
    }
}

#[test]
fn turns_stay_where_they_were_when_calls_change_places() {
    let mut parallel = transcript();
    for (call, turn) in parallel.tool_calls.iter_mut().flatten().zip(1..) {
        call.turn = turn;
    }
    let swapped = mutants(&parallel, &Targets::default()).into_iter().find(|mutant| mutant.mutator == "reorder-calls");
    let calls = swapped.and_then(|mutant| mutant.transcript.tool_calls).unwrap_or_default();
    let seen: Vec<(&str, u32)> = calls.iter().map(|call| (call.name.as_str(), call.turn)).collect();
    assert_eq!(seen, [("send", 1), ("get_order", 2)]);
}

#[test]
fn an_agent_that_reports_no_calls_has_no_mutants_of_calls() {
    let made = mutants(&Transcript::text("Done."), &Targets::default());
    assert!(made.iter().all(|mutant| mutant.transcript.tool_calls.is_none()), "{made:?}");
}

#[test]
fn the_embedded_probes_can_be_read_and_silence_comes_first() {
    let probes = Probes::embedded();
    assert_eq!(probes.probes[0].means, Means::Silence);
    assert!(probes.probes.iter().any(|probe| probe.calls == Some(CallsOf::EveryTool)));
    assert!(!probes.neutral.is_empty());
    assert_eq!(probes.negated("Refund").as_deref(), Some("I cannot refund it."));
    assert_eq!(probes.longer_word("refund"), Some("non-refundable"));
    assert_eq!(probes.longer_numbers("10", false), ["110", "100", "10,000", "10.5"]);
    assert_eq!(probes.longer_numbers("10", true), ["110", "100"]);
    assert!(probes.negates("Never refund.") && !probes.negates("Refund it now."));
    assert_eq!(probes.passing_mentions("5").len(), 1);
    assert!(probes.passing_mentions("4021").is_empty());
    assert!(probes.auxiliaries().iter().all(|forms| forms.len() > 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    #[test]
    fn no_transcript_makes_a_mutator_panic_or_return_it_unchanged(
        reply in prop_oneof!["[a-zA-Z’'0-9.,!? \\n]{0,80}", any::<String>()],
        name in "[a-z]{0,6}",
        argument in any::<String>(),
        number in any::<i64>(),
    ) {
        let made = vec![call(&name, json!({"a": argument, "b/c": number, "~": [number, null]})), call("other", json!(argument))];
        let said = Transcript { tool_calls: Some(made), ..Transcript::text(reply) };
        for mutant in mutants(&said, &Targets { tools: &[name], ..Targets::default() }) {
            prop_assert!(NAMES.contains(&mutant.mutator));
            prop_assert!(mutant.transcript != said);
        }
    }
}
