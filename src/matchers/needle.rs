//! What is looked for in a reply: texts and numbers, as the author of a case writes them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::folded::{is_annotation, is_word};
use super::numeral::Wanted;
use super::phrase::{Phrase, Sighting, is_currency};
use super::quote;
use super::view::Reading;
use crate::source::{Diagnostics, Fields, Node};

/// A text or a number to look for.
#[derive(Debug, Clone)]
pub struct Needle {
    /// As the author wrote it.
    pub written: String,
    /// For a sentence: `"30 days"`, `the number 60`.
    pub name: String,
    pub case_sensitive: bool,
    pub form: Form,
}

#[derive(Debug, Clone)]
pub enum Form {
    Text(Phrase),
    Number(Wanted),
}

impl Needle {
    pub fn text(written: &str, whole_words: bool, case_sensitive: bool) -> Needle {
        let form = Form::Text(Phrase::new(written, whole_words, case_sensitive));
        Needle { written: written.to_owned(), name: quote(written), case_sensitive, form }
    }

    /// The first place where this stands as itself. `cut` says that the reply goes on unseen. Linear in the reply.
    pub fn find(&self, reading: &Reading<'_>, cut: bool) -> Sighting {
        match &self.form {
            Form::Text(phrase) => phrase.find(reading.text(), cut),
            Form::Number(wanted) => wanted.find(reading.numerals(), reading.text(), cut),
        }
    }

    /// Whether it counts only up to the edges of words; a number always does.
    pub fn whole_words(&self) -> bool {
        match &self.form {
            Form::Text(phrase) => phrase.whole_words(),
            Form::Number(_) => true,
        }
    }

    /// What is compared, where it is a text.
    pub fn folded(&self) -> Option<&str> {
        match &self.form {
            Form::Text(phrase) => Some(phrase.folded()),
            Form::Number(_) => None,
        }
    }
}

/// What a kind lets its needles be.
#[derive(Debug, Clone, Copy)]
pub struct Allowed {
    /// A list; else one text only.
    pub many: bool,
    /// Nothing but punctuation (`?`): pointless in the middle of a reply, telling at its end.
    pub punctuation: bool,
    /// `{number: …}`.
    pub numbers: bool,
}

/// The needles of `text`, `[text, …]`, `{text: …, whole_words: …, case_sensitive: …}` or `{number: …}`; items of a list
/// may be mappings too. `None` where nothing usable stands there; every mistake is recorded.
pub fn parse_needles(
    kind: &'static str,
    value: &Node,
    allowed: Allowed,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Needle>> {
    let errors = diagnostics.errors();
    let mut found: Vec<(Needle, &Node)> = vec![];
    collect(kind, value, allowed, (true, false), &mut found, diagnostics);
    if diagnostics.errors() > errors {
        return None;
    }
    let mut needles: Vec<Needle> = vec![];
    let mut known: HashSet<(String, bool)> = HashSet::new();
    for (needle, node) in found {
        let compared = needle.folded().map(|folded| (folded.to_owned(), needle.case_sensitive));
        if compared.is_some_and(|compared| !known.insert(compared)) {
            let entry =
                diagnostics.warning(&node.place, format!("{} stands in this list twice", quote(&needle.written)));
            entry.help.push("letter case, quotes and spacing make no difference here; keep one of the two".to_owned());
            continue;
        }
        needles.push(needle);
    }
    Some(needles)
}

fn collect<'n>(
    kind: &'static str,
    value: &'n Node,
    allowed: Allowed,
    (whole_words, case_sensitive): (bool, bool),
    found: &mut Vec<(Needle, &'n Node)>,
    diagnostics: &mut Diagnostics,
) {
    if let Some(items) = value.sequence() {
        if !allowed.many {
            diagnostics
                .error(&value.place, format!("`{kind}` wants one text, but this is a list"))
                .help
                .push("a reply can only be, start or end in one way; keep one text".to_owned());
        } else if items.is_empty() {
            diagnostics
                .error(&value.place, format!("`{kind}` has an empty list"))
                .help
                .push("an empty list checks nothing: name a text, or remove the line".to_owned());
        }
        for item in items {
            if item.sequence().is_some() {
                diagnostics.error(&item.place, format!("`{kind}` wants a list of texts, but this is a list in a list"));
            } else {
                collect(kind, item, allowed, (whole_words, case_sensitive), found, diagnostics);
            }
        }
        return;
    }
    if value.mapping().is_some() {
        let Some(mut fields) = Fields::of(kind, value, diagnostics) else { return };
        if allowed.numbers && fields.has("number") {
            found.extend(number(fields, diagnostics).map(|needle| (needle, value)));
            return;
        }
        let whole = fields.boolean("whole_words", diagnostics).unwrap_or(whole_words);
        let case = fields.boolean("case_sensitive", diagnostics).unwrap_or(case_sensitive);
        match fields.required("text", diagnostics) {
            Some(text) if text.mapping().is_some() => {
                diagnostics.error(&text.place, "`text` must be text or a list of texts, but this is a mapping");
            }
            Some(text) => collect(kind, text, allowed, (whole, case), found, diagnostics),
            None => {}
        }
        fields.finish(diagnostics);
        return;
    }
    let Some(written) = plain_text(kind, value, diagnostics) else { return };
    let needle = Needle::text(written, whole_words, case_sensitive);
    let folded = needle.folded().unwrap_or_default();
    if folded.is_empty() {
        diagnostics
            .error(&value.place, format!("`{kind}` has an empty text"))
            .help
            .push("every reply contains the empty text, so that this could never tell anything".to_owned());
        return;
    }
    if !allowed.punctuation && is_punctuation(folded) {
        let entry = diagnostics.error(&value.place, format!("{} is only punctuation", quote(written)));
        entry.help.push(
            "punctuation has no word boundaries, so that `whole_words` doesn't apply and this would hold by chance"
                .to_owned(),
        );
        entry.help.push(format!("if the mark itself matters, write `reply_matches: '{}'`", regex::escape(written)));
        return;
    }
    found.push((needle, value));
}

/// `{number: 60%, tolerance: 0.5, words: true}`.
fn number(mut fields: Fields<'_>, diagnostics: &mut Diagnostics) -> Option<Needle> {
    let errors = diagnostics.errors();
    let node = fields.required("number", diagnostics);
    let words = fields.boolean("words", diagnostics).unwrap_or(false);
    let tolerance = fields.take("tolerance").map(|node| (node, node.number().and_then(|number| number.as_f64())));
    fields.finish(diagnostics);
    let tolerance = match tolerance {
        None => 0.0,
        Some((_, Some(tolerance))) if tolerance >= 0.0 => tolerance,
        Some((node, _)) => {
            diagnostics.error(&node.place, "`tolerance` must be a number of at least 0");
            return None;
        }
    };
    let node = node?;
    let written = plain_text("number", node, diagnostics)?;
    let Some(wanted) = Wanted::read(written, tolerance, words) else {
        diagnostics
            .error(&node.place, format!("{} is not one number", quote(written)))
            .help
            .push("write it as `60`, `-5`, `1,000`, `1e3`, `60%`, `$49.99` or `49.99 EUR`".to_owned());
        return None;
    };
    let about = if tolerance > 0.0 { format!(" ± {tolerance}") } else { String::new() };
    let name = format!("the number {}{about}", super::shortened(written, 40));
    let needle = Needle { written: written.to_owned(), name, case_sensitive: false, form: Form::Number(wanted) };
    (diagnostics.errors() == errors).then_some(needle)
}

/// The scalar of a text value; `true`, `false` and null are refused, since they are hardly meant as words.
pub fn plain_text<'n>(kind: &str, value: &'n Node, diagnostics: &mut Diagnostics) -> Option<&'n str> {
    if value.boolean().is_some() || value.text().is_none() {
        let seen = match value.boolean() {
            Some(truth) => format!("`{truth}`"),
            None => value.describe().to_owned(),
        };
        let entry = diagnostics.error(&value.place, format!("`{kind}` wants text, but this is {seen}"));
        if let Some(truth) = value.boolean() {
            entry.help.push(format!("if the word itself is meant, put it in quotes: '{truth}'"));
        } else {
            entry.help.push("write the text that is looked for after the colon, or remove the line".to_owned());
        }
        return None;
    }
    value.text()
}

fn is_punctuation(folded: &str) -> bool {
    static MARKS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[\p{P}\p{Z}\s$+<=>^`|~]*$").expect("a constant pattern"));
    MARKS.is_match(folded)
}

/// The whole word or number around a range of a folded text, for a note on a near miss.
pub fn word_around(text: &str, range: &Range<usize>) -> String {
    let part = |c: &char| is_word(*c) || is_annotation(*c) || matches!(c, '-' | '\'' | '.' | ',') || is_currency(*c);
    let start: usize = text[..range.start].chars().rev().take_while(part).take(30).map(char::len_utf8).sum();
    let end: usize = text[range.end..].chars().take_while(part).take(30).map(char::len_utf8).sum();
    let whole = &text[range.start - start..range.end + end];
    whole.trim_end_matches(['.', ',', '\'', '-']).to_owned()
}

/// Where something stands in a reply.
#[derive(Debug)]
pub struct Place {
    /// The text around it, shortened.
    pub found: String,
    /// Its bytes in the reply.
    pub at: std::ops::Range<usize>,
}

/// A place in the reply for a finding: the text around it, and its bytes.
pub fn place(reading: &Reading<'_>, reply: &str, range: Range<usize>) -> Place {
    let at = reading.original_range(range);
    Place { found: super::excerpt(reply, &at), at }
}
