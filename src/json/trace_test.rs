#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::super::arbitrary::{spaced, value};
use super::super::{Limits, Value, read};
use super::*;

#[test]
fn a_pointer_leads_to_its_value() {
    let text = r#" {"a/b": [10, {"\u0063": true}], "~": 1, "": {"": 2}}"#;
    let at = |pointer| text.get(locate(text, pointer).unwrap()..).unwrap();
    assert!(at("").starts_with("{\"a/b\""));
    assert!(at("/a~1b/0").starts_with("10"));
    assert!(at("/a~1b/1/c").starts_with("true"));
    assert!(at("/~0").starts_with('1'));
    assert!(at("//").starts_with('2'));
}

#[test]
fn what_is_not_there_leads_to_what_is_around_it() {
    let text = r#"{"a": [10, 11]}"#;
    for pointer in ["/a/2", "/a/-", "/a/01", "/a/x/y", "/a/+1", "/a/"] {
        assert_eq!(locate(text, pointer), Some(6), "{pointer}");
    }
    assert_eq!(locate(text, "/b"), Some(0));
    assert_eq!(locate(text, "/a/1/z"), Some(11));
    assert_eq!(locate(" ", ""), None);
}

fn pointers<'v, 'a>(value: &'v Value<'a>, at: String, into: &mut Vec<(String, &'v Value<'a>)>) {
    if let Some(object) = value.as_object() {
        object.iter().for_each(|(name, member)| pointers(member, pointer::child(&at, name), into));
    }
    for (index, item) in value.as_array().unwrap_or_default().iter().enumerate() {
        pointers(item, pointer::item(&at, index), into);
    }
    into.push((at, value));
}

proptest! {
    #[test]
    fn every_value_is_found_and_traced_back(value in value(), seed in any::<u64>()) {
        let text = spaced(&value, seed);
        let mut all = Vec::new();
        pointers(&value, String::new(), &mut all);
        for (pointer, value) in all {
            let at = locate(&text, &pointer).unwrap();
            let mut scanner = Scanner::starting(&text, at);
            skip_value(&mut scanner).unwrap();
            prop_assert_eq!(&read(&text[at..scanner.at()], &Limits::default()).unwrap(), value);
            prop_assert_eq!(pointer_at(&text, at), pointer);
        }
    }
}
