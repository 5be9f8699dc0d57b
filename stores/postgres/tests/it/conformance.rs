//! The suite that every store is held to.

use relay_baton_store_conformance::suite;

use crate::place::Database;

#[test]
fn it_holds_to_every_property() {
    if Database::empty().is_none() {
        return;
    }
    suite::run(&|| Box::new(Database::empty().unwrap()));
}

#[test]
fn every_property_holds_as_a_role_that_owns_nothing() {
    struct Guest(Database, String);
    impl relay_baton_store_conformance::Place for Guest {
        fn open(&self) -> relay_baton_store_conformance::Handle {
            Box::new(relay_baton_postgres::Postgres::connect(&self.0.url_of(&self.1, "word")).unwrap())
        }
    }
    if Database::empty().is_none() {
        return;
    }
    suite::run(&|| {
        let database = Database::empty().unwrap();
        let role = database.role("guest");
        relay_baton_postgres::Postgres::connect(&database.url()).unwrap().admit(&role).unwrap();
        Box::new(Guest(database, role))
    });
}
