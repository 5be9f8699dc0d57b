//! What an entry says, on one line.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::baton::{Field, Id};
use crate::board::{BATON, PATCH};
use crate::entry::Entry;
use crate::json::{self, Object, Value};
use crate::text::{clip, escape_hidden};

/// The kinds of entries that tell of a tool call, of what people said of one, and of a rule that was applied.
const CALL: &str = "call";
const APPROVAL: &str = "approval";
const TRACE: &str = "trace";

/// Particulars of a trace that are told before all others.
const TOLD_FIRST: [&str; 7] = ["what", "caller", "agent", "target", "run", "code", "detail"];

/// Characters that the line has at most.
pub const SAYS_MAX: usize = 120;

/// So many bytes are enough to fill the line.
const BYTES_ENOUGH: usize = SAYS_MAX * 4;

/// What `entry` says, clipped to one line of at most [`SAYS_MAX`] characters; characters that cannot be seen are escapes.
#[must_use]
pub fn says(entry: &Entry) -> String {
    let data = &entry.draft.data;
    let told = match (entry.draft.kind.as_str(), data) {
        (_, Value::String(text)) => return one_line(text),
        (PATCH, Value::Object(data)) => patch(data),
        (BATON, Value::Object(data)) => baton(data),
        (CALL | APPROVAL, Value::Object(data)) => call(data),
        (TRACE, Value::Object(data)) => trace(data),
        _ => None,
    };
    one_line(&told.unwrap_or_else(|| plain(data)))
}

/// `text` as [`says`] shows it.
pub(crate) fn one_line(text: &str) -> String {
    let clipped = clip(text, SAYS_MAX);
    clip(&escape_hidden(&clipped), SAYS_MAX).into_owned()
}

/// The decisions that a patch took, and the other members that it changed.
fn patch(data: &Object<'_>) -> Option<String> {
    let lowered = data.get("lowered")?.as_object()?;
    let mut out = String::new();
    let decisions = lowered.get(Field::DecisionLog.name()).and_then(Value::as_array).unwrap_or_default();
    for decision in decisions.iter().filter_map(Value::as_object) {
        if out.len() > BYTES_ENOUGH {
            break;
        }
        let text = |name: &str| decision.get(name).and_then(Value::as_str).unwrap_or_default();
        part(&mut out, &format!("{} {}", clip(text("id"), SAYS_MAX), clip(text("decision"), SAYS_MAX)));
    }
    let mut first = true;
    for (name, _) in lowered.iter().filter(|(name, _)| *name != Field::DecisionLog.name()) {
        if out.len() > BYTES_ENOUGH {
            break;
        }
        if first {
            part(&mut out, "changes ");
        } else {
            out.push_str(", ");
        }
        out.push_str(&clip(name, SAYS_MAX));
        first = false;
    }
    Some(if out.is_empty() { "changes nothing".to_owned() } else { out })
}

fn part(out: &mut String, text: &str) {
    if !out.is_empty() {
        out.push_str("; ");
    }
    out.push_str(text);
}

/// `send_email done, for reviewer: {"to":"ops"} → "sent"`
fn call(data: &Object<'_>) -> Option<String> {
    let text = |name: &str| Some(clip(data.get(name)?.as_str()?, SAYS_MAX / 3));
    let mut out = format!("{} {}, for {}", text("tool")?, text("state")?, text("agent")?);
    if let Some(arguments) = data.get("arguments") {
        let _ = write!(out, ": {}", clip(&plain(arguments), SAYS_MAX / 2));
    }
    if let Some(result) = data.get("result").or(data.get("why")).or(data.get("detail")) {
        let _ = write!(out, " → {}", plain(result));
    }
    Some(out)
}

/// `run of builder (r2): run.failed: its command ended with 1`; `strategy ship → planner (r1)`
fn trace(data: &Object<'_>) -> Option<String> {
    let text = |name: &str| clip(data.get(name).and_then(Value::as_str).unwrap_or_default(), SAYS_MAX);
    let actors: Vec<_> = ["caller", "agent", "target"].map(text).into_iter().filter(|name| !name.is_empty()).collect();
    let mut out = actors.join(" → ");
    if !text("run").is_empty() {
        let _ = write!(out, "{}({})", if out.is_empty() { "" } else { " " }, text("run"));
    }
    if !text("what").is_empty() && text("what") != out {
        out = if out.is_empty() { text("what").into_owned() } else { format!("{} of {out}", text("what")) };
    }
    let code = [text("code"), text("detail")].into_iter().filter(|part| !part.is_empty());
    let rest = data.iter().filter(|(name, _)| !TOLD_FIRST.contains(name));
    let rest: Vec<String> = rest.take(SAYS_MAX).map(|(name, value)| format!("{name} {}", particular(value))).collect();
    let parts: Vec<String> = code.map(Cow::into_owned).chain((!rest.is_empty()).then(|| rest.join(", "))).collect();
    for part in parts {
        if !out.is_empty() {
            out.push_str(": ");
        }
        out.push_str(&part);
    }
    (!out.is_empty()).then_some(out)
}

/// A value as [`plain`] shows it; of a digest the beginning.
fn particular(value: &Value<'_>) -> String {
    match value.as_str().and_then(Id::new) {
        Some(id) => super::short_key(&id),
        None => plain(value),
    }
}

fn baton(data: &Object<'_>) -> Option<String> {
    let goal = data.get("baton")?.as_object()?.get(Field::Goal.name())?.as_str()?;
    Some(format!("goal: {}", clip(goal, SAYS_MAX)))
}

/// The beginning of any value: a string as it is, anything else as JSON.
pub(crate) fn plain(value: &Value<'_>) -> String {
    let mut out = String::new();
    match value {
        Value::String(text) => return clip(text, SAYS_MAX).into_owned(),
        Value::Array(items) => {
            out.push('[');
            members(&mut out, items.iter().map(|item| (None, item)));
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            members(&mut out, object.iter().map(|(name, value)| (Some(name), value)));
            out.push('}');
        }
        other => json::compact_into(&mut out, other),
    }
    out
}

/// As many members as fill the line; of long strings the beginning.
fn members<'v>(out: &mut String, members: impl Iterator<Item = (Option<&'v str>, &'v Value<'v>)>) {
    for (place, (name, value)) in members.enumerate() {
        if out.len() > BYTES_ENOUGH {
            break;
        }
        if place > 0 {
            out.push(',');
        }
        if let Some(name) = name {
            json::compact_into(out, &Value::string(clip(name, SAYS_MAX)));
            out.push(':');
        }
        match value {
            Value::String(text) => json::compact_into(out, &Value::string(clip(text, SAYS_MAX))),
            Value::Array(items) if items.len() > SAYS_MAX => {
                let _ = write!(out, "[{} items]", items.len());
            }
            Value::Object(object) if object.len() > SAYS_MAX => {
                let _ = write!(out, "{{{} members}}", object.len());
            }
            other => json::compact_into(out, other),
        }
    }
}
