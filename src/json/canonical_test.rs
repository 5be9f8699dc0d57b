#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::super::arbitrary::{number_value, value};
use super::super::{Limits, read};
use super::*;

/// RFC 8785, appendix B.
const SAMPLES: [(u64, &str); 24] = [
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xc340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23"),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x41b3_de43_5555_5553, "333333333.3333332"),
    (0x41b3_de43_5555_5554, "333333333.33333325"),
    (0x41b3_de43_5555_5555, "333333333.3333333"),
    (0x41b3_de43_5555_5556, "333333333.3333334"),
    (0x41b3_de43_5555_5557, "333333333.33333343"),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
];

fn text(value: &Value<'_>) -> String {
    String::from_utf8(canonical(value)).unwrap()
}

#[test]
fn numbers_of_the_rfc() {
    for (bits, expected) in SAMPLES {
        let double = f64::from_bits(bits);
        assert_eq!(ryu_js::Buffer::new().format_finite(double), expected);
        let written = format!("{double:e}");
        if number::inexact(&written).is_none() {
            assert_eq!(text(&number_value(&written)), expected);
        }
    }
}

#[test]
fn spelling_and_order_vanish() {
    let read = read(
        "{\"\\u20ac\":1.0,\"\\r\":-0,\"😀\":1E2,\"\u{FB33}\":\"\\u000f\\/\\u2028\",\"a\":[5e-1]}",
        &Limits::default(),
    );
    let expected = "{\"\\r\":0,\"a\":[0.5],\"€\":1,\"😀\":100,\"\u{FB33}\":\"\\u000f/\u{2028}\"}";
    assert_eq!(text(&read.unwrap()), expected);
}

#[test]
fn a_number_without_canonical_form_keeps_its_own_bytes() {
    assert_ne!(canonical(&number_value("9007199254740992")), canonical(&number_value("9007199254740993")));
    assert_eq!(text(&number_value("1e400")), "1e400");
}

#[test]
fn a_digest_is_sha_256() {
    assert_eq!(digest(b"abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

proptest! {
    #[test]
    fn another_canonicalizer_agrees(value in value()) {
        let theirs = serde_json_canonicalizer::to_vec(&value.to_serde().unwrap()).unwrap();
        prop_assert_eq!(text(&value), String::from_utf8(theirs).unwrap());
    }

    #[test]
    fn equal_values_have_equal_bytes(one in value(), two in value()) {
        prop_assert_eq!(one == two, canonical(&one) == canonical(&two));
    }
}
