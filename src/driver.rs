//! The canonical loop: an engine carried out on a board, one thing at a time.
//!
//! Whoever drives an engine in another way (with threads, or an executor) does what this does: commit the record of every
//! step before anything else of it, do what comes out, and put in what came of it. [`commit`], [`gather`] and [`patch`] are
//! the board's part of that. `examples/tokio` in the repository does it with models and tools that work at the same time.

use std::collections::VecDeque;

use crate::attribution::Attribution;
use crate::baton::{Id, Timestamp};
use crate::board::{Board, Commit, FACT, Recording};
use crate::charter::{Charter, with_fields};
use crate::contract::Validator;
use crate::count::TokenCounter;
use crate::engine::{CHARTER, Datum, Engine, Gathered, Input, Output, Record, Saves, Start, Status, Usage, World};
use crate::entry::{Readers, Reference};
use crate::fit::fit;
use crate::guard::Guards;
use crate::port::{Answer, Approvals, Clock, Memory, Meter, Model, Toolbox, Word};
use crate::refusal::{Code, Refusal, Refused};
use crate::relay::Relay;
use crate::render::Format;
use crate::store::{Store, Which};

/// The world, as a task meets it.
pub struct Ports<'p> {
    /// Asks models.
    pub model: &'p mut dyn Model,
    /// Calls tools.
    pub toolbox: &'p mut dyn Toolbox,
    /// Asks people.
    pub approvals: &'p mut dyn Approvals,
    /// Keeps account.
    pub meter: &'p mut dyn Meter,
    /// Keeps data from one task to the next.
    pub memory: &'p mut dyn Memory,
    /// Tells the time.
    pub clock: &'p mut dyn Clock,
    /// Counts tokens.
    pub counter: &'p dyn TokenCounter,
    /// Validates outputs.
    pub validator: Option<&'p dyn Validator>,
}

impl Ports<'_> {
    fn world(&self) -> World<'_> {
        World { counter: self.counter, validator: self.validator }
    }
}

/// A task that is carried out on a board.
#[derive(Debug)]
pub struct Driver<S> {
    board: Board<S>,
    engine: Engine,
    queue: VecDeque<Output>,
}

impl<S: Store> Driver<S> {
    /// Starts a task on `board`.
    ///
    /// # Errors
    /// As [`Engine::start`]; `run.under_way` where a task is under way on the board; `store.*`.
    pub fn start(
        mut board: Board<S>,
        charter: Charter,
        mut start: Start,
        ports: &mut Ports<'_>,
    ) -> Result<Self, Refused> {
        start.after = after(&mut board)?;
        let now = ports.clock.now();
        let (engine, outputs) = Engine::start(charter, start, &now, ports.world())?;
        let mut driver = Self { board, engine, queue: VecDeque::new() };
        driver.take(outputs)?;
        Ok(driver)
    }

    /// Goes on with the task that is under way on `board`: what was begun and whose end nobody knows is put to people, and
    /// everything else that was under way is done again.
    ///
    /// # Errors
    /// `run.none` where there is none; as [`load`].
    pub fn resume(mut board: Board<S>, ports: &mut Ports<'_>) -> Result<Self, Refused> {
        let engine = load(&mut board)?.ok_or_else(none)?;
        let mut driver = Self { board, engine, queue: VecDeque::new() };
        driver.feed(Input::Resumed, ports)?;
        driver.queue.clear();
        driver.queue.extend(driver.engine.outstanding());
        Ok(driver)
    }

    /// Carries the task out as far as it goes: until it is over, or waits for a person.
    ///
    /// # Errors
    /// `store.*`; `run.moved` where somebody else went on with it. What was recorded stands: [`Self::resume`] goes on.
    pub fn run(&mut self, ports: &mut Ports<'_>) -> Result<Status, Refused> {
        loop {
            if let Some(output) = self.queue.pop_front() {
                if let Some(input) = self.carry_out(output, ports)? {
                    self.hear(input, ports)?;
                }
                continue;
            }
            let words = ports.approvals.words();
            if words.is_empty() {
                return Ok(self.engine.status());
            }
            for word in words {
                self.hear(input_of(word), ports)?;
            }
        }
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The board.
    pub fn board(&mut self) -> &mut Board<S> {
        &mut self.board
    }

    /// Lets go of the task, and gives the board.
    #[must_use]
    pub fn into_board(self) -> Board<S> {
        self.board
    }

    /// Puts in what has happened, and records what it brings about.
    ///
    /// # Errors
    /// As [`Engine::handle`] and [`commit`].
    pub fn feed(&mut self, input: Input, ports: &mut Ports<'_>) -> Result<(), Refused> {
        let now = ports.clock.now();
        let outputs = self.engine.handle(input, &now, ports.world())?;
        self.take(outputs)
    }

    fn take(&mut self, outputs: Vec<Output>) -> Result<(), Refused> {
        for output in outputs {
            match output {
                Output::Record(record) => commit(&mut self.board, &record)?,
                other => self.queue.push_back(other),
            }
        }
        Ok(())
    }

    /// What comes after nobody waits for it any more is no error of the task.
    fn hear(&mut self, input: Input, ports: &mut Ports<'_>) -> Result<(), Refused> {
        match self.feed(input, ports) {
            Err(refused) if refused.refusals().iter().all(is_late) => Ok(()),
            other => other,
        }
    }

    fn carry_out(&mut self, output: Output, ports: &mut Ports<'_>) -> Result<Option<Input>, Refused> {
        Ok(match output {
            Output::Record(record) => {
                commit(&mut self.board, &record)?;
                None
            }
            Output::Gather { run, agent, keys, fields } => {
                let wanted = Wanted { agent: &agent, keys: &keys, fields: fields.as_deref() };
                let (charter, memory) = (self.engine.charter(), &mut *ports.memory);
                let gathered = gather(&mut self.board, charter, &wanted, memory, ports.counter)?;
                Some(Input::Gathered { run, gathered })
            }
            Output::Ask { key, .. } => {
                let Some(request) = self.engine.request(&key) else {
                    // Its run is over by now: it is not asked, and costs nothing.
                    let detail = "it was not asked".to_owned();
                    return Ok(Some(Input::Unanswered { key, detail, usage: Usage::default() }));
                };
                Some(match ports.model.ask(&request) {
                    Answer::Replied(reply, usage) => Input::Replied { key, reply, usage },
                    Answer::Failed(detail, usage) => Input::Unanswered { key, detail, usage },
                })
            }
            Output::Invoke(call) => {
                let Some(tool) = self.engine.charter().tools.get(&call.tool) else { return Ok(None) };
                let outcome = ports.toolbox.invoke(&call, tool);
                Some(Input::Returned { key: call.key, outcome })
            }
            Output::Request(request) => {
                ports.approvals.request(&request);
                None
            }
            Output::Doubt(call) => {
                ports.approvals.doubt(&call);
                None
            }
            Output::Patch { run, .. } => {
                let result = patch(&mut self.board, &output, &ports.clock.now(), ports.counter);
                match result {
                    Err(refused) if is_of_store(&refused) => return Err(refused),
                    result => Some(Input::Patched { run, result }),
                }
            }
            Output::Meter(metering) => {
                ports.meter.record(&metering)?;
                Some(Input::Metered { key: metering.key })
            }
            Output::Remember { key, value } => {
                ports.memory.remember(&self.board.id().tenant.clone(), &key, &value)?;
                Some(Input::Remembered { key })
            }
            Output::Present { .. } | Output::Correct { .. } | Output::Finished(_) => None,
        })
    }
}

/// A word of a person as the engine takes it.
#[must_use]
pub fn input_of(word: Word) -> Input {
    match word {
        Word::Decided { approval, decision, entry } => Input::Decided { approval, decision, entry },
        Word::Resolved { key, by, happened, result, entry } => Input::Resolved { key, by, happened, result, entry },
    }
}

/// Whether an input was refused since nobody waits for it any more: its run has failed, or a person was quicker.
#[must_use]
pub fn is_late(refusal: &Refusal) -> bool {
    matches!(refusal.code, Code::ApprovalUnknown | Code::CallState | Code::RunNone)
}

fn is_of_store(refused: &Refused) -> bool {
    refused.refusals().iter().any(|refusal| refusal.code.class() == crate::refusal::Class::Access)
}

fn none() -> Refused {
    Refusal::new(Code::RunNone, "", "no task is under way on this board").into()
}

/// The task that was under way on the board last, which is over; nothing, where there was none.
fn after<S: Store>(board: &mut Board<S>) -> Result<Option<crate::engine::Previous>, Refused> {
    let Some(engine) = load(board)? else { return Ok(None) };
    if matches!(engine.status(), Status::Over(_)) || engine.is_idle() {
        return Ok(Some(engine.previous()));
    }
    let detail = "a task is under way on this board: go on with it, or give the new one a board of its own";
    Err(Refusal::new(Code::RunUnderWay, "", detail).into())
}

/// Puts a record on the board.
///
/// # Errors
/// As [`Board::commit`]. The engine that it came from is out of date then, and has to be loaded anew.
pub fn commit<S: Store>(board: &mut Board<S>, record: &Record) -> Result<(), Refused> {
    let Record { slot, before, entries, saves, drops } = record;
    board.commit(&Commit { slot, before: *before, entries, saves, drops })?;
    Ok(())
}

/// The engine of the newest task of the board, under the charter that it was begun under; `None` where there is none.
///
/// # Errors
/// `store.*`; `board.broken`; `run.none` where the charter is not on the board.
pub fn load<S: Store>(board: &mut Board<S>) -> Result<Option<Engine>, Refused> {
    let id = board.id().clone();
    let mut tries_left = 3_u32;
    loop {
        let Some(saves) = Saves::read(board.store(), &id)? else { return Ok(None) };
        let charter = charter_of(board)?.ok_or_else(|| {
            Refusal::new(Code::BoardBroken, "", "the board does not hold the charter that its task was begun under")
        })?;
        tries_left = tries_left.saturating_sub(1);
        match Engine::load(charter, saves) {
            // Somebody adopted another charter after the state was read.
            Err(refusal) if refusal.code == Code::AuthorityCharter && tries_left > 0 => {}
            loaded => return Ok(Some(loaded?)),
        }
    }
}

/// The charter that the newest task of the board goes by; `None` where there is none.
///
/// # Errors
/// `store.*`; `board.broken`; `charter.*` where it is none.
pub fn charter_of<S: Store>(board: &mut Board<S>) -> Result<Option<Charter>, Refused> {
    let word = crate::board::word(CHARTER)?;
    let Some(kept) = board.entry(Which::Newest { kind: &word, key: &word, before: u64::MAX })? else { return Ok(None) };
    Charter::of_document(&kept.entry.draft.data).map(Some)
}

/// What an agent is to be given.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'w> {
    /// The agent.
    pub agent: &'w Id,
    /// Keys of data.
    pub keys: &'w [Id],
    /// Fields of the baton; all, where it is not said.
    pub fields: Option<&'w [String]>,
}

/// Reads what an agent may see: its fields of the newest baton, rendered within the budget, and the newest data under each
/// key that it may read.
///
/// # Errors
/// `store.*`; `board.broken`; `fit.over_budget`.
pub fn gather<S: Store>(
    board: &mut Board<S>,
    charter: &Charter,
    wanted: &Wanted<'_>,
    memory: &mut dyn Memory,
    counter: &dyn TokenCounter,
) -> Result<Gathered, Refused> {
    let mut gathered = Gathered::default();
    if let Some(newest) = board.newest()? {
        let shown = match wanted.fields {
            Some(fields) => with_fields(&newest.baton, fields),
            None => newest.baton.clone(),
        };
        let budget = shown.stamp().budget.unwrap_or(crate::baton::DEFAULT_BUDGET);
        gathered.baton = fit(&shown, Format::Markdown, &budget, counter)?.text().to_owned();
        gathered.revision = Some(newest.number());
        if let Some(entry) = board.entry_of(newest.number())? {
            gathered.sources.push((entry.record.reference, entry.entry.draft.readers));
        }
    }
    for key in wanted.keys {
        gathered.data.extend(datum(board, charter, wanted.agent, key, memory)?);
    }
    Ok(gathered)
}

fn datum<S: Store>(
    board: &mut Board<S>,
    charter: &Charter,
    agent: &Id,
    key: &Id,
    memory: &mut dyn Memory,
) -> Result<Option<Datum>, Refused> {
    let kind = crate::board::word(FACT)?;
    let mut before = u64::MAX;
    while let Some((seq, kept)) = board.sound_or_place(Which::Newest { kind: &kind, key, before })? {
        if let Some(kept) = kept.filter(|kept| crate::board::may_read(kept, agent)) {
            let draft = kept.entry.draft;
            // Its author can read it, whoever its readers are.
            let readers = draft.readers.with(&draft.author);
            return Ok(Some(Datum { key: key.clone(), value: draft.data, entry: Some(draft.reference), readers }));
        }
        before = seq;
    }
    let Some(data) = charter.data.get(key).filter(|data| data.recalled && data.readers.include(agent)) else {
        return Ok(None);
    };
    let recalled = memory.recall(&board.id().tenant.clone(), key)?;
    Ok(recalled.map(|value| Datum { key: key.clone(), value, entry: None, readers: data.readers.clone() }))
}

/// Applies the patch that [`Output::Patch`] asks for, and gives its entry.
///
/// # Errors
/// As [`Board::apply`].
pub fn patch<S: Store>(
    board: &mut Board<S>,
    output: &Output,
    now: &Timestamp,
    counter: &dyn TokenCounter,
) -> Result<Reference, Refused> {
    let Output::Patch { agent, step, text, base, writes, derived_from, declassify, reference, .. } = output else {
        return Err(Refusal::new(Code::RunNone, "", "this is no patch").into());
    };
    let relay = Relay {
        guards: Guards::writing(writes.clone()),
        // The same answer from the same base is one that was applied before a crash.
        again: base.is_some(),
        ..Relay::new(Attribution { step: step.clone(), by: agent.clone(), at: now.clone() })
    };
    let recording = Recording {
        relay,
        base: *base,
        derived_from: derived_from.clone(),
        readers: Readers::Everyone,
        declassify: *declassify,
        reference: reference.clone(),
        rehearse: false,
    };
    board.apply(&recording, text, counter).map(|recorded| recorded.reference)
}
