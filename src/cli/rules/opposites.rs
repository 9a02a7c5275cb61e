//! Opposites by the suite's helper model, for the rules that the offline inverter refuses.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::asking::Asking;
use crate::cli::open::{self, Opened};
use crate::cli::{Failure, helped};
use crate::run::Spent;
use crate::source::Diagnostics;
use crate::studies::rules::inverting::{self, Prompt, Stubborn};
use crate::studies::rules::{Helped, Subject, Workshop};
use crate::suite::{Case, Suite};

/// Whom to ask, and what it is told.
pub(super) struct Helper {
    opened: Opened,
    prompt: Prompt,
}

/// The helper, where a rule needs one and the suite names one. It may be the agent's own model: the agent is not scored
/// on what it understands of these words, the rule's opposite only has to say what it says.
///
/// Where nothing is asked (`calls`), a helper that can't be opened is no mistake: the list says that it would be asked.
pub(super) fn helper(
    suite: &Suite,
    subjects: &[Subject],
    calls: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Helper> {
    if !subjects.iter().any(|subject| subject.stubborn.is_some()) {
        return None;
    }
    let mut unsaid = Diagnostics::default();
    let opened = open::any_helper(suite, if calls { &mut *diagnostics } else { &mut unsaid })?;
    let prompt = open::invert_prompt(suite, diagnostics);
    Some(Helper { opened, prompt })
}

/// Asks the helper for what is refused offline, and makes those subjects anew. Without `calls` only the journal answers.
pub(super) fn ask(
    suite: &Suite,
    cases: &[Case],
    (workshop, subjects): (&mut Workshop<'_>, &mut [Subject]),
    helper: Option<Helper>,
    asking: &Asking,
    calls: bool,
) -> Result<(Spent, Vec<String>), Failure> {
    let mut seen = BTreeSet::new();
    let stubborn = subjects.iter().filter_map(|subject| subject.stubborn.as_ref());
    // Once each, in the order of the cases, so that a budget finishes the first ones.
    let rules: Vec<Stubborn> = stubborn.filter(|one| seen.insert(one.rule.as_str())).cloned().collect();
    if rules.is_empty() || suite.config.helper_model.is_none() {
        return Ok((Spent::default(), vec![]));
    }
    let Some(Helper { opened, prompt }) = helper else {
        workshop.helped = Some(Helped { helper: "helper_model".to_owned(), opposites: BTreeMap::new() });
        workshop.remake(cases, subjects);
        return Ok((Spent::default(), vec![]));
    };
    let named = opened.agent.describe();
    let mut experiment = inverting::begin(&prompt, rules, asking.seed);
    let spent = helped::ask(suite, asking, opened, &mut experiment, calls)?;
    let opposites = inverting::finish(experiment).into_iter().map(|(asked, made)| (asked.rule, made)).collect();
    workshop.helped = Some(Helped { helper: named.clone(), opposites });
    workshop.remake(cases, subjects);
    let by_model = |subject: &&Subject| subject.mutants.iter().any(|mutant| mutant.made_by.is_some());
    let made: Vec<&str> = subjects.iter().filter(by_model).map(|subject| subject.id.as_str()).collect();
    let mut notes = vec![];
    if !made.is_empty() {
        notes.push(format!(
            "the opposite is worded by {named} in: {}; read it (`--list`), and keep it with `--pin`",
            made.join(", ")
        ));
    }
    if spent.calls + spent.reused > 0 {
        let (calls, reused) = (spent.calls, spent.reused);
        notes.push(format!("asked {named} for opposites: {calls} calls, {reused} answers from the journal"));
    }
    Ok((spent, notes))
}
