//! The same with a thread for each pipe, for systems on which pipes cannot be waited for together.
//!
//! Only the program itself is ended here, not what it started, and signals are not listened for.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use relay_baton::charter;

use super::outcome::{Ended, Ran, Tail, ended_by_itself};

/// How often an exit is looked for.
const LOOK: Duration = Duration::from_millis(10);
/// How long descendants are waited for that hold a pipe and write nothing.
const LINGER: Duration = Duration::from_millis(200);

/// Whether we were told to stop: never.
#[derive(Debug, Default)]
pub(crate) struct Stop;

impl Stop {
    /// Listens for nothing: the console ends its programs together.
    #[cfg_attr(unix, expect(dead_code, reason = "the other one is used"))]
    pub(crate) fn on_signals() -> io::Result<Self> {
        Ok(Self)
    }

    /// Tells nobody: programs here end by themselves.
    #[cfg_attr(unix, expect(dead_code, reason = "the other one is used"))]
    pub(crate) fn tell(&self) {}

    /// Whether a signal came.
    #[cfg_attr(unix, expect(dead_code, reason = "the other one is used"))]
    pub(crate) fn is_told(&self) -> bool {
        false
    }
}

/// Something that came through a pipe.
enum News {
    Output(Vec<u8>),
    Complaint(Vec<u8>),
}

/// Starts `prepared` and talks with it until it has ended.
pub(super) fn converse(mut prepared: Command, command: &charter::Command, input: &[u8], _stop: &Stop) -> Ran {
    let began = Instant::now();
    let mut ran = match prepared.spawn() {
        Ok(child) => talk(child, command, input.to_vec(), began),
        Err(error) => Ran::not_started(command, &error),
    };
    ran.took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    ran
}

fn talk(mut child: Child, command: &charter::Command, input: Vec<u8>, began: Instant) -> Ran {
    let (sender, news) = channel();
    if let Some(mut stdin) = child.stdin.take() {
        // It may not want to read: that is its own business.
        thread::spawn(move || stdin.write_all(&input));
    }
    listen(child.stdout.take(), sender.clone(), News::Output);
    listen(child.stderr.take(), sender, News::Complaint);
    let output_max = usize::try_from(command.output_limit_bytes).unwrap_or(usize::MAX);
    let mut talk = Talk { child, news, output: Vec::new(), output_max, tail: Tail::default(), exited: None };
    let ours = talk.follow(began.checked_add(Duration::from_millis(command.time_limit_ms)));
    let ended = ours.unwrap_or_else(|| talk.reap());
    Ran { ended, stdout: talk.output, stderr_tail: talk.tail.into_text(), took_ms: 0 }
}

/// A program that is talked with.
struct Talk {
    child: Child,
    news: Receiver<News>,
    output: Vec<u8>,
    output_max: usize,
    tail: Tail,
    /// How it ended, and when it was last heard of since.
    exited: Option<(Ended, Instant)>,
}

impl Talk {
    /// Follows it to its end. Why it was we who ended it, if so.
    fn follow(&mut self, until: Option<Instant>) -> Option<Ended> {
        loop {
            match self.news.recv_timeout(LOOK) {
                Ok(News::Output(bytes)) => {
                    let room = self.output_max.saturating_sub(self.output.len());
                    self.output.extend_from_slice(bytes.get(..room).unwrap_or(&bytes));
                    if bytes.len() > room {
                        return Some(self.end(Ended::Flooded));
                    }
                    self.exited = self.exited.take().map(|(ended, _)| (ended, Instant::now()));
                }
                Ok(News::Complaint(bytes)) => self.tail.extend(&bytes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) if self.exited.is_some() => return None,
                Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOK),
            }
            self.look();
            if self.exited.as_ref().is_some_and(|(_, heard)| heard.elapsed() > LINGER) {
                return None;
            }
            if self.exited.is_none() && until.is_some_and(|until| until <= Instant::now()) {
                return Some(self.end(Ended::TimedOut));
            }
        }
    }

    fn look(&mut self) {
        if self.exited.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            self.exited = Some((ended_by_itself(status), Instant::now()));
        }
    }

    fn end(&mut self, why: Ended) -> Ended {
        // It may have ended meanwhile.
        let _ = self.child.kill();
        let _ = self.child.wait();
        why
    }

    fn reap(&mut self) -> Ended {
        self.look();
        self.exited.take().map_or(Ended::Signalled(0), |(ended, _)| ended)
    }
}

/// Passes on what comes through `pipe`.
fn listen(pipe: Option<impl Read + Send + 'static>, sender: Sender<News>, news: fn(Vec<u8>) -> News) {
    let Some(mut pipe) = pipe else { return };
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = pipe.read(&mut buffer) {
            if sender.send(news(buffer.get(..length).unwrap_or_default().to_vec())).is_err() {
                break;
            }
        }
    });
}
