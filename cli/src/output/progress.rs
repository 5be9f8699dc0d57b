//! How far a long work has come: one line on a terminal, written over and over, and gone at the end.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Work that is done sooner is not told of.
const SILENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(100);

/// How far a long work has come.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    total: Option<u64>,
    is_told: bool,
    next: Instant,
    is_shown: bool,
}

impl Progress {
    /// Nothing of `what` is done yet, of `total` entries where their number is known. It is told of where standard error
    /// is a terminal, and standard output is none that the result itself goes to.
    pub(crate) fn new(what: &'static str, total: Option<u64>, to_stdout: bool) -> Self {
        let is_told = io::stderr().is_terminal() && !(to_stdout && io::stdout().is_terminal());
        Self { what, total, is_told, next: Instant::now() + SILENCE, is_shown: false }
    }

    /// So many entries are done.
    pub(crate) fn at(&mut self, done: u64) {
        if !self.is_told || Instant::now() < self.next {
            return;
        }
        let of = self.total.map_or(String::new(), |total| format!(" of {total}"));
        // Whoever does not see how far it is sees at last that it is done.
        let _ = write!(io::stderr().lock(), "\r\x1b[K{}: {done}{of} entries", self.what);
        self.is_shown = true;
        self.next = Instant::now() + PAUSE;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}
