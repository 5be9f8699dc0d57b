//! Guards: rules that compare the baton before with the baton after, and can only refuse.
//!
//! They do not look at the patch. So an ancestor replaced, a key spelt with escapes, a `null`, an object in place of
//! an array all meet the same rule.

mod rules;

use crate::baton::{Baton, Field, Shape, missing_goal};
use crate::json::Value;
use crate::json::pointer;
use crate::lower::{Lowered, Members, Texts, after};
use crate::refusal::{Code, Notice, Refusal, Refused};
use crate::text::quote;

pub use rules::{Guards, Rule};

/// A patch that every guard let by.
#[derive(Clone, Debug)]
pub struct Admitted<'a> {
    pub(crate) lowered: Lowered<'a>,
    pub(crate) changed: Vec<String>,
}

impl<'a> Admitted<'a> {
    /// The patch.
    #[must_use]
    pub fn lowered(&self) -> &Lowered<'a> {
        &self.lowered
    }

    /// The members that it changes, as JSON Pointers.
    #[must_use]
    pub fn changed(&self) -> &[String] {
        &self.changed
    }
}

/// Checks what `lowered` makes of `baton`. Fields in `allowed` are let by once, and a notice says so.
///
/// # Errors
/// `guard.append_only`, `guard.kept`, `guard.frozen`, `guard.rights`, `goal.missing`: all at once, in patch order.
pub fn guard<'a>(
    baton: &Baton<'a>,
    mut lowered: Lowered<'a>,
    guards: &Guards,
    allowed: &[String],
) -> Result<Admitted<'a>, Refused> {
    let mut refusals = Vec::new();
    let mut changed = Vec::new();
    let mut notices = Vec::new();
    let standing = Members::of(baton.as_object(), lowered.sets.len());
    for (name, patch) in lowered.sets.iter() {
        let before = standing.get(name);
        let after = after(before, patch);
        let after = after.as_deref();
        if before == after {
            continue;
        }
        let at = pointer::child("", name);
        refusals.extend(guards.refuse_writing(name));
        let refusal = judge(guards.rule(name), name, before, after);
        let let_by = refusal.is_none() || allowed.iter().any(|field| field == name);
        if let Some(refusal) = refusal {
            if allowed.iter().any(|field| field == name) && name != Field::DecisionLog.name() {
                let detail = format!("this step was let by: {}", refusal.detail);
                notices.push(Notice::new("guard.allowed", at.clone(), detail));
            } else {
                refusals.push(refusal);
            }
        }
        if name == Field::Goal.name() && let_by {
            refusals.extend(lost_goal(after));
        }
        changed.push(at);
    }
    if !lowered.decisions.is_empty() {
        refusals.extend(guards.refuse_writing(Field::DecisionLog.name()));
        let log = pointer::child("", Field::DecisionLog.name());
        if !changed.contains(&log) {
            changed.push(log);
        }
    }
    lowered.notices.append(&mut notices);
    Refused::unless_empty(refusals, Admitted { lowered, changed })
}

fn lost_goal(after: Option<&Value<'_>>) -> Option<Refusal> {
    let mut object = crate::json::Object::new();
    if let Some(after) = after {
        object.set(Field::Goal.name(), after.clone());
    }
    missing_goal(&object)
}

/// Holds `before` and `after` against a rule.
fn judge(rule: Rule, name: &str, before: Option<&Value<'_>>, after: Option<&Value<'_>>) -> Option<Refusal> {
    let (code, detail) = match rule {
        Rule::Free => return None,
        Rule::Frozen => {
            let detail = format!("`{name}` is frozen: leave it out of the patch, or resend it word for word");
            (Code::GuardFrozen, detail)
        }
        Rule::AppendOnly => {
            let what = shortened(before, after)?;
            (Code::GuardAppendOnly, format!("`{name}` only grows, {what}: {}", growing_hint(name, before)))
        }
        Rule::Kept => {
            let lost = lost_items(name, before, after);
            (Code::GuardKept, kept_detail(name, &lost)?)
        }
    };
    Some(Refusal::new(code, pointer::child("", name), detail))
}

/// Names the first of the items that are lost; `None` where none is.
fn kept_detail(name: &str, lost: &[String]) -> Option<String> {
    let others = lost.len().checked_sub(1)?;
    let first: Vec<String> = lost.iter().take(3).map(|item| quote(item)).collect();
    let more = if others > 2 { format!(" and {} more", others - 2) } else { String::new() };
    let hint = if takes_edits(name) { "to add to it send `{\"add\": […]}`, or " } else { "" };
    Some(format!("{}{more} must survive: {hint}resend every item of `{name}`", first.join(", ")))
}

/// Whether a patch may say what to add to the field instead of all that it holds.
fn takes_edits(name: &str) -> bool {
    Field::named(name).is_some_and(|field| matches!(field.shape(), Shape::Strings | Shape::Keyed(_)))
}

/// How to add to a value that only grows.
fn growing_hint(name: &str, before: Option<&Value<'_>>) -> &'static str {
    if name == Field::DecisionLog.name() {
        "send only what is new"
    } else if takes_edits(name) {
        "to add to it send `{\"add\": […]}`"
    } else if before.is_some_and(|before| before.as_array().is_some()) {
        "resend the whole list with the new items at its end"
    } else {
        "leave it out of the patch"
    }
}

/// What happened to a value that only grows; `None` where it grew.
fn shortened(before: Option<&Value<'_>>, after: Option<&Value<'_>>) -> Option<String> {
    match (before, after) {
        (None, _) => None,
        (Some(before), None) => (!is_empty(before)).then(|| "it would be gone".to_owned()),
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            let differs = before.iter().zip(after).position(|(one, two)| one != two);
            let index = differs.or((after.len() < before.len()).then_some(after.len()))?;
            Some(format!("item {index} would be changed or gone"))
        }
        (Some(Value::Array(before)), Some(other)) => {
            (!before.is_empty() || !other.is_null()).then(|| format!("it would become {}", other.kind()))
        }
        (Some(before), Some(after)) => (before != after).then(|| "it would be changed".to_owned()),
    }
}

fn is_empty(value: &Value<'_>) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
        _ => false,
    }
}

/// The items of `before` that are not in `after`: by key in a keyed list, by name in an object, else by value.
fn lost_items(name: &str, before: Option<&Value<'_>>, after: Option<&Value<'_>>) -> Vec<String> {
    // The names of an object are no items of a list, whatever they spell.
    let is_object = |value: Option<&Value<'_>>| value.is_some_and(|value| value.as_object().is_some());
    let after = after.filter(|after| is_object(before) == is_object(Some(after)));
    let before = before.map(|value| rules::items_of(name, value)).unwrap_or_default();
    let after = after.map(|value| rules::items_of(name, value)).unwrap_or_default();
    let left = Texts::of(after.iter().map(AsRef::as_ref));
    before.iter().filter(|item| !left.contains(item)).map(|item| item.clone().into_owned()).collect()
}
