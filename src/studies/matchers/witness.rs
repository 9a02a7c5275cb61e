//! Transcripts made from what checks ask for: some that satisfy them, some that go against one. Whether they do is for
//! the matchers to say.

use serde_json::{Map, Value, json};

use crate::matchers::{CallPattern, Demand, FEW_WAYS, texts_matching, value_fitting};
use crate::mutators::transcript::Probes;
use crate::transcript::{ToolCall, Transcript};

/// Alternatives of one check that are tried: texts of `reply_mentions_any`, branches of a pattern.
const MOST_ALTERNATIVES: usize = FEW_WAYS;

/// The longest reply and the most calls that are made to break a limit.
pub const MOST_WORDS: u64 = 20_000;
pub const MOST_CALLS: u64 = 1_000;

/// Transcripts that may satisfy all of these demands, likelier ones first.
pub fn satisfying(demands: &[&Demand]) -> Vec<Transcript> {
    let tool_calls = calls(demands);
    let fields = fields(demands);
    let mut made: Vec<Transcript> = vec![];
    for choice in 0..MOST_ALTERNATIVES {
        for reply in replies(demands, choice) {
            let reply = Some(reply);
            if !made.iter().any(|known| known.reply == reply) {
                let (tool_calls, fields) = (Some(tool_calls.clone()), fields.clone());
                made.push(Transcript { reply, tool_calls, fields, ..Transcript::default() });
            }
        }
    }
    made
}

/// A call that a pattern asks for.
pub fn call_of(pattern: &CallPattern) -> ToolCall {
    call(&pattern.name, pattern.arguments.clone().unwrap_or_else(|| json!({})))
}

pub fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { name: name.to_owned(), arguments, result: Value::Null, error: None, turn: 0, malformed: false }
}

fn replies(demands: &[&Demand], choice: usize) -> Vec<String> {
    let neutral = &Probes::embedded().neutral;
    let (mut first, mut middle, mut last) = (vec![], vec![], vec![]);
    let (mut least, mut whole) = (0, vec![]);
    for demand in demands {
        match demand {
            Demand::Says { texts, any: true, .. } => middle.push(texts[choice % texts.len()].clone()),
            Demand::Says { texts, any: false, .. } => middle.extend(texts.iter().cloned()),
            Demand::Is(text) => whole.push(text.clone()),
            Demand::Starts(text) => first.push(text.clone()),
            Demand::Ends(text) => last.push(text.clone()),
            Demand::Matches(patterns) => {
                for pattern in patterns {
                    let texts = texts_matching(pattern, choice + 1);
                    middle.extend(texts.last().map(|sampled| sampled.text.clone()));
                }
            }
            Demand::Json(schema) => {
                whole.push(schema.as_ref().map_or_else(|| json!({"answer": "ok"}), value_fitting).to_string());
            }
            Demand::LeastWords(words) => least = least.max((*words).min(MOST_WORDS)),
            _ => {}
        }
    }
    if !whole.is_empty() {
        if let (Some(Value::Object(mut map)), false) = (serde_json::from_str(&whole[0]).ok(), middle.is_empty()) {
            map.insert("note".to_owned(), Value::String(middle.join(", ")));
            whole.push(Value::Object(map).to_string());
        }
        return whole;
    }
    let edges = first.len() + last.len();
    let parts: Vec<String> = [first, middle, last].concat();
    let filler = "word ".repeat(least as usize);
    let filled = |reply: String| if least == 0 { reply } else { format!("{reply} {}", filler.trim_end()) };
    if parts.is_empty() {
        return neutral.iter().cloned().map(filled).collect();
    }
    let mut made: Vec<String> = [". ", " ", "\n"].iter().map(|between| parts.join(between)).collect();
    // A pattern with an anchor wants to stand at an end, or alone.
    for at in 1..parts.len().min(MOST_ALTERNATIVES) {
        let mut turned = parts.clone();
        turned.rotate_left(at);
        made.push(turned.join(" "));
        made.push(parts[at].clone());
    }
    made.extend(parts.first().cloned());
    if least > 0 {
        // Words may have to stand before what the reply ends with.
        made.push(format!("{} {}", filler.trim_end(), parts.join(" ")));
    }
    if edges == 0 {
        // A forbidden pattern may have an anchor too.
        made.push(format!("{} {}", neutral[0], parts.join(" ")));
        made.push(format!("{} {}", parts.join(" "), neutral[0]));
    }
    made.into_iter().map(filled).collect()
}

fn calls(demands: &[&Demand]) -> Vec<ToolCall> {
    let mut made: Vec<ToolCall> = vec![];
    let mut closed = false;
    for demand in demands {
        if let Demand::Exactly { calls, .. } = demand {
            made.extend(calls.iter().map(call_of));
            closed = true;
        }
    }
    for demand in demands {
        if let Demand::Order(steps) = demand
            && !closed
        {
            made.extend(steps.iter().flatten().map(call_of));
        }
    }
    let mut wanted: Vec<&CallPattern> = demands
        .iter()
        .filter_map(|demand| match demand {
            Demand::Calls(calls) => Some(calls),
            _ => None,
        })
        .flatten()
        .collect();
    // What says more first, so that one call serves `get_order` and `get_order(order_id = 4021)`.
    wanted.sort_by_key(|pattern| std::cmp::Reverse(pattern.arguments.as_ref().map_or(0, |one| one.to_string().len())));
    for pattern in wanted {
        let times = pattern.times.unwrap_or(1).min(MOST_CALLS) as usize;
        let there = made.iter().filter(|call| pattern.matches(call)).count();
        let missing = times.saturating_sub(there);
        if missing > 0 && widened(&mut made, pattern) {
            continue;
        }
        made.extend((0..missing).map(|_| call_of(pattern)));
    }
    made
}

/// Gives a call of the same tool the pattern's arguments too, where that contradicts nothing.
fn widened(made: &mut [ToolCall], pattern: &CallPattern) -> bool {
    let Some(Value::Object(wanted)) = &pattern.arguments else { return false };
    for call in made.iter_mut().filter(|call| call.name == pattern.name) {
        let Value::Object(arguments) = &call.arguments else { continue };
        if pattern.times.is_none() && wanted.keys().all(|key| !arguments.contains_key(key)) {
            let mut both: Map<String, Value> = arguments.clone();
            both.extend(wanted.clone());
            call.arguments = Value::Object(both);
            return true;
        }
    }
    false
}

fn fields(demands: &[&Demand]) -> Map<String, Value> {
    let mut made = Value::Object(Map::new());
    for demand in demands {
        if let Demand::Field { pointer, value: Some(value) } = demand {
            put(&mut made, pointer, value.clone());
        }
    }
    match made {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Sets the value at a JSON pointer, making objects and lists on the way.
fn put(into: &mut Value, pointer: &str, value: Value) {
    let mut place = into;
    for step in pointer.split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        place = match key.parse::<usize>() {
            Ok(index) if index < 1_000 && !place.is_object() => {
                if !place.is_array() {
                    *place = json!([]);
                }
                let items = place.as_array_mut().expect("it was made a list on the line above");
                while items.len() <= index {
                    items.push(Value::Null);
                }
                &mut items[index]
            }
            _ => {
                if !place.is_object() {
                    *place = json!({});
                }
                let map = place.as_object_mut().expect("it was made an object on the line above");
                map.entry(key).or_insert(Value::Null)
            }
        };
    }
    *place = value;
}

/// Transcripts that go against one demand, so that its check should fail on each of them. Empty where a neutral reply
/// and no call at all go against it already.
pub fn violating(demand: &Demand) -> Vec<Transcript> {
    let neutral = &Probes::embedded().neutral[0];
    let replied = |reply: String| Transcript { tool_calls: Some(vec![]), ..Transcript::text(reply) };
    let called = |calls: Vec<ToolCall>| Transcript { tool_calls: Some(calls), ..Transcript::text(neutral.clone()) };
    match demand {
        Demand::Unsaid(texts) => {
            texts.iter().flat_map(|text| [format!("{neutral} {text}. {neutral}"), text.clone()]).map(replied).collect()
        }
        Demand::Unmatched(patterns) => patterns
            .iter()
            .flat_map(|pattern| texts_matching(pattern, 3))
            .map(|sampled| replied(sampled.text))
            .collect(),
        Demand::MostWords(most) if *most < MOST_WORDS => {
            vec![replied("word ".repeat(*most as usize + 1)), replied("word ".repeat(*most as usize))]
        }
        Demand::NoCalls(patterns) if patterns.is_empty() => vec![called(vec![call("some_tool", json!({}))])],
        Demand::NoCalls(patterns) => patterns.iter().map(|pattern| called(vec![call_of(pattern)])).collect(),
        Demand::MostCalls(limits) => limits
            .iter()
            .filter(|(_, most)| *most < MOST_CALLS)
            .map(|(name, most)| {
                let name = name.as_deref().unwrap_or("some_tool");
                called((0..=*most).map(|_| call(name, json!({}))).collect())
            })
            .collect(),
        Demand::Exactly { calls, .. } => {
            let mut made: Vec<ToolCall> = calls.iter().map(call_of).collect();
            made.push(call("some_tool", json!({})));
            vec![called(made)]
        }
        Demand::Field { pointer, value: None } => {
            let mut whole = json!({});
            put(&mut whole, pointer, json!(true));
            match whole {
                Value::Object(fields) => vec![Transcript { fields, ..called(vec![]) }],
                _ => vec![],
            }
        }
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_put_where_a_pointer_says() {
        let mut made = json!({});
        put(&mut made, "/order/items/1/id", json!(7));
        put(&mut made, "/order/status", json!("open"));
        assert_eq!(made, json!({"order": {"items": [null, {"id": 7}], "status": "open"}}));
    }
}
