//! Texts that a reply contains, or doesn't: `reply_mentions`, `reply_mentions_any`, `reply_does_not_mention`.

use std::ops::Range;

use serde_json::{Value, json};

use super::bulk::Bulk;
use super::kinds::{Kind, Part};
use super::needle::{Allowed, Needle, parse_needles, place, word_around};
use super::phrase::Sighting;
use super::view::View;
use super::{CUT, Demand, Finding, Matcher, NO_REPLY, Outcome, quote, some, wording};
use crate::source::{Diagnostics, Node};

/// Every needle must stand in the reply.
#[derive(Debug)]
struct Mentions(Needles);

/// At least one needle must stand in the reply.
#[derive(Debug)]
struct MentionsAny(Needles);

/// No needle may stand in the reply.
#[derive(Debug)]
struct DoesNotMention(Needles);

pub const MENTIONS: Kind = Kind {
    name: "reply_mentions",
    summary: "Every one of these texts stands in the reply, on word boundaries and whatever the letter case.",
    aliases: &["reply_contains", "contains", "mentions", "must_have", "expect_contains", "expect_contains_all"],
    negative: false,
    reads: Part::Reply,
    schema: needles_schema,
    parse: |name, value, diagnostics| Some(Box::new(Mentions(Needles::parse(name, value, diagnostics)?))),
};

pub const MENTIONS_ANY: Kind = Kind {
    name: "reply_mentions_any",
    summary: "At least one of these texts stands in the reply.",
    aliases: &["reply_contains_any", "contains_any", "mentions_any", "expect_contains_any"],
    negative: false,
    reads: Part::Reply,
    schema: needles_schema,
    parse: |name, value, diagnostics| Some(Box::new(MentionsAny(Needles::parse(name, value, diagnostics)?))),
};

pub const DOES_NOT_MENTION: Kind = Kind {
    name: "reply_does_not_mention",
    summary: "None of these texts stands in the reply.",
    aliases: &["reply_not_contains", "not_contains", "reply_mentions_none", "must_not_have", "expect_not_contains"],
    negative: true,
    reads: Part::Reply,
    schema: needles_schema,
    parse: |name, value, diagnostics| Some(Box::new(DoesNotMention(Needles::parse(name, value, diagnostics)?))),
};

/// The needles of one assertion, with their names side by side.
#[derive(Debug)]
pub struct Needles {
    all: Vec<Needle>,
    bulk: Option<Bulk>,
    /// `"a", "b" and "c"`.
    and: String,
    /// `"a", "b" or "c"`.
    or: String,
    /// That all stand in the reply, as a sentence; that none does; that all are affirmed.
    mentioned: String,
    unmentioned: String,
    affirmed: String,
}

impl Needles {
    pub fn parse(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Needles> {
        let allowed = Allowed { many: true, punctuation: false, numbers: true };
        let all = parse_needles(kind, value, allowed, diagnostics)?;
        let refs: Vec<&Needle> = all.iter().collect();
        let (and, or) = (names(&refs, "and"), names(&refs, "or"));
        let mentioned = format!("the reply mentions {and}");
        let affirmed = format!("the reply affirms {and}");
        Some(Needles { bulk: Bulk::of(&all), mentioned, unmentioned: none_of(&refs), affirmed, and, or, all })
    }

    pub fn all(&self) -> &[Needle] {
        &self.all
    }

    pub fn and(&self) -> &str {
        &self.and
    }

    /// That all of them are affirmed, as a sentence.
    pub fn affirmed(&self) -> &str {
        &self.affirmed
    }

    pub fn literals(&self) -> Vec<String> {
        self.all.iter().map(|needle| needle.written.clone()).collect()
    }

    /// That all of them stand in the reply, or with `any` at least one.
    pub fn says(&self, any: bool) -> Vec<Demand> {
        let inside_words = self.all.iter().any(|needle| !needle.whole_words());
        vec![Demand::Says { texts: self.literals(), any, inside_words }]
    }
}

/// The schema of needles in all their forms.
pub fn needles_schema() -> Value {
    let text = json!({"type": ["string", "number"]});
    let options = json!({
        "whole_words": {"type": "boolean", "default": true, "description": "Only as whole words; a number never matches inside a longer number either way."},
        "case_sensitive": {"type": "boolean", "default": false, "description": "Tell upper from lower case."}
    });
    let one = json!({"type": "object", "required": ["text"], "additionalProperties": false, "properties": {
        "text": text, "whole_words": options["whole_words"], "case_sensitive": options["case_sensitive"]}});
    let number = json!({"type": "object", "required": ["number"], "additionalProperties": false, "properties": {
        "number": {"type": ["string", "number"], "description": "A number by its worth: 1000 is 1,000, 1e3 and 1000.0. With `%` or a currency only where that stands there too."},
        "tolerance": {"type": "number", "minimum": 0, "default": 0, "description": "How far off it may be."},
        "words": {"type": "boolean", "default": false, "description": "English number words count too: `five` is 5."}}});
    let items = json!({"type": "array", "minItems": 1, "items": {"anyOf": [text, one, number]}});
    json!({"anyOf": [text, items, number, {"type": "object", "required": ["text"], "additionalProperties": false, "properties": {
        "text": {"anyOf": [text, items]}, "whole_words": options["whole_words"], "case_sensitive": options["case_sensitive"]}}]})
}

/// What the search for several needles saw.
#[derive(Default)]
struct Search<'n> {
    /// The first that stands there, and where in the folded reply.
    found: Option<(&'n Needle, Range<usize>)>,
    missing: Vec<&'n Needle>,
    /// Found at the very end of a cut reply only.
    unsettled: bool,
    /// The first that stands there as a part of something longer only, and where.
    inside: Option<(&'n Needle, Range<usize>)>,
}

/// Looks for all needles; where `one` is enough, for the first that stands there.
fn search<'n>(needles: &'n Needles, view: &View<'_>, one: bool) -> Search<'n> {
    let cut = view.transcript().truncated;
    let mut sightings = needles.bulk.as_ref().map(|bulk| bulk.sightings(&needles.all, view, cut));
    let mut result = Search::default();
    for (at, needle) in needles.all.iter().enumerate() {
        let sighting = match &mut sightings {
            Some(sightings) if needle.folded().is_some() => std::mem::replace(&mut sightings[at], Sighting::Absent),
            _ => needle.find(view.reading(needle.case_sensitive), cut),
        };
        match sighting {
            Sighting::Found(range) => {
                result.found.get_or_insert((needle, range));
                if one {
                    break;
                }
                continue;
            }
            Sighting::AtCut => result.unsettled = true,
            Sighting::Inside(range) => {
                result.inside.get_or_insert((needle, range));
            }
            Sighting::Absent => {}
        }
        result.missing.push(needle);
    }
    result
}

impl Search<'_> {
    /// The near miss of a needle that stands there as a part of something longer.
    fn part_of_something(&self, view: &View<'_>) -> Option<String> {
        let (needle, range) = self.inside.as_ref()?;
        Some(inside(needle, view, range))
    }

    /// The near miss to tell of a search that found too little.
    fn near_miss(&self, view: &View<'_>) -> Option<String> {
        self.part_of_something(view).or_else(|| {
            let needle = self.missing.first()?;
            other_wording(needle, view)
        })
    }
}

/// That a needle stands there as a part of something longer only.
pub fn inside(needle: &Needle, view: &View<'_>, range: &Range<usize>) -> String {
    let text = view.reading(needle.case_sensitive).text();
    match needle.folded() {
        Some(_) => format!("{} stands there only as a part of {}", needle.name, quote(&word_around(text, range))),
        None => format!("the number stands there as {}", quote(&text[range.clone()])),
    }
}

/// Where a text that is missing has its words in the reply all the same.
pub fn other_wording(needle: &Needle, view: &View<'_>) -> Option<String> {
    let folded = needle.folded()?;
    let reading = view.reading(needle.case_sensitive);
    if reading.text().is_empty() {
        return None;
    }
    let spelled = wording::spelled_out(folded);
    let contracted = spelled != folded || wording::can_contract(folded);
    if contracted && memchr::memmem::find(reading.spelled_out().as_bytes(), spelled.as_bytes()).is_some() {
        return Some("the reply says it with another contraction; list both spellings".to_owned());
    }
    wording::scattered(folded, reading.text())
        .then(|| "every word of it stands in the reply, but not side by side; a list looks for each text".to_owned())
}

fn names(needles: &[&Needle], last: &str) -> String {
    some(needles.iter().map(|needle| needle.name.clone()), last)
}

fn found(needle: &Needle, range: Range<usize>, view: &View<'_>, reason: impl FnOnce() -> String) -> Finding {
    view.shown(|| Some(located(needle, range, view, reason()))).unwrap_or_default()
}

fn located(needle: &Needle, range: Range<usize>, view: &View<'_>, reason: String) -> Finding {
    let reply = view.transcript().reply.as_deref().unwrap_or_default();
    let reading = view.reading(needle.case_sensitive);
    // How a number is written is worth knowing where it is written otherwise.
    let note = (needle.folded().is_none() && !reading.text()[range.clone()].eq_ignore_ascii_case(&needle.written))
        .then(|| inside(needle, view, &range));
    let place = place(reading, reply, range);
    Finding { reason, found: Some(place.found), at: Some(place.at), note }
}

impl Matcher for Mentions {
    fn kind(&self) -> &'static str {
        MENTIONS.name
    }

    fn describe(&self) -> String {
        self.0.and.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        if transcript.reply.is_none() {
            return Outcome::Fails(Finding::because(NO_REPLY));
        }
        let mut search = search(&self.0, view, false);
        if search.missing.is_empty()
            && let Some((needle, range)) = search.found.take()
        {
            return Outcome::Holds(found(needle, range, view, || self.0.mentioned.clone()));
        }
        let missing = view.told(|| names(&search.missing, "and"));
        if transcript.truncated {
            return Outcome::NotAssessable(format!("{missing} is not in what is left of the reply, and {CUT}"));
        }
        let verb = if search.missing.len() == 1 { "is" } else { "are" };
        Outcome::Fails(Finding {
            reason: view.told(|| format!("{missing} {verb} not in the reply")),
            found: view.opening(),
            at: None,
            note: view.shown(|| search.near_miss(view)),
        })
    }

    fn literals(&self) -> Vec<String> {
        self.0.literals()
    }

    fn demands(&self) -> Vec<Demand> {
        self.0.says(false)
    }
}

fn none_of(missing: &[&Needle]) -> String {
    match missing {
        [one] => format!("{} is not in the reply", one.name),
        several => format!("none of {} is in the reply", names(several, "and")),
    }
}

impl Matcher for MentionsAny {
    fn kind(&self) -> &'static str {
        MENTIONS_ANY.name
    }

    fn describe(&self) -> String {
        self.0.or.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        if transcript.reply.is_none() {
            return Outcome::Fails(Finding::because(NO_REPLY));
        }
        let mut search = search(&self.0, view, true);
        if let Some((needle, range)) = search.found.take() {
            return Outcome::Holds(found(needle, range, view, || format!("the reply mentions {}", needle.name)));
        }
        if transcript.truncated {
            let missing = names(&search.missing, "nor");
            return Outcome::NotAssessable(format!("neither {missing} is in what is left of the reply, and {CUT}"));
        }
        let (reason, note) = (view.told(|| none_of(&search.missing)), view.shown(|| search.near_miss(view)));
        Outcome::Fails(Finding { reason, found: view.opening(), at: None, note })
    }

    fn literals(&self) -> Vec<String> {
        self.0.literals()
    }

    fn demands(&self) -> Vec<Demand> {
        self.0.says(true)
    }
}

impl Matcher for DoesNotMention {
    fn kind(&self) -> &'static str {
        DOES_NOT_MENTION.name
    }

    fn describe(&self) -> String {
        self.0.or.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        if transcript.reply.is_none() {
            return Outcome::Holds(Finding::because(NO_REPLY));
        }
        let mut search = search(&self.0, view, true);
        if let Some((needle, range)) = search.found.take() {
            return Outcome::Fails(found(needle, range, view, || format!("the reply mentions {}", needle.name)));
        }
        if transcript.truncated {
            let so_far =
                if search.unsettled { "stands just where the reply ends" } else { "is not in the reply so far" };
            return Outcome::NotAssessable(format!("{} {so_far}, and {CUT}", names(&search.missing, "or")));
        }
        let reason = view.told(|| self.0.unmentioned.clone());
        let note = view.shown(|| search.part_of_something(view));
        Outcome::Holds(Finding { reason, found: None, at: None, note })
    }

    fn literals(&self) -> Vec<String> {
        self.0.literals()
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Unsaid(self.0.literals())]
    }
}
