//! How a connection is opened: encrypted as the address asks, or in the clear where it allows that.

use relay_baton::store::Fault;
use tokio::task::JoinHandle;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, NoTls, Socket};

use crate::address::{Address, Encryption};
use crate::fault;

/// Opens a connection and lets it run.
pub(crate) async fn connect(address: &Address) -> Result<(Client, JoinHandle<()>), Fault> {
    if address.encryption == Encryption::Disable {
        return connect_by(address, NoTls).await;
    }
    connect_encrypted(address).await
}

#[cfg(feature = "tls")]
async fn connect_encrypted(address: &Address) -> Result<(Client, JoinHandle<()>), Fault> {
    connect_by(address, crate::trust::connector(address)?).await
}

#[cfg(not(feature = "tls"))]
async fn connect_encrypted(address: &Address) -> Result<(Client, JoinHandle<()>), Fault> {
    if address.encryption != Encryption::Prefer {
        return Err(crate::address::unfit(
            "the address asks for an encrypted connection, which this build cannot make",
        ));
    }
    connect_by(address, NoTls).await
}

async fn connect_by<T>(address: &Address, by: T) -> Result<(Client, JoinHandle<()>), Fault>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let opened = address.config.connect(by).await;
    let (client, connection) = opened.map_err(|error| fault::of_connecting(&error, address))?;
    Ok((client, tokio::spawn(async { drop(connection.await) })))
}
