//! Where the short common tokens are. The build script places them and the counter looks there before it walks the trie.

/// The number of buckets. A bucket holds some of the tokens that [`bucket`] leads there, and zeros.
pub(crate) const BUCKETS: usize = 1 << BUCKETS_LOG;
/// The number of tokens in a bucket.
pub(crate) const ROOM: usize = 4;

const BUCKETS_LOG: u32 = 11;

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

/// The bucket of a key.
#[inline(always)]
pub(crate) fn bucket(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BUCKETS_LOG)) as usize
}
