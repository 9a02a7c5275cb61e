//! A reply that means about the same as a reference, by embeddings: `similar`.

use std::sync::Arc;

use serde_json::json;

use super::external::{Ask, Question};
use super::kinds::{Kind, Part};
use super::needle::plain_text;
use super::template::unfilled;
use super::view::View;
use super::{Finding, Matcher, NO_REPLY, Outcome, quote, shortened};
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::Ruling;

/// The cosine of the reply and a reference is high enough.
#[derive(Debug)]
struct Similar {
    question: Arc<Question>,
    to: String,
    min: f64,
}

pub const SIMILAR: Kind = Kind {
    name: "similar",
    summary: "The reply is similar to a reference, by the cosine of their embeddings. It hardly sees a \"not\" or a number.",
    aliases: &["similarity", "semantic_similarity", "embedding_similarity", "cosine"],
    negative: false,
    reads: Part::Reply,
    schema: || {
        json!({"type": "object", "required": ["to", "min"], "additionalProperties": false, "properties": {
            "to": {"type": "string", "description": "The reference."},
            "min": {"type": "number", "minimum": -1, "maximum": 1, "description": "The least cosine with which it holds. What is high depends on the model: look at the figures of replies that are right and wrong."}}})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_similar(name, value, diagnostics)?)),
};

fn parse_similar(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Similar> {
    let errors = diagnostics.errors();
    if value.mapping().is_none() {
        let error = diagnostics.error(&value.place, format!("`{kind}` needs a reference and a least similarity"));
        error.help.push("for example `similar: {to: \"It arrives in three days.\", min: 0.8}`".to_owned());
        return None;
    }
    let mut fields = Fields::of("`similar`", value, diagnostics)?;
    let node = fields.required("to", diagnostics);
    let to = node.and_then(|node| plain_text("to", node, diagnostics)).map(str::to_owned);
    if let (Some(node), Some(text)) = (node, &to) {
        if text.trim().is_empty() {
            diagnostics.error(&node.place, "`to` is empty: nothing is similar to it");
        } else if let Some(part) = unfilled(text) {
            let warning = diagnostics.warning(&node.place, format!("`{part}` stands in this reference as it is"));
            warning.label = "a template, not an answer".to_owned();
            warning.help.push("write what a right reply says: no reply is meant to hold this".to_owned());
        }
    }
    let min = match fields.get("min") {
        Some(_) => fields.number("min", -1.0, 1.0, diagnostics),
        None => {
            fields.required("min", diagnostics);
            None
        }
    };
    fields.finish(diagnostics);
    if diagnostics.errors() > errors {
        return None;
    }
    let (to, min) = (to?, min?);
    Some(Similar { question: Arc::new(Question::new(Ask::Similar(to.clone()))), to, min })
}

impl Matcher for Similar {
    fn kind(&self) -> &'static str {
        SIMILAR.name
    }

    fn describe(&self) -> String {
        format!("{} at least {}", quote(&shortened(&self.to, 50)), self.min)
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let reply = transcript.reply.as_deref().unwrap_or_default();
        if reply.trim().is_empty() && !transcript.truncated {
            return Outcome::Fails(Finding::because(NO_REPLY));
        }
        let similarity = match self.question.ruling(transcript) {
            Ok(Ruling::Similarity(similarity)) => *similarity,
            Ok(_) => return self.question.beside_the_point(),
            Err(outcome) => return outcome,
        };
        let reason = format!("the similarity is {similarity:.3}, and at least {} is wanted", self.min);
        let finding = Finding { found: view.opening(), ..Finding::because(reason) };
        if similarity >= self.min { Outcome::Holds(finding) } else { Outcome::Fails(finding) }
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn question(&self) -> Option<&Arc<Question>> {
        Some(&self.question)
    }
}
