//! Members of one object of a charter, each read as what it has to be.

use std::collections::BTreeSet;

use super::faults::{Faults, Place};
use crate::json::{Object, Value};
use crate::text::quote;

/// An object of which every member is known.
#[derive(Clone)]
pub(super) struct Table<'v> {
    object: Option<&'v Object<'static>>,
    pub(super) place: Place,
}

impl<'v> Table<'v> {
    /// `value` as an object that has no other members than `known`; what is wrong with it is told.
    pub(super) fn open(
        value: &'v Value<'static>,
        place: Place,
        what: &str,
        known: &[&str],
        faults: &mut Faults,
    ) -> Self {
        let object = value.as_object();
        if object.is_none() {
            faults.member(&place, format!("{what} is an object, found {}", value.kind()));
        }
        for (name, _) in object.into_iter().flat_map(Object::iter).filter(|(name, _)| !known.contains(name)) {
            let meant = faults.meant(name, known.iter().copied());
            let names = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let help = if meant.is_empty() { format!("; there is {names}") } else { meant };
            faults.member(&place.child(name), format!("{} is no member of {what}{help}", quote(name)));
        }
        Self { object, place }
    }

    /// The member, if it is there.
    pub(super) fn get(&self, name: &str) -> Option<&'v Value<'static>> {
        self.object?.get(name)
    }

    /// The member, which has to be there; `how` says what it is.
    pub(super) fn required(&self, name: &str, how: &str, faults: &mut Faults) -> Option<&'v Value<'static>> {
        let found = self.get(name);
        if found.is_none() && self.object.is_some() {
            faults.member(&self.place.child(name), format!("`{name}` is missing: {how}"));
        }
        found
    }

    /// The names and values of an object of declarations; none where there is none.
    pub(super) fn members(&self, name: &str, faults: &mut Faults) -> Vec<(&'v str, &'v Value<'static>, Place)> {
        let place = self.place.child(name);
        match self.get(name) {
            None => Vec::new(),
            Some(Value::Object(object)) => {
                object.iter().map(|(name, value)| (name, value, place.child(name))).collect()
            }
            Some(other) => {
                faults.member(
                    &place,
                    format!("`{name}` is an object with one member for each name, found {}", other.kind()),
                );
                Vec::new()
            }
        }
    }

    pub(super) fn text(&self, name: &str, faults: &mut Faults) -> Option<String> {
        match self.get(name)? {
            Value::String(text) => Some(text.to_string()),
            other => {
                faults.member(&self.place.child(name), format!("`{name}` is a string, found {}", other.kind()));
                None
            }
        }
    }

    pub(super) fn flag(&self, name: &str, or: bool, faults: &mut Faults) -> bool {
        match self.get(name) {
            None => or,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                let detail = format!("`{name}` is `true` or `false`, found {}", other.kind());
                faults.member(&self.place.child(name), detail);
                or
            }
        }
    }

    /// A whole number from 0 to 2^53-1.
    pub(super) fn number(&self, name: &str, faults: &mut Faults) -> Option<u64> {
        let value = self.get(name)?;
        let number = value.as_u64().filter(|number| *number < 1 << 53);
        if number.is_none() {
            let found = match value {
                Value::Number(number) => quote(number.as_str()),
                other => other.kind().to_owned(),
            };
            let detail =
                format!("`{name}` is a whole number from 0 to 2^53-1 without fraction or exponent, found {found}");
            faults.member(&self.place.child(name), detail);
        }
        number
    }

    /// A limit: a whole number of at least 1.
    pub(super) fn limit(&self, name: &str, faults: &mut Faults) -> Option<u64> {
        let number = self.number(name, faults)?;
        if number == 0 {
            let detail = format!("`{name}` is at least 1: leave it out for no limit of its own");
            faults.rule(&self.place.child(name), detail);
            return None;
        }
        Some(number)
    }

    /// A list of strings, each with its place; none that is there twice.
    pub(super) fn texts(&self, name: &str, faults: &mut Faults) -> Option<Vec<(&'v str, Place)>> {
        let (value, place) = (self.get(name)?, self.place.child(name));
        let Some(items) = value.as_array() else {
            faults.member(&place, format!("`{name}` is a list of strings, found {}", value.kind()));
            return None;
        };
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item {
                Value::String(text) => texts.push((text.as_ref(), place.item(index))),
                other => {
                    let detail = format!("`{name}` is a list of strings, found {} in it", other.kind());
                    faults.member(&place.item(index), detail);
                }
            }
        }
        Some(texts)
    }

    /// As [`Self::texts`], and what stands twice is told and left out.
    pub(super) fn distinct(&self, name: &str, faults: &mut Faults) -> Option<Vec<(&'v str, Place)>> {
        let mut texts = self.texts(name, faults)?;
        let mut seen = BTreeSet::new();
        texts.retain(|(text, place)| {
            let is_new = seen.insert(*text);
            if !is_new {
                faults.name(place, format!("{} stands in `{name}` twice: remove one", quote(text)));
            }
            is_new
        });
        Some(texts)
    }
}
