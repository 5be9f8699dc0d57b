//! The charter: which strategies, agents, tools and data there are, who may invoke, use, read and write what, and at what
//! cost.
//!
//! A [`Charter`] can be had only from a text that was read and checked, so whoever holds one need not ask whether a name
//! in it is declared. Names are resolved: those of the file itself are bare (`planner`), those of an included module have
//! that module's dotted name before them (`shared.mail.sender`), and two names of one agent are one name here.

mod agent;
mod document;
mod faults;
mod mermaid;
mod module;
mod names;
mod notices;
mod order;
mod read;
mod restricted;
mod rules;
mod source;
mod strategy;
mod table;
#[cfg(feature = "toml")]
mod toml;
mod tool;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::baton::Id;
use crate::entry::Readers;
use crate::json::Value;

pub use faults::{Fault, Unsound};
pub use read::{Files, Wanted};
pub use restricted::restricted;
pub(crate) use restricted::with_fields;
pub use source::Source;

/// A charter that was read, resolved and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Charter {
    /// The dotted name of its module; a name of its own may be written with it or bare.
    pub module: Option<Id>,
    /// What the whole task may cost.
    pub ceilings: Ceilings,
    /// Flows that may start agents, by name.
    pub strategies: BTreeMap<Id, Strategy>,
    /// Roles, by name.
    pub agents: BTreeMap<Id, Agent>,
    /// What agents may call beside other agents, by name.
    pub tools: BTreeMap<Id, Tool>,
    /// What agents tell one another over the board, by key.
    pub data: BTreeMap<Id, Data>,
    /// Who may use what; `None` where it is not limited.
    pub people: Option<BTreeMap<Id, Person>>,
    /// The whole of it as JSON, names resolved and modules merged: what is recorded.
    pub document: Value<'static>,
    /// The digest of the canonical form (RFC 8785) of `document`.
    pub digest: String,
}

/// Limits of a whole task. They are counted over all its agents and survive restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ceilings {
    /// Tokens of all model calls, in and out.
    pub tokens: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Agents that are started by agents; 0 where it is not said.
    pub spawns: u64,
    /// Delegations from the strategy's agent to the last in a chain; 0 where it is not said: no agent starts another.
    pub depth: u64,
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// A strategy.
    Strategy(Id),
    /// An agent.
    Agent(Id),
}

impl Caller {
    /// Its name without the word before it.
    #[must_use]
    pub fn name(&self) -> &Id {
        match self {
            Self::Strategy(name) | Self::Agent(name) => name,
        }
    }
}

impl fmt::Display for Caller {
    /// As it stands in a charter: `strategy NAME` or `agent NAME`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Strategy(name) => write!(f, "strategy {name}"),
            Self::Agent(name) => write!(f, "agent {name}"),
        }
    }
}

/// A flow: a graph of subtasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// Its name.
    pub name: Id,
    /// What it is for, in words.
    pub description: String,
    /// The goal of the baton that a run makes where there is none.
    pub goal: Option<String>,
    /// Its subtasks, each after those that it waits for.
    pub subtasks: Vec<Subtask>,
}

/// One piece of work of a strategy, for one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Subtask {
    /// Its name in the strategy; the step of what its agent writes.
    pub id: Id,
    /// The agent that does it.
    pub agent: Id,
    /// What it is to do, in words.
    pub intent: String,
    /// Keys of data without which it is not begun.
    pub consumes: Vec<Id>,
    /// The key under which its agent's output is posted.
    pub produces: Option<Id>,
    /// Subtasks that have to be done before, beside those that produce what it consumes.
    pub after: Vec<Id>,
}

/// A role.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// Its name.
    pub name: Id,
    /// What it answers for, in words.
    pub responsibility: String,
    /// Who may call it. Nobody, where it is empty.
    pub callable_by: BTreeSet<Caller>,
    /// Tools that it may call.
    pub tools: BTreeSet<Id>,
    /// Agents that it may delegate to.
    pub agents: BTreeSet<Id>,
    /// Keys of the data that it is given.
    pub needs: Vec<Id>,
    /// Fields of the baton that it is shown; all of them where it is not said.
    pub reads: Option<Vec<String>>,
    /// Fields of the baton that it may change; none where it is not said.
    pub writes: Vec<String>,
    /// The JSON Schema (draft 2020-12) that its output has to meet.
    pub contract: Option<Value<'static>>,
    /// How often it may try again after an answer that was refused.
    pub corrections: u64,
    /// Whether it may let others read what came of things that they may not read.
    pub declassify: bool,
    /// Its own limits, within the task's.
    pub limits: Limits,
    /// The command that is the agent, where it is one.
    pub command: Option<Command>,
}

/// Limits of one run of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Model calls; 50 where it is not said.
    pub iterations: u64,
    /// Tokens, in and out.
    pub tokens: Option<u64>,
    /// Tool calls.
    pub tool_calls: Option<u64>,
    /// Tokens that one answer may have, which are reserved before it is asked for; 4,096 where it is not said.
    pub answer_tokens: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { iterations: 50, tokens: None, tool_calls: None, answer_tokens: 4096 }
    }
}

/// Something that an agent may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: Id,
    /// What it does, in words.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub arguments: Option<Value<'static>>,
    /// Whether a call changes something in the world; yes, where it is not said. Such a call waits for a person.
    pub side_effects: bool,
    /// Who may read its results at most; every agent, where it is not said.
    pub readers: Readers,
    /// Who may approve a call; whoever is no agent, where it is not said.
    pub approvers: Option<BTreeSet<Id>>,
    /// How long an approval can be given and used, in seconds from the request.
    pub approval_seconds: Option<u64>,
    /// The command that is the tool, where it is one.
    pub command: Option<Command>,
}

/// What stands under one key on the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// Its key.
    pub key: Id,
    /// Who may read it: always said.
    pub readers: Readers,
    /// Whether it is recalled from what was kept of earlier tasks, where nobody has posted it.
    pub recalled: bool,
    /// Whether it is kept for later tasks, once the task is done.
    pub kept: bool,
}

/// What a person may have agents do.
#[derive(Clone, Debug, PartialEq)]
pub struct Person {
    /// Their name.
    pub name: Id,
    /// Tools that agents may use for them.
    pub tools: BTreeSet<Id>,
}

/// A program with its arguments. No shell reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program, then its arguments: at least one.
    pub words: Vec<String>,
    /// How long it may take, in milliseconds; 600,000 where it is not said.
    pub time_limit_ms: u64,
    /// Bytes that it may write to standard output; 1 MiB where it is not said.
    pub output_limit_bytes: u64,
}

impl Charter {
    /// The agent of that name: as it is resolved, or with the module's own dotted name before it.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&Agent> {
        self.named(&self.agents, name)
    }

    /// The tool of that name, as [`Self::agent`].
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.named(&self.tools, name)
    }

    /// The strategy of that name, as [`Self::agent`].
    #[must_use]
    pub fn strategy(&self, name: &str) -> Option<&Strategy> {
        self.named(&self.strategies, name)
    }

    fn named<'c, T>(&self, declared: &'c BTreeMap<Id, T>, name: &str) -> Option<&'c T> {
        // The module of another file may begin with this one's name: `acme.mail.sender` in `acme`.
        let own = || self.module.as_ref().and_then(|module| name.strip_prefix(module.as_str())?.strip_prefix('.'));
        declared.get(name).or_else(|| declared.get(own()?))
    }
}

#[cfg(test)]
#[path = "charter_test.rs"]
mod tests;

#[cfg(test)]
#[path = "rules_test.rs"]
mod rules_tests;

#[cfg(all(test, feature = "toml"))]
#[path = "toml_test.rs"]
mod toml_tests;
