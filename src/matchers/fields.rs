//! Values that the agent reports beside its reply: `field`.

use serde_json::json;

use super::conditions::{Condition, condition_schema, parse_condition};
use super::kinds::{Kind, Part};
use super::values::shown;
use super::view::View;
use super::{Demand, Finding, Matcher, Outcome, list};
use crate::source::{Diagnostics, Node};

/// Every one of these conditions is met.
#[derive(Debug)]
struct FieldIs(Vec<Condition>);

pub const FIELD: Kind = Kind {
    name: "field",
    summary: "A field that the agent reports beside its reply equals, matches, is one of, exists, or lies within limits.",
    aliases: &["fields", "expect_field", "output_field", "json_path"],
    negative: false,
    reads: Part::Fields,
    schema: || {
        let one = condition_schema();
        json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]})
    },
    parse: |name, value, diagnostics| Some(Box::new(parse_fields(name, value, diagnostics)?)),
};

fn parse_fields(kind: &'static str, value: &Node, diagnostics: &mut Diagnostics) -> Option<FieldIs> {
    let errors = diagnostics.errors();
    let fields: Vec<Condition> = match value.sequence() {
        Some([]) => {
            diagnostics.error(&value.place, format!("`{kind}` has an empty list"));
            return None;
        }
        Some(items) => items.iter().filter_map(|item| parse_condition(kind, item, diagnostics)).collect(),
        None => parse_condition(kind, value, diagnostics).into_iter().collect(),
    };
    (diagnostics.errors() == errors).then_some(FieldIs(fields))
}

impl Matcher for FieldIs {
    fn kind(&self) -> &'static str {
        FIELD.name
    }

    fn describe(&self) -> String {
        list(self.0.iter().map(Condition::describe), "and")
    }

    fn judge_view(&self, view: &View<'_>) -> Outcome {
        let transcript = view.transcript();
        let mut open = None;
        let mut seen = vec![];
        for field in &self.0 {
            let (path, absent) = (field.path().written(), field.is_absence());
            let fails = |reason: String, found: Option<String>, note: Option<String>| {
                Outcome::Fails(Finding { reason, found, at: None, note })
            };
            match field.path().find(&transcript.fields) {
                Some(found) if absent => {
                    return fails(format!("there is a field {path}: {}", shown(found)), Some(shown(found)), None);
                }
                // What a cut answer would still have reported is not known.
                None if transcript.truncated => {
                    open.get_or_insert_with(|| format!("there is no field {path}, and the answer was cut by a limit"));
                }
                None if absent => seen.push(format!("there is no field {path}")),
                None => {
                    let names = list(transcript.fields.keys().take(12).cloned(), "and");
                    let found = if names.is_empty() { "no fields".to_owned() } else { format!("fields: {names}") };
                    return fails(format!("there is no field {path}"), Some(found), None);
                }
                Some(found) => {
                    if let Err((reason, note)) = field.meets(found) {
                        return fails(reason, Some(shown(found)), note);
                    }
                    seen.push(format!("{path} is {}", shown(found)));
                }
            }
        }
        match open {
            Some(open) => Outcome::NotAssessable(open),
            None => Outcome::Holds(Finding::because(list(seen.into_iter(), "and"))),
        }
    }

    fn literals(&self) -> Vec<String> {
        let mut found = vec![];
        self.0.iter().for_each(|field| field.literals(&mut found));
        found
    }

    /// Where it asks for nothing but absence.
    fn is_negative(&self) -> bool {
        self.0.iter().all(Condition::is_absence)
    }

    fn demands(&self) -> Vec<Demand> {
        self.0.iter().map(Condition::demand).collect()
    }
}
