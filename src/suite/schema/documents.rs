//! What a user may write, as types that are never built: they say once more what the decoders read, in the words that an
//! editor shows. A test holds both against each other.
#![expect(dead_code, reason = "these types only carry the schema")]

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::mutators::input::Kind;

/// Text; what looks like a number or a boolean to YAML is taken as it is spelled.
struct Text;

impl JsonSchema for Text {
    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "number", "boolean"]})
    }
}

/// One text, or a list of them.
struct Texts;

impl JsonSchema for Texts {
    fn schema_name() -> Cow<'static, str> {
        "Texts".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = json!({"type": ["string", "number", "boolean"]});
        json_schema!({"anyOf": [text, {"type": "array", "items": text}]})
    }
}

/// One transcript, or a list of them; a text is a reply.
struct Samples;

impl JsonSchema for Samples {
    fn schema_name() -> Cow<'static, str> {
        "Samples".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = json!({"type": ["string", "number", "boolean", "object"],
            "description": "A reply, or a transcript as `mutate schema transcript` describes it."});
        json_schema!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]})
    }
}

/// Whatever a foreign key holds: it is checked as the value of the kind that it is translated to.
type Translated = Value;

macro_rules! refers_to {
    ($name:ident, $schema:tt) => {
        struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

refers_to!(AgentReference, {"$ref": "#/$defs/Agent"});
refers_to!(EmbeddingsReference, {"$ref": "#/$defs/Embeddings"});
refers_to!(ExpectReference, {"anyOf": [
    {"$ref": "#/$defs/Checks"},
    {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Check"}},
]});

/// A suite: which instructions, which cases, which agent, within which limits.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SuiteDocument {
    /// The agent's instruction files: names or globs, relative to this file, in the order in which the agent gets them.
    /// Files that they include (`@path`, `{% include "path" %}`) inside this folder are added behind them.
    instructions: Option<Texts>,
    /// Case files: names or globs. Without it, every YAML, JSON and JSONL file below `cases/`.
    cases: Option<Texts>,
    /// What can be asked, by name. Each is a mapping with one key, the kind of agent. `${NAME}` stands for an
    /// environment variable. `mutate matchers` needs none.
    #[schemars(extend("minProperties" = 1))]
    agents: Option<BTreeMap<String, AgentReference>>,
    /// The agent that is asked when the command line names none. Not needed where there is one.
    default_agent: Option<Text>,
    limits: Option<LimitsDocument>,
    design: Option<DesignDocument>,
    gates: Option<GatesDocument>,
    /// Findings that the team lives with.
    accepted: Option<Vec<AcceptedDocument>>,
    /// What models cost, by the model's name.
    prices: Option<BTreeMap<String, PriceDocument>>,
    /// The model that writes paraphrases of inputs; settings as for an agent. It must be another model than the agent's.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
    helper_model: Option<BTreeMap<String, Value>>,
    /// The model that judges replies (`judge:` in cases); settings as for an agent. Without it, the helper model judges. It
    /// must be of another family than the agent's model.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
    judge_model: Option<BTreeMap<String, Value>>,
    /// Another model that judges the same replies; settings as for an agent, and of another family than the first. Where
    /// one says that a check holds and the other that it fails, it is not assessable.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
    second_judge_model: Option<BTreeMap<String, Value>>,
    /// The endpoint that turns texts into vectors (`similar:` in cases).
    embeddings: Option<EmbeddingsReference>,
    /// Lets the helper model and the judge be the agent's own, or of its family.
    allow_same_model: Option<bool>,
    /// Regular expressions: whatever they match, no input mutator may change.
    protect: Option<Texts>,
    /// Further packs of input mutators: files or folders, relative to this file.
    mutators: Option<Texts>,
}

/// What a run may use.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LimitsDocument {
    /// Agent calls at the same time. Default 4.
    #[schemars(range(min = 1, max = 10_000))]
    jobs: Option<u64>,
    /// For one call: seconds (`30`, `0.5`) or with a unit (`500ms`, `30s`, `2m`, `1h`). Default 60 s.
    timeout: Option<Text>,
    /// Further tries after a fault of the transport. Default 3.
    #[schemars(range(min = 0, max = 100))]
    retries: Option<u64>,
    #[schemars(range(min = 1))]
    requests_per_minute: Option<u64>,
    /// Agent calls in one run.
    #[schemars(range(min = 1))]
    max_trials: Option<u64>,
    /// Money in one run, in the currency of `prices`.
    #[schemars(range(min = 0))]
    max_cost: Option<f64>,
    /// For one run, written like `timeout`: after it nothing more is asked, and what is out is waited for.
    max_time: Option<Text>,
    /// For one call's answer. Default 1 MiB.
    #[schemars(range(min = 1))]
    max_output_bytes: Option<u64>,
}

/// The strength of the test.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DesignDocument {
    /// The chance of a false kill. Default 0.05.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 0.5))]
    alpha: Option<f64>,
    /// The chance that a drop of `min_effect` is called survival. Default 0.05.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 0.5))]
    beta: Option<f64>,
    /// The drop in pass rate that must not be missed. Default 0.5.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    min_effect: Option<f64>,
    /// Where an arm ends without an answer. Default 20.
    #[schemars(range(min = 3, max = 100))]
    max_trials_per_arm: Option<u64>,
}

/// What makes a run end with exit code 1.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct GatesDocument {
    /// Case verdicts that are findings. Default: all of these.
    rules: Option<OneOrMany<GateVerdict>>,
    /// Whether an inert assertion is a finding. Default `ignore`.
    inert_assertions: Option<GateChoice>,
    /// Whether a case that passes in one phrasing only is a finding. Default `fail`.
    single_phrasing: Option<GateChoice>,
    /// Whether a case whose outcome the phrasing moves is a finding. Default `fail`.
    sensitive: Option<GateChoice>,
    /// The least consistency over the suite, above 0 and at most 1. Below it: a finding; where the interval holds both
    /// sides of it: not assessed.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    consistency_min: Option<f64>,
    /// The least share of the instructions' statements that a case must quote, above 0 and at most 1: for `mutate rules
    /// --coverage`.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    coverage_min: Option<f64>,
    /// The least share of the mutated transcripts, of those that are wrong, that the checks catch (`mutate matchers`);
    /// above 0 and at most 1. Below it: a finding; where there is none: not assessed.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    caught_min: Option<f64>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum OneOrMany<Item> {
    One(Item),
    Many(Vec<Item>),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum GateVerdict {
    Steerable,
    ModelDefault,
    Redundant,
    WrongReason,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum GateChoice {
    Fail,
    Ignore,
}

/// A finding that the team lives with.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct AcceptedDocument {
    /// Of a case, an assertion or a mutant.
    id: Text,
    /// Why, for the next reader.
    reason: Text,
}

/// What a model costs.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PriceDocument {
    /// For a million tokens that the model reads.
    #[schemars(range(min = 0))]
    input_per_million: f64,
    /// For a million tokens that the model writes.
    #[schemars(range(min = 0))]
    output_per_million: f64,
}

/// One case, a list of cases, or `cases:` with a list.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum CaseFile {
    One(Box<CaseDocument>),
    Many(Vec<CaseDocument>),
    Wrapped(Wrapper),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Wrapper {
    cases: Vec<CaseDocument>,
}

/// One golden case: an input, and checks that code can decide.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend(
    "anyOf" = [{"required": ["input"]}, {"required": ["prompt"]}, {"required": ["question"]}],
    "patternProperties" = {"^expect_.+": {"description": "`expect_NAME: VALUE`: the field NAME that the agent reports equals VALUE."}},
))]
pub(super) struct CaseDocument {
    /// A short name that is unique in the suite and never changes: evidence is kept by it. It may not end with `#` and a
    /// number, which name one of several rules of a case.
    id: Text,
    /// The user's message. It is sent as it stands.
    input: Option<Text>,
    /// Another spelling of `input`.
    prompt: Option<Text>,
    /// Another spelling of `input`.
    question: Option<Text>,
    /// Says that `{{…}}` in the texts of this case is meant for the agent, not a slot that somebody forgot to fill.
    literal: Option<bool>,
    /// The rule that this case was written from: its text as it stands in the instructions, or a mapping.
    rule: Option<RuleDocument>,
    /// Several rules; each is mutated alone.
    rules: Option<Vec<RuleDocument>>,
    /// Where the case comes from. Default `unlabeled`.
    provenance: Option<ProvenanceDocument>,
    /// Trials that the case asks for. Default 5.
    #[schemars(range(min = 1, max = 1000))]
    runs: Option<u64>,
    /// How many of them must pass: `4/5`, `80%`, `4` or `all`. Default all.
    pass_if: Option<Text>,
    /// Turns before the input.
    conversation: Option<Vec<TurnDocument>>,
    /// What the case's tools know.
    fixtures: Option<BTreeMap<String, Value>>,
    /// Phrasings of the input that a person wrote.
    paraphrases: Option<Texts>,
    /// Transcripts that must pass: `mutate matchers` changes them and looks whether the checks notice.
    examples: Option<Samples>,
    /// The recorded transcript of an incident, or several: `mutate matchers` reports a case that they pass.
    incident: Option<Samples>,
    /// The document or incident that the case was made from.
    source: Option<Text>,
    /// The date on which it was added.
    added: Option<Text>,
    owner: Option<Text>,
    tags: Option<Texts>,
    notes: Option<Text>,
    /// The checks, by kind; or a list of them, so that a kind can stand twice. docs/matchers.md has what each holds and
    /// fails on, and how texts and numbers are compared.
    expect: Option<ExpectReference>,
    /// Read as `expect: {tool_called: …}`.
    must_call: Option<Translated>,
    /// Read as `expect: {no_tool_called: …}`.
    forbid_call: Option<Translated>,
    /// Read as `expect: {reply_mentions: …}`.
    expect_contains: Option<Translated>,
    /// Read as `expect: {reply_mentions: …}`.
    expect_contains_all: Option<Translated>,
    /// Read as `expect: {reply_mentions_any: …}`.
    expect_contains_any: Option<Translated>,
    /// Read as `expect: {reply_does_not_mention: …}`.
    expect_not_contains: Option<Translated>,
    /// The right answer; `grader` says how it is compared.
    expected: Option<Translated>,
    /// Read as `reply_equals` (`exact_match`) or `reply_mentions` (`contains`) of `expected`.
    grader: Option<GraderDocument>,
    /// Read as `expect: {tool_called: …}`.
    expected_tool: Option<Translated>,
    /// Read as `expect: {reply_mentions: …}`.
    must_have: Option<Translated>,
    /// Read as `expect: {reply_does_not_mention: …}`.
    must_not_have: Option<Translated>,
    /// Kept as a note: code can't decide it.
    reference: Option<Translated>,
    /// Kept as a note: code can't decide it.
    criteria: Option<Translated>,
    /// Read as `expect: {reply_equals: …}`.
    label: Option<Translated>,
    /// Read as `expect: {reply_mentions_any: …}`, together with `label`.
    accept: Option<Translated>,
    /// Checks as types and values: `[{type: not-contains, value: refund}]`. Types that are not known are not scored.
    assert: Option<Vec<AssertDocument>>,
    /// `actions` are calls that must be made where `reward_basis` has `ACTION`; `communicate_info` are texts of the reply.
    evaluation_criteria: Option<BTreeMap<String, Value>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct AssertDocument {
    /// `equals`, `contains`, `regex`, …; with `not-` before it the opposite.
    r#type: Text,
    value: Option<Value>,
    metric: Option<Text>,
    description: Option<Text>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum RuleDocument {
    Quote(String),
    Whole(WholeRule),
}

/// A text quoted from the instructions.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct WholeRule {
    /// The text as it stands in the instructions; line breaks, bullets and emphasis may differ.
    quote: Text,
    /// One of the suite's instruction files. Without it the quote is looked for in all of them.
    file: Option<Text>,
    /// From 1: which statement is meant, where the quote stands several times.
    #[schemars(range(min = 1))]
    line: Option<u64>,
    /// The heading that the meant statement stands under.
    heading: Option<Text>,
    /// Further texts of the instructions that say the same in other words: they are deleted and turned around together
    /// with the quote. Every place where the quote itself stands is found without this.
    also: Option<Texts>,
    /// The rule's opposite in your own words.
    inverted: Option<Text>,
    /// An unrelated rule, quoted from the instructions, that the control arm deletes in place of one that is chosen for
    /// you: the case must pass without it.
    control: Option<Text>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum ProvenanceDocument {
    RuleDerived,
    IncidentDerived,
    ModelSwapGuard,
    Unlabeled,
}

/// One earlier turn.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TurnDocument {
    role: RoleDocument,
    content: Text,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum RoleDocument {
    User,
    Assistant,
    System,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum GraderDocument {
    ExactMatch,
    Contains,
}

/// Variants of a case's input that people have read, kept or refused.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct VariantsDocument {
    /// The case's id.
    case: Text,
    /// The case's input when the file was written: where the case has another one, the file is left aside.
    input: Text,
    variants: Option<Vec<VariantDocument>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct VariantDocument {
    /// The phrasing.
    text: Text,
    /// The mutator that made it. Absent: a person wrote it.
    mutator: Option<String>,
    /// Default `written`.
    kind: Option<Kind>,
    /// The seed that it was made with.
    seed: Option<u64>,
    /// False: it is never used again. Default true.
    keep: Option<bool>,
}
