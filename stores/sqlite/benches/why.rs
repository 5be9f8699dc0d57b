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

mod place;

use std::env;
use std::hint::black_box;
use std::time::Instant;

use relay_baton::baton::Timestamp;
use relay_baton::board::Board;
use relay_baton::entry::{Draft, Head, Readers, Record, Reference};
use relay_baton::json::Value;
use relay_baton::provenance::walk;
use relay_baton::store::{Batch, Expected, Store as _, Which};
use relay_baton_sqlite::{Mode, Sqlite};

use place::{Folder, board, id};

const LINKS: u64 = 10_000;
const RUNS: usize = 21;

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

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    let entries = env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(1_000_000_u64).max(LINKS);
    let folder = Folder::new("why");
    let path = folder.at("board.db");
    fill(&mut Sqlite::open(&path, Mode::Create).unwrap(), entries);

    let mut board = Board::new(Sqlite::open(&path, Mode::ReadOnly).unwrap(), board());
    let id = board.id().clone();
    let seqs: Vec<u64> = (0..LINKS).map(|link| entries - link * (entries / LINKS)).collect();
    // All in each round: a machine that is slow for a second is then slow for all of them.
    let mut rounds: Vec<[f64; 4]> = Vec::new();
    for _ in 0..RUNS {
        let reads = timed(|| {
            for seq in &seqs {
                black_box(board.store().read(&id, Which::Seq(*seq)).unwrap());
            }
        });
        let checked = timed(|| {
            for seq in &seqs {
                black_box(board.entry(Which::Seq(*seq)).unwrap());
            }
        });
        let mut graph = None;
        let walked = timed(|| graph = Some(walk(&mut board, &[entries], usize::MAX).unwrap()));
        let graph = graph.unwrap();
        assert_eq!(graph.nodes().len() as u64, LINKS);
        let told = timed(|| {
            black_box(graph.to_text());
        });
        rounds.push([reads, checked, walked, told]);
    }
    println!("{LINKS} links on a board of {entries} entries, medians of {RUNS} rounds\n");
    println!("| what | ms | against the reads |\n|---|---|---|");
    let names = ["the reads by sequence number", "the same, each entry checked", "the walk", "its text"];
    for (column, name) in names.into_iter().enumerate() {
        let time = median(rounds.iter().map(|round| round[column]).collect());
        let ratio = median(rounds.iter().map(|round| round[column] / round[0]).collect());
        println!("| {name} | {time:.1} | {ratio:.2} |");
    }
}
