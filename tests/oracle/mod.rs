//! A second implementation of reading, lowering, guards and merge, for comparison: naive, slow, and written from the
//! rules, not from the library. It works on plain JSON values, without member order or number spelling.

mod guards;
mod lowering;
mod shape;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use guards::guarded;
pub(crate) use guards::{holds, rule};
use lowering::{lowered, parsed};
pub(crate) use shape::read;

/// Code and pointer of each refusal.
pub(crate) type Refusals = BTreeSet<(String, String)>;

/// Everything that is not the baton and not the patch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) strict: bool,
    pub(crate) rules: Vec<(String, &'static str)>,
    pub(crate) writes: Option<Vec<String>>,
    pub(crate) allow: Vec<String>,
}

/// Who writes, when, and which text: what the merge puts into the stamp and into new decisions.
pub(crate) const STEP: &str = "build";

pub(crate) const AUTHOR: &str = "bot";

pub(crate) const MOMENT: &str = "2026-01-02T03:04:05.000Z";

pub(crate) const DIGEST: &str = "sha256:x";

/// The names among those the generators use that are nearly the name of a field.
pub(crate) const NEAR: [&str; 5] = ["scope", "decisions", "open_question", "Goal", "contraints"];

/// The names among those the generators use that are nearly those of members of items.
pub(crate) const NEAR_MEMBERS: [&str; 3] = ["Supersedes", "media-type", "Status"];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Goal,
    Strings,
    Items(&'static str),
    Stamp,
    Other,
}

fn kind(name: &str) -> Kind {
    match name {
        "goal" => Kind::Goal,
        "current_state" | "constraints" | "open_questions" | "work_scope" => Kind::Strings,
        "decision_log" => Kind::Items("decision"),
        "artifacts" => Kind::Items("name"),
        "acceptance" => Kind::Items("check"),
        "stamp" => Kind::Stamp,
        _ => Kind::Other,
    }
}

/// Every number as a double, so that equal numbers are equal values.
pub(crate) fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64().unwrap() + 0.0),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(object) => object.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
        other => other.clone(),
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn key_of<'v>(field: &str, item: &'v Value) -> &'v str {
    let text = match kind(field) {
        Kind::Items("decision") => &item["id"],
        Kind::Items(key) => &item[key],
        _ => item,
    };
    text.as_str().unwrap_or_default()
}

fn next_number(log: &[Value]) -> u64 {
    let numbers = log.iter().filter_map(|item| item["id"].as_str()?.strip_prefix('D')?.parse::<u64>().ok());
    numbers.filter(|number| *number < 1 << 53).max().unwrap_or(0) + 1
}

/// RFC 7396, section 2, word for word.
pub(crate) fn merged(target: &Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else { return patch.clone() };
    let mut result = target.as_object().cloned().unwrap_or_default();
    for (name, value) in patch {
        if value.is_null() {
            result.remove(name);
        } else {
            let inner = merged(result.get(name).unwrap_or(&Value::Null), value);
            result.insert(name.clone(), inner);
        }
    }
    Value::Object(result)
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The baton after `patch`, or why not. `baton` is in the normal shape.
pub(crate) fn apply(baton: &Value, patch: &Value, terms: &Terms) -> Result<Value, Refusals> {
    let mut after = lowered(baton, parsed(patch, terms.strict)?)?;
    let bad = guarded(baton, &after, terms);
    if !bad.is_empty() {
        return Err(bad);
    }
    let mut stamp = baton.get("stamp").cloned().unwrap_or(json!({}));
    let revision = stamp["revision"].as_f64().unwrap_or(0.0) + 1.0;
    let schema = if stamp["schema"].is_null() { json!("baton/v1") } else { stamp["schema"].clone() };
    for (name, value) in
        [("schema", schema), ("revision", json!(revision)), ("step", STEP.into()), ("by", AUTHOR.into())]
    {
        stamp[name] = value;
    }
    stamp["at"] = MOMENT.into();
    stamp["patch"] = DIGEST.into();
    after["stamp"] = stamp;
    Ok(after)
}
