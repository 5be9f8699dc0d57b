//! Times the counter against its peers, in the same run: `cargo bench -p relay-baton-tokens --features peers`.
#![allow(clippy::print_stdout, clippy::indexing_slicing, reason = "a bench prints its table")]

mod first;
mod texts;

use std::hint::black_box;
use std::time::Instant;

use relay_baton_tokens::{Encoding, count};
use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

use crate::texts::{Sample, samples};

/// Interleaved rounds; the table has their medians.
const ROUNDS: usize = 41;
/// One round of a text lasts at least about this long, in nanoseconds.
const ROUND_NS: u128 = 300_000;

type Counter = fn(&str) -> usize;

/// A peer: its name, what it does for each encoding, and its place in the targets of a sample.
struct Peer {
    name: &'static str,
    counters: [Counter; 2],
    target: usize,
}

const OURS: [Counter; 2] = [|text| count(Encoding::O200kBase, text), |text| count(Encoding::Cl100kBase, text)];

const PEERS: &[Peer] = &[
    Peer {
        name: "tiktoken-rs",
        counters: [
            |text| o200k_base_singleton().encode_ordinary(text).len(),
            |text| cl100k_base_singleton().encode_ordinary(text).len(),
        ],
        target: 0,
    },
    #[cfg(feature = "peers")]
    Peer {
        name: "bpe-openai",
        counters: [|text| bpe_openai::o200k_base().count(text), |text| bpe_openai::cl100k_base().count(text)],
        target: 1,
    },
];

fn main() {
    if first::ran_as_child() {
        return;
    }
    first::print_table();
    println!();
    println!(
        "{:<12} {:<20} {:>7} {:>9}  {:<12} {:>10} {:>7} {:>7}",
        "encoding", "text", "bytes", "ours µs", "peer", "peer µs", "ratio", "target"
    );
    for (place, encoding) in Encoding::ALL.into_iter().enumerate() {
        for sample in samples() {
            for peer in PEERS {
                compare(encoding, &sample, peer, OURS[place], peer.counters[place]);
            }
        }
    }
}

fn compare(encoding: Encoding, sample: &Sample, peer: &Peer, ours: Counter, theirs: Counter) {
    let text = &sample.text;
    assert_eq!(ours(text), theirs(text), "{} differs from {}", sample.name, peer.name);
    let (our_runs, their_runs) = (runs_in_round(ours, text), runs_in_round(theirs, text));
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        times.0.push(time(ours, text, our_runs));
        times.1.push(time(theirs, text, their_runs));
    }
    let (our_time, their_time) = (median(times.0), median(times.1));
    let target = sample.targets[peer.target].map_or(String::new(), |target| format!("≤ {target:.2}"));
    println!(
        "{:<12} {:<20} {:>7} {our_time:>9.2}  {:<12} {their_time:>10.2} {:>7.3} {target:>7}",
        encoding.name(),
        sample.name,
        text.len(),
        peer.name,
        our_time / their_time,
    );
}

fn runs_in_round(counter: Counter, text: &str) -> u32 {
    let start = Instant::now();
    black_box(counter(black_box(text)));
    u32::try_from(ROUND_NS / start.elapsed().as_nanos().max(1)).unwrap_or(u32::MAX).clamp(1, 1_000)
}

/// Microseconds of one count.
fn time(counter: Counter, text: &str, runs: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..runs {
        black_box(counter(black_box(text)));
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(runs)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
