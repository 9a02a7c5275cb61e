//! Tasks with an `evaluation_criteria:`: the calls of a reference solution, what must be told, and what of it counts.
//!
//! | written | read as |
//! |---|---|
//! | `reward_basis` has `ACTION` | `actions` are `tool_called`, with the arguments that `compare_args` names: all where it is absent, none where it is `[]` |
//! | it has not | `actions` are a note, and a warning says so: the list is a reference then, and no claim |
//! | `communicate_info`, where `reward_basis` has `COMMUNICATE` or is absent | `reply_mentions` |
//! | `nl_assertions`, `env_assertions` | notes: code can't decide them here |

use super::expect::{Wish, text_node};
use crate::source::{Diagnostics, Fields, Node, NodeKind};

/// Takes `evaluation_criteria:`; what is not scored is returned as notes.
pub(super) fn translate(fields: &mut Fields<'_>, wishes: &mut Vec<Wish>, diagnostics: &mut Diagnostics) -> Vec<String> {
    let Some((key, node)) = fields.take_entry("evaluation_criteria") else { return vec![] };
    if node.is_null() {
        return vec![];
    }
    let Some(mut fields) = Fields::of("`evaluation_criteria`", node, diagnostics) else { return vec![] };
    let basis = fields.texts("reward_basis", diagnostics);
    let counts = |name: &str| basis.as_ref().is_some_and(|basis| basis.iter().any(|one| one == name));
    let actions = fields.take("actions").filter(|node| node.sequence().is_none_or(|items| !items.is_empty()));
    let told = fields.take("communicate_info").filter(|node| node.sequence().is_none_or(|items| !items.is_empty()));
    let mut notes = vec![];
    for name in ["nl_assertions", "env_assertions"] {
        let Some(node) = fields.take(name).filter(|node| node.sequence().is_none_or(|items| !items.is_empty())) else {
            continue;
        };
        let warning = diagnostics.warning(&node.place, format!("`{name}` are not scored"));
        warning
            .help
            .push("code can't decide them here; they are kept as a note, and the other checks count".to_owned());
        notes.push(format!("{name}: {}", node.to_value()));
    }
    fields.finish(diagnostics);
    match actions {
        Some(actions) if counts("ACTION") => {
            let calls: Vec<Node> =
                actions.sequence().unwrap_or_default().iter().filter_map(|action| call(action, diagnostics)).collect();
            if !calls.is_empty() {
                let calls = Node { kind: NodeKind::Sequence(calls), place: actions.place.clone() };
                wishes.push(Wish::foreign("tool_called", key, calls));
            }
        }
        Some(actions) => {
            let message = "these `actions` are a reference and no checks: `reward_basis` has no `ACTION`";
            let warning = diagnostics.warning(&actions.place, message);
            warning.help.push("to check the calls, add `ACTION` to `reward_basis`".to_owned());
            notes.push(format!("actions: {}", actions.to_value()));
        }
        None => {}
    }
    match told {
        Some(told) if basis.is_none() || counts("COMMUNICATE") => {
            wishes.push(Wish::foreign("reply_mentions", key, told.clone()));
        }
        Some(told) => {
            let message = "this `communicate_info` is no check: `reward_basis` has no `COMMUNICATE`";
            let warning = diagnostics.warning(&told.place, message);
            warning.help.push("to check the reply, add `COMMUNICATE` to `reward_basis`".to_owned());
            notes.push(format!("communicate_info: {}", told.to_value()));
        }
        None => {}
    }
    notes
}

/// One action as a call to look for. What the customer does is no call of the agent.
fn call(action: &Node, diagnostics: &mut Diagnostics) -> Option<Node> {
    let mut fields = Fields::of("an action", action, diagnostics)?;
    let name = fields.required("name", diagnostics);
    let arguments = fields.take("arguments");
    let compared = fields.take_entry("compare_args").map(|(_, node)| node).filter(|node| !node.is_null());
    let by = fields.text("requestor", diagnostics);
    for key in ["action_id", "info"] {
        fields.take(key);
    }
    fields.finish(diagnostics);
    let name = name?;
    if by.is_some_and(|by| by != "assistant") {
        let warning = diagnostics.warning(&action.place, "this action is not the agent's, and not scored");
        warning.help.push("only calls with `requestor: assistant`, or without it, are checked".to_owned());
        return None;
    }
    let wanted = |key: &Node| match compared {
        None => true,
        Some(list) => list.sequence().unwrap_or_default().iter().any(|one| one.text() == key.text()),
    };
    let pairs: Vec<(Node, Node)> =
        arguments.and_then(Node::mapping).unwrap_or_default().iter().filter(|(key, _)| wanted(key)).cloned().collect();
    if pairs.is_empty() {
        return Some(name.clone());
    }
    let arguments = Node { kind: NodeKind::Mapping(pairs), place: action.place.clone() };
    let pairs = vec![(text_node("name", name), name.clone()), (text_node("arguments", name), arguments)];
    Some(Node { kind: NodeKind::Mapping(pairs), place: action.place.clone() })
}
