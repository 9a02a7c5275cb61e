//! Paraphrases by a helper model, as trials of their own: each asks for some wordings of one case's input.
//!
//! A helper's answer is a question's answer like any other, so the journal keeps it, and the same question is never paid
//! twice. It is trusted no more than any other text: what does not keep the input's protected spans, digits and negations
//! is no variant but a part of a shortfall. An input is data to the helper; one that tells it what to write gets no
//! variant of it.

use std::collections::HashSet;

use crate::agents::InstructionFile;
use crate::mutators::folded;
use crate::mutators::input::{Breach, Kind, NotApplicable, Shortfall, Subject, Variant, Variants, rephrasable, verify};
use crate::studies::drafting::{Draft, Drafting, Job};

mod prompt;

use prompt::Frame;
pub use prompt::Prompt;

/// The name of the mutator, in variants, shortfalls and lists.
pub const MUTATOR: &str = "model/paraphrase";
/// The name of the arm, in the journal.
pub const ARM: &str = "paraphrase";

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

/// Asks a helper for paraphrases of some cases' inputs; what it made of them is asked of [`finish`].
pub type Paraphrasing<'s> = Drafting<Rewording<'s>>;

/// The paraphrases of one input.
pub struct Rewording<'s> {
    source: Source<'s>,
    prompt: Prompt,
    frame: Frame,
    variants: Vec<Variant>,
    /// Variants and known phrasings, folded: one text in two letter cases is one text.
    said: HashSet<String>,
    /// Why the input can't be reworded at all.
    not_applicable: Option<String>,
}

/// The questions to a helper about some inputs.
pub fn begin<'s>(prompt: &Prompt, sources: impl IntoIterator<Item = Source<'s>>, seed: u64) -> Paraphrasing<'s> {
    Drafting::new(sources.into_iter().map(|source| Rewording::new(source, prompt.clone())), seed)
}

/// What was made, in the order of the sources.
pub fn finish(paraphrasing: Paraphrasing<'_>) -> Vec<Paraphrases> {
    paraphrasing.finish().into_iter().map(finished).collect()
}

impl<'s> Rewording<'s> {
    fn new(source: Source<'s>, prompt: Prompt) -> Rewording<'s> {
        Rewording {
            frame: Frame::new(&source.subject),
            prompt,
            variants: vec![],
            said: source.known.iter().map(|text| folded(text)).collect(),
            not_applicable: if source.wanted == 0 { None } else { rephrasable(&source.subject).err() },
            source,
        }
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
}

impl Job for Rewording<'_> {
    const ARM: &'static str = ARM;

    fn case(&self) -> &str {
        self.source.subject.case
    }

    fn prompt(&self) -> InstructionFile {
        self.prompt.file(self.source.wanted)
    }

    fn question(&self, taken: &[String], refused: &[String]) -> String {
        self.frame.around(self.source.subject.input, self.source.wanted, taken, refused)
    }

    fn wanted(&self) -> usize {
        if self.not_applicable.is_some() { 0 } else { self.source.wanted - self.variants.len() }
    }

    fn take(&mut self, text: &str) -> Result<(), String> {
        self.check(text)?;
        let index = u32::try_from(self.variants.len()).unwrap_or(u32::MAX);
        self.variants.push(Variant::of_text(&self.source.subject, MUTATOR, Kind::Model, text.to_owned(), index));
        Ok(())
    }

    fn shows_again(&self, text: &str) -> bool {
        text.chars().count() <= self.source.subject.input.chars().count() * 3 + SLACK
    }
}

fn finished(draft: Draft<Rewording<'_>>) -> Paraphrases {
    let mut made = Variants::default();
    let (wanted, counted) = (draft.job.source.wanted, draft.job.variants.len());
    let mutator = MUTATOR.to_owned();
    match &draft.job.not_applicable {
        Some(reason) => {
            made.not_applicable.push(NotApplicable { mutator, reason: reason.clone(), other_language: false });
        }
        None if counted < wanted => {
            made.shortfalls.push(Shortfall { mutator, wanted, made: counted, reason: draft.why() });
        }
        None => {}
    }
    made.variants = draft.job.variants;
    Paraphrases { made, errors: draft.errors }
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
