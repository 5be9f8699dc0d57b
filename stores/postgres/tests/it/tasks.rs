//! Whole tasks under a charter on a server: a role that was let in connects anew in each process, some of which end in the
//! middle.

use std::rc::Rc;

use relay_baton_postgres::Postgres;

use crate::campaign::{a_twin_sends_twice, end_at_every_append};
use crate::place::Database;
use crate::race::two_go_on_and_a_person_decides;

/// A database and the address of a role that was let in; `None` where these tests are skipped by name.
fn place() -> Option<(Database, String)> {
    let database = Database::empty()?;
    let role = database.role("guest");
    Postgres::connect(&database.url()).unwrap().admit(&role).unwrap();
    let url = database.url_of(&role, "word");
    Some((database, url))
}

/// The place without a board, and what connects to it.
fn fresh(place: &Rc<(Database, String)>) -> impl FnMut() -> Postgres + use<> {
    place.0.clear();
    let place = Rc::clone(place);
    move || Postgres::connect(&place.1).unwrap()
}

#[test]
fn a_process_that_ends_is_taken_over_and_nothing_happens_twice() {
    let Some(place) = place().map(Rc::new) else { return };
    // A connection for each process takes its time; the other stores end one at every append.
    end_at_every_append(5, || fresh(&place));
}

#[test]
fn a_twin_that_repeats_calls_in_doubt_is_caught() {
    let Some(place) = place().map(Rc::new) else { return };
    assert!(a_twin_sends_twice(|| fresh(&place)));
}

#[test]
fn of_two_that_go_on_one_wins_each_record_and_no_word_is_lost() {
    let Some((database, url)) = place() else { return };
    for _ in 0..3 {
        database.clear();
        two_go_on_and_a_person_decides(&|| Postgres::connect(&url).unwrap());
    }
}
