//! Texts that a reply contains, or doesn't: `reply_mentions`, `reply_mentions_any`, `reply_does_not_mention`.

use serde_json::{Value, json};

use super::kinds::Kind;
use super::needle::{Allowed, Haystack, Needle, Place, Sighting, parse_needles, place, word_around};
use super::{CUT, Demand, Finding, Matcher, NO_REPLY, Outcome, list, quote};
use crate::source::{Diagnostics, Node};
use crate::transcript::Transcript;

/// Every needle must stand in the reply.
#[derive(Debug)]
struct Mentions(Vec<Needle>);

/// At least one needle must stand in the reply.
#[derive(Debug)]
struct MentionsAny(Vec<Needle>);

/// No needle may stand in the reply.
#[derive(Debug)]
struct DoesNotMention(Vec<Needle>);

pub const MENTIONS: Kind = Kind {
    name: "reply_mentions",
    summary: "Every one of these texts stands in the reply, on word boundaries and whatever the letter case.",
    aliases: &["reply_contains", "contains", "mentions", "must_have", "expect_contains", "expect_contains_all"],
    negative: false,
    schema: needles_schema,
    parse: |name, value, diagnostics| Some(Box::new(Mentions(needles(name, value, diagnostics)?))),
};

pub const MENTIONS_ANY: Kind = Kind {
    name: "reply_mentions_any",
    summary: "At least one of these texts stands in the reply.",
    aliases: &["reply_contains_any", "contains_any", "mentions_any", "expect_contains_any"],
    negative: false,
    schema: needles_schema,
    parse: |name, value, diagnostics| Some(Box::new(MentionsAny(needles(name, value, diagnostics)?))),
};

pub const DOES_NOT_MENTION: Kind = Kind {
    name: "reply_does_not_mention",
    summary: "None of these texts stands in the reply.",
    aliases: &["reply_not_contains", "not_contains", "reply_mentions_none", "must_not_have", "expect_not_contains"],
    negative: true,
    schema: needles_schema,
    parse: |name, value, diagnostics| Some(Box::new(DoesNotMention(needles(name, value, diagnostics)?))),
};

fn needles(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Vec<Needle>> {
    parse_needles(kind, value, Allowed { many: true, punctuation: false }, diagnostics)
}

fn needles_schema() -> Value {
    let text = json!({"type": ["string", "number"]});
    let options = json!({
        "whole_words": {"type": "boolean", "default": true, "description": "Only as whole words; a number never matches inside a longer number either way."},
        "case_sensitive": {"type": "boolean", "default": false, "description": "Tell upper from lower case."}
    });
    let one = json!({"type": "object", "required": ["text"], "additionalProperties": false, "properties": {
        "text": text, "whole_words": options["whole_words"], "case_sensitive": options["case_sensitive"]}});
    let items = json!({"type": "array", "minItems": 1, "items": {"anyOf": [text, one]}});
    json!({"anyOf": [text, items, {"type": "object", "required": ["text"], "additionalProperties": false, "properties": {
        "text": {"anyOf": [text, items]}, "whole_words": options["whole_words"], "case_sensitive": options["case_sensitive"]}}]})
}

/// What the search for several needles saw.
#[derive(Default)]
struct Search<'n> {
    found: Vec<(&'n Needle, Place)>,
    missing: Vec<&'n Needle>,
    /// Found at the very end of a cut reply only.
    unsettled: bool,
    note: Option<String>,
}

fn search<'n>(needles: &'n [Needle], reply: &str, cut: bool) -> Search<'n> {
    let mut haystack = Haystack::new(reply, cut);
    let mut result = Search::default();
    for needle in needles {
        let folded = haystack.folded(needle);
        match needle.find(folded.text(), cut) {
            Sighting::Found(range) => result.found.push((needle, place(folded, reply, range))),
            Sighting::AtCut => {
                result.unsettled = true;
                result.missing.push(needle);
            }
            Sighting::Inside(range) => {
                let around = word_around(folded.text(), &range);
                let note = format!("{} stands there only as a part of {}", quote(&needle.written), quote(&around));
                result.note.get_or_insert(note);
                result.missing.push(needle);
            }
            Sighting::Absent => result.missing.push(needle),
        }
    }
    result
}

fn names(needles: &[&Needle], last: &str) -> String {
    list(needles.iter().map(|needle| quote(&needle.written)), last)
}

fn describe(needles: &[Needle], last: &str) -> String {
    list(needles.iter().map(|needle| quote(&needle.written)), last)
}

fn literals(needles: &[Needle]) -> Vec<String> {
    needles.iter().map(|needle| needle.written.clone()).collect()
}

fn says(needles: &[Needle], any: bool) -> Vec<Demand> {
    let inside_words = needles.iter().any(|needle| !needle.whole_words());
    vec![Demand::Says { texts: literals(needles), any, inside_words }]
}

fn at(place: Place, reason: String, note: Option<String>) -> Finding {
    Finding { reason, found: Some(place.found), at: Some(place.at), note }
}

impl Matcher for Mentions {
    fn kind(&self) -> &'static str {
        MENTIONS.name
    }

    fn describe(&self) -> String {
        describe(&self.0, "and")
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let mut search = search(&self.0, reply, transcript.truncated);
        if search.missing.is_empty() && !search.found.is_empty() {
            let reason = format!("the reply mentions {}", self.describe());
            let (_, place) = search.found.swap_remove(0);
            return Outcome::Holds(at(place, reason, None));
        }
        let missing = names(&search.missing, "and");
        if transcript.truncated {
            return Outcome::NotAssessable(format!("{missing} is not in what is left of the reply, and {CUT}"));
        }
        let verb = if search.missing.len() == 1 { "is" } else { "are" };
        Outcome::Fails(Finding {
            reason: format!("{missing} {verb} not in the reply"),
            found: super::opening(reply),
            at: None,
            note: search.note,
        })
    }

    fn literals(&self) -> Vec<String> {
        literals(&self.0)
    }

    fn demands(&self) -> Vec<Demand> {
        says(&self.0, false)
    }
}

impl Matcher for MentionsAny {
    fn kind(&self) -> &'static str {
        MENTIONS_ANY.name
    }

    fn describe(&self) -> String {
        describe(&self.0, "or")
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let mut search = search(&self.0, reply, transcript.truncated);
        if !search.found.is_empty() {
            let (needle, place) = search.found.swap_remove(0);
            return Outcome::Holds(at(place, format!("the reply mentions {}", quote(&needle.written)), None));
        }
        if transcript.truncated {
            let missing = names(&search.missing, "nor");
            return Outcome::NotAssessable(format!("neither {missing} is in what is left of the reply, and {CUT}"));
        }
        let reason = match search.missing.as_slice() {
            [one] => format!("{} is not in the reply", quote(&one.written)),
            several => format!("none of {} is in the reply", names(several, "and")),
        };
        Outcome::Fails(Finding { reason, found: super::opening(reply), at: None, note: search.note })
    }

    fn literals(&self) -> Vec<String> {
        literals(&self.0)
    }

    fn demands(&self) -> Vec<Demand> {
        says(&self.0, true)
    }
}

impl Matcher for DoesNotMention {
    fn kind(&self) -> &'static str {
        DOES_NOT_MENTION.name
    }

    fn describe(&self) -> String {
        describe(&self.0, "or")
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let Some(reply) = &transcript.reply else { return Outcome::Holds(Finding::because(NO_REPLY)) };
        let mut search = search(&self.0, reply, transcript.truncated);
        if !search.found.is_empty() {
            let (needle, place) = search.found.swap_remove(0);
            return Outcome::Fails(at(place, format!("the reply mentions {}", quote(&needle.written)), None));
        }
        if transcript.truncated {
            let so_far =
                if search.unsettled { "stands just where the reply ends" } else { "is not in the reply so far" };
            return Outcome::NotAssessable(format!("{} {so_far}, and {CUT}", names(&search.missing, "or")));
        }
        let reason = match search.missing.as_slice() {
            [one] => format!("{} is not in the reply", quote(&one.written)),
            several => format!("none of {} is in the reply", names(several, "and")),
        };
        Outcome::Holds(Finding { reason, found: None, at: None, note: search.note })
    }

    fn literals(&self) -> Vec<String> {
        literals(&self.0)
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Unsaid(literals(&self.0))]
    }
}
