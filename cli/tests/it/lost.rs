//! A baton's file that was lost or broken: its board names the task.

use std::fs;

use crate::entries::relayed;
use crate::program::Folder;

/// The operator's verbs on a board.
const VERBS: [&[&str]; 7] = [
    &["log"],
    &["export"],
    &["show", "newest"],
    &["why", "r1"],
    &["blame"],
    &["checkout", "newest"],
    &["diff", "0", "1"],
];

#[test]
fn a_lost_baton_is_found_on_its_board() {
    let folder = relayed();
    let before = folder.read("baton.json");
    fs::remove_file(folder.at("baton.json")).unwrap();
    for words in VERBS {
        assert!(!folder.run(words).ends(0).out.is_empty(), "{words:?}");
    }
    let told = folder.run(&["verify", "--replay"]).ends(0).out;
    assert!(
        told.contains("4 entries, nothing wrong found") && told.contains("`checkout newest -i` makes it"),
        "{told}"
    );
    folder.run(&["read", "--as", "bob"]).ends(0);
    folder.run(&["checkout", "newest", "-i"]).ends(0);
    assert_eq!(folder.read("baton.json"), before);
}

#[test]
fn a_broken_baton_is_written_anew() {
    for broken in ["{\"goal\": ", "[]", ""] {
        let folder = relayed();
        let before = folder.read("baton.json");
        fs::write(folder.at("baton.json"), broken).unwrap();
        for words in VERBS {
            assert!(!folder.run(words).ends(0).out.is_empty(), "{words:?}");
        }
        let told = folder.run(&["verify"]).ends(3).err;
        assert!(told.contains("the board itself is sound (baton.board: 4 entries"), "{told}");
        assert!(told.contains("`checkout newest -i`") && !told.contains("`verify"), "{told}");
        assert_eq!(folder.read("baton.json"), broken, "nobody asked for another");
        folder.run(&["checkout", "newest", "-i"]).ends(0);
        assert_eq!(folder.read("baton.json"), before);
        folder.run(&["verify"]).ends(0);
    }
}

#[test]
fn what_is_no_baton_and_not_beside_the_board_stays() {
    let folder = relayed();
    fs::write(folder.at("notes.txt"), "Buy milk.\n").unwrap();
    let words = ["checkout", "newest", "-i", "--baton", "notes.txt", "--board", "baton.board"];
    let told = folder.run(&words).ends(3).err;
    assert!(told.contains("checkout newest -o notes.txt"), "{told}");
    assert_eq!(folder.read("notes.txt"), "Buy milk.\n");
    // A copy that is not there yet is made.
    folder.run(&["checkout", "newest", "-i", "--baton", "copy.json", "--board", "baton.board"]).ends(0);
    assert_eq!(folder.read("copy.json"), folder.read("baton.json"));
}

#[test]
fn of_several_tasks_the_operator_chooses() {
    let folder = relayed();
    folder.run(&["init", "--goal", "g", "--tenant", "acme", "--task", "other", "--board", "baton.board"]).ends(0);
    fs::remove_file(folder.at("baton.json")).unwrap();
    let told = folder.run(&["log"]).ends(5).err;
    for part in ["baton.json: io.read", "task `login` of tenant `acme`", "task `other`", "--tenant ID --task ID"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let told = folder.run(&["read", "--as", "bob"]).ends(5).err;
    assert!(!told.contains("login") && !told.contains("other"), "an agent is told of no task: {told}");
    folder.run(&["log", "--tenant", "acme", "--task", "login"]).ends(0);
}

#[test]
fn a_board_goes_to_another_machine() {
    let (here, there) = (relayed(), Folder::new());
    let export = here.run(&["export"]).ends(0).out;
    there.run_with(&["import", "-", "--board", "copy.board"], &export).ends(0);
    for verb in [&["log"][..], &["verify", "--replay"], &["export"], &["show", "#1"]] {
        there.run(&[verb, &["--board", "copy.board"]].concat()).ends(0);
    }
    there.run(&["checkout", "newest", "-o", "baton.json", "--board", "copy.board"]).ends(0);
    let read = |folder: &Folder| serde_json::from_str::<serde_json::Value>(&folder.read("baton.json")).unwrap();
    assert_eq!(read(&there), read(&here));
}

#[test]
fn a_board_that_was_copied_without_its_log_says_so() {
    let (here, there) = (relayed(), Folder::new());
    fs::copy(here.at("baton.board"), there.at("copy.board")).unwrap();
    let told = there.run(&["log", "--board", "copy.board"]).ends(5).err;
    assert!(told.contains("`copy.board-wal`") && told.contains("left behind"), "{told}");
    fs::copy(here.at("baton.board-wal"), there.at("copy.board-wal")).unwrap();
    there.run(&["log", "--board", "copy.board"]).ends(0);
}

#[test]
fn an_edited_file_says_nothing_against_its_board() {
    let folder = relayed();
    let edited = folder.read("baton.json").replace("Reviewed", "Forged");
    fs::write(folder.at("baton.json"), &edited).unwrap();
    let told = folder.run(&["verify"]).ends(1).err;
    for part in [
        "baton.json: board.edited",
        "the board itself is sound (baton.board: 4 entries, nothing wrong found)",
        "`apply -i baton.json --edited --step STEP`",
        "`checkout newest -i`",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let ran = folder.run(&["verify", "--report", "json"]).ends(1);
    assert_eq!((ran.codes(), &ran.report()["entries"]), (vec!["board.edited".to_owned()], &serde_json::json!(4)));
}

#[test]
fn an_older_revision_in_the_file_is_not_the_way_back() {
    let folder = relayed();
    let ran = folder.run(&["checkout", "1", "-i", "--report", "json"]).ends(0);
    assert_eq!(ran.codes(), ["board.newer"]);
    assert!(ran.err.contains("still at revision 2") && ran.err.contains("diff 2 1"), "{ran:?}");
    folder.run(&["check", "baton.json"]).ends(0);
    assert!(folder.read("baton.json").contains("Reviewed"), "the board had the last word");
    // The way back is a patch.
    let back = folder.run(&["diff", "2", "1"]).ends(0).out;
    folder.run_with(&["apply", "-i", "baton.json", "-", "--step", "back"], &back).ends(0);
    let now = folder.run(&["diff", "1", "3"]).ends(0).json();
    assert_eq!(now, serde_json::json!({}), "revision 3 is revision 1 again");
    assert_eq!(folder.run(&["checkout", "newest", "-i", "--report", "json"]).ends(0).codes(), [""; 0]);
    // A copy is a branch, and stays where it is put.
    let words = ["checkout", "1", "-i", "--baton", "copy.json", "--board", "baton.board", "--report", "json"];
    assert_eq!(folder.run(&words).ends(0).codes(), [""; 0]);
}

#[test]
fn a_file_is_not_dropped_for_a_board_that_was_forged() {
    let folder = relayed();
    let forged = rusqlite::Connection::open(folder.at("baton.board")).unwrap();
    forged.execute("UPDATE entry SET bytes = replace(bytes, 'scout', 'other') WHERE author = 'scout'", []).unwrap();
    drop(forged);
    fs::write(folder.at("baton.json"), folder.read("baton.json").replace("Reviewed", "Forged")).unwrap();
    let told = folder.run(&["verify"]).ends(1).err;
    for part in
        ["board.broken: entry 3: its content was changed", "board.edited: baton.json: ", "keep the baton's file"]
    {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert!(!told.contains("checkout newest -i"), "{told}");
}
