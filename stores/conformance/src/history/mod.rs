//! Histories: what several handles did at once and were answered, and whether one board can have answered it.
//!
//! The board only grows, so every answer bounds its length at some moment between question and answer. A history is in
//! order where no answer that came first proves a longer board than a later question was told, where what was
//! acknowledged is on the board once, and where whatever was read is a piece of it.

mod check;
mod run;

use relay_baton::entry::{BoardId, Head, Record, Reference};

use crate::Place;
use crate::entries::board;

/// What one handle did, and was answered.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// When it was asked, on a clock that all handles share.
    pub(crate) start: u64,
    /// When it was answered.
    pub(crate) end: u64,
    pub(crate) did: Did,
}

#[derive(Clone, Debug)]
pub(crate) enum Did {
    /// These went in.
    Appended(Vec<Record>),
    /// It was not said whether these went in.
    Unsettled(Vec<Record>),
    /// These did not, since the board ended elsewhere.
    Moved {
        records: Vec<Record>,
        expected: Option<Head>,
        told: Option<Head>,
    },
    Head(Option<Head>),
    Page {
        after: u64,
        count_max: usize,
        records: Vec<Record>,
    },
    Found {
        reference: Reference,
        record: Option<Record>,
    },
    /// Any other answer is a failure.
    Failed(String),
}

/// What was done on one board, and what is on it in the end.
#[derive(Clone, Debug)]
pub struct History {
    pub(crate) events: Vec<Event>,
    pub(crate) end: Vec<Record>,
}

impl History {
    /// Lets `threads` handles do `operations` random things each on an empty board, at once.
    #[must_use]
    pub fn record(place: &dyn Place, board: &BoardId, seed: u64, threads: u64, operations: u64) -> Self {
        run::record(place, board, seed, threads, operations)
    }

    /// Whether one board can have answered so.
    ///
    /// # Errors
    /// What cannot be.
    pub fn check(&self) -> Result<(), String> {
        check::check(self)
    }

    /// How many operations it has.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.events.len()
    }

    /// How many entries the board has in the end.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.end.len()
    }
}

/// Random operations of four handles at once are answered as by one board.
pub fn histories_are_in_order(place: &dyn Place) {
    histories(place, 4, 1_000);
}

/// So many histories of so many operations, each on a board of its own.
pub fn histories(place: &dyn Place, histories: u64, operations: u64) {
    const THREADS: u64 = 4;
    for seed in 0..histories {
        let board = board("history", &format!("h{seed}"));
        let history = History::record(place, &board, seed, THREADS, operations.div_ceil(THREADS));
        if let Err(what) = history.check() {
            panic!("history {seed}: {what}");
        }
        assert!(history.entries() as u64 > operations / 20, "history {seed} has {} entries only", history.entries());
    }
}
