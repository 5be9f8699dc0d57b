//! Calls and approvals.

use super::asked::{Asked, Wrong};
use super::told::{object, refused, text, texts, with};
use crate::approval::{self, Approval};
use crate::baton::Timestamp;
use crate::call;
use crate::entry::BoardId;
use crate::json::Value;

/// `call_key`: the key of each call.
pub(super) fn call_key(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let mut keys = Vec::new();
    for of in asked.objects("calls")? {
        let (subtask, agent, tool) = (of.id("subtask")?, of.id("agent")?, of.id("tool")?);
        keys.push(call::key(&subtask, &agent, &tool, of.get("arguments")));
    }
    Ok(object([("keys", texts(keys))]))
}

/// `approval_digest`: what an approval of each call is bound to.
pub(super) fn approval_digest(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let digests = asked.objects("calls")?.into_iter().map(digest_of).collect::<Result<Vec<_>, _>>()?;
    Ok(object([("digests", texts(digests))]))
}

fn digest_of(call: Asked<'_>) -> Result<String, Wrong> {
    let board = BoardId { tenant: call.id("tenant")?, task: call.id("task")? };
    let (run, agent, tool) = (call.text("run")?, call.id("agent")?, call.id("tool")?);
    Ok(approval::digest(&board, run, &agent, &tool, call.get("arguments")))
}

/// `call`: the states that a call goes through.
pub(super) fn call(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let side_effects = asked.flag("side_effects", true)?;
    let mut state = call::State::Requested;
    let mut steps = Vec::new();
    for event in asked.list("events")? {
        let stepped = call::step(state, event_of(event)?, side_effects);
        steps.push(match stepped {
            Ok((next, effects)) => {
                state = next;
                let effects = effects.into_iter().map(effect_name);
                object([("state", text(state.name())), ("effects", texts(effects))])
            }
            Err(refusal) => with(refused(&refusal), "state", text(state.name())),
        });
    }
    let (settled, waits) = (call::is_settled(state), call::waits_for_person(state));
    Ok(object([
        ("steps", Value::Array(steps)),
        ("settled", Value::Bool(settled)),
        ("waits_for_person", Value::Bool(waits)),
    ]))
}

fn event_of(event: &Value<'_>) -> Result<call::Event, Wrong> {
    let name = event.as_str().ok_or("`events` is a list of names")?;
    Ok(match name {
        "ask" => call::Event::Ask,
        "grant" => call::Event::Grant,
        "deny" => call::Event::Deny,
        "expire" => call::Event::Expire,
        "begin" => call::Event::Begin,
        "finish" => call::Event::Finish,
        "fail" => call::Event::Fail,
        "lose" => call::Event::Lose,
        "resolve_happened" => call::Event::Resolve { happened: true },
        "resolve_did_not" => call::Event::Resolve { happened: false },
        other => return Err(format!("`{other}` is no event of a call")),
    })
}

fn effect_name(effect: call::Effect) -> &'static str {
    match effect {
        call::Effect::RequestApproval => "request_approval",
        call::Effect::Start => "start",
        call::Effect::Tell => "tell",
        call::Effect::PutToPerson => "put_to_person",
    }
}

/// `approval`: what comes of an approval of one call, event by event.
pub(super) fn approval(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let of = asked.object("call")?.ok_or("the member `call` is missing")?;
    let digest = digest_of(of)?;
    let id = approval::id(&digest, 1);
    let mut known = Approval::request(id, digest, &time_of(asked, "requested_at")?, asked.number("seconds")?);
    let mut steps = Vec::new();
    for event in asked.objects("events")? {
        let stepped = known.step(happening(event, of)?, &time_of(event, "at")?);
        steps.push(match stepped {
            Ok(next) => {
                known = next;
                object([("state", text(known.state.name()))])
            }
            Err(refusal) => with(refused(&refusal), "state", text(known.state.name())),
        });
    }
    let by = known.decision.as_ref().map_or(Value::Null, |decision| text(decision.by.as_str()));
    Ok(object([("steps", Value::Array(steps)), ("decided_by", by)]))
}

fn happening(event: Asked<'_>, own: Asked<'_>) -> Result<approval::Event, Wrong> {
    Ok(match event.text("do")? {
        "grant" => approval::Event::Grant { by: event.id("by")? },
        "deny" => approval::Event::Deny { by: event.id("by")?, why: event.text_if_there("why")?.map(str::to_owned) },
        "tick" => approval::Event::Tick,
        "consume" => approval::Event::Consume { digest: digest_of(event.object("call")?.unwrap_or(own))? },
        "void" => approval::Event::Void,
        other => return Err(format!("`{other}` is no event of an approval")),
    })
}

fn time_of(asked: Asked<'_>, name: &str) -> Result<Timestamp, Wrong> {
    let told = asked.text(name)?;
    Timestamp::parse(told).ok_or_else(|| format!("`{name}` is a time (RFC 3339)"))
}
