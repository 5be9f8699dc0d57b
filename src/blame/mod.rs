//! Blame: who brought in each item of the baton that stands, and who removed each that is gone.
//!
//! One pass over the patches of a board, from the baton that it began with. What is remembered takes the room of the baton
//! and of what was removed from it.

mod ledger;
mod locate;

use std::sync::Arc;

use crate::baton::{Id, Timestamp};
use crate::board::{Board, PatchData};
use crate::entry::{Kept, Reference};
use crate::json::Value;
use crate::refusal::{Code, Refusal, Refused};
use crate::store::Store;

use ledger::Ledger;
pub use locate::Located;

/// The entry that did something to the baton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The revision that it made.
    pub revision: u64,
    /// Its place on the board.
    pub seq: u64,
    /// The name by which agents know it.
    pub reference: Reference,
    /// Who wrote it.
    pub author: Id,
    /// At which step.
    pub step: Option<Id>,
    /// When.
    pub at: Timestamp,
}

/// One item of a field: a string of a list, an item of a keyed list, a decision, or a whole value.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// By what it is known: its text, its key, its decision id; nothing where the value of the field is the item.
    pub key: String,
    /// What it is.
    pub value: Value<'static>,
    /// Who brought it in. An item that comes back is brought in anew.
    pub brought: Arc<Origin>,
    /// Who changed it last; who brought it in, where nobody did.
    pub changed: Arc<Origin>,
    /// Who set each member of an item that is an object, in the order of the members.
    pub members: Vec<(String, Arc<Origin>)>,
    /// The ids of the decisions that supersede it.
    pub superseded_by: Vec<String>,
}

/// An item that stands no more.
#[derive(Clone, Debug, PartialEq)]
pub struct Gone {
    /// The item as it was last.
    pub item: Item,
    /// Who removed it.
    pub removed: Arc<Origin>,
}

/// A member of the baton.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// Its name.
    pub field: String,
    /// The items that stand, in the order of the field.
    pub items: Vec<Item>,
    /// The items that are gone, in the order in which they went.
    pub gone: Vec<Gone>,
}

/// The whole baton at one revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Blame {
    /// The revision.
    pub revision: u64,
    /// Its members and those that it had once, known fields first; without the stamp.
    pub fields: Vec<Lines>,
}

impl Blame {
    /// The member `name`, if the baton has it or had it once.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Lines> {
        self.fields.iter().find(|lines| lines.field == name)
    }
}

impl Origin {
    fn of(kept: &Kept, revision: u64) -> Self {
        let draft = &kept.entry.draft;
        Self {
            revision,
            seq: kept.record.seq,
            reference: draft.reference.clone(),
            author: draft.author.clone(),
            step: draft.step.clone(),
            at: draft.at.clone(),
        }
    }
}

/// Who did what to the baton of `board`, up to `revision`; to the newest one, where none is given.
///
/// # Errors
/// `board.missing` where the board holds no baton; `board.unknown_entry` where it has no such revision; `board.broken` where an
/// entry is not what it says; `store.*`.
pub fn blame<S: Store>(board: &mut Board<S>, revision: Option<u64>) -> Result<Blame, Refused> {
    let Some(first) = board.first()? else {
        return Err(Refusal::new(Code::BoardMissing, "", "the board holds no baton yet").into());
    };
    let begun = first.number();
    let entry = board.entry_of(begun)?.ok_or_else(|| unknown(begun))?;
    let mut ledger = Ledger::default();
    ledger.begin(first.baton, Arc::new(Origin::of(&entry, begun)));
    let mut at = begun;
    while revision.is_none_or(|last| at < last) {
        let next = at.saturating_add(1);
        let Some(kept) = board.entry_of(next)? else { break };
        let patch = PatchData::of(&kept.entry)?;
        if patch.revision != next {
            return Err(unsound(&kept));
        }
        ledger.take(patch.lowered, &Arc::new(Origin::of(&kept, next)));
        at = next;
    }
    match revision {
        Some(wanted) if wanted != at => Err(unknown(wanted)),
        _ => Ok(Blame { revision: at, fields: ledger.into_fields() }),
    }
}

fn unknown(revision: u64) -> Refused {
    let detail = format!("the board has no revision {revision} of the baton: `log` lists those that it has");
    Refusal::new(Code::BoardUnknownEntry, "/stamp/revision", detail).into()
}

fn unsound(kept: &Kept) -> Refused {
    let detail = format!("entry {} is the patch of another revision than its key says", kept.record.seq);
    Refusal::new(Code::BoardBroken, "", detail).into()
}

#[cfg(test)]
#[path = "blame_test.rs"]
mod tests;
