//! Numbers with their units: "30 days", "$1,000", "80%", "three sentences".

use std::ops::Range;

use super::words::{Kind, Token, tokens};
use crate::mutators::language::Tongue;

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Amount {
    pub value: f64,
    /// Where the digits stand.
    pub range: Range<usize>,
    pub unit: String,
    /// "three" and not "3".
    pub is_word: bool,
    pub decimals: usize,
    pub grouped: bool,
}

pub(super) const WORDS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// The amounts of a rule; what is quoted, code or in parentheses has none.
pub(super) fn amounts(text: &str) -> Vec<Amount> {
    let all = tokens(text);
    let tongue = Tongue::of(text, &[], Some("en"));
    (0..all.len()).filter_map(|at| amount(text, &all, at, &tongue)).collect()
}

fn amount(text: &str, all: &[Token], at: usize, tongue: &Tongue) -> Option<Amount> {
    let token = &all[at];
    if token.kind != Kind::Word {
        return None;
    }
    let word = |at: usize| all.get(at).map_or("", |token| token.word.as_str());
    let raw = &text[token.range.clone()];
    if let Some(value) = WORDS.iter().position(|word| *word == token.word) {
        let unit = unit_of(word(at + 1), tongue)?;
        let compared = is_compared(all, at) || tongue.is_unit(word(at + 1));
        return (compared && value > 0).then_some(Amount {
            value: value as f64,
            range: token.range.clone(),
            unit,
            is_word: true,
            decimals: 0,
            grouped: false,
        });
    }
    let start = raw.find(|c: char| c.is_ascii_digit())?;
    let sign = &raw[..start];
    if !matches!(sign, "" | "$" | "<" | ">" | "<=" | ">=") && !text[..token.range.start].ends_with(['€', '£']) {
        return None;
    }
    let digits_end = start
        + raw[start..].find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(raw.len() - start);
    let mut end = token.range.start + digits_end;
    let after = &raw[digits_end..];
    // "1,000" is cut at its comma: the tokens know no numbers.
    let mut digits = raw[start..digits_end].trim_end_matches(['.', ',']).to_owned();
    let mut last = at;
    while after.is_empty()
        && all.get(last + 1).is_some_and(|sign| sign.is_sign(&[',']))
        && word(last + 2).len() == 3
        && word(last + 2).bytes().all(|byte| byte.is_ascii_digit())
        && all[last + 2].range.start == all[last].range.end + 1
    {
        digits.push_str(word(last + 2));
        last += 2;
        end = all[last].range.end;
    }
    let grouped = last > at || digits.contains(',');
    let plain = digits.replace(',', "");
    if plain.matches('.').count() > 1 {
        return None;
    }
    let value: f64 = plain.parse().ok()?;
    let euro = text[..token.range.start].chars().next_back().filter(|c| matches!(c, '€' | '£'));
    let next = word(last + 1);
    let behind = text[end..].trim_start().chars().next();
    let unit = if sign == "$" {
        "$".to_owned()
    } else if let Some(sign) = euro.or(behind.filter(|c| matches!(c, '€' | '£'))) {
        sign.to_string()
    } else if after.starts_with('%') || (after.is_empty() && behind == Some('%')) {
        "%".to_owned()
    } else if let Some(unit) = after.strip_prefix('-') {
        unit_of(unit.split('-').next()?, tongue)?
    } else if !after.is_empty() {
        unit_of(&after.to_lowercase(), tongue)?
    } else if let Some(unit) = unit_of(next, tongue) {
        unit
    } else if is_compared(all, at)
        && (next.is_empty() || !next.starts_with(|c: char| c.is_ascii_digit()))
        && value < 1900.0
    {
        // "at least 1 ticket": one of what is counted.
        if value == 1.0 { next.to_owned() } else { String::new() }
    } else {
        return None;
    };
    let named = matches!(
        word(at.wrapping_sub(1)),
        "step"
            | "section"
            | "version"
            | "chapter"
            | "phase"
            | "level"
            | "tier"
            | "rule"
            | "page"
            | "line"
            | "iso"
            | "rfc"
            | "pep"
    );
    if named || is_date(all, at) {
        return None;
    }
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some(Amount { value, range: token.range.start + start..end, unit, is_word: false, decimals, grouped })
}

/// A word that counts something: a unit that is known, or a plural. Singular and plural are the same unit.
fn unit_of(word: &str, tongue: &Tongue) -> Option<String> {
    const TIMES: [&str; 8] = ["am", "pm", "a.m", "p.m", "st", "nd", "rd", "th"];
    if TIMES.contains(&word) || MONTHS.contains(&word) || word.is_empty() {
        return None;
    }
    let plural = word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !matches!(word, "is" | "was" | "has" | "this" | "as" | "its");
    let known = tongue.is_unit(word);
    (known || plural).then(|| singular(word).to_owned())
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// "more than", "at most", "within", "over" before the number.
fn is_compared(all: &[Token], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| all.get(at)).map_or("", |token| token.word.as_str());
    matches!(
        before(1),
        "than"
            | "most"
            | "least"
            | "over"
            | "under"
            | "above"
            | "below"
            | "within"
            | "exceed"
            | "exceeds"
            | "exceeding"
            | "maximum"
            | "minimum"
            | "max"
            | "min"
            | "only"
            | "exactly"
    ) || (before(1) == "to" && before(2) == "up")
        || (before(1) == "of" && matches!(before(2), "maximum" | "minimum" | "limit"))
        || (before(1) == "to" && matches!(before(2), "limit" | "limited" | "capped"))
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn is_date(all: &[Token], at: usize) -> bool {
    const SHORT_MONTHS: [&str; 11] = ["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let is_month = |word: &str| MONTHS.contains(&word) || SHORT_MONTHS.contains(&word);
    let near = [at.checked_sub(1), Some(at + 1)];
    near.into_iter().flatten().filter_map(|at| all.get(at)).any(|token| is_month(token.word.as_str()))
        || all[at].word.contains(':')
        || all[at].word.matches('-').count() > 1
}

pub(super) fn has_date(text: &str) -> bool {
    let all = tokens(text);
    (0..all.len()).any(|at| {
        let word = &all[at].word;
        let digits = word.chars().any(|c| c.is_ascii_digit());
        let next = all.get(at + 1).map_or("", |token| token.word.as_str());
        digits
            && (is_date(&all, at)
                || matches!(next, "am" | "pm")
                || word.ends_with("am")
                || word.ends_with("pm")
                || word.starts_with('v'))
    })
}

/// The value that a case shows for a unit: "45 days", "$120", "age_days: 45".
pub(super) fn shown(case: &str, unit: &str) -> Option<f64> {
    let found = amounts(case);
    if let Some(amount) = found.iter().find(|amount| amount.unit == unit && !unit.is_empty()) {
        return Some(amount.value);
    }
    if unit.is_empty() || !unit.chars().all(char::is_alphabetic) {
        return None;
    }
    let lower = case.to_lowercase();
    let at = lower.find(unit)? + unit.len();
    // Only a name such as "age_days" may stand before its number.
    let named = lower[..at - unit.len()].ends_with('_');
    let rest = lower[at..].trim_start_matches('s').trim_start_matches(['"', '\'', ':', '=', ' ']);
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    if named { digits.trim_end_matches('.').parse().ok() } else { None }
}
