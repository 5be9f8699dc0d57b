//! Tool calls and delegations: all that an answer asks for is checked before any of it is begun.

use crate::approval::{self, Approval};
use crate::baton::Id;
use crate::call::{self, State as CallState};
use crate::ceiling::Amount;
use crate::charter::{Caller, Tool};
use crate::engine::begin::{Beginning, made_of};
use crate::engine::log::Settled;
use crate::engine::measure::fits;
use crate::engine::message::{ApprovalRequest, Invocation, Message, Outcome, Output, Told};
use crate::engine::state::{Call, Known, Parent, Phase};
use crate::engine::step::{Entering, Step, name_of};
use crate::engine::{APPROVAL, CALL, Engine};
use crate::entry::{Readers, Reference};
use crate::json::{Object, Value};
use crate::refusal::{Code, Refusal, Refused};
use crate::reply::{Delegation, Reply, ToolRequest};
use crate::trace::{Event, Trace};
use crate::{authority, delegation};

/// What is told of a result that does not fit.
pub(super) const UNFIT: &str = "the call was made, and its result is too large or nested too deep to be kept";

impl Engine {
    /// Begins what an answer asks for, or none of it.
    pub(super) fn act(&mut self, step: &mut Step<'_>, number: u64, reply: &Reply) {
        let mut refusals = Vec::new();
        let mut tools = Vec::new();
        for (place, request) in reply.calls.iter().enumerate() {
            match self.usable(step, number, request) {
                Ok(tool) => tools.push(tool),
                Err(refusal) => refusals.push(Refusal { at: format!("/tool_calls/{place}"), ..refusal }),
            }
        }
        let mut targets = Vec::new();
        for (place, request) in reply.delegations.iter().enumerate() {
            match self.delegable(step, number, request, place) {
                Ok(target) => targets.push(target),
                Err(refusal) => refusals.push(Refusal { at: format!("/delegate/{place}"), ..refusal }),
            }
        }
        if let Err(refused) = Refused::unless_empty(refusals, ()) {
            return self.correct(step, number, &refused);
        }
        let waiting = u64::try_from(reply.calls.len() + reply.delegations.len()).unwrap_or(u64::MAX);
        self.set_phase(number, Phase::Acting { waiting });
        let mut place = 0;
        for (request, tool) in reply.calls.iter().zip(tools) {
            self.call(step, number, place, &tool, request.arguments.clone());
            place += 1;
        }
        for (request, target) in reply.delegations.iter().zip(targets) {
            self.delegate(step, number, place, target, request);
            place += 1;
        }
    }

    /// The tool that is asked for, if its call may be asked for.
    fn usable(&mut self, step: &mut Step<'_>, number: u64, request: &ToolRequest) -> Result<Tool, Refusal> {
        let Some(run) = self.state.runs.get(&number) else { return Err(no_run(number)) };
        let (agent, external) = (run.agent.clone(), run.external);
        let found = authority::tool(&self.charter, &run.chain, &self.state.person, &request.tool).cloned();
        let found = found.and_then(|tool| {
            if external {
                let detail = "a run that a person carries out has no tools: make the call yourself";
                return Err(Refusal::new(Code::AuthorityUses, "", detail));
            }
            check_arguments(step, &tool, request.arguments.as_ref())?;
            Ok(tool)
        });
        if let Err(refusal) = &found {
            let trace = Trace::new(Event::ToolRefused)
                .with("run", name_of(number))
                .with("agent", &agent)
                .with("tool", crate::text::clip(&request.tool, 128).into_owned())
                .because(refusal);
            self.trace(step, trace, Vec::new());
        }
        found
    }

    fn delegable(
        &mut self,
        step: &mut Step<'_>,
        number: u64,
        request: &Delegation,
        earlier: usize,
    ) -> Result<Id, Refusal> {
        let Some(run) = self.state.runs.get(&number) else { return Err(no_run(number)) };
        if run.external {
            let detail = "a run that a person carries out does not delegate: start the other agent yourself";
            return Err(Refusal::new(Code::DelegationTarget, "", detail));
        }
        // The delegations before it in the same answer will have their places by then.
        let mut account = self.state.account.clone();
        let spawns = u64::try_from(earlier).unwrap_or(u64::MAX).min(account.free().spawns);
        if spawns > 0 {
            account.reserve("earlier", Amount { spawns, ..Amount::default() })?;
        }
        let (found, mut traces) = delegation::delegate(&self.charter, &run.chain, &account, &request.agent);
        let found = found.map(|agent| agent.name.clone());
        traces.push(invocation_trace(&Caller::Agent(run.agent.clone()), &request.agent, found.as_ref()));
        self.traces(step, traces, Some(number));
        found
    }

    /// Asks for one call: what it came to before, or a person's word, or the call itself.
    fn call(&mut self, step: &mut Step<'_>, number: u64, place: u64, tool: &Tool, arguments: Option<Value<'static>>) {
        let Some(run) = self.state.runs.get(&number) else { return };
        let Some(subtask) = self.subtask_of(&run.root) else { return };
        let key = call::key(&subtask, &run.agent, &tool.name, arguments.as_ref());
        let waiter = Parent { run: number, place };
        if let Some((told, settled)) = self.known(&key) {
            if let Some(run) = self.state.runs.get_mut(&number) {
                run.label = run.label.and(&settled.readers);
                if !run.sources.contains(&settled.entry) {
                    run.sources.push(settled.entry);
                }
            }
            return self.tell(step, &waiter, told, None);
        }
        if let Some(call) = self.state.calls.get_mut(&key) {
            call.waiters.push(waiter);
            step.is_dirty = true;
            return;
        }
        let invocation = Invocation { key, run: number, agent: run.agent.clone(), tool: tool.name.clone(), arguments };
        let call = Call {
            state: CallState::Requested,
            side_effects: tool.side_effects,
            step: run.step.clone(),
            readers: tool.readers.and(&run.label).with(&run.agent),
            approval: None,
            entry: None,
            decision: None,
            waiters: vec![waiter],
            derived_from: made_of(run),
            asked_with: made_of(run),
            invocation,
        };
        let one = Amount { tool_calls: 1, ..Amount::default() };
        let id = call.invocation.key.as_str().to_owned();
        if !self.reserve(step, number, &id, one) {
            return;
        }
        if tool.side_effects { self.ask_people(step, call, tool) } else { self.invoke(step, call) }
    }

    /// The subtask as it stands in the keys of calls: those of a later task on the board are other calls.
    fn subtask_of(&self, root: &Id) -> Option<Id> {
        match self.state.generation {
            1 => Some(root.clone()),
            later => Id::new(&format!("{later}/{root}")),
        }
    }

    /// What a settled call came to: it is never made twice.
    fn known(&self, key: &Id) -> Option<(Told, Settled)> {
        let Known { run, place, settled } = self.ledger.get(key)?;
        match self.histories.get(run)?.get(*place)? {
            Message::Result(told) => Some((told.clone(), settled.clone())),
            _ => None,
        }
    }

    /// Puts a call before people.
    pub(super) fn ask_people(&mut self, step: &mut Step<'_>, mut call: Call, tool: &Tool) {
        let Ok((state, _)) = call::step(call.state, call::Event::Ask, call.side_effects) else { return };
        call.state = state;
        let Invocation { run, agent, tool: name, arguments, .. } = &call.invocation;
        let own = format!("{}/{}", self.state.generation, name_of(*run));
        let digest = approval::digest(&self.state.board(), &own, agent, name, arguments.as_ref());
        let id = approval::id(&digest, self.state.names);
        let approval = Approval::request(id, digest, step.now, tool.approval_seconds);
        let request = self.request_for(&call.invocation, &approval);
        let mut data = invocation_data(&call.invocation, "requested");
        data.set("digest", text(&approval.digest));
        data.set("person", text(self.state.person.as_str()));
        if let Some(until) = &request.expires_at {
            data.set("expires_at", text(until));
        }
        let (readers, derived_from) = (call.readers.clone(), call.derived_from.clone());
        call.entry = self.enter_about(step, &call, (APPROVAL, approval.id.as_str()), data, (readers, derived_from));
        call.approval = Some(approval);
        step.outputs.push(Output::Request(request));
        self.state.calls.insert(call.invocation.key.clone(), call);
    }

    pub(super) fn request_for(&self, call: &Invocation, approval: &Approval) -> ApprovalRequest {
        ApprovalRequest {
            id: approval.id.clone(),
            call: call.clone(),
            digest: approval.digest.clone(),
            person: self.state.person.clone(),
            expires_at: approval.expires_at.as_ref().map(|until| until.as_str().to_owned()),
        }
    }

    /// Begins a call. With side effects, that it begins is on the board before it does.
    pub(super) fn invoke(&mut self, step: &mut Step<'_>, mut call: Call) {
        let Ok((state, _)) = call::step(call.state, call::Event::Begin, call.side_effects) else { return };
        call.state = state;
        if call.side_effects {
            let data = invocation_data(&call.invocation, "intent");
            let (readers, derived_from) = (call.readers.clone(), call.derived_from.clone());
            let key = call.invocation.key.clone();
            call.entry = self.enter_about(step, &call, (CALL, key.as_str()), data, (readers, derived_from));
            call.derived_from = call.entry.iter().cloned().collect();
        }
        step.outputs.push(Output::Invoke(call.invocation.clone()));
        self.state.calls.insert(call.invocation.key.clone(), call);
        step.is_dirty = true;
    }

    pub(super) fn enter_about(
        &mut self,
        step: &mut Step<'_>,
        call: &Call,
        (kind, key): (&str, &str),
        data: Object<'static>,
        (readers, derived_from): (Readers, Vec<Reference>),
    ) -> Option<Reference> {
        let own = Some(&call.step);
        let (author, data, declassify) = (None, Value::Object(data), false);
        self.enter(step, Entering { kind, key, author, step: own, readers, data, derived_from, declassify })
    }

    /// A call has ended, or nobody knows.
    pub(super) fn returned(&mut self, step: &mut Step<'_>, key: &Id, outcome: Outcome) {
        let Some(call) = self.state.calls.remove(key) else { return };
        match outcome {
            Outcome::Done(value) if fits(&value).is_err() => {
                // It was made: what came of it cannot be kept, and that is what is told.
                self.finish_call(step, call, call::Event::Finish, ("done", text(UNFIT)));
            }
            Outcome::Done(value) => self.finish_call(step, call, call::Event::Finish, ("done", value)),
            Outcome::Failed(detail) => {
                self.finish_call(step, call, call::Event::Fail, ("failed", text(&crate::text::clip(&detail, 4000))))
            }
            Outcome::Unknown(detail) if call.side_effects => self.doubt(step, call, &detail),
            // What changes nothing has failed where nobody knows its end.
            Outcome::Unknown(detail) => {
                self.finish_call(step, call, call::Event::Fail, ("failed", text(&crate::text::clip(&detail, 4000))))
            }
        }
    }

    /// Nobody knows how a call ended: people are asked.
    pub(super) fn doubt(&mut self, step: &mut Step<'_>, mut call: Call, detail: &str) {
        let Ok((state, _)) = call::step(call.state, call::Event::Lose, call.side_effects) else { return };
        call.state = state;
        let mut data = invocation_data(&call.invocation, "unknown");
        data.set("detail", text(detail));
        let (readers, derived_from) = (call.readers.clone(), call.derived_from.clone());
        let key = call.invocation.key.clone();
        call.entry = self.enter_about(step, &call, (CALL, key.as_str()), data, (readers, derived_from));
        call.derived_from = call.entry.iter().cloned().collect();
        step.outputs.push(Output::Doubt(call.invocation.clone()));
        self.state.calls.insert(key, call);
    }

    /// Records how a call ended, and tells those who wait.
    fn finish_call(
        &mut self,
        step: &mut Step<'_>,
        mut call: Call,
        event: call::Event,
        (status, value): (&str, Value<'static>),
    ) {
        let Ok((state, _)) = call::step(call.state, event, call.side_effects) else { return };
        call.state = state;
        let mut data = invocation_data(&call.invocation, status);
        data.set("result", value.clone());
        let (readers, derived_from) = (call.readers.clone(), call.derived_from.clone());
        let key = call.invocation.key.clone();
        call.entry = self.enter_about(step, &call, (CALL, key.as_str()), data, (readers, derived_from));
        let one = Amount { tool_calls: 1, ..Amount::default() };
        self.settle(step, call.invocation.run, key.as_str(), one);
        self.tell_all(step, &call, status, &value);
    }

    /// Tells every run that waits for a call what came of it.
    pub(super) fn tell_all(&mut self, step: &mut Step<'_>, call: &Call, status: &str, value: &Value<'static>) {
        let told = Told {
            of: format!("tool {}", call.invocation.tool),
            key: call.invocation.key.as_str().to_owned(),
            place: 0,
            status: status.to_owned(),
            value: value.clone(),
        };
        // What is known to have failed, or was not decided in time, may be asked for again; everything else is answered from here on.
        let is_final = status != "failed" && status != "expired";
        let mut settles = call.entry.clone().filter(|_| is_final).map(|entry| Settled {
            key: call.invocation.key.clone(),
            entry,
            readers: call.readers.clone(),
        });
        for waiter in &call.waiters {
            if let Some(run) = self.state.runs.get_mut(&waiter.run) {
                run.label = run.label.and(&call.readers);
                if waiter.run == call.invocation.run {
                    // The call's entry rests on these.
                    run.sources.retain(|source| !call.asked_with.contains(source));
                }
                run.sources.extend(call.entry.clone());
            }
            self.tell(step, waiter, told.clone(), settles.take());
        }
    }

    /// Tells a run one thing that it waits for.
    pub(super) fn tell(&mut self, step: &mut Step<'_>, waiter: &Parent, told: Told, settles: Option<Settled>) {
        let Some(run) = self.state.runs.get_mut(&waiter.run) else { return };
        if let Phase::Acting { waiting } = &mut run.phase {
            *waiting = waiting.saturating_sub(1);
        }
        self.say(step, waiter.run, Message::Result(Told { place: waiter.place, ..told }), settles);
    }

    fn delegate(&mut self, step: &mut Step<'_>, number: u64, place: u64, target: Id, request: &Delegation) {
        if self.state.failure.is_some() {
            return;
        }
        let name = name_of(self.state.runs_begun.saturating_add(1));
        let one = Amount { spawns: 1, ..Amount::default() };
        if !self.reserve(step, number, &name, one) {
            return;
        }
        self.settle(step, number, &name, one);
        let entry = self.enter_delegation(step, number, &name, (&request.intent, request.input.as_ref()));
        let Some(run) = self.state.runs.get(&number) else { return };
        let mut chain = run.chain.clone();
        chain.push(target.clone());
        let own = Id::new(&format!("{}.{name}", run.root)).unwrap_or_else(|| run.step.clone());
        let beginning = Beginning {
            agent: target,
            caller: Caller::Agent(run.agent.clone()),
            chain,
            subtask: None,
            root: run.root.clone(),
            step: own,
            intent: request.intent.clone(),
            input: request.input.clone(),
            parent: Some(Parent { run: number, place }),
            external: false,
            produces: None,
            label: run.label.clone(),
            sources: entry.into_iter().collect(),
        };
        self.begin(step, beginning);
    }
}

/// Shows whether a caller may invoke an agent, where more than its word on who may call it was asked.
pub(super) fn invocation_trace(caller: &Caller, agent: &str, found: Result<&Id, &Refusal>) -> Trace {
    let of = |event: Event, agent: &str| Trace::new(event).with("caller", caller.to_string()).with("agent", agent);
    match found {
        Ok(agent) => of(Event::AgentInvocationAuthorized, agent.as_str()),
        Err(refusal) => of(Event::AgentInvocationRefused, &crate::text::clip(agent, 128)).because(refusal),
    }
}

fn no_run(number: u64) -> Refusal {
    Refusal::new(Code::RunNone, "", format!("there is no run {}", name_of(number)))
}

pub(super) fn check_arguments(step: &Step<'_>, tool: &Tool, arguments: Option<&Value<'static>>) -> Result<(), Refusal> {
    let (Some(schema), Some(validator)) = (&tool.arguments, step.world.validator) else { return Ok(()) };
    let nothing = Value::Null;
    let wrong = |detail: String| Refusal::new(Code::ContractViolated, "", detail);
    let violations = validator.validate(schema, arguments.unwrap_or(&nothing)).map_err(wrong)?;
    let Some(first) = violations.first() else { return Ok(()) };
    let at = if first.at.is_empty() { String::new() } else { format!("{}: ", first.at) };
    Err(wrong(format!("the arguments of `{}` are not as it declares: {at}{}", tool.name, first.detail)))
}

pub(super) fn text(text: &str) -> Value<'static> {
    Value::string(text.to_owned())
}

/// What an entry says of a call.
pub(super) fn invocation_data(call: &Invocation, state: &str) -> Object<'static> {
    let mut data = Object::new();
    data.set("state", text(state));
    data.set("call", text(call.key.as_str()));
    data.set("run", text(&name_of(call.run)));
    data.set("agent", text(call.agent.as_str()));
    data.set("tool", text(call.tool.as_str()));
    if let Some(arguments) = &call.arguments {
        data.set("arguments", arguments.clone());
    }
    data
}
