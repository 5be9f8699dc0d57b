//! The tokens of one encoding by rank, and where the last merge of each one joined its two parts.

use std::collections::HashMap;

use tiktoken_rs::CoreBPE;

/// Tokens by rank: a token's rank is its place in the list, and a lower rank merges earlier.
pub(crate) struct Vocabulary {
    tokens: Vec<Vec<u8>>,
    splits: Vec<u8>,
}

impl Vocabulary {
    /// Decodes every rank, and checks all that the counter relies on.
    pub(crate) fn of(ranks: &CoreBPE) -> Self {
        let tokens: Vec<Vec<u8>> = (0..).map_while(|rank| ranks.decode_bytes(&[rank]).ok()).collect();
        assert!(tokens.len() > 100_000, "the ranks must be contiguous from zero");
        let by_bytes: HashMap<&[u8], u32> =
            tokens.iter().zip(0..).map(|(token, rank)| (token.as_slice(), rank)).collect();
        assert_eq!(by_bytes.len(), tokens.len(), "two ranks have the same bytes");
        for (rank, token) in tokens.iter().enumerate() {
            assert_eq!(rank < 256, token.len() == 1, "the 256 single bytes must have the lowest ranks");
        }
        let splits = tokens.iter().zip(0..).map(|(token, rank)| split(&by_bytes, token, rank)).collect();
        Self { tokens, splits }
    }

    /// The bytes of every token, in order of rank.
    pub(crate) fn tokens(&self) -> &[Vec<u8>] {
        &self.tokens
    }

    /// The ranks of all tokens, from those that English text and code use most to those that they hardly use: ASCII comes
    /// first, and of that what a `familiar` vocabulary made of such text has as well, in the order of that vocabulary.
    pub(crate) fn turns(&self, familiar: &Self) -> Vec<usize> {
        let places: HashMap<&[u8], usize> = familiar.tokens.iter().map(Vec::as_slice).zip(0..).collect();
        let mut ranks: Vec<usize> = (0..self.tokens.len()).collect();
        ranks.sort_by_key(|&rank| {
            let token = self.tokens[rank].as_slice();
            (!token.is_ascii(), places.get(token).copied().unwrap_or(usize::MAX))
        });
        ranks
    }

    /// For every token, in order of rank, the length in bytes of the left part of its last merge; 0 for a single byte.
    pub(crate) fn splits(&self) -> &[u8] {
        &self.splits
    }
}

/// Merges the bytes of `token` by rank, as an encoder would, down to the last two parts.
fn split(by_bytes: &HashMap<&[u8], u32>, token: &[u8], rank: u32) -> u8 {
    if token.len() == 1 {
        return 0;
    }
    let mut ends: Vec<usize> = (0..=token.len()).collect();
    while ends.len() > 3 {
        let merge = ends
            .windows(3)
            .enumerate()
            .filter_map(|(place, part)| Some((*by_bytes.get(&token[part[0]..part[2]])?, place)))
            .min();
        match merge {
            Some((merged, place)) if merged < rank => ends.remove(place + 1),
            _ => panic!("rank {rank} cannot be reached by merging"),
        };
    }
    u8::try_from(ends[1]).unwrap_or_else(|_| panic!("rank {rank} is too long"))
}
