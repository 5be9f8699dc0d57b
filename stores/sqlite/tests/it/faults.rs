//! A writer that is killed, or whose disk fails or is full, at every step of its work.

use std::fs;

use relay_baton::store::{Batch, Expected, Store as _};
use relay_baton_sqlite::Mode;

use crate::folder::Folder;
use crate::strace::{can_trace, trace};
use crate::writer::{How, Job, Said, board, check, record};

/// Entries of the board before: so many that the log is written back while the writer works, and emptied when it ends.
const BEFORE: u32 = 11;

/// Entries that the writer appends.
const APPENDS: u32 = 10;

/// A board whose log is nearly long enough to be written back.
pub(crate) fn board_before() -> Folder {
    let folder = Folder::fast();
    let mut store = folder.store(Mode::Create);
    for number in 0..BEFORE {
        let head = store.head(&board()).unwrap();
        let batch = Batch { records: vec![record(0, number, head.as_ref())], ..Batch::default() };
        store.append(&board(), &Expected::of(head), &batch).unwrap();
    }
    drop(store);
    let pages = fs::metadata(folder.at("board.db-wal")).unwrap().len() / 4_120;
    assert!((40..64).contains(&pages), "the log has {pages} pages");
    folder
}

/// What came of a campaign.
#[derive(Debug, Default)]
struct Tally {
    happened: usize,
    acknowledged: usize,
    refused: usize,
    unsettled: usize,
    wrong: Vec<String>,
}

/// A board file, and the same anew for each fault.
struct Bench {
    before: Folder,
    folder: Folder,
    logs: Folder,
}

impl Bench {
    fn new(before: Folder) -> Self {
        Self { before, folder: Folder::fast(), logs: Folder::fast() }
    }

    /// Lets a writer meet one fault; whether it happened.
    fn meet(&self, tally: &mut Tally, how: How, call: &str, fault: &str) -> bool {
        self.folder.restore(&self.before);
        let job = Job { how, ..Job::new(&self.folder.board(), 1, APPENDS) };
        let (db, wal, shm) = (self.at("board.db"), self.at("board.db-wal"), self.at("board.db-shm"));
        let (lock, folder) = (self.at("board.db-lock"), self.folder.path().to_string_lossy().into_owned());
        let (traced, inject) = (format!("trace={call}"), format!("inject={call}:{fault}"));
        let options = ["-e", &traced, "-e", &inject, "-P", &db, "-P", &wal, "-P", &shm, "-P", &lock, "-P", &folder];
        let done = trace(&job, &options, &self.logs.at("trace.log"));
        if !done.killed && !done.log.contains("INJECTED") {
            return false;
        }
        let said = Said::read(&job.said());
        tally.happened += 1;
        tally.acknowledged += said.acknowledged.len();
        tally.unsettled += said.refused.values().filter(|code| *code == "store.unsettled").count();
        tally.refused += said.refused.len();
        if !done.killed && !said.ended && said.refused.is_empty() {
            tally.wrong.push(format!("{call} {fault}: nothing was said"));
        }
        if let Err(what) = check(&self.folder.board(), &[said]) {
            tally.wrong.push(format!("{call} {fault}: {what}"));
        }
        true
    }

    fn at(&self, name: &str) -> String {
        self.folder.at(name).to_string_lossy().into_owned()
    }
}

/// Lets a writer meet `fault` at every `step`-th of its calls of each kind.
fn campaign(before: Folder, how: How, calls: &[&str], fault: &str, step: usize) -> Tally {
    let bench = Bench::new(before);
    let mut tally = Tally::default();
    for call in calls {
        let (fault, on) = fault.strip_suffix('+').map_or((fault, ""), |fault| (fault, "+"));
        let mut number = 1;
        while bench.meet(&mut tally, how, call, &format!("{fault}:when={number}{on}")) {
            number += step;
            assert!(number < 2_000, "no end of {call}");
        }
    }
    tally
}

const CALLS: [&str; 6] = ["pwrite64", "fdatasync", "fsync", "ftruncate", "openat", "flock"];

#[test]
fn a_kill_at_any_call_loses_nothing_that_was_acknowledged() {
    if !can_trace() {
        return;
    }
    let tally = campaign(board_before(), How::Ours, &CALLS, "signal=KILL", 1);
    println!("{tally:?}");
    assert!(tally.wrong.is_empty(), "{:?}", tally.wrong);
    assert!(tally.happened >= 100 && tally.acknowledged > 300, "{tally:?}");
}

#[test]
fn a_kill_while_the_file_is_made_leaves_a_file_that_can_be_made() {
    if !can_trace() {
        return;
    }
    let tally = campaign(Folder::fast(), How::Ours, &["pwrite64", "fdatasync", "openat", "unlink"], "signal=KILL", 1);
    println!("{tally:?}");
    assert!(tally.wrong.iter().all(|what| what.contains("there is no board file")), "{:?}", tally.wrong);
    assert!(tally.happened >= 60, "{tally:?}");
}

#[test]
fn an_error_at_any_call_is_told_and_what_was_said_holds() {
    if !can_trace() {
        return;
    }
    let mut all = Tally::default();
    for (fault, step) in [("error=EIO", 2), ("error=ENOSPC", 2), ("error=EIO+", 3), ("error=ENOSPC+", 3)] {
        let tally = campaign(board_before(), How::Ours, &["pwrite64", "fdatasync"], fault, step);
        assert!(tally.wrong.is_empty(), "{:?}", tally.wrong);
        assert!(tally.happened > 20, "{fault}: {tally:?}");
        all.happened += tally.happened;
        all.refused += tally.refused;
        all.unsettled += tally.unsettled;
        all.acknowledged += tally.acknowledged;
    }
    println!("{all:?}");
    assert!(all.refused > 10 && all.acknowledged > 10, "{all:?}");
}

#[test]
fn a_file_size_limit_is_told_as_a_full_disk_or_a_failing_one() {
    let folder = board_before();
    let job = Job::new(&folder.board(), 1, APPENDS);
    let words = Job::words().join(" ");
    // Blocks of 512 bytes: the log's index fits, the log does not. The signal is ignored so that the write fails instead.
    let script = format!("ulimit -f 100; trap '' XFSZ; exec {words}");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]);
    job.give(&mut command);
    assert!(command.status().unwrap().success());
    let said = Said::read(&job.said());
    assert!(!said.refused.is_empty(), "{said:?}");
    assert!(check(&folder.board(), &[said]).is_ok());
}

#[test]
#[ignore = "a campaign of minutes: `cargo xtask faults` runs it"]
fn faults_every_call_is_killed_and_fails() {
    assert!(can_trace());
    for fault in ["signal=KILL", "error=EIO", "error=ENOSPC", "error=EIO+", "error=ENOSPC+"] {
        let tally = campaign(board_before(), How::Ours, &[&CALLS[..], &["pread64"]].concat(), fault, 1);
        println!("{fault}: {tally:?}");
        assert!(tally.wrong.is_empty(), "{:?}", tally.wrong);
    }
}

/// Whether a twin that acknowledges too early is caught by the same kills.
#[test]
fn a_writer_that_acknowledges_too_early_is_caught_at_some_call() {
    if !can_trace() {
        return;
    }
    let tally = campaign(board_before(), How::Early, &["pwrite64"], "signal=KILL", 3);
    assert!(tally.wrong.iter().any(|what| what.contains("is lost")), "{tally:?}");
}
