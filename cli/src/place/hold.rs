//! A file that is held from its reading to its replacing, so that of several writers none overwrites another.
//!
//! On Unix the lock is on the file itself. A replaced file is another file of the same name, so whoever waited looks
//! again whether the name still means the file that it locked. Elsewhere the lock is on a file beside it, `.NAME.lock`.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use relay_baton::json::Limits;
use relay_baton::refusal::{Action, Code};

use crate::failure::{Answer, Failure, named};
use crate::place::input::{Input, length_of};
use crate::place::replace::Writer;

/// How long another writer is waited for.
const WAIT_MAX: Duration = Duration::from_secs(10);
const PAUSE_MIN: Duration = Duration::from_micros(200);
const PAUSE_MAX: Duration = Duration::from_millis(5);

/// A regular, writable file under our lock.
#[derive(Debug)]
pub(crate) struct Hold {
    /// As it was typed.
    pub(crate) path: PathBuf,
    /// With symbolic links resolved: what is replaced.
    pub(crate) resolved: PathBuf,
    pub(crate) metadata: Metadata,
    file: File,
    /// What was read of it.
    bytes: &'static [u8],
    #[cfg(not(unix))]
    _lock: File,
}

impl Hold {
    /// Locks the file at `path`, waiting a while for another writer.
    pub(crate) fn take(path: &Path) -> Result<Self, Failure> {
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            let resolved = fs::canonicalize(path).map_err(|error| Failure::read(path, &error))?;
            let found = fs::metadata(&resolved).map_err(|error| Failure::read(path, &error))?;
            refuse_unfit(path, &found)?;
            if let Some(hold) = Self::try_take(path, resolved, deadline)? {
                return Ok(hold);
            }
        }
    }

    /// Reads the text of the held file.
    pub(crate) fn read(&mut self, limits: &Limits) -> Result<Input, Failure> {
        let length = length_of(&self.path, &self.file)?;
        let input = Input::from_reader(&self.path, &mut self.file, length, limits)?;
        self.bytes = input.text.as_bytes();
        Ok(input)
    }

    /// Reads the held file for [`Self::holds`] alone.
    pub(crate) fn read_bytes(&mut self) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).map_err(|error| Failure::read(&self.path, &error))?;
        self.bytes = bytes.leak();
        Ok(())
    }

    /// Whether `write` would write what the file holds already.
    pub(crate) fn holds(&self, write: Writer<'_>) -> bool {
        let mut rest = self.bytes;
        write(&mut Compared { rest: &mut rest }).is_ok() && rest.is_empty()
    }

    #[cfg(unix)]
    fn try_take(path: &Path, resolved: PathBuf, deadline: Instant) -> Result<Option<Self>, Failure> {
        use std::os::unix::fs::MetadataExt as _;

        let Some(file) = open(path, &resolved)? else { return Ok(None) };
        lock(path, &file, deadline)?;
        let locked = file.metadata().map_err(|error| Failure::read(path, &error))?;
        let Ok(named) = fs::metadata(&resolved) else { return Ok(None) };
        let same = (locked.dev(), locked.ino()) == (named.dev(), named.ino());
        Ok(same.then(|| Self { path: path.to_owned(), resolved, metadata: named, file, bytes: &[] }))
    }

    #[cfg(not(unix))]
    fn try_take(path: &Path, resolved: PathBuf, deadline: Instant) -> Result<Option<Self>, Failure> {
        let beside =
            resolved.with_file_name(format!(".{}.lock", named(Path::new(resolved.file_name().unwrap_or_default()))));
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(beside);
        let _lock = opened.map_err(|error| Failure::write(path, &error))?;
        lock(path, &_lock, deadline)?;
        let Some(file) = open(path, &resolved)? else { return Ok(None) };
        let metadata = file.metadata().map_err(|error| Failure::read(path, &error))?;
        Ok(Some(Self { path: path.to_owned(), resolved, metadata, file, bytes: &[], _lock }))
    }
}

/// Takes bytes as long as they are those that are left.
struct Compared<'r> {
    rest: &'r mut &'static [u8],
}

impl Write for Compared<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.rest = self.rest.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens for writing too, though nothing is written here: so the system says whether we may. `None` when it has gone.
fn open(path: &Path, resolved: &Path) -> Result<Option<File>, Failure> {
    match OpenOptions::new().read(true).write(true).open(resolved) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::write(path, &error)),
    }
}

fn lock(path: &Path, file: &File, deadline: Instant) -> Result<(), Failure> {
    let mut pause = PAUSE_MIN;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(Failure::write(path, &error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Err(busy(path)),
            Err(TryLockError::WouldBlock) => thread::sleep(pause),
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

fn busy(path: &Path) -> Failure {
    let detail = format!("another process has held it for {} seconds", WAIT_MAX.as_secs());
    let mut answer = Answer::about(path, Code::IoWrite, detail).with_help("run it again when that process has ended");
    answer.action = Some(Action::Wait);
    answer.into()
}

/// What cannot be replaced: no regular file, a read-only one, or one that has other names.
pub(crate) fn refuse_unfit(path: &Path, metadata: &Metadata) -> Result<(), Failure> {
    let refuse = |detail: &str, help: &str| Err(Answer::about(path, Code::IoWrite, detail).with_help(help).into());
    if metadata.is_dir() {
        return refuse("it is a folder", "name a file");
    }
    if !metadata.is_file() {
        return refuse("only a regular file can be replaced", "write to it with -o");
    }
    if metadata.permissions().readonly() {
        let help = format!("allow it with `chmod u+w {}`", named(path));
        return refuse("it is read-only", &help);
    }
    if names(metadata) > 1 {
        return refuse(
            "it has several names (hard links), and replacing it would part them",
            "use a symbolic link, or print to standard output",
        );
    }
    Ok(())
}

#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}
