//! A text that is looked for in a folded reply, and where it counts as itself and not as a part of something longer.

use std::ops::Range;

use memchr::memmem;

use super::folded::{Folded, is_unspaced, is_word};

/// A text, folded once when the suite is loaded.
#[derive(Debug, Clone)]
pub struct Phrase {
    folded: String,
    finder: Box<memmem::Finder<'static>>,
    whole_words: bool,
    /// Two occurrences can overlap: the text starts and ends alike.
    overlaps: bool,
}

/// Where a needle was looked for and what came of it. Ranges are in the folded reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Sighting {
    Found(Range<usize>),
    /// Nowhere, but for the first place where it is only a part of a longer word or number.
    Inside(Range<usize>),
    /// It stands where the reply was cut, so that it may be part of something longer.
    AtCut,
    Absent,
}

impl Sighting {
    /// Takes `other` in where it says more.
    pub fn improve(&mut self, other: Sighting) {
        let rank = |sighting: &Sighting| match sighting {
            Sighting::Absent => 0,
            Sighting::Inside(_) => 1,
            Sighting::AtCut => 2,
            Sighting::Found(_) => 3,
        };
        if rank(&other) > rank(self) {
            *self = other;
        }
    }
}

/// Whether one edge of an occurrence is an edge of a word and of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Edge {
    Free,
    Joined,
    /// The reply was cut here: what follows is not known.
    Unknown,
}

impl Phrase {
    /// Whether it counts only up to the edges of words.
    pub fn whole_words(&self) -> bool {
        self.whole_words
    }

    pub fn new(written: &str, whole_words: bool, case_sensitive: bool) -> Phrase {
        let folded = Folded::new(written, case_sensitive).text().to_owned();
        let overlaps = borders(&folded).last().is_some_and(|border| *border > 0);
        let finder = Box::new(memmem::Finder::new(&folded).into_owned());
        Phrase { folded, finder, whole_words, overlaps }
    }

    /// The text in the form in which it is compared.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// The first place in `text` (folded) where this stands as itself. `cut` says that the text goes on unseen.
    /// Linear in the text.
    pub fn find(&self, text: &str, cut: bool) -> Sighting {
        if self.folded.is_empty() {
            return Sighting::Absent;
        }
        let candidates = self.finder.find_iter(text.as_bytes());
        let sighting = self.first_free(candidates, text, cut);
        // Only where every candidate was refused can an occurrence that overlaps one of them matter.
        if self.overlaps && matches!(sighting, Sighting::Inside(_) | Sighting::AtCut) {
            return self.first_free(occurrences(&self.folded, text), text, cut);
        }
        sighting
    }

    fn first_free(&self, candidates: impl Iterator<Item = usize>, text: &str, cut: bool) -> Sighting {
        let mut best = Sighting::Absent;
        for at in candidates {
            best.improve(self.sight(text, at, cut));
            if matches!(best, Sighting::Found(_)) {
                break;
            }
        }
        best
    }

    /// What an occurrence at `at` is: itself, or a part of something longer.
    pub fn sight(&self, text: &str, at: usize, cut: bool) -> Sighting {
        let range = at..at + self.folded.len();
        match (self.left(text, at), self.right(text, range.end, cut)) {
            (Edge::Free, Edge::Free) => Sighting::Found(range),
            (Edge::Free, Edge::Unknown) => Sighting::AtCut,
            _ => Sighting::Inside(range),
        }
    }

    /// Goes through every occurrence, until `enough` says that one is.
    pub fn each(&self, text: &str, cut: bool, mut enough: impl FnMut(Sighting) -> bool) {
        if self.folded.is_empty() {
            return;
        }
        if self.overlaps {
            occurrences(&self.folded, text).any(|at| enough(self.sight(text, at, cut)));
        } else {
            self.finder.find_iter(text.as_bytes()).any(|at| enough(self.sight(text, at, cut)));
        }
    }

    /// True where the text starts with this, and what follows may follow.
    pub fn starts(&self, text: &str, cut: bool) -> Sighting {
        if !text.starts_with(&self.folded) {
            // What was shown of a cut reply is the beginning of the needle.
            return if cut && self.folded.starts_with(text) { Sighting::AtCut } else { Sighting::Absent };
        }
        match self.right(text, self.folded.len(), cut) {
            Edge::Free => Sighting::Found(0..self.folded.len()),
            Edge::Joined => Sighting::Inside(0..self.folded.len()),
            Edge::Unknown => Sighting::AtCut,
        }
    }

    /// True where the text ends with this, and what stands before may stand there.
    pub fn ends(&self, text: &str) -> Sighting {
        if !text.ends_with(&self.folded) {
            return Sighting::Absent;
        }
        let range = text.len() - self.folded.len()..text.len();
        if self.left(text, range.start) == Edge::Free { Sighting::Found(range) } else { Sighting::Inside(range) }
    }

    fn left(&self, text: &str, at: usize) -> Edge {
        let mut needle = self.folded.chars();
        let (Some(first), second) = (needle.next(), needle.next()) else { return Edge::Free };
        let mut before = text[..at].chars().rev();
        let Some(previous) = before.next() else { return Edge::Free };
        if self.whole_words && joins(previous, first) {
            return Edge::Joined;
        }
        let earlier = before.next();
        let digit_first = first.is_numeric();
        let signed = matches!(first, '-' | '+') && second.is_some_and(|c| c.is_numeric() || is_currency(c));
        let number_goes_on = match previous {
            // "10" in "110".
            c if c.is_numeric() => digit_first || (matches!(first, '.' | ',') && second.is_some_and(char::is_numeric)),
            // "10" in "3.10", in "3,10" and in " .10".
            '.' => {
                digit_first && earlier.is_none_or(|c| c.is_numeric() || c.is_whitespace() || is_currency(c) || c == '-')
            }
            ',' => digit_first && earlier.is_some_and(char::is_numeric),
            _ => false,
        };
        // A minus that is no hyphen or range: "10" in "-10" is another number, in "5-10" and "order-10" it is not.
        let minus = |c: Option<char>, before: Option<char>| {
            c == Some('-') && before.is_none_or(|c| !is_word(c) && c != '-' && c != ')')
        };
        let negative = if digit_first && is_currency(previous) {
            minus(earlier, before.next())
        } else if digit_first || is_currency(first) && second.is_some_and(char::is_numeric) {
            minus(Some(previous), earlier)
        } else {
            false
        };
        // A needle's own sign must be a sign there too: "-5" is not in "10-5".
        let hyphen = signed && (is_word(previous) || previous == '-' || previous == ')');
        if number_goes_on || negative || hyphen { Edge::Joined } else { Edge::Free }
    }

    fn right(&self, text: &str, end: usize, cut: bool) -> Edge {
        let mut needle = self.folded.chars().rev();
        let (Some(last), second) = (needle.next(), needle.next()) else { return Edge::Free };
        let digit_last = last.is_numeric();
        let point_last = matches!(last, '.' | ',') && second.is_some_and(char::is_numeric);
        let mut following = text[end..].chars();
        let Some(next) = following.next() else {
            return if cut { Edge::Unknown } else { Edge::Free };
        };
        if self.whole_words && joins(last, next) {
            return Edge::Joined;
        }
        let after = following.next();
        // "10" in "100", "10.5", "10,5", "10½" and "10²"; "$7." in "$7.50".
        if (digit_last || point_last) && next.is_numeric() {
            return Edge::Joined;
        }
        if digit_last && matches!(next, '.' | ',') {
            return match after {
                Some(c) if c.is_numeric() => Edge::Joined,
                None if cut => Edge::Unknown,
                _ => Edge::Free,
            };
        }
        // "can" is not in "can't": the contraction turns it round.
        if self.whole_words && last == 'n' && next == '\'' {
            return match after {
                Some('t' | 'T') if following.next().is_none_or(|c| !is_word(c)) => Edge::Joined,
                None if cut => Edge::Unknown,
                _ => Edge::Free,
            };
        }
        Edge::Free
    }
}

/// Two characters side by side that belong to one word.
fn joins(left: char, right: char) -> bool {
    is_word(left) && is_word(right) && !is_unspaced(left) && !is_unspaced(right)
}

pub fn is_currency(c: char) -> bool {
    matches!(c, '$' | '¢' | '£' | '¥' | '€' | '₹' | '₩' | '₽' | '₺' | '₴' | '₦' | '₫' | '₱' | '₪' | '¤')
}

/// For every prefix, the length of the longest proper prefix that is its suffix too (Knuth, Morris, Pratt).
fn borders(needle: &str) -> Vec<usize> {
    let bytes = needle.as_bytes();
    let mut table = vec![0; bytes.len()];
    let mut length = 0;
    for at in 1..bytes.len() {
        while length > 0 && bytes[at] != bytes[length] {
            length = table[length - 1];
        }
        if bytes[at] == bytes[length] {
            length += 1;
        }
        table[at] = length;
    }
    table
}

/// Every place where `needle` stands, overlapping ones too.
fn occurrences<'t>(needle: &'t str, text: &'t str) -> impl Iterator<Item = usize> + 't {
    let table = borders(needle);
    let needle = needle.as_bytes();
    let mut length = 0;
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        while length > 0 && byte != needle[length] {
            length = table[length - 1];
        }
        if byte == needle[length] {
            length += 1;
        }
        (length == needle.len()).then(|| {
            length = table[length - 1];
            at + 1 - needle.len()
        })
    })
}
