//! Appending: one transaction for a batch.

use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Taken};
use rusqlite::{OptionalExtension as _, Result, params};

use crate::Sqlite;
use crate::fault::{self, fault, told};
use crate::row::{self, Places, digest_bytes};

impl Sqlite {
    /// [`relay_baton::store::Store::append`].
    pub(crate) fn append_batch(
        &mut self,
        board: &BoardId,
        expected: &Expected,
        batch: &Batch,
    ) -> std::result::Result<(), AppendError> {
        if !self.writable {
            return Err(crate::open::read_only().into());
        }
        let turn = self.queue.enter();
        let answer = self.transact(board, expected, batch);
        match answer {
            Err(AppendError::Moved(_)) => self.queue.keep(turn),
            _ => self.queue.leave(turn),
        }
        answer
    }

    fn transact(
        &mut self,
        board: &BoardId,
        expected: &Expected,
        batch: &Batch,
    ) -> std::result::Result<(), AppendError> {
        self.run("BEGIN IMMEDIATE").map_err(fault)?;
        let put = self.put(board, expected, batch);
        if put.is_err() {
            // What cannot be rolled back was never begun, or ends with the connection.
            let _ = self.run("ROLLBACK");
            return put;
        }
        self.run("COMMIT").map_err(|error| self.settle(fault::code(&error)).into())
    }

    fn run(&self, statement: &str) -> Result<()> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// What a commit that failed has done. Its last page may be in the log though SQLite takes it for lost, and come
    /// back when the log is read again. So something else is written over it; if that works, nothing was recorded.
    fn settle(&self, code: Code) -> Fault {
        let _ = self.run("ROLLBACK");
        let over = |()| -> Result<()> {
            self.run("BEGIN IMMEDIATE")?;
            let version: i64 = self.connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            self.connection.pragma_update(None, "user_version", version)?;
            self.run("COMMIT")
        };
        let settled = over(()).is_ok();
        let _ = self.run("ROLLBACK");
        told(if settled || code == Code::StoreBusy { code } else { Code::StoreUnsettled })
    }

    fn put(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> std::result::Result<(), AppendError> {
        let places = self.places(board).map_err(fault)?;
        let head = places.map_or(Ok(None), |places| self.last(places)).map_err(fault)?;
        if head.as_ref() != expected.head() {
            return Err(AppendError::Moved(head));
        }
        batch.check(expected)?;
        if let Some(places) = places {
            for record in &batch.records {
                if let Some(taken) = self.taken(places, record).map_err(fault)? {
                    return Err(AppendError::Taken(taken));
                }
            }
        }
        let places = places.map_or_else(|| self.found_board(board), Ok)?;
        batch.records.iter().try_for_each(|record| self.insert(places, record))?;
        for (slot, number) in &batch.drops {
            let sql = "DELETE FROM saved WHERE board = ?1 AND slot = ?2 AND number = ?3";
            let Ok(number) = i64::try_from(*number) else { continue };
            let mut delete = self.connection.prepare_cached(sql).map_err(fault)?;
            delete.execute(params![places.board, slot.as_str(), number]).map_err(fault)?;
        }
        batch.saves.iter().try_for_each(|saved| self.save(places, saved))?;
        Ok(())
    }

    /// The last entry of a board.
    pub(crate) fn last(&self, places: Places) -> Result<Option<Head>> {
        let sql = "SELECT place, digest FROM entry WHERE place BETWEEN ?1 AND ?2 ORDER BY place DESC LIMIT 1";
        let mut select = self.connection.prepare_cached(sql)?;
        select.query_row([places.before(), places.last()], row::head).optional()
    }

    fn taken(&self, places: Places, record: &Record) -> Result<Option<Taken>> {
        let (first, last) = (places.before(), places.last());
        let sql = "SELECT 1 FROM entry INDEXED BY entry_reference WHERE reference = ?1 AND place BETWEEN ?2 AND ?3";
        let mut select = self.connection.prepare_cached(sql)?;
        if select.exists(params![record.reference.as_str(), first, last])? {
            return Ok(Some(Taken::Reference));
        }
        let Some(key) = &record.idempotency_key else { return Ok(None) };
        let sql = "SELECT 1 FROM entry INDEXED BY entry_idempotent \
                   WHERE author = ?1 AND idempotency_key = ?2 AND place BETWEEN ?3 AND ?4";
        let mut select = self.connection.prepare_cached(sql)?;
        let exists = select.exists(params![record.author.as_str(), key.as_str(), first, last])?;
        Ok(exists.then_some(Taken::IdempotencyKey))
    }

    fn insert(&self, places: Places, record: &Record) -> std::result::Result<(), Fault> {
        let Some(place) = places.of(record.seq) else {
            return Err(Fault::new(Code::StoreFull, "the board has as many entries as a board file can hold"));
        };
        let Some(digest) = digest_bytes(&record.digest) else {
            let detail = format!("the digest of entry {} is not `sha256:` and 64 hexadecimal digits", record.seq);
            return Err(Fault::new(Code::StoreForeign, detail));
        };
        let sql = "INSERT INTO entry (place, reference, kind, key, author, idempotency_key, digest, bytes) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let mut insert = self.connection.prepare_cached(sql).map_err(fault)?;
        let key = record.idempotency_key.as_ref().map(relay_baton::baton::Id::as_str);
        let (kind, about) = (record.kind.as_str(), record.key.as_str());
        let row =
            params![place, record.reference.as_str(), kind, about, record.author.as_str(), key, digest, record.bytes];
        insert.execute(row).map(drop).map_err(fault)
    }

    fn save(&self, places: Places, saved: &Saved) -> std::result::Result<(), Fault> {
        let Ok(number) = i64::try_from(saved.number) else {
            return Err(Fault::new(Code::StoreForeign, "the number of a document is larger than 2^53 - 1"));
        };
        let sql = "INSERT INTO saved (board, slot, number, bytes) VALUES (?1, ?2, ?3, ?4) \
                   ON CONFLICT (board, slot, number) DO UPDATE SET bytes = excluded.bytes";
        let mut insert = self.connection.prepare_cached(sql).map_err(fault)?;
        insert.execute(params![places.board, saved.slot.as_str(), number, saved.bytes]).map(drop).map_err(fault)
    }
}
