//! Entries: what a board is made of. Each is immutable, ordered, attributed, chained to the one before, and names its
//! readers and the entries that it was derived from.
//!
//! An [`Entry`] is the meaning, a [`Record`] is what a store keeps of it: the canonical bytes, their digest, and the few
//! words that it is found by. A store never reads the bytes.

mod read;
mod readers;
mod reference;
mod seal;

use std::fmt;

use crate::baton::{Id, Timestamp};
use crate::json::Value;

pub(crate) use read::limits;
pub use read::{ENTRY_BYTES_MAX, ENTRY_DEPTH_MAX};
pub use readers::{EVERYONE, Readers, agent};
pub use reference::Reference;

/// Which board: the blackboard of exactly one task of exactly one tenant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardId {
    /// Whose task it is.
    pub tenant: Id,
    /// Which task it is.
    pub task: Id,
}

impl fmt::Display for BoardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task `{}` of tenant `{}`", self.task, self.tenant)
    }
}

/// The last entry of a board: its sequence number and digest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Head {
    /// Sequence number, from 1.
    pub seq: u64,
    /// `sha256:` and 64 hexadecimal digits.
    pub digest: String,
}

impl Head {
    /// Reads `SEQ:DIGEST`, as [`fmt::Display`] writes it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (seq, digest) = text.split_once(':')?;
        let plain = !seq.starts_with(['+', '0']) && is_digest(digest);
        plain.then_some(())?;
        Some(Self { seq: seq.parse().ok()?, digest: digest.to_owned() })
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, self.digest)
    }
}

/// Whether `text` is a digest as [`json::digest`](crate::json::digest) writes it.
#[must_use]
pub fn is_digest(text: &str) -> bool {
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.strip_prefix("sha256:").is_some_and(|digits| digits.len() == 64 && digits.bytes().all(hex))
}

/// An entry before it has its place on a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its random name.
    pub reference: Reference,
    /// What it is: `baton`, `patch`, `fact`, or a word of a layer above.
    pub kind: Id,
    /// What it is about; the newest entry of a kind and key is what stands.
    pub key: Id,
    /// Who wrote it.
    pub author: Id,
    /// At which step.
    pub step: Option<Id>,
    /// When; it decides nothing.
    pub at: Timestamp,
    /// Who may read it.
    pub readers: Readers,
    /// Whatever it says, any I-JSON value (RFC 7493).
    pub data: Value<'static>,
    /// Sequence numbers of the entries that it was made of.
    pub derived_from: Vec<u64>,
    /// A word by which the author's repetition of it is known.
    pub idempotency_key: Option<Id>,
    /// Whether it was let be read by some who could not read all that it was made of.
    pub declassified: bool,
}

/// An entry on a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its place, from 1, without gaps.
    pub seq: u64,
    /// The board that it is on.
    pub board: BoardId,
    /// What it says.
    pub draft: Draft,
    /// The digest of the entry before; none for the first.
    pub prev: Option<String>,
}

/// What a store keeps of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Its place, from 1, without gaps.
    pub seq: u64,
    /// Its random name, unique on its board.
    pub reference: Reference,
    /// What it is.
    pub kind: Id,
    /// What it is about.
    pub key: Id,
    /// Who wrote it.
    pub author: Id,
    /// A word by which the author's repetition of it is known, unique on its board for the author.
    pub idempotency_key: Option<Id>,
    /// The SHA-256 of [`Self::bytes`].
    pub digest: String,
    /// The canonical form (RFC 8785) of the entry without its digest.
    pub bytes: String,
}

/// An entry with what a store keeps of it, held against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// What the store keeps.
    pub record: Record,
    /// What it means.
    pub entry: Entry,
}

impl Kept {
    /// The entry that `record` keeps.
    ///
    /// # Errors
    /// As [`Entry::read`].
    pub fn read(record: Record) -> Result<Self, crate::refusal::Refusal> {
        let entry = Entry::read(&record)?;
        Ok(Self { record, entry })
    }

    /// The head of a board that ends with it.
    #[must_use]
    pub fn head(&self) -> Head {
        self.record.head()
    }
}

impl Record {
    /// The head of a board that ends with it.
    #[must_use]
    pub fn head(&self) -> Head {
        Head { seq: self.seq, digest: self.digest.clone() }
    }
}

#[cfg(test)]
#[path = "entry_test.rs"]
mod tests;
