//! One thread that talks with a program through three pipes, and is woken only when there is something to do.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use std::time::{Duration, Instant};

use relay_baton::charter;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use super::outcome::{Ended, Ran, Tail, ended_by_itself};

/// From the polite signal to the other.
const GRACE: Duration = Duration::from_secs(1);
/// From the other signal to leaving a process alone that not even this ends (it hangs in the system).
const ABANDON: Duration = Duration::from_secs(5);
/// How long descendants are waited for that hold a pipe and write nothing.
const LINGER: Duration = Duration::from_millis(200);
/// How often an exit is looked for where the system does not tell of it.
const LOOK: Duration = Duration::from_millis(10);

/// Whether we were told to stop: by a signal, once it listens for them.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    told: Option<UnixStream>,
    tells: Option<UnixStream>,
}

impl Stop {
    /// Listens for `SIGINT`, `SIGTERM` and `SIGHUP`, which from now on do not end this program.
    pub(crate) fn on_signals() -> io::Result<Self> {
        let (told, tells) = UnixStream::pair()?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            pipe::register(signal, tells.try_clone()?)?;
        }
        tells.set_nonblocking(true)?;
        Ok(Self { told: Some(told), tells: Some(tells) })
    }

    /// Tells every program that runs to stop, as a signal does.
    pub(crate) fn tell(&self) {
        if let Some(mut tells) = self.tells.as_ref() {
            // Where there is no room for another word, enough were said.
            let _ = tells.write(&[0]);
        }
    }

    /// Whether a signal came.
    pub(crate) fn is_told(&self) -> bool {
        let Some(told) = &self.told else { return false };
        let mut asked = [PollFd::new(told, PollFlags::IN)];
        poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
    }
}

/// Starts `prepared` and talks with it until it has ended.
pub(super) fn converse(mut prepared: Command, command: &charter::Command, input: &[u8], stop: &Stop) -> Ran {
    let began = Instant::now();
    let mut ran = match prepared.process_group(0).spawn() {
        Ok(child) => Talk::with(child, command, input, began).until_the_end(stop),
        Err(error) => Ran::not_started(command, &error),
    };
    ran.took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    ran
}

/// What the program is waited for to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// To end by itself.
    Running,
    /// To end after the polite signal.
    Asked,
    /// To end after the other signal.
    Killed,
    /// It has exited: what is in its pipes is read.
    Exited,
    Over,
}

/// A program that is talked with.
struct Talk<'i> {
    child: Child,
    group: Pid,
    /// Readable once the child has exited; Linux has it.
    exit: Option<OwnedFd>,
    stdin: Option<ChildStdin>,
    unsent: &'i [u8],
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    output: Vec<u8>,
    output_max: usize,
    tail: Tail,
    buffer: Vec<u8>,
    phase: Phase,
    /// When its time is over.
    deadline: Option<Instant>,
    /// When the phase is over at the latest.
    until: Option<Instant>,
    /// Why we ended it.
    ours: Option<Ended>,
}

/// What there is to do.
#[derive(Default)]
struct Ready {
    stdin: bool,
    stdout: bool,
    stderr: bool,
    stop: bool,
}

impl<'i> Talk<'i> {
    fn with(mut child: Child, command: &charter::Command, input: &'i [u8], began: Instant) -> Self {
        let group = Pid::from_child(&child);
        let deadline = began.checked_add(Duration::from_millis(command.time_limit_ms));
        let mut talk = Self {
            exit: pidfd_open(group, PidfdFlags::empty()).ok(),
            stdin: child.stdin.take().filter(unblock),
            stdout: child.stdout.take().filter(unblock),
            stderr: child.stderr.take().filter(unblock),
            child,
            group,
            unsent: input,
            output: Vec::new(),
            output_max: usize::try_from(command.output_limit_bytes).unwrap_or(usize::MAX),
            tail: Tail::default(),
            buffer: vec![0; 1 << 16],
            phase: Phase::Running,
            deadline,
            until: deadline,
            ours: None,
        };
        talk.send();
        talk
    }

    fn until_the_end(mut self, stop: &Stop) -> Ran {
        while self.phase != Phase::Over {
            let ready = self.wait(stop);
            if ready.stop && self.phase == Phase::Running {
                self.end(Ended::Stopped);
            }
            if ready.stdin {
                self.send();
            }
            if ready.stdout {
                self.read_output();
            }
            if ready.stderr {
                self.read_complaints();
            }
            self.look();
        }
        let by_itself = self.reap();
        let ended = self.ours.unwrap_or(by_itself);
        Ran { ended, stdout: self.output, stderr_tail: self.tail.into_text(), took_ms: 0 }
    }

    /// Waits until something is ready or the phase is over.
    fn wait(&self, stop: &Stop) -> Ready {
        // A stop is asked for once: then it would wake us for ever.
        let told = stop.told.as_ref().filter(|_| self.phase == Phase::Running);
        let exit = self.exit.as_ref().filter(|_| self.phase != Phase::Exited);
        let places: [(Option<BorrowedFd<'_>>, PollFlags); 5] = [
            (self.stdin.as_ref().map(AsFd::as_fd), PollFlags::OUT),
            (self.stdout.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (self.stderr.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (told.map(AsFd::as_fd), PollFlags::IN),
            (exit.map(AsFd::as_fd), PollFlags::IN),
        ];
        let mut asked: Vec<PollFd<'_>> =
            places.iter().filter_map(|(fd, flags)| fd.map(|fd| PollFd::from_borrowed_fd(fd, *flags))).collect();
        // Interrupted: then nothing is ready, and it is asked again.
        let _ = poll(&mut asked, self.patience().as_ref());
        let mut answers = asked.iter().map(|one| !one.revents().is_empty());
        let mut next =
            |place: usize| places.get(place).is_some_and(|(fd, _)| fd.is_some()) && answers.next().unwrap_or_default();
        Ready { stdin: next(0), stdout: next(1), stderr: next(2), stop: next(3) }
    }

    /// How long to wait at most.
    fn patience(&self) -> Option<Timespec> {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let left = match left {
            left if self.exit.is_some() || self.phase == Phase::Exited => left?,
            left => left.unwrap_or(LOOK).min(LOOK),
        };
        // A clock that is asked a little early would be asked at once again.
        Timespec::try_from(left.saturating_add(Duration::from_micros(50))).ok()
    }

    /// Sends as much of the input as the program takes.
    fn send(&mut self) {
        while let Some(stdin) = self.stdin.as_mut().filter(|_| !self.unsent.is_empty()) {
            match stdin.write(self.unsent) {
                Ok(sent) => self.unsent = self.unsent.get(sent..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // It does not want to read: that is its own business.
                Err(_) => break,
            }
        }
        self.stdin = None;
    }

    fn read_output(&mut self) {
        match read(&mut self.stdout, &mut self.buffer) {
            Some([]) => {}
            Some(bytes) => {
                let room = self.output_max.saturating_sub(self.output.len());
                let kept = bytes.get(..room).unwrap_or(bytes);
                self.output.extend_from_slice(kept);
                let flooded = kept.len() < bytes.len();
                self.linger();
                if flooded {
                    self.end(Ended::Flooded);
                }
            }
            None => self.stdout = None,
        }
    }

    fn read_complaints(&mut self) {
        match read(&mut self.stderr, &mut self.buffer) {
            Some([]) => {}
            Some(bytes) => {
                self.tail.extend(bytes);
                self.linger();
            }
            None => self.stderr = None,
        }
    }

    /// Something came of a descendant: perhaps more will.
    fn linger(&mut self) {
        if self.phase == Phase::Exited {
            self.go(Phase::Exited, LINGER);
            self.until = self.until.min(self.deadline.or(self.until));
        }
    }

    /// Ends the program, because of `why`.
    fn end(&mut self, why: Ended) {
        self.ours.get_or_insert(why);
        (self.stdin, self.stdout) = (None, None);
        if self.phase == Phase::Exited {
            self.phase = Phase::Over;
        } else {
            self.go(Phase::Asked, GRACE);
            self.signal(Signal::TERM);
        }
    }

    /// Goes on to the next phase, if it is time.
    fn look(&mut self) {
        let is_ours = matches!(self.phase, Phase::Asked | Phase::Killed);
        if (self.phase == Phase::Running || is_ours) && self.has_exited() {
            self.stdin = None;
            if is_ours {
                // What it started goes with it.
                self.signal(Signal::KILL);
                self.phase = Phase::Over;
            } else {
                self.go(Phase::Exited, LINGER);
            }
        }
        let is_silent = self.stdout.is_none() && self.stderr.is_none();
        let is_late = self.until.is_some_and(|until| until <= Instant::now());
        match self.phase {
            Phase::Exited if is_silent || is_late => self.phase = Phase::Over,
            Phase::Running if is_late => self.end(Ended::TimedOut),
            Phase::Asked if is_late => {
                self.go(Phase::Killed, ABANDON);
                self.signal(Signal::KILL);
            }
            Phase::Killed if is_late => self.phase = Phase::Over,
            _ => {}
        }
    }

    fn go(&mut self, phase: Phase, patience: Duration) {
        self.phase = phase;
        self.until = Instant::now().checked_add(patience);
    }

    /// Signals the whole group. The child is not reaped yet, so that its number is still its own.
    fn signal(&self, signal: Signal) {
        // There may be nobody left.
        let _ = kill_process_group(self.group, signal);
    }

    /// Whether the child has exited; it is not reaped.
    fn has_exited(&self) -> bool {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.group), how), Ok(None))
    }

    /// Takes note of the child's end.
    fn reap(&mut self) -> Ended {
        match self.child.try_wait() {
            Ok(Some(status)) => ended_by_itself(status),
            Ok(None) | Err(_) => Ended::Signalled(0),
        }
    }
}

/// Reads once: nothing where nothing is there yet, and none at the end.
fn read<'b>(from: &mut Option<impl Read>, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
    match from.as_mut()?.read(buffer) {
        Ok(0) => None,
        Ok(length) => buffer.get(..length),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Some(&[]),
        Err(_) => None,
    }
}

/// Whether a pipe's end on our side could be made never to block. A pipe that would is closed.
fn unblock(pipe: &impl AsFd) -> bool {
    rustix::io::ioctl_fionbio(pipe, true).is_ok()
}
