//! How a reply is, begins or ends as a whole: `reply_equals`, `reply_starts_with`, `reply_ends_with`.
//!
//! Whitespace and emphasis markers at both ends of the reply don't count (`**Ticket logged.**` ends with
//! `Ticket logged.`); punctuation does: a reply that ends in `logged` does not end with `logged.`.

use serde_json::{Value, json};

use super::kinds::{Kind, Part};
use super::needle::{Allowed, Form, parse_needles, place, plain_text, word_around};
use super::phrase::{Phrase, Sighting};
use super::view::View;
use super::{CUT, Demand, Finding, Matcher, NO_REPLY, Outcome, opening, quote, shortened};
use crate::source::{Diagnostics, Fields, Node};

/// The text that a reply is, starts or ends with.
#[derive(Debug)]
struct Text {
    written: String,
    /// In quotation marks.
    name: String,
    case_sensitive: bool,
    phrase: Phrase,
}

/// The reply is this text and nothing else.
#[derive(Debug)]
struct Equals {
    text: Text,
    /// Byte for byte, with no folding.
    exact: bool,
}

/// The reply starts with this text.
#[derive(Debug)]
struct StartsWith(Text);

/// The reply ends with this text.
#[derive(Debug)]
struct EndsWith(Text);

pub const EQUALS: Kind = Kind {
    name: "reply_equals",
    summary: "The reply is this text, apart from letter case, spacing and the like; \"\" asks for an empty reply.",
    aliases: &["equals", "exact_match", "reply_is", "expect_equals", "expected"],
    negative: false,
    reads: Part::Reply,
    schema: || {
        let text = json!({"type": ["string", "number"]});
        json!({"anyOf": [text, {"type": "object", "required": ["text"], "additionalProperties": false, "properties": {
            "text": text,
            "case_sensitive": {"type": "boolean", "default": false, "description": "Tell upper from lower case."},
            "exact": {"type": "boolean", "default": false, "description": "Compare byte for byte."}}}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_equals(name, value, diagnostics)?)),
};

pub const STARTS_WITH: Kind = Kind {
    name: "reply_starts_with",
    summary: "The reply starts with this text.",
    aliases: &["starts_with", "startswith", "expect_starts_with"],
    negative: false,
    reads: Part::Reply,
    schema: edge_schema,
    parse: |name, value, diagnostics| Some(Box::new(StartsWith(one(name, value, diagnostics)?))),
};

pub const ENDS_WITH: Kind = Kind {
    name: "reply_ends_with",
    summary: "The reply ends with this text.",
    aliases: &["ends_with", "endswith", "expect_ends_with"],
    negative: false,
    reads: Part::Reply,
    schema: edge_schema,
    parse: |name, value, diagnostics| Some(Box::new(EndsWith(one(name, value, diagnostics)?))),
};

fn edge_schema() -> Value {
    let text = json!({"type": ["string", "number"]});
    json!({"anyOf": [text, {"type": "object", "required": ["text"], "additionalProperties": false, "properties": {
        "text": text,
        "whole_words": {"type": "boolean", "default": true, "description": "Only up to the edge of a word."},
        "case_sensitive": {"type": "boolean", "default": false, "description": "Tell upper from lower case."}}}]})
}

fn one(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Text> {
    let allowed = Allowed { many: false, punctuation: true, numbers: false };
    let needle = parse_needles(kind, value, allowed, diagnostics)?.pop()?;
    match needle.form {
        Form::Text(phrase) => {
            Some(Text { written: needle.written, name: needle.name, case_sensitive: needle.case_sensitive, phrase })
        }
        Form::Number(_) => None,
    }
}

fn whole(written: &str, case_sensitive: bool) -> Text {
    let phrase = Phrase::new(written, false, case_sensitive);
    Text { written: written.to_owned(), name: quote(written), case_sensitive, phrase }
}

fn parse_equals(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Equals> {
    if value.mapping().is_none() {
        let text = plain_text(kind, value, diagnostics)?;
        return Some(Equals { text: whole(text, false), exact: false });
    }
    let errors = diagnostics.errors();
    let mut fields = Fields::of(kind, value, diagnostics)?;
    let case_sensitive = fields.boolean("case_sensitive", diagnostics);
    let exact = fields.boolean("exact", diagnostics).unwrap_or(false);
    let text = fields.required("text", diagnostics).and_then(|text| plain_text("text", text, diagnostics));
    fields.finish(diagnostics);
    if exact && case_sensitive == Some(false) {
        diagnostics
            .error(&value.place, "`exact: true` and `case_sensitive: false` contradict each other")
            .help
            .push("`exact` compares byte for byte; remove one of the two".to_owned());
    }
    let text = whole(text?, case_sensitive.unwrap_or(false));
    (diagnostics.errors() == errors).then_some(Equals { text, exact })
}

/// What a reply that is a JSON object as a whole may hide from a check of its text.
pub const WRAPPED: &str = "the reply is a JSON object; if a text inside is meant, check that: `extract: {path: …}`";

impl Matcher for Equals {
    fn kind(&self) -> &'static str {
        EQUALS.name
    }

    fn describe(&self) -> String {
        self.text.name.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let name = &self.text.name;
        let (seen, wanted) = if self.exact {
            (reply.as_str(), self.text.written.as_str())
        } else {
            (view.reading(self.text.case_sensitive).text(), self.text.phrase.folded())
        };
        // A cut reply that is so far the beginning of the text may have become it, or may have gone on.
        if transcript.truncated && wanted.starts_with(seen) {
            return Outcome::NotAssessable(format!("the reply is {name} so far, and {CUT}"));
        }
        let found = view.opening();
        if seen == wanted {
            let at = (!reply.is_empty()).then_some(0..reply.len());
            return Outcome::Holds(Finding { reason: format!("the reply is {name}"), found, at, note: None });
        }
        let reason = match &found {
            None => format!("the reply is empty, not {name}"),
            Some(_) => format!("the reply is not {name} but {}", quote(&shortened(reply, 60))),
        };
        Outcome::Fails(Finding { reason, found, at: None, note: self.near_miss(view, seen, wanted) })
    }

    fn literals(&self) -> Vec<String> {
        if self.text.written.is_empty() { vec![] } else { vec![self.text.written.clone()] }
    }

    fn is_negative(&self) -> bool {
        self.text.phrase.folded().is_empty()
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Is(self.text.written.clone())]
    }
}

impl Equals {
    fn near_miss(&self, view: &View<'_>, seen: &str, wanted: &str) -> Option<String> {
        if self.exact && view.reading(false).text() == whole(&self.text.written, false).phrase.folded() {
            return Some(
                "only letter case, spacing, digit grouping or marks differ; without `exact` it would hold".to_owned(),
            );
        }
        if !wanted.is_empty() && seen.starts_with(wanted) {
            return Some("the reply starts with it and goes on; `reply_starts_with` would hold".to_owned());
        }
        view.is_json_object().then(|| WRAPPED.to_owned())
    }
}

impl Matcher for StartsWith {
    fn kind(&self) -> &'static str {
        STARTS_WITH.name
    }

    fn describe(&self) -> String {
        self.0.name.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let (name, reading) = (&self.0.name, view.reading(self.0.case_sensitive));
        let note = match self.0.phrase.starts(reading.text(), transcript.truncated) {
            Sighting::Found(range) => {
                let place = place(reading, reply, range);
                let reason = format!("the reply starts with {name}");
                return Outcome::Holds(Finding { reason, found: Some(place.found), at: Some(place.at), note: None });
            }
            Sighting::AtCut => {
                return Outcome::NotAssessable(format!("the reply is too short to tell, and {CUT}"));
            }
            Sighting::Inside(range) => {
                Some(format!("it starts with {}, a longer word or number", quote(&word_around(reading.text(), &range))))
            }
            Sighting::Absent => view.is_json_object().then(|| WRAPPED.to_owned()),
        };
        let reason = match view.opening() {
            None => format!("the reply is empty and does not start with {name}"),
            Some(_) => format!("the reply starts with {}, not with {name}", quote(&shortened(reply, 40))),
        };
        Outcome::Fails(Finding { reason, found: view.opening(), at: None, note })
    }

    fn literals(&self) -> Vec<String> {
        vec![self.0.written.clone()]
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Starts(self.0.written.clone())]
    }
}

impl Matcher for EndsWith {
    fn kind(&self) -> &'static str {
        ENDS_WITH.name
    }

    fn describe(&self) -> String {
        self.0.name.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        if transcript.truncated {
            return Outcome::NotAssessable(format!("the end of the reply is not known: {CUT}"));
        }
        let (name, reading) = (&self.0.name, view.reading(self.0.case_sensitive));
        let note = match self.0.phrase.ends(reading.text()) {
            Sighting::Found(range) => {
                let place = place(reading, reply, range);
                let reason = format!("the reply ends with {name}");
                return Outcome::Holds(Finding { reason, found: Some(place.found), at: Some(place.at), note: None });
            }
            Sighting::Inside(range) => {
                Some(format!("it ends with {}, a longer word or number", quote(&word_around(reading.text(), &range))))
            }
            _ => {
                let bare = |text: &'_ str| text.trim_end_matches(|c: char| c.is_ascii_punctuation()).len();
                let (text, wanted) = (reading.text(), self.0.phrase.folded());
                let same = bare(wanted) > 0 && text[..bare(text)].ends_with(&wanted[..bare(wanted)]);
                if view.is_json_object() {
                    Some(WRAPPED.to_owned())
                } else {
                    same.then(|| "only the punctuation at the end differs".to_owned())
                }
            }
        };
        let tail: String = {
            let mut last: Vec<char> = reply.trim_end().chars().rev().take(super::EXCERPT).collect();
            last.reverse();
            last.into_iter().collect()
        };
        let reason = if tail.is_empty() {
            format!("the reply is empty and does not end with {name}")
        } else {
            let end: String = tail.chars().skip(tail.chars().count().saturating_sub(40)).collect();
            format!("the reply ends with {}, not with {name}", quote(&end))
        };
        Outcome::Fails(Finding { reason, found: opening(&tail), at: None, note })
    }

    fn literals(&self) -> Vec<String> {
        vec![self.0.written.clone()]
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Ends(self.0.written.clone())]
    }
}
