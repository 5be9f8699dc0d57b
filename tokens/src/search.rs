//! Counts the tokens of one piece of text.

use crate::merge::{merge_long, merge_short};
use crate::trie::{Node, Trie};

/// The longest piece, in bytes, that is counted without allocating.
pub(crate) const SHORT: usize = 96;

/// How many tokens a search gives up before it leaves the piece to merging, besides one for every byte it has come along.
const PATIENCE: usize = 32;

/// The number of tokens of the piece that is the first `length` bytes of `rest`.
#[inline(always)]
pub(crate) fn count_piece(trie: &Trie, rest: &[u8], length: usize) -> usize {
    if trie.is_common(rest, length) { 1 } else { count_uncommon(trie, rest.get(..length).unwrap_or_default()) }
}

fn count_uncommon(trie: &Trie, piece: &[u8]) -> usize {
    let first = trie.longest(piece);
    if first == piece.len() { 1 } else { count_several(trie, piece, first) }
}

#[inline(never)]
fn count_several(trie: &Trie, piece: &[u8], first: usize) -> usize {
    if piece.len() <= SHORT {
        let mut trail = ShortTrail { lengths: [0; SHORT], count: 0, dead: 0 };
        search(trie, piece, first, &mut trail).unwrap_or_else(|| merge_short(trie, piece))
    } else {
        let mut trail = LongTrail { lengths: Vec::new(), dead: vec![0; piece.len() / 64 + 1] };
        search(trie, piece, first, &mut trail).unwrap_or_else(|| merge_long(trie, piece))
    }
}

/// Tokens from the start of the piece on, and the places from which no sequence of tokens reaches its end.
trait Trail {
    fn push(&mut self, length: usize);
    fn pop(&mut self) -> Option<usize>;
    fn last(&self) -> usize;
    fn count(&self) -> usize;
    fn bury(&mut self, place: usize);
    fn is_dead(&self, place: usize) -> bool;
}

/// Looks for the only sequence of tokens that are all good neighbours, the longest token first at every place. `None` if too
/// many tokens had to be given up, as in runs of one character that has tokens of many lengths.
fn search(trie: &Trie, piece: &[u8], first: usize, trail: &mut impl Trail) -> Option<usize> {
    let mut given_up = 0;
    let mut start = 0;
    let mut length = first;
    loop {
        let end = start + length;
        if length == 0 {
            trail.bury(start);
            let last = trail.pop()?;
            start -= last;
            length = shorter(trie, piece, start, last);
        } else if !trail.is_dead(end) && are_neighbours(trie, piece, start - trail.last(), start, end) {
            trail.push(length);
            if end == piece.len() {
                return Some(trail.count());
            }
            start = end;
            length = trie.longest(piece.get(start..).unwrap_or_default());
        } else {
            given_up += 1;
            if given_up > PATIENCE + start {
                return None;
            }
            length = shorter(trie, piece, start, length);
        }
    }
}

/// The length of the longest token at `start` that is shorter than `length`; 0 if there is none.
fn shorter(trie: &Trie, piece: &[u8], start: usize, length: usize) -> usize {
    trie.longest(piece.get(start..start + length - 1).unwrap_or_default())
}

/// Whether the tokens `start..middle` and `middle..end` are what the bytes `start..end` give.
#[inline(always)]
fn are_neighbours(trie: &Trie, piece: &[u8], start: usize, middle: usize, end: usize) -> bool {
    match (piece.get(start..middle), piece.get(middle..end)) {
        (Some(left), Some(right)) if trie.may_join(left, right) => stay_apart(trie, left, right).unwrap_or(true),
        _ => true,
    }
}

/// Undoes the merges beside the border between two tokens, from the latest to the earliest. `false` if at some point the two
/// parts at the border could have been merged before the merge just undone: then they would not have stayed apart. `None` if
/// one of them is not a token.
fn stay_apart(trie: &Trie, mut left: &[u8], mut right: &[u8]) -> Option<bool> {
    let mut node = trie.descend(Node::ROOT, left)?;
    let mut left_token = trie.token(node)?;
    let mut right_token = trie.token(trie.descend(Node::ROOT, right)?)?;
    let mut limit = u32::MAX;
    loop {
        let across = trie.descend(node, right).and_then(|joined| trie.token(joined));
        if across.is_some_and(|token| token.rank() < limit) {
            return Some(false);
        }
        // Of equal merges the left one comes first, so a merge across the border comes after it and before the right one.
        if left_token.rank() > right_token.rank() && left.len() > 1 {
            limit = left_token.rank();
            left = left.get(trie.left_length(left_token, left.len())..)?;
            node = trie.descend(Node::ROOT, left)?;
            left_token = trie.token(node)?;
        } else if right.len() > 1 {
            limit = right_token.rank() + 1;
            right = right.get(..trie.left_length(right_token, right.len()))?;
            right_token = trie.token(trie.descend(Node::ROOT, right)?)?;
        } else {
            return Some(true);
        }
    }
}

struct ShortTrail {
    lengths: [u8; SHORT],
    count: usize,
    dead: u128,
}

impl Trail for ShortTrail {
    fn push(&mut self, length: usize) {
        if let (Some(slot), Ok(length)) = (self.lengths.get_mut(self.count), u8::try_from(length)) {
            *slot = length;
            self.count += 1;
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let last = self.last();
        self.count = self.count.checked_sub(1)?;
        Some(last)
    }

    fn last(&self) -> usize {
        self.lengths.get(self.count.wrapping_sub(1)).copied().map_or(0, usize::from)
    }

    fn count(&self) -> usize {
        self.count
    }

    fn bury(&mut self, place: usize) {
        self.dead |= 1 << place;
    }

    fn is_dead(&self, place: usize) -> bool {
        self.dead >> place & 1 == 1
    }
}

struct LongTrail {
    lengths: Vec<u8>,
    dead: Vec<u64>,
}

impl Trail for LongTrail {
    fn push(&mut self, length: usize) {
        self.lengths.extend(u8::try_from(length));
    }

    fn pop(&mut self) -> Option<usize> {
        self.lengths.pop().map(usize::from)
    }

    fn last(&self) -> usize {
        self.lengths.last().copied().map_or(0, usize::from)
    }

    fn count(&self) -> usize {
        self.lengths.len()
    }

    fn bury(&mut self, place: usize) {
        if let Some(word) = self.dead.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    fn is_dead(&self, place: usize) -> bool {
        self.dead.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}
