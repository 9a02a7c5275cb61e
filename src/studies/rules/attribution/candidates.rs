//! What could carry a case's behaviour: the statements of all instruction files, the likely ones first.

use std::ops::Range;

use super::likeness::Texts;
use super::minimise::Set;
use crate::instructions::{Document, Edit, Statement, Unit, UnitKind, units};
use crate::source::Diagnostics;
use crate::studies::rules::quotes::Stated;
use crate::studies::rules::subject::Made;
use crate::studies::rules::{Arm, ArmFiles, Subject, Workshop};
use crate::suite::Case;

/// What the case's input and checks say counts so much of what the rule says.
const CASE_WORDS: f64 = 0.5;

/// One statement that can be deleted.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Index of its document.
    pub document: usize,
    pub statement: Statement,
    /// Part of the rule that the case quotes, or of a text under its `also:`.
    pub quoted: bool,
    /// A heading; other candidates name what they stand below by [`Candidate::section`].
    pub heading: bool,
    /// Which of the document's headings, counted from 1, stands last above it, or is it; 0 where there is none.
    section: usize,
    /// How much it is about what the rule says, and half as much, what the case says: 0 to 1.5; an order, no evidence.
    pub likeness: f64,
}

/// All candidates of one subject.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// Those of the quoted rule first, then by likeness; after [`Candidates::statements`] of them come what is deleted
    /// only where no statement carries anything: headings and code, in the order of the files.
    pub all: Vec<Candidate>,
    pub quoted: usize,
    pub statements: usize,
    /// Statements that can't be deleted without breaking their file: they are kept in every arm.
    pub fixed: usize,
}

impl Candidates {
    /// The candidates of a subject's case; its quote has been found before.
    pub(super) fn of(workshop: &Workshop<'_>, case: &Case, subject: &Subject) -> Candidates {
        let rule = &case.rules[subject.number];
        let found = workshop.stated(rule, &mut Diagnostics::default()).unwrap_or_default();
        let also = workshop.also(rule, &found, &mut Diagnostics::default()).unwrap_or_default();
        let mut quoted: Vec<Candidate> = vec![];
        for file in found.iter().chain(&also) {
            let document = workshop.index_of(file.document);
            let headings: Vec<usize> = headings(file.document);
            let new = |statement: &Statement| Candidate {
                document,
                statement: statement.clone(),
                quoted: true,
                heading: false,
                section: headings.partition_point(|start| *start <= statement.range.start),
                likeness: 1.0,
            };
            quoted.extend(file.statements.iter().map(new));
        }
        if !subject.arms.contains_key(&Arm::Delete) {
            // The rule itself can't be deleted: its words are looked at like all others.
            quoted.clear();
        }
        let own = |at: usize| -> Vec<Range<usize>> {
            quoted.iter().filter(|one| one.document == at).map(|one| one.statement.range.clone()).collect()
        };
        let (mut statements, mut further): (Vec<Candidate>, Vec<Candidate>) = (vec![], vec![]);
        for (at, document) in workshop.documents.iter().enumerate() {
            let own = own(at);
            let headings = headings(document);
            for unit in units(document) {
                for range in apart(document, &unit, &own) {
                    let section = headings.partition_point(|start| *start <= range.start);
                    let heading = unit.kind == UnitKind::Heading;
                    let statement = Statement::at(document, range);
                    let candidate =
                        Candidate { document: at, statement, quoted: false, heading, section, likeness: 0.0 };
                    match unit.kind {
                        UnitKind::Heading | UnitKind::Code => further.push(candidate),
                        UnitKind::Item | UnitKind::Sentence | UnitKind::Cell => statements.push(candidate),
                    }
                }
            }
        }
        order(&mut statements, case, &rule.quote);
        let mut candidates = Candidates { quoted: quoted.len(), ..Candidates::default() };
        candidates.all = quoted;
        candidates.all.append(&mut statements);
        candidates.statements = candidates.all.len();
        candidates.all.append(&mut further);
        candidates.keep_what_breaks(workshop);
        candidates
    }

    /// Leaves out what no edit can delete. Each is tried alone only where they can't be deleted together.
    fn keep_what_breaks(&mut self, workshop: &Workshop<'_>) {
        let everything: Set = (0..self.all.len()).collect();
        if everything.is_empty() || self.deleted(workshop, &everything).is_ok() {
            return;
        }
        let kept: Vec<bool> =
            (0..self.all.len()).map(|at| at < self.quoted || self.deleted(workshop, &[at].into()).is_ok()).collect();
        let lost = |until: usize| kept[..until].iter().filter(|kept| !**kept).count();
        self.fixed = lost(self.all.len());
        self.statements -= lost(self.statements);
        let mut kept = kept.into_iter();
        self.all.retain(|_| kept.next().unwrap_or(true));
    }

    /// Every heading with what stands below it, up to the next one.
    pub(super) fn sections(&self) -> Vec<(usize, Set)> {
        let below = |heading: &Candidate| -> Set {
            let same =
                |one: &Candidate| !one.heading && (one.document, one.section) == (heading.document, heading.section);
            (0..self.all.len()).filter(|at| same(&self.all[*at])).collect()
        };
        let headings = self.all.iter().enumerate().filter(|(_, one)| one.heading);
        headings.map(|(at, heading)| (at, below(heading))).collect()
    }

    /// The instruction files without these candidates.
    ///
    /// # Errors
    /// Why they can't be deleted together.
    pub(super) fn without(&self, workshop: &Workshop<'_>, set: &Set) -> Result<(ArmFiles, Vec<String>), String> {
        let Made { revision, edits } = self.deleted(workshop, set)?;
        let mut notes: Vec<String> = edits.into_iter().flat_map(|edited| edited.notes).collect();
        notes.dedup();
        Ok((workshop.files_of(&revision), notes))
    }

    fn deleted(&self, workshop: &Workshop<'_>, set: &Set) -> Result<Made, String> {
        let mut stated: Vec<Stated<'_>> = vec![];
        for (at, document) in workshop.documents.iter().enumerate() {
            let of_file = set.iter().map(|one| &self.all[*one]).filter(|one| one.document == at);
            let statements: Vec<Statement> = of_file.map(|one| one.statement.clone()).collect();
            if !statements.is_empty() {
                stated.push(Stated { document, statements });
            }
        }
        workshop.edited(&stated, &[], &Edit::Delete)
    }

    /// The candidates that the subject's control deletes.
    pub(super) fn in_control(&self, workshop: &Workshop<'_>, subject: &Subject) -> Set {
        let Some(control) = subject.mutants.iter().find(|mutant| mutant.operator == Arm::Control) else {
            return Set::new();
        };
        let touches = |one: &Candidate| {
            let document = &workshop.documents[one.document];
            let bytes = document.byte_range(one.statement.range.clone());
            crate::studies::rules::subject::shown(document.path()) == control.file
                && bytes.start < control.end
                && control.start < bytes.end
        };
        (0..self.all.len()).filter(|at| touches(&self.all[*at])).collect()
    }
}

/// Where the headings of a document start.
fn headings(document: &Document) -> Vec<usize> {
    units(document).into_iter().filter(|unit| unit.kind == UnitKind::Heading).map(|unit| unit.range.start).collect()
}

/// The parts of a unit that are not in `own`, where they hold a word: a quote may be one sentence of an item.
fn apart(document: &Document, unit: &Unit, own: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = vec![unit.range.clone()];
    for range in own {
        left = left
            .into_iter()
            .flat_map(|part| {
                if range.end <= part.start || part.end <= range.start {
                    return vec![part];
                }
                vec![part.start..range.start.max(part.start), range.end.min(part.end)..part.end]
            })
            .collect();
    }
    let text = document.text();
    left.into_iter()
        .map(|part| {
            let words = &text[part.clone()];
            let start = part.start + (words.len() - words.trim_start().len());
            start..start.max(part.start + words.trim_end().len())
        })
        .filter(|part| text[part.clone()].contains(char::is_alphanumeric))
        .collect()
}

/// By likeness, lead-ins last: what stands below a lead-in goes with it.
fn order(statements: &mut [Candidate], case: &Case, quote: &str) {
    let texts = Texts::new(statements.iter().map(|one| one.statement.text.as_str()));
    let mut words = vec![case.input.clone()];
    words.extend(case.expect.iter().flat_map(|assertion| assertion.matcher.literals()));
    let (rule, case) = (texts.like(quote), texts.like(&words.join("\n")));
    for (at, one) in statements.iter_mut().enumerate() {
        one.likeness = rule[at] + CASE_WORDS * case[at];
    }
    let leads = |one: &Candidate| one.statement.text.trim_end().ends_with([':', '：']);
    statements.sort_by(|a, b| leads(a).cmp(&leads(b)).then(b.likeness.total_cmp(&a.likeness)));
}
