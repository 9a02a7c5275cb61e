use proptest::prelude::*;
use serde_json::json;

use super::*;

/// At least one value of every kind and of every form; `field` with `exists: false` is the one that silence satisfies
/// though its kind asks for something.
pub const EXAMPLES: &[&str] = &[
    "extract: {path: 'answer.text', reply_mentions: a, reply_does_not_mention: 退款}",
    "extract: {pattern: '(?s)^.(.*)', reply_max_words: 5, reply_affirms: refund}",
    "reply_mentions: 30 days",
    "reply_mentions: [30 days, {text: fund, whole_words: false}]",
    "reply_mentions: {text: [Refund, '-5'], case_sensitive: true}",
    "reply_mentions_any: [sorry, 退款, $7]",
    "reply_mentions: [{number: 30}, {number: $7, tolerance: 0.5}, {number: 5%, words: true}]",
    "reply_does_not_mention: {number: -10}",
    "reply_affirms: [30 days, refund]",
    "reply_affirms: [{text: Refund, case_sensitive: true}, {number: 10}]",
    "reply_does_not_mention: [refunded, '10', ß]",
    r"reply_matches: '\d+ days'",
    "reply_matches: {pattern: [refund, days$], case_sensitive: false}",
    r"reply_does_not_match: '\brefund'",
    "reply_equals: approved",
    "reply_equals: {text: Approved, exact: true}",
    "reply_starts_with: Dear",
    "reply_ends_with: {text: logged., whole_words: false}",
    "reply_is_json: true",
    "reply_is_json: {type: object}",
    "reply_is_json: {strict: true, schema: {type: array}}",
    "reply_is_json: {anywhere: true}",
    "reply_max_words: 5",
    "reply_min_words: 2",
    "tool_called: get_order",
    "tool_called: [{get_order: {id: 4021}}, {name: search, arguments: {q: a}, times: 2, exact: true}]",
    "tool_called: {name: search, arguments: {q: a}, where: [{path: id, matches: '^4'}, {path: a, exists: false}], exact: true, ignore: b}",
    "no_tool_called: {name: search, where: {path: id, equals: 40, tolerance: 2.5}}",
    "no_tool_called: true",
    "no_tool_called: [create_refund, {name: search, arguments: {q: a}, lenient_types: true}]",
    "tool_order: [get_order, [search, create_refund], get_order]",
    "tool_order: {steps: [search, create_refund], same_turn: true}",
    "tools_called_exactly: [get_order, {search: {q: a}}]",
    "tools_called_exactly: {calls: [search], repeats: true}",
    "max_tool_calls: 2",
    "max_tool_calls: {search: 1}",
    "field: {path: status, equals: open}",
    "field: [{path: 'a.b[0]', at_least: 1, at_most: 5, lenient_types: true}, {path: status, one_of: [a, 1], exists: true}]",
    "field: {path: status, matches: o}",
    "field: {path: a, equals: 4.5, tolerance: 0.1}",
];

#[test]
fn every_kind_stands_among_the_examples() {
    for kind in kinds() {
        assert!(
            EXAMPLES.iter().chain(super::outside::OUTSIDE).any(|yaml| yaml.starts_with(&format!("{}:", kind.name))),
            "{}",
            kind.name
        );
    }
}

#[test]
fn silence_fails_whatever_asks_and_satisfies_whatever_forbids() {
    let nothing = Transcript { tool_calls: Some(vec![]), ..Transcript::default() };
    let empty = Transcript { reply: Some(String::new()), ..nothing.clone() };
    let blank = Transcript { reply: Some(" \n\t".to_owned()), ..nothing.clone() };
    for yaml in EXAMPLES {
        let matcher = matcher(yaml);
        for silent in [&nothing, &empty, &blank] {
            assert_eq!(matcher.judge(silent).holds(), Some(matcher.is_negative()), "{yaml} on {silent:?}");
        }
    }
}

#[test]
fn a_missing_reply_is_named() {
    let finding = finding(matcher("reply_mentions: x").judge(&Transcript::default()));
    assert_eq!(finding.reason, "the agent gave no reply");
}

#[test]
fn an_errored_trial_is_not_assessable_by_any_matcher() {
    let errored = Transcript {
        reply: Some("30 days".to_owned()),
        tool_calls: Some(vec![]),
        error: Some("timed out".to_owned()),
        ..Transcript::default()
    };
    for yaml in EXAMPLES {
        assert_eq!(matcher(yaml).judge(&errored).holds(), None, "{yaml}");
    }
}

#[test]
fn tools_that_are_not_reported_are_not_assessable() {
    for yaml in EXAMPLES.iter().filter(|yaml| yaml.contains("tool")) {
        let outcome = matcher(yaml).judge(&Transcript::text("Done."));
        assert_eq!(outcome, Outcome::NotAssessable("this agent does not report its tool calls".to_owned()), "{yaml}");
    }
}

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "30",
        "days",
        "refund",
        "10",
        ",000",
        "000",
        ".",
        "-",
        "$7",
        "**",
        "_",
        "`",
        "```json\n",
        "{",
        "}",
        "\"",
        "\\",
        " ",
        "\n",
        "\u{a0}",
        "&nbsp;",
        "&",
        "ß",
        "İ",
        "ﷺ",
        "é",
        "\u{301}",
        "ｶ",
        "ﾞ",
        "½",
        "²",
        "退款",
        "not ",
        "can't ",
        "five ",
        "% ",
        "? ",
        ". ",
        "you asked ",
        "but ",
        "\n- ",
        "\n> ",
        "한",
        "’",
        "t",
        "…",
        "\u{200b}",
        "🙂",
        "approved",
        "Dear",
        "sorry",
        "\u{0}",
    ]);
    prop_oneof![prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat()), any::<String>()]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop::sample::select(vec!["q", "id", "a", "b"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

fn transcript() -> impl Strategy<Value = Transcript> {
    let name = prop::sample::select(vec!["get_order", "search", "create_refund", "other", ""]);
    let one = (name, value(), 0..3_u32, any::<bool>()).prop_map(|(name, arguments, turn, malformed)| ToolCall {
        turn,
        malformed,
        ..call(name, arguments)
    });
    let fields = prop::collection::vec((prop::sample::select(vec!["status", "a"]), value()), 0..3);
    (prop::option::of(text()), prop::option::of(prop::collection::vec(one, 0..6)), fields, any::<bool>()).prop_map(
        |(reply, tool_calls, fields, truncated)| Transcript {
            reply,
            tool_calls,
            truncated,
            fields: fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            ..Transcript::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    #[test]
    fn no_matcher_panics_on_any_transcript_and_places_lie_in_the_reply(transcript in transcript()) {
        let bare = View::bare(&transcript);
        for yaml in EXAMPLES {
            let matcher = matcher(yaml);
            let outcome = matcher.judge(&transcript);
            prop_assert_eq!(matcher.judge_view(&bare).holds(), outcome.holds(), "{}: a verdict alone is the same", yaml);
            match outcome {
                Outcome::Holds(finding) | Outcome::Fails(finding) => {
                    prop_assert!(!finding.reason.is_empty());
                    if let Some(at) = finding.at {
                        let reply = transcript.reply.as_deref().unwrap_or_default();
                        prop_assert!(reply.get(at.clone()).is_some_and(|text| !text.is_empty()), "{yaml}: {at:?}");
                    }
                    prop_assert!(finding.found.is_none_or(|found| found.chars().count() <= 170));
                }
                Outcome::NotAssessable(why) => prop_assert!(!why.is_empty()),
            }
        }
    }

    #[test]
    fn whatever_a_cut_reply_settles_stays_so_however_it_goes_on(start in text(), rest in text()) {
        let whole = format!("{start}{rest}");
        for yaml in EXAMPLES.iter().filter(|yaml| yaml.starts_with("reply_")) {
            let matcher = matcher(yaml);
            if let Some(settled) = matcher.judge(&cut(&start)).holds() {
                prop_assert_eq!(matcher.judge(&Transcript::text(whole.as_str())).holds(), Some(settled), "{}", yaml);
            }
        }
    }

    #[test]
    fn an_outcome_is_written_as_json_and_read_back(transcript in transcript()) {
        for yaml in EXAMPLES {
            let outcome = matcher(yaml).judge(&transcript);
            let written = serde_json::to_string(&outcome).expect("an outcome is JSON");
            prop_assert_eq!(serde_json::from_str::<Outcome>(&written).expect("what was written"), outcome);
        }
    }

    #[test]
    fn the_same_transcript_gives_the_same_outcome_whoever_looked_first(transcript in transcript(), first in 0..EXAMPLES.len()) {
        let shared = View::of(&transcript);
        for step in 0..EXAMPLES.len() {
            let yaml = EXAMPLES[(first + step) % EXAMPLES.len()];
            let matcher = matcher(yaml);
            let alone = matcher.judge(&transcript);
            prop_assert_eq!(matcher.judge_view(&shared), alone.clone(), "{}", yaml);
            prop_assert_eq!(matcher.judge(&transcript), alone, "{}", yaml);
        }
    }

    #[test]
    fn what_asks_for_something_fails_on_an_agent_that_said_and_did_nothing(blank in "[ \\n\\t\u{a0}\u{200b}]{0,8}") {
        let silent = Transcript { reply: Some(blank), tool_calls: Some(vec![]), ..Transcript::default() };
        for yaml in EXAMPLES {
            let matcher = matcher(yaml);
            prop_assert_eq!(matcher.judge(&silent).holds(), Some(matcher.is_negative()), "{}", yaml);
        }
    }

    #[test]
    fn many_needles_are_found_as_each_alone_is(reply in text(), cut in any::<bool>()) {
        let transcript = Transcript { truncated: cut, ..Transcript::text(reply.as_str()) };
        for word in ["30", "days", "10", "refund", "fund", "退款", "can", "t", "not", "ap", "00", "1000", "ﷺ", "½"] {
            let alone = matcher(&format!("reply_mentions: {}", json!(word))).judge(&transcript).holds();
            let others = (0..20).map(|n| format!("absent{n}"));
            let list = Value::from(others.chain([word.to_owned()]).collect::<Vec<String>>());
            prop_assert_eq!(matcher(&format!("reply_mentions_any: {list}")).judge(&transcript).holds(), alone, "{}", word);
        }
    }

    #[test]
    fn folding_a_folded_text_changes_nothing_that_is_compared(text in "[a-zA-Z0-9 ,.’“”–éßA]{0,40}") {
        let once = Folded::new(&text, false).text().to_owned();
        let twice = Folded::new(&once, false).text().to_owned();
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn a_word_of_the_reply_is_always_mentioned(before in text(), word in "[a-z]{3,8}", after in text()) {
        let reply = format!("{before} {word} {after}");
        let yaml = format!("reply_mentions: '{word}'");
        prop_assert!(holds(&yaml, &reply));
    }
}

#[test]
fn every_matcher_describes_itself_in_one_short_line() {
    for yaml in EXAMPLES {
        let described = matcher(yaml).describe();
        assert!(!described.is_empty() && !described.contains('\n'), "{yaml}: {described}");
    }
    assert_eq!(matcher("reply_mentions: [30 days, policy]").describe(), "\"30 days\" and \"policy\"");
    assert_eq!(matcher("field: {path: status, equals: open}").describe(), "status = \"open\"");
    assert_eq!(json!(matcher("no_tool_called: create_refund").describe()), json!("create_refund"));
}
