//! JSON as a terminal may have it.

use std::borrow::Cow;
use std::fmt::Write as _;

use relay_baton::text::is_hidden;

/// `text` with its hidden characters as JSON escapes. Outside strings JSON has none but white space.
pub(crate) fn escape_json(text: &str) -> Cow<'_, str> {
    let stays = |character: char| matches!(character, '\n' | '\r' | '\t') || !is_hidden(character);
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if stays(character) {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::escape_json;

    #[test]
    fn hidden_characters_become_json_escapes() {
        assert_eq!(
            escape_json("{\"a\":\n\t\"\u{9b}2J\u{e0041}x\u{202e}\"}"),
            "{\"a\":\n\t\"\\u009b2J\\udb40\\udc41x\\u202e\"}"
        );
        assert_eq!(escape_json("{\"a\": \"é\"}"), "{\"a\": \"é\"}");
    }
}
