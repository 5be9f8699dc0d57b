//! One shape for documents and patches, and the reading of documents.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Kind, items, key_of, kind, next_number, plain};

/// Optional members of items that are texts.
fn texts(key: &str) -> &'static [&'static str] {
    match key {
        "decision" => &["rationale", "at", "id", "step", "by"],
        "name" => &["uri", "digest", "media_type", "summary"],
        _ => &["evidence"],
    }
}

/// The optional members that are left out of a new item where they are `null`.
pub(super) fn optional(key: &str) -> Vec<&'static str> {
    let more: &[&str] = match key {
        "decision" => &["supersedes"],
        "check" => &["status"],
        _ => &[],
    };
    [texts(key), more].concat()
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= 128 && text.bytes().all(|byte| (0x21..0x7f).contains(&byte))
}

/// A value in the one shape of its field; the pointers of what has another type go to `bad`.
pub(super) fn shaped(kind: Kind, value: &Value, at: &str, bad: &mut Vec<String>) -> Value {
    let list = if value.is_string() { vec![value.clone()] } else { value.as_array().cloned().unwrap_or_default() };
    if !value.is_string() && !value.is_array() {
        bad.push(at.to_owned());
    }
    let item = |(index, item): (usize, Value)| {
        let at = format!("{at}/{index}");
        match kind {
            Kind::Items(key) => shaped_item(key, item, &at, bad),
            _ if item.is_string() => item,
            _ => {
                bad.push(at);
                item
            }
        }
    };
    Value::Array(list.into_iter().enumerate().map(item).collect())
}

fn shaped_item(key: &str, item: Value, at: &str, bad: &mut Vec<String>) -> Value {
    let mut object = match item {
        Value::String(text) => return shaped_item(key, json!({ key: text }), at, bad),
        Value::Object(object) => object,
        other => {
            bad.push(at.to_owned());
            return other;
        }
    };
    if key == "name" && !object.contains_key(key) {
        let named = ["id", "path", "uri"].into_iter().find_map(|name| object.get(name)?.as_str());
        if let Some(name) = named.map(str::to_owned) {
            object.insert(key.to_owned(), name.into());
        }
    }
    match object.get(key) {
        None => bad.push(at.to_owned()),
        Some(Value::String(text)) if !text.trim().is_empty() => {}
        Some(_) => bad.push(format!("{at}/{key}")),
    }
    for name in texts(key) {
        let sound = match object.get(*name) {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => !["id", "step", "by"].contains(name) || is_id(text),
            Some(_) => false,
        };
        if !sound {
            bad.push(format!("{at}/{name}"));
        }
    }
    if key == "decision" && object.get("supersedes").is_some_and(|ids| !ids.is_null()) {
        object["supersedes"] = shaped(Kind::Strings, &object["supersedes"], &format!("{at}/supersedes"), bad);
    }
    let words = ["pending", "passed", "failed", "waived"];
    let status = object.get("status").filter(|status| !status.is_null());
    if key == "check" && status.is_some_and(|status| !status.as_str().is_some_and(|word| words.contains(&word))) {
        bad.push(format!("{at}/status"));
    }
    Value::Object(object)
}

/// An item without its `null` options, and with its status.
pub(super) fn complete(key: &str, item: &Value) -> Value {
    let mut object = item.as_object().cloned().unwrap_or_default();
    for name in optional(key) {
        if object.get(name) == Some(&Value::Null) {
            object.remove(name);
        }
    }
    if key == "check" && !object.contains_key("status") {
        object.insert("status".to_owned(), "pending".into());
    }
    Value::Object(object)
}

/// A document in its normal shape; `None` where it is no baton.
pub(crate) fn read(document: &Value) -> Option<Value> {
    let mut baton = plain(document).as_object()?.clone();
    baton.get("goal")?.as_str().filter(|goal| !goal.trim().is_empty())?;
    let mut bad = Vec::new();
    for (name, value) in &mut baton {
        if let kind @ (Kind::Strings | Kind::Items(_)) = kind(name) {
            let list = if value.is_null() { json!([]) } else { shaped(kind, value, "", &mut bad) };
            *value = list;
            if let Kind::Items(key) = kind {
                *value = items(value).iter().map(|item| complete(key, item)).collect();
                let log = value.clone();
                let nameless =
                    value.as_array_mut()?.iter_mut().filter(|item| key == "decision" && item["id"].is_null());
                for (number, item) in (next_number(items(&log))..).zip(nameless) {
                    item["id"] = format!("D{number}").into();
                }
                let keys: BTreeSet<&str> = items(value).iter().map(|item| key_of(name, item)).collect();
                bad.extend((keys.len() < items(value).len()).then(String::new));
            }
        }
    }
    bad.is_empty().then_some(Value::Object(baton))
}
