//! A batch as the server's function takes it: columns.

use relay_baton::entry::BoardId;
use relay_baton::store::{Batch, Expected};
use tokio_postgres::types::Type;

use crate::read::{integer, text, whole};
use crate::session::Values;

/// Appends, or tells where the board ends.
const APPEND: &str = "\
select moved, seq, digest from relay_baton.append(\
$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";

/// The same for one record and nothing else.
const APPEND_ONE: &str = "\
select moved, seq, digest from relay_baton.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// As [`APPEND`], and the number of the transaction, by which the server knows later how it ended.
pub(crate) const APPEND_NUMBERED: &str = "\
select moved, seq, digest, pg_current_xact_id()::text from relay_baton.append(\
$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";

/// The columns of a batch.
pub(crate) struct Columns<'b> {
    board: &'b BoardId,
    old: (i64, Option<&'b str>),
    new: (i64, Option<&'b str>),
    references: Vec<&'b str>,
    kinds: Vec<&'b str>,
    keys: Vec<&'b str>,
    authors: Vec<&'b str>,
    idempotency_keys: Vec<Option<&'b str>>,
    digests: Vec<&'b str>,
    documents: Vec<&'b [u8]>,
    drop_slots: Vec<&'b str>,
    drop_numbers: Vec<i64>,
    save_slots: Vec<&'b str>,
    save_numbers: Vec<i64>,
    save_documents: Vec<&'b [u8]>,
}

impl<'b> Columns<'b> {
    pub(crate) fn of(board: &'b BoardId, expected: &'b Expected, batch: &'b Batch) -> Self {
        let old = (integer(expected.seq()), expected.head().map(|head| head.digest.as_str()));
        let last = batch.records.last().map(|record| (integer(record.seq), Some(record.digest.as_str())));
        let records = || batch.records.iter();
        Self {
            board,
            old,
            new: last.unwrap_or(old),
            references: records().map(|record| record.reference.as_str()).collect(),
            kinds: records().map(|record| record.kind.as_str()).collect(),
            keys: records().map(|record| record.key.as_str()).collect(),
            authors: records().map(|record| record.author.as_str()).collect(),
            idempotency_keys: records().map(|record| record.idempotency_key.as_ref().map(|key| key.as_str())).collect(),
            digests: records().map(|record| record.digest.as_str()).collect(),
            documents: records().map(|record| record.bytes.as_bytes()).collect(),
            drop_slots: batch.drops.iter().map(|(slot, _)| slot.as_str()).collect(),
            drop_numbers: batch.drops.iter().map(|(_, number)| integer(*number)).collect(),
            save_slots: batch.saves.iter().map(|saved| saved.slot.as_str()).collect(),
            save_numbers: batch.saves.iter().map(|saved| integer(saved.number)).collect(),
            save_documents: batch.saves.iter().map(|saved| saved.bytes.as_bytes()).collect(),
        }
    }

    /// Asks `work` with the statement that appends the batch and what it is given.
    pub(crate) fn append<T>(&self, work: impl FnOnce(&'static str, &Values<'_>) -> T) -> T {
        match (self.documents.as_slice(), self.drop_slots.is_empty() && self.save_slots.is_empty()) {
            ([document], true) => self.with_one(document, |values| work(APPEND_ONE, values)),
            _ => self.with(|values| work(APPEND, values)),
        }
    }

    fn with_one<T>(&self, document: &&[u8], work: impl FnOnce(&Values<'_>) -> T) -> T {
        let first = |column: &[&'b str]| column.first().copied().unwrap_or_default();
        let columns = [&self.references, &self.kinds, &self.keys, &self.authors].map(|column| first(column));
        let [reference, kind, key, author] = columns;
        let repetition = self.idempotency_keys.first().copied().flatten();
        let (tenant, task) = (self.board.tenant.as_str(), self.board.task.as_str());
        work(&[
            text(&tenant),
            text(&task),
            whole(&self.old.0),
            (&self.old.1, Type::TEXT),
            (&self.new.1, Type::TEXT),
            text(&reference),
            text(&kind),
            text(&key),
            text(&author),
            (&repetition, Type::TEXT),
            (document, Type::BYTEA),
        ])
    }

    /// Asks `work` with the values of the batch.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&Values<'_>) -> T) -> T {
        let (tenant, task) = (self.board.tenant.as_str(), self.board.task.as_str());
        work(&[
            text(&tenant),
            text(&task),
            whole(&self.old.0),
            (&self.old.1, Type::TEXT),
            whole(&self.new.0),
            (&self.new.1, Type::TEXT),
            (&self.references, Type::TEXT_ARRAY),
            (&self.kinds, Type::TEXT_ARRAY),
            (&self.keys, Type::TEXT_ARRAY),
            (&self.authors, Type::TEXT_ARRAY),
            (&self.idempotency_keys, Type::TEXT_ARRAY),
            (&self.digests, Type::TEXT_ARRAY),
            (&self.documents, Type::BYTEA_ARRAY),
            (&self.drop_slots, Type::TEXT_ARRAY),
            (&self.drop_numbers, Type::INT8_ARRAY),
            (&self.save_slots, Type::TEXT_ARRAY),
            (&self.save_numbers, Type::INT8_ARRAY),
            (&self.save_documents, Type::BYTEA_ARRAY),
        ])
    }
}
