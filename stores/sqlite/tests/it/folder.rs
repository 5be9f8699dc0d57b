//! A folder for board files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

use relay_baton_sqlite::{Mode, Sqlite};
use relay_baton_store_conformance::{Handle, Place};

/// A folder that goes when the test ends.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self::under(&env::temp_dir())
    }

    /// A folder in memory where there is one: for what does not ask how long a sync takes.
    pub(crate) fn fast() -> Self {
        let memory = Path::new("/dev/shm");
        Self::under(if memory.is_dir() { memory } else { Path::new("/tmp") })
    }

    fn under(base: &Path) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("relay-baton-sqlite-{}-{number}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The board file in it.
    pub(crate) fn board(&self) -> PathBuf {
        self.at("board.db")
    }

    pub(crate) fn store(&self, mode: Mode) -> Sqlite {
        Sqlite::open(&self.board(), mode).unwrap()
    }

    /// Replaces what is in it by what is in `other`.
    pub(crate) fn restore(&self, other: &Self) {
        for entry in fs::read_dir(&self.path).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for entry in fs::read_dir(&other.path).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), self.path.join(entry.file_name())).unwrap();
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Place for Folder {
    fn open(&self) -> Handle {
        Box::new(self.store(Mode::Create))
    }
}
