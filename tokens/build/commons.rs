//! The short tokens of low rank, as numbers in a hash table where each has only one place.

#[path = "../src/frequent.rs"]
mod frequent;

use crate::vocabulary::Vocabulary;

/// Slots of eight little-endian bytes; where two tokens want the same one, the lower rank has it.
pub(crate) fn table(vocabulary: &Vocabulary) -> Vec<u8> {
    let mut slots = vec![0_u64; frequent::SLOTS];
    for token in vocabulary.tokens() {
        let mut eight = [0; 8];
        eight.iter_mut().zip(token).for_each(|(slot, byte)| *slot = *byte);
        if let Some(key) = frequent::key(token.len(), eight) {
            let slot = &mut slots[frequent::slot(key)];
            *slot = if *slot == 0 { key } else { *slot };
        }
    }
    slots.iter().flat_map(|slot| slot.to_le_bytes()).collect()
}
