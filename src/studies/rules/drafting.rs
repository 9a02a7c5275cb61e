//! How a case can quote a statement so that exactly this one is found again.

use std::ops::Range;

use super::coverage::StatementCoverage;
use super::quotes::stands_under;
use super::subject::shown;
use crate::instructions::{Document, Statement, is_whole, locate, units};
use crate::suite::DraftRule;

/// A rule that a draft can quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotable {
    pub rule: DraftRule,
    /// The places that its quote means: the file and bytes in it.
    pub places: Vec<(String, Range<usize>)>,
}

impl Quotable {
    /// Whether the quote means a statement, too.
    pub fn covers(&self, statement: &StatementCoverage) -> bool {
        let overlaps = |range: &Range<usize>| range.start < statement.end && statement.start < range.end;
        self.places.iter().any(|(file, range)| *file == statement.file && overlaps(range))
    }
}

/// How a case quotes a statement; `None` where no quote of its words finds it.
///
/// Where the same words stand as a whole statement elsewhere, they are a copy, and the quote means all of them. Where they
/// are a part of another sentence, the heading or the line says which place is meant.
pub fn quotable(documents: &[Document], statement: &StatementCoverage) -> Option<Quotable> {
    let place =
        |(document, at): &(&Document, Statement)| (shown(document.path()), document.byte_range(at.range.clone()));
    let own = documents.iter().find(|document| shown(document.path()) == statement.file)?;
    let range = own.text_range(statement.start..statement.end);
    let is_own = |document: &Document, at: &Statement| {
        std::ptr::eq(document, own) && at.range.start < range.end && range.start < at.range.end
    };
    let as_written = &own.text()[range.clone()];
    let (quote, hits) = [statement.text.as_str(), as_written].into_iter().find_map(|quote| {
        let hits: Vec<(&Document, Statement)> = documents
            .iter()
            .flat_map(|document| locate(document, quote).into_iter().map(move |at| (document, at)))
            .collect();
        hits.iter().any(|(document, at)| is_own(document, at)).then(|| (quote.to_owned(), hits))
    })?;
    let (mine, others): (Vec<_>, Vec<_>) = hits.iter().partition(|(document, at)| is_own(document, at));
    let mut rule = DraftRule { quote, ..DraftRule::default() };
    let places: Vec<_> = mine.iter().map(|hit| place(hit)).collect();
    if others.iter().all(|(document, at)| is_whole(document, at)) {
        rule.copies = others.iter().map(|(document, at)| format!("{}:{}", shown(document.path()), at.line)).collect();
        if others.iter().all(|(document, _)| std::ptr::eq(*document, own)) {
            rule.file = Some(statement.file.clone());
        }
        return Some(Quotable { rule, places: hits.iter().map(place).collect() });
    }
    rule.file = Some(statement.file.clone());
    let here: Vec<&Statement> =
        others.iter().filter(|(document, _)| std::ptr::eq(*document, own)).map(|(_, at)| at).collect();
    if here.is_empty() {
        return Some(Quotable { rule, places });
    }
    let all = units(own);
    let heading = statement.section.as_deref().filter(|heading| {
        let under = |at: &Statement| stands_under(&all, at, heading);
        mine.iter().all(|(_, at)| under(at)) && !here.iter().any(|at| under(at))
    });
    match heading {
        Some(heading) => rule.heading = Some(heading.split_whitespace().collect::<Vec<_>>().join(" ")),
        None => rule.line = Some(statement.line),
    }
    Some(Quotable { rule, places })
}
