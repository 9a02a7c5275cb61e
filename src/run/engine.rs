use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{
    Answer, Budget, Experiment, Journal, Key, Leave, Spent, StopReason, TrialId, TrialRecord, agent_digest, key_of,
    short_digest,
};
use crate::agents::{Agent, AskError, Fault, Request, Retry};
use crate::source::Secrets;
use crate::suite::Price;

/// How a failed attempt is asked again: only where the agent says that it can help.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrying {
    /// Further attempts after the first; 0 is one attempt.
    pub attempts: u32,
    /// Wait before the first further attempt; doubled each time, with jitter.
    pub backoff: Duration,
}

impl Default for Retrying {
    fn default() -> Retrying {
        Retrying { attempts: 3, backoff: Duration::from_millis(500) }
    }
}

/// The longest wait between two attempts that the engine chooses by itself.
const MAX_BACKOFF: Duration = Duration::from_secs(30);
/// The agent's own time limit speaks first, since its message says more and it may have to end a program.
const TIMEOUT_GRACE: Duration = Duration::from_secs(2);

/// Told of every change; draws a progress bar, or nothing.
pub trait Progress {
    /// `queued` trials are wanted and not yet asked, `running` are out.
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

/// Asks until the experiment wants no more, a budget is used up, or it is interrupted.
///
/// Once a limit on time is over, no trial is asked anew and no failed attempt is repeated; what is out is waited for.
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
    let mut running: JoinSet<Landed> = JoinSet::new();
    let mut tasks: HashMap<tokio::task::Id, Key> = HashMap::new();
    let stopping = Arc::new(AtomicBool::new(false));
    let mut noted: HashSet<(usize, usize)> = HashSet::new();
    let mut wanted = experiment.start();
    let mut listening = true;
    loop {
        for trial in wanted.drain(..) {
            queue.insert((trial.subject, order, trial));
            order += 1;
        }
        while spent.stopped.is_none() && running.len() < engine.jobs.max(1) {
            let Some((_, place, trial)) = queue.pop_first() else { break };
            let request = experiment.request(&trial);
            let key = key_of(&digest, engine.agent.sees_names(), &request);
            if let Some(transcript) = engine.journal.get(key) {
                spent.reused += 1;
                wanted.extend(experiment.observe(&trial, &Ok(transcript)));
                for trial in wanted.drain(..) {
                    queue.insert((trial.subject, order, trial));
                    order += 1;
                }
                continue;
            }
            if let Some(flight) = flights.get_mut(&key) {
                flight.trials.push(trial);
                continue;
            }
            spent.elapsed = began.elapsed();
            let leave = engine.budget.leave(&spent, running.len());
            if leave != Leave::Ask {
                // It keeps its place: what is first stays first.
                queue.insert((trial.subject, place, trial));
                if let Leave::Stop(reason) = leave {
                    spent.stopped = Some(reason);
                }
                break;
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
            let attempt = Attempt {
                agent: Arc::clone(&engine.agent),
                request: Arc::clone(&request),
                timeout: engine.agent.time_limit().unwrap_or(engine.timeout),
                stopping: Arc::clone(&stopping),
                retrying: engine.retrying.clone(),
                pace: Arc::clone(&pace),
                key,
            };
            flights.insert(key, Flight { key, request, trials: vec![trial] });
            let task = running.spawn(attempt.run());
            tasks.insert(task.id(), key);
        }
        // Calls or dollars that are used up take nothing back: what was counted is asked, with its retries.
        let given_up = late || matches!(spent.stopped, Some(StopReason::Interrupted | StopReason::Journal(_)));
        stopping.store(given_up, Ordering::Relaxed);
        spent.elapsed = began.elapsed();
        progress.update(&spent, queue.len(), running.len());
        if running.is_empty() {
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
                let Landed { key, answer, took, retries, cut } = match joined {
                    Ok((task, done)) => {
                        tasks.remove(&task);
                        done
                    }
                    Err(error) => {
                        let Some(key) = tasks.remove(&error.id()) else { continue };
                        Landed { key, answer: Some(Err(panicked(&error))), took: Duration::ZERO, retries: 0, cut: false }
                    }
                };
                let Some(flight) = flights.remove(&key) else { continue };
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
                for trial in &flight.trials {
                    wanted.extend(experiment.observe(trial, &answer));
                }
            }
        }
    }
    if let Some(reason) = &spent.stopped {
        experiment.stop(&reason.to_string());
    }
    spent.elapsed = began.elapsed();
    spent
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
        at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        agent: engine.agent_name.clone(),
        case: request.case.clone(),
        arm: request.arm.clone(),
        trial: request.trial,
        seed: request.seed,
        instructions: short_digest(&request.instructions),
        fault: error.map(|error| error.fault),
        message: error.map(|error| error.message.clone()),
        transcript: answer.as_ref().ok().cloned(),
    }
}

/// One trial with its retries, as a task of its own.
struct Attempt {
    agent: Arc<dyn Agent>,
    request: Arc<Request>,
    timeout: Duration,
    retrying: Retrying,
    pace: Arc<Pace>,
    /// True once the run is given up: nothing more is asked, and nothing again.
    stopping: Arc<AtomicBool>,
    key: Key,
}

/// A trial that is back.
struct Landed {
    key: Key,
    /// `None` where the run ended before anything was asked.
    answer: Option<Answer>,
    took: Duration,
    retries: u32,
    /// Whether the end of the run kept it from an attempt.
    cut: bool,
}

impl Attempt {
    async fn run(self) -> Landed {
        let began = Instant::now();
        let mut tries = 0;
        loop {
            let ended = self.pace.turn(&self.stopping).await;
            if ended && tries == 0 {
                return Landed { key: self.key, answer: None, took: began.elapsed(), retries: 0, cut: true };
            }
            let answer = match tokio::time::timeout(self.timeout + TIMEOUT_GRACE, self.agent.ask(&self.request)).await {
                Ok(answer) => answer,
                Err(_) => Err(AskError {
                    fault: Fault::Timeout,
                    message: format!("no answer within {:?} (total time of one attempt)", self.timeout),
                    retry: Retry::No,
                }),
            };
            let wait = match &answer {
                Err(error) if tries < self.retrying.attempts => match error.retry {
                    Retry::No => None,
                    Retry::Backoff => Some(self.backoff(tries)),
                    Retry::After(wait) => Some(wait),
                },
                _ => None,
            };
            let cut = match wait {
                None => false,
                Some(wait) if sleep_unless(&self.stopping, wait).await => true,
                Some(_) => {
                    tries += 1;
                    continue;
                }
            };
            let answer = Some(self.tell_tries(answer, tries, cut));
            return Landed { key: self.key, answer, took: began.elapsed(), retries: tries, cut };
        }
    }

    /// Doubles each time; the jitter comes from the key, so that two trials do not come back at the same moment.
    fn backoff(&self, tries: u32) -> Duration {
        let base = self.retrying.backoff.saturating_mul(1 << tries.min(16)).min(MAX_BACKOFF);
        let mut hasher = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(&(self.key, tries), &mut hasher);
        let jitter = std::hash::Hasher::finish(&hasher) % 1000;
        base.mul_f64(0.5 + jitter as f64 / 1000.0)
    }

    fn tell_tries(&self, answer: Answer, tries: u32, cut: bool) -> Answer {
        answer.map_err(|mut error| {
            if tries > 0 {
                error.message = format!("{} (after {} attempts)", error.message, tries + 1);
            }
            if cut {
                error.message.push_str("; the run ended before another attempt");
            }
            error
        })
    }
}

/// Spaces attempts evenly, so that no minute sees more than the limit.
struct Pace {
    interval: Option<Duration>,
    next: Mutex<Instant>,
}

impl Pace {
    fn new(per_minute: Option<u64>) -> Pace {
        let interval = per_minute.map(|limit| Duration::from_secs_f64(60.0 / limit.max(1) as f64));
        Pace { interval, next: Mutex::new(Instant::now()) }
    }

    /// Waits for this attempt's turn, and says whether the run ended meanwhile.
    async fn turn(&self, stopping: &AtomicBool) -> bool {
        let Some(interval) = self.interval else { return false };
        let wait = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let mine = (*next).max(now);
            *next = mine + interval;
            mine - now
        };
        !wait.is_zero() && sleep_unless(stopping, wait).await
    }
}

/// Waits for a deadline; for ever where there is none.
async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Sleeps, and says whether the run ended meanwhile.
async fn sleep_unless(stopping: &AtomicBool, wait: Duration) -> bool {
    const GLANCE: Duration = Duration::from_millis(100);
    let until = Instant::now() + wait;
    loop {
        if stopping.load(Ordering::Relaxed) {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        tokio::time::sleep(left.min(GLANCE)).await;
    }
}

/// A fault of ours in one trial does not end the others.
fn panicked(error: &tokio::task::JoinError) -> AskError {
    AskError { fault: Fault::Crashed, message: format!("the trial's task ended: {error}"), retry: Retry::No }
}
