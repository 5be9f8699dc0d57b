//! One order, so that a schema reads from what it is to what it holds, and does not depend on the map that it was made in.

use crate::json::{Object, Value};

/// Keywords that come before all others; those come by name.
const KEYWORDS: &[&str] = &[
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

/// The members of all documents, each before those that follow it in any of them. One that is not here comes last.
#[rustfmt::skip]
const MEMBERS: &[&str] = &[
    "charter", "module", "include", "ceilings", "goal", "current_state", "decision_log", "constraints", "open_questions", "work_scope", "artifacts", "acceptance",
    "stamp", "seq", "schema", "tenant", "task", "reference", "kind", "key", "author", "ok", "revision", "id", "decision", "rationale", "supersedes", "step",
    "code", "at", "by", "patch", "detail", "action", "file", "line", "column", "offset",
    "name", "path", "uri", "digest", "media_type", "summary", "check", "status", "evidence", "add", "remove",
    "readers", "data", "derived_from", "declassified", "idempotency_key", "prev", "changed",
    "board", "entry", "head", "replayed", "entries", "against_head", "roots", "beyond", "items", "sections", "notices", "refusals", "correction", "usage",
    "strategy", "agent", "tool", "person", "description", "subtask", "intent",
    "consumes", "produces", "after", "responsibility", "callable_by", "uses", "needs", "reads", "writes", "contract",
    "corrections", "declassify", "limits", "side_effects", "arguments", "approvers", "approval_minutes", "command", "words",
    "time_limit_s", "output_limit_bytes", "recalled", "kept", "iterations", "tool_calls", "answer_tokens", "spawns", "depth",
    "strategies", "agents", "tools",
    "event", "run", "request", "subtasks", "account", "spent", "ceiling", "approvals", "doubts", "answers", "decisions", "short", "since",
    "expires", "expired", "decided", "state",
    "tokens", "whole", "total", "budget", "encoding", "shed",
];

/// `root` with its keywords and members in order, and after them its definitions, each where it is first referred to.
pub(super) fn ordered(root: Value<'static>) -> Value<'static> {
    let Value::Object(mut root) = root else { return root };
    let definitions = root.remove("$defs");
    let mut root = keywords(root);
    if let Some(Value::Object(definitions)) = definitions {
        let mut definitions = named(definitions, &[]);
        let mut names = Vec::new();
        refer(&Value::Object(root.clone()), &definitions, &mut names);
        definitions.members_mut().sort_by_key(|(name, _)| rank(&names, name));
        root.set("$defs", Value::Object(definitions));
    }
    Value::Object(root)
}

fn schema(schema: Value<'static>) -> Value<'static> {
    if let Value::Object(schema) = schema { Value::Object(keywords(schema)) } else { schema }
}

fn keywords(schema: Object<'static>) -> Object<'static> {
    let mut schema = by_rank(schema, KEYWORDS);
    for (name, value) in schema.members_mut() {
        *value = within(name, std::mem::replace(value, Value::Null));
    }
    schema
}

/// The value of keyword `name`, with the schemas in it ordered.
fn within(name: &str, value: Value<'static>) -> Value<'static> {
    match (name, value) {
        ("properties", Value::Object(members)) => Value::Object(named(members, MEMBERS)),
        ("anyOf" | "oneOf", Value::Array(schemas)) => Value::Array(schemas.into_iter().map(schema).collect()),
        ("items" | "not", value) => schema(value),
        (_, value) => value,
    }
}

/// Schemas by name, in the order of `names`.
fn named(schemas: Object<'static>, names: &[&str]) -> Object<'static> {
    let members = by_rank(schemas, names).into_members().into_iter();
    Object::from_members(members.map(|(name, value)| (name, schema(value))).collect())
}

fn by_rank(mut object: Object<'static>, names: &[&str]) -> Object<'static> {
    object.members_mut().sort_by(|(one, _), (two, _)| (rank(names, one), one).cmp(&(rank(names, two), two)));
    object
}

fn rank<T: AsRef<str>>(names: &[T], name: &str) -> usize {
    names.iter().position(|known| known.as_ref() == name).unwrap_or(names.len())
}

/// Adds the definitions that `value` refers to, each followed by those that it refers to itself.
fn refer(value: &Value<'_>, definitions: &Object<'_>, into: &mut Vec<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(_, member)| refer(member, definitions, into)),
        Value::Array(items) => items.iter().for_each(|item| refer(item, definitions, into)),
        Value::String(text) => {
            let Some(name) = text.strip_prefix("#/$defs/") else { return };
            if !into.iter().any(|known| known == name) {
                into.push(name.to_owned());
                definitions.get(name).into_iter().for_each(|schema| refer(schema, definitions, into));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::MEMBERS;
    use crate::json::Value;
    use crate::schema::{Kind, generate};

    fn collect(value: &Value<'_>, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(object) => {
                for (name, value) in object.iter() {
                    if let ("properties", Value::Object(members)) = (name, value) {
                        into.extend(members.iter().map(|(name, _)| name.to_owned()));
                    }
                    collect(value, into);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
            _ => {}
        }
    }

    #[test]
    fn every_member_has_its_place_and_no_other_has() {
        let mut found = BTreeSet::new();
        for kind in Kind::ALL {
            collect(&generate(kind), &mut found);
        }
        let placed: BTreeSet<String> = MEMBERS.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!((placed.len(), found), (MEMBERS.len(), placed));
    }
}
