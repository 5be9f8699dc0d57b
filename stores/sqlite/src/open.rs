//! Opening a board file.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use relay_baton::refusal::Code;
use relay_baton::store::Fault;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Result};

use crate::Sqlite;
use crate::fault::{fault, told};
use crate::place::{Place, escaped};
use crate::queue::Queue;
use crate::schema::{Found, look, renew};

/// How long SQLite's locks are waited for; with the queue before it, ten seconds.
const WAIT_MAX: Duration = Duration::from_secs(8);

/// Pages after which the log is written back into the file. The log is read when the first process opens the file, so a
/// long one makes every command of a pipeline slower; a short one is written back, and synced, more often.
const LOG_PAGES: u32 = 64;

/// Bytes of the log that a process leaves to the next one: as many pages, each with its header.
pub(crate) const LOG_BYTES_LEFT: u64 = LOG_PAGES as u64 * (4096 + 24);

/// Bytes of the log that are kept for the next entries after it was written back.
const LOG_BYTES_KEPT: u32 = 1 << 20;

/// `synchronous=FULL`: an entry is on the disk before it is acknowledged.
const SYNCHRONOUS_FULL: u32 = 2;

/// KiB of pages that a connection keeps at most: a walk over a board of some ten thousand entries finds them all again.
const CACHE_KIB: i64 = 16 << 10;

/// Statements that a connection keeps ready: all that there are.
const STATEMENTS: usize = 24;

/// What a board file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To read and write; the file is made if it is not there, readable by its owner alone.
    Create,
    /// To read and write a file that is there.
    Existing,
    /// To read a file that is there. Where the folder can be written, SQLite may put its `-shm` and `-wal` there. Where it
    /// cannot, and these are not there, the file is read as it stands, and nobody may write it in the meantime.
    ReadOnly,
}

impl Sqlite {
    /// Opens the board file at `path`.
    ///
    /// # Errors
    /// `store.unavailable` where it or its folder is not there, `store.foreign` where it is something else,
    /// `store.newer`, `store.damaged`, `store.denied`, `store.read_only` where it would have to be written,
    /// `store.network` where it is on a network file system, `store.busy` where others keep it for ten seconds.
    pub fn open(path: &Path, mode: Mode) -> std::result::Result<Self, Fault> {
        let place = Place::find(path)?;
        if mode != Mode::Create && !place.exists() {
            return Err(Fault::new(Code::StoreUnavailable, "there is no board file of that name"));
        }
        let start = Instant::now();
        loop {
            match open(&place, mode) {
                Err(fault) if fault.code == Code::StoreDenied && place.is_readable() => return Err(read_only()),
                // Who opens first makes the log and its index, and may be in the way of others for a moment.
                Err(fault) if fault.code == Code::StoreBusy && start.elapsed() < WAIT_MAX => {
                    thread::sleep(Duration::from_millis(2));
                }
                answer => return answer,
            }
        }
    }
}

fn open(place: &Place, mode: Mode) -> std::result::Result<Sqlite, Fault> {
    let mut queue = Queue::new(place.lock());
    let connection = match mode {
        Mode::ReadOnly => open_to_read(place)?,
        Mode::Create | Mode::Existing if place.is_blank() => make(place, &mut queue)?,
        Mode::Create | Mode::Existing => open_to_write(place, &mut queue)?,
    };
    connection.pragma_update(None, "cache_size", -CACHE_KIB).map_err(fault)?;
    let (boards, place) = (BTreeMap::new(), place.clone());
    Ok(Sqlite { connection, queue, boards, writable: mode != Mode::ReadOnly, place })
}

/// Makes a file, one process at a time.
fn make(place: &Place, queue: &mut Queue) -> std::result::Result<Connection, Fault> {
    let turn = queue.enter();
    if turn.is_none() && !queue.path().exists() {
        return Err(told(Code::StoreDenied));
    }
    let made = make_in_turn(place, queue.path());
    queue.leave(turn);
    made
}

fn make_in_turn(place: &Place, lock: &Path) -> std::result::Result<Connection, Fault> {
    // A new file gets the mode of the file of the queue, which is there by now.
    let query = format!("modeof={}", escaped(lock));
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = connect(&place.address(&query), flags).map_err(fault)?;
    prepare(&mut connection)?;
    place.sync_names()?;
    Ok(connection)
}

fn open_to_write(place: &Place, queue: &mut Queue) -> std::result::Result<Connection, Fault> {
    // Before there is anything in the log, its name may not be on the disk yet. The writer that sees to that does so in
    // its turn, so that no other acknowledges an entry before.
    let is_new = !place.has_log();
    let turn = if is_new { queue.enter() } else { None };
    let opened = open_in_turn(place, is_new);
    queue.leave(turn);
    let (mut connection, found) = opened?;
    if found != Found::Ready {
        let turn = queue.enter();
        let renewed = prepare(&mut connection);
        queue.leave(turn);
        renewed?;
    }
    Ok(connection)
}

fn open_in_turn(place: &Place, is_new: bool) -> std::result::Result<(Connection, Found), Fault> {
    let connection = connect(&place.address(""), OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fault)?;
    let found = look(&connection)?;
    if found == Found::Ready {
        settle(&connection)?;
    }
    if is_new && place.has_log_file() {
        place.sync_names()?;
    }
    Ok((connection, found))
}

fn open_to_read(place: &Place) -> std::result::Result<Connection, Fault> {
    let open = |query: &str| {
        let connection = connect(&place.address(query), OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(fault)?;
        look(&connection).map(|found| (connection, found))
    };
    let (connection, found) = match open("") {
        // The log or its index is not there and cannot be made. Without a log the file is all there is.
        Err(fault) if matches!(fault.code, Code::StoreDenied | Code::StoreReadOnly) => {
            if place.has_log() {
                let detail = "the board file has a log (`-wal`) that cannot be read where no file can be made: copy both to a folder that can be written";
                return Err(Fault::new(Code::StoreReadOnly, detail));
            }
            open("immutable=1")?
        }
        answer => answer?,
    };
    if found != Found::Ready {
        return Err(Fault::new(Code::StoreReadOnly, unready(found, place)));
    }
    Ok(connection)
}

/// Why a file cannot be read before it is written.
fn unready(found: Found, place: &Place) -> String {
    match found {
        Found::Older(0) if !place.has_log() => format!(
            "the board file is empty and has no log `{}` beside it: where it was copied, that may have been left behind; \
             copy both, or `export` the board",
            place.log_name()
        ),
        Found::Older(0) => "the board file is empty: nothing was recorded in it yet".to_owned(),
        _ => "the board file is of an older version: open it once to write, which renews it".to_owned(),
    }
}

/// A connection that trusts nothing in the file.
fn connect(address: &str, flags: OpenFlags) -> Result<Connection> {
    let always = OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let mut connection = Connection::open_with_flags(address, flags | always)?;
    let settings = [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        // The next command finds the log as it is; to write it back at each end would be two syncs more.
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ];
    for (setting, on) in settings {
        connection.set_db_config(setting, on)?;
    }
    connection.busy_handler(Some(patience()))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

/// Waits a millisecond at a time: the queue lets few writers come here, and they are not to sleep long.
fn patience() -> impl FnMut(i32) -> bool + Send + 'static {
    let mut start = Instant::now();
    move |count| {
        if count == 0 {
            start = Instant::now();
        }
        thread::sleep(Duration::from_millis(1));
        start.elapsed() < WAIT_MAX
    }
}

/// Makes a file of this version of a new or older one.
fn prepare(connection: &mut Connection) -> std::result::Result<(), Fault> {
    look(connection)?;
    settle(connection)?;
    renew(connection)
}

/// What a connection that writes has to have set.
fn settle(connection: &Connection) -> std::result::Result<(), Fault> {
    let kept: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(fault)?;
    if kept != "wal" {
        let detail = "the disk of the board file cannot share memory between processes, which its log needs";
        return Err(Fault::new(Code::StoreUnavailable, detail));
    }
    let set = |pragma: &str, number: u32| {
        // Some of these answer with what is set now.
        connection.prepare(&format!("PRAGMA {pragma} = {number}"))?.query([])?.next().map(drop)
    };
    if cfg!(target_vendor = "apple") {
        // There a plain sync does not reach the disk.
        set("fullfsync", 1).map_err(fault)?;
    }
    let all =
        [("synchronous", SYNCHRONOUS_FULL), ("wal_autocheckpoint", LOG_PAGES), ("journal_size_limit", LOG_BYTES_KEPT)];
    all.into_iter().try_for_each(|(pragma, number)| set(pragma, number)).map_err(fault)
}

/// A fault for what cannot be written.
pub(crate) fn read_only() -> Fault {
    told(Code::StoreReadOnly)
}

#[cfg(test)]
#[path = "open_test.rs"]
mod tests;
