//! Many writers on one board: processes of their own, and handles that are always late.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use relay_baton::entry::{BoardId, Entry, Record};
use relay_baton::store::{AppendError, Expected, Store};
use relay_baton_postgres::Postgres;

use crate::entries::{all, batch, board, record};
use crate::place::Database;

/// What a child process is told: the URL, its number, and where to write what was acknowledged.
const CHILD: &str = "RELAY_BATON_TEST_WRITER";

const PROCESSES: u64 = 16;
const APPENDS: u64 = 100;

/// Appends records with numbers from `first` on, each until it is in; what was acknowledged, and the longest wait.
fn write(store: &mut dyn Store, board: &BoardId, first: u64, count: u64) -> (Vec<Record>, Duration) {
    let mut wrote = Vec::new();
    let mut longest = Duration::ZERO;
    let mut head = store.head(board).unwrap();
    for number in first..first + count {
        let start = Instant::now();
        loop {
            let record = record(board, head.as_ref(), number);
            match store.append(board, &Expected::of(head), &batch(vec![record.clone()])) {
                Ok(()) => {
                    head = Some(record.head());
                    wrote.push(record);
                    break;
                }
                Err(AppendError::Moved(now)) => head = now,
                Err(other) => panic!("{other:?}"),
            }
        }
        longest = longest.max(start.elapsed());
    }
    (wrote, longest)
}

fn check(records: &[Record], acknowledged: &[String]) {
    let mut prev = None;
    for (record, seq) in records.iter().zip(1..) {
        let entry = Entry::read(record).unwrap();
        assert_eq!((entry.seq, entry.prev), (seq, prev), "one chain without gaps");
        prev = Some(record.digest.clone());
    }
    let mut kept: Vec<&str> = records.iter().map(|record| record.digest.as_str()).collect();
    let mut told: Vec<&str> = acknowledged.iter().map(String::as_str).collect();
    kept.sort_unstable();
    told.sort_unstable();
    assert_eq!(kept, told, "what was acknowledged is there once, and nothing else");
}

#[test]
fn sixteen_processes_share_a_board() {
    let Some(database) = Database::empty() else { return };
    Postgres::connect(&database.url()).unwrap();
    let folder = env::temp_dir().join(format!("relay-baton-writers-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let children: Vec<_> = (0..PROCESSES)
        .map(|number| {
            let told = format!("{number} {} {}", folder.display(), database.url());
            Command::new(env::current_exe().unwrap())
                .args(["--exact", "writers::one_process_writes"])
                .env(CHILD, told)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let told = (0..PROCESSES).map(|number| fs::read_to_string(folder.join(number.to_string())).unwrap());
    let acknowledged: Vec<String> = told.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    fs::remove_dir_all(&folder).unwrap();
    let records = all(&mut Postgres::connect(&database.url()).unwrap(), &board("acme", "shared"));
    assert_eq!(records.len() as u64, PROCESSES * APPENDS);
    check(&records, &acknowledged);
}

/// A child process of the test above; alone, a writer of its own.
#[test]
fn one_process_writes() {
    let board = board("acme", "shared");
    let Ok(told) = env::var(CHILD) else {
        let Some(database) = Database::empty() else { return };
        let mut store = Postgres::connect(&database.url()).unwrap();
        assert_eq!(all(&mut store, &board), []);
        let (wrote, _) = write(&mut store, &board, 0, 3);
        assert_eq!(all(&mut store, &board), wrote);
        return;
    };
    let [number, folder, url] = told.split(' ').collect::<Vec<_>>()[..] else { panic!("{told}") };
    let mut store = Postgres::connect(url).unwrap();
    let (wrote, _) = write(&mut store, &board, number.parse::<u64>().unwrap() * APPENDS, APPENDS);
    let digests: String = wrote.iter().map(|record| record.digest.clone() + "\n").collect();
    fs::write(Path::new(folder).join(number), digests).unwrap();
}

#[test]
fn nobody_of_thirty_two_starves() {
    let Some(database) = Database::empty() else { return };
    let board = board("acme", "busy");
    let start = Instant::now();
    let done: Vec<(Vec<Record>, Duration)> = thread::scope(|scope| {
        let writers: Vec<_> = (0..32_u64)
            .map(|number| {
                let (database, board) = (&database, &board);
                scope.spawn(move || {
                    let mut store = Postgres::connect(&database.url()).unwrap();
                    write(&mut store, board, number * 100, 20)
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let longest = done.iter().map(|(_, longest)| *longest).max().unwrap();
    println!("32 writers, 640 appends in {:?}, the longest wait {longest:?}", start.elapsed());
    let acknowledged: Vec<String> =
        done.iter().flat_map(|(wrote, _)| wrote).map(|record| record.digest.clone()).collect();
    check(&all(&mut Postgres::connect(&database.url()).unwrap(), &board), &acknowledged);
    assert!(longest < Duration::from_secs(5), "{longest:?}");
}

#[test]
fn a_turn_that_is_not_taken_ends() {
    let Some(database) = Database::empty() else { return };
    let board = board("acme", "idle");
    let mut idle = Postgres::connect(&database.url()).unwrap();
    let mut other = Postgres::connect(&database.url()).unwrap();
    let (stands, _) = write(&mut other, &board, 0, 1);
    for _ in 0..2 {
        let late = batch(vec![record(&board, None, 50)]);
        let answer = idle.append(&board, &Expected::Empty, &late);
        assert_eq!(answer, Err(AppendError::Moved(Some(stands[0].head()))));
    }
    // The idle one holds the head row now, and says nothing.
    let (_, wait) = write(&mut other, &board, 1, 1);
    assert!(wait > Duration::from_millis(500) && wait < Duration::from_secs(5), "{wait:?}");
    assert_eq!(write(&mut idle, &board, 60, 1).0[0].seq, 3);
    assert_eq!(write(&mut other, &board, 2, 1).0[0].seq, 4);
}
