use std::cell::Cell;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::rates::{dollars, seconds};
use crate::run::{Progress, Spent};

/// Between two plain lines where there is no terminal.
const QUIET: Duration = Duration::from_secs(15);

/// Trials done, calls a second, spent, time left: a bar on a terminal, plain lines at intervals elsewhere, both on
/// standard error.
pub struct ProgressLine {
    bar: Option<ProgressBar>,
    began: Instant,
    said: Cell<Instant>,
}

impl ProgressLine {
    /// `quiet` draws nothing at all.
    pub fn new(quiet: bool) -> ProgressLine {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{bar:24} {pos}/{len} trials  {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(0).with_style(style)
        });
        let said = if quiet { Instant::now() + Duration::from_secs(u32::MAX.into()) } else { Instant::now() };
        ProgressLine { bar, began: Instant::now(), said: Cell::new(said) }
    }

    /// Takes the bar away before the report is printed.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, spent: &Spent, open: usize) -> String {
        let elapsed = self.began.elapsed().as_secs_f64();
        let speed = if elapsed > 0.0 { spent.calls as f64 / elapsed } else { 0.0 };
        let mut line = format!("{speed:.1} calls/s");
        if spent.cost > 0.0 {
            line.push_str(&format!(", {}", dollars(spent.cost)));
        }
        if spent.errors > 0 {
            line.push_str(&format!(", {} errors", spent.errors));
        }
        if speed > 0.0 && open > 0 {
            // Further trials may be wanted once these are in: at least this long.
            line.push_str(&format!(", at least {} left", seconds(open as f64 / speed)));
        }
        line
    }
}

impl Progress for ProgressLine {
    fn update(&self, spent: &Spent, queued: usize, running: usize) {
        let done = (spent.calls + spent.reused).saturating_sub(running as u64);
        let all = spent.calls + spent.reused + queued as u64;
        if let Some(bar) = &self.bar {
            bar.set_length(all);
            bar.set_position(done);
            bar.set_message(self.line(spent, queued + running));
        } else if Instant::now().saturating_duration_since(self.said.get()) > QUIET {
            self.said.set(Instant::now());
            let _ = writeln!(std::io::stderr().lock(), "{done}/{all} trials, {}", self.line(spent, queued + running));
        }
    }
}
