//! Ids of conversations, for programs that keep them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// An id that no other start of a program has got: not of the same trial in an earlier run, nor of an earlier attempt,
/// whose conversation a program may still remember. Letters, digits and `-`, so that it can be a file's name.
pub(super) fn fresh() -> String {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{now:x}-{:x}-{:x}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed))
}
