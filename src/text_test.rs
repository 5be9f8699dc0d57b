#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::*;

fn characters() -> impl Iterator<Item = char> {
    (0..=0x10_FFFF_u32).filter_map(char::from_u32)
}

#[test]
fn hidden_characters_are_those_of_the_unicode_classes() {
    let classes = r"^[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{DI}\p{Noncharacter_Code_Point}\x{2800}]--\x20]$";
    let classes = regex::Regex::new(classes).unwrap();
    let mut buffer = [0; 4];
    let wrong: Vec<char> =
        characters().filter(|c| is_hidden(*c) != classes.is_match(c.encode_utf8(&mut buffer))).collect();
    assert_eq!(wrong, []);
}

#[test]
fn tags_are_hidden() {
    let tags: Vec<char> = characters().filter(|c| is_tag(*c)).collect();
    assert_eq!(tags.len(), 128);
    assert!(tags.iter().all(|tag| is_hidden(*tag)));
}

#[test]
fn hidden_characters_are_shown() {
    assert_eq!(escape_hidden("a\u{200B}b\nc\td\u{9B}"), "a\\u{200b}b\\nc\\td\\u{9b}");
    assert_eq!(escape_hidden("日本語 é 😀"), "日本語 é 😀");
}

#[test]
fn a_backslash_is_doubled_only_before_what_would_make_it_an_escape() {
    assert_eq!(escape_hidden(r"C:\dir \u0041 \x"), r"C:\dir \u0041 \x");
    assert_eq!(escape_hidden(r"C:\new \\x \u{41} \"), r"C:\\new \\\x \\u{41} \");
    assert_eq!(escape_hidden("\\\n"), r"\\\n");
}

#[test]
fn a_message_keeps_its_escapes() {
    assert_eq!(escape_message(r"`a\nb \\n`"), r"`a\nb \\n`");
    assert_eq!(escape_message("a\n\t\u{200b}\\n"), r"a\n\t\u{200b}\n");
}

#[test]
fn clipping_counts_characters() {
    assert_eq!(clip("äöüß", 4), "äöüß");
    assert_eq!(clip("äöüßx", 4), "äöü…");
    assert_eq!(clip("abc", 0), "");
}

#[test]
fn a_quotation_cannot_be_left() {
    assert_eq!(quote("a`b\n"), "`a\\u{60}b\\n`");
    assert_eq!(quote(&"x".repeat(100)).chars().count(), 62);
}

proptest! {
    #[test]
    fn escapes_can_be_undone(text in r"([\\nntu{}0-9a]|\PC|[\x00-\x1f\x{200b}\x{e0041}]){0,30}") {
        let escaped = escape_hidden(&text);
        prop_assert!(!escaped.chars().any(is_hidden));
        prop_assert_eq!(unescape_hidden(&escaped), text);
    }
}
