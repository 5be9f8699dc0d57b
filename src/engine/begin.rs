//! How runs begin: authority first, then the slice, and nothing is spent before both are there.

use crate::baton::Id;
use crate::ceiling::{Account, Amount};
use crate::charter::{Agent, Caller, Subtask};
use crate::engine::act::invocation_trace;
use crate::engine::measure::fits;
use crate::engine::message::{Datum, Gathered, Message, Output, Slice};
use crate::engine::state::{Parent, Phase, Run};
use crate::engine::step::{Entering, Step, name_of};
use crate::engine::{DELEGATION, Engine};
use crate::entry::{Readers, Reference};
use crate::json::{Object, Value};
use crate::prerequisite::{self, Status};
use crate::refusal::{Code, Refusal};
use crate::text::quote;
use crate::trace::{Event, Trace};
use crate::{authority, delegation};

/// What a run begins with.
pub(super) struct Beginning {
    pub(super) agent: Id,
    pub(super) caller: Caller,
    pub(super) chain: Vec<Id>,
    pub(super) subtask: Option<usize>,
    pub(super) root: Id,
    pub(super) step: Id,
    pub(super) intent: String,
    pub(super) input: Option<Value<'static>>,
    pub(super) parent: Option<Parent>,
    pub(super) external: bool,
    pub(super) produces: Option<Id>,
    pub(super) label: Readers,
    pub(super) sources: Vec<Reference>,
}

impl Engine {
    /// Carries on with everything that does not wait for the world.
    pub(super) fn advance(&mut self, step: &mut Step<'_>) {
        loop {
            if self.state.failure.is_some() {
                self.sweep(step);
                break;
            }
            if let Some(number) = self.told_all() {
                self.think(step, number);
            } else if let Some(index) = self.ready_subtask() {
                self.begin_subtask(step, index);
            } else {
                break;
            }
        }
        self.end_if_over(step);
    }

    /// A run that has been told everything that it waited for.
    fn told_all(&self) -> Option<u64> {
        let told = |run: &Run| run.phase == Phase::Acting { waiting: 0 };
        self.state.runs.iter().find(|(_, run)| told(run)).map(|(number, _)| *number)
    }

    fn ready_subtask(&self) -> Option<usize> {
        let strategy = self.strategy()?;
        prerequisite::ready(strategy, &self.state.progress).first().copied()
    }

    fn begin_subtask(&mut self, step: &mut Step<'_>, index: usize) {
        let Some(strategy) = self.strategy() else { return };
        let Some(subtask) = strategy.subtasks.get(index).cloned() else { return };
        let caller = Caller::Strategy(strategy.name.clone());
        let (invoked, traces) = authority::invoke(&self.charter, &caller, subtask.agent.as_str());
        let invoked = invoked.map(|agent| agent.name.clone());
        let named = |trace: Trace| trace.with("subtask", &subtask.id);
        self.traces(step, traces.into_iter().map(named).collect(), None);
        match invoked {
            Ok(agent) => {
                self.set_status(index, Status::Running);
                let (root, own, intent) = (subtask.id.clone(), subtask.id, subtask.intent);
                let (chain, subtask) = (vec![agent.clone()], Some(index));
                let (label, sources, input, parent) = (Readers::Everyone, Vec::new(), None, None);
                let external = false;
                let beginning = Beginning {
                    agent,
                    caller,
                    chain,
                    subtask,
                    root,
                    step: own,
                    intent,
                    input,
                    parent,
                    external,
                    produces: None,
                    label,
                    sources,
                };
                self.begin(step, beginning);
            }
            Err(_) => self.fail_subtask(step, index),
        }
    }

    pub(super) fn set_status(&mut self, index: usize, status: Status) {
        if let Some(progress) = self.state.progress.get_mut(index) {
            progress.status = status;
        }
    }

    /// A person starts an agent, and will give its answer.
    ///
    /// # Errors
    /// `authority.*` where the caller may not: it is traced all the same.
    pub(super) fn begin_external(
        &mut self,
        step: &mut Step<'_>,
        caller: &Caller,
        agent: &str,
        subtask: Option<&str>,
    ) -> Result<u64, Refusal> {
        if let (Some(name), None) = (subtask, self.subtask_for(caller, agent, subtask)) {
            let detail = format!("{} is no subtask of {} in {caller}", quote(name), quote(agent));
            return Err(Refusal::new(Code::AuthorityUnknown, "", detail));
        }
        let agent = match caller {
            Caller::Strategy(_) => {
                let (invoked, traces) = authority::invoke(&self.charter, caller, agent);
                let invoked = invoked.map(|agent| agent.name.clone());
                self.traces(step, traces, None);
                invoked?
            }
            Caller::Agent(calling) => {
                let chain = self.chain_of(calling);
                let (found, mut traces) = delegation::delegate(&self.charter, &chain, &self.state.account, agent);
                let found = found.map(|agent| agent.name.clone());
                traces.push(invocation_trace(caller, agent, found.as_ref()));
                self.traces(step, traces, None);
                let found = found?;
                let (name, one) = (name_of(self.state.runs_begun), Amount { spawns: 1, ..Amount::default() });
                self.state.account.reserve(&name, one)?;
                self.state.account.settle(&name, one)?;
                found
            }
        };
        let known = self.subtask_for(caller, agent.as_str(), subtask);
        let produces = known.and_then(|known| known.produces.clone());
        let own = known.map_or_else(|| agent.clone(), |known| known.id.clone());
        let intent = known.map_or_else(String::new, |known| known.intent.clone());
        let mut chain: Vec<Id> = match caller {
            Caller::Agent(caller) => self.chain_of(caller),
            Caller::Strategy(_) => Vec::new(),
        };
        chain.push(agent.clone());
        Ok(self.begin(
            step,
            Beginning {
                agent,
                caller: caller.clone(),
                chain,
                subtask: None,
                root: own.clone(),
                step: own,
                intent,
                input: None,
                parent: None,
                external: true,
                produces,
                label: Readers::Everyone,
                sources: Vec::new(),
            },
        ))
    }

    /// The chain of callers of a run that the agent has, the newest; only itself, where it has none.
    fn chain_of(&self, agent: &Id) -> Vec<Id> {
        let own = self.state.runs.values().rev().find(|run| run.agent == *agent);
        own.map_or_else(|| vec![agent.clone()], |run| run.chain.clone())
    }

    /// The subtask of the calling strategy that is the agent's: the one of that name, or the first.
    fn subtask_for(&self, caller: &Caller, agent: &str, name: Option<&str>) -> Option<&Subtask> {
        let Caller::Strategy(strategy) = caller else { return None };
        let agent = &self.charter.agent(agent)?.name;
        let own = |known: &&Subtask| known.agent == *agent && name.is_none_or(|name| known.id.as_str() == name);
        self.charter.strategies.get(strategy)?.subtasks.iter().find(own)
    }

    /// Makes the run, and asks for its slice.
    pub(super) fn begin(&mut self, step: &mut Step<'_>, beginning: Beginning) -> u64 {
        self.state.runs_begun = self.state.runs_begun.saturating_add(1);
        let number = self.state.runs_begun;
        let Some(agent) = self.charter.agents.get(&beginning.agent) else { return number };
        let limits = agent.limits;
        let account = Account::new(Amount {
            tokens: limits.tokens.unwrap_or(u64::MAX),
            tool_calls: limits.tool_calls.unwrap_or(u64::MAX),
            spawns: u64::MAX,
        });
        step.outputs.push(gather(number, agent));
        let run = Run {
            corrections: agent.corrections,
            agent: beginning.agent,
            caller: beginning.caller,
            chain: beginning.chain,
            subtask: beginning.subtask,
            root: beginning.root,
            step: beginning.step,
            intent: beginning.intent,
            input: beginning.input,
            parent: beginning.parent,
            external: beginning.external,
            produces: beginning.produces,
            phase: Phase::Gathering,
            iterations: 0,
            account,
            label: beginning.label,
            sources: beginning.sources,
            revision: None,
            tokens: 0,
        };
        self.state.runs.insert(number, run);
        step.is_dirty = true;
        number
    }

    /// The slice of a run is there.
    pub(super) fn gathered(&mut self, step: &mut Step<'_>, number: u64, gathered: Gathered) {
        let Some(agent) = self.agent_of(number).and_then(|name| self.charter.agents.get(name)).cloned() else { return };
        let gathered = within(gathered, &agent);
        let missing = self.missing(number, &gathered);
        if !missing.is_empty() {
            self.skip(step, number, missing);
            return;
        }
        if let Some(refusal) = unfit(&gathered) {
            return self.fail_run(step, number, refusal);
        }
        let data = self.recalled(step, gathered.data);
        let Some(run) = self.state.runs.get_mut(&number) else { return };
        for (reference, readers) in gathered.sources {
            run.label = run.label.and(&readers);
            run.sources.push(reference);
        }
        for datum in &data {
            run.label = run.label.and(&datum.readers);
            run.sources.extend(datum.entry.clone());
        }
        run.revision = gathered.revision;
        let (sources, input) = (run.sources.clone(), run.input.take());
        let keys: Vec<&Id> = data.iter().map(|datum| &datum.key).collect();
        let trace = Trace::new(Event::SliceGiven)
            .with("run", name_of(number))
            .with("agent", &agent.name)
            .with("keys", keys.into_iter().collect::<crate::trace::Particular>());
        let trace = gathered.revision.map_or(trace.clone(), |revision| trace.with("revision", revision));
        self.trace(step, trace, sources);
        let data = data.into_iter().map(|datum| (datum.key, datum.value)).collect();
        let slice = Slice { baton: gathered.baton, revision: gathered.revision, data, input };
        self.say(step, number, Message::Slice(slice), None);
        self.think(step, number);
    }

    /// Keys that the subtask consumes and that are not there for its agent.
    fn missing(&self, number: u64, gathered: &Gathered) -> Vec<Id> {
        let subtask = self.state.runs.get(&number).and_then(|run| run.subtask);
        let consumes = subtask.and_then(|index| self.strategy()?.subtasks.get(index)).map(|subtask| &subtask.consumes);
        let is_there = |key: &Id| gathered.data.iter().any(|datum| datum.key == *key);
        consumes.into_iter().flatten().filter(|key| !is_there(key)).cloned().collect()
    }

    fn skip(&mut self, step: &mut Step<'_>, number: u64, missing: Vec<Id>) {
        let index = self.state.runs.remove(&number).and_then(|run| run.subtask);
        let (Some(index), Some(strategy)) = (index, self.state.strategy.clone()) else { return };
        // Its slice was looked at and nothing else: it was never begun.
        self.set_status(index, Status::Waiting);
        let Some(strategy) = self.charter.strategies.get(&strategy) else { return };
        let traces = prerequisite::skip(strategy, &mut self.state.progress, index, missing);
        self.traces(step, traces, None);
    }

    /// Puts on the board what was recalled from earlier tasks, so that it has a name to be derived from.
    fn recalled(&mut self, step: &mut Step<'_>, data: Vec<Datum>) -> Vec<Datum> {
        let mut all = Vec::with_capacity(data.len());
        for mut datum in data {
            if datum.entry.is_none() {
                datum.entry = self.enter(
                    step,
                    Entering {
                        kind: crate::board::FACT,
                        key: datum.key.as_str(),
                        author: None,
                        step: None,
                        readers: datum.readers.clone(),
                        data: datum.value.clone(),
                        derived_from: Vec::new(),
                        declassify: false,
                    },
                );
            }
            all.push(datum);
        }
        all
    }

    /// Puts on the board what an agent gives another, and gives its name.
    pub(super) fn enter_delegation(
        &mut self,
        step: &mut Step<'_>,
        number: u64,
        name: &str,
        (intent, input): (&str, Option<&Value<'static>>),
    ) -> Option<Reference> {
        let run = self.state.runs.get_mut(&number)?;
        let (author, own, readers) = (run.agent.clone(), run.step.clone(), run.label.clone());
        let derived_from = std::mem::take(&mut run.sources);
        let mut data = Object::new();
        data.set("intent", Value::string(intent.to_owned()));
        if let Some(input) = input {
            data.set("input", input.clone());
        }
        let entry = self.enter(
            step,
            Entering {
                kind: DELEGATION,
                key: name,
                author: Some(&author),
                step: Some(&own),
                readers,
                data: Value::Object(data),
                derived_from,
                declassify: false,
            },
        );
        // Whatever the agent makes from here on rests on this, and so on all that this rests on.
        if let Some(run) = self.state.runs.get_mut(&number) {
            run.sources.extend(entry.clone());
        }
        entry
    }

    pub(super) fn fail_subtask(&mut self, step: &mut Step<'_>, index: usize) {
        let Some(strategy) = self.state.strategy.as_ref().and_then(|name| self.charter.strategies.get(name)) else {
            return;
        };
        let traces = prerequisite::fail(strategy, &mut self.state.progress, index);
        self.traces(step, traces, None);
    }
}

/// What something that a run makes is made of.
pub(super) fn made_of(run: &Run) -> Vec<Reference> {
    run.sources.clone()
}

/// The demand for the slice of an agent's run.
pub(super) fn gather(number: u64, agent: &Agent) -> Output {
    Output::Gather { run: number, agent: agent.name.clone(), keys: agent.needs.clone(), fields: agent.reads.clone() }
}

/// Why the data of a slice cannot be kept, where it cannot.
fn unfit(gathered: &Gathered) -> Option<Refusal> {
    gathered.data.iter().find_map(|datum| {
        let refusal = fits(&datum.value).err()?;
        let detail = format!("the data `{}` cannot be given to an agent: {}", datum.key, refusal.detail);
        Some(Refusal { detail, ..refusal })
    })
}

/// What was gathered, as far as the agent declares that it needs it and may read it.
fn within(mut gathered: Gathered, agent: &Agent) -> Gathered {
    gathered.data.retain(|datum| agent.needs.contains(&datum.key) && datum.readers.include(&agent.name));
    gathered
}
