//! Whether a text keeps what its original says.

use thiserror::Error;

use super::language::{Tongue, is_spaceless};
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
    /// Distinct texts of spans.
    needles: Vec<Needle>,
    /// The spans, as positions in `needles`.
    order: Vec<usize>,
    digits: String,
    guards: String,
    loose_guards: String,
    /// Every combining sign with the one before it.
    joined: Vec<(char, char)>,
    controls: bool,
}

struct Needle {
    text: String,
    why: Why,
    count: usize,
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
        Promise {
            raw: raw.to_owned(),
            tongue: tongue.clone(),
            needles,
            order,
            digits: raw.chars().filter(|c| c.is_numeric()).collect(),
            guards: guards(raw, tongue, false),
            loose_guards: guards(raw, tongue, true),
            joined: joined(raw),
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
        let digits = if variant.is_ascii() {
            variant.bytes().filter(u8::is_ascii_digit).eq(self.digits.bytes())
        } else {
            variant.chars().filter(|c| c.is_numeric()).eq(self.digits.chars())
        };
        if !digits {
            return Err(Breach::Digits);
        }
        let free_wording = matches!(kind, Kind::Model | Kind::Written);
        let kept = |needle: &Needle| !(free_wording && matches!(needle.why, Why::Opening | Why::Guard));
        for needle in self.needles.iter().filter(|needle| kept(needle)) {
            let are = count(variant, &needle.text);
            if are != needle.count {
                let (text, why, were) = (needle.text.clone(), needle.why, needle.count);
                return Err(Breach::Number { text, why, were, are });
            }
        }
        if kind != Kind::Written {
            self.in_order(variant, kept)?;
        }
        self.same_guards(variant, kind)?;
        if !variant.is_ascii() {
            if let Some((before, sign)) = joined(variant).into_iter().find(|pair| !self.joined.contains(pair)) {
                return Err(Breach::Torn(format!("{before}{sign}")));
            }
        }
        if !self.controls && variant.chars().any(is_control) {
            return Err(Breach::Control);
        }
        Ok(())
    }

    fn in_order(&self, variant: &str, kept: impl Fn(&Needle) -> bool) -> Result<(), Breach> {
        let mut at = 0;
        for needle in self.order.iter().map(|at| &self.needles[*at]).filter(|needle| kept(needle)) {
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

/// The words of `text` that negate or count, in lower case, one space before each. `loose` takes "can't" for "not".
fn guards(text: &str, tongue: &Tongue, loose: bool) -> String {
    let mut found = String::new();
    let mut word = String::with_capacity(16);
    let mut take = |word: &mut String| {
        if !word.is_empty() {
            let bare = word.trim_end_matches('\'');
            if tongue.guards(bare) {
                found.push(' ');
                let negated = bare.ends_with("n't") || matches!(bare, "cannot" | "cant" | "wont" | "dont");
                found.push_str(if loose && negated { "not" } else { bare });
            }
            word.clear();
        }
    };
    let mut signs = String::new();
    for c in text.chars() {
        if c.is_ascii_alphabetic() {
            word.push(c.to_ascii_lowercase());
        } else if matches!(c, '\'' | '\u{2019}') {
            if !word.is_empty() {
                word.push('\'');
            }
        } else if c.is_ascii() {
            take(&mut word);
        } else if is_spaceless(c) {
            take(&mut word);
            if tongue.guards_sign(c) {
                signs.push(' ');
                signs.push(c);
            }
        } else if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        } else {
            take(&mut word);
        }
    }
    take(&mut word);
    found + &signs
}

/// Every sign that can't stand alone, with the one before it: combining marks, joiners, variation selectors, skin
/// tones, halves of flags.
fn joined(text: &str) -> Vec<(char, char)> {
    if text.is_ascii() {
        return vec![];
    }
    let joins = |c: char| {
        matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'
            | '\u{1f1e6}'..='\u{1f1ff}' | '\u{20e3}' | '\u{e0020}'..='\u{e007f}')
            || !c.is_ascii() && unicode_normalization::char::is_combining_mark(c)
    };
    let mut before = ' ';
    let mut found = vec![];
    for c in text.chars() {
        // What follows a joiner belongs to it as well.
        let half_flag = |c: char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
        if half_flag(c) {
            found.push((if half_flag(before) { before } else { ' ' }, c));
        } else if joins(c) || before == '\u{200d}' {
            found.push((before, c));
        }
        before = c;
    }
    found
}
