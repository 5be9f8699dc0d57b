//! Boards: how they begin, how they are named, and what is told where they are not what they should be.

use std::fs;

use serde_json::{Value, json};

use crate::program::{BATON, Folder};

/// A folder with a baton and its board.
pub(crate) fn begun() -> Folder {
    let folder = Folder::new();
    folder.run(&["init", "--goal", "Ship it", "--tenant", "acme", "--task", "login", "-o", "baton.json"]).ends(0);
    folder
}

fn baton(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read(name)).unwrap()
}

#[test]
fn a_board_begins_beside_the_baton() {
    let folder = Folder::new();
    let ran = folder.run(&["init", "--goal", "Ship it", "-o", "baton.json", "--report", "json"]).ends(0);
    let stamp = &baton(&folder, "baton.json")["stamp"];
    let task = stamp["task"].as_str().unwrap();
    assert_eq!(stamp["tenant"], "local");
    assert!(task.strip_prefix("task-").is_some_and(|digits| digits.len() == 16), "{task}");
    assert!(stamp["head"].as_str().unwrap().starts_with("1:sha256:"), "{stamp}");
    let report = ran.report();
    assert_eq!((&report["board"], &report["task"]), (&json!("baton.board"), &stamp["task"]));
    assert!(folder.at("baton.board").is_file());
    let entry = folder.run(&["show", "0", "--json"]).ends(0).json();
    assert_eq!(
        (&entry["kind"], &entry["readers"], &entry["author"]),
        (&json!("baton"), &json!(["*"]), &json!("agent"))
    );
    assert!(entry["data"]["baton"]["stamp"].get("head").is_none(), "{entry}");
}

#[test]
fn a_baton_without_a_board_is_as_it_was() {
    let folder = Folder::new();
    let printed = folder.run(&["init", "--goal", "g"]).ends(0).json();
    assert!(printed["stamp"].get("task").is_none() && printed["stamp"].get("head").is_none(), "{printed}");
    folder.run(&["init", "--goal", "g", "--no-board", "-o", "plain.json"]).ends(0);
    folder.run(&["init", "--goal", "g", "-o", "/dev/null"]).ends(0);
    assert_eq!(folder.names(), ["plain.json"]);
    for words in [&["--tenant", "t"][..], &["--task", "k"], &["--tenant", "t", "--no-board", "-o", "x.json"]] {
        folder.run(&[&["init", "--goal", "g"], words].concat()).ends(2);
    }
    folder.run(&["init", "--goal", "g", "--no-board", "--board", "x.board"]).ends(2);
}

#[test]
fn a_board_may_be_anywhere() {
    let folder = Folder::new();
    let printed = folder.run(&["init", "--goal", "g", "--task", "k", "--board", "sqlite:other.board"]).ends(0).json();
    assert_eq!((&printed["stamp"]["tenant"], &printed["stamp"]["task"]), (&json!("local"), &json!("k")));
    assert_eq!(folder.documents(), [""; 0]);
    let by_options = ["log", "--board", "other.board", "--tenant", "local", "--task", "k"];
    assert_eq!(folder.run(&by_options).ends(0).out.lines().count(), 1);
    let told =
        folder.program(&by_options[..1]).args(&by_options[3..]).env("BATON_BOARD", "other.board").output().unwrap();
    assert!(told.status.success(), "{told:?}");
    fs::write(folder.at("b.json"), serde_json::to_string(&printed).unwrap()).unwrap();
    folder.run(&["log", "--board", "other.board", "--baton", "b.json"]).ends(0);
    assert_eq!(folder.run(&["log", "--baton", "b.json", "--report", "json"]).ends(1).codes(), ["board.missing"]);
}

#[test]
#[cfg(unix)]
fn the_board_stands_beside_the_file_that_a_link_leads_to() {
    let folder = Folder::new();
    fs::create_dir(folder.at("real")).unwrap();
    std::os::unix::fs::symlink("real/baton.json", folder.at("link.json")).unwrap();
    folder.run(&["init", "--goal", "g", "-o", "link.json"]).ends(0);
    assert!(folder.at("real/baton.board").is_file() && folder.at("real/baton.json").is_file());
    folder.run(&["log", "--baton", "link.json"]).ends(0);
    assert_eq!(folder.names(), ["link.json", "real"]);
}

#[test]
fn a_crash_between_board_and_file_is_taken_up() {
    let folder = begun();
    let first = folder.read("baton.json");
    fs::remove_file(folder.at("baton.json")).unwrap();
    let again =
        ["init", "--goal", "Ship it", "--tenant", "acme", "--task", "login", "-o", "baton.json", "--report", "json"];
    assert_eq!(folder.run(&again).ends(0).codes(), ["replayed"]);
    assert_eq!(folder.read("baton.json"), first);
    fs::remove_file(folder.at("baton.json")).unwrap();
    let other = ["init", "--goal", "Ship more", "--tenant", "acme", "--task", "login", "-o", "baton.json"];
    let text = folder.run(&other).ends(1).err;
    assert!(text.contains("board.not_empty") && text.contains("checkout newest --tenant acme --task login"), "{text}");
    assert!(!folder.at("baton.json").exists());
    folder.run(&["checkout", "newest", "--tenant", "acme", "--task", "login", "-o", "baton.json"]).ends(0);
    assert_eq!(folder.read("baton.json"), first);
    // Without a task of one's own the next baton is another task on the same board.
    folder.run(&["init", "--goal", "Ship it", "-o", "baton.json", "--force"]).ends(0);
    assert_eq!(folder.run(&["verify"]).ends(0).err, "");
}

#[test]
fn a_file_that_cannot_be_written_leaves_a_word_on_the_board() {
    let folder = Folder::new();
    let words = ["init", "--goal", "g", "-o", "none/baton.json", "--board", "x.board"];
    let told = folder.run(&words).ends(5).err;
    let task = told.split("--task ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(told.contains("x.board holds the baton") && told.contains("--tenant local"), "{told}");
    fs::create_dir(folder.at("none")).unwrap();
    let ran = folder.run(&[&words[..], &["--task", task, "--report", "json"]].concat()).ends(0);
    assert_eq!(ran.codes(), ["replayed"]);
    assert_eq!(folder.run(&["log", "--board", "x.board", "--baton", "none/baton.json"]).ends(0).out.lines().count(), 1);
}

#[test]
fn what_is_refused_begins_no_board() {
    let folder = Folder::with(&[("baton.json", "{\"goal\": \"mine\"}")]);
    folder.run(&["init", "--goal", "g", "-o", "baton.json"]).ends(5);
    folder.run(&["init", "--goal", " ", "-o", "b.json"]).ends(1);
    folder.run(&["init", "--goal", "g", "--budget", "1", "-o", "b.json"]).ends(1);
    folder.run(&["init", "--goal", "g", "--task", "two words", "-o", "b.json"]).ends(2);
    assert_eq!(folder.names(), ["baton.json"]);
}

#[test]
fn a_baton_that_names_no_board_says_how_to() {
    let folder = Folder::with(&[("baton.json", BATON)]);
    for verb in [
        &["log"][..],
        &["verify"],
        &["export"],
        &["checkout", "0"],
        &["read", "--as", "a"],
        &["post", "k", "1", "--as", "a"],
    ] {
        let ran = folder.run(&[verb, &["--report", "json"]].concat()).ends(1);
        assert_eq!(ran.codes(), ["board.unnamed"], "{verb:?}");
    }
    let text = folder.run(&["log"]).ends(1).err;
    assert!(text.contains("merge -i") && text.contains("init --tenant ID --task ID"), "{text}");
    assert_eq!(folder.names(), ["baton.json"]);
    let told = r#"{"stamp": {"tenant": "local", "task": "k1"}}"#;
    folder.run_with(&["merge", "-i", "baton.json", "-"], told).ends(0);
    folder
        .run_with(
            &["apply", "-i", "baton.json", "-", "--step", "x", "--board", "baton.board"],
            r#"{"current_state": "y"}"#,
        )
        .ends(0);
    folder.run(&["verify", "--replay"]).ends(0);
}

#[test]
fn reading_makes_no_board() {
    let folder = begun();
    for name in folder.names().iter().filter(|name| name.contains(".board")) {
        fs::remove_file(folder.at(name)).unwrap();
    }
    for verb in [
        &["log"][..],
        &["verify"],
        &["export"],
        &["checkout", "0"],
        &["show", "0"],
        &["diff", "0", "1"],
        &["read", "--as", "a"],
        &["post", "k", "1", "--as", "a"],
    ] {
        let ran = folder.run(&[verb, &["--report", "json"]].concat()).ends(1);
        assert_eq!(ran.codes(), ["board.missing"], "{verb:?}");
    }
    assert_eq!(folder.names(), ["baton.json"]);
    let text = folder.run(&["log", "--baton", "none.json"]).ends(5).err;
    assert!(text.starts_with("none.json: io.read: ") && text.contains("--tenant ID --task ID"), "{text}");
}

#[test]
fn a_foreign_task_is_refused() {
    let folder = begun();
    let other = ["--tenant", "acme", "--task", "other"];
    for verb in [
        &["log"][..],
        &["log", "--html"],
        &["log", "--json"],
        &["verify"],
        &["export"],
        &["checkout", "newest"],
        &["show", "newest"],
    ] {
        let ran = folder.run(&[verb, &other, &["--report", "json"]].concat());
        assert!(ran.out.is_empty(), "{ran:?}");
        assert_eq!(ran.ends(1).codes(), ["board.missing"], "{verb:?}");
    }
    folder.run(&["init", "--goal", "g", "--tenant", "acme", "--task", "other", "--board", "baton.board"]).ends(0);
    let words = ["checkout", "newest", "-i", "--tenant", "acme", "--task", "other", "--report", "json"];
    let before = folder.read("baton.json");
    assert_eq!(folder.run(&words).ends(1).codes(), ["board.foreign"]);
    assert_eq!(folder.read("baton.json"), before);
    let typed = folder.run(&["log", "--tenant", "two words", "--task", "x"]).ends(2);
    assert!(typed.err.contains("--tenant"), "{typed:?}");
}

#[test]
fn no_message_tells_a_password() {
    let folder = begun();
    let addresses = [
        "postgres://u:s3cret@127.0.0.1:1/d",
        "postgres://u:s3cret@127.0.0.1:1/d?sslmode=s3cret",
        "postgres://u:s3cret@[bad/d",
        "postgresql://127.0.0.1:1/d?user=u&password=s3cret",
        "mysql://u:s3cret@h/d",
        "postgres:u:s3cret@h",
        "host=h password=s3cret",
        "u:s3cret@h/d",
    ];
    for address in addresses {
        let as_board = [&["log", "--board", address][..], &["init", "--goal", "g", "--board", address]];
        // Where a file is meant, only a whole address is known for one.
        let by_mistake = [
            &["log", address][..],
            &["show", address],
            &["checkout", address],
            &["check", address],
            &["log", "--max", address],
            &["log", "--baton", address],
            &["import", address],
        ];
        let mistaken = if address.contains("://") { &by_mistake[..] } else { &[] };
        for words in as_board.iter().chain(mistaken) {
            for format in ["text", "json"] {
                let ran = folder.run(&[words, &["--report", format][..]].concat());
                assert_ne!(ran.code, Some(0), "{words:?}");
                assert!(!format!("{}{}", ran.out, ran.err).contains("s3cret"), "{words:?}: {ran:?}");
            }
        }
        let ran = folder.program(&["log"]).env("BATON_BOARD", address).output().unwrap();
        assert!(!String::from_utf8_lossy(&ran.stderr).contains("s3cret"), "{ran:?}");
    }
    assert_eq!(folder.documents(), ["baton.json"]);
}
