//! How an answer is held to what is expected of it.
//!
//! An object matches where every member of it that is expected is there and matches; others are free. A list matches item by
//! item and in its length; whatever else by equality as JSON. An object whose names all begin with `$` holds conditions,
//! all of which have to be met:
//!
//! | condition | what is met |
//! |---|---|
//! | `$any: true` | anything that is there |
//! | `$absent: true` | nothing is there |
//! | `$count: N` | a list or object of N |
//! | `$contains: […]` | a list, in which these match items in this order, with others between |
//! | `$lacks: […]` | a list, no item of which matches any of these |
//! | `$somewhere: […]` | each of these texts stands in a string or a name in it, at any depth |
//! | `$nowhere: […]` | none of these texts does |
//! | `$same_as: POINTER` | equal to what stands there in the whole answer |
//! | `$other_than: POINTER` | not equal to that |
//! | `$begins: TEXT` | a string that begins so |

use crate::json::{Object, Value, compact, pointer};
use crate::text::clip;

use super::vector::Mismatch;

/// So much of a value is shown.
const SHOWN_MAX: usize = 400;

/// What is not as expected, each with its place.
pub(super) fn mismatches(expected: &Value<'_>, got: &Value<'_>) -> Vec<Mismatch> {
    let mut found = Matcher { whole: got, found: Vec::new() };
    found.value("", expected, Some(got));
    found.found
}

struct Matcher<'a> {
    whole: &'a Value<'a>,
    found: Vec<Mismatch>,
}

impl<'a> Matcher<'a> {
    fn value(&mut self, at: &str, expected: &Value<'_>, got: Option<&Value<'_>>) {
        match (expected, got) {
            (Value::Object(conditions), got) if is_conditions(conditions) => {
                for (name, condition) in conditions.iter() {
                    if !self.is_met(name, condition, got) {
                        self.miss(at, &format!("{name} {}", shown(Some(condition))), got);
                    }
                }
            }
            (Value::Object(expected), Some(Value::Object(got))) => {
                for (name, member) in expected.iter() {
                    self.value(&pointer::child(at, name), member, got.get(name));
                }
            }
            (Value::Array(expected), Some(Value::Array(items))) if expected.len() == items.len() => {
                for (index, (expected, item)) in expected.iter().zip(items).enumerate() {
                    self.value(&pointer::item(at, index), expected, Some(item));
                }
            }
            (expected, Some(got)) if !is_nested(expected) && expected == got => {}
            (expected, got) => self.miss(at, &shown(Some(expected)), got),
        }
    }

    fn miss(&mut self, at: &str, expected: &str, got: Option<&Value<'_>>) {
        self.found.push(Mismatch { at: at.to_owned(), expected: expected.to_owned(), got: shown(got) });
    }

    fn matches(&self, expected: &Value<'_>, got: &Value<'_>) -> bool {
        let mut inner = Matcher { whole: self.whole, found: Vec::new() };
        inner.value("", expected, Some(got));
        inner.found.is_empty()
    }

    fn is_met(&self, name: &str, condition: &Value<'_>, got: Option<&Value<'_>>) -> bool {
        let Some(got) = got else { return name == "$absent" };
        match (name, condition) {
            ("$any", _) => true,
            ("$count", count) => size(got).is_some_and(|size| count.as_u64() == u64::try_from(size).ok()),
            ("$contains", Value::Array(wanted)) => {
                let mut items = got.as_array().unwrap_or_default().iter();
                got.as_array().is_some() && wanted.iter().all(|one| items.any(|item| self.matches(one, item)))
            }
            ("$lacks", Value::Array(unwanted)) => got
                .as_array()
                .is_some_and(|items| !items.iter().any(|item| unwanted.iter().any(|one| self.matches(one, item)))),
            ("$somewhere", Value::Array(texts)) => texts.iter().filter_map(Value::as_str).all(|text| holds(got, text)),
            ("$nowhere", Value::Array(texts)) => !texts.iter().filter_map(Value::as_str).any(|text| holds(got, text)),
            ("$same_as", Value::String(at)) => at_pointer(self.whole, at) == Some(got),
            ("$other_than", Value::String(at)) => at_pointer(self.whole, at).is_some_and(|other| other != got),
            ("$begins", Value::String(start)) => got.as_str().is_some_and(|text| text.starts_with(&**start)),
            _ => false,
        }
    }
}

fn is_conditions(object: &Object<'_>) -> bool {
    !object.is_empty() && object.iter().all(|(name, _)| name.starts_with('$'))
}

fn is_nested(value: &Value<'_>) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

fn size(value: &Value<'_>) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::Object(members) => Some(members.len()),
        _ => None,
    }
}

/// Whether `text` stands in a string or a member's name in `value`.
fn holds(value: &Value<'_>, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(members) => members.iter().any(|(name, member)| name.contains(text) || holds(member, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn at_pointer<'v>(whole: &'v Value<'v>, at: &str) -> Option<&'v Value<'v>> {
    pointer::tokens(at).try_fold(whole, |value, token| match value {
        Value::Object(members) => members.get(&token),
        Value::Array(items) => items.get(token.parse::<usize>().ok()?),
        _ => None,
    })
}

fn shown(value: Option<&Value<'_>>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| clip(&compact(value), SHOWN_MAX).into_owned())
}
