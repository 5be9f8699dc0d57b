//! Finding two members of one name: linear for small objects, by sorting for big ones, so that no choice of names is slow.

/// Objects of up to this many members are compared pair by pair where a signature of the names repeats.
const SMALL: usize = 32;

/// The place of the first name that repeats an earlier one.
pub(super) fn repeated<T: AsRef<str>>(names: &[T]) -> Option<usize> {
    if names.len() <= SMALL { repeated_in_few(names) } else { repeated_in_many(names) }
}

fn repeated_in_few<T: AsRef<str>>(names: &[T]) -> Option<usize> {
    let mut seen = 0_u64;
    for (place, name) in names.iter().enumerate() {
        let name = name.as_ref();
        let bit = 1_u64 << signature(name.as_bytes());
        if seen & bit != 0 && names.iter().take(place).any(|earlier| earlier.as_ref() == name) {
            return Some(place);
        }
        seen |= bit;
    }
    None
}

/// A number below 64 that is the same for equal names and mostly another for others.
fn signature(name: &[u8]) -> u32 {
    let end = |byte: Option<&u8>| u32::from(byte.copied().unwrap_or_default());
    let middle = end(name.get(name.len() / 2));
    (end(name.first()) ^ (end(name.last()) << 2) ^ (middle << 1) ^ (name.len() as u32).wrapping_mul(11)) & 63
}

fn repeated_in_many<T: AsRef<str>>(names: &[T]) -> Option<usize> {
    if names.is_sorted_by(|one, two| one.as_ref() < two.as_ref()) {
        return None;
    }
    let mut sorted: Vec<(&str, usize)> = names.iter().enumerate().map(|(place, name)| (name.as_ref(), place)).collect();
    sorted.sort_unstable();
    let twins = sorted.windows(2).filter_map(|pair| match pair {
        [(one, _), (two, place)] if one == two => Some(*place),
        _ => None,
    });
    twins.min()
}
