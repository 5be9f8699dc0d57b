//! Prepares the tables that the counter reads: a seam filter, a set of common tokens and a trie per
//! encoding, and one table of character classes. All of them are plain little-endian bytes.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a build that meets unexpected rank data must stop, and talks to cargo on standard output"
)]

mod classes;
mod commons;
mod seams;
mod trie;
mod units;
mod vocabulary;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use tiktoken_rs::{cl100k_base, o200k_base};

use crate::trie::Trie;
use crate::vocabulary::Vocabulary;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/frequent.rs");
    println!("cargo::rerun-if-changed=src/joint.rs");
    println!("cargo::rerun-if-changed=src/seam.rs");
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    let (blocks, classes) = classes::tables()?;
    fs::write(folder.join("blocks.bin"), blocks)?;
    fs::write(folder.join("classes.bin"), classes)?;
    // Its text was for the most part English and code, and so is what agents hand to each other.
    let cl100k = Vocabulary::of(&cl100k_base()?);
    fs::write(folder.join("o200k_base.bin"), tables(&Vocabulary::of(&o200k_base()?), &cl100k))?;
    fs::write(folder.join("cl100k_base.bin"), tables(&cl100k, &cl100k))?;
    Ok(())
}

/// What is touched for every text comes first, and the trie starts with what is touched for most.
fn tables(vocabulary: &Vocabulary, familiar: &Vocabulary) -> Vec<u8> {
    let units = units::packed(&Trie::of(vocabulary, familiar));
    [seams::table(vocabulary), commons::table(vocabulary, familiar), units].concat()
}
