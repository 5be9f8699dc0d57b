#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;

use super::super::arbitrary::{nearly_json, spaced, value};
use super::super::{Numbers, compact, read};
use super::*;
use crate::refusal::Code;

fn as_written() -> Limits {
    Limits::default().with_numbers(Numbers::AsWritten)
}

fn spliced(document: &str, patch: &str) -> String {
    let patch = read(patch, &as_written()).unwrap();
    splice(document, &patch, &as_written()).unwrap().to_text()
}

#[test]
fn what_is_not_named_stays_byte_for_byte() {
    let document = " {\"a\" :  [1.0, 1e400,{ } ],\r\n\t\"b\":\"\\u0061\\/\u{200B}\" ,\"c\":{\"d\":  1}  }\n";
    assert_eq!(spliced(document, "{}"), document);
    assert_eq!(spliced(document, "{\"c\":{\"x\":null},\"y\":null}"), document);
    assert_eq!(spliced(document, "{\"c\":{\"d\":2}}"), document.replace("  1}", "  2}"));
    assert!(splice(document, &read("{}", &as_written()).unwrap(), &as_written()).unwrap().is_unchanged());
}

#[test]
fn new_members_are_laid_out_like_their_siblings() {
    let cases = [
        ("{\"a\":1}", "{\"b\":{\"c\":2}}", "{\"a\":1,\"b\":{\"c\":2}}"),
        ("{\"a\": 1}", "{\"b\":2}", "{\"a\": 1, \"b\": 2}"),
        ("{ \"a\" : 1 }", "{\"b\":2}", "{ \"a\" : 1, \"b\" : 2 }"),
        ("{\n  \"a\": 1\n}\n", "{\"b\":[2]}", "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}\n"),
        (
            "{\n\t\"a\": {}\n}",
            "{\"a\":{\"b\":{\"c\":1}}}",
            "{\n\t\"a\": {\n\t\t\"b\": {\n\t\t\t\"c\": 1\n\t\t}\n\t}\n}",
        ),
        ("{\r\n    \"a\": 1\r\n}", "{\"a\":null,\"b\":2}", "{\r\n    \"b\": 2\r\n}"),
        ("{}", "{\"a\":{\"b\":null,\"c\":1}}", "{\"a\":{\"c\":1}}"),
        ("{ }", "{\"a\":1}", "{\"a\":1}"),
        ("{\"a\": {}}", "{\"a\":{\"b\":1}}", "{\"a\": {\"b\": 1}}"),
    ];
    for (document, patch, result) in cases {
        assert_eq!(spliced(document, patch), result);
    }
}

#[test]
fn deleted_members_take_their_comma_with_them() {
    let document = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}";
    assert_eq!(spliced(document, "{\"a\":null}"), "{\n  \"b\": 2,\n  \"c\": 3\n}");
    assert_eq!(spliced(document, "{\"b\":null}"), "{\n  \"a\": 1,\n  \"c\": 3\n}");
    assert_eq!(spliced(document, "{\"c\":null}"), "{\n  \"a\": 1,\n  \"b\": 2\n}");
    assert_eq!(spliced(document, "{\"a\":null,\"c\":null}"), "{\n  \"b\": 2\n}");
    assert_eq!(spliced(document, "{\"a\":null,\"b\":null,\"c\":null}"), "{}");
    assert_eq!(spliced("{\"x\":{ \"a\" : 1 , \"b\" : 2 }}", "{\"x\":{\"b\":null}}"), "{\"x\":{ \"a\" : 1  }}");
}

#[test]
fn white_space_around_the_document_stays() {
    assert_eq!(spliced(" [1]\n", "{\"a\":1}"), " {\"a\":1}\n");
    assert_eq!(spliced("\t{\"a\":1}\n\n", "[null]"), "\t[null]\n\n");
}

#[test]
fn the_whole_document_is_checked() {
    let patch = read("{\"a\":1,\"b\":{\"c\":null}}", &as_written()).unwrap();
    let cases = [
        ("{\"a\":2} x", Code::JsonSyntax),
        ("{\"a\":{\"x\":1,\"x\":2}}", Code::JsonDuplicateName),
        ("{\"a\":1,\"\\u0061\":2}", Code::JsonDuplicateName),
        ("{\"b\":{\"c\":1,\"c\":1}}", Code::JsonDuplicateName),
        ("{\"z\":[{\"x\":1,\"x\":2}]}", Code::JsonDuplicateName),
        ("{\"z\":\"\\ud800\"}", Code::JsonEncoding),
        ("{\"a\":2,}", Code::JsonSyntax),
        ("{\"a\":2 \"b\":1}", Code::JsonSyntax),
        ("{,}", Code::JsonSyntax),
        ("", Code::JsonEmpty),
    ];
    for (document, code) in cases {
        assert_eq!(splice(document, &patch, &as_written()).unwrap_err().code, code, "{document}");
    }
    let small = as_written().with_bytes(3);
    assert_eq!(splice("{\"a\":1}", &patch, &small).unwrap_err().code, Code::JsonSize);
}

#[test]
fn depth_counts_from_the_outermost_bracket() {
    let limits = as_written().with_depth(1024);
    let nested = |depth: usize, leaf: &str| format!("{}{leaf}{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    for depth in [128, 1024] {
        let limits = as_written().with_depth(depth);
        let (document, patch) = (nested(depth, "1"), nested(depth, "null"));
        let patch = read(&patch, &limits).unwrap();
        assert_eq!(splice(&document, &patch, &limits).unwrap().to_text(), nested(depth - 1, "{}"));
        let deeper = nested(depth + 1, "1");
        assert_eq!(splice(&deeper, &patch, &limits).unwrap_err().code, Code::JsonDepth);
        assert_eq!(splice(&deeper, &patch, &limits).unwrap_err(), read(&deeper, &limits).unwrap_err());
    }
    let patch = read("{\"a\":{}}", &limits).unwrap();
    assert_eq!(splice(&"{\"a\":".repeat(100_000), &patch, &limits).unwrap_err().code, Code::JsonDepth);
}

#[test]
fn a_big_object_loses_all_but_one() {
    let members = |value: &str| (0..20_000).map(|n| format!("\"{n}\":{value}")).collect::<Vec<_>>().join(",");
    let document = format!("{{{},\"kept\": true}}", members("[1, 2]"));
    assert_eq!(spliced_big(&document, &format!("{{{}}}", members("null"))), "{\"kept\": true}");
}

fn spliced_big(document: &str, patch: &str) -> String {
    let limits = as_written().with_bytes(1 << 30);
    splice(document, &read(patch, &limits).unwrap(), &limits).unwrap().to_text()
}

/// Equal with the order of members and the spelling of numbers.
fn same_in_order(one: &Value<'_>, two: &Value<'_>) -> bool {
    compact(one) == compact(two)
}

proptest! {
    #[test]
    fn text_and_tree_are_patched_alike(target in value(), patch in value(), seed in any::<u64>()) {
        let document = spaced(&target, seed);
        let text = splice(&document, &patch, &as_written()).unwrap().to_text();
        let result = read(&text, &as_written()).unwrap();
        prop_assert!(same_in_order(&result, &merge(target, patch)), "{document:?} {text:?}");
    }

    #[test]
    fn a_patch_made_of_the_document_is_found(target in value(), goal in value(), seed in any::<u64>()) {
        let document = spaced(&target, seed);
        let (patch, _) = super::super::difference(&target, &goal);
        let text = splice(&document, &patch, &as_written()).unwrap().to_text();
        prop_assert!(same_in_order(&read(&text, &as_written()).unwrap(), &merge(target, patch)));
    }

    #[test]
    fn a_bad_document_is_refused_as_by_the_reader(bytes in nearly_json(), patch in value()) {
        let Ok(document) = std::str::from_utf8(&bytes) else { return Ok(()) };
        let spliced = splice(document, &patch, &as_written());
        prop_assert_eq!(spliced.err(), read(document, &as_written()).err());
    }
}
