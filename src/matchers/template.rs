//! Texts that somebody meant to fill in and did not.

use std::sync::LazyLock;

use regex::Regex;

fn fixed(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is fixed and valid")
}

static BRACES: LazyLock<Regex> = LazyLock::new(|| fixed(r"\{\{[^{}\n]{1,80}\}\}"));

/// `{{ name }}`, `{name}`, `${NAME}`, `<name>`, `[your name]`, `____`.
static SLOT: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"(?x)
        \{\{ [^{}\n]{1,80} \}\}
        | \$? \{ [\p{L}_] [\w\ .-]{0,40} \}
        | < [\p{L}_] [\w\ .-]{0,40} >
        | \[ (?: [\p{Lu}_] [\p{Lu}\d_\ ]{1,40} | (?i:your|the|insert|name|customer|product|date|amount|order)\b [\w\ .'-]{0,40} ) \]
        | _{3,}
        | %[sd]\b
        ",
    )
});

/// A capital X, Y or Z where a noun belongs: "a search for X, …", "order X".
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    fixed(r"(?:\b(?:for|of|to|is|about|in|by|with|on|order|than)\s+|^)(X|Y|Z|N|XX+|YYYY)(?:[\s,.:;!?]|$)")
});

/// A text that breaks off: "Based on a search for chairs, …".
static OPEN_END: LazyLock<Regex> = LazyLock::new(|| fixed(r"(?:…|\.\.\.)\s*$"));

/// A slot in double braces.
pub fn slot(text: &str) -> Option<&str> {
    BRACES.find(text).map(|found| found.as_str())
}

/// What of a reference stands for something that nobody filled in.
pub fn unfilled(text: &str) -> Option<&str> {
    // A link's text is no slot.
    let slot = || SLOT.find_iter(text).find(|found| !text[found.end()..].starts_with('('));
    let variable = || VARIABLE.captures(text).and_then(|found| found.get(1));
    slot().or_else(variable).or_else(|| OPEN_END.find(text)).map(|found| found.as_str().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_stand_ins_are_no_references() {
        for (text, part) in [
            ("Based on a search for X, these fit.", "X"),
            ("Dear {{name}}, it ships today.", "{{name}}"),
            ("Dear <name>, it ships today.", "<name>"),
            ("Dear {customer_name}, it ships today.", "{customer_name}"),
            ("Dear ${NAME}, it ships today.", "${NAME}"),
            ("Dear [Your Name], it ships today.", "[Your Name]"),
            ("Order [ORDER_ID] ships today.", "[ORDER_ID]"),
            ("Your order ____ ships today.", "____"),
            ("Order %s ships today.", "%s"),
            ("Based on a search for chairs, …", "…"),
            ("Here are the results...", "..."),
        ] {
            assert_eq!(unfilled(text), Some(part), "{text}");
        }
    }

    #[test]
    fn answers_with_marks_and_capitals_are_references() {
        for text in [
            "It arrives in 3 days (see [1]).",
            "Use 3 < 4 and 5 > 4.",
            "The X-ray table is sold out.",
            "Model X is sold out.",
            "Send {} to reset.",
            "Wait… it is here.",
            "snake_case is fine, 100 %.",
            "See [the list](https://shop.example/list).",
        ] {
            assert_eq!(unfilled(text), None, "{text}");
        }
    }
}
