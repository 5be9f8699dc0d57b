//! What goes in and out of the engine, and what an agent's loop is made of.

use serde::{Deserialize, Serialize};

use crate::baton::Id;
use crate::board::Post;
use crate::charter::{Agent, Tool};
use crate::entry::{BoardId, Readers, Reference};
use crate::json::Value;
use crate::refusal::Refused;
use crate::reply::Reply;
use crate::store::Saved;

/// What has happened in the world. Each is the answer to an [`Output`], or comes from a person.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The answer to [`Output::Gather`].
    Gathered {
        /// The run that it is for.
        run: u64,
        /// What the agent may see.
        gathered: Gathered,
    },
    /// The answer to [`Output::Ask`].
    Replied {
        /// The key of the model call.
        key: String,
        /// What the model said; a refusal where that is no answer.
        reply: Result<Reply, Refused>,
        /// What it cost, as the model's adapter counted it.
        usage: Usage,
    },
    /// The other answer to [`Output::Ask`]: there was none.
    Unanswered {
        /// The key of the model call.
        key: String,
        /// Why, on one line.
        detail: String,
        /// What it cost all the same.
        usage: Usage,
    },
    /// The answer to [`Output::Invoke`].
    Returned {
        /// The key of the tool call.
        key: Id,
        /// How it ended.
        outcome: Outcome,
    },
    /// A person's word on [`Output::Request`].
    Decided {
        /// The approval.
        approval: Reference,
        /// The word.
        decision: Decision,
        /// The entry that holds it; none, where the engine is to record it.
        entry: Option<Reference>,
    },
    /// A person's word on a call whose end is not known.
    Resolved {
        /// The key of the tool call.
        key: Id,
        /// Who says so.
        by: Id,
        /// Whether it happened.
        happened: bool,
        /// Its result, where it is known.
        result: Option<Value<'static>>,
        /// The entry that holds it; none, where the engine is to record it.
        entry: Option<Reference>,
    },
    /// The answer to [`Output::Patch`].
    Patched {
        /// The run whose patch it is.
        run: u64,
        /// The entry of the patch, or why there is none.
        result: Result<Reference, Refused>,
    },
    /// The answer to [`Output::Meter`].
    Metered {
        /// Its key.
        key: String,
    },
    /// The answer to [`Output::Remember`].
    Remembered {
        /// The key of the data.
        key: Id,
    },
    /// The engine was loaded anew: whoever ran it before is gone.
    Resumed,
    /// Time has passed.
    Tick,
}

/// What is to be done. The first of a list is always the record; the others wait until that is durable.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Put this on the board, all or nothing.
    Record(Record),
    /// Read what an agent may see, and answer with [`Input::Gathered`].
    Gather {
        /// The run that it is for.
        run: u64,
        /// The agent.
        agent: Id,
        /// Keys of data.
        keys: Vec<Id>,
        /// Fields of the baton; all, where it is not said.
        fields: Option<Vec<String>>,
    },
    /// Call the model with [`Engine::request`](crate::engine::Engine::request) of this key.
    Ask {
        /// The run.
        run: u64,
        /// The key of the model call: the same after a crash.
        key: String,
    },
    /// Call a tool. It comes once for a call with side effects.
    Invoke(Invocation),
    /// Ask people whether a call may be made.
    Request(ApprovalRequest),
    /// Ask people what became of a call.
    Doubt(Invocation),
    /// Apply an agent's patch to the baton.
    Patch {
        /// The run.
        run: u64,
        /// The agent, who is the author.
        agent: Id,
        /// The step.
        step: Id,
        /// The text that holds the patch.
        text: String,
        /// The revision that the agent was shown.
        base: Option<u64>,
        /// The fields that it may change.
        writes: Vec<String>,
        /// What it was made of.
        derived_from: Vec<Reference>,
        /// Whether it may tell everyone what not everyone may read.
        declassify: bool,
        /// The name of its entry.
        reference: Reference,
    },
    /// Meter a model call against the person who asked.
    Meter(Metering),
    /// Keep data for later tasks.
    Remember {
        /// Its key.
        key: Id,
        /// What it says.
        value: Value<'static>,
    },
    /// Show the slice of a run that a person carries out.
    Present {
        /// The run.
        run: u64,
    },
    /// Tell a person who carries out a run why the answer was refused; the next answer may be better.
    Correct {
        /// The run.
        run: u64,
        /// The text for the agent.
        text: String,
    },
    /// Nothing is left to do.
    Finished(Ending),
}

/// What goes on the board in one.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The slot of the state.
    pub slot: Id,
    /// The version of the state before; 0 where there was none.
    pub before: u64,
    /// Entries, in order.
    pub entries: Vec<Post>,
    /// Documents to save.
    pub saves: Vec<Saved>,
    /// Documents to forget, by slot and number.
    pub drops: Vec<(Id, u64)>,
}

/// What an agent may see of the board.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gathered {
    /// The baton, rendered for it.
    pub baton: String,
    /// Its revision; none, where there is no baton.
    pub revision: Option<u64>,
    /// Entries that it was read from, and who may read each.
    pub sources: Vec<(Reference, Readers)>,
    /// Data, by key.
    pub data: Vec<Datum>,
}

/// Data under one key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Datum {
    /// Its key.
    pub key: Id,
    /// What it says.
    pub value: Value<'static>,
    /// Its entry; none, where it is recalled and has yet to be recorded.
    pub entry: Option<Reference>,
    /// Who may read it.
    pub readers: Readers,
}

/// Tokens of one model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the request.
    pub tokens_in: u64,
    /// Of the answer.
    pub tokens_out: u64,
}

impl Usage {
    /// Both.
    #[must_use]
    pub fn total(self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}

/// How a tool call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With this result.
    Done(Value<'static>),
    /// It is known to have failed.
    Failed(String),
    /// It is not known.
    Unknown(String),
}

/// A person's word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Whose.
    pub by: Id,
    /// Yes or no.
    pub granted: bool,
    /// Why.
    pub why: Option<String>,
}

/// A tool call that is to be made, or was begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    /// Its key: the same call has the same.
    pub key: Id,
    /// The run that asks.
    pub run: u64,
    /// The agent that asks.
    pub agent: Id,
    /// The tool.
    pub tool: Id,
    /// A copy of the arguments; absent is not `null`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::json::present")]
    pub arguments: Option<Value<'static>>,
}

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// The name of the approval.
    pub id: Reference,
    /// The call.
    pub call: Invocation,
    /// What it is bound to.
    pub digest: String,
    /// Who asked for the task.
    pub person: Id,
    /// Until when it can be given (RFC 3339).
    pub expires_at: Option<String>,
}

/// A model call to be metered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metering {
    /// By which its repetition is known.
    pub key: String,
    /// Against whom.
    pub person: Id,
    /// Which agent asked.
    pub agent: Id,
    /// What it cost.
    pub usage: Usage,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Every subtask is done.
    Done,
    /// This went wrong first.
    Failed {
        /// A stable code.
        code: String,
        /// One line.
        detail: String,
    },
}

/// One item of an agent's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// What it was given.
    Slice(Slice),
    /// What it answered.
    Agent(Reply),
    /// What came of one thing that it asked for.
    Result(Told),
    /// What was wrong with its answer.
    Correction(String),
}

/// What an agent is given at first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// The baton, rendered.
    pub baton: String,
    /// Its revision.
    pub revision: Option<u64>,
    /// The declared data that is there, by key.
    pub data: Vec<(Id, Value<'static>)>,
    /// What its caller gave it beside the intent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::json::present")]
    pub input: Option<Value<'static>>,
}

/// What came of a tool call or a delegation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// `tool NAME` or `agent NAME`.
    pub of: String,
    /// The call's key, or the run's name.
    pub key: String,
    /// Its place among what the answer asked for, from 0: calls, then delegations.
    pub place: u64,
    /// `done`, `failed`, `denied`, `expired`, `resolved`.
    pub status: String,
    /// The result, or what is to be said instead.
    pub value: Value<'static>,
}

/// What a model is asked: all that always travels, and the history.
#[derive(Clone, Debug)]
pub struct Request<'e> {
    /// Whose task, and which.
    pub board: BoardId,
    /// Who asked for it.
    pub person: &'e Id,
    /// The run.
    pub run: u64,
    /// The key of the model call.
    pub key: String,
    /// The agent.
    pub agent: &'e Agent,
    /// What it is to do.
    pub intent: &'e str,
    /// The step that it writes under.
    pub step: &'e Id,
    /// Tools that it may call.
    pub tools: Vec<&'e Tool>,
    /// Agents that it may delegate to.
    pub agents: Vec<&'e Agent>,
    /// Its history, of which the first is its slice.
    pub messages: &'e [Message],
}
