//! Editing instruction files, from outside: whatever a rule stands in, only the rule goes, and what was a file of its kind
//! still is one.
//!
//! On your own files: `MUTATE_SHARED=folder` with `folder/data/rules`: `rules.dev.jsonl` with lines
//! `{"file": "…", "quote": "…"}`, `delete_cases.dev.jsonl` with `{"id": …, "file": …, "char_start": …, "char_end": …,
//! "flags": […]}` in the same order, and the files in `files/`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use mutate::instructions::{Document, Edit, Edited, edit, locate};
use proptest::prelude::*;

#[path = "common/edits.rs"]
mod edits;

/// A way to write rules as a file: its name, and the file's text.
type Render = (&'static str, fn(&[String]) -> String);

const RENDERS: [Render; 23] = [
    ("a.yaml", |rules| format!("a: {{b: [{}], c: 1}}\n", quoted(rules, " '", |rule| rule.replace('\'', "''"), "',"))),
    ("a.json", |rules| serde_json::json!({"model": "m", "rules": rules}).to_string()),
    ("a.json", |rules| serde_json::to_string_pretty(&serde_json::json!({"rules": rules, "n": [1, 2]})).unwrap()),
    ("a.json", |rules| serde_json::json!({"prompt": listed(rules, "", "- ")}).to_string()),
    ("a.json", |rules| serde_json::json!({"inner": serde_json::json!([rules]).to_string()}).to_string()),
    ("a.jsonl", |rules| rules.iter().map(|rule| format!("{}\n", serde_json::json!({"rule": rule, "n": 1}))).collect()),
    ("a.yaml", |rules| format!("model: m\nprompt: |\n{}next: 1\n", listed(rules, "  ", "- "))),
    ("a.yaml", |rules| format!("a:\n  - b: |-\n{}    next: 1\n", listed(rules, "      ", "1. "))),
    ("a.yaml", |rules| format!("prompt: >\n{}\nnext: 1\n", listed(rules, "  ", "\n  "))),
    ("a.yaml", |rules| format!("prompt: >-\n  {}\nnext: 1\n", rules.join("\n  "))),
    ("a.yaml", |rules| format!("rules:\n{}next: 1\n", quoted(rules, "- \"", |rule| escaped(rule, '"'), "\"\n"))),
    ("a.yaml", |rules| format!("rules:\n{}next: 1\n", quoted(rules, "  - '", |rule| rule.replace('\'', "''"), "'\n"))),
    ("a.yaml", |rules| format!("rules: [{}]\n", quoted(rules, " \"", |rule| escaped(rule, '"'), "\","))),
    ("a.yaml", |rules| format!("config: |\n  {}\nnext: 1\n", serde_json::json!({"rules": rules}))),
    ("a.md", |rules| format!("# A\n\n```yaml\nrules:\n{}```\n", quoted(rules, "  - |\n    ", str::to_owned, "\n"))),
    ("a.py", |rules| format!("RULES = [\n{}]\n", quoted(rules, "    '", |rule| escaped(rule, '\''), "',  # why\n"))),
    ("a.py", |rules| format!("P = (\n{})\n", quoted(rules, "    \"- ", |rule| escaped(rule, '"'), "\\n\"\n"))),
    ("a.py", |rules| format!("P = f\"\"\"\n{}\"\"\"\n", listed(&doubled(rules), "", "* "))),
    ("a.py", |rules| format!("def f():\n    return '''{}'''\n", listed(&slashed(rules), "    ", "1. "))),
    ("a.ts", |rules| format!("const p = `\n{}`;\n", listed(&slashed(rules), "", "- "))),
    ("a.ts", |rules| format!("const p = [{}].join(' ');\n", quoted(rules, "'", |rule| escaped(rule, '\''), "', "))),
    ("a.toml", |rules| format!("p = \"\"\"\n{}\"\"\"\n", listed(&slashed(rules), "", "- "))),
    ("a.xml", |rules| format!("<rules>\n{}</rules>\n", quoted(rules, "  <rule>", str::to_owned, "</rule>\n"))),
];

fn listed(rules: &[String], indent: &str, marker: &str) -> String {
    rules
        .iter()
        .enumerate()
        .map(|(at, rule)| format!("{indent}{}{rule}\n", marker.replace('1', &(at + 1).to_string())))
        .collect()
}

fn quoted(rules: &[String], before: &str, written: impl Fn(&str) -> String, after: &str) -> String {
    rules.iter().map(|rule| format!("{before}{}{after}", written(rule))).collect()
}

fn escaped(rule: &str, quote: char) -> String {
    rule.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"))
}

fn slashed(rules: &[String]) -> Vec<String> {
    rules.iter().map(|rule| rule.replace('\\', "\\\\")).collect()
}

fn doubled(rules: &[String]) -> Vec<String> {
    slashed(rules).iter().map(|rule| rule.replace('{', "{{").replace('}', "}}")).collect()
}

/// A rule with signs that some container has to escape; its number keeps it apart from the others.
fn rule() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("say"),
        Just("\"no\""),
        Just("don't"),
        Just("C:\\dir"),
        Just("now: or"),
        Just("# later"),
        Just("{x}"),
        Just("größer"),
        Just("🚫"),
        Just("a, b"),
        Just("[y]"),
        Just("50 %"),
        Just("it's,"),
        Just("$cash"),
    ];
    proptest::collection::vec(word, 1..5).prop_map(|words| format!("Never {}", words.join(" ")))
}

fn rules() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(rule(), 1..5)
        .prop_map(|rules| rules.into_iter().enumerate().map(|(at, rule)| format!("{rule} in shop{at}.")).collect())
}

fn document(name: &str, text: &str) -> Document {
    Document::from_bytes(name, text.as_bytes().to_vec()).expect("readable")
}

/// How often each rule stands in a text.
fn standing(name: &str, text: &str, rules: &[String]) -> Vec<usize> {
    rules.iter().map(|rule| locate(&document(name, text), rule).len()).collect()
}

fn edited(name: &str, text: &str, quote: &str, how: &Edit) -> Edited {
    let document = document(name, text);
    let edited = edit(&document, &locate(&document, quote), how).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    edits::sound(&document, &edited, name);
    edited
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_every_container_only_the_rule_goes_and_another_takes_its_place(
        rules in rules(),
        other in rule(),
        which in 0usize..RENDERS.len(),
        at in 0usize..5,
        crlf in any::<bool>(),
    ) {
        let (name, render) = RENDERS[which];
        let at = at % rules.len();
        let text = render(&rules);
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let all = vec![1; rules.len()];
        prop_assert_eq!(standing(name, &text, &rules), all.clone(), "not found in {}:\n{}", name, text);
        let gone = edited(name, &text, &rules[at], &Edit::Delete).text;
        let mut left = all.clone();
        left[at] = 0;
        prop_assert_eq!(standing(name, &gone, &rules), left.clone(), "{}:\n{}\n{}", name, text, gone);
        prop_assert!(!crlf || !gone.replace("\r\n", "").contains('\n') || !text.contains('\n'), "{gone:?}");
        let other = format!("{other} in market.");
        let replaced = edited(name, &text, &rules[at], &Edit::Replace(other.clone())).text;
        prop_assert_eq!(standing(name, &replaced, &rules), left, "{}:\n{}\n{}", name, text, replaced);
        prop_assert_eq!(standing(name, &replaced, &[other]), vec![1], "{}:\n{}\n{}", name, text, replaced);
    }

    #[test]
    fn no_range_of_no_file_makes_an_edit_panic_or_break_the_file(
        pieces in proptest::collection::vec(piece(), 0..10),
        glue in prop_oneof![Just("\n"), Just(""), Just(" "), Just("\r\n"), Just("\n\n"), Just("\n  ")],
        name in 0usize..edits::NAMES.len(),
        (from, to) in (0usize..200, 0usize..200),
        quote in prop_oneof![Just("Never lie".to_owned()), Just("a".to_owned()), "[a-z .…]{0,6}"],
    ) {
        edits::hold(edits::NAMES[name], pieces.join(glue).as_bytes(), from, to, &quote);
    }

    #[test]
    fn no_bytes_make_an_edit_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
        name in 0usize..edits::NAMES.len(),
        (from, to) in (0usize..60, 0usize..60),
    ) {
        edits::hold(edits::NAMES[name], &bytes, from, to, "a b");
    }
}

/// Bits that containers are made of, whole and torn.
fn piece() -> impl Strategy<Value = String> {
    let known = prop_oneof![
        Just("- Never lie."),
        Just("1. Never lie. Ask."),
        Just("key: "),
        Just("key: |\n  Never lie.\n  - a\n"),
        Just("\"Never lie.\""),
        Just("'Never lie. Don''t.'"),
        Just("{\"a\": [\"Never lie.\", 1, \"b\"]}"),
        Just("["),
        Just("]"),
        Just("{"),
        Just("}"),
        Just(","),
        Just("f\"{a} Never lie.\" \"b\""),
        Just("\"\"\"Never\nlie.\"\"\""),
        Just("`Never ${a} lie.`"),
        Just("+"),
        Just("\\"),
        Just("#"),
        Just("{% if x %}"),
        Just("{% endif %}"),
        Just("{{ a"),
        Just("}}"),
        Just("{# a"),
        Just("#}"),
        Just("<a>"),
        Just("</a>"),
        Just("<b"),
        Just("```yaml\na: Never lie.\n```"),
        Just("---\na: Never lie.\n---"),
        Just("| a | Never lie. |\n|---|---|"),
        Just("**a"),
        Just("\t"),
        Just("a: >-\n  Never\n\n  lie.\n"),
        Just("// a"),
        Just("/*"),
        Just("r'\\d a b'"),
        Just("é🚫"),
        Just("\u{85}"),
        Just("---"),
        Just("? a"),
        Just("&x *x"),
    ];
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => "\\PC{0,4}"]
}

#[test]
fn deleting_every_rule_of_a_list_leaves_a_file_of_its_kind() {
    let rules: Vec<String> = (0..3).map(|at| format!("Never visit \"shop{at}\".")).collect();
    for (name, render) in RENDERS {
        let text = render(&rules);
        let document = document(name, &text);
        let statements: Vec<_> = rules.iter().flat_map(|rule| locate(&document, rule)).collect();
        assert_eq!(statements.len(), 3, "{name}: {text}");
        let edited = edit(&document, &statements, &Edit::Delete).unwrap();
        edits::sound(&document, &edited, name);
        assert_eq!(standing(name, &edited.text, &rules), [0, 0, 0], "{name}: {}", edited.text);
    }
}

#[test]
fn python_parses_what_was_python_before() {
    let nasty = ["\"no\"", "don't", "C:\\dir", "{x}", "'''", "end\\", "größer", "a\"\"\"b"];
    let rules: Vec<String> = (0..3).map(|at| format!("Never say \"it's\" {{x}} C:\\dir in shop{at}.")).collect();
    let mut sources = vec![];
    for (name, render) in RENDERS.iter().filter(|(name, _)| *name == "a.py") {
        let text = render(&rules);
        sources.push(text.clone());
        for rule in &rules {
            sources.push(edited(name, &text, rule, &Edit::Delete).text);
            for word in nasty {
                sources.push(edited(name, &text, rule, &Edit::Replace(format!("Say {word}."))).text);
                sources.push(edited(name, &text, rule, &Edit::Replace(format!("Say so {word}"))).text);
            }
        }
    }
    let script = "import ast, json, sys\nfor source in json.load(sys.stdin):\n    try:\n        ast.parse(source)\n    except SyntaxError as error:\n        print(error, source)";
    let Some(output) = piped("python3", &["-c", script], &serde_json::json!(sources).to_string()) else {
        writeln!(std::io::stderr(), "skipped: there is no python3").unwrap();
        return;
    };
    assert_eq!(output, "");
}

#[test]
fn node_parses_what_was_a_script_before() {
    let rules: Vec<String> = (0..3).map(|at| format!("Never say \"it's\" {{x}} C:\\dir in shop{at}.")).collect();
    let mut sources = vec![];
    for (name, render) in RENDERS.iter().filter(|(name, _)| *name == "a.ts") {
        let text = render(&rules);
        sources.push(text.clone());
        for rule in &rules {
            sources.push(edited(name, &text, rule, &Edit::Delete).text);
            for word in ["`no`", "don't", "C:\\dir", "${x}", "end\\", "größer"] {
                sources.push(edited(name, &text, rule, &Edit::Replace(format!("Say {word}"))).text);
            }
        }
    }
    let script = "for (const source of JSON.parse(require('fs').readFileSync(0, 'utf8'))) { try { new Function(source) } catch (error) { console.log(error.message, source) } }";
    let Some(output) = piped("node", &["-e", script], &serde_json::json!(sources).to_string()) else {
        writeln!(std::io::stderr(), "skipped: there is no node").unwrap();
        return;
    };
    assert_eq!(output, "");
}

/// What a program prints for this input; `None` where there is none of this name.
fn piped(program: &str, arguments: &[&str], input: &str) -> Option<String> {
    let mut command = Command::new(program);
    let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().ok()?;
    let _ = writer.join();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

/// What each flag of a deletion asks, on real files; a flag that is not known here is only counted.
#[test]
fn real_deletions_do_what_their_flags_ask() {
    let folder = std::env::var_os("MUTATE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from)
        .join("data/rules");
    let Ok(cases) = std::fs::read_to_string(folder.join("delete_cases.dev.jsonl")) else {
        writeln!(std::io::stderr(), "skipped: no folder of real rules (set MUTATE_SHARED to one)").unwrap();
        return;
    };
    let mut scores: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for case in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(case).unwrap();
        let file = case["file"].as_str().unwrap();
        let document = Document::from_bytes(file, std::fs::read(folder.join("files").join(file)).unwrap()).unwrap();
        let offset = |key: &str| {
            let chars = usize::try_from(case[key].as_u64().unwrap()).unwrap();
            document.text().char_indices().nth(chars).map_or(document.text().len(), |(at, _)| at)
        };
        let range = offset("char_start")..offset("char_end");
        let statement = mutate::instructions::Statement {
            line: document.line_column(range.start).0,
            column: 1,
            text: document.text()[range.clone()].to_owned(),
            range,
        };
        let edited = edit(&document, std::slice::from_ref(&statement), &Edit::Delete).unwrap();
        for flag in case["flags"].as_array().unwrap() {
            let flag = flag.as_str().unwrap();
            let score = scores.entry(flag.to_owned()).or_default();
            score.1 += 1;
            match kept_promise(flag, &document, &statement, &edited) {
                Ok(()) => score.0 += 1,
                Err(why) => writeln!(std::io::stderr(), "{}: {flag}: {why}", case["id"]).unwrap(),
            }
        }
    }
    writeln!(std::io::stderr(), "deletion flags: {scores:?}").unwrap();
    assert!(scores.values().all(|(right, all)| right == all), "{scores:?}");
}

fn kept_promise(
    flag: &str,
    document: &Document,
    statement: &mutate::instructions::Statement,
    edited: &Edited,
) -> Result<(), String> {
    let (old, new) = (document.text(), edited.text.as_str());
    let ensure = |holds: bool, why: &str| if holds { Ok(()) } else { Err(format!("{why}: {:?}", edited.changes)) };
    let has_note = |part: &str| edited.notes.iter().any(|note| note.contains(part));
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    match flag {
        "sentence-inside-block" => {
            // The words before and after it on its lines stand, one blank or line end apart.
            let line_start = old[..statement.range.start].rfind('\n').map_or(0, |at| at + 1);
            let before = words(&old[line_start..statement.range.start]);
            let tail = before.last().cloned().unwrap_or_default();
            ensure(new.contains(&tail), "the words before it are gone")
        }
        "renumber-following" => ensure(has_note("renumbered"), "not renumbered"),
        "empties-heading" => {
            let is_heading = edited.changes.iter().any(|change| change.before_text.starts_with('#'));
            ensure(has_note("heading `") || is_heading, "an emptied heading stays")
        }
        "crlf-file" => ensure(!new.replace("\r\n", "").contains(['\n', '\r']), "line ends differ"),
        "container-yaml" => {
            let strings =
                |text: &str| serde_yaml::from_str::<serde_json::Value>(text).map(|value| words(&strings_of(&value)));
            let (before, after) = (strings(old).unwrap(), strings(new).map_err(|error| error.to_string())?);
            ensure(after.len() < before.len() && is_subsequence(&after, &before), "other values changed")
        }
        "container-json" => {
            let strings =
                |text: &str| serde_json::from_str::<serde_json::Value>(text).map(|value| words(&strings_of(&value)));
            let (before, after) = (strings(old).unwrap(), strings(new).map_err(|error| error.to_string())?);
            ensure(after.len() < before.len() && is_subsequence(&after, &before), "other values changed")
        }
        "container-xml" => {
            let tags = |text: &str| ["<", "</", "{%", "{{", "{#"].map(|sign| text.matches(sign).count());
            let (before, after) = (tags(old), tags(new));
            let paired = before[1] - after[1] == (before[0] - after[0]) / 2;
            ensure(paired && before[2] - after[2] != 1, "tags are not in balance")
        }
        "container-code" => {
            let source = serde_json::json!([new]).to_string();
            let script = "import ast, json, sys\nfor source in json.load(sys.stdin): ast.parse(source)\nprint('fine')";
            match piped("python3", &["-c", script], &source) {
                Some(output) => ensure(output.starts_with("fine"), "no longer Python"),
                None => ensure(Command::new("python3").arg("-V").output().is_err(), "no longer Python"),
            }
        }
        "only-item-under-parent" => {
            ensure(has_note("lead-in") || !old.contains(&format!(":\n{}", statement.text)), "a lead-in stays")
        }
        "has-nested-children" => {
            ensure(has_note("nested items kept") || has_note("removed with it"), "children are not spoken of")
        }
        _ => Ok(()),
    }
}

fn strings_of(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => items.iter().map(strings_of).collect::<Vec<_>>().join(" "),
        serde_json::Value::Object(pairs) => pairs.values().map(strings_of).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

fn is_subsequence(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|word| rest.any(|other| other == word))
}
