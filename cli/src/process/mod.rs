//! Running the commands of a charter: an agent or a tool that is a program.
//!
//! No shell reads the words. The program starts in the charter's folder, in a process group of its own, with our
//! environment and a few variables more. It gets its input on standard input, and may leave it unread. It is ended, with
//! all of its group, when its time is over, when it writes more than it may, and when we are told to stop: first politely
//! (`SIGTERM`), a second later not (`SIGKILL`).
//!
//! It is done when it has exited and nobody holds its standard output and error any more. Where a descendant that it
//! left behind holds one, that is waited for only as long as something comes within the time, and a fifth of a second
//! more; the descendant is let live.

mod outcome;
#[cfg(any(not(unix), test))]
mod threaded;
#[cfg(unix)]
mod unix;

use std::io;
use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};

use relay_baton::charter;

pub(crate) use outcome::{Ended, Ran};
#[cfg(not(unix))]
use threaded::converse;
#[cfg(unix)]
use unix::converse;

#[cfg(not(unix))]
pub(crate) use threaded::Stop;
#[cfg(unix)]
pub(crate) use unix::Stop;

/// Where a program runs, and what it is told beside its input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'s> {
    /// The folder in which it starts, and from which it is named if its name has a slash.
    pub(crate) folder: &'s Path,
    /// Variables beside our own environment.
    pub(crate) variables: &'s [(&'s str, &'s str)],
}

/// Runs `command` with `input` on its standard input, until it has ended. Several threads may do so at a time.
pub(crate) fn run(command: &charter::Command, around: &Surroundings<'_>, input: &[u8], stop: &Stop) -> Ran {
    match prepared(command, around) {
        Ok(prepared) => converse(prepared, command, input, stop),
        Err(error) => Ran::not_started(command, &error),
    }
}

fn prepared(command: &charter::Command, around: &Surroundings<'_>) -> io::Result<Command> {
    let (program, arguments) = command.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    // A relative folder would be looked for once more after the program has gone there.
    let folder = path::absolute(around.folder)?;
    let mut prepared = Command::new(place_of(program, &folder));
    prepared.args(arguments).current_dir(folder);
    for name in KEPT_BACK {
        prepared.env_remove(name);
    }
    prepared.envs(around.variables.iter().copied());
    prepared.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(prepared)
}

/// A program with a slash in its name is named from the folder; any other is looked for in `PATH`.
fn place_of(program: &str, folder: &Path) -> PathBuf {
    if program.contains('/') || program.contains(path::MAIN_SEPARATOR) { folder.join(program) } else { program.into() }
}

#[cfg(test)]
#[path = "process_test.rs"]
mod tests;

/// Variables that are ours alone: where the board is, and by which password.
const KEPT_BACK: [&str; 3] = ["BATON_BOARD", "PGPASSWORD", "PGPASSFILE"];
