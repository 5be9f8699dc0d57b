//! Delegation: whether an agent may have another do a part of its work. It is decided before anything is created, so that
//! a refusal costs nothing.

use crate::authority::{agents, hint, nearest, not_callable, within_depth};
use crate::baton::Id;
use crate::ceiling::{Account, Amount};
use crate::charter::{Agent, Caller, Charter};
use crate::refusal::{Code, Refusal};
use crate::text::quote;
use crate::trace::{Event, Trace};

/// The agent named `target` where the last of `chain` may delegate to it, and what is to be traced either way.
///
/// `chain` has the agent of the strategy first and the one that asks last; `account` is that of the task, and stays as it
/// is. The rules are asked in the order of the errors below, and the first that says no is told. What is answered to the
/// agent does not tell what others have spent; the trace does.
///
/// # Errors
/// `delegation.target` where the last of the chain does not declare it, and also where it is not there, in the same words;
/// `authority.caller` where it is not callable by that agent; `delegation.cycle` where it is in the chain;
/// `delegation.depth` where the chain would be longer than the ceiling; `ceiling.spawns` where no spawn is left.
pub fn delegate<'c>(
    charter: &'c Charter,
    chain: &[Id],
    account: &Account,
    target: &str,
) -> (Result<&'c Agent, Refusal>, Vec<Trace>) {
    let asking = chain.last().map(Id::as_str).unwrap_or_default();
    match decide(charter, chain, account, target) {
        Ok(found) => {
            let depth = u64::try_from(chain.len()).unwrap_or(u64::MAX);
            let trace = Trace::new(Event::DelegationAuthorized).with("agent", asking).with("target", &found.name);
            (Ok(found), vec![trace.with("depth", depth)])
        }
        Err(refusal) => {
            let particulars = |trace: Trace| trace.with("agent", asking).with("target", target).because(&refusal);
            let failure = Trace::new(Event::FailureDetected).with("what", "delegation");
            let traces = vec![particulars(Trace::new(Event::DelegationRefused)), particulars(failure)];
            (Err(answered(refusal)), traces)
        }
    }
}

/// What the agent is told: nothing of what others have spent.
fn answered(refusal: Refusal) -> Refusal {
    if refusal.code != Code::CeilingSpawns {
        return refusal;
    }
    let detail = "no more agents may be started in this task: do it without".to_owned();
    Refusal { detail, ..refusal }
}

fn decide<'c>(charter: &'c Charter, chain: &[Id], account: &Account, target: &str) -> Result<&'c Agent, Refusal> {
    let last = chain.last().and_then(|last| charter.agents.get(last));
    let found = charter.agent(target);
    let declared = last.zip(found).filter(|(last, found)| last.agents.contains(&found.name));
    let Some((last, found)) = declared else { return Err(undeclared(charter, chain, target)) };
    let caller = Caller::Agent(last.name.clone());
    if !found.callable_by.contains(&caller) {
        return Err(not_callable(target, &caller));
    }
    if chain.contains(&found.name) {
        let detail = format!("agent {} is at work on this already: it is in the chain of callers", quote(target));
        return Err(Refusal::new(Code::DelegationCycle, "", detail));
    }
    if !within_depth(charter, chain) {
        return Err(too_deep(charter, chain));
    }
    account.admit(Amount { spawns: 1, ..Amount::default() })?;
    Ok(found)
}

fn undeclared(charter: &Charter, chain: &[Id], target: &str) -> Refusal {
    let near = nearest(target, agents(charter, chain).into_iter().map(|agent| agent.name.as_str()));
    let detail = format!("{} is no agent that may be delegated to here{}", quote(target), hint(near));
    Refusal::new(Code::DelegationTarget, "", detail)
}

fn too_deep(charter: &Charter, chain: &[Id]) -> Refusal {
    let (ceiling, depth) = (charter.ceilings.depth, chain.len());
    let detail = format!("this would be delegation {depth} in a row, and the ceiling is {ceiling}");
    Refusal::new(Code::DelegationDepth, "", detail)
}

#[cfg(test)]
#[path = "delegation_test.rs"]
mod tests;
