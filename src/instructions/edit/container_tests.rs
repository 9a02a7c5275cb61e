use super::*;
use crate::instructions::{locate, nearest, units};

fn document(name: &str, text: &str) -> Document {
    Document::from_bytes(name, text.as_bytes().to_vec()).expect("readable")
}

fn edited(name: &str, text: &str, quote: &str, how: &Edit) -> Edited {
    let document = document(name, text);
    let statements = locate(&document, quote);
    assert!(!statements.is_empty(), "{quote:?} is not in {text:?}");
    edit(&document, &statements, how).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn without(name: &str, text: &str, quote: &str) -> String {
    edited(name, text, quote, &Edit::Delete).text
}

fn with(name: &str, text: &str, quote: &str, other: &str) -> String {
    edited(name, text, quote, &Edit::Replace(other.to_owned())).text
}

fn yaml(text: &str) -> serde_json::Value {
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_list_in_one_json_string_loses_one_item() {
    let text = r#"{"prompt": "Rules:\n1. Ask.\n2. Never say \"no\".\n3. Stop.", "model": "m-1"}"#;
    assert_eq!(
        without("a.json", text, "Never say \"no\"."),
        r#"{"prompt": "Rules:\n1. Ask.\n2. Stop.", "model": "m-1"}"#
    );
    assert_eq!(
        with("a.json", text, "Never say \"no\".", "Always say \"no\" or C:\\x."),
        r#"{"prompt": "Rules:\n1. Ask.\n2. Always say \"no\" or C:\\x.\n3. Stop.", "model": "m-1"}"#
    );
}

#[test]
fn a_statement_in_a_string_reads_as_its_escapes_say() {
    let text = "{\"prompt\": \"Be kind.\\nNever say \\\"no\\\" \\u2014 not once.\"}\n";
    let document = document("a.json", text);
    let statement = locate(&document, "Never say \"no\" - not once.").remove(0);
    assert_eq!(statement.text, "Never say \"no\" — not once.");
    assert_eq!((statement.line, &text[statement.range]), (1, "Never say \\\"no\\\" \\u2014 not once."));
    assert_eq!(nearest(&document, "Never say \"yes\"").unwrap().text, "Never say \"no\" — not once.");
}

#[test]
fn an_element_of_a_json_list_goes_with_its_comma() {
    let text = "{\n  \"rules\": [\n    \"Ask.\",\n    \"Never lie.\",\n    \"Stop.\"\n  ]\n}\n";
    assert_eq!(without("a.json", text, "Never lie."), "{\n  \"rules\": [\n    \"Ask.\",\n    \"Stop.\"\n  ]\n}\n");
    assert_eq!(without("a.json", text, "Ask."), "{\n  \"rules\": [\n    \"Never lie.\",\n    \"Stop.\"\n  ]\n}\n");
    assert_eq!(without("a.json", text, "Stop."), "{\n  \"rules\": [\n    \"Ask.\",\n    \"Never lie.\"\n  ]\n}\n");
    assert_eq!(without("a.json", r#"["Ask.", "Never lie.", 3]"#, "Never lie."), r#"["Ask.", 3]"#);
    assert_eq!(without("a.json", r#"["Never lie.", "Ask."]"#, "Never lie."), r#"["Ask."]"#);
    assert_eq!(without("a.json", r#"{"r": ["Never lie.", "never lie"]}"#, "Never lie."), r#"{"r": []}"#);
}

#[test]
fn a_value_that_must_stand_there_is_emptied() {
    let result = edited("a.json", r#"{"tone": "Never lie.", "x": 1}"#, "Never lie.", &Edit::Delete);
    assert_eq!(result.text, r#"{"tone": "", "x": 1}"#);
    assert_eq!(result.notes, ["`tone` is an empty text now"]);
    assert_eq!(without("a.yaml", "tone: Never lie.\nx: 1\n", "Never lie."), "tone: \"\"\nx: 1\n");
    assert_eq!(without("a.yaml", "tone: |\n  Never lie.\nx: 1\n", "Never lie."), "tone: \"\"\nx: 1\n");
}

#[test]
fn json_lines_and_json_with_comments_are_read() {
    let text = "{\"p\": \"Ask. Never lie.\"}\n{\"p\": \"Stop.\"}\n";
    assert_eq!(without("a.jsonl", text, "Never lie."), "{\"p\": \"Ask.\"}\n{\"p\": \"Stop.\"}\n");
    let text = "{\n  // Never lie.\n  \"p\": \"Ask. Never lie.\",\n}\n";
    assert_eq!(without("a.json5", text, "Never lie."), "{\n  // Never lie.\n  \"p\": \"Ask.\",\n}\n");
}

#[test]
fn a_yaml_block_keeps_its_indentation() {
    let text = "prompts:\n  - task: check\n    content: |\n      Policy:\n      - Ask.\n      - Never lie\n        to users.\n      - Stop.\n\n      Question: {{ input }}\n  - task: other\n";
    assert_eq!(
        without("a.yml", text, "Never lie to users."),
        "prompts:\n  - task: check\n    content: |\n      Policy:\n      - Ask.\n      - Stop.\n\n      Question: {{ input }}\n  - task: other\n"
    );
    assert_eq!(with("a.yml", text, "Stop.", "Go: on # now."), text.replace("- Stop.", "- Go: on # now."));
    let last = "a: |\n  - Ask.\n  - Never lie.\nb: 1\n";
    assert_eq!(without("a.yml", last, "Never lie."), "a: |\n  - Ask.\nb: 1\n");
    let gap = "a: |\n    - Ask.\n    - Never lie.\n\n    Stop.  \nb: 1\n";
    assert_eq!(without("a.yml", gap, "Never lie."), "a: |\n    - Ask.\n\n    Stop.  \nb: 1\n");
    let crlf = "a: |\r\n  1. Ask.\r\n  2. Never lie.\r\n  3. Stop.\r\nb: 1\r\n";
    assert_eq!(without("a.yml", crlf, "Never lie."), "a: |\r\n  1. Ask.\r\n  2. Stop.\r\nb: 1\r\n");
}

#[test]
fn a_yaml_block_whose_first_line_goes_still_reads_the_same() {
    let text = "a: |\n  Never lie.\n    Ask first.\n  Stop.\nb: 1\n";
    let result = without("a.yml", text, "Never lie.");
    assert_eq!(yaml(&result)["b"], 1);
    assert!(!result.contains("lie") && yaml(&result)["a"].as_str().unwrap().contains("Ask first."), "{result}");
}

#[test]
fn a_folded_block_is_found_over_its_lines_and_stays_folded() {
    let text = "a: >-\n  Be kind. Never refund\n  an order. Ask\n  first.\n\n  Stop.\nb: 1\n";
    let result = without("a.yml", text, "Never refund an order.");
    assert_eq!(yaml(&result)["a"], "Be kind. Ask first.\nStop.");
    assert!(result.starts_with("a: >-\n  Be kind."), "{result}");
    let result = with("a.yml", text, "Stop.", "Go on.");
    assert_eq!(yaml(&result)["a"], "Be kind. Never refund an order. Ask first.\nGo on.");
}

#[test]
fn a_plain_yaml_scalar_gets_quotes_where_it_needs_them() {
    let text = "rules:\n- Never lie.\n- Ask.\nx: 1\n";
    assert_eq!(with("a.yaml", text, "Never lie.", "Always lie."), "rules:\n- Always lie.\n- Ask.\nx: 1\n");
    let result = with("a.yaml", text, "Never lie.", "Note: lie # often.");
    assert_eq!(yaml(&result)["rules"][0], "Note: lie # often.");
    let result = with("a.yaml", "a: 'Don''t lie. Ask.'\n", "Don't lie.", "Don't ask, don't tell.");
    assert_eq!(result, "a: 'Don''t ask, don''t tell. Ask.'\n");
    let result = with("a.yaml", "a: \"Don't say \\\"x\\\".\"\n", "Don't say \"x\".", "Say \"y\\z\".");
    assert_eq!(result, "a: \"Say \\\"y\\\\z\\\".\"\n");
    let wrapped = "a: Be kind. Never\n  lie to users. Ask\n  first.\n";
    assert_eq!(yaml(&without("a.yaml", wrapped, "Never lie to users."))["a"], "Be kind. Ask first.");
}

#[test]
fn an_element_of_a_yaml_list_goes_with_its_dash() {
    let text = "rules:\n  - Ask.\n  # Why: trust.\n  - \"Never lie.\"\n  - Stop.\nx: 1\n";
    assert_eq!(without("a.yaml", text, "Never lie."), "rules:\n  - Ask.\n  # Why: trust.\n  - Stop.\nx: 1\n");
    assert_eq!(without("a.yaml", "rules:\n  - Never lie.\nx: 1\n", "Never lie."), "rules: []\nx: 1\n");
    assert_eq!(
        without("a.yaml", "rules: [Ask first, Never lie, Stop it]\n", "Never lie"),
        "rules: [Ask first, Stop it]\n"
    );
    assert_eq!(without("a.yaml", "- Ask.\n- Never lie.", "Never lie."), "- Ask.");
    let block = "rules:\n- |\n  Never lie.\n- |\n  Ask.\n";
    assert_eq!(without("a.yaml", block, "Never lie."), "rules:\n- |\n  Ask.\n");
}

#[test]
fn a_quote_with_its_key_is_found_and_what_would_break_the_file_is_refused() {
    let text = "tone: Never lie.\nx: 1\n";
    let document = document("a.yaml", text);
    assert_eq!(locate(&document, "tone: Never lie.").len(), 1);
    let text = "{\"a\": 1, \"b\": \"Never lie.\"}";
    let document = Document::from_bytes("a.json", text.as_bytes().to_vec()).unwrap();
    let statements = locate(&document, "1, \"b\": \"Never lie.\"");
    assert_eq!(statements.len(), 1);
    assert_eq!(edit(&document, &statements, &Edit::Delete), Err(EditError::Broken { container: "JSON" }));
}

#[test]
fn a_rule_in_a_python_string_is_edited_and_the_code_is_not() {
    let text = "# Never lie.\nPROMPT = f\"\"\"\nYou help {user['name']}.\n\nRules:\n1. Ask.\n2. Never lie.\n3. Stop {{now}}.\n\"\"\"\nTONE = 'Never lie. Don\\'t shout.'\n";
    let result = without("a.py", text, "Never lie.");
    assert_eq!(
        result,
        "# Never lie.\nPROMPT = f\"\"\"\nYou help {user['name']}.\n\nRules:\n1. Ask.\n2. Stop {{now}}.\n\"\"\"\nTONE = 'Don\\'t shout.'\n"
    );
    assert_eq!(
        with("a.py", text, "Stop {now}.", "Say {x} to {user['name']}."),
        text.replace("Stop {{now}}.", "Say {{x}} to {user['name']}.")
    );
    assert_eq!(
        with("a.py", "T = 'Never lie.'\n", "Never lie.", "It's \\ \"fine\".\n"),
        "T = 'It\\'s \\\\ \"fine\".'\n"
    );
    assert!(locate(&document("a.py", "# Never lie.\nx = 1\ny = 'a b'\n"), "Never lie.").is_empty());
}

#[test]
fn joined_python_strings_are_one_text() {
    let text = "PROMPT = (\n    \"Be kind. Never refund \"\n    f\"an order of {shop}. \"  # why\n    'Ask first. '\n    \"Stop.\"\n)\n";
    assert_eq!(
        without("a.py", text, "Never refund an order of {shop}."),
        "PROMPT = (\n    \"Be kind. \"\n    f\"\"  # why\n    'Ask first. '\n    \"Stop.\"\n)\n"
    );
    let text = "PROMPT = (\n    \"Be kind. \"\n    \"Never lie. \"\n    \"Stop.\"\n)\n";
    assert_eq!(without("a.py", text, "Never lie."), "PROMPT = (\n    \"Be kind. \"\n    \"Stop.\"\n)\n");
    let text = "A = \"- Ask first.\\n\" + \\\n    \"- Never lie.\\n\"\nB = 'Ask now.'\n";
    assert_eq!(without("a.py", text, "Never lie."), "A = \"- Ask first.\\n\" + \\\n    \"\"\nB = 'Ask now.'\n");
}

#[test]
fn an_element_of_a_python_list_goes_and_an_index_stays() {
    let text = "RULES = [\n    'Ask first.',\n    'Never lie.',  # trust\n]\nx = d['Never lie.']\n";
    assert_eq!(without("a.py", text, "Never lie."), "RULES = [\n    'Ask first.',\n]\nx = d['']\n");
    assert_eq!(without("a.py", "R = ['Never lie.']\n", "Never lie."), "R = []\n");
    assert_eq!(without("a.py", "f('Never lie.', 2)\n", "Never lie."), "f('', 2)\n");
}

#[test]
fn a_raw_string_that_cannot_hold_the_new_text_is_written_anew() {
    assert_eq!(with("a.py", "T = r'Use \\d only.'\n", "Use \\d only.", "Don't use \\d."), "T = 'Don\\'t use \\\\d.'\n");
}

#[test]
fn a_rule_in_a_script_is_edited_in_its_literal() {
    let text = "// Don't lie.\nconst p = `You help ${user.name ?? 'you'}.\n- Ask.\n- Never lie.\n- Stop \\`now\\`.`;\nconst re = /it's \"x/;\nconst q = 'Never lie. Don\\'t shout.' + \" Ask.\";\n<p>Don't worry</p>\n";
    assert_eq!(
        without("a.ts", text, "Never lie."),
        "// Don't lie.\nconst p = `You help ${user.name ?? 'you'}.\n- Ask.\n- Stop \\`now\\`.`;\nconst re = /it's \"x/;\nconst q = 'Don\\'t shout.' + \" Ask.\";\n<p>Don't worry</p>\n"
    );
    assert_eq!(with("a.tsx", "const a = `Never lie.`;", "Never lie.", "Say `${x}`."), "const a = `Say \\`\\${x}\\`.`;");
    assert_eq!(
        without("a.js", "const r = ['Ask first.', \"Never lie.\"].join('\\n');", "Never lie."),
        "const r = ['Ask first.'].join('\\n');"
    );
    assert_eq!(
        without("a.js", "const r = 'Ask first. ' +\n  'Never lie. ' +\n  'Stop it.';\n", "Never lie."),
        "const r = 'Ask first. ' +\n  'Stop it.';\n"
    );
    assert_eq!(
        without("a.js", "const r = {rule: 'Never lie.', 'Never lie': 1};", "Never lie."),
        "const r = {rule: '', 'Never lie': 1};"
    );
}

#[test]
fn a_toml_prompt_is_edited_in_its_string() {
    let text =
        "# Never lie.\nprompt = \"\"\"\n1. Ask.\n2. Never lie.\n3. Stop.\n\"\"\"\nrules = ['Never lie.', 'Ask.']\n";
    assert_eq!(
        without("a.toml", text, "Never lie."),
        "# Never lie.\nprompt = \"\"\"\n1. Ask.\n2. Stop.\n\"\"\"\nrules = ['Ask.']\n"
    );
    assert_eq!(with("a.toml", "p = 'Never lie.'\n", "Never lie.", "Don't."), "p = \"Don't.\"\n");
}

#[test]
fn a_json_string_in_a_yaml_block_in_a_markdown_fence_is_escaped_once_for_each() {
    let text =
        "# Setup\n\n```yaml\nconfig: |\n  {\"rules\": [\"Ask.\", \"Never say \\\"no\\\".\"]}\n```\n\nNever lie.\n";
    assert_eq!(
        without("a.md", text, "Never say \"no\"."),
        "# Setup\n\n```yaml\nconfig: |\n  {\"rules\": [\"Ask.\"]}\n```\n\nNever lie.\n"
    );
    assert_eq!(
        with("a.md", text, "Never say \"no\".", "Say \"a\\b\"."),
        text.replace("Never say \\\"no\\\".", "Say \\\"a\\\\b\\\".")
    );
    let inner = serde_json::json!({"rules": ["Ask.", "Never say \"no\"."]}).to_string();
    let text = serde_json::json!({"config": inner}).to_string();
    let result = with("a.json", &text, "Never say \"no\".", "Say \"yes\".");
    assert_eq!(json(json(&result)["config"].as_str().unwrap())["rules"][1], "Say \"yes\".");
}

#[test]
fn front_matter_stays() {
    let text = "---\nname: desk\ndescription: Never lie.\n---\n\nNever lie. Ask.\n";
    assert_eq!(without("a.md", text, "Never lie."), "---\nname: desk\ndescription: \"\"\n---\n\nAsk.\n");
    assert_eq!(
        with("a.md", text, "Never lie.", "Note: lie."),
        "---\nname: desk\ndescription: \"Note: lie.\"\n---\n\nNote: lie. Ask.\n"
    );
    let listed: Vec<String> =
        units(&document("a.md", text)).iter().map(|unit| text[unit.range.clone()].to_owned()).collect();
    assert_eq!(listed, ["Never lie.", "Never lie.", "Ask."]);
}

#[test]
fn prose_between_two_breaks_is_no_front_matter() {
    let text = "---\nBe kind.\n\nNever lie.\n\nAsk first.\n---\n";
    assert_eq!(without("a.md", text, "Never lie."), "---\nBe kind.\n\nAsk first.\n---\n");
}

#[test]
fn the_units_of_a_program_are_its_texts() {
    let text = "import os\n\nRULES = \"\"\"# Tone\n\n- Be kind.\n- Ask first.\n\"\"\"\nKEY = 'x'\n";
    let found = units(&document("a.py", text));
    let listed: Vec<(&str, Option<&str>)> =
        found.iter().map(|unit| (&text[unit.range.clone()], unit.section.as_deref())).collect();
    assert_eq!(listed, [("Tone", Some("RULES")), ("Be kind.", Some("Tone")), ("Ask first.", Some("Tone"))]);
}

#[test]
fn a_range_over_code_edits_the_strings_in_it() {
    let text = "A = 'Ask first.'\nB = ['Never lie.', 'Stop it.']\nC = 1\n";
    let document = document("a.py", text);
    let all = Statement { range: 0..text.len(), line: 1, column: 1, text: String::new() };
    assert_eq!(edit(&document, &[all], &Edit::Delete).unwrap().text, "A = ''\nB = []\nC = 1\n");
    let code = Statement { range: text.len() - 3..text.len(), line: 1, column: 1, text: String::new() };
    let error = edit(&document, &[code], &Edit::Delete).unwrap_err();
    assert!(matches!(error, EditError::NotText { container: "Python", .. }), "{error}");
}

mod templates {
    use super::*;

    #[test]
    fn tags_stay_balanced_and_slots_whole() {
        let text = "{% if vip %}Be kind. Never lie.{% else %}Ask.{% endif %}\n";
        assert_eq!(without("a.j2", text, "Never lie."), "{% if vip %}Be kind.{% else %}Ask.{% endif %}\n");
        let text = "Be kind. Never {% if x %}lie to {{ user }}{% endif %} at all. Ask.\n";
        let range = text.find("Never").unwrap()..text.find("user }}").unwrap() + 2;
        let document = document("a.j2", text);
        let statement = Statement { range, line: 1, column: 1, text: String::new() };
        let result = edit(&document, &[statement], &Edit::Delete).unwrap().text;
        assert_eq!(result, "Be kind. {% if x %}{% endif %} at all. Ask.\n");
    }

    #[test]
    fn an_emptied_block_goes_and_a_parted_one_stays() {
        let text = "- Ask.\n{% if vip %}\n- Never lie.\n{% endif %}\n- Stop.\n";
        let result = edited("a.njk", text, "Never lie.", &Edit::Delete);
        assert_eq!(result.text, "- Ask.\n- Stop.\n");
        assert_eq!(result.notes, ["`{% if vip %}` removed with its only rule"]);
        let text = "{% if vip %}\n- Never lie.\n{% else %}\n- Ask.\n{% endif %}\n";
        assert_eq!(without("a.j2", text, "Never lie."), "{% if vip %}\n{% else %}\n- Ask.\n{% endif %}\n");
        assert_eq!(without("a.j2", "- Ask.\n- {% if x %}Never lie.{% endif %}\n", "Never lie."), "- Ask.\n");
    }

    #[test]
    fn new_braces_are_no_slots() {
        assert_eq!(
            with("a.j2", "Never greet {{ user }}.\n", "Never greet {{ user }}.", "Greet {{ user }} with {% x %}."),
            "Greet {{ user }} with {{ '{%' }} x %}.\n"
        );
    }

    #[test]
    fn a_comment_is_no_unit() {
        let text = "{# Never lie. #}\n{#\n- Never shout.\n#}\n- Ask.\n";
        let listed: Vec<&str> =
            units(&document("a.j2", text)).into_iter().map(|unit| &text[unit.range]).collect::<Vec<_>>();
        assert_eq!(listed, ["Ask."]);
    }
}

mod markup {
    use super::*;

    #[test]
    fn xml_stays_balanced() {
        let text = "<rules>\n  <rule id=\"1\">Be kind.</rule>\n  <rule id=\"2\">Never lie.</rule>\n</rules>\n";
        assert_eq!(without("a.xml", text, "Never lie."), "<rules>\n  <rule id=\"1\">Be kind.</rule>\n</rules>\n");
        assert_eq!(
            with("a.xml", text, "Never lie.", "Lie if a < b & c &amp; d."),
            text.replace("Never lie.", "Lie if a &lt; b &amp; c &amp; d.")
        );
        let text = "<a>Be kind. Never\nlie.</a> Ask <b>now.</b>\n";
        let range = text.find("Never").unwrap()..text.find("now").unwrap();
        let document = document("a.md", text);
        let statement = Statement { range, line: 1, column: 1, text: String::new() };
        let result = edit(&document, &[statement], &Edit::Delete).unwrap().text;
        assert_eq!(result, "<a>Be kind.</a> <b>now.</b>\n");
    }

    #[test]
    fn an_emptied_section_goes_with_its_tags() {
        let text = "<TONE>\n* Be kind.\n</TONE>\n\n<TRUTH>\n* Never lie.\n</TRUTH>\n";
        let result = edited("a.md", text, "Never lie.", &Edit::Delete);
        assert_eq!(result.text, "<TONE>\n* Be kind.\n</TONE>\n");
        assert_eq!(result.notes, ["`<TRUTH>` removed with its only rule"]);
        let sections: Vec<Option<String>> =
            units(&document("a.md", text)).into_iter().map(|unit| unit.section).collect();
        assert_eq!(sections, [Some("TONE".to_owned()), Some("TRUTH".to_owned())]);
    }

    #[test]
    fn a_placeholder_in_angle_brackets_is_a_word() {
        assert_eq!(
            without("a.md", "Be kind. Never delete <path> here. Ask.\n", "Never delete <path> here."),
            "Be kind. Ask.\n"
        );
    }
}

mod traces {
    use super::*;

    #[test]
    fn a_lead_in_goes_with_its_last_item() {
        let result = edited("a.md", "Ask.\n\nNever share:\n\n- keys\n\nStop.\n", "keys", &Edit::Delete);
        assert_eq!(result.text, "Ask.\n\nStop.\n");
        assert_eq!(result.notes, ["lead-in `Never share:` removed with its last item"]);
        assert_eq!(without("a.md", "Be kind. Never share:\n- keys\n\nStop.\n", "keys"), "Be kind.\n\nStop.\n");
        assert_eq!(without("a.md", "1. Ask.\n2. Never share:\n   - keys\n3. Stop.\n", "keys"), "1. Ask.\n2. Stop.\n");
        assert_eq!(without("a.md", "Never share:\n- keys\n- names\n", "keys"), "Never share:\n- names\n");
        assert_eq!(without("a.md", "Ask.\n\n**Secrets**\n- Never share keys.\n", "Never share keys."), "Ask.\n");
        assert_eq!(
            without("a.md", "# Secrets\n\nNever share:\n\n- keys\n\n# Tone\n\nAsk.\n", "keys"),
            "# Tone\n\nAsk.\n"
        );
    }

    #[test]
    fn a_reference_to_a_moved_or_removed_number_is_reported() {
        let text = "1. Ask.\n2. Never lie.\n3. Check the order as in step 2.\n4. Close.\n\nAfter step 4, go back to step 1 (see rules 3-4).\n";
        let result = edited("a.md", text, "Never lie.", &Edit::Delete);
        assert_eq!(
            result.notes,
            [
                "list renumbered",
                "line 3 says \"step 2\": that item may be the removed one",
                "line 6 says \"step 4\": that item may have another number now",
                "line 6 says \"rules 3-4\": that item may have another number now",
            ]
        );
        let in_yaml = "a: 1\nprompt: |\n  1. Ask.\n  2. Never lie.\n  3. Close.\n\n  See Step 3.\n";
        let notes = edited("a.yaml", in_yaml, "Never lie.", &Edit::Delete).notes;
        assert_eq!(notes[1], "line 7 says \"Step 3\": that item may have another number now");
    }
}
