//! A fact, posted by an agent: derived from what its author may read, and readable by nobody who could not read that.

use std::collections::BTreeSet;

use crate::baton::{Id, Timestamp};
use crate::board::Board;
use crate::entry::{Draft, Head, Kept, Readers, Record, Reference, limits};
use crate::json::{self, Value};
use crate::refusal::{Code, Refusal, Refused};
use crate::store::{Batch, Store, Which};

/// How the keys begin by which the board knows the answers of its steps.
const ANSWERS: &str = "sha256:";

/// Kinds of entries that nobody posts: those of the board itself, and those by which people and agents are governed.
const RESERVED: [&str; 8] =
    [super::BATON, super::PATCH, "charter", "trace", "approval", "call", "delegation", "output"];

/// The author of what no agent and no person wrote.
const GOVERNOR: &str = "relay-baton";

/// What is posted.
#[derive(Clone, Debug, PartialEq)]
pub struct Post {
    /// What it is; `fact`, or a word of a layer above. `baton` and `patch` are the board's own.
    pub kind: Id,
    /// What it is about.
    pub key: Id,
    /// Who posts it.
    pub author: Id,
    /// At which step.
    pub step: Option<Id>,
    /// When.
    pub at: Timestamp,
    /// Who may read it.
    pub readers: Readers,
    /// What it says.
    pub data: Value<'static>,
    /// What it was made of, as its author knows it.
    pub derived_from: Vec<Reference>,
    /// A word by which the author's repetition of it is known.
    pub idempotency_key: Option<Id>,
    /// Whether the author may let others read what came of things that they may not read. It is recorded where it is
    /// made use of.
    pub declassify: bool,
    /// Its random name.
    pub reference: Reference,
}

/// What came of a post.
#[derive(Clone, Debug, PartialEq)]
pub struct Posted {
    /// The name by which agents know it.
    pub reference: Reference,
    /// The entry, for the operator.
    pub head: Head,
    /// Whether it had been posted before, under its idempotency key.
    pub replayed: bool,
}

/// The entries that something was made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    entries: Vec<Kept>,
}

impl Sources {
    /// The same, and the entry that made the baton before.
    pub(super) fn with(&self, before: Option<Kept>) -> Self {
        Self { entries: self.entries.iter().cloned().chain(before).collect() }
    }

    pub(super) fn seqs(&self) -> BTreeSet<u64> {
        self.entries.iter().map(|kept| kept.record.seq).collect()
    }
}

/// Whether `agent` may read the entry.
#[must_use]
pub fn may_read(kept: &Kept, agent: &Id) -> bool {
    kept.record.author == *agent || kept.entry.draft.readers.include(agent)
}

/// The refusal of an entry that is not there, or that might as well not be.
#[must_use]
pub fn unknown_entry(reference: &Reference, agent: &Id) -> Refused {
    let detail = format!("there is no entry `{reference}` that `{agent}` may read: name one as `read` shows it");
    Refusal::new(Code::BoardUnknownEntry, "", detail).into()
}

impl<S: Store> Board<S> {
    /// Posts a fact; or finds that its author posted the same under the same idempotency key before.
    ///
    /// # Errors
    /// `board.unknown_entry` where the author may not read what it names, or that is not there; `board.laundering` where
    /// some could read it that may not read what it was made of; `board.idempotency`; `patch.reserved` for a kind or a key of the
    /// board's own; `json.depth` or `json.size` where it is too much for an entry; `store.*`. Nothing was posted then.
    pub fn post(&mut self, post: &Post) -> Result<Posted, Refused> {
        self.post_shown(post, &BTreeSet::new())
    }

    /// The same, made of the entries `shown` to the author too.
    pub(crate) fn post_shown(&mut self, post: &Post, shown: &BTreeSet<u64>) -> Result<Posted, Refused> {
        if RESERVED.contains(&post.kind.as_str()) {
            let detail =
                format!("entries of kind `{}` are not posted: they are written by what they tell of", post.kind);
            return Err(Refusal::new(Code::PatchReserved, "", detail).into());
        }
        if post.author.as_str() == GOVERNOR {
            let detail = format!("`{GOVERNOR}` is no agent: post in the name of one");
            return Err(Refusal::new(Code::PatchReserved, "", detail).into());
        }
        if post.idempotency_key.as_ref().is_some_and(|key| key.as_str().starts_with(ANSWERS)) {
            let detail =
                format!("idempotency keys that begin with `{ANSWERS}` are those of answers: take another word");
            return Err(Refusal::new(Code::PatchReserved, "", detail).into());
        }
        self.append(|board, head| {
            let mut sources = board.sources(&post.author, &post.derived_from)?;
            let named = sources.seqs();
            if let Some(posted) = board.posted_before(post, &named)? {
                return Ok((None, posted));
            }
            for seq in shown.difference(&named) {
                sources.entries.extend(board.entry(Which::Seq(*seq))?);
            }
            let draft = draft(post, named, declassified(&sources, &post.author, &post.readers, post.declassify)?);
            let record = draft.place(&board.id, head).seal();
            check_readable(&record, "fact")?;
            let posted = Posted { reference: post.reference.clone(), head: record.head(), replayed: false };
            Ok((Some(Batch { records: vec![record], ..Batch::default() }), posted))
        })
    }

    /// The entries of `names`, all of which `author` may read.
    pub(super) fn sources(&mut self, author: &Id, names: &[Reference]) -> Result<Sources, Refused> {
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            let found = self.sound_entry(Which::Reference(name))?;
            entries.push(found.filter(|kept| may_read(kept, author)).ok_or_else(|| unknown_entry(name, author))?);
        }
        Ok(Sources { entries })
    }

    fn posted_before(&mut self, post: &Post, named: &BTreeSet<u64>) -> Result<Option<Posted>, Refused> {
        let Some(key) = &post.idempotency_key else { return Ok(None) };
        let Some(known) = self.entry(Which::Idempotent { author: &post.author, key })? else { return Ok(None) };
        let draft = &known.entry.draft;
        let same = draft.kind == post.kind
            && draft.key == post.key
            && draft.step == post.step
            && draft.readers == post.readers
            && draft.data == post.data
            && draft.derived_from.iter().copied().collect::<BTreeSet<u64>>() == *named;
        if !same {
            let detail = format!("`{}` has posted something else under the idempotency key `{key}`", post.author);
            return Err(Refusal::new(Code::BoardIdempotency, "", detail).into());
        }
        let reference = known.record.reference.clone();
        Ok(Some(Posted { reference, head: known.head(), replayed: true }))
    }
}

/// Whether an entry needs to be declassified to have `readers`.
///
/// # Errors
/// `board.laundering` where it does and may not be: some of `readers` could not read all of `sources`.
pub(super) fn declassified(sources: &Sources, author: &Id, readers: &Readers, may: bool) -> Result<bool, Refused> {
    let leak = sources.entries.iter().find_map(|kept| Some((kept, leak(kept, author, readers)?)));
    match leak {
        None => Ok(false),
        Some(_) if may => Ok(true),
        Some((kept, who)) => {
            let detail = format!(
                "{who} could read this and may not read `{}`, which it was made of: name fewer readers, or declassify it",
                kept.record.reference
            );
            Err(Refusal::new(Code::BoardLaundering, "", detail).into())
        }
    }
}

/// Who of `readers` may not read `source`.
fn leak(source: &Kept, author: &Id, readers: &Readers) -> Option<String> {
    match readers {
        Readers::Everyone if source.entry.draft.readers == Readers::Everyone => None,
        Readers::Everyone => Some("every agent".to_owned()),
        Readers::Agents(agents) => {
            let shut_out = agents.iter().find(|agent| *agent != author && !may_read(source, agent));
            shut_out.map(|agent| format!("`{agent}`"))
        }
    }
}

/// The entry that `post` makes, of the entries at these places.
pub(super) fn draft(post: &Post, derived_from: BTreeSet<u64>, declassified: bool) -> Draft {
    Draft {
        reference: post.reference.clone(),
        kind: post.kind.clone(),
        key: post.key.clone(),
        author: post.author.clone(),
        step: post.step.clone(),
        at: post.at.clone(),
        readers: post.readers.clone(),
        data: post.data.clone(),
        derived_from: derived_from.into_iter().collect(),
        idempotency_key: post.idempotency_key.clone(),
        declassified,
    }
}

/// What cannot be read back must not go in: the deepest value that is read is too deep within an entry.
pub(super) fn check_readable(record: &Record, what: &str) -> Result<(), Refused> {
    let Err(refusal) = json::spans(&record.bytes, &limits()) else { return Ok(()) };
    let detail = format!("the {what} is nested too deep, or is too long, for an entry of the board: make it simpler");
    Err(Refusal::new(refusal.code, "", detail).into())
}

#[cfg(test)]
#[path = "post_test.rs"]
mod tests;
