//! Files whose checks are a list of types and values: `assert: [{type: contains, value: 30 days}]`.
//!
//! | written | read as | with `not-` before it |
//! |---|---|---|
//! | `equals` | `reply_equals`, byte for byte | `reply_does_not_match`, of the whole reply |
//! | `contains`, `icontains` | `reply_mentions`, inside words too | `reply_does_not_mention` |
//! | `contains-all`, `icontains-all` | `reply_mentions` | not scored |
//! | `contains-any`, `icontains-any` | `reply_mentions_any` | `reply_does_not_mention` |
//! | `starts-with` | `reply_starts_with` | `reply_does_not_match`, at the beginning |
//! | `regex` | `reply_matches` | `reply_does_not_match` |
//! | `is-json` | `reply_is_json` | not scored |
//! | `contains-json` | `reply_is_json`, with text around it | not scored |
//!
//! Types without an `i` tell upper from lower case. Any other type is not scored, and a warning says so at its line.

use super::expect::{Wish, text_node};
use crate::source::{Diagnostics, Fields, Node, NodeKind};

/// Takes `assert:`; what is not scored is returned as notes.
pub(super) fn translate(fields: &mut Fields<'_>, wishes: &mut Vec<Wish>, diagnostics: &mut Diagnostics) -> Vec<String> {
    let Some((key, node)) = fields.take_entry("assert") else { return vec![] };
    let Some(items) = node.sequence() else {
        let error = diagnostics.error(&node.place, format!("`assert` must be a list, but this is {}", node.describe()));
        error.help.push("write `assert: [{type: contains, value: …}]`, or the checks under `expect:`".to_owned());
        return vec![];
    };
    let mut unscored = vec![];
    for item in items {
        let Some(mut fields) = Fields::of("an assertion", item, diagnostics) else { continue };
        let kind = fields.required("type", diagnostics);
        let value = fields.take_entry("value").map(|(_, value)| value);
        // Names that people give them are theirs.
        for name in ["metric", "description"] {
            fields.take(name);
        }
        fields.finish(diagnostics);
        let Some(kind) = kind else { continue };
        let name = kind.text().unwrap_or_default();
        match native(name, value, kind) {
            Some((native, value)) => {
                let mut wish = Wish::foreign(native, key, value);
                wish.kind.place = kind.place.clone();
                wishes.push(wish);
            }
            None => {
                let warning = diagnostics.warning(&kind.place, format!("`{name}` is not supported, and not scored"));
                warning
                    .help
                    .push("a check like it may be written under `expect:`; `mutate schema case` lists all".to_owned());
                let value = value.map_or_else(String::new, |value| format!(" {}", value.to_value()));
                unscored.push(format!("assert {name}{value}"));
            }
        }
    }
    unscored
}

/// The check that a type and its value mean.
fn native(name: &str, value: Option<&Node>, like: &Node) -> Option<(&'static str, Node)> {
    let (not, name) = name.strip_prefix("not-").map_or((false, name), |rest| (true, rest));
    let json = |anywhere: bool| {
        let schema = value.filter(|value| value.mapping().is_some());
        match (anywhere, schema) {
            (false, None) => truth(like),
            (false, Some(schema)) => schema.clone(),
            (true, None) => pairs(like, vec![("anywhere", truth(like))]),
            (true, Some(schema)) => pairs(like, vec![("anywhere", truth(like)), ("schema", schema.clone())]),
        }
    };
    match (name, not) {
        ("is-json", false) => return Some(("reply_is_json", json(false))),
        ("contains-json", false) => return Some(("reply_is_json", json(true))),
        _ => {}
    }
    let value = value?;
    let pattern = |pattern: String| {
        // What is forbidden may be nothing at all: "not the empty text".
        pairs(value, vec![("pattern", text_node(&pattern, value)), ("allow_empty", truth(value))])
    };
    let text = value.text();
    let (insensitive, plain) =
        name.strip_prefix('i').filter(|rest| rest.starts_with("contains")).map_or((false, name), |rest| (true, rest));
    let case = ("case_sensitive", if insensitive { lie(value) } else { truth(value) });
    let needles = |text: Node| pairs(value, vec![("text", text), ("whole_words", lie(value)), case.clone()]);
    Some(match (plain, not) {
        ("equals", false) => ("reply_equals", pairs(value, vec![("text", value.clone()), ("exact", truth(value))])),
        ("equals", true) => ("reply_does_not_match", pattern(format!(r"\A(?:{})\z", regex::escape(text?)))),
        ("contains", false) => ("reply_mentions", needles(value.clone())),
        ("contains", true) => ("reply_does_not_mention", needles(value.clone())),
        ("contains-all", false) => ("reply_mentions", needles(several(value))),
        ("contains-any", false) => ("reply_mentions_any", needles(several(value))),
        ("contains-any", true) => ("reply_does_not_mention", needles(several(value))),
        ("starts-with", false) => ("reply_starts_with", needles(value.clone())),
        ("starts-with", true) => ("reply_does_not_match", pattern(format!(r"\A(?:{})", regex::escape(text?)))),
        ("regex", false) => ("reply_matches", value.clone()),
        ("regex", true) => ("reply_does_not_match", value.clone()),
        _ => return None,
    })
}

/// A list; of one text its parts between commas.
fn several(value: &Node) -> Node {
    match value.text() {
        Some(text) if text.contains(',') => {
            let items = text.split(',').map(|part| text_node(part.trim(), value)).collect();
            Node { kind: NodeKind::Sequence(items), place: value.place.clone() }
        }
        _ => value.clone(),
    }
}

fn pairs(like: &Node, pairs: Vec<(&str, Node)>) -> Node {
    let pairs = pairs.into_iter().map(|(key, value)| (text_node(key, like), value)).collect();
    Node { kind: NodeKind::Mapping(pairs), place: like.place.clone() }
}

fn truth(like: &Node) -> Node {
    Node { kind: NodeKind::Scalar { text: "true".to_owned(), plain: true }, place: like.place.clone() }
}

fn lie(like: &Node) -> Node {
    Node { kind: NodeKind::Scalar { text: "false".to_owned(), plain: true }, place: like.place.clone() }
}
