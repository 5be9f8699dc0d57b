//! The fuzz targets' bodies over the committed corpus: what fuzzing found once stays found.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

#[path = "../../fuzz/bodies.rs"]
pub(crate) mod bodies;

/// Runs `body` over every file of a target's corpus.
fn over_corpus(target: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(target);
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        body(&fs::read(&path).unwrap());
        count += 1;
    }
    assert!(count >= 5, "{} holds {count} inputs", folder.display());
}

#[test]
fn apply() {
    over_corpus("apply", bodies::apply);
}

#[test]
fn render_inverse() {
    over_corpus("render_inverse", bodies::render_inverse);
}

#[test]
fn extract() {
    over_corpus("extract", bodies::extract);
}

#[test]
fn read_json() {
    over_corpus("read_json", bodies::read_json);
}

/// What texts with patches in them are made of.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\n",
    " ",
    "\\",
    "1",
    "null",
    "x",
    "/* c */",
    "// c\n",
    "```",
    "````",
    "~~~",
    "```json\n",
    "```baton_patch\n",
    "<baton_patch>",
    "</baton_patch>",
    "<baton_patch:k7f3>",
    "</baton_patch:k7f3>",
    "<think>",
    "</think>",
    "<thinking>",
    "baton_patch",
    "{\"baton_patch\":",
    "{\"baton_patch:k7f3\":",
    "{\"a\":1}",
    "{\"current_state\":[\"x\"]}",
    "\"goal\":",
    "\u{e9}",
    "<!--",
    "`",
];

proptest! {
    #[test]
    fn extract_of_anything(parts in prop::collection::vec(prop::sample::select(PIECES), 0..14)) {
        bodies::extract(parts.concat().as_bytes());
    }

    #[test]
    fn render_inverse_of_anything(text in "[^\\x1f]{1,20}(\x1f[ -~\n\u{80}-\u{a0}\u{2000}-\u{2030}\u{e0000}-\u{e0080}]{0,30}){0,4}") {
        bodies::render_inverse(text.as_bytes());
    }

    #[test]
    fn read_json_of_anything(text in "[\\[\\]{}:,\" a\\\\un0-9.eE+\\-\u{e9}\n]{0,60}") {
        bodies::read_json(text.as_bytes());
    }
}
