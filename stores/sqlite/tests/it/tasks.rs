//! Whole tasks under a charter in an SQLite file: opened anew by each process, some of which end in the middle.

use relay_baton_sqlite::{Mode, Sqlite};

use crate::campaign::{a_twin_sends_twice, end_at_every_append};
use crate::folder::Folder;
use crate::race::two_go_on_and_a_person_decides;

/// A folder without a board, and what opens the file in it.
fn fresh() -> impl FnMut() -> Sqlite {
    let folder = Folder::fast();
    move || folder.store(Mode::Create)
}

#[test]
fn a_process_that_ends_at_any_append_is_taken_over_and_nothing_happens_twice() {
    end_at_every_append(1, fresh);
}

#[test]
fn a_twin_that_repeats_calls_in_doubt_is_caught() {
    assert!(a_twin_sends_twice(fresh));
}

#[test]
fn of_two_that_go_on_one_wins_each_record_and_no_word_is_lost() {
    for _ in 0..3 {
        let folder = Folder::fast();
        two_go_on_and_a_person_decides(&|| folder.store(Mode::Create));
    }
}
