//! What a process pays that counts once: the page faults of a first count, each taken in a process of its own.

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use relay_baton_tokens::{Encoding, count};

use crate::texts::samples;

/// Processes for each text. Where a program lies in memory differs, and so does the number of faults; the table has medians.
const PROCESSES: usize = 15;
const TASK: &str = "first-count";

/// Prints the faults and the time of a count, and `true`, if this process was started for that.
pub(crate) fn ran_as_child() -> bool {
    let arguments: Vec<String> = env::args().collect();
    let [_, task, encoding, name, ..] = arguments.as_slice() else { return false };
    let (TASK, Some(encoding)) = (task.as_str(), Encoding::named(encoding)) else { return false };
    let text = texts().into_iter().find(|text| text.0 == name).map_or(String::new(), |text| text.1);
    // The first look touches what looking itself needs.
    faults();
    let (before, start) = (faults(), Instant::now());
    black_box(count(encoding, black_box(&text)));
    let time = start.elapsed();
    println!("{} {}", faults() - before, time.as_nanos());
    true
}

pub(crate) fn print_table() {
    println!("{:<12} {:<20} {:>7} {:>7} {:>9}", "encoding", "first count of", "bytes", "faults", "µs");
    for encoding in Encoding::ALL {
        for (name, text) in texts() {
            let mut runs: Vec<(usize, usize)> = (0..PROCESSES).filter_map(|_| run(encoding, name)).collect();
            runs.sort_unstable();
            let faults = runs.get(runs.len() / 2).map_or(0, |run| run.0);
            runs.sort_unstable_by_key(|run| run.1);
            let time = runs.get(runs.len() / 2).map_or(0, |run| run.1);
            let bytes = text.len();
            println!("{:<12} {name:<20} {bytes:>7} {faults:>7} {:>9.1}", encoding.name(), time as f64 / 1e3);
        }
    }
}

fn run(encoding: Encoding, name: &str) -> Option<(usize, usize)> {
    let output = Command::new(env::current_exe().ok()?).args([TASK, encoding.name(), name]).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?;
    let (faults, time) = line.trim().split_once(' ')?;
    Some((faults.parse().ok()?, time.parse().ok()?))
}

fn texts() -> Vec<(&'static str, String)> {
    let file = |path: &str| fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap_or_default();
    let readme: String = file("README.md").chars().take(4_000).collect();
    let mut texts = vec![("a baton", file("benches/data/baton.json")), ("Markdown", readme)];
    texts.extend(samples().into_iter().take(4).map(|sample| (sample.name, sample.text)));
    texts
}

/// The page faults of this process so far that needed no disk: the tenth field of `/proc/self/stat`, and zero elsewhere.
fn faults() -> usize {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    fields.split_whitespace().nth(7).and_then(|field| field.parse().ok()).unwrap_or(0)
}
