use super::*;

/// A suite with one case and this end of its mutate.yaml; further files by name.
fn suite_of(folder: &Path, end: &str, files: &[(&str, &str)]) -> Suite {
    let config = "cases: cases.yaml\nagents:\n  demo: {chat: {base_url: 'http://127.0.0.1:9/v1', model: Small-1}}\n";
    let case = "id: a\ninput: Where is it?\nexpect: {reply_mentions: [there]}\n";
    for (name, text) in [("mutate.yaml", format!("{config}{end}").as_str()), ("cases.yaml", case)].iter().chain(files) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let loaded = suite::load(folder, &|_| None);
    loaded.suite.unwrap_or_else(|| panic!("{}", loaded.diagnostics.render(false)))
}

/// The helper's description, and what is said of it.
fn helper_of(end: &str) -> (Option<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite_of(folder.path(), end, &[]);
    let mut diagnostics = Diagnostics::default();
    let asked = agent(&suite, None, &mut diagnostics).unwrap();
    let helper = helper(&suite, asked.agent.as_ref(), &mut diagnostics);
    (helper.map(|helper| helper.agent.describe()), diagnostics.render(false))
}

#[test]
fn a_helper_is_another_model_than_the_agents() {
    let of = |model: &str, more: &str| {
        helper_of(&format!("helper_model: {{chat: {{base_url: 'http://127.0.0.1:10/v1', model: '{model}'}}}}\n{more}"))
    };
    let (helper, messages) = of("small-1:latest", "");
    assert_eq!(helper, None);
    assert!(messages.contains("error: `helper_model` is the agent's own model, `small-1:latest`"), "{messages}");
    assert!(messages.contains("mutate.yaml:4:15") && messages.contains("allow_same_model: true"), "{messages}");
    assert_eq!(of("small-1", "allow_same_model: true\n"), (Some("chat small-1 at 127.0.0.1:10".into()), String::new()));
    assert_eq!(of("large-2", ""), (Some("chat large-2 at 127.0.0.1:10".into()), String::new()));
}

#[test]
fn mistakes_in_a_helper_are_shown_where_they_stand() {
    assert_eq!(helper_of(""), (None, String::new()));
    let (helper, messages) = helper_of("helper_model: {chat: {model: large-2, api_key: '${MUTATE_TEST_NOT_SET}'}}\n");
    assert!(helper.is_none() && messages.contains("`MUTATE_TEST_NOT_SET` is not set"), "{messages}");
    let (helper, messages) = helper_of("helper_model: {chta: {}}\n");
    assert!(helper.is_none() && messages.contains("did you mean `chat`?"), "{messages}");
    assert!(messages.contains("mutate.yaml:4:16"), "{messages}");
}

#[test]
fn a_folder_of_mutators_may_hold_its_own_prompt() {
    let prompt_of = |files: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        let suite = suite_of(folder.path(), "mutators: [ours, theirs]\n", files);
        let mut diagnostics = Diagnostics::default();
        (paraphrase_prompt(&suite, &mut diagnostics), diagnostics.render(false))
    };
    let packs = [("ours/a.yaml", ""), ("theirs/a.yaml", ""), ("prompts/paraphrase.md", "The agent's.")];
    assert_eq!(prompt_of(&packs), (Prompt::default(), String::new()));
    let own = prompt_of(&[&packs[..], &[("ours/paraphrase.md", "Reword it.")]].concat());
    assert_eq!(own, (Prompt::of_text("Reword it.").unwrap(), String::new()));
    let last = [("ours/paraphrase.md", "Reword it."), ("theirs/paraphrase.md", "Say it anew.")];
    assert_eq!(prompt_of(&[&packs[..], &last].concat()).0, Prompt::of_text("Say it anew.").unwrap());
    let (_, messages) = prompt_of(&[&packs[..], &[("ours/paraphrase.md", "Write {{ n }}.")]].concat());
    assert!(messages.contains("paraphrase.md can't be used: `{{ n }}` is filled by nobody"), "{messages}");
}
