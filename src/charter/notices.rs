//! What is worth knowing of a charter that is sound.

use super::{Agent, Caller, Charter};
use crate::baton::Id;
use crate::entry::Readers;
use crate::json::pointer;
use crate::refusal::Notice;
use crate::text::quote;

impl Charter {
    /// What of it can have no effect, or not the one that it seems to have; pointers are into its document.
    #[must_use]
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        for agent in self.agents.values() {
            self.notice_callers(agent, &mut notices);
            self.notice_delegates(agent, &mut notices);
            self.notice_limits(agent, &mut notices);
            self.notice_narrow(agent, &mut notices);
        }
        for tool in self.tools.keys().filter(|tool| !self.agents.values().any(|agent| agent.tools.contains(*tool))) {
            notices.push(Notice::new(
                "charter.idle",
                at("tool", tool, ""),
                format!("no agent uses the tool {}", shown(tool)),
            ));
        }
        notices
    }

    /// Whether `caller` starts the agent, or may delegate to it.
    pub(super) fn has_work_for(&self, caller: &Caller, agent: &Id) -> bool {
        match caller {
            Caller::Agent(caller) => self.agents.get(caller).is_some_and(|caller| caller.agents.contains(agent)),
            Caller::Strategy(caller) => self
                .strategies
                .get(caller)
                .is_some_and(|strategy| strategy.subtasks.iter().any(|subtask| subtask.agent == *agent)),
        }
    }

    fn notice_callers(&self, agent: &Agent, notices: &mut Vec<Notice>) {
        let name = shown(&agent.name);
        if agent.callable_by.is_empty() {
            let detail = format!("nobody can call the agent {name}: `callable_by` lists nobody");
            notices.push(Notice::new("charter.idle", at("agent", &agent.name, "callable_by"), detail));
        }
        for caller in &agent.callable_by {
            if !self.has_work_for(caller, &agent.name) {
                let detail = format!("`{caller}` may call {name} and never does");
                notices.push(Notice::new("charter.idle", at("agent", &agent.name, "callable_by"), detail));
            }
        }
    }

    /// Tools along a chain are those that every agent in it declares.
    fn notice_delegates(&self, agent: &Agent, notices: &mut Vec<Notice>) {
        for target in agent.agents.iter().filter_map(|target| self.agents.get(target)) {
            for tool in target.tools.difference(&agent.tools) {
                let (name, caller, tool) = (shown(&target.name), shown(&agent.name), shown(tool));
                let detail =
                    format!("{name} cannot use the tool {tool} when {caller} calls it, which does not declare it");
                notices.push(Notice::new("charter.narrowed", at("agent", &agent.name, "uses"), detail));
            }
        }
    }

    /// What a tool tells some alone is not for the baton, which everybody reads.
    fn notice_narrow(&self, agent: &Agent, notices: &mut Vec<Notice>) {
        if agent.declassify || agent.writes.is_empty() {
            return;
        }
        let narrow = |tool: &&Id| self.tools.get(*tool).is_some_and(|tool| tool.readers != Readers::Everyone);
        for tool in agent.tools.iter().filter(narrow) {
            let (name, tool) = (shown(&agent.name), shown(tool));
            let detail = format!(
                "once {name} has called {tool}, whose results not everybody may read, its changes of the baton are refused"
            );
            notices.push(Notice::new("charter.narrow", at("agent", &agent.name, "writes"), detail));
        }
    }

    fn notice_limits(&self, agent: &Agent, notices: &mut Vec<Notice>) {
        let name = shown(&agent.name);
        let most = agent.limits.tokens.unwrap_or(u64::MAX).min(self.ceilings.tokens);
        if agent.limits.answer_tokens > most {
            let detail = format!(
                "an answer of {name} reserves {} tokens and it has {most}: say fewer `answer_tokens`",
                agent.limits.answer_tokens
            );
            notices.push(Notice::new("charter.short", at("agent", &agent.name, "limits"), detail));
        }
        if self.ceilings.tool_calls == 0 && !agent.tools.is_empty() {
            let detail = format!("{name} uses tools and the ceiling `tool_calls` is 0");
            notices.push(Notice::new("charter.short", "/ceilings/tool_calls", detail));
        }
    }
}

fn at(kind: &str, name: &Id, member: &str) -> String {
    let own = pointer::child(&pointer::child("", kind), name.as_str());
    if member.is_empty() { own } else { pointer::child(&own, member) }
}

fn shown(name: &Id) -> String {
    quote(name.as_str())
}
