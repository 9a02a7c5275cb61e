//! JSON Schemas of what a user may write: `mutate schema suite`, `mutate schema case`.
//!
//! What a document holds is said by the types in `documents`; what stands under `expect:` and under an agent's name
//! comes from the folders that read it.

mod documents;

use serde_json::{Map, Value, json};

use documents::{CaseFile, SuiteDocument, VariantsDocument};

/// The schema of `mutate.yaml`; `agent` is that of one entry of `agents:` (see [`agent_of`]), `embeddings` that of what
/// stands under `embeddings:`.
pub fn suite(agent: Value, embeddings: Value) -> Value {
    let mut document = schemars::schema_for!(SuiteDocument).to_value();
    variables_for_numbers(&mut document);
    assemble("mutate.yaml", document, [("Agent", agent), ("Embeddings", embeddings)])
}

/// Lets `${NAME}` stand wherever a number may.
fn variables_for_numbers(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            let types: Vec<Value> = match map.get("type") {
                Some(Value::Array(types)) => types.clone(),
                Some(one) => vec![one.clone()],
                None => vec![],
            };
            if types.iter().any(|kind| kind == "number" || kind == "integer")
                && !types.iter().any(|kind| kind == "string")
            {
                map.insert("type".to_owned(), types.into_iter().chain([json!("string")]).collect());
                map.insert("pattern".to_owned(), json!(r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$"));
            }
            map.values_mut().for_each(variables_for_numbers);
        }
        Value::Array(items) => items.iter_mut().for_each(variables_for_numbers),
        _ => {}
    }
}

/// The schema of a case file; `expect` is that of the mapping under `expect:` (see [`expect_of`]).
pub fn case(expect: Value) -> Value {
    let mut single = expect.clone();
    single["maxProperties"] = json!(1);
    let mut document = schemars::schema_for!(CaseFile).to_value();
    // Elsewhere a key with nothing behind it counts as absent; with these it is a mistake.
    for key in ["input", "prompt", "question", "rule", "expect"] {
        without_null(&mut document["$defs"]["CaseDocument"]["properties"][key]);
    }
    assemble("A file of cases", document, [("Checks", expect), ("Check", single)])
}

/// The schema of a file `<case>.variants.yaml`.
pub fn reviewed() -> Value {
    schemars::schema_for!(VariantsDocument).to_value()
}

fn without_null(schema: &mut Value) {
    for alternatives in ["anyOf", "type"] {
        if let Some(list) = schema.get_mut(alternatives).and_then(Value::as_array_mut) {
            list.retain(|one| *one != json!("null") && *one != json!({"type": "null"}));
        }
    }
}

/// The mapping under `expect:` from each kind's name, summary and schema of its value.
pub fn expect_of<'k>(kinds: impl IntoIterator<Item = (&'k str, &'k str, Value)>) -> Value {
    let mut definitions = Map::new();
    let mut properties = Map::new();
    for (name, summary, value) in kinds {
        let mut value = hoisted(name, value, &mut definitions);
        if let Value::Object(value) = &mut value {
            value.entry("description").or_insert_with(|| summary.into());
        }
        properties.insert(name.to_owned(), value);
    }
    json!({
        "type": "object", "properties": properties, "minProperties": 1, "additionalProperties": false,
        "$defs": definitions,
    })
}

/// One entry of `agents:` from each kind's name and the schema of its settings.
pub fn agent_of<'k>(kinds: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let mut definitions = Map::new();
    let mut properties = Map::new();
    for (name, settings) in kinds {
        properties.insert(name.to_owned(), hoisted(name, settings, &mut definitions));
    }
    json!({
        "type": "object", "properties": properties, "minProperties": 1, "maxProperties": 1,
        "additionalProperties": false, "$defs": definitions,
    })
}

/// A document's schema with the schemas of other folders put where it refers to them.
fn assemble<const N: usize>(title: &str, mut document: Value, parts: [(&str, Value); N]) -> Value {
    let mut definitions = match document.get_mut("$defs").map(Value::take) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    for (name, part) in parts {
        let part = hoisted(name, part, &mut definitions);
        definitions.insert(name.to_owned(), part);
    }
    document["$defs"] = Value::Object(definitions);
    document["title"] = title.into();
    document
}

/// `schema` without its own `$defs`, which are added to `definitions` under names that start with `owner`.
fn hoisted(owner: &str, mut schema: Value, definitions: &mut Map<String, Value>) -> Value {
    let own = schema.as_object_mut().and_then(|schema| {
        schema.remove("$schema");
        schema.remove("title");
        schema.remove("$defs")
    });
    let Some(Value::Object(own)) = own else { return schema };
    let names: Vec<String> = own.keys().cloned().collect();
    for (name, mut definition) in own {
        rename(&mut definition, owner, &names);
        definitions.insert(format!("{owner}.{name}"), definition);
    }
    rename(&mut schema, owner, &names);
    schema
}

/// Points every `$ref` to one of `names` at its new name.
fn rename(schema: &mut Value, owner: &str, names: &[String]) {
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                let target = value.as_str().and_then(|text| text.strip_prefix("#/$defs/"));
                match target {
                    Some(name) if key == "$ref" && names.iter().any(|known| known == name) => {
                        *value = format!("#/$defs/{owner}.{name}").into();
                    }
                    _ => rename(value, owner, names),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, owner, names)),
        _ => {}
    }
}
