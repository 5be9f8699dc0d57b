//! The tokens of JSON (RFC 8259): white space, strings, numbers, and the three words.

use std::borrow::Cow;

use super::fault::{self, Fault};
use super::number;

/// Reads a text token by token. Every read checks fully what it passes over.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

/// A string as it stands in the text, without its quotes and found to be right.
#[derive(Clone, Copy)]
pub(super) struct RawString<'a> {
    pub(super) raw: &'a str,
    pub(super) escaped: bool,
}

/// One bit at the bottom of every byte.
const LOW: u64 = 0x0101_0101_0101_0101;
/// One bit at the top of every byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Marks the bytes of `word` that are zero with their top bit. Those above the first may be marked wrongly.
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// Marks the bytes that end the plain part of a string: `"`, `\` and control characters. The first mark is exact.
fn special_bytes(word: u64) -> u64 {
    // With its second bit turned over, `"` comes right after the control characters, and nothing else comes before it.
    let below = (word ^ (LOW * 0x02)).wrapping_sub(LOW * 0x21) & !word & HIGH;
    below | zero_bytes(word ^ (LOW * 0x5C))
}

/// Marks the bytes that are not ASCII that stands for itself in a written string. The first mark is exact.
pub(super) fn unplain_bytes(word: u64) -> u64 {
    special_bytes(word) | zero_bytes(word ^ (LOW * 0x7F)) | word & HIGH
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Reads from byte `at` on.
    pub(super) fn starting(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Bytes read so far.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next byte, not yet read.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads one byte that was peeked.
    #[inline]
    pub(super) fn step(&mut self) {
        self.at += 1;
    }

    /// Reads white space, and peeks at what follows it.
    #[inline]
    pub(super) fn peek_past_white(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        if byte > b' ' {
            return Some(byte);
        }
        self.skip_white();
        self.peek()
    }

    fn skip_white(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let white = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        self.at += white.unwrap_or(rest.len());
    }

    /// Reads the string whose opening quote is next.
    // Returned through memory, the result costs more than the reading.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Result<RawString<'a>, Fault> {
        let start = self.at + 1;
        let end = self.plain_end(start);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(RawString { raw: self.text.get(start..end).unwrap_or_default(), escaped: false });
        }
        self.escaped_string(start, end)
    }

    #[inline(never)]
    fn escaped_string(&mut self, start: usize, plain_end: usize) -> Result<RawString<'a>, Fault> {
        let mut end = plain_end;
        loop {
            match self.text.as_bytes().get(end) {
                Some(b'"') => break,
                Some(b'\\') => end = self.escape_end(end)?,
                Some(_) => return Err(fault::raw_control(self.text, end)),
                None => return Err(fault::unclosed_string(start - 1)),
            }
            end = self.plain_end(end);
        }
        self.at = end + 1;
        Ok(RawString { raw: self.text.get(start..end).unwrap_or_default(), escaped: true })
    }

    /// Where the plain characters from `start` on end.
    #[inline]
    fn plain_end(&self, start: usize) -> usize {
        let mut rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let mut end = start;
        while let Some((chunk, after)) = rest.split_first_chunk::<8>() {
            let marks = special_bytes(u64::from_le_bytes(*chunk));
            if marks != 0 {
                return end + (marks.trailing_zeros() / 8) as usize;
            }
            end += 8;
            rest = after;
        }
        end + rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')).unwrap_or(rest.len())
    }

    /// Where the escape at `start` ends (RFC 8259, section 7).
    fn escape_end(&self, start: usize) -> Result<usize, Fault> {
        match self.text.as_bytes().get(start + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(start + 2),
            Some(b'u') => self.unicode_escape_end(start),
            _ => Err(fault::bad_escape(self.text, start)),
        }
    }

    fn unicode_escape_end(&self, start: usize) -> Result<usize, Fault> {
        let unit = code_unit(self.text, start).ok_or_else(|| fault::bad_unicode_escape(self.text, start))?;
        match unit {
            0xD800..=0xDBFF => match code_unit(self.text, start + 6) {
                Some(0xDC00..=0xDFFF) => Ok(start + 12),
                _ => Err(fault::lone_surrogate(self.text, start)),
            },
            0xDC00..=0xDFFF => Err(fault::lone_surrogate(self.text, start)),
            _ => Ok(start + 6),
        }
    }

    /// Reads the number that starts with the next byte, as text.
    #[inline]
    pub(super) fn number(&mut self) -> Result<&'a str, Fault> {
        let start = self.at;
        self.at = number::end(self.text, start)?;
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// Reads `word`, if it is next and ends there.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let found = rest.starts_with(word.as_bytes())
            && !rest.get(word.len()).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_');
        if found {
            self.at += word.len();
        }
        found
    }
}

/// The code unit of the escape `\uXXXX` at `start`.
fn code_unit(text: &str, start: usize) -> Option<u32> {
    let digits = text.get(start..start + 6)?.strip_prefix("\\u")?;
    // `from_str_radix` takes a sign, JSON does not.
    if digits.starts_with('+') { None } else { u32::from_str_radix(digits, 16).ok() }
}

impl<'a> RawString<'a> {
    /// The text that the string stands for.
    #[inline]
    pub(super) fn text(self) -> Cow<'a, str> {
        if self.escaped { Cow::Owned(self.unescaped()) } else { Cow::Borrowed(self.raw) }
    }

    fn unescaped(self) -> String {
        let mut out = String::with_capacity(self.raw.len());
        let mut rest = self.raw;
        while let Some(at) = rest.bytes().position(|byte| byte == b'\\') {
            out.push_str(rest.get(..at).unwrap_or_default());
            let (character, length) = escape_at(rest, at);
            out.push(character);
            rest = rest.get(at + length..).unwrap_or_default();
        }
        out.push_str(rest);
        out
    }
}

/// The character and the length of the escape at `at`, which was found to be right.
fn escape_at(text: &str, at: usize) -> (char, usize) {
    match text.as_bytes().get(at + 1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{C}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => unicode_escape_at(text, at),
        Some(itself) => (char::from(*itself), 2),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

fn unicode_escape_at(text: &str, at: usize) -> (char, usize) {
    let unit = code_unit(text, at).unwrap_or_default();
    let (point, length) = match (unit, code_unit(text, at + 6)) {
        (0xD800..=0xDBFF, Some(low)) => (0x1_0000 + ((unit - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF), 12),
        _ => (unit, 6),
    };
    (char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER), length)
}
