use std::time::Duration;

/// How a time span may be written, for messages.
pub const TIME_HELP: &str = "write seconds (`30`, `0.5`) or a unit (`500ms`, `30s`, `2m`, `1h`)";

/// A time span: `30`, `0.5`, `500ms`, `30s`, `2m`, `1h`. A number alone is in seconds. `None` where it is none, or negative.
pub fn parse_time(text: &str) -> Option<Duration> {
    const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let text = text.trim();
    let unit = UNITS.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, *seconds)));
    let (digits, factor) = unit.unwrap_or((text, 1.0));
    let number: f64 = digits.trim().parse().ok()?;
    (number.is_finite() && (0.0..1e7).contains(&number)).then(|| Duration::from_secs_f64(number * factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_alone_is_in_seconds_and_a_unit_says_otherwise() {
        for (text, milliseconds) in [
            ("30", 30_000),
            ("0.5", 500),
            ("500ms", 500),
            ("30s", 30_000),
            ("1.5 m", 90_000),
            ("2h", 7_200_000),
            ("0", 0),
        ] {
            assert_eq!(parse_time(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_span_is_none() {
        for text in ["", "s", "-1", "-1s", "soon", "1d", "1s2", "inf", "NaN", "1e300", "1e9h"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
