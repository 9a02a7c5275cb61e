//! The control arm: what else could have broken the case.

use super::quotes::{Rules, Stated};
use super::subject::{ArmFiles, Workshop, shown};
use super::{Arm, MutantReport};
use crate::agents::InstructionFile;
use crate::instructions::{Document, Edit, Statement, locate};
use crate::mutators::rule::control;
use crate::suite::Case;

impl Workshop<'_> {
    /// An unrelated rule deleted; where there is none, an edit that changes no meaning.
    ///
    /// What the case says and every rule that it quotes is avoided: a case may need two rules, and losing the second
    /// is no control for the first.
    pub(super) fn control(&self, id: &str, case: &Case, rules: &Rules<'_>) -> (ArmFiles, MutantReport) {
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
                InstructionFile::of(document)
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
            made_by: None,
            refused: None,
            would_ask: None,
            notes: vec![format!("only blank lines at the end changed: {why}")],
            also: vec![],
        };
        (files, report)
    }
}
