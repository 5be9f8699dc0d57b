//! Whole boards: out of one store, into another, and whether they are what was recorded.

use std::fs;

use serde_json::{Value, json};

use crate::entries::relayed;
use crate::program::Folder;

/// The digest of an entry whose members need no other order than serde_json's map has.
pub(crate) fn digest(entry: &Value) -> String {
    let value =
        relay_baton::json::read(&entry.to_string(), &relay_baton::json::Limits::default()).unwrap().into_owned();
    relay_baton::json::digest(&relay_baton::json::canonical(&value))
}

/// The lines of an export, with the one of `seq` changed and everything after it worked out anew.
fn forged(export: &str, seq: usize, change: impl Fn(&mut Value)) -> String {
    let mut prev = Value::Null;
    let mut out = String::new();
    for (place, line) in export.lines().enumerate() {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        let told = entry.as_object_mut().unwrap().remove("digest").unwrap();
        if place + 1 >= seq {
            if place + 1 == seq {
                change(&mut entry);
            }
            if place + 1 > seq {
                entry["prev"] = prev;
            }
            let made = digest(&entry);
            entry["digest"] = json!(made);
            prev = json!(made);
        } else {
            entry["digest"] = told.clone();
            prev = told;
        }
        out.push_str(&format!("{entry}\n"));
    }
    out
}

#[test]
fn an_export_comes_back_byte_for_byte() {
    let folder = relayed();
    let export = folder.run(&["export"]).ends(0).out;
    assert_eq!(export.lines().count(), 4);
    let told = folder.run(&["export", "-o", "task.jsonl", "--report", "json"]).ends(0).report();
    assert_eq!((&told["entries"], folder.read("task.jsonl")), (&json!(4), export.clone()));
    let ran = folder.run(&["import", "task.jsonl", "--board", "copy.board", "--report", "json"]).ends(0);
    assert_eq!((&ran.report()["entries"], &ran.report()["task"]), (&json!(4), &json!("login")));
    assert_eq!(folder.run(&["export", "--board", "copy.board"]).ends(0).out, export);
    let baton: Value = serde_json::from_str(&folder.read("baton.json")).unwrap();
    assert_eq!(folder.run(&["checkout", "newest", "--board", "copy.board"]).ends(0).json(), baton);
    folder.run(&["verify", "--replay", "--board", "copy.board"]).ends(0);
    let again = folder.run(&["import", "task.jsonl", "--board", "copy.board", "--report", "json"]).ends(0);
    assert_eq!(again.report()["entries"], 0);
    let words = ["apply", "-i", "baton.json", "-", "--step", "more", "--board", "copy.board"];
    folder.run_with(&words, r#"{"current_state": "On the copy"}"#).ends(0);
    folder.run(&["verify", "--replay", "--board", "copy.board"]).ends(0);
}

#[test]
#[cfg(unix)]
fn an_export_goes_over_another_kind_of_store_and_back() {
    let Some(url) = relay_baton_postgres_server::url().unwrap() else { return };
    let folder = relayed();
    let export = folder.run(&["export"]).ends(0).out;
    let ran = folder.run_with(&["import", "--board", &url, "--report", "json"], &export).ends(0);
    assert_eq!(ran.report()["entries"], 4);
    assert_eq!(folder.run(&["export", "--board", &url]).ends(0).out, export);
    let log = folder.program(&["log"]).env("BATON_BOARD", &url).output().unwrap();
    assert_eq!(log.stdout, folder.run(&["log"]).ends(0).out.into_bytes());
    assert_eq!(folder.run(&["checkout", "1", "--board", &url]).ends(0).out, folder.run(&["checkout", "1"]).ends(0).out);
    let verified = folder.run(&["verify", "--replay", "--board", &url]).ends(0).out;
    assert!(verified.starts_with("postgres board: 4 entries"), "{verified}");
    let (role, rest) = url.split_once("://").unwrap().1.split_once(':').unwrap();
    let (password, place) = rest.split_once('@').unwrap();
    let bare = format!("postgres://{role}@{place}");
    assert!(folder.program(&["log", "--board", &bare]).env("PGPASSWORD", password).output().unwrap().status.success());
    let wrong = folder.program(&["log", "--board", &bare]).env("PGPASSWORD", "wr0ng").output().unwrap();
    let told = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(5), "{told}");
    assert!(
        told.starts_with("postgres board: store.denied") && !told.contains("wr0ng") && !told.contains(place),
        "{told}"
    );
}

#[test]
fn an_interrupted_import_is_taken_up() {
    let folder = relayed();
    let export = folder.run(&["export"]).ends(0).out;
    let half: String = export.lines().take(2).map(|line| format!("{line}\n")).collect();
    folder.run_with(&["import", "--board", "copy.board"], &half).ends(0);
    let ran = folder.run_with(&["import", "--board", "copy.board", "--report", "json"], &export).ends(0);
    assert_eq!(ran.report()["entries"], 2);
    assert_eq!(folder.run(&["export", "--board", "copy.board"]).ends(0).out, export);
    let other = forged(&export, 2, |entry| entry["author"] = json!("mallory"));
    let ran = folder.run_with(&["import", "--board", "copy.board", "--report", "json"], &other).ends(1);
    assert_eq!(ran.codes(), ["board.not_empty"]);
    assert_eq!(folder.run(&["export", "--board", "copy.board"]).ends(0).out, export);
}

#[test]
fn what_is_no_export_is_refused_with_its_line() {
    let folder = relayed();
    let export = folder.run(&["export"]).ends(0).out;
    let lines: Vec<&str> = export.lines().collect();
    let changed = export.replace("\"Reviewed\"", "\"Forged\"");
    let missing = format!("{}\n{}\n", lines[0], lines[2]);
    let swapped = format!("{}\n{}\n{}\n", lines[0], lines[2], lines[1]);
    let unchained = forged(&export, 3, |entry| entry["prev"] = json!(digest(&json!("x"))));
    let foreign = forged(&export, 3, |entry| entry["task"] = json!("other"));
    for (text, line, code, exit) in [
        (changed, 4, "board.broken", 1),
        (missing, 2, "board.broken", 1),
        (swapped, 2, "board.broken", 1),
        (unchained, 3, "board.broken", 1),
        (foreign, 3, "board.foreign", 1),
        (format!("{}\n\n{{\"seq\": 2}}\n", lines[0]), 3, "board.broken", 1),
        (format!("{}\n{}", lines[0], &lines[1][..lines[1].len() - 9]), 2, "json.syntax", 3),
        (format!("{}\n[1]\n", lines[0]), 2, "board.broken", 1),
        ("no JSON\n".to_owned(), 1, "json.syntax", 3),
        (lines[1].to_owned(), 1, "board.broken", 1),
    ] {
        fs::write(folder.at("bad.jsonl"), &text).unwrap();
        let ran = folder.run(&["import", "bad.jsonl", "--board", "copy.board", "--report", "json"]).ends(exit);
        assert_eq!(ran.codes(), [code], "{text}");
        assert_eq!(ran.report()["refusals"][0]["line"], line, "{ran:?}");
        let told = folder.run(&["import", "bad.jsonl", "--board", "copy.board"]).ends(exit).err;
        assert!(told.starts_with(&format!("bad.jsonl:{line}:")), "{told}");
        for name in folder.names().iter().filter(|name| name.starts_with("copy.board")) {
            fs::remove_file(folder.at(name)).unwrap();
        }
    }
    assert_eq!(folder.run_with(&["import", "--report", "json"], "").ends(3).codes(), ["json.empty"]);
    let told = ["import", "--board", "copy.board", "--tenant", "acme", "--task", "other", "--report", "json"];
    assert_eq!(folder.run_with(&told, &export).ends(1).codes(), ["board.foreign"]);
    let own = ["import", "--board", "copy.board", "--baton", "baton.json"];
    folder.run_with(&own, &export).ends(0);
}

#[test]
fn a_cut_tail_is_found_against_a_head() {
    let folder = relayed();
    let sound = folder.run(&["verify"]).ends(0).out;
    assert!(sound.contains("4 entries") && sound.contains("the entry of the expected head is there"), "{sound}");
    let export = folder.run(&["export"]).ends(0).out;
    let head = folder.run(&["verify", "--report", "json"]).ends(0).report()["head"].as_str().unwrap().to_owned();
    let cut: String = export.lines().take(2).map(|line| format!("{line}\n")).collect();
    folder.run_with(&["import", "--board", "cut.board"], &cut).ends(0);
    let of_file = folder.run(&["verify", "--board", "cut.board", "--report", "json"]).ends(1);
    assert_eq!(of_file.codes(), ["board.cut"]);
    let alone = ["verify", "--board", "cut.board", "--tenant", "acme", "--task", "login"];
    let told = folder.run(&alone).ends(0).out;
    assert!(told.contains("2 entries") && told.contains("cannot tell whether the last entries were cut off"), "{told}");
    let expected = [&alone[..], &["--head", &head, "--report", "json"]].concat();
    assert_eq!(folder.run(&expected).ends(1).codes(), ["board.cut"]);
    let anew = forged(&export, 2, |entry| entry["data"]["submitted"] = json!({"current_state": ["Other"]}));
    folder.run_with(&["import", "--board", "anew.board"], &anew).ends(0);
    assert_eq!(folder.run(&["verify", "--board", "anew.board", "--report", "json"]).ends(1).codes(), ["board.broken"]);
    folder.run(&["verify", "--head", "3"]).ends(2);
    folder.run(&["verify", "--head", "0:sha256:00"]).ends(2);
    let baton = folder.read("baton.json");
    fs::write(folder.at("baton.json"), baton.replace(&head, "4:none")).unwrap();
    assert_eq!(folder.run(&["verify", "--report", "json"]).ends(1).codes(), ["board.edited"]);
}

#[test]
fn a_file_that_is_not_what_was_recorded_is_found() {
    let folder = relayed();
    let sound = folder.run(&["verify"]).ends(0).out;
    assert!(sound.ends_with("baton.json: as the board has it, at revision 2\n"), "{sound}");
    folder.run(&["checkout", "1", "-o", "old.json"]).ends(0);
    let words = ["verify", "--baton", "old.json", "--board", "baton.board"];
    let told = folder.run(&words).ends(0).out;
    assert!(
        told.contains(
            "old.json: as the board had it at revision 1; it is at 2 now: `checkout newest -i --baton old.json`"
        ),
        "{told}"
    );
    fs::write(folder.at("old.json"), folder.read("old.json").replace("Built", "Forged")).unwrap();
    assert_eq!(folder.run(&[&words[..], &["--report", "json"]].concat()).ends(1).codes(), ["board.edited"]);
    assert!(folder.run(&words).ends(1).err.contains("checkout newest -i"));
}

#[test]
fn an_empty_board_has_nothing_to_export() {
    let folder = relayed();
    let other = ["--tenant", "acme", "--task", "other", "--report", "json"];
    assert_eq!(folder.run(&[&["export"][..], &other].concat()).ends(1).codes(), ["board.missing"]);
    assert_eq!(folder.run(&[&["verify"][..], &other].concat()).ends(1).codes(), ["board.missing"]);
    let bare = Folder::new();
    assert_eq!(bare.run(&[&["verify"][..], &other].concat()).ends(1).codes(), ["board.missing"]);
}

#[test]
#[cfg(unix)]
fn an_output_that_takes_nothing_is_told() {
    let folder = relayed();
    let into = |words: &str| {
        let script = format!("\"$0\" {words}");
        let output = std::process::Command::new("sh")
            .args(["-c", &script, crate::program::PROGRAM])
            .current_dir(folder.path())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for verb in ["export", "log", "log --json", "read --as a", "verify", "show 1"] {
        let (code, told) = into(&format!("{verb} >/dev/full"));
        assert_eq!((code, told.contains("io.write")), (Some(5), true), "{verb}: {told}");
        let (_, told) = into(&format!("{verb} | true"));
        assert_eq!(told, "", "{verb}");
    }
    let (code, told) = into("export -o /dev/full");
    assert_eq!((code, told.contains("/dev/full: io.write")), (Some(5), true), "{told}");
}

#[test]
fn a_damaged_export_gives_what_was_recorded_or_nothing() {
    let folder = relayed();
    let export = folder.run(&["export"]).ends(0).out;
    let (mut state, mut refused) = (7396_u64, 0);
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for round in 0..150 {
        let mut bytes = export.clone().into_bytes();
        let at = next(bytes.len());
        match round % 3 {
            0 => bytes[at] ^= 1 << next(7),
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, b"0\"{}[],:\n e-\\"[next(12)]),
        }
        fs::write(folder.at("bad.jsonl"), &bytes).unwrap();
        let board = format!("{round}.board");
        let ran = folder.run(&["import", "bad.jsonl", "--board", &board]);
        assert!(matches!(ran.code, Some(0 | 1 | 3)), "{round}: {ran:?}");
        if ran.code == Some(0) {
            assert_eq!(folder.run(&["export", "--board", &board]).ends(0).out, export, "{round}: {ran:?}");
        } else {
            refused += 1;
            assert!(ran.err.starts_with("bad.jsonl:"), "{ran:?}");
        }
    }
    assert!(refused > 100, "{refused} were refused");
}
