//! A task in its saved form, and made anew of it.

use std::collections::BTreeMap;

use crate::baton::{Id, Timestamp};
use crate::ceiling::{Account, Amount};
use crate::charter::Charter;
use crate::engine::log::{Line, Log};
use crate::engine::state::{FORMAT, State};
use crate::engine::{Engine, Start};
use crate::entry::BoardId;
use crate::prerequisite::Progress;
use crate::refusal::{Code, Refusal};
use crate::store::{Fault, Saved, Store};

/// The slot of a task's state; its number is the version.
pub const RUN: &str = "run";
/// How the slots of logs begin; the generation follows.
pub const LOG: &str = "run.log.";

/// How often somebody else may save another state before reading is given up.
const TRIES_MAX: usize = 64;

/// What is saved of a task: its state, and its log by the number of each chunk's first line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saves {
    /// The newest document of the slot [`RUN`].
    pub state: String,
    /// The documents of the log's slot, in order.
    pub log: Vec<(u64, String)>,
}

impl Saves {
    /// Reads what is saved of the task of `board`; `None` where there is none.
    ///
    /// # Errors
    /// `store.*`; `store.damaged` where it is no state; `store.busy` where others go on with the task all the time.
    pub fn read<S: Store>(store: &mut S, board: &BoardId) -> Result<Option<Self>, Fault> {
        let slot = slot_named(RUN)?;
        for _ in 0..TRIES_MAX {
            let before = store.head(board)?;
            let Some(Saved { bytes: state, number, .. }) = store.load(board, &slot, u64::MAX)? else { return Ok(None) };
            let generation = generation(&state).ok_or_else(|| damaged("it does not say which run it is of"))?;
            let log = Self::read_log(store, board, &slot_named(&format!("{LOG}{generation}"))?)?;
            // State and log are of one moment only if nobody has saved another state meanwhile.
            if store.head(board)? == before
                || store.load(board, &slot, u64::MAX)?.is_some_and(|newest| newest.number == number)
            {
                return Ok(Some(Self { state, log }));
            }
        }
        Err(Fault::new(Code::StoreBusy, "others keep going on with the run: try again"))
    }

    fn read_log<S: Store>(store: &mut S, board: &BoardId, slot: &Id) -> Result<Vec<(u64, String)>, Fault> {
        let (mut log, mut next) = (Vec::new(), Some(u64::MAX));
        while let Some(number_max) = next {
            let Some(Saved { number, bytes, .. }) = store.load(board, slot, number_max)? else { break };
            log.push((number, bytes));
            next = number.checked_sub(1);
        }
        log.reverse();
        Ok(log)
    }
}

fn slot_named(word: &str) -> Result<Id, Fault> {
    Id::new(word).ok_or_else(|| damaged("its slot has no name"))
}

fn damaged(what: &str) -> Fault {
    Fault::new(Code::StoreDamaged, format!("the saved run cannot be read: {what}"))
}

fn generation(state: &str) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Head {
        generation: u64,
    }
    serde_json::from_str::<Head>(state).ok().map(|head| head.generation)
}

impl State {
    pub(super) fn new(charter: &Charter, start: Start, strategy: Option<Id>, subtasks: usize, now: &Timestamp) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: start.after.map_or(0, |after| after.version),
            generation: start.after.map_or(0, |after| after.generation).saturating_add(1),
            tenant: start.board.tenant,
            task: start.board.task,
            person: start.person,
            strategy,
            charter: charter.digest.clone(),
            home: start.home,
            started_at: now.clone(),
            seed: start.seed,
            names: 0,
            account: Account::new(Amount::from(charter.ceilings)),
            progress: vec![Progress::default(); subtasks],
            runs: BTreeMap::new(),
            runs_begun: 0,
            calls: BTreeMap::new(),
            meters: BTreeMap::new(),
            abandoned: BTreeMap::new(),
            memories: BTreeMap::new(),
            failure: None,
            ending: None,
            lines: 0,
        }
    }
}

/// Whether `charter` has what `state` goes on with.
fn is_of(charter: &Charter, state: &State) -> bool {
    let subtasks = match &state.strategy {
        Some(name) => charter.strategies.get(name).map(|strategy| strategy.subtasks.len()),
        None => Some(0),
    };
    let runs_are = state.runs.values().all(|run| charter.agents.contains_key(&run.agent));
    subtasks == Some(state.progress.len()) && runs_are
}

impl Engine {
    /// The engine of a task as it was saved, under the charter that it was begun under.
    ///
    /// # Errors
    /// `authority.charter` where `charter` is another; `store.damaged` where what was saved cannot be read.
    pub fn load(charter: Charter, saves: Saves) -> Result<Self, Refusal> {
        let broken = |detail: String| Refusal::new(Code::StoreDamaged, "", detail);
        let state: State = serde_json::from_str(&saves.state)
            .map_err(|error| broken(format!("the saved run cannot be read: {error}")))?;
        if state.format != FORMAT {
            return Err(broken(format!("the saved run is of another version than `{FORMAT}`")));
        }
        if state.charter != charter.digest {
            let detail =
                "the charter is not the one that the run was begun under: go on under that, or adopt the new one";
            return Err(Refusal::new(Code::AuthorityCharter, "", detail));
        }
        if !is_of(&charter, &state) {
            return Err(broken("the saved run names agents or subtasks that its charter does not have".to_owned()));
        }
        let log = Log::of(saves.log);
        let mut engine =
            Self { charter, state, log: Log::default(), histories: BTreeMap::new(), ledger: BTreeMap::new() };
        let mut lines = 0_u64;
        for line in log.texts().flat_map(str::lines) {
            let line: Line = serde_json::from_str(line)
                .map_err(|error| broken(format!("a line of the saved run cannot be read: {error}")))?;
            engine.take(line);
            lines = lines.saturating_add(1);
        }
        if lines != engine.state.lines {
            let detail = format!("the saved run has {lines} lines and was to have {}", engine.state.lines);
            return Err(broken(detail));
        }
        engine.log = log;
        Ok(engine)
    }

    /// All of it, as it would be saved.
    #[must_use]
    pub fn saves(&self) -> Saves {
        let log = self.log.documents();
        Saves { state: serde_json::to_string(&self.state).unwrap_or_default(), log }
    }

    /// The slots of the state and of the log.
    pub(super) fn slots(&self) -> Option<(Id, Id)> {
        Some((Id::new(RUN)?, Id::new(&format!("{LOG}{}", self.state.generation))?))
    }

    pub(super) fn saved(&self, slot: &Id) -> Saved {
        let bytes = serde_json::to_string(&self.state).unwrap_or_default();
        Saved { slot: slot.clone(), number: self.state.version, bytes }
    }
}
