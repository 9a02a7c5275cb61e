//! How a reply is, begins or ends as a whole: `reply_equals`, `reply_starts_with`, `reply_ends_with`.
//!
//! Whitespace and emphasis markers at both ends of the reply don't count (`**Ticket logged.**` ends with
//! `Ticket logged.`); punctuation does: a reply that ends in `logged` does not end with `logged.`.

use serde_json::{Value, json};

use super::kinds::Kind;
use super::needle::{Allowed, Haystack, Needle, Sighting, parse_needles, place, plain_text, word_around};
use super::{CUT, Demand, Finding, Matcher, NO_REPLY, Outcome, opening, quote, shortened};
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::Transcript;

/// The reply is this text and nothing else.
#[derive(Debug)]
struct Equals {
    needle: Needle,
    /// Byte for byte, with no folding.
    exact: bool,
}

/// The reply starts with this text.
#[derive(Debug)]
struct StartsWith(Needle);

/// The reply ends with this text.
#[derive(Debug)]
struct EndsWith(Needle);

pub const EQUALS: Kind = Kind {
    name: "reply_equals",
    summary: "The reply is this text, apart from letter case, spacing and the like; \"\" asks for an empty reply.",
    aliases: &["equals", "exact_match", "reply_is", "expect_equals", "expected"],
    negative: false,
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
    schema: edge_schema,
    parse: |name, value, diagnostics| Some(Box::new(StartsWith(one(name, value, diagnostics)?))),
};

pub const ENDS_WITH: Kind = Kind {
    name: "reply_ends_with",
    summary: "The reply ends with this text.",
    aliases: &["ends_with", "endswith", "expect_ends_with"],
    negative: false,
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

fn one(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Needle> {
    parse_needles(kind, value, Allowed { many: false, punctuation: true }, diagnostics)?.pop()
}

fn parse_equals(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Equals> {
    if value.mapping().is_none() {
        let text = plain_text(kind, value, diagnostics)?;
        return Some(Equals { needle: Needle::new(text, false, false), exact: false });
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
    let needle = Needle::new(text?, false, case_sensitive.unwrap_or(false));
    (diagnostics.errors() == errors).then_some(Equals { needle, exact })
}

impl Matcher for Equals {
    fn kind(&self) -> &'static str {
        EQUALS.name
    }

    fn describe(&self) -> String {
        quote(&self.needle.written)
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let mut haystack = Haystack::new(reply, transcript.truncated);
        let (seen, wanted) = if self.exact {
            (reply.as_str(), self.needle.written.as_str())
        } else {
            (haystack.folded(&self.needle).text(), self.needle.folded())
        };
        // A cut reply that is so far the beginning of the text may have become it, or may have gone on.
        if transcript.truncated && wanted.starts_with(seen) {
            return Outcome::NotAssessable(format!("the reply is {} so far, and {CUT}", self.describe()));
        }
        let found = opening(reply);
        if seen == wanted {
            let at = (!reply.is_empty()).then_some(0..reply.len());
            return Outcome::Holds(Finding {
                reason: format!("the reply is {}", self.describe()),
                found,
                at,
                note: None,
            });
        }
        let same = seen.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
        let note = (same > 0 && same == wanted.len())
            .then(|| "the reply starts with it and goes on; `reply_starts_with` would hold".to_owned());
        let reason = match &found {
            None => format!("the reply is empty, not {}", self.describe()),
            Some(_) => format!("the reply is not {} but {}", self.describe(), quote(&shortened(reply, 60))),
        };
        Outcome::Fails(Finding { reason, found, at: None, note })
    }

    fn literals(&self) -> Vec<String> {
        if self.needle.written.is_empty() { vec![] } else { vec![self.needle.written.clone()] }
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Is(self.needle.written.clone())]
    }
}

impl Matcher for StartsWith {
    fn kind(&self) -> &'static str {
        STARTS_WITH.name
    }

    fn describe(&self) -> String {
        quote(&self.0.written)
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let mut haystack = Haystack::new(reply, transcript.truncated);
        let folded = haystack.folded(&self.0);
        let note = match self.0.starts(folded.text(), transcript.truncated) {
            Sighting::Found(range) => {
                let place = place(folded, reply, range);
                let reason = format!("the reply starts with {}", self.describe());
                return Outcome::Holds(Finding { reason, found: Some(place.found), at: Some(place.at), note: None });
            }
            Sighting::AtCut => {
                return Outcome::NotAssessable(format!("the reply is too short to tell, and {CUT}"));
            }
            Sighting::Inside(range) => {
                Some(format!("it starts with {}, a longer word or number", quote(&word_around(folded.text(), &range))))
            }
            Sighting::Absent => None,
        };
        let reason = match opening(reply) {
            None => format!("the reply is empty and does not start with {}", self.describe()),
            Some(_) => format!("the reply starts with {}, not with {}", quote(&shortened(reply, 40)), self.describe()),
        };
        Outcome::Fails(Finding { reason, found: opening(reply), at: None, note })
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
        quote(&self.0.written)
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        if transcript.truncated {
            return Outcome::NotAssessable(format!("the end of the reply is not known: {CUT}"));
        }
        let mut haystack = Haystack::new(reply, transcript.truncated);
        let folded = haystack.folded(&self.0);
        let note = match self.0.ends(folded.text()) {
            Sighting::Found(range) => {
                let place = place(folded, reply, range);
                let reason = format!("the reply ends with {}", self.describe());
                return Outcome::Holds(Finding { reason, found: Some(place.found), at: Some(place.at), note: None });
            }
            Sighting::Inside(range) => {
                Some(format!("it ends with {}, a longer word or number", quote(&word_around(folded.text(), &range))))
            }
            _ => {
                let bare = |text: &str| text.trim_end_matches(|c: char| c.is_ascii_punctuation()).to_owned();
                let wanted = bare(self.0.folded());
                (!wanted.is_empty() && bare(folded.text()).ends_with(&wanted))
                    .then(|| "only the punctuation at the end differs".to_owned())
            }
        };
        let tail: String = {
            let mut last: Vec<char> = reply.trim_end().chars().rev().take(super::EXCERPT).collect();
            last.reverse();
            last.into_iter().collect()
        };
        let reason = if tail.is_empty() {
            format!("the reply is empty and does not end with {}", self.describe())
        } else {
            let end: String = tail.chars().skip(tail.chars().count().saturating_sub(40)).collect();
            format!("the reply ends with {}, not with {}", quote(&end), self.describe())
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
