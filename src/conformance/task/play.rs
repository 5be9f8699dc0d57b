//! The task, played: begun, gone on with after each death of the process, and told what people say while it waits.

use std::collections::BTreeMap;

use super::disk::{Disk, Life};
use super::outcome;
use super::world::{Bench, Books, Cast, Quarters, Room};
use crate::baton::{Baton, Id, Timestamp};
use crate::board::{Board, FACT, Post};
use crate::charter::Charter;
use crate::conformance::asked::{Asked, Wrong, id_of};
use crate::contract::Validator;
use crate::desk;
use crate::driver::{self, Driver, Ports};
use crate::engine::{ApprovalRequest, Start, Status};
use crate::entry::{BoardId, Readers, Reference};
use crate::json::{Object, Value};
use crate::port::{Memory as _, Shelf, Ticks};
use crate::refusal::Refused;

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
    pub(super) clock: Ticks,
    pub(super) charter: Charter,
    pub(super) start: Start,
    pub(super) validator: Option<&'v dyn Validator>,
    /// Approvals that are going to be asked for.
    pub(super) foreseen: Vec<ApprovalRequest>,
    /// Whether what people have said is not yet heard.
    is_deaf: bool,
    names: u8,
    lives: u64,
    pub(super) driver: Option<Driver<Disk>>,
    /// What came of each action of the script.
    pub(super) came: Vec<Value<'static>>,
    /// Why it could not be begun or gone on with.
    pub(super) refused: Option<Refused>,
}

pub(super) type Ended = Result<(), Wrong>;

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
            cast: Cast { life: life.clone(), lines: outcome::lines(asked)?, said: BTreeMap::new(), asked: Vec::new() },
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

    pub(super) fn name(&mut self) -> Reference {
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
    pub(super) fn go_on(&mut self) -> Ended {
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

    pub(super) fn ports(&mut self) -> Ports<'_> {
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

    pub(super) fn driver(&self) -> Option<&Driver<Disk>> {
        self.driver.as_ref()
    }

    pub(super) fn status(&self) -> Option<Status> {
        self.driver.as_ref().map(|driver| driver.engine().status())
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
