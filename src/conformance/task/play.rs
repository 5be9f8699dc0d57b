//! The task, played: begun, gone on with after each death of the process, and told what people say while it waits.

use std::collections::BTreeMap;

use super::disk::{Disk, Life};
use super::outcome;
use super::world::{Bench, Books, Cast, Line, Quarters, Room, reply_text};
use crate::baton::{Baton, Id, Timestamp};
use crate::board::{Board, FACT, Post};
use crate::charter::Charter;
use crate::conformance::asked::{Asked, Wrong, id_of};
use crate::conformance::told::{object, refusals};
use crate::contract::Validator;
use crate::desk::{self, Said};
use crate::driver::{self, Driver, Ports};
use crate::engine::{ApprovalRequest, Engine, Input, Output, Saves, Start, Status, Usage, World};
use crate::entry::{BoardId, Readers, Reference};
use crate::json::{Object, Value};
use crate::port::{Clock as _, Memory as _, Shelf, Ticks};
use crate::refusal::{Code, Refusal, Refused};

/// So often a process is started at most.
const LIVES_MAX: u64 = 2000;

/// A task with everybody in it.
pub(super) struct Play<'v> {
    pub(super) board: BoardId,
    pub(super) disk: Disk,
    pub(super) life: Life,
    pub(super) cast: Cast,
    pub(super) bench: Bench,
    pub(super) room: Room,
    pub(super) books: Books,
    pub(super) shelf: Shelf,
    /// Keys of what is kept from one task to the next.
    pub(super) keys: Vec<Id>,
    clock: Ticks,
    charter: Charter,
    start: Start,
    validator: Option<&'v dyn Validator>,
    /// Approvals that are going to be asked for.
    foreseen: Vec<ApprovalRequest>,
    /// Whether what people have said is not yet heard.
    is_deaf: bool,
    names: u8,
    lives: u64,
    driver: Option<Driver<Disk>>,
    /// What came of each action of the script.
    pub(super) came: Vec<Value<'static>>,
    /// Why it could not be begun or gone on with.
    pub(super) refused: Option<Refused>,
}

type Ended = Result<(), Wrong>;

impl<'v> Play<'v> {
    pub(super) fn of(asked: Asked<'_>, validator: Option<&'v dyn Validator>) -> Result<Self, Wrong> {
        let ends = asked.list("crash")?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let life = Life::that_ends(ends);
        let board = BoardId { tenant: asked.id_or("tenant", "acme")?, task: asked.id_or("task", "login")? };
        let start = Start {
            board: board.clone(),
            person: asked.id_or("person", "ann")?,
            strategy: Some(asked.text_if_there("strategy")?.unwrap_or("ship").to_owned()),
            home: None,
            seed: "conformance".to_owned(),
            after: None,
        };
        let charter = asked.charter("charter")?;
        let mut play = Self {
            disk: Disk::new(life.clone()),
            cast: Cast { life: life.clone(), lines: lines(asked)?, said: BTreeMap::new(), asked: Vec::new() },
            bench: Bench { life: life.clone(), outcomes: outcome::of_tools(asked)?, invoked: Vec::new() },
            room: Room { life: life.clone(), ..Room::default() },
            books: Books { life: life.clone(), ..Books::default() },
            shelf: Shelf::default(),
            keys: charter.data.keys().cloned().collect(),
            clock: Ticks::from(time()?),
            board,
            life,
            charter,
            start,
            validator,
            foreseen: Vec::new(),
            is_deaf: false,
            names: 0,
            lives: 0,
            driver: None,
            came: Vec::new(),
            refused: None,
        };
        play.set_up(asked)?;
        Ok(play)
    }

    /// What is on the board, and kept from earlier tasks, before anybody begins.
    fn set_up(&mut self, asked: Asked<'_>) -> Ended {
        let kept: Vec<_> = asked.object("memory")?.map(|memory| memory.members().collect()).unwrap_or_default();
        for (key, value) in kept {
            let key = id_of(key)?;
            let kept = self.shelf.remember(&self.board.tenant, &key, &value.clone().into_owned());
            kept.map_err(|fault| fault.detail)?;
        }
        for memory in asked.objects("memories_of_others")? {
            let (tenant, key) = (memory.id("tenant")?, memory.id("key")?);
            let value = memory.value("value").unwrap_or(Value::Null);
            self.shelf.remember(&tenant, &key, &value).map_err(|fault| fault.detail)?;
        }
        let mut board = self.open();
        if let Some(Value::Object(baton)) = asked.value("baton") {
            let baton = stamped(baton, &self.board);
            let baton = Baton::from_value(Value::Object(baton)).map_err(|refused| refused.to_string())?;
            let author = id_of("author")?;
            board.start(baton, &author, &time()?, &self.name()).map_err(|refused| refused.to_string())?;
        }
        for fact in asked.objects("facts")? {
            let (post, own) = (self.fact(fact)?, board.id().clone());
            let tenant = fact.id_or("tenant", own.tenant.as_str())?;
            let task = fact.id_or("task", own.task.as_str())?;
            Board::new(self.disk.clone(), BoardId { tenant, task })
                .post(&post)
                .map_err(|refused| refused.to_string())?;
        }
        Ok(())
    }

    fn fact(&mut self, fact: Asked<'_>) -> Result<Post, Wrong> {
        Ok(Post {
            kind: id_of(FACT)?,
            key: fact.id("key")?,
            author: fact.id_or("by", "ann")?,
            step: None,
            at: time()?,
            readers: fact.get("readers").map_or(Readers::Everyone, |readers| Readers::of(Some(readers))),
            data: fact.value("data").unwrap_or(Value::Null),
            derived_from: Vec::new(),
            idempotency_key: None,
            declassify: false,
            reference: self.name(),
        })
    }

    fn name(&mut self) -> Reference {
        self.names = self.names.saturating_add(1);
        Reference::from_random([0, 0, 0, 0, 0, 0, 0, 0, 0, self.names])
    }

    pub(super) fn open(&self) -> Board<Disk> {
        Board::new(self.disk.clone(), self.board.clone())
    }

    /// What will be asked of people, as a rehearsal has shown it.
    pub(super) fn foresee(&mut self, rehearsal: &Self) {
        self.foreseen.clone_from(&rehearsal.room.requests);
    }

    /// Plays the task to its end, or until it waits and nobody in `script` has anything more to say.
    pub(super) fn run(&mut self, script: &[Asked<'_>]) -> Ended {
        let is_early = |action: &Asked<'_>| action.get("early").is_some();
        for action in script.iter().copied().filter(is_early) {
            self.act(action)?;
        }
        let mut rest: Vec<Asked<'_>> = script.iter().copied().filter(|action| !is_early(action)).collect();
        rest.reverse();
        loop {
            self.go_on()?;
            if self.refused.is_some() {
                return Ok(());
            }
            let Some(action) = rest.pop() else { return Ok(()) };
            self.is_deaf = action.flag("unheard", false)?;
            self.act(action)?;
        }
    }

    /// Goes on until the task is over or waits, however often the process dies.
    fn go_on(&mut self) -> Ended {
        while self.lives < LIVES_MAX {
            match self.live() {
                Err(refused) if !self.life.is_over() => {
                    self.refused = Some(refused);
                    return Ok(());
                }
                Ok(()) if !self.life.is_over() => return Ok(()),
                _ => {
                    self.driver = None;
                    self.lives = self.lives.saturating_add(1);
                    self.life.begin_again();
                }
            }
        }
        Err("the task does not come to an end, however often it is gone on with".to_owned())
    }

    /// One life of the process.
    fn live(&mut self) -> Result<(), Refused> {
        let mut driver = match self.driver.take() {
            Some(driver) => driver,
            None => self.up()?,
        };
        if !self.is_deaf {
            let engine = driver.engine().clone();
            self.room.words = desk::words(driver.board(), &engine)?;
        }
        let ran = driver.run(&mut self.ports());
        self.driver = Some(driver);
        ran.map(|_| ())
    }

    /// The task, begun or gone on with.
    fn up(&mut self) -> Result<Driver<Disk>, Refused> {
        let (board, charter, start) = (self.open(), self.charter.clone(), self.start.clone());
        let is_begun = driver::load(&mut self.open())?.is_some();
        let mut ports = self.ports();
        if is_begun { Driver::resume(board, &mut ports) } else { Driver::start(board, charter, start, &mut ports) }
    }

    fn ports(&mut self) -> Ports<'_> {
        Ports {
            model: &mut self.cast,
            toolbox: &mut self.bench,
            approvals: &mut self.room,
            meter: &mut self.books,
            memory: &mut self.shelf,
            clock: &mut self.clock,
            counter: &Quarters,
            validator: self.validator,
        }
    }

    /// Does one action of the script.
    fn act(&mut self, action: Asked<'_>) -> Ended {
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

    pub(super) fn driver(&self) -> Option<&Driver<Disk>> {
        self.driver.as_ref()
    }

    pub(super) fn status(&self) -> Option<Status> {
        self.driver.as_ref().map(|driver| driver.engine().status())
    }
}

fn came(result: Result<(), Refused>) -> Value<'static> {
    match result {
        Ok(()) => object([("ok", Value::Bool(true))]),
        Err(refused) => object([("refusals", refusals(refused.refusals()))]),
    }
}

fn time() -> Result<Timestamp, Wrong> {
    Timestamp::parse("2026-01-02T03:04:05.000Z").ok_or_else(|| "the time cannot be read".to_owned())
}

fn stamped(mut baton: Object<'static>, board: &BoardId) -> Object<'static> {
    let mut stamp = Object::new();
    stamp.set("schema", Value::string(crate::baton::SCHEMA));
    stamp.set("tenant", Value::string(board.tenant.as_str().to_owned()));
    stamp.set("task", Value::string(board.task.as_str().to_owned()));
    stamp.set("revision", Value::integer(0));
    baton.set("stamp", Value::Object(stamp));
    baton
}

/// What each agent says, in its order.
fn lines(asked: Asked<'_>) -> Result<BTreeMap<String, Vec<Line>>, Wrong> {
    let mut all = BTreeMap::new();
    let Some(replies) = asked.object("replies")? else { return Ok(all) };
    for (agent, _) in replies.members() {
        let lines = replies.list(agent)?.iter().map(line).collect::<Result<Vec<_>, _>>()?;
        all.insert(agent.to_owned(), lines);
    }
    Ok(all)
}

fn line(value: &Value<'_>) -> Result<Line, Wrong> {
    let usual = Usage { tokens_in: 10, tokens_out: 5 };
    let scripted = value.as_object().map(Asked::of).filter(|asked| asked.get("say").or(asked.get("fails")).is_some());
    let Some(asked) = scripted else { return Ok(Line { said: Ok(reply_text(value)), usage: usual }) };
    let said = match (asked.get("say"), asked.text_if_there("fails")?) {
        (Some(said), _) => Ok(reply_text(said)),
        (None, why) => Err(why.unwrap_or_default().to_owned()),
    };
    let tokens_in = asked.number("tokens_in")?.unwrap_or(usual.tokens_in);
    let tokens_out = asked.number("tokens_out")?.unwrap_or(usual.tokens_out);
    Ok(Line { said, usage: Usage { tokens_in, tokens_out } })
}
