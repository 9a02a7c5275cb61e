use std::path::Path;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::access::{Access, read_model};
use super::tools::{Tool, Tools, read_tools};
use crate::agents::reading::{MASK, timeout};
use crate::source::names_a_secret;
use crate::source::{Diagnostics, Fields, Node};

/// An agent behind an endpoint that speaks OpenAI's `/chat/completions`: a vendor's, a proxy's, or a local model server.
///
/// The instructions are the system message (with empty text where a trial wants no instructions), then comes the case's
/// `conversation`, then its input. The reply is the last message without thinking blocks.
///
/// Tool calls are always reported: an agent without tools makes none. A reply that was cut by a limit or a content filter
/// is marked as truncated.
#[derive(Clone, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatSettings {
    /// Up to and without `/chat/completions`: `https://api.example.com/v1`, `http://127.0.0.1:8091/v1`.
    #[schemars(with = "String", url)]
    pub(super) base_url: Url,
    pub(super) model: String,
    /// Sent as `Authorization: Bearer …`. Write `${NAME}`, never the key itself.
    pub(super) api_key: Option<String>,
    #[schemars(range(min = 0.0))]
    pub(super) temperature: Option<f64>,
    /// For one message. An endpoint that wants another name for it takes that from `extra`.
    #[schemars(range(min = 1))]
    pub(super) max_tokens: Option<u64>,
    /// Whether to send a seed, which differs from trial to trial. True if absent; say false where the endpoint refuses it.
    #[serde(default = "yes")]
    pub(super) seed: bool,
    /// More keys for the body of each request: `{top_p: 0.9, max_completion_tokens: 400}`.
    #[serde(default)]
    pub(super) extra: Map<String, Value>,
    /// More headers. Their values are never shown.
    #[schemars(with = "Option<std::collections::BTreeMap<String, String>>")]
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// The tools that the agent may call: a list, or the name of a file that holds one. Also read in OpenAI's wrapping
    /// (`{type: function, function: {…}}`).
    #[schemars(with = "Option<ToolList>")]
    pub(super) tools: Tools,
    /// What a call of a tool gives, by the tool's name: a template of its text, with `arguments` and `fixtures`
    /// (`{{ fixtures.orders[arguments.order_id] | tojson }}`; `lookup(fixtures.orders, arguments.order_id)` finds 4021
    /// under "4021" too), or a fixed value. A template that gives nothing means "not found".
    ///
    /// Without a template, the fixture named like the tool is given (or, for `get_order` and its like, the one named
    /// `order` or `orders`): the entry under the value of the tool's only or first required argument, where the fixture
    /// is a mapping that has it; "not found" where it is a mapping of mappings that has it not; else the fixture itself.
    #[schemars(with = "Option<std::collections::BTreeMap<String, Value>>")]
    pub(super) tool_results: Map<String, Value>,
    /// How often the endpoint is asked in one trial at most, tool results included; 8 if absent.
    #[schemars(with = "Option<u32>", range(min = 1))]
    pub(super) max_turns: u32,
    /// For one whole trial: `30`, `500ms`, `2m`, `1h`; in place of `limits.timeout`.
    #[schemars(with = "Option<String>")]
    pub(super) timeout: Option<Duration>,
}

fn yes() -> bool {
    true
}

#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes what the reader accepts")]
enum ToolList {
    /// A file's name, relative to the suite's folder.
    File(String),
    Inline(Vec<Tool>),
}

/// What is added to `base_url`.
pub(super) const PATH: &str = "/chat/completions";

/// Keys of the body that this agent sets itself.
const OWN_KEYS: [&str; 6] = ["messages", "stream", "tools", "n", "model", "stream_options"];

impl ChatSettings {
    /// The settings that `node` holds, or `None` with diagnostics. Files are looked for from `root`.
    pub fn read(node: &Node, root: &Path, diagnostics: &mut Diagnostics) -> Option<ChatSettings> {
        let errors = diagnostics.errors();
        let mut fields = Fields::of("a chat agent", node, diagnostics)?;
        let access = Access::read(&mut fields, PATH, diagnostics);
        let model = read_model(&mut fields, diagnostics);
        let temperature = fields.number("temperature", 0.0, f64::INFINITY, diagnostics);
        let max_tokens = fields.whole("max_tokens", 1, diagnostics);
        let seed = fields.boolean("seed", diagnostics).unwrap_or(true);
        let extra = fields.take("extra").map(|node| read_extra(node, diagnostics)).unwrap_or_default();
        let (tools, results) = (fields.take("tools"), fields.take("tool_results"));
        let tools = read_tools(tools, results, root, diagnostics);
        let max_turns = fields.whole("max_turns", 1, diagnostics).unwrap_or(8);
        let timeout = timeout(&mut fields, diagnostics);
        fields.finish(diagnostics);
        if diagnostics.errors() > errors {
            return None;
        }
        let Access { base_url, api_key, headers } = access?;
        Some(ChatSettings {
            base_url,
            model: model?,
            api_key,
            temperature,
            max_tokens,
            seed,
            extra,
            headers,
            tool_results: tools.results().clone(),
            tools,
            max_turns: u32::try_from(max_turns).unwrap_or(u32::MAX),
            timeout,
        })
    }

    pub(super) fn access(&self) -> Access {
        Access { base_url: self.base_url.clone(), api_key: self.api_key.clone(), headers: self.headers.clone() }
    }

    /// Everything that can change an answer, without secrets.
    pub(super) fn shown(&self) -> Value {
        let extra: Map<String, Value> = self
            .extra
            .iter()
            .map(|(key, value)| {
                (key.clone(), if value.is_string() && names_a_secret(key) { MASK.into() } else { value.clone() })
            })
            .collect();
        // The nulls keep the order: the text of all this is part of the journal's keys.
        let mut shown = json!({
            "kind": "chat",
            "base_url": null,
            "query": null,
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "extra": extra,
            "headers": null,
            "tools": self.tools.declarations(),
            "tool_results": self.tool_results,
            "max_turns": self.max_turns,
        });
        self.access().show_in(&mut shown);
        shown
    }
}

/// Never the key.
impl std::fmt::Debug for ChatSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ChatSettings({})", self.shown())
    }
}

fn read_extra(node: &Node, diagnostics: &mut Diagnostics) -> Map<String, Value> {
    let Some(pairs) = node.mapping() else {
        diagnostics.error(&node.place, format!("`extra` must be a mapping, but this is {}", node.describe()));
        return Map::new();
    };
    for (key, _) in pairs {
        if let Some(name) = key.text().filter(|name| OWN_KEYS.contains(name)) {
            diagnostics.error(&key.place, format!("`{name}` can't stand under `extra`: the agent sets it itself"));
        }
    }
    match node.to_value() {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
