//! What `mutate` prints is what `mutate schema` describes.

mod common;

use common::Lab;
use serde_json::Value;

const RULES: &str =
    "# Shop\n\n- Never offer a discount.\n- Speak kindly to everybody who writes.\n- Sign with your name.\n";
const CASE: &str = "id: discount\ninput: Can I have it cheaper?\nrule: Never offer a discount.\nexpect:\n  reply_does_not_mention: [discount]\n";
const AGENT: &str = "scripted:\n  habits:\n    - when: /./\n      rule: Never offer a discount.\n      with: {reply: The price is fixed.}\n      without: {reply: There is a discount.}\n";

fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    validator.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path())).collect()
}

#[test]
fn reports_lists_and_forecasts_are_valid_under_their_schemas() {
    let lab = Lab::new(RULES, CASE, AGENT);
    for (schema, arguments) in [
        ("report", &["rules", "--format", "json"][..]),
        ("attribution", &["rules", "--attribute", "--case", "discount", "--format", "json"]),
        ("matchers-report", &["matchers", "--format", "json"]),
        ("coverage", &["rules", "--coverage", "--format", "json"]),
        ("mutants", &["rules", "--list", "--format", "json"]),
        ("forecast", &["rules", "--dry-run", "--format", "json"]),
        ("inputs", &["inputs", "--format", "json"]),
        ("variants", &["inputs", "--list", "--format", "json"]),
        ("inputs-forecast", &["inputs", "--dry-run", "--format", "json"]),
        ("mutators", &["mutators", "--format", "json"]),
    ] {
        let schema = lab.run(&["schema", schema]).json();
        let printed = lab.run(arguments).json();
        assert_eq!(faults(&schema, &printed), Vec::<String>::new(), "{arguments:?}");
        // A schema that lets anything through would describe nothing.
        assert!(!faults(&schema, &serde_json::json!({"cases": 1})).is_empty());
    }
}

#[test]
fn the_report_has_the_keys_that_others_build_on() {
    let lab = Lab::new(RULES, CASE, AGENT);
    let report = lab.rules(&[]);
    let case = &report["cases"][0];
    for key in ["id", "verdict", "label", "assertions", "arms", "calls"] {
        assert!(!case[key].is_null(), "{key}");
    }
    assert_eq!(case["arms"]["delete"], serde_json::json!({"passes": 0, "trials": 3, "errors": 0}));
    let assertion = &case["assertions"][0];
    assert_eq!(assertion["kind"], "reply_does_not_mention");
    assert_eq!(assertion["arms"]["baseline"], serde_json::json!({"passes": 3, "trials": 3}));
    assert_eq!(report["summary"]["exit_code"], 0);
    let listed = lab.run(&["rules", "--list", "--format", "json"]).json();
    let delete = &listed[0];
    assert_eq!(delete["id"].as_str().unwrap().split('/').next(), Some("discount"));
    assert_eq!((&delete["case"], &delete["operator"]), (&"discount".into(), &"delete".into()));
    let (start, end) = (delete["start"].as_u64().unwrap() as usize, delete["end"].as_u64().unwrap() as usize);
    assert_eq!(&RULES[start..end], delete["before"].as_str().unwrap());
    assert_eq!(delete["after"], "");
    assert_eq!(delete["refused"], Value::Null);
}

#[test]
fn a_saved_file_of_variants_is_valid_under_its_schema() {
    let lab = Lab::new(RULES, CASE, AGENT);
    assert_eq!(lab.run(&["inputs", "--save"]).code, 0);
    let file: Value = serde_yaml::from_str(&lab.read("discount.variants.yaml")).unwrap();
    let schema = lab.run(&["schema", "reviewed"]).json();
    assert_eq!(faults(&schema, &file), Vec::<String>::new());
    assert!(!faults(&schema, &serde_json::json!({"case": "discount", "input": "x", "variant": []})).is_empty());
}

#[test]
fn the_lists_of_mutants_and_pins_are_valid_under_their_schemas() {
    let lab = Lab::new(RULES, CASE, AGENT);
    for (schema, arguments) in [("mutants", "--list"), ("forecast", "--dry-run"), ("pins", "--pin")] {
        let printed = lab.run(&["rules", arguments, "--format", "json"]).json();
        let schema = lab.run(&["schema", schema]).json();
        assert_eq!(faults(&schema, &printed), Vec::<String>::new(), "{arguments}");
        assert!(!faults(&schema, &serde_json::json!([{"id": 1}])).is_empty(), "{arguments}");
    }
}
