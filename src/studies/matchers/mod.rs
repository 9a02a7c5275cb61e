//! Can each check fail at all, can it pass, and does it tell a wrong answer from the right one?
//!
//! [`study`] tries probes, near misses and mutated transcripts on every case and hands back a [`MatchersReport`]. It
//! asks nobody and reads no file: recorded transcripts are given to it, and what programs say of the transcripts that
//! [`to_hear`] names. `docs/matchers-study.md` states what counts
//! as what.

mod claims;
mod findings;
mod heard;
mod near;
mod notes;
mod proposals;
mod result;
mod tries;
mod witness;

pub use findings::vacuous;
pub use heard::{Asked, Heard, Whom, to_hear};
pub use result::*;

use std::collections::BTreeMap;
use std::sync::Arc;

use findings::{Found, Of, find};
use tries::{Role, Source, Tries, Try, known_tools, shown};

use crate::mutators::transcript::Probes;
use crate::run::Spent;
use crate::studies::{GateStanding, Heading, Standing, Summary};
use crate::suite::{Accepted, Case, Config};
use crate::transcript::{ToolCall, Transcript};

/// Tools that one probe calls at most.
const MOST_TOOLS: usize = 50;
/// Characters of a transcript in one line.
const SHOWN: usize = 160;

/// Transcripts of baselines by case id, the newest first.
pub type Recorded = BTreeMap<String, Vec<Transcript>>;

/// What is known of a whole suite, whichever of its cases are studied.
#[derive(Debug, Clone)]
pub struct Known {
    pub recorded: Recorded,
    /// Transcripts of other arms than the baseline, in the same form: they show what a program can say, and no more.
    pub other_arms: Recorded,
    /// Who may be asked outside.
    pub whom: Whom,
    /// What they said.
    pub heard: Heard,
    /// Names of tools.
    pub tools: Vec<String>,
    /// What is tried on every case.
    pub probes: Arc<Probes>,
}

impl Default for Known {
    /// Nothing but what comes with the program.
    fn default() -> Known {
        Known {
            recorded: Recorded::new(),
            other_arms: Recorded::new(),
            whom: Whom::default(),
            heard: Heard::default(),
            tools: vec![],
            probes: Arc::clone(Probes::embedded()),
        }
    }
}

impl Known {
    /// From all cases of a suite and what was recorded of them.
    pub fn of(suite: &[Case], recorded: Recorded) -> Known {
        Known { tools: known_tools(suite, recorded.values().flatten(), MOST_TOOLS), recorded, ..Known::default() }
    }
}

/// Studies the chosen cases of a suite with this configuration. `spent` is what it took to hear those who are asked.
pub fn study(cases: &[Case], known: &Known, config: &Config, spent: &Spent, heading: Heading) -> MatchersReport {
    let accepted = config.accepted.as_slice();
    let mut own = MatchersOwn { tried: 0, judgements: 0, score: Score::default(), gate: None };
    let (mut reports, mut unanswered) = (vec![], vec![]);
    for case in cases {
        let tries = Tries::of(case, known);
        let report = case_report(case, &tries, accepted);
        own.tried += report.tried;
        own.judgements += report.tried * tries.left_out.iter().filter(|left| !**left).count();
        unanswered.extend(notes::unanswered(case, &tries, known.whom));
        own.score.caught += report.score.caught;
        own.score.applicable += report.score.applicable;
        reports.push(report);
    }
    let mut notes = heading.notes;
    notes.extend(spent.rulings_note());
    notes.extend(unanswered);
    notes.extend(notes::of(cases, known.whom));
    own.gate = config.gates.caught_min.map(|least| gate(least, own.score));
    notes.extend(own.gate.and_then(|gate| notes::gate(gate, own.score)));
    let standings: Vec<(&str, Standing)> = reports.iter().map(|case| (case.id.as_str(), standing(case))).collect();
    let mut summary = Summary::new(&standings, spent, heading.cases_left_out, "no case was chosen: nothing was tested");
    if let Some(gate) = &own.gate {
        summary.with_gate(&standings, ("gates.caught_min", gate.standing), spent);
    }
    for case in &reports {
        *summary.verdicts.entry(case.verdict.to_owned()).or_default() += 1;
        for finding in case.findings.iter().filter(|one| one.assertion.is_some()) {
            *summary.assertions.entry(finding.kind.name().to_owned()).or_default() += 1;
        }
    }
    MatchersReport {
        version: 1,
        study: "matchers",
        suite: heading.suite,
        agent: heading.agent,
        seed: heading.seed,
        own,
        cases: reports,
        notes,
        summary,
    }
}

/// How the suite's score stands to what is asked of it. Every wrong transcript was tried, so that there is no interval.
fn gate(caught_min: f64, score: Score) -> CaughtGate {
    let standing = match score.share() {
        None => GateStanding::Undecided,
        Some(share) if share >= caught_min => GateStanding::Met,
        Some(_) => GateStanding::Missed,
    };
    CaughtGate { caught_min, standing }
}

fn standing(case: &CaseReport) -> Standing {
    let mut open = case.findings.iter().filter(|one| one.accepted.is_none()).peekable();
    if open.peek().is_none() {
        return Standing::Clean;
    }
    if open.any(|one| one.kind == FindingKind::Untested) { Standing::Open } else { Standing::Finding }
}

fn case_report(case: &Case, tries: &Tries<'_>, accepted: &[Accepted]) -> CaseReport {
    let findings: Vec<FindingReport> =
        find(case, tries).into_iter().map(|found| finding_report(case, tries, found, accepted)).collect();
    let mut score = Score::default();
    let mut survivors: Vec<SurvivorReport> = vec![];
    for one in &tries.all {
        let Role::Mutant { mutant, wrong: true } = &one.role else { continue };
        if one.fails() {
            score.caught += 1;
        } else if one.passes() {
            let hash = blake3::hash(shown(&one.transcript).to_string().as_bytes()).to_hex();
            survivors.push(SurvivorReport {
                id: format!("{}/{}/{}", case.id, mutant.mutator, &hash[..8]),
                mutator: mutant.mutator,
                before: mutant.before.clone(),
                after: mutant.after.clone(),
            });
        } else {
            continue;
        }
        score.applicable += 1;
    }
    let worst = findings.iter().find(|one| one.accepted.is_none());
    CaseReport {
        id: case.id.clone(),
        place: case.place.to_string(),
        provenance: case.provenance.name().to_owned(),
        verdict: worst.map_or(SOUND, |finding| finding.kind.name()),
        findings,
        score,
        mutated: match tries.source {
            Source::Recorded => "recorded",
            Source::Examples => "examples",
            Source::Constructed => "constructed",
            Source::Nothing => "nothing",
        },
        survivors,
        tried: tries.all.len(),
    }
}

fn finding_report(case: &Case, tries: &Tries<'_>, found: Found, accepted: &[Accepted]) -> FindingReport {
    let assertion = match found.of {
        Of::Assertion(at) => Some(&case.expect[at]),
        _ => None,
    };
    let numbered = |name: &str, at: usize| if at == 0 { name.to_owned() } else { format!("{name}#{}", at + 1) };
    let (part, place) = match found.of {
        Of::Case => ("expect".to_owned(), &case.place),
        Of::Assertion(at) => (case.expect[at].id.clone(), &case.expect[at].place),
        Of::Example(at) => (numbered("examples", at), &case.examples[at].place),
        Of::Incident(at) => (numbered("incident", at), &case.incident[at].place),
    };
    let id = format!("{}/{part}/{}", case.id, found.kind.name());
    let check = assertion.map(|one| format!("{} {}", one.matcher.kind(), one.matcher.describe()));
    FindingReport {
        accepted: accepted.iter().find(|one| one.id == id).map(|one| one.reason.clone()),
        id,
        kind: found.kind,
        assertion: assertion.map(|one| one.id.clone()),
        check: check.unwrap_or_else(|| if found.of == Of::Case { "the whole case".to_owned() } else { part }),
        place: place.to_string(),
        because: found.because,
        fooled_by: found.shown_by.map(|at| fooled_by(&tries.all[at])),
        proposal: found.proposal,
    }
}

fn fooled_by(one: &Try) -> FooledBy {
    FooledBy { name: one.name.clone(), shown: in_one_line(&one.transcript), transcript: shown(&one.transcript) }
}

/// `“We refund it.” · get_order {"order_id":4021}`.
fn in_one_line(transcript: &Transcript) -> String {
    let reply = match transcript.reply.as_deref() {
        None => "no reply".to_owned(),
        Some("") => "an empty reply".to_owned(),
        Some(blank) if blank.trim().is_empty() => "white space".to_owned(),
        Some(reply) => format!("“{}”", shortened(reply)),
    };
    let mut parts = vec![reply];
    match &transcript.tool_calls {
        Some(calls) if calls.is_empty() => parts.push("no tool call".to_owned()),
        Some(calls) => {
            let called = |call: &ToolCall| format!("{} {}", call.name, call.arguments);
            parts.push(shortened(&calls.iter().map(called).collect::<Vec<String>>().join(", ")));
        }
        None => {}
    }
    if !transcript.fields.is_empty() {
        parts.push(shortened(&serde_json::to_string(&transcript.fields).unwrap_or_default()));
    }
    parts.join(" · ")
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Whether an id in `accepted:` is one of this study's: `case/assertion/kind`.
pub fn is_finding_id(id: &str) -> bool {
    id.rsplit_once('/').is_some_and(|(_, kind)| FindingKind::ALL.iter().any(|known| known.name() == kind))
}
