//! Several processes on one board file.

use std::fs;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Batch, Expected, Store as _};
use relay_baton_sqlite::{Mode, Sqlite};
use relay_baton_store_conformance::history;
use rusqlite::Connection;

use crate::folder::Folder;
use crate::writer::{How, Job, Said, board, check};

fn start(jobs: &[Job]) -> Vec<Child> {
    jobs.iter().map(|job| job.command().spawn().unwrap()).collect()
}

/// Runs `jobs` at once to their end; what they said.
fn run(jobs: &[Job]) -> Vec<Said> {
    for mut child in start(jobs) {
        assert!(child.wait().unwrap().success());
    }
    let said: Vec<Said> = jobs.iter().map(|job| Said::read(&job.said())).collect();
    for said in &said {
        assert!(said.ended && said.refused.is_empty(), "{said:?}");
    }
    said
}

fn jobs(folder: &Folder, writers: u32, count: u32) -> Vec<Job> {
    (0..writers).map(|writer| Job::new(&folder.board(), writer, count)).collect()
}

#[test]
fn processes_that_make_the_file_at_once_all_get_in() {
    for round in 0..6 {
        let folder = Folder::new();
        let said = run(&jobs(&folder, 16, 1));
        assert_eq!(check(&folder.board(), &said), Ok(16), "round {round}");
    }
}

#[test]
fn many_processes_on_one_board_all_get_in_and_none_waits_long() {
    let folder = Folder::new();
    let said = run(&jobs(&folder, 32, 10));
    let longest = said.iter().map(|said| said.longest).max().unwrap();
    println!("the longest wait of 32 processes: {longest:?}");
    assert!(longest < Duration::from_secs(10), "{longest:?}");
    assert_eq!(check(&folder.board(), &said), Ok(320));
}

/// Kills four writers at some moment, again and again; what is wrong afterwards, and how many entries were acknowledged.
fn kill_rounds(how: How, rounds: u64) -> (Result<usize, String>, usize) {
    let folder = Folder::new();
    drop(folder.store(Mode::Create));
    let mut all: Vec<Said> = Vec::new();
    for round in 0..rounds {
        let jobs: Vec<Job> = (0..4)
            .map(|writer| Job { how, ..Job::new(&folder.board(), u32::try_from(round).unwrap() * 4 + writer, 1_000) })
            .collect();
        let mut children = start(&jobs);
        // Once all of them write.
        let begin = Instant::now();
        while jobs.iter().any(|job| Said::read(&job.said()).acknowledged.is_empty()) {
            assert!(begin.elapsed() < Duration::from_secs(30), "the writers do not write");
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_micros(round * 1_777 % 20_000));
        for child in &mut children {
            child.kill().unwrap();
        }
        for (child, job) in children.iter_mut().zip(&jobs) {
            child.wait().unwrap();
            let said = Said::read(&job.said());
            assert!(!said.ended, "the kill came too late");
            all.push(said);
        }
        let whole = check(&folder.board(), &all);
        if whole.is_err() {
            return (whole, 0);
        }
        // The check has appended an entry of its own, under a name that it cannot use twice.
        forget_the_last(&folder);
    }
    let acknowledged = all.iter().map(|said| said.acknowledged.len()).sum();
    (check(&folder.board(), &all), acknowledged)
}

fn forget_the_last(folder: &Folder) {
    let connection = Connection::open(folder.board()).unwrap();
    connection.execute("DELETE FROM entry WHERE place = (SELECT max(place) FROM entry)", []).unwrap();
}

#[test]
fn writers_that_are_killed_lose_nothing_that_was_acknowledged() {
    let (whole, acknowledged) = kill_rounds(How::Ours, 8);
    assert!(whole.is_ok(), "{whole:?}");
    assert!(acknowledged >= 32, "{acknowledged} entries only");
}

#[test]
fn a_writer_that_acknowledges_too_early_is_caught() {
    let caught = (0..5).any(|_| kill_rounds(How::Early, 20).0.is_err_and(|what| what.contains("is lost")));
    assert!(caught, "no entry was lost");
}

#[test]
fn who_finds_the_file_locked_waits_and_is_told() {
    let folder = Folder::new();
    let mut store = folder.store(Mode::Create);
    let other = Connection::open(folder.board()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    assert_eq!(store.head(&board()), Ok(None));
    assert!(start.elapsed() < Duration::from_secs(1), "a reader does not wait for a writer");
    let answer = store.append(&board(), &Expected::Empty, &Batch::default());
    assert!(matches!(answer, Err(AppendError::Fault(fault)) if fault.code == Code::StoreBusy));
    let waited = start.elapsed();
    assert!((7..12).contains(&waited.as_secs()), "{waited:?}");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.append(&board(), &Expected::Empty, &Batch::default()), Ok(()));
}

#[test]
fn a_turn_that_is_never_ended_stops_nobody() {
    let folder = Folder::new();
    let mut store = folder.store(Mode::Create);
    let turn = fs::File::open(folder.at("board.db-lock")).unwrap();
    turn.lock().unwrap();
    let start = Instant::now();
    assert_eq!(store.append(&board(), &Expected::Empty, &Batch::default()), Ok(()));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn histories_of_the_file_are_in_order() {
    history::histories(&Folder::fast(), 20, 1_000);
}

#[test]
#[ignore = "a campaign of minutes: `cargo xtask faults` runs it"]
fn faults_histories_of_the_file_are_in_order() {
    history::histories(&Folder::fast(), 200, 2_000);
}

#[test]
#[ignore = "a campaign of minutes: `cargo xtask faults` runs it"]
fn faults_many_processes_write_much() {
    let folder = Folder::new();
    let said = run(&jobs(&folder, 32, 1_000));
    let longest = said.iter().map(|said| said.longest).max().unwrap();
    println!("the longest wait of 32 processes: {longest:?}");
    assert!(longest < Duration::from_secs(10), "{longest:?}");
    assert_eq!(check(&folder.board(), &said), Ok(32_000));
}

#[test]
#[ignore = "a campaign of minutes: `cargo xtask faults` runs it"]
fn faults_writers_are_killed_many_times() {
    let (whole, acknowledged) = kill_rounds(How::Ours, 200);
    assert!(whole.is_ok(), "{whole:?}");
    println!("{acknowledged} entries were acknowledged by writers that were killed");
}

#[test]
fn a_file_that_went_is_told() {
    let folder = Folder::new();
    drop(folder.store(Mode::Create));
    fs::remove_file(folder.board()).unwrap();
    let fault = Sqlite::open(&folder.board(), Mode::Existing).map(drop).unwrap_err();
    assert_eq!(fault.code, Code::StoreUnavailable);
}
