//! What the readers of all kinds of agents share: files beside `mutate.yaml`, and what of the settings may be shown.

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::source::{Diagnostics, Fields, Node, Place, SourceFile, parse_documents};

/// One value or a list of them, for schemas: the readers accept both.
#[derive(JsonSchema, Serialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes what a reader accepts; the reader itself makes a list")]
pub(crate) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

/// The only document of a YAML or JSON file that `place` names relative to the suite's folder.
pub(crate) fn yaml_file(root: &Path, name: &str, place: &Place, diagnostics: &mut Diagnostics) -> Option<Node> {
    let path = root.join(name);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            diagnostics
                .error(place, format!("can't read `{name}`: {error}"))
                .help
                .push("the name is relative to the folder of `mutate.yaml`".to_owned());
            return None;
        }
    };
    let Ok(text) = String::from_utf8(bytes) else {
        diagnostics.error(place, format!("`{name}` is not UTF-8 text"));
        return None;
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let before = diagnostics.errors();
    let mut documents = parse_documents(&SourceFile::inside(root, name, text), diagnostics);
    if diagnostics.errors() > before {
        return None;
    }
    if documents.len() != 1 {
        diagnostics.error(place, format!("`{name}` must hold one YAML document, but it holds {}", documents.len()));
        return None;
    }
    documents.pop()
}

/// What stands in a report where a secret would stand.
pub(crate) const MASK: &str = "***";

/// The `timeout` of an agent, which must be more than nothing.
pub(crate) fn timeout(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Option<Duration> {
    let place = fields.node().get("timeout").map(|node| node.place.clone());
    let timeout = fields.seconds("timeout", diagnostics)?;
    if timeout.is_zero()
        && let Some(place) = place
    {
        diagnostics.error(&place, "`timeout` must be more than 0");
    }
    Some(timeout)
}
