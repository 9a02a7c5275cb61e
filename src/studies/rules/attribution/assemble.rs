//! From a finished attribution to its result.

use super::candidates::{Candidate, Candidates};
use super::conclusion::{Told, advice, conclusion};
use super::minimise::Set;
use super::result::{
    AttributedArm, AttributedAssertion, AttributedCase, AttributedStatement, AttributionOwn, AttributionReport,
    FileLines, NeededReport, Role,
};
use super::search::{Given, Search};
use super::study::{AttributionStudy, Inquiry};
use super::verdict::{Finding, Verdict};
use crate::instructions::Document;
use crate::run::Spent;
use crate::stats::Tally;
use crate::studies::rules::subject::shown;
use crate::studies::rules::{DesignLine, Rate, Settings};
use crate::studies::{Heading, Standing, Summary};
use crate::suite::Case;

/// The result of a study that wants no more trials, or gets no more. `bare_note` says what the bare arm sends.
pub fn assemble(
    study: &AttributionStudy<'_>,
    settings: &Settings,
    spent: &Spent,
    heading: Heading,
    bare_note: &str,
) -> AttributionReport {
    let mut notes = heading.notes;
    notes.extend(spent.rulings_note());
    if spent.calls == 0 && spent.reused > 0 {
        notes.push("every answer comes from the journal: `--fresh` asks the agent again".to_owned());
    }
    let cases: Vec<AttributedCase> = (0..study.subjects()).map(|subject| case_report(study, subject)).collect();
    for (subject, case) in cases.iter().enumerate() {
        notes.extend(case_notes(study, subject, case, bare_note));
    }
    let standings: Vec<(&str, Standing)> =
        cases.iter().map(|case| (case.id.as_str(), standing(case.verdict))).collect();
    let mut summary = Summary::new(&standings, spent, heading.cases_left_out, "nothing was chosen: nothing was asked");
    for case in &cases {
        *summary.verdicts.entry(case.verdict.name().to_owned()).or_default() += 1;
    }
    let files = study.workshop.documents.iter();
    AttributionReport {
        version: 1,
        study: "attribution",
        suite: heading.suite,
        agent: heading.agent,
        seed: heading.seed,
        own: AttributionOwn {
            design: DesignLine::of(settings),
            files: files.map(|file| FileLines { path: shown(file.path()), lines: lines(file.text()) }).collect(),
        },
        cases,
        notes,
        summary,
    }
}

/// An answer is an answer, whatever it is: findings are those of `mutate rules`.
fn standing(verdict: Verdict) -> Standing {
    match verdict {
        Verdict::Carried | Verdict::ModelDefault | Verdict::WrongReason => Standing::Clean,
        Verdict::BaselineFailing => Standing::Failing,
        Verdict::Unproven | Verdict::Unreached | Verdict::Error => Standing::Open,
    }
}

fn case_notes(study: &AttributionStudy<'_>, subject: usize, case: &AttributedCase, bare_note: &str) -> Vec<String> {
    let inquiry = &study.inquiries[subject];
    let mut notes = vec![];
    if case.arms.iter().any(|arm| arm.name == "bare") {
        notes.push(format!("the bare arm sent {bare_note}"));
    }
    if case.fixed > 0 {
        notes.push(format!(
            "{} of the files can't be deleted without breaking them, and were kept: {} that can be deleted were looked at",
            statements(case.fixed),
            case.candidates
        ));
    }
    let set = study.finding(subject).set;
    if let Ok((_, edits)) = inquiry.candidates.without(study.workshop, &set)
        && !edits.is_empty()
    {
        notes.push(format!("deleting them: {}", edits.join(", ")));
    }
    if study.ignores_instructions(subject) {
        let note = "the agent did not repeat a nonce that its instructions demanded: it ignores them, or its endpoint drops \
                    them";
        notes.push(note.to_owned());
    }
    notes
}

/// `1 statement`, `2 statements`.
pub(super) fn statements(number: usize) -> String {
    format!("{number} statement{}", if number == 1 { "" } else { "s" })
}

fn case_report(study: &AttributionStudy<'_>, at: usize) -> AttributedCase {
    let Inquiry { subject, candidates, search, .. } = &study.inquiries[at];
    let case = &study.cases[subject.case];
    let finding = study.finding(at);
    let statements = statement_reports(study.workshop.documents, candidates, search, &finding);
    let told = Told {
        id: &subject.id,
        finding: &finding,
        statements: &statements,
        candidates: candidates.statements,
        provenance: case.provenance,
    };
    AttributedCase {
        id: subject.id.clone(),
        place: case.place.to_string(),
        rule: subject.rule.clone(),
        verdict: finding.verdict,
        reason: finding.reason.clone(),
        conclusion: conclusion(&told),
        advice: advice(&told),
        candidates: candidates.statements,
        fixed: candidates.fixed,
        needed: finding.needed.as_ref().map(|needed| NeededReport {
            settled: needed.settled,
            statements: needed.set.len(),
            reason: needed.reason.clone(),
        }),
        assertions: assertion_reports(case, &study.inquiries[at], &finding),
        arms: arm_reports(&study.inquiries[at]),
        statements,
        calls: search.asked(),
    }
}

fn statement_reports(
    documents: &[Document],
    candidates: &Candidates,
    search: &Search,
    finding: &Finding,
) -> Vec<AttributedStatement> {
    let needed = finding.needed.as_ref().map(|needed| needed.set.clone()).unwrap_or_default();
    let quoted = 0..candidates.quoted;
    let mut chosen: Vec<usize> = quoted.chain(finding.set.iter().copied()).chain(needed.iter().copied()).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let role = |at: &usize, one: &Candidate| match finding.verdict {
        Verdict::Carried if finding.set.contains(at) => Role::Carries,
        _ if finding.set.contains(at) => Role::Suspect,
        _ if one.quoted => Role::Quoted,
        _ => Role::Needed,
    };
    let put_back = |at: &usize| {
        let target = finding.target.filter(|_| finding.set.len() > 1 && finding.set.contains(at))?;
        let others: Set = finding.set.iter().filter(|other| *other != at).copied().collect();
        rate(search.tally(&Given::Without(others), Some(finding.round), target))
    };
    let report = |at: usize| {
        let one = &candidates.all[at];
        let (document, statement) = (&documents[one.document], &one.statement);
        let bytes = document.byte_range(statement.range.clone());
        AttributedStatement {
            file: shown(document.path()),
            line: statement.line,
            last_line: document.line_column(statement.range.end.saturating_sub(1)).0.max(statement.line),
            column: statement.column,
            start: bytes.start,
            end: bytes.end,
            text: statement.text.clone(),
            role: role(&at, one),
            quoted: one.quoted,
            needed: needed.contains(&at),
            put_back: put_back(&at),
        }
    };
    chosen.sort_by_key(|at| (candidates.all[*at].document, candidates.all[*at].statement.range.start));
    chosen.into_iter().map(report).collect()
}

fn assertion_reports(case: &Case, inquiry: &Inquiry, finding: &Finding) -> Vec<AttributedAssertion> {
    let search = &inquiry.search;
    let control = search.control_of(&finding.set);
    let nothing_fell = finding.set.is_empty();
    let set = if nothing_fell { (0..inquiry.candidates.statements).collect() } else { finding.set.clone() };
    let without = Given::Without(set);
    let one = |(at, assertion): (usize, &crate::suite::Assertion)| {
        let Tally { passes, trials } = search.tally(&Given::Baseline, None, at);
        let failing = finding.verdict == Verdict::BaselineFailing;
        AttributedAssertion {
            id: assertion.id.clone(),
            kind: assertion.matcher.kind().to_owned(),
            check: assertion.matcher.describe(),
            place: assertion.place.to_string(),
            baseline: Rate { passes, trials },
            without: rate(search.tally(&without, None, at)),
            control: control.as_ref().and_then(|control| rate(search.tally(control, None, at))),
            bare: rate(search.tally(&Given::Bare, None, at)),
            evidence: inquiry
                .evidence(if failing { &Given::Baseline } else { &without }, at)
                .filter(|_| failing || !nothing_fell)
                .map(str::to_owned),
        }
    };
    case.expect.iter().enumerate().map(one).collect()
}

fn arm_reports(inquiry: &Inquiry) -> Vec<AttributedArm> {
    let one = |arm: usize| {
        let Tally { passes, trials } = inquiry.search.whole_case(arm);
        AttributedArm {
            name: inquiry.label(arm),
            deleted: match inquiry.search.given(arm) {
                Given::Without(set) => Some(set.len()),
                Given::Baseline => Some(0),
                Given::Control | Given::Bare => None,
            },
            passes,
            trials,
            errors: inquiry.search.errors(arm),
        }
    };
    (0..inquiry.search.arms()).map(one).filter(|arm| arm.trials + arm.errors > 0).collect()
}

fn rate(Tally { passes, trials }: Tally) -> Option<Rate> {
    (trials > 0).then_some(Rate { passes, trials })
}

/// As a document counts its lines.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.replace("\r\n", "\n").split(['\n', '\r']).map(str::to_owned).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}
