//! The forms of a request: command, polite question, statement of need.

use std::ops::Range;

use super::super::edit::Edit;
use super::super::text::Text;
use super::super::tokens::{Sentence, Word};
use super::{Algorithm, Maker, capitalised};
use crate::source::{Diagnostics, Fields, Node};

#[derive(Debug)]
struct Request {
    verbs: Vec<String>,
    /// Verbs that are nouns as well: taken for a command only where one of `objects` follows.
    also_nouns: Vec<String>,
    objects: Vec<String>,
    commands: Vec<String>,
    questions: Vec<String>,
    needs: Vec<String>,
    /// Further beginnings that stand for one of the above when they are read.
    read_also: Vec<String>,
    subjects: Vec<String>,
    /// What may follow a comma inside a question.
    joints: Vec<String>,
    /// First words of a question: after "and" or a comma they begin a second one.
    asking: Vec<String>,
}

/// A request that was found in a sentence.
struct Found<'t> {
    sentence: &'t Sentence,
    /// From the start of the sentence to the verb.
    opening: Range<usize>,
    verb: &'t Word,
    form: Form,
    /// Where a new sentence begins that a comma tied on: ", it arrived".
    splice: Option<Range<usize>>,
    /// Whether the sentence holds together when it becomes a question.
    whole: bool,
    /// Whether a second question hangs on it, which no command can take along: "…, and do I have to pay?"
    asks_twice: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Command,
    Question,
    Need,
}

pub(in super::super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut fields = Fields::of("request", node, diagnostics)?;
    let mut list = |key: &'static str| fields.texts(key, diagnostics).unwrap_or_default();
    let request = Request {
        verbs: list("verbs"),
        also_nouns: list("also_nouns"),
        objects: list("objects"),
        commands: list("commands"),
        questions: list("questions"),
        needs: list("needs"),
        read_also: list("read_also"),
        subjects: list("subjects"),
        joints: list("joints"),
        asking: list("asking"),
    };
    if request.verbs.is_empty() || request.questions.is_empty() || request.needs.is_empty() {
        diagnostics.error(&node.place, "`request` needs `verbs`, `questions` and `needs`");
    }
    fields.finish(diagnostics);
    Some(Box::new(request))
}

impl Algorithm for Request {
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String> {
        let found: Vec<Found> = text.sentences.iter().filter_map(|sentence| self.find(text, sentence)).collect();
        if found.is_empty() {
            return Err("no sentence is surely a request in a form that it knows".to_owned());
        }
        Ok(Box::new(move |draw| {
            let found = draw.one(&found)?;
            let forms = [Form::Command, Form::Question, Form::Need];
            let form = *draw.one(&forms)?;
            let opener = match form {
                Form::Command => draw.one(&self.commands)?,
                Form::Question => draw.one(&self.questions)?,
                Form::Need => draw.one(&self.needs)?,
            };
            if form == Form::Question && !found.whole || form != Form::Question && found.asks_twice {
                return None;
            }
            let now = &text.raw[found.opening.clone()];
            if now.trim().eq_ignore_ascii_case(opener)
                || form == found.form && form == Form::Command && now.is_empty() && opener.is_empty()
            {
                return None;
            }
            Some(self.rewrite(text, found, form, opener))
        }))
    }
}

impl Request {
    fn find<'t>(&self, text: &'t Text, sentence: &'t Sentence) -> Option<Found<'t>> {
        let raw = text.raw;
        let inside = |w: &&Word| sentence.range.start <= w.range.start && w.range.end <= sentence.range.end;
        let words: Vec<&Word> = text.words.iter().filter(inside).collect();
        let start = words.first()?.range.start;
        if start != sentence.range.start || raw[sentence.range.clone()].contains('\n') {
            return None;
        }
        let lower = raw[sentence.range.clone()].to_lowercase().replace('\u{2019}', "'");
        let (mut form, mut length) = (Form::Command, 0);
        let lists = [
            (Form::Question, &self.questions),
            (Form::Need, &self.needs),
            (Form::Command, &self.commands),
            (Form::Question, &self.read_also),
        ];
        for (its, opener) in lists.iter().flat_map(|(form, list)| list.iter().map(move |opener| (*form, opener))) {
            let fits = lower.strip_prefix(&opener.to_lowercase()).is_some_and(|rest| rest.starts_with(' '));
            if fits && opener.len() > length && !opener.is_empty() {
                (form, length) = (its, opener.len());
            }
        }
        let from = if length == 0 { start } else { start + length + 1 };
        let at = words.iter().position(|word| word.range.start == from)?;
        let verb = words[at];
        let asks = raw[sentence.mark.clone()].contains('?');
        if !verb.free || asks != (form == Form::Question) {
            return None;
        }
        if form == Form::Question && words.last().is_some_and(|word| word.lower == "please") {
            return None;
        }
        let next = words.get(at + 1).filter(|next| raw[verb.range.end..next.range.start].trim().is_empty());
        let sure = self.verbs.contains(&verb.lower)
            || self.also_nouns.contains(&verb.lower)
                && (length > 0 || next.is_some_and(|next| self.objects.contains(&next.lower)));
        if !sure || !text.is_free(&(start..verb.range.end)) {
            return None;
        }
        let splice = words[at..].windows(2).find_map(|pair| {
            let gap = pair[0].range.end..pair[1].range.start;
            self.splice_at(text, gap, pair[1])
        });
        let splice = splice.or_else(|| {
            // The comma may follow a protected span, which is no word.
            let after: Vec<(usize, _)> = raw[verb.range.end..sentence.mark.start].match_indices(", ").collect();
            after.iter().find_map(|(offset, _)| {
                let comma = verb.range.end + offset;
                let word = words.iter().find(|word| word.range.start == comma + 2)?;
                self.splice_at(text, comma..comma + 2, word)
            })
        });
        let whole = splice.is_some() || self.holds_together(text, verb.range.end..sentence.mark.start, &words);
        let asks_twice = asks && self.asks_again(text, &words[at..]);
        Some(Found { sentence, opening: start..verb.range.start, verb, form, splice, whole, asks_twice })
    }

    /// Whether ", do …", "and is …" or "or can …" begins a second question.
    fn asks_again(&self, text: &Text, words: &[&Word]) -> bool {
        words.windows(3).any(|at| {
            let comma = text.raw[at[0].range.end..at[1].range.start].contains(',');
            let joint = matches!(at[1].lower.as_str(), "and" | "or" | "but" | "then");
            comma && self.asking.contains(&at[1].lower) || joint && self.asking.contains(&at[2].lower)
        })
    }

    /// Whether no second sentence hides behind a comma ("Fix it, don't delete it"), a semicolon or a dash.
    fn holds_together(&self, text: &Text, range: Range<usize>, words: &[&Word]) -> bool {
        let rest = &text.raw[range.clone()];
        let parted = [";", ":", " - ", "–", "—", "("].iter().any(|sign| {
            rest.match_indices(sign).any(|(at, _)| text.is_free(&(range.start + at..range.start + at + sign.len())))
        });
        !parted
            && rest.match_indices(", ").all(|(at, _)| {
                let next = range.start + at + 2;
                match words.iter().find(|word| word.range.start == next) {
                    Some(word) => self.joints.contains(&word.lower),
                    None => true,
                }
            })
    }

    fn splice_at(&self, text: &Text, gap: Range<usize>, word: &Word) -> Option<Range<usize>> {
        let tied = &text.raw[gap.clone()] == ", " && self.subjects.contains(&word.lower);
        (tied && text.is_free(&(gap.start..word.range.end))).then_some(gap.start..word.range.end)
    }

    fn rewrite(&self, text: &Text, found: &Found, form: Form, opener: &str) -> Vec<Edit> {
        let raw = text.raw;
        let verb = raw[found.verb.range.clone()].to_lowercase();
        let large = raw[found.sentence.range.clone()].starts_with(char::is_uppercase);
        let start = if opener.is_empty() { verb } else { format!("{opener} {verb}") };
        let start = if large { capitalised(&start) } else { start };
        let mut edits = vec![Edit::new(found.opening.start..found.verb.range.end, start)];
        let mark = found.sentence.mark.clone();
        let asks = form == Form::Question;
        if let Some(splice) = found.splice.clone().filter(|_| asks) {
            let word = capitalised(raw[splice.start + 2..splice.end].trim_start());
            edits.push(Edit::new(splice, format!("? {word}")));
        } else if asks != (found.form == Form::Question) && text.is_free(&mark) {
            let marked = if asks { "?" } else { "." };
            if asks || !mark.is_empty() {
                edits.push(Edit::new(mark, marked));
            }
        }
        edits
    }
}
