//! Files with one right answer and the name of a grader: `expected` + `grader`.
//!
//! | written | read as |
//! |---|---|
//! | `expected: Leprosy`, `grader: exact_match` | `reply_equals` |
//! | `expected: Leprosy`, `grader: contains` | `reply_mentions` (of a list: all of them) |

use super::expect::Wish;
use crate::source::{Diagnostics, Fields, nearest_name};

const GRADERS: [&str; 2] = ["exact_match", "contains"];

pub(super) fn translate(fields: &mut Fields<'_>, wishes: &mut Vec<Wish>, diagnostics: &mut Diagnostics) {
    let expected = fields.take_entry("expected");
    let grader = fields.take_entry("grader");
    match (expected, grader) {
        (None, None) => {}
        (Some((key, _)), None) => {
            let error = diagnostics.error(&key.place, "`expected` does not say how it is compared");
            error.help.push("add `grader: exact_match` or `grader: contains`".to_owned());
            error.help.push("or write `expect: {reply_mentions: [\"…\"]}` in its place".to_owned());
        }
        (None, Some((key, _))) => {
            let error = diagnostics.error(&key.place, "`grader` has nothing to compare with");
            error.help.push("add `expected: \"…\"`".to_owned());
        }
        (Some((key, value)), Some((_, grader))) => match grader.text() {
            Some("exact_match") => wishes.push(Wish::foreign("reply_equals", key, value.clone())),
            Some("contains") => wishes.push(Wish::foreign("reply_mentions", key, value.clone())),
            other => {
                let seen = other.unwrap_or(grader.describe());
                let error = diagnostics.error(&grader.place, format!("the grader `{seen}` is not known here"));
                error.help.push(match nearest_name(seen, GRADERS) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`exact_match` and `contains` are read; write other checks under `expect:`".to_owned(),
                });
            }
        },
    }
}
