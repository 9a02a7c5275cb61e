//! Instruction files as people have them, through the real binary: rules in strings, in several files, in included ones.

mod common;

use common::{Lab, only_case};
use serde_json::Value;

const CASE: &str =
    "id: discount\ninput: Cheaper?\nrule: Never offer a \"discount\".\nexpect:\n  reply_mentions: [fixed]\n";
const AGENT: &str = "scripted:\n  habits:\n    - when: /./\n      rule: discount\n      with: {reply: The price is fixed.}\n      without: {reply: It is yours.}\n";

/// A suite whose instructions are one file of this name.
fn lab(name: &str, text: &str) -> Lab {
    let lab = Lab::new("Unused.\n", CASE, AGENT);
    let config = lab.read("mutate.yaml").replace("rules.md", name);
    lab.write("mutate.yaml", &config);
    lab.write(name, text);
    lab
}

/// `mutate rules --list --format json`.
fn listed(lab: &Lab) -> Value {
    let ran = lab.run(&["rules", "--list", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.json()
}

#[test]
fn a_rule_in_a_string_is_a_rule() {
    for (name, text) in [
        ("prompt.py", "P = \"\"\"\n- Be kind to everybody.\n- Never offer a \"discount\".\n- Sign it.\n\"\"\"\n"),
        ("prompt.ts", "export const p = ['Be kind to all.', 'Never offer a \"discount\".'];\n"),
        ("prompt.json", "{\"rules\": [\"Be kind to everybody.\", \"Never offer a \\\"discount\\\".\"]}\n"),
        ("prompt.yaml", "rules:\n  - Be kind to everybody.\n  - Never offer a \"discount\".\n"),
        ("prompt.j2", "{% if shop %}\n- Never offer a \"discount\".\n{% endif %}\n- Be kind to everybody.\n"),
    ] {
        let lab = lab(name, text);
        let report = lab.rules(&[]);
        assert_eq!(only_case(&report)["verdict"], "rule-derived", "{name}");
    }
}

#[test]
fn a_rule_that_stands_in_two_files_is_mutated_in_both() {
    let lab = lab("a.md", "- Never offer a \"discount\".\n- Be kind.\n");
    lab.write("b.json", "{\"p\": \"Never offer a \\\"discount\\\".\\nAsk.\"}\n");
    let config = lab.read("mutate.yaml").replace("instructions: a.md", "instructions: [a.md, b.json]");
    lab.write("mutate.yaml", &config);
    let report = lab.rules(&[]);
    let statements = only_case(&report)["rule"]["statements"].as_array().unwrap().clone();
    let files: Vec<&str> = statements.iter().map(|place| place["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["a.md", "b.json"]);
    // The agent finds its rule while one of the files has it.
    assert_eq!(only_case(&report)["verdict"], "rule-derived");
}

#[test]
fn a_rule_in_an_included_file_is_mutated_there() {
    let lab = lab("main.md", "# Desk\n\n@parts/shop.md\n\nBe kind.\n");
    lab.write("parts/shop.md", "- Never offer a \"discount\".\n- Sign with your name.\n");
    let list = listed(&lab);
    assert!(list.to_string().contains("parts/shop.md"), "{list:#}");
    assert_eq!(only_case(&lab.rules(&[]))["verdict"], "rule-derived");
    let circle = lab.write("parts/shop.md", "- Never offer a \"discount\".\n@../main.md\n");
    assert!(circle.is_file());
    let ran = lab.run(&["rules"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("this include closes a circle") && ran.stderr.contains("parts/shop.md:2:1"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_program_gets_an_included_file_as_a_file_of_its_own() {
    let lab = lab("main.md", "@parts/shop.md\n");
    lab.write("parts/shop.md", "- Never offer a \"discount\".\n- Be kind.\n");
    let agent = "command: [sh, -c, 'if grep -q discount \"$MUTATE_INSTRUCTIONS_DIR/parts/shop.md\"; then echo fixed; else echo yours; fi']";
    let config = lab.read("mutate.yaml");
    let start = config.find("    scripted:").unwrap();
    lab.write("mutate.yaml", &format!("{}    {agent}\n", &config[..start]));
    assert_eq!(only_case(&lab.rules(&[]))["verdict"], "rule-derived");
}

#[test]
fn a_quote_that_fits_two_places_is_told_how_to_choose() {
    let lab = lab("a.md", "# Shop\n\n- Never offer a \"discount\".\n\n# Desk\n\n- Never offer a \"discount\".\n");
    let place = |rule: &str| {
        lab.write("cases.yaml", &CASE.replace("Never offer a \"discount\".", rule));
        let report = lab.rules(&[]);
        only_case(&report)["rule"]["statements"].clone()
    };
    assert_eq!(place("Never offer a \"discount\".").as_array().unwrap().len(), 2);
    assert_eq!(place("{quote: 'Never offer a \"discount\".', heading: Desk}")[0]["line"], 7);
    assert_eq!(place("{quote: 'Never offer a \"discount\".', line: 3}")[0]["line"], 3);
}
