//! `apply --correction`: a message to the agent, and to nobody else.

use crate::program::{BATON, Folder};

const WRONG: &str = r#"{"goal": "Other"}"#;
const RIGHT: &str = r#"{"current_state": ["Built"]}"#;

fn folder() -> Folder {
    let guards = r#"{"rules": {"work_scope": "kept"}}"#;
    Folder::with(&[("b.json", BATON), ("wrong.json", WRONG), ("right.json", RIGHT), ("g.json", guards)])
}

#[test]
fn a_correction_overwrites_no_other_file() {
    let folder = folder();
    std::fs::create_dir(folder.at("sub")).unwrap();
    for name in ["b.json", "./b.json", "sub/../wrong.json", "g.json", "base.json", "new.json", "./new.json"] {
        std::fs::write(folder.at("base.json"), BATON).unwrap();
        let words = ["apply", "b.json", "wrong.json", "--step", "x", "--guards", "g.json", "--base-file", "base.json"];
        let ran = folder.run(&[&words[..], &["-o", "new.json", "--correction", name]].concat()).ends(2);
        assert!(ran.err.contains("--correction"), "{ran:?}");
    }
    assert_eq!((folder.read("b.json"), folder.read("wrong.json")), (BATON.to_owned(), WRONG.to_owned()));
    assert_eq!(folder.names(), ["b.json", "base.json", "g.json", "right.json", "sub", "wrong.json"]);
}

#[test]
fn only_a_refused_answer_leaves_a_correction() {
    for (words, code) in [
        (&["b.json", "right.json", "-i"][..], 0),
        (&["b.json", "right.json"], 0),
        (&["b.json", "missing.json"], 5),
        (&["missing.json", "right.json"], 5),
        (&["right.json", "right.json"], 1),
        (&["b.json", "right.json", "--guards", "right.json"], 3),
        (&["b.json", "right.json", "--by", "two words"], 2),
    ] {
        let folder = folder();
        let apply = |words: &[&str]| {
            folder.run(&[&["apply", "--step", "x", "--correction", "c.md", "--report", "json"], words].concat())
        };
        apply(&["b.json", "wrong.json"]).ends(1);
        assert!(folder.read("c.md").contains("guard.frozen"));
        let ran = apply(words).ends(code);
        assert!(!folder.at("c.md").exists() && ran.report()["correction"].is_null(), "{words:?}: {ran:?}");
    }
}

#[test]
fn a_file_that_is_no_correction_stays_after_a_success() {
    let folder = folder();
    std::fs::write(folder.at("notes.md"), "My notes").unwrap();
    folder.run(&["apply", "b.json", "right.json", "--step", "x", "--correction", "notes.md"]).ends(0);
    assert_eq!(folder.read("notes.md"), "My notes");
    folder.run(&["apply", "b.json", "wrong.json", "--step", "x", "--correction", "-"]).ends(1);
}
