//! Text as it is compared: normalised, folded, without emphasis, with a way back to the original bytes.

use std::ops::Range;

use unicode_normalization::char::{canonical_combining_class, decompose_compatible, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// A text in the form in which texts are compared.
///
/// What is made equal: Unicode compatibility forms (NFKC; superscripts, vulgar fractions and ™ stay what they are,
/// since `10²` is not `102`), curly and straight quotes, all dashes, any run of whitespace (NBSP and `&nbsp;` too),
/// letter case unless asked otherwise (with `ß` as `ss`, `ς` as `σ`), thousands separators in numbers (`1,000` is
/// `1000`), Markdown emphasis (`**30** days` is `30 days`) and backslash escapes. Invisible characters are dropped;
/// whitespace at both ends too.
#[derive(Debug)]
pub struct Folded<'t> {
    original: &'t str,
    text: String,
    /// Where the distance between folded and original offsets changes: (folded offset, original offset), ascending.
    steps: Vec<(usize, usize)>,
    /// The spaces of the folded text that stand for whitespace with a line break in it, ascending.
    breaks: Vec<LineBreak>,
}

/// A space of a folded text where the original goes on in another line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineBreak {
    /// The offset of the space in the folded text.
    pub at: usize,
    /// At least one empty line stands between.
    pub empty_line: bool,
}

impl<'t> Folded<'t> {
    /// Folds letter case unless `case_sensitive`. Linear in the text.
    pub fn new(original: &'t str, case_sensitive: bool) -> Folded<'t> {
        let mut folding = Folding {
            out: Folded { original, text: String::with_capacity(original.len()), steps: vec![(0, 0)], breaks: vec![] },
            case_sensitive,
            gap: None,
            group_end: None,
        };
        folding.run();
        folding.out
    }

    /// The folded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the original goes on in another line.
    pub fn breaks(&self) -> &[LineBreak] {
        &self.breaks
    }

    /// The bytes of the original that a range of the folded text came from, on character boundaries.
    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.original_start(range.start);
        if range.is_empty() {
            return start..start;
        }
        let last = self.original_start(range.end - 1);
        let mut end = last;
        for (index, c) in self.original[last..].chars().enumerate() {
            if index > 0 && !continues(c) {
                break;
            }
            end += c.len_utf8();
        }
        start..end
    }

    /// What is written next came from `at` of the original.
    fn step(&mut self, at: usize) {
        let here = self.text.len();
        let last = self.steps.len() - 1;
        let (from, to) = self.steps[last];
        if here - from + to == at {
            return;
        }
        if from == here {
            self.steps[last] = (here, at);
        } else {
            self.steps.push((here, at));
        }
    }

    /// Where the character of the original began that this byte of the folded text came from.
    fn original_start(&self, mut folded: usize) -> usize {
        folded = folded.min(self.text.len());
        while !self.text.is_char_boundary(folded) {
            folded -= 1;
        }
        let next = self.steps.partition_point(|(at, _)| *at <= folded);
        let (from, to) = self.steps[next.saturating_sub(1)];
        let mut at = (to + folded.saturating_sub(from)).min(self.original.len());
        while !self.original.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// True where a character forms one unit with what stands before it: combining marks and what composes with them.
fn continues(c: char) -> bool {
    // Latin, Greek, Cyrillic, punctuation, kana, ideographs and whole Hangul syllables, which most texts are made of.
    if matches!(c as u32, 0..0x300 | 0x370..0x483 | 0x2000..0x20d0 | 0x3000..0x302a | 0x3041..0x3099 | 0x30a0..0xa000 | 0xac00..0xd7a4)
    {
        return false;
    }
    let mut first = None;
    decompose_compatible(c, |part| first = first.or(Some(part)));
    let first = first.unwrap_or(c);
    canonical_combining_class(first) != 0 || is_nfkc_quick(std::iter::once(first)) == IsNormalized::Maybe
}

/// True where a character that stands alone is not changed by normalisation, or is better left alone: a ligature of a
/// whole phrase (`ﷺ`) would let a reply grow to many times its size.
fn stays(c: char) -> bool {
    const MOST_PARTS: usize = 4;
    let mut parts = 0;
    is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes || {
        decompose_compatible(c, |_| parts += 1);
        parts > MOST_PARTS
    }
}

/// Superscript and subscript digits, vulgar fractions, trade marks: glued to a word they are no part of it.
pub fn is_annotation(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | 'ª' | 'º' | '¼'..='¾' | '™' | '℠' | '\u{2070}'..='\u{209c}' | '\u{2150}'..='\u{215f}' | '\u{2189}')
}

/// Letters, digits, combining marks and `_`.
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    (c.is_alphanumeric() || is_combining_mark(c)) && !is_annotation(c)
}

/// Letters of scripts that do not put spaces between words (or, as Hangul, glue particles to them).
pub fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1100..=0x11ff | 0x1780..=0x17ff | 0x2e80..=0x2fdf | 0x3005..=0x3007
        | 0x3021..=0x3029 | 0x3031..=0x3035 | 0x3040..=0x30ff | 0x3100..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
        | 0xa960..=0xa97f | 0xac00..=0xd7ff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Quotes and dashes in their plain form.
fn plain_mark(c: char) -> Option<char> {
    Some(match c {
        '‘' | '’' | '‚' | '‛' | '′' | '‵' | 'ʼ' | 'ʹ' | '´' | '‹' | '›' | '＇' => '\'',
        '“' | '”' | '„' | '‟' | '″' | '‶' | '«' | '»' | '＂' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '⁻' | '﹘' | '﹣' | '－' => '-',
        '\u{2044}' | '\u{2215}' => '/',
        _ => return None,
    })
}

const ENTITIES: [(&str, char); 9] = [
    ("&nbsp;", ' '),
    ("&#160;", ' '),
    ("&#xa0;", ' '),
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&apos;", '\''),
    ("&#39;", '\''),
];

fn is_marker(c: char) -> bool {
    matches!(c, '*' | '_' | '`')
}

/// What an ASCII byte asks of the folding.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    /// Stands for itself, but for its letter case.
    Plain,
    Space,
    Comma,
    Special,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Special; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b' ' => Class::Space,
            b',' => Class::Comma,
            b'&' | b'\\' | b'*' | b'_' | b'`' | b'\t'..=b'\r' => Class::Special,
            _ => Class::Plain,
        };
        byte += 1;
    }
    classes
};

/// Where the text from `at` on that can be copied ends: nearly all of most texts.
fn plain_run(bytes: &[u8], at: usize) -> usize {
    let class = |at: usize| bytes.get(at).map_or(Class::Special, |byte| CLASSES[usize::from(*byte)]);
    let mut end = at;
    loop {
        let plain = |byte: &&u8| CLASSES[usize::from(**byte)] == Class::Plain;
        end += bytes[end..].iter().take_while(plain).count();
        match class(end) {
            Class::Space if end > at && class(end + 1) == Class::Plain => {}
            Class::Comma if bytes.get(end + 1).is_none_or(|next| next.is_ascii() && !next.is_ascii_digit()) => {}
            _ => break,
        }
        end += 1;
    }
    // What follows may combine with the last character.
    if end > at && bytes.get(end).is_some_and(|next| !next.is_ascii()) {
        end -= 1;
        if end > at && bytes[end - 1] == b' ' {
            end -= 1;
        }
    }
    end
}

/// The one pass over the text.
struct Folding<'t> {
    out: Folded<'t>,
    case_sensitive: bool,
    /// Where whitespace that is not yet written began.
    gap: Option<usize>,
    /// Folded length at which the last thousands separator was dropped.
    group_end: Option<usize>,
}

impl Folding<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.out.original.len() {
            let end = plain_run(self.out.original.as_bytes(), at);
            if end > at {
                self.write_run(at, end);
                at = end;
            } else {
                at = self.step(at);
            }
        }
    }

    /// Writes what stands for itself but for its letter case.
    fn write_run(&mut self, at: usize, end: usize) {
        self.close_gap(at);
        self.out.step(at);
        let here = self.out.text.len();
        self.out.text.push_str(&self.out.original[at..end]);
        if !self.case_sensitive {
            self.out.text[here..].make_ascii_lowercase();
        }
    }

    /// Folds what stands at `at`; returns where to go on.
    fn step(&mut self, at: usize) -> usize {
        let original = self.out.original;
        let rest = &original[at..];
        let Some(c) = rest.chars().next() else { return original.len() };
        let next = at + c.len_utf8();
        let after = &original[next..];
        match c {
            '&' => {
                let known = ENTITIES.iter().find(|(name, _)| {
                    rest.as_bytes().get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
                });
                match known {
                    Some((name, ' ')) => {
                        self.gap.get_or_insert(at);
                        return at + name.len();
                    }
                    Some((name, plain)) => {
                        self.write(at, *plain);
                        return at + name.len();
                    }
                    None => self.write(at, c),
                }
                next
            }
            '\\' => match after.chars().next() {
                Some(escaped) if escaped.is_ascii_punctuation() => {
                    self.write(next, escaped);
                    next + 1
                }
                _ => {
                    self.write(at, c);
                    next
                }
            },
            c if is_marker(c) => {
                let length = rest.find(|c| !is_marker(c)).unwrap_or(rest.len());
                let end = at + length;
                let before = original[..at].chars().next_back();
                let following = original[end..].chars().next();
                let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
                let word = |c: Option<char>| c.is_some_and(is_word);
                // Between two words (`order_id`, `5*3`) or alone (`* item`, `3 * 4`) it is no emphasis.
                if (space(before) && space(following)) || (word(before) && word(following)) {
                    for (offset, marker) in rest[..length].char_indices() {
                        self.write(at + offset, marker);
                    }
                }
                end
            }
            c if self.separates_thousands(c, after) => {
                self.group_end = Some(self.out.text.len());
                next
            }
            c if c.is_whitespace() => {
                self.gap.get_or_insert(at);
                next
            }
            c if is_invisible(c) => next,
            c => {
                if let Some(plain) = plain_mark(c) {
                    self.write(at, plain);
                    return next;
                }
                let tail: usize = after.chars().take_while(|c| continues(*c)).map(char::len_utf8).sum();
                self.write_unit(at, c, next + tail);
                next + tail
            }
        }
    }

    /// One character with what combines with it.
    fn write_unit(&mut self, at: usize, first: char, end: usize) {
        let unit = &self.out.original[at..end];
        if unit.len() == first.len_utf8() && (is_annotation(first) || first.is_ascii() || stays(first)) {
            self.write_case(at, first);
            return;
        }
        for c in unit.nfkc().collect::<Vec<char>>() {
            match plain_mark(c) {
                Some(plain) => self.write(at, plain),
                None if c.is_whitespace() => {
                    self.gap.get_or_insert(at);
                }
                None if is_invisible(c) => {}
                None => self.write_case(at, c),
            }
        }
    }

    fn write_case(&mut self, at: usize, c: char) {
        if self.case_sensitive {
            return self.write(at, c);
        }
        match c {
            'ß' | 'ẞ' => {
                self.write(at, 's');
                self.write(at, 's');
            }
            'ς' => self.write(at, 'σ'),
            'İ' => self.write(at, 'i'),
            c if c.is_ascii() => self.write(at, c.to_ascii_lowercase()),
            c => c.to_lowercase().for_each(|lower| self.write(at, lower)),
        }
    }

    fn write(&mut self, at: usize, c: char) {
        self.close_gap(at);
        self.out.step(at);
        self.out.text.push(c);
    }

    /// Writes one space for the whitespace before `at`, but none at the beginning.
    fn close_gap(&mut self, at: usize) {
        let Some(gap) = self.gap.take() else { return };
        if self.out.text.is_empty() {
            return;
        }
        let lines = self.out.original.as_bytes()[gap..at.max(gap)].iter().filter(|byte| **byte == b'\n').count();
        if lines > 0 {
            self.out.breaks.push(LineBreak { at: self.out.text.len(), empty_line: lines > 1 });
        }
        self.out.step(gap);
        self.out.text.push(' ');
    }

    /// A comma or a no-break space between groups of three digits, the first group of one to three.
    fn separates_thousands(&self, c: char, after: &str) -> bool {
        if !matches!(c, ',' | '，' | '\u{a0}' | '\u{2009}' | '\u{202f}') || self.gap.is_some() {
            return false;
        }
        let mut following = after.chars();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || ('０'..='９').contains(&c));
        if !(digit(following.next()) && digit(following.next()) && digit(following.next())) || digit(following.next()) {
            return false;
        }
        let text = self.out.text.as_bytes();
        if self.group_end.is_some_and(|end| text.len() == end + 3) {
            return true;
        }
        let digits = text.iter().rev().take(4).take_while(|byte| byte.is_ascii_digit()).count();
        let before = text.len().checked_sub(digits + 1).map(|at| text[at]);
        (1..=3).contains(&digits) && before != Some(b'.') && before != Some(b',')
    }
}
