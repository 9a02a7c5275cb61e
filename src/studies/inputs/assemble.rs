//! From a finished study to its result: means over the suite, the adjustment for many cases, gates, the exit code.

use std::collections::BTreeMap;

use super::advice::advice;
use super::*;
use crate::mutators::input::{self, Kind};
use crate::run::Spent;
use crate::stats::{Interval, benjamini_hochberg, bootstrap_mean};
use crate::studies::{GateStanding, Heading, Standing, Summary};
use crate::suite::{Case, Gate, Gates, Suite};

/// The result of a study that wants no more trials, or gets no more.
pub fn assemble(
    study: &InputsStudy<'_>,
    suite: &Suite,
    cases: &[Case],
    design: &Design,
    spent: &Spent,
    heading: Heading,
) -> InputsReport {
    let mut findings: Vec<Finding> = (0..study.subjects().count()).map(|at| study.finding(at)).collect();
    let q_values = adjust(&mut findings, design.alpha);
    let mut reports = vec![];
    let mut fixed = 0;
    for (at, (subject, tree)) in study.subjects().enumerate() {
        fixed += (1 + subject.variants.len()) * design.reruns;
        let case = &cases[subject.case];
        let mut report = case_report(study, case, (at, subject, tree), &findings[at], q_values[at]);
        let gated = is_finding(&suite.config.gates, report.verdict);
        let id = format!("{}/inputs", report.id);
        report.accepted = suite.config.accepted.iter().find(|one| gated && one.id == id).map(|one| one.reason.clone());
        report.finding = gated && report.accepted.is_none();
        report.advice = advice(&report);
        reports.push(report);
    }
    let own = own(&findings, study, design, heading.seed, &suite.config.gates);
    let mut notes = heading.notes;
    notes.extend(spent.rulings_note());
    if spent.calls == 0 && spent.reused > 0 {
        notes.push("every answer comes from the journal: `--fresh` asks the agent again".to_owned());
    }
    notes.extend(own.gate.as_ref().and_then(|gate| gate_note(gate, own.consistency.as_ref())));
    notes.extend(unapplied(&own.mutators));
    let standings: Vec<(&str, Standing)> = reports.iter().map(|case| (case.id.as_str(), standing(case))).collect();
    let mut summary = Summary::new(&standings, spent, heading.cases_left_out, "no case was chosen: nothing was tested");
    if let Some(gate) = &own.gate {
        summary.with_gate(&standings, ("gates.consistency_min", gate.standing), spent);
    }
    summary.fixed_design_calls = fixed as u64;
    for case in &reports {
        *summary.verdicts.entry(case.verdict.name().to_owned()).or_default() += 1;
    }
    InputsReport {
        version: 1,
        study: "inputs",
        suite: heading.suite,
        agent: heading.agent,
        seed: heading.seed,
        own,
        cases: reports,
        notes,
        summary,
    }
}

/// The cases with their variants, before anything was asked: for a list.
pub fn plan(cases: &[Case], subjects: &[Subject], design: &Design) -> Vec<CaseReport> {
    let study = InputsStudy::new(cases, subjects.to_vec(), [].into(), design, 0);
    let of = |(at, (subject, tree)): (usize, (&Subject, &Tree))| {
        case_report(&study, &cases[subject.case], (at, subject, tree), &study.finding(at), None)
    };
    study.subjects().enumerate().map(of).collect()
}

/// The q-value of every case that reached a test. A case that is blamed alone, and not among all of these, is open: with
/// a hundred cases five of them look like this by chance.
fn adjust(findings: &mut [Finding], alpha: f64) -> Vec<Option<f64>> {
    let tested: Vec<usize> = (0..findings.len()).filter(|at| findings[*at].p_value.is_some()).collect();
    let p_values: Vec<f64> = tested.iter().filter_map(|at| findings[*at].p_value).collect();
    let mut q_values = vec![None; findings.len()];
    for (at, q) in tested.into_iter().zip(benjamini_hochberg(&p_values)) {
        q_values[at] = Some(q);
        let finding = &mut findings[at];
        if finding.verdict.blames_the_phrasing() && q > alpha {
            let alone = finding.reason.take().unwrap_or_default();
            finding.verdict = Verdict::Unproven;
            finding.reason =
                Some(format!("{alone}; among {} cases chance gives such a one too (q = {q:.3})", p_values.len()));
        }
    }
    q_values
}

fn is_finding(gates: &Gates, verdict: Verdict) -> bool {
    match verdict {
        Verdict::SinglePhrasing => gates.single_phrasing == Gate::Fail,
        Verdict::Sensitive => gates.sensitive == Gate::Fail,
        _ => false,
    }
}

fn standing(case: &CaseReport) -> Standing {
    match case.verdict {
        Verdict::Unproven | Verdict::Error => Standing::Open,
        Verdict::BaselineFailing => Standing::Failing,
        _ if case.finding => Standing::Finding,
        _ => Standing::Clean,
    }
}

fn case_report(
    study: &InputsStudy<'_>,
    case: &Case,
    (at, subject, tree): (usize, &Subject, &Tree),
    finding: &Finding,
    q_value: Option<f64>,
) -> CaseReport {
    let falls = |arm: Arm| -> Vec<FallReport> {
        let report = |fall: &Fall| {
            let assertion = &case.expect[fall.assertion];
            FallReport {
                assertion: assertion.id.clone(),
                check: assertion.matcher.describe(),
                place: assertion.place.to_string(),
                trials: fall.trials,
                evidence: fall.why.clone(),
            }
        };
        study.falls(at, arm).iter().map(report).collect()
    };
    let arms = (0..subject.variants.len()).map(Arm::Variant).chain([Arm::Original]);
    let calls = arms.map(|arm| tree.asked(arm)).sum();
    let variants = subject.variants.iter().enumerate().map(|(number, variant)| {
        let arm = Arm::Variant(number);
        let tally = tree.tally(arm);
        VariantReport {
            id: variant.id.clone(),
            mutator: variant.mutator.clone(),
            kind: variant.kind.name().to_owned(),
            text: variant.text.clone(),
            edits: variant.edits.clone(),
            passes: tally.passes,
            trials: tally.trials,
            errors: tree.errors(arm),
            failing: finding.failing.contains(&number),
            fell: falls(arm),
        }
    });
    let variants: Vec<VariantReport> = variants.collect();
    let counted = || variants.iter().filter(|one| one.kind != Kind::Adversarial.name());
    let original = falls(Arm::Original);
    let fell = case.expect.iter().filter_map(|assertion| {
        let same = |fall: &&FallReport| fall.assertion == assertion.id;
        let all: Vec<&FallReport> = original.iter().chain(counted().flat_map(|one| &one.fell)).filter(same).collect();
        let first: FallReport = (*all.first()?).clone();
        Some(FallReport { trials: all.iter().map(|fall| fall.trials).sum(), ..first })
    });
    let floor = &finding.self_agreement;
    CaseReport {
        id: case.id.clone(),
        place: case.place.to_string(),
        input: case.input.clone(),
        verdict: finding.verdict,
        kinds: finding.kinds.clone(),
        reason: finding.reason.clone(),
        advice: String::new(),
        finding: false,
        accepted: None,
        consistency: share(&finding.consistency),
        tool_consistency: share(&finding.tool_consistency),
        original: OriginalReport {
            passes: floor.passes.passes,
            trials: floor.passes.trials,
            errors: tree.errors(Arm::Original),
            agreement: share(&floor.agreement),
            k: floor.k,
            pass_hat_k: floor.pass_hat,
            fell: original.clone(),
        },
        by_kind: finding.by_kind.iter().map(kind_report).collect(),
        worst_kind: finding.worst_kind().map(|score| score.kind.clone()),
        adversarial: finding.adversarial.iter().map(kind_report).collect(),
        p_value: finding.p_value,
        q_value,
        fell: fell.collect(),
        assessed: floor.passes.trials + counted().map(|one| one.trials).sum::<usize>(),
        variants: variants.clone(),
        shortfalls: subject.shortfalls.iter().map(shortfall).collect(),
        not_applicable: subject.not_applicable.iter().map(not_applicable).collect(),
        notes: subject.notes.clone(),
        calls,
    }
}

fn shortfall(short: &input::Shortfall) -> ShortfallReport {
    let input::Shortfall { mutator, wanted, made, reason } = short.clone();
    ShortfallReport { mutator, wanted, made, reason }
}

fn not_applicable(one: &input::NotApplicable) -> NotApplicable {
    let input::NotApplicable { mutator, reason, other_language } = one.clone();
    NotApplicable { mutator, reason, other_language }
}

fn share(share: &Share) -> ShareReport {
    let Interval { low, high } = share.interval;
    ShareReport { agree: share.tally.passes, trials: share.tally.trials, low, high }
}

fn kind_report(score: &KindScore) -> KindReport {
    KindReport {
        kind: score.kind.clone(),
        variants: score.variants,
        consistency: share(&score.consistency),
        passes: score.passes.passes,
        trials: score.passes.trials,
    }
}

fn own(findings: &[Finding], study: &InputsStudy<'_>, design: &Design, seed: u64, gates: &Gates) -> InputsOwn {
    // Each mean over the cases that have a trial for it.
    let mean = |shares: &mut dyn Iterator<Item = &Share>| -> Option<MeanReport> {
        let rates: Vec<f64> = shares.filter_map(|share| share.tally.rate()).collect();
        let Interval { low, high } = bootstrap_mean(&rates, design.level, seed)?;
        Some(MeanReport { mean: rates.iter().sum::<f64>() / rates.len() as f64, low, high, cases: rates.len() })
    };
    let consistency = mean(&mut findings.iter().map(|finding| &finding.consistency));
    let by_kind: Vec<KindMean> = Kind::ALL
        .iter()
        .filter_map(|kind| {
            let scores = || findings.iter().flat_map(|one| &one.by_kind).filter(|score| score.kind == kind.name());
            let consistency = mean(&mut scores().map(|score| &score.consistency))?;
            let variants = scores().map(|score| score.variants).sum();
            Some(KindMean { kind: kind.name().to_owned(), variants, consistency })
        })
        .collect();
    let worst = by_kind.iter().filter(|one| one.consistency.mean < 1.0);
    let worst = worst.min_by(|a, b| a.consistency.mean.total_cmp(&b.consistency.mean));
    let gate = gates.consistency_min.map(|least| GateReport {
        consistency_min: least,
        standing: match &consistency {
            Some(mean) if mean.low >= least => GateStanding::Met,
            Some(mean) if mean.high < least => GateStanding::Missed,
            _ => GateStanding::Undecided,
        },
    });
    InputsOwn {
        design: DesignLine { alpha: design.alpha, level: design.level, reruns: design.reruns },
        tool_consistency: mean(&mut findings.iter().map(|finding| &finding.tool_consistency)),
        self_agreement: mean(&mut findings.iter().map(|finding| &finding.self_agreement.agreement)),
        worst_kind: worst.map(|one| one.kind.clone()),
        by_kind,
        adversarial: mean(&mut findings.iter().flat_map(|one| &one.adversarial).map(|score| &score.consistency)),
        consistency,
        gate,
        mutators: mutators(study),
    }
}

fn mutators(study: &InputsStudy<'_>) -> Vec<MutatorReport> {
    let mut found: BTreeMap<&str, MutatorReport> = BTreeMap::new();
    for (subject, _) in study.subjects() {
        let mut counts: BTreeMap<&str, (usize, Option<&str>, bool)> = BTreeMap::new();
        for variant in &subject.variants {
            counts.entry(&variant.mutator).or_default().0 += 1;
        }
        let none = subject.shortfalls.iter().filter(|short| short.made == 0);
        let none = none.map(|short| (&short.mutator, &short.reason, false));
        let unfit = subject.not_applicable.iter().map(|one| (&one.mutator, &one.reason, one.other_language));
        for (name, reason, other_language) in none.chain(unfit) {
            counts.entry(name).or_insert((0, Some(reason), other_language));
        }
        for (name, (variants, reason, other_language)) in counts {
            let one = found.entry(name).or_insert_with(|| MutatorReport {
                name: name.to_owned(),
                applied: 0,
                of: 0,
                variants: 0,
                reason: reason.map(str::to_owned),
                other_language: true,
            });
            one.other_language &= other_language;
            one.of += 1;
            one.applied += usize::from(variants > 0);
            one.variants += variants;
        }
    }
    for one in found.values_mut().filter(|one| one.applied > 0) {
        one.reason = None;
    }
    found.into_values().collect()
}

/// Mutators that changed no input at all, for people: in no rate, and not silently so. That one for Spanish changes no
/// English input is no news.
fn unapplied(mutators: &[MutatorReport]) -> Option<String> {
    let names: Vec<&str> =
        mutators.iter().filter(|one| one.applied == 0 && !one.other_language).map(|one| one.name.as_str()).collect();
    (!names.is_empty())
        .then(|| format!("not applicable to any case, and in no rate: {} (`--list` says why)", names.join(", ")))
}

fn gate_note(gate: &GateReport, mean: Option<&MeanReport>) -> Option<String> {
    let least = gate.consistency_min;
    let Some(MeanReport { mean, low, high, .. }) = mean else {
        return Some(format!("gates.consistency_min is {least}, but no variant was assessed"));
    };
    let seen = format!("consistency {mean:.2} ({low:.2} to {high:.2}) and gates.consistency_min {least}");
    match gate.standing {
        GateStanding::Met => None,
        GateStanding::Missed => Some(format!("{seen}: the whole interval is below it")),
        GateStanding::Undecided => {
            Some(format!("{seen}: the threshold lies inside the interval; more cases make it narrower"))
        }
    }
}
