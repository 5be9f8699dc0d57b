//! strace, with which the tests kill programs and make their disk fail.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::chore::{self, Outcome, works};

/// The variable that names the tests to skip.
const SKIP: &str = "RELAY_BATON_SKIP";

/// Sees to it that it is there, unless its tests are skipped by name.
pub(crate) fn provide() -> Outcome {
    let skipped = env::var(SKIP).unwrap_or_default();
    if skipped.split([',', ' ']).any(|name| name == "strace") {
        println!("skipped: the tests that need strace, by {SKIP}");
        return Ok(());
    }
    if cfg!(not(target_os = "linux")) || is_there() {
        return Ok(());
    }
    if !Path::new("/etc/debian_version").exists() {
        return Err(format!("install strace, or go without its tests: {SKIP}=strace"));
    }
    chore::install_package("strace")?;
    if is_there() { Ok(()) } else { Err("strace is installed, but it cannot trace".to_owned()) }
}

fn is_there() -> bool {
    works(Command::new("strace").args(["-o", "/dev/null", "true"]))
}
