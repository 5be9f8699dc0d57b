//! Boards that are not what they should be, and what no board may do to a terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;
use serde_json::json;

use crate::boards::begun;
use crate::entries::relayed;
use crate::program::{Folder, PROGRAM};

/// Every verb that opens a board, with words that it is content with.
const VERBS: [&[&str]; 11] = [
    &["log"],
    &["log", "--json", "--max", "1"],
    &["show", "1"],
    &["checkout", "newest"],
    &["diff", "0", "1"],
    &["export"],
    &["verify"],
    &["verify", "--replay"],
    &["read", "--as", "bob"],
    &["read", "--as", "bob", "--key", "finding", "--newest"],
    &["post", "k", "1", "--as", "bob"],
];

fn open(folder: &Folder) -> Connection {
    Connection::open(folder.at("baton.board")).unwrap()
}

/// Brings everything into the one file, and takes away what stands beside it.
fn settle(folder: &Folder) {
    open(folder).query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    for beside in ["baton.board-wal", "baton.board-shm", "baton.board-lock"] {
        let _ = fs::remove_file(folder.at(beside));
    }
}

#[track_caller]
fn every_verb_is_refused(folder: &Folder, code: &str, exit: i32) {
    for words in VERBS {
        let ran = folder.run(&[words, &["--report", "json"]].concat()).ends(exit);
        assert_eq!(ran.codes(), [code], "{words:?}");
        let text = folder.run(words).ends(exit).err;
        assert!(text.starts_with(&format!("baton.board: {code}: ")), "{words:?}: {text}");
    }
}

#[test]
fn what_is_no_board_is_left_alone() {
    let folder = begun();
    settle(&folder);
    let other = Folder::new();
    Connection::open(other.at("other.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        .unwrap();
    for bytes in [b"not a board\n".repeat(400), b"{}".to_vec(), fs::read(other.at("other.db")).unwrap()] {
        fs::write(folder.at("baton.board"), &bytes).unwrap();
        every_verb_is_refused(&folder, "store.foreign", 5);
        let words = ["init", "--goal", "g", "-o", "more.json", "--board", "baton.board", "--report", "json"];
        assert_eq!(folder.run(&words).ends(5).codes(), ["store.foreign"]);
        assert_eq!(fs::read(folder.at("baton.board")).unwrap(), bytes);
    }
    assert_eq!(folder.documents(), ["baton.json"]);
    fs::remove_file(folder.at("baton.board")).unwrap();
    fs::create_dir(folder.at("baton.board")).unwrap();
    for words in VERBS {
        folder.run(words).ends(5);
    }
}

#[test]
fn a_newer_board_is_left_alone() {
    let folder = relayed();
    open(&folder).pragma_update(None, "user_version", 99).unwrap();
    every_verb_is_refused(&folder, "store.newer", 5);
}

#[test]
fn a_changed_entry_is_found() {
    let folder = relayed();
    let change = |sql: &str| {
        let folder = relayed();
        let connection = open(&folder);
        assert!(connection.execute(sql, []).unwrap() > 0);
        drop(connection);
        folder
    };
    for sql in [
        "UPDATE entry SET bytes = replace(bytes, 'argon2', 'md5')",
        "UPDATE entry SET author = 'mallory' WHERE kind = 'fact'",
        "UPDATE entry SET key = 'baton/9' WHERE key = 'baton/1'",
        "UPDATE entry SET digest = zeroblob(32) WHERE kind = 'fact'",
    ] {
        let folder = change(sql);
        let ran = folder.run(&["verify", "--report", "json"]).ends(1);
        assert!(ran.codes().iter().all(|code| code == "board.broken"), "{sql}: {ran:?}");
        assert_eq!(folder.run(&["export", "--report", "json"]).ends(1).codes(), ["board.broken"], "{sql}");
    }
    for sql in ["DELETE FROM entry WHERE kind = 'fact'", "DELETE FROM entry WHERE key = 'baton/2'", "DELETE FROM entry"]
    {
        folder.run(&["verify"]).ends(0);
        let ran = change(sql).run(&["verify", "--report", "json"]);
        assert!(matches!(ran.code, Some(1 | 5)), "{sql}: {ran:?}");
    }
}

#[test]
fn a_damaged_file_gives_what_was_recorded_or_nothing() {
    let folder = relayed();
    let export = folder.run(&["export"]).ends(0).out;
    settle(&folder);
    let sound = fs::read(folder.at("baton.board")).unwrap();
    let (mut refused, mut tried) = (0, 0);
    for at in (0..sound.len()).step_by(sound.len() / 150) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x5a;
        fs::write(folder.at("baton.board"), &bytes).unwrap();
        for words in [&["export"][..], &["verify"]] {
            let ran = folder.run(words);
            tried += 1;
            refused += usize::from(ran.code != Some(0));
            assert!(matches!(ran.code, Some(0 | 1 | 5)), "{at}: {ran:?}");
            assert!(ran.code != Some(0) || words != ["export"] || ran.out == export, "{at}: {ran:?}");
            assert!(
                !ran.err.contains("panicked") && !ran.err.contains(|c: char| c.is_control() && c != '\n'),
                "{ran:?}"
            );
        }
        for beside in ["baton.board-wal", "baton.board-shm"] {
            let _ = fs::remove_file(folder.at(beside));
        }
    }
    assert!(refused > 10 && tried > 200, "{refused} of {tried} were refused");
}

#[test]
fn where_nothing_can_be_written_a_board_can_be_read() {
    // Root may write anywhere: there the program is run as somebody else, who needs a copy that can be reached.
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let folder = relayed();
    settle(&folder);
    let program = folder.at("program");
    fs::copy(PROGRAM, &program).unwrap();
    for (name, mode) in [("baton.board", 0o444), ("baton.json", 0o444), ("program", 0o555), ("", 0o555)] {
        fs::set_permissions(folder.at(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let run = |words: &[&str]| {
        let mut command = Command::new(&program);
        command.args(words).current_dir(folder.path()).env_remove("BATON_BOARD").stdin(Stdio::null());
        if is_root {
            command.uid(65_534).gid(65_534);
        }
        command.output().unwrap()
    };
    let log = run(&["log"]);
    assert_eq!(log.status.code(), Some(0), "{log:?}");
    assert_eq!(String::from_utf8_lossy(&log.stdout).lines().count(), 4);
    assert_eq!(run(&["verify", "--replay"]).status.code(), Some(0));
    for words in [
        &["post", "k", "1", "--as", "a", "--report", "json"][..],
        &["init", "--goal", "g", "-o", "b.json", "--report", "json"],
    ] {
        let ran = run(words);
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(5), "{words:?}: {told}");
        let code = serde_json::from_str::<serde_json::Value>(&told).unwrap()["refusals"][0]["code"].clone();
        assert!(["store.read_only", "store.denied"].map(|code| json!(code)).contains(&code), "{told}");
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(folder.names(), ["baton.board", "baton.json", "program"]);
}

#[test]
fn nothing_hidden_comes_out_of_a_board() {
    let evil = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\u{2028}\u{e0041}x";
    let hidden = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{2028}\u{e0041}".contains(c);
    let folder = begun();
    let data = json!({evil: [evil]}).to_string();
    let posted = folder.run(&["post", "k", &data, "--as", "a", "--everyone"]).ends(0).out;
    let words = ["apply", "-i", "baton.json", "-", "--step", "x", "--board", "baton.board"];
    folder.run_with(&words, &json!({"current_state": ["y"], "note": {"a": "\u{202e}\u{2028}x"}}).to_string()).ends(0);
    for words in [
        &["log"][..],
        &["show", "1"],
        &["show", posted.trim()],
        &["read", "--as", "b"],
        &["read", posted.trim(), "--as", "b"],
        &["verify", "--replay"],
        &["diff", "0", "1", "--rendering"],
    ] {
        let ran = folder.run(words).ends(0);
        assert!(!ran.out.contains(hidden) && !ran.err.contains(hidden), "{words:?}: {ran:?}");
    }
    assert!(folder.run(&["show", posted.trim()]).ends(0).out.contains("\\u202e"));
    // Names of boards and of batons are told, too.
    let name = format!("{evil}.board");
    fs::copy(folder.at("baton.json"), folder.at(format!("{evil}.json"))).unwrap();
    for board in [name.as_str(), "no\u{9b}/x.board"] {
        for words in [
            &["log", "--board", board][..],
            &["verify", "--board", board],
            &["init", "--goal", "g", "--board", board],
            &["verify", "--board", board],
            &["log", "--baton", &format!("{evil}.json"), "--board", "missing.board"],
            &["show", evil],
            &["checkout", evil],
            &["read", evil, "--as", "a"],
            &["post", evil, "1", "--as", evil],
            &["import", board],
        ] {
            for format in ["text", "json"] {
                let ran = folder.run(&[words, &["--report", format]].concat());
                assert!(!ran.err.contains(hidden), "{words:?}: {ran:?}");
                assert!(words[0] == "init" || !ran.out.contains(hidden), "{words:?}: {ran:?}");
            }
        }
    }
    assert!(Path::new(&folder.at(&name)).exists());
}

/// An index that was emptied, in a schema that reads as ever.
#[test]
fn an_index_that_does_not_fit_is_found() {
    let folder = relayed();
    folder.run(&["verify", "--replay"]).ends(0);
    settle(&folder);
    let connection = open(&folder);
    connection
        .execute_batch("CREATE INDEX empty ON entry (kind) WHERE kind = 'none'; PRAGMA writable_schema = ON")
        .unwrap();
    let swap = "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'empty') \
                WHERE name = (SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%kind, key%'); \
                DELETE FROM sqlite_schema WHERE name = 'empty'";
    connection.execute_batch(swap).unwrap();
    drop(connection);
    let ran = folder.run(&["verify", "--replay", "--report", "json"]).ends(5);
    assert_eq!(ran.codes(), ["store.damaged"]);
}
