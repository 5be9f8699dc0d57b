//! What no charter may say, though each part of it is well formed: contradictions, circles, and ways for data to leak.

use std::collections::BTreeMap;

use super::faults::Faults;
use super::names::Places;
use super::order::order;
use super::{Agent, Caller, Charter, Strategy, Subtask};
use crate::entry::Readers;
use crate::text::quote;

/// Tells every contradiction.
pub(super) fn check(charter: &Charter, places: &Places, faults: &mut Faults) {
    for agent in charter.agents.values() {
        let rules = Rules { charter, places, faults };
        rules.agent(agent);
    }
    for strategy in charter.strategies.values() {
        let rules = Rules { charter, places, faults };
        rules.strategy(strategy);
    }
}

/// Brings the subtasks of each strategy into the order in which they can be done.
pub(super) fn sort_subtasks(charter: &mut Charter) {
    for strategy in charter.strategies.values_mut() {
        if let Ok(places) = order(&strategy.subtasks) {
            strategy.subtasks = places.iter().filter_map(|place| strategy.subtasks.get(*place).cloned()).collect();
        }
    }
}

/// Who may read all that `agent` is given: what it makes can be read by nobody else.
pub(super) fn label(charter: &Charter, agent: &Agent) -> Readers {
    let needed = agent.needs.iter().filter_map(|key| charter.data.get(key));
    needed.fold(Readers::Everyone, |label, data| label.and(&data.readers))
}

struct Rules<'r> {
    charter: &'r Charter,
    places: &'r Places,
    faults: &'r mut Faults,
}

impl Rules<'_> {
    fn rule(&mut self, parts: &[&str], detail: String) {
        self.faults.rule(&self.places.of(parts), detail);
    }

    fn agent(mut self, agent: &Agent) {
        self.delegation(agent);
        self.limits(agent);
        self.needs(agent);
        if label(self.charter, agent) != Readers::Everyone && !agent.writes.is_empty() && !agent.declassify {
            let detail = format!(
                "{} is given data that not everybody may read ({}), and everybody reads the baton: remove `writes`, or let it by \
                 with `declassify = true`",
                quote(agent.name.as_str()),
                self.narrow(agent)
            );
            self.rule(&["agent", agent.name.as_str(), "writes"], detail);
        }
    }

    /// The keys that an agent needs and not everybody may read.
    fn narrow(&self, agent: &Agent) -> String {
        let is_narrow =
            |key: &&crate::baton::Id| self.charter.data.get(*key).is_some_and(|data| data.readers != Readers::Everyone);
        let keys = agent.needs.iter().filter(is_narrow).map(|key| quote(key.as_str()));
        keys.collect::<Vec<_>>().join(", ")
    }

    fn delegation(&mut self, agent: &Agent) {
        let name = agent.name.as_str();
        for target in &agent.agents {
            let part = format!("agent {target}");
            let parts = ["agent", name, "uses", part.as_str()];
            if *target == agent.name {
                self.rule(&parts, format!("{} delegates to itself, which no chain of callers allows", quote(name)));
                continue;
            }
            let caller = Caller::Agent(agent.name.clone());
            if self.charter.agents.get(target).is_some_and(|target| !target.callable_by.contains(&caller)) {
                let target = quote(target.as_str());
                let detail = format!("{target} is not callable by `{caller}`: add that to its `callable_by`");
                self.rule(&parts, detail);
            }
            let ceilings = self.charter.ceilings;
            for (ceiling, what) in [(ceilings.spawns, "spawns"), (ceilings.depth, "depth")] {
                if ceiling == 0 {
                    let detail =
                        format!("{} delegates, and the ceiling `{what}` is 0: raise it, or remove this", quote(name));
                    self.rule(&parts, detail);
                }
            }
        }
    }

    fn limits(&mut self, agent: &Agent) {
        let (limits, ceilings, usual) = (agent.limits, self.charter.ceilings, super::Limits::default());
        let answer = (limits.answer_tokens != usual.answer_tokens).then_some(limits.answer_tokens);
        let checked = [
            ("tokens", limits.tokens, ceilings.tokens, "the ceiling `tokens`"),
            ("tool_calls", limits.tool_calls, ceilings.tool_calls, "the ceiling `tool_calls`"),
            ("answer_tokens", answer, ceilings.tokens, "the ceiling `tokens`"),
            ("answer_tokens", answer, limits.tokens.unwrap_or(u64::MAX), "the agent's limit `tokens`"),
        ];
        for (name, limit, most, what) in checked {
            if let Some(limit) = limit.filter(|limit| *limit > most && most > 0) {
                let detail = format!("`{name}` is {limit}, and {what} is {most}: lower it");
                self.rule(&["agent", agent.name.as_str(), "limits", name], detail);
            }
        }
    }

    fn needs(&mut self, agent: &Agent) {
        let subtasks = self.charter.strategies.values().flat_map(|strategy| &strategy.subtasks);
        let own: Vec<_> = subtasks.filter(|subtask| subtask.agent == agent.name).collect();
        for key in &agent.needs {
            let is_own = own.iter().any(|subtask| subtask.produces.as_ref() == Some(key));
            if self.charter.data.get(key).is_some_and(|data| !is_own && !data.readers.include(&agent.name)) {
                let (name, shown) = (quote(agent.name.as_str()), quote(key.as_str()));
                let detail = format!("{name} is no reader of {shown}: add it to the readers, or remove this");
                self.rule(&["agent", agent.name.as_str(), "needs", key.as_str()], detail);
            }
        }
    }

    fn strategy(mut self, strategy: &Strategy) {
        let mut producers = BTreeMap::new();
        for subtask in &strategy.subtasks {
            self.subtask(strategy, subtask);
            let Some(key) = &subtask.produces else { continue };
            if let Some(other) = producers.insert(key, &subtask.id) {
                let detail = format!("{} is produced by {} already", quote(key.as_str()), quote(other.as_str()));
                self.rule(&["strategy", strategy.name.as_str(), "subtask", subtask.id.as_str(), "produces"], detail);
            }
        }
        if let Err(circle) = order(&strategy.subtasks)
            && let Some(first) = circle.first()
        {
            let way: Vec<String> = circle.iter().chain([first]).map(|id| quote(id.as_str())).collect();
            let detail = format!("subtasks wait for each other in a circle: {}", way.join(" for "));
            self.rule(&["strategy", strategy.name.as_str(), "subtask", first.as_str()], detail);
        }
    }

    fn subtask(&mut self, strategy: &Strategy, subtask: &Subtask) {
        let Some(agent) = self.charter.agents.get(&subtask.agent) else { return };
        let own = ["strategy", strategy.name.as_str(), "subtask", subtask.id.as_str()];
        let caller = Caller::Strategy(strategy.name.clone());
        let name = quote(agent.name.as_str());
        if !agent.callable_by.contains(&caller) {
            let detail = format!("{name} is not callable by `{caller}`: add that to its `callable_by`");
            self.rule(&[&own[..], &["agent"]].concat(), detail);
        }
        for key in subtask.consumes.iter().filter(|key| !agent.needs.contains(key)) {
            let detail = format!("{name} is not given {}: add it to the agent's `needs`", quote(key.as_str()));
            self.rule(&[&own[..], &["consumes", key.as_str()]].concat(), detail);
        }
        let Some(data) = subtask.produces.as_ref().and_then(|key| self.charter.data.get(key)) else { return };
        let mut readers = data.readers.clone();
        if let Readers::Agents(agents) = &mut readers {
            agents.remove(&agent.name);
        }
        if !agent.declassify && !readers.are_within(&label(self.charter, agent)) {
            let detail = format!(
                "{} may be read by some who may not read what {name} is given ({}): narrow its readers, or let it by with \
                 `declassify = true` at the agent",
                quote(data.key.as_str()),
                self.narrow(agent)
            );
            self.rule(&[&own[..], &["produces"]].concat(), detail);
        }
    }
}
