//! The members of one object of an answer: known ones only, each of its type.

use super::unknown;
use crate::baton::distance;
use crate::json::{self, Object, Value, pointer};
use crate::refusal::{Code, Position, Refusal};

/// Longer names are not compared with known ones.
const COMPARED_MAX: usize = 32;

/// Members that were not taken yet.
pub(super) struct Members<'t, 'o> {
    text: &'t str,
    /// Where the whole answer starts in the text.
    start: usize,
    /// The pointer of this object in the answer.
    at: String,
    /// What the object is, with its article.
    form: &'static str,
    object: Object<'o>,
}

impl<'t, 'o> Members<'t, 'o> {
    /// The members of `object`, all of which are `known`.
    pub(super) fn new(
        text: &'t str,
        start: usize,
        object: Object<'o>,
        at: &str,
        known: &[&str],
        form: &'static str,
    ) -> Result<Self, Refusal> {
        let strange = object.iter().map(|(name, _)| name).find(|name| !known.contains(name)).map(str::to_owned);
        let members = Self { text, start, at: at.to_owned(), form, object };
        let Some(name) = strange else { return Ok(members) };
        let detail = format!("{form} has no member {}", unknown(&name, nearest(&name, known)));
        Err(members.refusal(Code::ReplyType, &name, detail))
    }

    /// A member; `null` is the same as none.
    pub(super) fn take(&mut self, name: &str) -> Option<Value<'o>> {
        self.object.remove(name).filter(|value| !value.is_null())
    }

    /// A member, whatever its value.
    pub(super) fn take_even_null(&mut self, name: &str) -> Option<Value<'o>> {
        self.object.remove(name)
    }

    /// A string that has to be there and to say something.
    pub(super) fn required(&mut self, name: &str) -> Result<String, Refusal> {
        let Some(value) = self.take(name) else {
            return Err(self.refusal(Code::ReplyType, "", format!("{} lacks the member `{name}`", self.form)));
        };
        let said = string(self, name, value)?;
        if said.trim().is_empty() {
            return Err(self.refusal(Code::ReplyType, name, format!("`{name}` is empty")));
        }
        Ok(said)
    }

    /// A list of objects; one object is a list of one.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        read: fn(&str, usize, Object<'_>, &str) -> Result<T, Refusal>,
    ) -> Result<Vec<T>, Refusal> {
        let at = pointer::child(&self.at, name);
        let items = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(Value::Object(one)) => return Ok(vec![read(self.text, self.start, one, &at)?]),
            Some(Value::Array(items)) => items,
            Some(other) => {
                let detail = format!("`{name}` is {}, and has to be a list of objects", other.kind());
                return Err(self.refusal(Code::ReplyType, name, detail));
            }
        };
        let mut list = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let at = pointer::item(&at, index);
            let Value::Object(object) = item else {
                let detail = format!("an item of `{name}` is {}, and has to be an object", item.kind());
                return Err(refusal(self.text, self.start, Code::ReplyType, at, detail));
            };
            list.push(read(self.text, self.start, object, &at)?);
        }
        Ok(list)
    }

    /// A refusal of the member `name`, or of the whole object where that is empty.
    pub(super) fn refusal(&self, code: Code, name: &str, detail: String) -> Refusal {
        let at = if name.is_empty() { self.at.clone() } else { pointer::child(&self.at, name) };
        refusal(self.text, self.start, code, at, detail)
    }
}

fn refusal(text: &str, start: usize, code: Code, at: String, detail: String) -> Refusal {
    let written = text.get(start..).unwrap_or_default();
    let offset = start + json::locate(written, &at).unwrap_or(0);
    Refusal::new(code, at, detail).in_text(Position::of(text, offset))
}

/// The text of the member `name`, which has to be a string.
pub(super) fn string(members: &Members<'_, '_>, name: &str, value: Value<'_>) -> Result<String, Refusal> {
    match value {
        Value::String(text) => Ok(text.into_owned()),
        other => {
            let detail = format!("`{name}` is {}, and has to be a string", other.kind());
            Err(members.refusal(Code::ReplyType, name, detail))
        }
    }
}

/// The known name that `name` nearly is.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if name.len() > COMPARED_MAX {
        return None;
    }
    let lower = name.to_lowercase();
    let near = known.iter().map(|own| (distance(&lower, own), *own)).min()?;
    (near.0 <= if near.1.len() > 6 { 2 } else { 1 }).then_some(near.1)
}
