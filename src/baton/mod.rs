//! The document: what it holds, how it is read, and how it is written.
//!
//! A baton is kept as one ordered JSON object in its one normal shape, so that members which nobody knows survive where
//! they stand; the types here are views of it.

mod field;
mod item;
mod read;
pub(crate) mod shape;
mod stamp;

use crate::json::{self, Object, Value};

pub(crate) use field::distance;
pub use field::{Field, Shape};
pub use item::{Artifact, Check, Decision, Status};
pub(crate) use read::{INTEGER_MAX, locate, missing_goal, next_number};
pub use stamp::{Budget, DEFAULT_BUDGET, Id, SCHEMA, Stamp, Timestamp};

/// A baton in its normal shape: shorthand expanded, every known field of its type.
///
/// It borrows from the text it was read from; [`Baton::into_owned`] lets go of it.
#[derive(Clone, Debug)]
pub struct Baton<'a> {
    members: Object<'a>,
    /// Bytes of the text it was read from: about so many it will be written in.
    bytes: usize,
}

impl PartialEq for Baton<'_> {
    /// Equal as documents.
    fn eq(&self, other: &Self) -> bool {
        self.members == other.members
    }
}

impl<'a> Baton<'a> {
    /// The member `name`, known or not.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Value<'a>> {
        self.members.get(name)
    }

    /// The document, in order.
    #[must_use]
    pub fn as_object(&self) -> &Object<'a> {
        &self.members
    }

    /// The document, in order.
    #[must_use]
    pub fn into_object(self) -> Object<'a> {
        self.members
    }

    /// The same baton, borrowing from nothing.
    #[must_use]
    pub fn into_owned(self) -> Baton<'static> {
        Baton { members: self.members.into_owned(), bytes: self.bytes }
    }

    /// What the chain is for: one sentence.
    #[must_use]
    pub fn goal(&self) -> &str {
        self.members.get(Field::Goal.name()).and_then(Value::as_str).unwrap_or_default()
    }

    /// The items of a field; none where it is absent or no list.
    #[must_use]
    pub fn items(&self, field: Field) -> &[Value<'a>] {
        self.members.get(field.name()).and_then(Value::as_array).unwrap_or_default()
    }

    /// The items of a list of strings (`current_state`, `constraints`, `open_questions`, `work_scope`).
    pub fn strings(&self, field: Field) -> impl ExactSizeIterator<Item = &str> {
        self.items(field).iter().map(|item| item.as_str().unwrap_or_default())
    }

    /// The decisions, oldest first.
    pub fn decisions(&self) -> impl DoubleEndedIterator<Item = Decision<'_>> {
        self.items(Field::DecisionLog).iter().filter_map(Value::as_object).map(Decision::of)
    }

    /// The artifacts.
    pub fn artifacts(&self) -> impl Iterator<Item = Artifact<'_>> {
        self.items(Field::Artifacts).iter().filter_map(Value::as_object).map(Artifact::of)
    }

    /// The checks of `acceptance`.
    pub fn checks(&self) -> impl Iterator<Item = Check<'_>> {
        self.items(Field::Acceptance).iter().filter_map(Value::as_object).map(Check::of)
    }

    /// The members that are no known field, in order.
    pub fn others(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        self.members.iter().filter(|(name, _)| Field::named(name).is_none())
    }

    /// The stamp; that of a baton without one is at revision 0.
    #[must_use]
    pub fn stamp(&self) -> Stamp<'_> {
        Stamp::of(self.members.get(Field::Stamp.name()).and_then(Value::as_object))
    }

    /// How many patches it has taken.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.stamp().revision
    }

    /// The document as indented JSON with a final newline, as it is kept in a file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::with_capacity(self.bytes + self.bytes / 4 + 2048);
        json::pretty_object_into(&mut text, &self.members);
        text.push('\n');
        text
    }

    /// A baton of members that are in the normal shape already.
    pub(crate) fn of_normal(members: Object<'a>) -> Self {
        Self { members, bytes: 0 }
    }

    /// The same baton, known to be about as long as `bytes` in JSON.
    pub(crate) fn about_as_long_as(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// About how many bytes it is long in JSON.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
