//! What does not grow with a board: an answer applied on a board of a million entries against one of a hundred; and what does:
//! all of it verified, against SHA-256 over the same bytes.
//!
//! `cargo bench -p relay-baton-sqlite --bench board [ENTRIES]`, a million where it is not said.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops loudly and prints its table"
)]

mod place;

use std::sync::mpsc::{channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Timestamp};
use relay_baton::board::{Board, Recording};
use relay_baton::count::TokenCounter;
use relay_baton::entry::{Draft, Head, Readers, Record, Reference};
use relay_baton::json::{self, Limits, Value};
use relay_baton::relay::Relay;
use relay_baton::store::{Batch, Expected, Store};
use relay_baton::verify::Verifier;
use relay_baton_sqlite::{Mode, Sqlite};

use place::{Folder, id};

/// A byte is a token: what a count costs is measured elsewhere.
struct Bytes;

impl TokenCounter for Bytes {
    fn encoding(&self) -> &str {
        "bytes"
    }

    fn count(&self, text: &str) -> usize {
        text.len()
    }

    fn adds_up_by_line(&self) -> bool {
        true
    }
}

fn moment() -> Timestamp {
    Timestamp::parse("2026-01-02T03:04:05Z").unwrap()
}

/// Spread as random references are.
fn reference(number: u64) -> Reference {
    let mut random = [3; 10];
    random[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    Reference::from_random(random)
}

/// A fact of about 700 bytes.
fn fact(number: u64, head: Option<&Head>) -> Record {
    let draft = Draft {
        reference: reference(number),
        kind: id("fact"),
        key: id(&format!("k{}", number % 1000)),
        author: id("scout"),
        step: Some(id("build")),
        at: moment(),
        readers: Readers::Everyone,
        data: Value::string(format!("{number} {}", "what was found and where, in a line. ".repeat(10))),
        derived_from: vec![number.saturating_sub(1).max(1)],
        idempotency_key: None,
        declassified: false,
    };
    draft.place(&place::board(), head).seal()
}

/// A board that begins with the baton of the benches and has `entries` entries.
fn filled(folder: &Folder, entries: u64) -> Board<Sqlite> {
    let store = Sqlite::open(&folder.at("x.board"), Mode::Create).unwrap();
    let mut board = Board::new(store, place::board());
    let text: &'static str = include_str!("../../../benches/data/baton.json");
    let mut members = json::read(text, &Limits::default()).unwrap().as_object().unwrap().clone();
    let mut stamp = members.get("stamp").unwrap().as_object().unwrap().clone();
    stamp.set("tenant", Value::string("acme"));
    stamp.set("task", Value::string("login"));
    members.set("stamp", Value::Object(stamp));
    let baton = Baton::from_value(Value::Object(members)).unwrap();
    board.start(baton, &id("author"), &moment(), &reference(0)).unwrap();
    let mut head = board.head().unwrap();
    let mut number = 1;
    while number < entries {
        let mut records: Vec<Record> = Vec::new();
        let before = head.clone();
        while number < entries && records.len() < 5_000 {
            let record = fact(number, head.as_ref());
            head = Some(record.head());
            records.push(record);
            number += 1;
        }
        let batch = Batch { records, ..Batch::default() };
        board.store().append(&place::board(), &Expected::of(before), &batch).unwrap();
    }
    board
}

fn apply(board: &mut Board<Sqlite>, number: u64) -> Duration {
    let by = Attribution { step: id("build"), by: id("builder"), at: moment() };
    let budget = Some(relay_baton::baton::Budget { tokens: 1_000_000, encoding: "bytes" });
    let recording = Recording {
        relay: Relay { budget, ..Relay::new(by) },
        base: None,
        derived_from: Vec::new(),
        readers: Readers::Everyone,
        declassify: false,
        reference: reference(1 << 40 | number),
        rehearse: false,
    };
    let answer =
        format!(r#"{{"current_state": ["round {number}: what is true now, in about as many words as a step uses"]}}"#);
    let start = Instant::now();
    board.apply(&recording, &answer, &Bytes).unwrap();
    start.elapsed()
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn main() {
    let entries = env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(1_000_000);
    let (small, large) = (Folder::new("small"), Folder::new("large"));
    let mut few = filled(&small, 100);
    let mut many = filled(&large, entries);
    let (mut of_few, mut of_many) = (Vec::new(), Vec::new());
    for number in 0..400 {
        of_few.push(apply(&mut few, number));
        of_many.push(apply(&mut many, number));
    }
    let (one, two) = (median(&mut of_few), median(&mut of_many));
    println!("apply on {entries} entries {two:.0} µs, on 100 entries {one:.0} µs: {:.2} × (target 1.2 ×)", two / one);
    verify(&mut many);
}

/// Reads in one thread and checks in another, as the program does; against SHA-256 in one.
fn verify(board: &mut Board<Sqlite>) {
    let mut hashed = Duration::ZERO;
    let start = Instant::now();
    let mut verifier = Verifier::new(place::board());
    let (send, receive) = sync_channel::<Vec<Record>>(4);
    let (back, checked) = channel();
    thread::scope(|scope| {
        let checker = scope.spawn(|| {
            for page in receive {
                page.iter().for_each(|record| verifier.push(record));
                let _ = back.send(page);
            }
        });
        let mut after = 0;
        loop {
            let page = board.store().page(&place::board(), after, 512).unwrap();
            let Some(last) = page.last() else { break };
            after = last.seq;
            send.send(page).unwrap();
            // Whoever asked for memory gives it back soonest.
            checked.try_iter().for_each(drop);
        }
        drop(send);
        checker.join().unwrap();
    });
    let ours = start.elapsed();
    let verdict = verifier.finish();
    assert!(verdict.is_sound());
    let (mut after, mut bytes) = (0, 0);
    loop {
        let page = board.store().page(&place::board(), after, 512).unwrap();
        let Some(last) = page.last() else { break };
        after = last.seq;
        let start = Instant::now();
        for record in &page {
            bytes += record.bytes.len();
            assert_eq!(json::digest(record.bytes.as_bytes()), record.digest);
        }
        hashed += start.elapsed();
    }
    println!(
        "verify {} entries, {} MB: {:.2} s; SHA-256 over the same bytes {:.2} s: {:.2} × (target 3 ×); peak {}",
        verdict.entries,
        bytes / 1_000_000,
        ours.as_secs_f64(),
        hashed.as_secs_f64(),
        ours.as_secs_f64() / hashed.as_secs_f64(),
        peak()
    );
}

/// The peak of this process's memory, the making of the board included.
fn peak() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmHWM")).map(str::to_owned).unwrap_or_default()
}
