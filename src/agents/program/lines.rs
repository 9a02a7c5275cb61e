use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::Mutex;

use super::super::command::child::{Failed, Group, how, read_end, said};
use super::CommandLine;
use crate::agents::{AskError, Fault, Retry};

/// How long a program that closed its output may take to end, so that its status can be told.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A program that answers a line with a line, for as long as it lives.
///
/// It is started when it is first asked, and again after it ended, timed out or was abandoned in the middle of an
/// answer. One question is with it at a time; others wait, and their waiting is not counted against its time.
#[derive(Debug)]
pub struct Lines {
    line: CommandLine,
    running: Mutex<Option<Running>>,
}

impl Lines {
    pub fn new(line: CommandLine) -> Lines {
        Lines { line, running: Mutex::new(None) }
    }

    pub fn command_line(&self) -> &CommandLine {
        &self.line
    }

    /// What `read` makes of the line that the program answers to `line`, which has no line break.
    ///
    /// An answer that `read` refuses is an error, and ends the program: it may have said more than one line, and the next
    /// question would get the wrong one.
    pub async fn ask<T>(&self, line: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<T, AskError> {
        // Taken out for the time of the question: whatever ends it early ends the program with it.
        let mut slot = self.running.lock().await;
        let mut running = match slot.take().and_then(Running::if_alive) {
            Some(running) => running,
            None => Running::start(&self.line).map_err(|error| self.line.error(Failed::Start(error)))?,
        };
        let name = self.line.name();
        let crashed = |fault, message| AskError { fault, message, retry: Retry::No };
        let asked = running.exchange(line.as_bytes(), self.line.max_output_bytes);
        let answer = match tokio::time::timeout(self.line.timeout, asked).await {
            Ok(Ok(Some(answer))) => answer,
            Ok(Ok(None)) => {
                let how = running.last_words().await.map_or("closed its output".to_owned(), how);
                let message = format!("{name} {how} before it answered{}", said(&running.grumbled));
                return Err(crashed(Fault::Crashed, message));
            }
            Ok(Err(TooLarge)) => return Err(self.line.error(Failed::TooLarge)),
            Err(_) => return Err(self.line.error(Failed::Timeout { stderr: running.grumbled })),
        };
        let text = String::from_utf8_lossy(&answer);
        let read = read(text.trim()).map_err(|problem| {
            let shown: String = text.trim().chars().take(200).collect();
            crashed(Fault::Malformed, format!("{name}: {problem}: {shown}"))
        })?;
        *slot = Some(running);
        Ok(read)
    }

    /// Ends the program, if it runs; the next question starts it again.
    pub async fn rest(&self) {
        drop(self.running.lock().await.take());
    }
}

/// More than `limits.max_output_bytes` on one line.
struct TooLarge;

/// Its process group ends when this is dropped.
#[derive(Debug)]
struct Running {
    child: Child,
    _group: Group,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
    /// The end of what it wrote to stderr since the last question.
    grumbled: Vec<u8>,
}

impl Running {
    fn start(line: &CommandLine) -> io::Result<Running> {
        let mut command = line.command();
        #[cfg(unix)]
        command.process_group(0);
        command.kill_on_drop(true);
        let mut child = command.spawn()?;
        let group = Group::of(&child);
        let gone = || io::Error::other("a pipe to the program is missing");
        let (stdin, stdout) = (child.stdin.take().ok_or_else(gone)?, child.stdout.take().ok_or_else(gone)?);
        let stderr = child.stderr.take().ok_or_else(gone)?;
        Ok(Running { child, _group: group, stdin, stdout: BufReader::new(stdout), stderr, grumbled: vec![] })
    }

    fn if_alive(mut self) -> Option<Running> {
        matches!(self.child.try_wait(), Ok(None)).then_some(self)
    }

    /// The line that it answers, or `None` where its output ends. All pipes are served at once, so that no full one stops
    /// the other side.
    async fn exchange(&mut self, line: &[u8], most: usize) -> Result<Option<Vec<u8>>, TooLarge> {
        self.grumbled.clear();
        let Running { stdin, stdout, stderr, grumbled, .. } = self;
        let feeding = async {
            // A closed pipe shows as the end of its output.
            let _ = stdin.write_all(line).await;
            let _ = stdin.write_all(b"\n").await;
            let _ = stdin.flush().await;
        };
        let hearing = async {
            let mut answer = vec![];
            loop {
                let Ok(chunk) = stdout.fill_buf().await else { return Ok(None) };
                if chunk.is_empty() {
                    return Ok(None);
                }
                let end = chunk.iter().position(|byte| *byte == b'\n');
                let taken = end.map_or(chunk.len(), |at| at + 1);
                answer.extend_from_slice(&chunk[..taken]);
                stdout.consume(taken);
                if answer.len() > most {
                    return Err(TooLarge);
                }
                if end.is_some() {
                    return Ok(Some(answer));
                }
            }
        };
        let grumbling = read_end(Some(stderr), grumbled);
        tokio::pin!(feeding, hearing, grumbling);
        let (mut fed, mut silent, mut heard) = (false, false, None);
        loop {
            match heard.take() {
                // Its output has ended: it reads no more either.
                Some(Ok(None)) => return Ok(None),
                Some(answer) if fed => return answer,
                waiting => heard = waiting,
            }
            tokio::select! {
                answer = &mut hearing, if heard.is_none() => heard = Some(answer),
                () = &mut feeding, if !fed => fed = true,
                () = &mut grumbling, if !silent => silent = true,
            }
        }
    }

    async fn last_words(&mut self) -> Option<ExitStatus> {
        let Running { child, stderr, grumbled, .. } = self;
        let (status, _) = tokio::join!(
            tokio::time::timeout(LAST_WORDS, child.wait()),
            tokio::time::timeout(LAST_WORDS, read_end(Some(stderr), grumbled)),
        );
        status.ok()?.ok()
    }
}
