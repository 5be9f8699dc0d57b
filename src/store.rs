//! The store port: what a board needs of the place where its entries are kept.
//!
//! # Contract
//!
//! A store keeps any number of boards, each by its tenant and task, as if each were alone.
//!
//! *Append.* [`Store::append`] is atomic and durable: when it returns `Ok`, every record, save and drop of the batch is
//! kept and survives a crash of the process and of the machine; when it returns an error, none of it is, and no reader
//! ever saw any of it. The one exception is a fault with the code `store.unsettled`: then it is not known, and the
//! caller finds out by reading. The batch goes in only if the board's head is exactly what is expected: there is no way
//! to append to whatever is there. A store never changes or removes a record.
//!
//! *Order.* Records bear the sequence numbers that follow the head without gaps, from 1. What one reader has seen, every
//! later reader sees.
//!
//! *Reads* give back records byte for byte as they were appended. They never wait for a writer longer than for one
//! append. Nothing is found by what stands inside the bytes: a store does not parse them.
//!
//! *Saves* are documents of the layers above that can be replaced: of a slot, the document with the greatest number is
//! the newest. They go in with a batch or not at all.
//!
//! *Faults* say in their code what to do and carry no connection string, password, path or content in their detail.
//!
//! [`Batch::check`] holds the rules that no database needs to know; every store calls it first.

use crate::baton::Id;
use crate::entry::{BoardId, ENTRY_BYTES_MAX, Head, Record, Reference};
use crate::refusal::{Code, Refusal, Refused};

/// Bytes of records after which a page ends, though it may have room for more: 4 MiB.
pub const PAGE_BYTES_MAX: usize = 4 << 20;

/// Where a board has to end for a batch to go in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The board has no entry.
    Empty,
    /// The board ends with this one.
    Head(Head),
}

impl Expected {
    /// The board as it was read.
    #[must_use]
    pub fn of(head: Option<Head>) -> Self {
        head.map_or(Self::Empty, Self::Head)
    }

    /// The head, if there is one.
    #[must_use]
    pub fn head(&self) -> Option<&Head> {
        if let Self::Head(head) = self { Some(head) } else { None }
    }

    /// The last sequence number; 0 of an empty board.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.head().map_or(0, |head| head.seq)
    }
}

/// How one record is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'w> {
    /// By its place.
    Seq(u64),
    /// By its random name.
    Reference(&'w Reference),
    /// The newest of a kind and key that stands before a place.
    Newest {
        /// Its kind.
        kind: &'w Id,
        /// Its key.
        key: &'w Id,
        /// The sequence number that it has to be less than; `u64::MAX` for the newest of all.
        before: u64,
    },
    /// The one that an author gave an idempotency key.
    Idempotent {
        /// The author.
        author: &'w Id,
        /// The author's word.
        key: &'w Id,
    },
}

/// A document that can be replaced, in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Which slot: `baton` for snapshots of the baton, a word of a layer above for a run.
    pub slot: Id,
    /// Its number in the slot, at most 2^53 − 1.
    pub number: u64,
    /// The document, which the store does not read.
    pub bytes: String,
}

/// What goes in together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Entries, in order; none where only documents are saved.
    pub records: Vec<Record>,
    /// Documents to save; one of the same slot and number is replaced.
    pub saves: Vec<Saved>,
    /// Documents to forget, by slot and number; none there is no error.
    pub drops: Vec<(Id, u64)>,
}

impl Batch {
    /// Checks what every store has to hold a batch to.
    ///
    /// # Errors
    /// [`AppendError::Fault`] with `store.foreign` where the records do not follow `expected` without gaps, or one is
    /// larger than [`ENTRY_BYTES_MAX`]; [`AppendError::Taken`] where two of them have one name.
    pub fn check(&self, expected: &Expected) -> Result<(), AppendError> {
        let mut next = expected.seq();
        for (place, record) in self.records.iter().enumerate() {
            next = next.saturating_add(1);
            if record.seq != next {
                return Err(unsound(format!("entry {} was to follow entry {}", record.seq, next - 1)));
            }
            if record.bytes.len() > ENTRY_BYTES_MAX {
                return Err(unsound(format!("entry {next} is larger than {ENTRY_BYTES_MAX} bytes")));
            }
            let earlier = self.records.get(..place).unwrap_or_default();
            if earlier.iter().any(|other| other.reference == record.reference) {
                return Err(AppendError::Taken(Taken::Reference));
            }
            let named =
                |other: &Record| other.author == record.author && other.idempotency_key == record.idempotency_key;
            if record.idempotency_key.is_some() && earlier.iter().any(named) {
                return Err(AppendError::Taken(Taken::IdempotencyKey));
            }
        }
        Ok(())
    }
}

fn unsound(detail: String) -> AppendError {
    AppendError::Fault(Fault::new(Code::StoreForeign, detail))
}

/// Which name of a record the board has already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Its reference.
    Reference,
    /// Its idempotency key, for its author.
    IdempotencyKey,
}

/// Why a batch did not go in. Nothing of it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppendError {
    /// The board does not end where it was expected to: it ends here. Read it and try again.
    Moved(Option<Head>),
    /// The board has a record of this name.
    Taken(Taken),
    /// The store failed.
    Fault(Fault),
}

impl From<Fault> for AppendError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A failure of a store, with what to do about it in its code (`store.*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub code: Code,
    /// One line, lower case, no final period; without paths, addresses, passwords and content.
    pub detail: String,
}

impl Fault {
    /// A failure.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::new(fault.code, "", fault.detail)
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Refusal::from(fault).into()
    }
}

/// A place where boards are kept. The module's text is its contract.
pub trait Store {
    /// The last entry of `board`; `None` where it has none.
    ///
    /// # Errors
    /// `store.*`.
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault>;

    /// Appends `batch` to `board` if it ends as `expected`: all of it or nothing, durably.
    ///
    /// # Errors
    /// [`AppendError`], in the order in which it lists them: `Moved` is looked for before `Taken`.
    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError>;

    /// One record of `board`; `None` where there is none such.
    ///
    /// # Errors
    /// `store.*`.
    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault>;

    /// The records of `board` after the sequence number `after`, in order: at most `count_max`, and none that starts
    /// after [`PAGE_BYTES_MAX`] bytes of others; at least one where there is one and `count_max` is not 0.
    ///
    /// # Errors
    /// `store.*`.
    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault>;

    /// The document of `slot` with the greatest number that is at most `number_max`; `None` where there is none.
    ///
    /// # Errors
    /// `store.*`.
    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault>;
}

/// What points to a store is one.
macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<S: Store + ?Sized> Store for $pointer {
            fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
                (**self).head(board)
            }

            fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
                (**self).append(board, expected, batch)
            }

            fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
                (**self).read(board, which)
            }

            fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
                (**self).page(board, after, count_max)
            }

            fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
                (**self).load(board, slot, number_max)
            }
        }
    )*};
}

forward!(&mut S, Box<S>);
