use super::*;

#[track_caller]
fn refuses(yaml: &str, expected: &[&str]) {
    let rendered = refused(yaml);
    assert!(rendered.contains("case.yaml:"), "no place in: {rendered}");
    for part in expected {
        assert!(rendered.contains(part), "{part:?} is not in: {rendered}");
    }
}

#[test]
fn an_unknown_kind_is_answered_with_the_nearest() {
    refuses("reply_mention: x", &["unknown kind of assertion `reply_mention`", "did you mean `reply_mentions`?"]);
    refuses("must_call: x", &["did you mean `tool_called`?"]);
    refuses("expect_contains_any: x", &["did you mean `reply_mentions_any`?"]);
    refuses("zzz: x", &["known kinds: reply_mentions,"]);
}

#[test]
fn texts_that_check_nothing_are_refused() {
    for kind in ["reply_mentions", "reply_mentions_any", "reply_does_not_mention"] {
        refuses(&format!("{kind}: ''"), &["has an empty text"]);
        refuses(&format!("{kind}: [a, \"\\u200b\"]"), &["has an empty text"]);
        refuses(&format!("{kind}: []"), &["has an empty list"]);
        refuses(&format!("{kind}: '?!'"), &["is only punctuation", "`whole_words` doesn't apply"]);
        refuses(&format!("{kind}:"), &["wants text, but this is nothing"]);
        refuses(&format!("{kind}: true"), &["wants text, but this is `true`", "in quotes: 'true'"]);
        refuses(&format!("{kind}: [[a]]"), &["a list in a list"]);
        refuses(&format!("{kind}: {{text: a, whole_word: true}}"), &["unknown key `whole_word`", "`whole_words`"]);
    }
    refuses("reply_starts_with: ''", &["has an empty text"]);
    refuses("reply_ends_with: [a, b]", &["wants one text, but this is a list"]);
    refuses("reply_equals: true", &["wants text"]);
}

#[test]
fn every_mistake_of_a_list_is_told_in_one_go() {
    let rendered = refused("reply_mentions: ['', true, '!']");
    assert_eq!(rendered.matches("error:").count(), 3, "{rendered}");
}

#[test]
fn a_doubled_needle_is_a_warning() {
    let (matcher, rendered) = load("reply_mentions: [30 days, '30 Days', policy]");
    assert!(rendered.contains("warning") && rendered.contains("stands in this list twice"), "{rendered}");
    assert_eq!(matcher.expect("a matcher").literals(), ["30 days", "policy"]);
}

#[test]
fn a_pattern_that_cannot_work_is_refused_with_the_reason() {
    refuses("reply_matches: '(a'", &["no valid regular expression: unclosed group"]);
    refuses("reply_matches: '(?!a)b'", &["look-around", "reply_does_not_match"]);
    refuses(r"reply_matches: '(a)\1'", &["backreferences"]);
    refuses("reply_matches: '.*'", &["matches the empty text", "allow_empty: true"]);
    refuses("reply_does_not_match: 'a?'", &["could never hold"]);
    refuses("reply_matches: ''", &["empty pattern"]);
    refuses("reply_matches: []", &["empty list"]);
    assert!(holds("reply_matches: {pattern: '^$', allow_empty: true}", ""));
}

#[test]
fn a_schema_that_is_none_is_refused_where_it_is_wrong() {
    refuses("reply_is_json: false", &["must be `true` or a JSON Schema, not false"]);
    refuses("reply_is_json: {}", &["empty schema"]);
    refuses("reply_is_json: {type: objekt}", &["`objekt` is no type"]);
    refuses("reply_is_json: {type: object, required: status}", &["no valid JSON Schema"]);
    refuses("reply_is_json: {properties: {a: {type: strng}}}", &["no valid JSON Schema"]);
    refuses("reply_is_json: {strict: yes}", &["must be true or false"]);
}

#[test]
fn limits_are_whole_numbers() {
    refuses("reply_max_words: few", &["must be a whole number of at least 1, not few"]);
    refuses("reply_min_words: 0", &["at least 1", "reply_equals"]);
    refuses("max_tool_calls: -1", &["at least 0, not -1"]);
    refuses("max_tool_calls: {search: 0}", &["no_tool_called: search"]);
}

#[test]
fn tools_are_named_strictly() {
    refuses("tool_called: []", &["empty list"]);
    refuses("tool_called: true", &["wants text, but this is `true`"]);
    refuses("no_tool_called: false", &["says nothing"]);
    refuses("tool_called: {get_order: 4021}", &["the arguments of `get_order` must be a mapping"]);
    refuses("tool_called: {tool: get_order, args: {a: 1}}", &["a tool call needs `name`", "unknown key `tool`"]);
    refuses("tool_called: {name: a, argumnts: {b: 1}}", &["unknown key `argumnts`", "did you mean `arguments`?"]);
    refuses("tool_called: {name: a, exact: true}", &["`exact` says how arguments are compared"]);
    refuses("tool_called: {name: a, times: 0}", &["at least 1"]);
    refuses("no_tool_called: {name: a, times: 2}", &["unknown key `times`"]);
    refuses("tool_order: [a]", &["at least two steps"]);
    refuses("tool_order: a", &["wants a list"]);
    refuses("tools_called_exactly: []", &["no_tool_called: true"]);
}

#[test]
fn conditions_on_a_field_that_contradict_are_refused() {
    refuses("field: {path: a, at_least: 5, at_most: 4}", &["no number is at least 5 and at most 4"]);
    refuses("field: {path: a, exists: false, equals: 1}", &["must not exist"]);
    refuses("field: {path: a}", &["says nothing of the field"]);
    refuses("field: {path: a, lenient_types: true}", &["says nothing of the field"]);
    refuses("field: {equals: 1}", &["field needs `path`"]);
    refuses("field: {path: a..b, equals: 1}", &["is no path"]);
    refuses("field: {path: a, one_of: []}", &["at least one value"]);
    refuses("field: {path: a, at_least: many}", &["must be a number, not many"]);
    refuses("field: status", &["must be a mapping"]);
}

#[test]
fn every_kind_has_a_schema_that_is_valid_and_a_unique_name() {
    let mut names: Vec<&str> =
        kinds().iter().flat_map(|kind| kind.aliases.iter().copied().chain([kind.name])).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "a name means one kind");
    for kind in kinds() {
        assert!(jsonschema::validator_for(&(kind.schema)()).is_ok(), "{}", kind.name);
        assert!(kind.summary.ends_with('.') || kind.summary.ends_with("reply."), "{}", kind.name);
    }
}

#[test]
fn every_kind_stands_in_the_documentation() {
    let table = include_str!("../../../docs/matchers.md");
    for kind in kinds() {
        assert!(table.contains(&format!("`{}`", kind.name)), "{}", kind.name);
    }
}

#[test]
fn what_loads_fits_the_schema_of_its_kind() {
    for yaml in super::silence::EXAMPLES {
        let file = SourceFile::new("case.yaml", *yaml);
        let documents = parse_documents(&file, &mut Diagnostics::default());
        let (name, value) = &documents[0].mapping().expect("a mapping")[0];
        let kind = kinds().iter().find(|kind| Some(kind.name) == name.text()).expect("a known kind");
        let validator = jsonschema::validator_for(&(kind.schema)()).expect("a valid schema");
        assert!(validator.is_valid(&value.to_value()), "{yaml}");
    }
}
