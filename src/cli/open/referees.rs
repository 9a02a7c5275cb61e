//! Whom the matchers of the chosen cases may ask: opened and checked before anything is asked.

use std::sync::Arc;

use super::{Opened, Purpose, opened, own_prompt, surroundings};
use crate::agents::{Agent, Embeddings, same_family};
use crate::matchers::{Ask, Question};
use crate::rulings::{Prompt, Referees, Setup};
use crate::run::price_of;
use crate::source::{Diagnostics, Node, Place, Secrets, expand};
use crate::suite::{Case, Suite};

/// What the assertions of some cases ask, each with its place.
pub(in crate::cli) fn questions(cases: &[Case]) -> Vec<(&Place, &Arc<Question>)> {
    let asking = cases.iter().flat_map(|case| &case.expect);
    asking.filter_map(|assertion| Some((&assertion.place, assertion.matcher.question()?))).collect()
}

/// Everybody that these questions need, and no one else: the unset key of a judge that nobody asks does not matter.
/// `asked` is the agent whose replies are judged, where there is one; a judge must be of another family. Mistakes are
/// errors at the assertion that needs what is not there.
pub(in crate::cli) fn referees(
    suite: &Suite,
    questions: &[(&Place, &Arc<Question>)],
    asked: Option<&dyn Agent>,
    priced: bool,
    diagnostics: &mut Diagnostics,
) -> (Referees, Secrets) {
    referees_for(Purpose::Asking, suite, questions, asked, priced, diagnostics)
}

/// The same, also where nobody will be asked.
pub(super) fn referees_for(
    purpose: Purpose,
    suite: &Suite,
    questions: &[(&Place, &Arc<Question>)],
    asked: Option<&dyn Agent>,
    priced: bool,
    diagnostics: &mut Diagnostics,
) -> (Referees, Secrets) {
    let needs = |wanted: fn(&Ask) -> bool| questions.iter().any(|(_, question)| wanted(&question.ask));
    let mut secrets = Secrets::new([]);
    let errors = diagnostics.errors();
    let (mut judge, mut second_judge) = (None, None);
    if needs(|ask| matches!(ask, Ask::Judge(_)))
        && let Some((key, node)) = judge_node(suite)
        && let Some(open) = opened(suite, purpose, (key, node, &node.place), diagnostics)
    {
        check_family(suite, key, node, &open, asked, diagnostics);
        if priced && open.agent.kind() == "chat" {
            check_price(suite, open.agent.settings()["model"].as_str(), &node.place, diagnostics);
        }
        let prompt = own_prompt(suite, "judge.md", Prompt::of_text, diagnostics);
        secrets = secrets.and(open.secrets);
        if let Some(second) = open_second(suite, purpose, open.agent.as_ref(), (asked, priced), diagnostics) {
            secrets = secrets.and(second.secrets);
            second_judge = Some(second.agent);
        }
        judge = Some((open.agent, prompt));
    }
    let mut embeddings = None;
    if needs(|ask| matches!(ask, Ask::Similar(_)))
        && let Some(node) = &suite.config.embeddings
    {
        let (opened, found) = open_embeddings(suite, purpose, node, diagnostics);
        secrets = secrets.and(found);
        if let (Some(endpoint), true) = (&opened, priced) {
            check_price(suite, Some(endpoint.model()), &node.place, diagnostics);
        }
        embeddings = opened;
    }
    let limits = &suite.config.limits;
    let referees = Referees::new(Setup {
        root: suite.root.clone(),
        timeout: limits.timeout,
        max_output_bytes: limits.max_output_bytes,
        judge,
        second_judge,
        embeddings,
    });
    // What is wrong with a model or an endpoint is said where it stands, and not once more at each assertion.
    if diagnostics.errors() == errors {
        for (place, question) in questions {
            if let Err((problem, help)) = referees.check(question) {
                diagnostics.error(place, problem).help.push(help);
            }
        }
    }
    (referees, secrets)
}

/// The model that judges: `judge_model`, or else the helper model.
fn judge_node(suite: &Suite) -> Option<(&'static str, &Node)> {
    let own = suite.config.judge_model.as_ref().map(|node| ("judge_model", node));
    own.or_else(|| suite.config.helper_model.as_ref().map(|node| ("helper_model", node)))
}

/// The second model that judges, where the suite names one: one of the first one's family would only say it twice.
fn open_second(
    suite: &Suite,
    purpose: Purpose,
    first: &dyn Agent,
    (asked, priced): (Option<&dyn Agent>, bool),
    diagnostics: &mut Diagnostics,
) -> Option<Opened> {
    let key = "second_judge_model";
    let node = suite.config.second_judge_model.as_ref()?;
    let second = opened(suite, purpose, (key, node, &node.place), diagnostics)?;
    check_family(suite, key, node, &second, asked, diagnostics);
    if let Some(family) = same_family(first, second.agent.as_ref()).filter(|_| !suite.config.allow_same_model) {
        let error = diagnostics.error(&node.place, format!("both judges are of one family, `{family}`"));
        error.help.push("two models of one maker err alike: name one of another maker".to_owned());
    }
    if priced && second.agent.kind() == "chat" {
        check_price(suite, second.agent.settings()["model"].as_str(), &node.place, diagnostics);
    }
    Some(second)
}

/// The model that judges, opened; `None` without a word where the suite names none.
pub(in crate::cli) fn judge(suite: &Suite, diagnostics: &mut Diagnostics) -> Option<Opened> {
    let (key, node) = judge_node(suite)?;
    opened(suite, Purpose::Asking, (key, node, &node.place), diagnostics)
}

/// The model that judges, for a report's head.
pub(in crate::cli) fn judge_description(suite: &Suite) -> String {
    judge(suite, &mut Diagnostics::default()).map_or_else(|| "unknown".to_owned(), |judge| judge.agent.describe())
}

fn check_family(
    suite: &Suite,
    key: &str,
    node: &Node,
    judge: &Opened,
    asked: Option<&dyn Agent>,
    diagnostics: &mut Diagnostics,
) {
    let Some(family) = asked.and_then(|asked| same_family(judge.agent.as_ref(), asked)) else { return };
    if !suite.config.allow_same_model {
        let error = diagnostics
            .error(&node.place, format!("`{key}` would judge its own family: the agent is of `{family}` too"));
        error.help.push("models judge their own family kindly: name one of another maker".to_owned());
        error.help.push("or say `allow_same_model: true`, and hold it against people: `mutate calibrate`".to_owned());
    }
}

fn open_embeddings(
    suite: &Suite,
    purpose: Purpose,
    node: &Node,
    diagnostics: &mut Diagnostics,
) -> (Option<Embeddings>, Secrets) {
    let mut secrets = vec![];
    let before = diagnostics.errors();
    let node = expand(node, &|name| purpose.environment(name), &mut secrets, diagnostics);
    let secrets = Secrets::new(secrets);
    if diagnostics.errors() > before {
        return (None, secrets);
    }
    let embeddings = Embeddings::read(&node, &surroundings(suite), diagnostics);
    diagnostics.redact(&secrets);
    let embeddings = embeddings.filter(|embeddings| match embeddings.check() {
        Ok(()) => true,
        Err(problem) => {
            diagnostics.error(&node.place, problem);
            false
        }
    });
    (embeddings, secrets)
}

fn check_price(suite: &Suite, model: Option<&str>, place: &Place, diagnostics: &mut Diagnostics) {
    let Some(model) = model.filter(|model| price_of(&suite.config.prices, model).is_none()) else { return };
    let error = diagnostics.error(place, format!("there is a limit on the cost, but no price of `{model}`"));
    error
        .help
        .push(format!("add it to mutate.yaml: prices: {{{model}: {{input_per_million: …, output_per_million: …}}}}"));
}
