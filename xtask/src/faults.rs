//! `cargo xtask faults`: campaigns too long for every change. They are tests marked ignored whose path holds `faults`.

use crate::chore::{self, Outcome, WORKSPACE, cargo, read};

pub(crate) fn run() -> Outcome {
    let scope = &format!("test --locked --release {WORKSPACE} --all-targets --quiet");
    let listed = read(cargo(scope).args(["--", "--list", "--ignored", "faults"]))?;
    let count = listed.lines().filter(|line| line.ends_with(": test")).count();
    if count == 0 {
        return Err("there is no campaign: no ignored test has `faults` in its path".to_owned());
    }
    println!("{count} campaigns");
    chore::run(cargo(scope).args(["--", "--ignored", "--test-threads=1", "faults"]))
}
