//! The tables and their versions. Each version is a step from the one before; the owner's first connection takes them.

use relay_baton::refusal::Code;
use relay_baton::store::Fault;
use tokio_postgres::{Client, Error, SimpleQueryMessage};

use crate::fault::Failure;

/// The steps: the first makes version 1.
const STEPS: &[&str] = &[include_str!("schema/1.sql")];

/// Asks whose tables they are, and of which version.
pub(crate) const VERSION: &str = "select application, version from relay_baton.about";

/// Who we are, in the table that says it.
const APPLICATION: &str = "relay-baton";

/// One client at a time: the lock is named by four letters of ours.
const BEGIN: &str = "\
begin; set local lock_timeout = '60s'; set local statement_timeout = '60s'; select pg_advisory_xact_lock(1918985326)";

/// How many things there are in a schema of our name; none where there is no such schema.
const INHABITANTS: &str = "\
select n.oid::text, (select count(*) from pg_class as c where c.relnamespace = n.oid)::text \
from pg_namespace as n where n.nspname = 'relay_baton'";

/// The table that says who we are.
const BIRTH: &str = "\
create table relay_baton.about (application text not null, version integer not null, \
one boolean primary key default true check (one)); \
insert into relay_baton.about (application, version) values ('relay-baton', 0)";

/// What was found where our tables should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Version(usize),
}

/// Brings the tables to this program's version, if they are not and that is asked for; `answer` is the one to [`VERSION`].
pub(crate) async fn run(
    client: &Client,
    answer: Result<Vec<SimpleQueryMessage>, Error>,
    makes_tables: bool,
) -> Result<(), Fault> {
    if read(answer)? == Found::Version(STEPS.len()) {
        return Ok(());
    }
    if !makes_tables {
        let detail =
            "the database has no boards of this version yet: the first command that writes makes room for them";
        return Err(Fault::new(Code::StoreUnavailable, detail));
    }
    let taken = take(client).await;
    if taken.is_err() {
        // The connection is given up in any case.
        let _ignored = client.batch_execute("rollback").await;
    }
    taken
}

/// The steps that are missing, in one transaction.
async fn take(client: &Client) -> Result<(), Fault> {
    execute(client, BEGIN).await?;
    execute(client, "savepoint before").await?;
    let found = read(client.simple_query(VERSION).await)?;
    execute(client, "rollback to savepoint before").await?;
    let done = match found {
        Found::Version(version) => version,
        Found::Nothing => {
            bear(client).await?;
            0
        }
    };
    for step in STEPS.iter().skip(done) {
        execute(client, step).await?;
    }
    let last = format!("update relay_baton.about set version = {}; commit", STEPS.len());
    execute(client, &last).await
}

async fn bear(client: &Client) -> Result<(), Fault> {
    let rows = client.simple_query(INHABITANTS).await.map_err(refused)?;
    let inhabitants = rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(1).map(str::to_owned),
        _ => None,
    });
    match inhabitants.as_deref() {
        None => execute(client, "create schema relay_baton").await?,
        Some("0") => {}
        Some(_) => return Err(foreign()),
    }
    execute(client, BIRTH).await
}

fn read(answer: Result<Vec<SimpleQueryMessage>, Error>) -> Result<Found, Fault> {
    let rows = match answer {
        Ok(rows) => rows,
        Err(error) => {
            return match error.code().map(|state| state.code()) {
                Some("42P01" | "3F000") => Ok(Found::Nothing),
                Some("42703" | "42804") => Err(foreign()),
                _ => Err(Failure::from(error).into_fault()),
            };
        }
    };
    let row = rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some((row.get(0)?, row.get(1)?)),
        _ => None,
    });
    match row {
        Some((APPLICATION, version)) => version.parse().map_err(|_| foreign()).and_then(bounded),
        _ => Err(foreign()),
    }
}

fn bounded(version: usize) -> Result<Found, Fault> {
    if version <= STEPS.len() {
        return Ok(Found::Version(version));
    }
    let detail = format!("the tables are of version {version}, this program knows {}: use a newer one", STEPS.len());
    Err(Fault::new(Code::StoreNewer, detail))
}

async fn execute(client: &Client, text: &str) -> Result<(), Fault> {
    client.batch_execute(text).await.map_err(refused)
}

fn refused(error: Error) -> Fault {
    if error.code().is_some_and(|state| state.code() == "42501") {
        let detail = "the tables are missing or of an older version, and this role may not make them: connect once \
                      with the role that is to own them";
        return Fault::new(Code::StoreDenied, detail);
    }
    Failure::from(error).into_fault()
}

fn foreign() -> Fault {
    Fault::new(Code::StoreForeign, "the schema `relay_baton` of the database holds something else than boards")
}
