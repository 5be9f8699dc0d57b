//! The log of a task: what its runs were told and said, saved so that a step costs what the step adds.
//!
//! Lines are saved in chunks. When a chunk is the eighth in a row that is not larger than it, they are made one: so a line
//! is written a few times in all, and a task is loaded from few documents. How large a chunk is follows from its text alone,
//! so it makes no difference how often a task was loaded anew.

use serde::{Deserialize, Serialize};

use crate::baton::Id;
use crate::engine::message::Message;
use crate::entry::{Readers, Reference};
use crate::store::Saved;

/// Chunks in a row that are made one.
const FAN: usize = 8;

/// Bytes from which a chunk is left as it is.
const CHUNK_BYTES_MAX: usize = 1 << 20;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Line {
    /// Whose history it belongs to.
    pub(super) run: u64,
    /// The tool call that it settles, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) settles: Option<Settled>,
    /// What was told or said.
    pub(super) message: Message,
}

/// A tool call that is answered from here on with what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Settled {
    pub(super) key: Id,
    /// The entry that tells of it.
    pub(super) entry: Reference,
    /// Who may read that.
    pub(super) readers: Readers,
}

/// The chunks as they are in the store.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Log {
    chunks: Vec<Chunk>,
}

#[derive(Clone, Debug, PartialEq)]
struct Chunk {
    /// The number of its first line, from 1.
    first: u64,
    /// How often [`FAN`] chunks of one line would have been made one.
    level: u32,
    /// Its lines, each with a line feed.
    text: String,
    is_full: bool,
}

impl Chunk {
    fn new(first: u64, text: String) -> Self {
        let lines = text.bytes().filter(|byte| *byte == b'\n').count();
        Self { first, level: lines.max(1).ilog(FAN), is_full: text.len() >= CHUNK_BYTES_MAX, text }
    }
}

/// What a step changes in the store.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) saves: Vec<Saved>,
    pub(super) drops: Vec<(Id, u64)>,
}

impl Log {
    /// Adds `lines`, the first of which has the number `first`.
    pub(super) fn push(&mut self, slot: &Id, first: u64, lines: String) -> Change {
        let mut change = Change::default();
        if lines.is_empty() {
            return change;
        }
        self.chunks.push(Chunk::new(first, lines));
        while self.merge(slot, &mut change) {}
        if let Some(last) = self.chunks.last() {
            change.drops.retain(|(_, number)| *number != last.first);
            change.saves.push(Saved { slot: slot.clone(), number: last.first, bytes: last.text.clone() });
        }
        change
    }

    /// Makes the last chunks one, if enough of them are not larger than the last.
    fn merge(&mut self, slot: &Id, change: &mut Change) -> bool {
        let Some(level) = self.chunks.last().filter(|last| !last.is_full).map(|last| last.level) else { return false };
        let small = |chunk: &&Chunk| chunk.level <= level && !chunk.is_full;
        if self.chunks.iter().rev().take_while(small).count() < FAN {
            return false;
        }
        let parts = self.chunks.split_off(self.chunks.len().saturating_sub(FAN));
        let Some(first) = parts.first().map(|part| part.first) else { return false };
        change.drops.extend(parts.iter().map(|part| (slot.clone(), part.first)));
        let text: String = parts.iter().map(|part| part.text.as_str()).collect();
        self.chunks.push(Chunk::new(first, text));
        true
    }

    /// The log of the chunks in a store, in order of their numbers.
    pub(super) fn of(saved: Vec<(u64, String)>) -> Self {
        Self { chunks: saved.into_iter().map(|(first, text)| Chunk::new(first, text)).collect() }
    }

    /// The chunks as they are saved.
    pub(super) fn documents(&self) -> Vec<(u64, String)> {
        self.chunks.iter().map(|chunk| (chunk.first, chunk.text.clone())).collect()
    }

    /// The text of all lines.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.chunks.iter().map(|chunk| chunk.text.as_str())
    }
}

#[cfg(test)]
#[path = "log_test.rs"]
mod tests;
