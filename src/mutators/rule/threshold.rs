//! A rule with another threshold: "older than 30 days" becomes "older than 60 days".

use std::ops::Range;

use super::Inversion;
use super::refusal::{Refusal, RefusalReason};
use super::words::{Kind, Token, tokens};
use crate::mutators::language::Tongue;

/// Moves the rule's one amount past the case's own value, so that the case falls on the other side of it.
///
/// `case_values` are texts of the case (its input, a line of its fixtures) or single values; a number there counts when the
/// rule's unit stands with it ("45 days", "$120", "age_days: 45"). A value above the rule's amount moves it up to a round
/// number above the value, a value below moves it down. Without such a value the amount is doubled, or halved where a
/// percentage would pass 100. Comparison, currency, unit and the spelling of the number stay.
///
/// # Errors
/// [`Refused`](Inversion::Refused) where the rule has no amount, several of which the case shows none, or a date.
pub fn threshold(rule_text: &str, case_values: &[&str]) -> Inversion {
    match moved(rule_text, case_values) {
        Ok(text) => Inversion::Inverted(text),
        Err(refusal) => Inversion::Refused(refusal),
    }
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
struct Amount {
    value: f64,
    /// Where the digits stand.
    range: Range<usize>,
    unit: String,
    /// "three" and not "3".
    is_word: bool,
    decimals: usize,
    grouped: bool,
}

fn moved(text: &str, case_values: &[&str]) -> Result<String, Refusal> {
    let found = amounts(text);
    if found.is_empty() {
        let digits = text.chars().any(|c| c.is_ascii_digit());
        let reason = if digits && has_date(text) { RefusalReason::Date } else { RefusalReason::NoNumber };
        return Err(Refusal::new(reason, text.trim()));
    }
    let seen: Vec<(usize, f64)> = found
        .iter()
        .enumerate()
        .filter_map(|(at, amount)| {
            case_values.iter().find_map(|case| shown(case, &amount.unit)).map(|value| (at, value))
        })
        .collect();
    let (at, case) = match (seen.as_slice(), found.len()) {
        ([(at, value)], _) => (*at, Some(*value)),
        ([], 1) => (0, None),
        _ => return Err(Refusal::new(RefusalReason::Threshold, &text[found[1].range.clone()])),
    };
    let amount = &found[at];
    let new = match case {
        Some(case) => past(amount.value, case),
        None if amount.unit == "%" && amount.value * 2.0 > 100.0 => amount.value / 2.0,
        None => amount.value * 2.0,
    };
    let new = if amount.unit == "%" && new > 100.0 { 100.0 } else { new };
    let passed = case.is_none_or(|case| (new - case) * (amount.value - case) <= 0.0 && new != case);
    let written = spelled(new, amount);
    if new <= 0.0 || !passed || written == text[amount.range.clone()] {
        return Err(Refusal::new(RefusalReason::Threshold, &text[amount.range.clone()]));
    }
    let mut result = text.to_owned();
    result.replace_range(amount.range.clone(), &written);
    Ok(result)
}

/// A round number on the other side of the case's value.
fn past(rule: f64, case: f64) -> f64 {
    if case >= rule { round_up(case * 1.25) } else { round_down(case / 1.25) }
}

const ROUND: [f64; 13] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.5, 8.0, 9.0, 10.0];

/// The next number that a person would write: 56 is followed by 60, 130 by 150. Small numbers are whole.
fn round_up(value: f64) -> f64 {
    if value <= 12.0 {
        return value.floor() + 1.0;
    }
    let scale = 10f64.powf(value.log10().floor());
    let round = ROUND.iter().map(|step| step * scale).find(|round| *round >= value && round.fract() == 0.0);
    round.unwrap_or(10.0 * scale)
}

fn round_down(value: f64) -> f64 {
    if value <= 12.0 {
        return if value.fract() == 0.0 { value - 1.0 } else { value.floor() };
    }
    let scale = 10f64.powf(value.log10().floor());
    let round = ROUND.iter().rev().map(|step| step * scale).find(|round| *round <= value && round.fract() == 0.0);
    round.unwrap_or(scale)
}

const WORDS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

fn spelled(value: f64, like: &Amount) -> String {
    if like.is_word
        && let Some(word) = WORDS.iter().enumerate().find(|(at, _)| *at as f64 == value).map(|(_, word)| word)
    {
        return (*word).to_owned();
    }
    let decimals =
        if value.fract() == 0.0 && like.unit != "$" { 0 } else { like.decimals.max(usize::from(value.fract() != 0.0)) };
    let plain = format!("{value:.decimals$}");
    if !like.grouped && !(value >= 10_000.0 && like.value < 10_000.0) {
        return plain;
    }
    let (whole, rest) = plain.split_once('.').map_or((plain.as_str(), ""), |(whole, rest)| (whole, rest));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if rest.is_empty() { grouped } else { format!("{grouped}.{rest}") }
}

/// The amounts of a rule; what is quoted, code or in parentheses has none.
fn amounts(text: &str) -> Vec<Amount> {
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
    const TIMES: [&str; 20] = [
        "am",
        "pm",
        "a.m",
        "p.m",
        "st",
        "nd",
        "rd",
        "th",
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
    if TIMES.contains(&word) || word.is_empty() {
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

fn is_date(all: &[Token], at: usize) -> bool {
    const MONTHS: [&str; 23] = [
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
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "oct",
        "nov",
        "dec",
    ];
    let near = [at.checked_sub(1), Some(at + 1)];
    near.into_iter().flatten().filter_map(|at| all.get(at)).any(|token| MONTHS.contains(&token.word.as_str()))
        || all[at].word.contains(':')
        || all[at].word.matches('-').count() > 1
}

fn has_date(text: &str) -> bool {
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
fn shown(case: &str, unit: &str) -> Option<f64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn moved_to(rule: &str, case: &[&str]) -> String {
        match threshold(rule, case) {
            Inversion::Inverted(text) => text,
            Inversion::Refused(refusal) => format!("refused: {}", refusal.reason.name()),
        }
    }

    #[test]
    fn an_amount_is_moved_past_the_value_that_the_case_shows() {
        for (rule, case, expected) in [
            (
                "Never refund an order older than 30 days.",
                "It arrived 45 days ago.",
                "Never refund an order older than 60 days.",
            ),
            (
                "Never refund an order older than 30 days.",
                "It arrived 12 days ago.",
                "Never refund an order older than 9 days.",
            ),
            ("Approve credits up to $50.", "Credit me $120 please.", "Approve credits up to $150."),
            ("Discounts above 10% need a manager.", "Give me 25% off.", "Discounts above 40% need a manager."),
            ("Answer in at most three sentences.", "", "Answer in at most six sentences."),
            ("A 30-day return window applies.", "age_days: 45", "A 60-day return window applies."),
            ("Escalate orders over $1,000.", "My order was $2,500.", "Escalate orders over $4,000."),
            ("Ask again after 2 attempts.", "I made 3 attempts.", "Ask again after 4 attempts."),
        ] {
            assert_eq!(moved_to(rule, &[case]), expected, "{rule} / {case}");
        }
    }

    #[test]
    fn without_a_value_an_amount_is_doubled_or_halved() {
        for (rule, expected) in [
            ("Wait at least 24 hours.", "Wait at least 48 hours."),
            ("Keep it under 25 words.", "Keep it under 50 words."),
            ("Keep coverage above 80%.", "Keep coverage above 40%."),
            ("Refuel at most 2GB.", "Refuel at most 4GB."),
            ("Charge €15 for late returns.", "Charge €30 for late returns."),
            ("Use at most 3.5 hours.", "Use at most 7 hours."),
            ("Functions may have up to 4 parameters.", "Functions may have up to 8 parameters."),
        ] {
            assert_eq!(moved_to(rule, &[]), expected, "{rule}");
        }
    }

    #[test]
    fn what_is_no_threshold_is_refused_by_name() {
        for (rule, case, reason) in [
            ("Be polite.", "", "no-number"),
            ("Run `sleep 30 seconds`.", "", "no-number"),
            ("Follow step 3.", "", "no-number"),
            ("Offers end on 5 May.", "", "date"),
            ("The desk opens at 9:30.", "", "date"),
            ("Use version 2.", "", "no-number"),
            ("Refund within 30 days and 50 miles.", "", "threshold"),
            ("Open at least 1 ticket.", "I have 0 tickets", "threshold"),
        ] {
            assert_eq!(moved_to(rule, &[case]), format!("refused: {reason}"), "{rule}");
        }
    }
}
