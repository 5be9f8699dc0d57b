//! The engine: a task carried out by agents under a charter, as a state machine without any I/O.
//!
//! ```text
//!             ┌──────────────────────── Engine ────────────────────────┐
//!  [Input] ──→│ authority · delegation · ceiling · call · approval ·   │──→ [Output::Record], then the others
//!             │ contract · prerequisite                                │
//!             └────────────────────────────────────────────────────────┘
//!        ▲                                                                     │
//!        └──── models, tools, people, the board, time: whoever drives it ──────┘
//! ```
//!
//! **Nothing that an [`Input`] brings about may be done before its [`Output::Record`] is durable.** Then a crash at any
//! point loses nothing: [`Engine::load`] makes the engine anew of what was saved, [`Input::Resumed`] puts calls whose end
//! nobody knows to a person, and [`Engine::outstanding`] gives what was under way again, with the same keys.
//!
//! The same inputs at the same times give the same outputs, to the byte. Where a record cannot be put on the board because
//! somebody else went on with the task, this engine is out of date: drop it and load another.
//!
//! The canonical loop is [`driver`](crate::driver).

mod act;
mod adopt;
mod begin;
mod end;
mod log;
mod measure;
mod message;
mod person;
mod request;
mod save;
mod state;
mod step;
mod think;

use std::collections::BTreeMap;

use crate::baton::{Id, Timestamp};
use crate::charter::{Charter, Strategy};
use crate::contract::{self, Validator};
use crate::count::TokenCounter;
use crate::entry::BoardId;
use crate::prerequisite::Progress;
use crate::refusal::{Code, Refusal, Refused};
use crate::trace::{Event, Trace};
use crate::{authority, ceiling};

pub use message::{
    ApprovalRequest, Datum, Decision, Ending, Gathered, Input, Invocation, Message, Metering, Outcome, Output, Record,
    Request, Slice, Told, Usage,
};
pub use request::{REQUEST_SCHEMA, TOOL_SCHEMA};
pub use save::{LOG, RUN, Saves};

use log::Log;
use state::{Known, Phase, Run, State};
use step::Step;

/// The kind of an entry that holds a charter, and its key.
pub const CHARTER: &str = "charter";
/// The kind of an entry that tells of an approval; its key is the approval's name.
pub const APPROVAL: &str = "approval";
/// The kind of an entry that tells of a tool call; its key is the call's.
pub const CALL: &str = "call";
/// The kind of an entry that holds what an agent gives another with a delegation; its key is the run's name.
pub const DELEGATION: &str = "delegation";
/// The kind of an entry that holds an output which no other name was given; its key is the run's name.
pub const OUTPUT: &str = "output";

/// What the engine is told of the world's abilities.
#[derive(Clone, Copy)]
pub struct World<'w> {
    /// Counts tokens.
    pub counter: &'w dyn TokenCounter,
    /// Validates outputs and arguments; without one, a charter that has a contract is refused.
    pub validator: Option<&'w dyn Validator>,
}

/// What a task begins with.
#[derive(Clone, Debug)]
pub struct Start {
    /// Whose task, and which.
    pub board: BoardId,
    /// Who asks for it.
    pub person: Id,
    /// The strategy; none, where people start the agents themselves.
    pub strategy: Option<String>,
    /// Whatever the caller wants to find again, such as where commands are.
    pub home: Option<String>,
    /// A word that no other task has: names are made of it, so it decides nothing but should not be guessable.
    pub seed: String,
    /// The task before it on the board, where there was one.
    pub after: Option<Previous>,
}

/// A task that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Previous {
    version: u64,
    generation: u64,
}

/// A task that is carried out.
#[derive(Clone, Debug)]
pub struct Engine {
    charter: Charter,
    state: State,
    log: Log,
    histories: BTreeMap<u64, Vec<Message>>,
    /// Where the result of each settled call stands: it is never asked for twice.
    ledger: BTreeMap<Id, Known>,
}

/// How a task stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Something is under way.
    Working,
    /// Nothing goes on before a person has spoken.
    Waiting,
    /// It is over.
    Over(Ending),
}

impl Engine {
    /// Starts a task. What comes out is to be done; its record comes first.
    ///
    /// # Errors
    /// `authority.unknown` where there is no such strategy; `contract.validator` where a contract cannot be validated.
    pub fn start(
        charter: Charter,
        start: Start,
        now: &Timestamp,
        world: World<'_>,
    ) -> Result<(Self, Vec<Output>), Refused> {
        contract::check(&charter, world.validator)?;
        let strategy = start.strategy.as_deref().map(|name| strategy_named(&charter, name)).transpose()?;
        let subtasks = strategy.map_or(0, |strategy| strategy.subtasks.len());
        let strategy = strategy.map(|strategy| strategy.name.clone());
        let state = State::new(&charter, start, strategy, subtasks, now);
        let mut engine =
            Self { charter, state, log: Log::default(), histories: BTreeMap::new(), ledger: BTreeMap::new() };
        let mut step = Step::new(now, world);
        engine.enter_charter(&mut step);
        let begun = Trace::new(Event::TaskStarted)
            .with("generation", engine.state.generation)
            .with("person", &engine.state.person)
            .with("strategy", engine.state.strategy.as_ref().map_or("", Id::as_str))
            .with("charter", engine.state.charter.as_str());
        engine.trace(&mut step, begun, Vec::new());
        engine.advance(&mut step);
        let outputs = engine.close(step);
        Ok((engine, outputs))
    }

    /// Takes in what has happened, and gives what is to be done about it; nothing, where nothing is.
    ///
    /// # Errors
    /// `run.none`, `call.state`, `approval.unknown` where nobody waits for that, as after a repetition. Nothing has changed
    /// then.
    pub fn handle(&mut self, input: Input, now: &Timestamp, world: World<'_>) -> Result<Vec<Output>, Refusal> {
        self.check(&input)?;
        let mut step = Step::new(now, world);
        self.expire(&mut step);
        match input {
            Input::Gathered { run, gathered } => self.gathered(&mut step, run, gathered),
            Input::Replied { key, reply, usage } => self.replied(&mut step, &key, reply, usage),
            Input::Unanswered { key, detail, usage } => self.unanswered(&mut step, &key, &detail, usage),
            Input::Returned { key, outcome } => self.returned(&mut step, &key, outcome),
            Input::Decided { approval, decision, entry } => self.decided(&mut step, &approval, &decision, entry),
            Input::Resolved { key, by, happened, result, entry } => {
                self.resolved(&mut step, &key, person::Word { by, happened, result, entry });
            }
            Input::Patched { run, result } => self.patched(&mut step, run, result),
            Input::Metered { key } => {
                // A meter knows a repetition by its key: this need not be durable at once.
                self.state.meters.remove(&key);
            }
            Input::Remembered { key } => {
                // So does a memory: it is only replaced by the same.
                self.state.memories.remove(&key);
            }
            Input::Resumed => self.resumed(&mut step),
            Input::Tick => {}
        }
        self.advance(&mut step);
        Ok(self.close(step))
    }

    /// How the task stands.
    #[must_use]
    pub fn status(&self) -> Status {
        if let Some(ending) = &self.state.ending {
            return Status::Over(ending.clone());
        }
        let waits = |run: &Run| matches!(run.phase, Phase::External | Phase::Acting { .. });
        let is_under_way = !self.state.abandoned.is_empty()
            || self.state.calls.values().any(|call| call.state == crate::call::State::Intent);
        if is_under_way || self.state.runs.values().any(|run| !waits(run)) { Status::Working } else { Status::Waiting }
    }

    /// Whether nothing of it is under way, though it has no end of its own: people start its agents.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.state.strategy.is_none() && self.state.runs.is_empty() && self.state.calls.is_empty()
    }

    /// Which board the task is of.
    #[must_use]
    pub fn board(&self) -> BoardId {
        self.state.board()
    }

    /// The charter that it is carried out under.
    #[must_use]
    pub fn charter(&self) -> &Charter {
        &self.charter
    }

    /// The strategy that is carried out; none, where people start the agents themselves.
    #[must_use]
    pub fn strategy(&self) -> Option<&Strategy> {
        self.charter.strategies.get(self.state.strategy.as_ref()?)
    }

    /// Where each subtask of the strategy stands, in its order.
    #[must_use]
    pub fn progress(&self) -> &[Progress] {
        &self.state.progress
    }

    /// Who asked for the task.
    #[must_use]
    pub fn person(&self) -> &Id {
        &self.state.person
    }

    /// What the caller wanted to find again.
    #[must_use]
    pub fn home(&self) -> Option<&str> {
        self.state.home.as_deref()
    }

    /// What the task has cost, and what is reserved.
    #[must_use]
    pub fn account(&self) -> &ceiling::Account {
        &self.state.account
    }

    /// What a task that comes after it on the board has to know of it.
    #[must_use]
    pub fn previous(&self) -> Previous {
        Previous { version: self.state.version, generation: self.state.generation }
    }

    /// The version of the state: one more with each record.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.state.version
    }

    /// The agent of a run that is not finished.
    #[must_use]
    pub fn agent_of(&self, run: u64) -> Option<&Id> {
        self.state.runs.get(&run).map(|run| &run.agent)
    }

    /// The step of a run that is not finished.
    #[must_use]
    pub fn step_of(&self, run: u64) -> Option<&Id> {
        self.state.runs.get(&run).map(|run| &run.step)
    }

    /// Runs that wait for a person's answer.
    pub fn external(&self) -> impl Iterator<Item = u64> {
        self.state.runs.iter().filter(|(_, run)| run.external).map(|(number, _)| *number)
    }

    /// The model call of that key, if it is under way: what is to be asked.
    #[must_use]
    pub fn request(&self, key: &str) -> Option<Request<'_>> {
        let asked = |run: &Run| matches!(&run.phase, Phase::Thinking { key: known } if known == key);
        let (number, _) = self.state.runs.iter().find(|(_, run)| asked(run))?;
        self.request_of(*number)
    }

    /// What the agent of a run is asked.
    #[must_use]
    pub fn request_of(&self, number: u64) -> Option<Request<'_>> {
        let run = self.state.runs.get(&number)?;
        let agent = self.charter.agents.get(&run.agent)?;
        let person = &self.state.person;
        Some(Request {
            board: self.state.board(),
            person,
            run: number,
            key: self.state.model_key(number, run.iterations),
            agent,
            intent: &run.intent,
            step: &run.step,
            tools: if run.external { Vec::new() } else { authority::tools(&self.charter, &run.chain, person) },
            agents: if run.external { Vec::new() } else { authority::agents(&self.charter, &run.chain) },
            messages: self.histories.get(&number).map_or(&[], Vec::as_slice),
        })
    }
}

fn strategy_named<'c>(charter: &'c Charter, name: &str) -> Result<&'c Strategy, Refusal> {
    charter.strategy(name).ok_or_else(|| {
        let known: Vec<&str> = charter.strategies.keys().map(Id::as_str).collect();
        let detail = format!("the charter has no strategy {}: it has {}", crate::text::quote(name), known.join(", "));
        Refusal::new(Code::AuthorityUnknown, "/strategy", detail)
    })
}
