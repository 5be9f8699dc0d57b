//! What one patch costs inside a process, against serde_json with `json_patch::merge`, in the same run.
//!
//! Ours reads both texts strictly, lowers, guards, merges, stamps and writes; the peer reads both, merges and writes.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops loudly and prints its table"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Id, Timestamp};
use relay_baton::guard::{Guards, guard};
use relay_baton::json::{self, Limits, Value};
use relay_baton::lower::lower;
use relay_baton::merge::merge;
use relay_baton::parse::{Dialect, Proposal};

const BATON: &str = include_str!("data/baton.json");
const PATCH: &str = include_str!("data/patch.json");
const TARGET: f64 = 0.8;

fn attribution() -> Attribution {
    Attribution {
        step: Id::new("build").unwrap(),
        by: Id::new("bot").unwrap(),
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
    }
}

fn ours(baton: &str, patch: &str, attribution: &Attribution, guards: &Guards) -> String {
    let baton = Baton::read(baton, &Limits::default()).unwrap();
    let Value::Object(object) = json::read(patch, &Limits::default()).unwrap() else { return String::new() };
    let proposal = Proposal::parse(object, Dialect::Plain).unwrap();
    let lowered = lower(&baton, proposal, attribution).unwrap();
    let admitted = guard(&baton, lowered, guards, &[]).unwrap();
    merge(baton, admitted, attribution, "sha256:0").baton().to_json()
}

fn peer(baton: &str, patch: &str) -> String {
    let mut baton: serde_json::Value = serde_json::from_str(baton).unwrap();
    let patch: serde_json::Value = serde_json::from_str(patch).unwrap();
    json_patch::merge(&mut baton, &patch);
    serde_json::to_string(&baton).unwrap()
}

/// A baton whose log is `times` times as long.
fn longer(times: usize) -> String {
    let mut baton: serde_json::Value = serde_json::from_str(BATON).unwrap();
    let log = baton.get_mut("decision_log").unwrap().as_array_mut().unwrap();
    let first = log.clone();
    for round in 1..times {
        for decision in &first {
            let mut decision = decision.clone();
            let text = format!("{} ({round})", decision.get("decision").unwrap().as_str().unwrap());
            let id = format!("D{}", log.len() + 1);
            decision.as_object_mut().unwrap().insert("decision".into(), text.into());
            decision.as_object_mut().unwrap().insert("id".into(), id.into());
            log.push(decision);
        }
    }
    serde_json::to_string_pretty(&baton).unwrap()
}

/// The median time of each of two functions, called in turn.
fn medians(mut one: impl FnMut() -> String, mut two: impl FnMut() -> String, runs: usize) -> (Duration, Duration) {
    let mut times = (Vec::with_capacity(runs), Vec::with_capacity(runs));
    for _ in 0..runs {
        let start = Instant::now();
        black_box(one());
        times.0.push(start.elapsed());
        let start = Instant::now();
        black_box(two());
        times.1.push(start.elapsed());
    }
    times.0.sort();
    times.1.sort();
    (times.0[runs / 2], times.1[runs / 2])
}

fn main() {
    let (attribution, guards) = (attribution(), Guards::default());
    let run = |baton: &str, runs: usize| {
        medians(
            || ours(black_box(baton), black_box(PATCH), &attribution, &guards),
            || peer(black_box(baton), black_box(PATCH)),
            runs,
        )
    };
    run(BATON, 2_000);
    println!("apply in a process: {} B of baton, {} B of patch", BATON.len(), PATCH.len());
    let (own, other) = run(BATON, 20_000);
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let ratio = micros(own) / micros(other);
    println!(
        "ours {:.2} µs, serde_json + json_patch {:.2} µs: {ratio:.2} × (target {TARGET} ×)",
        micros(own),
        micros(other)
    );
    let mut last = None;
    for times in [64, 128, 256] {
        let baton = longer(times);
        let (own, other) = run(&baton, 60);
        let growth = |last: Option<f64>, now: f64| {
            last.map_or(String::new(), |last| format!(" ({:.2} × the one before)", now / last))
        };
        let (own, other) = (micros(own), micros(other));
        let (before, before_other) = last.unzip();
        println!(
            "a log of {} decisions: ours {own:.0} µs{}, the peer {other:.0} µs{}",
            times * 8,
            growth(before, own),
            growth(before_other, other)
        );
        last = Some((own, other));
    }
}
