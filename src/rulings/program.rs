//! A helper program's answer to a transcript.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::agents::program::{CommandLine, Left, Lines};
use crate::agents::{AskError, Fault, Retry};
use crate::matchers::{Mode, Program};
use crate::transcript::{Ruling, Transcript};

/// A helper program, as often started as it wants to be.
#[derive(Debug)]
pub(super) enum Helper {
    Once(CommandLine),
    Lines(Box<Lines>),
}

/// A transcript as a helper gets it: one line.
pub(super) fn as_json(transcript: &Transcript) -> String {
    serde_json::to_string(transcript).expect("a transcript holds only text, numbers and lists")
}

impl Helper {
    pub(super) fn new(program: &Program, root: &Path, timeout: Duration, max_output_bytes: usize) -> Helper {
        let timeout = program.timeout.unwrap_or(timeout);
        let line = CommandLine::new(&program.run, &program.watch, root, timeout, max_output_bytes);
        match program.mode {
            Mode::Once => Helper::Once(line),
            Mode::Lines => Helper::Lines(Box::new(Lines::new(line))),
        }
    }

    pub(super) fn command_line(&self) -> &CommandLine {
        match self {
            Helper::Once(line) => line,
            Helper::Lines(lines) => lines.command_line(),
        }
    }

    pub(super) async fn ask(&self, transcript: &Transcript) -> Result<Ruling, AskError> {
        let json = as_json(transcript);
        match self {
            Helper::Lines(lines) => lines.ask(&json, of_line).await,
            Helper::Once(line) => {
                let left = line.once(format!("{json}\n").as_bytes()).await?;
                of_status(&left).map_err(|problem| AskError {
                    fault: Fault::Crashed,
                    message: format!("{} {problem}", line.name()),
                    retry: Retry::No,
                })
            }
        }
    }

    pub(super) async fn rest(&self) {
        if let Helper::Lines(lines) = self {
            lines.rest().await;
        }
    }
}

/// `{"holds": true, "reason": "…"}`.
fn of_line(line: &str) -> Result<Ruling, String> {
    const WANTED: &str = "each line that it prints must be `{\"holds\": true or false, \"reason\": \"…\"}`";
    let value =
        serde_json::from_str::<Value>(line).map_err(|error| format!("{WANTED}, but one is no JSON ({error})"))?;
    match value.get("holds").and_then(Value::as_bool) {
        Some(holds) => Ok(Ruling::Verdict { holds, reason: reason(&value) }),
        None => Err(format!("{WANTED}, but one has no `holds`")),
    }
}

/// Exit 0 holds, 1 fails. A program that crashes often ends with 1 too: that is no verdict.
fn of_status(left: &Left) -> Result<Ruling, String> {
    let stdout = String::from_utf8_lossy(&left.stdout);
    let stderr = String::from_utf8_lossy(&left.stderr);
    let said = || match stderr.trim() {
        "" => String::new(),
        text => format!("; stderr ends with:\n{text}"),
    };
    let holds = match left.code {
        Some(0) => true,
        Some(1) if stderr.lines().any(|line| line.starts_with("Traceback (most recent call last)")) => {
            return Err(format!("crashed: an uncaught exception ends with status 1 too{}", said()));
        }
        Some(1) if stdout.trim().is_empty() && !stderr.trim().is_empty() => {
            return Err(format!(
                "ended with status 1 and said so on stderr only, as a program does that crashes (where it is a verdict, \
                 let it print `{{\"reason\": \"…\"}}`){}",
                said()
            ));
        }
        Some(1) => false,
        _ => return Err(format!("{}: 0 is \"holds\", 1 is \"fails\", anything else an error{}", left.how, said())),
    };
    let last = stdout.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let value = serde_json::from_str::<Value>(last.trim()).ok().filter(Value::is_object);
    if let Some(told) = value.as_ref().and_then(|value| value.get("holds")).filter(|told| **told != Value::Bool(holds))
    {
        return Err(format!("contradicts itself: it {} and printed `holds: {told}`", left.how));
    }
    Ok(Ruling::Verdict { holds, reason: value.as_ref().and_then(reason) })
}

fn reason(value: &Value) -> Option<String> {
    value.get("reason").and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(code: i32, stdout: &str, stderr: &str) -> Result<Ruling, String> {
        let how = format!("ended with status {code}");
        of_status(&Left { code: Some(code), stdout: stdout.into(), stderr: stderr.into(), how })
    }

    fn verdict(holds: bool, reason: Option<&str>) -> Result<Ruling, String> {
        Ok(Ruling::Verdict { holds, reason: reason.map(str::to_owned) })
    }

    #[test]
    fn the_exit_status_is_the_verdict_and_the_last_line_may_say_why() {
        assert_eq!(left(0, "", ""), verdict(true, None));
        assert_eq!(left(1, "", ""), verdict(false, None));
        assert_eq!(left(0, "checked\n{\"reason\": \"no refund\"}\n\n", "a warning"), verdict(true, Some("no refund")));
        assert_eq!(left(1, "{\"reason\": \"refunded\", \"holds\": false}", ""), verdict(false, Some("refunded")));
        assert_eq!(left(1, "refunded", ""), verdict(false, None), "what is no JSON is the program's own business");
    }

    #[test]
    fn a_crash_is_no_verdict_though_it_ends_with_one() {
        let crash = left(1, "loading\n", "Traceback (most recent call last):\n  File …\nKeyError: 'reply'\n");
        assert!(crash.unwrap_err().contains("uncaught exception"));
        assert!(left(1, "", "Error: Cannot find module 'x'\n").unwrap_err().contains("on stderr only"));
        for code in [2, 3, 127, 134] {
            assert!(left(code, "{\"holds\": true}", "").unwrap_err().contains("anything else an error"), "{code}");
        }
        let signal = Left { code: None, stdout: vec![], stderr: vec![], how: "was ended by signal 9".into() };
        assert!(of_status(&signal).unwrap_err().starts_with("was ended by signal 9"));
    }

    #[test]
    fn a_program_that_contradicts_itself_says_nothing() {
        assert!(left(0, "{\"holds\": false}", "").unwrap_err().contains("contradicts itself"));
        assert!(left(1, "{\"holds\": null}", "").unwrap_err().contains("contradicts itself"));
    }

    #[test]
    fn a_line_needs_a_verdict() {
        assert_eq!(of_line("{\"holds\": true}"), verdict(true, None));
        assert_eq!(of_line("{\"reason\": \"late\", \"holds\": false}"), verdict(false, Some("late")));
        for line in ["{}", "{\"holds\": \"yes\"}", "{\"holds\": 1}", "{\"holds\": null}", "[]", "true", "", "ok"] {
            assert!(of_line(line).is_err(), "{line}");
        }
    }
}
