//! `cargo xtask fuzz SECONDS`: every fuzz target for that long. What is found stays in `fuzz/artifacts`.

use std::fs;

use crate::chore::{self, Outcome, cargo, install, path_from, peers, root, section};

pub(crate) fn run(seconds: u32) -> Outcome {
    install("cargo-fuzz")?;
    let path = path_from(&peers().join("bin"))?;
    for target in targets()? {
        section(&format!("fuzz {target}"), || {
            let new = root().join("fuzz/corpus").join(&target);
            fs::create_dir_all(&new).map_err(|error| format!("{}: {error}", new.display()))?;
            // The sanitizer flags of cargo-fuzz are unstable; the stable compiler takes them with this variable.
            let mut command = cargo("fuzz run");
            command.env("PATH", &path).env("RUSTC_BOOTSTRAP", "1").arg(&target);
            command.arg(new).arg(root().join("tests/corpus").join(&target));
            chore::run(command.args([
                "--",
                &format!("-max_total_time={seconds}"),
                "-timeout=10",
                "-print_final_stats=1",
            ]))
        })?;
    }
    Ok(())
}

/// The names of the files in `fuzz/targets`, in order.
fn targets() -> Outcome<Vec<String>> {
    let folder = root().join("fuzz/targets");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut names: Vec<String> =
        paths.filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).collect();
    names.sort();
    if names.is_empty() { Err(format!("{}: no target", folder.display())) } else { Ok(names) }
}
