use std::time::Duration;

use super::*;
use crate::suite::{DesignConfig, Gate, Price};

/// Every key once.
pub(super) const WHOLE: &str = r#"
instructions: [prompts/*.md]
cases: cases/**/*.yaml
agents:
  bot: {command: "run ${UNSET}"}
  other: {chat: {key: "${API_KEY}"}}
default_agent: other
limits:
  jobs: ${JOBS}
  timeout: 500ms
  retries: 0
  requests_per_minute: 30
  max_trials: 100
  max_cost: 2.5
  max_time: 1.5h
  max_output_bytes: 1000
design: {alpha: 0.01, beta: 0.1, min_effect: 1, max_trials_per_arm: 12}
gates: {rules: [steerable], inert_assertions: fail, single_phrasing: ignore, sensitive: ignore, consistency_min: 0.8, coverage_min: 0.7}
accepted: [{id: refund, reason: known}]
prices: {gpt-x: {input_per_million: 0.25, output_per_million: 2}}
helper_model: {chat: {key: "${UNSET}"}}
allow_same_model: true
protect: [ACME]
mutators: [my-mutators]
"#;

#[test]
fn every_key_of_the_configuration_is_read() {
    let loaded = Folder::good().with("mutate.yaml", WHOLE).with("my-mutators/a.yaml", "").load();
    assert_eq!(mistakes(&loaded), [""; 0]);
    let suite = loaded.suite.unwrap();
    let config = &suite.config;
    assert_eq!(config.agents.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>(), ["bot", "other"]);
    assert_eq!(config.agents[0].node.get("command").unwrap().text(), Some("run ${UNSET}"));
    assert_eq!(config.agent(None).unwrap().name, "other");
    let limits = &config.limits;
    assert_eq!((limits.jobs, limits.timeout, limits.retries), (7, Duration::from_millis(500), 0));
    assert_eq!((limits.requests_per_minute, limits.max_trials, limits.max_cost), (Some(30), Some(100), Some(2.5)));
    assert_eq!((limits.max_time, limits.max_output_bytes), (Some(Duration::from_secs(5400)), 1000));
    let design =
        DesignConfig { alpha: Some(0.01), beta: Some(0.1), min_effect: Some(1.0), max_trials_per_arm: Some(12) };
    assert_eq!(config.design, design);
    assert_eq!(config.gates.rules, ["steerable"]);
    assert_eq!(config.gates.inert_assertions, Gate::Fail);
    assert_eq!((config.accepted[0].id.as_str(), config.accepted[0].reason.as_str()), ("refund", "known"));
    assert_eq!(config.prices, [Price { model: "gpt-x".into(), input_per_million: 0.25, output_per_million: 2.0 }]);
    assert!(config.helper_model.is_some() && config.allow_same_model);
    let gates = &config.gates;
    assert_eq!((gates.single_phrasing, gates.sensitive), (Gate::Ignore, Gate::Ignore));
    assert_eq!(gates.consistency_min, Some(0.8));
    assert_eq!(gates.coverage_min, Some(0.7));
    assert_eq!(config.protect.iter().map(|one| one.as_str()).collect::<Vec<_>>(), ["ACME"]);
    assert_eq!(config.mutators, ["my-mutators"]);
    assert_eq!(suite.instructions[0].path, Path::new("prompts/support.md"));
    assert_eq!(suite.instructions[0].bytes, RULES.as_bytes());
    assert_eq!(suite.root, std::path::absolute(&suite.root).unwrap());
}

#[test]
fn helpers_and_packs_are_checked() {
    let of = |line: &str| {
        Folder::good().with("packs/a.yaml", "").with("mutate.yaml", format!("{CONFIG}{line}\n")).mistakes()
    };
    assert_eq!(of("helper_model: gpt"), ["mutate.yaml:3:15: `helper_model` must be a mapping, but this is text"]);
    assert_eq!(
        of("helper_model: {}"),
        ["mutate.yaml:3:15: `helper_model` must have one key, its kind, but this has 0"]
    );
    assert_eq!(of("helper_model: {chat: {}}"), [""; 0]);
    assert_eq!(of("mutators: 7.5.yaml"), ["mutate.yaml:3:11: the file or folder `7.5.yaml` is not there"]);
    assert_eq!(
        of("mutators: [{a: b}]"),
        ["mutate.yaml:3:12: `mutators` lists files or folders, but this is a mapping"]
    );
    assert_eq!(of("mutators: ['']"), ["mutate.yaml:3:12: `mutators` lists files or folders, but this is empty"]);
    assert_eq!(of("mutators: [packs, ../packs]"), ["mutate.yaml:3:19: `../packs` lies outside the suite's folder"]);
    assert_eq!(of("mutators: [packs, ./packs/a.yaml]"), [""; 0]);
    assert_eq!(of("protect: ['']"), ["mutate.yaml:3:11: `protect` holds an empty text"]);
    assert_eq!(of("protect: ['SKU-(']"), ["mutate.yaml:3:11: `SKU-(` is no regular expression: unclosed group"]);
    assert_eq!(of("protect: ['(SKU)?']"), ["mutate.yaml:3:11: `(SKU)?` matches the empty text"]);
    assert_eq!(
        of("protect: [{a: b}]"),
        ["mutate.yaml:3:11: `protect` must hold regular expressions, but this is a mapping"]
    );
}

#[test]
fn absent_keys_have_their_defaults() {
    let config = Folder::good().suite().config;
    assert_eq!((config.limits.jobs, config.limits.timeout, config.limits.retries), (4, Duration::from_secs(60), 3));
    assert_eq!(config.limits.max_output_bytes, 1 << 20);
    assert_eq!(config.design, DesignConfig::default());
    assert_eq!(config.gates.rules, ["steerable", "model-default", "redundant", "wrong-reason"]);
    assert_eq!(config.gates.inert_assertions, Gate::Ignore);
    assert_eq!((config.gates.single_phrasing, config.gates.sensitive), (Gate::Fail, Gate::Fail));
    assert_eq!((config.gates.consistency_min, config.gates.coverage_min), (None, None));
    assert_eq!(config.agent(None).unwrap().name, "bot");
}

#[test]
fn an_agent_is_chosen_by_name() {
    let suite =
        Folder::good().with("mutate.yaml", "instructions: prompts/support.md\nagents: {bot: {}, cat: {}}\n").suite();
    assert_eq!(suite.config.agent(Some("cat")).unwrap().name, "cat");
    let unknown = suite.config.agent(Some("bott")).unwrap_err();
    assert_eq!(
        (unknown.message.as_str(), unknown.help[0].as_str()),
        ("there is no agent named `bott`", "did you mean `bot`?")
    );
    assert_eq!(suite.config.agent(None).unwrap_err().message, "this suite has several agents and no default");
}

#[test]
fn unknown_keys_are_errors_at_every_level() {
    assert_eq!(config_mistakes("limit: {}\n"), ["mutate.yaml:3:1: unknown key `limit` in mutate.yaml"]);
    assert_eq!(config_mistakes("limits: {job: 1}\n"), ["mutate.yaml:3:10: unknown key `job` in `limits`"]);
    assert_eq!(config_mistakes("design: {alfa: 1}\n"), ["mutate.yaml:3:10: unknown key `alfa` in `design`"]);
    assert_eq!(config_mistakes("gates: {consistency: 1}\n"), ["mutate.yaml:3:9: unknown key `consistency` in `gates`"]);
    assert_eq!(
        config_mistakes("prices: {m: {input_per_million: 1, output_per_million: 1, cached: 1}}\n"),
        ["mutate.yaml:3:59: unknown key `cached` in a price"]
    );
}

#[test]
fn agents_and_the_default_agent_are_checked() {
    let of =
        |text: &str| Folder::good().with("mutate.yaml", format!("instructions: prompts/support.md\n{text}")).mistakes();
    assert_eq!(of("agents: {}\n"), ["mutate.yaml:2:1: this suite names no agent to ask"]);
    assert_eq!(
        of("agents: [bot]\n"),
        ["mutate.yaml:2:9: `agents` must be a mapping of names to settings, but this is a list"]
    );
    assert_eq!(
        of("agents: {bot: }\n"),
        ["mutate.yaml:2:10: the settings of agent `bot` must be a mapping, but this is nothing"]
    );
    assert_eq!(
        of("agents:\n  bot: {}\n  bot: {}\n"),
        ["mutate.yaml:3:3: the key `bot` stands here twice"].map(|text| text.replace("3:3", "4:3"))
    );
    assert_eq!(of("agents: {bot: {}}\ndefault_agent: bott\n"), ["mutate.yaml:3:16: there is no agent named `bott`"]);
}

#[test]
fn numbers_out_of_range_are_errors() {
    for (text, message) in [
        ("limits: {jobs: 0}", "mutate.yaml:3:16: `jobs` must be a whole number from 1 to 10000, not 0"),
        ("limits: {retries: -1}", "mutate.yaml:3:19: `retries` must be a whole number from 0 to 100, not -1"),
        ("limits: {max_cost: -2}", "mutate.yaml:3:20: `max_cost` must be a number of at least 0, not -2"),
        ("limits: {timeout: -5}", "mutate.yaml:3:19: `timeout` must be a time span, not -5"),
        ("limits: {timeout: 0}", "mutate.yaml:3:19: `timeout` must be longer than 0: no agent answers in no time"),
        ("limits: {max_time: soon}", "mutate.yaml:3:20: `max_time` must be a time span, not soon"),
        ("limits: {max_time: 0s}", "mutate.yaml:3:20: `max_time` must be longer than 0: no agent answers in no time"),
        ("limits: {jobs: \"4\"}", "mutate.yaml:3:16: `jobs` must be a whole number from 1 to 10000, not 4"),
        ("design: {alpha: 0}", "mutate.yaml:3:17: `alpha` must be above 0 and at most 0.5, not 0"),
        ("design: {alpha: 0.6}", "mutate.yaml:3:17: `alpha` must be above 0 and at most 0.5, not 0.6"),
        ("design: {beta: 1.5}", "mutate.yaml:3:16: `beta` must be above 0 and at most 0.5, not 1.5"),
        ("design: {min_effect: 1.1}", "mutate.yaml:3:22: `min_effect` must be above 0 and at most 1, not 1.1"),
        (
            "design: {max_trials_per_arm: 2}",
            "mutate.yaml:3:30: `max_trials_per_arm` must be a whole number from 3 to 100, not 2",
        ),
        ("prices: {m: {input_per_million: 1}}", "mutate.yaml:3:10: a price needs `output_per_million`"),
        ("prices: 3", "mutate.yaml:3:9: `prices` must be a mapping of models to prices, but this is a number"),
    ] {
        assert_eq!(config_mistakes(&format!("{text}\n")), [message], "{text}");
    }
}

#[test]
fn gates_take_verdicts_that_are_findings() {
    let of = |text: &str| Folder::good().with("mutate.yaml", format!("{CONFIG}gates: {text}\n")).rendered();
    assert!(of("{rules: [steerble]}").contains("did you mean `steerable`?"));
    assert!(of("{rules: [unproven]}").contains("exit code 3 stands for it already"));
    assert!(of("{inert_assertions: yes}").contains("the choice is `fail`, `ignore`"));
    assert_eq!(of("{rules: []}"), "");
}

#[test]
fn accepted_findings_need_a_reason() {
    assert_eq!(
        config_mistakes("accepted: [{id: refund}]\n"),
        ["mutate.yaml:3:17: an accepted finding needs a `reason`"]
    );
    assert_eq!(
        config_mistakes("accepted: [{id: refund, reason: ' '}]\n"),
        ["mutate.yaml:3:33: an accepted finding needs a `reason`"]
    );
    assert_eq!(config_mistakes("accepted: [{reason: x}]\n"), ["mutate.yaml:3:12: an accepted finding needs `id`"]);
    assert_eq!(
        config_mistakes("accepted:\n- {id: a, reason: x}\n- {id: a, reason: y}\n"),
        ["mutate.yaml:5:8: `a` is accepted twice"]
    );
    assert_eq!(
        config_mistakes("accepted: refund\n"),
        ["mutate.yaml:3:11: `accepted` must be a list, but this is text"]
    );
}

#[test]
fn an_unset_variable_is_an_error_that_names_it() {
    assert_eq!(
        config_mistakes("protect: ['${UNSET}']\n"),
        ["mutate.yaml:3:11: the environment variable `UNSET` is not set"]
    );
    assert_eq!(
        config_mistakes("limits:\n  jobs: ${UNSET}\n"),
        ["mutate.yaml:4:9: the environment variable `UNSET` is not set"]
    );
    assert_eq!(
        config_mistakes("protect: ['x${EMPTY}']\n"),
        ["mutate.yaml:3:11: the environment variable `EMPTY` is empty"]
    );
}

#[test]
fn a_secret_is_never_part_of_a_message() {
    let of = |text: &str| Folder::good().with("mutate.yaml", format!("{CONFIG}{text}\n")).rendered();
    let number = of("limits: {jobs: '${API_KEY}'}");
    assert!(number.contains("from 1 to 10000, not the value of ${API_KEY}"), "{number}");
    assert!(!number.contains("sk-hidden"), "{number}");
    let name = of("default_agent: ${API_KEY}");
    assert!(name.contains("there is no agent named `[redacted]`"), "{name}");
    assert!(!name.contains("sk-hidden"), "{name}");
}

#[test]
fn mistakes_of_configuration_and_cases_come_in_one_go() {
    let folder = Folder::good()
        .with("mutate.yaml", "instructions: prompts/*.txt\nagents: {bot: {}}\nlimits: {jobs: none}\n")
        .with("cases/refund.yaml", "id: a\ninput: Hi\nexpect: {}\n")
        .with("cases/z.yaml", "id: a\ninput: Hi\nexpect: {reply_mentions: [x]}\n");
    assert_eq!(
        folder.mistakes(),
        [
            "mutate.yaml:3:16: `jobs` must be a whole number from 1 to 10000, not none",
            "mutate.yaml:1:15: no instruction file matches `prompts/*.txt`",
            "cases/refund.yaml:3:1: `expect` is empty: this case can't fail",
            "cases/z.yaml:1:5: the case id `a` is used twice",
        ]
    );
}

#[test]
fn cases_are_read_even_when_the_configuration_is_broken() {
    let folder = Folder::good()
        .with("mutate.yaml", "agents: [\n")
        .with("cases/refund.yaml", "id: a\nrule: {quote: X, file: nowhere.md}\ninput: Hi\nexpect: {}\n");
    let mistakes = folder.mistakes();
    assert_eq!(mistakes.len(), 2, "{mistakes:?}");
    assert_eq!(mistakes[1], "cases/refund.yaml:4:1: `expect` is empty: this case can't fail");
}
