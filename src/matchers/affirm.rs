//! Texts that a reply states, and not only has in it: `reply_affirms`.

use std::ops::Range;

use super::kinds::{Kind, Part};
use super::mention::{Needles, inside, needles_schema, other_wording};
use super::needle::{Form, Needle, place};
use super::phrase::Sighting;
use super::stance::Stance;
use super::view::View;
use super::{CUT, Demand, Finding, Matcher, NO_REPLY, Outcome, some};

/// Every needle is stated somewhere in the reply.
#[derive(Debug)]
struct Affirms(Needles);

pub const AFFIRMS: Kind = Kind {
    name: "reply_affirms",
    summary: "Every one of these texts is stated in the reply: not denied or refused, not asked, not the customer's words.",
    aliases: &["affirms", "reply_states", "reply_confirms", "states"],
    negative: false,
    reads: Part::Reply,
    schema: needles_schema,
    parse: |name, value, diagnostics| Some(Box::new(Affirms(Needles::parse(name, value, diagnostics)?))),
};

/// What came of one needle.
enum Affirmed {
    At(Range<usize>),
    /// It stands there, but this is what is done with it.
    Otherwise(Stance, Range<usize>),
    /// In a cut reply, where the clause may go on.
    Open,
    Inside(Range<usize>),
    Absent,
}

fn affirmed(needle: &Needle, view: &View<'_>) -> Affirmed {
    let reading = view.reading(needle.case_sensitive);
    let (text, cut) = (reading.text(), view.transcript().truncated);
    let mut best = Affirmed::Absent;
    let mut enough = |sighting: Sighting| {
        match sighting {
            Sighting::Found(range) => match reading.stances().at(text, &range) {
                Stance::Stated if !cut || reading.stances().is_settled(&range) => best = Affirmed::At(range),
                Stance::Stated => best = Affirmed::Open,
                stance if matches!(best, Affirmed::Absent | Affirmed::Inside(_)) => {
                    best = Affirmed::Otherwise(stance, range);
                }
                _ => {}
            },
            Sighting::AtCut => best = Affirmed::Open,
            Sighting::Inside(range) if matches!(best, Affirmed::Absent) => best = Affirmed::Inside(range),
            _ => {}
        }
        matches!(best, Affirmed::At(_))
    };
    match &needle.form {
        Form::Text(phrase) => phrase.each(text, cut, enough),
        Form::Number(wanted) => {
            for numeral in reading.numerals() {
                if enough(wanted.sight(numeral, text, cut)) {
                    break;
                }
            }
        }
    }
    best
}

impl Matcher for Affirms {
    fn kind(&self) -> &'static str {
        AFFIRMS.name
    }

    fn describe(&self) -> String {
        self.0.and().to_owned()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let mut first: Option<(&Needle, Range<usize>)> = None;
        let mut missing: Vec<(&Needle, Affirmed)> = vec![];
        for needle in self.0.all() {
            match affirmed(needle, view) {
                Affirmed::At(range) => {
                    first.get_or_insert((needle, range));
                }
                otherwise => missing.push((needle, otherwise)),
            }
        }
        let locate =
            |needle: &Needle, range: &Range<usize>| place(view.reading(needle.case_sensitive), reply, range.clone());
        let (Some((needle, otherwise)), _) = (missing.first(), &first) else {
            let reason = view.told(|| self.0.affirmed().to_owned());
            let place = view.shown(|| first.map(|(needle, range)| locate(needle, &range)));
            let (found, at) = place.map(|place| (place.found, place.at)).unzip();
            return Outcome::Holds(Finding { reason, found, at, note: None });
        };
        if transcript.truncated {
            let names = some(missing.iter().map(|(needle, _)| needle.name.clone()), "and");
            return Outcome::NotAssessable(format!("{names} is not affirmed in what is left of the reply, and {CUT}"));
        }
        if view.is_bare() {
            return Outcome::Fails(Finding::default());
        }
        let (reason, place, note) = match otherwise {
            Affirmed::Otherwise(stance, range) => {
                let reason = format!("{} stands in the reply only {}", needle.name, stance.told());
                (reason, Some(locate(needle, range)), None)
            }
            Affirmed::Inside(range) => (not_there(needle), None, Some(inside(needle, view, range))),
            _ => (not_there(needle), None, other_wording(needle, view)),
        };
        let (found, at) = place.map(|place| (place.found, place.at)).unzip();
        Outcome::Fails(Finding { reason, found: found.or_else(|| view.opening()), at, note })
    }

    fn literals(&self) -> Vec<String> {
        self.0.literals()
    }

    fn demands(&self) -> Vec<Demand> {
        self.0.says(false)
    }
}

fn not_there(needle: &Needle) -> String {
    format!("{} is not in the reply", needle.name)
}
