//! What the engine knows of a task between two inputs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::approval::Approval;
use crate::baton::{Id, Timestamp};
use crate::call;
use crate::ceiling::Account;
use crate::charter::Caller;
use crate::engine::log::Settled;
use crate::engine::message::{Decision, Ending, Invocation, Metering};
use crate::entry::{BoardId, Readers, Reference};
use crate::json::Value;
use crate::prerequisite::Progress;

/// The form of the state that this version writes and reads.
pub(super) const FORMAT: &str = "run/v1";

/// A task as it is saved, without the histories of its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) format: String,
    /// One more with each record.
    pub(super) version: u64,
    /// Which run of a strategy on this board it is, from 1.
    pub(super) generation: u64,
    pub(super) tenant: Id,
    pub(super) task: Id,
    pub(super) person: Id,
    /// The strategy that is carried out; none where people start the agents.
    pub(super) strategy: Option<Id>,
    /// The digest of the charter.
    pub(super) charter: String,
    /// Whatever the caller wants to find again.
    pub(super) home: Option<String>,
    pub(super) started_at: Timestamp,
    /// From which all names are made.
    pub(super) seed: String,
    /// Names made so far.
    pub(super) names: u64,
    pub(super) account: Account,
    pub(super) progress: Vec<Progress>,
    /// Runs that are not finished.
    pub(super) runs: BTreeMap<u64, Run>,
    pub(super) runs_begun: u64,
    /// Calls that are not settled.
    pub(super) calls: BTreeMap<Id, Call>,
    pub(super) meters: BTreeMap<String, Metering>,
    /// Model calls under way whose run is over, with the agent: what they cost is still to be booked.
    pub(super) abandoned: BTreeMap<String, Id>,
    /// Data that is to be kept for later tasks.
    pub(super) memories: BTreeMap<Id, Value<'static>>,
    /// What went wrong first, where the task fails.
    pub(super) failure: Option<Ending>,
    pub(super) ending: Option<Ending>,
    /// Lines of the log.
    pub(super) lines: u64,
}

/// The loop of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) agent: Id,
    pub(super) caller: Caller,
    /// From the strategy's agent to this one.
    pub(super) chain: Vec<Id>,
    /// The subtask's place in the strategy.
    pub(super) subtask: Option<usize>,
    /// The name of the subtask that it belongs to, which is part of the keys of its calls.
    pub(super) root: Id,
    pub(super) step: Id,
    pub(super) intent: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::json::present")]
    pub(super) input: Option<Value<'static>>,
    pub(super) parent: Option<Parent>,
    /// Whether a person carries it out.
    pub(super) external: bool,
    /// The key under which the output of such a run is posted, if it is a subtask's.
    #[serde(default)]
    pub(super) produces: Option<Id>,
    pub(super) phase: Phase,
    pub(super) iterations: u64,
    pub(super) corrections: u64,
    pub(super) account: Account,
    /// Who could read all that it was shown.
    pub(super) label: Readers,
    /// What it was shown and what it made, but what those that are here were made of.
    pub(super) sources: Vec<Reference>,
    /// The revision of the baton that it was shown.
    pub(super) revision: Option<u64>,
    /// Tokens of its history.
    pub(super) tokens: u64,
}

/// Who waits for a run that was delegated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Parent {
    pub(super) run: u64,
    /// The place of the delegation among what the parent's answer asked for.
    pub(super) place: u64,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    /// Its slice is being gathered.
    Gathering,
    /// The model is asked.
    Thinking {
        /// The key of the model call.
        key: String,
    },
    /// A person is asked for the answer.
    External,
    /// Calls and delegations are under way.
    Acting {
        /// So many have not been told.
        waiting: u64,
    },
    /// Its patch is being applied.
    Patching {
        text: String,
        /// The name that its entry gets.
        reference: Reference,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::json::present")]
        output: Option<Value<'static>>,
    },
}

/// Where the result of a settled call stands.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) run: u64,
    /// In the history of the run.
    pub(super) place: usize,
    pub(super) settled: Settled,
}

/// A tool call that is not settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    pub(super) state: call::State,
    pub(super) invocation: Invocation,
    pub(super) side_effects: bool,
    /// The run's subtask, agents and label as they were when it was asked for.
    pub(super) step: Id,
    pub(super) readers: Readers,
    pub(super) approval: Option<Approval>,
    /// The newest entry about it.
    pub(super) entry: Option<Reference>,
    /// The person's word that let it be made.
    pub(super) decision: Option<Decision>,
    /// Runs that wait for it, with the place of the call among what the answer asked for.
    pub(super) waiters: Vec<Parent>,
    /// What it was made of.
    pub(super) derived_from: Vec<Reference>,
    /// What its run had been shown when it asked.
    pub(super) asked_with: Vec<Reference>,
}

impl State {
    pub(super) fn board(&self) -> BoardId {
        BoardId { tenant: self.tenant.clone(), task: self.task.clone() }
    }

    /// The next name. It is made of the seed, so that the same inputs give the same names.
    pub(super) fn name(&mut self) -> Reference {
        self.names = self.names.saturating_add(1);
        let text = format!("relay-baton name v1\n{}\n{}\n{}", self.seed, self.generation, self.names);
        let mut bytes = [0; 10];
        for (byte, digest) in bytes.iter_mut().zip(Sha256::digest(text.as_bytes())) {
            *byte = digest;
        }
        Reference::from_random(bytes)
    }

    /// The key of a run's model call: the same until it is answered.
    pub(super) fn model_key(&self, run: u64, iteration: u64) -> String {
        let board = self.board();
        let text = format!(
            "relay-baton model v1\n{}\n{}\n{}\n{}\n{run}\n{iteration}",
            board.tenant, board.task, self.seed, self.generation
        );
        crate::json::digest(text.as_bytes())
    }
}
