//! A transcript as matchers look at it: what several assertions need of it is worked out once, when the first one asks.

use std::cell::OnceCell;
use std::ops::Range;

use serde_json::Value;
use unicode_normalization::char::is_combining_mark;

use super::calls::made;
use super::folded::Folded;
use super::json::{self, JsonReply};
use super::numeral::{Numeral, numerals};
use super::shape::words;
use super::stance::Stances;
use super::{opening, shortened, wording};
use crate::transcript::Transcript;

/// A transcript with its reply folded, counted and parsed at most once, however many assertions ask.
///
/// Make one for each transcript and hand it to every assertion of a case ([`Matcher::judge_view`]). It is cheap until
/// something is asked of it.
///
/// [`Matcher::judge_view`]: super::Matcher::judge_view
#[derive(Debug)]
pub struct View<'t> {
    transcript: &'t Transcript,
    /// Nobody reads the findings.
    bare: bool,
    folded: OnceCell<Reading<'t>>,
    exact_case: OnceCell<Reading<'t>>,
    json: OnceCell<JsonReply<'t>>,
    words: OnceCell<u64>,
    opening: OnceCell<Option<String>>,
    /// Each call as it was made, for a person.
    made: OnceCell<Vec<OnceCell<String>>>,
}

impl<'t> View<'t> {
    pub fn of(transcript: &'t Transcript) -> View<'t> {
        View {
            transcript,
            bare: false,
            folded: OnceCell::new(),
            exact_case: OnceCell::new(),
            json: OnceCell::new(),
            words: OnceCell::new(),
            opening: OnceCell::new(),
            made: OnceCell::new(),
        }
    }

    /// For whoever wants the verdicts alone: findings come without the sentence, the text and the place that tell why.
    pub fn bare(transcript: &'t Transcript) -> View<'t> {
        View { bare: true, ..View::of(transcript) }
    }

    pub(super) fn is_bare(&self) -> bool {
        self.bare
    }

    /// A sentence for a person, made only where somebody reads it.
    pub(super) fn told(&self, sentence: impl FnOnce() -> String) -> String {
        if self.bare { String::new() } else { sentence() }
    }

    /// What a finding may have beside its sentence, made only where somebody reads it.
    pub(super) fn shown<T>(&self, part: impl FnOnce() -> Option<T>) -> Option<T> {
        if self.bare { None } else { part() }
    }

    pub fn transcript(&self) -> &'t Transcript {
        self.transcript
    }

    /// The reply as it was written; none counts as empty.
    fn reply(&self) -> &'t str {
        self.transcript.reply.as_deref().unwrap_or_default()
    }

    /// The reply as texts are compared. Of a cut reply the part that stays as it is however the reply goes on.
    pub(super) fn reading(&self, case_sensitive: bool) -> &Reading<'t> {
        let slot = if case_sensitive { &self.exact_case } else { &self.folded };
        slot.get_or_init(|| {
            let reply = if self.transcript.truncated { lasting(self.reply()) } else { self.reply() };
            Reading::new(reply, case_sensitive)
        })
    }

    pub(super) fn json(&self) -> &JsonReply<'t> {
        self.json.get_or_init(|| json::read(self.reply()))
    }

    /// The JSON value that the reply is as a whole.
    pub(super) fn value(&self) -> Option<&Value> {
        self.json().value.as_ref().ok()
    }

    pub(super) fn words(&self) -> u64 {
        *self.words.get_or_init(|| words(self.reply()))
    }

    /// How the reply begins, where it says anything.
    pub(super) fn opening(&self) -> Option<String> {
        self.shown(|| self.opening.get_or_init(|| opening(self.reply())).clone())
    }

    /// A call as it was made, by its place among those that are reported.
    pub(super) fn made(&self, at: usize) -> &str {
        let calls = self.transcript.tool_calls.as_deref().unwrap_or_default();
        let slots = self.made.get_or_init(|| vec![OnceCell::new(); calls.len()]);
        slots[at].get_or_init(|| made(&calls[at]))
    }

    /// The calls that were made.
    pub(super) fn all_made(&self) -> Option<String> {
        self.shown(|| Some(self.every_call()))
    }

    fn every_call(&self) -> String {
        const MOST: usize = 20;
        let calls = self.transcript.tool_calls.as_deref().unwrap_or_default();
        if calls.is_empty() {
            return "no tool was called".to_owned();
        }
        let all: Vec<&str> = (0..calls.len().min(MOST)).map(|at| self.made(at)).collect();
        shortened(&format!("called: {}", all.join(", ")), 160)
    }

    /// True where the reply as a whole is a JSON object: a wrapper around the text that an assertion may have meant.
    pub(super) fn is_json_object(&self) -> bool {
        let reply = self.reply().trim();
        reply.starts_with('{') && reply.ends_with('}') && self.value().is_some_and(Value::is_object)
    }
}

/// A folded reply, and what is worked out from it.
#[derive(Debug)]
pub(super) struct Reading<'t> {
    folded: Folded<'t>,
    numerals: OnceCell<Vec<Numeral>>,
    stances: OnceCell<Stances>,
    spelled_out: OnceCell<String>,
}

impl<'t> Reading<'t> {
    pub fn new(reply: &'t str, case_sensitive: bool) -> Reading<'t> {
        Reading {
            folded: Folded::new(reply, case_sensitive),
            numerals: OnceCell::new(),
            stances: OnceCell::new(),
            spelled_out: OnceCell::new(),
        }
    }

    pub fn text(&self) -> &str {
        self.folded.text()
    }

    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        self.folded.original_range(range)
    }

    /// The numbers in it, in their order.
    pub fn numerals(&self) -> &[Numeral] {
        self.numerals.get_or_init(|| numerals(self.text()))
    }

    /// What is said with each part of it: stated, negated, asked, quoted.
    pub fn stances(&self) -> &Stances {
        self.stances.get_or_init(|| Stances::of(&self.folded))
    }

    /// The text with its contractions spelled out.
    pub fn spelled_out(&self) -> &str {
        self.spelled_out.get_or_init(|| wording::spelled_out(self.text()))
    }
}

/// The part of a cut reply whose folded form stays the same however the reply goes on: without digits, marks and
/// no-break spaces at its end, which may become a part of a number, an escape or emphasis.
fn lasting(reply: &str) -> &str {
    reply.trim_end_matches(|c: char| {
        if c.is_ascii() {
            !c.is_ascii_alphabetic() && !c.is_ascii_whitespace()
        } else {
            !c.is_alphabetic() || is_combining_mark(c)
        }
    })
}
