//! The writer: compact or indented text that reads back as the same value and is safe to show.

use std::fmt;

use super::scan::unplain_bytes;
use super::value::{Number, Object, Value};
use crate::text::is_hidden;

/// `value` on one line, without spaces. Members keep their order, numbers their spelling.
///
/// Hidden characters are written as escapes ([`is_hidden`]); all others stand as they are.
#[must_use]
pub fn compact(value: &Value<'_>) -> String {
    let mut out = String::with_capacity(256);
    compact_into(&mut out, value);
    out
}

/// `value` with one member or item a line, indented by two spaces a level; no line feed at the end.
#[must_use]
pub fn pretty(value: &Value<'_>) -> String {
    let mut out = String::with_capacity(256);
    pretty_into(&mut out, value, &Indent { outer: "", step: "  " }, 0);
    out
}

/// Appends what [`pretty`] returns, of an object.
pub fn pretty_object_into(out: &mut String, object: &Object<'_>) {
    if object.is_empty() {
        out.push_str("{}");
    } else {
        pretty_members_into(out, object, &Indent { outer: "", step: "  " }, 0);
    }
}

/// Appends what [`compact`] returns.
pub fn compact_into(out: &mut String, value: &Value<'_>) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.as_str()),
        Value::String(text) => string_into(out, text),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                compact_into(out, item);
            }
            out.push(']');
        }
        Value::Object(object) => compact_object_into(out, object),
    }
}

fn compact_object_into(out: &mut String, object: &Object<'_>) {
    out.push('{');
    for (place, (name, member)) in object.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        string_into(out, name);
        out.push(':');
        compact_into(out, member);
    }
    out.push('}');
}

/// The start of a line at up to eight levels of two spaces.
const SHALLOW_LINE: &str = "\n                ";

/// How lines start: with `outer`, and a `step` for each level.
pub(super) struct Indent<'a> {
    pub(super) outer: &'a str,
    pub(super) step: &'a str,
}

impl Indent<'_> {
    pub(super) fn line_into(&self, out: &mut String, level: usize) {
        if self.outer.is_empty()
            && self.step.len() == 2
            && let Some(line) = SHALLOW_LINE.get(..2 * level + 1)
        {
            return out.push_str(line);
        }
        out.push('\n');
        out.push_str(self.outer);
        for _ in 0..level {
            out.push_str(self.step);
        }
    }
}

/// Appends `value`, whose first line started at `level`.
pub(super) fn pretty_into(out: &mut String, value: &Value<'_>, indent: &Indent<'_>, level: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            for (place, item) in items.iter().enumerate() {
                out.push(if place == 0 { '[' } else { ',' });
                indent.line_into(out, level + 1);
                pretty_into(out, item, indent, level + 1);
            }
            indent.line_into(out, level);
            out.push(']');
        }
        Value::Object(object) if !object.is_empty() => pretty_members_into(out, object, indent, level),
        other => compact_into(out, other),
    }
}

fn pretty_members_into(out: &mut String, object: &Object<'_>, indent: &Indent<'_>, level: usize) {
    for (place, (name, member)) in object.iter().enumerate() {
        out.push(if place == 0 { '{' } else { ',' });
        indent.line_into(out, level + 1);
        string_into(out, name);
        out.push_str(": ");
        pretty_into(out, member, indent, level + 1);
    }
    indent.line_into(out, level);
    out.push('}');
}

/// Appends `text` as a JSON string.
pub(super) fn string_into(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some((clean, special, after)) = split_at_special(rest) {
        out.push_str(clean);
        escape_into(out, special);
        rest = after;
    }
    out.push_str(rest);
    out.push('"');
}

/// The text before the first character that needs an escape, that character, and the text after it.
fn split_at_special(text: &str) -> Option<(&str, char, &str)> {
    let mut at = 0;
    loop {
        at += plain_length(text.as_bytes().get(at..)?);
        let character = text.get(at..)?.chars().next()?;
        if character.is_ascii() || is_hidden(character) {
            return Some((text.get(..at)?, character, text.get(at + character.len_utf8()..)?));
        }
        at += character.len_utf8();
    }
}

/// How many bytes at the start are ASCII that stands for itself.
fn plain_length(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    let mut length = 0;
    while let Some((chunk, after)) = rest.split_first_chunk::<8>() {
        let marks = unplain_bytes(u64::from_le_bytes(*chunk));
        if marks != 0 {
            return length + marks.trailing_zeros() as usize / 8;
        }
        length += 8;
        rest = after;
    }
    let plain = |byte: &u8| matches!(byte, 0x20..=0x7E) && !matches!(byte, b'"' | b'\\');
    length + rest.iter().take_while(|byte| plain(byte)).count()
}

fn escape_into(out: &mut String, special: char) {
    match special {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{C}' => out.push_str("\\f"),
        other => {
            for unit in other.encode_utf16(&mut [0; 2]) {
                unit_into(out, *unit);
            }
        }
    }
}

/// Appends the escape of one UTF-16 code unit, in lower case.
pub(super) fn unit_into(out: &mut String, unit: u16) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        out.push(char::from_digit(u32::from(unit >> shift) & 0xF, 16).unwrap_or('0'));
    }
}

impl fmt::Display for Value<'_> {
    /// Writes what [`compact`] returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&compact(self))
    }
}

impl fmt::Display for Number<'_> {
    /// Writes the number in its own spelling.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
#[path = "write_test.rs"]
mod tests;
