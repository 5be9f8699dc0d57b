//! The deeper look: entries read in full, the baton made anew, and readers held against sources.

use std::collections::{BTreeMap, BTreeSet};

use crate::baton::Id;
use crate::board::{BATON, PATCH, Revision, baton_digest, begun_with, replay};
use crate::entry::{Kept, Readers, Record};
use crate::json;
use crate::verify::without_number;

/// Readers and author of an entry: who can read it.
type Audience = (Readers, Id);

/// What is remembered of the entries so far: four bytes each, and each audience once.
#[derive(Debug, Default)]
pub(super) struct Replaying {
    revision: Option<Revision>,
    is_lost: bool,
    audiences: Vec<Audience>,
    numbers: BTreeMap<Audience, u32>,
    /// The audience of each entry, by its place.
    of_entry: Vec<u32>,
    /// The names that entries have.
    names: BTreeSet<u128>,
}

impl Replaying {
    /// What is wrong with the entry of `record`.
    pub(super) fn push(&mut self, record: &Record) -> Vec<String> {
        let kept = match Kept::read(record.clone()) {
            Ok(kept) => kept,
            Err(refusal) => {
                self.remember((Readers::nobody(), record.author.clone()));
                self.is_lost |= [PATCH, BATON].contains(&record.kind.as_str());
                return vec![without_number(&refusal.detail, record.seq)];
            }
        };
        let mut found = Vec::new();
        found.extend(self.naming(record));
        found.extend(self.laundering(&kept));
        found.extend(self.baton(&kept));
        self.remember((kept.entry.draft.readers.clone(), kept.record.author));
        found
    }

    /// Whether an earlier entry has one of its names.
    fn naming(&mut self, record: &Record) -> Option<String> {
        // Sixteen digits are sixteen bytes; a key is known by the first of its digest.
        let reference = record.reference.as_str().bytes().fold(0, |name: u128, byte| name << 8 | u128::from(byte));
        if !self.names.insert(reference) {
            return Some(format!("an earlier entry has its reference `{}`", record.reference));
        }
        let key = record.idempotency_key.as_ref()?;
        let digest = json::digest(format!("{}\n{key}", record.author).as_bytes());
        let number = digest.get(7..39).and_then(|digits| u128::from_str_radix(digits, 16).ok())?;
        (!self.names.insert(number)).then(|| format!("an earlier entry of its author has its idempotency key `{key}`"))
    }

    fn remember(&mut self, audience: Audience) {
        let next = u32::try_from(self.audiences.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(audience.clone()).or_insert(next);
        if number == next {
            self.audiences.push(audience);
        }
        self.of_entry.push(number);
    }

    fn audience(&self, seq: u64) -> Option<&Audience> {
        let place = usize::try_from(seq.checked_sub(1)?).ok()?;
        self.audiences.get(*self.of_entry.get(place)? as usize)
    }

    /// Whether some can read the entry that cannot read what it was made of, and it does not say so.
    fn laundering(&self, kept: &Kept) -> Option<String> {
        let draft = &kept.entry.draft;
        if draft.declassified {
            return None;
        }
        let leaks = |(readers, author): &Audience| match &draft.readers {
            Readers::Everyone => *readers != Readers::Everyone,
            Readers::Agents(agents) => {
                agents.iter().any(|agent| agent != author && *agent != draft.author && !readers.include(agent))
            }
        };
        let source = draft.derived_from.iter().find(|seq| self.audience(**seq).is_some_and(leaks))?;
        Some(format!("some can read it who could not read entry {source}, which it was made of"))
    }

    /// Whether the baton that the entry makes is the one that it says.
    fn baton(&mut self, kept: &Kept) -> Option<String> {
        // What comes after one that cannot be made anew cannot be either, and is not to blame.
        let is_lost = self.is_lost && kept.record.kind.as_str() == PATCH;
        let made = match kept.record.kind.as_str() {
            _ if is_lost => return None,
            BATON => begun_with(kept),
            PATCH => match &self.revision {
                Some(before) => replay(before, kept),
                None => return Some("it patches a baton that is not on the board".to_owned()),
            },
            _ => return None,
        };
        match made {
            Ok(made) => {
                let sound = baton_digest(&made.baton) == made.after;
                self.revision = Some(made);
                self.is_lost = !sound;
                (!sound).then(|| "it makes another baton of the one before than it says".to_owned())
            }
            Err(refused) => {
                self.is_lost = true;
                Some(
                    refused
                        .refusals()
                        .first()
                        .map_or_else(String::new, |found| without_number(&found.detail, kept.record.seq)),
                )
            }
        }
    }
}
