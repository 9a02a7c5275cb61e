//! A program that decides: `helper`.

use std::sync::Arc;

use serde_json::json;

use super::external::{Ask, Mode, Program, Question};
use super::kinds::{Kind, Part};
use super::view::View;
use super::{Finding, Matcher, Outcome, shortened};
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::Ruling;

/// A program says whether it holds.
#[derive(Debug)]
struct Helper {
    question: Arc<Question>,
    shown: String,
}

pub const HELPER: Kind = Kind {
    name: "helper",
    summary: "A program of yours decides: it gets the transcript as JSON on standard input.",
    aliases: &["script", "python", "javascript", "external", "exec", "command"],
    negative: false,
    reads: Part::Reply,
    schema: || {
        let run = json!({"type": "array", "minItems": 1, "items": {"type": "string"},
            "description": "The program and its arguments, from the suite's folder; no shell is involved."});
        json!({"anyOf": [run, {"type": "object", "required": ["run"], "additionalProperties": false, "properties": {
            "run": run,
            "mode": {"enum": ["once", "lines"], "default": "once", "description":
                "`once`: a start a transcript; exit 0 holds, 1 fails, anything else is an error; a JSON object with \
                 `reason` on the last line of stdout says why. `lines`: one start for all; a transcript a line in, \
                 `{\"holds\": true, \"reason\": \"…\"}` a line out."},
            "timeout": {"type": ["string", "number"], "description": "For one transcript: `5`, `500ms`, `2m`; in place of `limits.timeout`."},
            "watch": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}], "description":
                "Further files that it is made of: names or globs. When one is edited, it is asked anew."}}}]})
    },
    parse: |name, value, diagnostics| {
        let program = parse_program(name, value, diagnostics)?;
        let shown = shortened(&program.run.join(" "), 60);
        Some(Box::new(Helper { question: Arc::new(Question::new(Ask::Program(program))), shown }))
    },
};

fn parse_program(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Program> {
    let errors = diagnostics.errors();
    let mut program = Program { run: vec![], mode: Mode::Once, watch: vec![], timeout: None };
    if value.mapping().is_none() {
        program.run = parse_run(kind, value, diagnostics)?;
        return Some(program);
    }
    let mut fields = Fields::of("a helper", value, diagnostics)?;
    let run = fields.required("run", diagnostics);
    program.run = run.and_then(|run| parse_run("run", run, diagnostics)).unwrap_or_default();
    if fields.choice("mode", &["once", "lines"], diagnostics) == Some("lines") {
        program.mode = Mode::Lines;
    }
    let place = value.get("timeout").map(|node| node.place.clone());
    program.timeout = fields.seconds("timeout", diagnostics);
    if let (Some(true), Some(place)) = (program.timeout.map(|timeout| timeout.is_zero()), place) {
        diagnostics.error(&place, "`timeout` must be more than 0");
    }
    program.watch = fields.texts("watch", diagnostics).unwrap_or_default();
    fields.finish(diagnostics);
    (diagnostics.errors() == errors).then_some(program)
}

fn parse_run(key: &str, node: &Node, diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
    let words: Option<Vec<String>> = node
        .sequence()
        .map(|items| items.iter().map(|item| item.text().map(str::to_owned)).collect::<Option<_>>())
        .unwrap_or_default();
    match words {
        Some(words) if words.first().is_some_and(|program| !program.trim().is_empty()) => Some(words),
        _ => {
            let message = format!("`{key}` must list a program and its arguments, but this is {}", node.describe());
            let error = diagnostics.error(&node.place, message);
            error.help.push("write each word for itself: `[python3, checks/refund.py]`".to_owned());
            None
        }
    }
}

impl Matcher for Helper {
    fn kind(&self) -> &'static str {
        HELPER.name
    }

    fn describe(&self) -> String {
        self.shown.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let (holds, reason) = match self.question.ruling(transcript) {
            Ok(Ruling::Verdict { holds, reason }) => (*holds, reason),
            Ok(_) => return self.question.beside_the_point(),
            Err(outcome) => return outcome,
        };
        let said = reason.as_deref().map(|reason| shortened(reason, 300)).filter(|reason| !reason.is_empty());
        let finding = Finding::because(
            said.unwrap_or_else(|| format!("`{}` says that it {}", self.shown, if holds { "holds" } else { "fails" })),
        );
        if holds { Outcome::Holds(finding) } else { Outcome::Fails(finding) }
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn question(&self) -> Option<&Arc<Question>> {
        Some(&self.question)
    }
}
