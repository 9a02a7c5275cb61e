use super::*;
use crate::source::Diagnostics;

#[test]
fn the_embedded_packs_have_no_mistake() {
    let mut diagnostics = Diagnostics::default();
    for name in ["typo", "format", "paraphrase", "phrases", "frames", "distraction", "adversarial"] {
        let path = format!("{}/mutators/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        let packs = Packs::of_text(&std::fs::read_to_string(path).unwrap(), &mut diagnostics);
        assert!(diagnostics.is_empty(), "{}", diagnostics.render(false));
        assert!(name == "phrases" || packs.mutators().count() > 0);
    }
}
