//! The database server that the tests of the PostgreSQL store talk to: started for them, and gone after them.

use std::env;
use std::path::Path;
use std::process::Command;

use relay_baton_postgres_server::{SKIP, Server, VARIABLE, is_skipped, programs};

use crate::chore::{self, Outcome};

/// Runs `command` with the URL of a server in its environment, unless there is one or the tests are skipped by name.
pub(crate) fn run_with_server(command: &mut Command) -> Outcome {
    if is_skipped() {
        println!("skipped: the tests that need PostgreSQL, by {SKIP}");
        return chore::run(command);
    }
    if env::var_os(VARIABLE).is_some() {
        return chore::run(command);
    }
    if programs().is_none() {
        install()?;
    }
    let server = Server::start().map_err(|error| error.to_string())?;
    println!("a PostgreSQL server listens on port {}", server.port());
    // The server ends when it is dropped, whether the command succeeds or fails.
    chore::run(command.env(VARIABLE, server.url()))
}

/// Installs the server by the package manager, where we may.
fn install() -> Outcome {
    if !Path::new("/etc/debian_version").exists() {
        return Err(format!("install a PostgreSQL server, or set {VARIABLE} to a superuser's URL"));
    }
    // The cluster that the package would make and start is not wanted.
    chore::install_package("postgresql")?;
    if programs().is_some() {
        Ok(())
    } else {
        Err("postgresql is installed, but its programs are not found".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use relay_baton_postgres_server::{VARIABLE, is_skipped};

    use super::run_with_server;

    #[test]
    fn a_command_is_given_a_server_and_its_failure_is_told() {
        if is_skipped() {
            return;
        }
        let shell = |text: String| {
            let mut command = Command::new("sh");
            command.args(["-c", &text]);
            command
        };
        assert_eq!(run_with_server(&mut shell(format!("test -n \"${VARIABLE}\""))), Ok(()));
        assert!(run_with_server(&mut shell("exit 3".to_owned())).is_err());
    }
}
