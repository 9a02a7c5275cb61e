use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep_until};

/// How much of stderr is kept, from its end.
const STDERR_KEPT: usize = 2048;
/// After the program has ended, how long its children may go on writing into its pipes before they are ended too.
const LINGER: Duration = Duration::from_millis(300);
/// Between the polite signal and the other one.
const GRACE: Duration = Duration::from_millis(250);

/// A program that ended by itself.
pub(in crate::agents) struct Ended {
    pub(in crate::agents) status: ExitStatus,
    pub(in crate::agents) stdout: Vec<u8>,
    /// The end of it.
    pub(in crate::agents) stderr: Vec<u8>,
}

pub(in crate::agents) enum Failed {
    Start(io::Error),
    Wait(io::Error),
    Timeout { stderr: Vec<u8> },
    TooLarge,
}

/// Runs a program to its end, or to the end of its time. Its whole process group is gone when this returns, and when it
/// is dropped.
///
/// Everything is read and written at once, so that no full pipe stops the other side. A program that doesn't read its
/// stdin is no error.
pub(in crate::agents) async fn run(
    mut command: Command,
    stdin: &[u8],
    timeout: Duration,
    max_output: usize,
) -> Result<Ended, Failed> {
    #[cfg(unix)]
    command.process_group(0);
    command.kill_on_drop(true);
    let deadline = Instant::now() + timeout;
    let mut child = command.spawn().map_err(Failed::Start)?;
    let mut group = Group::of(&child);

    let mut stdout = vec![];
    let mut stderr = vec![];
    let talked = {
        let (pipe_in, pipe_out, pipe_err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let feeding = async {
            if let Some(mut pipe) = pipe_in {
                // A closed pipe only means that the program doesn't want to know.
                let _ = pipe.write_all(stdin).await;
            }
        };
        let hearing = read_all(pipe_out, &mut stdout, max_output);
        let grumbling = read_end(pipe_err, &mut stderr);
        tokio::pin!(feeding, hearing, grumbling);
        let (mut fed, mut heard, mut grumbled) = (false, false, false);
        let mut status: Option<ExitStatus> = None;
        // Until the program ends, its time; then how long the pipes may stay open.
        let mut limit = deadline;
        let mut children_ended = false;
        loop {
            if let Some(status) = status
                && heard
                && grumbled
            {
                break Ok(Some(status));
            }
            tokio::select! {
                ended = child.wait(), if status.is_none() => match ended {
                    Ok(ended) => {
                        status = Some(ended);
                        limit = Instant::now() + LINGER;
                    }
                    Err(error) => break Err(Failed::Wait(error)),
                },
                fits = &mut hearing, if !heard => {
                    heard = true;
                    if !fits {
                        break Err(Failed::TooLarge);
                    }
                }
                () = &mut grumbling, if !grumbled => grumbled = true,
                () = &mut feeding, if !fed => fed = true,
                () = sleep_until(limit) => match status {
                    None => break Ok(None),
                    Some(_) if !children_ended => {
                        group.kill();
                        children_ended = true;
                        limit = Instant::now() + LINGER;
                    }
                    // A grandchild that left the group still holds a pipe: what it may write is not waited for.
                    Some(status) => break Ok(Some(status)),
                },
            }
        }
    };
    match talked {
        Ok(Some(status)) => {
            group.kill();
            group.disarm();
            Ok(Ended { status, stdout, stderr })
        }
        Ok(None) => {
            group.ask_to_end();
            let _ = tokio::time::timeout(GRACE, child.wait()).await;
            group.kill();
            let _ = tokio::time::timeout(GRACE, child.wait()).await;
            Err(Failed::Timeout { stderr })
        }
        Err(failed) => {
            group.kill();
            let _ = tokio::time::timeout(GRACE, child.wait()).await;
            Err(failed)
        }
    }
}

/// False where there was more than `most`.
async fn read_all(pipe: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>, most: usize) -> bool {
    let Some(mut pipe) = pipe else { return true };
    while let Ok(1..) = pipe.read_buf(into).await {
        if into.len() > most {
            return false;
        }
    }
    true
}

/// Reads all and keeps the end.
pub(in crate::agents) async fn read_end(pipe: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) {
    let Some(mut pipe) = pipe else { return };
    while let Ok(1..) = pipe.read_buf(into).await {
        if into.len() > 2 * STDERR_KEPT {
            into.drain(..into.len() - STDERR_KEPT);
        }
    }
}

/// A program's process group: ended when this is dropped.
///
/// A group is signalled after its leader was reaped. Its number can't be another's yet while members live, and when none
/// lives, systems hand out numbers in turn: the next use of this one is tens of thousands of processes away.
#[derive(Debug)]
pub(in crate::agents) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    #[cfg(unix)]
    pub(in crate::agents) fn of(child: &Child) -> Group {
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        Group { leader }
    }

    /// Elsewhere the program alone is ended, by its handle's own drop.
    #[cfg(not(unix))]
    pub(in crate::agents) fn of(_child: &Child) -> Group {
        Group {}
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(leader) = self.leader {
            // A group without members is no longer there, which is what is wanted.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }

    fn ask_to_end(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
    }

    fn kill(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
    }

    fn disarm(&mut self) {
        #[cfg(unix)]
        {
            self.leader = None;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A program as it is started: absolute where it was named with a folder.
pub(in crate::agents) fn program(name: &str, root: &Path) -> OsString {
    let is_path = Path::new(name).components().count() > 1;
    // Collecting the components takes a `./` out of the middle.
    if is_path { root.join(name).components().collect::<PathBuf>().into() } else { name.into() }
}

/// Whether a program could not be started for want of processes, memory or file handles: later there may be some.
pub(in crate::agents) fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(11 | 12 | 23 | 24 | 26)) && cfg!(unix)
}

/// The end of stderr, for an error message.
pub(in crate::agents) fn said(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    if text.is_empty() { String::new() } else { format!("; stderr ends with:\n{text}") }
}

pub(in crate::agents) fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with status {code}"),
        None => "ended without a status".to_owned(),
    }
}

/// Whether there is a program of this name: where it says, or in `path` (or this process's `PATH`).
pub(in crate::agents) fn find_program(program: &Path, path: Option<OsString>) -> Result<(), String> {
    let shown = program.display();
    if program.components().count() > 1 {
        return match program.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(format!("there is no program `{shown}` (names in `run:` start at the folder of mutate.yaml)"))
            }
            Err(error) => Err(format!("the program `{shown}` can't be started: {error}")),
            Ok(about) if !about.is_file() => Err(format!("`{shown}` is no file")),
            Ok(about) if !executable(&about) => {
                Err(format!("`{shown}` may not be executed: run `chmod +x` on it, or name its interpreter first"))
            }
            Ok(_) => Ok(()),
        };
    }
    let path = path.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let endings: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd", ".bat", ".com"] } else { &[""] };
    let found = std::env::split_paths(&path).any(|folder| {
        endings.iter().any(|ending| {
            let mut name = program.as_os_str().to_owned();
            name.push(ending);
            folder.join(name).metadata().is_ok_and(|about| about.is_file() && executable(&about))
        })
    });
    if found {
        Ok(())
    } else {
        Err(format!(
            "there is no program `{shown}` in PATH; one that lies in the suite is named with its folder: `./{shown}`"
        ))
    }
}

#[cfg(unix)]
fn executable(about: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn executable(_about: &std::fs::Metadata) -> bool {
    true
}
