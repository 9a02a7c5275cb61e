use std::path::Path;
use std::sync::Arc;

use minijinja::value::{Serde, ValueKind};
use minijinja::{Environment, UndefinedBehavior};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::agents::reading::yaml_file;
use crate::agents::{AskError, Fault, Retry};
use crate::source::{Diagnostics, Fields, Node, nearest_name};
use crate::transcript::ToolCall;

/// A tool that the agent may call.
#[derive(Debug, Clone, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    name: String,
    description: Option<String>,
    /// A JSON Schema of the arguments; if absent, the tool takes none.
    #[schemars(with = "Option<Map<String, Value>>")]
    parameters: Value,
    /// Whether the endpoint should hold the model to the schema.
    strict: Option<bool>,
}

/// The tools of one agent, and what their calls give.
#[derive(Clone, Default)]
pub(super) struct Tools {
    tools: Vec<Tool>,
    /// Templates and fixed values as they were written, by the tool's name.
    results: Map<String, Value>,
    /// The templates, under the tools' names.
    templates: Arc<Environment<'static>>,
}

const NOT_FOUND: &str = "not found";

impl Tools {
    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// As the endpoint wants them.
    pub(super) fn declarations(&self) -> Value {
        let declare = |tool: &Tool| {
            let mut function = json!({ "name": tool.name });
            if let Some(description) = &tool.description {
                function["description"] = description.as_str().into();
            }
            function["parameters"] = tool.parameters.clone();
            if let Some(strict) = tool.strict {
                function["strict"] = strict.into();
            }
            json!({ "type": "function", "function": function })
        };
        self.tools.iter().map(declare).collect()
    }

    pub(super) fn results(&self) -> &Map<String, Value> {
        &self.results
    }

    /// The text that answers a call; the call's `result` or `error` is set to match. An error is a mistake in the
    /// suite's own template, never the agent's.
    pub(super) fn answer(&self, call: &mut ToolCall, fixtures: &Value) -> Result<String, AskError> {
        let refused = |call: &mut ToolCall, reason: String| {
            let text = json!({ "error": reason }).to_string();
            call.error = Some(reason);
            Ok(text)
        };
        let Some(tool) = self.tools.iter().find(|tool| tool.name == call.name) else {
            let reason = format!("there is no tool `{}`", call.name);
            return refused(call, reason);
        };
        if call.malformed {
            return refused(call, "the arguments are not a JSON object; call again with valid JSON".to_owned());
        }
        let result = match self.results.get(&tool.name) {
            Some(Value::String(_)) => self.render(&tool.name, &call.arguments, fixtures)?,
            Some(fixed) => fixed.clone(),
            None => tool.fixture(&call.arguments, fixtures),
        };
        let text = match &result {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        call.result = result;
        Ok(text)
    }

    fn render(&self, name: &str, arguments: &Value, fixtures: &Value) -> Result<Value, AskError> {
        let context = minijinja::context! {
            arguments => minijinja::Value::from(Serde(arguments)),
            fixtures => minijinja::Value::from(Serde(fixtures)),
        };
        let rendered = self.templates.get_template(name).and_then(|template| template.render(context));
        let text = rendered.map_err(|error| AskError {
            fault: Fault::Rejected,
            message: format!("`tool_results: {name}` can't be rendered for {arguments}: {error}"),
            retry: Retry::No,
        })?;
        let text = text.trim();
        if text.is_empty() {
            return Ok(json!({ "error": NOT_FOUND }));
        }
        Ok(match serde_json::from_str::<Value>(text) {
            Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
            _ => Value::String(text.to_owned()),
        })
    }
}

impl Tool {
    /// What a call gives where no template says it; see the description of `tool_results`.
    fn fixture(&self, arguments: &Value, fixtures: &Value) -> Value {
        let Some(fixture) = self.fixture_names().iter().find_map(|name| fixtures.get(name)) else {
            return json!({ "error": NOT_FOUND });
        };
        let Some(table) = fixture.as_object() else { return fixture.clone() };
        let key_name = self.key_argument();
        let key = match key_name {
            Some(name) => arguments.get(name),
            None => arguments.as_object().and_then(|map| map.values().next()),
        };
        if let Some(entry) = key.map(spelled).and_then(|key| table.get(&key)) {
            return entry.clone();
        }
        let keyed = !table.is_empty() && table.values().all(Value::is_object);
        if keyed && (key.is_some() || key_name.is_some()) { json!({ "error": NOT_FOUND }) } else { fixture.clone() }
    }

    /// The only argument, or the first required one.
    fn key_argument(&self) -> Option<&str> {
        let required = self.parameters.get("required").and_then(Value::as_array).and_then(|names| names.first());
        let properties = self.parameters.get("properties").and_then(Value::as_object);
        required
            .and_then(Value::as_str)
            .or_else(|| properties.filter(|map| map.len() == 1).and_then(|map| map.keys().next()).map(String::as_str))
    }

    fn fixture_names(&self) -> Vec<String> {
        const READS: [&str; 9] =
            ["get_", "find_", "fetch_", "lookup_", "look_up_", "read_", "search_", "list_", "retrieve_"];
        let mut names = vec![self.name.clone()];
        if let Some(noun) = READS.iter().find_map(|verb| self.name.strip_prefix(verb)) {
            names.extend([noun.to_owned(), format!("{noun}s")]);
            names.extend(noun.strip_suffix('y').map(|stem| format!("{stem}ies")));
        }
        names
    }
}

/// A value as a key of a mapping: 4021 and "4021" are one key.
fn spelled(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    // A missing order is "not found", not a mistake in the template.
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_formatter(|out, state, value| match value.kind() {
        ValueKind::Map | ValueKind::Seq => {
            let text = serde_json::to_string(value)
                .map_err(|error| minijinja::Error::new(minijinja::ErrorKind::BadSerialization, error.to_string()))?;
            out.write_str(&text).map_err(minijinja::Error::from)
        }
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.add_filter("tojson", |value: minijinja::Value| {
        if value.is_undefined() {
            return Ok(String::new());
        }
        serde_json::to_string(&value)
            .map_err(|error| minijinja::Error::new(minijinja::ErrorKind::BadSerialization, error.to_string()))
    });
    environment.add_function("lookup", |map: minijinja::Value, key: minijinja::Value| {
        let spelled = minijinja::Value::from(key.to_string());
        match map.get_item(&spelled) {
            Ok(found) if !found.is_undefined() => found,
            _ => map.get_item(&key).unwrap_or(minijinja::Value::UNDEFINED),
        }
    });
    environment
}

/// Reads `tools` and `tool_results`.
pub(super) fn read_tools(
    tools: Option<&Node>,
    results: Option<&Node>,
    root: &Path,
    diagnostics: &mut Diagnostics,
) -> Tools {
    let mut read = Tools::default();
    let from_file;
    let list = match tools {
        None => None,
        Some(node) => match node.text() {
            None => Some(node),
            Some(file) => match yaml_file(root, file, &node.place, diagnostics) {
                Some(content) => {
                    from_file = content;
                    Some(&from_file)
                }
                None => return read,
            },
        },
    };
    if let Some(node) = list {
        match node.sequence() {
            Some(items) => {
                for item in items {
                    if let Some(tool) = read_tool(item, diagnostics) {
                        if read.tools.iter().any(|other| other.name == tool.name) {
                            diagnostics.error(&item.place, format!("there are two tools named `{}`", tool.name));
                        }
                        read.tools.push(tool);
                    }
                }
            }
            None => {
                diagnostics.error(&node.place, format!("`tools` must be a list, but this is {}", node.describe()));
            }
        }
    }
    let Some(results) = results else { return read };
    let Some(pairs) = results.mapping() else {
        diagnostics
            .error(&results.place, format!("`tool_results` must be a mapping, but this is {}", results.describe()));
        return read;
    };
    let mut templates = environment();
    for (key, value) in pairs {
        let name = key.text().unwrap_or_default();
        let names = || read.tools.iter().map(|tool| tool.name.as_str());
        if !names().any(|known| known == name) {
            let entry = diagnostics.error(&key.place, format!("there is no tool `{name}` under `tools`"));
            entry.help.extend(nearest_name(name, names()).map(|near| format!("did you mean `{near}`?")));
            continue;
        }
        if let Some(text) = value.text()
            && let Err(error) = templates.add_template_owned(name.to_owned(), text.to_owned())
        {
            let line = error.line().map(|line| format!(" in its line {line}")).unwrap_or_default();
            let reason = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            diagnostics.error(&value.place, format!("not a template{line}: {reason}"));
        }
        let value = match value.text() {
            Some(text) => Value::String(text.to_owned()),
            None => value.to_value(),
        };
        read.results.insert(name.to_owned(), value);
    }
    read.templates = Arc::new(templates);
    read
}

fn read_tool(node: &Node, diagnostics: &mut Diagnostics) -> Option<Tool> {
    let mut node = node;
    if let Some(function) = node.get("function") {
        let mut wrapping = Fields::of("a tool", node, diagnostics)?;
        wrapping.take("function");
        if let Some(word) = wrapping.take("type")
            && word.text() != Some("function")
        {
            diagnostics.error(&word.place, "only tools of type `function` can be answered from fixtures");
        }
        wrapping.finish(diagnostics);
        node = function;
    }
    let mut fields = Fields::of("a tool", node, diagnostics)?;
    let name = fields.required("name", diagnostics).and_then(|name| match name.text() {
        Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
        _ => {
            diagnostics.error(&name.place, "a tool's `name` must be text");
            None
        }
    });
    let description = fields.text("description", diagnostics);
    let parameters = match fields.take("parameters") {
        None => json!({ "type": "object", "properties": {} }),
        Some(schema) => {
            let value = schema.to_value();
            if !value.is_object() {
                let message = format!("`parameters` must be a JSON Schema, but this is {}", schema.describe());
                diagnostics.error(&schema.place, message);
            } else if let Err(error) = jsonschema::meta::validate(&value) {
                diagnostics.error(&schema.place, format!("`parameters` is no valid JSON Schema: {error}"));
            }
            value
        }
    };
    let strict = fields.boolean("strict", diagnostics);
    fields.finish(diagnostics);
    name.map(|name| Tool { name, description, parameters, strict })
}
