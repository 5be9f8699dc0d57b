//! Going on under another charter.

use crate::authority;
use crate::baton::{Id, Timestamp};
use crate::call::{self, State as CallState};
use crate::ceiling::Amount;
use crate::charter::Charter;
use crate::contract;
use crate::engine::act::{check_arguments, text};
use crate::engine::message::Output;
use crate::engine::step::Step;
use crate::engine::{Engine, World};
use crate::entry::Readers;
use crate::refusal::{Code, Refusal, Refused};
use crate::trace::{Event, Trace};

impl Engine {
    /// Goes on under another charter: what was asked of people is asked anew, and whoever may no longer be called is not.
    ///
    /// # Errors
    /// `contract.validator`; `authority.unknown` where the strategy is gone, or has other subtasks; `ceiling.*` where more is
    /// spent than the new charter allows.
    pub fn adopt(&mut self, charter: Charter, now: &Timestamp, world: World<'_>) -> Result<Vec<Output>, Refused> {
        contract::check(&charter, world.validator)?;
        if let Some(name) = &self.state.strategy {
            let ids = |charter: &Charter| {
                let strategy = charter.strategies.get(name);
                strategy.map(|known| known.subtasks.iter().map(|subtask| subtask.id.clone()).collect::<Vec<Id>>())
            };
            if ids(&charter) != ids(&self.charter) {
                let detail = format!("strategy `{name}` is not in the new charter, or has other subtasks there");
                return Err(Refusal::new(Code::AuthorityUnknown, "", detail).into());
            }
        }
        let account = self.state.account.with_limits(Amount::from(charter.ceilings))?;
        let mut step = Step::new(now, world);
        self.state.account = account;
        self.state.charter.clone_from(&charter.digest);
        self.charter = charter;
        self.enter_charter(&mut step);
        let trace = Trace::new(Event::CharterChanged).with("charter", self.state.charter.as_str());
        self.trace(&mut step, trace, Vec::new());
        self.check_runs(&mut step);
        self.ask_again(&mut step);
        self.advance(&mut step);
        Ok(self.close(step))
    }

    fn check_runs(&mut self, step: &mut Step<'_>) {
        let numbers: Vec<u64> = self.state.runs.keys().copied().collect();
        for number in numbers {
            let Some(run) = self.state.runs.get(&number) else { continue };
            let (invoked, traces) = authority::invoke(&self.charter, &run.caller, run.agent.as_str());
            if let Err(refusal) = invoked.map(|_| ()) {
                self.traces(step, traces, Some(number));
                self.fail_run(step, number, refusal);
            }
        }
    }

    fn ask_again(&mut self, step: &mut Step<'_>) {
        let pending = self.state.calls.iter().filter(|(_, call)| call.state == CallState::Pending);
        let keys: Vec<Id> = pending.map(|(key, _)| key.clone()).collect();
        for key in keys {
            let Some(mut call) = self.state.calls.remove(&key) else { continue };
            self.void(step, &call);
            let asking = std::iter::once(call.invocation.run).chain(call.waiters.iter().map(|waiter| waiter.run));
            let run = asking.filter_map(|number| self.state.runs.get(&number)).next();
            let (chain, label) =
                run.map_or((Vec::new(), Readers::nobody()), |run| (run.chain.clone(), run.label.clone()));
            let name = call.invocation.tool.as_str().to_owned();
            let found = authority::tool(&self.charter, &chain, &self.state.person, &name).cloned();
            let found = found.and_then(|tool| {
                check_arguments(step, &tool, call.invocation.arguments.as_ref())?;
                Ok(tool)
            });
            match found {
                Ok(tool) => {
                    call.readers = tool.readers.and(&label).and(&call.readers).with(&call.invocation.agent);
                    let Ok((state, _)) = call::step(call.state, call::Event::Withdraw, call.side_effects) else {
                        continue;
                    };
                    call.state = state;
                    call.side_effects = tool.side_effects;
                    if tool.side_effects { self.ask_people(step, call, &tool) } else { self.invoke(step, call) }
                }
                Err(refusal) => {
                    let trace = Trace::new(Event::ToolRefused).with("tool", name).because(&refusal);
                    self.trace(step, trace, Vec::new());
                    self.refuse_call(step, call, call::Event::Deny, ("denied", text(&refusal.detail)));
                }
            }
        }
    }
}
