//! A reply that is JSON, or has JSON in it: `reply_is_json`.

use std::ops::Range;

use serde_json::{Value, json};

use super::kinds::{Kind, Part};
use super::view::View;
use super::{CUT, Demand, Finding, Matcher, NO_REPLY, Outcome, shortened};
use crate::source::{Diagnostics, Fields, Node};

/// The reply is one JSON value.
#[derive(Debug)]
struct IsJson {
    schema: Option<jsonschema::Validator>,
    /// The schema as it was written.
    written: Option<Value>,
    /// No code fence around it, nothing before it.
    strict: bool,
    /// Text around it is fine.
    anywhere: bool,
}

pub const IS_JSON: Kind = Kind {
    name: "reply_is_json",
    summary: "The reply is one JSON value (a code fence around it or a thinking block before it is fine), and fits the JSON Schema, if one is given.",
    aliases: &["is_json", "is-json", "json", "json_schema", "reply_json", "contains-json"],
    negative: false,
    reads: Part::Reply,
    schema: || {
        json!({"anyOf": [
            {"const": true},
            {"type": "object", "description": "A JSON Schema of the reply."},
            {"type": "object", "additionalProperties": false, "properties": {
                "schema": {"type": "object", "description": "A JSON Schema of the reply."},
                "strict": {"type": "boolean", "default": false, "description": "Refuse a code fence around the JSON, and thinking before it."},
                "anywhere": {"type": "boolean", "default": false, "description": "Text around the JSON is fine: the first block that is marked as JSON counts, else the first block that is JSON, else the first JSON value that begins a line."}}}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_json(name, value, diagnostics)?)),
};

fn parse_json(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<IsJson> {
    if value.boolean() == Some(true) {
        return Some(IsJson { schema: None, written: None, strict: false, anywhere: false });
    }
    if value.mapping().is_none() {
        let seen = value.text().unwrap_or(value.describe());
        let entry = diagnostics.error(&value.place, format!("`{kind}` must be `true` or a JSON Schema, not {seen}"));
        entry.help.push("write the schema as a mapping: `{type: object, required: [status]}`".to_owned());
        return None;
    }
    let pairs = value.mapping().unwrap_or_default();
    let options = |name: &str| matches!(name, "strict" | "schema" | "anywhere");
    if pairs.is_empty() || !pairs.iter().any(|(key, _)| key.text().is_some_and(options)) {
        let schema = Some(compile(kind, value, diagnostics)?);
        return Some(IsJson { schema, written: Some(value.to_value()), strict: false, anywhere: false });
    }
    let errors = diagnostics.errors();
    let mut fields = Fields::of(kind, value, diagnostics)?;
    let strict = fields.boolean("strict", diagnostics).unwrap_or(false);
    let anywhere = fields.boolean("anywhere", diagnostics).unwrap_or(false);
    let written = fields.take("schema");
    let schema = written.and_then(|schema| compile(kind, schema, diagnostics));
    fields.finish(diagnostics);
    if strict && anywhere {
        diagnostics
            .error(&value.place, "`strict: true` and `anywhere: true` contradict each other")
            .help
            .push("`strict` wants the reply to be JSON and nothing else; remove one of the two".to_owned());
    }
    (diagnostics.errors() == errors).then(|| IsJson { schema, written: written.map(Node::to_value), strict, anywhere })
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

/// What a reply is as JSON.
#[derive(Debug)]
pub struct JsonReply<'t> {
    pub value: serde_json::Result<Value>,
    /// What was read: the reply, or what stands in its only code fence.
    text: &'t str,
    fenced: bool,
    /// The fence has no end.
    open: bool,
    /// A thinking block stands before it.
    thought: bool,
}

/// Reads a reply as JSON as a whole, then as one code fence, then either behind a thinking block. JSON comes first, so that
/// a value that has such marks in it stays as it is.
pub fn read(reply: &str) -> JsonReply<'_> {
    let mut whole = read_body(reply);
    if whole.value.is_err()
        && !whole.fenced
        && let Some(rest) = behind_thinking(reply)
    {
        whole = JsonReply { thought: true, ..read_body(rest) };
    }
    whole
}

fn read_body(reply: &str) -> JsonReply<'_> {
    let trimmed = reply.trim();
    let (mut text, mut open) = (trimmed, false);
    let ticks = trimmed.bytes().take_while(|byte| *byte == b'`').count();
    if ticks >= 3 {
        let inside = trimmed.find('\n').map(|line| &trimmed[line + 1..]);
        let closed = inside.and_then(|inside| inside.strip_suffix(&trimmed[..ticks]));
        open = closed.is_none();
        text = closed.map(str::trim).or(inside).unwrap_or_default();
    }
    JsonReply { value: serde_json::from_str(text), text, fenced: ticks >= 3, open, thought: false }
}

const THINKING: [(&str, &str); 4] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>"), ("[THINK]", "[/THINK]")];

/// What follows a thinking block at the very beginning.
fn behind_thinking(reply: &str) -> Option<&str> {
    let reply = reply.trim_start();
    let (open, close) = THINKING.iter().find(|(open, _)| reply.starts_with(open))?;
    reply[open.len()..].split_once(close).map(|(_, rest)| rest)
}

/// A code block: what its fence says that it is, and where its text and all of it stand.
struct Block<'t> {
    info: &'t str,
    text: &'t str,
    all: Range<usize>,
}

/// The code blocks that are closed. Only a fence that begins a line opens or closes one.
fn blocks(reply: &str) -> Vec<Block<'_>> {
    let mut found = vec![];
    // The fence's mark and length, its info, and where block and text begin.
    let mut open: Option<(char, usize, &str, Range<usize>)> = None;
    let mut at = 0;
    for line in reply.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim();
        let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else { continue };
        let length = line.chars().take_while(|c| *c == mark).count();
        let rest = line[length..].trim();
        match &open {
            Some((opened, least, info, head)) if *opened == mark && length >= *least && rest.is_empty() => {
                found.push(Block { info, text: &reply[head.end..start], all: head.start..at });
                open = None;
            }
            None if length >= 3 && !rest.contains('`') => {
                open = Some((mark, length, rest.split_whitespace().next().unwrap_or_default(), start..at));
            }
            _ => {}
        }
    }
    found
}

/// The JSON in a reply that has other text too: the first block that is marked as JSON, right or wrong; else the first
/// unmarked block that is JSON; else the first value that begins a line outside of blocks.
fn embedded(reply: &str) -> Option<serde_json::Result<Value>> {
    let blocks = blocks(reply);
    let marked =
        |block: &&Block<'_>| ["json", "jsonc", "json5"].iter().any(|name| block.info.eq_ignore_ascii_case(name));
    if let Some(block) = blocks.iter().find(marked) {
        return Some(serde_json::from_str(block.text.trim()));
    }
    let unmarked = blocks.iter().filter(|block| block.info.is_empty());
    if let Some(value) = unmarked.flat_map(|block| serde_json::from_str(block.text.trim()).ok()).next() {
        return Some(Ok(value));
    }
    let mut blocks = blocks.iter().peekable();
    let mut at = 0;
    let line = reply.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        while blocks.next_if(|block| block.all.end <= start).is_some() {}
        let outside = blocks.peek().is_none_or(|block| start < block.all.start);
        (outside && line.trim_start().starts_with(['{', '['])).then_some(start)
    })?;
    serde_json::Deserializer::from_str(&reply[line..]).into_iter::<Value>().next()
}

impl IsJson {
    /// The value that is judged, with a note on what was left out of it; `Err`: why there is none, and a note.
    fn value<'v>(&self, view: &'v View<'_>, reply: &str, holder: &'v mut Option<Value>) -> Found<'v> {
        let whole = view.json();
        if self.strict && (whole.fenced || whole.thought) {
            let what =
                if whole.fenced { "the reply stands in a code fence" } else { "thinking stands before the JSON" };
            return Err((format!("{what}, which `strict` refuses"), None));
        }
        if whole.text.is_empty() && !whole.open {
            return Err(("the reply is empty, not JSON".to_owned(), None));
        }
        let error = match &whole.value {
            Ok(value) if !whole.open => {
                let note = match (whole.thought, whole.fenced) {
                    (true, _) => Some("a thinking block stands before it"),
                    (false, true) => Some("it stands in a code fence"),
                    (false, false) => None,
                };
                return Ok((value, note));
            }
            Ok(_) => return Err(("the code fence around the JSON has no end".to_owned(), None)),
            Err(error) => error,
        };
        let inside = if reply.contains(['{', '[', '`', '~']) { embedded(reply) } else { None };
        match inside {
            Some(Ok(value)) if self.anywhere => Ok((holder.insert(value), Some("text stands around it"))),
            Some(Err(error)) if self.anywhere => Err((format!("the JSON in the reply is broken: {error}"), None)),
            Some(Ok(_)) => Err((
                "the reply has text around its JSON".to_owned(),
                Some("only a reply that is JSON as a whole counts, or one code fence; `anywhere: true` finds it"),
            )),
            _ => Err((format!("the reply is no JSON: {error}"), None)),
        }
    }
}

type Found<'v> = Result<(&'v Value, Option<&'static str>), (String, Option<&'static str>)>;

impl Matcher for IsJson {
    fn kind(&self) -> &'static str {
        IS_JSON.name
    }

    fn describe(&self) -> String {
        if self.schema.is_some() { "JSON that fits the schema".to_owned() } else { "JSON".to_owned() }
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let fails = |reason: String, note: Option<&str>| {
            let note = note.map(str::to_owned);
            Outcome::Fails(Finding { reason, found: view.opening(), at: None, note })
        };
        if transcript.truncated {
            let body = read_body(reply);
            if body.fenced && self.strict {
                return fails("the reply stands in a code fence, which `strict` refuses".to_owned(), None);
            }
            // A mistake in the beginning stays a mistake; everything else can still change. The first ticks of a fence
            // and the first letters of a thinking block are no mistake.
            let thinks = THINKING.iter().any(|(open, _)| body.text.starts_with(open) || open.starts_with(body.text));
            let open = body.open || body.text.starts_with('`') || thinks && !self.strict;
            return match body.value {
                Err(error) if !error.is_eof() && !open && !self.anywhere => {
                    fails(format!("the reply is no JSON: {error}"), None)
                }
                _ => Outcome::NotAssessable(format!("the end of the JSON is not known: {CUT}")),
            };
        }
        let mut holder = None;
        let (value, note) = match self.value(view, reply, &mut holder) {
            Ok(found) => found,
            Err((reason, note)) => return fails(reason, note),
        };
        if let Some(error) = self.schema.as_ref().and_then(|schema| schema.iter_errors(value).next()) {
            let path = error.instance_path().as_str();
            let place = if path.is_empty() { "the JSON as a whole".to_owned() } else { format!("`{path}`") };
            return fails(format!("{place} does not fit the schema: {}", shortened(&error.to_string(), 160)), note);
        }
        let reason = match self.schema {
            Some(_) => "the reply is JSON that fits the schema",
            None => "the reply is JSON",
        };
        let note = note.map(str::to_owned);
        Outcome::Holds(Finding { found: view.opening(), at: Some(0..reply.len()), note, ..Finding::because(reason) })
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Json(self.written.clone())]
    }
}
