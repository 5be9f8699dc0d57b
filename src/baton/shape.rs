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
        let Some(object) = self.object(value, "decision", at) else { return };
        self.required_text(object, "decision", at);
        self.optional_texts(object, &["rationale", "at"], at);
        for name in ["id", "step", "by"] {
            self.optional_id(object, name, at);
        }
        self.optional_ids(object, "supersedes", at);
    }

    fn artifact(&mut self, value: &mut Value<'_>, at: Place<'_>) {
        let Some(object) = self.object(value, "name", at) else { return };
        if object.get("name").is_none() {
            let named = ["id", "path", "uri"].into_iter().find_map(|name| match object.get(name) {
                Some(Value::String(text)) => Some(text.clone()),
                _ => None,
            });
            match named {
                Some(name) => object.set("name", Value::String(name)),
                None => return self.refuse(at, "an artifact needs a `name` (or `id`, `path` or `uri`)"),
            }
        }
        self.required_text(object, "name", at);
        self.optional_texts(object, &["uri", "digest", "media_type", "summary"], at);
    }

    fn check(&mut self, value: &mut Value<'_>, at: Place<'_>) {
        let Some(object) = self.object(value, "check", at) else { return };
        self.required_text(object, "check", at);
        self.optional_texts(object, &["evidence"], at);
        if self.nulls == Nulls::Absent {
            remove_null(object, "status");
        }
        let known = object.get("status").is_none_or(|status| status.as_str().and_then(Status::named).is_some());
        if !known {
            let found = object.get("status").map(describe).unwrap_or_default();
            let expected = "expected `pending`, `passed`, `failed` or `waived`";
            self.refuse(at.member("status"), format!("{expected}, found {found}"));
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

    fn required_text(&mut self, object: &Object<'_>, name: &'static str, at: Place<'_>) {
        match object.get(name) {
            None => self.refuse(at, format!("the member `{name}` is missing")),
            Some(Value::String(text)) if text.trim().is_empty() => {
                self.refuse(at.member(name), format!("`{name}` is empty"));
            }
            Some(Value::String(_)) => {}
            Some(other) => self.refuse(at.member(name), format!("expected a string, found {}", other.kind())),
        }
    }

    fn optional_texts(&mut self, object: &mut Object<'_>, names: &[&str], at: Place<'_>) {
        for name in names {
            match object.get(name) {
                None | Some(Value::String(_)) => {}
                Some(Value::Null) if self.nulls == Nulls::Kept => {}
                Some(Value::Null) => remove_null(object, name),
                Some(other) => {
                    self.refuse(at.member(name), format!("expected a string, found {}", other.kind()));
                }
            }
        }
    }

    fn optional_id(&mut self, object: &mut Object<'_>, name: &str, at: Place<'_>) {
        self.optional_texts(object, &[name], at);
        if let Some(text) = object.get(name).and_then(Value::as_str)
            && !Id::is_valid(text)
        {
            let detail = format!("{} is no id: ids are visible ASCII without spaces, at most 128 bytes", quote(text));
            self.refuse(at.member(name), detail);
        }
    }

    fn optional_ids(&mut self, object: &mut Object<'_>, name: &str, at: Place<'_>) {
        if self.nulls == Nulls::Absent {
            remove_null(object, name);
        }
        if let Some(ids) = object.get_mut(name)
            && !ids.is_null()
        {
            self.list(ids, at.member(name), "a list of decision ids", Self::string);
        }
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
    let optional: &[&str] = match field {
        Field::DecisionLog => &["id", "rationale", "supersedes", "step", "at", "by"],
        Field::Artifacts => &["uri", "digest", "media_type", "summary"],
        Field::Acceptance => &["status", "evidence"],
        _ => &[],
    };
    for name in optional {
        remove_null(object, name);
    }
}

fn remove_null(object: &mut Object<'_>, name: &str) {
    if object.get(name).is_some_and(Value::is_null) {
        object.remove(name);
    }
}

fn describe(value: &Value<'_>) -> String {
    value.as_str().map_or_else(|| value.kind().to_owned(), quote)
}
