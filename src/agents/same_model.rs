use serde_json::Value;

use super::Agent;

/// The model behind both agents, by its name in the first one's settings; `None` where they have different ones.
///
/// One name is one model wherever it is served. Letter case doesn't count, nor does a tag without a digit at the end
/// (`:latest`, `:free`); `:7b` and `:14b` are two models. Scripted agents are the same where their scripts are. A
/// program does not tell its model: two programs are the same where all of their settings are.
pub fn same_model(one: &dyn Agent, other: &dyn Agent) -> Option<String> {
    let (settings, others) = (one.settings(), other.settings());
    let scripted = [one, other].iter().all(|agent| agent.kind() == "scripted");
    let (name, other_name) = (model(&settings), model(&others));
    let same = match (name, other_name) {
        (Some(name), Some(other)) if !scripted => plain(name) == plain(other),
        _ => settings == others,
    };
    same.then(|| name.map_or_else(|| one.describe(), str::to_owned))
}

/// What the models behind both agents have in common, where they are of one family: the family's name, or the model's.
///
/// Makers judge their own models kindly, whatever the size and the date: `gpt-5-mini` and `gpt-4.1-2026-04-14` are one
/// family. A name that is of no known family is told apart as [`same_model`] does, but for a date at its end.
pub fn same_family(one: &dyn Agent, other: &dyn Agent) -> Option<String> {
    if let Some(model) = same_model(one, other) {
        return Some(model);
    }
    if [one, other].iter().any(|agent| agent.kind() == "scripted") {
        return None;
    }
    let (settings, others) = (one.settings(), other.settings());
    let (name, other_name) = (model(&settings)?, model(&others)?);
    match (family(name), family(other_name)) {
        (Some(family), Some(other)) => (family == other).then(|| family.to_owned()),
        (None, None) => (undated(name) == undated(other_name)).then(|| name.to_owned()),
        _ => None,
    }
}

/// How models of a family begin, and the family's name.
const FAMILIES: [(&str, &str); 32] = [
    ("gpt", "gpt"),
    ("chatgpt", "gpt"),
    ("o1", "gpt"),
    ("o3", "gpt"),
    ("o4", "gpt"),
    ("claude", "claude"),
    ("gemini", "gemini"),
    ("gemma", "gemma"),
    ("llama", "llama"),
    ("codellama", "llama"),
    ("qwen", "qwen"),
    ("qwq", "qwen"),
    ("mistral", "mistral"),
    ("ministral", "mistral"),
    ("mixtral", "mistral"),
    ("magistral", "mistral"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("deepseek", "deepseek"),
    ("phi", "phi"),
    ("grok", "grok"),
    ("command", "command"),
    ("aya", "command"),
    ("glm", "glm"),
    ("chatglm", "glm"),
    ("kimi", "kimi"),
    ("nova", "nova"),
    ("granite", "granite"),
    ("smollm", "smollm"),
    ("olmo", "olmo"),
    ("yi", "yi"),
    ("falcon", "falcon"),
];

/// The family of a model by its name: a word of it begins like one (`meta-llama/Llama-3-8B`, `us.anthropic.claude-…`).
fn family(model: &str) -> Option<&'static str> {
    let name = model.to_lowercase();
    let of = |word: &str| {
        let begins = |(start, _): &&(&str, &str)| {
            word.strip_prefix(start).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphabetic()))
        };
        FAMILIES.iter().find(begins).map(|(_, family)| *family)
    };
    // The last part first: `gpt-oss` served by `mistral/…` is a gpt.
    name.rsplit(['/', '.', ':']).find_map(|part| part.split(['-', '_', ' ']).find_map(of))
}

/// A name without a date at its end: `small-2026-04-14`, `small-20260414`, `small@20260414`.
fn undated(model: &str) -> String {
    let name = plain(model);
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '@' | '_'));
    let date = name[digits.len()..].chars().filter(char::is_ascii_digit).count();
    if matches!(date, 6 | 8) { digits.to_owned() } else { name }
}

fn model(settings: &Value) -> Option<&str> {
    settings.get("model").and_then(Value::as_str)
}

fn plain(model: &str) -> String {
    let model = model.trim();
    let name = match model.rsplit_once(':') {
        Some((name, tag)) if !name.is_empty() && !tag.contains(|c: char| c.is_ascii_digit()) => name,
        _ => model,
    };
    name.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::testing::agent;
    use super::*;

    fn chat(model: &str, port: u16) -> String {
        format!("chat: {{base_url: 'http://127.0.0.1:{port}/v1', model: '{model}'}}")
    }

    fn same(one: &str, other: &str) -> Option<String> {
        same_model(&*agent(one), &*agent(other))
    }

    #[test]
    fn one_name_is_one_model_wherever_it_is_served() {
        assert_eq!(same(&chat("Qwen-3", 1), &chat("qwen-3", 2)), Some("Qwen-3".to_owned()));
        assert_eq!(same(&chat("qwen-3:latest", 1), &chat("qwen-3", 1)), Some("qwen-3:latest".to_owned()));
        assert_eq!(same(&chat("acme/qwen-3:free", 1), &chat("acme/qwen-3", 1)), Some("acme/qwen-3:free".to_owned()));
        assert_eq!(same(&chat("qwen-3", 1), &chat("qwen-4", 1)), None);
        assert_eq!(same(&chat("qwen-3:7b", 1), &chat("qwen-3:14b", 1)), None);
    }

    #[test]
    fn models_of_one_maker_are_one_family_whatever_their_size_and_date() {
        let family = |one: &str, other: &str| same_family(&*agent(&chat(one, 1)), &*agent(&chat(other, 1)));
        assert_eq!(family("gpt-5-mini", "openai/gpt-4.1-2026-04-14"), Some("gpt".to_owned()));
        assert_eq!(family("o4-mini", "gpt-5"), Some("gpt".to_owned()));
        assert_eq!(family("qwen2.5:1.5b", "Qwen/Qwen3-8B"), Some("qwen".to_owned()));
        assert_eq!(family("us.anthropic.claude-sonnet-5", "claude-haiku-5@20260401"), Some("claude".to_owned()));
        assert_eq!(family("in-house", "in-house-20260414"), Some("in-house".to_owned()));
        assert_eq!(family("in-house-1", "in-house-2"), None);
        assert_eq!(family("gpt-5", "claude-opus-5"), None);
        assert_eq!(family("gemini-3", "gemma-3"), None);
        assert_eq!(family("philosopher", "phi-4"), None, "a longer word is another name");
        let script = "scripted: {otherwise: {reply: a}}";
        assert_eq!(same_family(&*agent(script), &*agent(&chat("gpt-5", 1))), None);
    }

    #[test]
    fn scripted_agents_are_told_apart_by_their_scripts_and_programs_by_their_settings() {
        let script = |reply: &str| format!("scripted: {{otherwise: {{reply: {reply}}}}}");
        assert_eq!(same(&script("a"), &script("a")), Some("scripted".to_owned()));
        assert_eq!(same(&script("a"), &script("b")), None);
        assert_eq!(same(&script("a"), &chat("scripted", 1)), Some("scripted".to_owned()));
        let program = |name: &str| format!("command: ['{name}']");
        assert!(same(&program("true"), &program("true")).is_some());
        assert_eq!(same(&program("true"), &program("false")), None);
        assert_eq!(same(&program("true"), &chat("m", 1)), None);
    }
}
