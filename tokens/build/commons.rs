//! The short tokens that are used most, as numbers in a hash table where each has only one bucket.

#[path = "../src/frequent.rs"]
mod frequent;

use std::collections::HashMap;

use crate::vocabulary::Vocabulary;

/// Buckets of numbers of eight little-endian bytes. Where too many tokens want the same one, those have it that come first by
/// rank or by turn: so there are tokens of every language, but those of English text and code hardly ever miss.
pub(crate) fn table(vocabulary: &Vocabulary, familiar: &Vocabulary) -> Vec<u8> {
    let turns: HashMap<usize, usize> = vocabulary.turns(familiar).into_iter().zip(0..).collect();
    let mut ranks: Vec<usize> = (0..vocabulary.tokens().len()).collect();
    ranks.sort_by_key(|rank| (rank.min(&turns[rank]).to_owned(), *rank));
    let mut buckets = vec![Vec::new(); frequent::BUCKETS];
    for token in ranks.into_iter().map(|rank| &vocabulary.tokens()[rank]) {
        let mut eight = [0; 8];
        eight.iter_mut().zip(token).for_each(|(slot, byte)| *slot = *byte);
        if let Some(key) = frequent::key(token.len(), eight) {
            buckets[frequent::bucket(key)].push(key);
        }
    }
    let numbers =
        buckets.into_iter().flat_map(|bucket| bucket.into_iter().chain([0; frequent::ROOM]).take(frequent::ROOM));
    numbers.flat_map(u64::to_le_bytes).collect()
}
