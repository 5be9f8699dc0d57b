//! The suite that every store is held to.

use std::sync::Arc;

use relay_baton_postgres::Postgres;
use relay_baton_store_conformance::{Handle, Place, suite};

use crate::place::Database;

/// One database for all properties: to make one takes longer than to hold a store to a property.
struct Emptied {
    database: Arc<Database>,
    url: String,
}

impl Place for Emptied {
    fn open(&self) -> Handle {
        Box::new(Postgres::connect(&self.url).unwrap())
    }
}

impl Drop for Emptied {
    fn drop(&mut self) {
        self.database.clear();
    }
}

fn run(database: Database, url: &str) {
    let database = Arc::new(database);
    suite::run(&|| Box::new(Emptied { database: Arc::clone(&database), url: url.to_owned() }));
}

#[test]
fn it_holds_to_every_property() {
    let Some(database) = Database::empty() else { return };
    let url = database.url();
    run(database, &url);
}

#[test]
fn it_holds_to_every_property_for_a_role_that_owns_nothing() {
    let Some(database) = Database::empty() else { return };
    let role = database.role("guest");
    Postgres::connect(&database.url()).unwrap().admit(&role).unwrap();
    let url = database.url_of(&role, "word");
    run(database, &url);
}
