//! Paraphrases by a helper model, as trials of their own: each asks for some wordings of one case's input.
//!
//! A helper's answer is a question's answer like any other, so the journal keeps it, and the same question is never paid
//! twice. It is trusted no more than any other text: what does not keep the input's protected spans, digits and negations
//! is no variant but a part of a shortfall. An input is data to the helper; one that tells it what to write gets no
//! variant of it.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use crate::agents::Request;
use crate::mutators::input::{Breach, Kind, NotApplicable, Shortfall, Subject, Variant, Variants, rephrasable, verify};
use crate::run::{Answer, Experiment, MutantNote, TrialId};
use crate::transcript::Transcript;

mod answer;
mod prompt;

use answer::Unreadable;
use prompt::Frame;
pub use prompt::Prompt;

/// The name of the mutator, in variants, shortfalls and lists.
pub const MUTATOR: &str = "model/paraphrase";
/// The name of the arm, in the journal.
pub const ARM: &str = "paraphrase";
/// How often a helper is asked for one case at most: once, and again for what did not survive.
pub const MOST_ASKED: u32 = 3;

/// Texts of one answer that are looked at, for each that was wanted.
const MOST_READ: usize = 4;
/// Letters by which a paraphrase may be longer than three times the message: short ones grow the most.
const SLACK: usize = 40;

/// One case whose input is to be reworded.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    pub subject: Subject<'s>,
    /// Phrasings that there are already: the case's own `paraphrases:`.
    pub known: &'s [String],
    /// Paraphrases to get; 0 asks nothing.
    pub wanted: usize,
}

/// What a helper made of one case.
#[derive(Debug, Clone, Default)]
pub struct Paraphrases {
    /// Verified and distinct; a shortfall where they are fewer than wanted; not applicable where an input has no words.
    pub made: Variants,
    /// Trials in which the helper could not be asked, or its answer not be read.
    pub errors: u32,
}

/// Asks a helper for paraphrases of some cases' inputs; what it made of them is asked of [`Paraphrasing::finish`].
pub struct Paraphrasing<'s> {
    prompt: Prompt,
    seed: u64,
    drafts: Vec<Draft<'s>>,
}

/// The state of one case.
struct Draft<'s> {
    source: Source<'s>,
    frame: Frame,
    variants: Vec<Variant>,
    /// Variants and known phrasings, folded: one text in two letter cases is one text.
    said: HashSet<String>,
    /// How many texts were read, and those of them, kept or not, that the next question shows.
    read: usize,
    taken: Vec<String>,
    /// What was wrong with texts, and with how many; in the order in which it was seen.
    refused: Vec<(String, usize)>,
    unreadable: Vec<(Unreadable, usize)>,
    asked: u32,
    errors: u32,
    state: State,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Asking,
    Done,
    NotApplicable(String),
    /// It can't go on: an error of the helper that asking again does not mend, or the end of the run.
    Ended(String),
}

impl<'s> Paraphrasing<'s> {
    pub fn new(prompt: Prompt, sources: impl IntoIterator<Item = Source<'s>>, seed: u64) -> Paraphrasing<'s> {
        Paraphrasing { prompt, seed, drafts: sources.into_iter().map(Draft::new).collect() }
    }

    /// What was made, in the order of the sources.
    pub fn finish(self) -> Vec<Paraphrases> {
        self.drafts.into_iter().map(Draft::finish).collect()
    }
}

impl Experiment for Paraphrasing<'_> {
    fn start(&mut self) -> Vec<TrialId> {
        let open = self.drafts.iter().enumerate().filter(|(_, draft)| draft.state == State::Asking);
        open.map(|(subject, _)| TrialId { subject, number: 0, arm: 0 }).collect()
    }

    fn request(&self, trial: &TrialId) -> Request {
        let draft = &self.drafts[trial.subject];
        let Source { subject, wanted, .. } = draft.source;
        let refused: Vec<String> = draft.refused.iter().map(|(why, _)| why.clone()).collect();
        Request {
            case: subject.case.to_owned(),
            arm: ARM.to_owned(),
            trial: trial.number,
            seed: self.seed,
            input: draft.frame.around(subject.input, wanted, &draft.taken, &refused),
            conversation: vec![],
            fixtures: Value::Null,
            instructions: Arc::from([self.prompt.file(wanted)]),
        }
    }

    fn mutant(&self, _trial: &TrialId) -> Option<MutantNote> {
        None
    }

    fn observe(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        let draft = &mut self.drafts[trial.subject];
        draft.asked += 1;
        match answer {
            Ok(transcript) => draft.read(transcript),
            // What asking again can mend, the engine asked again; the next run asks it anew.
            Err(error) => {
                draft.errors += 1;
                draft.state = State::Ended(format!("the helper could not be asked: {}", error.message));
            }
        }
        if draft.state == State::Asking && trial.number + 1 < MOST_ASKED {
            return vec![TrialId { number: trial.number + 1, ..trial.clone() }];
        }
        vec![]
    }

    fn stop(&mut self, reason: &str) {
        for draft in self.drafts.iter_mut().filter(|draft| draft.state == State::Asking && draft.asked < MOST_ASKED) {
            draft.state = State::Ended(reason.to_owned());
        }
    }
}

impl<'s> Draft<'s> {
    fn new(source: Source<'s>) -> Draft<'s> {
        let state = match rephrasable(&source.subject) {
            _ if source.wanted == 0 => State::Done,
            Ok(()) => State::Asking,
            Err(reason) => State::NotApplicable(reason),
        };
        Draft {
            frame: Frame::new(&source.subject),
            variants: vec![],
            said: source.known.iter().map(|text| folded(text)).collect(),
            read: 0,
            taken: vec![],
            refused: vec![],
            unreadable: vec![],
            asked: 0,
            errors: 0,
            state,
            source,
        }
    }

    fn read(&mut self, transcript: &Transcript) {
        match answer::texts(transcript.reply.as_deref().unwrap_or_default(), transcript.truncated) {
            Ok(texts) => texts.into_iter().take(self.source.wanted * MOST_READ).for_each(|text| self.take(text)),
            Err(reason) => {
                self.errors += 1;
                count(&mut self.unreadable, reason);
            }
        }
        if self.variants.len() == self.source.wanted {
            self.state = State::Done;
        }
    }

    /// Keeps a text, or the reason against it. Texts beyond what was wanted are not looked at.
    fn take(&mut self, text: String) {
        if self.variants.len() == self.source.wanted {
            return;
        }
        self.read += 1;
        // What was said before is shown with the next question, and should not fill it.
        if text.chars().count() <= self.source.subject.input.chars().count() * 3 + SLACK {
            self.taken.push(text.clone());
        }
        if let Err(reason) = self.check(&text) {
            return count(&mut self.refused, reason);
        }
        let variant = Variant::of_text(
            &self.source.subject,
            MUTATOR,
            Kind::Model,
            text,
            u32::try_from(self.variants.len()).unwrap_or(u32::MAX),
        );
        self.variants.push(variant);
    }

    fn check(&mut self, text: &str) -> Result<(), String> {
        let subject = &self.source.subject;
        let (words, original) = (folded(text), folded(subject.input));
        let (length, before) = (words.chars().count(), original.chars().count());
        let plain = |reason: &str| Err(reason.to_owned());
        if self.frame.shows_in(text) {
            return plain("repeated the frame around the message");
        }
        if words == original {
            return plain("repeated the message word for word");
        }
        verify(subject, text, Kind::Model).map_err(told)?;
        // Who is told by a message what to write, and does it, writes a part of that message.
        if original.contains(&words) {
            return plain("copied a part of the message");
        }
        if length * 4 < before {
            return plain("shrank to less than a quarter of the message");
        }
        if length > before * 3 + SLACK {
            return plain("grew to more than three times the message");
        }
        if !self.said.insert(words) {
            return plain("repeated an earlier text");
        }
        Ok(())
    }

    fn finish(self) -> Paraphrases {
        let Source { wanted, .. } = self.source;
        let mut made = Variants::default();
        let counted = self.variants.len();
        match &self.state {
            State::NotApplicable(reason) => made.not_applicable.push(NotApplicable {
                mutator: MUTATOR.to_owned(),
                reason: reason.clone(),
                other_language: false,
            }),
            _ if counted < wanted => {
                made.shortfalls.push(Shortfall {
                    mutator: MUTATOR.to_owned(),
                    wanted,
                    made: counted,
                    reason: self.why(),
                });
            }
            _ => {}
        }
        made.variants = self.variants;
        Paraphrases { made, errors: self.errors }
    }

    /// Why there are fewer than wanted: `2 of 4 lost `#4021`; 1 of 3 answers held no JSON array of texts`.
    fn why(&self) -> String {
        let mut parts: Vec<String> = vec![];
        if let State::Ended(reason) = &self.state {
            parts.push(reason.clone());
        }
        let read = self.read;
        parts.extend(self.refused.iter().map(|(why, times)| format!("{times} of {read} {why}")));
        let asked = if self.asked == 1 { "1 answer".to_owned() } else { format!("{} answers", self.asked) };
        parts.extend(self.unreadable.iter().map(|(why, times)| format!("{times} of {asked} {why}")));
        if parts.is_empty() {
            parts.push(format!("{asked} held {read} text{}", if read == 1 { "" } else { "s" }));
        }
        parts.join("; ")
    }
}

fn count<T: PartialEq>(counts: &mut Vec<(T, usize)>, of: T) {
    match counts.iter_mut().find(|(known, _)| *known == of) {
        Some((_, times)) => *times += 1,
        None => counts.push((of, 1)),
    }
}

/// Letters and digits, in small letters, one space between words: what is left of a text when its marks don't count.
fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// What a breach says of some texts: `lost `#4021``.
fn told(breach: Breach) -> String {
    match breach {
        Breach::Unchanged => "repeated the message word for word".to_owned(),
        Breach::Empty => "held nothing".to_owned(),
        Breach::Number { text, were, are, .. } if are < were => format!("lost `{text}`"),
        Breach::Number { text, .. } => format!("said `{text}` too often"),
        Breach::Order { text, .. } => format!("moved `{text}` out of its order"),
        Breach::Digits => "brought other digits".to_owned(),
        Breach::Guards { was, now } => match (was.as_str(), now.as_str()) {
            ("", now) => format!("added `{now}`"),
            (was, "") => format!("lost `{was}`"),
            (was, now) => format!("turned `{was}` into `{now}`"),
        },
        Breach::Torn(_) => "tore a sign apart".to_owned(),
        Breach::Control => "held a control character".to_owned(),
    }
}

#[cfg(test)]
mod tests;
