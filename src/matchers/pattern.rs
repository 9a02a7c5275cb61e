//! Regular expressions on the reply as it was written: `reply_matches`, `reply_does_not_match`.
//!
//! The syntax is that of the `regex` crate: matching takes time linear in the reply, whatever the pattern; there is no
//! lookaround and no backreference. Nothing is folded, so that `(?i)` or `case_sensitive: false` is up to the author. `^` and
//! `$` are the ends of the reply unless the pattern says `(?m)`; lines then end in `\n` or `\r\n`, and `.` matches neither.

use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};

use super::edges::WRAPPED;
use super::kinds::{Kind, Part};
use super::lint;
use super::needle::plain_text;
use super::view::View;
use super::{CUT, Demand, Finding, Matcher, NO_REPLY, Outcome, excerpt, shortened, some};
use crate::source::{Diagnostics, Fields, Node};

/// One pattern, compiled when the suite is loaded.
#[derive(Debug)]
struct Pattern {
    regex: Regex,
    case_sensitive: bool,
    /// It can look at what follows a match (`$`, `\b`, `\z`), so that in a cut reply a match at the very end is
    /// not settled.
    looks_on: bool,
}

/// Every pattern must match somewhere in the reply.
#[derive(Debug)]
struct Matches {
    patterns: Vec<Pattern>,
    /// `/a/, /b/ and /c/`.
    described: String,
    /// That all match, as a sentence.
    matched: String,
}

/// No pattern may match anywhere in the reply.
#[derive(Debug)]
struct DoesNotMatch {
    patterns: Vec<Pattern>,
    /// `/a/, /b/ or /c/`.
    described: String,
    /// That none matches, as a sentence.
    unmatched: String,
}

pub const MATCHES: Kind = Kind {
    name: "reply_matches",
    summary: "Every one of these regular expressions matches somewhere in the reply.",
    aliases: &["matches", "regex", "reply_regex", "expect_regex", "expect_matches"],
    negative: false,
    reads: Part::Reply,
    schema: patterns_schema,
    parse: |name, value, diagnostics| {
        let patterns = parse_patterns(name, value, diagnostics)?;
        let described = describe(&patterns, "and");
        Some(Box::new(Matches { matched: format!("the reply matches {described}"), described, patterns }))
    },
};

pub const DOES_NOT_MATCH: Kind = Kind {
    name: "reply_does_not_match",
    summary: "None of these regular expressions matches anywhere in the reply.",
    aliases: &["not_regex", "reply_not_matches", "expect_not_regex", "does_not_match"],
    negative: true,
    reads: Part::Reply,
    schema: patterns_schema,
    parse: |name, value, diagnostics| {
        let patterns = parse_patterns(name, value, diagnostics)?;
        let described = describe(&patterns, "or");
        Some(Box::new(DoesNotMatch { unmatched: format!("the reply does not match {described}"), described, patterns }))
    },
};

fn patterns_schema() -> Value {
    let text = json!({"type": ["string", "number"], "description": "A regular expression without lookaround and backreferences."});
    let options = json!({
        "case_sensitive": {"type": "boolean", "default": true, "description": "Tell upper from lower case."},
        "allow_empty": {"type": "boolean", "default": false, "description": "Let the pattern match the empty text."}
    });
    let mapping = |pattern: Value| {
        json!({"type": "object", "required": ["pattern"], "additionalProperties": false, "properties": {
            "pattern": pattern, "case_sensitive": options["case_sensitive"], "allow_empty": options["allow_empty"]}})
    };
    let items = json!({"type": "array", "minItems": 1, "items": {"anyOf": [text, mapping(text.clone())]}});
    json!({"anyOf": [text, items, mapping(json!({"anyOf": [text, items]}))]})
}

#[derive(Clone, Copy)]
struct Options {
    case_sensitive: bool,
    allow_empty: bool,
}

fn parse_patterns(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Vec<Pattern>> {
    let errors = diagnostics.errors();
    let mut patterns: Vec<Pattern> = vec![];
    collect(kind, value, Options { case_sensitive: true, allow_empty: false }, &mut patterns, diagnostics);
    (diagnostics.errors() == errors).then_some(patterns)
}

fn collect(
    kind: &'static str,
    value: &Node,
    options: Options,
    patterns: &mut Vec<Pattern>,
    diagnostics: &mut Diagnostics,
) {
    if let Some(items) = value.sequence() {
        if items.is_empty() {
            diagnostics
                .error(&value.place, format!("`{kind}` has an empty list"))
                .help
                .push("an empty list checks nothing: write a pattern, or remove the line".to_owned());
        }
        for item in items {
            if item.sequence().is_some() {
                diagnostics
                    .error(&item.place, format!("`{kind}` wants a list of patterns, but this is a list in a list"));
            } else {
                collect(kind, item, options, patterns, diagnostics);
            }
        }
        return;
    }
    if value.mapping().is_some() {
        let Some(mut fields) = Fields::of(kind, value, diagnostics) else { return };
        let options = Options {
            case_sensitive: fields.boolean("case_sensitive", diagnostics).unwrap_or(options.case_sensitive),
            allow_empty: fields.boolean("allow_empty", diagnostics).unwrap_or(options.allow_empty),
        };
        match fields.required("pattern", diagnostics) {
            Some(pattern) if pattern.mapping().is_some() => {
                diagnostics.error(&pattern.place, "`pattern` must be text or a list of texts, but this is a mapping");
            }
            Some(pattern) => collect(kind, pattern, options, patterns, diagnostics),
            None => {}
        }
        fields.finish(diagnostics);
        return;
    }
    let Some(written) = plain_text(kind, value, diagnostics) else { return };
    let Some(regex) = compile(kind, written, options.case_sensitive, value, diagnostics) else { return };
    if !options.allow_empty && regex.is_match("") {
        let entry = diagnostics.error(&value.place, format!("`{written}` matches the empty text"));
        entry.help.push(if kind == MATCHES.name {
            "it would hold on an agent that says nothing; ask for something that must be there".to_owned()
        } else {
            "a pattern that can match nothing is found in every reply, so that this could never hold".to_owned()
        });
        entry.help.push("if that is meant, write a mapping with `pattern: …` and `allow_empty: true`".to_owned());
        return;
    }
    lint::alternation(written, value, diagnostics);
    let same = |known: &Pattern| known.regex.as_str() == written && known.case_sensitive == options.case_sensitive;
    if patterns.iter().any(same) {
        diagnostics
            .warning(&value.place, format!("`{written}` stands in this list twice"))
            .help
            .push("keep one of the two".to_owned());
        return;
    }
    let looks_on =
        written.contains('$') || [r"\b", r"\B", r"\z", r"\<", r"\>"].iter().any(|mark| written.contains(mark));
    patterns.push(Pattern { regex, case_sensitive: options.case_sensitive, looks_on });
}

/// The compiled pattern, or `None` with a diagnostic that says what the compiler said.
pub fn compile(
    kind: &str,
    written: &str,
    case_sensitive: bool,
    value: &Node,
    diagnostics: &mut Diagnostics,
) -> Option<Regex> {
    if written.is_empty() {
        diagnostics
            .error(&value.place, format!("`{kind}` has an empty pattern"))
            .help
            .push("the empty pattern matches everything, so that this could never tell anything".to_owned());
        return None;
    }
    let error = match RegexBuilder::new(written).case_insensitive(!case_sensitive).crlf(true).build() {
        Ok(regex) => return Some(regex),
        Err(error) => error.to_string(),
    };
    // The compiler draws the pattern with a caret; its last line is the message.
    let message = error.lines().last().unwrap_or(&error).trim();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let entry = diagnostics.error(&value.place, format!("`{written}` is no valid regular expression: {message}"));
    if message.contains("look-around") || message.contains("lookahead") {
        entry.help.push(
            "lookaround isn't supported, so that matching stays linear in time; put what must be absent into \
             `reply_does_not_match`, and what must be there into `reply_matches`"
                .to_owned(),
        );
    } else if message.contains("backreference") {
        entry.help.push("backreferences aren't supported, so that matching stays linear in time".to_owned());
    } else {
        entry
            .help
            .push("a literal `. * + ? ( ) [ ] { } | ^ $ \\` needs a backslash; in YAML use single quotes".to_owned());
    }
    None
}

impl Pattern {
    /// The first match that nothing unseen can undo.
    fn find(&self, reply: &str, cut: bool) -> Option<std::ops::Range<usize>> {
        // Where the first match ends with the reply, there is none behind it.
        let found = self.regex.find(reply)?;
        (!cut || !self.looks_on || found.end() < reply.len()).then(|| found.range())
    }

    /// True where it would match under `(?m)`.
    fn matches_a_line(&self, reply: &str) -> bool {
        let lines = RegexBuilder::new(self.regex.as_str())
            .case_insensitive(!self.case_sensitive)
            .multi_line(true)
            .crlf(true)
            .build();
        lines.is_ok_and(|lines| lines.is_match(reply))
    }

    fn shown(&self) -> String {
        format!("/{}/", shortened(self.regex.as_str(), 80))
    }
}

fn describe(patterns: &[Pattern], last: &str) -> String {
    some(patterns.iter().map(Pattern::shown), last)
}

fn located(view: &View<'_>, reply: &str, at: std::ops::Range<usize>, reason: impl FnOnce() -> String) -> Finding {
    let found = view.shown(|| Some(excerpt(reply, &at)));
    Finding { reason: view.told(reason), found, at: Some(at), note: None }
}

impl Matcher for Matches {
    fn kind(&self) -> &'static str {
        MATCHES.name
    }

    fn describe(&self) -> String {
        self.described.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(reply) = &transcript.reply else { return Outcome::Fails(Finding::because(NO_REPLY)) };
        let mut first = None;
        let mut missing = vec![];
        for pattern in &self.patterns {
            match pattern.find(reply, transcript.truncated) {
                Some(at) => first = first.or(Some(at)),
                None => missing.push(pattern),
            }
        }
        if let (true, Some(at)) = (missing.is_empty(), first) {
            return Outcome::Holds(located(view, reply, at, || self.matched.clone()));
        }
        let verb = if missing.len() == 1 { "does" } else { "do" };
        let note = view.shown(|| near_miss(&missing, view, reply));
        let missing = view.told(|| some(missing.into_iter().map(Pattern::shown), "and"));
        if transcript.truncated {
            return Outcome::NotAssessable(format!("{missing} {verb} not match what is left of the reply, and {CUT}"));
        }
        let reason = format!("{missing} {verb} not match anywhere in the reply");
        Outcome::Fails(Finding { found: view.opening(), note, ..Finding::because(reason) })
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    /// Only where `allow_empty` lets every pattern match nothing.
    fn is_negative(&self) -> bool {
        self.patterns.iter().all(|pattern| pattern.regex.is_match(""))
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Matches(self.patterns.iter().map(|pattern| pattern.regex.clone()).collect())]
    }
}

/// Why a pattern may not match though its author would say that it does.
fn near_miss(missing: &[&Pattern], view: &View<'_>, reply: &str) -> Option<String> {
    if view.is_json_object() {
        return Some(WRAPPED.to_owned());
    }
    let anchored = |pattern: &&Pattern| {
        let written = pattern.regex.as_str();
        (written.contains('^') || written.contains('$')) && !written.contains("(?m") && pattern.matches_a_line(reply)
    };
    (reply.contains('\n') && missing.iter().any(anchored)).then(|| {
        "a line of the reply matches; `^` and `$` are the ends of the whole reply, with `(?m)` before them those of a line"
            .to_owned()
    })
}

impl Matcher for DoesNotMatch {
    fn kind(&self) -> &'static str {
        DOES_NOT_MATCH.name
    }

    fn describe(&self) -> String {
        self.described.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(reply) = &transcript.reply else { return Outcome::Holds(Finding::because(NO_REPLY)) };
        for pattern in &self.patterns {
            if let Some(at) = pattern.find(reply, transcript.truncated) {
                return Outcome::Fails(located(view, reply, at, || format!("the reply matches {}", pattern.shown())));
            }
        }
        if transcript.truncated {
            let patterns = &self.described;
            return Outcome::NotAssessable(format!("{patterns} does not match the reply so far, and {CUT}"));
        }
        Outcome::Holds(Finding::because(view.told(|| self.unmatched.clone())))
    }

    fn literals(&self) -> Vec<String> {
        vec![]
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Unmatched(self.patterns.iter().map(|pattern| pattern.regex.clone()).collect())]
    }
}
