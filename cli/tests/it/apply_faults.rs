//! `apply` at a board, killed or failing at every system call: nothing acknowledged is lost, nothing is done twice, and
//! the same command again comes to the same end.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use crate::faults::can_inject;
use crate::program::{Folder, PROGRAM};

/// The system calls by which files are changed, and those before them.
const CALLS: [&str; 14] = [
    "openat",
    "read",
    "pread64",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat2",
    "ftruncate",
    "unlink",
    "fcntl",
    "flock",
    "mmap",
];

/// Calls of one kind that a run is expected to make at most.
const CALLS_MAX: usize = 120;

const WORDS: [&str; 7] = [PROGRAM, "apply", "-i", "baton.json", "answer.json", "--step", "build"];

/// A baton with its board, copied anew for each fault.
struct Bench {
    folder: Folder,
    files: Vec<(String, Vec<u8>)>,
}

impl Bench {
    fn new() -> Self {
        let folder = Folder::new();
        folder.run(&["init", "--goal", "Ship it", "-o", "baton.json"]).ends(0);
        fs::write(folder.at("answer.json"), r#"{"decision_log": ["Use Rust"]}"#).unwrap();
        let files = folder.names().into_iter().map(|name| (name.clone(), fs::read(folder.at(&name)).unwrap()));
        let files = files.collect();
        Self { folder, files }
    }

    fn restore(&self) {
        for name in self.folder.names() {
            fs::remove_file(self.folder.at(name)).unwrap();
        }
        for (name, bytes) in &self.files {
            fs::write(self.folder.at(name), bytes).unwrap();
        }
    }

    fn trace(&self, inject: &str) -> (Output, bool) {
        let call = inject.split(':').next().unwrap();
        let log = std::env::temp_dir().join(format!("baton-patch-trace-{}.log", std::process::id()));
        let output = Command::new("strace")
            .args(["-f", "-qq", "-o", log.to_str().unwrap(), "-e", &format!("trace={call}")])
            .args(["-e", &format!("inject={inject}")])
            .args(WORDS)
            .current_dir(self.folder.path())
            .env_remove("LD_LIBRARY_PATH")
            .env_remove("BATON_BOARD")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let injected = fs::read_to_string(&log).unwrap_or_default().contains("INJECTED");
        (output, injected)
    }

    /// The number of decisions in the file, and of entries on the board.
    fn stands(&self) -> (usize, usize) {
        let baton: serde_json::Value = serde_json::from_str(&self.folder.read("baton.json")).unwrap();
        let decisions = baton["decision_log"].as_array().unwrap().len();
        let log = self.folder.run(&["log", "--json"]).ends(0);
        (decisions, log.out.lines().count())
    }

    /// What is wrong after a run that ended in `acknowledged` or not.
    fn check(&self, what: &str, acknowledged: bool) {
        let (decisions, entries) = self.stands();
        assert!(decisions < entries, "{what}: the file is ahead of the board: {decisions} of {entries}");
        if acknowledged {
            assert_eq!((decisions, entries), (1, 2), "{what}");
        }
        self.folder.run(&["verify", "--replay"]).ends(0);
        // The same again, as a pipeline does.
        self.folder.run(&WORDS[1..]).ends(0);
        assert_eq!(self.stands(), (1, 2), "{what}: done twice, or not at all");
        self.folder.run(&["check", "baton.json"]).ends(0);
    }
}

#[test]
fn a_kill_at_any_call_loses_nothing_and_repeats_nothing() {
    if !can_inject() {
        return;
    }
    let bench = Bench::new();
    let (mut happened, mut between) = (0, 0);
    for call in CALLS {
        for number in 1..=CALLS_MAX {
            bench.restore();
            let (output, _) = bench.trace(&format!("{call}:signal=KILL:when={number}"));
            if output.status.signal() != Some(9) {
                break;
            }
            assert!(number < CALLS_MAX, "more calls of {call} than were looked at");
            happened += 1;
            let (decisions, entries) = bench.stands();
            between += usize::from((decisions, entries) == (0, 2));
            bench.check(&format!("killed at {call} {number}"), false);
        }
    }
    assert!(happened >= 60, "the fault happened {happened} times only");
    assert!(between >= 3, "no kill came between the board and the file: {between}");
    println!("{happened} kills injected, {between} between the board and the file");
}

#[test]
fn an_error_at_any_call_loses_nothing_and_is_told() {
    if !can_inject() {
        return;
    }
    let bench = Bench::new();
    let mut happened = 0;
    for error in ["EIO", "ENOSPC+"] {
        for call in ["write", "pwrite64", "fsync", "fdatasync", "rename", "renameat2", "ftruncate"] {
            let (error, on) = error.strip_suffix('+').map_or((error, ""), |error| (error, "+"));
            for number in 1..=CALLS_MAX {
                bench.restore();
                let (output, injected) = bench.trace(&format!("{call}:error={error}:when={number}{on}"));
                if !injected {
                    break;
                }
                happened += 1;
                let what = format!("{error} at {call} {number}: {output:?}");
                let code = output.status.code();
                assert!(code == Some(5) || code == Some(0), "{what}");
                let told = String::from_utf8_lossy(&output.stderr);
                assert!(
                    code == Some(0) || told.contains("store.") || told.contains("io.write") || told.is_empty(),
                    "{what}"
                );
                bench.check(&what, code == Some(0));
            }
        }
    }
    assert!(happened >= 12, "the fault happened {happened} times only");
    println!("{happened} errors injected");
}

#[test]
fn a_program_that_writes_the_file_first_would_be_caught() {
    let bench = Bench::new();
    // What the file would be, on a board that has not heard of it.
    bench.folder.run(&WORDS[1..]).ends(0);
    let new = bench.folder.read("baton.json");
    bench.restore();
    fs::write(bench.folder.at("baton.json"), new).unwrap();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bench.check("the twin", true)));
    assert!(caught.is_err());
}
