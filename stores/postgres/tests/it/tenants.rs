//! What the database itself refuses, whatever a client asks: rows of another tenant, and changes of what stands.

use postgres::{Client, NoTls};
use relay_baton::store::{Expected, Store as _};
use relay_baton_postgres::Postgres;

use crate::entries::{all, batch, board, post, record, saved};
use crate::place::Database;

/// Boards of two tenants, and a plain connection of a role that was let in.
fn two_tenants() -> Option<(Database, Client)> {
    let database = Database::empty()?;
    let mut owner = Postgres::connect(&database.url()).unwrap();
    let role = database.role("guest");
    owner.admit(&role).unwrap();
    owner.admit(&role).unwrap();
    let mut guest = Postgres::connect(&database.url_of(&role, "word")).unwrap();
    for tenant in ["acme", "umbrella"] {
        let board = board(tenant, "login");
        let record = post(&mut guest, &board, 1);
        let documents = relay_baton::store::Batch { saves: vec![saved("run", 1, tenant)], ..batch(Vec::new()) };
        guest.append(&board, &Expected::of(Some(record.head())), &documents).unwrap();
    }
    let client = Client::connect(&database.url_of(&role, "word"), NoTls).unwrap();
    Some((database, client))
}

const TABLES: [&str; 3] = ["board", "entry", "saved"];

fn count(client: &mut Client, table: &str, condition: &str) -> i64 {
    let question = format!("select count(*) from relay_baton.{table} where {condition}");
    client.query_one(&question, &[]).unwrap().get(0)
}

#[test]
fn a_transaction_sees_the_tenant_that_it_names() {
    let Some((_database, mut client)) = two_tenants() else { return };
    for table in TABLES {
        assert_eq!(count(&mut client, table, "true"), 0, "{table}: without a name");
    }
    for (tenant, other) in [("acme", "umbrella"), ("umbrella", "acme")] {
        client.batch_execute(&format!("begin; set local relay_baton.tenant = '{tenant}'")).unwrap();
        for table in TABLES {
            assert_eq!(count(&mut client, table, "true"), 1, "{table}");
            assert_eq!(count(&mut client, table, &format!("tenant = '{other}'")), 0, "{table}");
        }
        client.batch_execute("commit").unwrap();
    }
    for table in TABLES {
        assert_eq!(count(&mut client, table, "true"), 0, "{table}: after a name that went");
    }
}

#[test]
fn nothing_is_written_for_another_tenant() {
    let Some((database, mut client)) = two_tenants() else { return };
    let boards = database.client().query("select id from relay_baton.board where tenant = 'umbrella'", &[]).unwrap();
    let umbrella: i64 = boards[0].get(0);
    let tries = [
        "insert into relay_baton.board (tenant, task, seq) values ('umbrella', 'x', 0)".to_owned(),
        format!("insert into relay_baton.entry values ({umbrella}, 9, 'umbrella', 'r', 'k', 'k', 'a', null, 'd', '')"),
        format!("insert into relay_baton.entry values ({umbrella}, 9, 'acme', 'r', 'k', 'k', 'a', null, 'd', '')"),
        format!("insert into relay_baton.saved values ({umbrella}, 'umbrella', 'run', 9, '')"),
        format!("insert into relay_baton.saved values ({umbrella}, 'acme', 'run', 9, '')"),
    ];
    for statement in tries {
        client.batch_execute("begin; set local relay_baton.tenant = 'acme'").unwrap();
        let error = client.batch_execute(&statement).expect_err(&statement);
        assert_eq!(error.code().unwrap().code(), "42501", "{statement}: {error}");
        client.batch_execute("rollback").unwrap();
    }
    for statement in [
        "update relay_baton.board set seq = 8, digest = 'd' where tenant = 'umbrella'",
        "update relay_baton.saved set bytes = 'x' where tenant = 'umbrella'",
        "delete from relay_baton.saved where tenant = 'umbrella'",
    ] {
        client.batch_execute("begin; set local relay_baton.tenant = 'acme'").unwrap();
        assert_eq!(client.execute(statement, &[]).unwrap(), 0, "{statement}");
        client.batch_execute("rollback").unwrap();
    }
}

#[test]
fn entries_are_neither_changed_nor_removed() {
    let Some((database, mut client)) = two_tenants() else { return };
    let mut owner = database.client();
    for statement in [
        "update relay_baton.entry set bytes = 'x'",
        "delete from relay_baton.entry",
        "truncate relay_baton.entry",
        "delete from relay_baton.board",
        "update relay_baton.board set task = 'x'",
        "update relay_baton.board set seq = 0, digest = null",
        "alter table relay_baton.entry disable trigger all",
        "alter table relay_baton.entry no force row level security",
        "drop table relay_baton.entry",
        "update relay_baton.about set version = 7",
    ] {
        client.batch_execute("begin; set local relay_baton.tenant = 'acme'").unwrap();
        let error = client.batch_execute(statement).expect_err(statement);
        // The head may be written, but not back.
        let expected = if statement.contains("seq = 0") { "23001" } else { "42501" };
        assert_eq!(error.code().unwrap().code(), expected, "{statement}: {error}");
        client.batch_execute("rollback").unwrap();
    }
    for statement in
        ["update relay_baton.entry set bytes = 'x'", "delete from relay_baton.entry", "truncate relay_baton.entry"]
    {
        let error = owner.batch_execute(statement).expect_err(statement);
        assert_eq!(error.code().unwrap().code(), "23001", "{statement}: {error}");
    }
    let mut store = Postgres::connect(&database.url()).unwrap();
    assert_eq!(all(&mut store, &board("acme", "login")), [record(&board("acme", "login"), None, 1)]);
}

#[test]
fn an_owner_without_privileges_is_held_to_its_tenant_too() {
    let Some(database) = Database::empty() else { return };
    let role = database.role("owner");
    database.client().batch_execute(&format!("create schema relay_baton authorization {role}")).unwrap();
    let url = database.url_of(&role, "word");
    let mut store = Postgres::connect(&url).unwrap();
    post(&mut store, &board("acme", "login"), 1);
    let mut client = Client::connect(&url, NoTls).unwrap();
    assert_eq!(count(&mut client, "entry", "true"), 0);
    assert_eq!(all(&mut store, &board("acme", "login")).len(), 1);
}
