//! The store in memory: always there, and the strictest. Its behaviour defines the port's.

use std::collections::BTreeMap;

use crate::baton::Id;
use crate::entry::{BoardId, Entry, Head, Record};
use crate::refusal::Code;
use crate::store::{AppendError, Batch, Expected, Fault, PAGE_BYTES_MAX, Saved, Store, Taken, Which};

/// Boards in memory. It forgets them when it is dropped.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    boards: BTreeMap<BoardId, Kept>,
}

#[derive(Clone, Debug, Default)]
struct Kept {
    records: Vec<Record>,
    references: BTreeMap<String, usize>,
    of_key: BTreeMap<(Id, Id), Vec<usize>>,
    idempotent: BTreeMap<(Id, Id), usize>,
    saved: BTreeMap<(Id, u64), String>,
}

impl Memory {
    /// No board yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Kept {
    fn head(&self) -> Option<Head> {
        self.records.last().map(Record::head)
    }

    fn taken(&self, record: &Record) -> Option<Taken> {
        if self.references.contains_key(record.reference.as_str()) {
            return Some(Taken::Reference);
        }
        let key = record.idempotency_key.clone()?;
        self.idempotent.contains_key(&(record.author.clone(), key)).then_some(Taken::IdempotencyKey)
    }

    fn push(&mut self, record: Record) {
        let place = self.records.len();
        self.references.insert(record.reference.as_str().to_owned(), place);
        self.of_key.entry((record.kind.clone(), record.key.clone())).or_default().push(place);
        if let Some(key) = &record.idempotency_key {
            self.idempotent.insert((record.author.clone(), key.clone()), place);
        }
        self.records.push(record);
    }

    fn place(&self, which: Which<'_>) -> Option<usize> {
        match which {
            Which::Seq(seq) => usize::try_from(seq.checked_sub(1)?).ok(),
            Which::Reference(reference) => self.references.get(reference.as_str()).copied(),
            Which::Newest { kind, key, before } => {
                let places = self.of_key.get(&(kind.clone(), key.clone()))?;
                // The place of an entry is one less than its sequence number.
                let last = usize::try_from(before.saturating_sub(1)).unwrap_or(usize::MAX);
                places.partition_point(|place| *place < last).checked_sub(1).and_then(|at| places.get(at)).copied()
            }
            Which::Idempotent { author, key } => self.idempotent.get(&(author.clone(), key.clone())).copied(),
        }
    }
}

impl Store for Memory {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        Ok(self.boards.get(board).and_then(Kept::head))
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        let kept = self.boards.get(board);
        let head = kept.and_then(Kept::head);
        if head.as_ref() != expected.head() {
            return Err(AppendError::Moved(head));
        }
        batch.check(expected)?;
        if let Some(taken) = kept.and_then(|kept| batch.records.iter().find_map(|record| kept.taken(record))) {
            return Err(AppendError::Taken(taken));
        }
        check_chain(board, expected, batch)?;
        let kept = self.boards.entry(board.clone()).or_default();
        batch.records.iter().for_each(|record| kept.push(record.clone()));
        for (slot, number) in &batch.drops {
            kept.saved.remove(&(slot.clone(), *number));
        }
        for saved in &batch.saves {
            kept.saved.insert((saved.slot.clone(), saved.number), saved.bytes.clone());
        }
        Ok(())
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        let found = |kept: &Kept| kept.records.get(kept.place(which)?).cloned();
        Ok(self.boards.get(board).and_then(found))
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        let records = self.boards.get(board).map(|kept| kept.records.as_slice()).unwrap_or_default();
        let after = usize::try_from(after).unwrap_or(usize::MAX);
        let mut page: Vec<Record> = Vec::new();
        let mut bytes = 0_usize;
        for record in records.iter().skip(after).take(count_max) {
            if bytes >= PAGE_BYTES_MAX {
                break;
            }
            bytes = bytes.saturating_add(record.bytes.len());
            page.push(record.clone());
        }
        Ok(page)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        let Some(kept) = self.boards.get(board) else { return Ok(None) };
        let mut of_slot = kept.saved.range((slot.clone(), 0)..=(slot.clone(), number_max));
        let newest = of_slot.next_back();
        Ok(newest.map(|((slot, number), bytes)| Saved { slot: slot.clone(), number: *number, bytes: bytes.clone() }))
    }
}

/// What only this store looks at: that every record is an entry of the board, chained to the one before.
fn check_chain(board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
    let mut prev = expected.head().map(|head| head.digest.as_str());
    for record in &batch.records {
        let entry = Entry::read(record).map_err(|refusal| Fault::new(Code::StoreForeign, refusal.detail))?;
        if entry.board != *board || entry.prev.as_deref() != prev {
            let detail = format!("entry {} is of another board, or chained to another entry", record.seq);
            return Err(Fault::new(Code::StoreForeign, detail).into());
        }
        prev = Some(&record.digest);
    }
    Ok(())
}
