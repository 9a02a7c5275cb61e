//! Texts that match a pattern and values that fit a schema. What is returned was checked, or is the best guess.

use std::ops::Range;

use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Value, json};

/// A text that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampled {
    pub text: String,
    /// Where the pattern itself spells the text out, so that another text there would be another meaning.
    pub spelled: Vec<Range<usize>>,
}

/// Repetitions that are written out at most.
const MOST_REPEATS: u32 = 200;

/// A short text that the pattern matches, or `None` where none was found: `$a` matches nothing.
pub fn text_matching(pattern: &Regex) -> Option<Sampled> {
    texts_matching(pattern, 1).into_iter().next()
}

/// Different short texts that the pattern matches, one for each alternative, at most `most`.
pub fn texts_matching(pattern: &Regex, most: usize) -> Vec<Sampled> {
    let Ok(hir) = regex_syntax::parse(pattern.as_str()) else { return vec![] };
    let mut found: Vec<Sampled> = vec![];
    for branch in 0..most {
        if let Some(sampled) = one(pattern, &hir, branch)
            && !found.iter().any(|known| known.text == sampled.text)
        {
            found.push(sampled);
        }
    }
    found
}

fn one(pattern: &Regex, hir: &Hir, branch: usize) -> Option<Sampled> {
    let mut tried: Vec<String> = vec![];
    // Where a pattern looks around (`\b`, `^`), something may have to stand between; where a part is optional, it may
    // have to be there or not.
    for (between, optional, letters) in [
        ("", true, true),
        ("", false, true),
        ("", true, false),
        (" ", true, true),
        (" ", false, true),
        ("\n", true, true),
        ("\n", false, true),
        (" ", true, false),
    ] {
        let mut sampler = Sampler { branch, optional, letters, between, text: String::new(), spelled: vec![] };
        sampler.write(hir);
        if pattern.is_match(&sampler.text) {
            return Some(Sampled { text: sampler.text, spelled: sampler.spelled });
        }
        tried.push(sampler.text);
    }
    tried
        .into_iter()
        .flat_map(|text| [format!(" {text} "), format!("a{text}a")])
        .find_map(|text| pattern.is_match(&text).then_some(Sampled { text, spelled: vec![] }))
}

struct Sampler {
    /// Which of several alternatives is taken.
    branch: usize,
    optional: bool,
    /// A class that has both gives a letter, else a space or a mark.
    letters: bool,
    between: &'static str,
    text: String,
    spelled: Vec<Range<usize>>,
}

impl Sampler {
    fn write(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty => {}
            HirKind::Literal(literal) => self.spell(&String::from_utf8_lossy(&literal.0)),
            HirKind::Class(class) => match one_letter(class) {
                Some(letter) => self.spell(&letter.to_string()),
                None => self.text.extend(any_of(class, self.letters)),
            },
            HirKind::Look(_) => self.text.push_str(self.between),
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(u32::MAX);
                let wanted = if self.optional { repetition.min.max(1) } else { repetition.min };
                for _ in 0..wanted.min(most).min(MOST_REPEATS) {
                    self.write(&repetition.sub);
                }
            }
            HirKind::Capture(capture) => self.write(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.write(part)),
            HirKind::Alternation(parts) => self.write(&parts[self.branch % parts.len()]),
        }
    }

    fn spell(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        match self.spelled.last_mut().filter(|last| last.end == start) {
            Some(last) => last.end = self.text.len(),
            None => self.spelled.push(start..self.text.len()),
        }
    }
}

/// The letter that a class stands for where it only leaves its case open: `(?i)r` is `[Rr]`.
fn one_letter(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let mut letters = class.ranges().iter().flat_map(|range| (range.start()..=range.end()).take(3)).take(5);
    let first = letters.next()?;
    let folded = |c: char| c.to_lowercase().next();
    let lower = folded(first)?;
    // U+017F and U+212A fold to s and k.
    letters.all(|c| folded(c) == Some(lower) || matches!(c, '\u{17f}' | '\u{212a}')).then_some(lower)
}

fn any_of(class: &Class, letters: bool) -> Option<char> {
    let within = |c: char| match class {
        Class::Unicode(class) => class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&c)),
        Class::Bytes(class) => {
            c.is_ascii() && class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&(c as u8)))
        }
    };
    let first = if letters { ['a', '1', 'A', ' ', '-', '.'] } else { [' ', '.', '-', '1', 'A', 'a'] };
    let liked = first.into_iter().chain('b'..='z').chain('2'..='9').find(|c| within(*c));
    liked.or_else(|| match class {
        Class::Unicode(class) => class.ranges().first().map(|range| range.start()),
        Class::Bytes(class) => class.ranges().first().map(|range| range.start() as char),
    })
}

/// A small value that fits a JSON Schema, as far as the usual keywords say what that is.
pub fn value_fitting(schema: &Value) -> Value {
    fitting(schema, schema, 0)
}

/// References are followed so deep.
const MOST_DEPTH: usize = 12;

fn fitting(schema: &Value, root: &Value, depth: usize) -> Value {
    if depth > MOST_DEPTH {
        return Value::Null;
    }
    let deeper = |inner: &Value| fitting(inner, root, depth + 1);
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|items| items.first());
    if let Some(value) = schema.get("const").or_else(|| first("enum")).or_else(|| first("examples")) {
        return value.clone();
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#')) {
        return root.pointer(target).map(deeper).unwrap_or_default();
    }
    if let Some(inner) = first("anyOf").or_else(|| first("oneOf")) {
        return deeper(inner);
    }
    let mut all = schema.clone();
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        merge(&mut all, part);
    }
    let schema = &all;
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    let count = |key: &str| schema.get(key).and_then(Value::as_u64).unwrap_or(0).min(1000);
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        other => other.and_then(Value::as_str),
    };
    let kind = kind.unwrap_or(match schema {
        _ if schema.get("items").is_some() || schema.get("minItems").is_some() => "array",
        _ if number("minimum").is_some() || number("maximum").is_some() => "number",
        _ if schema.get("pattern").is_some() || schema.get("minLength").is_some() => "string",
        _ => "object",
    });
    match kind {
        "object" => {
            let none = Map::new();
            let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let mut made = Map::new();
            for key in required.filter_map(Value::as_str) {
                made.insert(key.to_owned(), properties.get(key).map_or(json!("a"), deeper));
            }
            let more = count("minProperties") as usize;
            for (key, inner) in properties.iter().take(more) {
                made.entry(key.clone()).or_insert_with(|| deeper(inner));
            }
            Value::Object(made)
        }
        "array" => {
            let item = schema.get("items").map_or(json!("a"), deeper);
            (0..count("minItems")).map(|_| item.clone()).collect()
        }
        "integer" | "number" => {
            let least = number("minimum").or(number("exclusiveMinimum").map(|least| least + 1.0));
            let most = number("maximum").or(number("exclusiveMaximum").map(|most| most - 1.0));
            let found = least.or(most.map(|most| most.min(1.0))).unwrap_or(1.0);
            let found = number("multipleOf").map_or(found, |step| (found / step).ceil() * step);
            if found.fract() == 0.0 { json!(found as i64) } else { json!(found) }
        }
        "boolean" => json!(true),
        "null" => Value::Null,
        _ => {
            let pattern = schema.get("pattern").and_then(Value::as_str).and_then(|pattern| Regex::new(pattern).ok());
            if let Some(found) = pattern.and_then(|pattern| text_matching(&pattern)) {
                return json!(found.text);
            }
            match schema.get("format").and_then(Value::as_str) {
                Some("date") => json!("2024-01-31"),
                Some("date-time") => json!("2024-01-31T12:00:00Z"),
                Some("email") => json!("a@example.org"),
                Some("uri") => json!("https://example.org/"),
                Some("uuid") => json!("00000000-0000-4000-8000-000000000000"),
                _ => json!("a".repeat(count("minLength").max(1) as usize)),
            }
        }
    }
}

fn merge(into: &mut Value, part: &Value) {
    match (into, part) {
        (Value::Object(into), Value::Object(part)) => {
            for (key, value) in part {
                match into.get_mut(key) {
                    Some(known) => merge(known, value),
                    None => {
                        into.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(into), Value::Array(part)) => into.extend(part.iter().cloned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_for_every_pattern_that_can_match() {
        for pattern in [
            "refund",
            r"^\d{3}-[A-Z]+$",
            r"(?i)order\s+#?\d+\b",
            r"\bcan(no|')t\b",
            r"a\b\W*b",
            "(?s).*",
            "(yes|no)[.!]?$",
            r"\p{Greek}+",
            "(?m)^second",
            r"[^a-z0-9]{2}",
            "x{150}",
        ] {
            let regex = Regex::new(pattern).unwrap();
            let found = text_matching(&regex).unwrap_or_else(|| panic!("nothing for {pattern}"));
            assert!(regex.is_match(&found.text), "{pattern}: {found:?}");
        }
        for pattern in ["$a", r"a\bb", "[^\\s\\S]"] {
            assert_eq!(text_matching(&Regex::new(pattern).unwrap()), None, "{pattern}");
        }
    }

    #[test]
    fn what_a_pattern_spells_out_is_told_from_what_it_leaves_open() {
        let spelled = |pattern: &str| -> Vec<String> {
            let found = text_matching(&Regex::new(pattern).unwrap()).unwrap();
            found.spelled.iter().map(|range| found.text[range.clone()].to_owned()).collect()
        };
        assert_eq!(spelled(r"order \d+ in 30 days"), ["order ", " in 30 days"]);
        assert_eq!(spelled("(?i)refund"), ["refund"]);
        assert_eq!(spelled(r"\d+"), [""; 0]);
    }

    #[test]
    fn a_value_fits_the_schema_that_it_was_made_for() {
        for schema in [
            json!({"type": "object", "required": ["status", "lines"], "properties": {
                "status": {"enum": ["open", "closed"]},
                "lines": {"type": "array", "minItems": 2, "items": {"type": "integer", "minimum": 3}}}}),
            json!({"$defs": {"id": {"type": "string", "pattern": "^[A-Z]{2}\\d+$"}}, "type": "object",
                "required": ["id"], "properties": {"id": {"$ref": "#/$defs/id"}}}),
            json!({"allOf": [{"type": "object", "required": ["a"]}, {"required": ["b"], "properties": {"b": {"type": "boolean"}}}]}),
            json!({"anyOf": [{"type": "number", "exclusiveMaximum": 0}, {"type": "null"}]}),
            json!({"type": "string", "minLength": 12}),
        ] {
            let value = value_fitting(&schema);
            assert!(jsonschema::is_valid(&schema, &value), "{value} for {schema}");
        }
    }
}
