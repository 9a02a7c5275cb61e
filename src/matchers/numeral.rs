//! Numbers in a folded text: what they are worth, whatever way they are written.

use std::ops::Range;

use super::folded::{is_annotation, is_word};
use super::phrase::{Sighting, is_currency};

/// A decimal number, exactly: `±mantissa · 10^exponent` with no zero at the mantissa's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    mantissa: u128,
    exponent: i32,
}

impl Decimal {
    /// From digits with at most one point. `None` beyond 38 digits.
    fn read(negative: bool, digits: &str, exponent: i32) -> Option<Decimal> {
        let mut mantissa: u128 = 0;
        let mut scale = exponent;
        let mut fraction = false;
        for c in digits.chars() {
            if c == '.' {
                fraction = true;
                continue;
            }
            mantissa = mantissa.checked_mul(10)?.checked_add(u128::from(c.to_digit(10)?))?;
            scale = scale.checked_sub(i32::from(fraction))?;
        }
        Some(Decimal::normal(negative, mantissa, scale))
    }

    fn normal(negative: bool, mut mantissa: u128, mut exponent: i32) -> Decimal {
        if mantissa == 0 {
            return Decimal { negative: false, mantissa, exponent: 0 };
        }
        while mantissa.is_multiple_of(10) {
            mantissa /= 10;
            exponent = exponent.saturating_add(1);
        }
        Decimal { negative, mantissa, exponent }
    }

    fn approximate(self) -> f64 {
        let size = self.mantissa as f64 * 10_f64.powi(self.exponent);
        if self.negative { -size } else { size }
    }
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Percent,
    /// By its sign, where it has one of its own; else by its ISO code.
    Money(&'static str),
}

/// Signs, codes and names of currencies, and the name by which they are compared.
const MONEY: [(&str, &str); 30] = [
    ("$", "$"),
    ("usd", "$"),
    ("us$", "$"),
    ("dollar", "$"),
    ("dollars", "$"),
    ("€", "€"),
    ("eur", "€"),
    ("euro", "€"),
    ("euros", "€"),
    ("£", "£"),
    ("gbp", "£"),
    ("pounds", "£"),
    ("¥", "¥"),
    ("jpy", "¥"),
    ("yen", "¥"),
    ("₹", "₹"),
    ("inr", "₹"),
    ("rupees", "₹"),
    ("chf", "chf"),
    ("cad", "cad"),
    ("aud", "aud"),
    ("cny", "cny"),
    ("sek", "sek"),
    ("nok", "nok"),
    ("dkk", "dkk"),
    ("pln", "pln"),
    ("brl", "brl"),
    ("mxn", "mxn"),
    ("nzd", "nzd"),
    ("sgd", "sgd"),
];

fn money(name: &str) -> Option<Unit> {
    MONEY.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, unit)| Unit::Money(unit))
}

/// One number of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Numeral {
    pub value: Decimal,
    pub unit: Option<Unit>,
    /// In the folded text, with sign and unit.
    pub range: Range<usize>,
    /// Written in words.
    pub words: bool,
}

/// A number that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    value: Decimal,
    /// `None`: whatever is counted.
    unit: Option<Unit>,
    tolerance: f64,
    /// Number words count too.
    words: bool,
}

impl Wanted {
    /// From `60`, `-5`, `1,000`, `1e3`, `60%`, `$49.99`, `49.99 EUR`. `None` where that is not one number.
    pub fn read(written: &str, tolerance: f64, words: bool) -> Option<Wanted> {
        let folded = super::folded::Folded::new(written, false);
        let text = folded.text().strip_prefix('+').unwrap_or(folded.text());
        let numerals = numerals(text);
        let [one] = numerals.as_slice() else { return None };
        let whole = one.range == (0..text.len()) && !one.words;
        whole.then_some(Wanted { value: one.value, unit: one.unit, tolerance, words })
    }

    fn is(&self, numeral: &Numeral) -> bool {
        (!numeral.words || self.words)
            && (numeral.value == self.value
                || self.tolerance > 0.0
                    && (numeral.value.approximate() - self.value.approximate()).abs() <= self.tolerance)
    }

    /// What one number of `text` is to this. `cut` says that the text goes on unseen.
    pub fn sight(&self, numeral: &Numeral, text: &str, cut: bool) -> Sighting {
        /// What may still follow a number and be a part of it: ` per cent`, ` and twenty`.
        const TAIL: usize = 24;
        if !self.is(numeral) {
            Sighting::Absent
        } else if cut && numeral.range.end + TAIL > text.len() {
            Sighting::AtCut
        } else if self.unit.is_none() || self.unit == numeral.unit {
            Sighting::Found(numeral.range.clone())
        } else {
            Sighting::Inside(numeral.range.clone())
        }
    }

    /// The first such number.
    pub fn find(&self, numerals: &[Numeral], text: &str, cut: bool) -> Sighting {
        let mut best = Sighting::Absent;
        for numeral in numerals {
            best.improve(self.sight(numeral, text, cut));
            if matches!(best, Sighting::Found(_)) {
                break;
            }
        }
        best
    }
}

/// Every number of a folded text, in order. A number is a token of its own: `42abc`, `v1.2.3`, `10²` and `2½` are none.
/// Of digits with commas between, groups of three are one number (folding has joined them), a list in brackets, of
/// three or more or with decimal points is a list, and what is left (`12,34`) could be either and is none.
pub fn numerals(text: &str) -> Vec<Numeral> {
    let mut found = vec![];
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_digit() {
            at = chain(text, at, &mut found);
        } else if bytes[at].is_ascii_alphabetic() && (at == 0 || !joined_before(text, at)) {
            at = spelled(text, at, &mut found);
        } else {
            at += 1;
        }
    }
    found
}

fn joined_before(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(|c| is_word(c) || is_annotation(c))
}

/// Digits from `at` on, with commas and points between; returns where to go on.
fn chain(text: &str, at: usize, found: &mut Vec<Numeral>) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = at;
    while digit(end) || (bytes.get(end).is_some_and(|byte| matches!(byte, b'.' | b',')) && digit(end + 1)) {
        end += 1;
    }
    let (mut start, mut exponent) = (at, 0_i32);
    // ".5", where the point is no end of something.
    let point = text[..start].ends_with('.') && !text[..start - 1].ends_with(|c: char| is_word(c) || c == '.');
    if point {
        start -= 1;
    } else if joined_before(text, start) || text[..start].ends_with('.') {
        return end;
    }
    let commas = text[start..end].matches(',').count();
    let mut stop = end;
    if commas == 0
        && bytes.get(end).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e'))
        && let Some((power, length)) = power(&text[end + 1..])
    {
        (exponent, stop) = (power, end + 1 + length);
    }
    if text[stop..].starts_with(|c: char| is_word(c) || is_annotation(c)) {
        return stop;
    }
    let bracketed = text[..start].ends_with('[') || text[end..].starts_with(']');
    if commas == 1 && !bracketed && !text[start..end].contains('.') {
        return stop;
    }
    let mut from = start;
    for part in text[start..end].split(',') {
        let (here, last) = (from, from + part.len() == end);
        from += part.len() + 1;
        if part.matches('.').count() > 1 {
            continue;
        }
        let (head, negative, before) = prefix(text, here);
        let digits = if part.starts_with('.') { format!("0{part}") } else { part.to_owned() };
        let Some(value) = Decimal::read(negative, &digits, if last { exponent } else { 0 }) else { continue };
        let close = if last { stop } else { here + part.len() };
        let (unit, tail) = match before {
            Some(unit) => (Some(unit), close),
            None => suffix(text, close),
        };
        found.push(Numeral { value, unit, range: head..tail, words: false });
    }
    stop
}

/// An exponent and its length: `3`, `-6`, `+3`, with nothing glued to it.
fn power(text: &str) -> Option<(i32, usize)> {
    let sign = usize::from(text.starts_with(['+', '-']));
    let digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let glued = text[sign + digits..].starts_with(is_word);
    let value: i32 = text.get(..sign + digits)?.trim_start_matches('+').parse().ok()?;
    (digits > 0 && digits <= 4 && !glued).then_some((value, sign + digits))
}

/// Sign and currency before a number: where they begin, whether it is negative, and what is counted.
fn prefix(text: &str, at: usize) -> (usize, bool, Option<Unit>) {
    let mut start = at;
    let mut unit = None;
    let before = &text[..start];
    if let Some(c) = before.chars().next_back().filter(|c| is_currency(*c)) {
        start -= c.len_utf8();
        unit = money(&text[start..at]);
        let us = start.checked_sub(2).and_then(|from| text.get(from..start));
        if c == '$' && us.is_some_and(|us| us.eq_ignore_ascii_case("us")) && !joined_before(text, start - 2) {
            start -= 2;
        }
    } else if let Some(left) = before.strip_suffix(' ') {
        let length: usize = left.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
        let code = &left[left.len() - length..];
        if length == 3 && !joined_before(text, left.len() - 3) && money(code).is_some() {
            unit = money(code);
            start = left.len() - 3;
        }
    }
    // A minus that is no hyphen and no range: in "5-10" and "order-10" it is.
    let sign = text[..start].strip_suffix('-').filter(|left| {
        !left.ends_with(|c: char| is_word(c) || is_annotation(c) || matches!(c, '-' | ')' | '%') || is_currency(c))
    });
    match sign {
        Some(left) => (left.len(), true, unit),
        None => (start, false, unit),
    }
}

/// What stands behind a number and says what it counts, and where that ends.
fn suffix(text: &str, end: usize) -> (Option<Unit>, usize) {
    let rest = &text[end..];
    let space = usize::from(rest.starts_with(' '));
    let rest = &rest[space..];
    if rest.starts_with('%') {
        return (Some(Unit::Percent), end + space + 1);
    }
    if let Some(sign) = rest.chars().next().filter(|c| is_currency(*c)) {
        let glued = rest[sign.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        if !glued && let Some(unit) = money(&rest[..sign.len_utf8()]) {
            return (Some(unit), end + space + sign.len_utf8());
        }
    }
    if space == 0 {
        return (None, end);
    }
    let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = &rest[..length];
    if rest[length..].starts_with(is_word) {
        return (None, end);
    }
    if word.eq_ignore_ascii_case("percent") {
        return (Some(Unit::Percent), end + 1 + length);
    }
    if rest.get(..8).is_some_and(|two| two.eq_ignore_ascii_case("per cent")) && !rest[8..].starts_with(is_word) {
        return (Some(Unit::Percent), end + 1 + 8);
    }
    match money(word) {
        Some(unit) => (Some(unit), end + 1 + length),
        None => (None, end),
    }
}

const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const SCALES: [(&str, u128); 3] = [("thousand", 1_000), ("million", 1_000_000), ("billion", 1_000_000_000)];

/// English number words from `at` on (`twenty-one`, `one hundred and five`); returns where to go on.
fn spelled(text: &str, at: usize, found: &mut Vec<Numeral>) -> usize {
    let word_at = |at: usize| {
        let length = text.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        &text[at..at + length]
    };
    let first = word_at(at);
    let mut end = at + first.len();
    if text[end..].starts_with(is_word) {
        return end.max(at + 1);
    }
    let (mut total, mut group, mut last) = (0_u128, 0_u128, u128::MAX);
    let mut next = at;
    let mut any = false;
    loop {
        let word = word_at(next);
        if text[next + word.len()..].starts_with(is_word) {
            break;
        }
        let is = |name: &&str| name.eq_ignore_ascii_case(word);
        if let Some(unit) = UNITS.iter().position(is) {
            // "twenty one" goes on, "five six" does not.
            if any && !(last == 100 || last >= 1_000 || (20..100).contains(&last) && (1..10).contains(&unit)) {
                break;
            }
            group += unit as u128;
            last = unit as u128;
        } else if let Some(ten) = TENS.iter().position(is) {
            if any && !(last == 100 || last >= 1_000) {
                break;
            }
            last = (ten as u128 + 2) * 10;
            group += last;
        } else if any && word.eq_ignore_ascii_case("hundred") && (1..100).contains(&group) && last < 100 {
            group *= 100;
            last = 100;
        } else if any
            && group > 0
            && let Some((_, scale)) = SCALES.iter().find(|(name, _)| is(name))
            && last < 1_000
        {
            total += group * scale;
            group = 0;
            last = *scale;
        } else {
            break;
        }
        any = true;
        end = next + word.len();
        let rest = &text[end..];
        let gap = match rest.bytes().next() {
            Some(b' ') if rest[1..].get(..4).is_some_and(|and| and.eq_ignore_ascii_case("and ")) && last >= 100 => 5,
            Some(b' ' | b'-') => 1,
            _ => break,
        };
        next = end + gap;
        if !text.as_bytes().get(next).is_some_and(u8::is_ascii_alphabetic) {
            break;
        }
    }
    if any {
        let value = Decimal::normal(false, total + group, 0);
        let (unit, tail) = suffix(text, end);
        found.push(Numeral { value, unit, range: at..tail, words: true });
    }
    end.max(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(f64, Option<Unit>, &str)> {
        numerals(text).into_iter().map(|one| (one.value.approximate(), one.unit, &text[one.range])).collect()
    }

    #[test]
    fn numbers_are_read_whatever_stands_around_them() {
        assert_eq!(read("it is (2.75). or 72, in all"), [(2.75, None, "2.75"), (72.0, None, "72")]);
        assert_eq!(
            read("-5 and 5-10 and -$7"),
            [(-5.0, None, "-5"), (5.0, None, "5"), (10.0, None, "10"), (-7.0, Some(Unit::Money("$")), "-$7")]
        );
        assert_eq!(read("1e3 .5 1.50e-2"), [(1000.0, None, "1e3"), (0.5, None, ".5"), (0.015, None, "1.50e-2")]);
        assert_eq!(read("42abc abc42 v1.2.3 1.2.3 10² 2½ order_5"), []);
    }

    #[test]
    fn units_are_read_on_either_side() {
        let dollars = Some(Unit::Money("$"));
        assert_eq!(read("us$49.99"), [(49.99, dollars, "us$49.99")]);
        assert_eq!(read("49.99 usd or usd 7"), [(49.99, dollars, "49.99 usd"), (7.0, dollars, "usd 7")]);
        assert_eq!(
            read("20% of 5 percent"),
            [(20.0, Some(Unit::Percent), "20%"), (5.0, Some(Unit::Percent), "5 percent")]
        );
        assert_eq!(read("8 €, 9 items"), [(8.0, Some(Unit::Money("€")), "8 €"), (9.0, None, "9")]);
    }

    #[test]
    fn commas_without_spaces_make_a_list_only_where_they_can_be_nothing_else() {
        let values = |text: &str| read(text).into_iter().map(|(value, ..)| value).collect::<Vec<f64>>();
        assert_eq!(values("[4.5,9.25]"), [4.5, 9.25]);
        assert_eq!(values("1,2,3"), [1.0, 2.0, 3.0]);
        assert_eq!(values("[0,1]"), [0.0, 1.0]);
        assert_eq!(values("0,1 and 12,34"), [] as [f64; 0]);
    }

    #[test]
    fn number_words_are_read_as_a_person_would() {
        let values = |text: &str| read(text).into_iter().map(|(value, ..)| value).collect::<Vec<f64>>();
        assert_eq!(values("twenty-one days, five items"), [21.0, 5.0]);
        assert_eq!(values("one hundred and five or two thousand three hundred"), [105.0, 2300.0]);
        assert_eq!(values("five six"), [5.0, 6.0]);
        assert_eq!(values("someone is tense"), [] as [f64; 0]);
    }
}
