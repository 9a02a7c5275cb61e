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
