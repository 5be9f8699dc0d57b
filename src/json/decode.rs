//! From bytes to text: size, emptiness and encoding (RFC 8259, section 8.1).

use super::Limits;
use super::limits::size_refusal;
use crate::refusal::{Code, Position, Refusal};

const UTF8_ONLY: &str = "save it as UTF-8 without a byte-order mark";

/// The text in `bytes`: UTF-8, no byte-order mark, not empty, within the size limit.
///
/// # Errors
/// `json.size`, `json.empty` or `json.encoding`, with a position.
pub fn decode<'a>(bytes: &'a [u8], limits: &Limits) -> Result<&'a str, Refusal> {
    if bytes.len() > limits.bytes() {
        return Err(size_refusal(bytes.len(), limits));
    }
    if let Some(encoding) = foreign_encoding(bytes) {
        return Err(encoding_refusal("", 0, format!("the text {encoding}; {UTF8_ONLY}")));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).and_then(|good| std::str::from_utf8(good).ok()).unwrap_or_default();
        let bad = bytes.get(error.valid_up_to()..).unwrap_or_default();
        encoding_refusal(good, good.len(), format!("the text is not UTF-8: {}; save it as UTF-8", fault(bad)))
    })?;
    match empty_refusal(text) {
        Some(refusal) => Err(refusal),
        None => Ok(text),
    }
}

/// The refusal of a text without a value in it.
pub(super) fn empty_refusal(text: &str) -> Option<Refusal> {
    let white = |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    if !text.bytes().all(white) {
        return None;
    }
    let what = if text.is_empty() { "the text is empty" } else { "the text holds only white space" };
    let refusal = Refusal::new(Code::JsonEmpty, "", format!("{what}; a JSON value is needed"));
    Some(refusal.in_text(Position::of(text, text.len())))
}

fn encoding_refusal(text: &str, offset: usize, detail: String) -> Refusal {
    Refusal::new(Code::JsonEncoding, "", detail).in_text(Position::of(text, offset))
}

/// Another encoding than plain UTF-8, told by its mark or, as a JSON text starts with ASCII, by where its zeros are.
fn foreign_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Some("starts with a UTF-8 byte-order mark"),
        [0xFF, 0xFE, 0, 0, ..] => Some("is UTF-32 (little-endian, with a byte-order mark)"),
        [0, 0, 0xFE, 0xFF, ..] => Some("is UTF-32 (big-endian, with a byte-order mark)"),
        [0xFF, 0xFE, ..] => Some("is UTF-16 (little-endian, with a byte-order mark)"),
        [0xFE, 0xFF, ..] => Some("is UTF-16 (big-endian, with a byte-order mark)"),
        [1..=255, 0, 0, 0, ..] => Some("is UTF-32 (little-endian)"),
        [0, 0, 0, 1..=255, ..] => Some("is UTF-32 (big-endian)"),
        [1..=255, 0, 1..=255, 0, ..] | [1..=255, 0] => Some("is UTF-16 (little-endian)"),
        [0, 1..=255, 0, 1..=255, ..] | [0, 1..=255] => Some("is UTF-16 (big-endian)"),
        _ => None,
    }
}

/// What is wrong with the first bytes of `bad`, where UTF-8 ends (RFC 3629, section 3).
fn fault(bad: &[u8]) -> String {
    let byte = bad.first().copied().unwrap_or_default();
    let what = match bad {
        [0x80..=0xBF, ..] => "continues a character that did not start",
        [0xC0 | 0xC1, ..] | [0xE0, 0x80..=0x9F, ..] | [0xF0, 0x80..=0x8F, ..] => "starts an overlong form",
        [0xED, 0xA0..=0xBF, ..] => "starts a surrogate (CESU-8), which UTF-8 does not have",
        [0xF4, 0x90..=0xBF, ..] | [0xF5..=0xFF, ..] => "is beyond U+10FFFF",
        _ => "starts a character that is cut off",
    };
    format!("byte 0x{byte:02x} {what}")
}

#[cfg(test)]
#[path = "decode_test.rs"]
mod tests;
