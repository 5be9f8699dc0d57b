//! Packs a trie into a double array of 32-bit units; the crate documentation of the counter describes a unit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::trie::{Node, Token, Trie};

#[path = "../src/joint.rs"]
mod joint;

/// The label of the unit that holds the rank of a token which is no leaf.
const RANK_LABEL: u32 = 256;
/// The label of the unit that holds the last joint of a token whose bits cannot say it.
const JOINT_LABEL: u32 = 257;
const TOKEN: u32 = 1 << 9;
const LEAF: u32 = 1 << 10;
const VALUE_SHIFT: u32 = 11;
/// Labels have 9 bits, so a base and its units always lie in the same aligned block of this many units.
const BLOCK: usize = 512;
/// The label of a free unit matches no query.
const FREE: u32 = 0x1ff;
/// How many places a node tries before others of its size start further on.
const TRIES: usize = 64;

/// The double array of `trie`, as bytes. Prefixes of usual tokens are placed first, so that usual text touches few pages.
pub(crate) fn packed(trie: &Trie) -> Vec<u8> {
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
    array.units.iter().flat_map(|unit| unit.to_le_bytes()).collect()
}

/// A node without a base yet: its turn, itself and its unit; the lowest turn comes first.
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
        if let Some(token) = &node.token {
            self.take(base ^ RANK_LABEL as usize, RANK_LABEL | rank_value(token));
            if joint_bits(token) == joint::ELSEWHERE {
                self.take(base ^ JOINT_LABEL as usize, JOINT_LABEL | value(token.left));
            }
        }
        for &(byte, child) in &node.children {
            let unit = base ^ usize::from(byte);
            let node = trie.node(child);
            match &node.token {
                Some(token) if node.children.is_empty() && joint_bits(token) != joint::ELSEWHERE => {
                    self.take(unit, u32::from(byte) | TOKEN | LEAF | rank_value(token));
                    continue;
                }
                Some(_) => self.take(unit, u32::from(byte) | TOKEN),
                None => self.take(unit, u32::from(byte)),
            }
            waiting.push((Reverse(node.turn), Reverse(child), unit));
        }
    }
}

fn labels(node: &Node) -> Vec<u32> {
    let rank = node.token.as_ref().map(|_| RANK_LABEL);
    let joint = node.token.as_ref().filter(|token| joint_bits(token) == joint::ELSEWHERE).map(|_| JOINT_LABEL);
    node.children.iter().map(|&(byte, _)| u32::from(byte)).chain(rank).chain(joint).collect()
}

fn joint_bits(token: &Token) -> u32 {
    let length = token.left + token.right;
    (0..joint::ELSEWHERE).find(|&bits| joint::left_length(bits, length) == Some(token.left)).unwrap_or(joint::ELSEWHERE)
}

fn rank_value(token: &Token) -> u32 {
    value((token.rank << joint::BITS | joint_bits(token)) as usize)
}

fn value(number: usize) -> u32 {
    match u32::try_from(number) {
        Ok(number) if number < 1 << (32 - VALUE_SHIFT) => number << VALUE_SHIFT,
        _ => panic!("{number} does not fit into a unit"),
    }
}
