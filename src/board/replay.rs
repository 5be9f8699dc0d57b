//! The baton at any revision: a snapshot, and the patches after it.
//!
//! With each patch a snapshot of the baton is saved, and the one before is forgotten, but for one every so often: when
//! the patches since the last one that is kept take four times the room of the baton. So a revision is never far from a
//! snapshot, and the snapshots never take more than a quarter of the room of the patches. A snapshot is believed only
//! if the entry that it is of says its digest.

use crate::baton::{Baton, Field};
use crate::board::data::{PatchData, after_of, baton_key, baton_of};
use crate::board::{BATON, Board, PATCH, baton_digest, word};
use crate::entry::{Head, Kept};
use crate::json::{self, Limits, Object, Value};
use crate::refusal::{Code, Refusal, Refused};
use crate::store::{Saved, Store, Which};

/// Patches take so many times the room of a snapshot between two that are kept.
const SPARSENESS: usize = 4;

/// What a snapshot may need to be read.
const SNAPSHOT_BYTES_MAX: usize = 1 << 30;

/// The baton at one revision.
#[derive(Clone, Debug)]
pub struct Revision {
    /// The baton, without the stamp's `head`.
    pub baton: Baton<'static>,
    /// The digest of it, as its entry says.
    pub after: String,
    /// The entry that made it.
    pub head: Head,
}

impl Revision {
    /// Its number.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.baton.revision()
    }

    /// The baton as a file of it says it: with the stamp's `head`.
    #[must_use]
    pub fn reading(&self) -> Baton<'static> {
        super::with_head(self.baton.clone(), &self.head)
    }
}

/// A snapshot: a revision, and how much was patched since the last snapshot that is kept.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub(super) revision: Revision,
    /// The entry that made it, where it was read.
    pub(super) entry: Option<Kept>,
    pub(super) since: usize,
    /// Whether the next snapshot leaves it where it is.
    pub(super) kept: bool,
}

impl Snapshot {
    /// The first one, which is not forgotten.
    pub(super) fn first(revision: Revision) -> Self {
        Self { revision, entry: None, since: 0, kept: true }
    }

    /// The one after this, of `revision`, made by an entry of `bytes` bytes.
    pub(super) fn next(&self, revision: Revision, bytes: usize) -> Self {
        let since = if self.kept { bytes } else { self.since.saturating_add(bytes) };
        let kept = since >= revision.baton.bytes().saturating_mul(SPARSENESS).max(1);
        Self { revision, entry: None, since, kept }
    }

    pub(super) fn save(&self) -> Result<Saved, Refused> {
        let Revision { baton, after, head } = &self.revision;
        let mut object = Object::new();
        object.set("seq", Value::integer(head.seq));
        object.set("digest", Value::string(head.digest.clone()));
        object.set("after", Value::string(after.clone()));
        object.set("since", Value::integer(self.since as u64));
        object.set("kept", Value::Bool(self.kept));
        object.set("baton", Value::Object(baton.as_object().clone()));
        Ok(Saved { slot: word(BATON)?, number: baton.revision(), bytes: json::compact(&Value::Object(object)) })
    }

    fn read(saved: &Saved) -> Option<Self> {
        let limits = Limits::default().with_bytes(SNAPSHOT_BYTES_MAX).with_depth(Limits::DEPTH_MAX);
        let Ok(Value::Object(mut object)) = json::read(&saved.bytes, &limits) else { return None };
        let baton = Baton::from_value(object.remove("baton")?).ok()?.about_as_long_as(saved.bytes.len()).into_owned();
        let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        let number = |name: &str| object.get(name).and_then(Value::as_u64);
        let kept = matches!(object.get("kept"), Some(Value::Bool(true)));
        let head = Head { seq: number("seq")?, digest: text("digest")? };
        let revision = Revision { baton, after: text("after")?, head };
        (revision.number() == saved.number).then_some(())?;
        Some(Self { revision, entry: None, since: usize::try_from(number("since")?).ok()?, kept })
    }
}

impl<S: Store> Board<S> {
    /// The newest revision; `None` where the board holds no baton.
    ///
    /// # Errors
    /// `store.*`; `board.broken`.
    pub fn newest(&mut self) -> Result<Option<Revision>, Refused> {
        Ok(self.newest_snapshot()?.map(|snapshot| snapshot.revision))
    }

    /// The revision that the board began with; `None` where it holds no baton.
    ///
    /// # Errors
    /// `store.*`; `board.broken`.
    pub fn first(&mut self) -> Result<Option<Revision>, Refused> {
        Ok(self.first_snapshot()?.map(|snapshot| snapshot.revision))
    }

    /// The baton at `revision`.
    ///
    /// # Errors
    /// `board.unknown_entry` where the board has no such revision; `store.*`; `board.broken`.
    pub fn checkout(&mut self, revision: u64) -> Result<Revision, Refused> {
        if self.entry_of(revision)?.is_none() {
            return Err(self.no_revision(revision)?);
        }
        Ok(self.snapshot_at(revision)?.revision)
    }

    /// The entry that made `revision`.
    ///
    /// # Errors
    /// `store.*`; `board.broken`.
    pub fn entry_of(&mut self, revision: u64) -> Result<Option<Kept>, Refused> {
        let key = baton_key(revision)?;
        for kind in [PATCH, BATON] {
            let kind = word(kind)?;
            let found = self.entry(Which::Newest { kind: &kind, key: &key, before: u64::MAX })?;
            let Some(found) = found else { continue };
            let earlier = Which::Newest { kind: &kind, key: &key, before: found.record.seq };
            let id = self.id.clone();
            if self.store.read(&id, earlier)?.is_some() {
                let detail =
                    format!("entry {} is a second one of revision {revision}: it was put in", found.record.seq);
                return Err(Refusal::new(Code::BoardBroken, "", detail).into());
            }
            return Ok(Some(found));
        }
        Ok(None)
    }

    fn no_revision(&mut self, revision: u64) -> Result<Refused, Refused> {
        let newest = self.newest()?.map(|newest| newest.number());
        let held = newest.map_or("no baton".to_owned(), |newest| format!("revisions up to {newest}"));
        let detail = format!("the board has no revision {revision} of the baton: it holds {held}");
        Ok(Refusal::new(Code::BoardUnknownEntry, "/stamp/revision", detail).into())
    }

    pub(super) fn newest_snapshot(&mut self) -> Result<Option<Snapshot>, Refused> {
        let head = self.store.head(&self.id)?;
        if let (Some(head), Some((known, snapshot))) = (&head, &self.known)
            && head == known
        {
            return Ok(Some(snapshot.clone()));
        }
        let found = self.find_newest_snapshot()?;
        self.known = head.zip(found.clone());
        Ok(found)
    }

    fn find_newest_snapshot(&mut self) -> Result<Option<Snapshot>, Refused> {
        // The newest snapshot is of the newest revision, unless somebody put an older one in its place; a board that was
        // imported has none.
        let nearest = match self.sound_snapshot(u64::MAX)? {
            Some(snapshot) => Some(snapshot),
            None => self.first_snapshot()?,
        };
        nearest.map(|snapshot| self.forward(snapshot, u64::MAX)).transpose()
    }

    /// The snapshot of exactly `revision`, which the board has.
    pub(super) fn snapshot_at(&mut self, revision: u64) -> Result<Snapshot, Refused> {
        let nearest = match self.sound_snapshot(revision)? {
            Some(snapshot) => snapshot,
            None => self.first_snapshot()?.ok_or_else(|| gap(revision))?,
        };
        let snapshot = self.forward(nearest, revision)?;
        if snapshot.revision.number() == revision { Ok(snapshot) } else { Err(gap(revision)) }
    }

    /// The snapshot at `revision`, or at the last one that the board has before it.
    fn forward(&mut self, from: Snapshot, revision: u64) -> Result<Snapshot, Refused> {
        // One with its entry was held against that when it was read.
        let (read, mut snapshot) = (from.entry.as_ref().map(|_| from.revision.number()), from);
        while snapshot.revision.number() < revision
            && let Some(entry) = self.entry_of(snapshot.revision.number().saturating_add(1))?
        {
            snapshot = advance(&snapshot, &entry)?;
        }
        if read != Some(snapshot.revision.number()) {
            check(&snapshot.revision)?;
        }
        Ok(snapshot)
    }

    /// The revision that the entry `head` made; `None` where the board does not have it, or it made none.
    ///
    /// # Errors
    /// `store.*`; `board.broken`.
    pub fn revision_of(&mut self, head: &Head) -> Result<Option<u64>, Refused> {
        let found = self.entry(Which::Seq(head.seq))?.filter(|kept| kept.head() == *head);
        Ok(found.and_then(|kept| kept.record.key.as_str().strip_prefix("baton/")?.parse().ok()))
    }

    /// The newest snapshot up to `revision` that its entry knows of.
    fn sound_snapshot(&mut self, revision: u64) -> Result<Option<Snapshot>, Refused> {
        let mut at_most = revision;
        let slot = word(BATON)?;
        loop {
            let id = self.id.clone();
            let Some(saved) = self.store.load(&id, &slot, at_most)? else { return Ok(None) };
            if let Some(mut snapshot) = Snapshot::read(&saved)
                && let Some(entry) = self.entry_of(saved.number)?
                && entry.head() == snapshot.revision.head
                && after_of(&entry.entry)? == snapshot.revision.after
                && baton_digest(&snapshot.revision.baton) == snapshot.revision.after
            {
                snapshot.entry = Some(entry);
                return Ok(Some(snapshot));
            }
            let Some(before) = saved.number.checked_sub(1) else { return Ok(None) };
            at_most = before;
        }
    }

    /// The baton that the board began with.
    fn first_snapshot(&mut self) -> Result<Option<Snapshot>, Refused> {
        let mut after = 0;
        loop {
            let page = self.page(after, 256)?;
            let Some(last) = page.last() else { return Ok(None) };
            after = last.record.seq;
            if let Some(kept) = page.iter().find(|kept| kept.record.kind.as_str() == BATON) {
                return Ok(Some(Snapshot::first(begun_with(kept)?)));
            }
        }
    }
}

/// The revision that an entry with a whole baton puts on the board.
///
/// # Errors
/// `board.broken` where the entry holds no baton.
pub fn begun_with(kept: &Kept) -> Result<Revision, Refused> {
    let baton = natural(baton_of(&kept.entry)?).about_as_long_as(kept.record.bytes.len());
    Ok(Revision { baton, after: after_of(&kept.entry)?, head: kept.head() })
}

/// The revision that the patch of `kept` makes of `before`.
///
/// # Errors
/// `board.broken` where the entry holds no patch, or one for another revision.
pub fn replay(before: &Revision, kept: &Kept) -> Result<Revision, Refused> {
    let patch = PatchData::of(&kept.entry)?;
    let unsound = || super::data::unsound(&kept.entry);
    if patch.revision != before.number().saturating_add(1) {
        return Err(unsound());
    }
    let mut lowered = patch.lowered;
    let added = lowered.remove(Field::DecisionLog.name());
    let bytes = before.baton.bytes();
    let merged = json::merge(Value::Object(before.baton.as_object().clone()), Value::Object(lowered));
    let Value::Object(mut members) = merged else { return Err(unsound()) };
    if let Some(Value::Array(mut added)) = added {
        match members.get_mut(Field::DecisionLog.name()) {
            Some(Value::Array(log)) => log.append(&mut added),
            _ => members.set(Field::DecisionLog.name(), Value::Array(added)),
        }
    }
    match members.get_mut(Field::Stamp.name()) {
        Some(Value::Object(stamp)) => patch.stamp.iter().for_each(|(name, value)| {
            stamp.set(name.to_owned(), value.clone());
        }),
        _ => members.set(Field::Stamp.name(), Value::Object(patch.stamp)),
    }
    let baton = natural(Baton::of_normal(members).about_as_long_as(bytes));
    Ok(Revision { baton, after: patch.after, head: kept.head() })
}

fn advance(snapshot: &Snapshot, kept: &Kept) -> Result<Snapshot, Refused> {
    let next = snapshot.next(replay(&snapshot.revision, kept)?, kept.record.bytes.len());
    Ok(Snapshot { entry: Some(kept.clone()), ..next })
}

/// Holds a revision that was worked out against what its entry says.
fn check(revision: &Revision) -> Result<(), Refused> {
    if baton_digest(&revision.baton) == revision.after {
        return Ok(());
    }
    let detail = format!(
        "entry {} makes another baton of the one before than it says: the board was changed behind our back",
        revision.head.seq
    );
    Err(Refusal::new(Code::BoardBroken, "", detail).into())
}

fn gap(revision: u64) -> Refused {
    let detail = format!("the board has lost the entry of revision {revision}");
    Refusal::new(Code::BoardBroken, "", detail).into()
}

/// Members in the order in which they are usually written; the canonical form has lost it.
fn natural(baton: Baton<'static>) -> Baton<'static> {
    let bytes = baton.bytes();
    let mut members = baton.into_object();
    let ordered = |name: &str| Field::named(name).map_or(Field::ALL.len(), |field| field as usize);
    members.members_mut().sort_by_key(|(name, _)| ordered(name));
    for (field, names) in ITEMS {
        let Some(Value::Array(items)) = members.get_mut(field.name()) else { continue };
        for item in items {
            if let Value::Object(item) = item {
                in_order(item, names);
            }
        }
    }
    if let Some(Value::Object(stamp)) = members.get_mut(Field::Stamp.name()) {
        in_order(stamp, &STAMP);
    }
    Baton::of_normal(members).about_as_long_as(bytes)
}

fn in_order(object: &mut Object<'_>, names: &[&str]) {
    let place = |name: &str| names.iter().position(|known| *known == name).unwrap_or(names.len());
    object.members_mut().sort_by_key(|(name, _)| place(name));
}

const ITEMS: [(Field, &[&str]); 3] = [
    (Field::DecisionLog, &["id", "decision", "rationale", "supersedes", "step", "at", "by"]),
    (Field::Artifacts, &["name", "uri", "digest", "media_type", "summary"]),
    (Field::Acceptance, &["check", "status", "evidence"]),
];

const STAMP: [&str; 9] = ["schema", "tenant", "task", "revision", "step", "at", "by", "patch", "budget"];
