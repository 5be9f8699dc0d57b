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

#[test]
fn read_reply() {
    over_corpus("read_reply", bodies::read_reply);
}

#[test]
fn read_charter() {
    over_corpus("read_charter", bodies::read_charter);
}

#[test]
fn load_engine() {
    over_corpus("load_engine", |data| {
        bodies::load_engine(data);
    });
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

const SMALLEST: &str = include_str!("../corpus/read_charter/smallest.json");
const SMALLEST_TOML: &str = include_str!("../corpus/read_charter/smallest.toml");

/// What answers are made of.
const REPLIES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "1",
    "null",
    "\"output\":",
    "\"tool_calls\":",
    "\"delegate\":",
    "\"baton_patch\":",
    "\"agent\":",
    "\"request\":",
    "{\"tool\":\"search\"}",
    "{\"tool\":\"search\",\"arguments\":null}",
    "{\"agent\":\"helper\",\"intent\":\"x\"}",
    "{\"output\":",
    "\"x\"",
    "```json\n",
    "```\n",
    "<output>",
    "</output>",
    "{\"current_state\":[\"x\"]}",
];

proptest! {
    #[test]
    fn extract_of_anything(parts in prop::collection::vec(prop::sample::select(PIECES), 0..14)) {
        bodies::extract(parts.concat().as_bytes());
    }

    #[test]
    fn read_reply_of_anything(parts in prop::collection::vec(prop::sample::select(REPLIES), 0..12)) {
        bodies::read_reply(parts.concat().as_bytes());
    }

    #[test]
    fn read_charter_of_damaged_ones(
        of_toml in any::<bool>(), at in any::<prop::sample::Index>(), length in 0..8_usize, other in "[\\[\\]{}\",:.= a-z0-9\n]{0,4}",
    ) {
        let text = if of_toml { SMALLEST_TOML } else { SMALLEST };
        let at = at.index(text.len());
        let end = (at + length).min(text.len());
        bodies::read_charter([&text[..at], &other, &text[end..]].concat().as_bytes());
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
