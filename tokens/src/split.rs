//! The two split patterns, written out by hand. Each function gives the end of the piece that starts at `at`.

use crate::class::{LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER, class_at, run};

const ANY_LETTER: u8 = UPPER | LOWER | LETTER;

/// `o200k_base`, where a word can start with one character that is not a letter, a digit or a newline, changes from upper to
/// lower case at most once, and takes a contraction along:
///
/// ```text
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// \p{N}{1,3} |  ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
/// ```
#[inline(always)]
pub(crate) fn next_o200k(text: &str, at: usize) -> usize {
    let Some((class, length)) = class_at(text, at) else { return text.len() };
    let next = at + length;
    match class {
        UPPER | LOWER | LETTER => contracted(text, word(text, at).unwrap_or(next)),
        // A mark is first taken for the character before a word in lower case, and then for such a word itself.
        MARK => contracted(text, lower_word(text, next).unwrap_or(next)),
        NUMBER => digits(text, next),
        NEWLINE => blank_o200k(text, at, next),
        _ => match word(text, next) {
            Some(end) => contracted(text, end),
            None if class == OTHER => symbols(text, next, b"\r\n/"),
            None if symbol_follows(text, at) => symbols(text, next, b"\r\n/"),
            None => blank_o200k(text, at, next),
        },
    }
}

/// `cl100k_base`, where a contraction is a piece of its own:
///
/// ```text
/// '(?i:[sdmt]|ll|ve|re) | [^\r\n\p{L}\p{N}]?+\p{L}++ | \p{N}{1,3}+ |  ?[^\s\p{L}\p{N}]++[\r\n]*+
/// \s++$ | \s*[\r\n] | \s+(?!\S) | \s
/// ```
#[inline(always)]
pub(crate) fn next_cl100k(text: &str, at: usize) -> usize {
    let Some((class, length)) = class_at(text, at) else { return text.len() };
    let next = at + length;
    match class {
        UPPER | LOWER | LETTER => run(text, next, ANY_LETTER),
        NUMBER => digits(text, next),
        NEWLINE => blank_cl100k(text, at, next),
        _ => {
            let contraction = contracted(text, at);
            let letters = run(text, next, ANY_LETTER);
            if contraction > at {
                contraction
            } else if letters > next {
                letters
            } else if class != SPACE || symbol_follows(text, at) {
                symbols(text, next, b"\r\n")
            } else {
                blank_cl100k(text, at, next)
            }
        }
    }
}

/// Upper case and then lower case, each optional; letters without case and marks are both.
#[inline(always)]
fn word(text: &str, at: usize) -> Option<usize> {
    lower_word(text, at).or_else(|| Some(run(text, at, UPPER)).filter(|&end| end > at))
}

/// The same, but ending in lower case: the pattern prefers that, and gives up capitals at the end for it.
#[inline(always)]
fn lower_word(text: &str, at: usize) -> Option<usize> {
    let mut end = at;
    let mut last_lower = None;
    while let Some((class, length)) = class_at(text, end) {
        match class {
            UPPER => end += length,
            LOWER => return Some(run(text, end + length, LOWER | LETTER | MARK)),
            LETTER | MARK => {
                end += length;
                last_lower = Some(end);
            }
            _ => break,
        }
    }
    last_lower
}

/// The end of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` at `at`, in any case; `at` itself where there is none.
#[inline(always)]
fn contracted(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at..) {
        Some([b'\'', rest @ ..]) => at + contraction_length(rest),
        _ => at,
    }
}

fn contraction_length(rest: &[u8]) -> usize {
    match rest {
        [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
        [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] | [b'l' | b'L', b'l' | b'L', ..] => 3,
        // The long s folds to an s.
        [0xc5, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// Up to two more numbers after the first one.
#[inline(always)]
fn digits(text: &str, mut at: usize) -> usize {
    for _ in 0..2 {
        match class_at(text, at) {
            Some((NUMBER, length)) => at += length,
            _ => break,
        }
    }
    at
}

#[inline(always)]
fn symbols(text: &str, at: usize, tail: &[u8]) -> usize {
    let end = run(text, at, OTHER | MARK);
    let after = text.as_bytes().get(end..).unwrap_or_default();
    end + after.iter().take_while(|byte| tail.contains(byte)).count()
}

fn symbol_follows(text: &str, at: usize) -> bool {
    text.as_bytes().get(at) == Some(&b' ') && matches!(class_at(text, at + 1), Some((OTHER | MARK, _)))
}

/// White space up to the last newline in it; else all of it at the end of the text; else all but the last character.
fn blank_o200k(text: &str, at: usize, next: usize) -> usize {
    let blank = Blank::at(text, at);
    match blank.last_newline {
        Some(end) => end,
        None if blank.end == text.len() => blank.end,
        None => blank.last.max(next),
    }
}

/// The same, but at the end of the text all white space is one piece.
fn blank_cl100k(text: &str, at: usize, next: usize) -> usize {
    let blank = Blank::at(text, at);
    match blank.last_newline {
        _ if blank.end == text.len() => blank.end,
        Some(end) => end,
        None => blank.last.max(next),
    }
}

/// A run of white space.
struct Blank {
    end: usize,
    /// Where the last character starts.
    last: usize,
    /// Where the last newline ends.
    last_newline: Option<usize>,
}

impl Blank {
    fn at(text: &str, at: usize) -> Self {
        let mut blank = Self { end: at, last: at, last_newline: None };
        while let Some((class @ (SPACE | NEWLINE), length)) = class_at(text, blank.end) {
            blank.last = blank.end;
            blank.end += length;
            if class == NEWLINE {
                blank.last_newline = Some(blank.end);
            }
        }
        blank
    }
}
