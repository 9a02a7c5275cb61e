//! The control arm: what else could have broken the case.

use super::quotes::{Rules, Stated};
use super::revision::{Revision, Step};
use super::subject::{Workshop, shown};
use super::{Arm, MutantReport};
use crate::instructions::{Document, Edit, Statement, locate, rearranged};
use crate::mutators::rule::are_unrelated;
use crate::suite::Case;

impl Workshop<'_> {
    /// An unrelated rule deleted; where there is none, an edit that changes no meaning.
    ///
    /// What the case says and every rule that it quotes is avoided: a case may need two rules, and losing the second
    /// is no control for the first.
    pub(super) fn control(&self, id: &str, case: &Case, rules: &Rules<'_>) -> (Revision, MutantReport) {
        let made_from = |stated: &[Stated<'_>]| {
            let made = self.edited(stated, &[], &Edit::Delete);
            let report = self.mutant(id, Arm::Control, stated, "offline", &made);
            made.ok().map(|made| (made.revision, report))
        };
        if let Some(control) = &rules.control {
            let own = Stated { document: control.document, statements: control.statements.clone() };
            if let Some((revision, mut report)) = made_from(&[own]) {
                report.source = "case";
                return (revision, report);
            }
        }
        let quotes: Vec<&String> = case.rules.iter().flat_map(|rule| rule.also.iter().chain([&rule.quote])).collect();
        let mut avoid = vec![case.input.clone()];
        avoid.extend(case.expect.iter().flat_map(|assertion| assertion.matcher.literals()));
        avoid.extend(quotes.iter().map(|quote| (*quote).clone()));
        let mut why = String::new();
        let first = self.index_of(rules.stated[0].document);
        let mut documents: Vec<usize> = (0..self.documents.len()).collect();
        documents.sort_by_key(|at| *at != first);
        for at in documents {
            let document = &self.documents[at];
            match self.bystanders_of(at).control(document, &quoted(document, &quotes), &avoid, self.seed) {
                Ok(statement) => {
                    if let Some(made) = made_from(&[Stated { document, statements: vec![statement] }]) {
                        return made;
                    }
                }
                Err(reason) if why.is_empty() => why = reason.to_string(),
                Err(_) => {}
            }
        }
        let quoted = quoted(rules.stated[0].document, &quotes);
        self.neutral_control(id, &rules.stated[0], &quoted, &why)
    }

    /// Other bytes, the same meaning.
    fn neutral_control(
        &self,
        id: &str,
        stated: &Stated<'_>,
        quoted: &[Statement],
        why: &str,
    ) -> (Revision, MutantReport) {
        let document = stated.document;
        let kept: Vec<_> = quoted.iter().map(|statement| statement.range.clone()).collect();
        let (changes, what) = rearranged(document, &kept, &are_unrelated);
        let (first, last) = (&changes[0], &changes[changes.len() - 1]);
        let place = first.before.start;
        let bytes = document.byte_range(place..last.before.end);
        let shown_words = |text: &str| text.trim().to_owned();
        let (line, before, after) =
            (document.line_column(place).0, shown_words(&first.before_text), shown_words(&first.after_text));
        let revision = Revision::Edited(vec![Step { document: self.index_of(document), changes }]);
        let report = MutantReport {
            id: format!("{id}/{}/{}", Arm::Control, revision.digest(self.documents)),
            case: id.to_owned(),
            operator: Arm::Control,
            file: shown(document.path()),
            line,
            start: bytes.start,
            end: bytes.end,
            before,
            after,
            source: "offline",
            made_by: None,
            refused: None,
            would_ask: None,
            notes: vec![format!("{}: {why}", what.described())],
            also: vec![],
        };
        (revision, report)
    }
}

fn quoted(document: &Document, quotes: &[&String]) -> Vec<Statement> {
    quotes.iter().flat_map(|text| locate(document, text)).collect()
}
