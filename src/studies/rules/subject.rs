//! From cases and instruction files to subjects: what each arm's instructions read, or why an arm can't be made.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::quotes::{Rules, Stated};
use super::{Arm, MutantReport, RuleReport, StatementReport};
use crate::agents::{InstructionFile, canary::canary_text};
use crate::instructions::{Document, Edit, Edited, Statement, edit, locate};
use crate::mutators::rule::{Inversion, invert, weaken};
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
    /// Arms that can be asked. Baseline, control, bare and canary are always there.
    pub files: BTreeMap<Arm, ArmFiles>,
    /// The operators' mutants in order, those that can't be made among them; then the control.
    pub mutants: Vec<MutantReport>,
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
    pub(super) baseline: ArmFiles,
    bare: ArmFiles,
    /// For each document, the one that demands the nonce while the others are empty.
    canaries: Vec<ArmFiles>,
}

impl<'d> Workshop<'d> {
    /// `nonce` is what the canary arm demands.
    pub fn new(documents: &'d [Document], operators: &'d [Arm], seed: u64, nonce: &str) -> Workshop<'d> {
        let files = |text: &dyn Fn(usize) -> Option<String>| -> ArmFiles {
            documents
                .iter()
                .enumerate()
                .map(|(at, document)| match text(at) {
                    None => InstructionFile::of(document),
                    Some(text) => {
                        InstructionFile { path: document.path().to_owned(), bytes: text.clone().into_bytes(), text }
                    }
                })
                .collect()
        };
        let demand = canary_text(nonce);
        Workshop {
            documents,
            operators,
            seed,
            baseline: files(&|_| None),
            bare: files(&|_| Some(String::new())),
            canaries: (0..documents.len())
                .map(|of| files(&|at| Some(if at == of { demand.clone() } else { String::new() })))
                .collect(),
        }
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
        let mut files = BTreeMap::from([
            (Arm::Baseline, Arc::clone(&self.baseline)),
            (Arm::Bare, Arc::clone(&self.bare)),
            (Arm::Canary, Arc::clone(&self.canaries[document])),
        ]);
        let mut mutants = vec![];
        for arm in self.operators {
            let (edit, source) = match arm {
                Arm::Delete => (Ok(Edit::Delete), "offline"),
                Arm::Invert => match &rule.inverted {
                    Some(text) => (Ok(Edit::Replace(text.clone())), "case"),
                    None => (worded(invert(&words_of(rule, stated))), "offline"),
                },
                _ => (worded(weaken(&words_of(rule, stated))), "offline"),
            };
            let made = edit.and_then(|edit| self.edited(stated, &rules.also, &edit));
            mutants.push(self.mutant(&id, *arm, stated, source, &made));
            if let Ok((arm_files, _)) = made {
                files.insert(*arm, arm_files);
            }
        }
        let (control_files, control) = self.control(&id, case, rules);
        files.insert(Arm::Control, control_files);
        mutants.push(control);
        for mutant in &mut mutants {
            mutant.case.clone_from(&case.id);
        }
        let statements = stated
            .iter()
            .chain(&rules.also)
            .flat_map(|file| file.statements.iter().map(|one| place_of(file.document, one)));
        let rule = RuleReport { quote: rule.quote.clone(), statements: statements.collect() };
        let changed = files.iter().map(|(arm, made)| (*arm, self.changed(made))).collect();
        Subject { id, case_id: case.id.clone(), case: at, number, rule, document, changed, files, mutants }
    }

    pub(super) fn index_of(&self, document: &Document) -> usize {
        let at = self.documents.iter().position(|one| std::ptr::eq(one, document));
        at.expect("statements come from the workshop's own documents")
    }

    /// Where an arm's files differ from the baseline. Where all of several do (bare), no single one is shown to arrive.
    fn changed(&self, files: &ArmFiles) -> Vec<usize> {
        let differs = |at: &usize| self.baseline[*at].bytes != files[*at].bytes;
        let changed: Vec<usize> = (0..self.documents.len()).filter(differs).collect();
        if changed.len() > 1 { vec![] } else { changed }
    }

    /// All statements edited and all further texts deleted, in all files; the error is the reason for a report.
    pub(super) fn edited(
        &self,
        stated: &[Stated<'_>],
        also: &[Stated<'_>],
        change: &Edit,
    ) -> Result<(ArmFiles, Vec<Edited>), String> {
        let mut files: Vec<InstructionFile> = self.baseline.to_vec();
        let mut edits = vec![];
        for file in stated {
            let edited = edit(file.document, &file.statements, change).map_err(|error| error.to_string())?;
            self.put(&mut files, file.document, &edited.text)?;
            edits.push(edited);
        }
        for file in also {
            // The file may have been edited above: its statements are looked for again in what it reads now.
            let at = self.index_of(file.document);
            let now = Document::from_bytes(files[at].path.clone(), files[at].bytes.clone())
                .map_err(|error| error.to_string())?;
            let statements: Vec<Statement> =
                file.statements.iter().flat_map(|statement| locate(&now, &statement.text)).collect();
            if statements.is_empty() {
                continue;
            }
            let edited = edit(&now, &statements, &Edit::Delete).map_err(|error| error.to_string())?;
            self.put(&mut files, file.document, &edited.text)?;
        }
        Ok((files.into(), edits))
    }

    fn put(&self, files: &mut [InstructionFile], document: &Document, text: &str) -> Result<(), String> {
        let target = &mut files[self.index_of(document)];
        target.bytes = document.encode(text).map_err(|error| error.to_string())?;
        text.clone_into(&mut target.text);
        Ok(())
    }

    pub(super) fn mutant(
        &self,
        case: &str,
        arm: Arm,
        stated: &[Stated<'_>],
        source: &'static str,
        made: &Result<(ArmFiles, Vec<Edited>), String>,
    ) -> MutantReport {
        let first = &stated[0];
        let statement = &first.statements[0];
        let mut also: Vec<StatementReport> =
            stated.iter().flat_map(|file| file.statements.iter().map(|one| place_of(file.document, one))).collect();
        also.remove(0);
        let (range, before, after, notes, refused, content) = match made {
            Err(reason) => {
                let words = statement.text.clone();
                (statement.range.clone(), words.clone(), String::new(), vec![], Some(reason.clone()), words)
            }
            Ok((files, edits)) => {
                let change = edits[0].changes.iter().find(|change| {
                    change.before.start < statement.range.end && statement.range.start < change.before.end
                });
                let (range, before, after) = match change {
                    Some(change) => (change.before.clone(), change.before_text.clone(), change.after_text.clone()),
                    None => (statement.range.clone(), statement.text.clone(), String::new()),
                };
                let notes = edits.iter().flat_map(|edited| edited.notes.clone()).collect();
                let content = files.iter().map(|file| file.text.as_str()).collect::<Vec<_>>().join("\u{0}");
                (range, before, after, notes, None, content)
            }
        };
        let bytes = first.document.byte_range(range);
        MutantReport {
            id: format!("{case}/{arm}/{}", &blake3::hash(content.as_bytes()).to_hex()[..8]),
            case: case.to_owned(),
            operator: arm,
            file: shown(first.document.path()),
            line: statement.line,
            start: bytes.start,
            end: bytes.end,
            before,
            after,
            source,
            refused,
            notes,
            also,
        }
    }

    /// The change of one arm as a unified diff, for the journal.
    pub fn note(&self, subject: &Subject, arm: Arm) -> Option<MutantNote> {
        let files = subject.files.get(&arm)?;
        let id = subject.mutants.iter().find(|mutant| mutant.operator == arm).map(|mutant| mutant.id.clone());
        let mut diff = String::new();
        if matches!(arm, Arm::Bare | Arm::Canary) {
            diff.push_str("-all instructions\n");
            let demand = files.iter().flat_map(|file| file.text.lines()).filter(|line| !line.trim().is_empty());
            demand.for_each(|line| diff.push_str(&format!("+{line}\n")));
        } else {
            diff = self.diff(files);
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

/// The rule as the file words it, where the quote is all of it: a quote may be in other letter case, or leave words out.
fn words_of(rule: &Rule, stated: &[Stated<'_>]) -> String {
    let text = &stated[0].statements[0].text;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if rule.quote.contains(['…']) || rule.quote.contains("...") { words } else { one_line(&rule.quote, &words) }
}

/// The file's spelling, unless it carries list or quote marks between its lines that the quote does not have.
fn one_line(quote: &str, words: &str) -> String {
    let letters =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    if letters(quote) == letters(words) { words.to_owned() } else { quote.to_owned() }
}

fn worded(inversion: Inversion) -> Result<Edit, String> {
    match inversion {
        Inversion::Inverted(text) => Ok(Edit::Replace(text)),
        Inversion::Refused(refusal) => Err(format!("{}: {}", refusal.reason.name(), refusal.reason.advice())),
    }
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
