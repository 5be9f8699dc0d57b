//! Building a value while it is read.

use std::borrow::Cow;

use super::names;
use super::read::Build;
use super::scan::RawString;
use super::value::{Number, Object, Value};

/// Makes a value.
///
/// The items of all open arrays stand in one list and the members of all open objects in another, so that each container
/// is allocated once, when it ends. Nothing is passed on by value where it can be written in place: that costs more than
/// reading it.
pub(super) struct Tree<'a> {
    items: Vec<Value<'a>>,
    members: Vec<(Cow<'a, str>, Value<'a>)>,
    /// The innermost container, and those around it.
    open: Open,
    around: Vec<Open>,
}

#[derive(Clone, Copy)]
struct Open {
    object: bool,
    /// Where its items or members start in their list.
    first: usize,
}

impl Default for Tree<'_> {
    fn default() -> Self {
        let (items, members) = (Vec::with_capacity(16), Vec::with_capacity(32));
        // The whole value stands in a list of its own.
        Self { items, members, open: Open { object: false, first: 0 }, around: Vec::with_capacity(8) }
    }
}

impl<'a> Tree<'a> {
    /// The value that was read.
    pub(super) fn into_value(mut self) -> Value<'a> {
        self.items.pop().unwrap_or(Value::Null)
    }

    /// Where the next value belongs: a `null` until it is written.
    #[inline]
    fn slot(&mut self) -> Option<&mut Value<'a>> {
        if self.open.object {
            return self.members.last_mut().map(|(_, slot)| slot);
        }
        self.items.push(Value::Null);
        self.items.last_mut()
    }

    #[inline]
    fn put(&mut self, value: Value<'a>) {
        if let Some(slot) = self.slot() {
            write(slot, value);
        }
    }

    #[inline]
    fn leave(&mut self) -> usize {
        let first = self.open.first;
        if let Some(around) = self.around.pop() {
            self.open = around;
        }
        first
    }
}

impl<'a> Build<'a> for Tree<'a> {
    #[inline]
    fn open(&mut self, object: bool) {
        self.around.push(self.open);
        self.open = Open { object, first: if object { self.members.len() } else { self.items.len() } };
    }

    #[inline]
    fn name(&mut self, _start: usize, string: RawString<'a>) {
        // Unlike `push`, this makes room first and then writes in place.
        self.members.resize_with(self.members.len() + 1, || (Cow::Borrowed(""), Value::Null));
        if let Some((name, _)) = self.members.last_mut() {
            if string.escaped {
                *name = string.text();
            } else {
                write(name, Cow::Borrowed(string.raw));
            }
        }
    }

    #[inline]
    fn word(&mut self, value: Value<'static>) {
        self.put(value);
    }

    #[inline]
    fn number(&mut self, text: &'a str) {
        if let Some(slot) = self.slot() {
            write(slot, Value::Number(Number::from_text(text)));
        }
    }

    #[inline]
    fn string(&mut self, string: RawString<'a>) {
        if let Some(slot) = self.slot() {
            if string.escaped {
                *slot = Value::String(string.text());
            } else {
                write(slot, Value::String(Cow::Borrowed(string.raw)));
            }
        }
    }

    #[inline]
    fn array(&mut self) {
        let first = self.leave();
        let items = split_off(&mut self.items, first);
        self.put(Value::Array(items));
    }

    #[inline]
    fn object(&mut self) -> Result<(), usize> {
        let first = self.leave();
        let members = split_off(&mut self.members, first);
        if let Some(place) = repeated(&members) {
            return Err(place);
        }
        self.put(Value::Object(Object::from_members(members)));
        Ok(())
    }
}

/// Writes over a placeholder, which owns nothing that has to be dropped.
#[inline]
fn write<T>(slot: &mut T, value: T) {
    std::mem::forget(std::mem::replace(slot, value));
}

/// The elements from `first` on, in a list of their own and of their size.
#[inline]
fn split_off<T>(list: &mut Vec<T>, first: usize) -> Vec<T> {
    if first == list.len() {
        return Vec::new();
    }
    if first > 0 {
        return list.split_off(first);
    }
    // A list that is split at its start would be given away with all its room.
    let mut own = Vec::with_capacity(list.len());
    own.append(list);
    own
}

fn repeated(members: &[(Cow<'_, str>, Value<'_>)]) -> Option<usize> {
    names::repeated(members.len(), |place| Cow::Borrowed(members.get(place).map_or("", |(name, _)| name)))
}
