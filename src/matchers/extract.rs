//! A part of the reply, checked as if it were the reply: `extract`.
//!
//! The part is a value of a reply that is JSON (`path: answer.text`), or what a regular expression captures
//! (`pattern: 'ANSWER: (.+)'`: its first group, or all of it where it has none). A reply without that part fails,
//! whatever is asked of the part: a check of something that is not there must not hold.

use std::ops::Range;

use regex::Regex;
use serde_json::{Value, json};

use super::conditions::{Path, parse_path};
use super::kinds::{Kind, Part, kinds};
use super::needle::plain_text;
use super::pattern::compile;
use super::view::View;
use super::{CUT, Finding, Matcher, NO_REPLY, Outcome, list, shortened};
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::Transcript;

/// Every one of these checks holds on a part of the reply.
#[derive(Debug)]
struct Extract {
    from: From,
    checks: Vec<Box<dyn Matcher>>,
}

/// Where the part is.
#[derive(Debug)]
enum From {
    Json(Path),
    Pattern(Regex),
}

/// A part, or why there is none.
enum Found {
    /// The text; its bytes in the reply where it stands there as it is; true where the reply was cut in it.
    Here(String, Option<Range<usize>>, bool),
    Missing(String),
    /// In a cut reply, where it may follow.
    Open(String),
}

pub const EXTRACT: Kind = Kind {
    name: "extract",
    summary: "A part of the reply (a value of its JSON, or what a pattern captures) satisfies these checks of replies.",
    aliases: &["transform", "reply_part", "output_path", "extract_json", "postprocess"],
    negative: false,
    reads: Part::Reply,
    schema: || {
        let mut properties = serde_json::Map::new();
        properties.insert("path".into(), json!({"type": "string", "description": "Where the part is in a reply that is JSON: `answer.text`, `items[0].id`."}));
        properties.insert(
            "pattern".into(),
            json!({"type": "string", "description": "What captures the part: its first group, or the whole match."}),
        );
        properties.extend(inner_kinds().map(|kind| (kind.name.to_owned(), (kind.schema)())));
        json!({"type": "object", "minProperties": 2, "additionalProperties": false, "properties": properties,
            "oneOf": [{"required": ["path"]}, {"required": ["pattern"]}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_extract(name, value, diagnostics)?)),
};

/// Kinds that can judge a part: those of the reply that ask nobody.
fn inner_kinds() -> impl Iterator<Item = &'static Kind> {
    let asks = ["helper", "judge", "similar"];
    kinds()
        .iter()
        .filter(move |kind| kind.reads == Part::Reply && kind.name != EXTRACT.name && !asks.contains(&kind.name))
}

fn parse_extract(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Extract> {
    let errors = diagnostics.errors();
    let mut fields = Fields::of(kind, value, diagnostics)?;
    let (path, pattern) = (fields.take("path"), fields.take("pattern"));
    let from = match (path, pattern) {
        (Some(path), None) => parse_path(path, diagnostics).map(From::Json),
        (None, Some(node)) => plain_text("pattern", node, diagnostics)
            .and_then(|written| compile("pattern", written, true, node, diagnostics))
            .map(From::Pattern),
        _ => {
            let error =
                diagnostics.error(&value.place, format!("`{kind}` needs `path` or `pattern`, and one of them only"));
            error
                .help
                .push("`path: answer.text` for a reply that is JSON, `pattern: 'ANSWER: (.+)'` for others".to_owned());
            None
        }
    };
    let mut checks = vec![];
    for (name, node) in fields.rest() {
        let known = kinds().iter().find(|known| Some(known.name) == name.text());
        match known {
            Some(known) if !inner_kinds().any(|inner| inner.name == known.name) => {
                let error = diagnostics.error(&name.place, format!("`{}` looks at no part of a reply", known.name));
                error.help.push(format!("put it beside `{kind}`, not into it"));
            }
            _ => checks.extend(super::parse(name, node, diagnostics)),
        }
    }
    if checks.is_empty() && diagnostics.errors() == errors {
        let error = diagnostics.error(&value.place, format!("`{kind}` asks nothing of the part"));
        error.help.push("add a check of it: `extract: {path: answer, reply_equals: \"yes\"}`".to_owned());
    }
    (diagnostics.errors() == errors).then_some(Extract { from: from?, checks })
}

impl From {
    fn shown(&self) -> String {
        match self {
            From::Json(path) => path.written().to_owned(),
            From::Pattern(regex) => format!("/{}/", shortened(regex.as_str(), 60)),
        }
    }

    fn find(&self, view: &View<'_>, reply: &str) -> Found {
        let cut = view.transcript().truncated;
        let missing = |why: String| if cut { Found::Open(why) } else { Found::Missing(why) };
        match self {
            From::Pattern(regex) => {
                let Some(captures) = regex.captures(reply) else {
                    return missing(format!("{} does not match anywhere in the reply", self.shown()));
                };
                let all = captures.get_match();
                let Some(part) = (if captures.len() > 1 { captures.get(1) } else { Some(all) }) else {
                    return missing(format!("the group of {} captured nothing", self.shown()));
                };
                Found::Here(part.as_str().to_owned(), Some(part.range()), cut && all.end() == reply.len())
            }
            From::Json(path) => {
                let value = match &view.json().value {
                    Ok(value) => value,
                    Err(error) => {
                        let error = shortened(&error.to_string(), 80);
                        return missing(format!("there is no {}: the reply is no JSON ({error})", path.written()));
                    }
                };
                match path.find_in(value) {
                    None => missing(format!("the reply is JSON, but has no {}", path.written())),
                    Some(Value::Null) => Found::Missing(format!("{} is null in the reply", path.written())),
                    Some(Value::String(text)) => Found::Here(text.clone(), None, false),
                    Some(other) => Found::Here(other.to_string(), None, false),
                }
            }
        }
    }
}

impl Extract {
    /// What one check said of the part, told of the reply.
    fn of_reply(&self, finding: Finding, at: Option<&Range<usize>>) -> Finding {
        let shift = |inner: Range<usize>| at.map(|part| part.start + inner.start..part.start + inner.end);
        Finding {
            reason: format!("in {}: {}", self.from.shown(), finding.reason),
            at: finding.at.and_then(shift),
            ..finding
        }
    }
}

impl Matcher for Extract {
    fn kind(&self) -> &'static str {
        EXTRACT.name
    }

    fn describe(&self) -> String {
        let checks = self.checks.iter().map(|check| format!("{} {}", check.kind(), check.describe()));
        format!("{}: {}", self.from.shown(), list(checks, "and"))
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let (text, at, truncated) = match self.from.find(view, reply) {
            Found::Here(text, at, cut) => (text, at, cut),
            Found::Open(why) => return Outcome::NotAssessable(format!("{why}, and {CUT}")),
            Found::Missing(reason) => {
                return Outcome::Fails(Finding { found: view.opening(), ..Finding::because(reason) });
            }
        };
        let part = Transcript { reply: Some(text), truncated, ..Transcript::default() };
        let inner = View::of(&part);
        let (mut first, mut open) = (None, None);
        for check in &self.checks {
            match check.judge_view(&inner) {
                Outcome::Fails(finding) => return Outcome::Fails(self.of_reply(finding, at.as_ref())),
                Outcome::NotAssessable(why) => drop(open.get_or_insert(why)),
                Outcome::Holds(finding) => drop(first.get_or_insert(finding)),
            }
        }
        match (open, first) {
            (None, Some(finding)) => Outcome::Holds(self.of_reply(finding, at.as_ref())),
            (open, _) => Outcome::NotAssessable(format!("in {}: {}", self.from.shown(), open.unwrap_or_default())),
        }
    }

    fn literals(&self) -> Vec<String> {
        self.checks.iter().flat_map(|check| check.literals()).collect()
    }
}
