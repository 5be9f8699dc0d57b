//! What the entries of the baton hold.

use crate::attribution::Attribution;
use crate::baton::{Baton, Field, Id};
use crate::board::{BATON, PATCH, word};
use crate::entry::Entry;
use crate::json::{Object, Value};
use crate::refusal::{Code, Notice, Refusal, Refused};
use crate::relay::Parts;

/// The key of the entry that made a revision: `baton/REVISION`.
///
/// # Errors
/// Never: the type is that of every other key.
pub fn baton_key(revision: u64) -> Result<Id, Refused> {
    word(&format!("baton/{revision}"))
}

/// What the entry of a patch holds.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchData {
    /// The revision that it made.
    pub revision: u64,
    /// The revision that it was made from.
    pub base: u64,
    /// As the agent wrote it.
    pub submitted: Value<'static>,
    /// The plain RFC 7396 patch that was merged; of the decision log only what was added, and without the stamp.
    pub lowered: Object<'static>,
    /// The stamp after.
    pub stamp: Object<'static>,
    /// The digest of the baton after.
    pub after: String,
}

/// What is told of a patch beside its parts.
pub(super) struct Told<'t> {
    pub(super) base: u64,
    pub(super) notices: &'t [Notice],
    pub(super) allowed: &'t [String],
    pub(super) attribution: &'t Attribution,
    pub(super) after: &'t str,
}

/// The data of a patch's entry.
pub(super) fn of_patch(parts: Parts<'_>, after: &Baton<'_>, told: &Told<'_>) -> Value<'static> {
    let mut lowered = parts.sets.into_owned();
    if !parts.decisions.is_empty() {
        let added = parts.decisions.into_iter().map(Value::into_owned).collect();
        lowered.set(Field::DecisionLog.name(), Value::Array(added));
    }
    let stamp = after.member(Field::Stamp.name()).cloned().unwrap_or(Value::Null);
    let mut data = Object::new();
    data.set("revision", Value::integer(after.revision()));
    data.set("base", Value::integer(told.base));
    data.set("submitted", Value::Object(parts.submitted.into_owned()));
    data.set("lowered", Value::Object(lowered));
    data.set("stamp", stamp.into_owned());
    data.set("notices", Value::Array(told.notices.iter().map(notice).collect()));
    if !told.allowed.is_empty() {
        let allowed = told.allowed.iter().map(|name| Value::string(name.clone()));
        data.set("allowed", Value::Array(allowed.collect()));
    }
    if parts.repaired {
        data.set("repaired", Value::Bool(true));
    }
    data.set("after", Value::string(told.after.to_owned()));
    Value::Object(data)
}

fn notice(notice: &Notice) -> Value<'static> {
    let mut object = Object::new();
    object.set("code", Value::string(notice.code));
    object.set("at", Value::string(notice.at.clone()));
    object.set("detail", Value::string(notice.detail.clone()));
    Value::Object(object)
}

impl PatchData {
    /// What `entry` holds, which is a patch's.
    ///
    /// # Errors
    /// `board.broken` where it is no patch's.
    pub fn of(entry: &Entry) -> Result<Self, Refused> {
        Self::read(entry).ok_or_else(|| unsound(entry))
    }

    fn read(entry: &Entry) -> Option<Self> {
        let data = entry.draft.data.as_object()?;
        let object = |name: &str| data.get(name).and_then(Value::as_object).cloned();
        let number = |name: &str| data.get(name).and_then(Value::as_u64);
        (entry.draft.kind.as_str() == PATCH).then_some(())?;
        Some(Self {
            revision: number("revision")?,
            base: number("base")?,
            submitted: data.get("submitted")?.clone(),
            lowered: object("lowered")?,
            stamp: object("stamp")?,
            after: data.get("after")?.as_str()?.to_owned(),
        })
    }
}

/// The data of an entry that holds a whole baton.
pub(super) fn of_baton(baton: &Baton<'_>, after: &str) -> Value<'static> {
    let mut data = Object::new();
    data.set("baton", Value::Object(baton.as_object().clone().into_owned()));
    data.set("after", Value::string(after.to_owned()));
    Value::Object(data)
}

/// The baton that `entry` holds whole.
pub(super) fn baton_of(entry: &Entry) -> Result<Baton<'static>, Refused> {
    let held = (entry.draft.kind.as_str() == BATON).then_some(&entry.draft.data);
    let held = held.and_then(Value::as_object).and_then(|data| data.get("baton"));
    Baton::from_value(held.cloned().ok_or_else(|| unsound(entry))?)
}

/// The digest of the baton that `entry` made.
pub(super) fn after_of(entry: &Entry) -> Result<String, Refused> {
    let after = entry.draft.data.as_object().and_then(|data| data.get("after")).and_then(Value::as_str);
    after.map(str::to_owned).ok_or_else(|| unsound(entry))
}

pub(super) fn unsound(entry: &Entry) -> Refused {
    let detail = format!("entry {} does not hold what an entry of kind `{}` holds", entry.seq, entry.draft.kind);
    Refusal::new(Code::BoardBroken, "", detail).into()
}
