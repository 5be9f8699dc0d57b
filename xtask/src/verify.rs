//! `cargo xtask test`: everything that must hold before a change goes in, cheapest first; the first failure ends it.

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::chore::{self, Outcome, WORKSPACE, cargo, read, root, section, works};
use crate::{binary, board, browser, postgres, relay, strace};

/// The library pulls in fewer packages than this.
const PACKAGES_MAX: usize = 60;

/// Where the random cases of the property tests start.
const PROPERTY_SEED: &str = "7396";

/// A step: its header, and what it does.
type Step = (&'static str, fn() -> Outcome);

fn run_all(steps: &[Step]) -> Outcome {
    steps.iter().try_for_each(|(title, step)| section(title, step))
}

pub(crate) fn run() -> Outcome {
    run_all(&[
        ("format", || chore::run(&mut cargo("fmt --all --check"))),
        ("packages that the library pulls in", packages),
        ("clippy", || lint(&format!("{WORKSPACE} --all-targets"))),
        ("clippy, library without features", || lint("-p relay-baton --no-default-features")),
        ("documentation", documentation),
        ("library without features", || chore::run(&mut cargo("build --locked -p relay-baton --no-default-features"))),
        ("library with every feature", || chore::run(&mut cargo("build --locked -p relay-baton --all-features"))),
        ("browser", browser::provide),
        ("strace", strace::provide),
        ("tests", tests),
        ("documentation tests", || chore::run(&mut cargo(&format!("test --locked {WORKSPACE} --doc")))),
        ("release build", relay::build),
        ("released binary", binary::check),
        ("example pipeline", relay::example),
        ("example board", board::example),
        ("command-line cases", cases),
    ])?;
    println!("\nxtask: everything holds");
    Ok(())
}

fn lint(scope: &str) -> Outcome {
    chore::run(cargo(&format!("clippy --locked --quiet {scope}")).args(["--", "-D", "warnings"]))
}

fn documentation() -> Outcome {
    let words = format!("doc --locked --quiet {WORKSPACE} --no-deps");
    chore::run(cargo(&words).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Every test of every member: vectors through the library and the binary, schemas, README commands, layers.
fn tests() -> Outcome {
    let scope = format!("--locked {WORKSPACE}");
    let words = if works(&mut cargo("nextest --version")) {
        format!("nextest run {scope} --status-level fail --no-fail-fast")
    } else {
        format!("test {scope} --all-targets --no-fail-fast")
    };
    // The same cases for everybody: a change fails for what it changed. `PROPTEST_RNG_SEED` gives other ones.
    let seed = env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| PROPERTY_SEED.to_owned());
    postgres::run_with_server(cargo(&words).env("PROPTEST_RNG_SEED", seed))
}

fn packages() -> Outcome {
    let tree = read(&mut cargo("tree --locked -p relay-baton --all-features -e normal --prefix none"))?;
    let count = names(&tree).len();
    println!("{count} packages, fewer than {PACKAGES_MAX} allowed");
    if (1..PACKAGES_MAX).contains(&count) { Ok(()) } else { Err(format!("{count} packages")) }
}

/// The packages of a `cargo tree --prefix none`, each once, without the first, which is the library itself.
fn names(tree: &str) -> BTreeSet<&str> {
    tree.lines().skip(1).map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty()).collect()
}

/// Command-line cases kept outside the repository: in `BATON_CASES`, or beside it. Each file is run through the binary.
fn cases() -> Outcome {
    let folder = env::var_os("BATON_CASES").map_or_else(|| root().join("../shared/cases"), PathBuf::from);
    let runner = folder.join("run.py");
    if !runner.is_file() {
        println!("skipped: {} is not there", runner.display());
        return Ok(());
    }
    for file in ["relay.json", "merge.json"] {
        println!("{file}");
        chore::run(
            Command::new("python3").arg(&runner).arg(binary::path()).arg(folder.join(file)).stdin(Stdio::null()),
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{names, run_all};

    #[test]
    fn packages_are_counted_once_and_without_the_library() {
        let tree = "relay-baton v0.1.0 (/x)\nserde v1.0.0\nserde_core v1.0.0\nserde v1.0.0 (*)\n\n";
        assert_eq!(names(tree).into_iter().collect::<Vec<_>>(), ["serde v1.0.0", "serde_core v1.0.0"]);
    }

    #[test]
    fn the_first_failure_ends_the_chore_and_is_named() {
        let failed = run_all(&[
            ("one", || Ok(())),
            ("two", || Err("broken".to_owned())),
            ("three", || Err("not reached".to_owned())),
        ]);
        assert_eq!(failed, Err("two: broken".to_owned()));
    }
}
