//! Whether a text keeps what its original says.

use thiserror::Error;
use unicode_segmentation::UnicodeSegmentation;

use super::super::language::{Tongue, is_spaceless};
use super::protect::{Span, Why, is_whole};
use super::text::Text;
use super::{Kind, Subject};

/// How a text breaks the promise; the first breach that was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Breach {
    #[error("it is the original")]
    Unchanged,
    #[error("it is empty")]
    Empty,
    #[error("{why} `{text}` stands {were} times in the original and {are} times here")]
    Number { text: String, why: Why, were: usize, are: usize },
    #[error("{why} `{text}` is out of order")]
    Order { text: String, why: Why },
    #[error("its digits differ from those of the original")]
    Digits,
    #[error("its words that negate or count (`{now}`) differ from those of the original (`{was}`)")]
    Guards { was: String, now: String },
    #[error("it tears a sign apart: `{0}`")]
    Torn(String),
    #[error("it holds a control character")]
    Control,
}

/// Whether `variant_text` may stand for the subject's input.
///
/// For a written paraphrase the order is free, for it and for a model's "can't" and "cannot" count as "not", and a
/// first word that may be a name need not stay; everything else holds for every kind.
pub fn verify(subject: &Subject, variant_text: &str, kind: Kind) -> Result<(), Breach> {
    Text::new(subject).promise.holds(variant_text, kind)
}

/// What every variant of one input must keep.
pub(super) struct Promise {
    raw: String,
    tongue: Tongue,
    needles: Needles,
    /// The spans, as positions in `needles`.
    order: Vec<usize>,
    /// Every place where a needle stands in the original, as positions in `needles`.
    standing: Vec<u16>,
    digits: String,
    guards: String,
    loose_guards: String,
    /// The signs of several code points.
    clusters: Vec<String>,
    controls: bool,
}

struct Needle {
    text: String,
    why: Why,
    count: usize,
}

/// Distinct texts of spans, found in one pass.
struct Needles {
    all: Vec<Needle>,
    /// By first byte: the needles that start with it.
    by_first: Vec<Vec<u16>>,
}

impl Needles {
    fn new(all: Vec<Needle>) -> Needles {
        let mut by_first = vec![vec![]; 256];
        for (at, needle) in all.iter().enumerate() {
            if let Some(first) = needle.text.bytes().next() {
                by_first[usize::from(first)].push(at as u16);
            }
        }
        Needles { all, by_first }
    }

    /// Calls `found` with every whole occurrence of every needle, from left to right, until it says false.
    fn each_standing(&self, text: &str, mut found: impl FnMut(u16) -> bool) -> bool {
        let bytes = text.as_bytes();
        for (at, first) in bytes.iter().enumerate() {
            for index in &self.by_first[usize::from(*first)] {
                let needle = self.all[usize::from(*index)].text.as_bytes();
                let stands = bytes[at..].starts_with(needle) && is_whole(text, &(at..at + needle.len()));
                if stands && !found(*index) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether the needles stand in `text` as often and in the same order as in `standing`.
    fn same(&self, text: &str, standing: &[u16]) -> bool {
        let mut next = standing.iter();
        self.each_standing(text, |index| next.next() == Some(&index)) && next.next().is_none()
    }
}

impl Promise {
    pub(super) fn new(raw: &str, spans: &[Span], tongue: &Tongue) -> Promise {
        let mut needles: Vec<Needle> = vec![];
        let mut order = vec![];
        for span in spans {
            let text = &raw[span.range.clone()];
            let at = needles.iter().position(|needle| needle.text == text).unwrap_or_else(|| {
                let count = count(raw, text);
                needles.push(Needle { text: text.to_owned(), why: span.why, count });
                needles.len() - 1
            });
            order.push(at);
        }
        let needles = Needles::new(needles);
        let mut standing = vec![];
        needles.each_standing(raw, |index| {
            standing.push(index);
            true
        });
        Promise {
            raw: raw.to_owned(),
            tongue: tongue.clone(),
            needles,
            order,
            standing,
            digits: raw.chars().filter(|c| c.is_numeric()).collect(),
            guards: guards(raw, tongue, false),
            loose_guards: guards(raw, tongue, true),
            clusters: clusters(raw).map(str::to_owned).collect(),
            controls: raw.chars().any(is_control),
        }
    }

    pub(super) fn holds(&self, variant: &str, kind: Kind) -> Result<(), Breach> {
        if variant == self.raw {
            return Err(Breach::Unchanged);
        }
        if variant.trim().is_empty() {
            return Err(Breach::Empty);
        }
        let free_wording = matches!(kind, Kind::Model | Kind::Written);
        // Where somebody else wrote the text, the reason is for people: a lost order number before its digits.
        if free_wording {
            self.spans_stand(variant, kind)?;
        }
        if !self.same_digits(variant, kind) {
            return Err(Breach::Digits);
        }
        if !free_wording && !self.needles.same(variant, &self.standing) {
            self.spans_stand(variant, kind)?;
        }
        self.same_guards(variant, kind)?;
        if let Some(torn) = clusters(variant).find(|cluster| !self.clusters.iter().any(|known| known == cluster)) {
            return Err(Breach::Torn(torn.to_owned()));
        }
        if !self.controls && variant.chars().any(is_control) {
            return Err(Breach::Control);
        }
        Ok(())
    }

    fn same_digits(&self, variant: &str, kind: Kind) -> bool {
        if kind == Kind::Written {
            let sorted = |digits: &mut dyn Iterator<Item = char>| {
                let mut digits: Vec<char> = digits.collect();
                digits.sort_unstable();
                digits
            };
            let mut found = variant.chars().filter(|c| c.is_numeric());
            return sorted(&mut found) == sorted(&mut self.digits.chars());
        }
        if variant.is_ascii() {
            variant.bytes().filter(u8::is_ascii_digit).eq(self.digits.bytes())
        } else {
            variant.chars().filter(|c| c.is_numeric()).eq(self.digits.chars())
        }
    }

    /// The slow way, which can say what is wrong and leaves a paraphrase its freedom.
    fn spans_stand(&self, variant: &str, kind: Kind) -> Result<(), Breach> {
        let free_wording = matches!(kind, Kind::Model | Kind::Written);
        let kept = |needle: &Needle| !(free_wording && matches!(needle.why, Why::Opening | Why::Guard));
        for needle in self.needles.all.iter().filter(|needle| kept(needle)) {
            let are = count(variant, &needle.text);
            if are != needle.count {
                let (text, why, were) = (needle.text.clone(), needle.why, needle.count);
                return Err(Breach::Number { text, why, were, are });
            }
        }
        if kind == Kind::Written { Ok(()) } else { self.in_order(variant, kept) }
    }

    fn in_order(&self, variant: &str, kept: impl Fn(&Needle) -> bool) -> Result<(), Breach> {
        let mut at = 0;
        for needle in self.order.iter().map(|at| &self.needles.all[*at]).filter(|needle| kept(needle)) {
            match find_whole(variant, &needle.text, at) {
                Some(found) => at = found + needle.text.len(),
                None => return Err(Breach::Order { text: needle.text.clone(), why: needle.why }),
            }
        }
        Ok(())
    }

    fn same_guards(&self, variant: &str, kind: Kind) -> Result<(), Breach> {
        let sorted = |text: &str| {
            let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            words.sort_unstable();
            words
        };
        let (was, now) = match kind {
            Kind::Model | Kind::Written => (&self.loose_guards, guards(variant, &self.tongue, true)),
            _ => (&self.guards, guards(variant, &self.tongue, false)),
        };
        let same = *was == now || kind == Kind::Written && sorted(was) == sorted(&now);
        if same { Ok(()) } else { Err(Breach::Guards { was: was.trim().to_owned(), now: now.trim().to_owned() }) }
    }
}

/// Control characters but for line breaks and tabs.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// How often `needle` stands in `text` as whole words.
fn count(text: &str, needle: &str) -> usize {
    let mut found = 0;
    let mut at = 0;
    while let Some(hit) = find_whole(text, needle, at) {
        found += 1;
        at = hit + needle.len();
    }
    found
}

fn find_whole(text: &str, needle: &str, mut at: usize) -> Option<usize> {
    while let Some(hit) = text.get(at..)?.find(needle) {
        let start = at + hit;
        if is_whole(text, &(start..start + needle.len())) {
            return Some(start);
        }
        at = start + needle.chars().next()?.len_utf8();
    }
    None
}

/// The words of `text` that negate or count, in lower case, one space before each; then the signs that do. `loose`
/// takes "can't" for "not".
fn guards(text: &str, tongue: &Tongue, loose: bool) -> String {
    let (mut found, mut signs) = (String::new(), String::new());
    let mut take = |word: &str| {
        if tongue.rules_out(word) {
            return;
        }
        let mut buffer = [0; 24];
        let Some(space) = buffer.get_mut(..word.len()).filter(|_| word.is_ascii()) else {
            let word = word.to_lowercase().replace('\u{2019}', "'");
            return note_guard(word.trim_matches('\''), tongue, loose, &mut found);
        };
        space.copy_from_slice(word.as_bytes());
        space.make_ascii_lowercase();
        // Copied from text without a change of length, so it is text again.
        if let Ok(word) = std::str::from_utf8(space) {
            note_guard(word.trim_matches('\''), tongue, loose, &mut found);
        }
    };
    let mut start = None;
    for (at, c) in text.char_indices() {
        let apostrophe = matches!(c, '\'' | '\u{2019}');
        let letter = c.is_ascii_alphabetic() || !c.is_ascii() && c.is_alphabetic() && !is_spaceless(c);
        if letter || apostrophe && start.is_some() {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take() {
            take(&text[start..at]);
        }
        if !c.is_ascii() && tongue.guards_sign(c) {
            signs.push(' ');
            signs.push(c);
        }
    }
    if let Some(start) = start {
        take(&text[start..]);
    }
    found + &signs
}

fn note_guard(word: &str, tongue: &Tongue, loose: bool, found: &mut String) {
    if tongue.guards(word) {
        let negated = word.ends_with("n't") || matches!(word, "cannot" | "cant" | "wont" | "dont");
        found.push(' ');
        found.push_str(if loose && negated { "not" } else { word });
    }
}

/// Every sign of several code points (a letter with its marks, a family, a flag).
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    // Latin letters and common punctuation join nothing.
    let alone = |c: char| c < '\u{300}' || matches!(c, '\u{2010}'..='\u{2027}' | '\u{202f}');
    let text = if text.is_ascii() || text.chars().all(alone) { "" } else { text };
    text.graphemes(true).filter(|cluster| cluster.chars().nth(1).is_some())
}
