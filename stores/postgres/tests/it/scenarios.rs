//! The scenarios of boards on this store: the same files, and the same bytes, as on every other.

use std::path::Path;

use relay_baton_postgres::Postgres;

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
    drop(Postgres::connect(&database.url()).unwrap());
    run_all(
        &folder,
        &mut InStore::new(move || {
            // A database a scenario would take a second each.
            database.clear();
            Box::new(Postgres::connect(&database.url()).unwrap())
        }),
    );
}
