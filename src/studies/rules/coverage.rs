//! Which statements of the instructions have a case that would notice their loss, and which have none.
//!
//! It asks nothing: what is known of a case is what a replay of the journal showed ([`Sensor::of`]), or nothing
//! ([`Sensor::unasked`]).

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::statements::{RuleStatement, rule_statements};
use super::subject::{Subject, shown};
use super::{AssertionVerdict, CaseReport, CaseVerdict, StatementReport};
use crate::instructions::{Document, Statement, Unit, UnitKind, units};
use crate::studies::{AgentLine, ExitCode};

/// What is known of one statement, by all cases that quote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StatementStatus {
    /// An assertion of a case that quotes it fell when the rule was deleted or inverted, and held under the control.
    Biting,
    /// Every case that quotes it has its verdict (model-default, redundant, wrong-reason), and nothing bites.
    Inert,
    /// Quoted, and no assertion bites so far: not run, not settled, the case fails as it is, or the agent could not be
    /// asked or reached.
    Unproven,
    /// No case quotes it.
    NotQuoted,
}

impl StatementStatus {
    pub const ALL: [StatementStatus; 4] =
        [StatementStatus::Biting, StatementStatus::Inert, StatementStatus::Unproven, StatementStatus::NotQuoted];

    pub fn name(self) -> &'static str {
        match self {
            StatementStatus::Biting => "biting",
            StatementStatus::Inert => "inert",
            StatementStatus::Unproven => "unproven",
            StatementStatus::NotQuoted => "not quoted",
        }
    }

    /// One bite is enough; else one case that is open keeps it open.
    fn by(cases: &[CoveringCase]) -> StatementStatus {
        let open = |case: &CoveringCase| {
            !matches!(case.verdict, CaseVerdict::ModelDefault | CaseVerdict::Redundant | CaseVerdict::WrongReason)
        };
        match cases {
            [] => StatementStatus::NotQuoted,
            _ if cases.iter().any(|case| case.bites) => StatementStatus::Biting,
            _ if cases.iter().any(open) => StatementStatus::Unproven,
            _ => StatementStatus::Inert,
        }
    }
}

/// A case that quotes a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CoveringCase {
    /// The case's id; `id#2` for the second rule that a case quotes.
    pub case: String,
    /// As far as the journal knows.
    pub verdict: CaseVerdict,
    /// Whether an assertion bites.
    pub bites: bool,
    /// Why it is open, where the verdict's name does not say it.
    pub reason: Option<String>,
}

/// A case with the places of a rule that it quotes, its `also:` among them.
#[derive(Debug, Clone)]
pub struct Sensor {
    pub case: CoveringCase,
    pub places: Vec<StatementReport>,
}

impl Sensor {
    /// What the journal knows of a case.
    pub fn of(report: &CaseReport) -> Sensor {
        let recorded = report.arms.values().any(|arm| arm.trials + arm.errors > 0);
        let bites = report.assertions.iter().any(|one| one.verdict == AssertionVerdict::Bites);
        let reason = match report.verdict {
            CaseVerdict::Unproven if !recorded => Some("not run yet".to_owned()),
            CaseVerdict::Unproven => Some("not settled by the trials that are recorded".to_owned()),
            CaseVerdict::BaselineFailing => Some("it fails with the rule in place".to_owned()),
            _ => None,
        };
        let case = CoveringCase { case: report.id.clone(), verdict: report.verdict, bites, reason };
        Sensor { case, places: report.rule.statements.clone() }
    }

    /// A case of which nothing can be known, for this reason.
    pub fn unasked(subject: &Subject, reason: &str) -> Sensor {
        let case = CoveringCase {
            case: subject.id.clone(),
            verdict: CaseVerdict::Unproven,
            bites: false,
            reason: Some(reason.to_owned()),
        };
        Sensor { case, places: subject.rule.statements.clone() }
    }
}

/// One statement of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatementCoverage {
    pub file: String,
    /// From 1.
    pub line: usize,
    /// Its last line.
    pub last_line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Byte offsets in the file.
    pub start: usize,
    pub end: usize,
    /// The heading, tag or key that it stands under.
    pub section: Option<String>,
    /// Its words in one line.
    pub text: String,
    pub status: StatementStatus,
    /// The cases that quote it or a part of it, in the order of the suite.
    pub cases: Vec<CoveringCase>,
}

/// How many statements there are of each status, and shares of all; no shares where there is no statement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct CoverageCounts {
    /// All statements that count: rule-like ones, and what a case quotes.
    pub statements: usize,
    /// Those with a case.
    pub quoted: usize,
    pub biting: usize,
    pub inert: usize,
    pub unproven: usize,
    pub not_quoted: usize,
    /// `quoted / statements`, 0 to 1.
    pub quoted_share: Option<f64>,
    /// `biting / statements`, 0 to 1.
    pub biting_share: Option<f64>,
}

impl CoverageCounts {
    fn of<'s>(statements: impl IntoIterator<Item = &'s StatementCoverage>) -> CoverageCounts {
        let mut counts = CoverageCounts::default();
        for statement in statements {
            counts.statements += 1;
            *match statement.status {
                StatementStatus::Biting => &mut counts.biting,
                StatementStatus::Inert => &mut counts.inert,
                StatementStatus::Unproven => &mut counts.unproven,
                StatementStatus::NotQuoted => &mut counts.not_quoted,
            } += 1;
        }
        counts.quoted = counts.statements - counts.not_quoted;
        let share = |part: usize| (counts.statements > 0).then(|| part as f64 / counts.statements as f64);
        (counts.quoted_share, counts.biting_share) = (share(counts.quoted), share(counts.biting));
        counts
    }
}

/// One instruction file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileCoverage {
    pub file: String,
    pub counts: CoverageCounts,
    /// The file's lines, for a report that shows them.
    #[serde(skip)]
    pub lines: Vec<String>,
    /// Lines of headings, from 1.
    #[serde(skip)]
    pub headings: Vec<usize>,
}

/// The result of `mutate rules --coverage`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CoverageReport {
    /// Grows when a reader would break.
    pub version: u32,
    /// `coverage`.
    pub study: &'static str,
    pub suite: String,
    /// Whose journal was read; null where the agent's settings could not be had.
    pub agent: Option<AgentLine>,
    pub seed: u64,
    pub files: Vec<FileCoverage>,
    /// In the order of the files and within them.
    pub statements: Vec<StatementCoverage>,
    pub notes: Vec<String>,
    /// Over all files.
    pub counts: CoverageCounts,
    /// The suite's `gates.coverage_min`, where it was applied.
    pub coverage_min: Option<f64>,
    pub exit_code: u8,
    /// Why it is not 0.
    pub exit_reason: Option<String>,
}

/// What a coverage is headed with.
#[derive(Debug, Clone, Default)]
pub struct CoverageHeading {
    pub suite: String,
    pub agent: Option<AgentLine>,
    pub seed: u64,
    pub notes: Vec<String>,
    /// The least share of statements that a case must quote; `None` asks for none.
    pub coverage_min: Option<f64>,
}

/// Lays the cases over the statements of the documents.
///
/// Where a case quotes nothing that is rule-like by itself (a heading, a fact, a line of code), its quote is a statement
/// of its own: what somebody wrote a case for is a rule.
pub fn coverage(documents: &[Document], sensors: &[Sensor], heading: CoverageHeading) -> CoverageReport {
    let mut files = vec![];
    let mut statements = vec![];
    let mut unread = 0;
    for document in documents {
        let file = shown(document.path());
        let known = rule_statements(document);
        unread += known.unread;
        let all = units(document);
        let own = statements_of((document, &all), &file, known.rules, sensors);
        let headings = all.iter().filter(|unit| unit.kind == UnitKind::Heading);
        files.push(FileCoverage {
            counts: CoverageCounts::of(&own),
            lines: lines(document.text()),
            headings: headings.map(|unit| document.line_column(unit.range.start).0).collect(),
            file,
        });
        statements.extend(own);
    }
    let counts = CoverageCounts::of(&statements);
    let mut notes = heading.notes;
    if unread > 0 {
        notes.push(format!(
            "{unread} sentence(s) are in words that no language pack knows; they are not counted unless a case quotes them"
        ));
    }
    if counts.statements == 0 {
        notes.push("no statement of the instructions reads as a rule, and no case quotes one".to_owned());
    }
    let (exit, exit_reason) = gate(heading.coverage_min, &counts);
    CoverageReport {
        version: 1,
        study: "coverage",
        suite: heading.suite,
        agent: heading.agent,
        seed: heading.seed,
        files,
        statements,
        notes,
        counts,
        coverage_min: heading.coverage_min,
        exit_code: exit.code(),
        exit_reason,
    }
}

/// Without a gate a report is a report, whatever it says.
fn gate(least: Option<f64>, counts: &CoverageCounts) -> (ExitCode, Option<String>) {
    match (least, counts.quoted_share) {
        (Some(_), None) => {
            (ExitCode::NotAssessed, Some("no statement reads as a rule: nothing was measured".to_owned()))
        }
        (Some(least), Some(share)) if share < least => {
            (ExitCode::Findings, Some(format!("cases quote {share:.2} of the statements, `coverage_min` is {least}")))
        }
        _ => (ExitCode::Clean, None),
    }
}

fn statements_of(
    (document, all): (&Document, &[Unit]),
    file: &str,
    rules: Vec<RuleStatement>,
    sensors: &[Sensor],
) -> Vec<StatementCoverage> {
    let mut found: Vec<StatementCoverage> =
        rules.into_iter().map(|rule| reported(document, file, &rule.range, rule.text, rule.section)).collect();
    let mut quoted_alone: Vec<StatementCoverage> = vec![];
    for sensor in sensors {
        for place in sensor.places.iter().filter(|place| place.file == file) {
            let mut hit = false;
            let first = found.partition_point(|statement| statement.end <= place.start);
            for statement in found[first..].iter_mut().take_while(|statement| statement.start < place.end) {
                add(statement, &sensor.case);
                hit = true;
            }
            if hit {
                continue;
            }
            match quoted_alone.iter_mut().find(|one| one.start < place.end && place.start < one.end) {
                Some(statement) => add(statement, &sensor.case),
                None => {
                    let mut statement = quoted((document, all), file, place);
                    add(&mut statement, &sensor.case);
                    quoted_alone.push(statement);
                }
            }
        }
    }
    found.extend(quoted_alone);
    found.sort_by_key(|statement| statement.start);
    for statement in &mut found {
        statement.status = StatementStatus::by(&statement.cases);
    }
    found
}

/// A rule may stand twice in one statement.
fn add(statement: &mut StatementCoverage, case: &CoveringCase) {
    if !statement.cases.contains(case) {
        statement.cases.push(case.clone());
    }
}

fn reported(
    document: &Document,
    file: &str,
    range: &Range<usize>,
    text: String,
    section: Option<String>,
) -> StatementCoverage {
    let (line, column) = document.line_column(range.start);
    let last_line = document.line_column(range.end.saturating_sub(1).max(range.start)).0;
    let Range { start, end } = document.byte_range(range.clone());
    let file = file.to_owned();
    let (status, cases) = (StatementStatus::NotQuoted, vec![]);
    StatementCoverage { file, line, last_line, column, start, end, section, text, status, cases }
}

/// What a case quotes, as a statement of its own.
fn quoted((document, all): (&Document, &[Unit]), file: &str, place: &StatementReport) -> StatementCoverage {
    let range = document.text_range(place.start..place.end);
    let text = Statement::at(document, range.clone()).text.split_whitespace().collect::<Vec<_>>().join(" ");
    let unit = all.iter().find(|unit| unit.range.start < range.end && range.start < unit.range.end);
    reported(document, file, &range, text, unit.and_then(|unit| unit.section.clone()))
}

/// Lines as [`Document::line_column`] counts them, without the empty one behind the last line break.
fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.strip_suffix('\n').unwrap_or(&text).split('\n').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
