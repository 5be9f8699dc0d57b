//! The queue of the writers, in front of SQLite's lock: a lock on a file beside the board file, which the system gives to
//! who has waited longest. It makes waiting fair and nothing else.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::keeper::Keeper;

/// How long a turn is waited for, before going on without.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// How long a writer that was told that the board moved has its turn, to try again.
const KEPT_MAX: Duration = Duration::from_millis(250);

/// How long a writer that had to wait stays away at most, before it queues again. Who has waited longest is woken when the
/// turn ends, but the lock is whoever's asks first, and a busy machine wakes slowly.
const AWAY_MAX: Duration = Duration::from_millis(50);

/// Where a writer queues.
#[derive(Debug)]
pub(crate) struct Queue {
    path: PathBuf,
    /// The file, while it is not locked.
    file: Option<File>,
    keeper: Keeper,
    /// How long it waited for its turn.
    waited: Duration,
    /// When it may queue again.
    away_until: Option<Instant>,
}

/// A turn: the locked file. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn(File);

impl Queue {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None, keeper: Keeper::default(), waited: Duration::ZERO, away_until: None }
    }

    /// The file's path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for a turn; `None` where there is none to be had.
    pub(crate) fn enter(&mut self) -> Option<Turn> {
        if let Some(turn) = self.keeper.take() {
            return Some(turn);
        }
        if let Some(left) = self.away_until.take().and_then(|until| until.checked_duration_since(Instant::now())) {
            thread::sleep(left);
        }
        let start = Instant::now();
        self.waited = Duration::ZERO;
        let file = self.file.take().or_else(|| open(&self.path))?;
        match file.try_lock() {
            Ok(()) => Some(Turn(file)),
            Err(std::fs::TryLockError::WouldBlock) => {
                let turn = wait(file);
                self.waited = start.elapsed();
                turn
            }
            Err(std::fs::TryLockError::Error(_)) => None,
        }
    }

    /// A turn, where nobody else has one.
    pub(crate) fn enter_at_once(&mut self) -> Option<Turn> {
        if let Some(turn) = self.keeper.take() {
            return Some(turn);
        }
        let file = self.file.take().or_else(|| open(&self.path))?;
        file.try_lock().is_ok().then_some(Turn(file))
    }

    /// Ends a turn.
    pub(crate) fn leave(&mut self, turn: Option<Turn>) {
        if !self.waited.is_zero() {
            self.away_until = Instant::now().checked_add((self.waited / 2).min(AWAY_MAX));
        }
        let Some(Turn(file)) = turn else { return };
        // A file that cannot be unlocked is unlocked by closing it.
        if file.unlock().is_ok() {
            self.file = Some(file);
        }
    }

    /// Ends a turn in a moment, unless it is taken up again before.
    pub(crate) fn keep(&mut self, turn: Option<Turn>) {
        if let Some(turn) = turn {
            self.keeper.keep(turn, KEPT_MAX);
        }
    }
}

/// Opens the file, which nobody reads; it has the mode that a new board file gets.
fn open(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).ok()
}

/// Waits for the lock in a thread of its own, since the system knows no waiting with an end.
fn wait(file: File) -> Option<Turn> {
    let (giving, given) = mpsc::channel();
    let lock = move || {
        // Nobody takes what came too late: the file is closed, and the lock with it.
        let _ = file.lock().map(|()| giving.send(Turn(file)));
    };
    thread::Builder::new().spawn(lock).ok()?;
    given.recv_timeout(WAIT_MAX).ok()
}

#[cfg(test)]
#[path = "queue_test.rs"]
mod tests;
