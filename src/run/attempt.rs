//! Asking with retries: what is asked again, when, and when no more.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Key;
use crate::agents::{AskError, Retry};

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

/// How one question is asked, as a task of its own.
pub(super) struct Attempts {
    pub retrying: Retrying,
    /// `None` for what needs no pace: a program on this machine.
    pub pace: Option<Arc<Pace>>,
    /// True once the run is given up: nothing more is asked, and nothing again.
    pub stopping: Arc<AtomicBool>,
    pub key: Key,
}

/// What came of asking.
pub(super) struct Attempted<T> {
    /// `None` where the run ended before anything was asked.
    pub answer: Option<Result<T, AskError>>,
    /// Retries included.
    pub took: Duration,
    /// Further attempts after the first.
    pub retries: u32,
    /// Whether the end of the run kept it from an attempt.
    pub cut: bool,
}

impl Attempts {
    /// Asks until there is an answer, or an error that asking again does not mend.
    pub async fn make<T, Asking: Future<Output = Result<T, AskError>>>(self, ask: impl Fn() -> Asking) -> Attempted<T> {
        let began = Instant::now();
        let mut retries = 0;
        loop {
            let ended = match &self.pace {
                Some(pace) => pace.turn(&self.stopping).await,
                None => self.stopping.load(Ordering::Relaxed),
            };
            if ended && retries == 0 {
                return Attempted { answer: None, took: began.elapsed(), retries, cut: true };
            }
            let answer = ask().await;
            let wait = match &answer {
                Err(error) if retries < self.retrying.attempts => match error.retry {
                    Retry::No => None,
                    Retry::Backoff => Some(self.backoff(retries)),
                    Retry::After(wait) => Some(wait),
                },
                _ => None,
            };
            let cut = match wait {
                None => false,
                Some(wait) if sleep_unless(&self.stopping, wait).await => true,
                Some(_) => {
                    retries += 1;
                    continue;
                }
            };
            let answer = Some(answer.map_err(|error| tell_tries(error, retries, cut)));
            return Attempted { answer, took: began.elapsed(), retries, cut };
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
}

fn tell_tries(mut error: AskError, retries: u32, cut: bool) -> AskError {
    if retries > 0 {
        error.message = format!("{} (after {} attempts)", error.message, retries + 1);
    }
    if cut {
        error.message.push_str("; the run ended before another attempt");
    }
    error
}

/// Spaces attempts evenly, so that no minute sees more than the limit.
pub(super) struct Pace {
    interval: Option<Duration>,
    next: Mutex<Instant>,
}

impl Pace {
    pub fn new(per_minute: Option<u64>) -> Pace {
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
