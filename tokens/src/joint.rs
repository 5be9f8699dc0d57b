//! Where the last merge of a token joined its two parts, in three bits beside its rank. The build script writes them and the
//! counter reads them.

/// How far a rank is shifted to make room for the bits.
pub(crate) const BITS: u32 = 3;

/// The bits of a joint that they cannot say: it has a unit of its own.
pub(crate) const ELSEWHERE: u32 = 7;

/// Up to this many bytes of the left part can be said, and then up to `ELSEWHERE - LEFT_MAX` of the right part.
const LEFT_MAX: u32 = 4;

/// The length of the left part of a token of `length` bytes; 0 for a single byte. `None` if the bits cannot say it.
#[inline(always)]
pub(crate) fn left_length(bits: u32, length: usize) -> Option<usize> {
    match bits {
        ELSEWHERE => None,
        0..LEFT_MAX => Some(bits as usize + 1),
        _ => length.checked_sub((bits - LEFT_MAX) as usize + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_count_from_the_start_or_from_the_end() {
        let lengths = [0, 3, 4, 6, ELSEWHERE].map(|bits| left_length(bits, 9));
        assert_eq!(lengths, [Some(1), Some(4), Some(8), Some(6), None]);
        assert_eq!(left_length(4, 1), Some(0), "a single byte has no left part");
        assert_eq!(left_length(6, 2), None, "no joint lies before the token");
    }
}
