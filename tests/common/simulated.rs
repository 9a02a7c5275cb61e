//! The real engine on an agent whose rates are known.

use std::sync::Arc;
use std::time::Duration;

use mutate::agents::Agent;
use mutate::run::{self, Budget, Engine, Experiment, Journal, Retrying};

/// Asks an agent that costs nothing until the experiment wants no more.
pub fn ask(agent: Arc<dyn Agent>, experiment: &mut dyn Experiment) -> run::Spent {
    let mut engine = Engine {
        agent,
        agent_name: "simulated".to_owned(),
        referees: Arc::new(mutate::rulings::Referees::none(std::path::PathBuf::new())),
        journal: Journal::none(),
        jobs: 64,
        timeout: Duration::from_secs(60),
        retrying: Retrying::default(),
        requests_per_minute: None,
        budget: Budget::default(),
        prices: vec![],
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (_interrupt, mut interrupts) = tokio::sync::mpsc::channel(1);
    let spent = runtime.block_on(run::run(&mut engine, experiment, &(), &mut interrupts));
    assert_eq!((spent.errors, &spent.stopped), (0, &None));
    spent
}
