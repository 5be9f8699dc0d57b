//! One file of a charter: its text as a value, and where in the text each part of the value stands.

use std::collections::BTreeMap;

use crate::json::{self, Limits, Value};
use crate::refusal::{Code, Position, Refusal};

/// A text that was read as JSON or TOML, and the name of the file that it came from.
#[derive(Clone, Debug)]
pub struct Source {
    file: String,
    text: String,
    pub(super) value: Value<'static>,
    /// Where each value of a TOML text stands, by pointer, in bytes; a JSON text is walked instead.
    places: Option<BTreeMap<String, usize>>,
}

impl Source {
    /// The JSON `text` of `file`: at most 1 MiB, 128 levels, I-JSON numbers (RFC 7493).
    ///
    /// # Errors
    /// `charter.syntax`, and `charter.name` for two members of one name, with the position.
    pub fn json(file: &str, text: &str) -> Result<Self, Vec<Refusal>> {
        let value = json::read(text, &Limits::default()).map_err(|refusal| vec![of_charter(refusal)])?;
        Ok(Self { file: file.to_owned(), text: text.to_owned(), value: value.into_owned(), places: None })
    }

    /// The TOML `text` of `file`: at most 1 MiB.
    ///
    /// # Errors
    /// `charter.syntax` for each fault, `charter.name` for a key that stands twice, and `charter.member` for a value that
    /// JSON does not have, with the positions.
    #[cfg(feature = "toml")]
    pub fn toml(file: &str, text: &str) -> Result<Self, Vec<Refusal>> {
        let (value, places) = super::toml::read(text)?;
        Ok(Self { file: file.to_owned(), text: text.to_owned(), value, places: Some(places) })
    }

    /// A value without a text.
    pub(super) fn of_value(file: &str, value: Value<'static>) -> Self {
        Self { file: file.to_owned(), text: String::new(), value, places: None }
    }

    /// Its file, as it was named.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the value at `pointer` stands, or the nearest around it that is there.
    #[must_use]
    pub fn position(&self, pointer: &str) -> Option<Position> {
        let Some(places) = &self.places else {
            return json::locate(&self.text, pointer).map(|offset| Position::of(&self.text, offset));
        };
        let mut pointer = pointer;
        loop {
            match (places.get(pointer), pointer.rsplit_once('/')) {
                (Some(offset), _) => return Some(Position::of(&self.text, *offset)),
                (None, Some((parent, _))) => pointer = parent,
                (None, None) => return Some(Position::of(&self.text, 0)),
            }
        }
    }
}

/// A refusal of the JSON reader, as one of a charter.
fn of_charter(refusal: Refusal) -> Refusal {
    let code = if refusal.code == Code::JsonDuplicateName { Code::CharterName } else { Code::CharterSyntax };
    Refusal { code, ..refusal }
}
