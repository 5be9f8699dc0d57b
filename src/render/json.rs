//! Compact JSON in one line, hidden characters as `\uXXXX`.

use std::fmt::Write;
use std::slice::Iter;

use crate::json::{Number, Object, Value};
use crate::render::line::{Markup, push_marked};
use crate::text::is_hidden;

/// A list or an object that is being written: what is left of it.
enum Open<'v> {
    Array(Iter<'v, Value<'v>>),
    Object(Box<dyn Iterator<Item = (&'v str, &'v Value<'v>)> + 'v>),
}

/// Writes a value. It does not recurse, so that no nesting overflows the stack.
pub(crate) fn value(out: &mut String, markup: Markup, value: &Value<'_>) {
    let mut open: Vec<Open<'_>> = Vec::new();
    start(out, markup, value, &mut open);
    while let Some(innermost) = open.last_mut() {
        // A string ends with its quotation mark, so these are brackets.
        let first = out.ends_with(['[', '{']);
        let next = match innermost {
            Open::Array(items) => items.next().map(|item| (None, item)),
            Open::Object(members) => members.next().map(|(name, value)| (Some(name), value)),
        };
        let Some((name, inner)) = next else {
            out.push(if matches!(innermost, Open::Array(_)) { ']' } else { '}' });
            open.pop();
            continue;
        };
        if !first {
            out.push(',');
        }
        if let Some(name) = name {
            string(out, markup, name);
            out.push(':');
        }
        start(out, markup, inner, &mut open);
    }
}

fn start<'v>(out: &mut String, markup: Markup, value: &'v Value<'v>, open: &mut Vec<Open<'v>>) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(Number::as_str(number)),
        Value::String(text) => string(out, markup, text),
        Value::Array(items) => {
            out.push('[');
            open.push(Open::Array(items.iter()));
        }
        Value::Object(object) => {
            out.push('{');
            open.push(Open::Object(Box::new(Object::iter(object))));
        }
    }
}

/// Writes a string with its quotation marks.
pub(crate) fn string(out: &mut String, markup: Markup, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            hidden if is_hidden(hidden) => push_units(out, hidden),
            seen => push_marked(out, markup, seen),
        }
    }
    out.push('"');
}

/// A character as one or two UTF-16 code units.
fn push_units(out: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}
