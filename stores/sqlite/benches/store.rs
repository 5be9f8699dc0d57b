//! What a board file costs, against the cheapest that does the same, in the same run: an append against a raw append with
//! fdatasync, four writers against SQLite's own waiting, the file against the bytes of its entries, reads, and pages
//! against SHA-256 over the same bytes.
//!
//! `cargo bench -p relay-baton-sqlite --bench store [SECTION]`

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops loudly and prints its table"
)]

mod place;

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, process};

use relay_baton::baton::{Id, Timestamp};
use relay_baton::entry::{Draft, Head, Readers, Record, Reference};
use relay_baton::json::{self, Value};
use relay_baton::store::{AppendError, Batch, Expected, Saved, Store as _, Which};
use relay_baton_sqlite::{Mode, Sqlite};
use rusqlite::{Connection, TransactionBehavior};

use place::{Folder, board, id};

/// An entry of about 700 bytes, as that of a small patch is.
fn record(number: u64, head: Option<&Head>) -> Record {
    let mut random = [0; 10];
    // Spread as random references are.
    random[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    let draft = Draft {
        reference: Reference::from_random(random),
        kind: id("patch"),
        key: id("baton"),
        author: id("builder"),
        step: Some(id("build")),
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::Everyone,
        data: Value::string(format!("{number} {}", "what was done and why, in a line. ".repeat(10))),
        derived_from: vec![number.max(1)],
        idempotency_key: None,
        declassified: false,
    };
    draft.place(&board(), head).seal()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn mean(times: &[Duration]) -> Duration {
    times.iter().sum::<Duration>() / u32::try_from(times.len()).unwrap()
}

fn append(store: &mut Sqlite, head: &mut Option<Head>, record: Record, saves: Vec<Saved>, drops: Vec<(Id, u64)>) {
    let next = record.head();
    let batch = Batch { records: vec![record], saves, drops };
    store.append(&board(), &Expected::of(head.take()), &batch).unwrap();
    *head = Some(next);
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn raw(file: &mut File, bytes: &str) {
    file.write_all(bytes.as_bytes()).unwrap();
    file.sync_data().unwrap();
}

fn appends() {
    let folder = Folder::new("append");
    let mut store = Sqlite::open(&folder.at("board.db"), Mode::Create).unwrap();
    let mut with = Sqlite::open(&folder.at("with.db"), Mode::Create).unwrap();
    let mut file = OpenOptions::new().append(true).create(true).open(folder.at("raw")).unwrap();
    let (mut head, mut with_head) = (None, None);
    let document = "x".repeat(4_500);
    let (mut ours, mut theirs, mut saving) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..2_000 {
        let next = record(number, head.as_ref());
        let bytes = next.bytes.clone();
        theirs.push(timed(|| raw(&mut file, &bytes)));
        ours.push(timed(|| append(&mut store, &mut head, next, Vec::new(), Vec::new())));
        let next = record(number, with_head.as_ref());
        let saves = vec![Saved { slot: id("baton"), number, bytes: document.clone() }];
        let drops = number.checked_sub(1).map(|number| (id("baton"), number)).into_iter().collect();
        saving.push(timed(|| append(&mut with, &mut with_head, next, saves, drops)));
    }
    let (mean_ratio, mean_saving) =
        (micros(mean(&ours)) / micros(mean(&theirs)), micros(mean(&saving)) / micros(mean(&theirs)));
    let (own, other, saving) = (median(&mut ours), median(&mut theirs), median(&mut saving));
    println!(
        "append: ours {:.0} µs, raw append + fdatasync {:.0} µs: {:.2} × in the median, {mean_ratio:.2} × in the mean (target 1.4 ×)",
        micros(own),
        micros(other),
        micros(own) / micros(other)
    );
    println!(
        "  with a document of 4.5 KB saved and one dropped: {:.0} µs, {:.2} ×, mean {mean_saving:.2} ×",
        micros(saving),
        micros(saving) / micros(other)
    );
}

const WRITERS: u64 = 4;

/// As a child: appends for a while, and prints the longest and the mean time of one append, and how many there were.
fn write(path: &Path, ours: bool, seconds: f64) {
    let mut longest = Duration::ZERO;
    let mut count = 0_u32;
    let begin = Instant::now();
    let mut number = u64::from(process::id()) << 32;
    if ours {
        let mut store = Sqlite::open(path, Mode::Existing).unwrap();
        while begin.elapsed().as_secs_f64() < seconds {
            let start = Instant::now();
            let mut head = store.head(&board()).unwrap();
            loop {
                number += 1;
                let batch = Batch { records: vec![record(number, head.as_ref())], ..Batch::default() };
                match store.append(&board(), &Expected::of(head), &batch) {
                    Ok(()) => break,
                    Err(AppendError::Moved(now)) => head = now,
                    Err(other) => unreachable!("{other:?}"),
                }
            }
            longest = longest.max(start.elapsed());
            count += 1;
        }
    } else {
        let mut connection = peer(path);
        while begin.elapsed().as_secs_f64() < seconds {
            number += 1;
            let record = record(number, None);
            let start = Instant::now();
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
            let last: i64 =
                transaction.query_row("SELECT coalesce(max(seq), 0) FROM entry", [], |row| row.get(0)).unwrap();
            let row = rusqlite::params![last + 1, record.reference.as_str(), record.bytes];
            transaction.execute("INSERT INTO entry VALUES (?1, ?2, ?3)", row).unwrap();
            transaction.commit().unwrap();
            longest = longest.max(start.elapsed());
            count += 1;
        }
    }
    println!("{} {count}", longest.as_micros());
}

/// SQLite with its own waiting.
fn peer(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::from_secs(30)).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL").unwrap();
    connection
}

fn waits() {
    let seconds = 4.0;
    let mut longest = [0.0, 0.0];
    for (place, ours) in [(0, true), (1, false), (0, true), (1, false)] {
        let folder = Folder::new("waits");
        let path = folder.at("board.db");
        if ours {
            drop(Sqlite::open(&path, Mode::Create).unwrap());
        } else {
            let sql = "CREATE TABLE entry (seq INTEGER PRIMARY KEY, reference TEXT UNIQUE, bytes TEXT)";
            peer(&path).execute_batch(sql).unwrap();
        }
        let child = |_| {
            let words = ["write", path.to_str().unwrap(), if ours { "ours" } else { "peer" }, &seconds.to_string()];
            Command::new(env::current_exe().unwrap()).args(words).stdout(Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<_> = (0..WRITERS).map(child).collect();
        let (mut worst, mut count) = (0.0_f64, 0.0);
        for child in children {
            let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
            let (longest, appends) = output.trim().split_once(' ').unwrap();
            worst = worst.max(longest.parse::<f64>().unwrap() / 1e3);
            count += appends.parse::<f64>().unwrap();
        }
        longest[place] = f64::max(longest[place], worst);
        let name = if ours { "ours" } else { "SQLite's busy handler" };
        println!("4 writers, {name}: worst wait {worst:.1} ms, {:.0} appends a second", count / seconds);
    }
    println!("  worst wait of two runs: {:.3} × (target 0.1 ×)", longest[0] / longest[1]);
}

/// A board of so many entries, many in one batch.
fn filled(path: &Path, count: u64) -> (Sqlite, usize) {
    let mut store = Sqlite::open(path, Mode::Create).unwrap();
    let (mut head, mut bytes, mut number): (Option<Head>, usize, u64) = (None, 0, 0);
    while number < count {
        let before = head.clone();
        let mut records = Vec::new();
        for _ in 0..100.min(count - number) {
            let record = record(number, head.as_ref());
            head = Some(record.head());
            bytes += record.bytes.len();
            records.push(record);
            number += 1;
        }
        store.append(&board(), &Expected::of(before), &Batch { records, ..Batch::default() }).unwrap();
    }
    (store, bytes)
}

fn size() {
    let folder = Folder::new("size");
    let mut store = Sqlite::open(&folder.at("board.db"), Mode::Create).unwrap();
    let (mut head, mut bytes) = (None, 0);
    for number in 0..10_000 {
        let next = record(number, head.as_ref());
        bytes += next.bytes.len();
        append(&mut store, &mut head, next, Vec::new(), Vec::new());
    }
    let length = |name: &str| fs::metadata(folder.at(name)).unwrap().len() as f64;
    let (file, log) = (length("board.db"), length("board.db-wal"));
    println!(
        "10,000 entries of {} B: {:.2} × their bytes (target 1.6 ×), with the log {:.2} ×",
        bytes / 10_000,
        file / bytes as f64,
        (file + log) / bytes as f64
    );
}

fn reads() {
    let folder = Folder::new("reads");
    let (mut store, _) = filled(&folder.at("board.db"), 100_000);
    let references: Vec<Reference> =
        store.page(&board(), 0, 10_000).unwrap().into_iter().map(|r| r.reference).collect();
    let time = timed(|| {
        for reference in &references {
            black_box(store.read(&board(), Which::Reference(reference)).unwrap());
        }
    });
    println!("10,000 reads by reference, of 100,000: {:.1} µs each", micros(time) / 10_000.0);
    let time = timed(|| {
        for number in 0..10_000_u64 {
            black_box(store.read(&board(), Which::Seq(number * 7_919 % 100_000 + 1)).unwrap());
        }
    });
    println!("10,000 reads by number: {:.1} µs each", micros(time) / 10_000.0);
}

fn pages() {
    let folder = Folder::new("pages");
    let count = 200_000;
    let (mut store, bytes) = filled(&folder.at("board.db"), count);
    let mut ratios = Vec::new();
    for _ in 0..3 {
        let (mut after, mut paging, mut hashing) = (0, Duration::ZERO, Duration::ZERO);
        loop {
            let mut page = Vec::new();
            paging += timed(|| page = store.page(&board(), after, 1_000).unwrap());
            let Some(last) = page.last() else { break };
            after = last.seq;
            hashing += timed(|| {
                for record in &page {
                    black_box(json::digest(record.bytes.as_bytes()));
                }
            });
        }
        ratios.push((paging.as_secs_f64() / hashing.as_secs_f64(), paging, hashing));
    }
    ratios.sort_by(|one, two| one.0.total_cmp(&two.0));
    let (ratio, paging, hashing) = ratios[1];
    println!(
        "pages of {count} entries, {} MB: {:.2} µs an entry, SHA-256 of it {:.2} µs: {ratio:.2} ×",
        bytes / 1_000_000,
        micros(paging) / count as f64,
        micros(hashing) / count as f64
    );
}

/// As a child: opens, appends one entry, and ends.
fn once(path: &Path) {
    let mut store = Sqlite::open(path, Mode::Create).unwrap();
    let head = store.head(&board()).unwrap();
    let number = head.as_ref().map_or(0, |head| head.seq);
    let batch = Batch { records: vec![record(number, head.as_ref())], ..Batch::default() };
    store.append(&board(), &Expected::of(head), &batch).unwrap();
}

/// As a child: opens, appends one line, syncs, and ends.
fn once_raw(path: &Path) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    raw(&mut file, &record(1, None).bytes);
}

/// Page faults and syncs of whole processes need other tools; their time is measured here.
fn processes() {
    let folder = Folder::new("processes");
    let path = folder.at("board.db");
    let run = |what: &str, path: &Path| {
        let mut command = Command::new(env::current_exe().unwrap());
        timed(|| assert!(command.arg(what).arg(path).status().unwrap().success()))
    };
    let (mut ours, mut theirs, mut nothing) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..400 {
        nothing.push(run("nothing", &path));
        theirs.push(run("once-raw", &folder.at("raw")));
        ours.push(run("once", &path));
    }
    let means = [mean(&nothing), mean(&theirs), mean(&ours)].map(micros);
    let medians = [&mut nothing, &mut theirs, &mut ours].map(|times| micros(median(times)));
    println!(
        "a whole process that opens, appends, ends: {:.0} µs; raw append + fdatasync {:.0} µs; nothing {:.0} µs",
        medians[2], medians[1], medians[0]
    );
    println!("  in the mean: {:.0}, {:.0}, {:.0} µs", means[2], means[1], means[0]);
}

fn main() {
    let mut words: Vec<String> = env::args().skip(1).collect();
    let all = words.iter().any(|word| word == "--bench");
    words.retain(|word| word != "--bench");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let sections: [(&str, fn()); 6] = [
        ("append", appends),
        ("waits", waits),
        ("size", size),
        ("reads", reads),
        ("pages", pages),
        ("processes", processes),
    ];
    match words.as_slice() {
        ["write", path, who, seconds] => write(Path::new(path), *who == "ours", seconds.parse().unwrap()),
        ["once", path] => once(Path::new(path)),
        ["once-raw", path] => once_raw(Path::new(path)),
        ["nothing", _] => {}
        [] if all => sections.iter().for_each(|(_, section)| section()),
        [name] => sections.iter().filter(|(other, _)| other == name).for_each(|(_, section)| section()),
        // Built and started with the tests: there is nothing to measure.
        _ => {}
    }
}
