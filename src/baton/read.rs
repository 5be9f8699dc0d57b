//! Reading a document: types checked, shorthand expanded, decisions numbered.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::baton::shape::{Normalizer, Nulls, complete_check};
use crate::baton::stamp::{Budget, Id, SCHEMA, Timestamp};
use crate::baton::{Baton, Field, Shape};
use crate::json::pointer::Place;
use crate::json::{self, Limits, Object, Value};
use crate::refusal::{Code, Position, Refusal, Refused};
use crate::text::quote;

impl<'a> Baton<'a> {
    /// Reads a baton: a JSON object with a `goal`.
    ///
    /// # Errors
    /// `json.*` where the text is no JSON or no I-JSON (RFC 7493); `baton.type` where a known field has another type,
    /// an id stands twice, or the stamp is of another schema; `goal.missing`. All faults of the document are reported
    /// at once, each with its position in `text`.
    pub fn read(text: &'a str, limits: &Limits) -> Result<Self, Refused> {
        let value = json::read(text, limits)?;
        match Self::from_value(value) {
            Ok(baton) => Ok(baton.about_as_long_as(text.len())),
            Err(mut refused) => {
                locate(&mut refused, text);
                Err(refused)
            }
        }
    }

    /// A baton from a value that was read already.
    ///
    /// # Errors
    /// As [`Baton::read`], without positions.
    pub fn from_value(value: Value<'a>) -> Result<Self, Refused> {
        let Value::Object(mut members) = value else {
            let detail = format!("a baton is a JSON object with a `goal`, found {}", value.kind());
            return Err(Refusal::new(Code::BatonType, "", detail).into());
        };
        let mut normalizer = Normalizer::new(Code::BatonType, Nulls::Absent);
        for (name, value) in members.iter_mut() {
            if let Some(field) = Field::named(name) {
                read_field(&mut normalizer, field, value);
            }
        }
        check_keys(&mut normalizer, &members);
        let mut refusals = normalizer.into_refusals();
        refusals.extend(missing_goal(&members));
        number_decisions(&mut members);
        complete_checks(&mut members);
        Refused::unless_empty(refusals, Self::of_normal(members))
    }

    /// The smallest baton: a goal, every list empty, no stamp.
    ///
    /// # Errors
    /// `goal.missing` where `goal` is blank.
    pub fn new(goal: impl Into<Cow<'a, str>>) -> Result<Self, Refused> {
        let mut members = Object::new();
        for field in Field::ALL {
            match field.shape() {
                Shape::Text | Shape::Managed => {}
                _ => members.set(field.name(), Value::Array(Vec::new())),
            }
        }
        let mut first = vec![(Cow::Borrowed(Field::Goal.name()), Value::String(goal.into()))];
        first.append(members.members_mut());
        Self::from_value(Value::Object(Object::from_members(first)))
    }
}

/// Gives refusals without a position the one of their pointer in `text`.
pub(crate) fn locate(refused: &mut Refused, text: &str) {
    for refusal in refused.refusals_mut() {
        if refusal.position.is_none()
            && let Some(offset) = json::locate(text, &refusal.at)
        {
            refusal.position = Some(Position::of(text, offset));
        }
    }
}

/// `goal.missing`, where `members` have no goal or a blank one.
pub(crate) fn missing_goal(members: &Object<'_>) -> Option<Refusal> {
    let blank = match members.get(Field::Goal.name()) {
        None | Some(Value::Null) => true,
        Some(Value::String(goal)) => goal.trim().is_empty(),
        Some(_) => false,
    };
    let detail = "a baton needs a `goal`: one sentence that says what the work is for";
    blank.then(|| Refusal::new(Code::GoalMissing, "/goal", detail))
}

fn read_field<'a>(normalizer: &mut Normalizer, field: Field, value: &mut Value<'a>) {
    let root = Place::Root;
    let at = root.member(field.name());
    match (field.shape(), value.is_null()) {
        (Shape::Text, true) => {}
        (Shape::Managed, _) => read_stamp(normalizer, value, at),
        (_, true) => *value = Value::Array(Vec::new()),
        _ => normalizer.field(field, value, at),
    }
}

fn read_stamp(normalizer: &mut Normalizer, value: &mut Value<'_>, at: Place<'_>) {
    let Value::Object(stamp) = value else {
        return normalizer.refuse(at, format!("expected an object, found {}", value.kind()));
    };
    for (name, value) in stamp.iter_mut() {
        let at = at.member(name);
        let problem = match name {
            "schema" => schema_problem(value),
            "revision" if value.as_u64().is_none_or(|revision| revision > INTEGER_MAX) => {
                Some("expected a whole number from 0 to 2^53 - 1".to_owned())
            }
            "step" | "by" | "tenant" | "task" => id_problem(value),
            "at" if !value.as_str().is_some_and(Timestamp::is_valid) => {
                Some("expected a time such as `2026-11-30T09:00:00.000Z` (RFC 3339)".to_owned())
            }
            "patch" if value.as_str().is_none() => Some(format!("expected a digest, found {}", value.kind())),
            "budget" => read_budget(value),
            _ => None,
        };
        if let Some(detail) = problem {
            normalizer.refuse(at, detail);
        }
    }
}

/// The greatest integer that every reader keeps (RFC 7493, section 2.2).
pub(crate) const INTEGER_MAX: u64 = (1 << 53) - 1;

fn schema_problem(value: &Value<'_>) -> Option<String> {
    let found = value.as_str().map_or_else(|| value.kind().to_owned(), quote);
    (value.as_str() != Some(SCHEMA)).then(|| format!("this version reads `{SCHEMA}`, the document is {found}"))
}

fn id_problem(value: &Value<'_>) -> Option<String> {
    let is_id = value.as_str().is_some_and(Id::is_valid);
    (!is_id).then(|| "expected an id: visible ASCII without spaces, at most 128 bytes".to_owned())
}

/// A budget is `{"tokens", "encoding"}`; a number alone is its tokens.
fn read_budget(value: &mut Value<'_>) -> Option<String> {
    if let Some(tokens) = value.as_u64() {
        *value = Budget { tokens, encoding: crate::baton::DEFAULT_BUDGET.encoding }.to_value();
    }
    let tokens = value.as_object().and_then(|budget| budget.get("tokens")).and_then(Value::as_u64);
    let encoding = value.as_object().and_then(|budget| budget.get("encoding"));
    let sound = tokens.is_some_and(|tokens| (1..=INTEGER_MAX).contains(&tokens))
        && encoding.is_none_or(|name| name.as_str().is_some());
    (!sound).then(|| "expected `{\"tokens\": N, \"encoding\": NAME}` with N from 1 to 2^53 - 1".to_owned())
}

/// Refuses two items of one key in a keyed list.
fn check_keys(normalizer: &mut Normalizer, members: &Object<'_>) {
    for field in Field::ALL {
        let key = match field.shape() {
            Shape::Decisions => "id",
            Shape::Keyed(key) => key,
            _ => continue,
        };
        let items = members.get(field.name()).and_then(Value::as_array).unwrap_or_default();
        for index in repeated(items, key) {
            let root = Place::Root;
            let list = root.member(field.name());
            let found = items.get(index).and_then(|item| key_of(item, key)).map(quote).unwrap_or_default();
            normalizer.refuse(list.item(index), format!("an earlier item has the `{key}` {found} already"));
        }
    }
}

/// The indexes of the items whose key an earlier item has.
fn repeated<'v>(items: &'v [Value<'_>], key: &str) -> Vec<usize> {
    let keys: Vec<(usize, &'v str)> =
        items.iter().enumerate().filter_map(|(index, item)| Some((index, key_of(item, key)?))).collect();
    // Comparing each with each is quicker than a set as long as there are few.
    let mut seen = BTreeSet::new();
    let mut is_repeated = |place: usize, key: &'v str| match keys.len() {
        0..=24 => keys.iter().take(place).any(|(_, earlier)| *earlier == key),
        _ => !seen.insert(key),
    };
    let found = keys.iter().enumerate().filter(|(place, (_, key))| is_repeated(*place, key));
    found.map(|(_, (index, _))| *index).collect()
}

fn key_of<'v>(item: &'v Value<'_>, key: &str) -> Option<&'v str> {
    item.as_object()?.get(key)?.as_str()
}

/// Gives each decision without an id the next number.
fn number_decisions(members: &mut Object<'_>) {
    let Some(Value::Array(items)) = members.get_mut(Field::DecisionLog.name()) else { return };
    if items.iter().all(|item| key_of(item, "id").is_some()) {
        return;
    }
    let mut next = next_number(items);
    for item in items {
        if let Value::Object(decision) = item
            && decision.get("id").is_none()
        {
            decision.members_mut().insert(0, (Cow::Borrowed("id"), Value::string(format!("D{next}"))));
            next += 1;
        }
    }
}

fn complete_checks(members: &mut Object<'_>) {
    let Some(Value::Array(items)) = members.get_mut(Field::Acceptance.name()) else { return };
    for item in items {
        if let Value::Object(check) = item {
            complete_check(check);
        }
    }
}

/// Ids with a greater number are names like any other: nobody counted that far.
const NUMBER_MAX: u64 = 1 << 53;

/// The number of the next decision: one more than the greatest `N` of an id `DN`.
pub(crate) fn next_number(items: &[Value<'_>]) -> u64 {
    let ids = items.iter().filter_map(|item| key_of(item, "id"));
    let numbers = ids.filter_map(|id| id.strip_prefix('D')?.parse::<u64>().ok());
    numbers.filter(|number| *number < NUMBER_MAX).max().unwrap_or_default().saturating_add(1)
}
