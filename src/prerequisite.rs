//! Prerequisites: which subtasks of a strategy can begin, and what becomes of those that cannot.
//!
//! A subtask waits for those that it comes after and for those that produce what it consumes. Where one of them failed
//! or was skipped it is skipped too, and a gap says why; nothing was spent on it. An index that is no subtask's changes
//! nothing, and a subtask that no progress is told of is waiting.

use std::collections::BTreeSet;

use crate::baton::Id;
use crate::charter::{Strategy, Subtask};
use crate::trace::{Event, Particular, Trace};

/// How far a subtask is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    #[default]
    Waiting,
    /// Begun.
    Running,
    /// Done.
    Done,
    /// Begun, and failed.
    Failed,
    /// Never begun, and never will be.
    Skipped,
}

impl Status {
    /// Whether it can no longer change.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Skipped)
    }

    /// Its name, such as `skipped`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// Why a subtask was skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// Keys of data that it consumes and that are not there, or not for its agent.
    pub missing: Vec<Id>,
    /// Subtasks that it waits for and that failed or were skipped.
    pub because: Vec<Id>,
}

/// How far a subtask is, and why it was skipped where it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// How far.
    pub status: Status,
    /// Why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Gap>,
}

/// The subtasks that can begin: waiting, and all that they wait for is done. Indexes into the strategy's subtasks, in
/// order.
#[must_use]
pub fn ready(strategy: &Strategy, progress: &[Progress]) -> Vec<usize> {
    let can_begin = |index: &usize| {
        let Some(subtask) = strategy.subtasks.get(*index) else { return false };
        let mut before = blockers(strategy, subtask);
        status(progress, *index) == Status::Waiting && before.all(|other| status(progress, other) == Status::Done)
    };
    (0..strategy.subtasks.len()).filter(can_begin).collect()
}

/// Skips the subtask `index`, for which `missing` data is not there, and all that wait for it. One that is not waiting
/// stays as it is, and nothing is traced.
pub fn skip(strategy: &Strategy, progress: &mut [Progress], index: usize, missing: Vec<Id>) -> Vec<Trace> {
    let mut traces = Vec::new();
    record(strategy, progress, index, Gap { missing, because: Vec::new() }, &mut traces);
    if !traces.is_empty() {
        skip_dependents(strategy, progress, &mut traces);
    }
    traces
}

/// Fails the subtask `index`, and skips all that wait for it. One that is over stays as it is, and nothing is traced.
pub fn fail(strategy: &Strategy, progress: &mut [Progress], index: usize) -> Vec<Trace> {
    let mut traces = Vec::new();
    if let Some(own) = progress.get_mut(index)
        && !own.status.is_over()
    {
        *own = Progress { status: Status::Failed, gap: None };
        skip_dependents(strategy, progress, &mut traces);
    }
    traces
}

/// Whether nothing is left to do.
#[must_use]
pub fn is_over(progress: &[Progress]) -> bool {
    progress.iter().all(|own| own.status.is_over())
}

/// Skips whatever waits for something that failed or was skipped, until nothing more does.
fn skip_dependents(strategy: &Strategy, progress: &mut [Progress], traces: &mut Vec<Trace>) {
    loop {
        let before = traces.len();
        for (index, subtask) in strategy.subtasks.iter().enumerate() {
            if status(progress, index) != Status::Waiting {
                continue;
            }
            let gap = gap(strategy, progress, subtask);
            if !gap.because.is_empty() {
                record(strategy, progress, index, gap, traces);
            }
        }
        if traces.len() == before {
            return;
        }
    }
}

/// What stands in the way of a subtask.
fn gap(strategy: &Strategy, progress: &[Progress], subtask: &Subtask) -> Gap {
    let mut gap = Gap::default();
    for other in blockers(strategy, subtask) {
        let Some(other_subtask) = strategy.subtasks.get(other) else { continue };
        if !matches!(status(progress, other), Status::Failed | Status::Skipped) {
            continue;
        }
        gap.because.push(other_subtask.id.clone());
        gap.missing.extend(other_subtask.produces.iter().filter(|key| subtask.consumes.contains(key)).cloned());
    }
    gap
}

fn record(strategy: &Strategy, progress: &mut [Progress], index: usize, gap: Gap, traces: &mut Vec<Trace>) {
    let Some((subtask, own)) = strategy.subtasks.get(index).zip(progress.get_mut(index)) else { return };
    if own.status != Status::Waiting {
        return;
    }
    let skipped = Trace::new(Event::SubtaskSkipped).with("subtask", &subtask.id).with("agent", &subtask.agent);
    let recorded = Trace::new(Event::GapRecorded)
        .with("subtask", &subtask.id)
        .with("missing", gap.missing.iter().collect::<Particular>())
        .with("because", gap.because.iter().collect::<Particular>());
    traces.extend([skipped, recorded]);
    *own = Progress { status: Status::Skipped, gap: Some(gap) };
}

/// The subtasks that `subtask` waits for, in order.
fn blockers<'s>(strategy: &'s Strategy, subtask: &'s Subtask) -> impl Iterator<Item = usize> + 's {
    let after: BTreeSet<&Id> = subtask.after.iter().collect();
    let consumed: BTreeSet<&Id> = subtask.consumes.iter().collect();
    let waits_for = move |other: &Subtask| {
        after.contains(&other.id) || other.produces.as_ref().is_some_and(|key| consumed.contains(key))
    };
    strategy.subtasks.iter().enumerate().filter(move |(_, other)| waits_for(other)).map(|(index, _)| index)
}

fn status(progress: &[Progress], index: usize) -> Status {
    progress.get(index).map_or(Status::Waiting, |own| own.status)
}

#[cfg(test)]
#[path = "prerequisite_test.rs"]
mod tests;
