//! Boards of [`relay_baton`] in one SQLite file that several processes can write.
//!
//! ```
//! use relay_baton::{baton::Id, entry::BoardId, store::Store as _};
//! use relay_baton_sqlite::{Mode, Sqlite};
//!
//! # let folder = std::env::temp_dir().join(format!("relay-baton-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let mut store = Sqlite::open(&folder.join("board.db"), Mode::Create).unwrap();
//! let board = BoardId { tenant: Id::new("acme").unwrap(), task: Id::new("login").unwrap() };
//! assert_eq!(store.head(&board), Ok(None));
//! # std::fs::remove_dir_all(&folder).unwrap();
//! ```
//!
//! *Durability.* Every append is one transaction in the write-ahead log, synced before it is acknowledged
//! (`synchronous=FULL`). A short log stays beside the file when the last process goes (`NAME-wal`, `NAME-shm`): whoever
//! copies a board copies these too.
//!
//! *Turns.* SQLite lets writers that wait poll, and some of them wait long. So writers first queue for a lock on a file
//! of its own, `NAME-lock`, and a writer that was told that the board moved keeps its turn for a moment, to try again.
//! The queue is for fairness alone: whoever gets no turn for two seconds goes on without, and what keeps the board whole
//! is SQLite's own lock.
//!
//! *Trust.* The file is the operator's, but what it says is not believed: its schema has to be ours to the letter, ids
//! are bound and never become part of a statement, and the bytes of entries are not looked into. A file that was changed
//! by others gives faults or other records, which their reader finds by their digests; it runs nothing.

mod fault;
mod network;
mod place;
mod keeper;
mod queue;
mod schema;
mod open;
mod row;
mod append;
mod read;

use std::collections::BTreeMap;
use std::time::Duration;

use relay_baton::entry::BoardId;
use rusqlite::Connection;

pub use open::Mode;

/// A handle on the boards in one file. It may go to another thread, but two threads need two handles.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    queue: queue::Queue,
    /// The numbers of boards that were asked for, which never change.
    boards: BTreeMap<BoardId, i64>,
    writable: bool,
    place: place::Place,
}

impl Drop for Sqlite {
    /// A program that appends once and ends leaves its log to the next, which reads all of it and cannot begin it anew.
    /// So who goes last writes a long one back and empties it. What fails here is done by the next.
    fn drop(&mut self) {
        if !self.writable || self.place.log_bytes() <= open::LOG_BYTES_LEFT {
            return;
        }
        // Who is in the way writes after us, and sees to it then.
        let Some(turn) = self.queue.enter_at_once() else { return };
        let _ = self.connection.busy_timeout(Duration::ZERO);
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        self.queue.leave(Some(turn));
    }
}
