//! Canonical bytes (RFC 8785) and their digest: equal values have equal bytes, whatever their order and spelling.

use sha2::{Digest, Sha256};

use super::number;
use super::value::{Object, Value};
use super::write::unit_into;

/// The canonical bytes of `value` (RFC 8785).
///
/// A number that a double does not keep exactly (which only `Numbers::AsWritten` lets in) has no canonical form; it
/// stays as it was written, so that it never takes the bytes of its neighbour.
#[must_use]
pub fn canonical(value: &Value<'_>) -> Vec<u8> {
    let mut out = String::with_capacity(256);
    value_into(&mut out, value);
    out.into_bytes()
}

/// The SHA-256 of `bytes`, as `sha256:` and 64 hexadecimal digits in lower case.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(71);
    out.push_str("sha256:");
    for byte in Sha256::digest(bytes) {
        for half in [byte >> 4, byte & 0xF] {
            out.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    out
}

fn value_into(out: &mut String, value: &Value<'_>) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => number_into(out, number.as_str()),
        Value::String(text) => string_into(out, text),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                value_into(out, item);
            }
            out.push(']');
        }
        Value::Object(object) => object_into(out, object),
    }
}

/// Members in the order of their names' UTF-16 code units (RFC 8785, section 3.2.3).
fn object_into(out: &mut String, object: &Object<'_>) {
    let mut members: Vec<(&str, &Value<'_>)> = object.iter().collect();
    members.sort_unstable_by(|(one, _), (two, _)| one.encode_utf16().cmp(two.encode_utf16()));
    out.push('{');
    for (place, (name, member)) in members.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        string_into(out, name);
        out.push(':');
        value_into(out, member);
    }
    out.push('}');
}

/// A number as ECMAScript writes it (RFC 8785, section 3.2.2.3).
fn number_into(out: &mut String, text: &str) {
    let whole = text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<f64>() {
        Ok(double) if !whole && number::inexact(text).is_none() => {
            out.push_str(ryu_js::Buffer::new().format_finite(double));
        }
        _ => out.push_str(text),
    }
}

/// A string with the fewest escapes (RFC 8785, section 3.2.2.2).
fn string_into(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')) {
        out.push_str(rest.get(..at).unwrap_or_default());
        escape_into(out, rest.as_bytes().get(at).copied().unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out.push('"');
}

fn escape_into(out: &mut String, byte: u8) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        0x8 => out.push_str("\\b"),
        0xC => out.push_str("\\f"),
        control => unit_into(out, u16::from(control)),
    }
}

#[cfg(test)]
#[path = "canonical_test.rs"]
mod tests;
