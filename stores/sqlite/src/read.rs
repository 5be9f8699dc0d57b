//! The store port, and its reads.

use relay_baton::baton::Id;
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::store::{AppendError, Batch, Expected, Fault, PAGE_BYTES_MAX, Saved, Store, Which};
use rusqlite::{OptionalExtension as _, Params, Result, params};

use crate::Sqlite;
use crate::fault::fault;
use crate::row::{COLUMNS, Places, record};

impl Store for Sqlite {
    fn head(&mut self, board: &BoardId) -> std::result::Result<Option<Head>, Fault> {
        let Some(places) = self.places(board).map_err(fault)? else { return Ok(None) };
        self.last(places).map_err(fault)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> std::result::Result<(), AppendError> {
        self.append_batch(board, expected, batch)
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> std::result::Result<Option<Record>, Fault> {
        let Some(places) = self.places(board).map_err(fault)? else { return Ok(None) };
        self.one(places, which).map_err(fault)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> std::result::Result<Vec<Record>, Fault> {
        let Some(places) = self.places(board).map_err(fault)? else { return Ok(Vec::new()) };
        let after = if after == 0 { Some(places.before()) } else { places.of(after) };
        let Some(after) = after.filter(|_| count_max > 0) else { return Ok(Vec::new()) };
        self.several(places, after, count_max).map_err(fault)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> std::result::Result<Option<Saved>, Fault> {
        let Some(places) = self.places(board).map_err(fault)? else { return Ok(None) };
        self.document(places, slot, number_max).map_err(fault)
    }
}

impl Sqlite {
    fn one(&self, places: Places, which: Which<'_>) -> Result<Option<Record>> {
        let (first, last) = (places.before(), places.last());
        match which {
            Which::Seq(seq) => {
                let Some(place) = places.of(seq) else { return Ok(None) };
                self.first(&format!("SELECT {COLUMNS} FROM entry WHERE place = ?1"), [place])
            }
            Which::Reference(reference) => {
                let by = "entry INDEXED BY entry_reference WHERE reference = ?1 AND place BETWEEN ?2 AND ?3";
                self.first(&newest(by), params![reference.as_str(), first, last])
            }
            Which::Newest { kind, key, before } => {
                let last = places.of(before.saturating_sub(1)).unwrap_or(if before > 1 { last } else { first });
                let by = "entry INDEXED BY entry_newest WHERE kind = ?1 AND key = ?2 AND place BETWEEN ?3 AND ?4";
                self.first(&newest(by), params![kind.as_str(), key.as_str(), first, last])
            }
            Which::Idempotent { author, key } => {
                let by = "entry INDEXED BY entry_idempotent \
                          WHERE author = ?1 AND idempotency_key = ?2 AND place BETWEEN ?3 AND ?4";
                self.first(&newest(by), params![author.as_str(), key.as_str(), first, last])
            }
        }
    }

    fn first(&self, sql: &str, values: impl Params) -> Result<Option<Record>> {
        self.connection.prepare_cached(sql)?.query_row(values, record).optional()
    }

    fn several(&self, places: Places, after: i64, count_max: usize) -> Result<Vec<Record>> {
        let sql = format!("SELECT {COLUMNS} FROM entry WHERE place > ?1 AND place <= ?2 ORDER BY place LIMIT ?3");
        let count = i64::try_from(count_max).unwrap_or(i64::MAX);
        let mut select = self.connection.prepare_cached(&sql)?;
        let mut rows = select.query([after, places.last(), count])?;
        let mut page: Vec<Record> = Vec::new();
        let mut bytes = 0_usize;
        while bytes < PAGE_BYTES_MAX
            && let Some(row) = rows.next()?
        {
            let record = record(row)?;
            bytes = bytes.saturating_add(record.bytes.len());
            page.push(record);
        }
        Ok(page)
    }

    fn document(&self, places: Places, slot: &Id, number_max: u64) -> Result<Option<Saved>> {
        let sql = "SELECT number, bytes FROM saved WHERE board = ?1 AND slot = ?2 AND number <= ?3 \
                   ORDER BY number DESC LIMIT 1";
        let number_max = i64::try_from(number_max).unwrap_or(i64::MAX);
        let mut select = self.connection.prepare_cached(sql)?;
        let row = select.query_row(params![places.board, slot.as_str(), number_max], |row| {
            Ok((row.get::<_, i64>(0)?, row.get(1)?))
        });
        let document = row.optional()?;
        Ok(document.map(|(number, bytes)| Saved {
            slot: slot.clone(),
            number: u64::try_from(number).unwrap_or_default(),
            bytes,
        }))
    }
}

/// The statement for the newest of what `by` selects. Only our own words stand in it.
fn newest(by: &str) -> String {
    format!("SELECT {COLUMNS} FROM {by} ORDER BY place DESC LIMIT 1")
}
