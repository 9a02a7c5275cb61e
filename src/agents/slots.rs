//! The places in a prompt that are filled before it is sent.

/// Whether a prompt of a suite's own holds some text and no place in braces but these.
///
/// # Errors
/// What is wrong with it, as the end of "the prompt … can't be used: …".
pub fn only_slots(text: &str, slots: &[&str]) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let filled = slots.iter().fold(text.to_owned(), |text, slot| text.replace(slot, ""));
    let Some((_, slot)) = filled.split_once("{{") else { return Ok(()) };
    let slot: String = slot.split_once("}}").map_or(slot, |(slot, _)| slot).chars().take(40).collect();
    let known: Vec<String> = slots.iter().map(|slot| format!("`{slot}`")).collect();
    let known = match known.len() {
        0 => "this prompt has no slots".to_owned(),
        1 => format!("the only slot is {}", known[0]),
        _ => format!("the slots are {}", known.join(" and ")),
    };
    Err(format!("`{{{{{slot}}}}}` is filled by nobody; {known}"))
}
