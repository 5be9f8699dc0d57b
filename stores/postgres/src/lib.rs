//! Boards of `relay-baton` in PostgreSQL 13 or newer, for agents on several machines.
//!
//! ```no_run
//! # fn main() -> Result<(), relay_baton::store::Fault> {
//! let mut store = relay_baton_postgres::Postgres::connect("postgres://agents@db.example/boards?sslmode=verify-full")?;
//! # Ok(())
//! # }
//! ```
//!
//! # Setting it up
//!
//! Everything is kept in the schema `relay_baton` of one database. The role that connects first makes it, and owns it;
//! it needs the right to create a schema. Agents should connect as another role, which the owner lets in:
//!
//! ```sql
//! create role agents login password '…';       -- as an administrator
//! select relay_baton.admit('agents');          -- as the owner, or with Postgres::admit
//! ```
//!
//! Such a role can read and append. It cannot change or remove an entry, move a head back, or touch the tables: the
//! database refuses. Row-level security shows each transaction the boards of the one tenant that it names, and none
//! where it names none; it holds for the owner too, unless the owner is a superuser. A newer program's owner brings the
//! tables to its version; an older program is refused from then on.
//!
//! # Encryption
//!
//! `sslmode` in the address says what must be: `disable`, `prefer` (where the server can; the default), `require` (whoever
//! the server is), `verify-ca` (an authority in the file `sslrootcert` knows it), `verify-full` (and by the host's name;
//! without `sslrootcert` the authorities of the system count). Never is less done than that; without the feature `tls` the
//! last three are refused.
//!
//! # When the connection is lost
//!
//! What only reads is asked once more. An append whose answer was lost is looked for on the board, for up to half a minute;
//! `store.unsettled` says that the server could not be asked, and running the same again finds out. Nobody waits for
//! others longer than ten seconds (`store.busy`), or for an answer longer than forty.
//!
//! # What is kept from the server
//!
//! The entries' bytes are opaque to it. Its messages are never passed on, since they may hold content: a fault tells the
//! SQLSTATE.
//!
//! # Architecture invariant
//!
//! No type of the driver appears in the interface.

mod address;
mod fault;
#[cfg(feature = "tls")]
mod trust;
mod encryption;
mod migration;
mod session;
mod line;
mod read;
mod batch;
mod turn;
mod attempt;
mod settle;
mod append;

use std::fmt;

use relay_baton::baton::Id;
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};
use tokio_postgres::types::Type;

use crate::address::Address;
use crate::line::Line;

/// Boards in a PostgreSQL database, over one connection, which is made again when it is lost.
pub struct Postgres {
    line: Line,
    /// The board that the last append found moved.
    moved: Option<BoardId>,
}

impl Postgres {
    /// Connects to `url`, `postgres://role:password@host:port/database?sslmode=…`, and makes or brings up to date the
    /// tables if the role may. The environment is not read.
    ///
    /// # Errors
    /// `store.denied`, `store.unavailable`, `store.foreign`, `store.newer`, `store.busy`, `store.read_only`.
    pub fn connect(url: &str) -> Result<Self, Fault> {
        Self::open(url, None, true)
    }

    /// The same with a password for a URL that has none, where there is one; but nothing is made or brought up to date.
    ///
    /// # Errors
    /// Those of [`Self::connect`]; `store.unavailable` where the tables are not there.
    pub fn connect_to_existing(url: &str, password: Option<&str>) -> Result<Self, Fault> {
        Self::open(url, password, false)
    }

    /// The same, with a password for a URL that has none.
    ///
    /// # Errors
    /// Those of [`Self::connect`].
    pub fn connect_with_password(url: &str, password: &str) -> Result<Self, Fault> {
        Self::open(url, Some(password), true)
    }

    fn open(url: &str, password: Option<&str>, makes_tables: bool) -> Result<Self, Fault> {
        let address = Address { makes_tables, ..Address::parse(url, password)? };
        let mut line = Line::new(address)?;
        line.connect()?;
        Ok(Self { line, moved: None })
    }

    /// Lets `role` read and append; only the owner of the tables can. Doing it again changes nothing.
    ///
    /// # Errors
    /// `store.denied` where there is no such role or this one is not the owner; `store.*`.
    pub fn admit(&mut self, role: &str) -> Result<(), Fault> {
        self.line.release();
        self.line.look_up("select relay_baton.admit($1)", &[(&role, Type::TEXT)]).map(drop)
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").finish_non_exhaustive()
    }
}

impl Store for Postgres {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        read::head(&mut self.line, board)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        append::append(&mut self.line, &mut self.moved, board, expected, batch)
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        read::one(&mut self.line, board, which)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        read::page(&mut self.line, board, after, count_max)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        read::load(&mut self.line, board, slot, number_max)
    }
}
