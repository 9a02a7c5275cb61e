//! Files of labelled texts: `label`, `accept`.
//!
//! | written | read as |
//! |---|---|
//! | `label: refund` | `reply_equals` |
//! | `accept: [refund, a refund]` | `reply_mentions_any` |
//! | both | `reply_mentions_any` of the label and all that is accepted |

use super::expect::Wish;
use crate::source::{Fields, Node, NodeKind};

pub(super) fn translate(fields: &mut Fields<'_>, wishes: &mut Vec<Wish>) {
    match (fields.take_entry("label"), fields.take_entry("accept")) {
        (None, None) => {}
        (Some((key, label)), None) => wishes.push(Wish::foreign("reply_equals", key, label.clone())),
        (None, Some((key, accept))) => wishes.push(Wish::foreign("reply_mentions_any", key, accept.clone())),
        (Some((_, label)), Some((key, accept))) => {
            let mut all = vec![label.clone()];
            all.extend_from_slice(accept.sequence().unwrap_or(std::slice::from_ref(accept)));
            let value = Node { kind: NodeKind::Sequence(all), place: accept.place.clone() };
            wishes.push(Wish::foreign("reply_mentions_any", key, value));
        }
    }
}
