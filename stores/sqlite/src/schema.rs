//! The layout of a board file, its versions, and how one becomes the next.

use relay_baton::refusal::Code;
use relay_baton::store::Fault;
use rusqlite::{Connection, Result};

use crate::fault::{fault, told};

/// What `application_id` says in a board file: `Btn1`.
const APPLICATION: i64 = 0x4274_6e31;

/// The statements that make each version, from 1, of the one before.
///
/// An entry's `place` is its board's number and its sequence number in one, so that the file is in the order of the
/// boards and needs no other index for it; every index ends with the place, and so with the board.
const VERSIONS: [&[&str]; 2] = [
    &[
        "CREATE TABLE board (number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, task TEXT NOT NULL, UNIQUE (tenant, task)) STRICT",
        "CREATE TABLE entry (place INTEGER PRIMARY KEY, reference TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, \
         author TEXT NOT NULL, idempotency_key TEXT, digest BLOB NOT NULL, bytes TEXT NOT NULL) STRICT",
        "CREATE INDEX entry_reference ON entry (reference)",
        "CREATE INDEX entry_newest ON entry (kind, key)",
        "CREATE INDEX entry_idempotent ON entry (author, idempotency_key) WHERE idempotency_key IS NOT NULL",
    ],
    &["CREATE TABLE saved (board INTEGER NOT NULL, slot TEXT NOT NULL, number INTEGER NOT NULL, bytes TEXT NOT NULL, \
       PRIMARY KEY (board, slot, number)) STRICT, WITHOUT ROWID"],
];

/// The version that this program writes.
const NEWEST: usize = VERSIONS.len();

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A board file of this version.
    Ready,
    /// A board file of an older version; 0 where nothing is in it yet.
    Older(usize),
}

/// Looks what a file is, without changing it.
///
/// # Errors
/// `store.foreign` where it is something else, `store.newer` where a newer program made it.
pub(crate) fn look(connection: &Connection) -> std::result::Result<Found, Fault> {
    // One moment of the file: another process may be making it.
    let moment = connection.unchecked_transaction().map_err(fault)?;
    look_within(&moment)
}

fn look_within(connection: &Connection) -> std::result::Result<Found, Fault> {
    let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0)).map_err(fault);
    let (application, version) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
    if application != APPLICATION {
        let blank = application == 0 && version == 0 && statements(connection).map_err(fault)?.is_empty();
        return if blank { Ok(Found::Older(0)) } else { Err(told(Code::StoreForeign)) };
    }
    let version = usize::try_from(version).unwrap_or_default();
    if version > NEWEST {
        let detail =
            format!("the board file is of version {version}, and this program knows {NEWEST}: use a newer one");
        return Err(Fault::new(Code::StoreNewer, detail));
    }
    let mut ours: Vec<&str> = VERSIONS.iter().take(version).flat_map(|version| version.iter().copied()).collect();
    ours.sort_unstable();
    if version == 0 || statements(connection).map_err(fault)? != ours {
        return Err(Fault::new(Code::StoreForeign, "the board file holds tables that are not a board's"));
    }
    Ok(if version == NEWEST { Found::Ready } else { Found::Older(version) })
}

/// The statements that the file says it was made by, in order.
fn statements(connection: &Connection) -> Result<Vec<String>> {
    let all = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' ORDER BY sql";
    connection.prepare(all)?.query_map([], |row| row.get(0))?.collect()
}

/// Makes the newest version of a file that `look` has found older, in one transaction.
///
/// # Errors
/// `store.*`; the file is then what it was.
pub(crate) fn renew(connection: &mut Connection) -> std::result::Result<(), Fault> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(fault)?;
    // Another process may have been faster.
    if let Found::Older(version) = look_within(&transaction)? {
        let steps = VERSIONS.iter().skip(version).flat_map(|version| version.iter());
        steps.copied().try_for_each(|step| transaction.execute(step, []).map(drop)).map_err(fault)?;
        let mark = |pragma, number| transaction.pragma_update(None, pragma, number).map_err(fault);
        mark("application_id", APPLICATION)?;
        mark("user_version", i64::try_from(NEWEST).unwrap_or_default())?;
    }
    transaction.commit().map_err(fault)
}

/// Makes `version` of a new file, as a program of that time did.
#[cfg(test)]
pub(crate) fn make(connection: &mut Connection, version: usize) {
    for step in VERSIONS.iter().take(version).flat_map(|version| version.iter()) {
        connection.execute(step, []).unwrap();
    }
    connection.pragma_update(None, "application_id", APPLICATION).unwrap();
    connection.pragma_update(None, "user_version", i64::try_from(version).unwrap()).unwrap();
}
