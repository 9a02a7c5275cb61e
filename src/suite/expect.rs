//! From the entries of `expect:` and their foreign spellings to assertions.

use std::collections::HashMap;

use super::case::Assertion;
use super::{draft, import_golden};
use crate::matchers::Matcher;
use crate::source::{Diagnostics, Fields, Node, NodeKind};

/// How a matcher is made from `kind: value`. The loader is given it, so that it can be tested without the real ones.
pub(super) type ParseMatcher<'a> = &'a dyn Fn(&Node, &Node, &mut Diagnostics) -> Option<Box<dyn Matcher>>;

/// An assertion before it is parsed.
pub(super) struct Wish {
    pub kind: Node,
    pub value: Node,
    /// The key that the user wrote, where it is a foreign spelling.
    pub foreign: Option<String>,
}

impl Wish {
    /// What the foreign `key` says in the words of `expect:`.
    pub(super) fn foreign(kind: &str, key: &Node, value: Node) -> Wish {
        Wish { kind: text_node(kind, key), value, foreign: key.text().map(str::to_owned) }
    }
}

/// A text that stands where `like` stands.
pub(super) fn text_node(text: &str, like: &Node) -> Node {
    Node { kind: NodeKind::Scalar { text: text.to_owned(), plain: false }, place: like.place.clone() }
}

/// Takes `expect:`: a mapping of kinds to values, or a list of one-key mappings. True where the key is there.
pub(super) fn take(fields: &mut Fields<'_>, wishes: &mut Vec<Wish>, diagnostics: &mut Diagnostics) -> bool {
    let Some((key, node)) = fields.take_entry("expect") else { return false };
    let mut add = |kind: &Node, value: &Node| match kind.text().and_then(import_golden::kind_of) {
        Some(native) => wishes.push(Wish::foreign(native, kind, value.clone())),
        None => wishes.push(Wish { kind: kind.clone(), value: value.clone(), foreign: None }),
    };
    match &node.kind {
        NodeKind::Mapping(pairs) if !pairs.is_empty() => pairs.iter().for_each(|(kind, value)| add(kind, value)),
        NodeKind::Sequence(items) if !items.is_empty() => {
            for item in items {
                match item.mapping() {
                    Some([(kind, value)]) => add(kind, value),
                    Some(pairs) if pairs.len() > 1 => {
                        let error =
                            diagnostics.error(&pairs[1].0.place, "an entry of the list `expect` holds one check");
                        error.label = "a second check".to_owned();
                        error.help.push("start it with a dash of its own".to_owned());
                    }
                    _ => {
                        let error = diagnostics.error(
                            &item.place,
                            format!("an entry of `expect` must be `kind: value`, but this is {}", item.describe()),
                        );
                        error.help.push("for example `- reply_mentions: [\"30 days\"]`".to_owned());
                    }
                }
            }
        }
        NodeKind::Scalar { text, .. } if draft::is_unwritten("expect", text, &node.place, diagnostics) => {}
        NodeKind::Scalar { .. } if !node.is_null() => {
            let error = diagnostics
                .error(&node.place, format!("`expect` must be a mapping of checks, but this is {}", node.describe()));
            error.help.push("for example `expect: {reply_mentions: [\"30 days\"]}`".to_owned());
        }
        _ => {
            let error = diagnostics.error(&key.place, "`expect` is empty: this case can't fail");
            error.help.push("add a check that code can decide, such as `reply_mentions: [\"30 days\"]`".to_owned());
        }
    }
    true
}

/// Parses all wishes of one case. Two spellings of one check are an error.
pub(super) fn parse(wishes: &[Wish], parse: ParseMatcher<'_>, diagnostics: &mut Diagnostics) -> Vec<Assertion> {
    let mut assertions = vec![];
    let mut count: HashMap<&'static str, usize> = HashMap::new();
    for (index, wish) in wishes.iter().enumerate() {
        if let Some(first) = wishes[..index].iter().find(|first| same_thing_twice(first, wish)) {
            let spelled =
                |wish: &Wish| wish.foreign.clone().or(wish.kind.text().map(str::to_owned)).unwrap_or_default();
            let message = format!("`{}` and `{}` are two spellings of one check", spelled(first), spelled(wish));
            let error = diagnostics.error(&wish.kind.place, message);
            error.label = "again here".to_owned();
            error.related.push((first.kind.place.clone(), "first here".to_owned()));
            error.help.push(format!("keep one, best as `{}` under `expect:`", wish.kind.text().unwrap_or_default()));
            continue;
        }
        let errors = diagnostics.errors();
        let Some(matcher) = parse(&wish.kind, &wish.value, diagnostics) else {
            if diagnostics.errors() == errors {
                diagnostics.error(&wish.kind.place, "this check can't be read");
            }
            continue;
        };
        let kind = matcher.kind();
        let nth = count.entry(kind).and_modify(|nth| *nth += 1).or_insert(1);
        let id = if *nth == 1 { kind.to_owned() } else { format!("{kind}#{nth}") };
        assertions.push(Assertion { id, matcher, place: wish.kind.place.clone() });
    }
    assertions
}

/// A kind may stand twice natively (a list of checks), and `expect_a` and `expect_b` are two fields.
fn same_thing_twice(first: &Wish, second: &Wish) -> bool {
    first.kind.text() == second.kind.text()
        && first.foreign != second.foreign
        && first.kind.text() != Some(import_golden::FIELD_KIND)
}
