//! Random JSON for tests: values with awkward names and numbers, and texts that are nearly JSON.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Limits, Numbers, Object, Value, read};

/// Names and strings that repeat often and need escapes, quotes or surrogates.
pub(super) fn string() -> impl Strategy<Value = String> {
    let known =
        ["", "a", "b", "ab", "a/b", "~", "\"", "\\", "é", "e\u{301}", "😀", "\u{FFFF}", "\u{0}", "\u{9B}", "\u{E0041}"];
    prop_oneof![4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>(), 1 => "[a-z]{1,12}"]
}

/// Numbers that I-JSON has.
fn number() -> impl Strategy<Value = String> {
    let known =
        ["0", "-0", "1.0", "1.50", "1E2", "1e-7", "5e-324", "1.7976931348623157e308", "9007199254740991", "0.1"];
    prop_oneof![
        proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        any::<i32>().prop_map(|integer| integer.to_string()),
        any::<f64>().prop_filter("finite", |double| double.is_finite()).prop_filter_map("exact", |double| {
            let text = format!("{double:e}");
            super::number::inexact(&text).is_none().then_some(text)
        }),
    ]
}

/// A number as a value.
pub(super) fn number_value(text: &str) -> Value<'static> {
    read(text, &Limits::default().with_numbers(Numbers::AsWritten)).unwrap().into_owned()
}

/// Values of some depth.
pub(crate) fn value() -> impl Strategy<Value = Value<'static>> {
    let leaf = prop_oneof![
        2 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => number().prop_map(|text| number_value(&text)),
        2 => string().prop_map(Value::string),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..5).prop_map(Value::Array),
            3 => vec((string(), inner), 0..6).prop_map(object),
        ]
    })
}

/// An object; where names repeat, the last member wins.
pub(super) fn object(members: Vec<(String, Value<'static>)>) -> Value<'static> {
    let mut object = Object::new();
    for (name, value) in members {
        object.set(name, value);
    }
    Value::Object(object)
}

/// Text with random white space that reads as `value`.
pub(super) fn spaced(value: &Value<'_>, seed: u64) -> String {
    let mut state = seed | 1;
    let mut out = String::new();
    let mut in_string = false;
    let mut escaped = false;
    for character in super::compact(value).chars() {
        let structural = !in_string && matches!(character, '{' | '}' | '[' | ']' | ',' | ':');
        if structural {
            push_white(&mut out, &mut state);
        }
        out.push(character);
        if structural {
            push_white(&mut out, &mut state);
        }
        if character == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = character == '\\' && !escaped;
    }
    out
}

fn push_white(out: &mut String, state: &mut u64) {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let white = ["", "", " ", "\n  ", "\t", "\r\n", "  "];
    out.push_str(white[(*state >> 40) as usize % white.len()]);
}

/// Bytes that are JSON but for a few changes.
pub(super) fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d83d", "0", "-", ".", "e", "1e999", "true", "nul", " ", "\n",
        "\u{0}", "é", "//", "\"a\":1",
    ];
    let piece = prop_oneof![
        6 => proptest::sample::select(pieces.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..3),
    ];
    (value(), any::<u64>(), vec((any::<prop::sample::Index>(), 0_usize..3, piece), 0..4)).prop_map(
        |(value, seed, edits)| {
            let mut bytes = spaced(&value, seed).into_bytes();
            for (place, cut, piece) in edits {
                let at = place.index(bytes.len() + 1);
                let end = (at + cut).min(bytes.len());
                bytes.splice(at..end, piece);
            }
            bytes
        },
    )
}
