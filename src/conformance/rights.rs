//! Charters, and what they allow.

use super::asked::{Asked, Wrong};
use super::told::{object, refusals, refused, text, texts, traces, with};
use crate::ceiling::{Account, Amount};
use crate::charter::Unsound;
use crate::contract::{self, Validator};
use crate::json::Value;
use crate::{authority, delegation};

/// `charter`: all that is wrong with one, or the whole of it.
pub(super) fn charter(asked: Asked<'_>, validator: Option<&dyn Validator>) -> Result<Value<'static>, Wrong> {
    let charter = match asked.charter_or_faults("charter")? {
        Ok(charter) => charter,
        Err(unsound) => return Ok(object([("refusals", faults(&unsound))])),
    };
    let validator = validator.filter(|_| asked.flag("validator", true).unwrap_or(true));
    if let Err(refused) = contract::check(&charter, validator) {
        return Ok(object([("refusals", refusals(refused.refusals()))]));
    }
    Ok(object([("document", charter.document)]))
}

/// By file, place and code, since nothing says in which order they are found.
fn faults(unsound: &Unsound) -> Value<'static> {
    let mut sorted: Vec<_> = unsound.faults().iter().collect();
    sorted.sort_by_key(|fault| (&fault.file, &fault.refusal.at, fault.refusal.code.as_str()));
    let told = sorted.into_iter().map(|fault| {
        let refusal = &fault.refusal;
        object([
            ("code", text(refusal.code.as_str())),
            ("at", text(&refusal.at)),
            ("file", text(&fault.file)),
            ("says", text(&refusal.detail)),
        ])
    });
    Value::Array(told.collect())
}

/// `invoke`: whether a caller may invoke an agent.
pub(super) fn invoke(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let charter = asked.charter("charter")?;
    let (caller, agent) = (asked.caller("caller")?, asked.text("agent")?);
    let (found, told) = authority::invoke(&charter, &caller, agent);
    let answer = match found {
        Ok(agent) => object([("agent", text(agent.name.as_str()))]),
        Err(refusal) => refused(&refusal),
    };
    Ok(with(answer, "traces", traces(&told)))
}

/// `tools`: what a chain of agents may use for a person; with `tool`, whether it may use that one.
pub(super) fn tools(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let charter = asked.charter("charter")?;
    let (chain, person) = (asked.ids("chain")?, asked.id("person")?);
    let usable = texts(authority::tools(&charter, &chain, &person).into_iter().map(|tool| tool.name.as_str()));
    let Some(name) = asked.text_if_there("tool")? else { return Ok(object([("tools", usable)])) };
    Ok(match authority::tool(&charter, &chain, &person, name) {
        Ok(tool) => object([("tool", text(tool.name.as_str())), ("side_effects", Value::Bool(tool.side_effects))]),
        Err(refusal) => refused(&refusal),
    })
}

/// `agents`: what the last of a chain may delegate to, as far as the charter goes.
pub(super) fn agents(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let charter = asked.charter("charter")?;
    let chain = asked.ids("chain")?;
    let found = authority::agents(&charter, &chain);
    Ok(object([("agents", texts(found.into_iter().map(|agent| agent.name.as_str())))]))
}

/// `approver`: whether a person may decide calls of a tool.
pub(super) fn approver(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let charter = asked.charter("charter")?;
    let (name, person) = (asked.text("tool")?, asked.id("person")?);
    let tool = charter.tool(name).ok_or_else(|| format!("there is no tool `{name}`"))?;
    Ok(match authority::approver(&charter, tool, &person) {
        Ok(()) => object([("person", text(person.as_str()))]),
        Err(refusal) => refused(&refusal),
    })
}

/// `delegate`: whether the last of a chain may have another agent do something, after so many were started.
pub(super) fn delegate(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let charter = asked.charter("charter")?;
    let (chain, target) = (asked.ids("chain")?, asked.text("target")?);
    let spawns = asked.number("spawns")?.unwrap_or_default();
    let mut account = Account::new(Amount::from(charter.ceilings));
    let begun = Amount { spawns, ..Amount::default() };
    account.reserve("before", begun).map_err(|refusal| format!("`spawns` is over the ceiling: {refusal}"))?;
    let (found, told) = delegation::delegate(&charter, &chain, &account, target);
    let answer = match found {
        Ok(agent) => object([("agent", text(agent.name.as_str()))]),
        Err(refusal) => refused(&refusal),
    };
    Ok(with(answer, "traces", traces(&told)))
}
