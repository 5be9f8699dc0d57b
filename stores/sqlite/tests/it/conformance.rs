use relay_baton_store_conformance::suite;

use crate::folder::Folder;

#[test]
fn the_store_has_every_property() {
    suite::run(&|| Box::new(Folder::new()));
}
