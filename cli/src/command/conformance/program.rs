//! A program that answers line by line, within a time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use relay_baton::text::quote;

use crate::failure::cause;

/// Bytes that an answer may have.
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// What the reading thread tells: a line, or why there is none.
type Line = Result<String, String>;

/// A program that was begun. It is ended, with all that it began, when this is dropped.
pub(super) struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    limit: Duration,
    has_ended: bool,
}

impl Program {
    pub(super) fn start(words: &[String], limit: Duration) -> Result<Self, String> {
        let Some((name, rest)) = words.split_first() else { return Err("the command has no word".to_owned()) };
        let mut command = Command::new(name);
        command.args(rest).stdin(Stdio::piped()).stdout(Stdio::piped());
        in_a_group(&mut command);
        let mut child =
            command.spawn().map_err(|error| format!("{} cannot be started: {}", quote(name), cause(&error)))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (send, lines) = sync_channel(1);
        if let Some(output) = output {
            thread::spawn(move || {
                let mut output = BufReader::new(output);
                loop {
                    let line = next(&mut output);
                    let is_last = line.is_err();
                    if send.send(line).is_err() || is_last {
                        return;
                    }
                }
            });
        }
        Ok(Self { child, input, lines, limit, has_ended: false })
    }

    /// The line that answers `line`.
    pub(super) fn ask(&mut self, line: &str) -> Result<String, String> {
        // One that has ended has closed its input, and what it said before says more than that.
        let sent = self.input.as_mut().map(|input| input.write_all(format!("{line}\n").as_bytes()));
        let answer = match self.lines.recv_timeout(self.limit) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(format!("no answer within {} s", self.limit.as_secs())),
            Err(RecvTimeoutError::Disconnected) => Err("no answer: it has closed its output".to_owned()),
        };
        match (answer, sent) {
            (Err(why), Some(Err(error))) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(format!("{why}; the request could not be written: {}", cause(&error)))
            }
            (Err(why), _) => Err(self.with_exit(why)),
            (answer, _) => answer,
        }
    }

    fn with_exit(&mut self, why: String) -> String {
        match self.child.try_wait() {
            Ok(Some(status)) => {
                self.has_ended = true;
                format!("{why} ({status})")
            }
            _ => why,
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.input.take());
        // Once it was waited for, its number may be another's.
        if !self.has_ended {
            end_group(&self.child);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// What the program starts ends with it.
#[cfg(unix)]
fn in_a_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;

    command.process_group(0);
}

#[cfg(not(unix))]
fn in_a_group(_: &mut Command) {}

#[cfg(unix)]
fn end_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

fn next(output: &mut BufReader<ChildStdout>) -> Line {
    let mut bytes = Vec::new();
    let read = output.by_ref().take(ANSWER_BYTES_MAX).read_until(b'\n', &mut bytes);
    match read {
        Err(error) => Err(format!("its answer could not be read: {}", cause(&error))),
        Ok(0) => Err("no answer: it has closed its output".to_owned()),
        Ok(_) if bytes.last() != Some(&b'\n') && bytes.len() as u64 == ANSWER_BYTES_MAX => {
            Err(format!("an answer of more than {ANSWER_BYTES_MAX} bytes"))
        }
        Ok(_) if bytes.last() != Some(&b'\n') => Err("half an answer: it ended within a line".to_owned()),
        Ok(_) => {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
            String::from_utf8(bytes).map_err(|_| "an answer that is no UTF-8".to_owned())
        }
    }
}
