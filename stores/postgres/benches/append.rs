//! Appends of 32 clients, each to a board of its own, against one-row updates of 32 clients of `pgbench`, on the same
//! server, turn by turn. Read the ratio.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench"
)]

use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use relay_baton::baton::{Id, Timestamp};
use relay_baton::entry::{BoardId, Draft, Readers, Record, Reference};
use relay_baton::json::Value;
use relay_baton::store::{Batch, Expected, Store as _};
use relay_baton_postgres::Postgres;
use relay_baton_postgres_server::{Server, programs};

const CLIENTS: u64 = 32;
const ROUNDS: u32 = 5;
const SECONDS: u64 = 3;

fn main() {
    // `cargo test --benches` only wants to see that it runs.
    let seconds = if std::env::args().any(|word| word == "--bench") { SECONDS } else { 1 };
    let rounds = if seconds == SECONDS { ROUNDS } else { 1 };
    let server = Server::start().expect("a server");
    // As agents should connect: with a role that owns nothing, held to row-level security.
    run(&server.url(), "create role guest login password 'word'");
    Postgres::connect(&server.url()).unwrap().admit("guest").unwrap();
    let guest = format!("postgres://guest:word@127.0.0.1:{}/postgres", server.port());
    let mut ratios: Vec<[f64; 2]> = Vec::new();
    for round in 1..=rounds {
        let ours = appends(&guest, round, seconds);
        let theirs = ["simple", "prepared"].map(|protocol| updates(&server, protocol, seconds));
        let ratio = theirs.map(|theirs| ours / theirs);
        println!(
            "round {round}: {ours:.0} appends/s; pgbench {:.0} updates/s, ratio {:.2}; prepared {:.0}, ratio {:.2}",
            theirs[0], ratio[0], theirs[1], ratio[1]
        );
        ratios.push(ratio);
    }
    let median = |index: usize| {
        ratios.sort_by(|one, two| one[index].total_cmp(&two[index]));
        ratios[ratios.len() / 2][index]
    };
    let [simple, prepared] = [0, 1].map(median);
    println!("{CLIENTS} clients, median ratio {simple:.2}, against prepared statements {prepared:.2}");
}

/// Appends in a second.
fn appends(url: &str, round: u32, seconds: u64) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let ready = Arc::new(Barrier::new(CLIENTS as usize + 1));
    let writers: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (url, done, ready) = (url.to_owned(), Arc::clone(&done), Arc::clone(&ready));
            thread::spawn(move || {
                let mut store = Postgres::connect(&url).unwrap();
                let board = BoardId { tenant: id("acme"), task: id(&format!("task-{round}-{number}")) };
                let mut last: Option<Record> = None;
                ready.wait();
                let start = Instant::now();
                while start.elapsed() < Duration::from_secs(seconds) {
                    let head = last.as_ref().map(Record::head);
                    let record =
                        draft(&board, last.as_ref().map_or(1, |last| last.seq + 1)).place(&board, head.as_ref()).seal();
                    let batch = Batch { records: vec![record.clone()], ..Batch::default() };
                    store.append(&board, &Expected::of(head), &batch).unwrap();
                    last = Some(record);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    ready.wait();
    let start = Instant::now();
    for writer in writers {
        writer.join().unwrap();
    }
    done.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

/// An entry of about 700 bytes.
fn draft(board: &BoardId, number: u64) -> Draft {
    let mut random = [9; 10];
    random.iter_mut().skip(2).zip(number.to_be_bytes()).for_each(|(digit, byte)| *digit = byte);
    Draft {
        reference: Reference::from_random(random),
        kind: id("fact"),
        key: id("weather"),
        author: id("scout"),
        step: None,
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::Everyone,
        data: Value::string(format!("{board} {number} {}", "the wind has turned, and it rains. ".repeat(10))),
        derived_from: Vec::new(),
        idempotency_key: Some(id(&format!("once-{number}"))),
        declassified: false,
    }
}

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

/// One-row updates in a second, as `pgbench` counts them, each client a row of its own.
fn updates(server: &Server, protocol: &str, seconds: u64) -> f64 {
    let script = server.folder().join("update.sql");
    fs::write(&script, "update bench set number = number + 1 where client = :client_id;\n").unwrap();
    run(
        &server.url(),
        "drop table if exists bench; create table bench (client int primary key, number int); \
         insert into bench select n, 0 from generate_series(0, 31) as n",
    );
    let mut pgbench = Command::new(programs().unwrap().join("pgbench"));
    pgbench.args(["-n", "-M", protocol, "-c", "32", "-j", "2", "-T", &seconds.to_string(), "-f"]).arg(&script);
    let done = pgbench.arg(server.url()).stderr(Stdio::null()).output().unwrap();
    let report = String::from_utf8(done.stdout).unwrap();
    let line = report.lines().find(|line| line.starts_with("tps = ")).expect("pgbench reports");
    line.split(' ').nth(2).unwrap().parse().unwrap()
}

fn run(url: &str, statements: &str) {
    let mut psql = Command::new(programs().unwrap().join("psql"));
    psql.args(["-q", "-d", url, "-c", statements]).stderr(Stdio::null());
    assert!(psql.status().unwrap().success());
}
