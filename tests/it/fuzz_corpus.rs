//! The fuzz targets' bodies over the committed corpus: what fuzzing found once stays found.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

#[path = "../../fuzz/bodies.rs"]
mod bodies;

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
fn read_json() {
    over_corpus("read_json", bodies::read_json);
}

proptest! {
    #[test]
    fn read_json_of_anything(text in "[\\[\\]{}:,\" a\\\\un0-9.eE+\\-\u{e9}\n]{0,60}") {
        bodies::read_json(text.as_bytes());
    }
}
