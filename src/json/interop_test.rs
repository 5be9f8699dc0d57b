#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::super::arbitrary::{number_value, value};
use super::*;

#[test]
fn integers_of_64_bits_are_kept() {
    for text in ["18446744073709551615", "-9223372036854775808"] {
        assert_eq!(number_value(text).to_serde().unwrap().to_string(), text);
    }
    assert_eq!(number_value("-0").to_serde().unwrap().to_string(), "-0.0");
    assert!(number_value("1e400").to_serde().is_err());
}

proptest! {
    #[test]
    fn there_and_back_is_the_same_value(value in value()) {
        let there = value.to_serde().unwrap();
        prop_assert_eq!(Value::from(there), value);
    }
}
