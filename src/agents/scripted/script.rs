use std::collections::HashSet;
use std::time::Duration;

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::fold::fold;
use crate::agents::reading::OneOrMany;
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::{ToolCall, Usage};

/// How a scripted agent behaves. It is a stand-in for tests, demonstrations and benchmarks: no model is called.
#[derive(Debug, Clone, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The name shown as the model.
    #[serde(default = "default_model")]
    pub(super) model: String,
    /// How long every trial takes: `5ms`, `0.2`.
    #[schemars(with = "Option<String>")]
    pub(super) latency: Duration,
    /// Whether the agent obeys the canary text: `follows` (default) or `ignores`.
    #[serde(rename = "canary")]
    #[schemars(with = "Option<CanaryHabit>")]
    pub(super) canary_follows: bool,
    /// Tokens to report for every trial.
    pub(super) usage: Option<Usage>,
    /// False for an agent that does not report its tool calls: assertions on tools are then not assessable.
    #[serde(default = "yes")]
    pub(super) reports_tools: bool,
    /// The first habit whose `when` matches the input decides.
    #[serde(default)]
    pub(super) habits: Vec<Habit>,
    /// Where no habit matches.
    #[schemars(with = "Option<OneOrMany<Behaviour>>")]
    pub(super) otherwise: Vec<Behaviour>,
}

fn default_model() -> String {
    "scripted".to_owned()
}

fn yes() -> bool {
    true
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "describes two words in the schema")]
enum CanaryHabit {
    Follows,
    Ignores,
}

impl Default for Script {
    fn default() -> Self {
        Script {
            model: default_model(),
            latency: Duration::ZERO,
            canary_follows: true,
            usage: None,
            reports_tools: true,
            habits: vec![],
            otherwise: vec![Behaviour { reply: Some("I can help with that.".to_owned()), ..Behaviour::default() }],
        }
    }
}

/// What the agent does with one sort of input, with a rule in its instructions and without.
#[derive(Debug, Clone, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Habit {
    /// A text in the input (letter case and blanks don't count), or a regular expression between slashes:
    /// `/order #\d+/`, `/refund/i`. Absent: every input.
    #[schemars(with = "Option<String>")]
    when: When,
    /// A text, or several that must all stand in the instructions. Line wraps, letter case, quotation marks and emphasis
    /// don't count. Absent: `with` holds whatever stands there.
    #[schemars(with = "Option<OneOrMany<String>>")]
    pub(super) rule: Vec<String>,
    /// What it does while the rule stands there.
    #[schemars(with = "OneOrMany<Behaviour>")]
    pub(super) with: Vec<Behaviour>,
    /// What it does when the rule does not stand there. Needed where `rule` is given.
    #[schemars(with = "Option<OneOrMany<Behaviour>>")]
    pub(super) without: Option<Vec<Behaviour>>,
    /// The rule's opposite.
    pub(super) inverted: Option<String>,
    /// What it does while the opposite stands there and the rule does not; else as `without`.
    #[schemars(with = "Option<OneOrMany<Behaviour>>")]
    pub(super) opposed: Option<Vec<Behaviour>>,
    /// What it does with empty instructions; else as `without`.
    #[schemars(with = "Option<OneOrMany<Behaviour>>")]
    pub(super) bare: Option<Vec<Behaviour>>,
}

#[derive(Debug, Clone)]
enum When {
    Always,
    Text(String),
    Pattern(Regex),
}

/// One way to answer.
#[derive(Debug, Clone, Default, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Behaviour {
    /// The probability of this one in a list, from 0 to 1. One of the list may have none: it gets what is left.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(super) p: Option<f64>,
    pub(super) reply: Option<String>,
    /// Each with `name` and `arguments`, or in short as `NAME: {ARGUMENT: VALUE}`.
    #[serde(default)]
    pub(super) tool_calls: Vec<ToolCall>,
    #[serde(default)]
    pub(super) fields: Map<String, Value>,
    /// A fault in place of an answer.
    pub(super) fault: Option<ScriptedFault>,
    /// How long this takes, in place of the script's own `latency`.
    #[schemars(with = "Option<String>")]
    pub(super) latency: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScriptedFault {
    /// The agent reports an error.
    Error,
    /// No answer until the timeout.
    Hang,
    /// An answer that can't be read.
    Garbage,
    /// An answer with nothing in it.
    Empty,
}

impl Habit {
    /// `folded` is the input, folded.
    pub(super) fn matches(&self, input: &str, folded: &str) -> bool {
        match &self.when {
            When::Always => true,
            When::Text(text) => folded.contains(text.as_str()),
            When::Pattern(pattern) => pattern.is_match(input),
        }
    }
}

impl Script {
    /// The script that `node` holds, or `None` with diagnostics.
    pub fn read(node: &Node, diagnostics: &mut Diagnostics) -> Option<Script> {
        let errors = diagnostics.errors();
        let mut fields = Fields::of("a scripted agent", node, diagnostics)?;
        let mut script = Script::default();
        if let Some(model) = fields.text("model", diagnostics) {
            script.model = model;
        }
        if let Some(latency) = fields.seconds("latency", diagnostics) {
            script.latency = latency;
        }
        if let Some(node) = fields.take("canary") {
            match node.text() {
                Some("follows") => script.canary_follows = true,
                Some("ignores") => script.canary_follows = false,
                _ => {
                    diagnostics.error(&node.place, "`canary` must be `follows` or `ignores`");
                }
            }
        }
        if let Some(node) = fields.take("usage")
            && let Some(mut tokens) = Fields::of("`usage`", node, diagnostics)
        {
            script.usage = Some(Usage {
                input_tokens: tokens.whole("input_tokens", 0, diagnostics).unwrap_or_default(),
                output_tokens: tokens.whole("output_tokens", 0, diagnostics).unwrap_or_default(),
            });
            tokens.finish(diagnostics);
        }
        if let Some(reports) = fields.boolean("reports_tools", diagnostics) {
            script.reports_tools = reports;
        }
        if let Some(node) = fields.take("habits") {
            match node.sequence() {
                Some(items) => script.habits = items.iter().filter_map(|item| read_habit(item, diagnostics)).collect(),
                None => {
                    diagnostics.error(&node.place, format!("`habits` must be a list, but this is {}", node.describe()));
                }
            }
        }
        if let Some(behaviours) = read_behaviours("otherwise", &mut fields, diagnostics) {
            script.otherwise = behaviours;
        }
        fields.finish(diagnostics);
        (diagnostics.errors() == errors).then_some(script)
    }
}

fn read_habit(node: &Node, diagnostics: &mut Diagnostics) -> Option<Habit> {
    let mut fields = Fields::of("a habit", node, diagnostics)?;
    let when = match fields.take("when") {
        Some(node) => read_when(node, diagnostics),
        None => Some(When::Always),
    };
    let rule_node = fields.node().get("rule");
    let rule: Vec<String> =
        fields.texts("rule", diagnostics).unwrap_or_default().iter().map(|text| fold(text)).collect();
    if let Some(node) = rule_node
        && rule.iter().any(String::is_empty)
    {
        diagnostics.error(&node.place, "an empty rule stands in every instructions");
    }
    let with = read_behaviours("with", &mut fields, diagnostics);
    if with.is_none() && fields.node().get("with").is_none_or(Node::is_null) {
        diagnostics.error(&node.place, "a habit needs `with`");
    }
    let without = read_behaviours("without", &mut fields, diagnostics);
    if !rule.is_empty() && fields.node().get("without").is_none_or(Node::is_null) {
        diagnostics
            .error(&node.place, "a habit with a `rule` needs `without`")
            .help
            .push("`without` says what the agent does when the rule is gone".to_owned());
    }
    let inverted = fields.text("inverted", diagnostics).map(|text| fold(&text)).filter(|text| !text.is_empty());
    let opposed = read_behaviours("opposed", &mut fields, diagnostics);
    let bare = read_behaviours("bare", &mut fields, diagnostics);
    if opposed.is_some() && inverted.is_none() {
        diagnostics.error(&node.place, "`opposed` needs `inverted`, the text that it is about");
    }
    fields.finish(diagnostics);
    Some(Habit { when: when?, rule, with: with?, without, inverted, opposed, bare })
}

fn read_when(node: &Node, diagnostics: &mut Diagnostics) -> Option<When> {
    let Some(text) = node.text() else {
        diagnostics.error(&node.place, format!("`when` must be text, but this is {}", node.describe()));
        return None;
    };
    let pattern = text.strip_prefix('/').and_then(|rest| {
        let (body, flags) = rest.rsplit_once('/')?;
        matches!(flags, "" | "i").then_some((body, flags == "i"))
    });
    if let Some((body, any_case)) = pattern {
        return match RegexBuilder::new(body).case_insensitive(any_case).build() {
            Ok(regex) => Some(When::Pattern(regex)),
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
                diagnostics.error(&node.place, format!("not a regular expression: {reason}"));
                None
            }
        };
    }
    let folded = fold(text);
    if folded.is_empty() {
        diagnostics
            .error(&node.place, "an empty `when` stands in every input")
            .help
            .push("leave `when` out".to_owned());
        return None;
    }
    Some(When::Text(folded))
}

/// One behaviour or a list of them; the probabilities are checked here.
fn read_behaviours(
    key: &'static str,
    fields: &mut Fields<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Behaviour>> {
    let node = fields.take(key)?;
    let items = node.sequence().unwrap_or(std::slice::from_ref(node));
    let behaviours: Vec<Behaviour> = items.iter().filter_map(|item| read_behaviour(item, diagnostics)).collect();
    if behaviours.is_empty() {
        if items.is_empty() {
            diagnostics.error(&node.place, format!("`{key}` is an empty list"));
        }
        return None;
    }
    let sum: f64 = behaviours.iter().filter_map(|behaviour| behaviour.p).sum();
    let open = behaviours.iter().filter(|behaviour| behaviour.p.is_none()).count();
    if sum > 1.0 + 1e-9 {
        diagnostics
            .error(&node.place, format!("the probabilities of `{key}` add up to {sum:.3}, which is more than 1"));
    } else if open == 0 && sum < 1.0 - 1e-9 {
        diagnostics
            .error(&node.place, format!("the probabilities of `{key}` add up to {sum:.3}, and nothing takes the rest"))
            .help
            .push("leave `p` out of the last one: it gets what is left".to_owned());
    } else if open > 1 {
        diagnostics
            .error(&node.place, format!("{open} behaviours of `{key}` have no `p`"))
            .help
            .push("only one may have none: it gets what is left".to_owned());
    }
    Some(behaviours)
}

fn read_behaviour(node: &Node, diagnostics: &mut Diagnostics) -> Option<Behaviour> {
    let mut fields = Fields::of("a behaviour", node, diagnostics)?;
    let mut behaviour = Behaviour {
        p: fields.number("p", 0.0, 1.0, diagnostics),
        reply: fields.text("reply", diagnostics),
        latency: fields.seconds("latency", diagnostics),
        ..Behaviour::default()
    };
    if let Some(node) = fields.take("tool_calls") {
        match node.sequence() {
            Some(items) => {
                behaviour.tool_calls = items.iter().filter_map(|item| read_call(item, diagnostics)).collect();
            }
            None => {
                diagnostics.error(&node.place, format!("`tool_calls` must be a list, but this is {}", node.describe()));
            }
        }
    }
    if let Some(node) = fields.take("fields") {
        match node.to_value() {
            Value::Object(map) => behaviour.fields = map,
            _ => {
                diagnostics.error(&node.place, format!("`fields` must be a mapping, but this is {}", node.describe()));
            }
        }
    }
    if let Some(node) = fields.take("fault") {
        behaviour.fault = match node.text() {
            Some("error") => Some(ScriptedFault::Error),
            Some("hang") => Some(ScriptedFault::Hang),
            Some("garbage") => Some(ScriptedFault::Garbage),
            Some("empty") => Some(ScriptedFault::Empty),
            _ => {
                diagnostics.error(&node.place, "`fault` must be `error`, `hang`, `garbage` or `empty`");
                None
            }
        };
        if behaviour.reply.is_some() || !behaviour.tool_calls.is_empty() || !behaviour.fields.is_empty() {
            diagnostics.error(&node.place, "a `fault` stands in place of `reply`, `tool_calls` and `fields`");
        }
    }
    fields.finish(diagnostics);
    Some(behaviour)
}

/// `{name: …, arguments: …}`, or `NAME: {…}`, or the name alone.
fn read_call(node: &Node, diagnostics: &mut Diagnostics) -> Option<ToolCall> {
    let call = |name: &str, arguments: Value| ToolCall {
        name: name.to_owned(),
        arguments,
        result: Value::Null,
        error: None,
        turn: 1,
        malformed: false,
    };
    if let Some(name) = node.text() {
        return Some(call(name, Value::Object(Map::new())));
    }
    let known: HashSet<&str> = ["name", "arguments", "result", "error", "turn"].into();
    if let Some([(key, value)]) = node.mapping()
        && let Some(name) = key.text()
        && !known.contains(name)
    {
        let arguments = if value.is_null() { Value::Object(Map::new()) } else { value.to_value() };
        return Some(call(name, arguments));
    }
    let mut fields = Fields::of("a tool call", node, diagnostics)?;
    let name = fields.required("name", diagnostics).and_then(Node::text).map(str::to_owned);
    let mut made = call(name.as_deref().unwrap_or_default(), Value::Object(Map::new()));
    if let Some(node) = fields.take("arguments") {
        made.arguments = node.to_value();
        made.malformed = !made.arguments.is_object();
    }
    if let Some(node) = fields.take("result") {
        made.result = node.to_value();
    }
    made.error = fields.text("error", diagnostics);
    if let Some(turn) = fields.whole("turn", 0, diagnostics) {
        made.turn = u32::try_from(turn).unwrap_or(u32::MAX);
    }
    fields.finish(diagnostics);
    name.map(|_| made)
}
