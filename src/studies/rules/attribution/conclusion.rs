//! What was found, and what to do next, in a sentence each.

use super::assemble::statements as counted;
use super::result::{AttributedStatement, Role};
use super::verdict::{Finding, Verdict};
use crate::studies::rules::{CaseFinding, CaseVerdict, Reach, advice as rules_advice};
use crate::suite::Provenance;

/// Places that a sentence names; of more it says how many.
const NAMED: usize = 4;

/// What the sentences are made from.
pub(super) struct Told<'t> {
    pub(super) id: &'t str,
    pub(super) finding: &'t Finding,
    pub(super) statements: &'t [AttributedStatement],
    pub(super) candidates: usize,
    pub(super) provenance: Provenance,
}

impl Told<'_> {
    fn with(&self, role: Role) -> Vec<&AttributedStatement> {
        self.statements.iter().filter(|one| one.role == role).collect()
    }
}

pub(super) fn conclusion(told: &Told<'_>) -> String {
    let carrying = told.with(Role::Carries);
    let none_quoted = carrying.iter().all(|one| !one.quoted);
    let all = counted(told.candidates);
    let mut text = match told.finding.verdict {
        Verdict::Carried if carrying.len() == 1 => {
            format!("{} alone carries it: without it the case falls", places(&carrying))
        }
        Verdict::Carried if carrying.iter().all(|one| one.quoted) => {
            format!("the rule is stated more than once: {}", any_of(&carrying))
        }
        Verdict::Carried => any_of(&carrying),
        Verdict::ModelDefault => format!(
            "no statement carries it: the case holds without {}, and without any instructions",
            if told.candidates == 1 { "the only one".to_owned() } else { format!("all {all}") }
        ),
        Verdict::WrongReason => {
            format!("no statement can be named: the case falls without {}, but without an unrelated rule too", {
                places(&told.with(Role::Suspect))
            })
        }
        Verdict::BaselineFailing => {
            "nothing holds with the instructions as they are: there is nothing to carry".to_owned()
        }
        Verdict::Unreached => "nothing shows that the agent reads the mutated instruction files".to_owned(),
        Verdict::Unproven | Verdict::Error => match told.with(Role::Suspect) {
            bound if bound.is_empty() => "no set of statements was seen to carry it".to_owned(),
            bound if bound.len() == 1 => {
                format!("{} may carry it: the case was seen to fall without it, which is not confirmed", places(&bound))
            }
            bound => format!(
                "somewhere in these {} of {all}: the case was seen to fall without all of them, which is not confirmed",
                bound.len()
            ),
        },
    };
    let has_quote = told.statements.iter().any(|one| one.quoted);
    if told.finding.verdict == Verdict::Carried && none_quoted && has_quote {
        text.push_str("; the quoted rule is not needed for that");
    }
    match &told.finding.needed {
        Some(needed) if needed.settled => {
            let kept: Vec<&AttributedStatement> = told.statements.iter().filter(|one| one.needed).collect();
            text.push_str(&format!(". Of all {all}, {} would be enough", places(&kept)));
        }
        Some(needed) => {
            let why = needed.reason.as_deref().unwrap_or("trials ran out");
            text.push_str(&format!(". Which of all {all} would be enough is unproven: {why}"));
        }
        None => {}
    }
    text
}

pub(super) fn advice(told: &Told<'_>) -> String {
    let as_in_rules = |verdict: CaseVerdict| {
        let finding = CaseFinding { verdict, assertions: vec![], reason: None };
        rules_advice::advice(told.id, &finding, told.provenance, &Reach::NotAsked)
    };
    let carrying = told.with(Role::Carries);
    let others: Vec<&AttributedStatement> = carrying.iter().filter(|one| !one.quoted).copied().collect();
    match told.finding.verdict {
        Verdict::Carried if others.is_empty() && carrying.len() == 1 => {
            "this is the text to change when the behaviour is to change".to_owned()
        }
        Verdict::Carried if others.is_empty() => {
            "`mutate rules` deletes them together; whoever changes one of them must change all".to_owned()
        }
        Verdict::Carried if others.len() < carrying.len() => format!(
            "name {} under the rule's `also:`, so that `mutate rules` deletes them together, or keep only one of them",
            places(&others)
        ),
        Verdict::Carried if others.len() == 1 => {
            format!("let the case quote {} in its `rule:`", places(&others))
        }
        Verdict::Carried => {
            format!("let the case quote one of {} in its `rule:`, and name the rest under `also:`", places(&others))
        }
        Verdict::ModelDefault => as_in_rules(CaseVerdict::ModelDefault),
        Verdict::WrongReason => as_in_rules(CaseVerdict::WrongReason),
        Verdict::BaselineFailing => as_in_rules(CaseVerdict::BaselineFailing),
        Verdict::Unreached => as_in_rules(CaseVerdict::Unreached),
        Verdict::Error => as_in_rules(CaseVerdict::Error),
        Verdict::Unproven => format!(
            "see why; more trials (`--max-trials`, `--max-trials-per-arm`) settle what noise or a budget left open: what was \
             answered is kept, so `mutate rules --attribute --case {}` goes on",
            told.id
        ),
    }
}

fn any_of(statements: &[&AttributedStatement]) -> String {
    let (any, all) = if statements.len() == 2 { ("either", "both") } else { ("any one", "all of them") };
    format!("{any} of {} is enough, without {all} the case falls", places(statements))
}

fn places(statements: &[&AttributedStatement]) -> String {
    let mut names: Vec<String> =
        statements.iter().take(NAMED).map(|one| format!("{}:{}", one.file, one.line)).collect();
    names.dedup();
    if statements.len() > NAMED {
        names.push(format!("{} more", statements.len() - NAMED));
    }
    match names.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}
