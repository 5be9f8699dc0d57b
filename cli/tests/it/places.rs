//! Where documents go: links, modes, pipes, devices.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::program::{BATON, Folder, Ran};

const OLD: &str = "{\"a\": 1}\n";
const NEW: &str = "{\"a\": 2}\n";
const IN_PLACE: [&str; 4] = ["merge", "d.json", "p.json", "-i"];

fn folder() -> Folder {
    Folder::with(&[("d.json", OLD), ("p.json", "{\"a\": 2}")])
}

#[test]
fn a_symbolic_link_stays_one() {
    let folder = folder();
    fs::create_dir(folder.at("real")).unwrap();
    fs::rename(folder.at("d.json"), folder.at("real/d.json")).unwrap();
    symlink("real/d.json", folder.at("d.json")).unwrap();
    folder.run(&IN_PLACE).ends(0);
    assert!(fs::symlink_metadata(folder.at("d.json")).unwrap().is_symlink());
    assert_eq!(folder.read("real/d.json"), NEW);
    assert_eq!(fs::read_dir(folder.at("real")).unwrap().count(), 1);
}

#[test]
fn a_link_to_nothing_is_followed() {
    let folder = folder();
    fs::create_dir(folder.at("real")).unwrap();
    symlink("real/new.json", folder.at("link.json")).unwrap();
    folder.run(&["merge", "d.json", "p.json", "-o", "link.json"]).ends(0);
    assert_eq!(folder.read("real/new.json"), NEW);
    assert!(fs::symlink_metadata(folder.at("link.json")).unwrap().is_symlink());
}

#[test]
fn mode_and_owner_stay() {
    let folder = folder();
    for mode in [0o640, 0o600, 0o664, 0o755] {
        fs::write(folder.at("d.json"), OLD).unwrap();
        fs::set_permissions(folder.at("d.json"), Permissions::from_mode(mode)).unwrap();
        // Only root may give a file away; for others the call fails and the rest of the test holds.
        let given = std::os::unix::fs::chown(folder.at("d.json"), Some(12345), Some(23456)).is_ok();
        folder.run(&IN_PLACE).ends(0);
        let metadata = fs::metadata(folder.at("d.json")).unwrap();
        assert_eq!(metadata.mode() & 0o7777, mode);
        if given {
            assert_eq!((metadata.uid(), metadata.gid()), (12345, 23456));
        }
        assert_eq!(folder.read("d.json"), NEW);
    }
}

#[test]
fn an_owner_that_cannot_be_kept_is_told() {
    let folder = folder();
    if std::os::unix::fs::chown(folder.at("d.json"), Some(12345), Some(23456)).is_err() {
        return; // Only root can set this up.
    }
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(folder.at("d.json"), Permissions::from_mode(0o666)).unwrap();
    let mut command = folder.program(&IN_PLACE);
    let output = command.args(["--report", "json"]).uid(65534).gid(65534).output().unwrap();
    let ran = Ran::from(output).ends(0);
    assert_eq!(ran.codes(), ["file.owner"]);
    let metadata = fs::metadata(folder.at("d.json")).unwrap();
    assert_eq!((metadata.uid(), metadata.mode() & 0o777), (65534, 0o666));
    assert_eq!(folder.read("d.json"), NEW);
}

#[test]
fn a_read_only_file_is_refused() {
    let folder = folder();
    fs::set_permissions(folder.at("d.json"), Permissions::from_mode(0o444)).unwrap();
    for words in [&IN_PLACE[..], &["merge", "p.json", "p.json", "-o", "d.json"]] {
        let ran = folder.run(&[words, &["--report", "json"]].concat()).ends(5);
        assert_eq!(ran.codes(), ["io.write"]);
    }
    assert!(folder.run(&IN_PLACE).ends(5).err.contains("help: "));
    assert_eq!(folder.read("d.json"), OLD);
}

#[test]
fn a_file_with_two_names_is_refused() {
    let folder = folder();
    fs::hard_link(folder.at("d.json"), folder.at("e.json")).unwrap();
    let text = folder.run(&IN_PLACE).ends(5).err;
    assert!(text.contains("hard links"), "{text}");
    assert_eq!((folder.read("d.json"), folder.read("e.json")), (OLD.to_owned(), OLD.to_owned()));
}

#[test]
fn the_same_bytes_are_not_written_again() {
    let folder = Folder::with(&[("d.json", NEW), ("p.json", "{\"a\": 2}")]);
    let before = fs::metadata(folder.at("d.json")).unwrap();
    for words in [
        &IN_PLACE[..],
        &["merge", "d.json", "p.json", "-o", "d.json"],
        &["merge", "d.json", "p.json", "-o", "./d.json"],
    ] {
        folder.run(words).ends(0);
        assert_eq!(fs::metadata(folder.at("d.json")).unwrap().ino(), before.ino());
    }
    fs::write(folder.at("d.json"), OLD).unwrap();
    folder.run(&IN_PLACE).ends(0);
    assert_eq!(folder.read("d.json"), NEW);
}

#[test]
fn an_output_may_be_the_input() {
    let folder = folder();
    folder.run(&["merge", "d.json", "p.json", "-o", "d.json"]).ends(0);
    assert_eq!(folder.read("d.json"), NEW);
    assert_eq!(folder.run(&["merge", "d.json", "p.json", "-o", "-"]).ends(0).out, NEW);
}

#[test]
fn devices_and_pipes_are_written_through() {
    let folder = folder();
    assert_eq!(folder.run(&["merge", "d.json", "p.json", "-o", "/dev/stdout"]).ends(0).out, NEW);
    folder.run(&["merge", "d.json", "p.json", "-o", "/dev/null"]).ends(0);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert!(Command::new("mkfifo").arg(folder.at("pipe")).status().unwrap().success());
    let path = folder.at("pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        File::open(path).unwrap().read_to_string(&mut text).unwrap();
        text
    });
    folder.run(&["merge", "d.json", "p.json", "-o", "pipe"]).ends(0);
    assert_eq!(reader.join().unwrap(), NEW);
    let ran = folder.run(&["merge", "pipe", "p.json", "-i", "--report", "json"]).ends(5);
    assert_eq!(ran.codes(), ["io.write"]);
}

#[test]
fn a_full_device_ends_5() {
    let folder = folder();
    for words in [&["merge", "d.json", "p.json"][..], &["--help"], &["check", "d.json", "--help"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = folder.program(words).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("io.write"), "{output:?}");
    }
    folder.run(&["merge", "d.json", "p.json", "-o", "/dev/full"]).ends(5);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = folder.program(&["merge", "d.json", "p.json", "--report", "json"]).stderr(full).output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
}

#[test]
fn a_closed_pipe_is_quiet() {
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20));
    let folder = Folder::with(&[("d.json", large.as_str()), ("p.json", "{\"b\": 2}")]);
    let mut child =
        folder.program(&["merge", "d.json", "p.json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(5), &b""[..]));
}

#[test]
fn what_was_written_in_place_stands_when_it_cannot_be_told() {
    let folder = folder();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = folder.program(&IN_PLACE).arg("--report=json").stderr(full).output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert_eq!(folder.read("d.json"), NEW);
}

#[test]
fn a_name_need_not_be_unicode() {
    let folder = folder();
    let name = OsStr::from_bytes(b"b\xff\xfe.json");
    fs::rename(folder.at("d.json"), folder.at(name)).unwrap();
    folder.run(&[OsStr::new("merge"), name, OsStr::new("p.json"), OsStr::new("-i")]).ends(0);
    assert_eq!(folder.read(name), NEW);
    folder.run(&[OsStr::new("merge"), name, OsStr::new("missing")]).ends(5);
}

#[test]
fn a_long_name_leaves_room_for_the_temporary_one() {
    let folder = folder();
    let name = format!("{}.json", "é".repeat(120));
    fs::rename(folder.at("d.json"), folder.at(&name)).unwrap();
    folder.run(&["merge", &name, "p.json", "-i"]).ends(0);
    folder.run(&["merge", &name, "p.json", "-o", &name.replace("json", "jsom")]).ends(0);
    assert_eq!(folder.read(&name), NEW);
}

#[test]
fn folders_and_missing_folders_are_told() {
    let folder = folder();
    fs::create_dir(folder.at("folder")).unwrap();
    for target in ["folder", "missing/d.json", "d.json/x"] {
        let ran = folder.run(&["merge", "d.json", "p.json", "-o", target, "--report", "json"]).ends(5);
        assert_eq!(ran.codes(), ["io.write"], "{ran:?}");
    }
    let ran = folder.run(&["merge", "missing.json", "p.json", "-i", "--report", "json"]).ends(5);
    assert_eq!(ran.codes(), ["io.read"]);
    assert_eq!(folder.names(), ["d.json", "folder", "p.json"]);
}

#[test]
fn links_in_a_circle_are_not_replaced() {
    let folder = Folder::with(&[("b.json", BATON), ("p.json", r#"{"current_state": ["Built"]}"#)]);
    std::os::unix::fs::symlink("two", folder.at("one")).unwrap();
    std::os::unix::fs::symlink("one", folder.at("two")).unwrap();
    let ran = folder.run(&["apply", "b.json", "p.json", "--step", "x", "-o", "one", "--report", "json"]).ends(5);
    assert_eq!(ran.codes(), ["io.write"]);
    assert!(folder.at("one").is_symlink() && folder.at("two").is_symlink());
}
