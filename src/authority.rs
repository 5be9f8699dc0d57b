//! Authority: who may invoke an agent, which tools and agents a chain of callers may use, and who may approve a call.
//!
//! The rights of a call are the intersection along its chain of callers, so that a delegation never widens them. What is
//! answered to an agent tells nothing of what it may not use: a tool that it may not use and a tool that is not there
//! are refused in the same words. The trace, which no agent reads, tells which of them it was.

use crate::baton::{Id, distance};
use crate::charter::{Agent, Caller, Charter, Tool};
use crate::entry::EVERYONE;
use crate::refusal::{Code, Refusal};
use crate::text::quote;
use crate::trace::{AUTHOR, Event, Trace};

/// Whether `caller` may invoke the agent named `agent`. It allocates nothing.
#[must_use]
pub fn may_invoke(charter: &Charter, caller: &Caller, agent: &str) -> bool {
    charter.agent(agent).is_some_and(|agent| agent.callable_by.contains(caller))
}

/// The agent named `agent` where `caller` may invoke it, and what is to be traced either way.
///
/// The trace of a refusal tells more than the refusal does where the caller is an agent: that one learns only that it may
/// not invoke that name, whether the agent is there or not.
///
/// # Errors
/// `authority.unknown` where there is no such agent, `authority.caller` where it is not callable by the caller; an agent
/// gets `authority.caller` for both.
pub fn invoke<'c>(charter: &'c Charter, caller: &Caller, agent: &str) -> (Result<&'c Agent, Refusal>, Vec<Trace>) {
    let found = charter.agent(agent);
    if let Some(target) = found
        && target.callable_by.contains(caller)
    {
        let trace = Trace::new(Event::AgentInvocationAuthorized);
        return (Ok(target), vec![trace.with("caller", caller.to_string()).with("agent", &target.name)]);
    }
    let told = uninvocable(charter, caller, agent, found);
    let answered = match caller {
        Caller::Strategy(_) => told.clone(),
        Caller::Agent(_) => not_callable(agent, caller),
    };
    let traced = Refusal { code: answered.code, ..told };
    (Err(answered), refused_invocation(caller, agent, &traced))
}

fn refused_invocation(caller: &Caller, agent: &str, refusal: &Refusal) -> Vec<Trace> {
    let particulars = |trace: Trace| trace.with("caller", caller.to_string()).with("agent", agent).because(refusal);
    let failure = Trace::new(Event::FailureDetected).with("what", "agent_invocation");
    vec![particulars(Trace::new(Event::AgentInvocationRefused)), particulars(failure)]
}

/// Why `caller` may not invoke an agent, for those who may know all of the charter.
fn uninvocable(charter: &Charter, caller: &Caller, name: &str, found: Option<&Agent>) -> Refusal {
    let Some(agent) = found else {
        let nearest = nearest(name, charter.agents.keys().map(Id::as_str));
        return Refusal::new(Code::AuthorityUnknown, "", format!("there is no agent {}{}", quote(name), hint(nearest)));
    };
    let Refusal { code, at, detail, position } = not_callable(name, caller);
    let who = if agent.callable_by.is_empty() {
        "nobody may call it".to_owned()
    } else {
        format!("callable by {}", listed(agent.callable_by.iter().map(ToString::to_string)))
    };
    Refusal { code, at, detail: format!("{detail}: {who}"), position }
}

/// Why `caller` may not invoke an agent, for the caller.
pub(crate) fn not_callable(name: &str, caller: &Caller) -> Refusal {
    let detail = format!("agent {} is not callable by {}", quote(name), quote(&caller.to_string()));
    Refusal::new(Code::AuthorityCaller, "", detail)
}

/// The tool named `tool` where every agent of `chain` declares it and `person` may use it.
///
/// `chain` has the outermost agent first; the last is the one that asks. An empty chain asks for nobody, and gets none.
///
/// # Errors
/// `authority.uses` where some agent of the chain does not declare it, or where it is not there; `authority.unknown` for
/// the latter where the chain is empty; `authority.person` where the agents may use it and the person may not.
pub fn tool<'c>(charter: &'c Charter, chain: &[Id], person: &Id, tool: &str) -> Result<&'c Tool, Refusal> {
    let found = charter.tool(tool);
    match found {
        Some(found) if !declared(charter, chain, found) => Err(not_used(charter, chain, person, tool)),
        Some(found) if !permitted(charter, person, found) => Err(not_permitted(person, found)),
        Some(found) => Ok(found),
        None if chain.is_empty() => Err(no_tool(charter, tool)),
        None => Err(not_used(charter, chain, person, tool)),
    }
}

/// Every tool that [`tool`] would grant, in the order of their names.
#[must_use]
pub fn tools<'c>(charter: &'c Charter, chain: &[Id], person: &Id) -> Vec<&'c Tool> {
    let Some(last) = chain.last().and_then(|last| charter.agents.get(last)) else { return Vec::new() };
    let declared_last = last.tools.iter().filter_map(|name| charter.tools.get(name));
    declared_last.filter(|tool| declared(charter, chain, tool) && permitted(charter, person, tool)).collect()
}

/// Every agent that the last of `chain` may delegate to as far as the charter goes, in the order of their names: declared
/// by it, callable by it, not in the chain, and within the depth. Spawns are not counted here.
#[must_use]
pub fn agents<'c>(charter: &'c Charter, chain: &[Id]) -> Vec<&'c Agent> {
    let Some(last) = chain.last().and_then(|last| charter.agents.get(last)) else { return Vec::new() };
    if !within_depth(charter, chain) {
        return Vec::new();
    }
    let caller = Caller::Agent(last.name.clone());
    let declared = last.agents.iter().filter_map(|name| charter.agents.get(name));
    declared.filter(|agent| agent.callable_by.contains(&caller) && !chain.contains(&agent.name)).collect()
}

/// Whether the last of `chain` may delegate without going below the depth that the charter sets.
pub(crate) fn within_depth(charter: &Charter, chain: &[Id]) -> bool {
    u64::try_from(chain.len()).is_ok_and(|depth| depth <= charter.ceilings.depth)
}

/// Whether `person` is the name of a person.
///
/// # Errors
/// `authority.person` for the name of an agent in any spelling or case, for `relay-baton`, and for `*`.
pub fn person(charter: &Charter, person: &Id) -> Result<(), Refusal> {
    if is_no_person(charter, person) {
        let detail = format!("{} is the name of no person, and only people ask for tasks", quote(person.as_str()));
        return Err(Refusal::new(Code::AuthorityPerson, "", detail));
    }
    Ok(())
}

fn is_no_person(charter: &Charter, person: &Id) -> bool {
    let name = own_name(charter, person.as_str());
    let reserved = [AUTHOR, EVERYONE].into_iter().any(|word| name.eq_ignore_ascii_case(word));
    reserved || charter.agents.keys().any(|agent| is_spelling_of(person.as_str(), name, agent))
}

/// Whether `person` may decide calls of `tool`.
///
/// # Errors
/// `approval.approver` for the name of an agent in any spelling or case, for `relay-baton`, and for whoever is not among
/// the approvers of the tool where it has some.
pub fn approver(charter: &Charter, tool: &Tool, person: &Id) -> Result<(), Refusal> {
    let refused = |why: String| Err(Refusal::new(Code::ApprovalApprover, "", why));
    if is_no_person(charter, person) {
        return refused(format!("{} is the name of no person, and only a person may decide", quote(person.as_str())));
    }
    match &tool.approvers {
        Some(approvers) if !approvers.contains(person) => {
            let who = if approvers.is_empty() {
                "nobody may".to_owned()
            } else {
                format!("its approvers are {}", listed(approvers.iter().map(ToString::to_string)))
            };
            refused(format!("{} may not decide a call of {}: {who}", quote(person.as_str()), quote(tool.name.as_str())))
        }
        _ => Ok(()),
    }
}

/// Whether `person` may say what became of a call of the tool of that name: whoever may decide its calls, and any person
/// where the charter does not have the tool any more.
///
/// # Errors
/// `approval.approver` for everybody else.
pub(crate) fn witness(charter: &Charter, tool: &Id, person: &Id) -> Result<(), Refusal> {
    match charter.tools.get(tool) {
        Some(tool) => approver(charter, tool, person),
        None => self::person(charter, person).map_err(|refusal| Refusal { code: Code::ApprovalApprover, ..refusal }),
    }
}

fn is_spelling_of(person: &str, own: &str, agent: &Id) -> bool {
    agent.as_str().eq_ignore_ascii_case(person) || agent.as_str().eq_ignore_ascii_case(own)
}

/// `name` without the charter's own module before it, in whatever case that is written.
fn own_name<'n>(charter: &Charter, name: &'n str) -> &'n str {
    let own = charter.module.as_ref().and_then(|module| {
        let (before, after) = name.split_at_checked(module.as_str().len())?;
        before.eq_ignore_ascii_case(module.as_str()).then_some(after)?.strip_prefix('.')
    });
    own.unwrap_or(name)
}

fn declared(charter: &Charter, chain: &[Id], tool: &Tool) -> bool {
    let declares = |name: &Id| charter.agents.get(name).is_some_and(|agent| agent.tools.contains(&tool.name));
    !chain.is_empty() && chain.iter().all(declares)
}

fn permitted(charter: &Charter, person: &Id, tool: &Tool) -> bool {
    let Some(people) = &charter.people else { return true };
    people.get(person).is_some_and(|person| person.tools.contains(&tool.name))
}

fn not_used(charter: &Charter, chain: &[Id], person: &Id, name: &str) -> Refusal {
    let nearest = nearest(name, tools(charter, chain, person).into_iter().map(|tool| tool.name.as_str()));
    let detail = format!("{} is no tool that may be used here{}", quote(name), hint(nearest));
    Refusal::new(Code::AuthorityUses, "", detail)
}

fn no_tool(charter: &Charter, name: &str) -> Refusal {
    let nearest = nearest(name, charter.tools.keys().map(Id::as_str));
    Refusal::new(Code::AuthorityUnknown, "", format!("there is no tool {}{}", quote(name), hint(nearest)))
}

fn not_permitted(person: &Id, tool: &Tool) -> Refusal {
    let detail = format!("tool {} may not be used for {}", quote(tool.name.as_str()), quote(person.as_str()));
    Refusal::new(Code::AuthorityPerson, "", detail)
}

/// `one`, `two` and so on, in backticks, parted by commas.
fn listed(names: impl Iterator<Item = String>) -> String {
    names.map(|name| quote(&name)).collect::<Vec<_>>().join(", ")
}

/// What to add to a message about a name, where another is near.
pub(crate) fn hint(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!(": did you mean {}?", quote(nearest))).unwrap_or_default()
}

/// The one of `known` that `name` nearly is: without its module, in another case, or a few letters off where it is long
/// enough to tell.
#[must_use]
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > 128 {
        return None;
    }
    let plain = name.to_ascii_lowercase();
    let edits = known.filter_map(|known| {
        if known.rsplit_once('.').is_some_and(|(_, bare)| bare.eq_ignore_ascii_case(name)) {
            return Some((0, known));
        }
        let slack = (known.len() / 3).min(2);
        let near = plain.chars().count().abs_diff(known.len()) <= slack;
        let edits = near.then(|| distance(&plain, &known.to_ascii_lowercase()))?;
        (edits <= slack).then_some((edits, known))
    });
    edits.min().map(|(_, known)| known)
}

#[cfg(test)]
#[path = "authority_test.rs"]
mod tests;
