//! `baton-patch`: the relay on the command line.
//!
//! `args` (what was typed) → `settings` (resolved) → `command` (does it, prints nothing) → `output` (the only writer) →
//! `exit` (one table). `place` is where files are read, locked and replaced.

mod args;
mod command;
mod contract;
mod done;
mod exit;
mod failure;
mod output;
mod page;
mod place;
mod process;
mod settings;

use std::env;
use std::process::ExitCode;

use crate::exit::Exit;
use crate::settings::Reporting;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(output::bug));
    let exit = match args::parse() {
        Ok(args) => {
            let reporting = Reporting::from(args.report);
            output::finish(command::run(args.verb, reporting), reporting)
        }
        Err(error) => misunderstood(&error),
    };
    exit.into()
}

/// Help and version come the same way as usage errors, and go to standard output.
fn misunderstood(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    if error.use_stderr() {
        output::usage(&failure::without_passwords(&text), settings::asks_for_json(env::args_os()))
    } else {
        output::print(&text)
    }
}
