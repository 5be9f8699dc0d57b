//! What must hold of the released binary: its size, and that it is static where it can be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore::{Outcome, target};

/// The largest that the stripped binary may be, in bytes. Of these, 1.7 million are what validates contracts (JSON Schema
/// of every draft, and its regular expressions), and about 2 million the rest of governance: charters in TOML, the engine and
/// its saved form, and the vectors that `conformance` holds others to.
const SIZE_MAX: usize = 13_500_000;

/// The released binary.
pub(crate) fn path() -> PathBuf {
    target().join("release").join("baton-patch")
}

pub(crate) fn check() -> Outcome {
    let bytes = fs::read(path()).map_err(|error| format!("{}: {error}", path().display()))?;
    println!("{} bytes, at most {SIZE_MAX} allowed", bytes.len());
    if bytes.len() > SIZE_MAX {
        return Err(format!("{} bytes", bytes.len()));
    }
    if !static_is_expected() {
        println!("linked as usual: no static C library for this target");
        return Ok(());
    }
    match interpreted(&bytes) {
        Some(false) => {
            println!("statically linked");
            Ok(())
        }
        Some(true) => Err("dynamically linked, though libc.a is at hand (is BATON_PATCH_DYNAMIC set?)".to_owned()),
        None => Err("not a 64-bit little-endian ELF file".to_owned()),
    }
}

fn static_is_expected() -> bool {
    let known =
        cfg!(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")));
    let archive = || Command::new("cc").arg("-print-file-name=libc.a").output().ok();
    known && archive().is_some_and(|found| Path::new(String::from_utf8_lossy(&found.stdout).trim_end()).is_absolute())
}

/// Whether an ELF file asks for an interpreter (`PT_INTERP`), as every dynamic program does; `None` if it is no such file.
fn interpreted(elf: &[u8]) -> Option<bool> {
    const PT_INTERP: u64 = 3;
    if !elf.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (table, size, count) = (field(elf, 0x20, 8)?, field(elf, 0x36, 2)?, field(elf, 0x38, 2)?);
    for index in 0..count {
        if field(elf, table.checked_add(index * size)?, 4)? == PT_INTERP {
            return Some(true);
        }
    }
    Some(false)
}

/// A little-endian number of `width` bytes at `offset`.
fn field(bytes: &[u8], offset: u64, width: usize) -> Option<u64> {
    let start = usize::try_from(offset).ok()?;
    let field = bytes.get(start..start.checked_add(width)?)?;
    Some(field.iter().rev().fold(0, |value, byte| (value << 8) | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::interpreted;

    /// An ELF header with program headers of the given types.
    fn elf(types: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56 * types.len()];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (bytes[0x20], bytes[0x36], bytes[0x38]) = (64, 56, u8::try_from(types.len()).unwrap());
        for (index, kind) in types.iter().enumerate() {
            bytes[64 + 56 * index] = *kind;
        }
        bytes
    }

    #[test]
    fn an_interpreter_is_found_wherever_it_stands() {
        assert_eq!(interpreted(&elf(&[6, 3, 1])), Some(true));
        assert_eq!(interpreted(&elf(&[1, 1, 7])), Some(false));
        assert_eq!(interpreted(&elf(&[1, 3])[..100]), None);
        assert_eq!(interpreted(b"#!/bin/sh"), None);
    }
}
