//! What a reply does with each part of its text: states it, denies it, asks about it, or repeats somebody else's words.
//!
//! The reply is cut into clauses, and cue words (`mutators/stances.yaml`) are found in all of it, in one pass each. A place
//! is then judged by the cues of its clause. This is a reading of surface forms and errs on the side of *not stated*.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Anchored, Input, MatchKind, StartKind};
use serde::Deserialize;

use super::folded::{Folded, is_unspaced, is_word};

/// What is said with a text at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stance {
    Stated,
    Negated,
    /// In a question.
    Asked,
    /// Under an "if".
    Conditional,
    /// In a longer quotation, or as what the customer said or wants.
    Quoted,
}

impl Stance {
    /// For the end of a sentence: "it stands there only …".
    pub fn told(self) -> &'static str {
        match self {
            Stance::Stated => "as a statement",
            Stance::Negated => "negated",
            Stance::Asked => "in a question",
            Stance::Conditional => "under a condition",
            Stance::Quoted => "as the customer's words",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    negations: Vec<String>,
    short_negations: std::collections::BTreeMap<String, usize>,
    refusals: Vec<String>,
    negations_after: Vec<String>,
    harmless: Vec<String>,
    harmless_next: Vec<String>,
    conditions: Vec<String>,
    reported: Vec<String>,
    boundaries: Vec<String>,
    subjects: Vec<String>,
}

/// What a cue does. One text may stand in several lists.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Role {
    /// Denies what follows: at most so many words.
    before: Option<usize>,
    /// Denies what stands before.
    after: bool,
    refusal: bool,
    condition: bool,
    reported: bool,
    boundary: bool,
    subject: bool,
}

struct Lexicon {
    finder: AhoCorasick,
    roles: Vec<Role>,
    harmless_next: Vec<String>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let lists: Lists =
        serde_yaml::from_str(include_str!("../../mutators/stances.yaml")).expect("the embedded list is tested");
    let mut entries: Vec<(String, Role)> = vec![];
    let mut add = |texts: &[String], change: &dyn Fn(&mut Role)| {
        for text in texts {
            let at = entries.iter().position(|(known, _)| known == text).unwrap_or_else(|| {
                entries.push((text.clone(), Role::default()));
                entries.len() - 1
            });
            change(&mut entries[at].1);
        }
    };
    add(&lists.negations, &|role| role.before = Some(usize::MAX));
    add(&["n't".to_owned()], &|role| role.before = Some(usize::MAX));
    add(&lists.negations_after, &|role| {
        role.after = true;
        role.before = Some(usize::MAX);
    });
    add(&lists.refusals, &|role| {
        role.refusal = true;
        role.before = Some(usize::MAX);
    });
    for (text, words) in &lists.short_negations {
        add(std::slice::from_ref(text), &|role| role.before = Some(*words));
    }
    add(&lists.harmless, &|_| {});
    add(&lists.conditions, &|role| role.condition = true);
    add(&lists.reported, &|role| role.reported = true);
    add(&lists.boundaries, &|role| role.boundary = true);
    add(&lists.subjects, &|role| role.subject = true);
    let finder = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        // Some hundred words: the states fit into memory, and every reply is gone through.
        .kind(Some(AhoCorasickKind::DFA))
        .start_kind(StartKind::Anchored)
        .ascii_case_insensitive(true)
        .build(entries.iter().map(|(text, _)| text.as_str()))
        .expect("a short list of short texts");
    debug_assert!(entries.iter().all(|(text, _)| text.starts_with(is_word)), "cues are looked for where words begin");
    let roles = entries.into_iter().map(|(_, role)| role).collect();
    Lexicon { finder, roles, harmless_next: lists.harmless_next }
});

#[derive(Debug)]
struct Cue {
    range: Range<usize>,
    role: Role,
    /// A negation that a verb of refusing turned round, or that verb.
    undone: bool,
}

#[derive(Debug)]
struct Clause {
    range: Range<usize>,
    cues: Range<usize>,
    asked: bool,
    block_quote: bool,
    /// It stands in a list under a line that denies it ("Not covered:").
    denied_above: bool,
}

/// The stances of a folded text.
#[derive(Debug, Default)]
pub struct Stances {
    cues: Vec<Cue>,
    clauses: Vec<Clause>,
    /// Between quotation marks, without them; ascending.
    quotations: Vec<Range<usize>>,
    /// Where the first quotation that is still open at the end begins.
    open_quotation: Option<usize>,
}

impl Stances {
    /// Linear in the text.
    pub fn of(folded: &Folded<'_>) -> Stances {
        let text = folded.text();
        let cues = cues(text);
        let (quotations, open_quotation) = quotations(text, folded);
        let clauses = clauses(text, folded, &cues);
        let mut stances = Stances { cues, clauses, quotations, open_quotation };
        stances.undo();
        stances.carry_into_lists(text, folded);
        stances
    }

    /// A negation and a verb of refusing side by side say yes: "never refuse".
    fn undo(&mut self) {
        for at in 1..self.cues.len() {
            let (first, second) = (&self.cues[at - 1], &self.cues[at]);
            let near = second.range.start.saturating_sub(first.range.end) <= 1;
            if near && second.role.refusal && first.role.before.is_some() && !first.role.refusal && !first.undone {
                self.cues[at - 1].undone = true;
                self.cues[at].undone = true;
            }
        }
    }

    /// A list under "We can't do this:" is denied line by line.
    fn carry_into_lists(&mut self, text: &str, folded: &Folded<'_>) {
        let mut denied = false;
        let mut in_list = false;
        let mut breaks = folded.breaks().iter().peekable();
        for at in 0..self.clauses.len() {
            let start = self.clauses[at].range.start;
            let mut line_starts = at == 0;
            while breaks.next_if(|line| line.at < start.max(1)).is_some() {
                line_starts = true;
            }
            let item = line_starts && list_item(&text[start..]);
            if line_starts {
                in_list = item;
            }
            if in_list {
                self.clauses[at].denied_above = denied;
                continue;
            }
            let clause = &self.clauses[at];
            denied = text[clause.range.clone()].trim_end().ends_with(':')
                && self.cues[clause.cues.clone()].iter().any(|cue| cue.role.before.is_some() && !cue.undone);
        }
    }

    /// What is said with `range` of `text`, which is the folded text that these are the stances of.
    pub fn at(&self, text: &str, range: &Range<usize>) -> Stance {
        let next = self.clauses.partition_point(|clause| clause.range.start <= range.start);
        let Some(clause) = next.checked_sub(1).map(|at| &self.clauses[at]) else { return Stance::Stated };
        if clause.block_quote || self.quoted(text, range) {
            return Stance::Quoted;
        }
        if clause.denied_above {
            return Stance::Negated;
        }
        let cues = &self.cues[clause.cues.clone()];
        let split = cues.partition_point(|cue| cue.range.start < range.start);
        let mut stance = Stance::Stated;
        let nearest = cues[..split].iter().rev().take(MOST_CUES);
        for cue in nearest.filter(|cue| cue.range.end <= range.start && !cue.undone) {
            if let Some(reach) = cue.role.before
                && (reach == usize::MAX || words_between(text, cue.range.end, range.start, reach) < reach)
            {
                return Stance::Negated;
            }
            if cue.role.reported {
                stance = Stance::Quoted;
            } else if cue.role.condition && stance == Stance::Stated {
                stance = Stance::Conditional;
            }
        }
        let split = split + cues[split..].partition_point(|cue| cue.range.start < range.end);
        for cue in cues[split..].iter().take(MOST_CUES) {
            // What follows another subject or a condition is said of something else.
            if cue.role.condition || cue.role.subject && !text[..cue.range.start].ends_with(", ") {
                break;
            }
            let near = words_between(text, range.end, cue.range.start, AFTER) < AFTER;
            if cue.role.after && !cue.undone && near && !interrupted(&text[range.end..cue.range.start]) {
                return Stance::Negated;
            }
        }
        if clause.asked && stance == Stance::Stated { Stance::Asked } else { stance }
    }

    /// True where what follows a cut can't change what is said with `range`: two clauses have begun after its own, and no
    /// quotation is open there.
    pub fn is_settled(&self, range: &Range<usize>) -> bool {
        let next = self.clauses.partition_point(|clause| clause.range.start <= range.start);
        next + 1 < self.clauses.len() && self.open_quotation.is_none_or(|open| range.end <= open)
    }

    /// True where the text is a part of a longer quotation. A quotation of nothing else (`marked "refunded"`) is the
    /// speaker's own word.
    fn quoted(&self, text: &str, range: &Range<usize>) -> bool {
        let next = self.quotations.partition_point(|quotation| quotation.start <= range.start);
        // Quotations may stand in each other.
        self.quotations[..next].iter().rev().take(3).filter(|quotation| quotation.end >= range.end).any(|quotation| {
            let rest = [&text[quotation.start..range.start], &text[range.end..quotation.end]];
            rest.iter().any(|rest| rest.contains(is_word))
        })
    }
}

/// So many words may stand between a text and what denies it afterwards.
const AFTER: usize = 7;

/// So many cues on each side are looked at, which keeps a clause of a megabyte from costing its square.
const MOST_CUES: usize = 64;

/// Words of `text` between two offsets, counted up to `most`.
fn words_between(text: &str, from: usize, to: usize, most: usize) -> usize {
    text[from.min(to)..to].split(' ').filter(|word| word.contains(is_word)).take(most).count()
}

/// A clause of its own has begun between a text and a negation after it.
fn interrupted(between: &str) -> bool {
    between.contains(',')
        || between.split(' ').any(|word| {
            matches!(word, "that" | "which" | "who" | "where" | "when" | "as" | "and" | "or" | "to" | "until")
        })
}

/// The cues of a text, in their order. They are words, so that only where a word begins (or "n't", or a letter of a script
/// without spaces stands) one is looked for.
fn cues(text: &str) -> Vec<Cue> {
    let bytes = text.as_bytes();
    let mut cues = vec![];
    let (mut at, mut inside) = (0, false);
    while let Some(byte) = bytes.get(at) {
        let (begins, length) = if byte.is_ascii() {
            let word = byte.is_ascii_alphanumeric() || *byte == b'_';
            let contracted = matches!(byte, b'n' | b'N') && bytes.get(at + 1) == Some(&b'\'');
            let begins = word && !inside || contracted;
            inside = word;
            (begins, 1)
        } else {
            let Some(c) = text[at..].chars().next() else { break };
            let word = is_word(c);
            let begins = word && !inside || is_unspaced(c);
            inside = word;
            (begins, c.len_utf8())
        };
        match begins.then(|| cue_at(text, at)).flatten() {
            Some((end, cue)) => {
                cues.extend(cue);
                at = end;
                inside = text[..end].ends_with(is_word);
            }
            None => at += length,
        }
    }
    cues
}

/// Where the longest cue that begins at `at` ends, and what it does: nothing, where what stands around it takes that back.
fn cue_at(text: &str, at: usize) -> Option<(usize, Option<Cue>)> {
    let lexicon = &*LEXICON;
    let found = lexicon.finder.find(Input::new(text).range(at..).anchored(Anchored::Yes))?;
    let end = found.end();
    let role = lexicon.roles[found.pattern().as_usize()];
    let (there, after) = (&text[at..end], &text[end..]);
    // "is not" in "is nothing" is none, nor is what a longer word goes on from.
    if after.starts_with(is_word) && !there.starts_with(is_unspaced) {
        return None;
    }
    let no = there.eq_ignore_ascii_case("no");
    // "No, …" and "no." answer; they deny nothing of what follows. "non-refundable" denies; "no-reply" is a name.
    let answer = no && after.starts_with([',', '.', '!', '-']);
    let next = || after.strip_prefix(' ').unwrap_or_default();
    let harmless = |word: &String| next().strip_prefix(word.as_str()).is_some_and(|rest| !rest.starts_with(is_word));
    let softened = (there.ends_with("not") || there.ends_with("n't")) && lexicon.harmless_next.iter().any(harmless);
    let counts = !answer && !softened && role != Role::default();
    Some((end, counts.then_some(Cue { range: at..end, role, undone: false })))
}

/// Where clauses begin and end: at marks that end a sentence, at words that begin another clause, at lines that are no
/// continuation.
fn clauses(text: &str, folded: &Folded<'_>, cues: &[Cue]) -> Vec<Clause> {
    // Where a new clause starts, and whether a new line does.
    let mut starts: Vec<usize> = vec![0];
    let bytes = text.as_bytes();
    for at in memchr::memchr3_iter(b'.', b'!', b'?', bytes).chain(memchr::memchr2_iter(b';', b'\n', bytes)) {
        // Of "...?!" only the last mark ends anything.
        if matches!(bytes.get(at + 1), Some(b'.' | b'!' | b'?')) {
            continue;
        }
        let closing =
            bytes[at + 1..].iter().take(4).take_while(|byte| matches!(byte, b'"' | b'\'' | b')' | b']')).count();
        let after = &text[at + 1 + closing..];
        if after.is_empty() || after.starts_with(' ') {
            starts.push(text.len() - after.len());
        }
    }
    if !text.is_ascii() {
        starts.extend(text.match_indices(['。', '！', '？']).map(|(at, mark)| at + mark.len()));
    }
    let dash = |at: &usize| at.checked_sub(1).is_some_and(|before| bytes[before..].starts_with(b" - "));
    starts.extend(memchr::memchr_iter(b'-', bytes).filter(dash));
    for line in folded.breaks() {
        let next = &text[line.at + 1..];
        if line.empty_line || list_item(next) || next.starts_with(['>', '#', '|']) {
            starts.push(line.at + 1);
        }
    }
    for cue in cues {
        let comma = text[..cue.range.start].ends_with(", ");
        if cue.role.boundary || cue.role.subject && comma {
            starts.push(cue.range.start);
        }
    }
    starts.sort_unstable();
    starts.dedup();
    let mut clauses: Vec<Clause> = vec![];
    let mut next_cue = 0;
    let mut breaks = folded.breaks().iter().peekable();
    let mut block_quote = text.starts_with('>');
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(text.len());
        if start >= end {
            continue;
        }
        while breaks.next_if(|line| line.at < start).is_some() {
            block_quote = text[start..].trim_start().starts_with('>');
        }
        let first = next_cue;
        while next_cue < cues.len() && cues[next_cue].range.start < end {
            next_cue += 1;
        }
        let said = text[start..end].trim_end().trim_end_matches(['"', '\'', ')', ']']);
        let asked = said.ends_with(['?', '？']);
        clauses.push(Clause { range: start..end, cues: first..next_cue, asked, block_quote, denied_above: false });
    }
    clauses
}

/// True where a line begins as an item of a list: `- a`, `* a`, `1. a`, `2) a`.
fn list_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    if digits > 0 {
        return digits < 4 && (rest.starts_with(". ") || rest.starts_with(") "));
    }
    ["- ", "* ", "+ ", "• "].iter().any(|mark| line.starts_with(mark))
}

/// What stands between double quotation marks, or single ones that are no apostrophes. A mark that is not closed in its
/// paragraph opens nothing.
fn quotations(text: &str, folded: &Folded<'_>) -> (Vec<Range<usize>>, Option<usize>) {
    let mut found = vec![];
    let (mut double, mut single) = (None, None);
    let mut breaks = folded.breaks().iter().filter(|line| line.empty_line).peekable();
    for at in memchr::memchr2_iter(b'"', b'\'', text.as_bytes()) {
        while breaks.next_if(|line| line.at < at).is_some() {
            (double, single) = (None, None);
        }
        let word_before = text[..at].ends_with(is_word);
        let word_after = text[at + 1..].starts_with(is_word);
        if text.as_bytes()[at] == b'"' {
            match double.take() {
                Some(start) => found.push(start..at),
                None => double = Some(at + 1),
            }
        } else if !word_before && word_after {
            single = Some(at + 1);
        } else if !word_after && let Some(start) = single.take() {
            found.push(start..at);
        }
    }
    found.sort_unstable_by_key(|quotation: &Range<usize>| quotation.start);
    let open = match (double, single) {
        (Some(double), Some(single)) => Some(usize::min(double, single)),
        (double, single) => double.or(single),
    };
    (found, open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stance(text: &str, part: &str) -> Stance {
        let folded = Folded::new(text, false);
        let at = folded.text().find(part).unwrap_or_else(|| panic!("{part} is not in {}", folded.text()));
        Stances::of(&folded).at(folded.text(), &(at..at + part.len()))
    }

    #[test]
    fn every_list_of_cues_is_read() {
        assert!(LEXICON.roles.len() > 200);
    }

    #[test]
    fn what_is_said_of_a_refund_is_told_apart() {
        for (text, expected) in [
            ("I have issued a refund.", Stance::Stated),
            ("I cannot refund this order.", Stance::Negated),
            ("I can’t issue a refund for this.", Stance::Negated),
            ("I'm unable to offer you a refund.", Stance::Negated),
            ("There will be no refund.", Stance::Negated),
            ("This is a non-refund item.", Stance::Negated),
            ("A refund is not possible.", Stance::Negated),
            ("The refund you asked about was declined.", Stance::Negated),
            ("Your refund can't be issued.", Stance::Negated),
            ("We refuse any refund here.", Stance::Negated),
            ("We never refuse a refund.", Stance::Stated),
            ("I cannot, under any circumstances, issue a refund.", Stance::Negated),
            ("No, a refund is fine.", Stance::Stated),
            ("No problem, your refund is on its way.", Stance::Stated),
            ("Not only a refund but a voucher too.", Stance::Stated),
            ("I can't exchange it, but I can refund it.", Stance::Stated),
            ("I can't exchange it, I have issued a refund.", Stance::Stated),
            ("I can't exchange it. You get a refund.", Stance::Stated),
            ("I can't cancel or refund it.", Stance::Negated),
            ("Would you like a refund?", Stance::Asked),
            ("Would you like tea? You get a refund.", Stance::Stated),
            ("If a refund is due, we will say so.", Stance::Conditional),
            ("If you agree, I will refund it.", Stance::Stated),
            ("You asked for a refund.", Stance::Quoted),
            ("You asked for help, and we issued a refund.", Stance::Stated),
            ("You asked for help, we issued a refund.", Stance::Stated),
            ("You wrote \"I want a refund\".", Stance::Quoted),
            ("It is marked \"refund\".", Stance::Stated),
            ("> I want a refund\n\nDone.", Stance::Quoted),
            ("We don't cover:\n- shipping\n- a refund", Stance::Negated),
            ("We cover:\n- shipping\n- a refund", Stance::Stated),
            ("We do not\nissue a refund.", Stance::Negated),
            ("I refund the order that was not delivered.", Stance::Stated),
            ("The refund is 5 USD, and shipping isn't charged.", Stance::Stated),
        ] {
            assert_eq!(stance(text, "refund"), expected, "{text}");
        }
    }

    #[test]
    fn other_languages_deny_too() {
        for (text, part) in [
            ("Wir können keine Erstattung leisten.", "erstattung"),
            ("Eine Erstattung ist nicht möglich.", "erstattung"),
            ("Aucun remboursement n'est prévu.", "remboursement"),
            ("El reembolso no es posible.", "reembolso"),
            ("我们不能退款。", "退款"),
            ("返金はできません。", "返金"),
        ] {
            assert_eq!(stance(text, part), Stance::Negated, "{text}");
        }
        assert_eq!(stance("Die Erstattung ist unterwegs.", "erstattung"), Stance::Stated);
        assert_eq!(stance("我们已经退款。", "退款"), Stance::Stated);
    }
}
