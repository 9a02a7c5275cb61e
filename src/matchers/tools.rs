//! Which tools were called: `tool_called`, `no_tool_called`, `max_tool_calls`.

use serde_json::{Value, json};

use super::calls::{CallPattern, Likeness, calls_schema, parse_calls, without_doubles};
use super::kinds::{Kind, Part};
use super::shape::whole;
use super::view::View;
use super::{Demand, Finding, Matcher, Outcome, list};
use crate::source::{Diagnostics, Node};
use crate::transcript::ToolCall;

pub const NOT_REPORTED: &str = "this agent does not report its tool calls";
pub const CALLS_CUT: &str = "the answer was cut by a limit, so that more calls may have followed";

/// Each of these calls was made.
#[derive(Debug)]
struct Called {
    patterns: Vec<CallPattern>,
    /// That each was called, as a sentence.
    seen: String,
}

/// None of these calls was made; with no patterns, none at all.
#[derive(Debug)]
struct NotCalled {
    patterns: Vec<CallPattern>,
    /// That none was called, as a sentence.
    unseen: String,
}

/// At most so many calls, of any tool or of one.
#[derive(Debug)]
struct MaxCalls(Vec<(Option<String>, u64)>);

pub const CALLED: Kind = Kind {
    name: "tool_called",
    summary: "Each of these tools was called, with at least these arguments.",
    aliases: &["must_call", "tools_called", "expected_tool", "tool_call", "calls_tool", "expect_tool"],
    negative: false,
    reads: Part::Tools,
    schema: || calls_schema(true),
    parse: |name, value, diagnostics| {
        let patterns = parse_calls(name, value, true, diagnostics)?;
        let patterns = without_doubles(name, value, patterns, diagnostics);
        let verb = if patterns.len() == 1 { "was" } else { "were" };
        Some(Box::new(Called { seen: format!("{} {verb} called", describe(&patterns, "and")), patterns }))
    },
};

pub const NOT_CALLED: Kind = Kind {
    name: "no_tool_called",
    summary: "None of these tools was called (with these arguments); `true`: no tool at all.",
    aliases: &["forbid_call", "tool_not_called", "tools_not_called", "must_not_call", "no_tool_call"],
    negative: true,
    reads: Part::Tools,
    schema: || json!({"anyOf": [{"const": true}, calls_schema(false)]}),
    parse: |name, value, diagnostics| {
        if value.boolean() == Some(true) {
            return Some(Box::new(NotCalled::of(vec![])));
        }
        if value.boolean() == Some(false) {
            diagnostics.error(&value.place, format!("`{name}: false` says nothing")).help.push(
                "write `true` for no tool at all, or name the tools; that one must be called is `tool_called`"
                    .to_owned(),
            );
            return None;
        }
        let patterns = parse_calls(name, value, false, diagnostics)?;
        Some(Box::new(NotCalled::of(without_doubles(name, value, patterns, diagnostics))))
    },
};

pub const MAX_CALLS: Kind = Kind {
    name: "max_tool_calls",
    summary: "At most so many tool calls were made; `{name: 2}` counts those of one tool.",
    aliases: &["max_calls", "tool_calls_max", "max_steps"],
    negative: true,
    reads: Part::Tools,
    schema: || {
        json!({"anyOf": [{"type": "integer", "minimum": 0},
            {"type": "object", "minProperties": 1, "additionalProperties": {"type": "integer", "minimum": 1}}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_limits(name, value, diagnostics)?)),
};

fn parse_limits(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<MaxCalls> {
    let Some(pairs) = value.mapping() else {
        return Some(MaxCalls(vec![(None, whole(kind, 0, value, diagnostics)?)]));
    };
    if pairs.is_empty() {
        diagnostics.error(&value.place, format!("`{kind}` has an empty mapping"));
        return None;
    }
    let mut limits = vec![];
    for (name, limit) in pairs {
        let found = limit.number().and_then(|number| number.as_u64());
        match found {
            Some(0) => {
                let entry = diagnostics.error(&limit.place, "at most 0 calls of one tool");
                entry.help.push(format!("write `no_tool_called: {}`", name.text().unwrap_or_default()));
            }
            Some(most) => limits.push((name.text().map(str::to_owned), most)),
            None => {
                whole(name.text().unwrap_or(kind), 1, limit, diagnostics);
            }
        }
    }
    (limits.len() == pairs.len()).then_some(MaxCalls(limits))
}

fn describe(patterns: &[CallPattern], last: &str) -> String {
    list(patterns.iter().map(CallPattern::describe), last)
}

fn called(count: usize) -> String {
    match count {
        0 => "not called".to_owned(),
        1 => "called once".to_owned(),
        2 => "called twice".to_owned(),
        many => format!("called {many} times"),
    }
}

/// What speaks for and against one pattern.
#[derive(Default)]
struct Tally {
    matching: usize,
    /// The place of the first that matches.
    first: Option<usize>,
    /// The nearest miss, as a clause.
    miss: Option<String>,
    lenient: bool,
    malformed: Option<String>,
}

fn tally(pattern: &CallPattern, calls: &[ToolCall]) -> Tally {
    let mut tally = Tally::default();
    for (at, call) in calls.iter().enumerate() {
        match pattern.likeness(call) {
            Likeness::Same => {
                tally.matching += 1;
                tally.first.get_or_insert(at);
            }
            Likeness::OtherTool => {}
            Likeness::OtherArguments { difference, lenient } => {
                // A call that only its types keep apart is the miss to show.
                if tally.miss.is_none() || (lenient && !tally.lenient) {
                    tally.miss = Some(difference);
                }
                tally.lenient |= lenient;
            }
            Likeness::Malformed { raw } => {
                tally.malformed.get_or_insert(raw);
            }
        }
    }
    tally
}

impl Tally {
    fn note(&self) -> Option<String> {
        self.lenient.then(|| {
            let miss = self.miss.as_deref().unwrap_or_default();
            format!("the arguments would have matched under `lenient_types: true` ({miss})")
        })
    }

    fn why_not(&self, pattern: &CallPattern) -> String {
        let (name, whole) = (&pattern.name, pattern.describe());
        match (&self.miss, &self.malformed) {
            (Some(miss), _) => format!("{name} was called, but not as {whole}: {miss}"),
            (None, Some(raw)) => format!("{name} was called with arguments that are no JSON object: {raw}"),
            (None, None) => format!("{name} was not called"),
        }
    }
}

/// That the reply is a tool call in writing: one that was never made, or that came in a shape that nobody read.
fn written_call(view: &View<'_>) -> Option<String> {
    let reply = view.transcript().reply.as_deref().unwrap_or_default().trim();
    let is_call = |value: &Value| {
        let named = |key: &str| value.get(key).is_some();
        let kind = value.get("type").and_then(Value::as_str);
        matches!(kind, Some("function_call" | "tool_call" | "tool_use" | "function"))
            || named("tool_calls")
            || named("function_call")
            || named("name") && ["arguments", "input", "parameters"].into_iter().any(named)
    };
    let found = if reply.starts_with(['{', '[']) {
        view.value().is_some_and(|value| is_call(value.get(0).unwrap_or(value)))
    } else {
        reply.starts_with("<tool_call>") || reply.starts_with("<function_call>")
    };
    found.then(|| "the reply looks like a tool call: it was never made, or its shape is not known".to_owned())
}

impl Matcher for Called {
    fn kind(&self) -> &'static str {
        CALLED.name
    }

    fn describe(&self) -> String {
        let one = |pattern: &CallPattern| match pattern.times {
            None => pattern.describe(),
            Some(times) => format!("{} {times}×", pattern.describe()),
        };
        list(self.patterns.iter().map(one), "and")
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(calls) = &transcript.tool_calls else { return Outcome::NotAssessable(NOT_REPORTED.to_owned()) };
        let mut open = None;
        let mut first = None;
        for pattern in &self.patterns {
            let tally = tally(pattern, calls);
            first = first.or(tally.first);
            let count = tally.matching as u64;
            let enough = pattern.times.map_or(count >= 1, |times| count == times);
            let too_many = pattern.times.is_some_and(|times| count > times);
            if enough && !(transcript.truncated && pattern.times.is_some()) {
                continue;
            }
            if transcript.truncated && !too_many {
                open.get_or_insert_with(|| format!("{} was {} so far", pattern.describe(), called(tally.matching)));
                continue;
            }
            let reason = view.told(|| match pattern.times {
                Some(times) if count > 0 => {
                    format!("{} was {}, not {times}×", pattern.describe(), called(tally.matching))
                }
                _ => tally.why_not(pattern),
            });
            let note = view.shown(|| tally.note().or_else(|| written_call(view)));
            return Outcome::Fails(Finding { reason, found: view.all_made(), at: None, note });
        }
        if let Some(open) = open {
            return Outcome::NotAssessable(format!("{open}, and {CALLS_CUT}"));
        }
        let found = view.shown(|| first.map(|at| view.made(at).to_owned()));
        Outcome::Holds(Finding { found, ..Finding::because(view.told(|| self.seen.clone())) })
    }

    fn literals(&self) -> Vec<String> {
        self.patterns.iter().flat_map(CallPattern::literals).collect()
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Calls(self.patterns.clone())]
    }
}

impl Matcher for NotCalled {
    fn kind(&self) -> &'static str {
        NOT_CALLED.name
    }

    fn describe(&self) -> String {
        if self.patterns.is_empty() { "no tool at all".to_owned() } else { describe(&self.patterns, "or") }
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(calls) = &transcript.tool_calls else { return Outcome::NotAssessable(NOT_REPORTED.to_owned()) };
        let fails = |at: usize| {
            let reason = view.told(|| format!("{} was called", calls[at].name));
            let found = view.shown(|| Some(view.made(at).to_owned()));
            Outcome::Fails(Finding { found, ..Finding::because(reason) })
        };
        if self.patterns.is_empty() && !calls.is_empty() {
            return fails(0);
        }
        let tallies: Vec<Tally> = self.patterns.iter().map(|pattern| tally(pattern, calls)).collect();
        if let Some(at) = tallies.iter().find_map(|tally| tally.first) {
            return fails(at);
        }
        if transcript.truncated {
            return Outcome::NotAssessable(format!("{} so far, and {CALLS_CUT}", self.unseen));
        }
        // Broken arguments say neither that it was the forbidden call nor that it wasn't.
        if let Some((pattern, raw)) =
            self.patterns.iter().zip(&tallies).find_map(|(pattern, tally)| Some((pattern, tally.malformed.as_ref()?)))
        {
            return Outcome::NotAssessable(format!(
                "{} was called with arguments that are no JSON object: {raw}",
                pattern.name
            ));
        }
        let note = view.shown(|| tallies.iter().find_map(Tally::note).or_else(|| written_call(view)));
        Outcome::Holds(Finding { note, ..Finding::because(view.told(|| self.unseen.clone())) })
    }

    fn literals(&self) -> Vec<String> {
        self.patterns.iter().flat_map(CallPattern::literals).collect()
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::NoCalls(self.patterns.clone())]
    }
}

impl NotCalled {
    fn of(patterns: Vec<CallPattern>) -> NotCalled {
        let unseen = match patterns.as_slice() {
            [] => "no tool was called".to_owned(),
            [one] => format!("{} was not called", one.describe()),
            several => format!("none of {} was called", describe(several, "and")),
        };
        NotCalled { patterns, unseen }
    }
}

impl Matcher for MaxCalls {
    fn kind(&self) -> &'static str {
        MAX_CALLS.name
    }

    fn describe(&self) -> String {
        let one = |(name, most): &(Option<String>, u64)| match name {
            None => format!("at most {most} calls"),
            Some(name) => format!("at most {most} calls of {name}"),
        };
        list(self.0.iter().map(one), "and")
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(calls) = &transcript.tool_calls else { return Outcome::NotAssessable(NOT_REPORTED.to_owned()) };
        let mut seen = vec![];
        for (name, most) in &self.0 {
            let count = calls.iter().filter(|call| name.as_ref().is_none_or(|name| call.name == *name)).count();
            let what = name.as_deref().unwrap_or("tools");
            let verb = if name.is_some() { "was" } else { "were" };
            let reason = format!("{what} {verb} {}; the most is {most}", called(count));
            if count as u64 > *most {
                return Outcome::Fails(Finding { found: view.all_made(), ..Finding::because(reason) });
            }
            seen.push(reason);
        }
        let reason = list(seen.into_iter(), "and");
        if transcript.truncated {
            return Outcome::NotAssessable(format!("{reason}; {CALLS_CUT}"));
        }
        Outcome::Holds(Finding::because(reason))
    }

    fn literals(&self) -> Vec<String> {
        self.0.iter().filter_map(|(name, _)| name.clone()).collect()
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::MostCalls(self.0.clone())]
    }
}
