//! Variants of one input: spread over kinds and mutators, verified, distinct.

use std::collections::HashSet;

use super::algorithms::Maker;
use super::draw::Streams;
use super::edit::{Edit, TextEdit, reported, written};
use super::packs::{Mutator, Packs};
use super::text::Text;
use super::{Kind, Subject};

/// Draws for one variant before its mutator counts as exhausted.
const ATTEMPTS: usize = 40;
/// Mutators that share one run end here, however many variants are wanted.
const MOST: usize = 1_000_000;
/// Why no mutator is applicable to an input of numbers, code and signs.
const NO_WORDS: &str = "the input has no word that may be changed or framed";

/// Which variants are wanted.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Only these kinds. Of a kind, the mutators that are on by default take part; all of them where none is.
    pub kinds: Option<Vec<Kind>>,
    /// Only these mutators, by name (`typo/transposition`), on by default or not; a name that ends with `/` stands for
    /// its whole pack.
    pub mutators: Option<Vec<String>>,
    /// Wanted in all, spread evenly over the kinds and within them over the mutators.
    pub variants: usize,
    pub seed: u64,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice { kinds: None, mutators: None, variants: 12, seed: 0 }
    }
}

/// One changed input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Case, mutator and 8 hexadecimal digits of the text's BLAKE3 hash.
    pub id: String,
    pub mutator: String,
    pub kind: Kind,
    pub text: String,
    /// What differs from the input, ascending.
    pub edits: Vec<TextEdit>,
    /// Which variant of its mutator, from 0.
    pub index: u32,
}

impl Variant {
    /// The variant that is `text`, which somebody else wrote: a model, a person, an earlier run. Whether it keeps what
    /// must be kept is asked of [`verify`](super::verify).
    pub fn of_text(subject: &Subject, mutator: &str, kind: Kind, text: String, index: u32) -> Variant {
        let edits = TextEdit::between(subject.input, &text);
        let id = id_of(subject.case, mutator, blake3::hash(text.as_bytes()).as_bytes());
        Variant { id, mutator: mutator.to_owned(), kind, text, edits, index }
    }
}

/// Whether anything can say the input in another way.
///
/// # Errors
/// The reason, where it is nothing but numbers, code and signs.
pub fn rephrasable(subject: &Subject) -> Result<(), String> {
    if Text::new(subject).has_words() { Ok(()) } else { Err(NO_WORDS.to_owned()) }
}

/// A mutator that made fewer variants than it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortfall {
    pub mutator: String,
    pub wanted: usize,
    pub made: usize,
    pub reason: String,
}

/// A mutator that can't change an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotApplicable {
    pub mutator: String,
    pub reason: String,
    /// The mutator is for other languages than the input's: nobody expected it to.
    pub other_language: bool,
}

/// What was made of one input.
#[derive(Debug, Clone, Default)]
pub struct Variants {
    /// Distinct, by mutator in the order of the packs, then by index.
    pub variants: Vec<Variant>,
    pub shortfalls: Vec<Shortfall>,
    /// Mutators that can't change this input, with the reason: they count in no rate.
    pub not_applicable: Vec<NotApplicable>,
}

/// Variants of `subject`, as many as wanted or as there are.
///
/// The share of a mutator that runs out goes to the others. The variants of one mutator depend on the seed, the case's
/// id, its name and the input alone.
pub fn variants(packs: &Packs, subject: &Subject, choice: &Choice) -> Variants {
    let text = Text::new(subject);
    let mut result = Variants::default();
    let mut sources = sources(packs, subject, choice, &text, &mut result);
    let mut seen: HashSet<[u8; 16]> = HashSet::new();
    let wanted = choice.variants.min(MOST);
    let mut made = 0;
    let kinds: Vec<Kind> =
        Kind::ALL.into_iter().filter(|kind| sources.iter().any(|s| s.mutator.kind == *kind)).collect();
    let mut turns = vec![0; kinds.len()];
    while made < wanted {
        let before = made;
        for (kind, turn) in kinds.iter().zip(&mut turns) {
            if made == wanted {
                break;
            }
            // The next mutator of the kind, in turn, that still makes something.
            let of_kind: Vec<usize> = (0..sources.len()).filter(|at| sources[*at].mutator.kind == *kind).collect();
            let mut gave = false;
            for _ in 0..of_kind.len() {
                let source = &mut sources[of_kind[*turn % of_kind.len()]];
                *turn += 1;
                if source.next(subject, &text, &mut seen) {
                    gave = true;
                    break;
                }
            }
            made += usize::from(gave);
        }
        if made == before {
            break;
        }
    }
    for source in sources {
        let (made, asked) = (source.variants.len(), source.asked);
        if made < asked {
            let reason = source.short.unwrap_or_default();
            let mutator = source.mutator.name.clone();
            result.shortfalls.push(Shortfall { mutator, wanted: asked, made, reason });
        }
        result.variants.extend(source.variants);
    }
    result
}

fn sources<'t>(
    packs: &'t Packs,
    subject: &Subject,
    choice: &Choice,
    text: &'t Text<'t>,
    result: &mut Variants,
) -> Vec<Source<'t>> {
    let mut sources = vec![];
    for mutator in chosen(packs, choice) {
        let other_language = !mutator.languages.is_empty() && !mutator.languages.contains(&text.tongue.code);
        let plan = if !text.has_words() {
            Err(NO_WORDS.to_owned())
        } else if other_language {
            Err(format!("it is for {}, and the input is in `{}`", mutator.languages.join(", "), text.tongue.code))
        } else {
            mutator.algorithm.plan(text)
        };
        match plan {
            Ok(maker) => sources.push(Source {
                mutator,
                maker,
                streams: Streams::new(choice.seed, subject.case, &mutator.name),
                hashes: HashSet::new(),
                index: 0,
                asked: 0,
                short: None,
                variants: vec![],
            }),
            Err(reason) => {
                result.not_applicable.push(NotApplicable { mutator: mutator.name.clone(), reason, other_language });
            }
        }
    }
    sources
}

/// The mutators that take part, in the order of the packs.
fn chosen<'p>(packs: &'p Packs, choice: &Choice) -> Vec<&'p Mutator> {
    let named = |mutator: &Mutator| {
        choice.mutators.as_ref().map(|names| {
            names
                .iter()
                .any(|name| *name == mutator.name || name.ends_with('/') && mutator.name.starts_with(name.as_str()))
        })
    };
    let of_kind = |mutator: &Mutator| choice.kinds.as_ref().is_none_or(|kinds| kinds.contains(&mutator.kind));
    let any_default = |kind: Kind| packs.mutators().any(|other| other.kind == kind && other.default_on);
    packs
        .mutators()
        .filter(|mutator| of_kind(mutator))
        .filter(|mutator| {
            named(mutator).unwrap_or(mutator.default_on || choice.kinds.is_some() && !any_default(mutator.kind))
        })
        .collect()
}

/// One mutator at work on one input.
struct Source<'t> {
    mutator: &'t Mutator,
    maker: Maker<'t>,
    streams: Streams,
    /// Of this mutator's own texts: another mutator's may not change what this one draws.
    hashes: HashSet<[u8; 4]>,
    index: u32,
    asked: usize,
    short: Option<String>,
    variants: Vec<Variant>,
}

impl Source<'_> {
    /// Makes the next variant that no mutator made before; false where there is none.
    fn next(&mut self, subject: &Subject, text: &Text, seen: &mut HashSet<[u8; 16]>) -> bool {
        if self.short.is_some() {
            return false;
        }
        self.asked += 1;
        while self.short.is_none() {
            let Some((made, edits, hash)) = self.draw(text) else { return false };
            let index = self.index;
            self.index += 1;
            if !seen.insert(hash) {
                continue;
            }
            let id = id_of(subject.case, &self.mutator.name, &hash);
            let edits = reported(text.raw, &edits);
            let (mutator, kind) = (self.mutator.name.clone(), self.mutator.kind);
            self.variants.push(Variant { id, mutator, kind, text: made, edits, index });
            return true;
        }
        false
    }

    /// The text of variant `index`: drawn again where it breaks the promise or was made before.
    fn draw(&mut self, text: &Text) -> Option<(String, Vec<Edit>, [u8; 16])> {
        let mut stream = self.streams.stream(self.index);
        let mut breach = None;
        for _ in 0..ATTEMPTS {
            let Some(mut edits) = (self.maker)(&mut stream) else { continue };
            let Some(made) = written(text.raw, &mut edits) else { continue };
            if let Err(error) = text.promise.holds(&made, self.mutator.kind) {
                breach = Some(error);
                continue;
            }
            let hash: [u8; 16] = first(blake3::hash(made.as_bytes()).as_bytes());
            // By as much of the hash as the id shows, so that ids are distinct as well.
            if self.hashes.insert(first(&hash)) {
                return Some((made, edits, hash));
            }
        }
        self.short = Some(match breach {
            Some(breach) if self.variants.is_empty() => {
                format!("{ATTEMPTS} draws failed; the last one because {breach}")
            }
            _ => format!("{ATTEMPTS} draws in a row gave nothing new"),
        });
        None
    }
}

/// `hash` is of the variant's text.
fn id_of(case: &str, mutator: &str, hash: &[u8]) -> String {
    format!("{case}/{mutator}/{}", hex(first(hash)))
}

/// The first bytes of a hash.
fn first<const N: usize>(hash: &[u8]) -> [u8; N] {
    std::array::from_fn(|at| hash.get(at).copied().unwrap_or(0))
}

fn hex(bytes: [u8; 4]) -> String {
    format!("{:08x}", u32::from_be_bytes(bytes))
}
