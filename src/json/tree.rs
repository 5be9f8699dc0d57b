//! Building a value while it is read.

use std::borrow::Cow;
use std::vec::Drain;

use super::names;
use super::read::Build;
use super::scan::RawString;
use super::value::{Number, Object, Value};

/// Makes a value. The values of all open containers stand in one list, so that each container is allocated once.
pub(super) struct Tree<'a> {
    pub(super) values: Vec<Value<'a>>,
}

impl Default for Tree<'_> {
    fn default() -> Self {
        Self { values: Vec::with_capacity(32) }
    }
}

impl<'a> Build<'a> for Tree<'a> {
    type Name = Cow<'a, str>;

    #[inline]
    fn name(&mut self, _start: usize, string: RawString<'a>) -> Cow<'a, str> {
        string.text()
    }

    #[inline]
    fn word(&mut self, value: Value<'static>) {
        self.values.push(value);
    }

    #[inline]
    fn number(&mut self, text: &'a str) {
        self.values.push(Value::Number(Number::from_text(text)));
    }

    #[inline]
    fn string(&mut self, string: RawString<'a>) {
        self.values.push(Value::String(string.text()));
    }

    #[inline]
    fn open_values(&self) -> usize {
        self.values.len()
    }

    #[inline]
    fn array(&mut self, first: usize) {
        let items = self.values.drain(first..).collect();
        self.values.push(Value::Array(items));
    }

    #[inline]
    fn object(&mut self, first: usize, names: Drain<'_, Cow<'a, str>>) {
        let members = names.zip(self.values.drain(first..)).collect();
        self.values.push(Value::Object(Object::from_members(members)));
    }

    #[inline]
    fn repeated(&self, names: &[Cow<'a, str>]) -> Option<usize> {
        names::repeated(names.len(), |place| Cow::Borrowed(names.get(place).map_or("", |name| name)))
    }
}
