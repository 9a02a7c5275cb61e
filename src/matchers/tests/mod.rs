//! Tests of the matchers as a suite uses them: made from YAML, asked about transcripts.

mod affirm;
mod cut;
mod extract;
mod fields;
mod known_mistakes;
mod load;
mod numbers;
mod outside;
mod reply;
mod scale;
mod silence;
mod text;
mod tools;

use serde_json::Value;

use super::*;
use crate::source::{SourceFile, parse_documents};
use crate::transcript::ToolCall;

/// What loading `kind: value` gives, with every diagnostic as text.
fn load(yaml: &str) -> (Option<Box<dyn Matcher>>, String) {
    let file = SourceFile::new("case.yaml", yaml);
    let mut diagnostics = Diagnostics::default();
    let documents = parse_documents(&file, &mut diagnostics);
    let (kind, value) = &documents[0].mapping().expect("a mapping")[0];
    let matcher = parse(kind, value, &mut diagnostics);
    let errors = diagnostics.errors();
    let rendered = diagnostics.render(false);
    assert_eq!(matcher.is_none(), errors > 0, "a matcher or an error: {rendered}");
    (matcher, rendered)
}

fn matcher(yaml: &str) -> Box<dyn Matcher> {
    let (matcher, rendered) = load(yaml);
    assert_eq!(rendered, "", "no diagnostics are expected");
    matcher.expect("a matcher")
}

/// The diagnostics of a value that is refused.
fn refused(yaml: &str) -> String {
    let (matcher, rendered) = load(yaml);
    assert!(matcher.is_none(), "{yaml} was accepted");
    rendered
}

fn judge(yaml: &str, reply: &str) -> Outcome {
    matcher(yaml).judge(&Transcript::text(reply))
}

fn holds(yaml: &str, reply: &str) -> bool {
    judge(yaml, reply).holds().expect("a whole reply settles it")
}

fn finding(outcome: Outcome) -> Finding {
    match outcome {
        Outcome::Holds(finding) | Outcome::Fails(finding) => finding,
        Outcome::NotAssessable(why) => panic!("not assessable: {why}"),
    }
}

/// `reply_mentions` of one needle.
fn mentions(needle: &str, reply: &str) -> bool {
    holds(&format!("reply_mentions: {}", Value::from(needle)), reply)
}

fn cut(reply: &str) -> Transcript {
    Transcript { truncated: true, ..Transcript::text(reply) }
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { name: name.to_owned(), arguments, result: Value::Null, error: None, turn: 0, malformed: false }
}

fn calls(calls: Vec<ToolCall>) -> Transcript {
    Transcript { reply: Some("Done.".to_owned()), tool_calls: Some(calls), ..Transcript::default() }
}
