//! `cargo xtask bench`: the bench targets of every member, then whole processes against their peers.

use std::fs;
use std::path::PathBuf;

use crate::chore::{self, Outcome, cargo, peers, root, section};
use crate::{process, recorded, relay, strategy};

/// Each member that may have bench targets: its package, its folder from the root, and the features to measure with.
const MEMBERS: [(&str, &str, &str); 4] = [
    ("relay-baton", ".", "--features tiktoken,tokens"),
    ("relay-baton-tokens", "tokens", "--features peers"),
    ("relay-baton-sqlite", "stores/sqlite", ""),
    ("baton-patch", "cli", ""),
];

pub(crate) fn run(runs: u32) -> Outcome {
    for (package, folder, features) in MEMBERS {
        for name in targets(folder) {
            section(&format!("bench {package} {name}"), || {
                let words = format!("bench --locked --quiet {features} --package {package} --bench {name}");
                chore::run(&mut cargo(&words))
            })?;
        }
    }
    section("bench of one decision against cedar-policy", decision)?;
    section("release build", relay::build)?;
    section("whole processes", || process::run(runs))?;
    section("whole processes at a board", || recorded::run(runs))?;
    section("a strategy as a whole process", || strategy::run(runs))
}

/// It is outside of the workspace, for its peer takes long to build.
fn decision() -> Outcome {
    let words = "run --locked --quiet --release --manifest-path benches/cedar/Cargo.toml --target-dir";
    chore::run(cargo(words).arg(peers().join("cedar")))
}

/// The bench targets of a member: the names of the files in its `benches`, and of the folders with a `main.rs`.
fn targets(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder).join("benches")).into_iter().flatten();
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_target =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").is_file();
    let stems =
        paths.filter(is_target).filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    let mut names: Vec<String> = stems.collect();
    names.sort();
    names
}
