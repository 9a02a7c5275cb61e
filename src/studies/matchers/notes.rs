//! Remarks on a suite that are no findings: what looks wrong, and may be meant.

use std::collections::BTreeMap;

use super::findings::ends_of;
use super::heard::Whom;
use super::result::{CaughtGate, Score};
use super::tries::{Tries, Try};
use crate::matchers::{Ask, Demand};
use crate::studies::GateStanding;
use crate::suite::{Case, Provenance};

/// Cases that ask for one text, and words that it has, before somebody should look at it.
const SAME_CASES: usize = 3;
const SAME_WORDS: usize = 6;

pub fn of(cases: &[Case], whom: Whom) -> Vec<String> {
    left_out(cases, whom).into_iter().chain(without_incident(cases)).chain(same_answer(cases)).collect()
}

/// Why a gate on the score is not met.
pub fn gate(gate: CaughtGate, score: Score) -> Option<String> {
    let (least, Score { caught, applicable }) = (gate.caught_min, score);
    match (gate.standing, score.share()) {
        (GateStanding::Met, _) => None,
        (_, Some(share)) => Some(format!(
            "{caught} of {applicable} mutated transcripts were caught ({share:.2}), and gates.caught_min is {least}"
        )),
        (_, None) => Some(format!("gates.caught_min is {least}, but no transcript could be mutated into a wrong one")),
    }
}

/// Programs that answer silence, and gave no answer to something else: it may be nothing that an agent would do.
pub fn unanswered(case: &Case, tries: &Tries<'_>, whom: Whom) -> Vec<String> {
    let one = |(at, one): (usize, &crate::suite::Assertion)| {
        let digest = whom.of(one.matcher.as_ref())?.digest();
        let failed = |tried: &&Try| matches!(tried.rulings.get(digest), Some(Err(_)));
        let silent = tries.all.iter().filter(failed).any(|tried| tried.transcript.is_silent());
        let first = tries.all.iter().find(failed).filter(|_| !silent)?;
        let Some(Err(why)) = first.rulings.get(digest) else { return None };
        let (number, all) = (tries.all.iter().filter(failed).count(), tries.all.len());
        let name = format!("{}/{}", case.id, case.expect[at].id);
        Some(format!(
            "{name} gave no answer on {number} of {all} transcripts, the first of them `{}`: {}",
            first.name,
            ends_of(why)
        ))
    };
    case.expect.iter().enumerate().filter_map(one).collect()
}

/// Checks that ask somebody who is not asked.
fn left_out(cases: &[Case], whom: Whom) -> Vec<String> {
    let checks = || cases.iter().flat_map(|case| case.expect.iter().map(move |one| (case, one)));
    let of = |programs: bool, [one, several]: [&str; 2]| {
        let left: Vec<String> = checks()
            .filter(|(_, one)| whom.leaves_out(one.matcher.as_ref()))
            .filter(|(_, one)| {
                one.matcher.question().is_some_and(|asks| matches!(asks.ask, Ask::Program(_)) == programs)
            })
            .map(|(case, one)| format!("{}/{}", case.id, one.id))
            .collect();
        match left.as_slice() {
            [] => None,
            [only] => Some(format!("{only} is not probed: {one}")),
            [first, second] => Some(format!("{first} and {second} are not probed: {several}")),
            [first, ..] => Some(format!("{} checks are not probed: {several} ({first}, …)", left.len())),
        }
    };
    let models = ["it asks a model (`--ask-judges`)", "they ask a model (`--ask-judges`)"];
    let programs = ["it asks a program (`--no-helpers`)", "they ask a program (`--no-helpers`)"];
    of(false, models).into_iter().chain(of(true, programs)).collect()
}

/// A case that was made from an incident can't show that it would notice it again without the transcript.
fn without_incident(cases: &[Case]) -> Option<String> {
    let bare: Vec<&str> = cases
        .iter()
        .filter(|case| case.provenance == Provenance::IncidentDerived && case.incident.is_empty())
        .map(|case| case.id.as_str())
        .collect();
    match bare.as_slice() {
        [] => None,
        [one] => {
            Some(format!("{one} is incident-derived but has no `incident:`: whether it would notice it is not known"))
        }
        [first, ..] => Some(format!(
            "{} cases are incident-derived but have no `incident:` ({first}, …): whether they would notice is not known",
            bare.len()
        )),
    }
}

/// Different questions with one long answer, and nothing else that is asked for: a column that holds something else than
/// answers was imported.
fn same_answer(cases: &[Case]) -> Vec<String> {
    let mut by_text: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        let mut demands = case.expect.iter().flat_map(|one| one.matcher.demands());
        let text = match (demands.next(), demands.next()) {
            (Some(Demand::Is(text)), None) => text,
            (Some(Demand::Says { mut texts, .. }), None) if texts.len() == 1 => texts.remove(0),
            _ => continue,
        };
        if text.split_whitespace().count() >= SAME_WORDS {
            by_text.entry(text).or_default().push(case);
        }
    }
    by_text.retain(|_, cases| {
        let inputs: std::collections::BTreeSet<&str> = cases.iter().map(|case| case.input.as_str()).collect();
        inputs.len() >= SAME_CASES
    });
    let one = |(text, cases): (String, Vec<&Case>)| {
        let start: String = text.split_whitespace().take(SAME_WORDS).collect::<Vec<&str>>().join(" ");
        let (number, first) = (cases.len(), &cases[0]);
        format!(
            "{number} cases with different inputs ask for the same reply, \"{start} …\" ({} at {}, …): is it an answer?",
            first.id, first.place
        )
    };
    by_text.into_iter().map(one).collect()
}
