//! The deeper look: entries read in full, the baton made anew, and readers held against sources.

use std::collections::BTreeMap;

use crate::baton::Id;
use crate::board::{BATON, PATCH, Revision, baton_digest, begun_with, replay};
use crate::entry::{Kept, Readers, Record};

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
}

impl Replaying {
    /// What is wrong with the entry of `record`.
    pub(super) fn push(&mut self, record: &Record) -> Vec<String> {
        let kept = match Kept::read(record.clone()) {
            Ok(kept) => kept,
            Err(refusal) => {
                self.remember((Readers::nobody(), record.author.clone()));
                self.is_lost |= [PATCH, BATON].contains(&record.kind.as_str());
                return vec![told(&refusal.detail, record.seq)];
            }
        };
        let mut found = Vec::new();
        found.extend(self.laundering(&kept));
        found.extend(self.baton(&kept));
        self.remember((kept.entry.draft.readers.clone(), kept.record.author));
        found
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
                Some(refused.refusals().first().map_or_else(String::new, |found| told(&found.detail, kept.record.seq)))
            }
        }
    }
}

/// What is wrong with entry `seq`, without its number, which is told already.
fn told(detail: &str, seq: u64) -> String {
    let number = format!("entry {seq}");
    let rest = detail.strip_prefix(&number).map_or(detail, |rest| rest.trim_start_matches([':', ' ']));
    rest.to_owned()
}
