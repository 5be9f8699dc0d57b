//! What the benches share: the board that they work on, and folders for it.

use std::path::PathBuf;
use std::{env, fs, process};

use relay_baton::baton::Id;
use relay_baton::entry::BoardId;

pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

pub(crate) fn board() -> BoardId {
    BoardId { tenant: id("acme"), task: id("login") }
}

/// A folder that goes in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        // Not a file system in memory: a sync has to cost what it costs.
        let base = env::var_os("BATON_BENCH_FOLDER").map_or_else(env::temp_dir, PathBuf::from);
        let path = base.join(format!("relay-baton-bench-{name}-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
