//! The merge: an admitted patch becomes part of the baton, and the stamp says so.

use std::borrow::Cow;

use crate::attribution::Attribution;
use crate::baton::{Baton, Field, SCHEMA};
use crate::guard::Admitted;
use crate::json;
use crate::json::{Object, Value};
use crate::refusal::Notice;

/// A baton at its next revision.
#[derive(Clone, Debug)]
pub struct Merged<'a> {
    pub(crate) baton: Baton<'a>,
    pub(crate) changed: Vec<String>,
    pub(crate) notices: Vec<Notice>,
}

impl<'a> Merged<'a> {
    /// The baton.
    #[must_use]
    pub fn baton(&self) -> &Baton<'a> {
        &self.baton
    }

    /// The members that changed, as JSON Pointers; without the stamp, which always does.
    #[must_use]
    pub fn changed(&self) -> &[String] {
        &self.changed
    }

    /// What is worth knowing.
    #[must_use]
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }
}

/// Merges `admitted` into `baton` (RFC 7396, section 2) and stamps it: one more revision, by `attribution`, made from
/// the text with the digest `patch`.
///
/// Members that are kept keep their place, new ones come last in patch order.
#[must_use]
pub fn merge<'a>(baton: Baton<'a>, admitted: Admitted<'a>, attribution: &Attribution, patch: &str) -> Merged<'a> {
    let Admitted { lowered, changed } = admitted;
    let stamp = next_stamp(&baton, attribution, patch);
    let bytes = baton.bytes();
    let target = Value::Object(baton.into_object());
    let merged = json::merge(target, Value::Object(lowered.sets));
    let mut members = if let Value::Object(members) = merged { members } else { Object::new() };
    append(&mut members, lowered.decisions);
    members.set(Field::Stamp.name(), Value::Object(stamp));
    Merged { baton: Baton::of_normal(members).about_as_long_as(bytes), changed, notices: lowered.notices }
}

/// The whole plain RFC 7396 patch, stamp included, that [`merge`] applies to `baton`: with it any implementation of
/// RFC 7396 comes to the same baton.
#[must_use]
pub fn plain_patch<'a>(
    baton: &Baton<'a>,
    admitted: &Admitted<'a>,
    attribution: &Attribution,
    patch: &str,
) -> Object<'a> {
    let mut plain = admitted.lowered.to_patch(baton);
    // Only what changes: a `null` that stands in the stamp would otherwise remove itself.
    let next = Value::Object(next_stamp(baton, attribution, patch));
    let stamp = match baton.member(Field::Stamp.name()) {
        Some(standing) => json::difference(standing, &next).0,
        None => next,
    };
    plain.set(Field::Stamp.name(), stamp);
    plain
}

fn append<'a>(members: &mut Object<'a>, mut decisions: Vec<Value<'a>>) {
    if decisions.is_empty() {
        return;
    }
    let name = Field::DecisionLog.name();
    match members.get_mut(name) {
        Some(Value::Array(log)) => log.append(&mut decisions),
        _ => members.set(name, Value::Array(decisions)),
    }
}

fn next_stamp<'a>(baton: &Baton<'a>, attribution: &Attribution, patch: &str) -> Object<'a> {
    let mut stamp = baton.member(Field::Stamp.name()).and_then(Value::as_object).cloned().unwrap_or_default();
    let text = |text: &str| Value::String(Cow::Owned(text.to_owned()));
    if stamp.get("schema").is_none() {
        stamp.set("schema", Value::string(SCHEMA));
    }
    stamp.set("revision", Value::integer(baton.revision().saturating_add(1)));
    stamp.set("step", text(attribution.step.as_str()));
    stamp.set("at", text(attribution.at.as_str()));
    stamp.set("by", text(attribution.by.as_str()));
    stamp.set("patch", text(patch));
    stamp
}
