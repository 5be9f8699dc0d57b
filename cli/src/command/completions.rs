//! `completions`: a shell's script.

use crate::args::{self, CompletionsArgs};
use crate::done::Done;
use crate::failure::Failure;

/// Prints the completion script of a shell.
pub(super) fn run(args: &CompletionsArgs) -> Result<Done, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "baton-patch", &mut script);
    Ok(Done::shown(String::from_utf8_lossy(&script).into_owned()))
}
