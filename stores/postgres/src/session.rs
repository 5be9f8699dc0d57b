//! One connection to the server: opened within a bound, asked within a bound.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join;
use relay_baton::store::Fault;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row, SimpleQueryMessage, Statement};

use crate::address::Address;
use crate::fault::{self, Failure};
use crate::{encryption, migration};

/// How long it may take to open a connection, with proving who one is.
const OPEN_MAX: Duration = Duration::from_secs(10);

/// How long an answer may take: longer than the server's own bounds, so that these speak first.
const ANSWER_MAX: Duration = Duration::from_secs(40);

/// How long taking leave may take.
const LEAVE_MAX: Duration = Duration::from_millis(100);

/// What the server is told at first. A server's own settings must not weaken what we promise.
const SETTINGS: &str = "\
set lock_timeout = '10s'; set statement_timeout = '30s'; set idle_in_transaction_session_timeout = '10s'; \
set default_transaction_isolation = 'read committed'; set client_min_messages = 'error'; \
select pg_backend_pid(), clock_timestamp()";

/// What a statement is given, with its type, so that the server need not be asked for it.
pub(crate) type Value<'v> = (&'v (dyn ToSql + Sync), Type);

/// All that a statement is given.
pub(crate) type Values<'v> = [Value<'v>];

/// The process that serves us on the server, told apart from later ones with the same number.
#[derive(Clone, Debug)]
pub(crate) struct Backend {
    pub(crate) pid: i32,
    /// It was there at this time of the server.
    pub(crate) since: String,
}

/// An open connection.
pub(crate) struct Session {
    client: Client,
    /// What moves the bytes; it ends when the client is dropped and has said so.
    driver: JoinHandle<()>,
    statements: BTreeMap<&'static str, Option<Statement>>,
    pub(crate) backend: Backend,
}

impl Session {
    /// Connects, and sees to it that the tables are there.
    pub(crate) async fn open(address: &Address) -> Result<Self, Fault> {
        let open_max = address.config.get_connect_timeout().map_or(OPEN_MAX, |each| OPEN_MAX.min(*each * 2));
        let mut session = timeout(open_max, Self::connect(address)).await.map_err(|_| fault::lost())??;
        let settings = session.client.simple_query(SETTINGS);
        let version = session.client.simple_query(migration::VERSION);
        let (settings, version) = timeout(open_max, join(settings, version)).await.map_err(|_| fault::lost())?;
        let settings = settings.map_err(|error| fault::of_connecting(&error, address))?;
        session.backend = backend(&settings).ok_or_else(fault::lost)?;
        migration::run(&session.client, version, address.makes_tables).await?;
        Ok(session)
    }

    async fn connect(address: &Address) -> Result<Self, Fault> {
        let (client, driver) = encryption::connect(address).await?;
        let backend = Backend { pid: 0, since: String::new() };
        Ok(Self { client, driver, statements: BTreeMap::new(), backend })
    }

    /// Whether it is known that the connection has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Takes leave of the server, which is not waited for.
    pub(crate) async fn close(self) {
        drop(self.client);
        let _ended = timeout(LEAVE_MAX, self.driver).await;
    }

    /// Does `before`, asks, and does `after`, all sent at once.
    pub(crate) async fn ask_between(
        &mut self,
        before: Option<&str>,
        text: &'static str,
        values: &Values<'_>,
        after: Option<&str>,
    ) -> Result<Vec<Row>, Failure> {
        bounded(async {
            // What is sent at once must not wait for an answer halfway.
            self.prepare(text).await?;
            let around = join(self.say(before), join(self.send(text, values), self.say(after)));
            let (before, (rows, after)) = around.await;
            before?;
            let rows = rows?;
            after?;
            Ok(rows)
        })
        .await
    }

    /// Runs statements that give nothing back.
    pub(crate) async fn run(&self, text: &str) -> Result<(), Failure> {
        bounded(self.client.batch_execute(text)).await
    }

    async fn say(&self, text: Option<&str>) -> Result<(), Error> {
        match text {
            Some(text) => self.client.batch_execute(text).await,
            None => Ok(()),
        }
    }

    /// What is asked a second time is prepared, so that a process that asks once pays one round trip.
    async fn prepare(&mut self, text: &'static str) -> Result<(), Error> {
        match self.statements.get(text) {
            None => {
                self.statements.insert(text, None);
            }
            Some(None) => {
                let statement = self.client.prepare(text).await?;
                self.statements.insert(text, Some(statement));
            }
            Some(Some(_)) => {}
        }
        Ok(())
    }

    async fn send(&self, text: &'static str, values: &Values<'_>) -> Result<Vec<Row>, Error> {
        let Some(Some(statement)) = self.statements.get(text) else {
            return self.client.query_typed(text, values).await;
        };
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|(value, _)| *value).collect();
        self.client.query(statement, &values).await
    }
}

async fn bounded<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
    match timeout(ANSWER_MAX, work).await {
        Ok(done) => done.map_err(Failure::from),
        Err(_) => Err(Failure::Lost),
    }
}

fn backend(messages: &[SimpleQueryMessage]) -> Option<Backend> {
    messages.iter().find_map(|message| {
        let SimpleQueryMessage::Row(row) = message else { return None };
        Some(Backend { pid: row.get(0)?.parse().ok()?, since: row.get(1)?.to_owned() })
    })
}
