#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::super::arbitrary::value;
use super::super::{Limits, compact, read};
use super::*;

fn merged(target: &str, patch: &str) -> String {
    let limits = Limits::default();
    compact(&merge(read(target, &limits).unwrap(), read(patch, &limits).unwrap()))
}

#[test]
fn appendix_a_of_the_rfc() {
    let cases = [
        (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"a":null}"#, r#"{}"#),
        (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
        (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
        (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
        (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
        (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
        (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
        (r#"{"a":"foo"}"#, "null", "null"),
        (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
        (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
        ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
        ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
    ];
    for (target, patch, result) in cases {
        assert_eq!(merged(target, patch), result);
    }
}

#[test]
fn members_keep_their_place() {
    assert_eq!(
        merged(r#"{"c":1,"b":2,"a":3}"#, r#"{"z":1,"a":4,"c":null,"y":{"q":null,"p":1}}"#),
        r#"{"b":2,"a":4,"z":1,"y":{"p":1}}"#
    );
    assert_eq!(
        merged(r#"{"a":[null,{"b":null}]}"#, r#"{"c":[null,{"b":null}]}"#),
        r#"{"a":[null,{"b":null}],"c":[null,{"b":null}]}"#
    );
}

#[test]
fn big_objects_are_patched_alike() {
    let members = |range: std::ops::Range<usize>, value: &str| {
        range.map(|n| format!("\"n{}\":{value}", n * 7919 % 1000)).collect::<Vec<_>>().join(",")
    };
    let target = format!("{{{}}}", members(0..1000, "1"));
    let patch = format!("{{{},\"new\":2}}", members(0..999, "null"));
    assert_eq!(merged(&target, &patch), format!("{{{},\"new\":2}}", members(999..1000, "1")));
}

#[test]
fn a_null_in_the_goal_is_named() {
    let limits = Limits::default();
    let (from, to) = (r#"{"a":null,"k":1}"#, r#"{"a":null,"b":null,"c":{"d":null,"e":[null]},"k":{"l/m":null}}"#);
    let (patch, pointers) = difference(&read(from, &limits).unwrap(), &read(to, &limits).unwrap());
    assert_eq!(pointers, ["/b", "/c/d", "/k/l~1m"]);
    assert_eq!(patch.as_object().map(Object::len), Some(2));
}

proptest! {
    #[test]
    fn another_implementation_agrees(target in value(), patch in value()) {
        let mut theirs = target.to_serde().unwrap();
        json_patch::merge(&mut theirs, &patch.to_serde().unwrap());
        prop_assert_eq!(merge(target, patch), Value::from(theirs));
    }

    #[test]
    fn a_difference_leads_to_its_goal(from in value(), to in value()) {
        let (patch, inexpressible) = difference(&from, &to);
        let reached = merge(from, patch);
        prop_assert_eq!(inexpressible.is_empty(), reached == to);
    }

    #[test]
    fn equal_values_differ_in_nothing(value in value()) {
        let (patch, inexpressible) = difference(&value, &value);
        match &value {
            Value::Object(_) => prop_assert!(patch.as_object().is_some_and(Object::is_empty) && inexpressible.is_empty()),
            other => prop_assert_eq!(&patch, other),
        }
    }
}
