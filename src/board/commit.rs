//! A record of the layer above: entries and saved documents that go in together, if nobody was quicker.

use crate::baton::Id;
use crate::board::post::{check_readable, draft};
use crate::board::{Board, Post};
use crate::entry::{Head, Readers, Reference};
use crate::refusal::{Code, Refusal, Refused};
use crate::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};

/// So many names of entries are kept in mind.
const NAMES_MAX: usize = 4096;

/// What goes in together.
#[derive(Clone, Copy, Debug)]
pub struct Commit<'c> {
    /// The slot whose newest document has to have the number `before`.
    pub slot: &'c Id,
    /// That number; 0 where the slot is empty.
    pub before: u64,
    /// Entries, in order. They may be derived from one another.
    pub entries: &'c [Post],
    /// Documents to save.
    pub saves: &'c [Saved],
    /// Documents to forget.
    pub drops: &'c [(Id, u64)],
}

/// What is known of an entry by its name.
#[derive(Clone, Debug)]
pub(super) struct Named {
    seq: u64,
    author: Id,
    readers: Readers,
}

impl<S: Store> Board<S> {
    /// Puts a record on the board.
    ///
    /// # Errors
    /// `run.moved` where the slot is at another document; `board.unknown_entry` where something is derived from what is not
    /// there; `board.laundering` where some could read an entry that may not read what it was made of; `json.*` where it is
    /// too much for an entry; `store.*`. Nothing was recorded then.
    pub fn commit(&mut self, commit: &Commit<'_>) -> Result<Option<Head>, Refused> {
        for _ in 0..super::TRIES_MAX {
            let head = match &self.end {
                Some((slot, before, head)) if slot == commit.slot && *before == commit.before => head.clone(),
                _ => {
                    // The head first: whoever appends after it moves it.
                    let head = self.store.head(&self.id)?;
                    self.check_slot(commit)?;
                    head
                }
            };
            let (batch, named) = self.batch_of(commit, head.as_ref())?;
            match self.store.append(&self.id, &Expected::of(head.clone()), &batch) {
                Ok(()) => return Ok(self.committed(commit, &batch, named, head)),
                Err(AppendError::Moved(_)) => self.end = None,
                Err(AppendError::Taken(_)) => return Err(self.taken(commit)),
                Err(AppendError::Fault(fault)) => {
                    self.end = None;
                    return Err(fault.into());
                }
            }
        }
        Err(Fault::new(Code::StoreBusy, "others keep appending to the board: try again").into())
    }

    fn check_slot(&mut self, commit: &Commit<'_>) -> Result<(), Refused> {
        let newest = self.store.load(&self.id, commit.slot, u64::MAX)?.map_or(0, |saved| saved.number);
        if newest == commit.before {
            return Ok(());
        }
        let detail = "somebody else went on with the run: look how it stands, and go on from there";
        Err(Refusal::new(Code::RunMoved, "", detail).into())
    }

    /// A name is taken where the same record went in before, and its answer was lost.
    fn taken(&mut self, commit: &Commit<'_>) -> Refused {
        self.end = None;
        match self.check_slot(commit) {
            Err(moved) => moved,
            Ok(()) => Refusal::new(Code::RunMoved, "", "an entry of that name is on the board already").into(),
        }
    }

    fn batch_of(
        &mut self,
        commit: &Commit<'_>,
        head: Option<&Head>,
    ) -> Result<(Batch, Vec<(Reference, Named)>), Refused> {
        let mut named: Vec<(Reference, Named)> = Vec::with_capacity(commit.entries.len());
        let mut records = Vec::with_capacity(commit.entries.len());
        let mut last = head.cloned();
        for post in commit.entries {
            let mut sources = Vec::with_capacity(post.derived_from.len());
            for name in &post.derived_from {
                let of_batch = named.iter().rev().find(|(known, _)| known == name).map(|(_, found)| found.clone());
                let found = of_batch.map_or_else(|| self.named(name), Ok)?;
                sources.push(found);
            }
            let declassified = is_declassified(post, &sources)?;
            let record = draft(post, sources.iter().map(|source| source.seq).collect(), declassified)
                .place(&self.id, last.as_ref())
                .seal();
            check_readable(&record, "entry")?;
            last = Some(record.head());
            let about = Named { seq: record.seq, author: post.author.clone(), readers: post.readers.clone() };
            named.push((post.reference.clone(), about));
            records.push(record);
        }
        Ok((Batch { records, saves: commit.saves.to_vec(), drops: commit.drops.to_vec() }, named))
    }

    fn named(&mut self, name: &Reference) -> Result<Named, Refused> {
        if let Some(known) = self.names.get(name) {
            return Ok(known.clone());
        }
        let found = self.entry(Which::Reference(name))?.ok_or_else(|| {
            Refusal::new(Code::BoardUnknownEntry, "", format!("there is no entry `{name}` to be derived from"))
        })?;
        let draft = found.entry.draft;
        Ok(Named { seq: found.entry.seq, author: draft.author, readers: draft.readers })
    }

    fn committed(
        &mut self,
        commit: &Commit<'_>,
        batch: &Batch,
        named: Vec<(Reference, Named)>,
        head: Option<Head>,
    ) -> Option<Head> {
        let head = batch.records.last().map(crate::entry::Record::head).or(head);
        let after = commit.saves.iter().filter(|saved| saved.slot == *commit.slot).map(|saved| saved.number).max();
        self.end = after.map(|after| (commit.slot.clone(), after, head.clone()));
        if self.names.len() > NAMES_MAX {
            self.names.clear();
        }
        self.names.extend(named);
        head
    }
}

/// Whether an entry needs to be declassified to have its readers.
fn is_declassified(post: &Post, sources: &[Named]) -> Result<bool, Refused> {
    let may_read = |source: &Named| {
        let author = Readers::agents([source.author.clone(), post.author.clone()]);
        match (&source.readers, &post.readers) {
            (Readers::Everyone, _) => true,
            (_, Readers::Everyone) => false,
            (Readers::Agents(known), Readers::Agents(readers)) => {
                readers.iter().all(|reader| known.contains(reader) || author.include(reader))
            }
        }
    };
    if sources.iter().all(may_read) {
        return Ok(false);
    }
    if post.declassify {
        return Ok(true);
    }
    let detail = format!(
        "some who could read the entry `{}` may not read what it was made of: name fewer readers, or declassify it",
        post.key
    );
    Err(Refusal::new(Code::BoardLaundering, "", detail).into())
}

#[cfg(test)]
#[path = "commit_test.rs"]
pub(super) mod tests;
