//! Between records and rows.

use relay_baton::baton::Id;
use relay_baton::entry::{BoardId, Head, Record, Reference};
use relay_baton::refusal::Code;
use relay_baton::store::Fault;
use rusqlite::types::Type;
use rusqlite::{Error, OptionalExtension as _, Result, Row};

use crate::Sqlite;
use crate::fault::fault;

/// Sequence numbers that a board of a file can have: 2^40, and so many fewer boards.
const SEQ_BITS: u32 = 40;

/// The last sequence number.
const SEQ_MAX: i64 = (1 << SEQ_BITS) - 1;

/// Boards that a file can have.
const BOARD_MAX: i64 = (1 << 22) - 1;

/// Numbers of boards that a handle remembers.
const REMEMBERED_MAX: usize = 64;

/// The columns of an entry, in the order in which [`record`] reads them.
pub(crate) const COLUMNS: &str = "place, reference, kind, key, author, idempotency_key, digest, bytes";

/// The places of one board's entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub(crate) board: i64,
}

impl Places {
    /// The place before the first entry.
    pub(crate) fn before(self) -> i64 {
        self.board << SEQ_BITS
    }

    /// The last place there can be.
    pub(crate) fn last(self) -> i64 {
        self.before() | SEQ_MAX
    }

    /// The place of entry `seq`; `None` where there is none such.
    pub(crate) fn of(self, seq: u64) -> Option<i64> {
        let seq = i64::try_from(seq).ok()?;
        (1..=SEQ_MAX).contains(&seq).then(|| self.before() | seq)
    }
}

fn seq(place: i64) -> u64 {
    u64::try_from(place & SEQ_MAX).unwrap_or_default()
}

impl Sqlite {
    /// Where the entries of `board` are; `None` where nothing was ever recorded on it.
    pub(crate) fn places(&mut self, board: &BoardId) -> Result<Option<Places>> {
        if let Some(number) = self.boards.get(board) {
            return Ok(Some(Places { board: *number }));
        }
        let sql = "SELECT number FROM board WHERE tenant = ?1 AND task = ?2";
        let mut select = self.connection.prepare_cached(sql)?;
        let number: Option<i64> = select.query_row(names(board), |row| row.get(0)).optional()?;
        drop(select);
        let Some(number) = number.filter(|number| (1..=BOARD_MAX).contains(number)) else { return Ok(None) };
        if self.boards.len() >= REMEMBERED_MAX {
            self.boards.clear();
        }
        self.boards.insert(board.clone(), number);
        Ok(Some(Places { board: number }))
    }

    /// The boards in the file, the oldest first, at most `count_max`.
    ///
    /// # Errors
    /// `store.*`; `store.damaged` where what names one is no id.
    pub fn boards(&mut self, count_max: usize) -> std::result::Result<Vec<BoardId>, Fault> {
        let count_max = i64::try_from(count_max).unwrap_or(i64::MAX);
        let sql = "SELECT tenant, task FROM board ORDER BY number LIMIT ?1";
        let named = |row: &Row<'_>| Ok(BoardId { tenant: id(row, 0)?, task: id(row, 1)? });
        let mut select = self.connection.prepare_cached(sql).map_err(fault)?;
        let boards = select.query_map([count_max], named).map_err(fault)?;
        boards.collect::<Result<_>>().map_err(fault)
    }

    /// Whether every index of the file says what its table does. It takes time in the size of the file.
    ///
    /// # Errors
    /// `store.damaged` where one does not; `store.*`.
    pub fn check(&mut self) -> std::result::Result<(), Fault> {
        let said: String =
            self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(fault)?;
        if said == "ok" {
            return Ok(());
        }
        let detail =
            "what the board file finds its entries by does not fit them: import an export of it into a new file";
        Err(Fault::new(Code::StoreDamaged, detail))
    }

    /// Gives `board` a number, in a transaction.
    pub(crate) fn found_board(&mut self, board: &BoardId) -> std::result::Result<Places, Fault> {
        let mut insert =
            self.connection.prepare_cached("INSERT INTO board (tenant, task) VALUES (?1, ?2)").map_err(fault)?;
        let number = insert.insert(names(board)).map_err(fault)?;
        if number > BOARD_MAX {
            return Err(Fault::new(Code::StoreFull, format!("a board file has room for {BOARD_MAX} boards")));
        }
        Ok(Places { board: number })
    }
}

fn names(board: &BoardId) -> [&str; 2] {
    [board.tenant.as_str(), board.task.as_str()]
}

/// The record of a row of [`COLUMNS`].
pub(crate) fn record(row: &Row<'_>) -> Result<Record> {
    let reference = Reference::parse(row.get_ref(1)?.as_str()?).ok_or_else(|| unsound(1))?;
    let idempotency_key = row.get_ref(5)?.as_str_or_null()?.map(|key| Id::new(key).ok_or_else(|| unsound(5)));
    Ok(Record {
        seq: seq(row.get(0)?),
        reference,
        kind: id(row, 2)?,
        key: id(row, 3)?,
        author: id(row, 4)?,
        idempotency_key: idempotency_key.transpose()?,
        digest: digest(row, 6)?,
        bytes: row.get(7)?,
    })
}

/// The head of a row with a place and a digest.
pub(crate) fn head(row: &Row<'_>) -> Result<Head> {
    Ok(Head { seq: seq(row.get(0)?), digest: digest(row, 1)? })
}

fn id(row: &Row<'_>, column: usize) -> Result<Id> {
    Id::new(row.get_ref(column)?.as_str()?).ok_or_else(|| unsound(column))
}

fn digest(row: &Row<'_>, column: usize) -> Result<String> {
    let bytes: &[u8; 32] = row.get_ref(column)?.as_blob()?.try_into().map_err(|_| unsound(column))?;
    let mut text = *b"sha256:0000000000000000000000000000000000000000000000000000000000000000";
    let (_, digits) = text.split_at_mut(7);
    for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
    std::str::from_utf8(&text).map(str::to_owned).map_err(|_| unsound(column))
}

/// The hexadecimal digit of a number below 16.
fn digit(four: u8) -> u8 {
    if four < 10 { b'0' + four } else { b'a' - 10 + four }
}

/// The 32 bytes of a digest, or `None` where it is none.
pub(crate) fn digest_bytes(digest: &str) -> Option<[u8; 32]> {
    let digits = digest.strip_prefix("sha256:")?.as_bytes();
    let four = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; 32];
    let (pairs, rest) = digits.as_chunks::<2>();
    if pairs.len() != bytes.len() || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = four(*high)? << 4 | four(*low)?;
    }
    Some(bytes)
}

/// A value that no program of ours wrote.
fn unsound(column: usize) -> Error {
    Error::InvalidColumnType(column, String::new(), Type::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_digest_has_bytes() {
        let digest = relay_baton::json::digest(b"x");
        assert!(digest_bytes(&digest).is_some());
        for wrong in [
            "",
            "sha256:",
            &digest.replacen('s', "", 1),
            digest.get(..70).unwrap(),
            &format!("{digest}0"),
            &digest.to_uppercase(),
        ] {
            assert_eq!(digest_bytes(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn places_of_boards_do_not_meet() {
        let (one, two) = (Places { board: 1 }, Places { board: 2 });
        assert_eq!(one.of(0), None);
        assert_eq!(one.of(1), Some(one.before() + 1));
        assert_eq!(one.of(1 << 40), None);
        assert_eq!(one.last(), two.before() - 1);
        assert_eq!(Places { board: BOARD_MAX }.last() >> 62, 0);
    }
}
