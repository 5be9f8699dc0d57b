//! Merge patches (RFC 7396) on values: applying one, and finding the one between two values.

use std::borrow::Cow;

use super::names::Index;
use super::pointer;
use super::value::{Object, Value};

type Members<'a> = Vec<(Cow<'a, str>, Value<'a>)>;

/// `target` after `patch` (RFC 7396, section 2).
///
/// Kept members keep their place, replaced ones too; new ones come last, in the order of the patch. A `null` deletes, also
/// within new objects; within arrays it stays.
#[must_use]
pub fn merge<'a>(target: Value<'a>, patch: Value<'a>) -> Value<'a> {
    let Value::Object(patch) = patch else {
        return patch;
    };
    let mut members = match target {
        Value::Object(object) => object.into_members(),
        _ => Vec::new(),
    };
    let places = Places::of(&members, patch.len()).find_all(&members, &patch);
    let mut deleted = vec![false; if patch.iter().any(|(_, value)| value.is_null()) { members.len() } else { 0 }];
    for ((name, value), place) in patch.into_members().into_iter().zip(places) {
        match place {
            Some(place) if value.is_null() => mark(&mut deleted, place),
            Some(place) => replace(&mut members, place, value),
            None if value.is_null() => {}
            None => members.push((name, merge(Value::Null, value))),
        }
    }
    let mut deleted = deleted.into_iter();
    members.retain(|_| !deleted.next().unwrap_or(false));
    Value::Object(Object::from_members(members))
}

fn mark(deleted: &mut [bool], place: usize) {
    if let Some(mark) = deleted.get_mut(place) {
        *mark = true;
    }
}

fn replace<'a>(members: &mut Members<'a>, place: usize, patch: Value<'a>) {
    if let Some((_, slot)) = members.get_mut(place) {
        let old = std::mem::replace(slot, Value::Null);
        *slot = merge(old, patch);
    }
}

/// Where names stand among members: looked for one by one, or, where that is many comparisons, by an index.
pub(super) enum Places {
    Few,
    Many(Index),
}

/// Up to this many comparisons of names are made one by one.
const COMPARISONS_MAX: usize = 512;

impl Places {
    /// A way to look `lookups` names up among `members`.
    pub(super) fn of(members: &[(Cow<'_, str>, Value<'_>)], lookups: usize) -> Self {
        if members.len().saturating_mul(lookups) <= COMPARISONS_MAX {
            return Self::Few;
        }
        Self::Many(Index::of(members.len(), &|place| name_at(members, place)))
    }

    /// The place of the member `name`.
    pub(super) fn find(&self, members: &[(Cow<'_, str>, Value<'_>)], name: &str) -> Option<usize> {
        match self {
            Self::Few => members.iter().position(|(known, _)| known == name),
            Self::Many(index) => index.find(name, &|place| name_at(members, place)),
        }
    }

    fn find_all(&self, members: &[(Cow<'_, str>, Value<'_>)], patch: &Object<'_>) -> Vec<Option<usize>> {
        patch.iter().map(|(name, _)| self.find(members, name)).collect()
    }
}

fn name_at<'m>(members: &'m [(Cow<'_, str>, Value<'_>)], place: usize) -> Cow<'m, str> {
    Cow::Borrowed(members.get(place).map_or("", |(name, _)| name))
}

/// The merge patch that makes `to` of `from`, and the pointers of the `null` members of `to` that no merge patch can set.
///
/// Where there is no such pointer, `merge(from, patch)` equals `to`. Arrays that differ are in the patch whole.
#[must_use]
pub fn difference<'a>(from: &Value<'a>, to: &Value<'a>) -> (Value<'a>, Vec<String>) {
    let mut inexpressible = Vec::new();
    let patch = match (from, to) {
        (Value::Object(from), Value::Object(to)) => object_difference(from, to, "", &mut inexpressible),
        _ => {
            nulls_into(&mut inexpressible, to, "");
            to.clone()
        }
    };
    (patch, inexpressible)
}

fn object_difference<'a>(from: &Object<'a>, to: &Object<'a>, at: &str, inexpressible: &mut Vec<String>) -> Value<'a> {
    let mut patch = Vec::new();
    let old = Places::of(from.members(), to.len());
    for (name, new) in to.members() {
        let known = old.find(from.members(), name).and_then(|place| from.members().get(place));
        match (known.map(|(_, value)| value), new) {
            (Some(Value::Null), Value::Null) => {}
            (_, Value::Null) => inexpressible.push(pointer::child(at, name)),
            (Some(Value::Object(known)), Value::Object(new)) => {
                let inner = object_difference(known, new, &pointer::child(at, name), inexpressible);
                if inner.as_object().is_some_and(|inner| !inner.is_empty()) {
                    patch.push((name.clone(), inner));
                }
            }
            (Some(known), new) if known == new => {}
            _ => {
                nulls_into(inexpressible, new, &pointer::child(at, name));
                patch.push((name.clone(), new.clone()));
            }
        }
    }
    let kept = Places::of(to.members(), from.len());
    let gone = from.members().iter().filter(|(name, _)| kept.find(to.members(), name).is_none());
    patch.extend(gone.map(|(name, _)| (name.clone(), Value::Null)));
    Value::Object(Object::from_members(patch))
}

/// Adds the pointers of the `null` members in `value`, which stands at `at`, arrays aside.
fn nulls_into(pointers: &mut Vec<String>, value: &Value<'_>, at: &str) {
    if let Value::Object(object) = value {
        for (name, member) in object.iter() {
            match member {
                Value::Null => pointers.push(pointer::child(at, name)),
                Value::Object(_) => nulls_into(pointers, member, &pointer::child(at, name)),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
#[path = "merge_patch_test.rs"]
mod tests;
