//! A rule with another threshold: "older than 30 days" becomes "older than 60 days".

use super::Inversion;
use super::amount::{Amount, WORDS, amounts, has_date, shown};
use super::refusal::{Refusal, RefusalReason};

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

fn spelled(value: f64, like: &Amount) -> String {
    if like.is_word
        && let Some(word) = WORDS.iter().enumerate().find(|(at, _)| *at as f64 == value).map(|(_, word)| word)
    {
        return (*word).to_owned();
    }
    let decimals =
        if value.fract() == 0.0 && like.unit != "$" { 0 } else { like.decimals.max(usize::from(value.fract() != 0.0)) };
    let plain = format!("{value:.decimals$}");
    let grows = value >= 10_000.0 && like.value < 10_000.0;
    if !(like.grouped || grows) {
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
