#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::time::{Duration, Instant};

use relay_baton::contract::{Validator as _, Violation};
use relay_baton::json::{self, Limits, Value};

use super::{Contracts, DETAIL_MAX, VIOLATIONS_MAX};

fn value(text: &str) -> Value<'static> {
    json::read(text, &Limits::default().with_bytes(usize::MAX)).unwrap().into_owned()
}

fn validated(schema: &str, output: &str) -> Result<Vec<Violation>, String> {
    Contracts::default().validate(&value(schema), &value(output))
}

/// The schema is no schema that can be held to, and why has `words`.
#[track_caller]
fn refuses(schema: &str, words: &str) {
    let contracts = Contracts::default();
    let why = contracts.check_schema(&value(schema)).unwrap_err();
    assert!(why.contains(words) && !why.contains('\n') && why.chars().count() < 2 * DETAIL_MAX, "{schema}: {why}");
    assert_eq!(contracts.validate(&value(schema), &value("{}")), Err(why), "{schema}");
}

#[test]
fn every_place_is_told_with_its_pointer() {
    let schema = r##"{"type": "object", "required": ["files"], "additionalProperties": false, "properties": {
        "files": {"type": "array", "items": {"$ref": "#/$defs/file"}}, "a/b~": {"const": 1}},
        "$defs": {"file": {"type": "string", "pattern": "^[a-z]+\\.rs$", "maxLength": 9}}}"##;
    let contracts = Contracts::default();
    contracts.check_schema(&value(schema)).unwrap();
    for (output, places) in [
        (r#"{"files": ["a.rs", "b.rs"]}"#, &[][..]),
        (r#"{"files": ["a.rs", 1, "B.rs"], "a/b~": 2}"#, &["/a~1b~0", "/files/1", "/files/2"]),
        ("{}", &[""]),
        ("[]", &[""]),
        (r#"{"files": [], "x": 1}"#, &[""]),
    ] {
        let found = contracts.validate(&value(schema), &value(output)).unwrap();
        let mut at: Vec<&str> = found.iter().map(|violation| violation.at.as_str()).collect();
        at.sort_unstable();
        assert_eq!(at, places, "{output}: {found:?}");
        assert!(found.iter().all(|violation| !violation.detail.is_empty() && !violation.detail.contains('\n')));
    }
    assert_eq!(contracts.ready.lock().unwrap().len(), 1, "one schema was made ready more than once");
}

#[test]
fn the_draft_is_followed() {
    for (schema, met, not_met) in [
        ("true", "1", None),
        (r#"{"prefixItems": [{"type": "integer"}], "items": false}"#, "[1.0]", Some("[1, 2]")),
        (r#"{"properties": {"a": true}, "unevaluatedProperties": false}"#, r#"{"a": 1}"#, Some(r#"{"b": 1}"#)),
        (r#"{"oneOf": [{"type": "string"}, {"minimum": 3}]}"#, "4", Some("2")),
        (r#"{"dependentRequired": {"a": ["b"]}}"#, r#"{"b": 1}"#, Some(r#"{"a": 1}"#)),
        (r#"{"format": "date"}"#, "\"no date\"", None),
        (
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": ["array", "null"], "items": {"$ref": "#"}}}}"##,
            "[[], null]",
            Some("[[1]]"),
        ),
        (r#"{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"const": 1}]}"#, "[1, 2]", Some("[2]")),
    ] {
        assert_eq!(validated(schema, met), Ok(vec![]), "{schema} {met}");
        if let Some(output) = not_met {
            assert_ne!(validated(schema, output), Ok(vec![]), "{schema} {output}");
        }
    }
}

#[test]
fn what_is_no_schema_is_refused() {
    refuses(r#"{"type": "strnig"}"#, "/type");
    refuses(r#"{"properties": []}"#, "/properties");
    refuses("[]", "want");
    refuses(r#"{"pattern": "("}"#, "");
    refuses(r#"{"pattern": "(?=a)b"}"#, "");
    refuses(r##"{"$ref": "#/$defs/none"}"##, "/$defs/none");
}

#[test]
fn nothing_is_fetched() {
    for url in
        ["http://127.0.0.1:9/s.json", "https://example.org/s.json", "file:///etc/passwd", "other.json", "/etc/passwd"]
    {
        refuses(&format!(r#"{{"$ref": "{url}"}}"#), "references to other documents are not followed");
        refuses(&format!(r#"{{"properties": {{"a": {{"$dynamicRef": "{url}"}}}}}}"#), "not followed");
    }
    refuses(r#"{"$schema": "file:///etc/passwd"}"#, "not followed");
}

#[test]
fn references_that_lead_nowhere_overflow_nothing() {
    refuses(r##"{"$ref": "#"}"##, "lead back to themselves");
    refuses(
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}"##,
        "lead back",
    );
    let chain = |length: usize| {
        let links: Vec<String> =
            (0..length).map(|link| format!(r##""a{link}": {{"$ref": "#/$defs/a{}"}}"##, link + 1)).collect();
        format!(r##"{{"$ref": "#/$defs/a0", "$defs": {{{}, "a{length}": {{"type": "string"}}}}}}"##, links.join(", "))
    };
    assert_eq!(validated(&chain(900), "\"x\""), Ok(vec![]));
    assert_eq!(validated(&chain(900), "1").unwrap().len(), 1);
    refuses(&chain(1001), "more than 1000 references");
    refuses(&chain(30_000), "more than 1000 references");
}

#[test]
fn the_deepest_recursion_has_room() {
    // At each of 127 levels of the value, the whole chain.
    let links: Vec<String> =
        (0..900).map(|link| format!(r##""a{link}": {{"$ref": "#/$defs/a{}"}}"##, link + 1)).collect();
    let last = r##"{"items": {"$ref": "#/$defs/a0"}}"##;
    let schema = format!(r##"{{"$ref": "#/$defs/a0", "$defs": {{{}, "a900": {last}}}}}"##, links.join(", "));
    let deep = format!("{}1{}", "[".repeat(127), "]".repeat(127));
    assert_eq!(validated(&schema, &deep), Ok(vec![]));
    let nested = format!("{}true{}", r#"{"not": "#.repeat(120), "}".repeat(120));
    assert!(validated(&nested, "1").is_ok());
}

#[test]
fn what_takes_too_long_is_given_up() {
    // Each level is looked at twice: 2^60 in all.
    let levels: Vec<String> = (0..60)
        .map(|level| {
            format!(r##""a{level}": {{"allOf": [{{"$ref": "#/$defs/a{0}"}}, {{"$ref": "#/$defs/a{0}"}}]}}"##, level + 1)
        })
        .collect();
    let schema = format!(r##"{{"items": {{"$ref": "#/$defs/a0"}}, "$defs": {{{}, "a60": {{}}}}}}"##, levels.join(", "));
    let began = Instant::now();
    assert!(validated(&schema, "[1]").unwrap_err().contains("takes longer than 10 s"));
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
fn patterns_are_linear() {
    let schema = r#"{"pattern": "^(a+)+$"}"#;
    let output = format!("\"{}!\"", "a".repeat(100_000));
    let found = validated(schema, &output).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].detail.chars().count() <= DETAIL_MAX, "{}", found[0].detail.len());
    refuses(r#"{"pattern": "((a{100}){100}){100}"}"#, "");
}

#[test]
fn no_more_is_told_than_can_be_read() {
    let many = format!("[{}1]", "1, ".repeat(100_000));
    let found = validated(r#"{"items": {"type": "string"}}"#, &many).unwrap();
    assert_eq!(found.len(), VIOLATIONS_MAX);
    assert_eq!((found[0].at.as_str(), found[19].at.as_str()), ("/0", "/19"));
    let output = value(r#""\u001b[2J\u202e`\n""#);
    let found = Contracts::default().validate(&value(r#"{"maxLength": 1, "enum": ["\u001b"]}"#), &output).unwrap();
    assert!(found.iter().all(|violation| !violation.detail.contains(['\u{1b}', '\n', '\u{202e}'])), "{found:?}");
}
