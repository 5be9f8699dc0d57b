//! Prepares the tables that the counter reads: a trie, a list of split points, a seam filter and a set of
//! common tokens per encoding, and one table of character classes. All of them are plain little-endian bytes.
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
use std::path::{Path, PathBuf};
use std::{env, fs};

use tiktoken_rs::{CoreBPE, cl100k_base, o200k_base};

use crate::trie::Trie;
use crate::vocabulary::Vocabulary;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/frequent.rs");
    println!("cargo::rerun-if-changed=src/seam.rs");
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    let (blocks, classes) = classes::tables()?;
    fs::write(folder.join("blocks.bin"), blocks)?;
    fs::write(folder.join("classes.bin"), classes)?;
    write_encoding(&folder, "o200k_base", &o200k_base()?)?;
    write_encoding(&folder, "cl100k_base", &cl100k_base()?)?;
    Ok(())
}

fn write_encoding(folder: &Path, name: &str, ranks: &CoreBPE) -> Result<(), Box<dyn Error>> {
    let vocabulary = Vocabulary::of(ranks);
    let units = units::packed(&Trie::of(&vocabulary));
    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    fs::write(folder.join(format!("{name}.units.bin")), bytes)?;
    fs::write(folder.join(format!("{name}.splits.bin")), vocabulary.splits())?;
    fs::write(folder.join(format!("{name}.seams.bin")), seams::table(&vocabulary))?;
    fs::write(folder.join(format!("{name}.commons.bin")), commons::table(&vocabulary))?;
    Ok(())
}
