//! Packs a trie into a double array of 32-bit units; the crate documentation of the counter describes a unit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::trie::{Node, Trie};

/// The label of the unit that holds the rank of a token which has children.
const RANK_LABEL: u32 = 256;
const TOKEN: u32 = 1 << 9;
const LEAF: u32 = 1 << 10;
const VALUE_SHIFT: u32 = 11;
/// Labels have 9 bits, so a base and its units always lie in the same aligned block of this many units.
const BLOCK: usize = 512;
/// The label of a free unit matches no query.
const FREE: u32 = 0x1ff;
/// How many places a node tries before others of its size start further on.
const TRIES: usize = 64;

/// The double array of `trie`. Prefixes of common tokens are placed first, so that usual text touches few pages.
pub(crate) fn packed(trie: &Trie) -> Vec<u32> {
    let mut array = DoubleArray::default();
    let mut waiting = BinaryHeap::new();
    array.grow();
    array.bases[0] = true;
    array.place(trie, 0, trie.node(0), &mut waiting);
    while let Some((Reverse(_), Reverse(node), unit)) = waiting.pop() {
        let node = trie.node(node);
        let base = array.base_for(&labels(node));
        array.units[unit] |= value(base);
        array.place(trie, base, node, &mut waiting);
    }
    array.units
}

/// A node without a base yet: its lowest rank, itself and its unit; the lowest rank comes first.
type Waiting = BinaryHeap<(Reverse<u32>, Reverse<usize>, usize)>;

#[derive(Default)]
struct DoubleArray {
    units: Vec<u32>,
    /// Bases in use. No two nodes share one, so a unit whose label fits belongs to the node that was asked.
    bases: Vec<bool>,
    /// For every unit, itself if it is free, else a later one before which none is free.
    later: Vec<usize>,
    /// Where to start looking for room, by number of labels.
    hints: [usize; 16],
}

impl DoubleArray {
    fn grow(&mut self) {
        let size = self.units.len() + BLOCK;
        self.later.extend(self.units.len()..size);
        self.units.resize(size, FREE);
        self.bases.resize(size, false);
    }

    /// The first free unit from `at` on.
    fn free_from(&mut self, mut at: usize) -> usize {
        loop {
            while at >= self.units.len() {
                self.grow();
            }
            match self.later[at] {
                same if same == at => return at,
                later => {
                    // Halves the way for whoever asks next.
                    self.later[at] = self.later.get(later).copied().unwrap_or(later);
                    at = later;
                }
            }
        }
    }

    fn is_free(&self, unit: usize) -> bool {
        self.later[unit] == unit
    }

    /// Finds a free base whose units are free for all of `labels`.
    fn base_for(&mut self, labels: &[u32]) -> usize {
        let bucket = labels.len().min(self.hints.len() - 1);
        let first = self.free_from(self.hints[bucket]);
        let mut at = first;
        let mut tries = 0;
        loop {
            let base = at ^ labels[0] as usize;
            if !self.bases[base] && labels.iter().all(|&label| self.is_free(base ^ label as usize)) {
                self.bases[base] = true;
                return base;
            }
            tries += 1;
            at = self.free_from(at + 1);
            // Where many tries failed others of this size would fail too; smaller nodes still fill the gaps.
            self.hints[bucket] = if tries > TRIES { at } else { first };
        }
    }

    fn take(&mut self, unit: usize, content: u32) {
        self.units[unit] = content;
        self.later[unit] = unit + 1;
    }

    fn place(&mut self, trie: &Trie, base: usize, node: &Node, waiting: &mut Waiting) {
        if let (Some(rank), false) = (node.rank, node.children.is_empty()) {
            self.take(base ^ RANK_LABEL as usize, RANK_LABEL | value(rank as usize));
        }
        for &(byte, child) in &node.children {
            let unit = base ^ usize::from(byte);
            let node = trie.node(child);
            match node.rank {
                Some(rank) if node.children.is_empty() => {
                    self.take(unit, u32::from(byte) | TOKEN | LEAF | value(rank as usize));
                    continue;
                }
                Some(_) => self.take(unit, u32::from(byte) | TOKEN),
                None => self.take(unit, u32::from(byte)),
            }
            waiting.push((Reverse(node.lowest), Reverse(child), unit));
        }
    }
}

fn labels(node: &Node) -> Vec<u32> {
    let rank = node.rank.map(|_| RANK_LABEL);
    node.children.iter().map(|&(byte, _)| u32::from(byte)).chain(rank).collect()
}

fn value(number: usize) -> u32 {
    match u32::try_from(number) {
        Ok(number) if number < 1 << (32 - VALUE_SHIFT) => number << VALUE_SHIFT,
        _ => panic!("{number} does not fit into a unit"),
    }
}
