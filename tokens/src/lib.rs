//! Counts the tokens of a text in OpenAI's encodings `o200k_base` and `cl100k_base`: exactly, without loading anything, and
//! without allocating for ordinary text.
//!
//! ```
//! use relay_baton_tokens::{Encoding, count};
//!
//! assert_eq!(count(Encoding::O200kBase, "Hand the baton over."), 5);
//! ```
//!
//! # How a text is counted
//!
//! 1. `split` cuts the text into pieces, as the pattern of the encoding would.
//! 2. `trie` looks each piece up: most pieces are one token, and most of those are short and common.
//! 3. `search` looks for the tokens of the others, and `merge` counts them where the search would take long.
//!
//! # The tables
//!
//! The build script takes the ranks from the crate `tiktoken-rs` and lays them out as bytes that are read where they lie, in
//! read-only data: nothing is parsed or built at run time, and only the touched pages come into memory. For each encoding:
//!
//! - *Seams*: a bit table that says of most places in a piece that no merge can join the bytes around them.
//! - *Commons*: short tokens that are used most, as 64-bit numbers in a hash table with buckets of four, each compared as a whole,
//!   so that most pieces need one look instead of a walk down the trie. A token that is missing there is found in the trie.
//! - *Units*: a trie of all tokens as a double array of 32-bit little-endian units. The child of a node for a byte is the unit
//!   at `base ^ byte`, and belongs to that node only if its label is the byte. No two nodes share a base, so this is a proof
//!   and not a fingerprint. From the lowest bit: the label (9 bits), a bit for a node that is a token, a bit for a leaf, and
//!   the value (21 bits): the base of the node's children, or the rank of a leaf. A node that is a token and no leaf keeps
//!   its rank in one more unit, under the label 256. The three lowest bits of such a value say where the last merge of the token
//!   joined its parts; if they cannot, one more unit does, under the label 257.
//!
//! A process that counts once pays more for page faults than for counting. So the tables lie in this order, and the trie starts
//! with what English text and code use most: ordinary text of 4 KB touches about half of the memory that it would otherwise.
//!
//! # Why the count is exact
//!
//! Byte-pair encoding merges the adjacent parts of the lowest rank, leftmost first, until none is left. What it gives for a
//! piece is the only sequence of tokens in which every two neighbours are what it would give for the two of them alone: a merge
//! across a border needs only the bytes of the two tokens beside it. So the counter looks for that sequence from left to
//! right, trying the longest token first and going back where no token fits. A place from which it went back is never tried
//! again, so the work grows linearly with the length of the piece; where much was given up, as in long runs of one character,
//! the counter merges instead, in O(n log n). Whether two tokens are neighbours is decided by undoing
//! their merges, the latest first, and looking at each step for an earlier merge across the border.
//!
//! The build script checks what this rests on: ranks are contiguous, single bytes have the lowest ones, and every token is
//! what merging its own bytes gives.

mod class;
mod frequent;
mod encoding;
mod joint;
mod merge;
mod seam;
mod search;
mod split;
mod trie;

pub use crate::encoding::{Encoding, count};
