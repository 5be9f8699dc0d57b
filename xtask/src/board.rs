//! `cargo xtask board`: agents in parallel on one board, with the tool just built: on a file, and on a server.

use std::process::{Command, Stdio};

use relay_baton_postgres_server::VARIABLE;

use crate::chore::{self, Outcome, root};
use crate::{binary, postgres, relay};

pub(crate) fn run() -> Outcome {
    relay::build()?;
    example()
}

/// Runs `examples/board/run` with the released binary, on SQLite and on PostgreSQL.
pub(crate) fn example() -> Outcome {
    let script = root().join("examples/board/run");
    let command = |words: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", words, "sh"]).arg(&script).arg(binary::path()).current_dir(root()).stdin(Stdio::null());
        shell.env_remove("BATON_BOARD");
        shell
    };
    println!("on a file");
    chore::run(&mut command(r#""$1" "$2""#))?;
    println!("\non a PostgreSQL server");
    postgres::run_with_server(&mut command(&format!(r#""$1" "$2" "${VARIABLE}""#)))
}
