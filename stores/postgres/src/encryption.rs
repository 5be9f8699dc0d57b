//! How a connection is opened: in the clear.

use relay_baton::store::Fault;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, NoTls};

use crate::address::{Address, Encryption, unfit};
use crate::fault;

/// Opens a connection and lets it run.
pub(crate) async fn connect(address: &Address) -> Result<(Client, JoinHandle<()>), Fault> {
    if !matches!(address.encryption, Encryption::Disable | Encryption::Prefer) {
        return Err(unfit("the address asks for an encrypted connection, which this build cannot make"));
    }
    let opened = address.config.connect(NoTls).await;
    let (client, connection) = opened.map_err(|error| fault::of_connecting(&error))?;
    Ok((client, tokio::spawn(async { drop(connection.await) })))
}
