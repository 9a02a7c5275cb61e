use super::*;

fn turned_to(text: &str) -> String {
    match invert(text) {
        Inversion::Inverted(text) => text,
        Inversion::Refused(refusal) => format!("refused: {}", refusal.reason.name()),
    }
}
