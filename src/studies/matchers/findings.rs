//! From everything that was tried on a case to what is wrong with it.

use super::Known;
use super::near::Miss;
use super::proposals as propose;
use super::result::FindingKind;
use super::tries::{Role, Source, Tries, Try};
use super::witness::satisfying;
use crate::matchers::{Ask, Demand};
use crate::mutators::transcript::{Means, Probes};
use crate::suite::Case;
use crate::transcript::Transcript;

/// Transcripts on which a program, or a model, must hold and fail alike before it is called a duplicate.
const LIKE_PROGRAMS: usize = 5;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    Case,
    Assertion(usize),
    Example(usize),
    Incident(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub kind: FindingKind,
    pub of: Of,
    /// One sentence.
    pub because: String,
    /// The try that shows it, by its index.
    pub shown_by: Option<usize>,
    pub proposal: String,
}

/// Everything that is wrong with a case, gravest first.
pub fn find(case: &Case, tries: &Tries<'_>) -> Vec<Found> {
    let look = Look { case, tries };
    let fixed: Vec<bool> = (0..case.expect.len()).map(|at| look.cannot_fail(at)).collect();
    let mut found = vec![];
    found.extend(look.silence());
    found.extend(look.fixed(&fixed));
    let impossible = look.impossible();
    let is_impossible = !impossible.is_empty();
    found.extend(impossible);
    found.extend(look.crashes());
    found.extend(look.incidents());
    found.extend(look.examples());
    if !found.iter().any(|one| one.kind == FindingKind::PassesOnSilence) {
        found.extend(look.loose());
    }
    found.extend(look.duplicates(&fixed));
    found.extend(look.unreported());
    found.extend(look.untested(is_impossible));
    found.sort_by_key(|one| one.kind);
    found
}

/// Whether it is known that an assertion of a case can't fail at all, from what needs no recording. Of a check that asks
/// somebody outside nothing is known.
pub fn vacuous(case: &Case) -> Vec<bool> {
    let known = Known::default();
    let tries = Tries::of(case, &known);
    let look = Look { case, tries: &tries };
    (0..case.expect.len()).map(|at| look.cannot_fail(at)).collect()
}

struct Look<'c> {
    case: &'c Case,
    tries: &'c Tries<'c>,
}

impl Look<'_> {
    fn name(&self, assertion: usize) -> String {
        let matcher = &self.case.expect[assertion].matcher;
        format!("{} {}", matcher.kind(), matcher.describe())
    }

    fn place(&self, assertion: usize) -> String {
        self.case.expect[assertion].place.to_string()
    }

    fn first(&self, wanted: impl Fn(&Try) -> bool) -> Option<usize> {
        self.tries.all.iter().position(wanted)
    }

    fn outcomes(&self, assertion: usize) -> impl Iterator<Item = Option<bool>> {
        self.tries.all.iter().map(move |one| one.outcomes[assertion])
    }

    fn silence(&self) -> Option<Found> {
        let shown_by = self.first(|one| one.role == Role::Probe(Means::Silence) && one.passes())?;
        let because = match self.case.expect.len() {
            1 => format!("its only check, {}, holds for an agent that says and does nothing", self.name(0)),
            many => format!("all {many} checks hold for an agent that says and does nothing"),
        };
        Some(Found {
            kind: FindingKind::PassesOnSilence,
            of: Of::Case,
            because,
            shown_by: Some(shown_by),
            proposal: propose::for_silence(self.tries.demands.iter().flatten()),
        })
    }

    /// Nothing that was tried made it fail; for a check of the reply, nothing that said anything at all.
    fn cannot_fail(&self, assertion: usize) -> bool {
        let demands = &self.tries.demands[assertion];
        let of_reply = !demands.is_empty() && demands.iter().all(Demand::is_of_reply);
        let counts = |one: &&Try| !of_reply || one.transcript.reply.is_some();
        let outcomes = || self.tries.all.iter().filter(counts).map(|one| one.outcomes[assertion]);
        // A program that gave hardly an answer has shown little.
        let held = outcomes().filter(|holds| *holds == Some(true)).count();
        held > self.errors(assertion).count() && !outcomes().any(|holds| holds == Some(false))
    }

    fn fixed(&self, fixed: &[bool]) -> Vec<Found> {
        let one = |at: usize| {
            let tried = self.outcomes(at).filter(|holds| *holds == Some(true)).count();
            let tried = match self.errors(at).next() {
                None => format!("{tried} transcripts that were tried"),
                Some(_) => format!("{tried} transcripts that it gave an answer on"),
            };
            // The oddest thing that it holds on says most.
            let odd = |one: &Try| one.outcomes[at] == Some(true) && one.name == "gibberish";
            Found {
                kind: FindingKind::CannotFail,
                of: Of::Assertion(at),
                because: format!("it held on all {tried}"),
                shown_by: self.first(odd).or_else(|| self.first(|one| one.outcomes[at] == Some(true))),
                proposal: propose::for_cannot_fail(&self.tries.demands[at]),
            }
        };
        (0..fixed.len()).filter(|at| fixed[*at]).map(one).collect()
    }

    fn impossible(&self) -> Vec<Found> {
        let mut found = vec![];
        for at in 0..self.case.expect.len() {
            let demands = &self.tries.demands[at];
            let held = self.outcomes(at).any(|holds| holds == Some(true));
            if held || demands.is_empty() || self.outcomes(at).all(|holds| holds.is_none()) {
                continue;
            }
            found.push(Found {
                kind: FindingKind::CannotPass,
                of: Of::Assertion(at),
                because: "no transcript that was recorded or constructed satisfied it".to_owned(),
                shown_by: None,
                proposal: propose::for_cannot_pass(demands),
            });
        }
        if found.is_empty() && !self.tries.all.iter().any(Try::passes_as_far_as_it_goes) {
            found.extend(self.contradiction());
        }
        found
    }

    /// Two checks of which one forbids what the other asks for.
    fn contradiction(&self) -> Option<Found> {
        let count = self.case.expect.len();
        let pairs = (0..count).flat_map(|asks| (0..count).map(move |forbids| (asks, forbids)));
        pairs.filter(|(asks, forbids)| asks != forbids).find_map(|(asks, forbids)| {
            let (wanted, limits) = (&self.tries.demands[asks], &self.tries.demands[forbids]);
            let whole = wanted.iter().any(|demand| matches!(demand, Demand::Is(_)));
            let limits_only = !limits.is_empty() && limits.iter().all(Demand::only_limits);
            let same_side = limits.iter().all(Demand::is_of_reply) == wanted.iter().all(Demand::is_of_reply);
            let all_ways = wanted.iter().all(Demand::is_met_in_few_ways);
            if wanted.is_empty() || !same_side || !all_ways || !(limits_only || whole && !limits.is_empty()) {
                return None;
            }
            let satisfies = |one: &Transcript| self.case.expect[asks].matcher.judge(one).holds() == Some(true);
            let demands: Vec<&Demand> = wanted.iter().collect();
            let witnesses: Vec<Transcript> = satisfying(&demands)
                .into_iter()
                .flat_map(|made| if whole { vec![made] } else { vec![surrounded(&made), made] })
                .filter(satisfies)
                .collect();
            let fails = |one: &Transcript| self.case.expect[forbids].matcher.judge(one).holds() == Some(false);
            (!witnesses.is_empty() && witnesses.iter().all(fails)).then(|| Found {
                kind: FindingKind::CannotPass,
                of: Of::Assertion(forbids),
                because: format!("it contradicts {} at {}", self.name(asks), self.place(asks)),
                shown_by: None,
                proposal: "remove one of the two, or narrow this one: what the other asks for is what this forbids"
                    .to_owned(),
            })
        })
    }

    /// The tries on which the program of a check gave no answer, each with the reason.
    fn errors(&self, assertion: usize) -> impl Iterator<Item = (usize, String)> {
        let asked = self.tries.known.whom.of(self.case.expect[assertion].matcher.as_ref());
        let digest = asked.map(|question| question.digest());
        let reason = move |one: &'_ Try| match one.rulings.get(digest?) {
            Some(Err(why)) => Some(ends_of(why)),
            _ => None,
        };
        self.tries.all.iter().enumerate().filter_map(move |(at, one)| Some((at, reason(one)?)))
    }

    /// Programs that fall over where an agent says nothing.
    fn crashes(&self) -> Vec<Found> {
        let one = |at: usize| {
            // A model or an endpoint that gave no answer did not fall over what it was shown.
            self.case.expect[at].matcher.question().filter(|asks| matches!(asks.ask, Ask::Program(_)))?;
            let (shown_by, why) = self.errors(at).find(|(index, _)| self.tries.all[*index].transcript.is_silent())?;
            let number = self.errors(at).count();
            Some(Found {
                kind: FindingKind::CrashesOnSilence,
                of: Of::Assertion(at),
                because: format!("it gave no answer on {number} of {} transcripts: {why}", self.tries.all.len()),
                shown_by: Some(shown_by),
                proposal:
                    "let it say what silence is (exit 1, or `{\"holds\": false}`): an error is no verdict, and an \
                           agent that says nothing would not fail"
                        .to_owned(),
            })
        };
        (0..self.case.expect.len()).filter_map(one).collect()
    }

    fn incidents(&self) -> Vec<Found> {
        let mut found = vec![];
        for (index, one) in self.tries.all.iter().enumerate() {
            let Role::Incident(incident) = one.role else { continue };
            if one.passes() {
                found.push(Found {
                    kind: FindingKind::MissesIncident,
                    of: Of::Incident(incident),
                    because: "every check holds on the transcript of the incident".to_owned(),
                    shown_by: Some(index),
                    proposal: "add a check that fails on it: for what the agent said or did there and must not"
                        .to_owned(),
                });
            } else if let Some((at, why)) = self.error_on(index).filter(|_| !one.fails()) {
                found.push(Found {
                    kind: FindingKind::NotAssessable,
                    of: Of::Incident(incident),
                    because: format!(
                        "no check fails on the transcript of the incident, and {} gave no answer: {why}",
                        self.name(at)
                    ),
                    shown_by: Some(index),
                    proposal: "let the program say what it thinks of it: an error is no verdict".to_owned(),
                });
            } else if !one.fails() && self.is_open(one) {
                found.push(Found {
                    kind: FindingKind::NotAssessable,
                    of: Of::Incident(incident),
                    because: "no check fails on the transcript of the incident, and some can't be assessed on it"
                        .to_owned(),
                    shown_by: Some(index),
                    proposal: "write the incident's tool calls too: `incident: {reply: …, tool_calls: […]}`".to_owned(),
                });
            }
        }
        found
    }

    fn examples(&self) -> Vec<Found> {
        let one = |(index, one): (usize, &Try)| {
            let Role::Example(at) = one.role else { return None };
            let failed = one.outcomes.iter().position(|holds| *holds == Some(false))?;
            let told = self.case.expect[failed].matcher.judge(&one.heard()).told();
            Some(Found {
                kind: FindingKind::FailsExample,
                of: Of::Example(at),
                because: format!("{} fails on it: {told}", self.name(failed)),
                shown_by: Some(index),
                proposal: "widen the check, or take this out of `examples:` if it is no right answer".to_owned(),
            })
        };
        self.tries.all.iter().enumerate().filter_map(one).collect()
    }

    fn loose(&self) -> Vec<Found> {
        if let Some(index) = self.first(|one| one.role == Role::Probe(Means::Wrong) && one.passes()) {
            let mut probes = self.tries.known.probes.probes.iter();
            let probe = probes.find(|probe| probe.name == self.tries.all[index].name);
            let does = probe.map_or("answers nothing", |probe| probe.does.as_str());
            return vec![Found {
                kind: FindingKind::Loose,
                of: Of::Case,
                because: format!("every check holds for an agent that {does}"),
                shown_by: Some(index),
                proposal: propose::for_probe(&self.tries.all[index].name),
            }];
        }
        let mut found: Vec<Found> = vec![];
        for (index, one) in self.tries.all.iter().enumerate() {
            let Role::NearMiss { assertion, miss, text } = &one.role else { continue };
            let (assertion, miss) = (*assertion, *miss);
            if !one.passes() || found.iter().any(|known| known.of == Of::Assertion(assertion)) {
                continue;
            }
            let because = match miss {
                Miss::LongerNumber => "the case passes on another, longer number",
                Miss::LongerWord => "the case passes on a longer word that means something else",
                Miss::InPassing => "the case passes where the text stands by the way and answers nothing",
                Miss::Negated => "the case passes on the opposite",
            };
            found.push(Found {
                kind: FindingKind::Loose,
                of: Of::Assertion(assertion),
                because: because.to_owned(),
                shown_by: Some(index),
                proposal: propose::for_near_miss(miss, text, &self.tries.demands[assertion]),
            });
        }
        found
    }

    fn duplicates(&self, fixed: &[bool]) -> Vec<Found> {
        let told: Vec<Vec<Option<bool>>> = (0..self.case.expect.len()).map(|at| self.outcomes(at).collect()).collect();
        let number = |at: usize, holds: bool| told[at].iter().filter(|one| **one == Some(holds)).count();
        // Nothing was made to tell checks apart of which nothing is known: it takes more to call those alike.
        let enough = |at: usize| if self.tries.demands[at].is_empty() { LIKE_PROGRAMS } else { 1 };
        let both = |at: usize| number(at, true) >= enough(at) && number(at, false) >= enough(at);
        let counts = |at: &usize| !fixed[*at] && both(*at);
        let one = |at: usize| {
            let first = (0..at).filter(counts).find(|other| told[*other] == told[at])?;
            Some(Found {
                kind: FindingKind::Duplicate,
                of: Of::Assertion(at),
                because: format!(
                    "on {} transcripts it fell exactly when {} at {} did",
                    told[at].len(),
                    self.name(first),
                    self.place(first)
                ),
                shown_by: None,
                proposal: "remove one of the two".to_owned(),
            })
        };
        (0..told.len()).filter(counts).filter_map(one).collect()
    }

    /// What the recorded trials do not report.
    fn unreported(&self) -> Vec<Found> {
        let mut recorded = self.tries.all.iter().filter(|one| one.role == Role::Recorded).peekable();
        if recorded.peek().is_none() || recorded.any(|one| one.transcript.tool_calls.is_some()) {
            return vec![];
        }
        let of_calls = |at: &usize| self.tries.demands[*at].iter().any(Demand::is_of_calls);
        let one = |at: usize| Found {
            kind: FindingKind::NotAssessable,
            of: Of::Assertion(at),
            because: "it needs tool calls, and none of the recorded trials reports them".to_owned(),
            shown_by: None,
            proposal:
                "let the agent print a transcript with its tool calls (`mutate schema transcript`), or check the \
                       reply"
                    .to_owned(),
        };
        (0..self.case.expect.len()).filter(of_calls).map(one).collect()
    }

    /// The first check whose program gave no answer on this try, and why.
    fn error_on(&self, index: usize) -> Option<(usize, String)> {
        let reason = |at: usize| self.errors(at).find(|(tried, _)| *tried == index).map(|(_, why)| (at, why));
        (0..self.case.expect.len()).find_map(reason)
    }

    /// Some check has no outcome on it that could have one.
    fn is_open(&self, one: &Try) -> bool {
        one.outcomes.iter().zip(&self.tries.left_out).any(|(holds, left)| holds.is_none() && !left)
    }

    /// What could not be tried, since nothing is known that passes. `impossible`: something can't pass at all, which is
    /// why.
    fn untested(&self, impossible: bool) -> Vec<Found> {
        let untested = |of, because: &str| Found {
            kind: FindingKind::Untested,
            of,
            because: because.to_owned(),
            shown_by: None,
            proposal: "add one under `examples:`, or run the case once (`mutate rules`) so that one is recorded"
                .to_owned(),
        };
        if !self.tries.left_out.is_empty() && self.tries.left_out.iter().all(|left| *left) {
            let mut asked = self.case.expect.iter().filter_map(|one| one.matcher.question());
            let (because, proposal) = if asked.any(|question| !matches!(question.ask, Ask::Program(_))) {
                (
                    "it has only checks that ask a model, and this study asks none",
                    "hold the model against people's labels (`mutate calibrate`), let it be asked (`--ask-judges`), or \
                     add a check that needs none",
                )
            } else {
                ("it has only checks that ask a program, and none was asked", "leave out `--no-helpers`")
            };
            return vec![Found { proposal: proposal.to_owned(), ..untested(Of::Case, because) }];
        }
        // Where a program answers nothing at all, that is the finding.
        let mute = |at: usize| self.errors(at).next().is_some() && self.outcomes(at).all(|holds| holds.is_none());
        let impossible = impossible || (0..self.case.expect.len()).any(mute);
        let opaque = |at: &usize| {
            let told = self.tries.demands[*at].is_empty() && !self.tries.left_out[*at] && !mute(*at);
            told && !self.outcomes(*at).any(|holds| holds == Some(true))
        };
        let mut found: Vec<Found> = (0..self.case.expect.len())
            .filter(opaque)
            .map(|at| untested(Of::Assertion(at), "no transcript is known that satisfies it"))
            .collect();
        if self.tries.source == Source::Nothing && !impossible && found.is_empty() {
            let because = "no transcript is known on which the whole case passes: near misses could not be tried";
            found.push(untested(Of::Case, because));
        }
        found
    }
}

/// The first and the last line of what may be a traceback.
pub fn ends_of(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    lines.next_back().map_or_else(|| first.to_owned(), |last| format!("{first} {last}"))
}

/// The same with words around what it says: a pattern with an anchor may then no longer match.
fn surrounded(transcript: &Transcript) -> Transcript {
    let neutral = &Probes::embedded().neutral[0];
    let reply = transcript.reply.as_ref().map(|reply| format!("{neutral} {reply}. {neutral}"));
    Transcript { reply, ..transcript.clone() }
}
