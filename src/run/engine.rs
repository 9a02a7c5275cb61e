use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::attempt::{Attempted, Attempts, Pace, Retrying};
use super::docket::{Docket, Ruled};
use super::{
    Answer, Budget, Experiment, Journal, Key, Leave, Spent, StopReason, TrialId, TrialRecord, agent_digest,
    asked_digest, key_of, short_digest,
};
use crate::agents::{Agent, AskError, Fault, Request, Retry};
use crate::rulings::Referees;
use crate::source::Secrets;
use crate::suite::Price;
use crate::transcript::{Asked, Transcript};

/// The agent's own time limit speaks first, since its message says more and it may have to end a program.
const TIMEOUT_GRACE: Duration = Duration::from_secs(2);

/// Told of every change; draws a progress bar, or nothing.
pub trait Progress {
    /// `queued` trials are wanted and not yet asked, `running` are out or wait for rulings.
    fn update(&self, spent: &Spent, queued: usize, running: usize);
}

/// Says nothing.
impl Progress for () {
    fn update(&self, _spent: &Spent, _queued: usize, _running: usize) {}
}

/// What a run needs beside the experiment.
pub struct Engine {
    pub agent: Arc<dyn Agent>,
    /// The agent's name in the suite.
    pub agent_name: String,
    /// Whom the experiment's matchers may ask about a transcript.
    pub referees: Arc<Referees>,
    pub journal: Journal,
    /// Trials in flight at once, at least 1.
    pub jobs: usize,
    /// For one attempt.
    pub timeout: Duration,
    pub retrying: Retrying,
    pub requests_per_minute: Option<u64>,
    pub budget: Budget,
    pub prices: Vec<Price>,
}

/// A trial that is out.
struct Flight {
    key: Key,
    request: Arc<Request>,
    /// Every trial that waits for this answer: more than one where two cases ask the same question.
    trials: Vec<TrialId>,
}

/// A task that ended.
enum Done {
    Trial(Key, Attempted<Transcript>),
    Ruling(Ruled),
}

/// What a running task is about, for one that ends without a word.
#[derive(Clone, Copy)]
enum About {
    Trial(Key),
    Ruling(Key),
}

/// Asks until the experiment wants no more, a budget is used up, or it is interrupted.
///
/// Between an agent's answer and its judgement stand the rulings that the case's matchers want on it; they are asked
/// before further trials, since their trial is paid for already.
///
/// A budget that is used up ends the asking, not the answering: what the journal can answer costs nothing and is still
/// heard, whatever comes before it in the order; only the trials that would need a call are left.
///
/// Once a limit on time is over, nothing is asked anew and no failed attempt is repeated; what is out is waited for.
/// Each message on `interrupts` is one Ctrl-C: the first stops asking and waits for what is out, the second abandons
/// it. What was answered is in the journal in any case.
pub async fn run(
    engine: &mut Engine,
    experiment: &mut dyn Experiment,
    progress: &dyn Progress,
    interrupts: &mut mpsc::Receiver<()>,
) -> Spent {
    let began = Instant::now();
    // Beyond what a clock can show there is no limit.
    let deadline = engine.budget.time_left().and_then(|left| began.checked_add(left));
    let mut late = false;
    let digest = agent_digest(engine.agent.as_ref());
    let pace = Arc::new(Pace::new(engine.requests_per_minute));
    let mut spent = Spent::default();
    let mut queue: BTreeSet<(usize, u64, TrialId)> = BTreeSet::new();
    let mut order = 0u64;
    let mut flights: HashMap<Key, Flight> = HashMap::new();
    let mut docket: Docket<TrialId> = Docket::new(Arc::clone(&engine.referees));
    let mut running: JoinSet<Done> = JoinSet::new();
    let mut trials_out = 0;
    // Trials that no budget was there for.
    let mut left = 0;
    let mut tasks: HashMap<tokio::task::Id, About> = HashMap::new();
    let stopping = Arc::new(AtomicBool::new(false));
    let mut noted: HashSet<(usize, usize)> = HashSet::new();
    let mut wanted = experiment.start();
    let mut listening = true;
    loop {
        for trial in wanted.drain(..) {
            queue.insert((trial.subject, order, trial));
            order += 1;
        }
        let given_up = |spent: &Spent| late || ends_at_once(spent);
        if let Some(limit) = engine.budget.max_time.filter(|_| late && docket.queued() > 0) {
            spent.stopped.get_or_insert(StopReason::MaxTime(limit));
        }
        while !given_up(&spent) && running.len() < engine.jobs.max(1) && docket.queued() > 0 {
            if !engine.budget.affords(&spent) {
                spent.stopped.get_or_insert_with(|| engine.budget.cost_reached());
                break;
            }
            let Some(ruling) = docket.next(&pace, &stopping, &engine.retrying) else { break };
            let (key, asking) = ruling;
            let task = running.spawn(async move { Done::Ruling(asking.await) });
            tasks.insert(task.id(), About::Ruling(key));
        }
        while !ends_at_once(&spent) && (spent.stopped.is_some() || running.len() < engine.jobs.max(1)) {
            let Some((_, place, trial)) = queue.pop_first() else { break };
            let request = experiment.request(&trial);
            let key = key_of(&digest, engine.agent.sees_names(), &request);
            if let Some(transcript) = engine.journal.get(key) {
                spent.reused += 1;
                let transcript = Transcript { asked: Some(asked_in(&request)), ..transcript };
                wanted.extend(heard(engine, experiment, &mut docket, &mut spent, trial, transcript));
                for trial in wanted.drain(..) {
                    queue.insert((trial.subject, order, trial));
                    order += 1;
                }
                if docket.queued() > 0 && !given_up(&spent) && engine.budget.affords(&spent) {
                    break;
                }
                continue;
            }
            if let Some(flight) = flights.get_mut(&key) {
                flight.trials.push(trial);
                continue;
            }
            if spent.stopped.is_some() {
                left += 1;
                continue;
            }
            spent.elapsed = began.elapsed();
            match engine.budget.leave(&spent, trials_out) {
                Leave::Ask => {}
                Leave::Wait => {
                    // It keeps its place: what is first stays first.
                    queue.insert((trial.subject, place, trial));
                    break;
                }
                Leave::Stop(reason) => {
                    spent.stopped = Some(reason);
                    left += 1;
                    continue;
                }
            }
            if engine.journal.is_kept()
                && noted.insert((trial.subject, trial.arm))
                && let Some(note) = experiment.mutant(&trial)
                && let Err(error) = engine.journal.note(&note)
            {
                spent.stopped = Some(StopReason::Journal(error.to_string()));
                break;
            }
            spent.calls += 1;
            let request = Arc::new(request);
            let attempts = Attempts {
                retrying: engine.retrying.clone(),
                pace: Some(Arc::clone(&pace)),
                stopping: Arc::clone(&stopping),
                key,
            };
            let agent = Arc::clone(&engine.agent);
            let timeout = engine.agent.time_limit().unwrap_or(engine.timeout);
            flights.insert(key, Flight { key, request: Arc::clone(&request), trials: vec![trial] });
            let asking =
                async move { Done::Trial(key, attempts.make(|| in_time(timeout, agent.as_ref(), &request)).await) };
            let task = running.spawn(asking);
            trials_out += 1;
            tasks.insert(task.id(), About::Trial(key));
        }
        // Calls or dollars that are used up take nothing back: what was counted is asked, with its retries.
        stopping.store(given_up(&spent), Ordering::Relaxed);
        spent.elapsed = began.elapsed();
        progress.update(&spent, queue.len() + left, trials_out + docket.waiting());
        if running.is_empty() {
            if docket.queued() > 0 && !given_up(&spent) && engine.budget.affords(&spent) {
                continue;
            }
            break;
        }
        tokio::select! {
            biased;
            interrupt = interrupts.recv(), if listening => match interrupt {
                None => listening = false,
                Some(()) if spent.stopped == Some(StopReason::Interrupted) => {
                    running.shutdown().await;
                    break;
                }
                Some(()) => spent.stopped = Some(StopReason::Interrupted),
            },
            () = passed(deadline), if !late => late = true,
            Some(joined) = running.join_next_with_id() => {
                let done = match joined {
                    Ok((task, done)) => {
                        tasks.remove(&task);
                        done
                    }
                    Err(error) => match tasks.remove(&error.id()) {
                        None => continue,
                        Some(About::Trial(key)) => {
                            let answer = Some(Err(panicked(&error)));
                            Done::Trial(key, Attempted { answer, took: Duration::ZERO, retries: 0, cut: false })
                        }
                        Some(About::Ruling(key)) => Done::Ruling(Ruled::lost(key, panicked(&error))),
                    },
                };
                let (key, attempted) = match done {
                    Done::Trial(key, attempted) => (key, attempted),
                    Done::Ruling(ruled) => {
                        let (ready, failed) = docket.ruled(ruled, &mut engine.journal, &mut spent, &engine.prices);
                        if let Some(error) = failed {
                            spent.stopped.get_or_insert(StopReason::Journal(error.to_string()));
                        }
                        for (trial, transcript) in ready {
                            wanted.extend(experiment.observe(&trial, &Ok(transcript)));
                        }
                        continue;
                    }
                };
                trials_out -= 1;
                let Some(flight) = flights.remove(&key) else { continue };
                let Attempted { answer, took, retries, cut } = attempted;
                if let Some(limit) = engine.budget.max_time.filter(|_| cut && late) {
                    spent.stopped.get_or_insert(StopReason::MaxTime(limit));
                }
                // The run ended before it was this trial's turn.
                let Some(answer) = answer else {
                    spent.calls -= 1;
                    continue;
                };
                spent.retries += u64::from(retries);
                let answer = without_secrets(engine.journal.secrets(), answer);
                match &answer {
                    Ok(transcript) => spent.add(transcript, &engine.prices),
                    Err(_) => spent.errors += 1,
                }
                if engine.journal.is_kept()
                    && let Err(error) = engine.journal.append(&record_of(engine, &flight, &answer, took))
                {
                    spent.stopped.get_or_insert(StopReason::Journal(error.to_string()));
                }
                let asked = asked_in(&flight.request);
                for trial in flight.trials {
                    wanted.extend(match &answer {
                        Ok(transcript) => {
                            let transcript = Transcript { asked: Some(Arc::clone(&asked)), ..transcript.clone() };
                            heard(engine, experiment, &mut docket, &mut spent, trial, transcript)
                        }
                        Err(_) => experiment.observe(&trial, &answer),
                    });
                }
            }
        }
    }
    if let Some(reason) = &spent.stopped {
        experiment.stop(&reason.to_string());
    }
    docket.rest().await;
    spent.elapsed = began.elapsed();
    spent
}

/// Whether not even the journal is asked any more: somebody wants to leave, or nothing can be kept.
fn ends_at_once(spent: &Spent) -> bool {
    matches!(spent.stopped, Some(StopReason::Interrupted | StopReason::Journal(_)))
}

/// Hands a transcript to the experiment, at once or when the rulings on it are there; returns the trials that are wanted
/// because of it.
fn heard(
    engine: &mut Engine,
    experiment: &mut dyn Experiment,
    docket: &mut Docket<TrialId>,
    spent: &mut Spent,
    trial: TrialId,
    transcript: Transcript,
) -> Vec<TrialId> {
    let questions = experiment.questions(&trial);
    match docket.file(trial, transcript, &questions, &mut engine.journal, spent) {
        Some((trial, transcript)) => experiment.observe(&trial, &Ok(transcript)),
        None => vec![],
    }
}

/// What was asked, as it is laid beside the answer.
fn asked_in(request: &Request) -> Arc<Asked> {
    Arc::new(Asked { input: request.input.clone(), conversation: request.conversation.clone() })
}

/// Waits for a deadline; for ever where there is none.
async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// One attempt, which ends in time whatever the agent does.
async fn in_time(timeout: Duration, agent: &dyn Agent, request: &Request) -> Answer {
    match tokio::time::timeout(timeout + TIMEOUT_GRACE, agent.ask(request)).await {
        Ok(answer) => answer,
        Err(_) => Err(AskError {
            fault: Fault::Timeout,
            message: format!("no answer within {timeout:?} (total time of one attempt)"),
            retry: Retry::No,
        }),
    }
}

/// [`run`] on a runtime of its own, with Ctrl-C as the interrupt.
pub fn block_on(
    engine: &mut Engine,
    experiment: &mut dyn Experiment,
    progress: &dyn Progress,
) -> std::io::Result<Spent> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    Ok(runtime.block_on(async {
        let mut interrupts = listen_for_interrupts();
        run(engine, experiment, progress, &mut interrupts).await
    }))
}

/// Turns Ctrl-C, and a request to terminate, into messages for [`run`].
pub fn listen_for_interrupts() -> mpsc::Receiver<()> {
    let (sender, receiver) = mpsc::channel(4);
    let terminated = sender.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if sender.send(()).await.is_err() {
                break;
            }
        }
    });
    #[cfg(unix)]
    tokio::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut requests) = signal(SignalKind::terminate()) else { return };
        // Who terminates a program does not wait for what is out: as two Ctrl-C.
        while requests.recv().await.is_some() {
            for _ in 0..2 {
                if terminated.send(()).await.is_err() {
                    return;
                }
            }
        }
    });
    #[cfg(not(unix))]
    drop(terminated);
    receiver
}

/// What an agent repeats of its own key is taken out before anybody sees it: a matcher must judge now what it will read
/// in the journal later, and a report can't spell a secret in a way of its own.
fn without_secrets(secrets: &Secrets, answer: Answer) -> Answer {
    if secrets.is_empty() {
        return answer;
    }
    match answer {
        Ok(transcript) => {
            let cleaned = serde_json::to_value(&transcript).and_then(|mut value| {
                secrets.redact_value(&mut value);
                serde_json::from_value(value)
            });
            cleaned.map_err(|error| AskError {
                fault: Fault::Malformed,
                message: format!("a secret could not be taken out of the answer: {error}"),
                retry: Retry::No,
            })
        }
        Err(mut error) => {
            error.message = secrets.redact(&error.message);
            Err(error)
        }
    }
}

fn record_of(engine: &Engine, flight: &Flight, answer: &Answer, took: Duration) -> TrialRecord {
    let request = &flight.request;
    let error = answer.as_ref().err();
    TrialRecord {
        key: flight.key.to_string(),
        ok: error.is_none(),
        at: super::journal::now(),
        ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        agent: engine.agent_name.clone(),
        case: request.case.clone(),
        arm: request.arm.clone(),
        trial: request.trial,
        seed: request.seed,
        instructions: short_digest(&request.instructions),
        input: request.input.clone(),
        asked: asked_digest(&request.input, &request.conversation, &request.fixtures),
        fault: error.map(|error| error.fault),
        message: error.map(|error| error.message.clone()),
        transcript: answer.as_ref().ok().cloned(),
    }
}

/// A fault of ours in one trial does not end the others.
pub(super) fn panicked(error: &tokio::task::JoinError) -> AskError {
    AskError { fault: Fault::Crashed, message: format!("the trial's task ended: {error}"), retry: Retry::No }
}
