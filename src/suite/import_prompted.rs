//! Files of prompts with a few demands: `prompt`, `question`, `expected_tool`, `must_have`, `reference`, `criteria`.
//!
//! | written | read as |
//! |---|---|
//! | `prompt`, `question` | `input` |
//! | `expected_tool: get_order` | `tool_called` |
//! | `must_have: ["30 days"]` | `reply_mentions` |
//! | `must_not_have: ["refunded"]` | `reply_does_not_mention` |
//! | `reference`, `criteria` | notes: code can't decide them; a warning says that they are not scored |

use super::expect::Wish;
use crate::source::{Fields, Node};

/// The spellings of a case's input, the native one first.
pub(super) const INPUT_KEYS: [&str; 3] = ["input", "prompt", "question"];

/// What is kept but not scored.
pub(super) const UNSCORED_KEYS: [&str; 2] = ["reference", "criteria"];

/// Takes this family's keys; what is not scored is returned with its key.
pub(super) fn translate<'n>(fields: &mut Fields<'n>, wishes: &mut Vec<Wish>) -> Vec<(&'n Node, &'n Node)> {
    let checks = [
        ("expected_tool", "tool_called"),
        ("must_have", "reply_mentions"),
        ("must_not_have", "reply_does_not_mention"),
    ];
    for (name, kind) in checks {
        if let Some((key, value)) = fields.take_entry(name) {
            wishes.push(Wish::foreign(kind, key, value.clone()));
        }
    }
    UNSCORED_KEYS.iter().filter_map(|name| fields.take_entry(name)).filter(|(_, value)| !value.is_null()).collect()
}
