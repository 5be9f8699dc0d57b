//! Reading, patching and writing JSON against serde_json and json_patch, interleaved in one run.
//!
//! `cargo bench --bench json` prints medians and ratios; `cargo bench --bench json -- big` adds a document of 100 MB, each
//! side in a process of its own, with its peak memory.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use relay_baton::json::{Limits, Numbers, canonical, compact, decode, merge, read, splice};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["child", side, document] => child(side, Path::new(document)),
        ["big"] => big(),
        _ => small(),
    }
}

/// A document like those that travel between agents: prose, ids and short lists.
fn baton() -> String {
    let mut text =
        String::from("{\"goal\":\"Move the invoice service to the new ledger without losing a posted entry\",");
    text.push_str(
        "\"constraints\":[\"No downtime over 30 seconds\",\"The old API stays until March\"],\"decision_log\":[",
    );
    for number in 1..=9 {
        let comma = if number > 1 { "," } else { "" };
        let _ = write!(
            text,
            "{comma}{{\"id\":\"d{number}\",\"decision\":\"Entries are posted twice and compared for {number} days before the \
             switch\",\"rationale\":\"A \\\"silent\\\" difference was seen in staging; see run {number}{number}\",\"by\":\"planner\",\
             \"at\":\"2026-01-{number:02}T10:00:00Z\",\"revision\":{number}}}"
        );
    }
    text.push_str("],\"artifacts\":[");
    for number in 1..=8 {
        let comma = if number > 1 { "," } else { "" };
        let _ = write!(
            text,
            "{comma}{{\"path\":\"services/ledger/src/posting_{number}.rs\",\"status\":\"changed\",\"lines\":{},\"score\":0.{number}5,\
             \"summary\":\"Posting rule {number} with its tests\",\"reviewed\":{}}}",
            number * 37,
            number % 2 == 0
        );
    }
    text.push_str("],\"checks\":{");
    for number in 1..=8 {
        let comma = if number > 1 { "," } else { "" };
        let _ =
            write!(text, "{comma}\"check_{number}\":{{\"passed\":true,\"evidence\":\"{number}0 of {number}0 green\"}}");
    }
    text.push_str(
        "},\"open_questions\":[\"Who owns the nightly job?\",\"Is the archive read-only?\"],\"current_state\":",
    );
    text.push_str(
        "\"Double posting runs in staging; 2 differences are open\",\"work_scope\":[\"services/ledger\",\"ops/jobs\"]}",
    );
    text
}

const PATCH: &str = "{\"current_state\":\"Double posting runs in production; no difference is open\",\"open_questions\":[\"Who owns \
    the nightly job?\"],\"checks\":{\"check_9\":{\"passed\":false,\"evidence\":\"2 of 9 red\"},\"check_1\":null},\"work_scope\":\
    [\"services/ledger\",\"ops/jobs\",\"docs\"],\"next\":{\"step\":\"review\",\"after\":[\"build\",\"test\"]}}";

/// Medians of both sides, run in turn.
fn race(name: &str, rounds: usize, mut ours: impl FnMut(), mut theirs: impl FnMut()) {
    // Short, so that most rounds are not interrupted by other processes.
    let repeats = 10;
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    let time = |side: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..repeats).for_each(|_| side());
        start.elapsed() / repeats
    };
    for _ in 0..rounds {
        our_times.push(time(&mut ours));
        their_times.push(time(&mut theirs));
    }
    let (ours, theirs) = (median(our_times), median(their_times));
    println!("{name:<44} {ours:>10.2?} {theirs:>10.2?}   {:.2}x faster", theirs.as_secs_f64() / ours.as_secs_f64());
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn small() {
    let (document, limits) = (baton(), Limits::default());
    println!("document {} bytes, patch {} bytes; ours, serde_json/json_patch", document.len(), PATCH.len());
    race(
        "read",
        1501,
        || drop(black_box(read(black_box(&document), &limits).unwrap())),
        || drop(black_box(serde_json::from_str::<serde_json::Value>(black_box(&document)).unwrap())),
    );
    race(
        "decode and read",
        1501,
        || drop(black_box(read(decode(black_box(document.as_bytes()), &limits).unwrap(), &limits).unwrap())),
        || drop(black_box(serde_json::from_slice::<serde_json::Value>(black_box(document.as_bytes())).unwrap())),
    );
    let both = || {
        let mut value: serde_json::Value = serde_json::from_str(black_box(&document)).unwrap();
        json_patch::merge(&mut value, &serde_json::from_str(black_box(PATCH)).unwrap());
        drop(black_box(serde_json::to_string(&value).unwrap()));
    };
    race(
        "read both, merge, write",
        1501,
        || {
            let merged = merge(read(black_box(&document), &limits).unwrap(), read(black_box(PATCH), &limits).unwrap());
            drop(black_box(compact(&merged)));
        },
        both,
    );
    race(
        "splice the text",
        1501,
        || {
            let patch = read(black_box(PATCH), &limits).unwrap();
            drop(black_box(splice(black_box(&document), &patch, &limits).unwrap().to_text()));
        },
        both,
    );
    let (ours, theirs) =
        (read(&document, &limits).unwrap(), serde_json::from_str::<serde_json::Value>(&document).unwrap());
    race(
        "write",
        1501,
        || drop(black_box(compact(black_box(&ours)))),
        || drop(black_box(serde_json::to_string(black_box(&theirs)).unwrap())),
    );
    race(
        "canonical bytes (serde_json_canonicalizer)",
        1501,
        || drop(black_box(canonical(black_box(&ours)))),
        || drop(black_box(serde_json_canonicalizer::to_vec(black_box(&theirs)).unwrap())),
    );
    growth();
}

/// One object of many members: doubling it must double the time.
fn growth() {
    println!("\none object of N members, times for N = 50,000, 100,000, 200,000");
    let limits = Limits::default().with_bytes(usize::MAX);
    let sizes = [50_000_u64, 100_000, 200_000];
    let scattered = |count: u64, value: &str| {
        let members: Vec<String> =
            (0..count).map(|n| format!("\"k{:x}\":{value}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
        format!("{{{}}}", members.join(","))
    };
    let report = |name: &str, run: &mut dyn FnMut(&str, &str)| {
        let times = sizes.map(|count| {
            let (document, patch) = (scattered(count, "1"), scattered(count / 2, "null"));
            median((0..7).map(|_| timed(|| run(&document, &patch))).collect())
        });
        println!("{name:<44} {times:>10.2?}");
    };
    report("read", &mut |document, _| drop(black_box(read(document, &limits).unwrap())));
    report("read, delete half, drop", &mut |document, patch| {
        drop(black_box(merge(read(document, &limits).unwrap(), read(patch, &limits).unwrap())));
    });
    report("splice out half", &mut |document, patch| {
        drop(black_box(splice(document, &read(patch, &limits).unwrap(), &limits).unwrap()));
    });
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn big() {
    let records = document_of_records();
    let members = document_of_members();
    for (name, document) in [("100 MB of records", &records), ("100 MB of members of one object", &members)] {
        println!("{name}: median seconds, peak over file size");
        let mut all: Vec<(&str, Vec<f64>, f64)> =
            ["splice", "tree", "serde"].map(|side| (side, Vec::new(), 0.0)).into();
        for _ in 0..5 {
            for (side, times, peak) in &mut all {
                let (seconds, ratio) = run_child(side, document);
                times.push(seconds);
                *peak = ratio.max(*peak);
            }
        }
        for (side, times, peak) in &mut all {
            times.sort_by(f64::total_cmp);
            println!("  {side:<8} {:>7.3} s   {peak:.2}x", times.get(2).copied().unwrap_or_default());
        }
        let _ = std::fs::remove_file(document);
    }
}

fn run_child(side: &str, document: &Path) -> (f64, f64) {
    let output = Command::new(std::env::current_exe().unwrap()).args(["child", side]).arg(document).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.split_whitespace().map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

fn document_of_records() -> PathBuf {
    let mut text = String::from("{\"title\":\"records\",\"records\":[");
    let mut number = 0_u64;
    while text.len() < 100_000_000 {
        number += 1;
        let comma = if number > 1 { "," } else { "" };
        let _ = write!(
            text,
            "{comma}{{\"id\":{number},\"name\":\"record number {number}\",\"tags\":[\"one\",\"two\",\"three\"],\"note\":\"some words of \
             \\\"plain\\\" prose that stand for what people write\",\"size\":{}.5,\"ok\":true}}",
            number % 977
        );
    }
    text.push_str("],\"state\":{\"step\":1,\"open\":true}}");
    written("records", &text)
}

fn document_of_members() -> PathBuf {
    let mut text = String::from("{\"state\":{\"step\":1,\"open\":true}");
    let mut number = 0_u64;
    while text.len() < 100_000_000 {
        number += 1;
        let _ = write!(text, ",\"k{:016x}\":{number}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    text.push('}');
    written("members", &text)
}

fn written(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("relay-baton-bench-{}-{name}.json", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

/// Does the whole work once, from file to file, and prints the seconds and the peak memory over the file's size.
fn child(side: &str, document: &Path) {
    let patch = "{\"title\":\"new\",\"state\":{\"step\":2,\"open\":null},\"more\":{\"a\":[1,2]}}";
    let limits = Limits::default().with_bytes(usize::MAX).with_numbers(Numbers::AsWritten);
    let mut sink = std::fs::File::create("/dev/null").unwrap();
    let start = Instant::now();
    let bytes = std::fs::read(document).unwrap();
    match side {
        "splice" => {
            let text = decode(&bytes, &limits).unwrap();
            for piece in splice(text, &read(patch, &limits).unwrap(), &limits).unwrap().iter() {
                sink.write_all(piece.as_bytes()).unwrap();
            }
        }
        "tree" => {
            let value = read(decode(&bytes, &limits).unwrap(), &limits).unwrap();
            let merged = merge(value, read(patch, &limits).unwrap());
            sink.write_all(compact(&merged).as_bytes()).unwrap();
        }
        _ => {
            let mut value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            json_patch::merge(&mut value, &serde_json::from_str(patch).unwrap());
            sink.write_all(serde_json::to_string(&value).unwrap().as_bytes()).unwrap();
        }
    }
    println!("{} {}", start.elapsed().as_secs_f64(), peak() / bytes.len() as f64);
}

/// The most memory this process had at once, in bytes (Linux).
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1024.0
}
