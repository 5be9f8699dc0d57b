//! A structured answer: which of its members go together, and what each asks for.

use super::members::{Members, string};
use super::{Delegation, Expected, Reply, ToolRequest};
use crate::extract::is_answer_key;
use crate::json::{Object, Value};
use crate::refusal::{Code, Refusal};
use crate::text::quote;

const MEMBERS: [&str; 7] = ["tool_calls", "delegate", "output", "baton_patch", "text", "agent", "request"];
const PATCH: &str = "baton_patch";

/// The reply that `text` is, which as a whole is `value`, from byte `start` on.
pub(super) fn of_whole(text: &str, value: Value<'_>, start: usize, expected: &Expected<'_>) -> Result<Reply, Refusal> {
    match value {
        Value::Object(object) if object.iter().any(|(name, _)| name == PATCH || is_answer_key(name)) => {
            let has_patch = object.get(PATCH).is_some_and(|patch| !patch.is_null());
            read(text, object, start, has_patch, expected)
        }
        output => Ok(Reply { text: text.to_owned(), output: Some(output.into_owned()), ..Reply::default() }),
    }
}

/// The reply that `text` holds: `value`, from byte `start` on, and perhaps a patch.
pub(super) fn within(
    text: &str,
    value: Value<'_>,
    start: usize,
    has_patch: bool,
    expected: &Expected<'_>,
) -> Result<Reply, Refusal> {
    match value {
        Value::Object(object) => read(text, object, start, has_patch, expected),
        other => Ok(Reply { text: text.to_owned(), output: Some(other.into_owned()), ..Reply::default() }),
    }
}

fn read(
    text: &str,
    object: Object<'_>,
    start: usize,
    has_patch: bool,
    expected: &Expected<'_>,
) -> Result<Reply, Refusal> {
    let mut members = Members::new(text, start, object, "", &MEMBERS, "an answer")?;
    echoes(&mut members, expected)?;
    if let Some(said) = members.take("text") {
        string(&members, "text", said)?;
    }
    let calls = members.list("tool_calls", tool_request)?;
    let delegations = members.list("delegate", delegation)?;
    let asks = !calls.is_empty() || !delegations.is_empty();
    let output = members.take_even_null("output").filter(|output| !(asks && output.is_null()));
    members.take(PATCH);
    if asks && (output.is_some() || has_patch) {
        let beside = if output.is_some() { "output" } else { PATCH };
        let asking = if calls.is_empty() { "delegate" } else { "tool_calls" };
        let detail = format!(
            "`{asking}` and `{beside}` exclude each other: ask first, and send `{beside}` with the last answer"
        );
        return Err(members.refusal(Code::ReplyType, beside, detail));
    }
    if !asks && output.is_none() && !has_patch {
        let detail = "the answer asks for nothing and has no output; send `output`, `tool_calls` or `delegate`";
        return Err(members.refusal(Code::ReplyNone, "", detail.to_owned()));
    }
    let patch = has_patch.then(|| text.to_owned());
    Ok(Reply { text: text.to_owned(), calls, delegations, output: output.map(Value::into_owned), patch })
}

/// Who says that they answer what.
fn echoes(members: &mut Members<'_, '_>, expected: &Expected<'_>) -> Result<(), Refusal> {
    for (name, awaited) in [("agent", expected.agent.as_str()), ("request", expected.request)] {
        let Some(told) = members.take(name) else { continue };
        let told = string(members, name, told)?;
        if told != awaited {
            let detail =
                format!("the answer has the {name} {}, and that of {} is awaited", quote(&told), quote(awaited));
            return Err(members.refusal(Code::ReplyForeign, name, detail));
        }
    }
    Ok(())
}

fn tool_request(text: &str, start: usize, object: Object<'_>, at: &str) -> Result<ToolRequest, Refusal> {
    let form = "a tool call, `{\"tool\": NAME, \"arguments\": …}`,";
    let mut members = Members::new(text, start, object, at, &["tool", "arguments"], form)?;
    let tool = members.required("tool")?;
    Ok(ToolRequest { tool, arguments: members.take_even_null("arguments").map(Value::into_owned) })
}

fn delegation(text: &str, start: usize, object: Object<'_>, at: &str) -> Result<Delegation, Refusal> {
    let form = "a delegation, `{\"agent\": NAME, \"intent\": TEXT, \"input\": …}`,";
    let mut members = Members::new(text, start, object, at, &["agent", "intent", "input"], form)?;
    let (agent, intent) = (members.required("agent")?, members.required("intent")?);
    Ok(Delegation { agent, intent, input: members.take_even_null("input").map(Value::into_owned) })
}
