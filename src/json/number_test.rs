#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use super::*;

#[test]
fn spelling_does_not_count_in_equality() {
    let same = [
        ("1", "1.0"),
        ("100", "1e2"),
        ("100", "1.00E+2"),
        ("-0", "0"),
        ("0e5", "-0.00"),
        ("0.001", "1e-3"),
        ("1200", "12e2"),
        ("0.0120", "120e-4"),
        ("1e000000000000000000000000000000000000003", "1000"),
    ];
    for (one, two) in same {
        assert!(equal(one, two), "{one} {two}");
    }
}

#[test]
fn equality_rounds_nothing() {
    let other = [
        ("1", "-1"),
        ("9007199254740992", "9007199254740993"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("1e400", "1e401"),
        ("10", "1"),
        ("0", "1e-400"),
        ("1e9999999999999999999999999999999999", "1e9999999999999999999999999999999998"),
    ];
    for (one, two) in other {
        assert!(!equal(one, two), "{one} {two}");
    }
}

#[test]
fn what_a_double_keeps_is_exact() {
    let kept = [
        "0",
        "-0",
        "0.0",
        "1.0",
        "1.50",
        "1E2",
        "5e-324",
        "1.7976931348623157e308",
        "9007199254740991",
        "-9007199254740991",
        "9007199254740991.0",
        "0.1",
        "0.3333333333333333",
        "1e21",
        "1e23",
        "123456789012345e290",
        "0e99999999999999999999",
        "100000000000000000000000000e-20",
        "1e-7",
        "2.2250738585072014e-308",
    ];
    for text in kept {
        assert_eq!(inexact(text), None, "{text}");
    }
}

#[test]
fn what_a_double_changes_is_inexact() {
    let changed = [
        ("1000000000000000000000", "beyond"),
        ("10000000000000000000000", "beyond"),
        ("9007199254740992", "beyond"),
        ("-9007199254740993", "beyond"),
        ("9007199254740993.0", "beyond"),
        ("1e16", "beyond"),
        ("999999999999999868928", "beyond"),
        ("999999999999999999999", "beyond"),
        ("123456789012345678901234567890", "beyond"),
        ("1e400", "larger"),
        ("-1.7976931348623159e308", "larger"),
        ("1e-400", "smaller"),
        ("4.9e-324", "digits"),
        ("0.1000000000000000055511151231257827", "digits"),
        ("1000010002020389.8787987983", "digits"),
        ("1e9999999999999999999999999999999999", "exponent"),
    ];
    for (text, reason) in changed {
        assert!(inexact(text).is_some_and(|found| found.contains(reason)), "{text}: {:?}", inexact(text));
    }
}
