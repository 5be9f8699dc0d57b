//! A server to try things on: prints its URL, and is there until stdin ends.
#![allow(clippy::print_stdout, reason = "it is read on the terminal")]

use std::io;

use relay_baton_postgres_server::Server;

fn main() -> io::Result<()> {
    let server = Server::start()?;
    println!("{}", server.url());
    io::copy(&mut io::stdin(), &mut io::sink())?;
    drop(server);
    Ok(())
}
