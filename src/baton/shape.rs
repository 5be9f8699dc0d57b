//! One shape for every reader: shorthand is expanded and types are checked, in documents and in patches alike.

use std::borrow::Cow;

use crate::baton::field::{Field, Shape};
use crate::baton::item::Status;
use crate::baton::stamp::Id;
use crate::json::pointer::Place;
use crate::json::{Object, Value};
use crate::refusal::{Code, Refusal};
use crate::text::quote;

/// Where a `null` stands for an optional member of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// It is the same as no member, and is left out.
    Absent,
    /// It stays: the caller gives it a meaning.
    Kept,
}

/// What is being normalised, and what was found wrong with it.
pub(crate) struct Normalizer {
    code: Code,
    nulls: Nulls,
    refusals: Vec<Refusal>,
}

impl Normalizer {
    /// A normalizer that refuses with `code`.
    pub(crate) fn new(code: Code, nulls: Nulls) -> Self {
        Self { code, nulls, refusals: Vec::new() }
    }

    /// What was found wrong, in the order found.
    pub(crate) fn into_refusals(self) -> Vec<Refusal> {
        self.refusals
    }

    pub(crate) fn refuse(&mut self, at: Place<'_>, detail: impl Into<String>) {
        self.refusals.push(Refusal::new(self.code, at.pointer(), detail));
    }

    /// Gives `value` the shape of `field`. A value of another type is refused and left as it is.
    pub(crate) fn field<'a>(&mut self, field: Field, value: &mut Value<'a>, at: Place<'_>) {
        match field.shape() {
            Shape::Text => self.text(value, at),
            Shape::Managed => {}
            Shape::Strings => self.list(value, at, "a list of strings", Self::string),
            Shape::Decisions => self.list(value, at, "a list of decisions", Self::decision),
            Shape::Keyed(_) if field == Field::Artifacts => self.list(value, at, "a list of artifacts", Self::artifact),
            Shape::Keyed(_) => self.list(value, at, "a list of checks", Self::check),
        }
    }

    fn text(&mut self, value: &Value<'_>, at: Place<'_>) {
        if value.as_str().is_none() {
            self.refuse(at, format!("expected a string, found {}", value.kind()));
        }
    }

    /// A list: an array, or a lone string, which is a list of one.
    pub(crate) fn list<'a>(
        &mut self,
        value: &mut Value<'a>,
        at: Place<'_>,
        expected: &str,
        item: fn(&mut Self, &mut Value<'a>, Place<'_>),
    ) {
        if matches!(value, Value::String(_)) {
            let lone = std::mem::replace(value, Value::Null);
            *value = Value::Array(vec![lone]);
        }
        let Value::Array(items) = value else {
            self.refuse(at, format!("expected {expected}, found {}", value.kind()));
            return;
        };
        for (index, entry) in items.iter_mut().enumerate() {
            item(self, entry, at.item(index));
        }
    }

    fn string(&mut self, value: &mut Value<'_>, at: Place<'_>) {
        if value.as_str().is_none() {
            self.refuse(at, format!("expected a string, found {}", value.kind()));
        }
    }

    fn decision(&mut self, value: &mut Value<'_>, at: Place<'_>) {
        if let Some(object) = self.object(value, "decision", at) {
            self.members(Field::DecisionLog, "decision", "the member `decision` is missing", object, at);
        }
    }

    fn artifact(&mut self, value: &mut Value<'_>, at: Place<'_>) {
        let Some(object) = self.object(value, "name", at) else { return };
        if object.get("name").is_none() {
            let named = ["id", "path", "uri"].into_iter().find_map(|name| match object.get(name) {
                Some(Value::String(text)) => Some(text.clone()),
                _ => None,
            });
            if let Some(name) = named {
                object.set("name", Value::String(name));
            }
        }
        let missing = "an artifact needs a `name` (or `id`, `path` or `uri`)";
        self.members(Field::Artifacts, "name", missing, object, at);
    }

    fn check(&mut self, value: &mut Value<'_>, at: Place<'_>) {
        if let Some(object) = self.object(value, "check", at) {
            self.members(Field::Acceptance, "check", "the member `check` is missing", object, at);
        }
    }

    /// Checks the known members of an item, of which `key` is required: without it the item is refused as `missing` says.
    fn members(&mut self, field: Field, key: &str, missing: &str, object: &mut Object<'_>, at: Place<'_>) {
        if self.nulls == Nulls::Absent {
            without_nulls(field, object);
        }
        let mut keyed = false;
        for (name, value) in object.iter_mut() {
            keyed |= name == key;
            if let Some(member) = Member::of(field, name) {
                self.member(member, name, value, at);
            }
        }
        if !keyed {
            self.refuse(at, missing);
        }
    }

    fn member(&mut self, member: Member, name: &str, value: &mut Value<'_>, at: Place<'_>) {
        let place = at.member(name);
        match (member, &*value) {
            (Member::Key, Value::String(text)) if text.trim().is_empty() => {
                self.refuse(place, format!("`{name}` is empty"));
            }
            (Member::Id, Value::String(text)) if !Id::is_valid(text) => {
                let rule = "ids are visible ASCII without spaces, at most 128 bytes";
                self.refuse(place, format!("{} is no id: {rule}", quote(text)));
            }
            (Member::Status, Value::Null) => {}
            (Member::Status, found) if found.as_str().and_then(Status::named).is_none() => {
                let expected = "expected `pending`, `passed`, `failed` or `waived`";
                self.refuse(place, format!("{expected}, found {}", describe(found)));
            }
            (_, Value::String(_)) if member != Member::Ids => {}
            (Member::Id | Member::Text | Member::Ids, Value::Null) => {}
            (Member::Ids, _) => self.list(value, place, "a list of decision ids", Self::string),
            (_, other) => self.refuse(place, format!("expected a string, found {}", other.kind())),
        }
    }

    /// The object of an item; a string becomes an object with the member `key`.
    fn object<'v, 'a>(
        &mut self,
        value: &'v mut Value<'a>,
        key: &'static str,
        at: Place<'_>,
    ) -> Option<&'v mut Object<'a>> {
        if matches!(value, Value::String(_)) {
            let text = std::mem::replace(value, Value::Null);
            *value = Value::Object(Object::from_members(vec![(Cow::Borrowed(key), text)]));
        }
        if let Value::Object(object) = value {
            return Some(object);
        }
        self.refuse(at, format!("expected a string or an object with `{key}`, found {}", value.kind()));
        None
    }
}

/// What a known member of an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    /// The text or name of the item, which is required.
    Key,
    /// A string that may be left out.
    Text,
    /// An id that may be left out.
    Id,
    /// A list of ids that may be left out.
    Ids,
    /// The status of a check.
    Status,
}

impl Member {
    fn of(field: Field, name: &str) -> Option<Self> {
        Some(match (field, name) {
            (Field::DecisionLog, "decision") | (Field::Artifacts, "name") | (Field::Acceptance, "check") => Self::Key,
            (Field::DecisionLog, "id" | "step" | "by") => Self::Id,
            (Field::DecisionLog, "supersedes") => Self::Ids,
            (Field::DecisionLog, "rationale" | "at") => Self::Text,
            (Field::Artifacts, "uri" | "digest" | "media_type" | "summary") => Self::Text,
            (Field::Acceptance, "evidence") => Self::Text,
            (Field::Acceptance, "status") => Self::Status,
            _ => return None,
        })
    }

    fn is_optional(self) -> bool {
        self != Self::Key
    }
}

/// Gives a check without a status the status `pending`.
pub(crate) fn complete_check(check: &mut Object<'_>) {
    if check.get("status").is_none_or(Value::is_null) {
        check.set("status", Value::string(Status::Pending.name()));
    }
}

/// Leaves out the optional members of an item of `field` that are `null`. Unknown members stay as they are.
pub(crate) fn without_nulls(field: Field, object: &mut Object<'_>) {
    if object.iter().any(|(_, value)| value.is_null()) {
        let optional = |name: &str| Member::of(field, name).is_some_and(Member::is_optional);
        object.members_mut().retain(|(name, value)| !(value.is_null() && optional(name)));
    }
}

fn describe(value: &Value<'_>) -> String {
    value.as_str().map_or_else(|| value.kind().to_owned(), quote)
}
