//! Entries to append.

use relay_baton::baton::{Id, Timestamp};
use relay_baton::entry::{BoardId, Draft, Head, Readers, Record, Reference};
use relay_baton::json::Value;
use relay_baton::store::{Batch, Expected, Saved, Store};

pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

pub(crate) fn board(tenant: &str, task: &str) -> BoardId {
    BoardId { tenant: id(tenant), task: id(task) }
}

/// The entry known by `number`.
pub(crate) fn draft(number: u64) -> Draft {
    let mut random = [3; 10];
    random[2..].copy_from_slice(&number.to_be_bytes());
    Draft {
        reference: Reference::from_random(random),
        kind: id("fact"),
        key: id("weather"),
        author: id("scout"),
        step: None,
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::Everyone,
        data: Value::integer(number),
        derived_from: Vec::new(),
        idempotency_key: Some(id(&format!("once-{number}"))),
        declassified: false,
    }
}

/// The record known by `number` on `board` after `head`.
pub(crate) fn record(board: &BoardId, head: Option<&Head>, number: u64) -> Record {
    draft(number).place(board, head).seal()
}

pub(crate) fn batch(records: Vec<Record>) -> Batch {
    Batch { records, ..Batch::default() }
}

pub(crate) fn saved(slot: &str, number: u64, bytes: &str) -> Saved {
    Saved { slot: id(slot), number, bytes: bytes.to_owned() }
}

/// Appends one record to the end of `board`.
pub(crate) fn post(store: &mut dyn Store, board: &BoardId, number: u64) -> Record {
    let head = store.head(board).unwrap();
    let record = record(board, head.as_ref(), number);
    store.append(board, &Expected::of(head), &batch(vec![record.clone()])).unwrap();
    record
}

/// Everything on `board`.
pub(crate) fn all(store: &mut dyn Store, board: &BoardId) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    loop {
        let after = records.last().map_or(0, |record| record.seq);
        let page = store.page(board, after, 1_000).unwrap();
        if page.is_empty() {
            return records;
        }
        records.extend(page);
    }
}
