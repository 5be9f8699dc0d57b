//! The tokens of an encoding, read from the tables of the build script.

use crate::{frequent, seam};

/// The tables of one encoding; the crate documentation describes them.
pub(crate) struct Trie {
    units: &'static [[u8; 4]],
    commons: &'static [u8; 8 * frequent::SLOTS],
    splits: &'static [u8],
    seams: &'static [u8; seam::BYTES],
}

/// The tables of `o200k_base`.
pub(crate) static O200K: Trie = Trie {
    units: include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.units.bin")).as_chunks().0,
    commons: include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.commons.bin")),
    splits: include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.splits.bin")),
    seams: include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.seams.bin")),
};

/// The tables of `cl100k_base`.
pub(crate) static CL100K: Trie = Trie {
    units: include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.units.bin")).as_chunks().0,
    commons: include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.commons.bin")),
    splits: include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.splits.bin")),
    seams: include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.seams.bin")),
};

const LABEL: u32 = 0x1ff;
const RANK_LABEL: u32 = 256;
const TOKEN: u32 = 1 << 9;
const LEAF: u32 = 1 << 10;
const VALUE_SHIFT: u32 = 11;

/// A prefix of at least one token.
#[derive(Clone, Copy)]
pub(crate) struct Node(u32);

impl Node {
    /// The empty prefix, whose children start at the first unit.
    pub(crate) const ROOT: Self = Self(0);
}

impl Trie {
    /// Whether the first `length` bytes of `rest` are a short and common token. `false` proves nothing.
    #[inline(always)]
    pub(crate) fn is_common(&self, rest: &[u8], length: usize) -> bool {
        let key = rest.first_chunk().and_then(|&eight| frequent::key(length, eight));
        let (slots, _) = self.commons.as_chunks();
        key.is_some_and(|key| slots.get(frequent::slot(key)).is_some_and(|&slot| u64::from_le_bytes(slot) == key))
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

    /// The rank of the token that `node` is.
    #[inline(always)]
    pub(crate) fn rank(&self, node: Node) -> Option<u32> {
        match node.0 & (TOKEN | LEAF) {
            0 | LEAF => None,
            TOKEN => self.labelled(node, RANK_LABEL).map(|unit| unit.0 >> VALUE_SHIFT),
            _ => Some(node.0 >> VALUE_SHIFT),
        }
    }

    /// The length of the left part of the last merge that makes the token of `rank`, and 0 for a single byte.
    #[inline(always)]
    pub(crate) fn split(&self, rank: u32) -> usize {
        self.splits.get(rank as usize).copied().map_or(0, usize::from)
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
