//! From a finished study to its result: counts, gates, the exit code.

use std::collections::BTreeMap;

use super::advice::advice;
use super::*;
use crate::run::Spent;
use crate::stats::Tally;
use crate::studies::{Heading, Standing, Summary};
use crate::suite::{Gate, Suite};

/// The result of a study that wants no more trials, or gets no more. `bare_note` says what the bare arm sends.
pub fn assemble(
    study: &RulesStudy<'_>,
    suite: &Suite,
    cases: &[Case],
    settings: &Settings,
    spent: &Spent,
    heading: Heading,
    bare_note: &str,
) -> RulesReport {
    let reach = study.reach();
    let mut reports = vec![];
    let mut fixed = 0;
    for (at, (subject, tree)) in study.subjects().enumerate() {
        let finding = study.finding(at);
        fixed += tree.arms().count() * settings.design.max_trials_per_arm;
        reports.push(case_report(study, suite, &cases[subject.case], (at, subject, tree), &finding, &reach));
    }
    let mut notes = heading.notes;
    notes.extend(spent.rulings_note());
    if spent.calls == 0 && spent.reused > 0 {
        notes.push("every answer comes from the journal: `--fresh` asks the agent again".to_owned());
    }
    notes.extend(reach_note(&reach));
    if reports.iter().any(|case| case.arms.contains_key(Arm::Bare.name())) {
        notes.push(format!("the bare arm sent {bare_note}"));
    }
    let standings: Vec<(&str, Standing)> = reports.iter().map(|case| (case.id.as_str(), standing(case))).collect();
    let nothing = "no case that was chosen quotes a rule: nothing was tested";
    let mut summary = Summary::new(&standings, spent, heading.cases_left_out, nothing);
    summary.fixed_design_calls = fixed as u64;
    for case in &reports {
        *summary.verdicts.entry(case.verdict.name().to_owned()).or_default() += 1;
        for assertion in &case.assertions {
            *summary.assertions.entry(assertion.verdict.name().to_owned()).or_default() += 1;
        }
    }
    RulesReport {
        version: 1,
        study: "rules",
        suite: heading.suite,
        agent: heading.agent,
        seed: heading.seed,
        own: RulesOwn { design: DesignLine::of(settings), reach },
        cases: reports,
        notes,
        summary,
    }
}

/// One assertion that was not assessed, or that fails with the rule in place, keeps a case from being green.
fn standing(case: &CaseReport) -> Standing {
    let has = |verdict: AssertionVerdict| case.assertions.iter().any(|one| one.verdict == verdict);
    match case.verdict {
        CaseVerdict::Unproven | CaseVerdict::Error | CaseVerdict::Unreached => Standing::Open,
        _ if has(AssertionVerdict::Unproven) => Standing::Open,
        _ if has(AssertionVerdict::Broken) => Standing::Failing,
        _ if case.finding => Standing::Finding,
        _ => Standing::Clean,
    }
}

fn case_report(
    study: &RulesStudy<'_>,
    suite: &Suite,
    case: &Case,
    (at, subject, tree): (usize, &Subject, &Tree),
    finding: &CaseFinding,
    reach: &Reach,
) -> CaseReport {
    let accepted = suite
        .config
        .accepted
        .iter()
        .find(|one| {
            one.id == subject.id
                || subject.mutants.iter().any(|mutant| mutant.operator != Arm::Control && mutant.id == one.id)
        })
        .map(|one| one.reason.clone());
    let gated = is_finding(suite, case, finding);
    let arms = tree
        .arms()
        .map(|arm| {
            let Tally { passes, trials } = tree.whole_case(arm);
            (arm.name().to_owned(), ArmReport { passes, trials, errors: tree.errors(arm) })
        })
        .collect();
    let assertions = case
        .expect
        .iter()
        .enumerate()
        .zip(&finding.assertions)
        .map(|((number, assertion), found)| {
            let seen = found.fell_under.or((found.verdict == AssertionVerdict::Broken).then_some(Arm::Baseline));
            AssertionReport {
                id: assertion.id.clone(),
                kind: assertion.matcher.kind().to_owned(),
                check: assertion.matcher.describe(),
                place: assertion.place.to_string(),
                verdict: found.verdict,
                fell_under: found.fell_under,
                reason: found.reason.clone(),
                more_trials_needed: match found.verdict {
                    AssertionVerdict::Unproven if found.cause.is_none() => {
                        tree.more_needed(number).filter(|more| *more > 0)
                    }
                    _ => None,
                },
                arms: rates_by_arm(tree, number),
                better_under: tree.arms().filter(|arm| *arm != Arm::Baseline && tree.better(*arm, number)).collect(),
                evidence: seen.and_then(|arm| study.evidence(at, arm, number)).map(str::to_owned),
            }
        })
        .collect();
    CaseReport {
        id: subject.id.clone(),
        place: case.place.to_string(),
        provenance: case.provenance.name().to_owned(),
        rule: subject.rule.clone(),
        verdict: finding.verdict,
        label: finding.verdict.label(),
        reason: finding.reason.clone(),
        advice: advice(&subject.id, finding, case.provenance, reach),
        finding: gated && accepted.is_none(),
        accepted: accepted.filter(|_| gated),
        assertions,
        arms,
        answers_changed: Arm::OPERATORS
            .into_iter()
            .filter_map(|arm| Some((arm.name().to_owned(), study.answers_otherwise(at, arm)?)))
            .collect(),
        mutants: subject.mutants.clone(),
        calls: tree.arms().map(|arm| tree.asked(arm)).sum(),
    }
}

fn rates_by_arm(tree: &Tree, assertion: usize) -> BTreeMap<String, Rate> {
    tree.arms()
        .map(|arm| (arm, tree.tally(arm, assertion)))
        .filter(|(_, tally)| tally.trials > 0)
        .map(|(arm, Tally { passes, trials })| (arm.name().to_owned(), Rate { passes, trials }))
        .collect()
}

/// A verdict is a finding where the suite's gates name it; a model default that is labelled as a guard is what it says.
fn is_finding(suite: &Suite, case: &Case, finding: &CaseFinding) -> bool {
    let guard = case.provenance == Provenance::ModelSwapGuard && finding.verdict == CaseVerdict::ModelDefault;
    let named = suite.config.gates.rules.iter().any(|gate| gate == finding.verdict.name());
    let inert = finding.verdict == CaseVerdict::RuleDerived
        && suite.config.gates.inert_assertions == Gate::Fail
        && finding.assertions.iter().any(|one| one.verdict == AssertionVerdict::Inert);
    (named && !guard) || inert
}

fn reach_note(reach: &Reach) -> Option<String> {
    match reach {
        Reach::CanaryEchoed => Some(
            "no mutant changed anything, but the agent repeated a nonce from mutated instructions: they reach it"
                .to_owned(),
        ),
        Reach::CanaryIgnored => Some(
            "the agent did not repeat a nonce that its instructions demanded: it ignores them, or its endpoint drops \
             them"
                .to_owned(),
        ),
        Reach::NotSeen => Some(
            "nothing shows that the agent reads the mutated instruction files of the cases that are `unreached`: no \
             mutant changed anything, and a nonce that they demanded was not repeated"
                .to_owned(),
        ),
        Reach::Seen | Reach::NotAsked => None,
    }
}
