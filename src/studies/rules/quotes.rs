//! Where the texts stand that a case quotes, and what to say where one does not.

use std::path::Path;

use super::subject::{Workshop, shown};
use crate::instructions::{Document, Statement, Unit, is_whole, locate, nearest};
use crate::source::{Diagnostic, Diagnostics};
use crate::suite::Rule;

/// How many places a message names.
const MOST_PLACES: usize = 6;

/// Where everything stands that a subject's rule names.
pub(super) struct Rules<'d> {
    pub(super) stated: Vec<Stated<'d>>,
    /// Further texts that say the same.
    pub(super) also: Vec<Stated<'d>>,
    /// The author's own control.
    pub(super) control: Option<Stated<'d>>,
}

/// The rule in one file.
pub(super) struct Stated<'d> {
    pub(super) document: &'d Document,
    pub(super) statements: Vec<Statement>,
}

impl<'d> Workshop<'d> {
    /// Every place of the rule, narrowed by the case's `file:`, `heading:` and `line:`.
    pub(super) fn stated(&self, rule: &Rule, diagnostics: &mut Diagnostics) -> Option<Vec<Stated<'d>>> {
        let wanted = |document: &&Document| rule.file.as_deref().is_none_or(|file| same_path(file, document.path()));
        let mut stated: Vec<Stated<'d>> = vec![];
        let mut elsewhere: Vec<(&Document, Statement)> = vec![];
        for document in self.documents.iter().filter(wanted) {
            let (statements, others): (Vec<_>, Vec<_>) =
                locate(document, &rule.quote).into_iter().partition(|statement| {
                    let under = |heading: &String| stands_under(self.units_of(document), statement, heading);
                    rule.line.is_none_or(|line| stands_on(document, statement, line))
                        && rule.heading.as_ref().is_none_or(under)
                });
            elsewhere.extend(others.into_iter().map(|statement| (document, statement)));
            if !statements.is_empty() {
                stated.push(Stated { document, statements });
            }
        }
        if stated.is_empty() {
            diagnostics.push(match elsewhere.as_slice() {
                [] => self.not_found(rule, &rule.quote),
                elsewhere => self.moved(rule, elsewhere),
            });
            return None;
        }
        self.say_where(rule, &stated, diagnostics);
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
    pub(super) fn also(
        &self,
        rule: &Rule,
        stated: &[Stated<'_>],
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Stated<'d>>> {
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
                diagnostics.push(self.not_found(rule, text));
                return None;
            }
            also.extend(found);
        }
        Some(also)
    }

    /// The author's own control text, where there is one.
    #[expect(clippy::option_option, reason = "outside: whether it could be read; inside: whether there is one")]
    pub(super) fn written_control(&self, rule: &Rule, diagnostics: &mut Diagnostics) -> Option<Option<Stated<'d>>> {
        let Some(text) = &rule.control else { return Some(None) };
        let found = self.everywhere(text).into_iter().next();
        if found.is_none() {
            diagnostics.push(self.not_found(rule, text));
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

    fn not_found(&self, rule: &Rule, quote: &str) -> Diagnostic {
        let what = if quote == rule.quote { "the quoted rule".to_owned() } else { format!("the text `{quote}`") };
        let mut error = Diagnostic::error(format!("{what} is not in the instructions")).at(&rule.place);
        if let Some(file) = &rule.file {
            let others = self.documents.iter().filter(|document| !same_path(file, document.path()));
            let hits = others.flat_map(|document| locate(document, quote).into_iter().map(move |at| (document, at)));
            let places: Vec<String> = hits.map(|(document, at)| self.place_named(document, &at)).collect();
            if !places.is_empty() {
                return error
                    .label(format!("not in {}", shown(file)))
                    .help(format!("it stands at {}: change the rule's `file:`, or leave it out", places.join(", ")));
            }
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

    /// `rules.md:7 under “Returns”`.
    fn place_named(&self, document: &Document, statement: &Statement) -> String {
        let place = format!("{}:{}", shown(document.path()), statement.line);
        match section_of(self.units_of(document), statement) {
            Some(section) => format!("{place} under “{}”", section.split_whitespace().collect::<Vec<_>>().join(" ")),
            None => place,
        }
    }

    /// A rule that has moved since its `line:` or `heading:` was written.
    fn moved(&self, rule: &Rule, elsewhere: &[(&Document, Statement)]) -> Diagnostic {
        let given = match (rule.line, &rule.heading) {
            (Some(line), None) => format!("`line: {line}`"),
            (None, Some(heading)) => format!("`heading: {heading}`"),
            (Some(line), Some(heading)) => format!("`line: {line}` and `heading: {heading}`"),
            (None, None) => "the place".to_owned(),
        };
        let places: Vec<String> = elsewhere.iter().map(|(document, at)| self.place_named(document, at)).collect();
        let error = Diagnostic::error(format!("the quoted rule is not at {given}"))
            .at(&rule.place)
            .label("found, but not there")
            .help(format!("it stands at {} now", places.join(", ")));
        match elsewhere {
            [(_, only)] if rule.line.is_some() => {
                error.help(format!("write `line: {}`, or leave it out: the quote fits nowhere else", only.line))
            }
            [_] => error.help("leave `heading:` out: the quote fits nowhere else"),
            _ => error
                .help("write the line or the heading of the one that is meant; without them, all of them are changed"),
        }
    }

    /// Says so where a quote fits more than one place and nothing chooses among them: all of them are changed, which is right
    /// where they are copies of one rule.
    fn say_where(&self, rule: &Rule, stated: &[Stated<'_>], diagnostics: &mut Diagnostics) {
        let all: Vec<(&Document, &Statement)> =
            stated.iter().flat_map(|file| file.statements.iter().map(|at| (file.document, at))).collect();
        if all.len() < 2 || rule.line.is_some() || rule.heading.is_some() {
            return;
        }
        let mut places: Vec<String> =
            all.iter().take(MOST_PLACES).map(|(document, at)| self.place_named(document, at)).collect();
        if all.len() > MOST_PLACES {
            places.push(format!("and {} more", all.len() - MOST_PLACES));
        }
        let message = format!("this quote fits {} places: {}", all.len(), places.join(", "));
        // Cases that quote one rule have one thing to hear.
        if diagnostics.iter().any(|known| known.message == message) {
            return;
        }
        let several_files = if stated.len() > 1 { ", `file:`" } else { "" };
        diagnostics.push(
            Diagnostic::note(message)
                .at(&rule.place)
                .help("all of them are deleted and inverted together, which is right for copies of one rule")
                .help(format!("to mean one of them, add `line:`{several_files} or `heading:` to the rule")),
        );
    }
}

fn same_path(a: &Path, b: &Path) -> bool {
    let plain = |path: &Path| shown(path).trim_start_matches("./").to_owned();
    plain(a) == plain(b)
}

/// Whether a statement stands on the line that a case's `line:` names.
fn stands_on(document: &Document, statement: &Statement, line: usize) -> bool {
    let last = document.line_column(statement.range.end.saturating_sub(1).max(statement.range.start)).0;
    (statement.line..=last).contains(&line)
}

/// Whether a statement stands under the heading that a case's `heading:` names.
pub(super) fn stands_under(units: &[Unit], statement: &Statement, heading: &str) -> bool {
    let folded = |text: &str| text.trim().trim_start_matches('#').trim().to_lowercase();
    section_of(units, statement).is_some_and(|section| folded(section) == folded(heading))
}

/// The heading, tag or key that a statement stands under.
fn section_of<'u>(units: &'u [Unit], statement: &Statement) -> Option<&'u str> {
    let at = units.partition_point(|unit| unit.range.end <= statement.range.start);
    units.get(at).filter(|unit| unit.range.start < statement.range.end)?.section.as_deref()
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
