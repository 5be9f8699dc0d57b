#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::super::arbitrary::{nearly_json, spaced, value};
use super::super::{compact, decode};
use super::*;
use crate::refusal::Code;

fn refusal(text: &str) -> Refusal {
    read(text, &Limits::default()).expect_err(text)
}

#[test]
fn each_fault_has_its_message_and_place() {
    let cases = [
        ("[1,]", "trailing comma", "/1", 3),
        ("{\"a\":1,}", "trailing comma", "", 7),
        ("[,1]", "missing before the comma", "/0", 1),
        ("{,}", "a member is missing", "", 1),
        ("[1 2]", "where `,` or `]` is expected", "", 3),
        ("[1 \"a\"]", "a comma is missing", "", 3),
        ("{\"a\":1 /* x */}", "no comments", "", 7),
        ("// x\n1", "no comments", "", 0),
        ("# x\n1", "no comments", "", 0),
        ("{'a':1}", "single quotes", "", 1),
        ("{\"a\":'x'}", "single quotes", "/a", 5),
        ("{“a”:1}", "typographic", "", 1),
        ("{a:1}", "name `a` stands without quotes", "", 1),
        ("{\"a\":NaN}", "JSON has no `NaN`", "/a", 5),
        ("{\"a\":-Infinity}", "JSON has no `-Infinity`", "/a", 5),
        ("[True]", "write `true`", "/0", 1),
        ("[nulls]", "found `nulls`", "/0", 1),
        ("[None]", "write `null`", "/0", 1),
        ("{\"a\":[0,01]}", "leading zero", "/a/1", 8),
        ("[0x10]", "write it in decimal", "/0", 1),
        ("[5.]", "a digit is missing after `5.`", "/0", 1),
        ("[-]", "a digit is missing after `-`", "/0", 1),
        ("[1e+]", "a digit is missing", "/0", 1),
        ("[.5]", "starts with a digit", "/0", 1),
        ("[+1]", "no plus sign", "/0", 1),
        ("[1_000]", "no JSON number", "/0", 1),
        ("[\"a\tb\"]", "raw tab", "/0", 3),
        ("[\"a\nb\"]", "raw line break", "/0", 3),
        ("[\"a\u{1}b\"]", "write `\\u0001`", "/0", 3),
        ("[\"\\x\"]", "a backslash before `x`", "/0", 2),
        ("[\"\\u12\"]", "four hexadecimal digits", "/0", 2),
        ("[\"\\u+123\"]", "four hexadecimal digits", "/0", 2),
        ("[\"abc", "not closed", "/0", 1),
        ("[1", "inside an array", "", 2),
        ("{\"a\":1", "inside an object", "", 6),
        ("{\"a\"", "where `:` is expected", "/a", 4),
        ("{\"a\" 1}", "where `:` is expected", "/a", 5),
        ("{\"a\"=1}", "write `:`", "/a", 4),
        ("{\"a\":", "cut off", "/a", 5),
        ("[1}", "which `]` closes", "", 2),
        ("1 2", "nothing may follow", "", 2),
        ("{}{}", "one text holds one value", "", 2),
        ("{}}", "closes nothing", "", 2),
        ("{}\0", "NUL", "", 2),
        ("\u{FEFF}{}", "`\\u{feff}`", "", 0),
        ("[\u{A0}1]", "`\\u{a0}`", "/0", 1),
        ("```json\n{}\n```", "code fence", "", 0),
        ("{\"a/b\":{\"~\":[0,{\"c\":tru}]}}", "found `tru`", "/a~1b/~0/1/c", 20),
    ];
    for (text, detail, at, offset) in cases {
        let refusal = refusal(text);
        assert_eq!(refusal.code, Code::JsonSyntax, "{text}");
        assert!(refusal.detail.contains(detail), "{text}: {}", refusal.detail);
        assert_eq!((refusal.at.as_str(), refusal.position.unwrap().offset), (at, offset), "{text}: {}", refusal.detail);
    }
}

#[test]
fn lines_and_columns_count_characters() {
    let position = refusal("{\n  \"é\": \"😀\" x\n}").position.unwrap();
    assert_eq!((position.line, position.column, position.offset), (2, 12, 17));
}

#[test]
fn half_a_surrogate_pair_is_an_encoding_fault() {
    for text in ["[\"\\ud800\"]", "[\"\\udc00\"]", "[\"\\ud800\\u0041\"]", "[\"\\ud800\\ud800\"]", "{\"\\udfff\":1}"] {
        assert_eq!(refusal(text).code, Code::JsonEncoding, "{text}");
    }
    assert_eq!(read("\"\\ud83d\\ude00\"", &Limits::default()).unwrap().as_str(), Some("😀"));
}

#[test]
fn escapes_are_undone() {
    let read = read(r#""\"\\\/\b\f\n\r\t\u00e9\uFFFFx""#, &Limits::default()).unwrap();
    assert_eq!(read.as_str(), Some("\"\\/\u{8}\u{C}\n\r\té\u{FFFF}x"));
}

#[test]
fn names_are_compared_after_unescaping() {
    let refusal = refusal("{\"x\":[{\"a/b\":1,\"c\":2,\n \"\\u0061/b\":3}]}");
    assert_eq!((refusal.code, refusal.at.as_str()), (Code::JsonDuplicateName, "/x/0/a~1b"));
    let position = refusal.position.unwrap();
    assert_eq!((position.line, position.column), (2, 2));
}

#[test]
fn duplicates_are_found_in_big_objects() {
    let names: Vec<String> = (0..1000).map(|n| format!("\"n{}\":{n}", n * 7919 % 1000)).collect();
    assert!(read(&format!("{{{}}}", names.join(",")), &Limits::default()).is_ok());
    let refusal = refusal(&format!("{{{},\"n500\":0}}", names.join(",")));
    assert_eq!((refusal.code, refusal.at.as_str()), (Code::JsonDuplicateName, "/n500"));
}

#[test]
fn depth_is_the_number_of_containers() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(128), &Limits::default()).is_ok());
    let refused = read(&nested(129), &Limits::default()).unwrap_err();
    assert_eq!((refused.code, refused.position.unwrap().offset), (Code::JsonDepth, 128));
    assert_eq!(refused.at, "/0".repeat(128));
    assert!(read(&nested(1024), &Limits::default().with_depth(5000)).is_ok());
}

#[test]
fn no_depth_overflows_the_stack() {
    let deepest = Limits::default().with_depth(usize::MAX).with_bytes(usize::MAX);
    for open in ["[", "{\"a\":"] {
        assert_eq!(read(&open.repeat(1_000_000), &deepest).unwrap_err().code, Code::JsonDepth);
        let text = format!("{}1{}", open.repeat(1024), if open == "[" { "]" } else { "}" }.repeat(1024));
        let value = read(&text, &deepest).unwrap();
        assert_eq!(compact(&value), text);
        assert_eq!(value.clone().into_owned(), value);
    }
}

#[test]
fn numbers_are_i_json_unless_told_otherwise() {
    for text in ["9007199254740992", "1e400", "1e-400", "0.1000000000000000055511151231257827"] {
        let text = format!("{{\"a\":[0,{text}]}}");
        let refusal = refusal(&text);
        assert_eq!((refusal.code, refusal.at.as_str()), (Code::JsonNumber, "/a/1"), "{text}");
        assert!(refusal.detail.contains("write it as a string"));
        let kept = read(&text, &Limits::default().with_numbers(Numbers::AsWritten)).unwrap();
        assert_eq!(compact(&kept), text);
    }
}

#[test]
fn size_and_emptiness_are_checked_here_too() {
    assert_eq!(read("[1]", &Limits::default().with_bytes(2)).unwrap_err().code, Code::JsonSize);
    assert_eq!(refusal(" \n").code, Code::JsonEmpty);
}

/// Whether serde_json holds the same value, as far as it can.
fn same(ours: &Value<'_>, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), serde_json::Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
        }
        (Value::Object(ours), serde_json::Value::Object(theirs)) => {
            let member = |(name, ours): (&str, &Value<'_>)| theirs.get(name).is_some_and(|theirs| same(ours, theirs));
            ours.len() == theirs.len() && ours.iter().all(member)
        }
        (Value::Number(ours), serde_json::Value::Number(theirs)) => {
            ours.as_str().parse::<f64>().ok() == theirs.to_string().parse::<f64>().ok()
        }
        _ => ours.to_serde().is_ok_and(|ours| ours == *theirs),
    }
}

proptest! {
    #[test]
    fn any_white_space_reads_as_the_same_value(value in value(), seed in any::<u64>()) {
        let text = spaced(&value, seed);
        prop_assert_eq!(read(&text, &Limits::default()).unwrap(), value);
    }

    #[test]
    fn serde_json_agrees_or_the_code_says_why(bytes in nearly_json()) {
        let limits = Limits::default();
        let ours = decode(&bytes, &limits).and_then(|text| read(text, &limits));
        let theirs = serde_json::from_slice::<serde_json::Value>(&bytes);
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => prop_assert!(same(&ours, &theirs)),
            (Ok(ours), Err(error)) => prop_assert!(false, "only we accept {ours}: {error}"),
            (Err(refusal), Ok(_)) => {
                let known = [Code::JsonDuplicateName, Code::JsonNumber, Code::JsonDepth];
                prop_assert!(known.contains(&refusal.code), "{refusal}");
            }
            (Err(refusal), Err(_)) => {
                prop_assert!(refusal.position.is_some());
                prop_assert!(!refusal.detail.contains('\n'));
            }
        }
    }
}
