//! A model that chooses one label of a closed set: `judge`.

use std::sync::Arc;

use serde_json::json;

use super::external::{Ask, Criteria, Question};
use super::kinds::{Kind, Part};
use super::template::slot;
use super::view::View;
use super::{Finding, Matcher, Outcome, quote, shortened};
use crate::source::{Diagnostics, Fields, Node, nearest_name};
use crate::transcript::{Ruling, Vote};

/// A model's label is one of those that pass.
#[derive(Debug)]
struct Judge {
    question: Arc<Question>,
    text: String,
    pass: Vec<String>,
    /// Labels that a person would let pass too.
    accept: Vec<String>,
    min_confidence: Option<f64>,
}

/// Characters of a label: it is a word, not an answer.
const LONGEST_LABEL: usize = 40;

pub const JUDGE: Kind = Kind {
    name: "judge",
    summary: "A model chooses one label of a closed set by your criteria, and the label is one that passes.",
    aliases: &["llm_rubric", "llm-rubric", "rubric", "model_graded", "g_eval", "criteria", "llm_judge"],
    negative: false,
    reads: Part::Reply,
    schema: || {
        let labels =
            json!({"anyOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}]});
        let some = |description: &str| {
            let mut labels = labels.clone();
            labels["description"] = description.into();
            labels
        };
        json!({"anyOf": [
            {"type": "string", "description": "The criteria; the labels are `pass` and `fail`."},
            {"type": "object", "required": ["criteria"], "additionalProperties": false, "properties": {
                "criteria": {"type": "string", "description": "What is judged, and what each label means."},
                "labels": {"type": "array", "minItems": 2, "items": {"type": "string"}, "default": ["pass", "fail"]},
                "pass": some("Labels with which it holds. `pass` if absent."),
                "accept": some("Labels with which it holds too, though not clearly: `mutate calibrate` counts them as lenient."),
                "show_tools": {"type": "boolean", "default": false, "description": "Show the judge the tool calls beside the reply."},
                "min_confidence": {"type": "number", "minimum": 0, "maximum": 1, "description":
                    "The least probability of the label among all labels; below it, it is not assessable. Needs an endpoint that tells log-probs."}}}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_judge(name, value, diagnostics)?)),
};

fn parse_judge(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Judge> {
    let errors = diagnostics.errors();
    let short = value.text().is_some().then_some(value);
    let mut fields = match short {
        Some(_) => None,
        None => Some(Fields::of("a judge", value, diagnostics)?),
    };
    let criteria = match &mut fields {
        Some(fields) => fields.required("criteria", diagnostics),
        None => short,
    };
    let text = criteria.and_then(|node| match node.text().map(str::trim) {
        Some(text) if !text.is_empty() && !node.is_null() => {
            if let Some(slot) = slot(text) {
                let error = diagnostics.error(&node.place, format!("`{slot}` in the criteria is filled by nobody"));
                error.help.push("criteria are sent as they stand: write the value here".to_owned());
            }
            Some(text.to_owned())
        }
        _ => {
            let error = diagnostics.error(&node.place, format!("`{kind}` needs criteria in words"));
            error.help.push("say what passes: `judge: The reply declines the refund and gives the reason.`".to_owned());
            None
        }
    });
    let mut judge = Judge {
        question: Arc::new(Question::new(Ask::Similar(String::new()))),
        text: text.unwrap_or_default(),
        pass: vec!["pass".to_owned()],
        accept: vec![],
        min_confidence: None,
    };
    let mut labels = vec!["pass".to_owned(), "fail".to_owned()];
    let mut show_tools = false;
    if let Some(mut fields) = fields {
        if let Some(node) = fields.take("labels") {
            labels = all_labels(node, diagnostics);
        }
        let own_pass = fields.has("pass");
        if let Some(node) = fields.take("pass") {
            judge.pass = some_labels("pass", node, &labels, diagnostics);
        }
        if let Some(node) = fields.take("accept") {
            judge.accept = some_labels("accept", node, &labels, diagnostics);
        }
        if !own_pass && !labels.contains(&"pass".to_owned()) && diagnostics.errors() == errors {
            let error = diagnostics.error(&value.place, "none of the labels is called `pass`");
            error.help.push("name those with which it holds: `pass: [good]`".to_owned());
        }
        if diagnostics.errors() == errors && labels.iter().all(|label| judge.passes(label)) {
            diagnostics.error(&value.place, "every label passes: this check can't fail");
        }
        show_tools = fields.boolean("show_tools", diagnostics).unwrap_or(false);
        judge.min_confidence = fields.number("min_confidence", 0.0, 1.0, diagnostics);
        fields.finish(diagnostics);
    }
    let criteria = Criteria { text: judge.text.clone(), labels, show_tools };
    judge.question = Arc::new(Question::new(Ask::Judge(criteria)));
    (diagnostics.errors() == errors).then_some(judge)
}

fn all_labels(node: &Node, diagnostics: &mut Diagnostics) -> Vec<String> {
    let mut labels: Vec<String> = vec![];
    let items = node.sequence().unwrap_or_default();
    for item in items {
        let label = item.text().unwrap_or_default().trim();
        let message = match label {
            "" => "a label must be a word or two".to_owned(),
            _ if label.chars().count() > LONGEST_LABEL || label.contains(['\n', '"']) => {
                "a label must be a word or two: say in the criteria what it means".to_owned()
            }
            _ if labels.iter().any(|known| known.to_lowercase() == label.to_lowercase()) => {
                format!("the label `{label}` stands there twice")
            }
            _ => {
                labels.push(label.to_owned());
                continue;
            }
        };
        diagnostics.error(&item.place, message);
    }
    if items.len() < 2 {
        let error = diagnostics.error(&node.place, "a judge needs at least two labels to choose from");
        error.help.push("for example `labels: [pass, fail]`".to_owned());
    }
    labels
}

fn some_labels(key: &str, node: &Node, labels: &[String], diagnostics: &mut Diagnostics) -> Vec<String> {
    let mut some = vec![];
    for item in node.sequence().unwrap_or(std::slice::from_ref(node)) {
        match item.text().map(str::trim) {
            Some(text) if labels.iter().any(|label| label == text) => some.push(text.to_owned()),
            text => {
                let shown = text.unwrap_or(item.describe());
                let error = diagnostics.error(&item.place, format!("`{key}` names `{shown}`, which is no label"));
                error.help.push(match nearest_name(shown, labels.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the labels are {}", labels.join(", ")),
                });
            }
        }
    }
    if some.is_empty() {
        diagnostics.error(&node.place, format!("`{key}` names no label"));
    }
    some
}

impl Judge {
    fn passes(&self, label: &str) -> bool {
        self.pass.iter().chain(&self.accept).any(|one| one == label)
    }
}

impl Matcher for Judge {
    fn kind(&self) -> &'static str {
        JUDGE.name
    }

    fn describe(&self) -> String {
        format!("{} is {}", quote(&shortened(&self.text, 50)), self.pass.join(" or "))
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let (label, reason, confidence) = match self.question.ruling(transcript) {
            Ok(Ruling::Label { label, reason, confidence }) => (label, reason, *confidence),
            Ok(Ruling::Votes(votes)) => return self.of_votes(votes),
            Ok(_) => return self.question.beside_the_point(),
            Err(outcome) => return outcome,
        };
        self.of_label("the judge", label, reason.as_deref(), confidence)
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn question(&self) -> Option<&Arc<Question>> {
        Some(&self.question)
    }
}

impl Judge {
    /// Two judges that part, one for holding and one against, settle nothing: there is no mean of a pass and a fail.
    fn of_votes(&self, votes: &[Vote]) -> Outcome {
        let said = |vote: &Vote| format!("{} says {}", vote.judge, vote.label);
        let mut outcomes = vec![];
        for vote in votes {
            match self.of_label(&vote.judge, &vote.label, vote.reason.as_deref(), vote.confidence) {
                Outcome::NotAssessable(why) => return Outcome::NotAssessable(why),
                outcome => outcomes.push(outcome),
            }
        }
        if outcomes.iter().any(|outcome| outcome.holds() != outcomes[0].holds()) {
            let all = votes.iter().map(said).collect::<Vec<String>>().join(", ");
            return Outcome::NotAssessable(format!("the judges disagree: {all}"));
        }
        let Some(first) = outcomes.into_iter().next() else { return self.question.beside_the_point() };
        let others = votes[1..].iter().map(said).collect::<Vec<String>>().join(", ");
        let with = |finding: Finding| Finding { reason: format!("{others}; {}", finding.reason), ..finding };
        match first {
            Outcome::Holds(finding) => Outcome::Holds(with(finding)),
            Outcome::Fails(finding) => Outcome::Fails(with(finding)),
            open => open,
        }
    }

    fn of_label(&self, who: &str, label: &str, reason: Option<&str>, confidence: Option<f64>) -> Outcome {
        if let Some(least) = self.min_confidence {
            let why = match confidence {
                None => "its endpoint tells no probabilities, which `min_confidence` asks for".to_owned(),
                Some(sure) if sure < least => format!("it is sure by {sure:.2} only, and `min_confidence` is {least}"),
                Some(_) => String::new(),
            };
            if !why.is_empty() {
                return Outcome::NotAssessable(format!("{who} says {label}, but {why}"));
            }
        }
        let mut told = format!("{who} says {label}");
        if let Some(sure) = confidence {
            told += &format!(" (sure by {sure:.2})");
        }
        if let Some(reason) = reason.map(|reason| shortened(reason, 300)).filter(|text| !text.is_empty()) {
            told += &format!(": {reason}");
        }
        let mut finding = Finding::because(told);
        if self.accept.iter().any(|one| one == label) {
            finding.note = Some("accepted, though not a clear pass".to_owned());
        }
        if self.passes(label) { Outcome::Holds(finding) } else { Outcome::Fails(finding) }
    }
}
