//! What is told on standard error.

use crate::program::{BATON, Folder};

#[test]
fn nothing_hidden_reaches_the_report() {
    let folder = Folder::with(&[("b.json", BATON)]);
    let evil = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\u{e0041}";
    std::fs::write(folder.at(format!("{evil}.json")), format!("{{\"{evil}\": tru}}")).unwrap();
    let name = format!("{evil}.json");
    for words in [
        vec!["merge", name.as_str(), "b.json"],
        vec!["merge", "b.json", name.as_str()],
        vec!["check", name.as_str()],
        vec!["apply", "b.json", name.as_str(), "--step", "x"],
        vec!["extract", "missing\u{1b}[2J"],
        vec!["init", "--goal", "g", "-o", "no\u{9b}/b.json"],
        vec!["man", "\u{1b}[2J"],
        vec!["frob\u{1b}[2J"],
        vec!["apply", "b.json", "--step", "x", "--dialect", "\u{9b}2J"],
    ] {
        for format in ["text", "json"] {
            let ran = folder.run(&[&words[..], &["--report", format]].concat());
            assert_ne!(ran.code, Some(0), "{ran:?}");
            let hidden = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{e0041}".contains(c);
            assert!(!ran.err.contains(hidden) && !ran.err.is_empty(), "{words:?}: {ran:?}");
        }
    }
}

#[test]
fn colour_is_given_when_it_is_asked_for() {
    let folder = Folder::with(&[("b.json", "{}")]);
    let colored = |words: &[&str]| folder.run(&[&["check", "b.json"], words].concat()).ends(1).err.contains("\x1b[");
    assert!(!colored(&[]));
    assert!(colored(&["--color", "always"]));
    assert!(!colored(&["--color", "never"]));
}

#[test]
fn standard_input_has_a_name() {
    let folder = Folder::with(&[("b.json", BATON)]);
    let text = folder.run_with(&["check", "-"], "[\n tru]").ends(3).err;
    assert!(text.starts_with("<stdin>:2:2: json.syntax: ") && text.contains('^'), "{text}");
    let empty = folder.run_with(&["apply", "b.json", "--step", "x"], "\n").ends(3).err;
    assert!(empty.starts_with("<stdin>:") && empty.lines().count() == 1, "{empty}");
    assert!(folder.run_with(&["check", "-"], BATON).ends(0).out.starts_with("<stdin>: revision 0, "));
    let dry = folder.run_with(&["apply", "-", "b.json", "--step", "x", "--dry-run"], BATON).err;
    assert!(dry.starts_with("<stdin>: revision 1, "), "{dry}");
}

#[test]
fn every_fault_is_told_at_once() {
    let folder = Folder::with(&[("b.json", "{\"current_state\": 1, \"constraints\": {}, \"stamp\": []}")]);
    let ran = folder.run(&["check", "b.json", "--report", "json"]).ends(3);
    assert!(ran.codes().len() >= 4, "{ran:?}");
    let lines = folder.run(&["check", "b.json"]).ends(3).err;
    assert_eq!(lines.matches("baton.type").count(), 3, "{lines}");
}

#[test]
fn what_cannot_be_read_ends_5() {
    let folder = Folder::with(&[("b.json", BATON)]);
    std::fs::create_dir(folder.at("folder")).unwrap();
    for words in [&["check", "missing.json"][..], &["check", "folder"], &["merge", "b.json", "missing.json"]] {
        let ran = folder.run(&[words, &["--report", "json"]].concat()).ends(5);
        assert_eq!(ran.codes(), ["io.read"], "{ran:?}");
    }
    let text = folder.run(&["check", "missing.json"]).ends(5).err;
    assert_eq!(text, "missing.json: io.read: cannot read: no such file or directory\n");
}
