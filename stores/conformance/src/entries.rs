//! Entries to append: sound ones, chained as a board's are.

use relay_baton::baton::{Id, Timestamp};
use relay_baton::entry::{BoardId, Draft, Head, Readers, Record, Reference};
use relay_baton::json::Value;
use relay_baton::store::{Batch, Expected, Saved, Store};

/// The largest integer that every reader keeps.
pub(crate) const INTEGER_MAX: u64 = (1 << 53) - 1;

/// The id `text`.
pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

/// A board of its own.
pub(crate) fn board(tenant: &str, task: &str) -> BoardId {
    BoardId { tenant: id(tenant), task: id(task) }
}

/// The board that most properties use.
pub(crate) fn login() -> BoardId {
    board("acme", "login")
}

/// The reference of `number`.
pub(crate) fn reference(number: u64) -> Reference {
    let mut bytes = [7; 10];
    bytes[2..].copy_from_slice(&number.to_be_bytes());
    Reference::from_random(bytes)
}

/// An entry that is known by `number`.
pub(crate) fn draft(number: u64) -> Draft {
    Draft {
        reference: reference(number),
        kind: id("fact"),
        key: id("weather"),
        author: id("scout"),
        step: None,
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::Everyone,
        data: Value::integer(number),
        derived_from: Vec::new(),
        idempotency_key: None,
        declassified: false,
    }
}

/// An entry that is known by `number` and says `text`.
pub(crate) fn saying(number: u64, text: impl Into<String>) -> Draft {
    Draft { data: Value::string(text.into()), ..draft(number) }
}

/// An entry that its author gave an idempotency key.
pub(crate) fn keyed(number: u64, author: &str, key: &str) -> Draft {
    Draft { author: id(author), idempotency_key: Some(id(key)), ..draft(number) }
}

/// The records of `drafts` on `board` after `head`.
pub(crate) fn chain(board: &BoardId, head: Option<Head>, drafts: impl IntoIterator<Item = Draft>) -> Vec<Record> {
    let mut head = head;
    let mut seal = |draft: Draft| {
        let record = draft.place(board, head.as_ref()).seal();
        head = Some(record.head());
        record
    };
    drafts.into_iter().map(&mut seal).collect()
}

/// A batch of records alone.
pub(crate) fn batch(records: Vec<Record>) -> Batch {
    Batch { records, ..Batch::default() }
}

/// A document to save.
pub(crate) fn saved(slot: &str, number: u64, bytes: &str) -> Saved {
    Saved { slot: id(slot), number, bytes: bytes.to_owned() }
}

/// Appends `drafts` to the end of `board`, in one batch.
pub(crate) fn post(store: &mut dyn Store, board: &BoardId, drafts: impl IntoIterator<Item = Draft>) -> Vec<Record> {
    let head = store.head(board).expect("the head can be read");
    let records = chain(board, head.clone(), drafts);
    let appended = store.append(board, &Expected::of(head), &batch(records.clone()));
    assert_eq!(appended, Ok(()), "an append to the end that was just read");
    records
}

/// Saves `saves` and forgets `drops`, without a record.
pub(crate) fn keep(store: &mut dyn Store, board: &BoardId, saves: Vec<Saved>, drops: Vec<(Id, u64)>) {
    let expected = Expected::of(store.head(board).expect("the head can be read"));
    let batch = Batch { records: Vec::new(), saves, drops };
    assert_eq!(store.append(board, &expected, &batch), Ok(()), "documents saved at the end that was just read");
}

/// Every record of `board`, page by page.
pub(crate) fn all(store: &mut dyn Store, board: &BoardId) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    loop {
        let after = records.last().map_or(0, |record| record.seq);
        let page = store.page(board, after, 1_000).expect("a page can be read");
        if page.is_empty() {
            return records;
        }
        records.extend(page);
    }
}
