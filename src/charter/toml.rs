//! TOML as JSON values. What JSON does not have, and what it does not keep exactly, is refused.

use std::borrow::Cow;
use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::faults::FAULTS_MAX;
use crate::json::{self, Limits, Object, Value, pointer};
use crate::refusal::{Code, Position, Refusal};
use crate::text::{clip, escape_message, quote};

/// Bytes of a text.
const BYTES_MAX: usize = 1 << 20;

/// What to write where several tables of a list were written as one.
const ONE_OF_SEVERAL: &str = ": each subtask begins with `[[strategy.NAME.subtask]]`";

/// Integers beyond plus and minus this are not kept by every reader (RFC 7493, section 2.2).
const INTEGER_MAX: i128 = (1 << 53) - 1;

/// The value of a text, and where each part of it stands: a value of its own where it starts, a table where its name does.
pub(super) fn read(text: &str) -> Result<(Value<'static>, BTreeMap<String, usize>), Vec<Refusal>> {
    if text.len() > BYTES_MAX {
        let detail = format!("the text has {} bytes, the limit is {BYTES_MAX}; shorten it", text.len());
        return Err(vec![Refusal::new(Code::CharterSyntax, "", detail).in_text(Position::of(text, 0))]);
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(errors.iter().take(FAULTS_MAX).map(|error| syntax(text, error)).collect());
    }
    let mut conversion = Conversion { text, places: BTreeMap::new(), refusals: Vec::new() };
    conversion.places.insert(String::new(), 0);
    let value = conversion.table(table.get_ref(), "");
    if conversion.refusals.is_empty() { Ok((value, conversion.places)) } else { Err(conversion.refusals) }
}

fn syntax(text: &str, error: &Error) -> Refusal {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    let code = if message.contains("duplicate key") { Code::CharterName } else { Code::CharterSyntax };
    let start = error.span().map_or(0, |span| span.start);
    let hint = if code == Code::CharterName && is_subtask(text, start) { ONE_OF_SEVERAL } else { "" };
    let detail = format!("not TOML: {}{hint}", clip(&escape_message(&message), 200));
    Refusal::new(code, "", detail).in_text(Position::of(text, start))
}

/// Whether the line around `at` is the heading `[strategy.NAME.subtask]`.
fn is_subtask(text: &str, at: usize) -> bool {
    let Some((before, after)) = text.split_at_checked(at) else { return false };
    let begins = before.rsplit('\n').next().unwrap_or_default();
    let line = format!("{begins}{}", after.lines().next().unwrap_or_default());
    let heading = line.trim().strip_prefix('[').and_then(|rest| rest.split(']').next());
    heading.is_some_and(|heading| heading.trim_end().ends_with(".subtask"))
}

struct Conversion<'t> {
    text: &'t str,
    places: BTreeMap<String, usize>,
    refusals: Vec<Refusal>,
}

impl Conversion<'_> {
    fn table(&mut self, table: &DeTable<'_>, at: &str) -> Value<'static> {
        let mut object = Object::new();
        for (name, value) in table {
            let at = pointer::child(at, name.get_ref());
            let is_named = matches!(value.get_ref(), DeValue::Table(_));
            self.places.insert(at.clone(), if is_named { name.span().start } else { value.span().start });
            let value = self.value(value, &at);
            object.push_distinct(Cow::Owned(name.get_ref().to_string()), value);
        }
        Value::Object(object)
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, at: &str) -> Value<'static> {
        let start = value.span().start;
        match value.get_ref() {
            DeValue::String(text) => Value::string(text.to_string()),
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Integer(integer) => match i128::from_str_radix(&plain(integer.as_str()), integer.radix()) {
                Ok(number) if number.abs() <= INTEGER_MAX => self.number(&number.to_string(), start, at),
                _ => self.refuse(start, at, "an integer is within plus and minus 2^53-1: write a smaller one"),
            },
            DeValue::Float(float) => self.number(&plain(float.as_str()), start, at),
            DeValue::Datetime(_) => self.refuse(start, at, "a charter has no dates: write a string"),
            DeValue::Array(items) => {
                let mut values = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    let at = pointer::item(at, index);
                    self.places.insert(at.clone(), item.span().start);
                    values.push(self.value(item, &at));
                }
                Value::Array(values)
            }
            DeValue::Table(table) => self.table(table, at),
        }
    }

    fn number(&mut self, number: &str, start: usize, at: &str) -> Value<'static> {
        match json::read(number, &Limits::default()) {
            Ok(value @ Value::Number(_)) => value.into_owned(),
            _ => {
                let detail = format!("{} is no number that every reader keeps exactly", quote(number));
                self.refuse(start, at, &detail)
            }
        }
    }

    fn refuse(&mut self, start: usize, at: &str, detail: &str) -> Value<'static> {
        if self.refusals.len() >= FAULTS_MAX {
            return Value::Null;
        }
        let position = Position::of(self.text, start);
        self.refusals.push(Refusal::new(Code::CharterMember, at, detail).in_text(position));
        Value::Null
    }
}

/// A number without what only TOML has: underscores and a plus sign.
fn plain(number: &str) -> String {
    let number = number.strip_prefix('+').unwrap_or(number);
    number.chars().filter(|character| *character != '_').collect()
}
