use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::source::{SourceFile, parse_documents};
use crate::suite::schema;

fn case_schema() -> Value {
    let kinds = KINDS.iter().map(|kind| (*kind, "A check.", json!({})));
    schema::case(schema::expect_of(kinds))
}

fn suite_schema() -> Value {
    let command = json!({"type": "object", "$defs": {"Env": {"type": "string"}},
        "properties": {"program": {"$ref": "#/$defs/Env"}}, "additionalProperties": false});
    let agent = schema::agent_of([("command", command), ("scripted", json!({"type": "object"}))]);
    schema::suite(agent, json!({"type": "object"}))
}

fn faults(schema: &Value, text: &str) -> Vec<String> {
    let mut diagnostics = Diagnostics::default();
    let nodes = parse_documents(&SourceFile::new("x.yaml", text), &mut diagnostics);
    assert_eq!(diagnostics.render(false), "");
    let validator = jsonschema::validator_for(schema).unwrap();
    validator.iter_errors(&nodes[0].to_value()).map(|error| error.to_string()).collect()
}

/// What the decoder itself lists when it meets a key that looks like no other.
fn known_keys(folder: &Folder, what: &str) -> BTreeSet<String> {
    let loaded = folder.load();
    let message = format!("unknown key `@@@@` in {what}");
    let item = loaded.diagnostics.iter().find(|item| item.message == message).expect(what);
    let listed = item.help[0].strip_prefix("known keys: ").unwrap();
    listed.split(", ").map(str::to_owned).collect()
}

fn schema_keys(schema: &Value) -> BTreeSet<String> {
    assert_eq!(schema["additionalProperties"], false);
    schema["properties"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn decoder_and_schema_know_the_same_keys() {
    let case = Folder::good().with(
        "cases/refund.yaml",
        "id: a\ninput: Hi\n'@@@@': 1\nrule: {quote: x, '@@@@': 1}\nconversation: [{role: user, content: x, '@@@@': 1}]\nexpect: {field: {}}\n",
    );
    let schema = case_schema();
    let definitions = &schema["$defs"];
    assert_eq!(known_keys(&case, "a case"), schema_keys(&definitions["CaseDocument"]));
    assert_eq!(known_keys(&case, "a rule"), schema_keys(&definitions["WholeRule"]));
    assert_eq!(known_keys(&case, "a turn"), schema_keys(&definitions["TurnDocument"]));

    let config = Folder::good().with(
        "mutate.yaml",
        format!(
            "{CONFIG}'@@@@': 1\nlimits: {{'@@@@': 1}}\ndesign: {{'@@@@': 1}}\ngates: {{'@@@@': 1}}\naccepted: [{{id: x, reason: x, '@@@@': 1}}]\nprices: {{m: {{input_per_million: 1, output_per_million: 1, '@@@@': 1}}}}\n"
        ),
    );
    let schema = suite_schema();
    let definitions = &schema["$defs"];
    assert_eq!(known_keys(&config, "mutate.yaml"), schema_keys(&schema));
    for (what, definition) in [
        ("`limits`", "LimitsDocument"),
        ("`design`", "DesignDocument"),
        ("`gates`", "GatesDocument"),
        ("an accepted finding", "AcceptedDocument"),
        ("a price", "PriceDocument"),
    ] {
        assert_eq!(known_keys(&config, what), schema_keys(&definitions[definition]), "{what}");
    }
}

#[test]
fn what_loads_is_valid_under_the_schema() {
    let case = case_schema();
    for text in [
        CASE,
        super::cases::WHOLE,
        "- {id: 010, input: no, rule: Never refund., expect: [{reply_mentions: [x]}, {reply_mentions: [y]}]}",
        "cases: [{id: a, prompt: Hi, runs: 3, pass_if: 4, expect_status: open}]",
    ] {
        assert_eq!(faults(&case, text), [""; 0], "{text}");
    }
    assert_eq!(faults(&suite_schema(), CONFIG), [""; 0]);
    assert_eq!(
        faults(
            &suite_schema(),
            &super::config::WHOLE
                .replace("chat:", "command:")
                .replace("{key:", "{program:")
                .replace("{command: \"run ${UNSET}\"}", "{scripted: {}}")
        ),
        [""; 0]
    );
}

#[test]
fn what_does_not_load_is_not_valid_under_the_schema() {
    let case = case_schema();
    for text in [
        "id: a",
        "input: Hi",
        "{id: a, input: Hi, expect: {}}",
        "{id: a, input: Hi, expect: []}",
        "{id: a, input: Hi, expect: }",
        "{id: a, input: , expect: {field: x}}",
        "{id: a, input: Hi, expect: {reply_mention: x}}",
        "{id: a, input: Hi, expect: [{reply_mentions: x, field: y}]}",
        "{id: a, input: Hi, runs: 0, expect: {field: x}}",
        "{id: a, input: Hi, provenence: x, expect: {field: x}}",
        "{id: a, input: Hi, rule: {line: 3}, expect: {field: x}}",
        "[1]",
    ] {
        assert!(!faults(&case, text).is_empty(), "{text}");
    }
    let suite = suite_schema();
    for text in [
        "agents: {}",
        "agents: {a: {command: {program: 1}}}",
        "agents: {a: {command: {}, scripted: {}}}",
        "{agents: {a: {command: {}}}, limits: {jobs: 0}}",
        "{agents: {a: {command: {}}}, design: {alpha: 0.6}}",
        "{agents: {a: {command: {}}}, gates: {rules: [unproven]}}",
    ] {
        assert!(!faults(&suite, text).is_empty(), "{text}");
    }
}

#[test]
fn parts_of_other_folders_keep_their_definitions_apart() {
    let part = |kind: &str| json!({"$defs": {"X": {"type": kind}}, "$ref": "#/$defs/X"});
    let schema = schema::case(schema::expect_of([("a", "", part("string")), ("b", "", part("number"))]));
    assert_eq!(faults(&schema, "{id: a, input: Hi, expect: {a: text, b: 1}}"), [""; 0]);
    assert!(!faults(&schema, "{id: a, input: Hi, expect: {a: 1}}").is_empty());
    assert!(!faults(&schema, "{id: a, input: Hi, expect: {b: text}}").is_empty());
}
