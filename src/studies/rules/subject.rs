//! From cases and instruction files to subjects: what each arm's instructions read, or why an arm can't be made.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::inverting::Stubborn;
use super::quotes::{Rules, Stated};
use super::revision::{Revision, Step, text_after};
use super::wording::{Helped, Wording};
use super::{Arm, MutantReport, RuleReport, StatementReport};
use crate::agents::{InstructionFile, canary::canary_text};
use crate::instructions::{Document, Edit, Revised, Statement, Unit, locate, revise};
use crate::mutators::rule::Bystanders;
use crate::run::MutantNote;
use crate::source::Diagnostics;
use crate::suite::{Case, Rule};

/// The files that one arm gives to the agent.
pub type ArmFiles = Arc<[InstructionFile]>;

/// One case and one rule that it quotes, with every arm made ready.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The case's id; `id#2` for the second rule of a case.
    pub id: String,
    pub case_id: String,
    /// Index of the case among those of the study.
    pub case: usize,
    /// Which of the case's rules, from 0.
    pub number: usize,
    pub rule: RuleReport,
    /// The document in which the rule stands first.
    pub document: usize,
    /// Which documents each arm changes.
    pub changed: BTreeMap<Arm, Vec<usize>>,
    /// Arms that can be asked, and what they do to the files. Baseline, control, bare and canary are always there.
    pub arms: BTreeMap<Arm, Revision>,
    /// The operators' mutants in order, those that can't be made among them; then the control.
    pub mutants: Vec<MutantReport>,
    /// The rule's opposite in words, where the invert arm has one.
    pub opposite: Option<String>,
    /// What a helper model may be asked, where that arm has none.
    pub stubborn: Option<Stubborn>,
}

impl Subject {
    /// The arm's name for the agent and the journal: `delete`, and `delete#2` for the second rule of a case. Baseline,
    /// bare and canary are the same for all rules of a case, so their trials are shared.
    pub fn arm_label(&self, arm: Arm) -> String {
        match (arm, self.number) {
            (Arm::Baseline | Arm::Bare | Arm::Canary, _) | (_, 0) => arm.name().to_owned(),
            (arm, number) => format!("{arm}#{}", number + 1),
        }
    }
}

/// Everything that subjects are made from.
pub struct Workshop<'d> {
    pub documents: &'d [Document],
    /// The operators that were asked for.
    pub operators: &'d [Arm],
    pub seed: u64,
    /// What a helper model made of rules that are refused offline; `None` where there is no helper.
    pub helped: Option<Helped>,
    baseline: ArmFiles,
    /// What a document says that demands the nonce.
    canary: Arc<str>,
    /// For each document, its units and which of them could serve as a control, read when first asked for.
    bystanders: Vec<OnceLock<Bystanders>>,
}

impl<'d> Workshop<'d> {
    /// `nonce` is what the canary arm demands.
    pub fn new(documents: &'d [Document], operators: &'d [Arm], seed: u64, nonce: &str) -> Workshop<'d> {
        Workshop {
            documents,
            operators,
            seed,
            helped: None,
            baseline: documents.iter().map(InstructionFile::of).collect(),
            canary: canary_text(nonce).into(),
            bystanders: documents.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// The files that a subject's arm gives to the agent; those of the suite for an arm that it does not have.
    pub fn files(&self, subject: &Subject, arm: Arm) -> ArmFiles {
        self.files_of(subject.arms.get(&arm).unwrap_or(&Revision::Original))
    }

    pub(super) fn files_of(&self, revision: &Revision) -> ArmFiles {
        revision.files(self.documents, &self.baseline)
    }

    /// The suite's files as they are.
    pub fn baseline(&self) -> &ArmFiles {
        &self.baseline
    }

    /// One subject for each rule that the case quotes; a quote that can't be found is a diagnostic.
    pub fn subjects(&self, at: usize, case: &Case, diagnostics: &mut Diagnostics) -> Vec<Subject> {
        let mut subjects = vec![];
        for (number, rule) in case.rules.iter().enumerate() {
            let id = if number == 0 { case.id.clone() } else { format!("{}#{}", case.id, number + 1) };
            let Some(stated) = self.stated(rule, diagnostics) else { continue };
            let Some(also) = self.also(rule, &stated, diagnostics) else { continue };
            let Some(control) = self.written_control(rule, diagnostics) else { continue };
            let stated = Rules { stated, also, control };
            subjects.push(self.subject(id, (at, number), case, rule, &stated));
        }
        subjects
    }

    /// Makes those subjects anew whose opposite a helper was asked for, with what is known of it now.
    pub fn remake(&self, cases: &[Case], subjects: &mut [Subject]) {
        for subject in subjects.iter_mut().filter(|subject| subject.stubborn.is_some()) {
            // What there is to warn of was said when the subject was made first.
            let again = self.subjects(subject.case, &cases[subject.case], &mut Diagnostics::default());
            if let Some(made) = again.into_iter().find(|made| made.id == subject.id) {
                *subject = made;
            }
        }
    }

    fn subject(
        &self,
        id: String,
        (at, number): (usize, usize),
        case: &Case,
        rule: &Rule,
        rules: &Rules<'_>,
    ) -> Subject {
        let stated = rules.stated.as_slice();
        let document = self.index_of(stated[0].document);
        let mut arms = BTreeMap::from([
            (Arm::Baseline, Revision::Original),
            (Arm::Bare, Revision::Only(None)),
            (Arm::Canary, Revision::Only(Some((document, Arc::clone(&self.canary))))),
        ]);
        let (mut mutants, mut opposite, mut stubborn) = (vec![], None, None);
        for arm in self.operators {
            let Wording { edit, source, made_by, would_ask, stubborn: open } = self.wording(*arm, case, rule, stated);
            let text = edit.clone();
            let made = edit.and_then(|edit| self.edited(stated, &rules.also, &edit));
            let mut mutant = self.mutant(&id, *arm, stated, source, &made);
            (mutant.made_by, mutant.would_ask) = (made_by, would_ask);
            if let (Arm::Invert, true, Ok(Edit::Replace(text))) = (arm, made.is_ok(), text) {
                opposite = Some(text);
            }
            stubborn = stubborn.or(open);
            mutants.push(mutant);
            if let Ok(made) = made {
                arms.insert(*arm, made.revision);
            }
        }
        let (revision, control) = self.control(&id, case, rules);
        arms.insert(Arm::Control, revision);
        mutants.push(control);
        for mutant in &mut mutants {
            mutant.case.clone_from(&case.id);
        }
        let statements = stated
            .iter()
            .chain(&rules.also)
            .flat_map(|file| file.statements.iter().map(|one| place_of(file.document, one)));
        let rule = RuleReport { quote: rule.quote.clone(), statements: statements.collect() };
        let changed = arms.iter().map(|(arm, revision)| (*arm, self.changed(revision))).collect();
        Subject {
            id,
            case_id: case.id.clone(),
            case: at,
            number,
            rule,
            document,
            changed,
            arms,
            mutants,
            opposite,
            stubborn,
        }
    }

    pub(super) fn bystanders_of(&self, at: usize) -> &Bystanders {
        self.bystanders[at].get_or_init(|| Bystanders::of(&self.documents[at]))
    }

    pub(super) fn units_of(&self, document: &Document) -> &[Unit] {
        self.bystanders_of(self.index_of(document)).units()
    }

    pub(super) fn index_of(&self, document: &Document) -> usize {
        let at = self.documents.iter().position(|one| std::ptr::eq(one, document));
        at.expect("statements come from the workshop's own documents")
    }

    /// Where an arm's files differ from the baseline. Where all of several do (bare), no single one is shown to arrive.
    fn changed(&self, revision: &Revision) -> Vec<usize> {
        let differs = |at: &usize| revision.changes(*at, &self.documents[*at]);
        let changed: Vec<usize> = (0..self.documents.len()).filter(differs).collect();
        if changed.len() > 1 { vec![] } else { changed }
    }

    /// All statements edited and all further texts deleted, in all files; the error is the reason for a report.
    pub(super) fn edited(&self, stated: &[Stated<'_>], also: &[Stated<'_>], change: &Edit) -> Result<Made, String> {
        let mut made = Made { revision: Revision::Original, edits: vec![] };
        let mut steps: Vec<Step> = vec![];
        for file in stated {
            let revised = revise(file.document, &file.statements, change).map_err(|error| error.to_string())?;
            steps.push(self.step(file.document, &revised)?);
            made.edits.push(revised);
        }
        for file in also {
            // The file may have been edited above: its statements are looked for again in what it reads now.
            let at = self.index_of(file.document);
            let now = match text_after(&steps, at, file.document) {
                None => file.document.clone(),
                Some(text) => {
                    let bytes = file.document.encode(&text).map_err(|error| error.to_string())?;
                    Document::from_bytes(file.document.path(), bytes).map_err(|error| error.to_string())?
                }
            };
            let statements: Vec<Statement> =
                file.statements.iter().flat_map(|statement| locate(&now, &statement.text)).collect();
            if statements.is_empty() {
                continue;
            }
            let revised = revise(&now, &statements, &Edit::Delete).map_err(|error| error.to_string())?;
            steps.push(self.step(file.document, &revised)?);
        }
        made.revision = Revision::Edited(steps);
        Ok(made)
    }

    /// A step that the document's encoding can hold.
    fn step(&self, document: &Document, revised: &Revised) -> Result<Step, String> {
        for change in &revised.changes {
            document.encode(&change.after_text).map_err(|error| error.to_string())?;
        }
        Ok(Step { document: self.index_of(document), changes: revised.changes.clone() })
    }

    pub(super) fn mutant(
        &self,
        case: &str,
        arm: Arm,
        stated: &[Stated<'_>],
        source: &'static str,
        made: &Result<Made, String>,
    ) -> MutantReport {
        let first = &stated[0];
        let statement = &first.statements[0];
        let mut also: Vec<StatementReport> =
            stated.iter().flat_map(|file| file.statements.iter().map(|one| place_of(file.document, one))).collect();
        also.remove(0);
        let (range, before, after, notes, refused, digest) = match made {
            Err(reason) => {
                let words = statement.text.clone();
                let digest = blake3::hash(words.as_bytes()).to_hex()[..8].to_owned();
                (statement.range.clone(), words, String::new(), vec![], Some(reason.clone()), digest)
            }
            Ok(Made { revision, edits }) => {
                let change = edits[0].changes.iter().find(|change| {
                    change.before.start < statement.range.end && statement.range.start < change.before.end
                });
                let (range, before, after) = match change {
                    Some(change) => (change.before.clone(), change.before_text.clone(), change.after_text.clone()),
                    None => (statement.range.clone(), statement.text.clone(), String::new()),
                };
                let notes = edits.iter().flat_map(|edited| edited.notes.clone()).collect();
                (range, before, after, notes, None, revision.digest(self.documents))
            }
        };
        let bytes = first.document.byte_range(range);
        MutantReport {
            id: format!("{case}/{arm}/{digest}"),
            case: case.to_owned(),
            operator: arm,
            file: shown(first.document.path()),
            line: statement.line,
            start: bytes.start,
            end: bytes.end,
            before,
            after,
            source,
            made_by: None,
            refused,
            would_ask: None,
            notes,
            also,
        }
    }

    /// The change of one arm as a unified diff, for the journal.
    pub fn note(&self, subject: &Subject, arm: Arm) -> Option<MutantNote> {
        subject.arms.get(&arm)?;
        let files = self.files(subject, arm);
        let id = subject.mutants.iter().find(|mutant| mutant.operator == arm).map(|mutant| mutant.id.clone());
        let mut diff = String::new();
        if matches!(arm, Arm::Bare | Arm::Canary) {
            diff.push_str("-all instructions\n");
            let demand = files.iter().flat_map(|file| file.text.lines()).filter(|line| !line.trim().is_empty());
            demand.for_each(|line| diff.push_str(&format!("+{line}\n")));
        } else {
            diff = self.diff(&files);
        }
        let mutant = id.unwrap_or_else(|| format!("{}/{arm}", subject.id));
        let case = subject.case_id.clone();
        Some(MutantNote { mutant, case, arm: subject.arm_label(arm), diff })
    }

    /// What differs from the instructions as they are, as a unified diff.
    pub(super) fn diff(&self, files: &ArmFiles) -> String {
        let mut diff = String::new();
        for (before, after) in self.baseline.iter().zip(files.iter()).filter(|(a, b)| a.text != b.text) {
            let name = shown(&before.path);
            let changes = similar::TextDiff::from_lines(&before.text, &after.text);
            diff.push_str(&changes.unified_diff().context_radius(2).header(&name, &name).to_string());
        }
        diff
    }
}

/// An arm that could be made.
pub(super) struct Made {
    pub(super) revision: Revision,
    /// What was done to each of the files in which the rule stands.
    pub(super) edits: Vec<Revised>,
}

fn place_of(document: &Document, statement: &Statement) -> StatementReport {
    let bytes = document.byte_range(statement.range.clone());
    StatementReport {
        file: shown(document.path()),
        line: statement.line,
        column: statement.column,
        start: bytes.start,
        end: bytes.end,
    }
}

pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
