//! One text that is looked for, and where it counts as found.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::char::is_combining_mark;

use super::folded::{Folded, is_annotation, is_unspaced, is_word};
use super::quote;
use crate::source::{Diagnostics, Fields, Node};

/// A text to look for, folded once when the suite is loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Needle {
    /// As the author wrote it.
    pub written: String,
    folded: String,
    whole_words: bool,
    case_sensitive: bool,
    /// Two occurrences can overlap: the text starts and ends alike.
    overlaps: bool,
}

/// Where a needle was looked for and what came of it. Ranges are in the folded reply.
#[derive(Debug, PartialEq)]
pub enum Sighting {
    Found(Range<usize>),
    /// Nowhere, but for the first place where it is only a part of a longer word or number.
    Inside(Range<usize>),
    /// It stands where the reply was cut, so that it may be part of something longer.
    AtCut,
    Absent,
}

/// Whether one edge of an occurrence is an edge of a word and of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Edge {
    Free,
    Joined,
    /// The reply was cut here: what follows is not known.
    Unknown,
}

/// The replies of one judgement, folded at most once a letter-case setting.
#[derive(Debug)]
pub struct Haystack<'t> {
    reply: &'t str,
    folded: Option<Folded<'t>>,
    exact_case: Option<Folded<'t>>,
}

impl<'t> Haystack<'t> {
    /// `cut`: the reply goes on unseen.
    pub fn new(reply: &'t str, cut: bool) -> Haystack<'t> {
        Haystack { reply: if cut { lasting(reply) } else { reply }, folded: None, exact_case: None }
    }

    /// The reply in the form in which `needle` is compared.
    pub fn folded(&mut self, needle: &Needle) -> &Folded<'t> {
        let slot = if needle.case_sensitive { &mut self.exact_case } else { &mut self.folded };
        slot.get_or_insert_with(|| Folded::new(self.reply, needle.case_sensitive))
    }
}

/// The part of a cut reply whose folded form stays the same however the reply goes on: without digits, marks and
/// no-break spaces at its end, which may become a part of a number, an escape or emphasis.
fn lasting(reply: &str) -> &str {
    reply.trim_end_matches(|c: char| {
        if c.is_ascii() {
            !c.is_ascii_alphabetic() && !c.is_ascii_whitespace()
        } else {
            !c.is_alphabetic() || is_combining_mark(c)
        }
    })
}

impl Needle {
    pub fn new(written: &str, whole_words: bool, case_sensitive: bool) -> Needle {
        let folded = Folded::new(written, case_sensitive).text().to_owned();
        let overlaps = borders(&folded).last().is_some_and(|border| *border > 0);
        Needle { written: written.to_owned(), folded, whole_words, case_sensitive, overlaps }
    }

    /// The text in the form in which it is compared.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// Whether it counts only up to the edges of words.
    pub fn whole_words(&self) -> bool {
        self.whole_words
    }

    /// The first place in `text` (folded) where this stands as itself. `cut` says that the text goes on unseen.
    /// Linear in the text.
    pub fn find(&self, text: &str, cut: bool) -> Sighting {
        if self.folded.is_empty() {
            return Sighting::Absent;
        }
        let candidates = text.match_indices(self.folded.as_str()).map(|(at, _)| at);
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
            let range = at..at + self.folded.len();
            match (self.left(text, at), self.right(text, range.end, cut)) {
                (Edge::Free, Edge::Free) => return Sighting::Found(range),
                (Edge::Free, Edge::Unknown) => best = Sighting::AtCut,
                _ if best == Sighting::Absent => best = Sighting::Inside(range),
                _ => {}
            }
        }
        best
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

fn is_currency(c: char) -> bool {
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

/// What a kind lets its needles be.
#[derive(Debug, Clone, Copy)]
pub struct Allowed {
    /// A list; else one text only.
    pub many: bool,
    /// Nothing but punctuation (`?`): pointless in the middle of a reply, telling at its end.
    pub punctuation: bool,
}

/// The needles of `text`, `[text, …]` or `{text: …, whole_words: …, case_sensitive: …}`; items of a list may be
/// mappings too. `None` where nothing usable stands there; every mistake is recorded.
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
    for (needle, node) in found {
        if needles.iter().any(|known| known.folded == needle.folded && known.case_sensitive == needle.case_sensitive) {
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
    let needle = Needle::new(written, whole_words, case_sensitive);
    if needle.folded.is_empty() {
        diagnostics
            .error(&value.place, format!("`{kind}` has an empty text"))
            .help
            .push("every reply contains the empty text, so that this could never tell anything".to_owned());
        return;
    }
    if !allowed.punctuation && is_punctuation(&needle.folded) {
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
pub fn place(folded: &Folded<'_>, reply: &str, range: Range<usize>) -> Place {
    let at = folded.original_range(range);
    Place { found: super::excerpt(reply, &at), at }
}
