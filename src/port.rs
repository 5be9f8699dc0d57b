//! The ports of governance: what a task needs of the world, each a small trait with a version in memory that defines its
//! behaviour. The place where entries are kept is a port too: [`Store`](crate::store::Store), in memory
//! [`memory::Memory`](crate::memory::Memory).
//!
//! # Contract
//!
//! *Repetition.* After a crash a port may be asked for the same again, with the same key: a [`Model`] may answer anew, a
//! [`Meter`] counts a key once, a [`Toolbox`] is never asked again for a call with side effects that it was asked for.
//!
//! *Copies.* Requests and arguments are the caller's own: what a port does with them changes nothing for anybody else.

use std::collections::{BTreeMap, VecDeque};

use crate::baton::{Id, Timestamp};
use crate::charter::Tool;
use crate::engine::{ApprovalRequest, Decision, Invocation, Metering, Outcome, Request, Usage};
use crate::entry::Reference;
use crate::json::Value;
use crate::refusal::{Code, Refused};
use crate::reply::Reply;
use crate::store::Fault;

/// What came of a model call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The model said something; a refusal, where that is no answer.
    Replied(Result<Reply, Refused>, Usage),
    /// It did not, for this reason; it may have cost something all the same.
    Failed(String, Usage),
}

/// Asks models.
pub trait Model {
    /// Asks the model of the request's agent.
    ///
    /// Usage is counted here, never taken from what the agent says.
    fn ask(&mut self, request: &Request<'_>) -> Answer;
}

/// Calls tools.
pub trait Toolbox {
    /// Makes the call. [`Outcome::Failed`] is for what is known not to have happened, or to have failed by the tool's own
    /// word; whatever else goes wrong is [`Outcome::Unknown`].
    fn invoke(&mut self, call: &Invocation, tool: &Tool) -> Outcome;
}

/// What a person said.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// On a call that waits for approval.
    Decided {
        /// The approval.
        approval: Reference,
        /// The word.
        decision: Decision,
        /// The entry that holds it, where there is one.
        entry: Option<Reference>,
    },
    /// On a call whose end is not known.
    Resolved {
        /// The key of the call.
        key: Id,
        /// Who says so.
        by: Id,
        /// Whether it happened.
        happened: bool,
        /// Its result, where it is known.
        result: Option<Value<'static>>,
        /// The entry that holds it, where there is one.
        entry: Option<Reference>,
    },
}

/// Asks people.
pub trait Approvals {
    /// Puts a call before people. It may be told of the same again.
    fn request(&mut self, request: &ApprovalRequest);

    /// Asks people what became of a call. It may be told of the same again.
    fn doubt(&mut self, call: &Invocation);

    /// What people have said since it was last asked; nothing, where they have said nothing yet. It does not wait.
    fn words(&mut self) -> Vec<Word>;
}

/// Keeps account of who has spent what.
pub trait Meter {
    /// Records a model call; the same key again is the same call.
    ///
    /// # Errors
    /// `store.*`; `board.idempotency` where the key is of another call.
    fn record(&mut self, metering: &Metering) -> Result<(), Fault>;
}

/// What a tenant keeps from one task to the next.
pub trait Memory {
    /// What is kept under `key`.
    ///
    /// # Errors
    /// `store.*`.
    fn recall(&mut self, tenant: &Id, key: &Id) -> Result<Option<Value<'static>>, Fault>;

    /// Keeps `value` under `key`, in place of what was kept.
    ///
    /// # Errors
    /// `store.*`.
    fn remember(&mut self, tenant: &Id, key: &Id, value: &Value<'static>) -> Result<(), Fault>;
}

/// Tells the time.
pub trait Clock {
    /// The time.
    fn now(&mut self) -> Timestamp;
}

/// Models whose answers are given beforehand, for each agent in order. The same key again gets the same answer.
#[derive(Clone, Debug, Default)]
pub struct Script {
    answers: BTreeMap<Id, VecDeque<Answer>>,
    given: BTreeMap<String, Answer>,
    /// The keys that were asked with, in order.
    pub asked: Vec<String>,
}

impl Script {
    /// The next answer of `agent`, after those that it has.
    pub fn answer(&mut self, agent: &Id, answer: Answer) {
        self.answers.entry(agent.clone()).or_default().push_back(answer);
    }
}

impl Model for Script {
    fn ask(&mut self, request: &Request<'_>) -> Answer {
        self.asked.push(request.key.clone());
        if let Some(given) = self.given.get(&request.key) {
            return given.clone();
        }
        let next = self.answers.get_mut(&request.agent.name).and_then(VecDeque::pop_front);
        let next = next.unwrap_or_else(|| Answer::Failed("it has nothing more to say".to_owned(), Usage::default()));
        self.given.insert(request.key.clone(), next.clone());
        next
    }
}

/// A tool in memory.
pub type Function = Box<dyn FnMut(&Invocation) -> Outcome>;

/// Tools that are functions.
#[derive(Default)]
pub struct Functions {
    functions: BTreeMap<Id, Function>,
    /// The keys of the calls that were made, in order.
    pub called: Vec<Id>,
}

impl Functions {
    /// The tool `name` is `function`.
    pub fn add(&mut self, name: &Id, function: impl FnMut(&Invocation) -> Outcome + 'static) {
        self.functions.insert(name.clone(), Box::new(function));
    }
}

impl Toolbox for Functions {
    fn invoke(&mut self, call: &Invocation, _: &Tool) -> Outcome {
        self.called.push(call.key.clone());
        match self.functions.get_mut(&call.tool) {
            Some(function) => function(call),
            None => Outcome::Failed("there is no such tool here".to_owned()),
        }
    }
}

/// People who say what they were told to, when the next asks.
#[derive(Clone, Debug, Default)]
pub struct Desk {
    /// What was put before them, in order.
    pub requests: Vec<ApprovalRequest>,
    /// What they were asked about, in order.
    pub doubts: Vec<Invocation>,
    words: Vec<Word>,
}

impl Desk {
    /// A person says this.
    pub fn say(&mut self, word: Word) {
        self.words.push(word);
    }
}

impl Approvals for Desk {
    fn request(&mut self, request: &ApprovalRequest) {
        if !self.requests.contains(request) {
            self.requests.push(request.clone());
        }
    }

    fn doubt(&mut self, call: &Invocation) {
        if !self.doubts.contains(call) {
            self.doubts.push(call.clone());
        }
    }

    fn words(&mut self) -> Vec<Word> {
        std::mem::take(&mut self.words)
    }
}

/// An account in memory.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// What was recorded, by key.
    pub recorded: BTreeMap<String, Metering>,
}

impl Tally {
    /// Tokens that were spent for `person`.
    #[must_use]
    pub fn tokens_of(&self, person: &Id) -> u64 {
        let own = self.recorded.values().filter(|metering| metering.person == *person);
        own.fold(0, |sum, metering| sum.saturating_add(metering.usage.total()))
    }
}

impl Meter for Tally {
    fn record(&mut self, metering: &Metering) -> Result<(), Fault> {
        match self.recorded.get(&metering.key) {
            Some(known) if known != metering => {
                Err(Fault::new(Code::BoardIdempotency, "another model call was metered under that key"))
            }
            Some(_) => Ok(()),
            None => {
                self.recorded.insert(metering.key.clone(), metering.clone());
                Ok(())
            }
        }
    }
}

/// A memory that lasts as long as it does.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    kept: BTreeMap<(Id, Id), Value<'static>>,
}

impl Memory for Shelf {
    fn recall(&mut self, tenant: &Id, key: &Id) -> Result<Option<Value<'static>>, Fault> {
        Ok(self.kept.get(&(tenant.clone(), key.clone())).cloned())
    }

    fn remember(&mut self, tenant: &Id, key: &Id, value: &Value<'static>) -> Result<(), Fault> {
        self.kept.insert((tenant.clone(), key.clone()), value.clone());
        Ok(())
    }
}

/// A clock that goes on by one second whenever it is looked at.
#[derive(Clone, Debug)]
pub struct Ticks {
    now: Timestamp,
}

impl Ticks {
    /// A clock that shows `now` first.
    #[must_use]
    pub fn from(now: Timestamp) -> Self {
        Self { now }
    }

    /// Goes on by so many seconds.
    pub fn pass(&mut self, seconds: u64) {
        if let Some(later) = self.now.plus_seconds(seconds) {
            self.now = later;
        }
    }
}

impl Clock for Ticks {
    fn now(&mut self) -> Timestamp {
        let now = self.now.clone();
        self.pass(1);
        now
    }
}
