//! What to do next, in one sentence a verdict.

use super::{AssertionVerdict, CaseFinding, CaseVerdict, Cause, Reach};
use crate::suite::Provenance;

/// The next step for a case of this id with this verdict and this label.
pub fn advice(id: &str, finding: &CaseFinding, provenance: Provenance, reach: &Reach) -> String {
    let text = match finding.verdict {
        CaseVerdict::RuleDerived => {
            let number = |verdict| finding.assertions.iter().filter(|one| one.verdict == verdict).count();
            let mut text = match provenance {
                Provenance::RuleDerived => "the label `rule-derived` is earned".to_owned(),
                _ => "label it `provenance: rule-derived`".to_owned(),
            };
            for (number, one, many) in [
                (number(AssertionVerdict::Broken), "fails", "fail"),
                (number(AssertionVerdict::Unproven), "is unproven", "are unproven"),
                (number(AssertionVerdict::Vacuous), "can't fail (`mutate matchers`)", "can't fail (`mutate matchers`)"),
                (number(AssertionVerdict::Inert), "does not depend on this rule", "do not depend on this rule"),
            ] {
                match number {
                    0 => {}
                    1 => text.push_str(&format!("; one assertion {one}")),
                    number => text.push_str(&format!("; {number} assertions {many}")),
                }
            }
            return text;
        }
        CaseVerdict::Steerable => {
            "losing the rule goes unnoticed: write a case whose input tempts the agent to break it"
        }
        CaseVerdict::ModelDefault => match provenance {
            Provenance::ModelSwapGuard => {
                "the label `model-swap-guard` fits: it guards against a model that behaves otherwise"
            }
            _ => "it tests the model, not the rule: label it `provenance: model-swap-guard`, or write a harder case",
        },
        CaseVerdict::Redundant => &format!(
            "other text carries the behaviour; `mutate rules --attribute --case {id}` finds it: name it under the rule's \
             `also:`, so that both are deleted together, or delete one of the two"
        ),
        CaseVerdict::WrongReason => {
            "it falls without an unrelated rule too (see control): check that the assertion looks at what the rule says"
        }
        CaseVerdict::BaselineFailing => "fix the agent or the assertion first: `mutate show` has the replies",
        CaseVerdict::Unproven if finding.assertions.iter().all(|one| one.verdict == AssertionVerdict::Vacuous) => {
            "write a check that a wrong answer fails: `mutate matchers` says what each of these lets through"
        }
        CaseVerdict::Unproven
            if finding.assertions.iter().any(|one| matches!(one.cause, Some(Cause::NotAssessable(_)))) =>
        {
            "let the agent report what the check needs: tool calls in a transcript, a reply that is not cut"
        }
        CaseVerdict::Unproven if !finding.assertions.iter().any(|one| one.verdict == AssertionVerdict::Unproven) => {
            "see why; a case that mostly fails with its rule in place needs a better agent or another check"
        }
        CaseVerdict::Unproven => {
            "allow more trials (`design.max_trials_per_arm`, `--max-trials`), or make the case less noisy"
        }
        CaseVerdict::Unreached => {
            "let the agent read its instructions from $MUTATE_INSTRUCTIONS_DIR (or take `stdin: json`), then run again"
        }
        CaseVerdict::Error => "fix the agent and run the same command again: only what is missing is asked",
    };
    let mut text = text.to_owned();
    if provenance == Provenance::RuleDerived && finding.verdict.label() != Some("rule-derived") {
        text.push_str("; it must not keep the label `rule-derived`");
    }
    if finding.verdict == CaseVerdict::ModelDefault && *reach == Reach::CanaryIgnored {
        text.push_str("; but this agent did not follow even a plain instruction (see the note)");
    }
    text
}
