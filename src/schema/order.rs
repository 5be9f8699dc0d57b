//! One order of keywords, so that a schema reads from what it is to what it holds, and the committed files do not depend
//! on how they were generated.

use serde_json::{Map, Value};

const FIRST: [&str; 11] = [
    "$schema",
    "$id",
    "title",
    "description",
    "$ref",
    "type",
    "nullable",
    "enum",
    "properties",
    "required",
    "additionalProperties",
];
const LAST: [&str; 1] = ["$defs"];

/// `schema` with its keywords in order. Members of `properties` keep the order that they have.
pub(super) fn ordered(schema: Value) -> Value {
    let Value::Object(mut keywords) = schema else { return schema };
    let mut sorted = Map::new();
    for name in FIRST {
        take(&mut keywords, &mut sorted, name);
    }
    let others: Vec<String> = keywords.keys().filter(|name| !LAST.contains(&name.as_str())).cloned().collect();
    for name in others.iter().map(String::as_str).chain(LAST) {
        take(&mut keywords, &mut sorted, name);
    }
    Value::Object(sorted)
}

fn take(from: &mut Map<String, Value>, to: &mut Map<String, Value>, name: &str) {
    if let Some(value) = from.shift_remove(name) {
        to.insert(name.to_owned(), within(name, value));
    }
}

/// The value of keyword `name`, with the schemas in it ordered.
fn within(name: &str, value: Value) -> Value {
    match (name, value) {
        ("properties" | "$defs", Value::Object(named)) => {
            Value::Object(named.into_iter().map(|(name, schema)| (name, ordered(schema))).collect())
        }
        ("anyOf" | "oneOf", Value::Array(schemas)) => schemas.into_iter().map(ordered).collect(),
        ("items" | "not", schema) => ordered(schema),
        (_, value) => value,
    }
}
