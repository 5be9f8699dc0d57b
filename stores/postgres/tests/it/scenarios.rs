//! The scenarios of boards on this store: the same files, and the same bytes, as on every other.

use std::path::Path;

use relay_baton_store_conformance::Place as _;

use crate::place::Database;
use crate::scenario::run_all;
use crate::scenario_store::InStore;

#[test]
fn every_scenario_holds() {
    if Database::empty().is_none() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/board");
    let database = Database::empty().unwrap();
    drop(database.open());
    let mut owner = database.client();
    run_all(
        &folder,
        &mut InStore::new(move || {
            // A database a scenario would take a second each. Only a superuser gets past what keeps entries.
            let tables = "relay_baton.saved, relay_baton.entry, relay_baton.board";
            let clear = format!("set session_replication_role = replica; truncate {tables} restart identity cascade");
            owner.batch_execute(&clear).unwrap();
            database.open()
        }),
    );
}
