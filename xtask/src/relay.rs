//! `cargo xtask relay`: the example pipeline, with the tool just built.

use std::process::{Command, Stdio};

use crate::binary;
use crate::chore::{self, Outcome, cargo, path_from, root};

pub(crate) fn run() -> Outcome {
    build()?;
    example()
}

pub(crate) fn build() -> Outcome {
    chore::run(&mut cargo("build --locked --release --package baton-patch"))
}

/// Runs `examples/relay/run` with the released binary first on the search path, and named in `BATON_PATCH`.
pub(crate) fn example() -> Outcome {
    let program = binary::path();
    let folder = program.parent().ok_or("the binary has no folder")?;
    let mut script = Command::new(root().join("examples/relay/run"));
    script.current_dir(root()).stdin(Stdio::null());
    chore::run(script.env("PATH", path_from(folder)?).env("BATON_PATCH", &program))
}
