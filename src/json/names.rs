//! Finding two members of one name: linear for small objects, by sorting for big ones, so that no choice of names is slow.

use std::borrow::Cow;

/// Objects of up to this many members are compared pair by pair where a signature of the names repeats.
const SMALL: usize = 32;

/// The place of the first name that repeats an earlier one, of `count` names.
#[inline]
pub(super) fn repeated<'n>(count: usize, name: impl Fn(usize) -> Cow<'n, str>) -> Option<usize> {
    if count <= SMALL { repeated_in_few(count, name) } else { repeated_in_many(count, &name) }
}

#[inline]
fn repeated_in_few<'n>(count: usize, name: impl Fn(usize) -> Cow<'n, str>) -> Option<usize> {
    let mut seen = 0_u64;
    for place in 0..count {
        let this = name(place);
        let bit = 1_u64 << signature(this.as_bytes());
        if seen & bit != 0 && (0..place).any(|earlier| name(earlier) == this) {
            return Some(place);
        }
        seen |= bit;
    }
    None
}

/// A number below 64 that is the same for equal names and mostly another for others.
#[inline]
fn signature(name: &[u8]) -> u32 {
    let byte = |byte: Option<&u8>| u32::from(byte.copied().unwrap_or_default());
    let middle = byte(name.get(name.len() / 2));
    let length = (name.len() & 0xFF) as u32;
    (byte(name.first()) ^ (byte(name.last()) << 2) ^ (middle << 1) ^ (length * 11)) & 63
}

/// Sorts by a hash; where hashes are equal, by chance or by design, by the names themselves.
#[cold]
fn repeated_in_many<'n>(count: usize, name: &dyn Fn(usize) -> Cow<'n, str>) -> Option<usize> {
    if (1..count).all(|place| name(place - 1) < name(place)) {
        return None;
    }
    let mut keys: Vec<u64> = (0..count).map(|place| hash(name(place).as_bytes()) << 32 | place as u64).collect();
    keys.sort_unstable();
    let alike = keys.chunk_by(|one, two| one >> 32 == two >> 32).filter(|alike| alike.len() > 1);
    alike.filter_map(|alike| repeated_in_alike(alike, name)).min()
}

fn repeated_in_alike<'n>(keys: &[u64], name: &dyn Fn(usize) -> Cow<'n, str>) -> Option<usize> {
    let place = |key: &u64| (key & 0xFFFF_FFFF) as usize;
    let mut sorted: Vec<(Cow<'n, str>, usize)> = keys.iter().map(|key| (name(place(key)), place(key))).collect();
    sorted.sort_unstable();
    let twins = sorted.windows(2).filter_map(|pair| match pair {
        [(one, _), (two, place)] if one == two => Some(*place),
        _ => None,
    });
    twins.min()
}

/// A number below 2^32.
fn hash(name: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let (chunks, rest) = name.as_chunks::<8>();
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let hash = chunks.iter().fold(name.len() as u64, |hash, chunk| mix(hash, u64::from_le_bytes(*chunk)));
    mix(rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte))), 0) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_repeated(names: &[String]) -> Option<usize> {
        repeated(names.len(), |place| names.get(place).map_or(Cow::Borrowed(""), |name| Cow::Borrowed(name)))
    }

    #[test]
    fn the_first_repetition_is_found_at_every_size() {
        for size in [2, 31, 32, 33, 500] {
            let mut names: Vec<String> = (0..size).map(|n| format!("n{}", (n * 7919) % size)).collect();
            assert_eq!(first_repeated(&names), None, "{size}");
            names.extend(["n1".to_owned(), "n0".to_owned()]);
            assert_eq!(first_repeated(&names), Some(size), "{size}");
        }
    }

    #[test]
    fn names_of_one_hash_are_compared_themselves() {
        let keys: Vec<u64> = (0..100).collect();
        let name = |place: usize| Cow::Owned(format!("{}", place % 60));
        assert_eq!(repeated_in_alike(&keys, &name), Some(60));
        assert_eq!(repeated_in_alike(&keys[..60], &name), None);
    }
}
