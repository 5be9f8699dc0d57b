//! Whose turn it is: at most one process on a machine carries out a task at a time.
//!
//! The lock is on a file beside the board's file, since locks on that itself are the database's. On a server the versions of
//! the saved run alone decide: of two that go on with it, the later is refused.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use relay_baton::entry::BoardId;
use relay_baton::json;
use relay_baton::refusal::{Code, Refusal};

use crate::failure::{Answer, Failure};
use crate::place::board::Location;

/// Hexadecimal digits that stand for a task in a name.
const DIGITS: usize = 16;

/// How often, and how long apart, a turn is tried that seems to be taken.
const LOOKS: u32 = 3;
const LOOK: Duration = Duration::from_millis(20);

/// The right to carry out a task, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    held: Option<(File, PathBuf)>,
}

impl Turn {
    /// Takes the turn for the task `id` at `location`.
    pub(crate) fn take(location: &Location, id: &BoardId) -> Result<Self, Failure> {
        let Location::File(board) = location else { return Ok(Self { held: None }) };
        let path = beside(board, id);
        let mut looks_left = LOOKS;
        loop {
            let file = OpenOptions::new().create(true).append(true).open(&path);
            let file = file.map_err(|error| Failure::write(&path, &error))?;
            match file.try_lock() {
                Ok(()) if is_named(&file, &path) => return Ok(Self { held: Some((file, path)) }),
                // Whoever had it before has removed its name in between.
                Ok(()) => {}
                // It may be one that only looks whether the turn is taken.
                Err(TryLockError::WouldBlock) if looks_left > 0 => {
                    looks_left -= 1;
                    thread::sleep(LOOK);
                }
                Err(TryLockError::WouldBlock) => return Err(under_way(id)),
                Err(TryLockError::Error(error)) => return Err(Failure::write(&path, &error)),
            }
        }
    }
}

/// Whether a process carries out the task `id` at `location`; `None` where that cannot be seen from here.
pub(crate) fn is_taken(location: &Location, id: &BoardId) -> Option<bool> {
    let Location::File(board) = location else { return None };
    // Where there is no name there is no turn, and it is not for a reader to make one.
    let Ok(file) = File::open(beside(board, id)) else { return Some(false) };
    match file.try_lock_shared() {
        Ok(()) => Some(false),
        Err(TryLockError::WouldBlock) => Some(true),
        Err(TryLockError::Error(_)) => None,
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((file, path)) = self.held.take() {
            // The name goes first, while nobody else can have the lock; a name that stays does no harm.
            let _ = fs::remove_file(path);
            drop(file);
        }
    }
}

fn beside(board: &Path, id: &BoardId) -> PathBuf {
    // A board has one turn, by whatever link it is named.
    let board = fs::canonicalize(board).unwrap_or_else(|_| board.to_path_buf());
    let digest = json::digest(format!("{}\n{}", id.tenant, id.task).as_bytes());
    let digits: String = digest.rsplit(':').next().unwrap_or_default().chars().take(DIGITS).collect();
    let mut name = OsString::from(".");
    name.push(board.file_name().unwrap_or_default());
    name.push(format!(".{digits}.run"));
    board.with_file_name(name)
}

#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    match (file.metadata(), fs::metadata(path)) {
        (Ok(held), Ok(named)) => (held.dev(), held.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_named(_: &File, path: &Path) -> bool {
    path.exists()
}

fn under_way(id: &BoardId) -> Failure {
    let detail = format!("another process carries out {id} at this moment: wait until it ends, or stop it");
    Answer::new(Refusal::new(Code::RunUnderWay, "", detail)).into()
}
