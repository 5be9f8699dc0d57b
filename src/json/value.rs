//! A JSON value that borrows from the text it was read from and keeps member order and number text.

use std::borrow::Cow;

use super::number;

/// A JSON value (RFC 8259).
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(Number<'a>),
    /// A string, unescaped.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object.
    Object(Object<'a>),
}

/// A number in the spelling in which it was written, so that nothing is rounded on the way through.
#[derive(Clone, Debug)]
pub struct Number<'a> {
    text: Cow<'a, str>,
}

/// An object: members in order, each name once.
#[derive(Clone, Debug, Default)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> Value<'a> {
    /// A string value.
    #[must_use]
    pub fn string(text: impl Into<Cow<'a, str>>) -> Self {
        Self::String(text.into())
    }

    /// An integer value.
    #[must_use]
    pub fn integer(value: u64) -> Self {
        Self::Number(Number { text: Cow::Owned(value.to_string()) })
    }

    /// What it is, with its article, for messages: `a string`, `null`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The items of an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The object, if it is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object<'a>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// A number that is an integer from 0 to 2^64−1, written without fraction or exponent.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Number(number) = self { number.text.parse().ok() } else { None }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The same value, borrowing from nothing.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => Value::Number(Number { text: Cow::Owned(number.text.into_owned()) }),
            Self::String(text) => Value::String(Cow::Owned(text.into_owned())),
            Self::Array(items) => Value::Array(items.into_iter().map(Value::into_owned).collect()),
            Self::Object(object) => Value::Object(object.into_owned()),
        }
    }
}

impl<'a> Number<'a> {
    /// A number from text that the reader found to be a JSON number.
    pub(crate) fn from_text(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into() }
    }

    /// The number as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<'a> Object<'a> {
    /// An empty object.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An object of `members`, whose names the caller knows to be distinct.
    pub(crate) fn from_members(members: Vec<(Cow<'a, str>, Value<'a>)>) -> Self {
        Self { members }
    }

    /// How many members it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it has no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The value of the member `name`. Takes time in the number of members.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The value of the member `name`, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value<'a>> {
        self.members.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value<'a>)> {
        self.members.iter().map(|(name, value)| (name.as_ref(), value))
    }

    /// The members in order, to change their values.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&str, &mut Value<'a>)> {
        self.members.iter_mut().map(|(name, value)| (&**name, value))
    }

    /// Sets a member: one that is there keeps its place, a new one comes last.
    pub fn set(&mut self, name: impl Into<Cow<'a, str>>, value: Value<'a>) {
        let name = name.into();
        match self.get_mut(&name) {
            Some(known) => *known = value,
            None => self.members.push((name, value)),
        }
    }

    /// Adds a member that the caller knows to be new.
    pub(crate) fn push_distinct(&mut self, name: Cow<'a, str>, value: Value<'a>) {
        self.members.push((name, value));
    }

    /// Removes and returns a member; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value<'a>> {
        let at = self.members.iter().position(|(known, _)| known == name)?;
        Some(self.members.remove(at).1)
    }

    /// The members, in order.
    pub(crate) fn members(&self) -> &[(Cow<'a, str>, Value<'a>)] {
        &self.members
    }

    /// The members, in order, to change them. Names must stay distinct.
    pub(crate) fn members_mut(&mut self) -> &mut Vec<(Cow<'a, str>, Value<'a>)> {
        &mut self.members
    }

    /// The members, in order, by value.
    pub(crate) fn into_members(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        self.members
    }

    /// The same object, borrowing from nothing.
    #[must_use]
    pub fn into_owned(self) -> Object<'static> {
        let members = self.members.into_iter();
        Object { members: members.map(|(name, value)| (Cow::Owned(name.into_owned()), value.into_owned())).collect() }
    }
}

impl PartialEq for Value<'_> {
    /// Equal as JSON values: member order and number spelling do not count.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(two)) => one == two,
            (Self::Number(one), Self::Number(two)) => one == two,
            (Self::String(one), Self::String(two)) => one == two,
            (Self::Array(one), Self::Array(two)) => one == two,
            (Self::Object(one), Self::Object(two)) => one == two,
            _ => false,
        }
    }
}

impl PartialEq for Number<'_> {
    /// Equal as decimal numbers: `1.0` is `1`, `1e2` is `100`.
    fn eq(&self, other: &Self) -> bool {
        number::equal(&self.text, &other.text)
    }
}

impl PartialEq for Object<'_> {
    /// Equal as JSON values: member order does not count.
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        if self.members.iter().zip(&other.members).all(|(one, two)| one.0 == two.0) {
            return self.members.iter().zip(&other.members).all(|(one, two)| one.1 == two.1);
        }
        let sorted = |object: &Self| {
            let mut order: Vec<usize> = (0..object.len()).collect();
            order.sort_by(|one, two| object.name_at(*one).cmp(&object.name_at(*two)));
            order
        };
        let (ours, theirs) = (sorted(self), sorted(other));
        ours.iter().zip(&theirs).all(|(one, two)| self.members.get(*one) == other.members.get(*two))
    }
}

impl Object<'_> {
    fn name_at(&self, at: usize) -> Option<&str> {
        self.members.get(at).map(|(name, _)| name.as_ref())
    }
}
