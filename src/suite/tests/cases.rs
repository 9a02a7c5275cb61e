use super::*;
use crate::suite::{PassIf, Provenance};

const GOOD_TAIL: &str = "input: Hi\nexpect: {reply_mentions: [x]}\n";

/// Every native key once.
pub(super) const WHOLE: &str = r##"
id: refund-outside-window
input: "Refund order #4021, it arrived 45 days ago."
rule:
  quote: "Never refund an order older than 30 days."
  file: ./prompts/support.md
  line: 3
  heading: Rules
  also: ["Orders older than 30 days get no money back."]
  inverted: "Always refund an order, however old it is."
  control: "Greet every customer by name."
provenance: rule-derived
source: policy-2026-05
added: 2026-05-15
owner: mira
tags: [refunds, P0]
notes: from the policy
runs: 10
pass_if: 9/10
conversation:
  - {role: user, content: Hello}
  - {role: assistant, content: "How can I help?"}
fixtures: {orders: {"4021": {status: delivered, age_days: 45}}}
paraphrases: ["Please refund #4021, which came 45 days ago."]
expect:
  tool_called: [{get_order: {order_id: 4021}}]
  no_tool_called: [create_refund]
"##;

fn one(text: &str) -> Case {
    let mut cases = cases_of("cases/refund.yaml", text);
    assert_eq!(cases.len(), 1);
    cases.remove(0)
}

#[test]
fn every_key_of_a_case_is_read() {
    let case = one(WHOLE);
    assert_eq!(case.id, "refund-outside-window");
    assert_eq!(case.input, "Refund order #4021, it arrived 45 days ago.");
    let rule = &case.rules[0];
    assert_eq!(rule.quote, "Never refund an order older than 30 days.");
    assert_eq!(rule.file.as_deref(), Some(Path::new("prompts/support.md")));
    assert_eq!((rule.line, rule.heading.as_deref()), (Some(3), Some("Rules")));
    assert_eq!(rule.inverted.as_deref(), Some("Always refund an order, however old it is."));
    assert_eq!(rule.also, ["Orders older than 30 days get no money back."]);
    assert_eq!(rule.control.as_deref(), Some("Greet every customer by name."));
    assert_eq!(rule.place.to_string(), "cases/refund.yaml:5:10");
    assert_eq!(case.provenance, Provenance::RuleDerived);
    assert_eq!(case.added.as_deref(), Some("2026-05-15"));
    assert_eq!(case.tags, ["refunds", "P0"]);
    assert_eq!((case.runs, case.pass_if), (10, PassIf { passes: 9, of: 10 }));
    assert_eq!(case.conversation[1].content, "How can I help?");
    assert_eq!(case.fixtures["orders"]["4021"]["age_days"], 45);
    assert_eq!(case.paraphrases.len(), 1);
    assert_eq!(
        checks(&case),
        [r#"tool_called [{"get_order":{"order_id":4021}}]"#, r#"no_tool_called ["create_refund"]"#]
    );
    assert_eq!(case.place.to_string(), "cases/refund.yaml:2:5");
}

#[test]
fn a_kind_that_stands_twice_in_a_list_gets_a_number() {
    let case = one("id: a\ninput: Hi\nexpect:\n- reply_mentions: [x]\n- tool_called: [t]\n- reply_mentions: [y]\n");
    assert_eq!(checks(&case), [r#"reply_mentions ["x"]"#, r#"tool_called ["t"]"#, r#"reply_mentions#2 ["y"]"#]);
}

#[test]
fn words_that_look_like_booleans_and_numbers_stay_text() {
    let case = one("id: 010\ninput: no\nowner: on\ntags: [yes, 1.10]\nexpect: {reply_mentions: [no, 007]}\n");
    assert_eq!((case.id.as_str(), case.input.as_str()), ("010", "no"));
    assert_eq!(case.owner.as_deref(), Some("on"));
    assert_eq!(case.tags, ["yes", "1.10"]);
    assert_eq!(checks(&case), [r#"reply_mentions ["no","007"]"#]);
}

#[test]
fn a_rule_is_a_text_or_one_of_a_list() {
    let case = one(&format!("id: a\nrule: Never refund.\n{GOOD_TAIL}"));
    assert_eq!(case.rules[0].quote, "Never refund.");
    let case = one(&format!("id: a\nrules: [Never refund., {{quote: Be kind.}}]\n{GOOD_TAIL}"));
    assert_eq!(case.rules.iter().map(|rule| rule.quote.as_str()).collect::<Vec<_>>(), ["Never refund.", "Be kind."]);
}

#[test]
fn lists_wrappers_and_documents_hold_cases() {
    let two = |a: &str, b: &str| format!("{a}id: a\n  input: Hi\n  expect: {{field: {{x: 1}}}}\n{b}");
    let second = "- id: b\n  input: Ho\n  expect: {field: {x: 1}}\n";
    let ids = |text: &str| cases_of("cases/x.yaml", text).iter().map(|case| case.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&two("- ", second)), ["a", "b"]);
    assert_eq!(ids(&format!("cases:\n{}", two("- ", second))), ["a", "b"]);
    assert_eq!(ids(&format!("---\nid: c\n{GOOD_TAIL}---\nid: d\n{GOOD_TAIL}---\n")), ["c", "d"]);
}

#[test]
fn json_with_surrogate_pairs_and_tabs_is_read() {
    let text = "{\"cases\":\t[{\"id\": \"a\", \"input\": \"Hi \\ud83d\\ude00 a\\/b\", \"runs\":\t2,\r\n \"expect\": {\"reply_mentions\": [\"no\", 4]}}]}";
    let cases = cases_of("cases/x.json", text);
    assert_eq!(cases[0].input, "Hi 😀 a/b");
    assert_eq!(cases[0].runs, 2);
    assert_eq!(checks(&cases[0]), [r#"reply_mentions ["no",4]"#]);
}

#[test]
fn a_line_of_jsonl_is_found_by_line_and_column() {
    let line =
        |id: &str| format!("{{\"id\": \"{id}\", \"input\": \"Hi\", \"expect\": {{\"field\": {{\"x\": 1}}}}}}\r\n");
    let cases = cases_of("cases/x.jsonl", &format!("{}\n{}", line("a"), line("b")));
    assert_eq!(cases[1].place.to_string(), "cases/x.jsonl:3:8");
    let broken = format!("{}{{\"id\": \"b\", \"input\" \"Hi\"}}\n{{\"id\": \"c\", \"inpud\": \"Hi\"}}\n", line("a"));
    assert_eq!(
        Folder::good().with("cases/x.jsonl", broken).mistakes(),
        [
            "cases/x.jsonl:2:21: not valid JSON: expected `:` after the key",
            "cases/x.jsonl:3:1: a case needs `input`",
            "cases/x.jsonl:3:8: case `c` has no check: it can't fail",
            "cases/x.jsonl:3:13: unknown key `inpud` in a case",
        ]
    );
}

#[test]
fn several_objects_in_one_json_file_get_a_hint() {
    let rendered = Folder::good().with("cases/x.json", "{\"id\": \"a\"}\n{\"id\": \"b\"}\n").rendered();
    assert!(rendered.contains("cases/x.json:2:1"), "{rendered}");
    assert!(rendered.contains("`.jsonl`"), "{rendered}");
}

#[test]
fn an_unknown_key_names_the_nearest_one() {
    let rendered =
        Folder::good().with("cases/refund.yaml", format!("id: a\nprovenence: unlabeled\n{GOOD_TAIL}")).rendered();
    assert!(rendered.contains("unknown key `provenence` in a case"), "{rendered}");
    assert!(rendered.contains("cases/refund.yaml:2:1"), "{rendered}");
    assert!(rendered.contains("did you mean `provenance`?"), "{rendered}");
}

#[test]
fn keys_of_other_formats_say_what_to_write() {
    let rendered = Folder::good().with("cases/refund.yaml", format!("id: a\nideal: x\n{GOOD_TAIL}")).rendered();
    assert!(rendered.contains("unknown key `ideal`"), "{rendered}");
    assert!(rendered.contains("`grader: exact_match`"), "{rendered}");
}

#[test]
fn a_doubled_key_is_an_error() {
    assert_eq!(
        case_mistakes(&format!("id: a\nruns: 3\nruns: 4\n{GOOD_TAIL}")),
        ["cases/refund.yaml:3:1: the key `runs` stands here twice"]
    );
}

#[test]
fn a_doubled_id_names_both_places() {
    let folder = Folder::good().with("cases/b.yaml", CASE);
    assert_eq!(folder.mistakes(), ["cases/refund.yaml:1:5: the case id `refund` is used twice"]);
    assert!(folder.rendered().contains("cases/b.yaml:1:5"), "{}", folder.rendered());
}

#[test]
fn ids_that_differ_in_case_only_are_a_warning() {
    let loaded = Folder::good().with("cases/b.yaml", format!("id: Refund\n{GOOD_TAIL}")).load();
    assert_eq!(
        mistakes(&loaded),
        ["cases/refund.yaml:1:5: the case ids `Refund` and `refund` differ in letter case only"]
    );
    assert!(loaded.suite.is_some());
}

#[test]
fn an_id_is_needed_and_may_not_hold_everything() {
    assert_eq!(case_mistakes(GOOD_TAIL), ["cases/refund.yaml:1:1: a case needs `id`"]);
    for (id, reason) in [
        ("a*b", "the id \"a*b\" holds the character '*'"),
        ("\"\"", "the id \"\" is empty"),
        ("../etc", "the id \"../etc\" has a part between slashes that is empty or only dots"),
        ("'a  b'", "the id \"a  b\" has a space at an end, or two together"),
        ("\"a\\tb\"", "the id \"a\\tb\" holds the character '\\t'"),
        (
            "'both#2'",
            "the id \"both#2\" is reserved: `#` and a number at the end name one of several rules of a case (`both#2` is the second rule of `both`)",
        ),
        ("[a]", "`id` must be text, but this is a list"),
    ] {
        assert_eq!(case_mistakes(&format!("id: {id}\n{GOOD_TAIL}")), [format!("cases/refund.yaml:1:5: {reason}")]);
    }
    for id in ["T-1.2", "área/devolución 1", "10", "a:b", "#7", "both#", "both#2b", "order #4021"] {
        assert_eq!(case_mistakes(&format!("id: \"{id}\"\n{GOOD_TAIL}")), [""; 0], "{id}");
    }
}

#[test]
fn a_case_that_cannot_fail_is_an_error() {
    for expect in ["expect: {}", "expect: []", "expect:", "expect: ~"] {
        assert_eq!(
            case_mistakes(&format!("id: a\ninput: Hi\n{expect}\n")),
            ["cases/refund.yaml:3:1: `expect` is empty: this case can't fail"]
        );
    }
    assert_eq!(case_mistakes("id: a\ninput: Hi\n"), ["cases/refund.yaml:1:5: case `a` has no check: it can't fail"]);
}

#[test]
fn a_malformed_expect_is_an_error() {
    let of = |expect: &str| case_mistakes(&format!("id: a\ninput: Hi\nexpect: {expect}\n"));
    assert_eq!(of("be nice"), ["cases/refund.yaml:3:9: `expect` must be a mapping of checks, but this is text"]);
    assert_eq!(
        of("[be nice]"),
        ["cases/refund.yaml:3:10: an entry of `expect` must be `kind: value`, but this is text"]
    );
    assert_eq!(
        of("[{reply_mentions: x, reply_equals: y}]"),
        ["cases/refund.yaml:3:30: an entry of the list `expect` holds one check"]
    );
    assert_eq!(of("{reply_mention: x}"), ["cases/refund.yaml:3:10: unknown check `reply_mention`"]);
}

#[test]
fn a_matcher_that_is_refused_in_silence_is_still_an_error() {
    let folder = Folder::good();
    let loaded = load_with(folder.dir.path(), &environment, &|_, _, _| None);
    assert!(loaded.suite.is_none());
    assert_eq!(mistakes(&loaded), ["cases/refund.yaml:3:10: this check can't be read"]);
}

#[test]
fn an_empty_input_or_quote_is_an_error() {
    let expect = "expect: {reply_mentions: [x]}\n";
    for input in ["input:", "input: ~"] {
        assert_eq!(case_mistakes(&format!("id: a\n{input}\n{expect}")), ["cases/refund.yaml:2:1: `input` is empty"]);
    }
    assert_eq!(case_mistakes(&format!("id: a\ninput: \" \"\n{expect}")), ["cases/refund.yaml:2:8: `input` is empty"]);
    assert_eq!(
        case_mistakes(&format!("id: a\ninput: [{{role: user}}]\n{expect}")),
        ["cases/refund.yaml:2:8: `input` must be text, but this is a list"]
    );
    for (rule, at) in [("\"\"", "2:7"), ("{quote: ''}", "2:15"), ("{quote: }", "2:8")] {
        assert_eq!(
            case_mistakes(&format!("id: a\nrule: {rule}\n{GOOD_TAIL}")),
            [format!("cases/refund.yaml:{at}: the quote of a rule is empty")]
        );
    }
    assert_eq!(
        case_mistakes(&format!("id: a\nrule: {{line: 3}}\n{GOOD_TAIL}")),
        ["cases/refund.yaml:2:7: a rule needs `quote`"]
    );
}

#[test]
fn pass_if_is_read_in_all_its_forms() {
    for (text, runs, passes) in [
        ("pass_if: 5/5", 5, 5),
        ("runs: 10\npass_if: 80%", 10, 8),
        ("runs: 10\npass_if: 70%", 10, 7),
        ("runs: 1000\npass_if: 1.1%", 1000, 11),
        ("runs: 3\npass_if: 50 %", 3, 2),
        ("pass_if: 4", 5, 4),
        ("pass_if: 2/3", 3, 2),
        ("runs: 4\npass_if: all", 4, 4),
        ("runs: 2", 2, 2),
        ("tags: []", 5, 5),
    ] {
        let case = one(&format!("id: a\n{text}\n{GOOD_TAIL}"));
        assert_eq!((case.runs, case.pass_if), (runs, PassIf { passes, of: runs }), "{text}");
    }
}

#[test]
fn a_pass_if_that_no_run_can_meet_or_miss_is_an_error() {
    let of = |text: &str| case_mistakes(&format!("id: a\n{text}\n{GOOD_TAIL}"));
    assert_eq!(
        of("pass_if: 6/5"),
        ["cases/refund.yaml:2:10: `pass_if: 6/5` asks for more passes than there are runs (5)"]
    );
    assert_eq!(
        of("pass_if: 120%"),
        ["cases/refund.yaml:2:10: `pass_if: 120%` asks for more passes than there are runs (5)"]
    );
    assert_eq!(of("pass_if: 0/5"), ["cases/refund.yaml:2:10: `pass_if: 0/5` asks for no pass at all"]);
    assert_eq!(of("pass_if: 0%"), ["cases/refund.yaml:2:10: `pass_if: 0%` asks for no pass at all"]);
    assert_eq!(
        of("pass_if: 0/0"),
        ["cases/refund.yaml:2:10: `pass_if: 0/0` speaks of 0 runs; from 1 to 1000 are possible"]
    );
    assert_eq!(of("pass_if: often"), ["cases/refund.yaml:2:10: `pass_if` can't be read: `often`"]);
    assert_eq!(of("pass_if: 0.8"), ["cases/refund.yaml:2:10: `pass_if` can't be read: `0.8`"]);
    assert_eq!(of("runs: 0"), ["cases/refund.yaml:2:7: `runs` must be a whole number from 1 to 1000, not 0"]);
    assert_eq!(of("runs: 3\npass_if: 4/5"), ["cases/refund.yaml:3:10: `pass_if` speaks of 5 runs, but `runs` is 3"]);
    assert_eq!(of("runs: 10\npass_if: 4/5"), ["cases/refund.yaml:3:10: `pass_if` speaks of 5 runs, but `runs` is 10"]);
}

#[test]
fn a_slot_that_nobody_fills_is_an_error() {
    let expect = "expect: {reply_mentions: [x]}\n";
    let of = |input: &str| case_mistakes(&format!("id: a\n{input}\n{expect}"));
    assert_eq!(
        of("input: \"Hi {{ name }}, hello\""),
        ["cases/refund.yaml:2:12: `{{ name }}` in the input of case `a` is filled by nobody"]
    );
    assert_eq!(
        of("input: Hi\nconversation: [{role: user, content: 'It is {{env.TOPIC}}'}]"),
        ["cases/refund.yaml:3:45: `{{env.TOPIC}}` in the conversation of case `a` is filled by nobody"]
    );
    assert_eq!(of("input: \"Hi {{ name }}\"\nliteral: true"), [""; 0]);
    assert_eq!(of("input: 'range ^{{Ω}rel } is {{\"a\": 1}} and ${HOME}'"), [""; 0]);
}

#[test]
fn a_rule_file_must_be_among_the_instructions() {
    let folder = Folder::good().with(
        "cases/refund.yaml",
        format!("id: a\nrule: {{quote: Never refund., file: prompts/suport.md}}\n{GOOD_TAIL}"),
    );
    assert_eq!(
        folder.mistakes(),
        ["cases/refund.yaml:2:36: `prompts/suport.md` is not among the suite's instructions"]
    );
    assert!(folder.rendered().contains("did you mean `prompts/support.md`?"), "{}", folder.rendered());
}

#[test]
fn a_rule_in_a_suite_without_instructions_is_one_error() {
    let folder = Folder::good()
        .with("mutate.yaml", "agents: {bot: {}}\n")
        .with("cases/refund.yaml", "- id: a\n  rule: X\n  input: Hi\n  expect: {field: {x: 1}}\n- id: b\n  rule: Y\n  input: Hi\n  expect: {field: {x: 1}}\n");
    assert_eq!(folder.mistakes(), ["cases/refund.yaml:2:9: a case quotes a rule, but the suite names no instructions"]);
}

#[test]
fn what_is_wrong_with_a_rule_is_said() {
    let of = |rule: &str| case_mistakes(&format!("id: a\n{rule}\n{GOOD_TAIL}"));
    assert_eq!(
        of("rule: {quote: X, line: 0}"),
        ["cases/refund.yaml:2:24: `line` must be a whole number from 1 to 4294967295, not 0"]
    );
    assert_eq!(of("rule: X\nrules: [Y]"), ["cases/refund.yaml:3:1: `rule` and `rules` say the same thing"]);
    assert_eq!(of("rule: [X]"), ["cases/refund.yaml:2:7: `rule` is one rule, but this is a list"]);
    assert_eq!(of("rules: X"), ["cases/refund.yaml:2:8: `rules` must be a list, but this is text"]);
    assert_eq!(of("rules: [X, X]"), ["cases/refund.yaml:2:12: this rule is quoted twice in one case"]);
    assert_eq!(of("rule: {quote: X, inverted: X}"), ["cases/refund.yaml:2:28: `inverted` is the rule itself"]);
    assert_eq!(of("rule: {quote: X, inverted: ''}"), ["cases/refund.yaml:2:28: `inverted` is empty"]);
    assert_eq!(of("rule: {quote: X, control: ' '}"), ["cases/refund.yaml:2:27: `control` is empty"]);
    assert_eq!(of("rule: {quote: X, control: X}"), ["cases/refund.yaml:2:27: `control` is the rule itself"]);
    assert_eq!(of("rule: {quote: X, also: Y, control: Y}"), ["cases/refund.yaml:2:36: `control` is the rule itself"]);
    assert_eq!(
        of("rule: {quote: X, control: [Y]}"),
        ["cases/refund.yaml:2:27: `control` must be text, but this is a list"]
    );
    assert_eq!(of("rule: {quote: X, also: [Y, '']}"), ["cases/refund.yaml:2:28: `also` holds an empty text"]);
    assert_eq!(of("rule: {quote: X, also: [Y, X]}"), ["cases/refund.yaml:2:28: `also` says what is quoted already"]);
    assert_eq!(of("rule: {quote: X, also: [Y, Y]}"), ["cases/refund.yaml:2:28: `also` says what is quoted already"]);
    assert_eq!(
        of("rule: {quote: X, also: {a: b}}"),
        ["cases/refund.yaml:2:24: `also` must hold texts, but this is a mapping"]
    );
    assert_eq!(of("rule: {quote: X, also: Y, control: Z}"), [""; 0]);
}

#[test]
fn other_values_of_a_wrong_kind_are_errors() {
    let of = |text: &str| case_mistakes(&format!("id: a\n{text}\n{GOOD_TAIL}"));
    assert_eq!(of("provenance: rule_derived"), ["cases/refund.yaml:2:13: `provenance` can't be `rule_derived`"]);
    assert_eq!(
        of("fixtures: [1]"),
        ["cases/refund.yaml:2:11: `fixtures` must be a mapping of names to values, but this is a list"]
    );
    assert_eq!(of("conversation: [{role: bot, content: x}]"), ["cases/refund.yaml:2:23: `role` can't be `bot`"]);
    assert_eq!(of("conversation: [{role: user}]"), ["cases/refund.yaml:2:16: a turn needs `content`"]);
    assert_eq!(
        of("paraphrases: [Hi]"),
        ["cases/refund.yaml:2:15: this phrasing stands here already: a paraphrase must differ"]
    );
    assert_eq!(of("literal: yes"), ["cases/refund.yaml:2:10: `literal` must be true or false, but this is text"]);
    assert_eq!(
        case_mistakes("- hello\n"),
        ["cases/refund.yaml:1:3: a case must be a mapping of keys to values, but this is text"]
    );
}

#[test]
fn a_file_of_another_format_is_one_error() {
    let folder = Folder::good().with("cases/refund.yaml", "prompts: [x]\nproviders: [y]\ntests: [z]\n");
    assert_eq!(
        folder.mistakes(),
        ["cases/refund.yaml:1:1: this is no case: it has neither `id` nor `input` nor `expect`"]
    );
    assert!(folder.rendered().contains("has `prompts`, `providers`, `tests`"), "{}", folder.rendered());
}
