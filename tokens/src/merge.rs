//! Merging by rank, as the encoding is defined: slower than searching where a piece is ordinary, but never lost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::search::SHORT;
use crate::trie::{Node, Token, Trie};

/// The number of tokens of a piece of at most [`SHORT`] bytes.
pub(crate) fn merge_short(trie: &Trie, piece: &[u8]) -> usize {
    let mut ends = [0; SHORT];
    ends.iter_mut().zip(1..).for_each(|(end, next)| *end = next);
    let mut chain = Chain { trie, piece, ends: &mut ends, count: piece.len() };
    let mut ranks = [u32::MAX; SHORT];
    ranks.iter_mut().zip(0..piece.len()).for_each(|(rank, start)| *rank = chain.rank_at(start));
    while let Some((lowest, start)) = ranks.iter().copied().zip(0..).min().filter(|&(rank, _)| rank < u32::MAX) {
        debug_assert!(lowest >= 256, "single bytes are not merged");
        let gone = chain.end(start);
        chain.merge(start);
        let before = (0..start).rev().find(|&before| chain.end(before) == start);
        for (place, rank) in [(Some(gone), None), (Some(start), Some(start)), (before, before)] {
            if let Some(slot) = place.and_then(|place| ranks.get_mut(place)) {
                *slot = rank.map_or(u32::MAX, |rank| chain.rank_at(rank));
            }
        }
    }
    chain.count
}

/// The number of tokens of a piece of any length, in time O(n log n).
pub(crate) fn merge_long(trie: &Trie, piece: &[u8]) -> usize {
    let mut ends: Vec<usize> = (1..=piece.len()).collect();
    let mut starts: Vec<usize> = (0..piece.len()).map(|start| start.wrapping_sub(1)).collect();
    let mut chain = Chain { trie, piece, ends: &mut ends, count: piece.len() };
    let mut ranks: Vec<u32> = (0..piece.len()).map(|start| chain.rank_at(start)).collect();
    let first = ranks.iter().zip(0..).filter_map(|(&rank, start)| queued(rank, start));
    let mut merges: BinaryHeap<Reverse<u64>> = first.collect();
    while let Some(Reverse(merge)) = merges.pop() {
        let (rank, start) = ((merge >> START_BITS) as u32, (merge & START) as usize);
        // A merge is out of date if one of its parts has been merged with another since.
        if ranks.get(start) != Some(&rank) {
            continue;
        }
        let gone = chain.end(start);
        chain.merge(start);
        if let Some(previous) = starts.get_mut(chain.end(start)) {
            *previous = start;
        }
        if let Some(slot) = ranks.get_mut(gone) {
            *slot = u32::MAX;
        }
        for place in [Some(start), starts.get(start).copied()].into_iter().flatten() {
            if let Some(slot) = ranks.get_mut(place) {
                *slot = chain.rank_at(place);
                merges.extend(queued(*slot, place));
            }
        }
    }
    chain.count
}

const START_BITS: u32 = 46;
const START: u64 = (1 << START_BITS) - 1;

/// A merge as one number, so that the lowest rank comes first and then the leftmost place.
fn queued(rank: u32, start: usize) -> Option<Reverse<u64>> {
    (rank < u32::MAX).then_some(Reverse(u64::from(rank) << START_BITS | start as u64))
}

/// A piece in parts, each of them a token. A part is known by its start.
struct Chain<'a> {
    trie: &'a Trie,
    piece: &'a [u8],
    /// The end of the part that starts at a place; zero where none starts.
    ends: &'a mut [usize],
    count: usize,
}

impl Chain<'_> {
    /// The end of the part at `start`, or zero.
    fn end(&self, start: usize) -> usize {
        self.ends.get(start).copied().unwrap_or(0)
    }

    /// The rank of the token that the part at `start` and the next one make together; `u32::MAX` if they make none.
    fn rank_at(&self, start: usize) -> u32 {
        let joined = self.piece.get(start..self.end(self.end(start)));
        let token = joined.and_then(|joined| self.trie.token(self.trie.descend(Node::ROOT, joined)?));
        token.map_or(u32::MAX, Token::rank)
    }

    fn merge(&mut self, start: usize) {
        let middle = self.end(start);
        let end = self.end(middle);
        for (place, value) in [(start, end), (middle, 0)] {
            if let Some(slot) = self.ends.get_mut(place) {
                *slot = value;
            }
        }
        self.count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::count_piece;
    use crate::trie::{CL100K, O200K};

    #[test]
    fn merging_counts_what_the_search_counts() {
        let mut state = 1_u32;
        for _ in 0..20_000 {
            let piece: Vec<u8> = (0..state >> 26)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    b"etaoinshrdluETAOIN'-- \xe4\xb8\xad"[(state >> 8) as usize % 25]
                })
                .collect();
            state = state.wrapping_add(0x9e37_79b9);
            for trie in [&O200K, &CL100K] {
                let short = merge_short(trie, &piece);
                assert_eq!(short, merge_long(trie, &piece), "{piece:?}");
                if !piece.is_empty() {
                    assert_eq!(short, count_piece(trie, &piece, piece.len()), "{piece:?}");
                }
            }
        }
    }
}
