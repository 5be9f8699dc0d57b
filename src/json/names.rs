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

#[cold]
fn repeated_in_many<'n>(count: usize, name: &dyn Fn(usize) -> Cow<'n, str>) -> Option<usize> {
    if (1..count).all(|place| name(place - 1) < name(place)) {
        return None;
    }
    let index = Index::of(count, name);
    let alike = index.keys.chunk_by(|one, two| hash_of(*one) == hash_of(*two)).filter(|alike| alike.len() > 1);
    let twins = alike.flat_map(|alike| alike.windows(2)).filter_map(|pair| match pair {
        [one, two] if name(place_of(*one)) == name(place_of(*two)) => Some(place_of(*two)),
        _ => None,
    });
    twins.min()
}

/// Names in the order of their hashes; where those are equal, by chance or by design, in the order of the names
/// themselves, then of their places.
pub(super) struct Index {
    /// The hash above, the place below.
    keys: Vec<u64>,
}

fn hash_of(key: u64) -> u64 {
    key >> 32
}

fn place_of(key: u64) -> usize {
    (key & 0xFFFF_FFFF) as usize
}

impl Index {
    /// Of `count` names.
    pub(super) fn of<'n>(count: usize, name: &dyn Fn(usize) -> Cow<'n, str>) -> Self {
        let mut keys: Vec<u64> = (0..count).map(|place| hash(name(place).as_bytes()) << 32 | place as u64).collect();
        keys.sort_unstable();
        for alike in keys.chunk_by_mut(|one, two| hash_of(*one) == hash_of(*two)).filter(|alike| alike.len() > 1) {
            alike.sort_by(|one, two| name(place_of(*one)).cmp(&name(place_of(*two))));
        }
        Self { keys }
    }

    /// The place of `wanted` among the names.
    pub(super) fn find<'n>(&self, wanted: &str, name: &dyn Fn(usize) -> Cow<'n, str>) -> Option<usize> {
        let hash = hash(wanted.as_bytes());
        let order = |key: &u64| hash_of(*key).cmp(&hash).then_with(|| name(place_of(*key)).as_ref().cmp(wanted));
        let found = self.keys.binary_search_by(order).ok()?;
        self.keys.get(found).map(|key| place_of(*key))
    }
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// A number below 2^32.
fn hash(name: &[u8]) -> u64 {
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
    fn every_name_is_found_in_an_index() {
        let name = |place: usize| Cow::Owned(format!("n{place}"));
        let index = Index::of(1000, &name);
        assert!((0..1000).all(|place| index.find(&format!("n{place}"), &name) == Some(place)));
        assert_eq!(index.find("n1000", &name), None);
    }

    /// The hash is no secret, so names of one hash can be made: undoing its last step gives them.
    #[test]
    fn names_of_one_hash_are_told_apart() {
        // A word that is mixed in by exclusive or cancels whatever was mixed in before it.
        let start = |length: u64, first: u64| (length ^ first).wrapping_mul(FACTOR).rotate_left(29);
        let twin = |first: u64| {
            let second = start(16, first) ^ 0x1234_5678;
            [first.to_le_bytes(), second.to_le_bytes()].concat()
        };
        let names: Vec<String> = (0..2_000_000_u64)
            .filter_map(|first| String::from_utf8(twin(first.wrapping_mul(0x0101_0101) & 0x7F7F_7F7F)).ok())
            .collect();
        let hashes: Vec<u64> = names.iter().map(|name| hash(name.as_bytes())).collect();
        assert!(names.len() > 100 && hashes.windows(2).all(|pair| pair.first() == pair.last()));
        let name = |place: usize| Cow::Borrowed(names.get(place).map_or("", |name| name.as_str()));
        let index = Index::of(names.len(), &name);
        assert!(
            (0..names.len()).all(|place| index.find(&names[place], &name).is_some_and(|at| names[at] == names[place]))
        );
    }
}
