//! Why: from an entry back to the facts that it rests on, over what each entry was derived from.
//!
//! [`walk`] reads the entries one by one, those that are fewest links away first, and each once; a [`Graph`] is what it
//! found. The renderings are pure functions of a graph: [`Graph::to_text`], [`Graph::to_mermaid`], [`Graph::to_dot`],
//! [`Graph::to_prov`]. Whatever entries say is data there and cannot pose as markup.

mod dot;
mod label;
mod mermaid;
mod prov;
mod says;
mod text;

use std::collections::{BTreeMap, VecDeque};

use crate::baton::{Id, Timestamp};
use crate::board::Board;
use crate::entry::{Entry, Kept, Reference};
use crate::refusal::{Code, Refusal, Refused};
use crate::store::{Store, Which};

pub use label::short_key;
pub(crate) use mermaid::mermaid_label;
pub use says::{SAYS_MAX, says};

/// Entries that are walked over where nothing else is said.
pub const ENTRIES_MAX: usize = 10_000;

/// An entry, as far as it matters to what others were made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its place on the board.
    pub seq: u64,
    /// The name by which agents know it.
    pub reference: Reference,
    /// What it is.
    pub kind: Id,
    /// What it is about.
    pub key: Id,
    /// Who wrote it.
    pub author: Id,
    /// At which step.
    pub step: Option<Id>,
    /// When.
    pub at: Timestamp,
    /// What it says, on one line of at most [`SAYS_MAX`] characters, all of which can be seen.
    pub says: String,
    /// Its digest.
    pub digest: String,
    /// What it was made of, in increasing order; each is less than `seq`.
    pub derived_from: Vec<u64>,
    /// Links between it and the nearest entry that was asked about.
    pub distance: usize,
}

/// What some entries rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The entries that were asked about, newest first.
    starts: Vec<u64>,
    /// In the order in which they were found: the nearest first, of equally near ones the newer first.
    nodes: Vec<Node>,
    /// Where each stands in `nodes`.
    places: BTreeMap<u64, usize>,
    /// How many entries were not gone to: named by some that were, and no more.
    beyond: usize,
}

impl Graph {
    /// The entries that were asked about, newest first.
    #[must_use]
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// Every entry, the nearest first.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The entry `seq`; `None` where the walk has not come to it.
    #[must_use]
    pub fn node(&self, seq: u64) -> Option<&Node> {
        self.nodes.get(*self.places.get(&seq)?)
    }

    /// From each entry to each that it was made of, as far as the walk came to both.
    pub fn edges(&self) -> impl Iterator<Item = (&Node, &Node)> {
        self.nodes.iter().flat_map(|node| self.sources(node).map(move |source| (node, source)))
    }

    /// What `node` was made of, newest first, as far as the walk came there.
    pub fn sources<'g>(&'g self, node: &'g Node) -> impl Iterator<Item = &'g Node> {
        node.derived_from.iter().rev().filter_map(|seq| self.node(*seq))
    }

    /// The facts that everything else rests on: entries that were made of nothing.
    pub fn roots(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.derived_from.is_empty())
    }

    /// How many entries the walk knows of and did not go to, because it had come to as many as it might.
    #[must_use]
    pub fn beyond(&self) -> usize {
        self.beyond
    }
}

/// What the entries `starts` of `board` rest on: at most `entries_max` entries, the nearest ones.
///
/// Costs one read by sequence number for each entry.
///
/// # Errors
/// `board.unknown_entry` where a start is none; `board.broken` where an entry names a source that is not older, or that
/// is not there; `store.*`.
pub fn walk<S: Store>(board: &mut Board<S>, starts: &[u64], entries_max: usize) -> Result<Graph, Refused> {
    let mut walk = Walk::default();
    let mut ordered = starts.to_vec();
    ordered.sort_unstable_by(|one, two| two.cmp(one));
    ordered.dedup();
    ordered.iter().for_each(|seq| walk.meet(*seq, 0));
    while walk.nodes.len() < entries_max {
        let Some((seq, distance)) = walk.waiting.pop_front() else { break };
        let kept = board.entry(Which::Seq(seq))?.ok_or_else(|| missing(seq, distance))?;
        walk.take(kept, distance)?;
    }
    let beyond = walk.waiting.len();
    let places = walk.nodes.iter().enumerate().map(|(place, node)| (node.seq, place)).collect();
    Ok(Graph { starts: ordered, nodes: walk.nodes, places, beyond })
}

/// A walk on its way.
#[derive(Default)]
struct Walk {
    nodes: Vec<Node>,
    /// Where to go next, and how far that is.
    waiting: VecDeque<(u64, usize)>,
    met: std::collections::BTreeSet<u64>,
}

impl Walk {
    fn meet(&mut self, seq: u64, distance: usize) {
        if self.met.insert(seq) {
            self.waiting.push_back((seq, distance));
        }
    }

    fn take(&mut self, kept: Kept, distance: usize) -> Result<(), Refused> {
        let node = node(kept, distance);
        if let Some(source) = node.derived_from.last().filter(|source| **source >= node.seq) {
            let detail = format!("entry {} says that it was made of entry {source}, which is not older", node.seq);
            return Err(Refusal::new(Code::BoardBroken, "", detail).into());
        }
        for source in node.derived_from.iter().rev() {
            self.meet(*source, distance + 1);
        }
        self.nodes.push(node);
        Ok(())
    }
}

fn node(kept: Kept, distance: usize) -> Node {
    let says = says(&kept.entry);
    let Kept { record, entry: Entry { seq, draft, .. } } = kept;
    Node {
        seq,
        reference: draft.reference,
        kind: draft.kind,
        key: draft.key,
        author: draft.author,
        step: draft.step,
        at: draft.at,
        says,
        digest: record.digest,
        derived_from: draft.derived_from,
        distance,
    }
}

fn missing(seq: u64, distance: usize) -> Refused {
    if distance == 0 {
        let detail = format!("there is no entry {seq} on the board: `log` lists them");
        return Refusal::new(Code::BoardUnknownEntry, "", detail).into();
    }
    let detail = format!("the board has lost entry {seq}, which a newer one was made of");
    Refusal::new(Code::BoardBroken, "", detail).into()
}

#[cfg(test)]
#[path = "provenance_test.rs"]
mod tests;

#[cfg(test)]
#[path = "rendering_test.rs"]
mod rendering_tests;
