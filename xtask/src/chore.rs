//! What every chore is made of: headers, and commands that must succeed.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A value, or why the chore failed.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// Every member with every feature but that of the peers in the benches, which take long to build.
pub(crate) const WORKSPACE: &str =
    "--workspace --features relay-baton/schemars,relay-baton/tiktoken,relay-baton/tokens";

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Prints a header, does `work`, prints how long it took; a failure names the header.
pub(crate) fn section(title: &str, work: impl FnOnce() -> Outcome) -> Outcome {
    println!("\n== {title}");
    let start = Instant::now();
    work().map_err(|reason| format!("{title}: {reason}"))?;
    println!("-- {title}: ok ({:.1} s)", start.elapsed().as_secs_f64());
    Ok(())
}

/// `cargo` with `words`, separated by spaces, in the root of the repository.
pub(crate) fn cargo(words: &str) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs `command`, its output going where ours goes, and fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| format!("{}: {error}", line(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", line(command))) }
}

/// Runs `command` and returns what it wrote to stdout; fails unless it succeeds.
pub(crate) fn read(command: &mut Command) -> Outcome<String> {
    let done = command.stderr(Stdio::inherit()).output().map_err(|error| format!("{}: {error}", line(command)))?;
    if !done.status.success() {
        return Err(format!("{}: {}", line(command), done.status));
    }
    String::from_utf8(done.stdout).map_err(|error| format!("{}: {error}", line(command)))
}

/// Whether `command` can be run and succeeds; its output is dropped.
pub(crate) fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Where tools that are only compared with, or that only some chores need, are installed: `bin` in this folder.
pub(crate) fn peers() -> PathBuf {
    target().join("peers")
}

/// Installs `package` among the peers, unless it is there.
pub(crate) fn install(package: &str) -> Outcome<PathBuf> {
    let program = peers().join("bin").join(package);
    if !program.is_file() {
        println!("installing {package} into {}", peers().display());
        run(cargo("install --quiet --locked").arg("--root").arg(peers()).arg(package))?;
    }
    Ok(program)
}

/// Installs `package`, and no more than it needs, by Debian's package manager.
pub(crate) fn install_package(package: &str) -> Outcome {
    println!("installing {package}");
    let update = || run(Command::new("apt-get").args(["-qq", "update"]));
    let install = || {
        let mut command = Command::new("apt-get");
        command.args(["-qq", "-y", "--no-install-recommends", "install", package]);
        run(command.env("DEBIAN_FRONTEND", "noninteractive"))
    };
    install().or_else(|_| update().and_then(|()| install()))
}

/// The search path with `folder` before all others.
pub(crate) fn path_from(folder: &Path) -> Outcome<OsString> {
    let old = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_path_buf()).chain(env::split_paths(&old));
    env::join_paths(folders).map_err(|error| error.to_string())
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
