//! From cases and instruction files to subjects: what each arm's instructions read, or why an arm can't be made.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::{Arm, MutantReport, RuleReport, StatementReport};
use crate::agents::{InstructionFile, canary::canary_text};
use crate::instructions::{Document, Edit, Edited, Statement, edit, is_whole, locate, nearest, units};
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

/// Where everything stands that a subject's rule names.
struct Rules<'d> {
    stated: Vec<Stated<'d>>,
    /// Further texts that say the same.
    also: Vec<Stated<'d>>,
    /// The author's own control.
    control: Option<Stated<'d>>,
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
            diagnostics.push(self.not_found(rule, &rule.quote, &elsewhere));
            return None;
        }
        for file in &stated {
            for part in file.statements.iter().filter(|statement| !is_whole(file.document, statement)) {
                let place = format!("{}:{}", shown(file.document.path()), part.line);
                let warning =
                    diagnostics.warning(&rule.place, format!("the quote is only a part of a sentence at {place}"));
                warning.help.push(
                    "quote the whole sentence: what is left of a rule after a deletion says something too".to_owned(),
                );
            }
        }
        Some(stated)
    }

    /// The further texts of a rule; one that can't be found is a diagnostic.
    fn also(&self, rule: &Rule, stated: &[Stated<'_>], diagnostics: &mut Diagnostics) -> Option<Vec<Stated<'d>>> {
        let mut also = vec![];
        for text in &rule.also {
            let mut found = self.everywhere(text);
            for file in &mut found {
                // A text that stands inside the rule is gone with it.
                let own = stated.iter().filter(|one| std::ptr::eq(one.document, file.document));
                let own: Vec<_> = own.flat_map(|one| one.statements.iter().map(|at| at.range.clone())).collect();
                file.statements
                    .retain(|at| !own.iter().any(|range| at.range.start < range.end && range.start < at.range.end));
            }
            if found.is_empty() {
                diagnostics.push(self.not_found(rule, text, &[]));
                return None;
            }
            also.extend(found);
        }
        Some(also)
    }

    /// The author's own control text, where there is one.
    #[expect(clippy::option_option, reason = "outside: whether it could be read; inside: whether there is one")]
    fn written_control(&self, rule: &Rule, diagnostics: &mut Diagnostics) -> Option<Option<Stated<'d>>> {
        let Some(text) = &rule.control else { return Some(None) };
        let found = self.everywhere(text).into_iter().next();
        if found.is_none() {
            diagnostics.push(self.not_found(rule, text, &[]));
            return None;
        }
        Some(found)
    }

    fn everywhere(&self, text: &str) -> Vec<Stated<'d>> {
        self.documents
            .iter()
            .map(|document| Stated { document, statements: locate(document, text) })
            .filter(|file| !file.statements.is_empty())
            .collect()
    }

    fn not_found(&self, rule: &Rule, quote: &str, elsewhere: &[String]) -> Diagnostic {
        let what = if quote == rule.quote { "the quoted rule".to_owned() } else { format!("the text `{quote}`") };
        let mut error = Diagnostic::error(format!("{what} is not in the instructions")).at(&rule.place);
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
            .filter_map(|document| nearest(document, quote).map(|near| (document, near)))
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
                .help(word_diff(quote, &words))
                .help("copy the rule's words from the file; line wraps, markers and emphasis don't matter");
        } else {
            let names: Vec<String> = searched.iter().map(|document| document.path().display().to_string()).collect();
            error = error.label("nothing like it is there").help(format!("searched: {}", names.join(", ")));
        }
        error
    }

    /// All statements edited and all further texts deleted, in all files; the error is the reason for a report.
    fn edited(
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
    ///
    /// What the case says and every rule that it quotes is avoided: a case may need two rules, and losing the second
    /// is no control for the first.
    fn control(&self, id: &str, case: &Case, rules: &Rules<'_>) -> (ArmFiles, MutantReport) {
        let made_from = |stated: &[Stated<'_>]| {
            let made = self.edited(stated, &[], &Edit::Delete);
            let report = self.mutant(id, Arm::Control, stated, "offline", &made);
            made.ok().map(|(files, _)| (files, report))
        };
        if let Some(control) = &rules.control {
            let own = Stated { document: control.document, statements: control.statements.clone() };
            if let Some((files, mut report)) = made_from(&[own]) {
                report.source = "case";
                return (files, report);
            }
        }
        let mut avoid = vec![case.input.clone()];
        avoid.extend(case.expect.iter().flat_map(|assertion| assertion.matcher.literals()));
        avoid.extend(case.rules.iter().flat_map(|rule| rule.also.iter().chain([&rule.quote]).cloned()));
        let mut why = String::new();
        let first = rules.stated[0].document;
        let mut documents: Vec<&Document> = self.documents.iter().collect();
        documents.sort_by_key(|document| !std::ptr::eq(*document, first));
        for document in documents {
            let quoted: Vec<Statement> = case
                .rules
                .iter()
                .flat_map(|rule| rule.also.iter().chain([&rule.quote]))
                .flat_map(|text| locate(document, text))
                .collect();
            match control(document, &quoted, &avoid, self.seed) {
                Ok(statement) => {
                    if let Some(made) = made_from(&[Stated { document, statements: vec![statement] }]) {
                        return made;
                    }
                }
                Err(reason) if why.is_empty() => why = reason.to_string(),
                Err(_) => {}
            }
        }
        self.neutral_control(id, &rules.stated[0], &why)
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
