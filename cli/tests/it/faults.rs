//! The program killed, and the disk full or failing, at every step of a write: the old file or the new one stands, whole.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::program::{Folder, PROGRAM};

/// The system calls of a write; whether a call is made at all depends on the C library.
const CALLS: [&str; 12] = [
    "openat",
    "open",
    "read",
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "fchmod",
    "unlink",
    "flock",
];

/// Calls of one kind that a run is expected to make at most.
const CALLS_MAX: usize = 60;

/// A document to be replaced, in a folder of its own.
struct Bench {
    folder: Folder,
    old: String,
    new: String,
}

impl Bench {
    /// Documents of several pages, so that a torn write can be told.
    fn new() -> Self {
        let document = |value: &str| format!("{{\n  \"pad\": \"{}\",\n  \"a\": \"{value}\"\n}}\n", "x".repeat(20_000));
        let (old, new) = (document("old"), document("new"));
        let folder =
            Folder::with(&[("d.json", old.as_str()), ("p.json", "{\"a\": \"new\"}"), ("new.json", new.as_str())]);
        Self { folder, old, new }
    }

    fn restore(&self) {
        for name in self.folder.names() {
            if name != "p.json" && name != "new.json" {
                fs::remove_file(self.folder.at(name)).unwrap();
            }
        }
        fs::write(self.folder.at("d.json"), &self.old).unwrap();
        fs::set_permissions(self.folder.at("d.json"), fs::Permissions::from_mode(0o640)).unwrap();
    }

    /// Whether the file is the old one or the new one, whole.
    fn is_whole(&self) -> bool {
        let text = fs::read(self.folder.at("d.json")).unwrap_or_default();
        text == self.old.as_bytes() || text == self.new.as_bytes()
    }

    fn trace(&self, inject: &str, words: &[&str]) -> (Output, String) {
        let call = inject.split(':').next().unwrap();
        let output = Command::new("strace")
            .args(["-f", "-qq", "-o", "trace.log", "-e", &format!("trace={call}"), "-e", &format!("inject={inject}")])
            .args(words)
            .current_dir(self.folder.path())
            // The loader would look for each library in every folder of the build.
            .env_remove("LD_LIBRARY_PATH")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let log = fs::read_to_string(self.folder.at("trace.log")).unwrap_or_default();
        (output, log)
    }
}

const IN_PLACE: [&str; 5] = [PROGRAM, "merge", "d.json", "p.json", "-i"];

/// Overwrites the file as most programs do.
const NAIVE: [&str; 5] = ["dd", "if=new.json", "of=d.json", "bs=4k", "status=none"];

/// Kills the program at every one of `calls`; returns how often that happened, and how often the file was not whole.
fn campaign(calls: &[&str], words: &[&str], then: impl Fn(&Bench)) -> (usize, usize) {
    let bench = Bench::new();
    let (mut happened, mut torn) = (0, 0);
    for call in calls {
        for number in 1..=CALLS_MAX {
            bench.restore();
            let (output, _) = bench.trace(&format!("{call}:signal=KILL:when={number}"), words);
            if output.status.signal() != Some(9) {
                break;
            }
            assert!(number < CALLS_MAX, "more calls of {call} than were looked at");
            happened += 1;
            torn += usize::from(!bench.is_whole());
            then(&bench);
        }
    }
    (happened, torn)
}

/// Whether faults can be injected. Where a whole test run is expected to have them, that they cannot is a failure.
pub(crate) fn can_inject() -> bool {
    let can = Command::new("strace").args(["-o", "/dev/null", "true"]).output().is_ok_and(|ran| ran.status.success());
    assert!(can || std::env::var_os("CI").is_none(), "strace is needed here");
    if !can {
        println!("strace is not here: faults were not injected");
    }
    can
}

#[test]
fn a_kill_at_any_call_leaves_a_whole_file() {
    if !can_inject() {
        return;
    }
    let (happened, torn) = campaign(&CALLS, &IN_PLACE, |bench| {
        let again = bench.folder.run(&IN_PLACE[1..]);
        assert_eq!(again.code, Some(0), "{again:?}");
        assert_eq!(bench.folder.read("d.json"), bench.new);
        let mut names = bench.folder.names();
        names.retain(|name| name != "trace.log");
        assert_eq!(names, ["d.json", "new.json", "p.json"], "what was left behind goes");
    });
    assert!(happened >= 8, "the fault happened {happened} times only");
    assert_eq!(torn, 0);
    println!("{happened} kills injected");
}

#[test]
fn the_naive_twin_is_caught() {
    if !can_inject() {
        return;
    }
    let (happened, torn) = campaign(&["write"], &NAIVE, |_| ());
    assert!(happened >= 4 && torn > 0, "{happened} kills, {torn} torn");
}

#[test]
fn an_error_at_any_call_leaves_a_whole_file_and_is_told() {
    if !can_inject() {
        return;
    }
    let mut happened = 0;
    // Once, and from then on: a full disk stays full.
    for error in ["EIO", "ENOSPC", "EIO+", "ENOSPC+"] {
        for call in ["write", "fsync", "renameat2", "rename"] {
            let bench = Bench::new();
            for number in 1..=CALLS_MAX {
                bench.restore();
                let (error, on) = error.strip_suffix('+').map_or((error, ""), |error| (error, "+"));
                let (output, log) = bench.trace(&format!("{call}:error={error}:when={number}{on}"), &IN_PLACE);
                if !log.contains("INJECTED") {
                    break;
                }
                happened += 1;
                assert!(bench.is_whole(), "{call} {number} {error}: {output:?}");
                assert_eq!(output.status.code(), Some(5), "{call} {number} {error}: {output:?}");
                let mut names = bench.folder.names();
                names.retain(|name| name != "trace.log");
                assert_eq!(names, ["d.json", "new.json", "p.json"], "{call} {number} {error}");
                assert_eq!(fs::metadata(bench.folder.at("d.json")).unwrap().mode() & 0o777, 0o640);
            }
        }
    }
    assert!(happened >= 8, "the fault happened {happened} times only");
    println!("{happened} errors injected");
}

#[test]
fn a_kill_at_any_moment_leaves_a_whole_file() {
    let bench = Bench::new();
    let mut killed = 0;
    for round in 0..80 {
        bench.restore();
        let mut child = bench.folder.program(&IN_PLACE[1..]).stdin(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(round * 75));
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().signal() == Some(9));
        assert!(bench.is_whole(), "round {round}");
    }
    assert!(killed > 0, "no kill came in time");
    bench.folder.run(&IN_PLACE[1..]).ends(0);
    assert_eq!(bench.folder.names(), ["d.json", "new.json", "p.json"]);
}

#[test]
fn a_file_size_limit_leaves_a_whole_file() {
    let bench = Bench::new();
    bench.restore();
    // Blocks of 512 bytes; the signal is ignored so that the write fails instead.
    let script = format!("ulimit -f 8; trap '' XFSZ; exec '{PROGRAM}' merge d.json p.json -i");
    let output = Command::new("sh").args(["-c", &script]).current_dir(bench.folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("io.write"), "{output:?}");
    assert_eq!(bench.folder.read("d.json"), bench.old);
    assert_eq!(bench.folder.names(), ["d.json", "new.json", "p.json"]);
}
