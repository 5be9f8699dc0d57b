//! What people say and what else happens while a task waits, one action of the script at a time.

use super::play::{Ended, Play};
use super::world::Quarters;
use crate::charter::Charter;
use crate::conformance::asked::{Asked, Wrong, id_of};
use crate::conformance::told::{object, refusals};
use crate::desk::{self, Said};
use crate::driver::{self, Driver};
use crate::engine::{ApprovalRequest, Engine, Input, Output, Saves, World};
use crate::entry::Reference;
use crate::json::Value;
use crate::port::Clock as _;
use crate::refusal::{Code, Refusal, Refused};

impl Play<'_> {
    /// Does one action of the script.
    pub(super) fn act(&mut self, action: Asked<'_>) -> Ended {
        match action.text("do")? {
            "crash" => self.driver = None,
            "pass" => {
                self.clock.pass(action.number("seconds")?.unwrap_or_default());
                if let Some(mut driver) = self.driver.take() {
                    let fed = driver.feed(Input::Tick, &mut self.ports());
                    self.driver = Some(driver);
                    self.came.push(came(fed));
                    return Ok(());
                }
            }
            "adopt" => {
                let charter = action.charter("charter")?;
                let adopted = self.adopt(charter);
                self.came.push(came(adopted));
                return Ok(());
            }
            "resume_under" => {
                let charter = action.charter("charter")?;
                let loaded = self.load_under(charter);
                self.came.push(came(loaded));
                return Ok(());
            }
            "start" => {
                let (board, charter, start) = (self.open(), self.charter.clone(), self.start.clone());
                let started = Driver::start(board, charter, start, &mut self.ports());
                self.came.push(came(started.map(|driver| self.driver = Some(driver))));
                return Ok(());
            }
            "overtaken" => return self.overtaken(action),
            _ => return self.say(action),
        }
        self.came.push(came(Ok(())));
        Ok(())
    }

    /// A person grants; another process hears it and goes on, and then this one hears it and tries the same.
    fn overtaken(&mut self, action: Asked<'_>) -> Ended {
        let Some(mut own) = self.driver.take() else { return Err("nobody is there to be overtaken".to_owned()) };
        self.speak("grant", action)?;
        self.go_on()?;
        let mut board = self.open();
        self.room.words = desk::words(&mut board, own.engine()).map_err(|refused| refused.to_string())?;
        let tried = own.run(&mut self.ports()).map(|_| ());
        self.came.push(came(tried));
        Ok(())
    }

    /// The task as it is kept, held against a charter that somebody brings.
    fn load_under(&mut self, charter: Charter) -> Result<(), Refused> {
        let (mut disk, none) = (self.disk.clone(), || Refusal::new(Code::RunNone, "", "no task is under way"));
        let saves = Saves::read(&mut disk, &self.board)?.ok_or_else(none)?;
        Engine::load(charter, saves)?;
        Ok(())
    }

    /// Goes on under another charter.
    fn adopt(&mut self, charter: Charter) -> Result<(), Refused> {
        self.driver = None;
        let mut board = self.open();
        let none = || Refusal::new(Code::RunNone, "", "no task is under way");
        let mut engine = driver::load(&mut board)?.ok_or_else(none)?;
        let world = World { counter: &Quarters, validator: self.validator };
        let outputs = engine.adopt(charter, &self.clock.now(), world)?;
        for output in outputs {
            if let Output::Record(record) = output {
                driver::commit(&mut board, &record)?;
            }
        }
        Ok(())
    }

    /// A person says something, at the desk.
    fn say(&mut self, action: Asked<'_>) -> Ended {
        self.speak(action.text("do")?, action)
    }

    fn speak(&mut self, word: &str, action: Asked<'_>) -> Ended {
        let (by, at, reference) = (action.id_or("by", "kim")?, self.clock.now(), self.name());
        let said = Said { by: &by, at: &at, reference: &reference };
        let mut board = self.open();
        let spoken = match word {
            "grant" | "deny" => {
                let none = Reference::from_random([255; 10]);
                let id = self.asked_of(action)?.map_or(none, |request| request.id.clone());
                let why = action.text_if_there("why")?;
                desk::decide(&mut board, &id, (word == "grant", why), &said)
            }
            "happened" | "did_not_happen" => {
                let tool = action.text("tool")?;
                let calls = self.bench.invoked.iter().chain(&self.room.doubts);
                let call = calls.rev().find(|call| call.tool.as_str() == tool);
                let key = match call {
                    Some(call) => call.key.clone(),
                    None => id_of("none")?,
                };
                let result = action.value("result");
                desk::resolve(&mut board, &key, (word == "happened", result.as_ref()), &said)
            }
            other => return Err(format!("`{other}` is no action of a script")),
        };
        self.came.push(came(spoken.map(|_| ())));
        Ok(())
    }

    /// The approval that an action means: the first that is pending, or else the last, of those about its tool.
    fn asked_of(&self, action: Asked<'_>) -> Result<Option<&ApprovalRequest>, Wrong> {
        let (tool, agent) = (action.text("tool")?, action.text_if_there("agent")?);
        let (arguments, run) = (action.get("arguments"), action.number("run")?);
        let meant = |request: &&ApprovalRequest| {
            request.call.tool.as_str() == tool
                && agent.is_none_or(|agent| request.call.agent.as_str() == agent)
                && run.is_none_or(|run| request.call.run == run)
                && arguments.is_none_or(|arguments| request.call.arguments.as_ref() == Some(arguments))
        };
        let pending = self.driver.as_ref().map(|driver| driver.engine().pending()).unwrap_or_default();
        let known = if self.room.requests.is_empty() { &self.foreseen } else { &self.room.requests };
        let is_pending = |request: &&ApprovalRequest| pending.iter().any(|known| known.id == request.id);
        let of_tool = || known.iter().filter(meant);
        let nth = |place: u64| usize::try_from(place).ok().and_then(|place| of_tool().nth(place));
        Ok(match action.number("nth")? {
            Some(place) => nth(place),
            None => of_tool().find(is_pending).or_else(|| of_tool().next_back()),
        })
    }
}

fn came(result: Result<(), Refused>) -> Value<'static> {
    match result {
        Ok(()) => object([("ok", Value::Bool(true))]),
        Err(refused) => object([("refusals", refusals(refused.refusals()))]),
    }
}
