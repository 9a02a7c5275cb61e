//! Every kind of matcher, in the order in which documentation lists them.

use serde_json::Value;

use super::{
    Matcher, affirm, edges, extract, fields, helper, json, judge, mention, order, pattern, shape, similar, tools,
};
use crate::source::{Diagnostics, Node};

/// Makes a matcher from `name: value`. `None` goes with at least one error in the diagnostics.
pub(super) type Parse = fn(&'static str, &Node, &mut Diagnostics) -> Option<Box<dyn Matcher>>;

/// A part of a transcript that a matcher reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Reply,
    /// Tool calls: an agent that does not report them is not assessable.
    Tools,
    /// Values beside the reply.
    Fields,
}

/// One kind of matcher.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Its name under `expect:`.
    pub name: &'static str,
    /// What it says of a transcript, in one sentence.
    pub summary: &'static str,
    /// Names by which people may look for it: an unknown kind with such a name is answered with the right one. They
    /// are not read as this kind.
    pub aliases: &'static [&'static str],
    /// It forbids or limits something, so that an agent that says and does nothing satisfies it.
    pub negative: bool,
    /// What it reads of a transcript.
    pub reads: Part,
    /// A JSON Schema of the value under the name.
    pub schema: fn() -> Value,
    pub(super) parse: Parse,
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kind").field("name", &self.name).finish_non_exhaustive()
    }
}

static KINDS: [Kind; 22] = [
    mention::MENTIONS,
    mention::MENTIONS_ANY,
    affirm::AFFIRMS,
    mention::DOES_NOT_MENTION,
    pattern::MATCHES,
    pattern::DOES_NOT_MATCH,
    edges::EQUALS,
    edges::STARTS_WITH,
    edges::ENDS_WITH,
    json::IS_JSON,
    extract::EXTRACT,
    shape::MAX_WORDS,
    shape::MIN_WORDS,
    tools::CALLED,
    tools::NOT_CALLED,
    order::ORDER,
    order::EXACTLY,
    tools::MAX_CALLS,
    fields::FIELD,
    helper::HELPER,
    judge::JUDGE,
    similar::SIMILAR,
];

/// Every kind of matcher.
pub fn kinds() -> &'static [Kind] {
    &KINDS
}
