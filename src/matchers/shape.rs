//! What form a reply has: `reply_is_json`, `reply_max_words`, `reply_min_words`.

use serde_json::{Value, json};

use super::folded::{is_unspaced, is_word};
use super::kinds::Kind;
use super::{CUT, Demand, Finding, Matcher, NO_REPLY, Outcome, opening, shortened};
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::Transcript;

/// The reply is one JSON value.
#[derive(Debug)]
struct IsJson {
    schema: Option<jsonschema::Validator>,
    /// The schema as it was written.
    written: Option<Value>,
    /// No code fence around it.
    strict: bool,
}

/// The reply has at most so many words.
#[derive(Debug)]
struct MaxWords(u64);

/// The reply has at least so many words.
#[derive(Debug)]
struct MinWords(u64);

pub const IS_JSON: Kind = Kind {
    name: "reply_is_json",
    summary: "The reply is one JSON value (a code fence around it is fine), and fits the JSON Schema, if one is given.",
    aliases: &["is_json", "is-json", "json", "json_schema", "reply_json", "contains-json"],
    negative: false,
    schema: || {
        json!({"anyOf": [
            {"const": true},
            {"type": "object", "description": "A JSON Schema of the reply."},
            {"type": "object", "additionalProperties": false, "properties": {
                "schema": {"type": "object", "description": "A JSON Schema of the reply."},
                "strict": {"type": "boolean", "default": false, "description": "Refuse a code fence around the JSON."}}}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_json(name, value, diagnostics)?)),
};

pub const MAX_WORDS: Kind = Kind {
    name: "reply_max_words",
    summary: "The reply has at most so many words.",
    aliases: &["max_words", "word_count_max"],
    negative: true,
    schema: || json!({"type": "integer", "minimum": 1}),
    parse: |name, value, diagnostics| Some(Box::new(MaxWords(whole(name, 1, value, diagnostics)?))),
};

pub const MIN_WORDS: Kind = Kind {
    name: "reply_min_words",
    summary: "The reply has at least so many words.",
    aliases: &["min_words", "word_count_min"],
    negative: false,
    schema: || json!({"type": "integer", "minimum": 1}),
    parse: |name, value, diagnostics| Some(Box::new(MinWords(whole(name, 1, value, diagnostics)?))),
};

/// A plain whole number of at least `least`.
pub fn whole(kind: &str, least: u64, value: &Node, diagnostics: &mut Diagnostics) -> Option<u64> {
    let found = value.number().and_then(|number| number.as_u64()).filter(|number| *number >= least);
    if found.is_none() {
        let seen = value.text().unwrap_or(value.describe());
        let message = format!("`{kind}` must be a whole number of at least {least}, not {seen}");
        let entry = diagnostics.error(&value.place, message);
        if value.number().is_some_and(|number| number.as_u64() == Some(0)) {
            entry.help.push("for an empty reply write `reply_equals: \"\"`".to_owned());
        }
    }
    found
}

fn parse_json(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<IsJson> {
    if value.boolean() == Some(true) {
        return Some(IsJson { schema: None, written: None, strict: false });
    }
    if value.mapping().is_none() {
        let seen = value.text().unwrap_or(value.describe());
        let entry = diagnostics.error(&value.place, format!("`{kind}` must be `true` or a JSON Schema, not {seen}"));
        entry.help.push("write the schema as a mapping: `{type: object, required: [status]}`".to_owned());
        return None;
    }
    let pairs = value.mapping().unwrap_or_default();
    let options = |name: &str| matches!(name, "strict" | "schema");
    if pairs.is_empty() || !pairs.iter().any(|(key, _)| key.text().is_some_and(options)) {
        let schema = compile(kind, value, diagnostics)?;
        return Some(IsJson { schema: Some(schema), written: Some(value.to_value()), strict: false });
    }
    let errors = diagnostics.errors();
    let mut fields = Fields::of(kind, value, diagnostics)?;
    let strict = fields.boolean("strict", diagnostics).unwrap_or(false);
    let written = fields.take("schema");
    let schema = written.and_then(|schema| compile(kind, schema, diagnostics));
    fields.finish(diagnostics);
    (diagnostics.errors() == errors).then(|| IsJson { schema, written: written.map(Node::to_value), strict })
}

fn compile(kind: &str, schema: &Node, diagnostics: &mut Diagnostics) -> Option<jsonschema::Validator> {
    let value = schema.to_value();
    if !value.is_object() {
        diagnostics.error(&schema.place, format!("a JSON Schema must be a mapping, but this is {}", schema.describe()));
        return None;
    }
    if value.as_object().is_some_and(serde_json::Map::is_empty) {
        diagnostics
            .error(&schema.place, format!("`{kind}` has an empty schema"))
            .help
            .push("every value fits the empty schema; write `true` if any JSON will do".to_owned());
        return None;
    }
    if let Some(unknown) = unknown_type(&value) {
        diagnostics
            .error(&schema.place, format!("`{unknown}` is no type of JSON Schema"))
            .help
            .push("the types are object, array, string, number, integer, boolean and null".to_owned());
        return None;
    }
    // Patterns in linear time, as everywhere; nothing is fetched from a network.
    match jsonschema::options().with_pattern_options(jsonschema::PatternOptions::regex()).build(&value) {
        Ok(validator) => Some(validator),
        Err(error) => {
            let place = schema_place(schema, error.instance_path().as_str());
            let message = format!("this is no valid JSON Schema: {}", shortened(&error.to_string(), 200));
            diagnostics.error(&place.place, message).help.push("see json-schema.org for the keywords".to_owned());
            None
        }
    }
}

fn unknown_type(schema: &Value) -> Option<String> {
    let name = schema.get("type")?.as_str()?;
    let known = ["object", "array", "string", "number", "integer", "boolean", "null"];
    (!known.contains(&name)).then(|| name.to_owned())
}

/// The node that a JSON pointer leads to, or the last one on the way.
fn schema_place<'n>(schema: &'n Node, pointer: &str) -> &'n Node {
    let mut node = schema;
    for part in pointer.split('/').filter(|part| !part.is_empty()) {
        let next = match node.sequence() {
            Some(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
            None => node.get(part),
        };
        let Some(next) = next else { break };
        node = next;
    }
    node
}

/// What stands in a reply that is one fenced code block, or the reply itself; `open` where the fence has no end.
struct Body<'t> {
    text: &'t str,
    fenced: bool,
    open: bool,
}

fn body(reply: &str) -> Body<'_> {
    let trimmed = reply.trim();
    let ticks = trimmed.bytes().take_while(|byte| *byte == b'`').count();
    if ticks < 3 {
        return Body { text: trimmed, fenced: false, open: false };
    }
    let fence = &trimmed[..ticks];
    let Some(line) = trimmed.find('\n') else { return Body { text: "", fenced: true, open: true } };
    let inside = &trimmed[line + 1..];
    match inside.strip_suffix(fence) {
        Some(text) => Body { text: text.trim(), fenced: true, open: false },
        None => Body { text: inside, fenced: true, open: true },
    }
}

impl Matcher for IsJson {
    fn kind(&self) -> &'static str {
        IS_JSON.name
    }

    fn describe(&self) -> String {
        if self.schema.is_some() { "JSON that fits the schema".to_owned() } else { "JSON".to_owned() }
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let fails = |reason: String, note: Option<&str>| {
            let note = note.map(str::to_owned);
            Outcome::Fails(Finding { reason, found: opening(reply), at: None, note })
        };
        let body = body(reply);
        if body.fenced && self.strict {
            return fails("the reply stands in a code fence, which `strict` refuses".to_owned(), None);
        }
        let parsed = serde_json::from_str::<Value>(body.text);
        if transcript.truncated {
            // A mistake in the beginning stays a mistake; everything else can still change.
            return match parsed {
                // The first ticks of a fence are no mistake.
                Err(error) if !error.is_eof() && !body.open && !body.text.starts_with('`') => {
                    fails(format!("the reply is no JSON: {}", message(&error)), None)
                }
                _ => Outcome::NotAssessable(format!("the end of the JSON is not known: {CUT}")),
            };
        }
        if body.text.is_empty() {
            return fails("the reply is empty, not JSON".to_owned(), None);
        }
        let value = match parsed {
            Ok(value) if !body.open => value,
            Ok(_) => return fails("the code fence around the JSON has no end".to_owned(), None),
            Err(error) => {
                let note = (reply.contains("```") || reply.contains('{'))
                    .then_some("only a reply that is JSON as a whole counts, or one code fence with nothing around it");
                return fails(format!("the reply is no JSON: {}", message(&error)), note);
            }
        };
        if let Some(error) = self.schema.as_ref().and_then(|schema| schema.iter_errors(&value).next()) {
            let path = error.instance_path().as_str();
            let place = if path.is_empty() { "the JSON as a whole".to_owned() } else { format!("`{path}`") };
            return fails(format!("{place} does not fit the schema: {}", shortened(&error.to_string(), 160)), None);
        }
        let reason = match self.schema {
            Some(_) => "the reply is JSON that fits the schema",
            None => "the reply is JSON",
        };
        Outcome::Holds(Finding { found: opening(reply), at: Some(0..reply.len()), ..Finding::because(reason) })
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Json(self.written.clone())]
    }
}

fn message(error: &serde_json::Error) -> String {
    error.to_string()
}

/// Pieces between whitespace that have a letter or digit; in scripts without spaces every character counts.
fn words(reply: &str) -> u64 {
    let mut count = 0;
    for piece in reply.split_whitespace() {
        let (mut unspaced, mut other) = (0, false);
        for c in piece.chars().filter(|c| is_word(*c) && *c != '_') {
            let hangul = matches!(c as u32, 0x1100..=0x11ff | 0xac00..=0xd7ff);
            if is_unspaced(c) && !hangul { unspaced += 1 } else { other = true }
        }
        count += unspaced + u64::from(other);
    }
    count
}

fn counted(count: u64) -> String {
    if count == 1 { "1 word".to_owned() } else { format!("{count} words") }
}

impl Matcher for MaxWords {
    fn kind(&self) -> &'static str {
        MAX_WORDS.name
    }

    fn describe(&self) -> String {
        format!("at most {}", counted(self.0))
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let Some(reply) = &transcript.reply else { return Outcome::Holds(Finding::because(NO_REPLY)) };
        let count = words(reply);
        let reason = format!("the reply has {}; the most is {}", counted(count), self.0);
        if count > self.0 {
            Outcome::Fails(Finding { found: opening(reply), ..Finding::because(reason) })
        } else if transcript.truncated {
            Outcome::NotAssessable(format!("the reply has {} so far, and {CUT}", counted(count)))
        } else {
            Outcome::Holds(Finding::because(reason))
        }
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::MostWords(self.0)]
    }
}

impl Matcher for MinWords {
    fn kind(&self) -> &'static str {
        MIN_WORDS.name
    }

    fn describe(&self) -> String {
        format!("at least {}", counted(self.0))
    }

    fn judge(&self, transcript: &Transcript) -> Outcome {
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let count = words(reply);
        let reason = format!("the reply has {}; the least is {}", counted(count), self.0);
        if count >= self.0 {
            Outcome::Holds(Finding::because(reason))
        } else if transcript.truncated {
            Outcome::NotAssessable(format!("the reply has {} so far, and {CUT}", counted(count)))
        } else {
            Outcome::Fails(Finding { found: opening(reply), ..Finding::because(reason) })
        }
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::LeastWords(self.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_as_a_person_would() {
        for (text, count) in
            [("", 0), ("one", 1), ("can't stop, won't-stop", 3), ("- a\n- b", 2), ("$49.99 !", 1), ("退款三十天", 5)]
        {
            assert_eq!(words(text), count, "{text:?}");
        }
    }
}
