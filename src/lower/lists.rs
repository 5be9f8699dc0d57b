//! Lowering of lists: arrays that keep what an item does not mention, and edits.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::baton::shape::{complete_check, without_nulls};
use crate::baton::{Field, Shape, distance};
use crate::json;
use crate::json::Value;
use crate::json::pointer;
use crate::lower::Lowering;
use crate::parse::Edit;
use crate::refusal::{Code, Notice};
use crate::text::quote;

/// What an item is known by: the key of a keyed list, the text of a string.
pub(crate) fn key_of<'v>(field: Field, item: &'v Value<'_>) -> &'v str {
    let text = match field.shape() {
        Shape::Keyed(key) => item.as_object().and_then(|object| object.get(key)).and_then(Value::as_str),
        Shape::Decisions => item.as_object().and_then(|object| object.get("id")).and_then(Value::as_str),
        _ => item.as_str(),
    };
    text.unwrap_or_default()
}

impl<'a> Lowering<'_, 'a> {
    /// The list that an array asks for: an item whose key stands keeps the members that it does not mention.
    pub(super) fn replace(&mut self, field: Field, items: Vec<Value<'a>>) -> Option<Vec<Value<'a>>> {
        if !matches!(field.shape(), Shape::Keyed(_)) {
            return Some(items);
        }
        let baton = self.baton;
        let standing: BTreeMap<&str, &Value<'a>> =
            baton.items(field).iter().map(|item| (key_of(field, item), item)).collect();
        if self.named_twice(field, &items, "") {
            return None;
        }
        let merged = |item: Value<'a>| match standing.get(key_of(field, &item)) {
            Some(known) => merged(field, (*known).clone(), item),
            None => fresh(field, item),
        };
        Some(items.into_iter().map(merged).collect())
    }

    /// The list after an edit: removed first, then added.
    pub(super) fn edit(&mut self, field: Field, edit: Edit<'a>) -> Vec<Value<'a>> {
        let mut list = self.baton.items(field).to_vec();
        self.remove(field, &mut list, &edit.remove);
        if matches!(field.shape(), Shape::Keyed(_)) && self.named_twice(field, &edit.add, "/add") {
            return list;
        }
        let mut places: BTreeMap<Cow<'a, str>, usize> = BTreeMap::new();
        for (index, item) in list.iter().enumerate() {
            places.entry(owned_key(field, item)).or_insert(index);
        }
        for (index, item) in edit.add.into_iter().enumerate() {
            let key = owned_key(field, &item);
            match places.get(&key).and_then(|place| list.get_mut(*place)) {
                Some(known) if matches!(field.shape(), Shape::Keyed(_)) => {
                    *known = merged(field, std::mem::replace(known, Value::Null), item);
                }
                Some(_) => {
                    let at = pointer::item(&format!("/{}/add", field.name()), index);
                    self.notices.push(Notice::new(
                        "item.present",
                        at,
                        format!("{} is on the list already", quote(&key)),
                    ));
                }
                None => {
                    places.insert(key, list.len());
                    list.push(fresh(field, item));
                }
            }
        }
        list
    }

    fn remove(&mut self, field: Field, list: &mut Vec<Value<'a>>, remove: &[Value<'a>]) {
        if remove.is_empty() {
            return;
        }
        let standing: BTreeSet<&str> = list.iter().map(|item| key_of(field, item)).collect();
        let wanted: BTreeSet<&str> = remove.iter().filter_map(Value::as_str).collect();
        let unknown: Vec<(usize, &str)> = remove.iter().filter_map(Value::as_str).enumerate().collect();
        for (index, text) in unknown.into_iter().filter(|(_, text)| !standing.contains(text)) {
            let at = pointer::item(&format!("/{}/remove", field.name()), index);
            let nearest = standing.iter().min_by_key(|known| distance(&clip(known), &clip(text)));
            let hint = match nearest {
                Some(known) => format!("the nearest item is {}", quote(known)),
                None => "the list is empty".to_owned(),
            };
            self.refuse(Code::PatchUnknownItem, at, format!("{} is not on the list; {hint}", quote(text)));
        }
        let kept: Vec<bool> = list.iter().map(|item| !wanted.contains(key_of(field, item))).collect();
        let mut kept = kept.into_iter();
        list.retain(|_| kept.next().unwrap_or(true));
    }

    fn named_twice(&mut self, field: Field, items: &[Value<'a>], part: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut found = false;
        for (index, item) in items.iter().enumerate() {
            if !seen.insert(key_of(field, item)) {
                found = true;
                let at = pointer::item(&format!("/{}{part}", field.name()), index);
                let detail = format!("the patch has {} twice: give each item once", quote(key_of(field, item)));
                self.refuse(Code::PatchType, at, detail);
            }
        }
        found
    }
}

fn owned_key<'a>(field: Field, item: &Value<'a>) -> Cow<'a, str> {
    let of_object = |key: &str| item.as_object().and_then(|object| object.get(key));
    let text = match field.shape() {
        Shape::Keyed(key) => of_object(key),
        _ => Some(item),
    };
    if let Some(Value::String(text)) = text { text.clone() } else { Cow::Borrowed("") }
}

/// A standing item with what a patch says of it (RFC 7396, per member).
fn merged<'a>(field: Field, standing: Value<'a>, item: Value<'a>) -> Value<'a> {
    let mut value = json::merge(standing, item);
    complete(field, &mut value);
    value
}

/// A new item: optional members that are `null` are not there.
fn fresh<'a>(field: Field, mut item: Value<'a>) -> Value<'a> {
    if let Value::Object(object) = &mut item {
        without_nulls(field, object);
    }
    complete(field, &mut item);
    item
}

fn complete<'a>(field: Field, item: &mut Value<'a>) {
    if let (Field::Acceptance, Value::Object(check)) = (field, item) {
        complete_check(check);
    }
}

/// As much of an item as is compared to find the nearest one.
fn clip(text: &str) -> String {
    text.chars().take(200).collect()
}
