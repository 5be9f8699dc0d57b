//! The scenarios of boards on this store: the same files, and the same bytes, as on every other.

use std::path::Path;

use relay_baton_store_conformance::Place as _;

use crate::folder::Folder;
use crate::scenario::run_all;
use crate::scenario_store::InStore;

#[test]
fn every_scenario_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/board");
    let mut place: Option<Folder> = None;
    run_all(&folder, &mut InStore::new(move || place.insert(Folder::new()).open()));
}
