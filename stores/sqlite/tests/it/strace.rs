//! Writers under strace, which sees what they ask of the system and makes it fail.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use crate::writer::Job;

/// Whether writers can be traced. That they cannot is a failure, unless it is skipped by name.
pub(crate) fn can_trace() -> bool {
    let skipped = std::env::var("RELAY_BATON_SKIP").unwrap_or_default();
    if skipped.split([',', ' ']).any(|word| word == "strace") {
        println!("skipped: the tests that need strace, by RELAY_BATON_SKIP");
        return false;
    }
    let can = Command::new("strace").args(["-o", "/dev/null", "true"]).output().is_ok_and(|ran| ran.status.success());
    assert!(can, "strace is needed here, or `RELAY_BATON_SKIP=strace`");
    true
}

/// What came of a writer.
pub(crate) struct Traced {
    pub(crate) killed: bool,
    pub(crate) log: String,
}

/// Lets a writer do `job`, traced with `options`.
pub(crate) fn trace(job: &Job, options: &[&str], log: &Path) -> Traced {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(log).args(options).args(Job::words());
    job.give(&mut command);
    let status = command.status().unwrap();
    let killed = status.signal() == Some(9);
    assert!(killed || status.success(), "{status:?}");
    Traced { killed, log: String::from_utf8_lossy(&fs::read(log).unwrap()).into_owned() }
}
