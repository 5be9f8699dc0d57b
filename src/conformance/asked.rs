//! The members of a request, as an operation asks for them.

use crate::baton::Id;
use crate::charter::{Caller, Charter, Source, Unsound};
use crate::json::{Object, Value, compact};
use crate::text::quote;

/// Why a request is none, in one line.
pub(super) type Wrong = String;

/// An object of a request.
#[derive(Clone, Copy)]
pub(super) struct Asked<'r> {
    members: &'r Object<'r>,
}

impl<'r> Asked<'r> {
    pub(super) fn of(members: &'r Object<'r>) -> Self {
        Self { members }
    }

    /// The object that `value` is.
    pub(super) fn of_value(value: &'r Value<'r>, what: &str) -> Result<Self, Wrong> {
        value.as_object().map(Self::of).ok_or_else(|| format!("{what} is an object, found {}", value.kind()))
    }

    pub(super) fn get(self, name: &str) -> Option<&'r Value<'r>> {
        self.members.get(name)
    }

    pub(super) fn members(self) -> impl Iterator<Item = (&'r str, &'r Value<'r>)> {
        self.members.iter()
    }

    /// A copy of a member that may be any JSON; one that is `null` is there.
    pub(super) fn value(self, name: &str) -> Option<Value<'static>> {
        self.get(name).map(|value| value.clone().into_owned())
    }

    pub(super) fn text(self, name: &str) -> Result<&'r str, Wrong> {
        self.text_if_there(name)?.ok_or_else(|| format!("the member {} is missing", quote(name)))
    }

    pub(super) fn text_if_there(self, name: &str) -> Result<Option<&'r str>, Wrong> {
        let Some(value) = self.get(name) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| format!("{} is a string, found {}", quote(name), value.kind()))
    }

    pub(super) fn id(self, name: &str) -> Result<Id, Wrong> {
        id_of(self.text(name)?)
    }

    pub(super) fn id_or(self, name: &str, default: &str) -> Result<Id, Wrong> {
        id_of(self.text_if_there(name)?.unwrap_or(default))
    }

    pub(super) fn ids(self, name: &str) -> Result<Vec<Id>, Wrong> {
        let texts = self.list(name)?.iter().map(|item| item.as_str().ok_or_else(|| no_names(name)));
        texts.map(|text| id_of(text?)).collect()
    }

    /// A list; empty, where it is not there.
    pub(super) fn list(self, name: &str) -> Result<&'r [Value<'r>], Wrong> {
        let Some(value) = self.get(name) else { return Ok(&[]) };
        value.as_array().ok_or_else(|| format!("{} is a list, found {}", quote(name), value.kind()))
    }

    /// The objects of a list.
    pub(super) fn objects(self, name: &str) -> Result<Vec<Self>, Wrong> {
        self.list(name)?.iter().map(|item| Self::of_value(item, &format!("an item of {}", quote(name)))).collect()
    }

    pub(super) fn object(self, name: &str) -> Result<Option<Self>, Wrong> {
        self.get(name).map(|value| Self::of_value(value, &quote(name))).transpose()
    }

    pub(super) fn flag(self, name: &str, default: bool) -> Result<bool, Wrong> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(format!("{} is true or false, found {}", quote(name), other.kind())),
        }
    }

    /// An integer from 0 to 2^64−1. One that not every reader of JSON keeps exactly is written as a string.
    pub(super) fn number(self, name: &str) -> Result<Option<u64>, Wrong> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        number.map(Some).ok_or_else(|| format!("{} is an integer that is not negative, or its digits", quote(name)))
    }

    pub(super) fn caller(self, name: &str) -> Result<Caller, Wrong> {
        let text = self.text(name)?;
        match text.split_once(' ') {
            Some(("strategy", name)) => Ok(Caller::Strategy(id_of(name)?)),
            Some(("agent", name)) => Ok(Caller::Agent(id_of(name)?)),
            _ => Err(format!("{} is no caller: `strategy NAME` or `agent NAME`", quote(text))),
        }
    }

    /// The charter under `name`, a text or the JSON itself, with the request's `files`.
    pub(super) fn charter_or_faults(self, name: &str) -> Result<Result<Charter, Unsound>, Wrong> {
        let value = self.get(name).ok_or_else(|| format!("the member {} is missing", quote(name)))?;
        let text = value.as_str().map_or_else(|| compact(value), str::to_owned);
        let files = self.object("files")?;
        let source = match Source::json("charter.json", &text) {
            Ok(source) => source,
            Err(found) => return Ok(Err(Unsound::of("charter.json", found))),
        };
        Ok(Charter::read(source, &mut |wanted| {
            let found = files.and_then(|files| files.get(wanted.path));
            let found = found.ok_or_else(|| {
                let detail = format!("there is no file {}", quote(wanted.path));
                Unsound::of(wanted.from, vec![crate::refusal::Refusal::new(crate::refusal::Code::IoRead, "", detail)])
            })?;
            Source::json(wanted.path, &compact(found)).map_err(|found| Unsound::of(wanted.path, found))
        }))
    }

    /// The charter under `name`, where another operation is what is asked for.
    pub(super) fn charter(self, name: &str) -> Result<Charter, Wrong> {
        self.charter_or_faults(name)?.map_err(|unsound| format!("{} is refused: {unsound}", quote(name)))
    }
}

pub(super) fn id_of(text: &str) -> Result<Id, Wrong> {
    Id::new(text).ok_or_else(|| format!("{} is no name: 1 to 128 visible ASCII characters", quote(text)))
}

fn no_names(name: &str) -> Wrong {
    format!("{} is a list of names", quote(name))
}
