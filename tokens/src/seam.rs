//! Where the bits of the seam filter are. The build script sets them and the counter tests them.

/// The length of the filter in bytes.
pub(crate) const BYTES: usize = NARROW_BITS / 8 + (1 << (WIDE_LOG - 3));

const NARROW_BITS: usize = 1 << 16;
const WIDE_LOG: u32 = 18;

/// The bit for a merge that joins `last` to `first` where one of its parts is a single byte.
pub(crate) const fn narrow(last: u8, first: u8) -> usize {
    (last as usize) << 8 | first as usize
}

/// The bit for a merge that joins a part ending in `before`, `last` to a part starting with `first`, `after`. Different bytes
/// can share a bit: a bit that is set means only that such a merge may exist.
pub(crate) const fn wide(before: u8, last: u8, first: u8, after: u8) -> usize {
    let key = u32::from_le_bytes([before, last, first, after]);
    NARROW_BITS + (key.wrapping_mul(0x9e37_79b1) >> (32 - WIDE_LOG)) as usize
}
