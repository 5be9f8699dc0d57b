//! Text made fit to be shown: hidden characters as escapes, long text clipped.

use std::borrow::Cow;
use std::fmt::Write;

/// Ranges of the characters that are hidden, from U+00AD on, in order: the general categories Cc, Cf, Zl, Zp and Zs,
/// Default_Ignorable_Code_Point, the blank Braille pattern and the noncharacters (Unicode 16).
const HIDDEN: &[(u32, u32)] = &[
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
];

/// Whether a character cannot be seen as itself: a control character (line feed and tab too), a format character, a
/// separator other than the space, one that may be ignored in display, a blank or a noncharacter.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    match u32::from(character) {
        0..=0x1F | 0x7F..=0xA0 => true,
        0x20..=0x7E | 0xA1..=0xAC | 0xAE..=0x34E => false,
        // The last two of every plane are noncharacters; plane 14 begins with tags and variation selectors.
        point if point >= 0x1_FFFE => point & 0xFFFE == 0xFFFE || (0xE_0000..=0xE_0FFF).contains(&point),
        point => {
            let after = HIDDEN.partition_point(|(first, _)| *first <= point);
            HIDDEN.get(after.wrapping_sub(1)).is_some_and(|(_, last)| point <= *last)
        }
    }
}

/// Whether a character is a tag (U+E0000 to U+E007F), which can carry a whole hidden text.
#[must_use]
pub fn is_tag(character: char) -> bool {
    ('\u{E0000}'..='\u{E007F}').contains(&character)
}

/// Whether a character is a noncharacter: no string of I-JSON has one (RFC 7493, section 2.1).
#[must_use]
pub fn is_noncharacter(character: char) -> bool {
    matches!(character, '\u{FDD0}'..='\u{FDEF}') || u32::from(character) & 0xFFFE == 0xFFFE
}

/// `text` with every hidden character as an escape: `\n`, `\t`, or `\u{…}` with its number in hexadecimal.
///
/// A backslash of the text itself is doubled only where it would otherwise be read as the start of an escape: before `n`,
/// `t`, `u{`, another backslash or a hidden character. So the text can be told from its escapes.
#[must_use]
pub fn escape_hidden(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| matches!(byte, 0x20..=0x7E) && byte != b'\\';
    if text.bytes().all(plain) || !text.chars().any(|character| character == '\\' || is_hidden(character)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' if starts_escape(rest.as_str()) => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            hidden if is_hidden(hidden) => push_escape(&mut escaped, hidden),
            seen => escaped.push(seen),
        }
    }
    Cow::Owned(escaped)
}

/// `message` with every hidden character as an escape, and its backslashes as they are: what a message quotes has its
/// escapes already.
#[must_use]
pub fn escape_message(message: &str) -> Cow<'_, str> {
    if !message.chars().any(is_hidden) {
        return Cow::Borrowed(message);
    }
    let mut escaped = String::with_capacity(message.len() + 16);
    for character in message.chars() {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            hidden if is_hidden(hidden) => push_escape(&mut escaped, hidden),
            seen => escaped.push(seen),
        }
    }
    Cow::Owned(escaped)
}

fn starts_escape(after_backslash: &str) -> bool {
    after_backslash.starts_with(|next: char| matches!(next, 'n' | 't' | '\\') || is_hidden(next))
        || after_backslash.starts_with("u{")
}

fn push_escape(escaped: &mut String, hidden: char) {
    // Writing to a string cannot fail.
    let _ = write!(escaped, "\\u{{{:x}}}", u32::from(hidden));
}

/// The first characters of `text`, at most `characters_max` with the ellipsis that stands for the rest.
#[must_use]
pub fn clip(text: &str, characters_max: usize) -> Cow<'_, str> {
    if text.len() <= characters_max || text.chars().nth(characters_max).is_none() {
        return Cow::Borrowed(text);
    }
    let mut clipped: String = text.chars().take(characters_max.saturating_sub(1)).collect();
    if characters_max > 0 {
        clipped.push('…');
    }
    Cow::Owned(clipped)
}

/// Characters of a quotation in a message.
const QUOTED_MAX: usize = 60;

/// `text` for a message: clipped, hidden characters escaped, in backticks; a backtick inside is an escape too.
#[must_use]
pub fn quote(text: &str) -> String {
    let clipped = clip(text, QUOTED_MAX);
    format!("`{}`", escape_hidden(&clipped).replace('`', "\\u{60}"))
}

/// What [`escape_hidden`] was given.
#[cfg(test)]
pub(crate) fn unescape_hidden(escaped: &str) -> String {
    let mut text = String::new();
    let mut rest = escaped;
    while let Some(character) = rest.chars().next() {
        let (read, length) = if character == '\\' { escape_at(rest) } else { (character, character.len_utf8()) };
        text.push(read);
        rest = rest.get(length..).unwrap_or_default();
    }
    text
}

#[cfg(test)]
fn escape_at(text: &str) -> (char, usize) {
    match text.as_bytes() {
        [_, b'\\', ..] => ('\\', 2),
        [_, b'n', ..] => ('\n', 2),
        [_, b't', ..] => ('\t', 2),
        [_, b'u', b'{', ..] => {
            let number = text.get(3..).and_then(|rest| rest.split('}').next()).unwrap_or_default();
            let read = u32::from_str_radix(number, 16).ok().and_then(char::from_u32);
            (read.unwrap_or('\u{FFFD}'), number.len() + 4)
        }
        _ => ('\\', 1),
    }
}

#[cfg(test)]
#[path = "text_test.rs"]
mod tests;
