//! The board: the blackboard of one task of one tenant, on which every patch and every other fact is an entry.
//!
//! ```text
//!   an answer ──→ [apply] ─┐                              ┌─→ [checkout]  the baton at any revision
//!   a fact    ──→ [post]  ─┼─→ Draft ─→ Entry ─→ Record ──┤
//!   a baton   ──→ [start] ─┘     place     seal   append  └─→ view, provenance, blame, verify
//! ```
//!
//! [`Board`] is what the operator works with: it sees everything. Agents work through a [`View`](crate::view::View).
//!
//! The entries of the baton itself are of two kinds, both with the key `baton/REVISION`: `baton` is a document as it was
//! put on the board, `patch` is what one answer changed. Anything else is a fact, of kind `fact` or of a word of a layer
//! above. The board is the truth; a file of the baton is a reading of it, whose stamp names the entry that it is a
//! reading of in its member `head`, which is no part of what was recorded.

mod apply;
mod commit;
mod data;
mod file;
mod follow;
mod path;
mod post;
mod replay;
mod start;

use std::collections::BTreeMap;

use crate::baton::{Baton, Field, Id};
use crate::entry::{BoardId, Head, Kept, Record, Reference};
use crate::json::{self, Value};
use crate::refusal::{Code, Refusal, Refused};
use crate::store::{AppendError, Batch, Expected, Fault, Store, Which};

pub use apply::{Recorded, Recording};
pub use commit::Commit;
pub use data::{PatchData, baton_key};
pub use file::{Standing, board_of, head_of, told_head};
pub use follow::Following;
pub use post::{Post, Posted, may_read, unknown_entry};
pub use replay::{Revision, begun_with, replay};

/// The kind of an entry that holds a whole baton.
pub const BATON: &str = "baton";
/// The kind of an entry that holds a patch.
pub const PATCH: &str = "patch";
/// The kind of an entry that holds a fact.
pub const FACT: &str = "fact";

/// How often somebody else may be quicker before an append is given up.
const TRIES_MAX: usize = 64;

/// One board in a store.
#[derive(Debug)]
pub struct Board<S> {
    store: S,
    id: BoardId,
    /// The newest revision, as it was when the board ended with this head.
    known: Option<(Head, replay::Snapshot)>,
    /// The newest document of a slot, and the board's end as it was when that was saved from here.
    end: Option<(Id, u64, Option<Head>)>,
    /// Entries that were put on the board from here, by name.
    names: BTreeMap<Reference, commit::Named>,
}

impl<S: Store> Board<S> {
    /// The board `id` in `store`.
    #[must_use]
    pub fn new(store: S, id: BoardId) -> Self {
        Self { store, id, known: None, end: None, names: BTreeMap::new() }
    }

    /// Which board it is.
    #[must_use]
    pub fn id(&self) -> &BoardId {
        &self.id
    }

    /// The store that it is in.
    pub fn store(&mut self) -> &mut S {
        &mut self.store
    }

    /// Its last entry.
    ///
    /// # Errors
    /// `store.*`.
    pub fn head(&mut self) -> Result<Option<Head>, Refused> {
        Ok(self.store.head(&self.id)?)
    }

    /// One entry.
    ///
    /// # Errors
    /// `store.*`; `board.broken` where it is not as it was recorded.
    pub fn entry(&mut self, which: Which<'_>) -> Result<Option<Kept>, Refused> {
        let Some(record) = self.store.read(&self.id, which)? else { return Ok(None) };
        self.held(record).map(Some)
    }

    /// The entries after the sequence number `after`, in order, at most `count_max`.
    ///
    /// # Errors
    /// As [`Self::entry`].
    pub fn page(&mut self, after: u64, count_max: usize) -> Result<Vec<Kept>, Refused> {
        let records = self.store.page(&self.id, after, count_max)?;
        records.into_iter().map(|record| self.held(record)).collect()
    }

    /// The same as an agent meets them: an entry that cannot be read is none, for whoever may read it is not known.
    pub(crate) fn sound_entry(&mut self, which: Which<'_>) -> Result<Option<Kept>, Refused> {
        Ok(self.sound_or_place(which)?.and_then(|(_, kept)| kept))
    }

    /// The place of an entry, and the entry if it is sound.
    pub(crate) fn sound_or_place(&mut self, which: Which<'_>) -> Result<Option<(u64, Option<Kept>)>, Refused> {
        let record = self.store.read(&self.id, which)?;
        Ok(record.map(|record| (record.seq, self.held(record).ok())))
    }

    /// The place of the last entry of a page, and those of its entries that are sound.
    pub(crate) fn sound_page(&mut self, after: u64, count_max: usize) -> Result<(Option<u64>, Vec<Kept>), Refused> {
        let records = self.store.page(&self.id, after, count_max)?;
        let last = records.last().map(|record| record.seq);
        Ok((last, records.into_iter().filter_map(|record| self.held(record).ok()).collect()))
    }

    fn held(&self, record: Record) -> Result<Kept, Refused> {
        let kept = Kept::read(record)?;
        if kept.entry.board == self.id {
            return Ok(kept);
        }
        let detail = format!("entry {} is of {}, not of {}", kept.entry.seq, kept.entry.board, self.id);
        Err(Refusal::new(Code::BoardBroken, "", detail).into())
    }

    /// Appends what `make` makes of the head; again, where somebody else was quicker.
    fn append<T>(
        &mut self,
        mut make: impl FnMut(&mut Self, Option<&Head>) -> Result<(Option<Batch>, T), Refused>,
    ) -> Result<T, Refused> {
        for _ in 0..TRIES_MAX {
            let head = self.store.head(&self.id)?;
            let (batch, made) = make(self, head.as_ref())?;
            let Some(batch) = batch else { return Ok(made) };
            match self.store.append(&self.id, &Expected::of(head), &batch) {
                Ok(()) => return Ok(made),
                // A name taken between our look and our append is found by the next look.
                Err(AppendError::Moved(_) | AppendError::Taken(_)) => {}
                Err(AppendError::Fault(fault)) => return Err(fault.into()),
            }
        }
        Err(Fault::new(Code::StoreBusy, "others keep appending to the board: try again").into())
    }
}

/// The digest of a baton as it is recorded: of its canonical form without the stamp's `head`.
#[must_use]
pub fn baton_digest(baton: &Baton<'_>) -> String {
    let plain = without_head(baton.clone());
    json::digest(&json::canonical(&Value::Object(plain.into_object())))
}

/// The baton without the board's word on it.
#[must_use]
pub fn without_head(baton: Baton<'_>) -> Baton<'_> {
    let bytes = baton.bytes();
    let mut members = baton.into_object();
    if let Some(Value::Object(stamp)) = members.get_mut(Field::Stamp.name()) {
        stamp.remove("head");
    }
    Baton::of_normal(members).about_as_long_as(bytes)
}

/// The baton as a reading of the entry `head`.
#[must_use]
pub fn with_head<'a>(baton: Baton<'a>, head: &Head) -> Baton<'a> {
    let bytes = baton.bytes();
    let mut members = baton.into_object();
    if let Some(Value::Object(stamp)) = members.get_mut(Field::Stamp.name()) {
        stamp.set("head", Value::string(head.to_string()));
    }
    Baton::of_normal(members).about_as_long_as(bytes)
}

/// One of this module's own words as an id.
pub(crate) fn word(text: &str) -> Result<Id, Refused> {
    let unsound = || Refusal::new(Code::BoardUnnamed, "", format!("`{text}` is no id"));
    Id::new(text).ok_or_else(|| unsound().into())
}

#[cfg(test)]
#[path = "board_test.rs"]
pub(crate) mod tests;
