//! The class of every character, from the tables of the regex crate: the patterns that split a text are written for it.

use std::collections::HashMap;
use std::error::Error;

use regex_syntax::hir::{Class, HirKind};

/// Classes by precedence: the first pattern that has the character wins. A class is one bit; what none has gets `OTHER`.
const PATTERNS: [(&str, u8); 7] = [
    (r"[\r\n]", 1 << 5),
    (r"\s", 1 << 6),
    (r"[\p{Lu}\p{Lt}]", 1),
    (r"\p{Ll}", 1 << 1),
    (r"[\p{Lm}\p{Lo}]", 1 << 2),
    (r"\p{M}", 1 << 3),
    (r"\p{N}", 1 << 4),
];
const OTHER: u8 = 1 << 7;
const BLOCK: usize = 128;

/// The block of every 128 code points, up to the last block that is not all `OTHER`, and the blocks.
pub(crate) fn tables() -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let mut classes = vec![OTHER; 0x11_0000];
    for (pattern, class) in PATTERNS.iter().rev() {
        for (first, last) in ranges(pattern)? {
            classes[first..=last].fill(*class);
        }
    }
    let used = classes.iter().rposition(|&class| class != OTHER).map_or(0, |last| last + 1);
    let mut places = HashMap::new();
    let mut blocks = Vec::new();
    let mut distinct = Vec::new();
    for block in classes[..used.next_multiple_of(BLOCK)].chunks(BLOCK) {
        let place = *places.entry(block.to_vec()).or_insert_with(|| {
            distinct.extend_from_slice(block);
            distinct.len() / BLOCK - 1
        });
        blocks.push(u8::try_from(place)?);
    }
    Ok((blocks, distinct))
}

fn ranges(pattern: &str) -> Result<Vec<(usize, usize)>, Box<dyn Error>> {
    match regex_syntax::parse(pattern)?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => {
            Ok(class.iter().map(|range| (range.start() as usize, range.end() as usize)).collect())
        }
        _ => Err(format!("{pattern} is not a class of characters").into()),
    }
}
