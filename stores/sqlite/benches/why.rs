//! What it costs to walk 10,000 links back on a board of 1,000,000 entries, against the reads by sequence number that it
//! takes, in the same run.
//!
//! `cargo bench -p relay-baton-sqlite --bench why [ENTRIES]`

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops loudly and prints its table"
)]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, process};

use relay_baton::baton::{Id, Timestamp};
use relay_baton::board::Board;
use relay_baton::entry::{BoardId, Draft, Head, Readers, Record, Reference};
use relay_baton::json::Value;
use relay_baton::provenance::walk;
use relay_baton::store::{Batch, Expected, Store as _, Which};
use relay_baton_sqlite::{Mode, Sqlite};

const LINKS: u64 = 10_000;
const RUNS: usize = 9;

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn board() -> BoardId {
    BoardId { tenant: id("acme"), task: id("login") }
}

/// An entry of about 500 bytes, made of the one that stands `apart` entries before.
fn record(seq: u64, apart: u64, head: Option<&Head>) -> Record {
    let mut random = [0; 10];
    // Spread as random references are.
    random[..8].copy_from_slice(&seq.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    let draft = Draft {
        reference: Reference::from_random(random),
        kind: id("fact"),
        key: id("build/output"),
        author: id("builder"),
        step: Some(id("build")),
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::Everyone,
        data: Value::string("what was found, in a line. ".repeat(4)),
        derived_from: seq.checked_sub(apart).filter(|source| *source > 0).into_iter().collect(),
        idempotency_key: None,
        declassified: false,
    };
    draft.place(&board(), head).seal()
}

fn fill(store: &mut Sqlite, entries: u64) {
    let mut head: Option<Head> = None;
    let mut seq = 0;
    while seq < entries {
        let expected = Expected::of(head.clone());
        let mut records = Vec::new();
        for _ in 0..1_000.min(entries - seq) {
            seq += 1;
            let record = record(seq, entries / LINKS, head.as_ref());
            head = Some(record.head());
            records.push(record);
        }
        store.append(&board(), &expected, &Batch { records, ..Batch::default() }).unwrap();
    }
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

fn main() {
    let entries = env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(1_000_000_u64).max(LINKS);
    let base = env::var_os("BATON_BENCH_FOLDER").map_or_else(env::temp_dir, PathBuf::from);
    let folder = base.join(format!("relay-baton-why-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("board.db");
    fill(&mut Sqlite::open(&path, Mode::Create).unwrap(), entries);

    let mut store = Sqlite::open(&path, Mode::ReadOnly).unwrap();
    let seqs: Vec<u64> = (0..LINKS).map(|link| entries - link * (entries / LINKS)).collect();
    let reads = median(|| {
        for seq in &seqs {
            black_box(store.read(&board(), Which::Seq(*seq)).unwrap());
        }
    });
    let mut board = Board::new(store, board());
    let checked = median(|| {
        for seq in &seqs {
            black_box(board.entry(Which::Seq(*seq)).unwrap());
        }
    });
    let walked = median(|| {
        let graph = walk(&mut board, &[entries], usize::MAX).unwrap();
        assert_eq!(graph.nodes().len() as u64, LINKS);
        black_box(graph);
    });
    let graph = walk(&mut board, &[entries], usize::MAX).unwrap();
    let told = median(|| {
        black_box(graph.to_text());
    });
    let ratio = |time: Duration| time.as_secs_f64() / reads.as_secs_f64();
    println!("{LINKS} links on a board of {entries} entries, median of {RUNS}\n");
    println!("| what | ms | against the reads |\n|---|---|---|");
    for (what, time) in [
        ("the reads by sequence number", reads),
        ("the same, each entry checked", checked),
        ("the walk", walked),
        ("its text", told),
    ] {
        println!("| {what} | {:.1} | {:.2} |", time.as_secs_f64() * 1e3, ratio(time));
    }
    fs::remove_dir_all(&folder).unwrap();
}
