//! The label in a judge's answer.

use serde_json::{Map, Value};

/// Opening braces at which an object is looked for: each may be read to the end of the answer.
const MOST_BRACES: usize = 64;

/// What a judge chose.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    /// One of the labels, as they are written.
    pub label: String,
    pub reason: Option<String>,
}

/// The one label that an answer names: in a JSON object (alone, fenced, between words, with a comma too many), in a line
/// `label: …`, or as all that it says.
///
/// # Errors
/// Why it names none: there is no label in it, it is none of the set, or it names two.
pub(super) fn choice(answer: &str, labels: &[String]) -> Result<Choice, String> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Err("held nothing".to_owned());
    }
    let known = |text: &str| {
        let text = bare(text).to_lowercase();
        labels.iter().find(|label| label.to_lowercase() == text).cloned()
    };
    let mut choices: Vec<Choice> = vec![];
    for object in objects(answer) {
        let Some(written) = object.get("label") else { continue };
        let label = written.as_str().and_then(known).ok_or_else(|| format!("named {written}, which is no label"))?;
        contradiction(&object, &label)?;
        choices.push(Choice { label, reason: object.get("reason").and_then(Value::as_str).map(str::to_owned) });
    }
    if choices.is_empty() {
        let line = |line: &str| {
            let (name, value) = line.split_once(':')?;
            (bare(name).to_lowercase() == "label").then(|| bare(value).to_owned())
        };
        for value in answer.lines().filter_map(line) {
            let label = known(&value).ok_or_else(|| format!("named \"{value}\", which is no label"))?;
            choices.push(Choice { label, reason: None });
        }
    }
    if choices.is_empty() {
        choices.extend(known(answer).map(|label| Choice { label, reason: None }));
    }
    let Some(first) = choices.first().cloned() else { return Err("held no label".to_owned()) };
    match choices.iter().find(|other| other.label != first.label) {
        Some(other) => Err(format!("contradicts itself: it named {} and {}", first.label, other.label)),
        None => Ok(first),
    }
}

/// A verdict beside the label that says the opposite.
fn contradiction(object: &Map<String, Value>, label: &str) -> Result<(), String> {
    let passes = label.eq_ignore_ascii_case("pass");
    let fails = label.eq_ignore_ascii_case("fail");
    let told = ["pass", "passed", "success"].iter().find_map(|key| object.get(*key)?.as_bool());
    let score = object.get("score").and_then(Value::as_f64);
    if (told == Some(false) || score == Some(0.0)) && passes || told == Some(true) && fails {
        return Err(format!("contradicts itself: beside the label {label} it says the opposite"));
    }
    Ok(())
}

/// Without spaces, quotation marks, emphasis and the mark at its end.
fn bare(text: &str) -> &str {
    text.trim().trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '*' | '_' | '.' | ',' | '!' | '“' | '”')
    })
}

/// The objects in a text that stand in no other one.
fn objects(text: &str) -> Vec<Map<String, Value>> {
    let mut found = vec![];
    let mut at = 0;
    for _ in 0..MOST_BRACES {
        let Some(open) = text[at..].find('{').map(|offset| at + offset) else { break };
        let rest = &text[open..];
        let whole = read(rest).or_else(|| {
            let repaired = without_trailing_commas(rest);
            // The length in the original is not known: what follows is looked through for other braces.
            read(&repaired).map(|(object, _)| (object, 1))
        });
        match whole {
            Some((object, length)) => {
                found.push(object);
                at = open + length;
            }
            None => at = open + 1,
        }
    }
    found
}

fn read(text: &str) -> Option<(Map<String, Value>, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    let object = values.next()?.ok()?;
    Some((object, values.byte_offset()))
}

/// A comma before a closing bracket, outside of strings, taken out.
fn without_trailing_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if quoted {
            (quoted, escaped) = (escaped || c != '"', c == '\\' && !escaped);
        } else if c == '"' {
            quoted = true;
        } else if c == ',' && text[at + 1..].trim_start().starts_with(['}', ']']) {
            continue;
        }
        out.push(c);
    }
    out
}
