//! What a strategy needs to be carried out by commands: found to be missing before anything starts.

use std::collections::BTreeSet;

use relay_baton::baton::Id;
use relay_baton::charter::{Charter, Strategy};
use relay_baton::json::pointer;
use relay_baton::refusal::{Code, Refusal, Refused};

/// Every agent that `strategy` may come to, and every tool of these, has a command.
pub(super) fn check(charter: &Charter, strategy: &Strategy) -> Result<(), Refused> {
    let agents = agents_of(charter, strategy);
    let tools: BTreeSet<&Id> =
        agents.iter().filter_map(|name| charter.agents.get(*name)).flat_map(|agent| &agent.tools).collect();
    let agents = agents.iter().filter(|name| charter.agents.get(**name).is_some_and(|agent| agent.command.is_none()));
    let tools = tools.iter().filter(|name| charter.tools.get(**name).is_some_and(|tool| tool.command.is_none()));
    let missing = agents.map(|name| none("agent", name)).chain(tools.map(|name| none("tool", name)));
    Refused::unless_empty(missing.collect(), ())
}

fn none(what: &str, name: &Id) -> Refusal {
    let at = pointer::child(&pointer::child(&format!("/{what}"), name.as_str()), "command");
    let detail =
        format!("{what} `{name}` has no command, so nothing here can carry it out: give it `command = [\"…\"]`");
    Refusal::new(Code::CharterMember, at, detail)
}

fn agents_of<'c>(charter: &'c Charter, strategy: &'c Strategy) -> BTreeSet<&'c Id> {
    let mut found: BTreeSet<&Id> = BTreeSet::new();
    let mut next: Vec<&Id> = strategy.subtasks.iter().map(|subtask| &subtask.agent).collect();
    while let Some(name) = next.pop() {
        if found.insert(name) {
            next.extend(charter.agents.get(name).into_iter().flat_map(|agent| &agent.agents));
        }
    }
    found
}
