#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::super::arbitrary::{string, value};
use super::super::{Limits, read};
use super::*;

#[test]
fn both_layouts() {
    let value = read("{\"b\":[],\"a\":{},\"c\":[1.0,{\"d\":\"x\"}]}", &Limits::default()).unwrap();
    assert_eq!(compact(&value), "{\"b\":[],\"a\":{},\"c\":[1.0,{\"d\":\"x\"}]}");
    let indented = "{\n  \"b\": [],\n  \"a\": {},\n  \"c\": [\n    1.0,\n    {\n      \"d\": \"x\"\n    }\n  ]\n}";
    assert_eq!(pretty(&value), indented);
}

#[test]
fn hidden_characters_are_escapes() {
    let text = Value::string("é日\u{9B}\u{202E}\u{7F}\u{E0041}\u{FFFF}\u{2028}\u{A0}/");
    assert_eq!(compact(&text), r#""é日\u009b\u202e\u007f\udb40\udc41\uffff\u2028\u00a0/""#);
}

/// Members in order, with the spelling of numbers.
fn same_in_order(one: &Value<'_>, two: &Value<'_>) -> bool {
    format!("{one:?}") == format!("{two:?}")
}

proptest! {
    #[test]
    fn what_is_written_reads_back(value in value()) {
        for text in [compact(&value), pretty(&value)] {
            let read = read(&text, &Limits::default()).unwrap();
            prop_assert!(same_in_order(&read, &value), "{text}");
            prop_assert!(!text.chars().any(|shown| shown != '\n' && is_hidden(shown)));
        }
    }

    #[test]
    fn serde_json_reads_the_same_string(text in string()) {
        let written = compact(&Value::string(text.as_str()));
        prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }
}
