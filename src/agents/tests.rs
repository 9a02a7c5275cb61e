use super::testing::read_text;
use super::*;
use crate::source::{SourceFile, parse_documents};

/// One agent of each kind that uses every key.
const FULL: [&str; 5] = [
    "scripted: {model: s-1, latency: 5ms, canary: ignores, usage: {input_tokens: 4, output_tokens: 2}, \
     reports_tools: true, habits: [{when: /x/i, rule: [a, b], inverted: c, with: {reply: a, latency: 1ms, fields: {k: 1}, \
     tool_calls: [{name: get, arguments: {a: 1}, result: {}, error: e, turn: 1}]}, without: [{p: 0.5, reply: b}, \
     {fault: hang}], opposed: {reply: c}, bare: {reply: d}}], otherwise: [{p: 1, reply: e}]}",
    "command: [echo, '{input}']",
    "command: {run: [echo], stdin: json, timeout: 3s, env: {A: b}, cwd: temp, reply: json}",
    "chat: {base_url: 'http://h/v1', model: m, api_key: k, temperature: 0, max_tokens: 10, seed: false, extra: {top_p: 1}, \
     headers: {X-A: b}, tools: [{name: a, description: b, parameters: {type: object}, strict: true}], \
     tool_results: {a: 'x'}, max_turns: 3, timeout: 2m}",
    "chat: {base_url: 'https://h/v1', model: m}",
];

#[test]
fn what_is_read_is_what_the_schemas_allow() {
    let schemas = schemas();
    for yaml in FULL {
        let (agent, messages) = read_text(yaml);
        assert!(agent.is_some(), "{yaml}: {messages}");
        let mut diagnostics = Diagnostics::default();
        let node = parse_documents(&SourceFile::new("x", yaml), &mut diagnostics).remove(0);
        let (kind, node) = &node.mapping().unwrap()[0];
        let (_, schema) = schemas.iter().find(|(name, _)| Some(*name) == kind.text()).unwrap();
        let validator = jsonschema::validator_for(schema.as_value()).unwrap();
        let mistakes: Vec<String> = validator.iter_errors(&node.to_value()).map(|error| error.to_string()).collect();
        assert!(mistakes.is_empty(), "{yaml}: {mistakes:?}");
        let mut wrong = node.to_value();
        if let Some(map) = wrong.as_object_mut() {
            map.insert("unknown".to_owned(), 1.into());
            assert!(!validator.is_valid(&wrong), "{yaml}");
        }
    }
}

#[test]
fn settings_are_stable_and_tell_agents_apart() {
    let settings: Vec<String> = FULL.iter().map(|yaml| read_text(yaml).0.unwrap().settings().to_string()).collect();
    for (at, one) in settings.iter().enumerate() {
        assert_eq!(one, &read_text(FULL[at]).0.unwrap().settings().to_string());
        assert!(settings[at + 1..].iter().all(|other| other != one));
    }
}

#[test]
fn no_input_makes_a_reader_panic() {
    let values = ["", "~", "x", "1", "[]", "{}", "[[]]", "{a: b}", "[1, {a: [~]}]", "true", "'/(/'", "-1", "1e999"];
    let keys = [
        "model",
        "latency",
        "canary",
        "usage",
        "habits",
        "otherwise",
        "run",
        "stdin",
        "timeout",
        "env",
        "cwd",
        "reply",
        "base_url",
        "api_key",
        "temperature",
        "max_tokens",
        "seed",
        "extra",
        "headers",
        "tools",
        "tool_results",
        "max_turns",
    ];
    for kind in ["scripted", "command", "chat"] {
        for value in values {
            read_text(&format!("{kind}: {value}"));
            for key in keys {
                read_text(&format!("{kind}: {{{key}: {value}}}"));
            }
            for key in ["when", "rule", "with", "without", "inverted", "opposed", "bare"] {
                read_text(&format!("{kind}: {{habits: [{{{key}: {value}}}]}}"));
            }
            for key in ["p", "reply", "tool_calls", "fields", "fault", "latency"] {
                read_text(&format!("{kind}: {{otherwise: [{{{key}: {value}}}]}}"));
            }
        }
    }
}
