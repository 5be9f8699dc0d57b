//! How runs and tasks end.

use crate::approval;
use crate::call::State as CallState;
use crate::ceiling::Amount;
use crate::engine::act::text;
use crate::engine::begin::made_of;
use crate::engine::message::{Ending, Output, Told};
use crate::engine::state::{Call, Parent, Phase};
use crate::engine::step::{Entering, Step, name_of};
use crate::engine::{APPROVAL, Engine, OUTPUT};
use crate::entry::{Readers, Reference};
use crate::json::{Object, Value};
use crate::prerequisite::{self, Status};
use crate::refusal::{Code, Refusal};
use crate::trace::{Event, Trace};

impl Engine {
    /// Posts the output of a run, which has met its contract, and ends the run.
    pub(super) fn publish(&mut self, step: &mut Step<'_>, number: u64, output: Option<Value<'static>>) {
        let Some(run) = self.state.runs.get(&number) else { return };
        let subtask = run.subtask.and_then(|index| self.strategy()?.subtasks.get(index));
        let data = subtask.and_then(|subtask| subtask.produces.as_ref()).or(run.produces.as_ref());
        let data = data.and_then(|key| self.charter.data.get(key)).cloned();
        let value = output.unwrap_or(Value::Null);
        let entry = match &data {
            Some(data) => {
                let declassifies = self.charter.agents.get(&run.agent).is_some_and(|agent| agent.declassify);
                if !data.readers.are_within(&run.label) && !declassifies {
                    let detail = format!(
                        "some who may read `{}` may not read what it was made of, and `{}` may not declassify it",
                        data.key, run.agent
                    );
                    return self.fail_run(step, number, Refusal::new(Code::BoardLaundering, "", detail));
                }
                if data.kept {
                    self.state.memories.insert(data.key.clone(), value.clone());
                }
                let (kind, key) = (crate::board::FACT, data.key.as_str().to_owned());
                self.enter_output(step, number, (kind, &key), data.readers.clone(), value.clone())
            }
            None => {
                let readers = run.label.clone();
                self.enter_output(step, number, (OUTPUT, &name_of(number)), readers, value.clone())
            }
        };
        self.finish_run(step, number, (entry, value));
    }

    fn enter_output(
        &mut self,
        step: &mut Step<'_>,
        number: u64,
        (kind, key): (&str, &str),
        readers: Readers,
        data: Value<'static>,
    ) -> Option<Reference> {
        let run = self.state.runs.get(&number)?;
        let (author, own, derived_from) = (run.agent.clone(), run.step.clone(), made_of(run));
        let declassify = self.charter.agents.get(&author).is_some_and(|agent| agent.declassify);
        let (author, own) = (Some(&author), Some(&own));
        self.enter(step, Entering { kind, key, author, step: own, readers, data, derived_from, declassify })
    }

    fn finish_run(&mut self, step: &mut Step<'_>, number: u64, (entry, value): (Option<Reference>, Value<'static>)) {
        let Some(run) = self.state.runs.remove(&number) else { return };
        let trace = Trace::new(Event::RunFinished)
            .with("run", name_of(number))
            .with("agent", &run.agent)
            .with("step", &run.step)
            .with("status", "done")
            .with("tokens", run.account.spent().tokens)
            .with("tool_calls", run.account.spent().tool_calls);
        self.trace(step, trace, entry.iter().cloned().collect());
        if let Some(parent) = &run.parent {
            if let Some(waiting) = self.state.runs.get_mut(&parent.run) {
                waiting.label = waiting.label.and(&run.label);
                waiting.sources.extend(entry);
            }
            self.tell(step, parent, of_agent(&run.agent, number, "done", value), None);
        }
        if let Some(index) = run.subtask {
            self.set_status(index, Status::Done);
        }
    }

    /// Ends a run that cannot go on. Whoever waits for it is told; a subtask fails, and those after it are skipped.
    pub(super) fn fail_run(&mut self, step: &mut Step<'_>, number: u64, refusal: Refusal) {
        let Some(run) = self.state.runs.remove(&number) else { return };
        if let Phase::Thinking { key } = &run.phase
            && self.state.account.reservation(key).is_some()
        {
            // Its answer is nobody's, but what it costs is the task's.
            self.state.abandoned.insert(key.clone(), run.agent.clone());
        }
        let failed = Trace::new(Event::FailureDetected)
            .with("what", "run")
            .with("run", name_of(number))
            .with("agent", &run.agent)
            .with("step", &run.step)
            .because(&refusal);
        self.trace(step, failed, Vec::new());
        let finished = Trace::new(Event::RunFinished)
            .with("run", name_of(number))
            .with("agent", &run.agent)
            .with("step", &run.step)
            .with("status", "failed")
            .with("tokens", run.account.spent().tokens)
            .with("tool_calls", run.account.spent().tool_calls);
        self.trace(step, finished, Vec::new());
        self.abandon_calls(step, number);
        self.abandon_children(step, number);
        if let Some(parent) = &run.parent {
            let value = failure(refusal.code);
            self.tell(step, parent, of_agent(&run.agent, number, "failed", value), None);
        }
        if let Some(index) = run.subtask {
            self.fail_subtask(step, index);
        }
    }

    /// Calls that only this run waits for are no longer asked for; one that was begun with side effects is still settled.
    fn abandon_calls(&mut self, step: &mut Step<'_>, number: u64) {
        for call in self.state.calls.values_mut() {
            call.waiters.retain(|waiter| waiter.run != number);
        }
        let idle = |call: &Call| {
            let under_way = matches!(call.state, CallState::Intent | CallState::Unknown) && call.side_effects;
            call.waiters.is_empty() && !under_way
        };
        let keys: Vec<_> = self.state.calls.iter().filter(|(_, call)| idle(call)).map(|(key, _)| key.clone()).collect();
        for key in keys {
            let Some(call) = self.state.calls.remove(&key) else { continue };
            if call.state == CallState::Intent {
                // It was made, though nobody waits for what comes of it.
                let one = Amount { tool_calls: 1, ..Amount::default() };
                let _over = self.state.account.settle(key.as_str(), one);
            } else {
                let _released = self.state.account.release(key.as_str());
            }
            self.void(step, &call);
        }
    }

    /// A call is no longer asked for: its approval is void.
    pub(super) fn void(&mut self, step: &mut Step<'_>, call: &Call) {
        let Some(approval) = call.approval.as_ref().filter(|approval| approval.state == approval::State::Requested)
        else {
            return;
        };
        let mut data = crate::engine::act::invocation_data(&call.invocation, "void");
        data.set("digest", text(&approval.digest));
        let derived_from = call.entry.iter().cloned().collect();
        let id = approval.id.as_str().to_owned();
        self.enter_about(step, call, (APPROVAL, &id), data, (call.readers.clone(), derived_from));
    }

    fn abandon_children(&mut self, step: &mut Step<'_>, number: u64) {
        let child = |parent: &Option<Parent>| parent.as_ref().is_some_and(|parent| parent.run == number);
        let children: Vec<u64> =
            self.state.runs.iter().filter(|(_, run)| child(&run.parent)).map(|(number, _)| *number).collect();
        for child in children {
            let refusal = Refusal::new(Code::RunFailed, "", "the run that it was to work for has failed");
            self.fail_run(step, child, refusal);
        }
    }

    /// The whole task fails: nothing new is begun.
    pub(super) fn fail_task(&mut self, step: &mut Step<'_>, refusal: Refusal) {
        if self.state.failure.is_some() {
            return;
        }
        let trace = Trace::new(Event::FailureDetected).with("what", "task").because(&refusal);
        self.trace(step, trace, Vec::new());
        self.state.failure = Some(ending(&refusal));
    }

    /// Ends the runs of a task that fails.
    pub(super) fn sweep(&mut self, step: &mut Step<'_>) {
        while let Some(number) = self.state.runs.keys().next().copied() {
            self.fail_run(step, number, Refusal::new(Code::RunFailed, "", "the task has failed"));
        }
    }

    /// Ends the task, if nothing of it is left to do.
    pub(super) fn end_if_over(&mut self, step: &mut Step<'_>) {
        let is_under_way =
            !self.state.runs.is_empty() || !self.state.calls.is_empty() || !self.state.abandoned.is_empty();
        if self.state.ending.is_some() || is_under_way {
            return;
        }
        let is_over = self.state.strategy.is_some() && prerequisite::is_over(&self.state.progress);
        let ending = match &self.state.failure {
            Some(failure) => failure.clone(),
            None if is_over => self.summed_up(),
            None => return,
        };
        let trace = Trace::new(Event::TaskFinished)
            .with("status", if ending == Ending::Done { "done" } else { "failed" })
            .with("tokens", self.state.account.spent().tokens)
            .with("tool_calls", self.state.account.spent().tool_calls)
            .with("spawns", self.state.account.spent().spawns);
        self.trace(step, trace, Vec::new());
        if ending == Ending::Done {
            let kept = self.state.memories.iter();
            step.outputs.extend(kept.map(|(key, value)| Output::Remember { key: key.clone(), value: value.clone() }));
        } else {
            self.state.memories.clear();
        }
        step.outputs.push(Output::Finished(ending.clone()));
        self.state.ending = Some(ending);
    }

    fn summed_up(&self) -> Ending {
        let named = |status: Status| -> Vec<&str> {
            let subtasks = self.strategy().map_or(&[][..], |strategy| strategy.subtasks.as_slice());
            let both = subtasks.iter().zip(&self.state.progress);
            both.filter(|(_, progress)| progress.status == status).map(|(subtask, _)| subtask.id.as_str()).collect()
        };
        let (failed, skipped) = (named(Status::Failed), named(Status::Skipped));
        if failed.is_empty() && skipped.is_empty() {
            return Ending::Done;
        }
        let mut detail = Vec::new();
        if !failed.is_empty() {
            detail.push(format!("failed: {}", failed.join(", ")));
        }
        if !skipped.is_empty() {
            detail.push(format!("skipped: {}", skipped.join(", ")));
        }
        let code = if failed.is_empty() { Code::PrerequisiteMissing } else { Code::RunFailed };
        Ending::Failed { code: code.as_str().to_owned(), detail: detail.join("; ") }
    }
}

fn ending(refusal: &Refusal) -> Ending {
    Ending::Failed { code: refusal.code.as_str().to_owned(), detail: refusal.detail.clone() }
}

/// What the caller of a run that failed is told: nothing of what the run has seen or spent.
fn failure(code: Code) -> Value<'static> {
    let mut value = Object::new();
    value.set("code", text(code.as_str()));
    value.set("detail", text(code.meaning()));
    Value::Object(value)
}

fn of_agent(agent: &crate::baton::Id, number: u64, status: &str, value: Value<'static>) -> Told {
    Told { of: format!("agent {agent}"), key: name_of(number), place: 0, status: status.to_owned(), value }
}
