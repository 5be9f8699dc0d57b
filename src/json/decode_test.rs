#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use super::*;

fn detail(bytes: &[u8]) -> (Code, String, usize) {
    let refusal = decode(bytes, &Limits::default()).unwrap_err();
    (refusal.code, refusal.detail, refusal.position.unwrap().offset)
}

#[test]
fn good_bytes_are_text() {
    assert_eq!(decode("{\"é\":\"😀\"}".as_bytes(), &Limits::default()), Ok("{\"é\":\"😀\"}"));
    assert_eq!(decode(b"1", &Limits::default()), Ok("1"));
}

#[test]
fn nothing_is_said_to_be_nothing() {
    assert_eq!(detail(b"").0, Code::JsonEmpty);
    assert!(detail(b"").1.contains("is empty"));
    assert!(detail(b" \r\n\t").1.contains("only white space"));
}

#[test]
fn the_limit_of_bytes_is_inclusive() {
    let limits = Limits::default().with_bytes(4);
    assert!(decode(b"1234", &limits).is_ok());
    assert_eq!(decode(b"12345", &limits).unwrap_err().code, Code::JsonSize);
}

#[test]
fn every_other_encoding_is_named() {
    let cases: [(&[u8], &str, usize); 14] = [
        (b"\xEF\xBB\xBF{}", "UTF-8 byte-order mark", 0),
        (b"\xFF\xFE{\0}\0", "UTF-16 (little-endian, with", 0),
        (b"\xFE\xFF\0{\0}", "UTF-16 (big-endian, with", 0),
        (b"{\0}\0", "UTF-16 (little-endian)", 0),
        (b"\0{\0}", "UTF-16 (big-endian)", 0),
        (b"\xFF\xFE\0\0{\0\0\0", "UTF-32 (little-endian, with", 0),
        (b"\0\0\xFE\xFF\0\0\0{", "UTF-32 (big-endian, with", 0),
        (b"{\0\0\0}\0\0\0", "UTF-32 (little-endian)", 0),
        (b"\"\xC0\xAF\"", "overlong", 1),
        (b"\"\xE0\x80\x80\"", "overlong", 1),
        (b"\"\xED\xA0\x80\"", "surrogate", 1),
        (b"\"\xF5\x80\x80\x80\"", "beyond U+10FFFF", 1),
        (b"\"\x80\"", "did not start", 1),
        (b"\"\xC3", "cut off", 1),
    ];
    for (bytes, what, offset) in cases {
        let (code, detail, at) = detail(bytes);
        assert_eq!((code, at), (Code::JsonEncoding, offset), "{detail}");
        assert!(detail.contains(what), "{detail}");
    }
}

#[test]
fn a_bad_byte_has_line_and_column() {
    let refusal = decode(b"{\n \"\xC3\xA9\xFF\"}", &Limits::default()).unwrap_err();
    assert_eq!(refusal.position, Some(Position { offset: 6, line: 2, column: 4 }));
}
