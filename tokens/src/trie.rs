//! The tokens of an encoding, read from the tables of the build script.

use crate::{frequent, joint, seam};

/// The tables of one encoding; the crate documentation describes them.
pub(crate) struct Trie {
    seams: &'static [u8; seam::BYTES],
    commons: &'static [[[u8; 8]; frequent::ROOM]; frequent::BUCKETS],
    units: &'static [[u8; 4]],
}

/// The tables of `o200k_base`.
pub(crate) static O200K: Trie = Trie::in_bytes(include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.bin")));

/// The tables of `cl100k_base`.
pub(crate) static CL100K: Trie = Trie::in_bytes(include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.bin")));

const LABEL: u32 = 0x1ff;
const RANK_LABEL: u32 = 256;
const JOINT_LABEL: u32 = 257;
const TOKEN: u32 = 1 << 9;
const LEAF: u32 = 1 << 10;
const VALUE_SHIFT: u32 = 11;

/// A prefix of at least one token.
#[derive(Clone, Copy)]
pub(crate) struct Node(u32);

/// A prefix that is a token itself.
#[derive(Clone, Copy)]
pub(crate) struct Token {
    node: Node,
    /// The rank, and below it the bits of the last joint.
    value: u32,
}

impl Token {
    /// The rank: a lower one merges earlier.
    #[inline(always)]
    pub(crate) fn rank(self) -> u32 {
        self.value >> joint::BITS
    }
}

impl Node {
    /// The empty prefix, whose children start at the first unit.
    pub(crate) const ROOT: Self = Self(0);
}

impl Trie {
    /// The three tables one after the other. They lie together, so that what usual text touches does too.
    #[expect(clippy::panic, reason = "statics are made by the compiler, which stops here")]
    const fn in_bytes(bytes: &'static [u8]) -> Self {
        match bytes.split_first_chunk() {
            Some((seams, rest)) => match rest.as_chunks().0.as_chunks().0.split_first_chunk() {
                Some((commons, rest)) => {
                    Self { seams, commons, units: rest.as_flattened().as_flattened().as_chunks().0 }
                }
                None => panic!("the commons are cut off"),
            },
            None => panic!("the seams are cut off"),
        }
    }

    /// Whether the first `length` bytes of `rest` are a short and common token. `false` proves nothing.
    #[inline(always)]
    pub(crate) fn is_common(&self, rest: &[u8], length: usize) -> bool {
        let key = rest.first_chunk().and_then(|&eight| frequent::key(length, eight));
        key.is_some_and(|key| {
            let bucket = self.commons.get(frequent::bucket(key));
            // Without a branch for each of them: which one it is cannot be predicted.
            bucket.is_some_and(|bucket| {
                bucket.iter().fold(false, |found, &slot| found | (u64::from_le_bytes(slot) == key))
            })
        })
    }

    /// The length of the longest token that `bytes` starts with: at least 1, since every byte is a token, unless there is none.
    #[inline(always)]
    pub(crate) fn longest(&self, bytes: &[u8]) -> usize {
        let mut node = Node::ROOT;
        let mut longest = 0;
        for (length, &byte) in (1..).zip(bytes) {
            match self.child(node, byte) {
                Some(child) => node = child,
                None => break,
            }
            if node.0 & TOKEN != 0 {
                longest = length;
            }
        }
        longest
    }

    /// The prefix that is `bytes` longer than `node`.
    #[inline(always)]
    pub(crate) fn descend(&self, node: Node, bytes: &[u8]) -> Option<Node> {
        bytes.iter().try_fold(node, |node, &byte| self.child(node, byte))
    }

    /// The token that `node` is.
    #[inline(always)]
    pub(crate) fn token(&self, node: Node) -> Option<Token> {
        match node.0 & (TOKEN | LEAF) {
            0 | LEAF => None,
            TOKEN => self.labelled(node, RANK_LABEL).map(|unit| Token { node, value: unit.0 >> VALUE_SHIFT }),
            _ => Some(Token { node, value: node.0 >> VALUE_SHIFT }),
        }
    }

    /// The length of the left part of the last merge that makes a token of `length` bytes, and 0 for a single byte.
    #[inline(always)]
    pub(crate) fn left_length(&self, token: Token, length: usize) -> usize {
        let said = joint::left_length(token.value & joint::ELSEWHERE, length);
        let elsewhere = || self.labelled(token.node, JOINT_LABEL).map_or(0, |unit| (unit.0 >> VALUE_SHIFT) as usize);
        said.unwrap_or_else(elsewhere)
    }

    /// Whether there may be a token whose last merge joins a part ending in `left` to a part starting with `right`.
    #[inline(always)]
    pub(crate) fn may_join(&self, left: &[u8], right: &[u8]) -> bool {
        match (left, right) {
            ([.., before, last], [first, after, ..]) => {
                self.seam(seam::wide(*before, *last, *first, *after)) || self.seam(seam::narrow(*last, *first))
            }
            ([.., last], [first, ..]) => self.seam(seam::narrow(*last, *first)),
            _ => false,
        }
    }

    #[inline(always)]
    fn seam(&self, bit: usize) -> bool {
        self.seams.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    #[inline(always)]
    fn child(&self, node: Node, byte: u8) -> Option<Node> {
        if node.0 & LEAF == 0 { self.labelled(node, u32::from(byte)) } else { None }
    }

    #[inline(always)]
    fn labelled(&self, node: Node, label: u32) -> Option<Node> {
        let unit = u32::from_le_bytes(*self.units.get((node.0 >> VALUE_SHIFT ^ label) as usize)?);
        (unit & LABEL == label).then_some(Node(unit))
    }
}
