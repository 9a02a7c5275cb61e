//! A stricter check for each kind of finding, in one sentence.

use super::near::Miss;
use crate::matchers::Demand;

pub fn for_silence<'d>(mut demands: impl Iterator<Item = &'d Demand>) -> String {
    let of_calls = demands.any(Demand::is_of_calls);
    let say = "add a check of what the right answer says: `reply_mentions: …`, or `reply_mentions_any: [can't, cannot]` \
               where it says no";
    if of_calls { format!("{say}; or of what it does: `tool_called: …`") } else { say.to_owned() }
}

pub fn for_cannot_fail(demands: &[Demand]) -> String {
    let text = match demands.first() {
        Some(Demand::Matches(_)) => {
            "ask for something that must be there: a pattern that matches the empty text matches every text"
        }
        Some(Demand::Unmatched(_)) => {
            "look at the anchors: no text was found that the pattern matches; for words write `reply_does_not_mention`"
        }
        Some(Demand::MostWords(_) | Demand::MostCalls(_)) => "set a limit that an answer could exceed, or remove it",
        Some(_) => "remove it, or ask for something that a wrong answer lacks",
        // A program does not say what it looks for, so that nothing could be made to go against it.
        None => "write a wrong answer on which it must fail under `incident:`; if there is none, remove it",
    };
    text.to_owned()
}

pub fn for_cannot_pass(demands: &[Demand]) -> String {
    let text = match demands.first() {
        Some(Demand::Matches(_)) => {
            "look at the anchors: no text was found that matches; if one does, write it under `examples:`"
        }
        Some(Demand::Json(_)) => "look at the schema; if an answer fits it, write that under `examples:`",
        _ => "if an answer satisfies it, write that under `examples:`; else ask for less",
    };
    text.to_owned()
}

/// For a case that passes on a whole probe.
pub fn for_probe(name: &str) -> String {
    let text = match name {
        "echo" | "quotation" => "ask for something that the right answer adds and the input does not hold",
        "every-tool" => {
            "name arguments that only the right call has, forbid what must not be called (`no_tool_called`), or check \
             the reply too"
        }
        "empty-object" | "empty-list" | "null" => "give `reply_is_json` a schema that says what is `required`",
        _ => "ask for something that only the right answer has: `reply_mentions: …` or `tool_called: …`",
    };
    text.to_owned()
}

pub fn for_near_miss(miss: Miss, text: &str, demands: &[Demand]) -> String {
    let inside_words = demands.iter().any(|demand| matches!(demand, Demand::Says { inside_words: true, .. }));
    let pattern = demands.iter().any(|demand| matches!(demand, Demand::Matches(_)));
    match miss {
        Miss::LongerNumber if pattern => {
            format!("write `reply_mentions: '{text}'`, which finds no number inside a longer one")
        }
        Miss::LongerWord if pattern => {
            format!("write `reply_mentions: {text}`, which finds whole words only, or put `\\b` at both ends")
        }
        Miss::LongerNumber | Miss::LongerWord if inside_words => "leave out `whole_words: false`".to_owned(),
        Miss::LongerNumber | Miss::LongerWord => "ask for the text with the words around it".to_owned(),
        Miss::InPassing => format!(
            "ask for `{text}` with the words around it that make it the answer, or for the whole reply: `reply_equals`"
        ),
        // A participle is denied by "not", a verb by "cannot".
        Miss::Negated if text.ends_with("ed") || matches!(text, "paid" | "sent") => {
            format!(
                "forbid the opposite too (`reply_does_not_mention: [not {text}]`), or check the deed: `tool_called: …`"
            )
        }
        Miss::Negated => format!(
            "forbid the opposite too (`reply_does_not_mention: [cannot {text}, can't {text}]`), or check the deed: \
             `tool_called: …`"
        ),
    }
}
