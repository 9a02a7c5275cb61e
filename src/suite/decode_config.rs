//! From the one document of `mutate.yaml` to a [`Config`].

use regex::Regex;

use super::config::{Accepted, AgentEntry, Config, DesignConfig, GATE_VERDICTS, Gate, Gates, Limits, Price, list};
use crate::source::{Diagnostics, Fields, Node, NodeKind, Place, expand, nearest_name};
use crate::stats::LARGEST_CAP;

/// What `mutate.yaml` says of files, not yet looked for.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// The list's own place, and the entries.
    pub instructions: Vec<(String, Place)>,
    pub cases: Option<Vec<(String, Place)>>,
    /// Files and folders of mutator packs.
    pub mutators: Vec<(String, Place)>,
}

/// Decodes the one document of `mutate.yaml`. Everything but agents, models and endpoints has its `${NAME}` expanded.
pub(super) fn decode(
    node: &Node,
    environment: &dyn Fn(&str) -> Option<String>,
    secrets: &mut Vec<String>,
    diagnostics: &mut Diagnostics,
) -> (Config, Named) {
    let node = &expand_all_but_agents(node, environment, secrets, diagnostics);
    let mut config = Config::default();
    let mut named = Named::default();
    let Some(mut fields) = Fields::of("mutate.yaml", node, diagnostics) else { return (config, named) };
    named.instructions = patterns(&mut fields, "instructions", diagnostics).unwrap_or_default();
    named.cases = patterns(&mut fields, "cases", diagnostics);
    agents(&mut config, &mut fields, diagnostics);
    if let Some(node) = fields.take("limits") {
        config.limits = limits(node, diagnostics);
    }
    if let Some(node) = fields.take("design") {
        config.design = design(node, diagnostics);
    }
    if let Some(node) = fields.take("gates") {
        config.gates = gates(node, diagnostics);
    }
    if let Some(node) = fields.take("accepted") {
        config.accepted = accepted(node, diagnostics);
    }
    if let Some(node) = fields.take("prices") {
        config.prices = prices(node, diagnostics);
    }
    config.helper_model = fields.take("helper_model").and_then(|node| model("helper_model", node, diagnostics));
    config.judge_model = fields.take("judge_model").and_then(|node| model("judge_model", node, diagnostics));
    config.second_judge_model =
        fields.take("second_judge_model").and_then(|node| model("second_judge_model", node, diagnostics));
    config.embeddings = fields.take("embeddings").cloned();
    config.allow_same_model = fields.boolean("allow_same_model", diagnostics).unwrap_or(false);
    config.protect = protect(&mut fields, diagnostics);
    named.mutators = patterns(&mut fields, "mutators", diagnostics).unwrap_or_default();
    config.mutators = named.mutators.iter().map(|(name, _)| name.clone()).collect();
    fields.finish(diagnostics);
    (config, named)
}

fn expand_all_but_agents(
    node: &Node,
    environment: &dyn Fn(&str) -> Option<String>,
    secrets: &mut Vec<String>,
    diagnostics: &mut Diagnostics,
) -> Node {
    let Some(pairs) = node.mapping() else { return node.clone() };
    let mut expanded = vec![];
    for (key, value) in pairs {
        let raw =
            matches!(key.text(), Some("agents" | "helper_model" | "judge_model" | "second_judge_model" | "embeddings"));
        let value = if raw { value.clone() } else { expand(value, environment, secrets, diagnostics) };
        expanded.push((key.clone(), value));
    }
    Node { kind: NodeKind::Mapping(expanded), place: node.place.clone() }
}

/// File names or globs, each with its place.
fn patterns(fields: &mut Fields<'_>, key: &'static str, diagnostics: &mut Diagnostics) -> Option<Vec<(String, Place)>> {
    let node = fields.take(key)?;
    let items = node.sequence().unwrap_or(std::slice::from_ref(node));
    let mut found = vec![];
    for item in items {
        match item.text() {
            Some(text) if !text.trim().is_empty() => found.push((text.to_owned(), item.place.clone())),
            _ => {
                let seen = if item.text().is_some() { "empty" } else { item.describe() };
                let what = if key == "mutators" { "files or folders" } else { "files or globs" };
                diagnostics.error(&item.place, format!("`{key}` lists {what}, but this is {seen}"));
            }
        }
    }
    if items.is_empty() {
        diagnostics.error(&node.place, format!("`{key}` lists nothing"));
    }
    Some(found)
}

fn model(key: &str, node: &Node, diagnostics: &mut Diagnostics) -> Option<Node> {
    let problem = match node.mapping() {
        Some([_]) => return Some(node.clone()),
        Some(pairs) => format!("`{key}` must have one key, its kind, but this has {}", pairs.len()),
        None => format!("`{key}` must be a mapping, but this is {}", node.describe()),
    };
    diagnostics.error(&node.place, problem).help.push(format!("write it like an agent: `{key}: {{chat: {{…}}}}`"));
    None
}

fn agents(config: &mut Config, fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) {
    let entry = fields.take_entry("agents");
    let pairs = match entry.map(|(_, value)| (value, value.mapping())) {
        Some((_, Some(pairs))) => pairs,
        Some((value, None)) if !value.is_null() => {
            let entry = diagnostics.error(
                &value.place,
                format!("`agents` must be a mapping of names to settings, but this is {}", value.describe()),
            );
            entry.help.push("write each agent under its name: `agents: {support: {…}}`".to_owned());
            &[]
        }
        _ => &[],
    };
    for (name, node) in pairs {
        let text = name.text().unwrap_or_default();
        if text.trim().is_empty() {
            diagnostics.error(&name.place, "an agent needs a name");
        } else if node.mapping().is_none() {
            let place = if node.is_null() { &name.place } else { &node.place };
            diagnostics.error(
                place,
                format!("the settings of agent `{text}` must be a mapping, but this is {}", node.describe()),
            );
        }
        config.agents.push(AgentEntry { name: text.to_owned(), node: node.clone(), place: name.place.clone() });
    }
    let wrong = entry.is_some_and(|(_, value)| !value.is_null() && value.mapping().is_none());
    // Where the key is not there at all, only what needs no agent can be done: whoever wants one says so.
    if let (Some((key, _)), true, false) = (entry, pairs.is_empty(), wrong) {
        let error = diagnostics.error(&key.place, "this suite names no agent to ask");
        error.help.push("add one under it, or remove the line; `mutate schema suite` describes the kinds".to_owned());
    }
    let Some(node) = fields.take("default_agent") else { return };
    let Some(name) = node.text() else {
        diagnostics.error(
            &node.place,
            format!("`default_agent` must be the name of an agent, but this is {}", node.describe()),
        );
        return;
    };
    let names = config.agents.iter().map(|agent| agent.name.as_str());
    if !config.agents.is_empty() && !names.clone().any(|known| known == name) {
        let error = diagnostics.error(&node.place, format!("there is no agent named `{name}`"));
        error.help.push(match nearest_name(name, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("agents of this suite: {}", list(names)),
        });
    }
    config.default_agent = Some(name.to_owned());
}

fn limits(node: &Node, diagnostics: &mut Diagnostics) -> Limits {
    let standard = Limits::default();
    let Some(mut fields) = Fields::of("`limits`", node, diagnostics) else { return standard };
    let spans = ["timeout", "max_time"].map(|key| fields.get(key));
    let limits = Limits {
        jobs: fields.whole_within("jobs", 1, 10_000, diagnostics).map_or(standard.jobs, |jobs| jobs as usize),
        timeout: fields.seconds("timeout", diagnostics).unwrap_or(standard.timeout),
        retries: fields.whole_within("retries", 0, 100, diagnostics).map_or(standard.retries, |retries| retries as u32),
        requests_per_minute: fields
            .whole_within("requests_per_minute", 1, u64::from(u32::MAX), diagnostics)
            .map(|requests| requests as u32),
        max_trials: fields.whole("max_trials", 1, diagnostics),
        max_cost: fields.number("max_cost", 0.0, f64::INFINITY, diagnostics),
        max_time: fields.seconds("max_time", diagnostics),
        max_output_bytes: fields
            .whole_within("max_output_bytes", 1, 1 << 40, diagnostics)
            .map_or(standard.max_output_bytes, |bytes| bytes as usize),
    };
    let [timeout, max_time] = spans;
    for (key, node, zero) in [
        ("timeout", timeout, limits.timeout.is_zero()),
        ("max_time", max_time, limits.max_time.is_some_and(|limit| limit.is_zero())),
    ] {
        if let Some(node) = node.filter(|_| zero) {
            let message = format!("`{key}` must be longer than 0: no agent answers in no time");
            diagnostics.error(&node.place, message);
        }
    }
    fields.finish(diagnostics);
    limits
}

fn design(node: &Node, diagnostics: &mut Diagnostics) -> DesignConfig {
    let Some(mut fields) = Fields::of("`design`", node, diagnostics) else { return DesignConfig::default() };
    let design = DesignConfig {
        alpha: fields.fraction("alpha", 0.5, true, diagnostics),
        beta: fields.fraction("beta", 0.5, true, diagnostics),
        min_effect: fields.fraction("min_effect", 1.0, true, diagnostics),
        max_trials_per_arm: fields
            .whole_within("max_trials_per_arm", 3, LARGEST_CAP as u64, diagnostics)
            .map(|trials| trials as u32),
    };
    fields.finish(diagnostics);
    design
}

fn gates(node: &Node, diagnostics: &mut Diagnostics) -> Gates {
    let mut gates = Gates::default();
    let Some(mut fields) = Fields::of("`gates`", node, diagnostics) else { return gates };
    if let Some(node) = fields.take("rules") {
        gates.rules.clear();
        for item in node.sequence().unwrap_or(std::slice::from_ref(node)) {
            let Some(name) = item.text() else {
                diagnostics.error(&item.place, format!("`rules` lists verdicts, but this is {}", item.describe()));
                continue;
            };
            if GATE_VERDICTS.contains(&name) {
                gates.rules.push(name.to_owned());
                continue;
            }
            let error = diagnostics.error(&item.place, format!("`{name}` is no verdict that a gate can fail on"));
            error.help.push(match (name, nearest_name(name, GATE_VERDICTS)) {
                ("baseline-failing", _) => "exit code 4 stands for it already".to_owned(),
                ("unproven" | "unreached" | "error", _) => "exit code 3 stands for it already".to_owned(),
                ("rule-derived", _) => "it is the verdict that every case should get".to_owned(),
                (_, Some(near)) => format!("did you mean `{near}`?"),
                (_, None) => format!("known here: {}", GATE_VERDICTS.join(", ")),
            });
        }
    }
    for (key, gate) in [
        ("inert_assertions", &mut gates.inert_assertions),
        ("single_phrasing", &mut gates.single_phrasing),
        ("sensitive", &mut gates.sensitive),
    ] {
        if let Some(choice) = fields.choice(key, &["fail", "ignore"], diagnostics) {
            *gate = if choice == "fail" { Gate::Fail } else { Gate::Ignore };
        }
    }
    gates.consistency_min = fields.fraction("consistency_min", 1.0, true, diagnostics);
    gates.coverage_min = fields.fraction("coverage_min", 1.0, true, diagnostics);
    gates.caught_min = fields.fraction("caught_min", 1.0, true, diagnostics);
    fields.finish(diagnostics);
    gates
}

fn accepted(node: &Node, diagnostics: &mut Diagnostics) -> Vec<Accepted> {
    let Some(items) = node.sequence() else {
        let error =
            diagnostics.error(&node.place, format!("`accepted` must be a list, but this is {}", node.describe()));
        error.help.push("write `- id: …` and `reason: …` for each finding that you accept".to_owned());
        return vec![];
    };
    let mut accepted: Vec<Accepted> = vec![];
    for item in items {
        let Some(mut fields) = Fields::of("an accepted finding", item, diagnostics) else { continue };
        let id = fields.required("id", diagnostics);
        let reason = fields.take("reason");
        let text = reason.and_then(Node::text).filter(|text| !text.trim().is_empty());
        if text.is_none() {
            let place = reason.or(id).map_or(&item.place, |node| &node.place);
            let error = diagnostics.error(place, "an accepted finding needs a `reason`");
            error.help.push("say why the team lives with it, so that the next reader can disagree".to_owned());
        }
        fields.finish(diagnostics);
        let (Some(id), Some(reason)) = (id, text) else { continue };
        let Some(name) = id.text() else {
            diagnostics.error(&id.place, format!("`id` must be text, but this is {}", id.describe()));
            continue;
        };
        if let Some(first) = accepted.iter().find(|known| known.id == name) {
            let place = first.place.clone();
            let error = diagnostics.error(&id.place, format!("`{name}` is accepted twice"));
            error.label = "again here".to_owned();
            error.related.push((place, "first here".to_owned()));
            continue;
        }
        accepted.push(Accepted { id: name.to_owned(), reason: reason.to_owned(), place: id.place.clone() });
    }
    accepted
}

fn prices(node: &Node, diagnostics: &mut Diagnostics) -> Vec<Price> {
    let Some(pairs) = node.mapping() else {
        let error = diagnostics.error(
            &node.place,
            format!("`prices` must be a mapping of models to prices, but this is {}", node.describe()),
        );
        error.help.push("write `MODEL: {input_per_million: 0.25, output_per_million: 2.0}`".to_owned());
        return vec![];
    };
    let mut prices = vec![];
    for (model, price) in pairs {
        let Some(mut fields) = Fields::of("a price", price, diagnostics) else { continue };
        let mut amount = |key, diagnostics: &mut Diagnostics| {
            let present = fields.get(key).is_some();
            let found = fields.number(key, 0.0, f64::INFINITY, diagnostics);
            if !present {
                diagnostics.error(&model.place, format!("a price needs `{key}`"));
            }
            found
        };
        let input = amount("input_per_million", diagnostics);
        let output = amount("output_per_million", diagnostics);
        fields.finish(diagnostics);
        if let (Some(input), Some(output)) = (input, output) {
            let model = model.text().unwrap_or_default().to_owned();
            prices.push(Price { model, input_per_million: input, output_per_million: output });
        }
    }
    prices
}

/// Regular expressions of what no input mutator may change.
fn protect(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Vec<Regex> {
    let Some(node) = fields.take("protect") else { return vec![] };
    let mut patterns = vec![];
    for item in node.sequence().unwrap_or(std::slice::from_ref(node)) {
        match item.text() {
            None => {
                let message = format!("`protect` must hold regular expressions, but this is {}", item.describe());
                diagnostics.error(&item.place, message);
            }
            Some(text) if text.trim().is_empty() => {
                diagnostics.error(&item.place, "`protect` holds an empty text");
            }
            // A variable that is not set has been said.
            Some(text) if text.contains("${") => {}
            Some(text) => match Regex::new(text) {
                Ok(pattern) if pattern.is_match("") => {
                    let error = diagnostics.error(&item.place, format!("`{text}` matches the empty text"));
                    error.help.push("write what must be there: `SKU-\\d+` and not `(SKU-\\d+)?`".to_owned());
                }
                Ok(pattern) => patterns.push(pattern),
                Err(error) => {
                    let reason = error.to_string();
                    let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    let error = diagnostics.error(&item.place, format!("`{text}` is no regular expression: {reason}"));
                    error.help.push(
                        "for a text as it stands put a backslash before each of . ? * + ( ) [ ] { } | ^ $".to_owned(),
                    );
                }
            },
        }
    }
    patterns
}
