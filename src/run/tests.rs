//! The engine under a clock that stands still until everybody waits: what a limit on time does to trials that are out, wait
//! for their turn, or wait for another attempt; and that a run always ends.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::*;
use crate::agents::{Agent, Asking, Delivery, Fault, Retry};

const SECOND: Duration = Duration::from_secs(1);

/// Answers after a while, or fails after it; keeps when it was asked, in seconds from the start.
struct Slow {
    takes: Duration,
    fails: Option<Retry>,
    began: Instant,
    asked: Mutex<Vec<(u32, u64)>>,
}

impl Agent for Slow {
    fn kind(&self) -> &'static str {
        "slow"
    }

    fn describe(&self) -> String {
        "slow".to_owned()
    }

    fn settings(&self) -> Value {
        json!({})
    }

    fn delivery(&self) -> Delivery {
        Delivery::Handed
    }

    fn sees_names(&self) -> bool {
        true
    }

    fn bare_note(&self) -> &'static str {
        "nothing"
    }

    fn ask<'a>(&'a self, request: &'a Request) -> Asking<'a> {
        self.asked.lock().unwrap().push((request.trial, self.began.elapsed().as_secs()));
        Box::pin(async move {
            if !self.takes.is_zero() {
                tokio::time::sleep(self.takes).await;
            }
            let fault = |retry| AskError { fault: Fault::Server, message: "down".to_owned(), retry };
            match self.fails {
                None => Ok(Transcript { reply: Some(request.trial.to_string()), ..Transcript::default() }),
                Some(retry) => Err(fault(retry)),
            }
        })
    }
}

/// Wants so many trials at once, and one more for each answer up to `further`.
struct Wants {
    /// The first of them.
    from: u32,
    trials: u32,
    further: u32,
    answers: Vec<(u32, Answer)>,
    stopped: Option<String>,
}

fn trial(number: u32) -> TrialId {
    TrialId { subject: 0, number, arm: 0 }
}

impl Experiment for Wants {
    fn start(&mut self) -> Vec<TrialId> {
        (self.from..self.trials).map(trial).collect()
    }

    fn request(&self, trial: &TrialId) -> Request {
        Request { trial: trial.number, ..crate::agents::testing::request("hello", "") }
    }

    fn mutant(&self, _trial: &TrialId) -> Option<MutantNote> {
        None
    }

    fn observe(&mut self, id: &TrialId, answer: &Answer) -> Vec<TrialId> {
        self.answers.push((id.number, answer.clone()));
        let next = self.trials;
        if self.further == 0 {
            return vec![];
        }
        self.further -= 1;
        self.trials += 1;
        vec![trial(next)]
    }

    fn stop(&mut self, reason: &str) {
        self.stopped = Some(reason.to_owned());
    }
}

/// A run that is over.
struct Over {
    spent: Spent,
    wants: Wants,
    /// Which trial was asked at which second.
    asked: Vec<(u32, u64)>,
}

struct Setup {
    from: u32,
    trials: u32,
    further: u32,
    jobs: usize,
    takes: Duration,
    fails: Option<Retry>,
    per_minute: Option<u64>,
    max_time: Option<Duration>,
    max_trials: Option<u64>,
}

const SETUP: Setup = Setup {
    from: 0,
    trials: 6,
    further: 0,
    jobs: 2,
    takes: Duration::from_secs(10),
    fails: None,
    per_minute: None,
    max_time: None,
    max_trials: None,
};

fn ran(setup: &Setup) -> Over {
    ran_with(setup, Journal::none())
}

fn ran_with(setup: &Setup, journal: Journal) -> Over {
    run_on(tokio::runtime::Builder::new_current_thread().start_paused(true), setup, journal)
}

fn run_on(runtime: &mut tokio::runtime::Builder, setup: &Setup, journal: Journal) -> Over {
    runtime.enable_time().build().unwrap().block_on(async {
        let asked = Mutex::default();
        let agent = Arc::new(Slow { takes: setup.takes, fails: setup.fails, began: Instant::now(), asked });
        let mut engine = Engine {
            referees: Arc::new(crate::rulings::Referees::none(std::path::PathBuf::new())),
            agent: agent.clone(),
            agent_name: "slow".to_owned(),
            journal,
            jobs: setup.jobs,
            timeout: 60 * SECOND,
            retrying: Retrying { attempts: 3, backoff: 8 * SECOND },
            requests_per_minute: setup.per_minute,
            budget: Budget { max_time: setup.max_time, max_trials: setup.max_trials, ..Budget::default() },
            prices: vec![],
        };
        let Setup { from, trials, further, .. } = *setup;
        let mut wants = Wants { from, trials, further, answers: vec![], stopped: None };
        let (_interrupt, mut interrupts) = mpsc::channel(1);
        let run = run(&mut engine, &mut wants, &(), &mut interrupts);
        // A run that hangs fails here: with nothing to wait for, a clock that is paused jumps to this.
        let spent = tokio::time::timeout(600 * SECOND, run).await.expect("the run ends");
        let asked = agent.asked.lock().unwrap().clone();
        Over { spent, wants, asked }
    })
}

#[test]
fn after_the_time_limit_nothing_is_asked_and_what_is_out_is_waited_for() {
    let over = ran(&Setup { max_time: Some(15 * SECOND), ..SETUP });
    assert_eq!(over.asked, [(0, 0), (1, 0), (2, 10), (3, 10)]);
    assert_eq!(over.wants.answers.len(), 4, "what was out at the limit is heard");
    assert!(over.wants.answers.iter().all(|(_, answer)| answer.is_ok()));
    assert_eq!(over.spent.stopped, Some(StopReason::MaxTime(15 * SECOND)));
    assert_eq!(over.wants.stopped.as_deref(), Some("the time limit of 15s is over"));
    assert_eq!((over.spent.calls, over.spent.errors, over.spent.elapsed), (4, 0, 20 * SECOND));
}

#[test]
fn a_run_that_is_done_within_its_time_limit_is_not_stopped_by_it() {
    for limit in [None, Some(31 * SECOND), Some(3000 * SECOND), Some(Duration::MAX)] {
        let over = ran(&Setup { max_time: limit, ..SETUP });
        assert_eq!((over.wants.answers.len(), over.spent.stopped, over.wants.stopped), (6, None, None), "{limit:?}");
    }
    // Nothing was left to ask when it was over: all questions have their answer.
    let over = ran(&Setup { max_time: Some(25 * SECOND), ..SETUP });
    assert_eq!((over.wants.answers.len(), over.spent.stopped), (6, None));
}

#[test]
fn what_is_wanted_because_of_an_answer_after_the_limit_is_not_asked() {
    let over = ran(&Setup { trials: 2, further: 1, max_time: Some(SECOND), ..SETUP });
    assert_eq!((over.asked.len(), over.wants.answers.len()), (2, 2));
    assert_eq!(over.spent.stopped, Some(StopReason::MaxTime(SECOND)));
}

#[test]
fn an_attempt_that_failed_is_not_repeated_after_the_time_limit() {
    // The wait before the second attempt is 4 to 12 seconds.
    let over =
        ran(&Setup { trials: 1, takes: SECOND, fails: Some(Retry::Backoff), max_time: Some(3 * SECOND), ..SETUP });
    assert_eq!(over.asked, [(0, 0)]);
    let (_, answer) = &over.wants.answers[0];
    assert_eq!(answer.as_ref().unwrap_err().message, "down; the run ended before another attempt");
    assert_eq!((over.spent.errors, over.spent.stopped), (1, Some(StopReason::MaxTime(3 * SECOND))));
    let free = ran(&Setup { trials: 1, takes: SECOND, fails: Some(Retry::Backoff), ..SETUP });
    assert_eq!((free.asked.len(), free.spent.stopped), (4, None), "without a limit it is");
}

#[test]
fn a_trial_that_waits_for_its_turn_under_a_rate_limit_is_not_asked_after_the_time_limit() {
    let over = ran(&Setup { jobs: 6, takes: SECOND, per_minute: Some(6), max_time: Some(25 * SECOND), ..SETUP });
    assert_eq!(over.asked, [(0, 0), (1, 10), (2, 20)]);
    assert_eq!((over.spent.calls, over.wants.answers.len()), (3, 3), "what was never asked is no call");
    assert_eq!(over.spent.stopped, Some(StopReason::MaxTime(25 * SECOND)));
    assert_eq!(over.wants.stopped.as_deref(), Some("the time limit of 25s is over"));
}

#[test]
fn what_the_journal_has_is_heard_after_the_budget_is_spent_and_what_would_need_a_call_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let journal = || Journal::open(folder.path(), crate::source::Secrets::new([])).unwrap();
    let heard = |over: &Over| {
        let mut numbers: Vec<u32> = over.wants.answers.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers
    };
    // Trials 3 to 6 are answered; in the second run 0 to 5 are wanted at first, 6 and 7 because of answers.
    assert_eq!(heard(&ran_with(&Setup { from: 3, trials: 7, ..SETUP }, journal())), [3, 4, 5, 6]);
    for jobs in [1, 2, 8] {
        let setup = Setup { trials: 6, further: 2, jobs, max_trials: Some(0), ..SETUP };
        let over = ran_with(&setup, journal());
        assert_eq!((heard(&over), over.asked.len()), (vec![3, 4, 5, 6], 0), "{jobs} jobs");
        assert_eq!((over.spent.reused, over.spent.calls), (4, 0));
        assert_eq!(over.wants.stopped.as_deref(), Some("the budget of 0 calls is used up"));
    }
    let over = ran_with(&Setup { max_trials: Some(1), ..SETUP }, journal());
    assert_eq!((heard(&over), over.asked.len()), (vec![0, 3, 4, 5], 1), "one call, and all that is free");
    let over = ran_with(&Setup { max_time: Some(SECOND), jobs: 1, ..SETUP }, journal());
    assert_eq!((heard(&over), over.asked.len()), (vec![0, 1, 3, 4, 5], 1), "0 is known by now, 1 is out at the limit");
    assert_eq!(over.spent.stopped, Some(StopReason::MaxTime(SECOND)));
}

#[test]
fn a_run_that_the_journal_answers_wholly_is_not_stopped_by_its_budget() {
    let folder = tempfile::tempdir().unwrap();
    let journal = || Journal::open(folder.path(), crate::source::Secrets::new([])).unwrap();
    ran_with(&SETUP, journal());
    let over = ran_with(&Setup { max_trials: Some(0), ..SETUP }, journal());
    assert_eq!((over.wants.answers.len(), over.spent.reused, over.spent.stopped), (6, 6, None));
}

#[test]
fn five_hundred_instant_trials_at_sixteen_jobs_end_a_hundred_times_of_a_hundred() {
    for _ in 0..100 {
        // On threads, as a real run: a lost wake-up would show here.
        let setup = Setup { trials: 250, further: 250, jobs: 16, takes: Duration::ZERO, ..SETUP };
        let over = run_on(tokio::runtime::Builder::new_multi_thread().worker_threads(2), &setup, Journal::none());
        let mut answered: Vec<u32> = over.wants.answers.iter().map(|(number, _)| *number).collect();
        answered.sort_unstable();
        assert_eq!(answered, (0..500).collect::<Vec<_>>());
        assert!(over.wants.answers.iter().all(|(number, answer)| {
            answer.as_ref().unwrap().reply.as_deref() == Some(number.to_string().as_str())
        }));
        assert_eq!((over.spent.calls, over.spent.stopped), (500, None));
    }
}

#[test]
fn no_two_questions_have_one_key_however_their_names_are_cut() {
    let request = || crate::agents::testing::request("hello", "");
    let told = |case: &str, arm: &str| Request { case: case.to_owned(), arm: arm.to_owned(), ..request() };
    let says = |turns: &[(&str, &str)]| {
        let turn = |(role, content): &(&str, &str)| crate::transcript::Message {
            role: (*role).to_owned(),
            content: (*content).to_owned(),
        };
        Request { conversation: turns.iter().map(turn).collect(), ..request() }
    };
    let holds = |path: &str, text: &str| Request {
        instructions: [crate::agents::testing::file(path, text)].into(),
        ..request()
    };
    let all = [
        told("a:b", "c"),
        told("a", "b:c"),
        told("a:b:c", ""),
        told("", "a:b:c"),
        told("a/b", "c"),
        told("a", "b/c"),
        Request { trial: 12, seed: 3, ..request() },
        Request { trial: 1, seed: 23, ..request() },
        Request { fixtures: json!({"a": "b"}), ..request() },
        Request { fixtures: json!({"a": {"b": null}}), ..request() },
        says(&[("user", "a"), ("user", "b")]),
        says(&[("user", "auser"), ("", "b")]),
        says(&[("user", "ab")]),
        holds("a", "bc"),
        holds("ab", "c"),
    ];
    let digest = [0; 32];
    let keys: std::collections::BTreeSet<Key> = all.iter().map(|one| key_of(&digest, true, one)).collect();
    assert_eq!(keys.len(), all.len());
    assert_eq!(key_of(&digest, true, &told("a", "b")), key_of(&digest, true, &told("a", "b")));
    assert_ne!(key_of(&digest, true, &told("a", "b")), key_of(&[1; 32], true, &told("a", "b")));
}
