//! The seam filter: which bytes can meet where the last merge of a token joined its parts.

#[path = "../src/seam.rs"]
mod seam;

use crate::vocabulary::Vocabulary;

/// A bit table with the bits of every token set; see `src/seam.rs`.
pub(crate) fn table(vocabulary: &Vocabulary) -> Vec<u8> {
    let mut bits = vec![0_u8; seam::BYTES];
    for (token, &split) in vocabulary.tokens().iter().zip(vocabulary.splits()) {
        let (left, right) = token.split_at(usize::from(split));
        let bit = match (left, right) {
            ([], _) => continue,
            ([.., before, last], [first, after, ..]) => seam::wide(*before, *last, *first, *after),
            ([.., last], [first, ..]) => seam::narrow(*last, *first),
            _ => panic!("a token has an empty part"),
        };
        bits[bit / 8] |= 1 << (bit % 8);
    }
    bits
}
