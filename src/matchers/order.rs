//! Calls as a whole: in which order (`tool_order`), and which and no others (`tools_called_exactly`).

use serde_json::json;

use super::calls::{CallPattern, calls_schema, made, one, parse_calls};
use super::kinds::{Kind, Part};
use super::tools::{CALLS_CUT, NOT_REPORTED};
use super::view::View;
use super::{Demand, Finding, Matcher, Outcome, list};
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::ToolCall;

/// Steps that follow each other; the calls within a step may come in any order. Other calls may stand between.
///
/// A step is done when each of its calls was made after the step before. A tool that stands in one step only must
/// also not be called before its turn: `[search, book]` is broken by `book, search, book`. Calls of one turn were made
/// in parallel, so that neither came after the other, unless `same_turn` allows it.
#[derive(Debug)]
struct Order {
    steps: Vec<Vec<CallPattern>>,
    same_turn: bool,
    /// `a → b and c`.
    described: String,
    /// That they were, as a sentence.
    kept: String,
}

/// These calls and no others, as often as they stand here, in any order.
#[derive(Debug)]
struct Exactly {
    patterns: Vec<CallPattern>,
    /// Each may be made more than once.
    repeats: bool,
}

pub const ORDER: Kind = Kind {
    name: "tool_order",
    summary: "These tools were called in this order; others may come between, and a list in the list has no order of its own.",
    aliases: &["tool_sequence", "tools_in_order", "call_order", "tool_trajectory", "trajectory"],
    negative: false,
    reads: Part::Tools,
    schema: || {
        let steps = json!({"type": "array", "minItems": 1, "items": calls_schema(false)});
        json!({"anyOf": [steps, {"type": "object", "required": ["steps"], "additionalProperties": false, "properties": {
            "steps": steps,
            "same_turn": {"type": "boolean", "default": false, "description": "Parallel calls of one turn may follow each other."}}}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_order(name, value, diagnostics)?)),
};

pub const EXACTLY: Kind = Kind {
    name: "tools_called_exactly",
    summary: "These calls were made, as often as they stand here, and no others.",
    aliases: &["tools_exactly", "exact_tools", "tools_called_only", "only_tools"],
    negative: false,
    reads: Part::Tools,
    schema: || {
        json!({"anyOf": [calls_schema(false), {"type": "object", "required": ["calls"], "additionalProperties": false,
            "properties": {"calls": calls_schema(false),
                "repeats": {"type": "boolean", "default": false, "description": "Each may be made more than once."}}}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_exactly(name, value, diagnostics)?)),
};

fn parse_order(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Order> {
    let errors = diagnostics.errors();
    let (node, same_turn) = match value.mapping() {
        None => (Some(value), false),
        Some(_) => {
            let mut fields = Fields::of(kind, value, diagnostics)?;
            let same_turn = fields.boolean("same_turn", diagnostics).unwrap_or(false);
            let steps = fields.required("steps", diagnostics);
            fields.finish(diagnostics);
            (steps, same_turn)
        }
    };
    let node = node?;
    let Some(items) = node.sequence() else {
        diagnostics
            .error(&node.place, format!("`{kind}` wants a list of tools, but this is {}", node.describe()))
            .help
            .push("write the tools in their order: `[get_order, create_refund]`".to_owned());
        return None;
    };
    let mut steps = vec![];
    for item in items {
        let mut step = vec![];
        match item.sequence() {
            Some([]) => {
                diagnostics.error(&item.place, format!("`{kind}` has an empty step"));
            }
            Some(group) => group.iter().for_each(|call| one(kind, call, false, &mut step, diagnostics)),
            None => one(kind, item, false, &mut step, diagnostics),
        }
        steps.push(step);
    }
    if diagnostics.errors() == errors && steps.len() < 2 {
        diagnostics
            .error(&node.place, format!("`{kind}` needs at least two steps to have an order"))
            .help
            .push("that a tool was called at all is `tool_called`".to_owned());
    }
    let described = steps.iter().map(|step| step_name(step)).collect::<Vec<String>>().join(" → ");
    let kept = format!("the calls were made in the order {described}");
    (diagnostics.errors() == errors).then_some(Order { steps, same_turn, described, kept })
}

fn parse_exactly(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<Exactly> {
    if value.get("calls").is_none_or(|calls| calls.mapping().is_some()) {
        return Some(Exactly { patterns: parse_calls(kind, value, false, diagnostics)?, repeats: false });
    }
    let errors = diagnostics.errors();
    let mut fields = Fields::of(kind, value, diagnostics)?;
    let repeats = fields.boolean("repeats", diagnostics).unwrap_or(false);
    let calls = fields.required("calls", diagnostics);
    fields.finish(diagnostics);
    let patterns = parse_calls(kind, calls?, false, diagnostics)?;
    (diagnostics.errors() == errors).then_some(Exactly { patterns, repeats })
}

/// Pairs every row with a column of its own where `fits` says that they may be paired, for as many rows as can be.
/// The column of each row (augmenting paths).
fn pair(rows: usize, columns: usize, fits: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    fn place(row: usize, fits: &dyn Fn(usize, usize) -> bool, seen: &mut [bool], row_of: &mut [Option<usize>]) -> bool {
        // A column that is free first: displacing others is what costs.
        if let Some(free) = (0..row_of.len()).find(|column| row_of[*column].is_none() && fits(row, *column)) {
            row_of[free] = Some(row);
            return true;
        }
        for column in 0..row_of.len() {
            if seen[column] || !fits(row, column) {
                continue;
            }
            seen[column] = true;
            if row_of[column].is_none_or(|other| place(other, fits, seen, row_of)) {
                row_of[column] = Some(row);
                return true;
            }
        }
        false
    }
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    for row in 0..rows {
        place(row, &fits, &mut vec![false; columns], &mut row_of);
    }
    let mut paired = vec![None; rows];
    for (column, row) in row_of.into_iter().enumerate() {
        if let Some(row) = row {
            paired[row] = Some(column);
        }
    }
    paired
}

fn step_name(step: &[CallPattern]) -> String {
    list(step.iter().map(CallPattern::describe), "and")
}

/// Where an order broke.
enum Broken {
    /// The transcript holds no call for this; more calls could mend it.
    Missing(String),
    /// A call stands where it must not.
    Violated(String),
}

impl Order {
    /// True where `call` came after all of `earlier`.
    fn after(&self, call: usize, earlier: &[usize], calls: &[ToolCall]) -> bool {
        earlier.iter().all(|before| {
            call > *before && (self.same_turn || calls[call].turn == 0 || calls[*before].turn != calls[call].turn)
        })
    }

    fn follow(&self, calls: &[ToolCall]) -> Result<Vec<usize>, Broken> {
        let mut done: Vec<usize> = vec![];
        let mut all = vec![];
        for (index, step) in self.steps.iter().enumerate() {
            let fits = |row: usize, at: usize| step[row].matches(&calls[at]) && self.after(at, &done, calls);
            let previous = index.checked_sub(1).map(|before| &self.steps[before]);
            for pattern in step {
                let elsewhere = self.steps.iter().flatten().filter(|other| other.name == pattern.name).count() > 1;
                let early =
                    calls.iter().enumerate().find(|(at, call)| pattern.matches(call) && !self.after(*at, &done, calls));
                if let (false, Some((at, call)), Some(previous)) = (elsewhere, early, previous) {
                    let same = calls[at].turn != 0 && done.iter().any(|before| calls[*before].turn == calls[at].turn);
                    let when = if same { "in the same turn as" } else { "before" };
                    let previous = step_name(previous);
                    return Err(Broken::Violated(format!("{} was called {when} {previous}", made(call))));
                }
            }
            let paired = earliest(step.len(), calls.len(), fits);
            if let Some(row) = paired.iter().position(Option::is_none) {
                let name = step[row].describe();
                return Err(match previous {
                    // Nothing that it would have to follow was made, yet a later step's call stands there.
                    None => match self.too_early(calls) {
                        Some(call) => Broken::Violated(format!("{} was called without {name} before it", made(call))),
                        None => Broken::Missing(format!("{name} was not called")),
                    },
                    Some(previous) => Broken::Missing(format!("{name} was not called after {}", step_name(previous))),
                });
            }
            done = paired.into_iter().flatten().collect();
            all.extend(done.iter().copied());
        }
        Ok(all)
    }

    /// The first call that belongs to a later step only.
    fn too_early<'t>(&self, calls: &'t [ToolCall]) -> Option<&'t ToolCall> {
        let later = |call: &&ToolCall| {
            self.steps[1..].iter().flatten().any(|pattern| pattern.matches(call))
                && !self.steps[0].iter().any(|pattern| pattern.name == call.name)
        };
        calls.iter().find(later)
    }
}

/// [`pair`], with the shortest beginning of the columns that pairs every row.
fn earliest(rows: usize, columns: usize, fits: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    // Nearly all steps are one call.
    if rows == 1 {
        return vec![(0..columns).find(|column| fits(0, *column))];
    }
    let complete = |columns: usize| {
        let paired = pair(rows, columns, &fits);
        paired.iter().all(Option::is_some).then_some(paired)
    };
    if complete(columns).is_none() {
        return pair(rows, columns, &fits);
    }
    let (mut low, mut high) = (0, columns);
    while low < high {
        let middle = (low + high) / 2;
        if complete(middle).is_some() { high = middle } else { low = middle + 1 }
    }
    pair(rows, low, &fits)
}

impl Matcher for Order {
    fn kind(&self) -> &'static str {
        ORDER.name
    }

    fn describe(&self) -> String {
        self.described.clone()
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(calls) = &transcript.tool_calls else { return Outcome::NotAssessable(NOT_REPORTED.to_owned()) };
        match self.follow(calls) {
            Ok(order) => {
                let found = view.shown(|| {
                    let calls: Vec<&str> = order.into_iter().map(|at| view.made(at)).collect();
                    Some(super::shortened(&calls.join(" → "), 160))
                });
                Outcome::Holds(Finding { found, ..Finding::because(view.told(|| self.kept.clone())) })
            }
            Err(Broken::Missing(what)) if transcript.truncated => {
                Outcome::NotAssessable(format!("{what} so far, and {CALLS_CUT}"))
            }
            Err(Broken::Missing(reason) | Broken::Violated(reason)) => {
                Outcome::Fails(Finding { found: view.all_made(), ..Finding::because(reason) })
            }
        }
    }

    fn literals(&self) -> Vec<String> {
        self.steps.iter().flatten().flat_map(CallPattern::literals).collect()
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Order(self.steps.clone())]
    }
}

impl Matcher for Exactly {
    fn kind(&self) -> &'static str {
        EXACTLY.name
    }

    fn describe(&self) -> String {
        format!("{} and no other", step_name(&self.patterns))
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let Some(calls) = &transcript.tool_calls else { return Outcome::NotAssessable(NOT_REPORTED.to_owned()) };
        let fits = |row: usize, column: usize| self.patterns[row].matches(&calls[column]);
        let paired = pair(self.patterns.len(), calls.len(), fits);
        let extra = (0..calls.len()).find(|column| {
            let again = self.repeats && (0..self.patterns.len()).any(|row| fits(row, *column));
            !again && !paired.contains(&Some(*column))
        });
        let fails = |reason: String| Outcome::Fails(Finding { found: view.all_made(), ..Finding::because(reason) });
        let missing = paired.iter().position(Option::is_none).map(|row| self.patterns[row].describe());
        match (missing, extra) {
            (_, Some(extra)) if transcript.truncated => fails(format!("{} was called too", made(&calls[extra]))),
            _ if transcript.truncated => Outcome::NotAssessable(format!("these may not be all calls: {CALLS_CUT}")),
            (Some(missing), Some(extra)) => fails(format!("{missing} was not called, and {} was", made(&calls[extra]))),
            (Some(missing), None) => fails(format!("{missing} was not called")),
            (None, Some(extra)) => fails(format!("{} was called too", made(&calls[extra]))),
            (None, None) => {
                let reason = format!("{} was called and no other", step_name(&self.patterns));
                Outcome::Holds(Finding { found: view.all_made(), ..Finding::because(reason) })
            }
        }
    }

    fn literals(&self) -> Vec<String> {
        self.patterns.iter().flat_map(CallPattern::literals).collect()
    }

    fn demands(&self) -> Vec<Demand> {
        vec![Demand::Exactly { calls: self.patterns.clone(), repeats: self.repeats }]
    }
}
