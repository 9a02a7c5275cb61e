//! Published golden-case files: `must_call`, `forbid_call`, `expect_contains_any`, `expect_<field>`.
//!
//! | written | read as |
//! |---|---|
//! | `must_call: [get_order]` | `tool_called` |
//! | `forbid_call: [create_refund]` | `no_tool_called` |
//! | `expect_contains: […]`, `expect_contains_all: […]` | `reply_mentions` |
//! | `expect_contains_any: […]` | `reply_mentions_any` |
//! | `expect_not_contains: […]` | `reply_does_not_mention` |
//! | `expect_status: open` | `field: {path: status, equals: open}` |
//!
//! The first five are also read inside `expect:`.

use super::expect::{Wish, text_node};
use crate::source::{Fields, Node, NodeKind};

/// The kind that compares a reported field.
pub(super) const FIELD_KIND: &str = "field";

const PREFIX: &str = "expect_";

/// The matcher that a name of this family means.
pub(super) fn kind_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "must_call" => "tool_called",
        "forbid_call" => "no_tool_called",
        "expect_contains" | "expect_contains_all" => "reply_mentions",
        "expect_contains_any" => "reply_mentions_any",
        "expect_not_contains" => "reply_does_not_mention",
        _ => return None,
    })
}

pub(super) fn translate(fields: &mut Fields<'_>, wishes: &mut Vec<Wish>) {
    let named = [
        "must_call",
        "forbid_call",
        "expect_contains",
        "expect_contains_all",
        "expect_contains_any",
        "expect_not_contains",
    ];
    for name in named {
        if let Some((key, value)) = fields.take_entry(name)
            && let Some(kind) = kind_of(name)
        {
            wishes.push(Wish::foreign(kind, key, value.clone()));
        }
    }
    for (key, value) in fields.take_where(|key| key.len() > PREFIX.len() && key.starts_with(PREFIX)) {
        let field = key.text().and_then(|key| key.strip_prefix(PREFIX)).unwrap_or_default();
        wishes.push(Wish::foreign(FIELD_KIND, key, equals(field, key, value)));
    }
}

/// `{path: FIELD, equals: VALUE}`.
fn equals(field: &str, key: &Node, value: &Node) -> Node {
    let pairs = vec![(text_node("path", key), text_node(field, key)), (text_node("equals", key), value.clone())];
    Node { kind: NodeKind::Mapping(pairs), place: value.place.clone() }
}
