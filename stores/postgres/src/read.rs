//! From rows to records. A row that cannot have been appended is damage.

use relay_baton::baton::Id;
use relay_baton::entry::{BoardId, Head, Record, Reference};
use relay_baton::refusal::Code;
use relay_baton::store::{Fault, PAGE_BYTES_MAX, Saved, Which};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};

use crate::line::Line;
use crate::session::Value;

const HEAD: &str = "select seq, digest from relay_baton.head($1, $2)";
const AT: &str = "\
select seq, reference, kind, key, author, idempotency_key, digest, bytes from relay_baton.entry_at($1, $2, $3)";
const NAMED: &str = "\
select seq, reference, kind, key, author, idempotency_key, digest, bytes from relay_baton.entry_named($1, $2, $3)";
const NEWEST: &str = "\
select seq, reference, kind, key, author, idempotency_key, digest, bytes \
from relay_baton.entry_newest($1, $2, $3, $4, $5)";
const REPEATED: &str = "\
select seq, reference, kind, key, author, idempotency_key, digest, bytes \
from relay_baton.entry_repeated($1, $2, $3, $4)";
const PAGE: &str = "\
select seq, reference, kind, key, author, idempotency_key, digest, bytes from relay_baton.page($1, $2, $3, $4, $5)";
const LOAD: &str = "select number, bytes from relay_baton.load($1, $2, $3, $4)";

/// The last entry of `board`.
pub(crate) fn head(line: &mut Line, board: &BoardId) -> Result<Option<Head>, Fault> {
    let rows = line.look_up(HEAD, &[text(&board.tenant.as_str()), text(&board.task.as_str())])?;
    rows.first().map_or(Ok(None), |row| read_head(row, 0))
}

/// The head in `row` from the column `first` on.
pub(crate) fn read_head(row: &Row, first: usize) -> Result<Option<Head>, Fault> {
    let Some(seq) = column::<Option<i64>>(row, first)?.filter(|seq| *seq != 0) else { return Ok(None) };
    let seq = u64::try_from(seq).map_err(|_| damaged())?;
    Ok(Some(Head { seq, digest: column::<&str>(row, first + 1)?.to_owned() }))
}

/// One record.
pub(crate) fn one(line: &mut Line, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
    let (tenant, task) = (board.tenant.as_str(), board.task.as_str());
    let rows = match which {
        Which::Seq(seq) => line.look_up(AT, &[text(&tenant), text(&task), whole(&integer(seq))]),
        Which::Reference(reference) => line.look_up(NAMED, &[text(&tenant), text(&task), text(&reference.as_str())]),
        Which::Newest { kind, key, before } => {
            let (kind, key) = (kind.as_str(), key.as_str());
            let before = integer(before);
            let values = [text(&tenant), text(&task), text(&kind), text(&key), whole(&before)];
            line.look_up(NEWEST, &values)
        }
        Which::Idempotent { author, key } => {
            line.look_up(REPEATED, &[text(&tenant), text(&task), text(&author.as_str()), text(&key.as_str())])
        }
    }?;
    rows.first().map(record).transpose()
}

/// The records after a place.
pub(crate) fn page(line: &mut Line, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
    let (tenant, task) = (board.tenant.as_str(), board.task.as_str());
    let count_max = i64::try_from(count_max).unwrap_or(i64::MAX);
    let bytes_max = i64::try_from(PAGE_BYTES_MAX).unwrap_or(i64::MAX);
    let after = integer(after);
    let rows =
        line.look_up(PAGE, &[text(&tenant), text(&task), whole(&after), whole(&count_max), whole(&bytes_max)])?;
    rows.iter().map(record).collect()
}

/// The newest document of a slot.
pub(crate) fn load(line: &mut Line, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
    let (tenant, task) = (board.tenant.as_str(), board.task.as_str());
    let most = integer(number_max);
    let rows = line.look_up(LOAD, &[text(&tenant), text(&task), text(&slot.as_str()), whole(&most)])?;
    let Some(row) = rows.first() else { return Ok(None) };
    let number = u64::try_from(column::<i64>(row, 0)?).map_err(|_| damaged())?;
    Ok(Some(Saved { slot: slot.clone(), number, bytes: document(column(row, 1)?)? }))
}

fn record(row: &Row) -> Result<Record, Fault> {
    let id = |index| column::<&str>(row, index).and_then(|text| Id::new(text).ok_or_else(damaged));
    Ok(Record {
        seq: u64::try_from(column::<i64>(row, 0)?).map_err(|_| damaged())?,
        reference: Reference::parse(column(row, 1)?).ok_or_else(damaged)?,
        kind: id(2)?,
        key: id(3)?,
        author: id(4)?,
        idempotency_key: column::<Option<&str>>(row, 5)?.map(|_| id(5)).transpose()?,
        digest: column::<&str>(row, 6)?.to_owned(),
        bytes: document(column(row, 7)?)?,
    })
}

fn document(bytes: &[u8]) -> Result<String, Fault> {
    String::from_utf8(bytes.to_vec()).map_err(|_| damaged())
}

pub(crate) fn column<'r, T: FromSql<'r>>(row: &'r Row, index: usize) -> Result<T, Fault> {
    row.try_get(index).map_err(|_| damaged())
}

/// A value with its type.
pub(crate) fn text<'v>(value: &'v &'v str) -> Value<'v> {
    (value, Type::TEXT)
}

/// The same for a whole number.
pub(crate) fn whole(value: &i64) -> Value<'_> {
    (value, Type::INT8)
}

/// A number that no place exceeds.
pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn damaged() -> Fault {
    Fault::new(Code::StoreDamaged, "a row of the tables holds what was never appended")
}
