//! `completions`: a shell's script.

use clap_complete::Shell;

use crate::args::{self, CompletionsArgs};
use crate::done::Done;
use crate::failure::Failure;

/// Prints the completion script of a shell.
pub(super) fn run(args: &CompletionsArgs) -> Result<Done, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "baton-patch", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if args.shell == Shell::Bash {
        // The generator sets one name for a verb and asks for another where the program's name has a hyphen.
        script = script.replace("baton__subcmd__patch__subcmd__", "baton__patch__subcmd__");
    }
    Ok(Done::shown(script))
}
