//! What people say, and what is taken up again after a restart.

use crate::approval;
use crate::authority;
use crate::baton::{Id, Timestamp};
use crate::call::{self, State as CallState};
use crate::ceiling::Amount;
use crate::charter::Caller;
use crate::engine::act::{UNFIT, invocation_data, text};
use crate::engine::begin::gather;
use crate::engine::measure::fits;
use crate::engine::message::{ApprovalRequest, Decision, Input, Invocation, Output, Usage};
use crate::engine::state::{Call, Phase};
use crate::engine::step::{Entering, Step};
use crate::engine::{APPROVAL, CALL, Engine, World};
use crate::entry::Reference;
use crate::json::{Object, Value};
use crate::refusal::{Code, Refusal, Refused};
use crate::reply::Reply;
use crate::trace::{Event, Trace};

/// A person's word on a call whose end is not known.
pub(super) struct Word {
    pub(super) by: Id,
    pub(super) happened: bool,
    pub(super) result: Option<Value<'static>>,
    pub(super) entry: Option<Reference>,
}

impl Engine {
    /// Whether somebody waits for that input.
    pub(super) fn check(&self, input: &Input) -> Result<(), Refusal> {
        let none = |detail: &str| Err(Refusal::new(Code::RunNone, "", detail));
        let late = |detail: &str| Err(Refusal::new(Code::CallState, "", detail));
        let phase = |run: &u64| self.state.runs.get(run).map(|run| &run.phase);
        match input {
            Input::Gathered { run, .. } if phase(run) != Some(&Phase::Gathering) => none("no run waits for that slice"),
            Input::Patched { run, .. } if !matches!(phase(run), Some(Phase::Patching { .. })) => {
                none("no run waits for that patch")
            }
            Input::Replied { key, .. } | Input::Unanswered { key, .. }
                if self.thinking(key).is_none() && !self.state.abandoned.contains_key(key) =>
            {
                late("no run waits for that answer: it was given before, or its run is over")
            }
            Input::Returned { key, .. } if self.call_in(key) != Some(CallState::Intent) => {
                late("no call of that key is under way")
            }
            Input::Resolved { key, .. } if self.call_in(key) != Some(CallState::Unknown) => {
                late("no call of that key is in doubt")
            }
            Input::Decided { approval, .. } if self.call_of(approval).is_none() => {
                let detail = format!("nothing waits for the approval `{approval}`");
                Err(Refusal::new(Code::ApprovalUnknown, "", detail))
            }
            _ => Ok(()),
        }
    }

    fn call_in(&self, key: &Id) -> Option<CallState> {
        self.state.calls.get(key).map(|call| call.state)
    }

    fn call_of(&self, approval: &Reference) -> Option<Id> {
        let of = |call: &Call| call.approval.as_ref().is_some_and(|known| known.id == *approval);
        let pending = |call: &Call| call.state == CallState::Pending && of(call);
        self.state.calls.iter().find(|(_, call)| pending(call)).map(|(key, _)| key.clone())
    }

    /// Approvals whose time is over are as good as denied.
    pub(super) fn expire(&mut self, step: &mut Step<'_>) {
        let over = |call: &Call| {
            let is_late = call.approval.as_ref().is_some_and(|approval| approval.is_late(step.now));
            call.state == CallState::Pending && is_late
        };
        let keys: Vec<Id> =
            self.state.calls.iter().filter(|(_, call)| over(call)).map(|(key, _)| key.clone()).collect();
        for key in keys {
            let Some(mut call) = self.state.calls.remove(&key) else { continue };
            let Some(approval) = call.approval.clone() else { continue };
            let data = invocation_data(&call.invocation, "expired");
            call.entry = self.enter_approval(step, &call, &approval.id, data, None);
            let mut value = Object::new();
            value.set("expired", text("it was not decided and used in time"));
            self.refuse_call(step, call, call::Event::Expire, ("expired", Value::Object(value)));
        }
    }

    fn enter_approval(
        &mut self,
        step: &mut Step<'_>,
        call: &Call,
        id: &Reference,
        data: Object<'static>,
        author: Option<&Id>,
    ) -> Option<Reference> {
        let derived_from = call.entry.iter().cloned().collect();
        let (kind, key, own) = (APPROVAL, id.as_str(), Some(&call.step));
        let (readers, data, declassify) = (call.readers.clone(), Value::Object(data), false);
        self.enter(step, Entering { kind, key, author, step: own, readers, data, derived_from, declassify })
    }

    /// A call that is not made: nothing of it was spent, and the word is its result.
    pub(super) fn refuse_call(
        &mut self,
        step: &mut Step<'_>,
        mut call: Call,
        event: call::Event,
        (status, value): (&str, Value<'static>),
    ) {
        let Ok((state, _)) = call::step(call.state, event, call.side_effects) else { return };
        call.state = state;
        let key = call.invocation.key.clone();
        let _released = self.state.account.release(key.as_str());
        if let Some(run) = self.state.runs.get_mut(&call.invocation.run) {
            let _released = run.account.release(key.as_str());
        }
        self.tell_all(step, &call, status, &value);
    }

    /// A person has decided on a call.
    pub(super) fn decided(
        &mut self,
        step: &mut Step<'_>,
        id: &Reference,
        decision: &Decision,
        entry: Option<Reference>,
    ) {
        let Some(mut call) = self.call_of(id).and_then(|key| self.state.calls.remove(&key)) else { return };
        let word = if decision.granted {
            approval::Event::Grant { by: decision.by.clone() }
        } else {
            approval::Event::Deny { by: decision.by.clone(), why: decision.why.clone() }
        };
        let decided = self.may_decide(&call, &decision.by).and_then(|()| {
            let approval = call.approval.as_ref().ok_or_else(|| Refusal::new(Code::ApprovalUnknown, "", "none"))?;
            approval.step(word, step.now)
        });
        let decided = match decided {
            Ok(decided) => decided,
            Err(refusal) => {
                let trace = Trace::new(Event::FailureDetected)
                    .with("what", "approval")
                    .with("approval", id.as_str())
                    .with("by", &decision.by)
                    .because(&refusal);
                self.trace(step, trace, Vec::new());
                self.state.calls.insert(call.invocation.key.clone(), call);
                return;
            }
        };
        let state = if decision.granted { "granted" } else { "denied" };
        call.entry = entry.or_else(|| {
            let data = decision_data(&call.invocation, state, decision);
            self.enter_approval(step, &call, id, data, Some(&decision.by))
        });
        call.decision = Some(decision.clone());
        call.approval = Some(decided);
        if decision.granted { self.granted(step, call) } else { self.denied(step, call, decision) }
    }

    fn may_decide(&self, call: &Call, person: &Id) -> Result<(), Refusal> {
        match self.charter.tools.get(&call.invocation.tool) {
            Some(tool) => authority::approver(&self.charter, tool, person),
            None => Err(Refusal::new(Code::AuthorityUnknown, "", "the charter has no such tool any more")),
        }
    }

    /// The approval is used, once, for exactly this call.
    fn granted(&mut self, step: &mut Step<'_>, mut call: Call) {
        let Ok((state, _)) = call::step(call.state, call::Event::Grant, call.side_effects) else { return };
        call.state = state;
        let Invocation { run, agent, tool, arguments, .. } = &call.invocation;
        let own = format!("{}/{}", self.state.generation, crate::engine::step::name_of(*run));
        let digest = approval::digest(&self.state.board(), &own, agent, tool, arguments.as_ref());
        let used = call.approval.as_ref().map(|known| known.step(approval::Event::Consume { digest }, step.now));
        match used {
            Some(Ok(used)) => {
                call.approval = Some(used);
                call.derived_from.extend(call.entry.clone());
                self.invoke(step, call);
            }
            Some(Err(refusal)) => {
                let trace = Trace::new(Event::FailureDetected).with("what", "approval").because(&refusal);
                self.trace(step, trace, Vec::new());
                self.refuse_call(step, call, call::Event::Expire, ("denied", text(refusal.code.as_str())));
            }
            None => {}
        }
    }

    fn denied(&mut self, step: &mut Step<'_>, call: Call, decision: &Decision) {
        let mut value = Object::new();
        value.set("denied_by", text(decision.by.as_str()));
        if let Some(why) = &decision.why {
            value.set("why", text(why));
        }
        self.refuse_call(step, call, call::Event::Deny, ("denied", Value::Object(value)));
    }

    /// A person has said what became of a call.
    pub(super) fn resolved(&mut self, step: &mut Step<'_>, key: &Id, word: Word) {
        let Some(mut call) = self.state.calls.remove(key) else { return };
        if let Err(refusal) = authority::witness(&self.charter, &call.invocation.tool, &word.by) {
            let trace = Trace::new(Event::FailureDetected)
                .with("what", "call")
                .with("key", key)
                .with("by", &word.by)
                .because(&refusal);
            self.trace(step, trace, Vec::new());
            self.state.calls.insert(key.clone(), call);
            return;
        }
        let Word { by, happened, result, entry } = word;
        let result = result.map(kept);
        let Ok((state, _)) = call::step(call.state, call::Event::Resolve { happened }, call.side_effects) else {
            return;
        };
        call.state = state;
        call.entry = entry.or_else(|| {
            let data = resolution_data(&call.invocation, &by, happened, result.as_ref());
            let derived_from = call.derived_from.clone();
            let (kind, readers, own) = (CALL, call.readers.clone(), Some(&call.step));
            let (author, data, declassify) = (Some(&by), Value::Object(data), false);
            let key = key.as_str();
            self.enter(step, Entering { kind, key, author, step: own, readers, data, derived_from, declassify })
        });
        if happened {
            let one = Amount { tool_calls: 1, ..Amount::default() };
            self.settle(step, call.invocation.run, key.as_str(), one);
            self.tell_all(step, &call, "done", &result.unwrap_or(Value::Null));
            return;
        }
        let _released = self.state.account.release(key.as_str());
        if let Some(run) = self.state.runs.get_mut(&call.invocation.run) {
            let _released = run.account.release(key.as_str());
        }
        // It did not happen: the agent may ask for it again, and a person will be asked again.
        self.tell_all(step, &call, "failed", &text("it did not happen"));
    }

    /// Whoever ran the task is gone: what was begun and has side effects is in doubt.
    pub(super) fn resumed(&mut self, step: &mut Step<'_>) {
        let lost = |call: &Call| call.state == CallState::Intent && call.side_effects;
        let keys: Vec<Id> =
            self.state.calls.iter().filter(|(_, call)| lost(call)).map(|(key, _)| key.clone()).collect();
        for key in keys {
            let Some(call) = self.state.calls.remove(&key) else { continue };
            self.doubt(step, call, "it was begun, and whoever began it ended before it did");
        }
        self.write_off(step);
    }

    /// Everything that is under way and that the engine waits for: after [`Input::Resumed`], what is to be done again.
    /// Calls with side effects that were begun are not in it.
    #[must_use]
    pub fn outstanding(&self) -> Vec<Output> {
        let mut outputs = Vec::new();
        for (number, run) in &self.state.runs {
            match &run.phase {
                Phase::Gathering => {
                    outputs.extend(self.charter.agents.get(&run.agent).map(|agent| gather(*number, agent)));
                }
                Phase::Thinking { key } => outputs.push(Output::Ask { run: *number, key: key.clone() }),
                Phase::Patching { .. } => outputs.extend(self.patching(*number)),
                Phase::External | Phase::Acting { .. } => {}
            }
        }
        for call in self.state.calls.values() {
            match call.state {
                CallState::Intent if !call.side_effects => outputs.push(Output::Invoke(call.invocation.clone())),
                CallState::Pending => {
                    let request = call.approval.as_ref().map(|known| self.request_for(&call.invocation, known));
                    outputs.extend(request.map(Output::Request));
                }
                CallState::Unknown => outputs.push(Output::Doubt(call.invocation.clone())),
                _ => {}
            }
        }
        outputs.extend(self.state.meters.values().cloned().map(Output::Meter));
        if self.state.ending.is_some() {
            let kept = self.state.memories.iter();
            outputs.extend(kept.map(|(key, value)| Output::Remember { key: key.clone(), value: value.clone() }));
        }
        outputs
    }

    /// Calls that wait for a person's approval, oldest run first.
    #[must_use]
    pub fn pending(&self) -> Vec<ApprovalRequest> {
        let pending = self.state.calls.values().filter(|call| call.state == CallState::Pending);
        let mut requests: Vec<ApprovalRequest> = pending
            .filter_map(|call| call.approval.as_ref().map(|known| self.request_for(&call.invocation, known)))
            .collect();
        requests.sort_by(|one, two| (one.call.run, &one.id).cmp(&(two.call.run, &two.id)));
        requests
    }

    /// Calls whose end is not known, oldest run first.
    #[must_use]
    pub fn doubts(&self) -> Vec<Invocation> {
        let unknown = self.state.calls.values().filter(|call| call.state == CallState::Unknown);
        let mut calls: Vec<Invocation> = unknown.map(|call| call.invocation.clone()).collect();
        calls.sort_by(|one, two| (one.run, &one.key).cmp(&(two.run, &two.key)));
        calls
    }

    /// A person starts an agent, and will give its answer with [`Self::step_out`].
    ///
    /// # Errors
    /// `authority.*` where `caller` may not invoke it. The outputs, which show that, are to be carried out in both cases.
    pub fn step_in(
        &mut self,
        caller: &Caller,
        agent: &str,
        subtask: Option<&str>,
        now: &Timestamp,
        world: World<'_>,
    ) -> (Result<u64, Refusal>, Vec<Output>) {
        let mut step = Step::new(now, world);
        let begun = self.begin_external(&mut step, caller, agent, subtask);
        let outputs = self.close(step);
        (begun, outputs)
    }

    /// The answer of an agent that a person has carried out.
    ///
    /// # Errors
    /// `run.none` where no such run waits for an answer.
    pub fn step_out(
        &mut self,
        run: u64,
        reply: Result<Reply, Refused>,
        usage: Usage,
        now: &Timestamp,
        world: World<'_>,
    ) -> Result<Vec<Output>, Refusal> {
        let waits = self.state.runs.get(&run).is_some_and(|known| known.phase == Phase::External);
        if !waits {
            let detail = format!("no run `r{run}` waits for an answer");
            return Err(Refusal::new(Code::RunNone, "", detail));
        }
        let mut step = Step::new(now, world);
        self.left(&mut step, run, reply, usage);
        self.advance(&mut step);
        Ok(self.close(step))
    }

    /// A person gives up a run that they carry out: it has failed.
    ///
    /// # Errors
    /// `run.none` where no such run waits for an answer.
    pub fn step_off(&mut self, run: u64, why: &str, now: &Timestamp, world: World<'_>) -> Result<Vec<Output>, Refusal> {
        if !self.state.runs.get(&run).is_some_and(|known| known.external) {
            let detail = format!("no run `r{run}` waits for an answer");
            return Err(Refusal::new(Code::RunNone, "", detail));
        }
        let mut step = Step::new(now, world);
        let why = crate::text::clip(why, 400).into_owned();
        self.fail_run(&mut step, run, Refusal::new(Code::RunFailed, "", format!("it was given up: {why}")));
        self.advance(&mut step);
        Ok(self.close(step))
    }

    fn left(&mut self, step: &mut Step<'_>, run: u64, reply: Result<Reply, Refused>, usage: Usage) {
        let tries = self.state.names;
        let key = self.state.model_key(run, tries);
        let amount = Amount { tokens: usage.total(), ..Amount::default() };
        if !self.reserve(step, run, &key, amount) {
            return;
        }
        self.settle(step, run, &key, amount);
        if self.state.failure.is_none() && self.state.runs.contains_key(&run) {
            self.answered(step, run, reply);
        }
    }
}

/// A result of a person's own as it can be kept.
fn kept(result: Value<'static>) -> Value<'static> {
    if fits(&result).is_ok() { result } else { text(UNFIT) }
}

/// What the entry of a decision says.
pub(super) fn decision_data(call: &Invocation, state: &str, decision: &Decision) -> Object<'static> {
    let mut data = invocation_data(call, state);
    data.set("by", text(decision.by.as_str()));
    if let Some(why) = &decision.why {
        data.set("why", text(why));
    }
    data
}

fn resolution_data(call: &Invocation, by: &Id, happened: bool, result: Option<&Value<'static>>) -> Object<'static> {
    let mut data = invocation_data(call, "resolved");
    data.set("by", text(by.as_str()));
    data.set("happened", Value::Bool(happened));
    if let Some(result) = result {
        data.set("result", result.clone());
    }
    data
}
