//! Where the board file is, and what is beside it.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use relay_baton::refusal::Code;
use relay_baton::store::Fault;
use relay_baton::text::escape_hidden;

use crate::fault::told;
use crate::network::is_network;

/// The real path of a board file: two names of one file have one queue.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    path: PathBuf,
    /// Its length in bytes; `None` where there is no file.
    length: Option<u64>,
}

impl Place {
    /// # Errors
    /// `store.unavailable` where its folder is not there, `store.foreign` where it is no file, `store.denied` where it
    /// has several names, `store.network` where it is on a network file system.
    pub(crate) fn find(path: &Path) -> Result<Self, Fault> {
        let (length, path) = match fs::canonicalize(path) {
            Ok(path) => (Some(check_file(&path)?), path),
            Err(error) if error.kind() == ErrorKind::NotFound => (None, new_file(path)?),
            Err(error) => return Err(of(error.kind())),
        };
        if path.parent().is_some_and(is_network) {
            let detail = "the board file is on a network file system, where locks cannot be trusted: keep it on a disk of this machine";
            return Err(Fault::new(Code::StoreNetwork, detail));
        }
        Ok(Self { path, length })
    }

    pub(crate) fn exists(&self) -> bool {
        self.length.is_some()
    }

    /// Whether there is nothing in it yet.
    pub(crate) fn is_blank(&self) -> bool {
        self.length.is_none_or(|length| length == 0)
    }

    /// Whether it has a log with something in it.
    pub(crate) fn has_log(&self) -> bool {
        self.log_bytes() > 0
    }

    /// How long its log is; 0 where there is none.
    pub(crate) fn log_bytes(&self) -> u64 {
        fs::metadata(self.beside("-wal")).map_or(0, |data| data.len())
    }

    /// The name of its log, for messages.
    pub(crate) fn log_name(&self) -> String {
        let log = self.beside("-wal");
        escape_hidden(&log.file_name().unwrap_or_default().to_string_lossy()).into_owned()
    }

    /// Whether its log is there, with something in it or not.
    pub(crate) fn has_log_file(&self) -> bool {
        fs::metadata(self.beside("-wal")).is_ok()
    }

    /// Sees to it that the names of the file and of its log are on the disk.
    ///
    /// # Errors
    /// `store.unavailable`.
    #[cfg(unix)]
    pub(crate) fn sync_names(&self) -> Result<(), Fault> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let synced = fs::File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|_| told(Code::StoreUnavailable))
    }

    /// Elsewhere the system does it.
    #[cfg(not(unix))]
    pub(crate) fn sync_names(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether the file, or its folder where there is no file, can be read. It is not opened for that: to close it again
    /// would give up the locks that this process has on it.
    #[cfg(unix)]
    pub(crate) fn is_readable(&self) -> bool {
        let path = if self.exists() { Some(self.path.as_path()) } else { self.path.parent() };
        path.is_some_and(|path| rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok())
    }

    #[cfg(not(unix))]
    pub(crate) fn is_readable(&self) -> bool {
        self.exists()
    }

    /// The file on whose lock writers queue.
    pub(crate) fn lock(&self) -> PathBuf {
        self.beside("-lock")
    }

    /// The address of the file (RFC 3986, as SQLite reads it) with `query`.
    pub(crate) fn address(&self, query: &str) -> String {
        format!("file:{}?{query}", escaped(&self.path))
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(ending);
        PathBuf::from(name)
    }
}

fn of(kind: ErrorKind) -> Fault {
    match kind {
        ErrorKind::NotFound => Fault::new(Code::StoreUnavailable, "the folder of the board file is not there"),
        ErrorKind::NotADirectory => Fault::new(Code::StoreForeign, "the path of the board file goes through a file"),
        _ => told(Code::StoreDenied),
    }
}

/// The length of the file that is there.
fn check_file(path: &Path) -> Result<u64, Fault> {
    let data = fs::metadata(path).map_err(|error| of(error.kind()))?;
    if !data.is_file() {
        return Err(Fault::new(Code::StoreForeign, "the board file is a folder, a device or a pipe"));
    }
    check_names(&data)?;
    Ok(data.len())
}

/// SQLite finds the log by the file's name: under two names it would have two logs.
#[cfg(unix)]
fn check_names(data: &fs::Metadata) -> Result<(), Fault> {
    use std::os::unix::fs::MetadataExt as _;

    if data.nlink() > 1 {
        let detail =
            "the board file has several names (hard links), and each would have a log of its own: remove all but one";
        return Err(Fault::new(Code::StoreDenied, detail));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_names(_data: &fs::Metadata) -> Result<(), Fault> {
    Ok(())
}

/// The real path of a file that is not there yet.
fn new_file(path: &Path) -> Result<PathBuf, Fault> {
    let Some(name) = path.file_name() else {
        return Err(Fault::new(Code::StoreForeign, "the path of the board file does not end with a name"));
    };
    if fs::symlink_metadata(path).is_ok() {
        return Err(Fault::new(Code::StoreUnavailable, "the board file is a link to a file that is not there"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).map_err(|error| of(error.kind()))?;
    Ok(folder.join(name))
}

/// A path as it stands in an address: all but the plainest bytes as `%` and two digits.
pub(crate) fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => text.push(char::from(*byte)),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_of_a_path_is_read_as_something_else() {
        assert_eq!(escaped(Path::new("/a b?c#d%e&f=g\u{e9}")), "/a%20b%3Fc%23d%25e%26f%3Dg%C3%A9");
    }
}
