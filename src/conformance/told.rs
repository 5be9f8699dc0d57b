//! Answers, put together.

use crate::json::{Object, Value};
use crate::refusal::Refusal;
use crate::trace::Trace;

/// The largest integer that every reader of JSON keeps exactly (RFC 7493).
const EXACT_MAX: u64 = (1 << 53) - 1;

/// An object of these members, in order.
pub(super) fn object<const N: usize>(members: [(&'static str, Value<'static>); N]) -> Value<'static> {
    let mut object = Object::new();
    for (name, value) in members {
        object.set(name, value);
    }
    Value::Object(object)
}

/// The same object with one more member.
pub(super) fn with(value: Value<'static>, name: &'static str, member: Value<'static>) -> Value<'static> {
    match value {
        Value::Object(mut object) => {
            object.set(name, member);
            Value::Object(object)
        }
        other => other,
    }
}

pub(super) fn text(text: impl Into<String>) -> Value<'static> {
    Value::string(text.into())
}

pub(super) fn texts<T: ToString>(texts: impl IntoIterator<Item = T>) -> Value<'static> {
    Value::Array(texts.into_iter().map(|item| text(item.to_string())).collect())
}

/// An integer; its digits, where not every reader of JSON keeps it exactly.
pub(super) fn number(number: u64) -> Value<'static> {
    if number <= EXACT_MAX { Value::integer(number) } else { text(number.to_string()) }
}

/// Refusals, each with its code and place.
pub(super) fn refusals<'r>(refusals: impl IntoIterator<Item = &'r Refusal>) -> Value<'static> {
    let told = refusals.into_iter().map(|refusal| {
        object([("code", text(refusal.code.as_str())), ("at", text(&refusal.at)), ("says", text(&refusal.detail))])
    });
    Value::Array(told.collect())
}

/// What was refused, for one reason.
pub(super) fn refused(refusal: &Refusal) -> Value<'static> {
    object([("refusals", refusals([refusal]))])
}

/// Traces, each with its event and particulars.
pub(super) fn traces(traces: &[Trace]) -> Value<'static> {
    let told = traces.iter().map(|trace| {
        let mut object = Object::new();
        object.set("event", text(trace.event.name()));
        for (name, value) in trace.data.iter() {
            object.set(name.to_owned(), value.clone());
        }
        Value::Object(object)
    });
    Value::Array(told.collect())
}
