//! Where the short common tokens are. The build script places them and the counter looks there before it walks the trie.

/// The number of slots. A slot holds the one token that [`slot`] leads there, or zero.
pub(crate) const SLOTS: usize = 1 << SLOTS_LOG;

const SLOTS_LOG: u32 = 14;

/// The bytes of a piece as one number, made from its `length` and the eight bytes from its start on. `None` if it is longer than
/// eight bytes, empty, or ends in a zero byte: those do not have a number of their own.
#[inline(always)]
pub(crate) fn key(length: usize, eight: [u8; 8]) -> Option<u64> {
    if length == 0 || length > 8 {
        return None;
    }
    let key = u64::from_le_bytes(eight) & (u64::MAX >> (64 - 8 * length));
    (key >> (8 * (length - 1)) != 0).then_some(key)
}

/// The slot of a key.
#[inline(always)]
pub(crate) fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS_LOG)) as usize
}
