//! The suite's helper model is asked for texts before a study begins: paraphrases here, opposites in `rules/opposites.rs`.

use super::Failure;
use super::asking::Asking;
use super::open::{self, Opened};
use crate::agents::Agent;
use crate::mutators::input::{Choice, Kind, Subject};
use crate::rulings::Referees;
use crate::run::{Budget, Experiment, Spent};
use crate::source::{Diagnostic, Diagnostics};
use crate::studies::inputs::literals;
use crate::studies::inputs::paraphrasing::{self, Paraphrases, Source};
use crate::suite::{Case, Suite};

/// What a helper made of each case, and what that took.
#[derive(Default)]
pub(super) struct Helped {
    pub paraphrases: Vec<Paraphrases>,
    pub spent: Spent,
    /// For the report.
    pub notes: Vec<String>,
}

/// Asks the helper for its share of the variants, where the kind `model` is chosen; `agent` is the one that the study
/// asks, and must be another model. Without `calls` only the journal answers.
pub(super) fn paraphrases(
    suite: &Suite,
    cases: &[Case],
    choice: &Choice,
    (asking, agent): (&Asking, &dyn Agent),
    calls: bool,
) -> Result<Helped, Failure> {
    let kinds = choice.kinds.as_deref().unwrap_or_default();
    if !kinds.contains(&Kind::Model) {
        return Ok(Helped::default());
    }
    let mut diagnostics = Diagnostics::default();
    if suite.config.helper_model.is_none() {
        let error = Diagnostic::error("the kind `model` needs a `helper_model`, which writes the paraphrases");
        let help = "add to mutate.yaml: `helper_model: {chat: {base_url: …, model: …}}`; not the agent's own model";
        return Err(error.help(help).into());
    }
    let helper = open::helper(suite, agent, &mut diagnostics);
    let prompt = open::paraphrase_prompt(suite, &mut diagnostics);
    let Some(helper) = helper.filter(|_| diagnostics.errors() == 0) else { return Err(diagnostics.into()) };
    let named = helper.agent.describe();
    let words: Vec<Vec<String>> = cases.iter().map(literals).collect();
    let share = choice.variants.div_ceil(kinds.len());
    let sources = cases.iter().zip(&words).map(|(case, literals)| {
        let kept = suite.reviewed.get(&case.id).filter(|reviewed| reviewed.input == case.input);
        let kept = kept.map_or(0, |one| one.variants.iter().filter(|one| one.keep && one.kind == Kind::Model).count());
        Source {
            subject: Subject {
                case: &case.id,
                input: &case.input,
                literals,
                protect: &suite.config.protect,
                language: None,
            },
            known: &case.paraphrases,
            wanted: share.saturating_sub(kept),
        }
    });
    let mut experiment = paraphrasing::begin(&prompt, sources, asking.seed);
    let spent = ask(suite, asking, helper, &mut experiment, calls)?;
    let mut notes = vec![format!(
        "model paraphrases by {named}: {} calls, {} answers from the journal; read them once (`--save`)",
        spent.calls, spent.reused
    )];
    if !calls && spent.stopped.is_some() {
        notes = vec!["some model paraphrases are not made yet: a run or `--save` asks the helper".to_owned()];
    }
    Ok(Helped { paraphrases: paraphrasing::finish(experiment), spent, notes })
}

/// Asks the helper what an experiment wants of it. Without `calls` only the journal answers.
pub(super) fn ask(
    suite: &Suite,
    asking: &Asking,
    helper: Opened,
    experiment: &mut dyn Experiment,
    calls: bool,
) -> Result<Spent, Failure> {
    let (mut engine, _) = asking.engine(suite, (helper, Referees::none(suite.root.clone())))?;
    if !calls {
        engine.budget = Budget { max_trials: Some(0), ..Budget::default() };
    }
    asking.run(&mut engine, experiment)
}
