//! Making the tables, and what is found in their place.

use std::sync::Barrier;
use std::thread;

use relay_baton::refusal::Code;
use relay_baton::store::Store as _;
use relay_baton_postgres::Postgres;

use crate::entries::{all, board, post};
use crate::place::Database;

fn refusal(url: &str) -> Code {
    Postgres::connect(url).expect_err("a refusal").code
}

#[test]
fn who_only_reads_makes_no_tables() {
    let Some(database) = Database::empty() else { return };
    let refused = Postgres::connect_to_existing(&database.url(), None).expect_err("there is nothing");
    assert_eq!(refused.code, Code::StoreUnavailable);
    let schemas = "select count(*) from pg_namespace where nspname = 'relay_baton'";
    assert_eq!(database.client().query_one(schemas, &[]).unwrap().get::<_, i64>(0), 0);
    drop(Postgres::connect(&database.url()).unwrap());
    assert!(Postgres::connect_to_existing(&database.url(), None).is_ok());
}

#[test]
fn sixteen_clients_make_the_tables_at_once() {
    let Some(database) = Database::empty() else { return };
    let start = Barrier::new(16);
    thread::scope(|scope| {
        for number in 0..16 {
            let (database, start) = (&database, &start);
            scope.spawn(move || {
                start.wait();
                let mut store = Postgres::connect(&database.url()).unwrap();
                post(&mut store, &board("acme", &format!("task-{number}")), number);
            });
        }
    });
    let mut client = database.client();
    let versions = client.query("select application, version from relay_baton.about", &[]).unwrap();
    assert_eq!(versions.len(), 1);
    assert_eq!((versions[0].get(0), versions[0].get(1)), ("relay-baton", 1_i32));
    let mut store = Postgres::connect(&database.url()).unwrap();
    for number in 0..16 {
        assert_eq!(all(&mut store, &board("acme", &format!("task-{number}"))).len(), 1);
    }
}

#[test]
fn tables_of_a_newer_program_are_left_alone() {
    let Some(database) = Database::empty() else { return };
    Postgres::connect(&database.url()).unwrap();
    database.client().batch_execute("update relay_baton.about set version = 99").unwrap();
    let fault = Postgres::connect(&database.url()).unwrap_err();
    assert_eq!(fault.code, Code::StoreNewer);
    assert!(fault.detail.contains("version 99"), "{}", fault.detail);
}

#[test]
fn what_others_keep_under_our_name_is_left_alone() {
    for others in [
        "create table relay_baton.notes (text text)",
        "create table relay_baton.about (name text)",
        "create table relay_baton.about (application text, version integer)",
        "create table relay_baton.about (application text, version integer); \
         insert into relay_baton.about values ('notes', 1)",
        "create table relay_baton.about (application text, version text); \
         insert into relay_baton.about values ('relay-baton', 'one')",
        "create view relay_baton.about as select 1 as number",
    ] {
        let Some(database) = Database::empty() else { return };
        database.client().batch_execute(&format!("create schema relay_baton; {others}")).unwrap();
        assert_eq!(refusal(&database.url()), Code::StoreForeign, "{others}");
        let tables = "select count(*) from pg_class as c join pg_namespace as n on n.oid = c.relnamespace \
                      where n.nspname = 'relay_baton'";
        let count: i64 = database.client().query_one(tables, &[]).unwrap().get(0);
        assert_eq!(count, 1, "{others}");
    }
}

#[test]
fn tables_without_their_functions_are_not_ours() {
    let Some(database) = Database::empty() else { return };
    let mut store = Postgres::connect(&database.url()).unwrap();
    database.client().batch_execute("drop function relay_baton.head").unwrap();
    assert_eq!(store.head(&board("acme", "login")).unwrap_err().code, Code::StoreForeign);
}

#[test]
fn a_role_that_was_not_let_in_is_denied() {
    let Some(database) = Database::empty() else { return };
    let role = database.role("stranger");
    let url = database.url_of(&role, "word");
    assert_eq!(refusal(&url), Code::StoreDenied, "it may not make the tables");
    Postgres::connect(&database.url()).unwrap();
    assert_eq!(refusal(&url), Code::StoreDenied, "it may not read them");
    let mut owner = Postgres::connect(&database.url()).unwrap();
    assert_eq!(owner.admit("nobody-of-this-name").unwrap_err().code, Code::StoreDenied);
    owner.admit(&role).unwrap();
    let mut store = Postgres::connect(&url).unwrap();
    post(&mut store, &board("acme", "login"), 1);
    assert_eq!(store.admit(&role).unwrap_err().code, Code::StoreDenied);
}

#[test]
fn odd_role_names_are_names() {
    let Some(database) = Database::empty() else { return };
    let mut owner = Postgres::connect(&database.url()).unwrap();
    database.client().batch_execute("create role \"Odd\"\"; drop schema relay_baton cascade; --\"").unwrap();
    owner.admit("Odd\"; drop schema relay_baton cascade; --").unwrap();
    post(&mut owner, &board("acme", "login"), 1);
    database.client().batch_execute("drop owned by \"Odd\"\"; drop schema relay_baton cascade; --\"; drop role \"Odd\"\"; drop schema relay_baton cascade; --\"").unwrap();
}
