//! The rules that compare the baton before with the baton after.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Kind, Refusals, Terms, escaped, key_of, kind};

/// What of `before` has to be found again under the rule `kept`.
fn survivors(field: &str, value: Option<&Value>) -> Vec<(bool, Value)> {
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) if kind(field) != Kind::Other => list
            .iter()
            .map(|item| (false, if field == "decision_log" { item.clone() } else { key_of(field, item).into() }))
            .collect(),
        Some(Value::Array(list)) => list.iter().map(|item| (false, item.clone())).collect(),
        Some(Value::Object(object)) => object.keys().map(|name| (true, name.as_str().into())).collect(),
        Some(other) => vec![(false, other.clone())],
    }
}

/// Whether `after` is what the rule allows `before` to become.
pub(crate) fn holds(rule: &str, field: &str, before: Option<&Value>, after: Option<&Value>) -> bool {
    match rule {
        "frozen" => before == after,
        "kept" => survivors(field, before).iter().all(|item| survivors(field, after).contains(item)),
        "append_only" => match (before, after) {
            (None, _) => true,
            (Some(Value::Array(before)), Some(Value::Array(after))) => after.starts_with(before),
            (Some(before), None) => *before == json!([]) || *before == json!({}),
            (before, after) => before == after,
        },
        _ => true,
    }
}

/// The rule of a field where nobody says otherwise.
pub(crate) fn rule<'t>(terms: &'t Terms, field: &str) -> &'t str {
    match (terms.rules.iter().rev().find(|(name, _)| name == field), field) {
        (_, "decision_log") => "append_only",
        (Some((_, rule)), _) => rule,
        (None, "goal") => "frozen",
        (None, "constraints" | "acceptance") => "kept",
        (None, _) => "free",
    }
}

pub(super) fn guarded(before: &Value, after: &Value, terms: &Terms) -> Refusals {
    let mut bad = Refusals::new();
    let names: BTreeSet<&String> =
        [before, after].into_iter().flat_map(|baton| baton.as_object().unwrap().keys()).collect();
    for name in names {
        let (old, new) = (before.get(name), after.get(name));
        let at = format!("/{}", escaped(name));
        if old == new {
            continue;
        }
        if terms.writes.as_ref().is_some_and(|writes| !writes.contains(name)) {
            bad.insert(("guard.rights".to_owned(), at.clone()));
        }
        let let_by = name != "decision_log" && terms.allow.contains(name);
        let held = let_by || holds(rule(terms, name), name, old, new);
        if !held {
            bad.insert((format!("guard.{}", rule(terms, name)), at));
        } else if name == "goal" && new.and_then(Value::as_str).is_none_or(|goal| goal.trim().is_empty()) {
            bad.insert(("goal.missing".to_owned(), at));
        }
    }
    bad
}
