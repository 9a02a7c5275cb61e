//! What a case expects of a transcript. One file a family. A matcher knows no agent, no study and no suite.
//!
//! A matcher is made from the YAML value under its kind's name ([`parse`]) and judges transcripts: one by one
//! ([`Matcher::judge`]), or through a [`View`] that a case's assertions share ([`Matcher::judge_view`]). Adding one is a new
//! file and one line in the list of kinds. What each kind means is in `docs/matchers.md`.
//!
//! Rules that all of them keep:
//! - A transcript that is an error is never judged, a negative check on it least of all.
//! - A reply cut by a token limit settles only what it shows: an absence in it is not assessable.
//! - Tool calls that are not reported are not assessable, which is not the same as a list of none.
//! - What only somebody outside can say (a program, a model, an endpoint) is said before: [`Matcher::question`] names it, and
//!   without an answer it is not assessable.
//! - On a missing reply whatever asks for something fails, and whatever forbids something holds.

mod affirm;
mod bulk;
mod calls;
mod conditions;
mod demand;
mod edges;
mod external;
mod extract;
mod fields;
mod folded;
mod helper;
mod json;
mod judge;
mod kinds;
mod lint;
mod mention;
mod needle;
mod numeral;
mod order;
mod pattern;
mod phrase;
mod sample;
mod shape;
mod similar;
mod stance;
mod template;
#[cfg(test)]
mod tests;
mod tools;
mod values;
mod view;
mod wording;

pub use calls::CallPattern;
pub use demand::{Demand, FEW_WAYS};
pub use external::{Ask, Criteria, Mode, Program, Question};
pub use folded::Folded;
pub use kinds::{Kind, Part, kinds};
pub use sample::{Sampled, text_matching, texts_matching, value_fitting};
pub use values::Strictness;
pub use view::View;

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::source::{Diagnostics, Node, nearest_name};
use crate::transcript::Transcript;

/// What an assertion says of one transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Holds(Finding),
    Fails(Finding),
    /// The transcript can't settle it (tools are not reported, the reply was cut): never a pass, never a fail.
    NotAssessable(String),
}

/// What was looked for, what was found, and where.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// One sentence for a person: `"30 days" is not in the reply`.
    pub reason: String,
    /// The text that settled it, shortened, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// Byte range in the reply, where it was found there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<std::ops::Range<usize>>,
    /// A near miss that a person should know of ("4021" would have matched under `lenient_types`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Finding {
    /// A reason, and nothing to point at.
    fn because(reason: impl Into<String>) -> Finding {
        Finding { reason: reason.into(), ..Finding::default() }
    }
}

impl Outcome {
    /// `Some(true)` holds, `Some(false)` fails, `None` is not assessable.
    pub fn holds(&self) -> Option<bool> {
        match self {
            Outcome::Holds(_) => Some(true),
            Outcome::Fails(_) => Some(false),
            Outcome::NotAssessable(_) => None,
        }
    }

    /// Why, in one sentence, with the near miss where there is one.
    pub fn told(&self) -> String {
        match self {
            Outcome::Holds(finding) | Outcome::Fails(finding) => match &finding.note {
                Some(note) => format!("{} ({note})", finding.reason),
                None => finding.reason.clone(),
            },
            Outcome::NotAssessable(reason) => reason.clone(),
        }
    }
}

/// One check.
pub trait Matcher: Send + Sync + std::fmt::Debug {
    /// The name under `expect:`, in its canonical spelling.
    fn kind(&self) -> &'static str;
    /// The check in a few words, for a report's line: `"30 days"`, `create_refund`, `status = "open"`.
    fn describe(&self) -> String;
    /// What this says of a transcript. Several assertions on one transcript share a [`View`], so that its reply is
    /// folded once and not once for each.
    fn judge_view(&self, view: &View<'_>) -> Outcome;
    /// [`Matcher::judge_view`], for a transcript that only this one looks at.
    fn judge(&self, transcript: &Transcript) -> Outcome {
        self.judge_view(&View::of(transcript))
    }
    /// Texts that this check is about (needles, arguments, tool names): protected in inputs, avoided in control rules.
    fn literals(&self) -> Vec<String>;
    /// True where an agent that says and does nothing satisfies this by its author's will: it only forbids or limits
    /// something, or asks for an empty reply. A case that has no other assertions passes on silence.
    fn is_negative(&self) -> bool {
        kind_of(self.kind()).is_some_and(|kind| kind.negative)
    }
    /// The part of a transcript that this reads; [`Part::Reply`] where nothing else is known of its kind.
    fn reads(&self) -> Part {
        kind_of(self.kind()).map_or(Part::Reply, |kind| kind.reads)
    }
    /// What this check asks for, as data; empty where that can't be said. All of it must be met.
    fn demands(&self) -> Vec<Demand> {
        vec![]
    }
    /// What must be asked outside before this can judge; without the answer beside the transcript it is not assessable.
    fn question(&self) -> Option<&Arc<Question>> {
        None
    }
}

fn kind_of(name: &str) -> Option<&'static Kind> {
    kinds().iter().find(|kind| kind.name == name)
}

/// The matcher that `kind: value` means, or `None` with diagnostics. An unknown kind is a diagnostic with the nearest
/// known one.
pub fn parse(kind: &Node, value: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Matcher>> {
    let name = kind.text().unwrap_or_default();
    let Some(known) = kinds().iter().find(|known| known.name == name) else {
        let entry = diagnostics.error(&kind.place, format!("unknown kind of assertion `{name}`"));
        entry.label = "not a kind".to_owned();
        let near = kinds()
            .iter()
            .find(|known| known.aliases.contains(&name))
            .map(|known| known.name)
            .or_else(|| nearest_name(name, kinds().iter().map(|known| known.name)));
        entry.help.push(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!("known kinds: {}", kinds().iter().map(|known| known.name).collect::<Vec<&str>>().join(", "))
            }
        });
        return None;
    };
    let matcher = (known.parse)(known.name, value, diagnostics)?;
    Some(Box::new(OfAnAnswer(matcher)))
}

/// Keeps a matcher from judging an agent that says that it failed.
#[derive(Debug)]
struct OfAnAnswer(Box<dyn Matcher>);

impl Matcher for OfAnAnswer {
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        match &view.transcript().error {
            Some(error) => Outcome::NotAssessable(format!("the agent reported an error: {}", shortened(error, 120))),
            None => self.0.judge_view(view),
        }
    }

    fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    fn reads(&self) -> Part {
        self.0.reads()
    }

    fn literals(&self) -> Vec<String> {
        self.0.literals()
    }

    fn demands(&self) -> Vec<Demand> {
        self.0.demands()
    }

    fn question(&self) -> Option<&Arc<Question>> {
        self.0.question()
    }
}

const NO_REPLY: &str = "the agent gave no reply";
const CUT: &str = "the reply was cut by a limit";

/// Characters of a reply that a finding shows.
const EXCERPT: usize = 120;

/// In quotation marks, on one line, shortened.
fn quote(text: &str) -> String {
    format!("\"{}\"", shortened(text, EXCERPT))
}

/// On one line, with `…` where it was cut to `most` characters.
fn shortened(text: &str, most: usize) -> String {
    let mut line = String::with_capacity(text.len().min(most) + 6);
    shorten_into(&mut line, text, most);
    line
}

/// Writes a text on one line behind what stands there.
fn shorten_into(line: &mut String, text: &str, most: usize) {
    let text = text.trim();
    let (mut at, mut count, mut space) = (0, 0, false);
    while at < text.len() {
        if count == most {
            line.push('…');
            break;
        }
        // Nearly all text: words with single spaces between, copied as they are.
        let plain = |byte: &&u8| {
            let again = std::mem::replace(&mut space, **byte == b' ');
            byte.is_ascii_graphic() || space && !again
        };
        let run = text.as_bytes()[at..].iter().take(most - count).take_while(plain).count();
        if run > 0 {
            line.push_str(&text[at..at + run]);
            (at, count) = (at + run, count + run);
            space = line.ends_with(' ');
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        at += c.len_utf8();
        if !c.is_whitespace() {
            line.push(c);
        } else if !line.ends_with(' ') {
            line.push(' ');
        } else {
            continue;
        }
        count += 1;
        space = line.ends_with(' ');
    }
}

/// The text around a range of bytes, on one line.
fn excerpt(text: &str, at: &std::ops::Range<usize>) -> String {
    let near = at.start.saturating_sub(EXCERPT)..text.len().min(at.start + EXCERPT);
    let (start, end) = if text.as_bytes()[near.clone()].is_ascii() {
        // A character is a byte here.
        let shown = at.len().min(EXCERPT);
        let around = (EXCERPT - shown) / 2;
        (near.start.max(at.start.saturating_sub(around)), near.end.min(at.start + shown + around))
    } else {
        let shown = text[at.clone()].chars().take(EXCERPT).count();
        let around = (EXCERPT - shown) / 2;
        let back: usize = text[..at.start].chars().rev().take(around).map(char::len_utf8).sum();
        let on: usize = text[at.start..].chars().take(shown + around).map(char::len_utf8).sum();
        (at.start - back, at.start + on)
    };
    let mut line = String::with_capacity(end - start + 6);
    if start > 0 {
        line.push('…');
    }
    shorten_into(&mut line, &text[start..end], EXCERPT + 1);
    if end < text.len() {
        line.push('…');
    }
    line
}

/// How a reply begins, where it says anything.
fn opening(reply: &str) -> Option<String> {
    let shown = shortened(reply, EXCERPT);
    (!shown.is_empty()).then_some(shown)
}

/// [`list`], of long lists only the beginning: `a, b and 998 more`.
fn some(items: impl ExactSizeIterator<Item = String>, last: &str) -> String {
    const MOST: usize = 12;
    let more = items.len().saturating_sub(MOST);
    if more < 2 {
        return list(items, last);
    }
    list(items.take(MOST).chain([format!("{more} more")]), "and")
}

/// `a`, `a and b`, `a, b and c`.
fn list(items: impl Iterator<Item = String>, last: &str) -> String {
    let mut items: Vec<String> = items.collect();
    match items.pop() {
        None => String::new(),
        Some(end) if items.is_empty() => end,
        Some(end) => format!("{} {last} {end}", items.join(", ")),
    }
}
