//! The chores of this repository: `cargo xtask test`, and the longer ones that CI does not run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore reports on the terminal")]

mod bench;
mod binary;
mod board;
mod browser;
mod chore;
mod faults;
mod fuzz;
mod postgres;
mod process;
mod recorded;
mod relay;
mod strace;
mod strategy;
mod verify;

use std::env;
use std::process::ExitCode;

use crate::chore::Outcome;

const USAGE: &str = "\
usage: cargo xtask CHORE

  test             everything that must hold before a change goes in
  relay            build the command-line tool and run the example pipeline
  board            build it and run agents in parallel on one board, in a file and on a PostgreSQL server
  bench [RUNS]     benches, and whole processes against their peers (RUNS of each, 300 by default)
  fuzz SECONDS     every fuzz target for that long
  faults           the long fault campaigns (tests marked ignored whose path holds `faults`)";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => verify::run(),
        ["relay"] => relay::run(),
        ["board"] => board::run(),
        ["bench"] => bench::run(300),
        ["bench", runs] => number(runs).and_then(bench::run),
        ["fuzz", seconds] => number(seconds).and_then(fuzz::run),
        ["faults"] => faults::run(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("\nxtask: failed: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn number(word: &str) -> Outcome<u32> {
    word.parse().ok().filter(|number| *number > 0).ok_or_else(|| format!("`{word}` is not a number from 1"))
}
