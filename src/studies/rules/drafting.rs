//! How a case can quote a statement so that exactly this one is found again.

use super::coverage::StatementCoverage;
use super::quotes::stands_at;
use super::subject::shown;
use crate::instructions::{Document, Statement, is_whole, locate};
use crate::suite::DraftRule;

/// The rule of a draft for a statement; `None` where no quote of its words finds it.
///
/// Where the same words stand as a whole statement elsewhere, they are a copy, and the quote means all of them. Where they
/// are a part of another sentence, the heading or the line says which place is meant.
pub fn draft_rule(documents: &[Document], statement: &StatementCoverage) -> Option<DraftRule> {
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
    if others.iter().all(|(document, at)| is_whole(document, at)) {
        rule.copies = others.iter().map(|(document, at)| format!("{}:{}", shown(document.path()), at.line)).collect();
        if others.iter().all(|(document, _)| std::ptr::eq(*document, own)) {
            rule.file = Some(statement.file.clone());
        }
        return Some(rule);
    }
    rule.file = Some(statement.file.clone());
    let here: Vec<&Statement> =
        others.iter().filter(|(document, _)| std::ptr::eq(*document, own)).map(|(_, at)| at).collect();
    if here.is_empty() {
        return Some(rule);
    }
    let heading = statement.section.as_deref().filter(|heading| {
        let under = |at: &Statement| stands_at(own, at, None, Some(heading));
        mine.iter().all(|(_, at)| under(at)) && !here.iter().any(|at| under(at))
    });
    match heading {
        Some(heading) => rule.heading = Some(heading.split_whitespace().collect::<Vec<_>>().join(" ")),
        None => rule.line = Some(statement.line),
    }
    Some(rule)
}

/// Whether a draft's quote covers another statement too, as its copy.
pub fn covers(documents: &[Document], rule: &DraftRule, statement: &StatementCoverage) -> bool {
    let wanted = |document: &&Document| rule.file.as_deref().is_none_or(|file| shown(document.path()) == file);
    documents.iter().filter(wanted).filter(|document| shown(document.path()) == statement.file).any(|document| {
        let range = document.text_range(statement.start..statement.end);
        locate(document, &rule.quote).iter().any(|at| {
            at.range.start < range.end
                && range.start < at.range.end
                && stands_at(document, at, rule.line, rule.heading.as_deref())
        })
    })
}
