//! A folder for board files.

use std::path::PathBuf;
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
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("relay-baton-sqlite-{}-{number}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self { path }
    }

    /// The board file in it.
    pub(crate) fn board(&self) -> PathBuf {
        self.path.join("board.db")
    }

    pub(crate) fn store(&self, mode: Mode) -> Sqlite {
        Sqlite::open(&self.board(), mode).unwrap()
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
