//! What kind a character is, as the patterns of the encodings see it.

/// `\p{Lu}` and `\p{Lt}`.
pub(crate) const UPPER: u8 = 1;
/// `\p{Ll}`.
pub(crate) const LOWER: u8 = 1 << 1;
/// `\p{Lm}` and `\p{Lo}`: letters without case.
pub(crate) const LETTER: u8 = 1 << 2;
/// `\p{M}`.
pub(crate) const MARK: u8 = 1 << 3;
/// `\p{N}`.
pub(crate) const NUMBER: u8 = 1 << 4;
/// Carriage return and line feed.
pub(crate) const NEWLINE: u8 = 1 << 5;
/// `\s`, but for `NEWLINE`.
pub(crate) const SPACE: u8 = 1 << 6;
/// Everything else.
pub(crate) const OTHER: u8 = 1 << 7;

/// The block of every 128 code points; what lies beyond the last block is `OTHER`.
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/blocks.bin"));
/// Blocks of 128 classes; the first one is ASCII.
static CLASSES: &[[u8; 128]] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin")).as_chunks().0;

/// The class of the character at byte `at` and its length in bytes; `None` at the end of the text.
#[inline(always)]
pub(crate) fn class_at(text: &str, at: usize) -> Option<(u8, usize)> {
    let &byte = text.as_bytes().get(at)?;
    if byte < 0x80 {
        return Some((class_in(0, u32::from(byte)), 1));
    }
    let character = text.get(at..)?.chars().next()?;
    Some((class_of(character), character.len_utf8()))
}

/// The end of the run of characters of these classes that starts at `at`.
#[inline(always)]
pub(crate) fn run(text: &str, mut at: usize, classes: u8) -> usize {
    if classes & LOWER != 0 {
        at += small_letters(text, at);
    }
    while let Some((class, length)) = class_at(text, at) {
        if class & classes == 0 {
            break;
        }
        at += length;
    }
    at
}

/// How many of the next bytes are `a` to `z`, looking at most eight bytes ahead: words are short, and a loop that ends at an
/// unpredictable place costs more than all of this.
#[inline(always)]
fn small_letters(text: &str, at: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = 0x80 * EACH;
    let Some(&chunk) = text.as_bytes().get(at..).and_then(<[u8]>::first_chunk) else { return 0 };
    let bytes = u64::from_le_bytes(chunk);
    // Without its top bit no byte can carry into the next one.
    let low = bytes & !TOP;
    let letters = (low + (0x80 - u64::from(b'a')) * EACH) & !(low + (0x7f - u64::from(b'z')) * EACH) & !bytes & TOP;
    ((letters ^ TOP).trailing_zeros() / 8) as usize
}

fn class_of(character: char) -> u8 {
    let code = u32::from(character);
    BLOCKS.get((code >> 7) as usize).map_or(OTHER, |&block| class_in(block, code))
}

#[inline(always)]
fn class_in(block: u8, code: u32) -> u8 {
    CLASSES.get(usize::from(block)).and_then(|block| block.get((code & 0x7f) as usize)).copied().unwrap_or(OTHER)
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn classes_are_those_of_the_regex_crate() {
        let every: String = ('\0'..=char::MAX).collect();
        let patterns = [
            (UPPER, r"[\p{Lu}\p{Lt}]"),
            (LOWER, r"\p{Ll}"),
            (LETTER, r"[\p{L}--[\p{Lu}\p{Lt}\p{Ll}]]"),
            (MARK, r"\p{M}"),
            (NUMBER, r"\p{N}"),
            (NEWLINE, r"[\r\n]"),
            (SPACE, r"[\s--[\r\n]]"),
            (OTHER, r"[^\s\p{L}\p{M}\p{N}]"),
        ];
        let mut characters = 0;
        for (class, pattern) in patterns {
            let pattern = Regex::new(&format!("{pattern}+")).unwrap();
            for found in pattern.find_iter(&every) {
                assert!(found.as_str().chars().all(|character| class_of(character) == class), "{found:?}");
                characters += found.as_str().chars().count();
            }
        }
        assert_eq!(characters, every.chars().count());
    }

    #[test]
    fn a_class_comes_with_the_length_of_its_character() {
        let text = "aÉ中😀";
        assert_eq!(
            [0, 1, 3, 6, 10].map(|at| class_at(text, at)),
            [Some((LOWER, 1)), Some((UPPER, 2)), Some((LETTER, 3)), Some((OTHER, 4)), None]
        );
    }
}
