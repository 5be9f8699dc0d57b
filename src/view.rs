//! The view of one agent: what it may read of a board, and nothing that tells of the rest.
//!
//! **What an agent may not read is answered as what does not exist**, byte for byte: in listings, errors, what an entry was
//! derived from. So an agent knows entries by their random references; sequence numbers, digests and heads, whose gaps
//! and changes would tell of other entries, are not in what it is shown. An entry that was damaged is read by nobody: it is
//! not known who might; `verify` finds it.

use std::collections::BTreeSet;

use crate::baton::Id;
use crate::board::{BATON, Board, PATCH, Post, Posted, may_read, unknown_entry};
use crate::entry::{Draft, Kept, Reference};
use crate::json::{Object, Value};
use crate::refusal::Refused;
use crate::store::{Store, Which};

/// Entries that are read from the store at a time while a listing is filled.
const PAGE: usize = 256;

/// One agent at one board. It remembers what it has shown, so that nothing made of it gets to others.
#[derive(Debug)]
pub struct View<S> {
    board: Board<S>,
    agent: Id,
    shown: BTreeSet<u64>,
}

/// An entry as an agent sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The name by which agents know it.
    pub reference: Reference,
    /// What it is.
    pub kind: Id,
    /// What it is about.
    pub key: Id,
    /// Who wrote it.
    pub author: Id,
    /// At which step.
    pub step: Option<Id>,
    /// When (RFC 3339).
    pub at: String,
    /// What it says.
    pub data: Value<'static>,
    /// What it was made of, as far as the agent may read that.
    pub derived_from: Vec<Reference>,
}

impl Seen {
    /// It as a JSON object.
    #[must_use]
    pub fn to_object(&self) -> Object<'static> {
        let text = |text: &str| Value::string(text.to_owned());
        let mut object = Object::new();
        object.set("reference", text(self.reference.as_str()));
        object.set("kind", text(self.kind.as_str()));
        object.set("key", text(self.key.as_str()));
        object.set("author", text(self.author.as_str()));
        if let Some(step) = &self.step {
            object.set("step", text(step.as_str()));
        }
        object.set("at", text(&self.at));
        object.set("data", self.data.clone());
        let sources = self.derived_from.iter().map(|reference| text(reference.as_str()));
        object.set("derived_from", Value::Array(sources.collect()));
        object
    }
}

impl<S: Store> View<S> {
    /// The view that `agent` has of `board`.
    #[must_use]
    pub fn new(board: Board<S>, agent: Id) -> Self {
        Self { board, agent, shown: BTreeSet::new() }
    }

    /// The entry `reference`.
    ///
    /// # Errors
    /// `board.unknown_entry` where there is none that the agent may read; `store.*`; `board.broken`.
    pub fn read(&mut self, reference: &Reference) -> Result<Seen, Refused> {
        let found = self.readable(reference)?;
        self.show(&found)
    }

    /// The newest entry of a kind and key that the agent may read; `None` where there is none.
    ///
    /// # Errors
    /// `store.*`; `board.broken`.
    pub fn newest(&mut self, kind: &Id, key: &Id) -> Result<Option<Seen>, Refused> {
        let mut before = u64::MAX;
        loop {
            let Some((seq, kept)) = self.board.sound_or_place(Which::Newest { kind, key, before })? else {
                return Ok(None);
            };
            if let Some(kept) = kept.filter(|kept| may_read(kept, &self.agent)) {
                return self.show(&kept).map(Some);
            }
            before = seq;
        }
    }

    /// The entries that the agent may read, oldest first: those after the entry `after`, at most `count_max`.
    ///
    /// # Errors
    /// `board.unknown_entry` where `after` is none that the agent may read; `store.*`; `board.broken`.
    pub fn list(&mut self, after: Option<&Reference>, count_max: usize) -> Result<Vec<Seen>, Refused> {
        let mut seq = match after {
            Some(reference) => self.readable(reference)?.record.seq,
            None => 0,
        };
        let mut seen = Vec::new();
        while seen.len() < count_max {
            let (last, page) = self.board.sound_page(seq, PAGE)?;
            let Some(last) = last else { break };
            seq = last;
            let left = count_max - seen.len();
            let readable = page.into_iter().filter(|kept| may_read(kept, &self.agent)).take(left);
            for kept in readable.collect::<Vec<Kept>>() {
                seen.push(self.show(&kept)?);
            }
        }
        Ok(seen)
    }

    /// Posts a fact in the agent's name; what it was shown counts as what it was made of, as far as readers go.
    ///
    /// # Errors
    /// As [`Board::post`]; `board.foreign` where `post` names another author.
    pub fn post(&mut self, post: &Post) -> Result<Posted, Refused> {
        if post.author != self.agent {
            let detail = format!("`{}` posts in its own name only, not in that of `{}`", self.agent, post.author);
            return Err(crate::refusal::Refusal::new(crate::refusal::Code::BoardForeign, "", detail).into());
        }
        self.board.post_shown(post, &self.shown)
    }

    fn readable(&mut self, reference: &Reference) -> Result<Kept, Refused> {
        let found = self.board.sound_entry(Which::Reference(reference))?;
        found.filter(|kept| may_read(kept, &self.agent)).ok_or_else(|| unknown_entry(reference, &self.agent))
    }

    fn show(&mut self, kept: &Kept) -> Result<Seen, Refused> {
        self.shown.insert(kept.record.seq);
        let draft = &kept.entry.draft;
        let mut derived_from = Vec::new();
        for seq in &draft.derived_from {
            let source = self.board.sound_entry(Which::Seq(*seq))?;
            derived_from
                .extend(source.filter(|source| may_read(source, &self.agent)).map(|source| source.record.reference));
        }
        Ok(Seen {
            reference: draft.reference.clone(),
            kind: draft.kind.clone(),
            key: draft.key.clone(),
            author: draft.author.clone(),
            step: draft.step.clone(),
            at: draft.at.as_str().to_owned(),
            data: shown(draft),
            derived_from,
        })
    }
}

/// What an agent is shown of the data: of the baton's own entries no digest.
fn shown(draft: &Draft) -> Value<'static> {
    let mut data = draft.data.clone();
    if let Value::Object(members) = &mut data
        && let Some(holder) = holder_of_stamp(draft.kind.as_str(), members)
    {
        if let Some(Value::Object(stamp)) = holder.get_mut("stamp") {
            stamp.remove("patch");
        }
        members.remove("after");
    }
    data
}

/// What has the stamp as a member: the data of a patch, the baton in the data of a baton.
fn holder_of_stamp<'m>(kind: &str, members: &'m mut Object<'static>) -> Option<&'m mut Object<'static>> {
    match kind {
        PATCH => Some(members),
        BATON => match members.get_mut("baton") {
            Some(Value::Object(baton)) => Some(baton),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
#[path = "view_test.rs"]
mod tests;
