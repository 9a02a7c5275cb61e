use super::{CaseReport, Verdict};

/// What to do about a verdict, in one sentence.
pub(super) fn advice(case: &CaseReport) -> String {
    let again = "run it again with another `--seed`: fresh trials decide";
    match case.verdict {
        Verdict::Robust => "nothing: it holds in every phrasing that was tried".to_owned(),
        Verdict::SinglePhrasing => {
            "it has memorised its sentence: if the check asks for words of the input, loosen it; if \
                                    the agent needs that sentence, the agent is not ready for customers"
                .to_owned()
        }
        Verdict::Sensitive if case.kinds.is_empty() => {
            "the wording of the case is the odd one: other phrasings pass more often; rewrite its input".to_owned()
        }
        Verdict::Sensitive => format!(
            "look at which assertion fell: loosen a check that asks for the input's own words, else teach the agent to \
             read {}",
            kinds(&case.kinds)
        ),
        Verdict::Flaky => {
            "the agent is unsteady here, whatever the phrasing: make the case or the agent less noisy before you trust \
             either outcome"
                .to_owned()
        }
        Verdict::BaselineFailing => {
            format!("fix the agent or the assertion first: `mutate show {}` has the replies", quoted(&case.id))
        }
        Verdict::Unproven if case.q_value.is_some_and(|q| q < 1.0) => again.to_owned(),
        Verdict::Unproven if case.variants.is_empty() => {
            "write phrasings of your own under the case's `paraphrases:`".to_owned()
        }
        Verdict::Unproven => {
            "run the same command again with more room: what was answered is not asked again".to_owned()
        }
        Verdict::Error => "make the agent answer, then run the same command again".to_owned(),
    }
}

/// `typo`, `typo and format`.
fn kinds(kinds: &[String]) -> String {
    let named = |kind: &String| match kind.as_str() {
        "typo" => "typing errors".to_owned(),
        "format" => "other layouts".to_owned(),
        "paraphrase" | "model" | "written" => "other wordings".to_owned(),
        "distraction" => "talk around the request".to_owned(),
        other => other.to_owned(),
    };
    let mut names: Vec<String> = kinds.iter().map(named).collect();
    names.dedup();
    names.join(" and ")
}

/// An id as a shell takes it.
fn quoted(id: &str) -> String {
    let plain = id.chars().all(|c| c.is_alphanumeric() || "-_./:@+".contains(c));
    if plain { id.to_owned() } else { format!("'{id}'") }
}
