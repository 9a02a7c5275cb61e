//! From cases and instruction files to subjects: what each arm's instructions read, or why an arm can't be made.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::{Arm, MutantReport, RuleReport, StatementReport};
use crate::agents::{InstructionFile, canary::canary_text};
use crate::instructions::{Document, Edit, Edited, Statement, edit, locate, nearest, units};
use crate::mutators::rule::{Inversion, control, invert, weaken};
use crate::run::MutantNote;
use crate::source::{Diagnostic, Diagnostics};
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

/// The rule in one file.
struct Stated<'d> {
    document: &'d Document,
    statements: Vec<Statement>,
}

/// Everything that subjects are made from.
pub struct Workshop<'d> {
    pub documents: &'d [Document],
    /// The operators that were asked for.
    pub operators: &'d [Arm],
    pub seed: u64,
    baseline: ArmFiles,
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
                    None => unchanged(document),
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
        stated: &[Stated<'_>],
    ) -> Subject {
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
                    None => (worded(invert(&rule.quote)), "offline"),
                },
                _ => (worded(weaken(&rule.quote)), "offline"),
            };
            let made = edit.and_then(|edit| self.edited(stated, &edit));
            mutants.push(self.mutant(&id, *arm, stated, source, &made));
            if let Ok((arm_files, _)) = made {
                files.insert(*arm, arm_files);
            }
        }
        let (control_files, control) = self.control(&id, case, stated);
        files.insert(Arm::Control, control_files);
        mutants.push(control);
        let statements = stated.iter().flat_map(|file| file.statements.iter().map(|one| place_of(file.document, one)));
        let rule = RuleReport { quote: rule.quote.clone(), statements: statements.collect() };
        let changed = files.iter().map(|(arm, made)| (*arm, self.changed(made))).collect();
        Subject { id, case_id: case.id.clone(), case: at, number, rule, document, changed, files, mutants }
    }

    fn index_of(&self, document: &Document) -> usize {
        let at = self.documents.iter().position(|one| std::ptr::eq(one, document));
        at.expect("statements come from the workshop's own documents")
    }

    /// Where an arm's files differ from the baseline. Where all of several do (bare), no single one is shown to arrive.
    fn changed(&self, files: &ArmFiles) -> Vec<usize> {
        let differs = |at: &usize| self.baseline[*at].bytes != files[*at].bytes;
        let changed: Vec<usize> = (0..self.documents.len()).filter(differs).collect();
        if changed.len() > 1 { vec![] } else { changed }
    }

    /// Every place of the rule, narrowed by the case's `file:`, `heading:` and `line:`.
    fn stated(&self, rule: &Rule, diagnostics: &mut Diagnostics) -> Option<Vec<Stated<'d>>> {
        let wanted = |document: &&Document| rule.file.as_deref().is_none_or(|file| same_path(file, document.path()));
        let mut stated: Vec<Stated<'d>> = vec![];
        let mut elsewhere: Vec<String> = vec![];
        for document in self.documents.iter().filter(wanted) {
            let mut statements = locate(document, &rule.quote);
            statements.retain(|statement| {
                let kept = stands_at(document, statement, rule);
                if !kept {
                    elsewhere.push(format!("{}:{}", document.path().display(), statement.line));
                }
                kept
            });
            if !statements.is_empty() {
                stated.push(Stated { document, statements });
            }
        }
        if stated.is_empty() {
            diagnostics.push(self.not_found(rule, &elsewhere));
            return None;
        }
        Some(stated)
    }

    fn not_found(&self, rule: &Rule, elsewhere: &[String]) -> Diagnostic {
        let mut error = Diagnostic::error("the quoted rule is not in the instructions").at(&rule.place);
        if !elsewhere.is_empty() {
            return error
                .label("not at the `line:` or `heading:` given here")
                .help(format!("it stands at {}", elsewhere.join(", ")));
        }
        let searched: Vec<&Document> = self
            .documents
            .iter()
            .filter(|document| rule.file.as_deref().is_none_or(|file| same_path(file, document.path())))
            .collect();
        let best = searched
            .iter()
            .filter_map(|document| nearest(document, &rule.quote).map(|near| (document, near)))
            .max_by(|(_, a), (_, b)| a.likeness.total_cmp(&b.likeness));
        if let Some((document, near)) = best.filter(|(_, near)| near.likeness >= 0.5) {
            let words = near.text.split_whitespace().collect::<Vec<_>>().join(" ");
            error = error
                .label("no such text")
                .help(format!(
                    "nearest ({:.0} % alike), {}:{}:",
                    near.likeness * 100.0,
                    document.path().display(),
                    near.line
                ))
                .help(word_diff(&rule.quote, &words))
                .help("copy the rule's words from the file; line wraps, markers and emphasis don't matter");
        } else {
            let names: Vec<String> = searched.iter().map(|document| document.path().display().to_string()).collect();
            error = error.label("nothing like it is there").help(format!("searched: {}", names.join(", ")));
        }
        error
    }

    /// All statements edited, in all files; the error is the reason for a report.
    fn edited(&self, stated: &[Stated<'_>], change: &Edit) -> Result<(ArmFiles, Vec<Edited>), String> {
        let mut edits = vec![];
        for file in stated {
            edits.push(edit(file.document, &file.statements, change).map_err(|error| error.to_string())?);
        }
        let mut files: Vec<InstructionFile> = self.baseline.to_vec();
        for (file, edited) in stated.iter().zip(&edits) {
            let bytes = file.document.encode(&edited.text).map_err(|error| error.to_string())?;
            let target = &mut files[self.index_of(file.document)];
            target.bytes = bytes;
            target.text.clone_from(&edited.text);
        }
        Ok((files.into(), edits))
    }

    fn mutant(
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

    /// An unrelated rule deleted; where there is none, an edit that changes no meaning.
    fn control(&self, id: &str, case: &Case, stated: &[Stated<'_>]) -> (ArmFiles, MutantReport) {
        let mut avoid = vec![case.input.clone()];
        avoid.extend(case.expect.iter().flat_map(|assertion| assertion.matcher.literals()));
        let own = stated.iter().map(|file| (file.document, file.statements.as_slice()));
        let others = self
            .documents
            .iter()
            .filter(|document| !stated.iter().any(|file| std::ptr::eq(file.document, *document)))
            .map(|document| (document, &[][..]));
        let mut why = String::new();
        for (document, statements) in own.chain(others) {
            match control(document, statements, &avoid, self.seed) {
                Ok(statement) => {
                    let stated = [Stated { document, statements: vec![statement] }];
                    let made = self.edited(&stated, &Edit::Delete);
                    if made.is_ok() {
                        let report = self.mutant(id, Arm::Control, &stated, "offline", &made);
                        if let Ok((files, _)) = made {
                            return (files, report);
                        }
                    }
                }
                Err(reason) if why.is_empty() => why = reason.to_string(),
                Err(_) => {}
            }
        }
        self.neutral_control(id, &stated[0], &why)
    }

    /// The last line break doubled: other bytes, the same meaning.
    fn neutral_control(&self, id: &str, stated: &Stated<'_>, why: &str) -> (ArmFiles, MutantReport) {
        let text = format!("{}\n\n", stated.document.text().trim_end());
        let text = if text == stated.document.text() { format!("{text}\n") } else { text };
        let files: ArmFiles = self
            .documents
            .iter()
            .map(|document| {
                if std::ptr::eq(document, stated.document)
                    && let Ok(bytes) = document.encode(&text)
                {
                    return InstructionFile { path: document.path().to_owned(), bytes, text: text.clone() };
                }
                unchanged(document)
            })
            .collect();
        let end = stated.document.text().len();
        let bytes = stated.document.byte_range(end..end);
        let report = MutantReport {
            id: format!("{id}/{}/{}", Arm::Control, &blake3::hash(text.as_bytes()).to_hex()[..8]),
            case: id.to_owned(),
            operator: Arm::Control,
            file: shown(stated.document.path()),
            line: stated.document.line_column(end).0,
            start: bytes.start,
            end: bytes.end,
            before: String::new(),
            after: String::new(),
            source: "offline",
            refused: None,
            notes: vec![format!("only blank lines at the end changed: {why}")],
            also: vec![],
        };
        (files, report)
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
            for (before, after) in self.baseline.iter().zip(files.iter()).filter(|(a, b)| a.text != b.text) {
                let name = shown(&before.path);
                let changes = similar::TextDiff::from_lines(&before.text, &after.text);
                diff.push_str(&changes.unified_diff().context_radius(2).header(&name, &name).to_string());
            }
        }
        let mutant = id.unwrap_or_else(|| format!("{}/{arm}", subject.id));
        let case = subject.case_id.clone();
        Some(MutantNote { mutant, case, arm: subject.arm_label(arm), diff })
    }
}

fn worded(inversion: Inversion) -> Result<Edit, String> {
    match inversion {
        Inversion::Inverted(text) => Ok(Edit::Replace(text)),
        Inversion::Refused(refusal) => Err(format!("{}: {}", refusal.reason.name(), refusal.reason.advice())),
    }
}

fn unchanged(document: &Document) -> InstructionFile {
    InstructionFile {
        path: document.path().to_owned(),
        bytes: document.bytes().to_vec(),
        text: document.text().to_owned(),
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

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn same_path(a: &Path, b: &Path) -> bool {
    let plain = |path: &Path| shown(path).trim_start_matches("./").to_owned();
    plain(a) == plain(b)
}

/// Whether a statement is the one that the case's `line:` and `heading:` mean.
fn stands_at(document: &Document, statement: &Statement, rule: &Rule) -> bool {
    let last = document.line_column(statement.range.end.saturating_sub(1).max(statement.range.start)).0;
    if rule.line.is_some_and(|line| !(statement.line..=last).contains(&line)) {
        return false;
    }
    let Some(heading) = &rule.heading else { return true };
    let folded = |text: &str| text.trim().trim_start_matches('#').trim().to_lowercase();
    units(document)
        .into_iter()
        .find(|unit| unit.range.start < statement.range.end && statement.range.start < unit.range.end)
        .and_then(|unit| unit.section)
        .is_some_and(|section| folded(&section) == folded(heading))
}

/// The two texts in one line, what differs in brackets: `refund orders [-after-]{+within+} 30 days`.
fn word_diff(quote: &str, nearest: &str) -> String {
    let diff = similar::TextDiff::from_words(quote, nearest);
    let mut out = String::new();
    for change in diff.iter_all_changes() {
        match change.tag() {
            similar::ChangeTag::Equal => out.push_str(change.value()),
            similar::ChangeTag::Delete if change.value().trim().is_empty() => {}
            similar::ChangeTag::Delete => out.push_str(&format!("[-{}-]", change.value())),
            similar::ChangeTag::Insert if change.value().trim().is_empty() => out.push_str(change.value()),
            similar::ChangeTag::Insert => out.push_str(&format!("{{+{}+}}", change.value())),
        }
    }
    out
}
